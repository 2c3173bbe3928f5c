/* SPDX-License-Identifier: Apache-2.0 */
/* alcore_pool_write_phrases(): a pool of phrases (phrase_pool.c) as a table in a file, one line per
 * phrase. */
#include "alcore/phrase.h"
#include "base/tensor_view.h"
#include "formats/json_text.h"
#include "formats/table_writer.h"
#include "pool/pool_state.h"

enum {
    COLUMNS = 6,     /* beside the phrase itself */
    POLL_ROWS = 1024 /* rows between two polls of cancellation */
};

/* Name of the column, or key, of the phrase itself. */
static const char text_heading[] = "phrase";

/* One column of the table. */
typedef struct table_column {
    const char *heading; /* its name in the file */
    const char *name;    /* its name in the pool */
    int32_t dtype;       /* ALCORE_INT64 or ALCORE_INT32 */
    const void *values;  /* [rows] int64 or int32 by dtype, a view; NULL until find_columns() */
} table_column;

/* The value of a column in a row, whatever its type is. */
static int64_t value_at(const table_column *column, int64_t row) {
    return column->dtype == ALCORE_INT64 ? ((const int64_t *)column->values)[row]
                                         : ((const int32_t *)column->values)[row];
}

/* Sets columns [COLUMNS] to views of the pool's columns. Fails with ALCORE_E_NOT_FOUND or
 * ALCORE_E_SHAPE for a pool that is none of phrases. */
static alcore_status find_columns(const alcore_pool *pool, table_column *columns) {
    for (int i = 0; i < COLUMNS; i++) {
        alcore_tensor values;
        alcore__array array;
        ALCORE__TRY(alcore_pool_get_column(pool, columns[i].name, &values, NULL /* offsets */));
        ALCORE__TRY(alcore__tensor_view(&values, columns[i].name, &array));
        if (array.dtype != columns[i].dtype || array.columns != 1 || array.rows != pool->rows)
            return alcore__fail(ALCORE_E_SHAPE, "column \"%s\" is not that of a pool of phrases",
                                columns[i].name);
        columns[i].values = array.data;
    }
    return ALCORE_OK;
}

/* Writes the phrase of a row: a line of TSV or CSV, an object of JSONL with the same names, or in
 * plain text the phrase only. */
static alcore_status put_phrase(const alcore_pool *pool, const table_column *columns, int64_t row,
                                alcore__table *table) {
    const alcore__pool_row info = alcore__pool_row_at(pool, row);
    const size_t length = (size_t)info.length;
    if (table->format == ALCORE_FORMAT_TEXT)
        return alcore__table_put_plain_line(table, info.text, length);
    if (alcore__table_has_cells(table)) {
        ALCORE__TRY(alcore__table_put_text(table, info.text, length));
        for (int i = 0; i < COLUMNS; i++)
            ALCORE__TRY(alcore__table_put_integer(table, value_at(&columns[i], row)));
        return alcore__table_end_line(table);
    }
    alcore__json_out json = {.ctx = table->ctx, .text = table->line};
    alcore__json_open(&json, NULL, '{');
    alcore__json_put_text(&json, text_heading, info.text, length);
    for (int i = 0; i < COLUMNS; i++)
        alcore__json_put_integer(&json, columns[i].heading, value_at(&columns[i], row));
    alcore__json_close(&json, '}');
    table->line = json.text; /* the buffer may have moved */
    return json.status == ALCORE_OK ? alcore__table_end_line(table) : json.status;
}

/* Writes the header, where the format has one, and all phrases in the order of the pool. */
static alcore_status write_rows(const alcore_pool *pool, const table_column *columns,
                                alcore__table *table) {
    if (alcore__table_has_cells(table)) {
        ALCORE__TRY(alcore__table_put_string(table, text_heading));
        for (int i = 0; i < COLUMNS; i++)
            ALCORE__TRY(alcore__table_put_string(table, columns[i].heading));
        ALCORE__TRY(alcore__table_end_line(table));
    }
    for (int64_t row = 0; row < pool->rows; row++) {
        if (row % POLL_ROWS == 0) ALCORE__TRY(alcore__tick(table->ctx, "writing", row, pool->rows));
        ALCORE__TRY(put_phrase(pool, columns, row, table));
    }
    return ALCORE_OK;
}

/* Finds the columns, then writes the file, which appears only when it is complete. The pool is
 * locked for reading. The first name of a column is that of the file, the second that of the pool.
 */
static alcore_status write_table(const alcore_pool *pool, const char *path,
                                 const alcore_write_options *options) {
    table_column columns[COLUMNS] = {
        {"occ", "occurrences", .dtype = ALCORE_INT64},
        {"length", "length", .dtype = ALCORE_INT64},
        {"first_index", "first_row", .dtype = ALCORE_INT64},
        {"first_position", "first_position", .dtype = ALCORE_INT64},
        {"in_labeled", "known", .dtype = ALCORE_INT32},
        {"semi_maximal", "semi_maximal", .dtype = ALCORE_INT32},
    };
    alcore__table table;
    ALCORE__TRY(find_columns(pool, columns));
    ALCORE__TRY(alcore__table_open(&table, pool->object.ctx, "a table of phrases", path, options));
    return alcore__table_close(&table, write_rows(pool, columns, &table));
}

alcore_status alcore_pool_write_phrases(const alcore_pool *phrases, const char *path,
                                        const alcore_write_options *options) {
    ALCORE__TRY(alcore__pool_read_begin(phrases));
    return alcore__pool_read_end(phrases, write_table(phrases, path, options));
}
