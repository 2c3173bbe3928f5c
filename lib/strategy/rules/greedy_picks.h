/* SPDX-License-Identifier: Apache-2.0 */
/* What strategies share that pick one row a pass (idds, kcenter, badge): which candidates are left,
 * the best of them, and the budget.
 *
 * A pass with the partial ALCORE__GREEDY_BEST finds the best candidate: each block sends its best
 * one with its vector, and the best of all is kept, the lower row in a tie. `end` offers it to the
 * budget. The strategy's state begins with an alcore__greedy. */
#ifndef ALCORE__GREEDY_PICKS_H
#define ALCORE__GREEDY_PICKS_H

#include "strategy/block.h"
#include "strategy/budget/fill.h"

enum { ALCORE__GREEDY_FREE = 0, ALCORE__GREEDY_PICKED = 1, ALCORE__GREEDY_PASSED_OVER = 2 };

typedef struct alcore__greedy {
    alcore__run *run;
    alcore__filler filler;
    uint8_t *status;     /* [candidates] ALCORE__GREEDY_* */
    double *pick_scores; /* [candidates] the strategy writes those of its picks */
    int64_t best;        /* position of the best candidate of the pass; -1: none is left */
    double best_value;
    double *best_vector; /* [dims] */
} alcore__greedy;

alcore_status alcore__greedy_begin(alcore__run *run, alcore__greedy *greedy);
void alcore__greedy_free_state(alcore_ctx *ctx, alcore__greedy *greedy);

/* Whether a candidate can be picked: it was not offered yet, and the budget may buy it. */
bool alcore__greedy_is_free(const alcore__greedy *greedy, int64_t position);
/* Pushes a mask [matrix rows]: 1 for the active rows that can be picked. */
alcore_status alcore__greedy_push_mask(const alcore__greedy *greedy, const alcore__matrix *matrix,
                                       uint8_t **mask);

/* The partial of a block: its best candidate. */
typedef struct alcore__greedy_best {
    int64_t position; /* -1: none can be picked */
    double value;
    double vector[]; /* [dims] */
} alcore__greedy_best;
size_t alcore__greedy_best_bytes(const alcore__block *block);
/* The index with the largest of values [matrix rows] under a mask, the lowest one in a tie; -1: the
 * mask is empty. */
alcore_status alcore__greedy_arg_max(const alcore__matrix *matrix, const uint8_t *mask,
                                     const double *values, int64_t *index, double *value);
/* Fills the partial with the active row at an index; -1: none. */
alcore_status alcore__greedy_write_best(const alcore__matrix *matrix, int64_t index, double value,
                                        alcore__greedy_best *out);
/* reduce() of a pass whose partial is an alcore__greedy_best: the best so far, in block order. */
alcore_status alcore__greedy_keep_best(alcore__run *run, const alcore__block_partial *part);
#define ALCORE__GREEDY_BEST                                                                        \
    { .extra = alcore__greedy_best_bytes, .reduce = alcore__greedy_keep_best }

/* Whether there is a best candidate, and money left. */
bool alcore__greedy_can_offer(const alcore__greedy *greedy);
/* Offers the best candidate to the budget. */
alcore_status alcore__greedy_offer(alcore__greedy *greedy, bool *taken);
/* Forgets the best candidate before the next pass. */
void alcore__greedy_clear_best(alcore__greedy *greedy);
/* For finish: scores of the picks, and the outcome of the budget. */
void alcore__greedy_finish(alcore__greedy *greedy);

#endif
