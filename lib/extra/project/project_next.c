/* SPDX-License-Identifier: Apache-2.0 */
/* The next round: selected and written down in one transaction, so that a process that is killed
 * has selected nothing, and selects the same when it is started again. */
#include <string.h>

#include "extra/project/project_round.h"
#include "pool/pool_internal.h"

/* The picks of a selection, as the table items has them. */
typedef struct picks {
    const alcore_pool *pool;   /* of the picks: texts, phrases, or both */
    const alcore_pool *source; /* that rows of items are of */
    int64_t count;
    const int64_t *rows;    /* [count] of pool */
    const int64_t *indices; /* [count] rows of source; NULL: rows are */
    const int64_t *kinds;   /* [count] 1: a phrase; NULL: all are of one kind */
    int64_t kind;           /* of all, without kinds */
    int64_t context;        /* texts before and after that are kept */
} picks;

/* The integers of a column of the record; NULL: there is no such column. */
static const int64_t *record_of(const alcore_selection *selection, const char *name) {
    const char *there;
    alcore_tensor values;
    for (int64_t i = 0; (there = alcore_selection_column_name(selection, ALCORE_SCOPE_PICKS, i));
         i++)
        if (strcmp(there, name) == 0 &&
            alcore_selection_get_column(selection, ALCORE_SCOPE_PICKS, name, &values) == ALCORE_OK)
            return values.dtype.code == ALCORE_KIND_INT ? values.data : NULL;
    return NULL;
}

static picks picks_of(const alcore_selection *selection, const alcore__project_round *round,
                      const alcore__project_settings *settings) {
    const alcore_pool *const pool = alcore_selection_pool(selection);
    return (picks){.pool = pool,
                   .source = round->from_target ? round->target : round->candidates,
                   .count = alcore_selection_count(selection),
                   .rows = alcore_selection_rows(selection),
                   .indices = record_of(selection, "first_row"),
                   .kinds = record_of(selection, "kind"),
                   .kind = record_of(selection, "occ") ? ITEM_PHRASE
                           : round->from_target        ? ITEM_OF_TARGET
                                                       : ITEM_SENTENCE,
                   .context = alcore__values_integer(&settings->values, "context")};
}

/* ---- what annotators see beside a text ---- */

/* Whether two rows are of the same group; rows without one are of none. */
static bool same_group(const alcore_pool *pool, int64_t one, int64_t other) {
    const char *const first = alcore_pool_group(pool, one);
    const char *const second = alcore_pool_group(pool, other);
    return first && second && strcmp(first, second) == 0;
}

/* Appends the texts around a row, itself among them, a line each: those of its group. Nothing where
 * it stands alone. */
static alcore_status put_context(alcore_ctx *ctx, const picks *from, int64_t row,
                                 alcore__buffer *out) {
    int64_t first = row, last = row;
    out->length = 0;
    while (first > 0 && row - first < from->context && same_group(from->source, row, first - 1))
        first--;
    while (last - row < from->context && same_group(from->source, row, last + 1)) last++;
    for (int64_t at = first; first < last && at <= last; at++) {
        size_t length = 0;
        const char *const text = alcore_pool_text(from->source, at, &length);
        if (at > first) ALCORE__TRY(alcore__buffer_append(ctx, out, "\n", 1));
        ALCORE__TRY(alcore__buffer_append(ctx, out, text, length));
    }
    return ALCORE_OK;
}

/* Appends the text that a phrase is in. */
static alcore_status put_sentence(alcore_ctx *ctx, const picks *from, int64_t row,
                                  alcore__buffer *out) {
    size_t length = 0;
    const char *const text = alcore_pool_text(from->source, row, &length);
    out->length = 0;
    return text ? alcore__buffer_append(ctx, out, text, length) : ALCORE_OK;
}

/* ---- writing ---- */

static alcore_status write_item(alcore_project *project, const alcore_selection *selection,
                                const alcore__project_round *round, const picks *from, int64_t rank,
                                sqlite3_stmt *insert, alcore__buffer *context) {
    alcore_ctx *ctx = project->object.ctx;
    const int64_t picked = from->rows[rank];
    const int64_t row = from->indices ? from->indices[rank] : picked;
    const int64_t kind = from->kinds ? from->kinds[rank] : from->kind;
    ALCORE__TRY(kind == ITEM_PHRASE ? put_sentence(ctx, from, row, context)
                                    : put_context(ctx, from, row, context));
    const char *const id = alcore_pool_row_id(from->pool, picked);
    const char *const reason = alcore_selection_reason(selection, rank);
    const char *const draft =
        alcore__project_draft(&round->drafts, kind == ITEM_PHRASE ? NULL : from->source, row, rank);
    if (!id) return alcore__fail_memory(sizeof(int64_t));
    return alcore__store_run_bound(
        &project->store, insert, "iiiittddttttt", round->number, rank + 1, row, kind, id,
        alcore_pool_text(from->pool, picked, NULL), alcore_selection_costs(selection)[rank],
        alcore_selection_scores(selection)[rank], reason ? reason : "",
        alcore__language_or_null(alcore_pool_language(from->source, row)),
        alcore_pool_group(from->source, row), context->length ? context->data : NULL, draft);
}

/* Whether the last statement failed as the id of an item is there already. */
static bool is_repeated_id(const alcore_project *project) {
    return sqlite3_extended_errcode(project->store.database) == SQLITE_CONSTRAINT_UNIQUE;
}

static alcore_status write_items(alcore_project *project, const alcore_selection *selection,
                                 const alcore__project_round *round, const picks *from) {
    enum { POLL_ITEMS = 1024 };
    sqlite3_stmt *insert;
    alcore__buffer context = {0};
    ALCORE__TRY(alcore__store_prepare(
        &project->store, &insert,
        "INSERT INTO items(round, rank, row, kind, id, text, cost, score, reason, language, "
        "section, context, draft) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ""));
    alcore_status status = ALCORE_OK;
    for (int64_t rank = 0; rank < from->count && status == ALCORE_OK; rank++) {
        if (rank % POLL_ITEMS == 0)
            status = alcore__tick(project->object.ctx, "writing picks", rank, from->count);
        if (status == ALCORE_OK)
            status = write_item(project, selection, round, from, rank, insert, &context);
        if (status == ALCORE_E_DATA && is_repeated_id(project))
            status = alcore__fail(ALCORE_E_DATA,
                                  "the id '%s' is that of an item of another round: ids of the "
                                  "target and of candidates have to differ",
                                  alcore_pool_row_id(from->pool, from->rows[rank]));
    }
    alcore__buffer_clear(project->object.ctx, &context);
    sqlite3_finalize(insert);
    return status;
}

/* The strategy, seed and budget of the round as one row, and its counts: all items are open. */
static alcore_status write_round(alcore_project *project, const alcore__project_settings *settings,
                                 const alcore_selection *selection,
                                 const alcore__project_round *round) {
    const char *const named = alcore__project_setting(settings, "strategy"), *seed = "";
    const double spent = alcore_selection_spent(selection);
    char now[ALCORE__ISO_TIME_BYTES];
    alcore__project_time(now);
    ALCORE__TRY(alcore_request_get(settings->request, "seed", &seed));
    ALCORE__TRY(alcore__store_run(
        &project->store,
        "INSERT INTO rounds(round, strategy, seed, budget, unit, spent, flags, provenance, "
        "summary, time) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "ittdidittt", round->number, *named ? named : alcore_strategy_recommended(), seed,
        alcore_selection_budget(selection), (int64_t)alcore_selection_unit(selection), spent,
        (int64_t)alcore_selection_flags(selection), alcore_selection_provenance(selection),
        alcore_selection_summary(selection), now));
    const int64_t count = alcore_selection_count(selection);
    return alcore__store_run(
        &project->store,
        "INSERT INTO counts(round, items, answered, open, without, disagreeing, "
        "answers, cost, refunded) VALUES(?, ?, 0, ?, 0, 0, 0, ?, 0)",
        "iiid", round->number, count, count, spent);
}

static alcore_status log_round(alcore_project *project, const alcore_selection *selection,
                               const alcore__project_round *round,
                               const alcore__project_given *given) {
    alcore_ctx *ctx = project->object.ctx;
    alcore__json_out arguments = {.ctx = ctx}, result = {.ctx = ctx};
    alcore__project_given_put(&arguments, given);
    alcore__json_open(&result, NULL, '{');
    alcore__json_put_integer(&result, "round", round->number);
    alcore__json_put_integer(&result, "items", alcore_selection_count(selection));
    alcore__json_put_number(&result, "spent", alcore_selection_spent(selection));
    alcore__json_close(&result, '}');
    const alcore_status status = alcore__project_log(project, "next", &arguments, &result);
    alcore__buffer_clear(ctx, &arguments.text);
    alcore__buffer_clear(ctx, &result.text);
    return status;
}

/* Writes down what was selected. */
static alcore_status write_selection(alcore_project *project,
                                     const alcore__project_settings *settings,
                                     const alcore_selection *selection,
                                     const alcore__project_round *round,
                                     const alcore__project_given *given) {
    const picks from = picks_of(selection, round, settings);
    if (from.count == 0)
        return alcore__fail(ALCORE_E_MISSING,
                            "no candidate is left that may be selected: add some, or a budget");
    ALCORE__TRY(write_items(project, selection, round, &from));
    ALCORE__TRY(write_round(project, settings, selection, round));
    return log_round(project, selection, round, given);
}

static alcore_status next(alcore_project *project, alcore_model *model,
                          const alcore__project_given *given, alcore_selection **out) {
    alcore__project_settings settings;
    alcore__project_round round = {0};
    ALCORE__TRY(alcore__project_settings_read_for(project, given, &settings));
    alcore_status status = alcore__project_request_prepare(project, &settings, model, &round);
    if (status == ALCORE_OK) status = alcore_select(settings.request, out);
    if (status == ALCORE_OK)
        status = alcore__project_drafts_make(project, &settings, *out, round.model, &round.drafts);
    if (status == ALCORE_OK) status = write_selection(project, &settings, *out, &round, given);
    alcore__project_drafts_clear(&round.drafts);
    alcore__project_settings_clear(project, &settings);
    return status;
}

/* ALCORE_E_INVALID: a model is given twice. */
static alcore_status check_given(const alcore__project_given *given, const alcore_model *model) {
    ALCORE__TRY(alcore__project_given_check(given, "alcore_project_next"));
    for (int64_t i = 0; i < given->count && model; i++)
        if (strcmp(given->names[i], "model") == 0)
            return alcore__fail(ALCORE_E_INVALID,
                                "alcore_project_next: a model is given, and the name of one");
    return ALCORE_OK;
}

alcore_status alcore_project_next(alcore_project *project, alcore_model *model,
                                  const char *const *names, const char *const *values,
                                  int64_t count, alcore_selection **out) {
    const alcore__project_given given = {names, values, count};
    alcore_selection *selection = NULL;
    if (out) *out = NULL;
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_next", CALL_LONG));
    alcore_status status = check_given(&given, model);
    if (status == ALCORE_OK) status = alcore__store_begin(&project->store);
    if (status == ALCORE_OK)
        status = alcore__store_end(&project->store, next(project, model, &given, &selection));
    if (status == ALCORE_OK && out)
        *out = selection;
    else
        alcore_selection_unref(selection);
    return alcore__project_leave(project, status);
}
