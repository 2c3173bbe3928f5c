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
 * and 13 to 26 for each of the keys under which it is listed. */
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
/* Rows whose slots, outlines and parts are each asked from memory for all of them before they are
 * read, as they lie far apart; the slots of so many rows ahead. */
enum { TOGETHER = 8, AHEAD = TOGETHER };
/* Bought rows, texts of the labeled pool, candidates. */
enum { CANDIDATES = 2, SOURCES };

typedef struct near_loop {
    const alcore__masked_texts *texts;
    const alcore__read_texts *sources[SOURCES];
    int64_t starts[SOURCES];  /* a text has a number: its row, and the rows of the sources before */
    int64_t numbers;          /* of all texts */
    alcore__hash_index index; /* numbers of texts that stay by their keys */
    uint8_t *found;           /* [ALCORE_BLOCK_ROWS] rows of the block that are near, owned */
    uint64_t *recent;         /* [RECENT_BITS / 64] a bit for each key that a row of the block is
                                 listed under, others' too; owned */
    int64_t first, end;       /* rows of the block */
} near_loop;

/* A candidate and a listed text that it may be near to. */
typedef struct pair {
    int64_t row, number;
} pair;

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

/* The texts in which a text lies, and its row in *row. */
static inline const alcore__read_texts *texts_of(const near_loop *self, int64_t number,
                                                 int64_t *row) {
    int source = CANDIDATES;
    while (number < self->starts[source]) source--;
    *row = number - self->starts[source];
    return self->sources[source];
}

/* Appends pairs of a row and those that are listed under its keys, of the numbers from `from` on;
 * returns how many pairs there are then. The index may name a text of another key, whose slot is
 * alike; the parts decide. */
static inline int gather(const near_loop *self, int64_t row, int64_t from, pair *pairs, int count) {
    const alcore__text_near *near = near_of(self, row);
    int64_t number, listed;
    for (int i = 0; near && i < ALCORE__NEAR_KEYS; i++) {
        size_t slot = alcore__index_home(&self->index, key_of(near, i));
        while ((number = alcore__index_next(&self->index, key_of(near, i), &slot)) >= 0) {
            if (number < from) continue;
            const alcore__read_texts *texts = texts_of(self, number, &listed);
            __builtin_prefetch(&texts->outlines[listed]);
            pairs[count++] = (pair){row, number};
        }
    }
    return count;
}

/* Keeps the pairs whose outlines tell that they may be near; returns how many these are. */
static inline int keep_alike(const near_loop *self, pair *pairs, int count) {
    const uint64_t *outlines = self->texts->candidates.outlines;
    int kept = 0;
    for (int i = 0; i < count; i++) {
        int64_t listed;
        const alcore__read_texts *texts = texts_of(self, pairs[i].number, &listed);
        if (!alcore__near_may(outlines[pairs[i].row], texts->outlines[listed])) continue;
        __builtin_prefetch(&texts->near[listed]);
        pairs[kept++] = pairs[i];
    }
    return kept;
}

/* Sets self->found for the rows from `row` to `end`, at most TOGETHER, that are near to a text that
 * is listed under their keys, of the numbers from `from` on. */
static void find_near(const near_loop *self, int64_t row, int64_t end, int64_t from) {
    pair pairs[TOGETHER * ALCORE__NEAR_KEYS * LISTED];
    alcore__near_parts parts[TOGETHER * ALCORE__NEAR_KEYS * LISTED]; /* of the listed ones */
    int count = 0;
    for (; row < end; row++) count = gather(self, row, from, pairs, count);
    count = keep_alike(self, pairs, count);
    for (int i = 0; i < count; i++) {
        int64_t listed;
        const alcore__read_texts *texts = texts_of(self, pairs[i].number, &listed);
        parts[i] = alcore__texts_read_parts(texts, listed);
        __builtin_prefetch(parts[i].parts);
    }
    for (int i = 0; i < count; i++) {
        uint8_t *found = &self->found[pairs[i].row - self->first];
        if (*found) continue;
        const alcore__near_parts own =
            alcore__texts_read_parts(&self->texts->candidates, pairs[i].row);
        *found = alcore__near_same(&own, &parts[i]);
    }
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

/* Lists a text under those of its keys that have room. There is room for it in the index. */
static void list(near_loop *self, const alcore__text_near *near, int64_t number) {
    for (int i = 0; i < ALCORE__NEAR_KEYS; i++) {
        size_t slot = alcore__index_home(&self->index, key_of(near, i));
        int under = 0;
        while (alcore__index_next(&self->index, key_of(near, i), &slot) >= 0) under++;
        if (under == LISTED) continue;
        const size_t bit = recent_bit(near, i);
        self->recent[bit / 64] |= UINT64_C(1) << bit % 64;
        alcore__index_put(&self->index, slot, key_of(near, i), number);
    }
}

/* Makes room in the index for so many texts. */
static alcore_status reserve(near_loop *self, int64_t texts) {
    return alcore__index_reserve(self->texts->ctx, &self->index, (size_t)texts * ALCORE__NEAR_KEYS,
                                 0, self->numbers);
}

/* Lists all bought texts of a source, which nothing masks. Texts that were not read have no rows.
 */
static alcore_status list_bought(near_loop *self, int source) {
    const alcore__read_texts *bought = self->sources[source];
    for (int64_t row = 0; row < bought->rows; row++) {
        if (row % ALCORE_BLOCK_ROWS == 0) {
            ALCORE__TRY(alcore__tick(self->texts->ctx, "masks", row, bought->rows));
            ALCORE__TRY(reserve(self, ALCORE_BLOCK_ROWS));
        }
        const int64_t ahead = row + AHEAD;
        if (ahead < bought->rows && bought->near[ahead].count > 0)
            fetch_slots(self, &bought->near[ahead]);
        if (bought->mask[row] && bought->near[row].count > 0)
            list(self, &bought->near[row], self->starts[source] + row);
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
    for (int64_t row = first; row < end; row += TOGETHER) {
        for (int i = 0; i < TOGETHER; i++) fetch_ahead(self, row + i, end);
        find_near(self, row, row + TOGETHER < end ? row + TOGETHER : end, 0);
    }
    return ALCORE_OK;
}

/* Masks the rows of the block that are near to a text, and lists the others. */
static void settle_block(near_loop *self) {
    const int64_t from = self->starts[CANDIDATES] + self->first;
    memset(self->recent, 0, RECENT_BITS / 8);
    for (int64_t row = self->first; row < self->end; row++) {
        const alcore__text_near *near = near_of(self, row);
        fetch_ahead(self, row, self->end);
        if (!near) continue;
        if (!self->found[row - self->first] && may_be_recent(self, near))
            find_near(self, row, row + 1, from);
        if (self->found[row - self->first])
            alcore__mask_text(self->texts->masks, row, ALCORE__CAUSE_NEAR);
        else
            list(self, near, self->starts[CANDIDATES] + row);
    }
}

/* A block is a whole number of tasks but for the last, so that self->first / TASK_ROWS are done. */
static alcore_status mask_blocks(near_loop *self) {
    alcore_ctx *ctx = self->texts->ctx;
    const int64_t rows = self->texts->masks->rows;
    const int64_t tasks = (rows + TASK_ROWS - 1) / TASK_ROWS;
    for (self->first = 0; self->first < rows; self->first += ALCORE_BLOCK_ROWS) {
        const int64_t left = rows - self->first;
        self->end = self->first + (left < ALCORE_BLOCK_ROWS ? left : ALCORE_BLOCK_ROWS);
        memset(self->found, 0, ALCORE_BLOCK_ROWS);
        ALCORE__TRY(reserve(self, self->end - self->first));
        ALCORE__TRY(alcore__parallel_part(ctx, "masks", self->first / TASK_ROWS, tasks,
                                          (self->end - self->first + TASK_ROWS - 1) / TASK_ROWS,
                                          compare_rows, self));
        settle_block(self);
    }
    return ALCORE_OK;
}

/* Numbers the texts, and makes room: for half of the keys that there may be, as others have no
 * place of their own under one that is full, or their text is near to one. */
static alcore_status begin(near_loop *self) {
    const alcore__masked_texts *texts = self->texts;
    const alcore__masks *masks = texts->masks;
    alcore_ctx *ctx = texts->ctx;
    for (int i = 0; i < SOURCES; i++) {
        self->sources[i] = i == CANDIDATES ? &texts->candidates : &texts->bought[i];
        self->starts[i] = self->numbers;
        self->numbers += self->sources[i]->rows;
    }
    ALCORE__TRY(alcore__new_array(ctx, ALCORE_BLOCK_ROWS, sizeof *self->found, &self->found));
    ALCORE__TRY(alcore__new_array(ctx, RECENT_BITS / 64, sizeof *self->recent, &self->recent));
    return reserve(self, (masks->eligible + masks->bought_count + masks->labeled_pool_count) / 2);
}

alcore_status alcore__mask_near(const alcore__masked_texts *texts) {
    near_loop self = {.texts = texts};
    alcore_status status = begin(&self);
    for (int i = 0; status == ALCORE_OK && i < CANDIDATES; i++) status = list_bought(&self, i);
    if (status == ALCORE_OK) status = mask_blocks(&self);
    alcore__free(texts->ctx, self.found);
    alcore__free(texts->ctx, self.recent);
    alcore__index_clear(texts->ctx, &self.index);
    return status;
}
