/* SPDX-License-Identifier: Apache-2.0 */
/* Measures of models. One that is given again for a round is added; the last one counts. */
#include <math.h>

#include "extra/project/project_internal.h"

static alcore_status check(const char *name, double value) {
    if (!name || !*name)
        return alcore__fail(ALCORE_E_INVALID, "alcore_project_put_metric: a name is needed");
    if (isfinite(value)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID, "alcore_project_put_metric: the value of %s is no number",
                        name);
}

static alcore_status log_metric(alcore_project *project, int64_t round, const char *name,
                                double value) {
    alcore_ctx *ctx = project->object.ctx;
    alcore__json_out arguments = {.ctx = ctx}, result = {.ctx = ctx};
    alcore__json_open(&arguments, NULL, '{');
    alcore__json_put_integer(&arguments, "round", round);
    alcore__json_put_string(&arguments, "name", name);
    alcore__json_put_number(&arguments, "value", value);
    alcore__json_close(&arguments, '}');
    const alcore_status status = alcore__project_log(project, "metric", &arguments, &result);
    alcore__buffer_clear(ctx, &arguments.text);
    return status;
}

static alcore_status put_metric(alcore_project *project, int64_t round, const char *name,
                                double value) {
    int64_t rounds;
    char now[ALCORE__ISO_TIME_BYTES];
    ALCORE__TRY(alcore__project_rounds(project, &rounds));
    if (round < 0 || round > rounds)
        return alcore__fail(ALCORE_E_NOT_FOUND, "there is no round %lld; the project has %lld",
                            (long long)round, (long long)rounds);
    alcore__project_time(now);
    ALCORE__TRY(alcore__store_run(&project->store,
                                  "INSERT INTO metrics(round, name, value, time) "
                                  "VALUES(?, ?, ?, ?)",
                                  "itdt", round, name, value, now));
    return log_metric(project, round, name, value);
}

alcore_status alcore_project_put_metric(alcore_project *project, int64_t round, const char *name,
                                        double value) {
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_put_metric", CALL_SHORT));
    alcore_status status = check(name, value);
    if (status == ALCORE_OK) status = alcore__store_begin(&project->store);
    if (status == ALCORE_OK)
        status = alcore__store_end(&project->store, put_metric(project, round, name, value));
    return alcore__project_leave(project, status);
}
