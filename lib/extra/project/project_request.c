/* SPDX-License-Identifier: Apache-2.0 */
/* The request of the next round: the settings with the pools of the roles, the rows and texts that
 * earlier rounds took, and what is left of the total budget. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "extra/project/project_round.h"
#include "request/request_internal.h"

/* ---- budgets ---- */

/* The unit of all rounds is one: their costs are added up. */
static alcore_status check_unit(alcore_project *project, int32_t unit) {
    int32_t first;
    ALCORE__TRY(alcore__project_unit(project, &first));
    if (first == 0 || first == unit) return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM,
                        "the budget is in %s, but that of earlier rounds was in %s: a project "
                        "counts in one unit",
                        alcore__unit_name(unit), alcore__unit_name(first));
}

/* Bounds the budget of the round by what is left in all. */
static alcore_status set_budget(alcore_project *project, const alcore__project_settings *settings) {
    alcore_project_status standing = ALCORE_PROJECT_STATUS_INIT;
    const char *const total_text = alcore__project_setting(settings, "total");
    alcore_tensor amounts;
    alcore__budgets total;
    int32_t unit = 0;
    const bool set = alcore_request_get_budgets(settings->request, &amounts, &unit) == ALCORE_OK;
    if (!*total_text) return set ? check_unit(project, unit) : ALCORE_OK;
    ALCORE__TRY(alcore__budgets_parse(total_text, &total));
    if (set && total.unit != unit)
        return alcore__fail(ALCORE_E_PARAM, "budget is in %s and total in %s; one unit is needed",
                            alcore__unit_name(unit), alcore__unit_name(total.unit));
    ALCORE__TRY(check_unit(project, total.unit));
    ALCORE__TRY(alcore__project_status_read(project, settings, &standing));
    double amount = total.unit == ALCORE_UNIT_ITEMS ? floor(standing.left) : standing.left;
    if (!(amount > 0))
        return alcore__fail(ALCORE_E_PARAM, "the total budget of %s is spent", total_text);
    if (set && *(const double *)amounts.data < amount) amount = *(const double *)amounts.data;
    return alcore_request_set_budgets(settings->request, &amount, 1, total.unit);
}

/* ---- pools ---- */

/* Texts that are excluded beside those of files: of phrases, and of rows of the target. */
static alcore_status add_taken_texts(alcore_project *project, alcore_pool *pool) {
    sqlite3_stmt *rows;
    bool row;
    alcore_status status;
    ALCORE__TRY(alcore__store_prepare(
        &project->store, &rows, "SELECT text FROM items WHERE NOT " IS_SENTENCE " ORDER BY item",
        ""));
    while ((status = alcore__store_step(&project->store, rows, &row)) == ALCORE_OK && row) {
        const char *const text = alcore__store_text(rows, 0);
        if ((status = alcore_pool_add_texts(pool, &text, NULL, 1, NULL)) != ALCORE_OK) break;
    }
    sqlite3_finalize(rows);
    return status;
}

/* Reads the pool of a role and gives it to the request, unless it has no row. */
static alcore_status set_pool(alcore_project *project, const alcore__project_settings *settings,
                              int32_t role, alcore_pool **out) {
    alcore_pool *pool;
    ALCORE__TRY(alcore__project_pool_new(project, settings, role, &pool));
    alcore_status status = alcore__project_pool_read(project, role, pool);
    if (status == ALCORE_OK && role == ALCORE_ROLE_LABELED)
        status = alcore__project_pool_add_answers(project, pool);
    if (status == ALCORE_OK && role == ALCORE_ROLE_EXCLUDED)
        status = add_taken_texts(project, pool);
    if (status == ALCORE_OK && alcore_pool_row_count(pool) > 0) {
        status = alcore_request_set_pool(settings->request, role, pool);
        if (out) *out = pool; /* a view: the request keeps it */
    }
    alcore_pool_unref(pool);
    return status;
}

/* Names the rows of the candidates that earlier rounds took. */
static alcore_status set_taken_rows(alcore_project *project,
                                    const alcore__project_settings *settings) {
    sqlite3_stmt *rows;
    bool row;
    int64_t *taken = NULL;
    size_t count = 0, capacity = 0;
    alcore_ctx *ctx = project->object.ctx;
    alcore_status status;
    ALCORE__TRY(alcore__store_prepare(
        &project->store, &rows, "SELECT row FROM items WHERE " IS_SENTENCE " ORDER BY item", ""));
    while ((status = alcore__store_step(&project->store, rows, &row)) == ALCORE_OK && row) {
        if ((status = alcore__grow(ctx, &taken, &capacity, count + 1, sizeof *taken)) != ALCORE_OK)
            break;
        taken[count++] = sqlite3_column_int64(rows, 0);
    }
    if (status == ALCORE_OK && count > 0)
        status =
            alcore_request_set_rows(settings->request, ALCORE_ROWS_EXCLUDED, taken, (int64_t)count);
    alcore__free(ctx, taken);
    sqlite3_finalize(rows);
    return status;
}

/* ---- the model ---- */

/* Opens the folder of the setting on the device of the request; a folder of ready columns, which
 * has no config.json, runs nowhere. "ngram" is the built-in model, as it is of `alcore select`. */
static alcore_status open_model(alcore_project *project, const alcore__project_settings *settings,
                                const char *folder, alcore_pool *labeled, alcore_model **out) {
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    alcore__buffer config = {0};
    alcore_ctx *ctx = project->object.ctx;
    if (strcmp(folder, "ngram") == 0) return alcore_model_new_ngram(ctx, labeled, NULL, out);
    alcore_status status = alcore__buffer_format(ctx, &config, "%s/config.json", folder);
    if (status == ALCORE_OK && access(config.data, R_OK) == 0)
        status = alcore_request_get(settings->request, "device", &options.device);
    if (status == ALCORE_OK) status = alcore_model_open(ctx, folder, &options, out);
    alcore__buffer_clear(ctx, &config);
    return status;
}

static alcore_status set_model(alcore_project *project, const alcore__project_settings *settings,
                               alcore_model *given, alcore_pool *labeled,
                               alcore__project_round *out) {
    const char *const folder = alcore__project_setting(settings, "model");
    alcore_model *opened = NULL;
    if (!given && *folder) ALCORE__TRY(open_model(project, settings, folder, labeled, &opened));
    out->model = given ? given : opened;
    const alcore_status status = alcore_request_set_model(settings->request, out->model);
    alcore_model_unref(opened);
    return status;
}

/* ---- all of it ---- */

/* Whether the next round may begin. */
static alcore_status check_open_items(alcore_project *project,
                                      const alcore__project_settings *settings, int64_t rounds) {
    int64_t open;
    if (strcmp(alcore__project_setting(settings, "wait"), "1") != 0) return ALCORE_OK;
    ALCORE__TRY(alcore__store_integer(&project->store, &open,
                                      "SELECT open FROM counts WHERE round = ?", "i", rounds));
    if (open == 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM,
                        "round %lld has %lld open items, and the setting wait is on",
                        (long long)rounds, (long long)open);
}

alcore_status alcore__project_request_prepare(alcore_project *project,
                                              const alcore__project_settings *settings,
                                              alcore_model *model, alcore__project_round *out) {
    alcore_request *const request = settings->request;
    alcore_pool *labeled = NULL; /* a view, which the request keeps */
    ALCORE__TRY(alcore__project_rounds(project, &out->number));
    ALCORE__TRY(check_open_items(project, settings, out->number));
    ALCORE__TRY(alcore__project_check_stop(project, settings));
    out->number++;
    ALCORE__TRY(alcore_request_set_int(request, "round", out->number));
    ALCORE__TRY(set_budget(project, settings));
    ALCORE__TRY(set_pool(project, settings, ALCORE_ROLE_TARGET, &out->target));
    out->from_target = out->target && settings->strategy &&
                       alcore__strategy_def_of(settings->strategy)->picks_from_target;
    if (!out->from_target) {
        ALCORE__TRY(set_pool(project, settings, ALCORE_ROLE_CANDIDATES, &out->candidates));
        if (!out->candidates)
            return alcore__fail(ALCORE_E_MISSING, "the project has no candidates yet; add some");
        ALCORE__TRY(set_taken_rows(project, settings));
    }
    ALCORE__TRY(set_pool(project, settings, ALCORE_ROLE_LABELED, &labeled));
    ALCORE__TRY(set_pool(project, settings, ALCORE_ROLE_EXCLUDED, NULL));
    return set_model(project, settings, model, labeled, out);
}
