/* SPDX-License-Identifier: Apache-2.0 */
/* The answers that count as a table of pairs, with the columns that pools are read from. */
#include <string.h>

#include "extra/project/project_decisions.h"
#include "formats/table_writer.h"

static const char *const columns[] = {"id", "text", "reference", "lang", "group"};
enum { COLUMNS = sizeof columns / sizeof *columns, POLL_PAIRS = 1024 };

static alcore_status put_cells(alcore__table *table, sqlite3_stmt *row) {
    for (int i = 0; i < COLUMNS; i++)
        ALCORE__TRY(alcore__table_put_string(table, row ? alcore__store_text(row, i) : columns[i]));
    return alcore__table_end_line(table);
}

static alcore_status put_object(alcore__table *table, sqlite3_stmt *row) {
    alcore__json_out json = {.ctx = table->ctx, .text = table->line};
    alcore__json_open(&json, NULL, '{');
    for (int i = 0; i < COLUMNS; i++) {
        const char *const text = alcore__store_text_or_null(row, i);
        if (text) alcore__json_put_string(&json, columns[i], text);
    }
    alcore__json_close(&json, '}');
    table->line = json.text; /* the buffer may have moved */
    return json.status == ALCORE_OK ? alcore__table_end_line(table) : json.status;
}

static alcore_status put_pairs(alcore_project *project, alcore__table *table) {
    sqlite3_stmt *rows;
    bool row;
    int64_t done = 0;
    const bool has_cells = alcore__table_has_cells(table);
    alcore_status status = has_cells ? put_cells(table, NULL) : ALCORE_OK;
    if (status != ALCORE_OK) return status;
    ALCORE__TRY(alcore__store_prepare(
        &project->store, &rows,
        "SELECT items.id, text, ifnull(value, ''), language, section FROM decisions "
        "JOIN items USING (item) JOIN answers USING (answer) WHERE " IS_ANSWERED " "
        "ORDER BY decisions.item",
        ""));
    while ((status = alcore__store_step(&project->store, rows, &row)) == ALCORE_OK && row) {
        status = has_cells ? put_cells(table, rows) : put_object(table, rows);
        if (status == ALCORE_OK && ++done % POLL_PAIRS == 0)
            status = alcore__tick(project->object.ctx, "writing pairs", done, -1);
        if (status != ALCORE_OK) break;
    }
    sqlite3_finalize(rows);
    return status;
}

static alcore_status write_labeled(alcore_project *project, const char *path) {
    alcore__table table;
    ALCORE__TRY(alcore__table_open(&table, project->object.ctx, "a file of pairs", path, NULL));
    if (table.format == ALCORE_FORMAT_TEXT)
        return alcore__table_close(
            &table,
            alcore__fail(ALCORE_E_UNSUPPORTED,
                         "'%s': a text file has no pairs; .tsv, .csv and .jsonl have", path));
    return alcore__table_close(&table, put_pairs(project, &table));
}

alcore_status alcore_project_write_labeled(alcore_project *project, const char *path) {
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_write_labeled", CALL_SAVING));
    if (!path || !*path)
        return alcore__project_leave(
            project,
            alcore__fail(ALCORE_E_INVALID, "alcore_project_write_labeled: a path is needed"));
    alcore_status status = alcore__store_begin_reading(&project->store);
    if (status == ALCORE_OK)
        status = alcore__store_end(&project->store, write_labeled(project, path));
    return alcore__project_leave(project, status);
}
