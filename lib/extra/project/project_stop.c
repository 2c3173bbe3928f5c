/* SPDX-License-Identifier: Apache-2.0 */
/* The stopping criterion of a project: a plateau of one of its measures (alcore/extra/stop.h). */
#include "alcore/extra/stop.h"

#include <string.h>

#include "base/number.h"
#include "extra/project/project_round.h"

/* Reads the values of a measure by rounds; of one that was given again the last one. */
static alcore_status read_values(alcore_project *project, const char *metric, double **values,
                                 int64_t *count) {
    sqlite3_stmt *rows;
    bool row;
    size_t capacity = 0;
    alcore_status status;
    ALCORE__TRY(alcore__store_prepare(&project->store, &rows,
                                      "SELECT value FROM metrics WHERE metric IN (SELECT "
                                      "max(metric) FROM metrics WHERE name = ? GROUP BY round) "
                                      "ORDER BY round",
                                      "t", metric));
    while ((status = alcore__store_step(&project->store, rows, &row)) == ALCORE_OK && row) {
        status = alcore__grow(project->object.ctx, values, &capacity, (size_t)*count + 1,
                              sizeof **values);
        if (status != ALCORE_OK) break;
        (*values)[(*count)++] = alcore__store_number(rows, 0);
    }
    sqlite3_finalize(rows);
    return status;
}

alcore_status alcore__project_check_stop(alcore_project *project,
                                         const alcore__project_settings *settings) {
    const char *const metric = alcore__project_setting(settings, "stop_metric");
    alcore_plateau_options options = ALCORE_PLATEAU_OPTIONS_INIT;
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    double *values = NULL;
    int64_t count = 0;
    const char *const gain = alcore__project_setting(settings, "stop_gain");
    if (!*metric) return ALCORE_OK;
    options.patience = alcore__values_integer(&settings->values, "stop_patience");
    options.lower_is_better = (int32_t)alcore__values_integer(&settings->values, "stop_falling");
    (void)alcore__parse_double(gain, strlen(gain), &options.least_gain); /* checked when set */
    alcore_status status = read_values(project, metric, &values, &count);
    if (status == ALCORE_OK) status = alcore_stop_check_plateau(values, count, &options, &decision);
    alcore__free(project->object.ctx, values);
    if (status == ALCORE_OK && decision.stop)
        status = alcore__fail(ALCORE_E_PARAM,
                              "%s has reached a plateau: the setting stop_metric ends the rounds",
                              metric);
    return status;
}
