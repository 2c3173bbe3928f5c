/* SPDX-License-Identifier: Apache-2.0 */
/* The mask "near": a text that is near (text/near_words.h) to a bought text or to an earlier
 * candidate that stays.
 *
 * Texts that stay are listed under each of their keys, at most LISTED under one, and bought texts
 * before all others: those that a text is compared with are under its keys. So the time is linear
 * in the number of texts however many share a key. The candidates are taken in their order, a block
 * of rows after the other. Of a block all rows are first compared, on all threads, with what was
 * listed before it; then those that are left, one by one, with what the block itself has listed.
 * The masks are those of taking each row alone in turn, for every number of threads.
 *
 * Memory: 48 bytes a row of each pool, and of each text with words enough 4 for each of its parts,
 * 24, and 13 to 26 for each of its keys. */
#include <string.h>

#include "pool/hash_index.h"
#include "request/text_masks_internal.h"

/* With 8 texts under a key 97 % of the texts are masked that would be with 1,000, which takes half
 * as long again (226,621 texts of interfaces). */
enum { LISTED = 8 };
/* Rows that a task compares. */
enum { TASK_ROWS = 512 };
/* Bits by which it is told which keys a block has listed texts under: twenty times as many as it
 * has keys, in 128 KiB, so that three of four rows need no look at the index. */
enum { RECENT_BITS = 1 << 20 };
/* Rows by which the slots of a row's keys are asked from memory before they are read. */
enum { AHEAD = 8 };

typedef struct near_loop {
    const alcore__masked_texts *texts;
    alcore__near_parts *listed; /* [count] texts that stay, owned */
    int64_t count;
    alcore__hash_index index; /* numbers of them by their keys */
    uint8_t *found;           /* [ALCORE_BLOCK_ROWS] rows of the block that are near, owned */
    uint64_t *recent;         /* [RECENT_BITS / 64] a bit for each key that a row of the block is
                                 listed under, others' too; owned */
    int64_t first, end;       /* rows of the block */
} near_loop;

/* By what near texts of a row are found; NULL: it is no candidate (any more), or has too few words.
 */
static const alcore__text_near *near_of(const near_loop *self, int64_t row) {
    const alcore__masked_texts *texts = self->texts;
    return texts->masks->candidate_mask[row] && texts->candidates.near[row].count > 0
               ? &texts->candidates.near[row]
               : NULL;
}

/* The hash of key i of a text. */
static uint64_t key_of(const alcore__text_near *near, int i) {
    return near->keys[i];
}

/* Prefetches the slots of the keys of a text, and those of the text AHEAD rows on: this changes the
 * time alone. The function is always inlined, because gcc 12 removes calls of functions that do
 * nothing but prefetch. */
static inline __attribute__((always_inline)) void fetch_slots(const near_loop *self,
                                                              const alcore__text_near *near) {
    for (int i = 0; i < ALCORE__NEAR_KEYS; i++)
        __builtin_prefetch(&self->index.slots[alcore__index_home(&self->index, key_of(near, i))]);
}

static inline __attribute__((always_inline)) void fetch_ahead(const near_loop *self, int64_t row,
                                                              int64_t end) {
    const alcore__text_near *near = row + AHEAD < end ? near_of(self, row + AHEAD) : NULL;
    if (near) fetch_slots(self, near);
}

/* Whether a text is near to one that is listed under its keys, of the numbers from `from` on. The
 * index may name a text of another key, whose slot is alike; the parts decide. The numbers are
 * gathered first, because their texts lie far apart in memory, which is asked for all of them at
 * once. */
static bool is_near(const near_loop *self, const alcore__text_near *near,
                    const alcore__near_parts *parts, int64_t from) {
    int64_t gathered[ALCORE__NEAR_KEYS * LISTED], number;
    int count = 0;
    for (int i = 0; i < ALCORE__NEAR_KEYS; i++) {
        size_t slot = alcore__index_home(&self->index, key_of(near, i));
        while ((number = alcore__index_next(&self->index, key_of(near, i), &slot)) >= 0) {
            if (number < from) continue;
            __builtin_prefetch(&self->listed[number]);
            gathered[count++] = number;
        }
    }
    for (int i = 0; i < count; i++)
        if (alcore__near_same(parts, &self->listed[gathered[i]])) return true;
    return false;
}

/* The bit of a key in self->recent. */
static size_t recent_bit(const alcore__text_near *near, int i) {
    return key_of(near, i) % RECENT_BITS;
}

/* Whether a text of the block may be listed under a key of this one. */
static bool may_be_recent(const near_loop *self, const alcore__text_near *near) {
    for (int i = 0; i < ALCORE__NEAR_KEYS; i++) {
        const size_t bit = recent_bit(near, i);
        if (self->recent[bit / 64] >> bit % 64 & 1) return true;
    }
    return false;
}

/* Lists a text under those of its keys that have room. reserve() has made room in the index and in
 * `listed` for all that may be listed. */
static void list(near_loop *self, const alcore__text_near *near, alcore__near_parts parts) {
    for (int i = 0; i < ALCORE__NEAR_KEYS; i++) {
        size_t slot = alcore__index_home(&self->index, key_of(near, i));
        int under = 0;
        while (alcore__index_next(&self->index, key_of(near, i), &slot) >= 0) under++;
        if (under == LISTED) continue;
        const size_t bit = recent_bit(near, i);
        self->recent[bit / 64] |= UINT64_C(1) << bit % 64;
        alcore__index_put(&self->index, slot, key_of(near, i), self->count);
    }
    self->listed[self->count++] = parts;
}

/* Lists all bought texts, which nothing masks. Texts that were not read have no rows. */
static alcore_status list_bought(near_loop *self, const alcore__read_texts *bought) {
    for (int64_t row = 0; row < bought->rows; row++) {
        if (row % ALCORE_BLOCK_ROWS == 0)
            ALCORE__TRY(alcore__tick(self->texts->ctx, "masks", row, bought->rows));
        const int64_t ahead = row + AHEAD;
        if (ahead < bought->rows && bought->near[ahead].count > 0)
            fetch_slots(self, &bought->near[ahead]);
        if (bought->mask[row] && bought->near[row].count > 0)
            list(self, &bought->near[row], alcore__texts_read_parts(bought, row));
    }
    return ALCORE_OK;
}

/* Task `index` of alcore__parallel_part(): compares TASK_ROWS rows of the block with what was
 * listed before it. The index and the list are not written meanwhile. */
static alcore_status compare_rows(void *data, int64_t index, int32_t worker) {
    const near_loop *self = data;
    const int64_t first = self->first + index * TASK_ROWS;
    const int64_t end = first + TASK_ROWS < self->end ? first + TASK_ROWS : self->end;
    (void)worker;
    for (int64_t row = first; row < end; row++) {
        const alcore__text_near *near = near_of(self, row);
        fetch_ahead(self, row, end);
        if (!near) continue;
        const alcore__near_parts parts = alcore__texts_read_parts(&self->texts->candidates, row);
        self->found[row - self->first] = is_near(self, near, &parts, 0);
    }
    return ALCORE_OK;
}

/* Masks the rows of the block that are near to a text, and lists the others. */
static void settle_block(near_loop *self) {
    const int64_t from = self->count;
    memset(self->recent, 0, RECENT_BITS / 8);
    for (int64_t row = self->first; row < self->end; row++) {
        const alcore__text_near *near = near_of(self, row);
        fetch_ahead(self, row, self->end);
        if (!near) continue;
        const alcore__near_parts parts = alcore__texts_read_parts(&self->texts->candidates, row);
        if (self->found[row - self->first] ||
            (may_be_recent(self, near) && is_near(self, near, &parts, from)))
            alcore__mask_text(self->texts->masks, row, ALCORE__CAUSE_NEAR);
        else
            list(self, near, parts);
    }
}

/* found is overwritten for each row of a block that has words enough, and read for these alone. A
 * block is a whole number of tasks but for the last, so that self->first / TASK_ROWS are done. */
static alcore_status mask_blocks(near_loop *self) {
    alcore_ctx *ctx = self->texts->ctx;
    const int64_t rows = self->texts->masks->rows;
    const int64_t tasks = (rows + TASK_ROWS - 1) / TASK_ROWS;
    for (self->first = 0; self->first < rows; self->first += ALCORE_BLOCK_ROWS) {
        const int64_t left = rows - self->first;
        self->end = self->first + (left < ALCORE_BLOCK_ROWS ? left : ALCORE_BLOCK_ROWS);
        ALCORE__TRY(alcore__parallel_part(ctx, "masks", self->first / TASK_ROWS, tasks,
                                          (self->end - self->first + TASK_ROWS - 1) / TASK_ROWS,
                                          compare_rows, self));
        settle_block(self);
    }
    return ALCORE_OK;
}

/* How many texts have words enough to be listed; 0 where none was read. */
static int64_t count_near(const alcore__read_texts *texts) {
    int64_t count = 0;
    for (int64_t row = 0; row < texts->rows; row++)
        count += texts->mask[row] && texts->near[row].count > 0;
    return count;
}

/* Room for all texts that may be listed, each under all of its keys. */
static alcore_status reserve(near_loop *self) {
    const alcore__masked_texts *texts = self->texts;
    alcore_ctx *ctx = texts->ctx;
    const int64_t most = count_near(&texts->candidates) + count_near(&texts->bought[0]) +
                         count_near(&texts->bought[1]);
    ALCORE__TRY(alcore__new_array(ctx, ALCORE_BLOCK_ROWS, sizeof *self->found, &self->found));
    ALCORE__TRY(alcore__new_array(ctx, RECENT_BITS / 64, sizeof *self->recent, &self->recent));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)most, sizeof *self->listed, &self->listed));
    return alcore__index_reserve(ctx, &self->index, (size_t)most * ALCORE__NEAR_KEYS, 0, most);
}

alcore_status alcore__mask_near(const alcore__masked_texts *texts) {
    near_loop self = {.texts = texts};
    alcore_status status = reserve(&self);
    for (int i = 0; status == ALCORE_OK && i < 2; i++)
        status = list_bought(&self, &texts->bought[i]);
    if (status == ALCORE_OK) status = mask_blocks(&self);
    alcore__free(texts->ctx, self.found);
    alcore__free(texts->ctx, self.recent);
    alcore__free(texts->ctx, self.listed);
    alcore__index_clear(texts->ctx, &self.index);
    return status;
}
