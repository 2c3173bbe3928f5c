/* SPDX-License-Identifier: Apache-2.0 */
/* Orders candidates by a key, the largest first and those without one (NaN) last; ties go to the
 * lower row, or to the smaller random number of the row (spec 1.3). Only the first `best` are
 * sorted: a heap keeps the best entries seen so far with the last of them at its root, where a
 * better candidate replaces it; then the heap is emptied, which yields them from the last to the
 * first. Cost: count log(best) comparisons. */
#include "strategy/budget/rank.h"

#include <math.h>

#include "base/rng.h"
#include "strategy/strategy_run.h"

/* Entries between two calls that report progress and poll cancellation. */
enum { ENTRIES_A_TICK = 4096 };

/* A candidate in the heap. */
typedef struct entry {
    double key;       /* the largest comes first, NaN (not known) last */
    int64_t position; /* of the candidate: its index among all candidates, in the order of rows */
} entry;

/* How two candidates are compared. */
typedef struct tie_rule {
    const int64_t *rows; /* [candidates] pool rows, for random ties; may be NULL without them */
    uint64_t seed;
    bool random; /* tie=random */
} tie_rule;

/* Whether candidate a comes before b: the larger key, NaN behind minus infinity too, then the
 * smaller random number of its pool row (tie=random), then the lower position. A total order, so
 * the result is the same however it is sorted. */
static bool precedes(const tie_rule *ties, const entry *a, const entry *b) {
    if (a->key > b->key || a->key < b->key) return a->key > b->key;
    const bool known = !isnan(a->key);
    if (known == (bool)isnan(b->key)) return known;
    if (ties->random) { /* derive(seed, TIE, row, 0); the last number is not used */
        uint64_t left =
            alcore__rng_derive(ties->seed, ALCORE__TAG_TIE, (uint64_t)ties->rows[a->position], 0);
        uint64_t right =
            alcore__rng_derive(ties->seed, ALCORE__TAG_TIE, (uint64_t)ties->rows[b->position], 0);
        if (left != right) return left < right;
    }
    return a->position < b->position;
}

/* Restores the order of heap [count] after heap[slot] was replaced: moves it down until no child of
 * it comes after it. The children of entry i are 2 i + 1 and 2 i + 2. Every parent of the heap
 * comes after its children in the order of precedes(), so the root is the last of all entries. */
static void sink(const tie_rule *ties, entry *heap, int64_t count, int64_t slot) {
    entry moved = heap[slot];
    for (int64_t child; (child = 2 * slot + 1) < count; slot = child) {
        if (child + 1 < count && precedes(ties, &heap[child], &heap[child + 1])) child++;
        if (!precedes(ties, &moved, &heap[child])) break;
        heap[slot] = heap[child];
    }
    heap[slot] = moved;
}

/* Puts the `best` first candidates (best <= count) of the order by keys [count] into heap [best],
 * in heap order with the last of them at the root: a candidate that precedes the root replaces it.
 */
static alcore_status fill_heap(alcore_ctx *ctx, const tie_rule *ties, const double *keys,
                               int64_t count, entry *heap, int64_t best) {
    for (int64_t i = 0; i < best; i++) heap[i] = (entry){keys[i], i};
    for (int64_t i = best / 2 - 1; i >= 0; i--) sink(ties, heap, best, i);
    for (int64_t i = best; i < count; i++) {
        const entry next = {keys[i], i};
        if (precedes(ties, &next, &heap[0])) {
            heap[0] = next;
            sink(ties, heap, best, 0);
        }
        if (i % ENTRIES_A_TICK == 0) ALCORE__TRY(alcore__tick(ctx, "ranking", i, count));
    }
    return ALCORE_OK;
}

/* out is filled from its end, as the root of the heap is the last of those that are left. Cost:
 * count log(best) comparisons, memory 16 bytes for each of the best. */
alcore_status alcore__rank(alcore_ctx *ctx, const double *keys, const int64_t *rows, int64_t count,
                           int32_t tie, uint64_t seed, int64_t best, int64_t *out) {
    if (best > count) best = count;
    if (best <= 0) return ALCORE_OK;
    tie_rule ties = {.rows = rows, .seed = seed, .random = tie == ALCORE__TIE_RANDOM};
    entry *heap; /* [best] */
    ALCORE__TRY(alcore__new_array(ctx, (size_t)best, sizeof *heap, &heap));
    alcore_status status = fill_heap(ctx, &ties, keys, count, heap, best);
    for (int64_t last = best - 1; last >= 0 && status == ALCORE_OK; last--) {
        out[last] = heap[0].position;
        heap[0] = heap[last];
        if (last) sink(&ties, heap, last, 0);
        if (last % ENTRIES_A_TICK == 0) status = alcore__tick(ctx, "ranking", best - last, best);
    }
    alcore__free(ctx, heap);
    return status;
}

alcore_status alcore__average_ranks(alcore_ctx *ctx, const double *values, int64_t count,
                                    double *out) {
    int64_t *order; /* [count] indices of values, the largest value first */
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *order, &order));
    alcore_status status = alcore__rank(ctx, values, NULL /* no rows */, count, ALCORE__TIE_INDEX,
                                        0 /* seed */, count, order);
    for (int64_t first = 0, end; first < count && status == ALCORE_OK; first = end) {
        end = first + 1;
        while (end < count && values[order[end]] == values[order[first]]) end++;
        /* Entries first .. end - 1 of the order are equal and share the ranks count - end + 1 ..
         * count - first, which count from the smallest value up. */
        double rank = ((double)(count - end + 1) + (double)(count - first)) / 2.0;
        for (int64_t i = first; i < end; i++) out[order[i]] = rank;
    }
    alcore__free(ctx, order);
    return status;
}
