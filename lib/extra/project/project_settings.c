/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a project. A name is one of the project's own, of the table below; an option of
 * requests; or a parameter of the present strategy, which is kept as STRATEGY.NAME, so that another
 * strategy has its own and a return to the first one finds them again.
 *
 * project.sqlite has the settings that were set. What a step needs is made of them anew each time:
 * values, a request and a strategy, which check what they are given. */
#include <math.h>
#include <string.h>

#include "extra/project/project_decisions.h"
#include "extra/tool/tool_choices.h"
#include "request/request_internal.h"

static const alcore__param own_rows[] = {
    {"strategy", ALCORE_PARAM_TEXT, "", 0, 0, NULL,
     "name of the strategy; empty: the recommended one", ALCORE__BY_NAME},
    {"total", ALCORE_PARAM_TEXT, "", 0, 0, NULL,
     "what all rounds together may spend, as budget says it for one", ALCORE__BY_NAME},
    {"wait", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: no round is selected while the last one has open items", ALCORE__BY_NAME},
    {"several", ALCORE_PARAM_CHOICE, "agree", 0, 0, "agree|latest|majority",
     "of several annotators of an item: their answer where they agree, the latest one, or that of "
     "more than half of them",
     ALCORE__BY_NAME},
    {"task", ALCORE_PARAM_CHOICE, "translation", 0, 0, ALCORE__CHOICES(ALCORE__TASK_LIST),
     "what annotators are asked", ALCORE__BY_NAME},
    {"labels", ALCORE_PARAM_TEXT, "", 0, 0, NULL,
     "for classes, spans and tags, with commas between", ALCORE__BY_NAME},
    {"span_unit", ALCORE_PARAM_CHOICE, "tool", 0, 0,
     "tool|" ALCORE__CHOICES(ALCORE__SPAN_UNIT_LIST),
     "in what files of tools count offsets of spans", ALCORE__BY_NAME},
    {"source_language", ALCORE_PARAM_TEXT, "", 0, 0, NULL, "language tag of the texts",
     ALCORE__BY_NAME},
    {"target_language", ALCORE_PARAM_TEXT, "", 0, 0, NULL, "language tag of translations",
     ALCORE__BY_NAME},
    {"model", ALCORE_PARAM_TEXT, "", 0, 0, NULL,
     "folder of the model that computes the columns that a strategy needs", ALCORE__BY_NAME},
    {"dedup", ALCORE_PARAM_CHOICE, "exact", 0, 0, "exact|normalized|none",
     "which texts of candidates repeat an earlier one", ALCORE__BY_NAME},
    {"utf8", ALCORE_PARAM_CHOICE, "refuse", 0, 0, "refuse|replace",
     "what happens to a text that is not UTF-8", ALCORE__BY_NAME},
    {"context", ALCORE_PARAM_INTEGER, "2", 0, 100, NULL,
     "texts of the same group before and after an item that annotators are shown", ALCORE__BY_NAME},
    {"draft", ALCORE_PARAM_CHOICE, "none", 0, 0, "none|reference|model",
     "suggestions for annotators: none, the references that the candidates have, or what the model "
     "translates",
     ALCORE__BY_NAME},
    {"draft_language", ALCORE_PARAM_TEXT, "", 0, 0, NULL,
     "with draft=model, the language of its outputs, for models of several", ALCORE__BY_NAME},
    {"stop_metric", ALCORE_PARAM_TEXT, "", 0, 0, NULL,
     "measure by which rounds end: when it has reached a plateau; empty: they do not",
     ALCORE__BY_NAME},
    {"stop_patience", ALCORE_PARAM_INTEGER, "3", 1, 1e9, NULL,
     "rounds without an improvement that are a plateau", ALCORE__BY_NAME},
    {"stop_gain", ALCORE_PARAM_NUMBER, "0", 0, (double)INFINITY, NULL,
     "an improvement is more than this", ALCORE__BY_NAME},
    {"stop_falling", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: the measure falls as models get better", ALCORE__BY_NAME},
    {"name", ALCORE_PARAM_TEXT, "alcore", 0, 0, NULL, "of the project, which tools show",
     ALCORE__BY_NAME},
};
enum { OWN_ROWS = sizeof own_rows / sizeof *own_rows };
static const alcore__param_table own_table = ALCORE__PARAM_TABLE(own_rows);
static const char owner[] = "project";

/* Options of requests that are no settings: what a project counts or notes itself, and what belongs
 * to one call. */
static bool is_left_out(const char *name) {
    static const char *const names[] = {"round", "given", "command"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static bool is_own(const char *name) {
    for (size_t i = 0; i < OWN_ROWS; i++)
        if (strcmp(name, own_rows[i].name) == 0) return true;
    return false;
}

/* Whether one round may have a value of its own: what it is selected and shown by. All rounds share
 * how texts are read, what people are asked, how answers count and when rounds end. */
static bool is_of_round(const char *name) {
    static const char *const own[] = {"strategy", "model", "context", "draft", "draft_language"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i]) == 0) return true;
    return !is_own(name) && strcmp(name, "price") != 0;
}

/* The option of requests, or the parameter of a strategy, of a number; NULL past the last. */
static const char *option_name(int64_t index) {
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;
    return alcore_request_builtin_param(index, &info) == ALCORE_OK ? info.name : NULL;
}
static const char *parameter_name(const char *strategy, int64_t index) {
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;
    return alcore_strategy_builtin_param(strategy, index, &info) == ALCORE_OK ? info.name : NULL;
}

static bool is_option(const char *name) {
    const char *option;
    for (int64_t i = 0; (option = option_name(i)); i++)
        if (strcmp(name, option) == 0) return !is_left_out(name);
    return false;
}

static bool is_parameter(const char *strategy, const char *name) {
    const char *parameter;
    for (int64_t i = 0; (parameter = parameter_name(strategy, i)); i++)
        if (strcmp(name, parameter) == 0) return true;
    return false;
}

const char *alcore__project_setting(const alcore__project_settings *settings, const char *name) {
    const char *text = "";
    (void)alcore__values_get(&settings->values, owner, name, &text);
    return text;
}

/* The name of the strategy that is set, or of the recommended one. */
static const char *present_strategy(const alcore__project_settings *settings) {
    const char *const name = alcore__project_setting(settings, "strategy");
    return *name ? name : alcore_strategy_recommended();
}

/* ---- names ---- */

/* Fails for a name that is no setting, with the nearest one. */
static alcore_status fail_name(alcore_project *project, const char *strategy, const char *name) {
    const char **names = NULL, *one;
    size_t count = 0, options = 0, parameters = 0;
    alcore_ctx *ctx = project->object.ctx;
    if (is_left_out(name))
        return alcore__fail(ALCORE_E_PARAM, "'%s' is not set: a project sets it for each round",
                            name);
    while (option_name((int64_t)options)) options++;
    while (parameter_name(strategy, (int64_t)parameters)) parameters++;
    ALCORE__TRY(alcore__new_array(ctx, OWN_ROWS + options + parameters, sizeof *names, &names));
    for (size_t i = 0; i < OWN_ROWS; i++) names[count++] = own_rows[i].name;
    for (int64_t i = 0; (one = option_name(i)); i++) names[count++] = one;
    for (int64_t i = 0; (one = parameter_name(strategy, i)); i++) names[count++] = one;
    const char *const nearest = alcore__nearest_name(name, names, count);
    alcore__free(ctx, names);
    if (nearest)
        return alcore__fail(ALCORE_E_PARAM, "a project has no setting '%s'; did you mean '%s'?",
                            name, nearest);
    return alcore__fail(ALCORE_E_PARAM,
                        "a project has no setting '%s', nor has its strategy %s such a parameter",
                        name, strategy);
}

/* Appends the name under which project.sqlite has a setting. */
static alcore_status stored_name(alcore_project *project, const alcore__project_settings *settings,
                                 const char *name, alcore__buffer *out) {
    alcore_ctx *ctx = project->object.ctx;
    const char *const strategy = present_strategy(settings);
    if (is_own(name) || is_option(name)) return alcore__buffer_format(ctx, out, "%s", name);
    if (!is_parameter(strategy, name)) return fail_name(project, strategy, name);
    return alcore__buffer_format(ctx, out, "%s.%s", strategy, name);
}

/* ---- reading ---- */

/* Budgets are single ones. */
static alcore_status check_amount(const char *name, const char *value) {
    alcore__budgets budgets;
    if (!*value) return ALCORE_OK;
    ALCORE__TRY(alcore__budgets_parse(value, &budgets));
    if (budgets.count == 1) return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM, "%s '%s': a project takes one amount", name, value);
}

/* Applies one setting, whose name is as project.sqlite has it. */
static alcore_status apply(alcore_project *project, alcore__project_settings *settings,
                           const char *name, const char *value) {
    if (strcmp(name, "budget") == 0 || strcmp(name, "total") == 0)
        ALCORE__TRY(check_amount(name, value));
    if (is_own(name))
        return alcore__values_set(project->object.ctx, &settings->values, owner, name, value);
    if (is_option(name)) return alcore_request_set(settings->request, name, value);
    const char *const dot = strchr(name, '.');
    const char *const strategy = present_strategy(settings);
    if (!dot || strlen(strategy) != (size_t)(dot - name) ||
        strncmp(name, strategy, (size_t)(dot - name)) != 0)
        return ALCORE_OK; /* of another strategy */
    if (!settings->strategy)
        ALCORE__TRY(alcore_strategy_new(project->object.ctx, strategy, &settings->strategy));
    return alcore_strategy_set(settings->strategy, dot + 1, value);
}

/* Refuses a value that would change nothing: the candidates of earlier rounds are remembered by a
 * request, and a project makes one for each round. */
static alcore_status check_effect(const char *name, const char *value) {
    if (strcmp(name, "sticky") != 0 || !value || strcmp(value, "0") == 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM,
                        "sticky=%s: a project draws the candidates of each round "
                        "anew",
                        value);
}

/* Applies what is given for one round; the strategy alone, or all but it. */
static alcore_status apply_given(alcore_project *project, alcore__project_settings *settings,
                                 const alcore__project_given *given, bool strategy) {
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < given->count && status == ALCORE_OK; i++) {
        const char *const name = given->names[i], *const value = given->values[i];
        alcore__buffer stored = {0};
        if ((strcmp(name, "strategy") == 0) != strategy) continue;
        status = stored_name(project, settings, name, &stored);
        if (status == ALCORE_OK && !is_of_round(name))
            status = alcore__fail(ALCORE_E_PARAM,
                                  "'%s' is the same for all rounds of a project: set it", name);
        if (status == ALCORE_OK) status = check_effect(name, value);
        if (status == ALCORE_OK && value) status = apply(project, settings, stored.data, value);
        alcore__buffer_clear(project->object.ctx, &stored);
    }
    return status;
}

/* Whether something is given in place of the setting that project.sqlite has under that name. */
static bool is_given(const alcore__project_settings *settings, const alcore__project_given *given,
                     const char *stored) {
    const char *const strategy = present_strategy(settings);
    const size_t length = strlen(strategy);
    if (strncmp(stored, strategy, length) == 0 && stored[length] == '.') stored += length + 1;
    for (int64_t i = 0; i < given->count; i++)
        if (strcmp(given->names[i], stored) == 0) return true;
    return false;
}

/* Applies the settings of project.sqlite, and what is given in their place. That of the strategy
 * goes first, as parameters are its. */
static alcore_status apply_all(alcore_project *project, alcore__project_settings *settings,
                               const alcore__project_given *given) {
    sqlite3_stmt *rows;
    bool row;
    alcore_status status;
    ALCORE__TRY(apply_given(project, settings, given, true));
    ALCORE__TRY(alcore__store_prepare(
        &project->store, &rows,
        "SELECT name, value FROM settings ORDER BY name != 'strategy', name", ""));
    while ((status = alcore__store_step(&project->store, rows, &row)) == ALCORE_OK && row) {
        if (is_given(settings, given, alcore__store_text(rows, 0))) continue;
        status = apply(project, settings, alcore__store_text(rows, 0), alcore__store_text(rows, 1));
        if (status != ALCORE_OK) break;
    }
    sqlite3_finalize(rows);
    return status == ALCORE_OK ? apply_given(project, settings, given, false) : status;
}

/* A strategy that is named is made even where no parameter is set. */
static alcore_status finish(alcore_project *project, alcore__project_settings *settings) {
    const char *const name = alcore__project_setting(settings, "strategy");
    if (!settings->strategy && *name)
        ALCORE__TRY(alcore_strategy_new(project->object.ctx, name, &settings->strategy));
    return alcore_request_set_strategy(settings->request, settings->strategy);
}

alcore_status alcore__project_settings_read_for(alcore_project *project,
                                                const alcore__project_given *given,
                                                alcore__project_settings *out) {
    alcore_ctx *ctx = project->object.ctx;
    *out = (alcore__project_settings){0};
    alcore_status status = alcore__values_new(ctx, &own_table, &out->values);
    if (status == ALCORE_OK) status = alcore_request_new(ctx, &out->request);
    /* A round does not depend on the context of the process that selects it. */
    if (status == ALCORE_OK) status = alcore_request_set(out->request, "seed", "0");
    if (status == ALCORE_OK) status = apply_all(project, out, given);
    if (status == ALCORE_OK) status = finish(project, out);
    if (status != ALCORE_OK) alcore__project_settings_clear(project, out);
    return status;
}

alcore_status alcore__project_settings_read(alcore_project *project,
                                            alcore__project_settings *out) {
    const alcore__project_given none = {0};
    return alcore__project_settings_read_for(project, &none, out);
}

void alcore__project_settings_clear(alcore_project *project, alcore__project_settings *settings) {
    alcore__values_clear(project->object.ctx, &settings->values);
    alcore_request_unref(settings->request);
    alcore_strategy_unref(settings->strategy);
    *settings = (alcore__project_settings){0};
}

/* ---- setting ---- */

/* Writes the row and looks whether all settings together can still be read. Of a strategy of
 * another name that lacks what is set nothing is read. */
static alcore_status write_setting(alcore_project *project, const char *stored, const char *value) {
    alcore__project_settings settings;
    if (value)
        ALCORE__TRY(alcore__store_run(&project->store,
                                      "INSERT INTO settings(name, value) VALUES(?, ?) "
                                      "ON CONFLICT(name) DO UPDATE SET value = excluded.value",
                                      "tt", stored, value));
    else
        ALCORE__TRY(
            alcore__store_run(&project->store, "DELETE FROM settings WHERE name = ?", "t", stored));
    ALCORE__TRY(alcore__project_settings_read(project, &settings));
    alcore__project_settings_clear(project, &settings);
    return ALCORE_OK;
}

static alcore_status log_setting(alcore_project *project, const char *name, const char *value) {
    alcore_ctx *ctx = project->object.ctx;
    alcore__json_out arguments = {.ctx = ctx}, result = {.ctx = ctx};
    alcore__json_open(&arguments, NULL, '{');
    alcore__json_put_string(&arguments, "name", name);
    if (value) alcore__json_put_string(&arguments, "value", value);
    alcore__json_close(&arguments, '}');
    const alcore_status status = alcore__project_log(project, "set", &arguments, &result);
    alcore__buffer_clear(ctx, &arguments.text);
    return status;
}

static alcore_status set(alcore_project *project, const char *name, const char *value) {
    alcore__project_settings settings;
    alcore__buffer stored = {0};
    ALCORE__TRY(check_effect(name, value));
    ALCORE__TRY(alcore__project_settings_read(project, &settings));
    alcore_status status = stored_name(project, &settings, name, &stored);
    alcore__project_settings_clear(project, &settings);
    if (status == ALCORE_OK) status = write_setting(project, stored.data, value);
    if (status == ALCORE_OK && strcmp(name, "several") == 0)
        status = alcore__project_decide(project, value ? value : "agree", 1, NULL);
    if (status == ALCORE_OK) status = log_setting(project, name, value);
    alcore__buffer_clear(project->object.ctx, &stored);
    return status;
}

alcore_status alcore__project_set_all(alcore_project *project, const alcore__project_given *given) {
    for (int64_t i = 0; i < given->count; i++) {
        const int64_t at = alcore__project_given_at(given, i);
        ALCORE__TRY(set(project, given->names[at], given->values[at]));
    }
    return ALCORE_OK;
}

alcore_status alcore_project_set(alcore_project *project, const char *name, const char *value) {
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_set", CALL_SAVING));
    if (!name)
        return alcore__project_leave(
            project, alcore__fail(ALCORE_E_INVALID, "alcore_project_set: a name is needed"));
    alcore_status status = alcore__store_begin(&project->store);
    if (status == ALCORE_OK) status = alcore__store_end(&project->store, set(project, name, value));
    return alcore__project_leave(project, status);
}

/* ---- asking ---- */

/* The present value of any setting; NULL or "": it has none. */
static alcore_status get_any(alcore_project *project, const alcore__project_settings *settings,
                             const char *name, const char **out) {
    const char *const strategy = present_strategy(settings);
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;
    *out = NULL;
    if (is_own(name)) return alcore__values_get(&settings->values, owner, name, out);
    if (is_option(name)) return alcore_request_get(settings->request, name, out);
    if (!is_parameter(strategy, name)) return fail_name(project, strategy, name);
    if (settings->strategy) return alcore_strategy_get(settings->strategy, name, out);
    for (int64_t i = 0; alcore_strategy_builtin_param(strategy, i, &info) == ALCORE_OK; i++)
        if (strcmp(info.name, name) == 0) *out = info.initial;
    return ALCORE_OK;
}

/* Reads all settings in one moment and keeps the one that was asked for. */
static alcore_status get(alcore_project *project, const char *name, const char **out) {
    alcore__project_settings settings = {0};
    const char *text = NULL;
    ALCORE__TRY(alcore__store_begin_reading(&project->store));
    alcore_status status =
        alcore__store_end(&project->store, alcore__project_settings_read(project, &settings));
    if (status == ALCORE_OK) status = get_any(project, &settings, name, &text);
    project->view.length = 0;
    if (status == ALCORE_OK && text && *text) {
        status = alcore__buffer_append(project->object.ctx, &project->view, text, strlen(text));
        if (status == ALCORE_OK) *out = project->view.data;
    }
    alcore__project_settings_clear(project, &settings);
    return status;
}

alcore_status alcore_project_get(alcore_project *project, const char *name, const char **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_get", CALL_SHORT));
    if (!name || !out)
        return alcore__project_leave(
            project, alcore__fail(ALCORE_E_INVALID, "alcore_project_get: name and out are needed"));
    return alcore__project_leave(project, get(project, name, out));
}
