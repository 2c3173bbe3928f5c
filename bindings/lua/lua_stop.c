/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Stopping criteria: whether a loop of rounds may end before its budget is spent. Results are
 * tables; metrics.kappa gives the kappa of two models.
 * @section stop */
#include "lua_binding.h"

int al_decision_result(lua_State *L, int failed, const alcore_stop_decision *decision) {
    char text[200];
    if (failed) return failed;
    al_push_struct(L, al_stop_decision, decision);
    al_set_string(L, "text", alcore_stop_text(decision, text));
    return 1;
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
    return al_decision_result(L, status == ALCORE_OK ? 0 : al_fail(L, status), &decision);
}
