/* SPDX-License-Identifier: Apache-2.0 */
/* A heap of candidates by their gains, the largest first, for covers that choose greedily: where
 * the gain of a candidate never rises as others are picked, an old gain is a bound, and only the
 * candidates at the head have to be measured again (the accelerated greedy of Minoux 1978).
 *
 * Among equal gains the lower row is first, or with tie=random the one that is drawn first. For the
 * calling thread only. */
#ifndef ALCORE__LAZY_HEAP_H
#define ALCORE__LAZY_HEAP_H

#include "strategy/strategy_def.h"

/* A candidate at its place in the heap. */
typedef struct alcore__heap_entry {
    double gain;      /* when it was last measured */
    int64_t position; /* among the candidates */
} alcore__heap_entry;

/* A zeroed struct, a member of the strategy's state, is an empty heap; the arrays belong to the
 * run. */
typedef struct alcore__lazy_heap {
    alcore__heap_entry *entries; /* [count] the head at 0 */
    int64_t count;
    int64_t *place; /* [candidates] order among equal gains; NULL: by row */
} alcore__lazy_heap;

/* Makes a heap of all candidates by gains [candidates], which are no NaN. */
alcore_status alcore__lazy_heap_fill(const alcore__run *run, alcore__lazy_heap *heap,
                                     const double *gains);
/* Sets the gain of the head of a heap that has one, and moves it down to where it belongs; gain:
 * not above what it was. */
void alcore__lazy_heap_lower(alcore__lazy_heap *heap, double gain);
/* Orders the heap anew, once the gains of any of its entries were changed in place. */
void alcore__lazy_heap_order(alcore__lazy_heap *heap);
/* Takes the head out of a heap that has one. */
void alcore__lazy_heap_drop(alcore__lazy_heap *heap);
/* Puts an entry back that was taken out. */
void alcore__lazy_heap_push(alcore__lazy_heap *heap, alcore__heap_entry entry);

#endif
