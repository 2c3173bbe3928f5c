/* SPDX-License-Identifier: Apache-2.0 */
/* What a caller named of a call's inputs, columns and models, against what the call reads.
 *
 * A call that names neither is answered with the built-in n-gram model, and says so. One that names
 * some means these: a column that it lacks is an error, and not a column that another model makes
 * (request_columns.c), and a model or a column of the call that nothing reads is an error here. So
 * is a name that is written wrongly, which names a column that nothing reads.
 *
 * A pool may have columns that a strategy does not read, and a request a model: other calls may
 * read them. What belongs to one call is listed in the option "given", which front ends set: the
 * names of columns, a role other than the candidates before the name ("labeled.embeddings"), and
 * "model". */
#include <string.h>

#include "base/alternatives.h"
#include "model/ngram_model.h"
#include "select/select_internal.h"
#include "strategy/strategies.h"

/* ---- what was named ---- */

/* A column that the built-in model made has its name at the begin of its origin. */
bool alcore__column_is_built_in(const alcore__column *column) {
    static const char ngram[] = "model ngram";
    const size_t length = sizeof ngram - 1;
    return column->engine && strncmp(column->origin, ngram, length) == 0 &&
           strcspn(column->origin + length, " ,;(") == 0;
}

/* Whether a model of the request is an n-gram model; unlabeled: one without a labeled pool. */
static bool names_ngram(const alcore_request *request, bool unlabeled) {
    const alcore_pool *labeled;
    for (int32_t i = -1; i < ALCORE__COLUMN_INPUTS; i++)
        if (alcore__model_is_ngram(i < 0 ? request->model : request->column_models[i], &labeled) &&
            !(unlabeled && labeled))
            return true;
    return false;
}

bool alcore__request_names_ngram(const alcore_request *request) {
    return names_ngram(request, false);
}

bool alcore__request_learns(const alcore_request *request) {
    return names_ngram(request, true);
}

/* Whether a model other than the built-in one, or a caller, made a column of the pool. */
static bool has_named_column(const alcore_pool *pool) {
    const alcore__column *column;
    for (int64_t i = 0; pool && (column = alcore__pool_column_at(pool, i)) != NULL; i++)
        if (strcmp(column->origin, ALCORE__ORIGIN_DERIVED) != 0 &&
            !alcore__column_is_built_in(column))
            return true;
    return false;
}

alcore_status alcore__request_names_inputs(const alcore_request *request, bool *out) {
    *out = true;
    if (alcore__request_names_model(request)) return ALCORE_OK;
    ALCORE__TRY(alcore__request_read_pools(request));
    *out = has_named_column(request->candidates) || has_named_column(request->labeled) ||
           has_named_column(request->target);
    alcore__request_leave_pools(request);
    return ALCORE_OK;
}

/* The words of the need are tried in their order, against the first 64 columns. */
const char *alcore__similar_column(const alcore_pool *pool, const char *need) {
    const char *names[64], *found = NULL, *word;
    size_t count = 0, length;
    char wanted[ALCORE__NEED_BYTES];
    const alcore__column *column;
    for (int64_t i = 0;
         count < sizeof names / sizeof *names && (column = alcore__pool_column_at(pool, i)) != NULL;
         i++)
        if (!alcore__column_name_find(column->name)) names[count++] = column->name;
    while (count > 0 && !found && alcore__alternatives_next(&need, &word, &length)) {
        alcore__format(wanted, sizeof wanted, "%.*s", (int)length, word);
        found = alcore__nearest_name(wanted, names, count);
    }
    return found;
}

/* ---- what is read ---- */

/* A strategy that picks from the target is answered by a copy of the request in which the target's
 * pool is the candidates (alcore__request_from_target()); the option "given" names the column by
 * the role that the caller gave the pool, so it is noted under that one.
 *
 * More entries than ALCORE__READ_MAX do not occur: a caller's strategy has at most 7 needs of each
 * of 3 roles (strategy_handle.c), the built-in ones, also two in a hybrid, fewer. Were there more,
 * the last ones would only be refused where `given` names them. */
void alcore__note_read(const alcore_request *request, int32_t role, const char *name, bool made) {
    alcore__read_columns *read = request->read;
    if (!read) return;
    read->made = read->made || made;
    if (read->from_target && role == ALCORE_ROLE_CANDIDATES) role = ALCORE_ROLE_TARGET;
    for (int32_t i = 0; i < read->count; i++)
        if (read->entries[i].role == role && strcmp(read->entries[i].name, name) == 0) return;
    if (read->count == ALCORE__READ_MAX) return;
    alcore__format(read->entries[read->count].name, sizeof read->entries[0].name, "%s", name);
    read->entries[read->count++].role = role;
}

void alcore__note_resolution(const alcore_request *request, const alcore__resolution *columns) {
    for (int32_t i = 0; i < columns->count; i++) {
        const alcore__resolved *entry = &columns->entries[i];
        const alcore_pool *pool =
            entry->role == ALCORE_ROLE_LABELED ? request->labeled : request->target;
        const alcore__column *column =
            entry->in_shards || !pool ? NULL : alcore__pool_find_column(pool, entry->name);
        const bool made =
            entry->in_shards ? entry->in_shards->engine != NULL : column && column->engine;
        alcore__note_read(request, entry->role, entry->name, made);
    }
}

void alcore__note_all(const alcore_request *request, const alcore__read_columns *read) {
    for (int32_t i = 0; i < read->count; i++)
        alcore__note_read(request, read->entries[i].role, read->entries[i].name, false);
    if (request->read) request->read->made = request->read->made || read->made;
}

/* Whether a column was read. The contexts of questions are no need: the model that answers the
 * questions reads them itself. */
static bool is_read(const alcore__read_columns *read, int32_t role, const char *name) {
    if (strcmp(name, "qa_contexts") == 0 && read->made) return true;
    for (int32_t i = 0; i < read->count; i++)
        if (read->entries[i].role == role && strcmp(read->entries[i].name, name) == 0) return true;
    return false;
}

/* Appends the names of what reads a column of a role: the built-in strategies or, where none reads
 * it of the candidates, the first score. text is empty before, and stays so where nothing reads it.
 */
static alcore_status list_readers(alcore_ctx *ctx, int32_t role, const char *column,
                                  alcore__buffer *text) {
    const alcore__strategy_def *def;
    const alcore__score *score;
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; status == ALCORE_OK && (def = alcore__strategy_at(i)); i++) {
        const char *const *needs = def->needs[alcore__role_place(role)];
        for (int32_t n = 0; needs && needs[n] && status == ALCORE_OK; n++)
            if (alcore__need_names(needs[n], column))
                status =
                    alcore__buffer_format(ctx, text, "%s%s", text->length ? ", " : "", def->name);
    }
    if (role != ALCORE_ROLE_CANDIDATES) return status;
    for (int64_t i = 0; status == ALCORE_OK && !text->length && (score = alcore__score_at(i)); i++)
        for (int32_t n = 0; score->needs[n] && status == ALCORE_OK && !text->length; n++)
            if (alcore__need_names(score->needs[n], column))
                status = alcore__buffer_format(ctx, text, "the score %s", score->name);
    return status;
}

/* *out, empty before: the column that was read in place of this one, which the strategy, or a part
 * of a hybrid, would read where that were not there. */
static alcore_status find_in_place(const alcore_request *request, const alcore_strategy *strategy,
                                   int32_t role, const char *column, alcore__buffer *out) {
    const alcore_strategy *const readers[] = {strategy,
                                              alcore__strategy_part(strategy, ALCORE__SENTENCES),
                                              alcore__strategy_part(strategy, ALCORE__PHRASES)};
    for (size_t r = 0; r < sizeof readers / sizeof *readers && readers[r]; r++) {
        const char *need;
        for (int32_t n = 0; (need = alcore__strategy_needs(readers[r], role, n)); n++) {
            if (!alcore__need_names(need, column)) continue;
            for (int32_t i = 0; i < request->read->count; i++)
                if (request->read->entries[i].role == role &&
                    alcore__need_names(need, request->read->entries[i].name))
                    return alcore__buffer_format(request->object.ctx, out, "%s",
                                                 request->read->entries[i].name);
        }
    }
    return ALCORE_OK;
}

/* Whether a column that a built-in strategy has read is one that a user or a model gives: others
 * come with a derived pool. */
static bool is_input(const char *column) {
    const alcore__column_name *name = alcore__column_name_find(column);
    return name && name->role == ALCORE__COLUMN_INPUT;
}

/* Appends the columns that the strategy reads of the pool in a role, "scores or logprobs,
 * embeddings"; of one that has no needs of its own, as a hybrid, those that the call has read; "no
 * column" where there is none. */
static alcore_status list_needs(const alcore_request *request, const alcore_strategy *strategy,
                                int32_t role, alcore__buffer *text) {
    alcore_ctx *ctx = request->object.ctx;
    const alcore__read_columns *read = request->read;
    const char *need, *word;
    size_t length;
    alcore_status status = ALCORE_OK;
    for (int32_t i = 0;
         status == ALCORE_OK && (need = alcore__strategy_needs(strategy, role, i)) != NULL; i++) {
        const char *lead = i > 0 ? ", " : "";
        while (status == ALCORE_OK && alcore__alternatives_next(&need, &word, &length)) {
            status = alcore__buffer_format(ctx, text, "%s%.*s", lead, (int)length, word);
            lead = " or ";
        }
    }
    const bool own = text->length > 0;
    for (int32_t i = 0; status == ALCORE_OK && !own && i < read->count; i++)
        if (read->entries[i].role == role && is_input(read->entries[i].name))
            status = alcore__buffer_format(ctx, text, "%s%s", text->length ? ", " : "",
                                           read->entries[i].name);
    if (status == ALCORE_OK && !text->length)
        status = alcore__buffer_format(ctx, text, "no column");
    return status;
}

/* Fails for a column of the call that nothing reads: the message says what the strategy reads of
 * the role instead, and who reads such a column of that role. */
static alcore_status fail_unread(const alcore_request *request, const alcore_strategy *strategy,
                                 int32_t role, const char *name) {
    const char *owner = alcore__role_owner(role), *lead = "; in its place it reads ";
    alcore_ctx *ctx = request->object.ctx;
    alcore__buffer readers = {0}, needs = {0};
    alcore_status status = find_in_place(request, strategy, role, name, &readers);
    if (status == ALCORE_OK && !readers.length) {
        lead = "; it is read by ";
        status = list_readers(ctx, role, name, &readers);
    }
    if (status == ALCORE_OK) status = list_needs(request, strategy, role, &needs);
    if (status == ALCORE_OK)
        status = alcore__fail(
            ALCORE_E_INVALID, "the column '%s'%s is not read: strategy %s reads %.*s%s%s%.*s", name,
            owner, alcore__strategy_name(strategy), (int)needs.length, needs.data, owner,
            readers.length ? lead : "", (int)readers.length, readers.length ? readers.data : "");
    alcore__buffer_clear(ctx, &readers);
    alcore__buffer_clear(ctx, &needs);
    return status;
}

/* Splits an entry of the option "given", [length], not NUL-terminated: returns its role and writes
 * its name. */
static int32_t role_of(const char *entry, size_t length, char name[64]) {
    static const struct {
        const char *prefix;
        int32_t role;
    } roles[] = {{"labeled.", ALCORE_ROLE_LABELED}, {"target.", ALCORE_ROLE_TARGET}};
    for (size_t r = 0; r < sizeof roles / sizeof *roles; r++) {
        const size_t skipped = strlen(roles[r].prefix);
        if (length <= skipped || strncmp(entry, roles[r].prefix, skipped) != 0) continue;
        alcore__format(name, 64, "%.*s", (int)(length - skipped), entry + skipped);
        return roles[r].role;
    }
    alcore__format(name, 64, "%.*s", (int)length, entry);
    return ALCORE_ROLE_CANDIDATES;
}

/* Fails for a model that makes no column of the call, as the strategy needs none or all are given:
 * then some column of some role was read. The message says what candidates need, as a model is
 * given for these. request->read is not NULL here. */
static alcore_status fail_unread_model(const alcore_request *request,
                                       const alcore_strategy *strategy) {
    alcore_ctx *ctx = request->object.ctx;
    alcore__buffer needs = {0};
    alcore_status status = list_needs(request, strategy, ALCORE_ROLE_CANDIDATES, &needs);
    if (status == ALCORE_OK)
        status = alcore__fail(ALCORE_E_INVALID, "the model is not read: strategy %s reads %.*s%s",
                              alcore__strategy_name(strategy), (int)needs.length, needs.data,
                              request->read->count ? ", which are given" : "");
    alcore__buffer_clear(ctx, &needs);
    return status;
}

/* A program that gives a model and names no strategy goes on where another strategy is recommended
 * that reads none, and is told (alcore__log_ignored()). Entries of the option are divided by
 * commas. Where nothing was noted (read NULL) there is nothing to compare with, and a host's
 * strategy without a list of needs may read any column. */
alcore_status alcore__check_given(const alcore_request *request, const alcore_strategy *strategy) {
    const alcore__read_columns *read = request->read;
    const char *entry = request->options.given;
    char name[64];
    if (!read || alcore__strategy_reads_any(strategy)) return ALCORE_OK;
    const bool recommended = alcore__strategy_is_recommended(strategy);
    for (size_t length; *entry; entry += length + (entry[length] == ',')) {
        length = strcspn(entry, ",");
        const int32_t role = role_of(entry, length, name);
        if (strcmp(name, "model") == 0 && !read->made && !recommended)
            return fail_unread_model(request, strategy);
        if (strcmp(name, "model") != 0 && !is_read(read, role, name))
            return fail_unread(request, strategy, role, name);
    }
    return ALCORE_OK;
}

alcore_status alcore__check_given_in_parts(const alcore_request *request) {
    return request->read->count > 0 || request->read->made
               ? alcore__check_given(request, request->strategy)
               : ALCORE_OK;
}

void alcore__log_ignored(const alcore_selection *selection) {
    const alcore__ranking *ranking = selection->ranking;
    if (ranking->ignored)
        alcore__log(selection->object.ctx, ALCORE_LOG_WARN, "request", NULL,
                    "not read by %s, as no strategy was named: %s", ranking->strategy,
                    ranking->ignored);
}
