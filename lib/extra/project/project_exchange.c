/* SPDX-License-Identifier: Apache-2.0 */
/* What a project tells tools. */
#include "extra/project/project_exchange.h"

#include <string.h>

#include "extra/tool/tool_choices.h"
#include "extra/tool/tool_form.h"

/* The setting takes the names of tasks only. */
int32_t alcore__project_task(const alcore__project_settings *settings) {
    const char *const name = alcore__project_setting(settings, "task");
    int32_t task = ALCORE_TASK_TRANSLATION;
    while (strcmp(name, alcore__tool_task_name(task)) != 0) task++;
    return task;
}

static const char *const unit_names[] = ALCORE__WORDS(ALCORE__SPAN_UNIT_LIST);
enum { UNITS = sizeof unit_names / sizeof *unit_names };

/* The number of a span unit; 0: that of the tool. Forms without spans take none. */
static int32_t unit_of(int32_t task, const char *name) {
    for (int32_t i = 0; i < UNITS && task == ALCORE_TASK_SPANS; i++)
        if (strcmp(name, unit_names[i]) == 0) return ALCORE_SPAN_CODE_POINTS + i;
    return 0;
}

const char *alcore__project_span_unit_name(int32_t unit) {
    return unit ? unit_names[unit - ALCORE_SPAN_CODE_POINTS] : "tool";
}

static const char *or_null(const char *text) {
    return *text ? text : NULL;
}

/* A label without the spaces around it, which are cut off. */
static char *trimmed(char *label) {
    label += strspn(label, " ");
    for (size_t length = strlen(label); length > 0 && label[length - 1] == ' ';)
        label[--length] = '\0';
    return label;
}

/* Splits the labels at their commas. */
static alcore_status split_labels(alcore_ctx *ctx, alcore__project_exchange *out) {
    const char *const text = alcore__project_setting(&out->settings, "labels");
    size_t count = 1;
    if (!*text) return ALCORE_OK;
    ALCORE__TRY(alcore__buffer_append(ctx, &out->labels, text, strlen(text)));
    for (const char *at = text; *at; at++) count += *at == ',';
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->label_list, &out->label_list));
    char *rest = out->labels.data;
    for (char *label; (label = strsep(&rest, ","));)
        if (*trimmed(label)) out->label_list[out->options.label_count++] = trimmed(label);
    out->options.labels = out->label_list;
    return ALCORE_OK;
}

/* The number of the project: a view would not outlive the statement. */
static alcore_status read_id(alcore_project *project, char id[PROJECT_ID_DIGITS + 1]) {
    sqlite3_stmt *statement;
    bool row;
    ALCORE__TRY(alcore__store_prepare(&project->store, &statement,
                                      "SELECT blob FROM files ORDER BY file LIMIT 1", ""));
    const alcore_status status = alcore__store_step(&project->store, statement, &row);
    alcore__format(id, PROJECT_ID_DIGITS + 1, "%.*s", PROJECT_ID_DIGITS,
                   status == ALCORE_OK && row ? alcore__store_text(statement, 0) : "");
    sqlite3_finalize(statement);
    return status;
}

static alcore_status name_batch(alcore_project *project, alcore__project_exchange *out) {
    int64_t exports;
    ALCORE__TRY(read_id(project, out->id));
    ALCORE__TRY(
        alcore__store_integer(&project->store, &exports, "SELECT max(export) FROM exports", ""));
    return alcore__buffer_format(project->object.ctx, &out->batch, "%s-%s-%lld",
                                 alcore__project_setting(&out->settings, "name"), out->id,
                                 (long long)exports + 1);
}

alcore_status alcore__project_exchange_begin(alcore_project *project,
                                             alcore__project_exchange *out) {
    *out = (alcore__project_exchange){.options = ALCORE_TOOL_OPTIONS_INIT};
    ALCORE__TRY(alcore__project_settings_read(project, &out->settings));
    alcore_status status = split_labels(project->object.ctx, out);
    if (status == ALCORE_OK) status = name_batch(project, out);
    if (status != ALCORE_OK) {
        alcore__project_exchange_end(project, out);
        return status;
    }
    const alcore__project_settings *const settings = &out->settings;
    out->options.task = alcore__project_task(settings);
    out->options.span_unit =
        unit_of(out->options.task, alcore__project_setting(settings, "span_unit"));
    out->options.source_language = or_null(alcore__project_setting(settings, "source_language"));
    out->options.target_language = or_null(alcore__project_setting(settings, "target_language"));
    out->options.batch = out->batch.data;
    return ALCORE_OK;
}

void alcore__project_exchange_end(alcore_project *project, alcore__project_exchange *exchange) {
    alcore_ctx *ctx = project->object.ctx;
    alcore__project_settings_clear(project, &exchange->settings);
    alcore__buffer_clear(ctx, &exchange->batch);
    alcore__buffer_clear(ctx, &exchange->labels);
    alcore__free(ctx, exchange->label_list);
    *exchange = (alcore__project_exchange){0};
}

/* The part before the last "-NUMBER", from which the project's digits are the last ones. */
alcore_status alcore__project_exchange_check(const alcore__project_exchange *exchange,
                                             const char *path, const char *batch) {
    const char *const dash = batch ? strrchr(batch, '-') : NULL;
    if (!dash || !dash[1] || dash[1 + strspn(dash + 1, "0123456789")] ||
        dash - batch <= PROJECT_ID_DIGITS)
        return ALCORE_OK;
    const char *const id = dash - PROJECT_ID_DIGITS;
    if (id[-1] != '-' || strspn(id, "0123456789abcdef") != PROJECT_ID_DIGITS ||
        strncmp(id, exchange->id, PROJECT_ID_DIGITS) == 0)
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "%s: its batch '%s' is of another project", path, batch);
}
