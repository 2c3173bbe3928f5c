/* SPDX-License-Identifier: Apache-2.0 */
/* Spending a budget (spec 1.6): a filler buys candidates one after another until the budget is
 * full. fill.c has the rules. */
#ifndef ALCORE__FILL_H
#define ALCORE__FILL_H

#include "strategy/passes/engine_vectors.h"
#include "strategy/strategy_def.h"

/* Buys candidates in the order in which they are offered. */
typedef struct alcore__filler {
    alcore__run *run;
    /* By position; NULL: those of the run's candidates. Set where positions number other rows. */
    const double *costs;
    /* What was bought and passed over so far. alcore__filler_begin() sets the budget to the run's,
     * and callers may replace it before the first offer; the flags come at the end. */
    alcore__purchase bought;
    size_t capacity; /* of bought.picks */
    bool stopped;    /* fill=stop: a row was offered that does not fit; nothing more is bought */
    /* For the similarity limit, owned: the vectors of the picks and their norms. Both have memory
     * for the row that is offered behind them. */
    alcore__vectors pick_vectors; /* [count, dims], in the memory of the engine */
    double *pick_norms;           /* [count] */
    size_t pick_norms_capacity;
    /* Every row that was offered or passed over, in order, where the run has further budgets: these
     * are spent by coming to the same rows again. */
    alcore__offer *offers; /* [offer_count], owned */
    int64_t offer_count;
    size_t offer_capacity;
} alcore__filler;

/* Makes a filler that has bought nothing in the strategy's state; what it buys belongs to the run.
 */
alcore_status alcore__filler_begin(alcore__filler *filler, alcore__run *run);
/* Whether no further row can be bought: the budget is spent, or fill=stop has ended. */
bool alcore__filler_full(const alcore__filler *filler);
/* Cost of the candidate at a position, in the unit of the budget; 1 without costs. */
double alcore__filler_cost(const alcore__filler *filler, int64_t position);
/* Whether the candidate at a position could be bought if it were offered now. A row of cost 0 never
 * can; with fill=skip neither can a row that costs more than is left. */
bool alcore__filler_fits(const alcore__filler *filler, int64_t position);
/* The same of a row by its cost. */
bool alcore__filler_fits_cost(const alcore__filler *filler, double cost);
/* Offers the candidate at a position; the caller has seen that alcore__filler_full() is false.
 * *bought: whether it was bought. If it was not, the cause is counted, except that with fill=stop a
 * candidate that costs more than is left is not counted but fills the filler. */
alcore_status alcore__filler_offer(alcore__filler *filler, int64_t position, bool *bought);
/* Counts the candidate at a position as passed over. refusal: the cause, ALCORE__REFUSED_*. For
 * rows that the strategy itself passes over, without an offer to the budget; it is noted among the
 * offers, so that further budgets pass over the row too. */
alcore_status alcore__filler_pass_over(alcore__filler *filler, int64_t position, int32_t refusal);
/* Offers positions [count] in this order until the budget is spent. */
alcore_status alcore__filler_offer_all(alcore__filler *filler, const int64_t *positions,
                                       int64_t count);
/* Moves picks and offers into the run's outcome and sets run->picked, by which the runner knows
 * that the picks are bought and does not rank: for strategies that choose one row after another.
 * Called in the strategy's finish; the filler is empty afterwards. */
void alcore__filler_finish(alcore__filler *filler);

/* The budget under which a shard nominates (nominees.h): that of the run, and a little more where
 * sums of costs may be rounded otherwise in another order. In any other run the budget. */
double alcore__nominees_budget(const alcore__run *run);
/* *out [candidates]: the rows by which random ties are drawn, which are those of all shards; may be
 * NULL where ties are not random. Of a shard whose numbers differ from those of its pool they are
 * on the run's stack. */
alcore_status alcore__rows_of_ties(const alcore__run *run, const int64_t **out);
/* Ranks by keys [candidates], larger first, and buys in that order until purchase->budget is spent.
 * Sets everything of the purchase but its explanation; a candidate whose key is NaN is not bought.
 * Also for what a term alone would have bought (explain.c). */
alcore_status alcore__fill_by(alcore__run *run, const double *keys, alcore__purchase *purchase);
/* Ranks by keys [candidates] and buys likewise under the run's own budget, and moves the picks into
 * the run's outcome. */
alcore_status alcore__fill_ranked(alcore__run *run, const double *keys);
/* Buys under the further budgets of the request, once the outcome has the picks of the first: by
 * the keys [candidates] that these were ranked by or, with keys NULL, by offering the candidates
 * that the strategy offered, in its order. */
alcore_status alcore__fill_further(alcore__run *run, const double *keys);

#endif
