/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of candidates. Only the best of them are sorted: a heap of `best` entries keeps those that
 * come first, and is then emptied from its last one. Ties go to the lower row or to a random number
 * of the row. */
#include "strategy/budget/rank.h"

#include "base/rng.h"
#include "strategy/strategy_run.h"

enum { TAG_TIE = 12, ENTRIES_A_TICK = 4096 };

typedef struct entry {
    double key;
    int64_t position;
} entry;

typedef struct order {
    const int64_t *rows;
    uint64_t seed;
    bool random;
} order;

/* Whether candidate a comes before b: the larger key, then the smaller random number of its pool
 * row (tie=random), then the lower position. A total order, so the result is the same however it is
 * sorted. */
static bool before(const order *o, const entry *a, const entry *b) {
    if (a->key != b->key) return a->key > b->key;
    if (o->random) {
        uint64_t left = alcore__rng_derive(o->seed, TAG_TIE, (uint64_t)o->rows[a->position], 0);
        uint64_t right = alcore__rng_derive(o->seed, TAG_TIE, (uint64_t)o->rows[b->position], 0);
        if (left != right) return left < right;
    }
    return a->position < b->position;
}

/* A heap whose root is the last of its entries in the order. */
static void sink(const order *o, entry *heap, int64_t count, int64_t at) {
    entry moved = heap[at];
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(o, &heap[child], &heap[child + 1])) child++;
        if (!before(o, &moved, &heap[child])) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* Puts the `best` first candidates of the order by keys [count] into heap [best], in heap order
 * with the last of them at the root: a candidate is compared with the root and replaces it. */
static alcore_status fill_heap(alcore_ctx *ctx, const order *o, const double *keys, int64_t count,
                               entry *heap, int64_t best) {
    for (int64_t i = 0; i < best; i++) heap[i] = (entry){keys[i], i};
    for (int64_t i = best / 2 - 1; i >= 0; i--) sink(o, heap, best, i);
    for (int64_t i = best; i < count; i++) {
        entry next = {keys[i], i};
        if (before(o, &next, &heap[0])) {
            heap[0] = next;
            sink(o, heap, best, 0);
        }
        if (i % ENTRIES_A_TICK == 0) ALCORE__TRY(alcore__tick(ctx, "ranking", i, count));
    }
    return ALCORE_OK;
}

/* Lists the positions of the `best` first of count candidates in out [best], the first one first.
 * rows [count]: pool rows, from which random ties are drawn; NULL is allowed with ties by index.
 * Cost: count log(best) comparisons, memory 16 bytes for each of the best. */
alcore_status alcore__rank(alcore_ctx *ctx, const double *keys, const int64_t *rows, int64_t count,
                           int32_t tie, uint64_t seed, int64_t best, int64_t *out) {
    if (best > count) best = count;
    if (best <= 0) return ALCORE_OK;
    order o = {rows, seed, tie == ALCORE__TIE_RANDOM};
    entry *heap;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)best, sizeof *heap, &heap));
    alcore_status status = fill_heap(ctx, &o, keys, count, heap, best);
    for (int64_t last = best - 1; last >= 0 && status == ALCORE_OK; last--) {
        out[last] = heap[0].position;
        heap[0] = heap[last];
        if (last) sink(&o, heap, last, 0);
        if (last % ENTRIES_A_TICK == 0) status = alcore__tick(ctx, "ranking", best - last, best);
    }
    alcore__free(ctx, heap);
    return status;
}

/* out [count]: rank of each value from 1 for the smallest; equal values share the mean of their
 * ranks. */
alcore_status alcore__average_ranks(alcore_ctx *ctx, const double *values, int64_t count,
                                    double *out) {
    int64_t *order_down;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *order_down, &order_down));
    alcore_status status =
        alcore__rank(ctx, values, NULL, count, ALCORE__TIE_INDEX, 0, count, order_down);
    for (int64_t from = 0, to; from < count && status == ALCORE_OK; from = to) {
        to = from + 1;
        while (to < count && values[order_down[to]] == values[order_down[from]]) to++;
        /* Ranks count - to + 1 .. count - from, from the smallest value up. */
        double rank = ((double)(count - to + 1) + (double)(count - from)) / 2.0;
        for (int64_t i = from; i < to; i++) out[order_down[i]] = rank;
    }
    alcore__free(ctx, order_down);
    return status;
}
