/* SPDX-License-Identifier: Apache-2.0 */
/* Measures of models. One that is given again for a round is added; the last one counts. */
#include <math.h>

#include "extra/metric/measure_lines.h"
#include "extra/project/project_work.h"

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

alcore_status alcore__project_metric_add(alcore_project *project, int64_t round, const char *name,
                                         double value) {
    char now[ALCORE__ISO_TIME_BYTES];
    alcore__project_time(now);
    return alcore__store_run(&project->store,
                             "INSERT INTO metrics(round, name, value, time) VALUES(?, ?, ?, ?)",
                             "itdt", round, name, value, now);
}

alcore_status alcore__project_round_check(alcore_project *project, int64_t round) {
    int64_t rounds;
    ALCORE__TRY(alcore__project_rounds(project, &rounds));
    if (round >= 0 && round <= rounds) return ALCORE_OK;
    return alcore__fail(ALCORE_E_NOT_FOUND, "there is no round %lld; the project has %lld",
                        (long long)round, (long long)rounds);
}

static alcore_status put_metric(alcore_project *project, int64_t round, const char *name,
                                double value) {
    ALCORE__TRY(alcore__project_round_check(project, round));
    ALCORE__TRY(alcore__project_metric_add(project, round, name, value));
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

static alcore_status read_measures(alcore_project *project, const char *text, size_t length,
                                   alcore__measures *out) {
    alcore__buffer copy = {0};
    alcore_status status = alcore__buffer_append(project->object.ctx, &copy, text, length);
    if (status == ALCORE_OK) status = alcore__measures_read(out, copy.data, copy.length);
    alcore__buffer_clear(project->object.ctx, &copy);
    return status;
}

static alcore_status put_measures(alcore_project *project, int64_t round,
                                  const alcore__measures *measures) {
    ALCORE__TRY(alcore__store_begin(&project->store));
    alcore_status status = ALCORE_OK;
    for (int i = 0; i < measures->count && status == ALCORE_OK; i++)
        status = put_metric(project, round, measures->names[i], measures->values[i]);
    return alcore__store_end(&project->store, status);
}

alcore_status alcore_project_put_metrics(alcore_project *project, int64_t round, const char *text,
                                         size_t length, int64_t *out_count) {
    alcore__measures measures = {.count = 0};
    if (out_count) *out_count = 0;
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_put_metrics", CALL_SHORT));
    alcore_status status = ALCORE_OK;
    if (!text)
        status = alcore__fail(ALCORE_E_INVALID, "alcore_project_put_metrics: text is needed");
    if (status == ALCORE_OK) status = read_measures(project, text, length, &measures);
    if (status == ALCORE_OK) status = put_measures(project, round, &measures);
    if (status == ALCORE_OK && out_count) *out_count = measures.count;
    return alcore__project_leave(project, status);
}
