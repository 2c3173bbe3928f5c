/* SPDX-License-Identifier: Apache-2.0 */
/* What a file brings that was added before and has grown since, or has not.
 *
 * A row is that of an earlier file where text, id, reference, language, group and cost are equal.
 * Rows are known
 *
 *   - of any role: where the file begins with all rows of an earlier file, in their order, and goes
 *     on with those of another one, and so on: the file has grown, or is several in one;
 *   - of candidates: by the ids that they were given. A row with the id of another one is an error,
 *     which the reading of the file tells.
 *
 * A text alone says nothing: within its document it stands between its neighbors, and a pool knows
 * repeats. */
#include "extra/project/project_known.h"

#include <math.h>
#include <string.h>

#include "formats/table_writer.h"
#include "pool/pool_internal.h"
#include "pool/pool_state.h"

enum { POLL_ROWS = 8192 };

/* The rows of one earlier file. */
typedef struct earlier_file {
    int64_t first, rows;
    bool used;
} earlier_file;

alcore_status alcore__project_known_begin(alcore_project *project, int32_t role,
                                          alcore__project_known *out) {
    alcore__project_settings settings;
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    *out = (alcore__project_known){0};
    ALCORE__TRY(alcore__project_settings_read(project, &settings));
    options.utf8 = alcore__project_utf8(&settings);
    options.dedup = ALCORE_DEDUP_NONE;
    options.repeated_ids = ALCORE_IDS_ANY;
    alcore__project_settings_clear(project, &settings);
    ALCORE__TRY(alcore_pool_new(project->object.ctx, &options, &out->pool));
    const alcore_status status = alcore__project_pool_read(project, role, out->pool);
    out->first = alcore_pool_row_count(out->pool);
    return status;
}

void alcore__project_known_clear(alcore_project *project, alcore__project_known *known) {
    alcore_pool_unref(known->pool);
    alcore__free(project->object.ctx, known->known);
    *known = (alcore__project_known){0};
}

/* ---- comparing ---- */

static bool same_text(const char *one, const char *other) {
    return one && other ? strcmp(one, other) == 0 : one == other;
}

static bool same_row(const alcore_pool *pool, int64_t one, int64_t other) {
    const uint32_t *const states = alcore_pool_states(pool);
    const double costs[] = {alcore_pool_cost(pool, one), alcore_pool_cost(pool, other)};
    return (states[one] & ALCORE_ROW_MALFORMED) == (states[other] & ALCORE_ROW_MALFORMED) &&
           same_text(alcore_pool_text(pool, one, NULL), alcore_pool_text(pool, other, NULL)) &&
           same_text(alcore__pool_given_id(pool, one), alcore__pool_given_id(pool, other)) &&
           same_text(alcore_pool_reference(pool, one, NULL),
                     alcore_pool_reference(pool, other, NULL)) &&
           same_text(alcore_pool_language(pool, one), alcore_pool_language(pool, other)) &&
           same_text(alcore_pool_group(pool, one), alcore_pool_group(pool, other)) &&
           (costs[0] == costs[1] || (isnan(costs[0]) && isnan(costs[1])));
}

/* Reads where the rows of the earlier files are; the caller frees files [count]. */
static alcore_status read_files(alcore_project *project, int32_t role, earlier_file **files,
                                size_t *count) {
    sqlite3_stmt *rows;
    bool row;
    size_t capacity = 0;
    alcore_status status;
    ALCORE__TRY(alcore__store_prepare(
        &project->store, &rows,
        "SELECT first, rows FROM files WHERE role = ? AND rows > 0 ORDER BY file", "i",
        (int64_t)role));
    while ((status = alcore__store_step(&project->store, rows, &row)) == ALCORE_OK && row) {
        status = alcore__grow(project->object.ctx, files, &capacity, *count + 1, sizeof **files);
        if (status != ALCORE_OK) break;
        (*files)[(*count)++] = (earlier_file){.first = sqlite3_column_int64(rows, 0),
                                              .rows = sqlite3_column_int64(rows, 1)};
    }
    sqlite3_finalize(rows);
    return status;
}

/* Whether the rows of the pool from `row` on are those of an earlier file. */
static bool begins_with(const alcore__project_known *self, int64_t row, const earlier_file *file) {
    int64_t i = 0;
    if (file->first < 0 || file->rows > self->first - file->first ||
        file->rows > self->first + self->rows - row)
        return false;
    while (i < file->rows && same_row(self->pool, file->first + i, row + i)) i++;
    return i == file->rows;
}

/* Marks the rows that earlier files make up; the number of the first one behind them. */
static int64_t mark_begin(alcore__project_known *self, earlier_file *files, size_t count) {
    int64_t done = 0;
    for (size_t i = 0; i < count; i++) {
        if (files[i].used || !begins_with(self, self->first + done, &files[i])) continue;
        memset(self->known + done, true, (size_t)files[i].rows);
        done += files[i].rows;
        files[i].used = true;
        i = (size_t)-1; /* from the first file on again */
    }
    return done;
}

/* Marks the rows from `done` on whose ids are those of rows that the project has. */
static alcore_status mark_ids(alcore_project *project, alcore__project_known *self, int64_t done) {
    for (int64_t i = done; i < self->rows; i++) {
        const int64_t row = self->first + i;
        const char *const id = alcore__pool_given_id(self->pool, row);
        int64_t other = -1;
        if (i % POLL_ROWS == 0)
            ALCORE__TRY(alcore__tick(project->object.ctx, "comparing", i, self->rows));
        if (id) other = alcore__pool_row_of_id(self->pool, id, strlen(id), 0, self->first);
        self->known[i] = other >= 0 && same_row(self->pool, other, row);
    }
    return ALCORE_OK;
}

alcore_status alcore__project_known_find(alcore_project *project, int32_t role,
                                         alcore__project_known *known) {
    alcore_ctx *ctx = project->object.ctx;
    earlier_file *files = NULL;
    size_t count = 0;
    known->rows = alcore_pool_row_count(known->pool) - known->first;
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)known->rows + 1, sizeof *known->known, &known->known));
    alcore_status status = read_files(project, role, &files, &count);
    if (status == ALCORE_OK) {
        const int64_t done = mark_begin(known, files, count);
        if (role == ALCORE_ROLE_CANDIDATES) status = mark_ids(project, known, done);
    }
    alcore__free(ctx, files);
    for (int64_t i = 0; i < known->rows; i++) known->count += known->known[i];
    return status;
}

/* ---- the rest ---- */

/* A row as an object; a malformed one, which has no text, is malformed again. */
static alcore_status put_row(const alcore_pool *pool, int64_t row, alcore__table *table) {
    alcore__json_out json = {.ctx = table->ctx, .text = table->line};
    const bool malformed = alcore_pool_states(pool)[row] & ALCORE_ROW_MALFORMED;
    const struct {
        const char *key, *text;
    } members[] = {{"id", alcore__pool_given_id(pool, row)},
                   {"text", alcore_pool_text(pool, row, NULL)},
                   {"reference", alcore_pool_reference(pool, row, NULL)},
                   {"lang", alcore__language_or_null(alcore_pool_language(pool, row))},
                   {"group", alcore_pool_group(pool, row)}};
    alcore__json_open(&json, NULL, '{');
    for (size_t i = 0; i < sizeof members / sizeof *members && !malformed; i++)
        if (members[i].text) alcore__json_put_string(&json, members[i].key, members[i].text);
    if (!malformed && !isnan(alcore_pool_cost(pool, row)))
        alcore__json_put_number(&json, "cost", alcore_pool_cost(pool, row));
    alcore__json_close(&json, '}');
    table->line = json.text; /* the buffer may have moved */
    return json.status == ALCORE_OK ? alcore__table_end_line(table) : json.status;
}

alcore_status alcore__project_known_write_rest(const alcore__project_known *known,
                                               const char *path) {
    alcore__table table;
    ALCORE__TRY(alcore__table_open(&table, known->pool->object.ctx, "rows", path, NULL));
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < known->rows && status == ALCORE_OK; i++) {
        if (i % POLL_ROWS == 0) status = alcore__tick(table.ctx, "copying", i, known->rows);
        if (status == ALCORE_OK && !known->known[i])
            status = put_row(known->pool, known->first + i, &table);
    }
    return alcore__table_close(&table, status);
}
