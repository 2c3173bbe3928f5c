/* SPDX-License-Identifier: Apache-2.0 */
/* The pools of the roles: files in blobs/, read as alcore_pool_read() reads any file, one after the
 * other, and the pairs that annotators made. */
#include <string.h>

#include "base/log_names.h"
#include "extra/project/project_decisions.h"

/* Answers that are added to a pool at once. */
enum { BATCH = 1024 };

const char *alcore__project_role_name(int32_t role) {
    return role == ALCORE_ROLE_CANDIDATES ? "candidates"
           : role == ALCORE_ROLE_LABELED  ? "labeled"
           : role == ALCORE_ROLE_TARGET   ? "target"
                                          : "excluded";
}

int32_t alcore__project_utf8(const alcore__project_settings *settings) {
    return strcmp(alcore__project_setting(settings, "utf8"), "replace") == 0 ? ALCORE_UTF8_REPLACE
                                                                             : ALCORE_UTF8_REFUSE;
}

alcore_status alcore__project_pool_new(alcore_project *project,
                                       const alcore__project_settings *settings, int32_t role,
                                       alcore_pool **out) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    const char *const dedup = alcore__project_setting(settings, "dedup");
    options.utf8 = alcore__project_utf8(settings);
    options.repeated_ids = ALCORE_IDS_PER_CALL;
    if (role == ALCORE_ROLE_CANDIDATES) {
        options.repeated_ids = ALCORE_IDS_UNIQUE; /* answers find their items by them */
        options.dedup = strcmp(dedup, "none") == 0         ? ALCORE_DEDUP_NONE
                        : strcmp(dedup, "normalized") == 0 ? ALCORE_DEDUP_NORMALIZED
                                                           : ALCORE_DEDUP_EXACT;
    }
    return alcore_pool_new(project->object.ctx, &options, out);
}

/* The columns of the table files that read_file() reads, in its order. */
#define FILE_COLUMNS                                                                               \
    "blob, reference_blob, format, bad_lines, escapes, by_what, text_column, reference_column, "   \
    "language, side, translator, system, domain, bytes, reference_bytes"

/* Reads the file of a row, unless it is damaged, which nobody would see in what is selected. Its
 * texts are views of the row, which stays until the next step. */
static alcore_status read_file(alcore_project *project, sqlite3_stmt *row, alcore_pool *pool) {
    alcore_ctx *ctx = project->object.ctx;
    alcore__buffer path = {0}, references = {0};
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    const char *const reference_blob = alcore__store_text_or_null(row, 1);
    options.format = sqlite3_column_int(row, 2);
    options.bad_lines = sqlite3_column_int(row, 3);
    options.escapes = sqlite3_column_int(row, 4);
    options.by = sqlite3_column_int(row, 5);
    options.text_column = alcore__store_text_or_null(row, 6);
    options.reference_column = alcore__store_text_or_null(row, 7);
    options.language = alcore__store_text_or_null(row, 8);
    options.side = alcore__store_text_or_null(row, 9);
    options.translator = alcore__store_text_or_null(row, 10);
    options.system = alcore__store_text_or_null(row, 11);
    options.domain = alcore__store_text_or_null(row, 12);
    alcore_status status = alcore__project_blob_verify(project, alcore__store_text(row, 0),
                                                       sqlite3_column_int64(row, 13));
    if (status == ALCORE_OK && reference_blob)
        status =
            alcore__project_blob_verify(project, reference_blob, sqlite3_column_int64(row, 14));
    if (status == ALCORE_OK)
        status = alcore__project_blob_path(project, alcore__store_text(row, 0), &path);
    if (status == ALCORE_OK && reference_blob)
        status = alcore__project_blob_path(project, reference_blob, &references);
    options.references = references.data;
    if (status == ALCORE_OK) {
        alcore__log_rename(path.data, NULL); /* what was said when the file was added */
        status = alcore_pool_read(pool, path.data, &options);
        alcore__log_rename(NULL, NULL);
    }
    alcore__buffer_clear(ctx, &references);
    alcore__buffer_clear(ctx, &path);
    return status;
}

alcore_status alcore__project_pool_read(alcore_project *project, int32_t role, alcore_pool *pool) {
    sqlite3_stmt *rows;
    bool row;
    alcore_status status;
    ALCORE__TRY(alcore__store_prepare(
        &project->store, &rows, "SELECT " FILE_COLUMNS " FROM files WHERE role = ? ORDER BY file",
        "i", (int64_t)role));
    while ((status = alcore__store_step(&project->store, rows, &row)) == ALCORE_OK && row)
        if ((status = read_file(project, rows, pool)) != ALCORE_OK) break;
    sqlite3_finalize(rows);
    return status;
}

/* ---- answers ---- */

/* Pairs that are collected until BATCH are there. Texts lie in the arena. */
typedef struct pair_batch {
    alcore_ctx *ctx;
    alcore_pool *pool;
    alcore__arena arena;
    int64_t count;
    const char *ids[BATCH], *texts[BATCH], *references[BATCH], *languages[BATCH], *groups[BATCH];
} pair_batch;

/* A copy of a text in the arena; NULL for NULL. *status is ALCORE_E_NOMEM without memory. */
static const char *keep(pair_batch *batch, const char *text, alcore_status *status) {
    if (!text) return NULL;
    const char *copy = NULL;
    if (*status == ALCORE_OK)
        *status = alcore__arena_text(batch->ctx, &batch->arena, text, strlen(text), &copy);
    return copy;
}

static alcore_status flush(pair_batch *batch) {
    alcore_records records = ALCORE_RECORDS_INIT;
    records.texts = batch->texts;
    records.ids = batch->ids;
    records.references = batch->references;
    records.languages = batch->languages;
    records.groups = batch->groups;
    records.count = batch->count;
    const alcore_status status = alcore_pool_add_records(batch->pool, &records, NULL);
    alcore__arena_clear(batch->ctx, &batch->arena);
    batch->count = 0;
    return status;
}

static alcore_status add_pair(pair_batch *batch, sqlite3_stmt *row) {
    const int64_t at = batch->count;
    alcore_status status = ALCORE_OK;
    batch->ids[at] = keep(batch, alcore__store_text(row, 0), &status);
    batch->texts[at] = keep(batch, alcore__store_text(row, 1), &status);
    batch->references[at] = keep(batch, alcore__store_text_or_null(row, 2), &status);
    batch->languages[at] = keep(batch, alcore__store_text_or_null(row, 3), &status);
    batch->groups[at] = keep(batch, alcore__store_text_or_null(row, 4), &status);
    batch->count++;
    return status == ALCORE_OK && batch->count == BATCH ? flush(batch) : status;
}

alcore_status alcore__project_pool_add_answers(alcore_project *project, alcore_pool *pool) {
    sqlite3_stmt *rows;
    pair_batch *batch;
    bool row;
    alcore_status status;
    alcore_ctx *ctx = project->object.ctx;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *batch, &batch));
    batch->ctx = ctx;
    batch->pool = pool;
    status = alcore__store_prepare(&project->store, &rows,
                                   "SELECT items.id, text, value, language, section FROM decisions "
                                   "JOIN items USING (item) JOIN answers USING (answer) "
                                   "WHERE " IS_ANSWERED " ORDER BY decisions.item",
                                   "");
    while (status == ALCORE_OK &&
           (status = alcore__store_step(&project->store, rows, &row)) == ALCORE_OK && row)
        status = add_pair(batch, rows);
    if (status == ALCORE_OK && batch->count > 0) status = flush(batch);
    sqlite3_finalize(rows);
    alcore__arena_clear(ctx, &batch->arena);
    alcore__free(ctx, batch);
    return status;
}
