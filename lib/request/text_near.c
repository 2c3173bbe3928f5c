/* SPDX-License-Identifier: Apache-2.0 */
/* The mask "near": a text that is near (text/near_words.h) to a bought text or to an earlier
 * candidate that stays.
 *
 * Texts that stay are listed under each of their keys, at most LISTED under one, and bought texts
 * before all others. A text is compared with those that are listed under its own keys, so that the
 * time is linear in the number of texts however many share a key. The candidates are read in their
 * order, in blocks of rows. All rows of a block are first compared, on all threads, with the texts
 * that were listed before the block; those that stay are then compared, one by one, with the texts
 * that the block itself has listed. The masks are the same as if each row were compared alone, for
 * every number of threads.
 *
 * A key that only one text has is not listed. Counters of a hash of the keys tell which these are;
 * where hashes collide, such a key is taken for shared and listed.
 *
 * Memory: 48 bytes a row of each pool, and for each text with enough words 4 for each of its parts,
 * 1 to 2 for each of its keys, and 21 to 43 for each key under which it is listed. */
#include <string.h>

#include "request/text_masks_internal.h"

/* With 8 texts under a key, 97 % of those texts are masked that 1,000 under a key would mask, which
 * takes half as long again (226,621 texts of interfaces). */
enum { LISTED = 8 };
/* Rows that a task compares. */
enum { TASK_ROWS = 512 };
/* Bits that say under which keys a block has listed texts: twenty times as many as it has keys, in
 * 128 KiB, so that three of four rows need no search in the table. */
enum { RECENT_BITS = 1 << 20 };
/* Places and parts of TOGETHER rows are prefetched before the first of them is read, as they lie
 * far apart in memory; places are prefetched AHEAD rows ahead. */
enum { TOGETHER = 8, AHEAD = TOGETHER };
/* Bought rows, texts of the labeled pool, candidates. */
enum { CANDIDATES = 2, SOURCES };

/* A place of the hash table in which texts that stay are listed by their keys. The low bits of a
 * key are the number of the place where linear probing begins. */
typedef struct place {
    uint64_t outline; /* of the text */
    uint32_t key;
    uint32_t number; /* 1 + the number of the text; 0: the place is free */
} place;

typedef struct near_loop {
    const alcore__masked_texts *texts;
    const alcore__read_texts *sources[SOURCES];
    int64_t starts[SOURCES]; /* the number of a text: its row + starts[source], the rows before */
    int64_t numbers;         /* how many texts have one */
    place *places;           /* [capacity], a power of two; owned */
    size_t capacity, used;
    uint8_t *found;     /* [ALCORE_BLOCK_ROWS] rows of the block that are near, owned */
    uint64_t *recent;   /* [RECENT_BITS / 64] a bit for each key that a row of the block is
                           listed under, others' too; owned */
    int64_t first, end; /* rows of the block */
} near_loop;

/* A candidate and a listed text that it may be near to. */
typedef struct pair {
    int64_t row, number;
} pair;

/* The keys and parts of a row; NULL: it is no candidate (any more), or shares no key. */
static const alcore__text_near *near_of(const near_loop *self, int64_t row) {
    const alcore__masked_texts *texts = self->texts;
    return texts->masks->candidate_mask[row] && texts->candidates.near[row].shared
               ? &texts->candidates.near[row]
               : NULL;
}

/* Whether another text may have key i of one. */
static inline bool is_shared(const alcore__text_near *near, int i) {
    return near->shared >> i & 1;
}

/* ---- the table ---- */

static inline size_t home_of(const near_loop *self, uint32_t key) {
    return key & (self->capacity - 1);
}

/* The next place of a key from *at on, and moves *at behind it; NULL: there is none, and *at is the
 * free place where it belongs. One place at least is free. */
static inline const place *next_place(const near_loop *self, uint32_t key, size_t *at) {
    for (;;) {
        const place *one = &self->places[*at];
        if (one->number == 0) return NULL;
        *at = (*at + 1) & (self->capacity - 1);
        if (one->key == key) return one;
    }
}

/* Makes room for the keys of `texts` more texts: the table is at most three quarters full. */
static alcore_status reserve(near_loop *self, int64_t texts) {
    const size_t most = self->used + (size_t)texts * ALCORE__NEAR_KEYS;
    near_loop larger = *self;
    if (most <= self->capacity / 4 * 3) return ALCORE_OK;
    if (larger.capacity == 0) larger.capacity = 64;
    while (larger.capacity / 4 * 3 < most) larger.capacity *= 2;
    ALCORE__TRY(alcore__new_array(self->texts->ctx, larger.capacity, sizeof *larger.places,
                                  &larger.places));
    for (size_t i = 0; i < self->capacity; i++) {
        const place *one = &self->places[i];
        if (one->number == 0) continue;
        size_t at = home_of(&larger, one->key);
        while (larger.places[at].number != 0) at = (at + 1) & (larger.capacity - 1);
        larger.places[at] = *one;
    }
    alcore__free(self->texts->ctx, self->places);
    *self = larger;
    return ALCORE_OK;
}

/* Prefetches the places of the shared keys of a text, which mostly end within LINES lines of the
 * cache, or those of the candidate AHEAD rows later. Results do not depend on it. The functions are
 * always inlined, because gcc 12 removes calls of functions that do nothing but prefetch. */
enum { LINES = 3, LINE_PLACES = 64 / sizeof(place) };
static inline __attribute__((always_inline)) void fetch_places(const near_loop *self,
                                                               const alcore__text_near *near) {
    for (int i = 0; i < ALCORE__NEAR_KEYS; i++) {
        if (!is_shared(near, i)) continue;
        const size_t home = home_of(self, near->keys[i]);
        for (size_t line = 0; line < LINES; line++)
            __builtin_prefetch(&self->places[(home + line * LINE_PLACES) & (self->capacity - 1)]);
    }
}

static inline __attribute__((always_inline)) void fetch_ahead(const near_loop *self, int64_t row,
                                                              int64_t end) {
    const alcore__text_near *near = row + AHEAD < end ? near_of(self, row + AHEAD) : NULL;
    if (near) fetch_places(self, near);
}

/* ---- comparing ---- */

/* The texts in which a text lies, and its row in *row. */
static inline const alcore__read_texts *texts_of(const near_loop *self, int64_t number,
                                                 int64_t *row) {
    int source = CANDIDATES;
    while (number < self->starts[source]) source--;
    *row = number - self->starts[source];
    return self->sources[source];
}

/* Appends pairs of a row and those that are listed under its keys and may be near by their
 * outlines, of the numbers from `from` on; returns how many pairs there are then. */
static inline int gather(const near_loop *self, int64_t row, int64_t from, pair *pairs, int count) {
    const alcore__text_near *near = near_of(self, row);
    const uint64_t outline = self->texts->candidates.outlines[row];
    for (int i = 0; near && i < ALCORE__NEAR_KEYS; i++) {
        const place *one;
        size_t at = home_of(self, near->keys[i]);
        while (is_shared(near, i) && (one = next_place(self, near->keys[i], &at))) {
            const int64_t number = (int64_t)one->number - 1;
            int64_t listed;
            if (number < from) continue;
            if (!alcore__near_may(outline, one->outline)) continue;
            __builtin_prefetch(&texts_of(self, number, &listed)->near[listed]);
            pairs[count++] = (pair){row, number};
        }
    }
    return count;
}

/* Sets self->found for the rows from `row` to `end`, at most TOGETHER, that are near to a text that
 * is listed under their keys, of the numbers from `from` on. */
static void find_near(const near_loop *self, int64_t row, int64_t end, int64_t from) {
    pair pairs[TOGETHER * ALCORE__NEAR_KEYS * LISTED];
    alcore__near_parts parts[TOGETHER * ALCORE__NEAR_KEYS * LISTED]; /* of the listed ones */
    int count = 0;
    for (; row < end; row++) count = gather(self, row, from, pairs, count);
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
    return near->keys[i] % RECENT_BITS;
}

/* Whether a text of the block may be listed under a key of this one. */
static bool may_be_recent(const near_loop *self, const alcore__text_near *near) {
    for (int i = 0; i < ALCORE__NEAR_KEYS; i++) {
        const size_t bit = recent_bit(near, i);
        if (is_shared(near, i) && self->recent[bit / 64] >> bit % 64 & 1) return true;
    }
    return false;
}

/* Lists a row of a source under those of its shared keys that have room. There are places for it.
 */
static void list(near_loop *self, int source, int64_t row) {
    const alcore__read_texts *texts = self->sources[source];
    const alcore__text_near *near = &texts->near[row];
    for (int i = 0; i < ALCORE__NEAR_KEYS; i++) {
        if (!is_shared(near, i)) continue;
        size_t at = home_of(self, near->keys[i]);
        int under = 0;
        while (next_place(self, near->keys[i], &at)) under++;
        if (under == LISTED) continue;
        const size_t bit = recent_bit(near, i);
        self->recent[bit / 64] |= UINT64_C(1) << bit % 64;
        self->places[at] = (place){.outline = texts->outlines[row],
                                   .key = near->keys[i],
                                   .number = (uint32_t)(self->starts[source] + row + 1)};
        self->used++;
    }
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
        if (row + AHEAD < bought->rows) fetch_places(self, &bought->near[row + AHEAD]);
        if (bought->mask[row]) list(self, source, row);
    }
    return ALCORE_OK;
}

/* Task `index` of alcore__parallel_part(): compares TASK_ROWS rows of the block with what was
 * listed before it. The table is not written meanwhile. */
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
            list(self, CANDIDATES, row);
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

/* ---- keys that texts share ---- */

/* Counters of keys, of two bits each: 1 for one text, 3 for more. */
typedef struct key_counters {
    uint64_t *counters; /* [mask + 1] 32 in each; owned */
    size_t mask;
} key_counters;

enum { COUNTERS = 32 };

static inline uint64_t *counter_of(const key_counters *self, uint32_t key, int *shift) {
    *shift = (int)(key % COUNTERS) * 2;
    return &self->counters[key / COUNTERS & self->mask];
}

/* Counts the keys of a text, or marks those that are counted twice; returns how many these are. */
static int64_t count_keys(const key_counters *self, alcore__text_near *near, bool mark) {
    int64_t shared = 0;
    for (int i = 0; i < ALCORE__NEAR_KEYS; i++) {
        int shift;
        uint64_t *counter = counter_of(self, near->keys[i], &shift);
        if (!mark) *counter |= (1 + (*counter >> shift & 1)) << shift;
        if (!mark || !(*counter >> shift & 2)) continue;
        near->shared |= (uint8_t)(1 << i);
        shared++;
    }
    return shared;
}

/* The same of all texts with words enough that are bought, or still candidates. */
static alcore_status count_all(const near_loop *self, const key_counters *keys, bool mark,
                               int64_t *shared) {
    for (int source = 0; source < SOURCES; source++) {
        const alcore__read_texts *texts = self->sources[source];
        const uint8_t *mask =
            source == CANDIDATES ? self->texts->masks->candidate_mask : texts->mask;
        for (int64_t row = 0; row < texts->rows; row++) {
            if (row % ALCORE_BLOCK_ROWS == 0)
                ALCORE__TRY(alcore__tick(self->texts->ctx, "masks", row, texts->rows));
            if (row + AHEAD < texts->rows) {
                int shift;
                for (int i = 0; i < ALCORE__NEAR_KEYS; i++)
                    __builtin_prefetch(counter_of(keys, texts->near[row + AHEAD].keys[i], &shift));
            }
            if (mask[row] && texts->near[row].count > 0)
                *shared += count_keys(keys, &texts->near[row], mark);
        }
    }
    return ALCORE_OK;
}

/* Marks the keys that texts share, with four counters or more for each key of `most` texts, and
 * counts them. */
static alcore_status mark_shared(const near_loop *self, int64_t most, int64_t *shared) {
    key_counters keys = {0};
    *shared = 0;
    while ((int64_t)(keys.mask + 1) * COUNTERS < most * ALCORE__NEAR_KEYS * 4)
        keys.mask = keys.mask * 2 + 1;
    ALCORE__TRY(
        alcore__new_array(self->texts->ctx, keys.mask + 1, sizeof *keys.counters, &keys.counters));
    alcore_status status = count_all(self, &keys, false, shared);
    if (status == ALCORE_OK) status = count_all(self, &keys, true, shared);
    alcore__free(self->texts->ctx, keys.counters);
    return status;
}

/* Numbers the texts, and makes room: for half of the keys that they share, as others have no place
 * of their own under one that is full, or their text is near to one. */
static alcore_status begin(near_loop *self) {
    const alcore__masked_texts *texts = self->texts;
    const alcore__masks *masks = texts->masks;
    alcore_ctx *ctx = texts->ctx;
    int64_t shared;
    for (int i = 0; i < SOURCES; i++) {
        self->sources[i] = i == CANDIDATES ? &texts->candidates : &texts->bought[i];
        self->starts[i] = self->numbers;
        self->numbers += self->sources[i]->rows;
    }
    if (self->numbers >= UINT32_MAX)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "masks: \"near\" takes fewer than 2^32 - 1 texts");
    ALCORE__TRY(alcore__new_array(ctx, ALCORE_BLOCK_ROWS, sizeof *self->found, &self->found));
    ALCORE__TRY(alcore__new_array(ctx, RECENT_BITS / 64, sizeof *self->recent, &self->recent));
    ALCORE__TRY(mark_shared(self, masks->eligible + masks->bought_count + masks->labeled_pool_count,
                            &shared));
    return reserve(self, shared / 2 / ALCORE__NEAR_KEYS);
}

alcore_status alcore__mask_near(const alcore__masked_texts *texts) {
    near_loop self = {.texts = texts};
    alcore_status status = begin(&self);
    for (int i = 0; status == ALCORE_OK && i < CANDIDATES; i++) status = list_bought(&self, i);
    if (status == ALCORE_OK) status = mask_blocks(&self);
    alcore__free(texts->ctx, self.found);
    alcore__free(texts->ctx, self.recent);
    alcore__free(texts->ctx, self.places);
    return status;
}
