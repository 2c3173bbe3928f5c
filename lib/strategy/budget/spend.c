/* SPDX-License-Identifier: Apache-2.0 */
/* Spending every budget of a request. The strategy ran once, under the largest budget, that of
 * run->input->fill; the others are its further budgets. Purchases are what budgets buy. For each
 * further budget:
 *
 *     a strategy that ranks (run->picked is false)   the candidates are ranked and offered again
 *     one that chooses row after row (run->picked)   the rows that it offered to the largest budget
 *                                                    are offered again, in the same order
 *     one whose choices depend on the budget         it runs again: with fill=skip, and where the
 *                                                    definition has rows_depend_on_budget
 *
 * The outcome of the run (run->outcome) gets the purchase of the largest budget as `bought` and
 * those of the others in further [further_count]. */
#include "strategy/budget/spend.h"

#include <string.h>

#include "strategy/budget/explain.h"
#include "strategy/budget/fill.h"
#include "strategy/passes/runner.h"

/* Runs the strategy of the run `like` anew, from its first pass to its outcome, with another input,
 * in the middle of alcore__spend() of that run. On failure out is zeroed. alcore__run_begin() frees
 * what it made when it fails; alcore__run_drive() makes all passes. The input outlives the run.
 * (alcore__run_finish() of the new run calls alcore__spend() again, which ends there, as the input
 * has no further budgets.) */
static alcore_status run_whole(const alcore__run *like, const alcore__run_input *input,
                               alcore__outcome *out) {
    memset(out, 0, sizeof *out);
    alcore__run *run;
    ALCORE__TRY(alcore__run_begin(like->strategy, like->def, like->values, input, &run));
    alcore_status status = alcore__run_drive(run);
    if (status == ALCORE_OK) status = alcore__run_finish(run, out);
    alcore__run_free(run);
    return status;
}

/* Copies an array of the candidates for the picks of a purchase; float64 and int64 have 8 bytes. */
static alcore_status of_picks(alcore_ctx *ctx, const alcore__purchase *purchase, const void *values,
                              void **out) {
    ALCORE__TRY(alcore__new_array(ctx, (size_t)purchase->pick_count, 8, out));
    for (int64_t k = 0; k < purchase->pick_count; k++)
        memcpy((char *)*out + 8 * k, (const char *)values + 8 * purchase->picks[k], 8);
    return ALCORE_OK;
}

/* Keeps what the run made of its picks. */
static alcore_status keep_values(alcore_ctx *ctx, const alcore__outcome *outcome,
                                 alcore__purchase *purchase) {
    void *scores = NULL;
    const alcore_status status = of_picks(ctx, purchase, outcome->scores, &scores);
    purchase->scores = scores;
    if (status != ALCORE_OK) return status;
    for (int32_t c = 0; c < outcome->column_count; c++)
        ALCORE__TRY(of_picks(ctx, purchase, outcome->columns[c].values, &purchase->columns[c]));
    return ALCORE_OK;
}

alcore_status alcore__outcome_add_purchase(alcore_ctx *ctx, alcore__outcome *other,
                                           alcore__outcome *outcome) {
    const size_t count = (size_t)outcome->further_count;
    alcore__purchase *further;
    ALCORE__TRY(keep_values(ctx, other, &other->bought));
    ALCORE__TRY(alcore__new_array(ctx, count + 1, sizeof *further, &further));
    if (count > 0) memcpy(further, outcome->further, count * sizeof *further);
    further[count] = other->bought;
    other->bought = (alcore__purchase){0};
    alcore__free(ctx, outcome->further);
    outcome->further = further;
    outcome->further_count++;
    return ALCORE_OK;
}

/* Runs the strategy of `run` once more with another budget only and moves what that buys, with its
 * explanation and the values of the picks, to *purchase. Needed where a smaller budget may buy rows
 * that are no prefix of those of a larger one. */
static alcore_status run_again(const alcore__run *run, double budget, alcore__purchase *purchase) {
    alcore__run_input input = *run->input;
    alcore__outcome outcome;
    input.fill.budget = budget;
    input.fill.further_count = 0;
    ALCORE__TRY(run_whole(run, &input, &outcome));
    const alcore_status status = keep_values(run->ctx, &outcome, &outcome.bought);
    if (status == ALCORE_OK) {
        *purchase = outcome.bought;
        outcome.bought = (alcore__purchase){0}; /* the rest is freed */
    }
    alcore__outcome_clear(run->ctx, &outcome);
    return status;
}

/* Runs the strategy again for each further budget: outcome->further [further_count]. With fill=skip
 * a strategy that picks row after row looks at what is left of the budget, and may choose
 * differently under a smaller one; so may a strategy with rows_depend_on_budget. */
static alcore_status run_again_each(alcore__run *run) {
    const alcore__fill *fill = &run->input->fill;
    alcore__outcome *outcome = &run->outcome;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)fill->further_count, sizeof *outcome->further,
                                  &outcome->further));
    for (; outcome->further_count < fill->further_count; outcome->further_count++)
        ALCORE__TRY(run_again(run, fill->further[outcome->further_count],
                              &outcome->further[outcome->further_count]));
    return ALCORE_OK;
}

/* Explains the picks of the run's own budget and, if `further` is set, those of the further
 * budgets. It is not set after run_again_each(), whose runs explained their picks themselves. */
static alcore_status explain_all(alcore__run *run, bool further) {
    alcore__outcome *outcome = &run->outcome;
    alcore_status status = alcore__explain(run, &outcome->bought);
    for (int32_t i = 0; further && i < outcome->further_count && status == ALCORE_OK; i++)
        status = alcore__explain(run, &outcome->further[i]);
    return status;
}

/* again: the strategy runs once more for each further budget, which only strategies that offer
 * their picks need. A run over shards cannot: the job makes one for each budget. */
alcore_status alcore__spend(alcore__run *run) {
    alcore__outcome *outcome = &run->outcome;
    const double *keys = run->picked ? NULL : run->keys ? run->keys : outcome->scores;
    bool again = !keys && (run->input->fill.policy == ALCORE__FILL_SKIP ||
                           run->def->rows_depend_on_budget || run->budget_decides);
    if (keys) ALCORE__TRY(alcore__fill_ranked(run, keys));
    if (run->input->fill.further_count > 0 && !(again && run->input->runs_once))
        ALCORE__TRY(again ? run_again_each(run) : alcore__fill_further(run, keys));
    return run->input->fill.explain ? explain_all(run, !again) : ALCORE_OK;
}
