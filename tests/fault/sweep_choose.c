/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: scorers, strategies, what their callbacks see, requests and selections. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sweep.h"

NEVER(alcore_scorer_builtin_name, 0) {
    HOLDS(alcore_scorer_builtin_name(0) && !alcore_scorer_builtin_name(1000));
}
NEVER(alcore_scorer_builtin_summary, 0) {
    HOLDS(alcore_scorer_builtin_summary("nsp"));
}
NEVER(alcore_scorer_builtin_param, 0) {
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;
    HOLDS(alcore_scorer_builtin_param("nsp", 1000, &info) == ALCORE_E_NOT_FOUND);
}
NEVER(alcore_scorer_builtin_needs, 0) {
    HOLDS(alcore_scorer_builtin_needs("nsp", 0) && !alcore_scorer_builtin_needs("nsp", 1000));
}
NEVER(alcore_scorer_needs, WITH_SCORER) {
    HOLDS(alcore_scorer_needs(w->scorer, 0) && !alcore_scorer_needs(w->scorer, 1000));
}
NEVER(alcore_hint, 0) {
    HOLDS(alcore_hint(ALCORE_HINT_STRATEGY, "BreakingTies") &&
          !alcore_hint(ALCORE_HINT_OPTION, ""));
}
ALLOCATES(alcore_scorer_new, 0) {
    alcore_scorer *out = w->scorer;
    alcore_status status = alcore_scorer_new(w->ctx, "nsp", &out);
    MADE(alcore_scorer_unref, status, out);
}
static alcore_status score_zero(void *user, const alcore_view *view, double *scores) {
    (void)user;
    for (int64_t i = 0; i < alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES); i++) scores[i] = 0;
    return ALCORE_OK;
}
ALLOCATES(alcore_scorer_new_host, 0) {
    alcore_scorer_host host = ALCORE_SCORER_HOST_INIT;
    host.score = score_zero;
    alcore_scorer *out = w->scorer;
    alcore_status status = alcore_scorer_new_host(w->ctx, &host, &out);
    MADE(alcore_scorer_unref, status, out);
}
NEVER(alcore_scorer_ref, WITH_SCORER) {
    alcore_scorer_unref(alcore_scorer_ref(w->scorer));
    HOLDS(!alcore_scorer_ref(NULL));
}
NEVER(alcore_scorer_unref, 0) {
    alcore_scorer_unref(NULL);
    HOLDS(true);
}
ALLOCATES(alcore_scorer_set, 0) {
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;
    alcore_scorer *scorer = NULL;
    const char *name = NULL;
    /* The first scorer that has a parameter. */
    for (int32_t i = 0; (name = alcore_scorer_builtin_name(i)) &&
                        alcore_scorer_builtin_param(name, 0, &info) != ALCORE_OK;
         i++) {
    }
    if (!name) return ALCORE_E_INTERNAL;
    sweep_pause(w);
    alcore_status status = alcore_scorer_new(w->ctx, name, &scorer);
    sweep_resume(w);
    if (status == ALCORE_OK) status = alcore_scorer_set(scorer, info.name, info.initial);
    alcore_scorer_unref(scorer);
    return status;
}
ALLOCATES(alcore_scorer_run, WITH_SCORER | WITH_SCORES) {
    return alcore_scorer_run(w->scorer, w->pool, NULL);
}

/* ---- the view ---- */

typedef alcore_status (*in_view)(world *w, const alcore_view *view);
typedef struct inside {
    world *w;
    in_view call;
} inside;

static alcore_status call_inside(void *user, const alcore_view *view, double *scores) {
    inside *it = user;
    sweep_resume(it->w);
    alcore_status status = it->call(it->w, view);
    sweep_pause(it->w);
    return status != ALCORE_OK ? status : score_zero(NULL, view, scores);
}

/* Calls inside a host scorer's function; only what the call allocates counts. */
static alcore_status within_view(world *w, in_view call) {
    static const char *const needs[] = {"logprobs", NULL};
    inside it = {w, call};
    alcore_scorer_host host = ALCORE_SCORER_HOST_INIT;
    host.user = &it;
    host.score = call_inside;
    host.needs = needs;
    alcore_scorer *scorer = NULL;
    sweep_pause(w);
    alcore_status status = alcore_scorer_new_host(w->ctx, &host, &scorer);
    if (status == ALCORE_OK) status = alcore_scorer_run(scorer, w->pool, NULL);
    alcore_scorer_unref(scorer);
    sweep_resume(w);
    return status;
}

#define IN_VIEW(function, condition)                                                               \
    static alcore_status inside_##function(world *w, const alcore_view *view) {                    \
        HOLDS(condition);                                                                          \
    }                                                                                              \
    NEVER(function, WITH_SCORES) {                                                                 \
        return within_view(w, inside_##function);                                                  \
    }
IN_VIEW(alcore_view_row_count,
        alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES) == WORLD_ROWS - 2)
IN_VIEW(alcore_view_rows, alcore_view_rows(view, ALCORE_ROLE_CANDIDATES)[3] == 4)
IN_VIEW(alcore_view_pool, alcore_view_pool(view, ALCORE_ROLE_CANDIDATES) == w->pool)
IN_VIEW(alcore_view_costs, alcore_view_costs(view))
IN_VIEW(alcore_view_budget, isinf(alcore_view_budget(view)))
IN_VIEW(alcore_view_poll, alcore_view_poll(view, "choosing", 0, 1) == ALCORE_OK)
IN_VIEW(alcore_view_round, alcore_view_round(view) == 1)
IN_VIEW(alcore_view_random, alcore_view_random(view, 1) == alcore_view_random(view, 1))

static alcore_status column_inside(world *w, const alcore_view *view) {
    const int32_t role = ALCORE_ROLE_CANDIDATES;
    alcore_tensor values, offsets;
    (void)w;
    alcore_status status = alcore_view_get_column(
        view, role, "logprobs", 0, alcore_view_row_count(view, role), &values, &offsets);
    if (status != ALCORE_OK && (values.data || offsets.data)) status = ALCORE_E_INTERNAL;
    return status;
}
ALLOCATES(alcore_view_get_column, WITH_SCORES) {
    return within_view(w, column_inside);
}

/* ---- strategy ---- */

/* A scorer with a parameter that takes numbers, made without counting its allocations. */
static alcore_status with_scorer(world *w, alcore_scorer **out) {
    sweep_pause(w);
    alcore_status status = alcore_scorer_new(w->ctx, "margin", out);
    sweep_resume(w);
    return status;
}

/* No scorer takes numbers: the refusal must be clean. */
NEVER(alcore_scorer_set_int, 0) {
    alcore_scorer *scorer = NULL;
    alcore_status status = with_scorer(w, &scorer);
    if (status == ALCORE_OK && alcore_scorer_set_int(scorer, "margin", 3) != ALCORE_E_PARAM)
        status = ALCORE_E_INTERNAL;
    alcore_scorer_unref(scorer);
    return status;
}
NEVER(alcore_scorer_set_number, 0) {
    alcore_scorer *scorer = NULL;
    alcore_status status = with_scorer(w, &scorer);
    if (status == ALCORE_OK && alcore_scorer_set_number(scorer, "margin", 0.5) != ALCORE_E_PARAM)
        status = ALCORE_E_INTERNAL;
    alcore_scorer_unref(scorer);
    return status;
}
NEVER(alcore_scorer_get, 0) {
    const char *text;
    alcore_scorer *scorer = NULL;
    alcore_status status = with_scorer(w, &scorer);
    if (status == ALCORE_OK) status = alcore_scorer_get(scorer, "margin", &text);
    alcore_scorer_unref(scorer);
    return status;
}
NEVER(alcore_strategy_builtin_name, 0) {
    HOLDS(alcore_strategy_builtin_name(0) && !alcore_strategy_builtin_name(1000));
}
NEVER(alcore_strategy_recommended, 0) {
    HOLDS(alcore_strategy_recommended());
}

NEVER(alcore_strategy_builtin_summary, 0) {
    HOLDS(alcore_strategy_builtin_summary("huds"));
}
NEVER(alcore_strategy_builtin_param, 0) {
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;
    (void)w;
    return alcore_strategy_builtin_param("huds", 0, &info);
}
NEVER(alcore_strategy_builtin_needs, 0) {
    HOLDS(alcore_strategy_builtin_needs("huds", ALCORE_ROLE_CANDIDATES, 0));
}
ALLOCATES(alcore_strategy_new, 0) {
    alcore_strategy *out = w->strategy;
    alcore_status status = alcore_strategy_new(w->ctx, "huds", &out);
    MADE(alcore_strategy_unref, status, out);
}

typedef struct chooser {
    world *w;
    bool by_order;
} chooser;

static alcore_status choose(void *user, const alcore_view *view, alcore_choice *out) {
    const chooser *it = user;
    double scores[WORLD_ROWS] = {0};
    sweep_resume(it->w);
    alcore_status status =
        it->by_order ? alcore_choice_order(out, alcore_view_rows(view, ALCORE_ROLE_CANDIDATES),
                                           alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES))
                     : alcore_choice_scores(out, scores,
                                            alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES));
    sweep_pause(it->w);
    return status;
}
static alcore_status within_choice(world *w, bool by_order) {
    chooser it = {w, by_order};
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    host.user = &it;
    host.choose = choose;
    alcore_strategy *strategy = NULL;
    alcore_selection *selection = NULL;
    sweep_pause(w);
    alcore_status status = alcore_strategy_new_host(w->ctx, &host, &strategy);
    if (status == ALCORE_OK) status = alcore_request_set_strategy(w->request, strategy);
    if (status == ALCORE_OK) status = alcore_select(w->request, &selection);
    if (status != ALCORE_OK && selection) status = ALCORE_E_INTERNAL;
    sweep_keep_error(w);
    alcore_selection_unref(selection);
    alcore_request_set_strategy(w->request, NULL);
    alcore_strategy_unref(strategy);
    sweep_resume(w);
    return status;
}
ALLOCATES(alcore_choice_scores, WITH_REQUEST) {
    return within_choice(w, false);
}
ALLOCATES(alcore_choice_order, WITH_REQUEST) {
    return within_choice(w, true);
}
ALLOCATES(alcore_strategy_new_host, 0) {
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    host.choose = choose;
    host.name = "mine";
    alcore_strategy *out = w->strategy;
    alcore_status status = alcore_strategy_new_host(w->ctx, &host, &out);
    MADE(alcore_strategy_unref, status, out);
}
NEVER(alcore_strategy_ref, WITH_SCORER) {
    alcore_strategy_unref(alcore_strategy_ref(w->strategy));
    HOLDS(!alcore_strategy_ref(NULL));
}
NEVER(alcore_strategy_unref, 0) {
    alcore_strategy_unref(NULL);
    HOLDS(true);
}
ALLOCATES(alcore_strategy_set, 0) {
    alcore_strategy *strategy = NULL;
    sweep_pause(w);
    alcore_status status = alcore_strategy_new(w->ctx, "huds", &strategy);
    sweep_resume(w);
    if (status == ALCORE_OK) status = alcore_strategy_set(strategy, "lambda", "0.3,0.5");
    alcore_strategy_unref(strategy);
    return status;
}
ALLOCATES(alcore_strategy_set_int, 0) {
    alcore_strategy *strategy = NULL;
    sweep_pause(w);
    alcore_status status = alcore_strategy_new(w->ctx, "huds", &strategy);
    sweep_resume(w);
    if (status == ALCORE_OK) status = alcore_strategy_set_int(strategy, "n_strata", 5);
    alcore_strategy_unref(strategy);
    return status;
}
ALLOCATES(alcore_strategy_set_numbers, 0) {
    alcore_strategy *strategy = NULL;
    sweep_pause(w);
    alcore_status status = alcore_strategy_new(w->ctx, "huds", &strategy);
    sweep_resume(w);
    if (status == ALCORE_OK)
        status = alcore_strategy_set_numbers(strategy, "lambda", (const double[]){0, 1}, 2);
    alcore_strategy_unref(strategy);
    return status;
}
NEVER(alcore_strategy_get_numbers, 0) {
    alcore_strategy *strategy = NULL;
    alcore_tensor out;
    sweep_pause(w);
    alcore_status status = alcore_strategy_new(w->ctx, "huds", &strategy);
    sweep_resume(w);
    if (status == ALCORE_OK) status = alcore_strategy_get_numbers(strategy, "lambda", &out);
    alcore_strategy_unref(strategy);
    return status;
}
ALLOCATES(alcore_strategy_set_number, 0) {
    alcore_strategy *strategy = NULL;
    sweep_pause(w);
    alcore_status status = alcore_strategy_new(w->ctx, "huds", &strategy);
    sweep_resume(w);
    if (status == ALCORE_OK) status = alcore_strategy_set_number(strategy, "lambda", 0.25);
    alcore_strategy_unref(strategy);
    return status;
}
NEVER(alcore_strategy_get, 0) {
    const char *text;
    alcore_strategy *strategy = NULL;
    sweep_pause(w);
    alcore_status status = alcore_strategy_new(w->ctx, "huds", &strategy);
    sweep_resume(w);
    if (status == ALCORE_OK) status = alcore_strategy_get(strategy, "lambda", &text);
    alcore_strategy_unref(strategy);
    return status;
}

/* ---- request ---- */

ALLOCATES(alcore_request_new, 0) {
    alcore_request *out = w->request;
    alcore_status status = alcore_request_new(w->ctx, &out);
    MADE(alcore_request_unref, status, out);
}
NEVER(alcore_request_ref, WITH_REQUEST) {
    alcore_request_unref(alcore_request_ref(w->request));
    HOLDS(!alcore_request_ref(NULL));
}
NEVER(alcore_request_unref, 0) {
    alcore_request_unref(NULL);
    HOLDS(true);
}
NEVER(alcore_request_cancel, WITH_REQUEST) {
    alcore_tensor rows;
    alcore_request_cancel(w->request);
    const alcore_status status = alcore_request_candidates(w->request, 1, &rows);
    alcore_request_cancel_clear(w->request);
    HOLDS(status == ALCORE_E_CANCELLED);
}
NEVER(alcore_request_cancel_clear, WITH_REQUEST) {
    alcore_request_cancel_clear(w->request);
    HOLDS(alcore_ctx_is_cancelled(w->ctx) == 0);
}
NEVER(alcore_request_set_progress, WITH_REQUEST) {
    HOLDS(alcore_request_set_progress(w->request, NULL, NULL, NULL) == ALCORE_OK);
}
NEVER(alcore_request_set_pool, WITH_REQUEST) {
    return alcore_request_set_pool(w->request, ALCORE_ROLE_LABELED, w->labeled);
}
NEVER(alcore_request_set_strategy, WITH_REQUEST | WITH_SCORER) {
    return alcore_request_set_strategy(w->request, w->strategy);
}
NEVER(alcore_request_set_model, WITH_REQUEST | WITH_MODEL) {
    return alcore_request_set_model(w->request, w->model);
}
NEVER(alcore_request_set_column_model, WITH_REQUEST | WITH_MODEL) {
    return alcore_request_set_column_model(w->request, "embeddings", w->model);
}
ALLOCATES(alcore_request_set, WITH_REQUEST) {
    return alcore_request_set(w->request, "budget", "20 words");
}
ALLOCATES(alcore_request_set_int, WITH_REQUEST) {
    return alcore_request_set_int(w->request, "round", 1);
}
ALLOCATES(alcore_request_set_number, WITH_REQUEST) {
    return alcore_request_set_number(w->request, "round", 1.0);
}
ALLOCATES(alcore_request_set_budgets, WITH_REQUEST) {
    return alcore_request_set_budgets(w->request, (const double[]){3}, 1, ALCORE_UNIT_ITEMS);
}
NEVER(alcore_request_get_budgets, WITH_REQUEST) {
    alcore_tensor out;
    int32_t unit;
    return alcore_request_get_budgets(w->request, &out, &unit);
}
ALLOCATES(alcore_request_set_price, WITH_REQUEST) {
    alcore_price price = ALCORE_PRICE_INIT;
    price.currency = "EUR";
    price.unit = ALCORE_UNIT_WORDS;
    return alcore_request_set_price(w->request, &price);
}
NEVER(alcore_request_get_price, WITH_REQUEST) {
    alcore_price price = ALCORE_PRICE_INIT;
    HOLDS(alcore_request_get_price(w->request, &price) == ALCORE_E_NOT_FOUND);
}
NEVER(alcore_request_get, WITH_REQUEST) {
    const char *text;
    return alcore_request_get(w->request, "round", &text);
}
NEVER(alcore_request_builtin_param, 0) {
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;
    (void)w;
    return alcore_request_builtin_param(0, &info);
}
ALLOCATES(alcore_request_set_rows, WITH_REQUEST) {
    static const int64_t rows[] = {2, 0};
    return alcore_request_set_rows(w->request, ALCORE_ROWS_ELIGIBLE, rows, 2);
}
GROWS(alcore_request_read_rows, WITH_REQUEST) {
    sweep_pause(w);
    /* The second line is the first word of row 1, as a phrase. */
    world_file_write("ids.txt", "no id of the pool\n1:0+1\n", 24);
    sweep_resume(w);
    return alcore_request_read_rows(w->request, ALCORE_ROWS_EXCLUDED, world_file("ids.txt"));
}
NEVER(alcore_request_get_rows, WITH_REQUEST) {
    alcore_tensor out;
    HOLDS(alcore_request_get_rows(w->request, ALCORE_ROWS_LABELED, &out) == ALCORE_E_NOT_FOUND);
}
NEVER(alcore_last_remedy, 0) {
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    HOLDS(alcore_last_remedy(&remedy) == 0);
}
ALLOCATES(alcore_request_candidates, WITH_REQUEST) {
    alcore_tensor rows;
    alcore_status status = alcore_request_candidates(w->request, 4, &rows);
    if (status != ALCORE_OK) return !rows.data ? status : ALCORE_E_INTERNAL;
    return rows.shape[0] == 4 ? ALCORE_OK : ALCORE_E_INTERNAL;
}

/* Whether the world has what a strategy needs: it has no losses, round trips and labeled data. The
 * selections with files (sweep_select.c) run every strategy. */
static bool is_fed(const char *strategy) {
    const char *need = alcore_strategy_builtin_needs(strategy, ALCORE_ROLE_CANDIDATES, 0);
    return strcmp(strategy, "mrs") != 0 && strcmp(strategy, "contrastive") != 0 &&
           (!need || (strcmp(need, "mlm_losses") != 0 && strcmp(need, "roundtrip") != 0));
}

/* Every built-in strategy that the world's columns can feed. */
ALLOCATES(alcore_select, WITH_REQUEST) {
    alcore_status status = ALCORE_OK;
    for (int32_t i = 0; alcore_strategy_builtin_name(i) && status == ALCORE_OK; i++) {
        alcore_strategy *strategy = NULL;
        alcore_selection *out = NULL;
        if (!is_fed(alcore_strategy_builtin_name(i))) continue;
        sweep_pause(w);
        status = alcore_strategy_new(w->ctx, alcore_strategy_builtin_name(i), &strategy);
        if (status == ALCORE_OK) status = alcore_request_set_strategy(w->request, strategy);
        bool reads_target =
            alcore_strategy_builtin_needs(alcore_strategy_builtin_name(i), ALCORE_ROLE_TARGET, 0);
        if (status == ALCORE_OK)
            status = alcore_request_set_pool(w->request, ALCORE_ROLE_TARGET,
                                             reads_target ? w->pool : NULL);
        sweep_resume(w);
        if (status == ALCORE_OK) status = alcore_select(w->request, &out);
        if ((status == ALCORE_OK) != (out != NULL)) status = ALCORE_E_INTERNAL;
        sweep_keep_error(w);
        alcore_selection_unref(out);
        alcore_request_set_strategy(w->request, NULL);
        alcore_strategy_unref(strategy);
    }
    return status;
}

/* ---- selection ---- */

/* Selections of several budgets and their prices. */
GROWS(alcore_selection_of_budget, WITH_REQUEST) {
    alcore_selection *out = NULL;
    sweep_pause(w);
    alcore_status status = alcore_request_set(w->request, "budget", "1,3,2");
    sweep_resume(w);
    if (status == ALCORE_OK) status = alcore_select(w->request, &out);
    if (status == ALCORE_OK && alcore_selection_count(alcore_selection_of_budget(out, 1)) != 3)
        status = ALCORE_E_INTERNAL;
    alcore_selection_unref(out);
    return status;
}
NEVER(alcore_selection_budget_count, WITH_SELECTION) {
    HOLDS(alcore_selection_budget_count(w->selection) == 1);
}
NEVER(alcore_selection_budget, WITH_SELECTION) {
    HOLDS(alcore_selection_budget(w->selection) == 3);
}
NEVER(alcore_selection_unit, WITH_SELECTION) {
    HOLDS(alcore_selection_unit(w->selection) == ALCORE_UNIT_ITEMS);
}
NEVER(alcore_selection_get_price, WITH_SELECTION) {
    alcore_price price = ALCORE_PRICE_INIT;
    HOLDS(alcore_selection_get_price(w->selection, &price) == ALCORE_E_NOT_FOUND);
}
NEVER(alcore_selection_amount, WITH_SELECTION) {
    HOLDS(alcore_selection_amount(w->selection) != alcore_selection_amount(w->selection));
}
NEVER(alcore_selection_remedy, WITH_SELECTION) {
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    HOLDS(alcore_selection_remedy(w->selection, 9, &remedy) == ALCORE_E_NOT_FOUND);
}

NEVER(alcore_selection_ref, WITH_SELECTION) {
    alcore_selection_unref(alcore_selection_ref(w->selection));
    HOLDS(!alcore_selection_ref(NULL));
}
NEVER(alcore_selection_unref, 0) {
    alcore_selection_unref(NULL);
    HOLDS(true);
}
NEVER(alcore_selection_count, WITH_SELECTION) {
    HOLDS(alcore_selection_count(w->selection) == 3);
}
NEVER(alcore_selection_rows, WITH_SELECTION) {
    HOLDS(alcore_selection_rows(w->selection)[0] >= 0);
}
NEVER(alcore_selection_scores, WITH_SELECTION) {
    HOLDS(alcore_selection_scores(w->selection));
}
NEVER(alcore_selection_costs, WITH_SELECTION) {
    HOLDS(alcore_selection_costs(w->selection)[0] == 1);
}
NEVER(alcore_selection_spent, WITH_SELECTION) {
    HOLDS(alcore_selection_spent(w->selection) == 3);
}
NEVER(alcore_selection_flags, WITH_SELECTION) {
    HOLDS(alcore_selection_flags(w->selection) == 0);
}
NEVER(alcore_selection_pool, WITH_SELECTION) {
    HOLDS(alcore_selection_pool(w->selection) == w->pool);
}
NEVER(alcore_selection_reason, WITH_SELECTION) {
    HOLDS(alcore_selection_reason(w->selection, 0) && !alcore_selection_reason(w->selection, 3));
}
NEVER(alcore_selection_column_name, WITH_SELECTION) {
    HOLDS(alcore_selection_column_name(w->selection, ALCORE_SCOPE_PICKS, 0));
}
NEVER(alcore_selection_get_column, WITH_SELECTION) {
    alcore_tensor out;
    return alcore_selection_get_column(
        w->selection, ALCORE_SCOPE_PICKS,
        alcore_selection_column_name(w->selection, ALCORE_SCOPE_PICKS, 0), &out);
}
NEVER(alcore_selection_provenance, WITH_SELECTION) {
    HOLDS(alcore_selection_provenance(w->selection)[0] == '{');
}
NEVER(alcore_selection_summary, WITH_SELECTION) {
    HOLDS(alcore_selection_summary(w->selection)[0] != '\0');
}
ALLOCATES(alcore_selection_write, WITH_SELECTION) {
    static const char *const names[] = {"out.tsv", "out.csv", "out.jsonl", "out.txt"};
    alcore_status status = ALCORE_OK;
    for (int i = 0; i < 4 && status == ALCORE_OK; i++)
        status = alcore_selection_write(w->selection, world_file(names[i]), NULL);
    return status;
}
GROWS(alcore_selection_report, WITH_SELECTION) {
    static const char *const names[] = {"out.md", "out.json", "out.html"};
    alcore_status status = ALCORE_OK;
    for (int i = 0; i < 3 && status == ALCORE_OK; i++)
        status = alcore_selection_report(w->selection, world_file(names[i]), NULL);
    return status;
}
