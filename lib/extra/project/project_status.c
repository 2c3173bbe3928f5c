/* SPDX-License-Identifier: Apache-2.0 */
/* Where a project stands. Every number is a sum over the files or over the counts of the rounds,
 * which are kept: the time does not grow with candidates, items and answers. */
#include <math.h>

#include "extra/project/project_work.h"
#include "request/request_internal.h"

alcore_status alcore__project_rounds(alcore_project *project, int64_t *out) {
    return alcore__store_integer(&project->store, out, "SELECT max(round) FROM rounds", "");
}

alcore_status alcore__project_unit(alcore_project *project, int32_t *out) {
    int64_t unit;
    ALCORE__TRY(
        alcore__store_integer(&project->store, &unit, "SELECT unit FROM rounds LIMIT 1", ""));
    *out = (int32_t)unit;
    if (unit == 0 || (unit >= ALCORE_UNIT_ITEMS && unit <= ALCORE_UNIT_UNITS)) return ALCORE_OK;
    return alcore__store_damaged(&project->store, "%lld is no unit of a budget", (long long)unit);
}

/* The sums over all rounds. */
static alcore_status add_up(alcore_project *project, alcore_project_status *out) {
    sqlite3_stmt *row;
    bool found;
    ALCORE__TRY(
        alcore__store_prepare(&project->store, &row,
                              "SELECT sum(items), sum(answered), sum(open), sum(without), "
                              "sum(disagreeing), sum(answers), total(cost), total(refunded) "
                              "FROM counts",
                              ""));
    const alcore_status status = alcore__store_step(&project->store, row, &found);
    if (status == ALCORE_OK && found) {
        out->items = sqlite3_column_int64(row, 0);
        out->answered = sqlite3_column_int64(row, 1);
        out->open = sqlite3_column_int64(row, 2);
        out->without = sqlite3_column_int64(row, 3);
        out->disagreeing = sqlite3_column_int64(row, 4);
        out->answers = sqlite3_column_int64(row, 5);
        out->refunded = sqlite3_column_double(row, 7);
        out->spent = sqlite3_column_double(row, 6) - out->refunded;
    }
    sqlite3_finalize(row);
    return status;
}

/* The unit: of the rounds, else of the budgets that are set. */
static int32_t unit_of(const alcore__project_settings *settings, int32_t of_rounds,
                       const alcore__budgets *total) {
    alcore_tensor amounts;
    int32_t unit = 0;
    if (of_rounds) return of_rounds;
    if (total->count > 0) return total->unit;
    return alcore_request_get_budgets(settings->request, &amounts, &unit) == ALCORE_OK
               ? unit
               : ALCORE_UNIT_ITEMS;
}

alcore_status alcore__project_status_read(alcore_project *project,
                                          const alcore__project_settings *settings,
                                          alcore_project_status *out) {
    alcore__store *const from = &project->store;
    alcore__budgets total = {0};
    int32_t unit;
    const char *const total_text = alcore__project_setting(settings, "total");
    if (*total_text) ALCORE__TRY(alcore__budgets_parse(total_text, &total));
    ALCORE__TRY(alcore__project_rounds(project, &out->rounds));
    ALCORE__TRY(alcore__store_integer(from, &out->candidates,
                                      "SELECT sum(rows) FROM files WHERE role = ?", "i",
                                      (int64_t)ALCORE_ROLE_CANDIDATES));
    ALCORE__TRY(alcore__store_integer(from, &out->labeled,
                                      "SELECT sum(rows) FROM files WHERE role = ?", "i",
                                      (int64_t)ALCORE_ROLE_LABELED));
    ALCORE__TRY(alcore__project_unit(project, &unit));
    ALCORE__TRY(add_up(project, out));
    out->unit = unit_of(settings, unit, &total);
    out->left = total.count > 0 ? total.amounts[0] - out->spent : (double)NAN;
    return ALCORE_OK;
}

alcore_status alcore__project_work_read(alcore_project *project, alcore__buffer *texts,
                                        alcore_project_status *out) {
    alcore_ctx *const ctx = project->object.ctx;
    alcore__buffer evaluating = {0};
    ALCORE__TRY(alcore__project_work_standing(project, "train", &out->training, texts));
    const size_t first = texts->length;
    alcore_status status =
        alcore__project_work_standing(project, "eval", &out->evaluating, &evaluating);
    if (status == ALCORE_OK) status = alcore__buffer_append(ctx, texts, "", 1);
    if (status == ALCORE_OK && evaluating.length)
        status = alcore__buffer_append(ctx, texts, evaluating.data, evaluating.length);
    out->training_failure = status == ALCORE_OK && first ? texts->data : NULL;
    out->evaluating_failure =
        status == ALCORE_OK && evaluating.length ? texts->data + first + 1 : NULL;
    alcore__buffer_clear(ctx, &evaluating);
    return status;
}

static alcore_status read_status(alcore_project *project, alcore_project_status *out) {
    alcore__project_settings settings;
    ALCORE__TRY(alcore__project_settings_read(project, &settings));
    const alcore_status status = alcore__project_status_read(project, &settings, out);
    alcore__project_settings_clear(project, &settings);
    ALCORE__TRY(status);
    return alcore__project_work_read(project, &project->view, out);
}

alcore_status alcore_project_get_status(alcore_project *project, alcore_project_status *out) {
    alcore_project_status ours = ALCORE_PROJECT_STATUS_INIT;
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_get_status", CALL_SHORT));
    if (!out)
        return alcore__project_leave(
            project, alcore__fail(ALCORE_E_INVALID, "alcore_project_get_status: out is needed"));
    alcore_status status = alcore__store_begin_reading(&project->store);
    if (status == ALCORE_OK)
        status = alcore__store_end(&project->store, read_status(project, &ours));
    if (status == ALCORE_OK)
        status = alcore__struct_write(out, &ours, sizeof ours,
                                      ALCORE__FIRST_SIZE(alcore_project_status, evaluating_failure),
                                      "alcore_project_status");
    return alcore__project_leave(project, status);
}
