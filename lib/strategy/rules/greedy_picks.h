/* SPDX-License-Identifier: Apache-2.0 */
/* What strategies share that pick one row a pass: the free rows, the best of them, and the budget.
 */
#ifndef ALCORE__GREEDY_PICKS_H
#define ALCORE__GREEDY_PICKS_H

#include "strategy/fill.h"

enum { ALCORE__GREEDY_FREE = 0, ALCORE__GREEDY_PICKED = 1, ALCORE__GREEDY_PASSED_OVER = 2 };

typedef struct alcore__greedy {
    alcore__run *run;
    alcore__filler filler;
    uint8_t *state; /* [candidates] ALCORE__GREEDY_* */
    int64_t best;   /* the best free row of the pass, -1: none; ties go to the lower row */
    double best_value;
    double *best_vector; /* [dims] */
    double *value;       /* [candidates] scores of the picks, which the strategy writes */
} alcore__greedy;

alcore_status alcore__greedy_begin(alcore__run *run, alcore__greedy *greedy);
void alcore__greedy_clear(alcore_ctx *ctx, alcore__greedy *greedy);
/* Whether a row can be picked: it was not offered yet, and the budget may buy it. */
bool alcore__greedy_free(const alcore__greedy *greedy, int64_t position);
/* 1 for those rows, by place of the matrix; the bench's mask. */
uint8_t *alcore__greedy_mask(const alcore__greedy *greedy, const alcore__matrix *matrix);
/* The member with the largest of the values [rows of the matrix] under a mask of them, the lowest
 * one in a tie; -1: the mask is empty. */
alcore_status alcore__greedy_best(const alcore__matrix *matrix, const uint8_t *mask,
                                  const double *values, int64_t *member, double *value);
/* The payload of a block: its best free row, -1: none, with its vector, and extra bytes for the
 * strategy. */
alcore_status alcore__greedy_payload(alcore__block *block, const alcore__matrix *matrix,
                                     int64_t member, double value, size_t extra, void *out_extra);
/* Takes a payload in block order; returns its extra bytes. */
const void *alcore__greedy_gather(alcore__greedy *greedy, const void *payload);
/* Whether there is a best row and money for it. */
bool alcore__greedy_more(const alcore__greedy *greedy);
/* Offers the best row to the budget. */
alcore_status alcore__greedy_offer(alcore__greedy *greedy, bool *taken);
/* Forgets the best row before the next pass. */
void alcore__greedy_reset(alcore__greedy *greedy);
/* The scores of the picks, and the outcome of the budget. */
void alcore__greedy_finish(alcore__greedy *greedy);

#endif
