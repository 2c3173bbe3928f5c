/* SPDX-License-Identifier: Apache-2.0 */
/* What strategies share that pick one row a pass: the free rows, the best of them, and the budget.
 */
#ifndef ALCORE__GREEDY_H
#define ALCORE__GREEDY_H

#include "strategy/fill.h"

enum { ALCORE__GREEDY_FREE = 0, ALCORE__GREEDY_PICKED = 1, ALCORE__GREEDY_PASSED_OVER = 2 };

typedef struct alcore__greedy {
    alcore__run *run;
    alcore__filler filler;
    uint8_t *state; /* [candidates] ALCORE__GREEDY_* */
    int64_t best;   /* the best free row of the pass, -1: none; ties go to the lower row */
    double best_value;
    double *best_vector; /* [dims] */
} alcore__greedy;

alcore_status alcore__greedy_begin(alcore__run *run, alcore__greedy *greedy);
void alcore__greedy_clear(alcore_ctx *ctx, alcore__greedy *greedy);
/* The payload of a block: its best free row by values [members] with its vector, and extra bytes
 * for the strategy. */
alcore_status alcore__greedy_payload(const alcore__greedy *greedy, alcore__block *block,
                                     const alcore__matrix *matrix, const double *values,
                                     size_t extra, void *out_extra);
/* Takes a payload in block order; returns its extra bytes. */
const void *alcore__greedy_gather(alcore__greedy *greedy, const void *payload);
/* Whether there is a best row and money for it. */
bool alcore__greedy_more(const alcore__greedy *greedy);
/* Offers the best row to the budget. */
alcore_status alcore__greedy_offer(alcore__greedy *greedy, bool *taken);
/* Forgets the best row before the next pass. */
void alcore__greedy_reset(alcore__greedy *greedy);
void alcore__greedy_finish(alcore__greedy *greedy);

#endif
