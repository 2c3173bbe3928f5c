/* SPDX-License-Identifier: Apache-2.0 */
/* A caller's strategy (alcore_strategy_new_host): its function, `choose`, sees the candidates, what
 * is labeled and the target through a view and answers with scores or an order of rows; ties,
 * budget and reports are those of every strategy. It makes no pass of its own. The outcome of the
 * run has `count` candidates: rows [count], their pool rows, ascending, and scores [count], zeroed.
 */
#include <math.h>
#include <string.h>

#include "scorer/host_view.h"
#include "strategy/budget/fill.h"
#include "strategy/strategy_handle.h"

/* The answer of the caller's function, which fills it by the two alcore_choice_ calls below, of
 * which the last one counts. A position numbers the candidates from 0 in the order of their pool
 * rows. Arrays are owned. */
struct alcore_choice {
    alcore__run *run;
    double *scores;  /* [candidates] copied; NULL: not given */
    int64_t *order;  /* [ordered] positions, best first; NULL: not given. An order of no row is not
                        NULL: then nothing is selected */
    int64_t ordered; /* rows that the order names; the others are not selected */
};

/* Refuses a choice that is NULL, a negative count, and values [count] that are NULL unless count is
 * 0. */
static alcore_status check_choice(const alcore_choice *choice, const void *values, int64_t count) {
    if (!choice || (!values && count) || count < 0) {
        return alcore__fail(ALCORE_E_INVALID,
                            "choice and values are needed, and a count of 0 or more");
    }
    return ALCORE_OK;
}

/* Frees an earlier answer, scores or an order. */
static void clear_answer(alcore_choice *choice) {
    alcore__free(choice->run->ctx, choice->scores);
    alcore__free(choice->run->ctx, choice->order);
    choice->scores = NULL;
    choice->order = NULL;
    choice->ordered = 0;
}

/* Called by the host's choose function: scores [candidates], in the order of the view, finite, and
 * the largest is picked first. They are copied. A later call replaces an earlier one, and one that
 * fails leaves it as it was. */
alcore_status alcore_choice_scores(alcore_choice *choice, const double *scores, int64_t count) {
    ALCORE__TRY(check_choice(choice, scores, count));
    const alcore__outcome *outcome = &choice->run->outcome;
    if (count != outcome->count) {
        return alcore__fail(ALCORE_E_SHAPE, "%lld scores were given for %lld candidates",
                            (long long)count, (long long)outcome->count);
    }
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(scores[i])) {
            return alcore__fail(ALCORE_E_DATA, "row %lld: the score is %s",
                                (long long)outcome->rows[i], isnan(scores[i]) ? "NaN" : "infinite");
        }
    }
    double *copy;
    ALCORE__TRY(alcore__new_array(choice->run->ctx, (size_t)count, sizeof *copy, &copy));
    memcpy(copy, scores, (size_t)count * sizeof *copy);
    clear_answer(choice);
    choice->scores = copy;
    return ALCORE_OK;
}

/* Turns pool rows [count] into positions, order [count]. Fails for a row that is no candidate or is
 * named twice, which seen [candidates] shows; it is zeroed before. */
static alcore_status check_order(const alcore__run *run, const int64_t *rows, int64_t count,
                                 uint8_t *seen, int64_t *order) {
    for (int64_t i = 0; i < count; i++) {
        int64_t position = alcore__candidate_position(run, rows[i]);
        if (position < 0 || seen[position]) {
            return alcore__fail(ALCORE_E_DATA, "row %lld %s", (long long)rows[i],
                                position < 0 ? "is not a candidate" : "stands twice in the order");
        }
        seen[position] = 1;
        order[i] = position;
    }
    return ALCORE_OK;
}

/* A later call replaces an earlier one, and one that fails leaves it as it was. */
alcore_status alcore_choice_order(alcore_choice *choice, const int64_t *rows, int64_t count) {
    ALCORE__TRY(check_choice(choice, rows, count));
    alcore_ctx *ctx = choice->run->ctx;
    uint8_t *seen;
    int64_t *order = NULL;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)choice->run->outcome.count, sizeof *seen, &seen));
    alcore_status status = alcore__new_array(ctx, (size_t)count, sizeof *order, &order);
    if (status == ALCORE_OK) status = check_order(choice->run, rows, count, seen, order);
    alcore__free(ctx, seen);
    if (status != ALCORE_OK) {
        alcore__free(ctx, order);
        return status;
    }
    clear_answer(choice);
    choice->order = order;
    choice->ordered = count;
    return ALCORE_OK;
}

/* Offers the rows of the order to the budget and moves the picks to the outcome. The scores fall
 * from 1 in equal steps along the order, bought or not; rows that it leaves out have score 0. */
static alcore_status buy_order(const alcore_choice *choice) {
    alcore__run *run = choice->run;
    alcore__filler *filler = run->state;
    ALCORE__TRY(alcore__filler_begin(filler, run));
    for (int64_t i = 0; i < choice->ordered; i++) {
        run->outcome.scores[choice->order[i]] =
            (double)(choice->ordered - i) / (double)choice->ordered;
    }
    ALCORE__TRY(alcore__filler_offer_all(filler, choice->order, choice->ordered));
    alcore__filler_finish(filler);
    return ALCORE_OK;
}

/* Called once the host's function has returned: turns an order into picks, or copies scores to the
 * outcome, by which the runner ranks and buys. */
static alcore_status use_answer(const alcore_choice *choice) {
    alcore__outcome *outcome = &choice->run->outcome;
    if (choice->order) return buy_order(choice);
    if (!choice->scores) {
        return alcore__fail(ALCORE_E_CALLBACK, "the strategy %s gave neither scores nor an order",
                            alcore__strategy_name(choice->run->strategy));
    }
    memcpy(outcome->scores, choice->scores, (size_t)outcome->count * sizeof *outcome->scores);
    return ALCORE_OK;
}

/* Which active rows a view shows under each role, by ALCORE__ROLE(). */
static const int32_t SOURCE_OF_ROLE[ALCORE__VIEW_ROLES] = {
    [ALCORE__ROLE(CANDIDATES)] = ALCORE__OVER_CANDIDATES,
    [ALCORE__ROLE(LABELED)] = ALCORE__OVER_LABELED_POOL,
    [ALCORE__ROLE(TARGET)] = ALCORE__OVER_TARGET,
    [ALCORE__ROLE(LABELED_ROWS)] = ALCORE__OVER_LABELED_ROWS,
};

/* Called once, on the calling thread; the strategy has no pass. Shows the rows of every role to the
 * host's function through a view, which is valid during the call only, and uses its answer. A
 * failure that the function returns ends the run. */
static alcore_status finish(alcore__run *run) {
    const alcore_strategy *strategy = run->strategy;
    const alcore__run_input *input = run->input;
    alcore__view_input show = {.ctx = run->ctx,
                               .costs = input->costs,
                               .budget = input->fill.budget,
                               .seed = input->seed,
                               .round = input->round};
    for (int32_t place = 0; place < ALCORE__VIEW_ROLES; place++) {
        const alcore__active_rows *active = &run->active[SOURCE_OF_ROLE[place]];
        show.sources[place] = (alcore__view_source){
            .dataset = active->dataset, .rows = active->rows, .count = active->count};
    }
    /* Without labeled rows their columns are still there, with no row. */
    show.sources[ALCORE__ROLE(LABELED_ROWS)].dataset = &input->candidates;
    alcore_view *view;
    alcore_choice choice = {.run = run};
    ALCORE__TRY(alcore__view_new(&show, &view));
    alcore_status status = strategy->host.choose(strategy->host.user, view, &choice);
    if (status != ALCORE_OK)
        status = alcore__fail_callback(status, "the strategy's choose function");
    if (status == ALCORE_OK) status = use_answer(&choice);
    alcore__view_free(view);
    clear_answer(&choice);
    return status;
}

static const alcore__param_table PARAMS = {.rows = NULL, .count = 0}; /* no parameter */

const alcore__strategy_def alcore__strategy_of_host = {
    .name = "host",
    .summary = "The caller's own function",
    .params = &PARAMS,
    .state_bytes = sizeof(alcore__filler),
    .finish = finish,
};
