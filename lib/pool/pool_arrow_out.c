/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a pool as an Arrow stream (alcore_pool_get_arrow()). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pool/arrow_out.h"
#include "pool/column_array.h"

/* ---- what a row has ---- */

/* Rows of a pool from the first of a batch on. */
typedef struct batch_rows {
    const alcore_pool *pool;
    int64_t first;
    const alcore__column *column; /* of texts */
    char number[24];              /* of a row that was given no id */
} batch_rows;

static const char *id_at(void *user, int64_t i, size_t *out_length) {
    batch_rows *rows = user;
    const char *id = alcore__pool_id(rows->pool, rows->first + i, rows->number);
    *out_length = id ? strlen(id) : 0;
    return id;
}

static const char *text_at(void *user, int64_t i, size_t *out_length) {
    const batch_rows *rows = user;
    return alcore_pool_text(rows->pool, rows->first + i, out_length);
}

static const char *reference_at(void *user, int64_t i, size_t *out_length) {
    const batch_rows *rows = user;
    return alcore_pool_reference(rows->pool, rows->first + i, out_length);
}

static const char *group_at(void *user, int64_t i, size_t *out_length) {
    const batch_rows *rows = user;
    const char *group = alcore_pool_group(rows->pool, rows->first + i);
    *out_length = group ? strlen(group) : 0;
    return group;
}

/* A row without a tag has a null, not "unknown". */
static const char *language_at(void *user, int64_t i, size_t *out_length) {
    const batch_rows *rows = user;
    const char *language =
        alcore__language_or_null(alcore_pool_language(rows->pool, rows->first + i));
    *out_length = language ? strlen(language) : 0;
    return language;
}

static const char *entry_at(void *user, int64_t i, size_t *out_length) {
    const batch_rows *rows = user;
    const int64_t entry = alcore__column_entry(rows->column, rows->first + i);
    return entry < 0 ? NULL : rows->column->ops->text(rows->column, entry, out_length);
}

static const alcore__arrow_text_at texts[] = {id_at, text_at, reference_at, language_at, group_at};

/* alcore__arrow_field.fill of a text of a row. */
static alcore_status fill_texts(const alcore__arrow_table *table, const alcore__arrow_field *field,
                                int64_t first, int64_t count, struct ArrowArray *out) {
    batch_rows rows = {.pool = table->pool, .first = first};
    return alcore__arrow_texts(table->pool->object.ctx, count, texts[field->number], &rows, out);
}

static alcore_status fill_index(const alcore__arrow_table *table, const alcore__arrow_field *field,
                                int64_t first, int64_t count, struct ArrowArray *out) {
    int64_t *values;
    (void)field;
    ALCORE__TRY(alcore__arrow_values(table->pool->object.ctx, count, sizeof *values, out, &values));
    for (int64_t i = 0; i < count; i++) values[i] = first + i;
    return ALCORE_OK;
}

static alcore_status fill_state(const alcore__arrow_table *table, const alcore__arrow_field *field,
                                int64_t first, int64_t count, struct ArrowArray *out) {
    uint32_t *values;
    (void)field;
    ALCORE__TRY(alcore__arrow_values(table->pool->object.ctx, count, sizeof *values, out, &values));
    memcpy(values, table->pool->states + first, (size_t)count * sizeof *values);
    return ALCORE_OK;
}

static alcore_status fill_cost(const alcore__arrow_table *table, const alcore__arrow_field *field,
                               int64_t first, int64_t count, struct ArrowArray *out) {
    double *values;
    alcore_status status =
        alcore__arrow_values(table->pool->object.ctx, count, sizeof *values, out, &values);
    (void)field;
    if (status != ALCORE_OK) return status;
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++) {
        values[i] = alcore_pool_cost(table->pool, first + i);
        if (isnan(values[i])) status = alcore__arrow_array_null(out, i);
    }
    if (status != ALCORE_OK) out->release(out);
    return status;
}

/* ---- columns ---- */

/* The letter of the values of a column; bfloat16, which Arrow lacks, becomes float32. */
static char letter_of(int32_t dtype) {
    switch (dtype) {
    case ALCORE_FLOAT16:
        return 'e';
    case ALCORE_FLOAT64:
        return 'g';
    case ALCORE_INT32:
        return 'i';
    case ALCORE_INT64:
        return 'l';
    default:
        return 'f';
    }
}

/* Bytes of a value that is handed out. */
static size_t bytes_of(const alcore__column *column) {
    return column->dtype == ALCORE_BFLOAT16 ? sizeof(float) : alcore_sys_dtype_bytes(column->dtype);
}

/* Copies rows [rows, dims] of a column, `stride` values apart, without gaps. */
static void copy_values(const alcore__column *column, const void *from, int64_t rows,
                        int64_t stride, char *to) {
    const size_t bytes = alcore_sys_dtype_bytes(column->dtype);
    for (int64_t i = 0; i < rows; i++) {
        const char *row = (const char *)from + (size_t)(i * stride) * bytes;
        if (column->dtype != ALCORE_BFLOAT16) {
            memcpy(to, row, (size_t)column->dims * bytes);
            to += (size_t)column->dims * bytes;
            continue;
        }
        for (int64_t j = 0; j < column->dims; j++, to += sizeof(float)) {
            const float value = (float)alcore__widen(column->dtype, row + (size_t)j * bytes);
            memcpy(to, &value, sizeof value);
        }
    }
}

/* Whether all numbers [column->dims] of a row, as they are handed out, stand for none. */
static bool is_missing(const alcore__column *column, const char *values) {
    const int32_t dtype = column->dtype == ALCORE_BFLOAT16 ? ALCORE_FLOAT32 : column->dtype;
    for (int64_t j = 0; j < column->dims; j++) {
        const double number = alcore__widen(dtype, values + (size_t)j * bytes_of(column));
        if (!isnan(number)) return false;
    }
    return true;
}

/* Makes the rows null that have no entry, and those of `values`, which are NULL for tokens and else
 * [rows, column->dims], without a value. */
static alcore_status put_nulls(const alcore__column *column, int64_t first, const char *values,
                               struct ArrowArray *out) {
    const size_t bytes = (size_t)column->dims * bytes_of(column);
    for (int64_t i = 0; i < out->length; i++)
        if (!alcore__column_has(column, first + i) ||
            (values && is_missing(column, values + (size_t)i * bytes)))
            ALCORE__TRY(alcore__arrow_array_null(out, i));
    return ALCORE_OK;
}

/* Reads the vectors of rows to `values`, a block at a time. */
static alcore_status read_vectors(const alcore__column *column, int64_t first, int64_t count,
                                  char *values) {
    alcore__scratch scratch = {0};
    alcore_status status = ALCORE_OK;
    for (int64_t done = 0; done < count && status == ALCORE_OK;) {
        const int64_t part = count - done < ALCORE_BLOCK_ROWS ? count - done : ALCORE_BLOCK_ROWS;
        alcore_sys_rows block;
        status = alcore__tick(column->ctx, NULL, 0, 0);
        if (status == ALCORE_OK)
            status = column->ops->rows(column, first + done, part, &scratch, &block);
        if (status == ALCORE_OK)
            copy_values(column, block.data, part, block.stride,
                        values + (size_t)(done * column->dims) * bytes_of(column));
        done += part;
    }
    alcore__scratch_clear(column->ctx, &scratch);
    return status;
}

/* Makes *out the numbers of a column of one value a row. */
static alcore_status put_scalars(const alcore__column *column, int64_t first, int64_t count,
                                 struct ArrowArray *out) {
    char *values;
    ALCORE__TRY(alcore__arrow_values(column->ctx, count, bytes_of(column), out, &values));
    alcore_status status = read_vectors(column, first, count, values);
    if (status == ALCORE_OK) status = put_nulls(column, first, values, out);
    if (status != ALCORE_OK) out->release(out);
    return status;
}

/* Makes *out the vectors of a column as fixed-size lists. */
static alcore_status put_vectors(const alcore__column *column, int64_t first, int64_t count,
                                 struct ArrowArray *out) {
    char *values;
    ALCORE__TRY(alcore__arrow_array_new(column->ctx, count, 1, 1, out));
    alcore_status status = alcore__arrow_values(column->ctx, count * column->dims, bytes_of(column),
                                                out->children[0], &values);
    if (status == ALCORE_OK) status = read_vectors(column, first, count, values);
    if (status == ALCORE_OK) status = put_nulls(column, first, values, out);
    if (status != ALCORE_OK) out->release(out);
    return status;
}

/* Reads the tokens of rows: offsets [count + 1] and their values, which are appended. */
static alcore_status read_tokens(const alcore__column *column, int64_t first, int64_t count,
                                 int64_t *offsets, alcore__buffer *values) {
    alcore__scratch scratch = {0};
    alcore_status status = ALCORE_OK;
    const size_t bytes = bytes_of(column) * (size_t)column->dims;
    offsets[0] = 0;
    for (int64_t done = 0; done < count && status == ALCORE_OK;) {
        const int64_t part = count - done < ALCORE_BLOCK_ROWS ? count - done : ALCORE_BLOCK_ROWS;
        alcore_sys_ragged block;
        ALCORE__TRY_GOTO(status, done, alcore__tick(column->ctx, NULL, 0, 0));
        ALCORE__TRY_GOTO(status, done,
                         column->ops->ragged(column, first + done, part, &scratch, &block));
        const int64_t tokens = block.offsets[part] - block.offsets[0];
        ALCORE__TRY_GOTO(status, done,
                         alcore__buffer_reserve(column->ctx, values, (size_t)tokens * bytes));
        copy_values(column, block.values, tokens, column->dims, values->data + values->length);
        values->length += (size_t)tokens * bytes;
        for (int64_t i = 0; i < part; i++)
            offsets[done + i + 1] = offsets[done + i] + block.offsets[i + 1] - block.offsets[i];
        done += part;
    }
done:
    alcore__scratch_clear(column->ctx, &scratch);
    return status;
}

/* Makes *out the values of tokens, as fixed-size lists where a token is a vector. The values move
 * into it. */
static alcore_status put_values(const alcore__column *column, int64_t tokens, bool vectors,
                                alcore__buffer *values, struct ArrowArray *out) {
    if (vectors) {
        ALCORE__TRY(alcore__arrow_array_new(column->ctx, tokens, 1, 1, out));
        return put_values(column, tokens * column->dims, false, values, out->children[0]);
    }
    ALCORE__TRY(alcore__arrow_array_new(column->ctx, tokens, 2, 0, out));
    alcore__arrow_array_give(out, 1, values->data);
    *values = (alcore__buffer){0};
    return ALCORE_OK;
}

/* Makes *out the tokens of a column as large lists. */
static alcore_status put_tokens(const alcore__column *column, int64_t first, int64_t count,
                                bool vectors, struct ArrowArray *out) {
    alcore__buffer values = {0};
    int64_t *offsets;
    ALCORE__TRY(alcore__arrow_array_new(column->ctx, count, 2, 1, out));
    alcore_status status = alcore__arrow_array_buffer(out, 1, count + 1, sizeof *offsets, &offsets);
    if (status == ALCORE_OK) status = alcore__buffer_reserve(column->ctx, &values, 0);
    if (status == ALCORE_OK) status = read_tokens(column, first, count, offsets, &values);
    if (status == ALCORE_OK)
        status = put_values(column, offsets[count], vectors, &values, out->children[0]);
    if (status == ALCORE_OK) status = put_nulls(column, first, NULL, out);
    alcore__buffer_clear(column->ctx, &values);
    if (status != ALCORE_OK) out->release(out);
    return status;
}

/* Whether a value, or a token, is a vector. */
static bool is_dense(const alcore__column *column) {
    const int32_t shape = alcore__column_shape(column);
    return shape == ALCORE_COLUMN_DENSE || shape == ALCORE_COLUMN_RAGGED_DENSE;
}

/* Fills in the formats of a column. */
static void put_formats(const alcore__column *column, alcore__arrow_field *field) {
    field->levels = 0;
    if (column->dtype == ALCORE_TEXT) {
        snprintf(field->formats[field->levels++], sizeof field->formats[0], "U");
        return;
    }
    if (column->ragged) snprintf(field->formats[field->levels++], sizeof field->formats[0], "+L");
    if (is_dense(column))
        snprintf(field->formats[field->levels++], sizeof field->formats[0], "+w:%" PRId64,
                 column->dims);
    snprintf(field->formats[field->levels++], sizeof field->formats[0], "%c",
             letter_of(column->dtype));
}

/* Whether two fields have the same type. */
static bool same_formats(const alcore__arrow_field *a, const alcore__arrow_field *b) {
    if (a->levels != b->levels) return false;
    for (int32_t level = 0; level < a->levels; level++)
        if (strcmp(a->formats[level], b->formats[level]) != 0) return false;
    return true;
}

/* alcore__arrow_field.fill of a column, which may have gone since the stream was made. */
static alcore_status fill_column(const alcore__arrow_table *table, const alcore__arrow_field *field,
                                 int64_t first, int64_t count, struct ArrowArray *out) {
    const alcore__column *column;
    alcore__arrow_field now;
    ALCORE__TRY(alcore__pool_get_column(table->pool, field->name, &column));
    put_formats(column, &now);
    if (!same_formats(&now, field))
        return alcore__fail(ALCORE_E_INVALID,
                            "column \"%s\" was replaced by one of another type while its stream "
                            "was read",
                            field->name);
    if (column->dtype == ALCORE_TEXT) {
        batch_rows rows = {.pool = table->pool, .first = first, .column = column};
        return alcore__arrow_texts(column->ctx, count, entry_at, &rows, out);
    }
    if (column->ragged) return put_tokens(column, first, count, is_dense(column), out);
    return is_dense(column) ? put_vectors(column, first, count, out)
                            : put_scalars(column, first, count, out);
}

/* ---- the table ---- */

/* Adds the fields that every pool has, then its columns. */
static alcore_status add_fields(const alcore_pool *pool, alcore__arrow_table *table) {
    static const struct {
        const char *name;
        alcore__arrow_field field;
    } known[] = {{"index", {.formats = {"l"}, .levels = 1, .fill = fill_index}},
                 {"id", {.formats = {"U"}, .levels = 1, .fill = fill_texts, .number = 0}},
                 {"text", {.formats = {"U"}, .levels = 1, .fill = fill_texts, .number = 1}},
                 {"reference", {.formats = {"U"}, .levels = 1, .fill = fill_texts, .number = 2}},
                 {"lang", {.formats = {"U"}, .levels = 1, .fill = fill_texts, .number = 3}},
                 {"group", {.formats = {"U"}, .levels = 1, .fill = fill_texts, .number = 4}},
                 {"cost", {.formats = {"g"}, .levels = 1, .fill = fill_cost}},
                 {"state", {.formats = {"I"}, .levels = 1, .fill = fill_state}}};
    alcore_ctx *ctx = pool->object.ctx;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ALCORE__TRY(alcore__arrow_table_add(ctx, table, known[i].name, &known[i].field));
    for (size_t i = 0; i < pool->column_count; i++) {
        alcore__arrow_field field = {.fill = fill_column};
        put_formats(pool->columns[i], &field);
        ALCORE__TRY(alcore__arrow_table_add(ctx, table, pool->columns[i]->name, &field));
    }
    return ALCORE_OK;
}

/* Opens the stream of a pool that is locked for reading. */
static alcore_status open_pool(const alcore_pool *pool, const alcore_table_options *options,
                               struct ArrowArrayStream *out) {
    alcore__arrow_table table = {
        .owner = pool->object.self, .pool = pool->object.self, .rows = pool->rows};
    alcore_status status = add_fields(pool, &table);
    if (status == ALCORE_OK)
        return alcore__arrow_table_open(pool->object.ctx, &table, options, out);
    alcore__arrow_table_clear(pool->object.ctx, &table);
    return status;
}

alcore_status alcore_pool_get_arrow(const alcore_pool *pool, const alcore_table_options *options,
                                    struct ArrowArrayStream *out) {
    if (out) *out = (struct ArrowArrayStream){0};
    ALCORE__TRY(alcore__pool_read_begin(pool));
    alcore_status status =
        out ? open_pool(pool, options, out) : alcore__fail(ALCORE_E_INVALID, "out is NULL");
    return alcore__pool_read_end(pool, status);
}
