/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Stopping criteria: whether a loop of rounds may end before its budget is spent. Results are
 * tables; metrics.kappa gives the kappa of two models.
 * @section stop */
#include "lua_binding.h"

/* Pushes a decision with its sentence; one result. */
static int push_decision(lua_State *L, const alcore_stop_decision *decision) {
    char text[200];
    al_push_struct(L, al_stop_decision, decision);
    al_set_string(L, "text", alcore_stop_text(decision, text));
    return 1;
}

/*** Whether the last rounds did not improve a metric.
 * @function stop.plateau
 * @tparam table metric a list of numbers, one a round
 * @tparam[opt] table options patience (rounds; default 3), least_gain (default 0), lower_is_better
 * @return a table with stop, criterion, numbers, left_out, window, best_round, best, value,
 * threshold and text; or nil, message, code */
int l_stop_plateau(lua_State *L) {
    alcore_plateau_options options = ALCORE_PLATEAU_OPTIONS_INIT;
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    int64_t count;
    lua_settop(L, 2);
    (void)al_options(L, 2, "stop.plateau", al_plateau_options, NULL, &options);
    const double *metric = al_numbers(L, 1, "metric", &count);
    const alcore_status status = alcore_stop_check_plateau(metric, count, &options, &decision);
    return status == ALCORE_OK ? push_decision(L, &decision) : al_fail(L, status);
}

/*** Whether the mean or the largest uncertainty is at most a threshold.
 * @function stop.uncertainty
 * @tparam table values a list of numbers, of the pool or of a selection; NaN is left out
 * @tparam number threshold
 * @tparam[opt] string statistic "mean" (default) or "max"
 * @return as stop.plateau */
int l_stop_uncertainty(lua_State *L) {
    static const char *const statistics[] = {"mean", "max", NULL};
    static const int32_t criteria[] = {ALCORE_STOP_MEAN_UNCERTAINTY, ALCORE_STOP_MAX_UNCERTAINTY};
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    int64_t count;
    const double threshold = luaL_checknumber(L, 2);
    alcore_uncertainty_options options = ALCORE_UNCERTAINTY_OPTIONS_INIT;
    options.criterion = criteria[luaL_checkoption(L, 3, "mean", statistics)];
    lua_settop(L, 3);
    const double *values = al_numbers(L, 1, "values", &count);
    const alcore_status status =
        alcore_stop_check_uncertainty(values, count, threshold, &options, &decision);
    return status == ALCORE_OK ? push_decision(L, &decision) : al_fail(L, status);
}

/*** Whether the models of the last rounds agree: the mean of the last kappas is high.
 * @function stop.agreement
 * @tparam table kappas a list of numbers, each of the models of two successive rounds
 * @tparam[opt] table options window (kappas; default 3), threshold (default 0.99)
 * @return as stop.plateau */
int l_stop_agreement(lua_State *L) {
    alcore_agreement_options options = ALCORE_AGREEMENT_OPTIONS_INIT;
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    int64_t count;
    lua_settop(L, 2);
    (void)al_options(L, 2, "stop.agreement", al_agreement_options, NULL, &options);
    const double *kappas = al_numbers(L, 1, "kappas", &count);
    const alcore_status status = alcore_stop_check_agreement(kappas, count, &options, &decision);
    return status == ALCORE_OK ? push_decision(L, &decision) : al_fail(L, status);
}
