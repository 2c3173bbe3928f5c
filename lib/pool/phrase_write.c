/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of phrases as a table in a file. */
#include <inttypes.h>

#include "alcore/phrase.h"
#include "base/tensor_view.h"
#include "formats/escape.h"
#include "pool/pool_state.h"

enum { COLUMNS = 6, POLL_ROWS = 1024 };

/* One column of the table: its name in the file and in the pool, its numbers in memory. */
typedef struct table_column {
    const char *heading, *name;
    int32_t dtype;
    const void *values; /* [rows] int64 or int32 by dtype */
} table_column;

static int64_t value_at(const table_column *column, int64_t row) {
    return column->dtype == ALCORE_INT64 ? ((const int64_t *)column->values)[row]
                                         : ((const int32_t *)column->values)[row];
}

/* Views of the six columns; ALCORE_E_NOT_FOUND or ALCORE_E_SHAPE for a pool of something else. */
static alcore_status find_columns(const alcore_pool *pool, table_column *columns) {
    for (int i = 0; i < COLUMNS; i++) {
        alcore_tensor values;
        alcore__array array;
        ALCORE__TRY(alcore_pool_column(pool, columns[i].name, &values, NULL));
        ALCORE__TRY(alcore__tensor_view(&values, columns[i].name, &array));
        if (array.dtype != columns[i].dtype || array.columns != 1 || array.rows != pool->rows)
            return alcore__fail(ALCORE_E_SHAPE,
                                "column \"%s\" is not that of a pool of phrases, which "
                                "alcore_pool_derive_phrases() makes",
                                columns[i].name);
        columns[i].values = array.data;
    }
    return ALCORE_OK;
}

static alcore_status write_rows(const alcore_pool *pool, const table_column *columns,
                                alcore__writer *writer, alcore__buffer *line) {
    alcore_ctx *ctx = pool->object.ctx;
    ALCORE__TRY(alcore__buffer_format(ctx, line, "phrase"));
    for (int i = 0; i < COLUMNS; i++)
        ALCORE__TRY(alcore__buffer_format(ctx, line, "\t%s", columns[i].heading));
    for (int64_t row = 0; row < pool->rows; row++) {
        const alcore__pool_row *info = alcore__pool_row_at(pool, row);
        if (row % POLL_ROWS == 0) ALCORE__TRY(alcore__tick(ctx, "writing", row, pool->rows));
        ALCORE__TRY(alcore__buffer_append(ctx, line, "\n", 1));
        ALCORE__TRY(alcore__tsv_append(ctx, line, info->text, (size_t)info->length));
        for (int i = 0; i < COLUMNS; i++)
            ALCORE__TRY(alcore__buffer_format(ctx, line, "\t%" PRId64, value_at(&columns[i], row)));
        ALCORE__TRY(alcore__writer_put(writer, line->data, line->length));
        line->length = 0;
    }
    ALCORE__TRY(alcore__buffer_append(ctx, line, "\n", 1));
    return alcore__writer_put(writer, line->data, line->length);
}

static alcore_status write_table(const alcore_pool *pool, const char *path) {
    table_column columns[COLUMNS] = {
        {"occ", "occurrences", ALCORE_INT64, NULL},
        {"length", "length", ALCORE_INT64, NULL},
        {"first_index", "first_row", ALCORE_INT64, NULL},
        {"first_position", "first_position", ALCORE_INT64, NULL},
        {"in_labeled", "known", ALCORE_INT32, NULL},
        {"semi_maximal", "semi_maximal", ALCORE_INT32, NULL},
    };
    alcore__writer *writer = NULL;
    alcore__buffer line = {0};
    if (path == NULL) return alcore__fail(ALCORE_E_INVALID, "path is NULL");
    ALCORE__TRY(find_columns(pool, columns));
    ALCORE__TRY(alcore__writer_open(pool->object.ctx, path, &writer));
    const alcore_status status = write_rows(pool, columns, writer, &line);
    alcore__buffer_clear(pool->object.ctx, &line);
    if (status == ALCORE_OK) return alcore__writer_commit(writer);
    alcore__writer_abort(writer);
    return status;
}

alcore_status alcore_pool_write_phrases(const alcore_pool *phrases, const char *path) {
    ALCORE__TRY(alcore__pool_read_begin(phrases));
    return alcore__pool_read_end(phrases, write_table(phrases, path));
}
