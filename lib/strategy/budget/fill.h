/* SPDX-License-Identifier: Apache-2.0 */
/* Spending the budget (spec 1.6). */
#ifndef ALCORE__FILL_H
#define ALCORE__FILL_H

#include "strategy/strategy_def.h"

/* Buys candidates in the order in which they are offered. All-zero is empty. */
typedef struct alcore__filler {
    alcore__run *run;
    double budget;  /* what may be spent; the run's unless the caller sets another */
    int64_t *picks; /* [count] positions of the candidates bought, best first */
    int64_t count;
    size_t capacity;
    double spent;
    bool stopped;                               /* fill=stop met a row that does not fit */
    int64_t redundant, unaffordable, free_rows; /* candidates passed over, by cause */
    double *chosen, *norms; /* [count, dims] vectors of the picks and [count] their lengths, for the
                               similarity limit */
    size_t chosen_capacity, norms_capacity;
    alcore__scratch scratch;
    /* Every position that was offered, in order, while the run has further budgets: they are bought
     * by offering the same positions again. */
    int64_t *offers; /* [offer_count] */
    int64_t offer_count;
    size_t offer_capacity;
} alcore__filler;

void alcore__filler_begin(alcore__filler *filler, alcore__run *run);
void alcore__filler_clear(alcore__filler *filler);
/* Whether no further row can be bought. */
bool alcore__filler_full(const alcore__filler *filler);
/* Cost of a candidate. */
double alcore__filler_cost(const alcore__filler *filler, int64_t position);
/* Whether the row can still be bought at all: a cost of 0 never is, and with fill=skip neither is
 * what costs more than is left. */
bool alcore__filler_fits(const alcore__filler *filler, int64_t position);
/* Offers the next candidate; *taken tells whether it was bought, and otherwise why is counted. */
alcore_status alcore__filler_offer(alcore__filler *filler, int64_t position, bool *taken);
/* Moves the picks into the run's outcome: for strategies that choose one row after another. */
void alcore__filler_finish(alcore__filler *filler);

/* Ranks by keys [candidates], larger first, and buys in that order until purchase->budget is spent.
 * Sets everything of the purchase but its explanation; keys hold no NaN. */
alcore_status alcore__fill_by(alcore__run *run, const double *keys, alcore__purchase *purchase);
/* The same under the run's budget, into the run's outcome. */
alcore_status alcore__fill_ranked(alcore__run *run, const double *keys);
/* Buys under the further budgets of the request once the outcome has its picks: by the keys that
 * those were ranked by, or (NULL) by offering the same candidates in the same order. */
alcore_status alcore__fill_further(alcore__run *run, const double *keys);

#endif
