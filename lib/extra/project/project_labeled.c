/* SPDX-License-Identifier: Apache-2.0 */
/* The answers that count as a table of pairs, with the columns that pools are read from. */
#include <string.h>

#include "extra/project/project_decisions.h"
#include "extra/project/project_work.h"
#include "formats/table_writer.h"

static const char *const columns[] = {"id", "text", "reference", "lang", "group"};
enum { COLUMNS = sizeof columns / sizeof *columns, POLL_PAIRS = 1024 };

/* A table of pairs that is being written. */
typedef struct pair_table {
    alcore_project *project;
    alcore__table table;
    int64_t count; /* of pairs so far */
} pair_table;

alcore_status alcore__project_pairs_open(alcore_ctx *ctx, const char *path, alcore__table *out) {
    ALCORE__TRY(alcore__table_open(out, ctx, "a file of pairs", path, NULL));
    if (out->format != ALCORE_FORMAT_TEXT) return ALCORE_OK;
    return alcore__table_close(
        out, alcore__fail(ALCORE_E_UNSUPPORTED,
                          "'%s': a text file has no pairs; .tsv, .csv and .jsonl have", path));
}

static alcore_status put_cells(alcore__table *table, const char *const *texts, int count) {
    for (int i = 0; i < count; i++)
        ALCORE__TRY(alcore__table_put_string(table, texts[i] ? texts[i] : ""));
    return alcore__table_end_line(table);
}

alcore_status alcore__project_pairs_begin(alcore__table *table, const char *const *names,
                                          int count) {
    return alcore__table_has_cells(table) ? put_cells(table, names, count) : ALCORE_OK;
}

alcore_status alcore__project_pairs_put(alcore__table *table, const char *const *names,
                                        const char *const *texts, int count) {
    if (alcore__table_has_cells(table)) return put_cells(table, texts, count);
    alcore__json_out json = {.ctx = table->ctx, .text = table->line};
    alcore__json_open(&json, NULL, '{');
    for (int i = 0; i < count; i++)
        if (texts[i]) alcore__json_put_string(&json, names[i], texts[i]);
    alcore__json_close(&json, '}');
    table->line = json.text; /* the buffer may have moved */
    return json.status == ALCORE_OK ? alcore__table_end_line(table) : json.status;
}

/* Writes a pair; a text that is NULL is left out. */
static alcore_status put_pair(pair_table *self, const char *const texts[COLUMNS]) {
    ALCORE__TRY(alcore__project_pairs_put(&self->table, columns, texts, COLUMNS));
    if (++self->count % POLL_PAIRS != 0) return ALCORE_OK;
    return alcore__tick(self->project->object.ctx, "writing pairs", self->count, -1);
}

/* The pairs that were there before the first round. */
static alcore_status put_first(pair_table *self) {
    alcore__project_settings settings;
    alcore_pool *pool = NULL;
    ALCORE__TRY(alcore__project_settings_read(self->project, &settings));
    alcore_status status =
        alcore__project_pool_new(self->project, &settings, ALCORE_ROLE_LABELED, &pool);
    alcore__project_settings_clear(self->project, &settings);
    if (status == ALCORE_OK)
        status = alcore__project_pool_read(self->project, ALCORE_ROLE_LABELED, pool);
    for (int64_t row = 0; status == ALCORE_OK && row < alcore_pool_row_count(pool); row++) {
        const char *const texts[COLUMNS] = {
            alcore_pool_row_id(pool, row), alcore_pool_text(pool, row, NULL),
            alcore_pool_reference(pool, row, NULL), alcore_pool_language(pool, row),
            alcore_pool_group(pool, row)};
        if (alcore_pool_states(pool)[row] == 0 && texts[2]) status = put_pair(self, texts);
    }
    alcore_pool_unref(pool);
    return status;
}

static alcore_status put_answers(pair_table *self) {
    alcore_project *const project = self->project;
    sqlite3_stmt *rows;
    bool row;
    alcore_status status;
    ALCORE__TRY(alcore__store_prepare(
        &project->store, &rows,
        "SELECT items.id, text, ifnull(value, ''), language, section FROM decisions "
        "JOIN items USING (item) JOIN answers USING (answer) WHERE " IS_ANSWERED " "
        "ORDER BY decisions.item",
        ""));
    while ((status = alcore__store_step(&project->store, rows, &row)) == ALCORE_OK && row) {
        const char *texts[COLUMNS];
        for (int i = 0; i < COLUMNS; i++) texts[i] = alcore__store_text_or_null(rows, i);
        if ((status = put_pair(self, texts)) != ALCORE_OK) break;
    }
    sqlite3_finalize(rows);
    return status;
}

static alcore_status put_all(pair_table *self, bool with_labeled) {
    ALCORE__TRY(alcore__project_pairs_begin(&self->table, columns, COLUMNS));
    if (with_labeled) ALCORE__TRY(put_first(self));
    return put_answers(self);
}

alcore_status alcore__project_pairs_write(alcore_project *project, const char *path,
                                          bool with_labeled, int64_t *count) {
    pair_table self = {.project = project};
    ALCORE__TRY(alcore__project_pairs_open(project->object.ctx, path, &self.table));
    const alcore_status status = alcore__table_close(&self.table, put_all(&self, with_labeled));
    *count = self.count;
    return status;
}

alcore_status alcore_project_write_labeled(alcore_project *project, const char *path) {
    int64_t count;
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_write_labeled", CALL_SAVING));
    if (!path || !*path)
        return alcore__project_leave(
            project,
            alcore__fail(ALCORE_E_INVALID, "alcore_project_write_labeled: a path is needed"));
    alcore_status status = alcore__store_begin_reading(&project->store);
    if (status == ALCORE_OK)
        status = alcore__store_end(&project->store,
                                   alcore__project_pairs_write(project, path, false, &count));
    return alcore__project_leave(project, status);
}
