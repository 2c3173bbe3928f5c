/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a column from outside the library: views of arrays in memory, copies of rows. */
#include <string.h>

#include "kernel/device_result.h"
#include "pool/column_array.h"

/* Rows of a copy that are read at once when they follow one another. */
enum { MAX_RUN = 1024 };

/* ---- views ---- */

/* Makes tensors that point to the column's own arrays, which only columns in memory with one entry
 * per row have; they stay valid until the column is replaced or dropped. out_offsets NULL: not
 * wanted; it is left zeroed for a column that is not ragged, and for samples of rows that lie as
 * the caller's array of three dimensions has them. */
static alcore_status view_column(const alcore_pool *pool, const char *name,
                                 alcore_tensor *out_values, alcore_tensor *out_offsets) {
    const alcore__column *column;
    ALCORE__TRY(alcore__pool_get_column(pool, name, &column));
    alcore__memory_array *array = alcore__column_memory(column);
    if (!array || column->map)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "column \"%s\" (%s) is no array in memory with one entry per row; "
                            "copy its rows instead",
                            name, column->origin);
    if (array->samples > 0) {
        ALCORE__TRY(
            alcore_tensor_init(out_values, array->values, column->dtype, array->sample_shape, 3));
        if (array->stride != column->dims ||
            array->sample_stride != array->sample_shape[1] * column->dims)
            out_values->strides = array->sample_strides;
        return ALCORE_OK;
    }
    ALCORE__TRY(alcore_tensor_init(out_values, array->values, column->dtype, array->shape,
                                   array->shape[1] > 0 ? 2 : 1));
    if (array->stride != column->dims) out_values->strides = array->strides;
    if (array->on_device)
        out_values->device = (alcore_device){ALCORE_DEVICE_CUDA, array->engine.device};
    if (!out_offsets || !array->offsets) return ALCORE_OK;
    return alcore_tensor_init(out_offsets, array->offsets, ALCORE_INT64, array->offsets_shape, 1);
}

alcore_status alcore_pool_get_column(const alcore_pool *pool, const char *name,
                                     alcore_tensor *out_values, alcore_tensor *out_offsets) {
    if (out_values) memset(out_values, 0, sizeof *out_values);
    if (out_offsets) memset(out_offsets, 0, sizeof *out_offsets);
    ALCORE__TRY(alcore__pool_read_begin(pool));
    if (!out_values)
        return alcore__pool_read_end(pool, alcore__fail(ALCORE_E_INVALID, "out_values is NULL"));
    return alcore__pool_read_end(pool, view_column(pool, name, out_values, out_offsets));
}

/* The text of a row: a view of the column, NULL where the column has no texts or the row has none.
 */
const char *alcore_pool_column_text(const alcore_pool *pool, const char *name, int64_t row,
                                    size_t *out_length) {
    size_t length = 0;
    const alcore__column *column = pool && name ? alcore__pool_find_column(pool, name) : NULL;
    const int64_t entry = column && column->ops->text ? alcore__column_entry(column, row) : -1;
    const char *text = entry >= 0 ? column->ops->text(column, entry, &length) : NULL;
    if (out_length) *out_length = length;
    return text;
}

/* ---- copies ---- */

/* Converts a block [count, dims] of any number type to float64, out [count, dims] without gaps; "no
 * value" of integers becomes NaN. */
void alcore__column_widen(const alcore_sys_rows *block, double *out) {
    const size_t bytes = alcore_sys_dtype_bytes(block->dtype);
    for (int64_t i = 0; i < block->count; i++) {
        const char *row = (const char *)block->data + (size_t)(i * block->stride) * bytes;
        for (int64_t j = 0; j < block->dims; j++)
            *out++ = alcore__widen(block->dtype, row + (size_t)j * bytes);
    }
}

/* Copies a block of integers to out [block->count, dims] as int64; "no value" is INT64_MIN. */
static void copy_integers(const alcore_sys_rows *block, int64_t *out) {
    const size_t bytes = alcore_sys_dtype_bytes(block->dtype);
    for (int64_t i = 0; i < block->count; i++) {
        const char *row = (const char *)block->data + (size_t)(i * block->stride) * bytes;
        for (int64_t j = 0; j < block->dims; j++)
            *out++ = alcore__read_integer(block->dtype, row + (size_t)j * bytes);
    }
}

/* Copies rows [count], in any order and with repeats, of a column to values [count, dims] in host
 * memory, of int64 or of float64. Rows that follow one another are read as one block of up to
 * MAX_RUN. */
static alcore_status read_rows(const alcore__column *column, const int64_t *rows, int64_t count,
                               bool integers, char *values) {
    alcore__scratch scratch = {0};
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < count && status == ALCORE_OK;) {
        int64_t run = 1;
        while (run < MAX_RUN && i + run < count && rows[i + run] == rows[i] + run) run++;
        alcore_sys_rows block;
        /* Values are of 8 bytes, as int64 and as float64. */
        void *run_out = values + (size_t)(i * column->dims) * sizeof(double);
        ALCORE__TRY_GOTO(status, done, alcore__tick(column->ctx, "reading", i, count));
        ALCORE__TRY_GOTO(status, done, column->ops->rows(column, rows[i], run, &scratch, &block));
        if (integers)
            copy_integers(&block, run_out);
        else
            alcore__column_widen(&block, run_out);
        i += run;
    }
done:
    alcore__scratch_clear(column->ctx, &scratch);
    return status;
}

/* Copies rows [count] of a dense column to `out` [count, dims]: int64, which only receives columns
 * of integers, or else float64. The call has no stream, so that an array on a device is written in
 * the order of the default stream. */
static alcore_status copy_rows(const alcore_pool *pool, const char *name, const int64_t *rows,
                               int64_t count, const alcore_tensor *out) {
    const alcore__column *column;
    alcore__results results;
    void *values;
    ALCORE__TRY(alcore__pool_get_column(pool, name, &column));
    if (!column->ops->rows)
        return alcore__fail(ALCORE_E_SHAPE, "column \"%s\" %s", name,
                            column->ragged ? "is ragged: its rows differ in length"
                                           : "has texts: read them one by one");
    ALCORE__TRY(alcore__pool_check_rows(pool, rows, count));
    const bool integers =
        out && out->dtype.code == ALCORE_KIND_INT && alcore__dtype_is_integer(column->dtype);
    const alcore__memory_array *array = alcore__column_memory(column);
    const alcore__engine engine =
        array && array->on_device ? array->engine : alcore__engine_cpu(column->ctx);
    alcore__results_init(&results, &engine, NULL /* the default stream */);
    alcore_status status =
        alcore__results_add(&results, out, "out", integers ? ALCORE_INT64 : ALCORE_FLOAT64, count,
                            column->dims, false, &values);
    if (status == ALCORE_OK) status = read_rows(column, rows, count, integers, values);
    return alcore__results_end(&results, status);
}

alcore_status alcore_pool_get_column_rows(const alcore_pool *pool, const char *name,
                                          const int64_t *rows, int64_t count,
                                          const alcore_tensor *out) {
    ALCORE__TRY(alcore__pool_long_read_begin(pool));
    return alcore__pool_read_end(pool, copy_rows(pool, name, rows, count, out));
}

/* ---- tokens ---- */

/* What is done with the tokens of each run of rows that follow one another: rows i and the next
 * ones of the caller's list. */
typedef struct token_copy {
    int64_t *offsets; /* [rows + 1] those of rows before the run are filled in */
    char *values;     /* [tokens, dims] of 8 bytes; NULL: only offsets are wanted */
    bool integers;
} token_copy;

/* Copies the tokens of a block of rows, of which the first is row i of the caller's list. */
static void copy_tokens(const alcore_sys_ragged *block, int64_t i, const token_copy *copy) {
    const int64_t *from = block->offsets;
    int64_t *offsets = copy->offsets;
    for (int64_t j = 0; j < block->count; j++)
        offsets[i + j + 1] = offsets[i + j] + from[j + 1] - from[j];
    if (!copy->values) return;
    const alcore_sys_rows tokens = {.data = block->values,
                                    .count = from[block->count] - from[0],
                                    .dims = block->classes,
                                    .stride = block->classes,
                                    .dtype = block->dtype};
    void *out = copy->values + (size_t)(offsets[i] * block->classes) * sizeof(double);
    if (copy->integers)
        copy_integers(&tokens, out);
    else
        alcore__column_widen(&tokens, out);
}

/* Walks over rows [count] of a ragged column, in any order and with repeats. */
static alcore_status read_tokens(const alcore__column *column, const int64_t *rows, int64_t count,
                                 const token_copy *copy) {
    alcore__scratch scratch = {0};
    alcore_status status = ALCORE_OK;
    copy->offsets[0] = 0;
    for (int64_t i = 0; i < count;) {
        int64_t run = 1;
        while (run < MAX_RUN && i + run < count && rows[i + run] == rows[i] + run) run++;
        alcore_sys_ragged block;
        ALCORE__TRY_GOTO(status, done, alcore__tick(column->ctx, "reading", i, count));
        ALCORE__TRY_GOTO(status, done, column->ops->ragged(column, rows[i], run, &scratch, &block));
        copy_tokens(&block, i, copy);
        i += run;
    }
done:
    alcore__scratch_clear(column->ctx, &scratch);
    return status;
}

/* Copies the tokens of rows: first their offsets, which say how many values the tensor has to hold,
 * then the values to it. */
static alcore_status copy_ragged(const alcore_pool *pool, const char *name, const int64_t *rows,
                                 int64_t count, int64_t *out_offsets, const alcore_tensor *out) {
    const alcore__column *column;
    alcore__results results;
    void *values;
    token_copy copy = {.offsets = out_offsets};
    ALCORE__TRY(alcore__pool_get_column(pool, name, &column));
    if (!column->ops->ragged)
        return alcore__fail(ALCORE_E_SHAPE, "column \"%s\" %s", name,
                            column->ops->rows ? "is not ragged: read its rows"
                                              : "has texts: read them one by one");
    ALCORE__TRY(alcore__pool_check_rows(pool, rows, count));
    ALCORE__TRY(read_tokens(column, rows, count, &copy));
    if (!out) return ALCORE_OK;
    copy.integers = out->dtype.code == ALCORE_KIND_INT && alcore__dtype_is_integer(column->dtype);
    const alcore__memory_array *array = alcore__column_memory(column);
    const alcore__engine engine =
        array && array->on_device ? array->engine : alcore__engine_cpu(column->ctx);
    alcore__results_init(&results, &engine, NULL /* the default stream */);
    alcore_status status = alcore__results_add(&results, out, "out_values",
                                               copy.integers ? ALCORE_INT64 : ALCORE_FLOAT64,
                                               out_offsets[count], column->dims, false, &values);
    copy.values = values;
    if (status == ALCORE_OK) status = read_tokens(column, rows, count, &copy);
    return alcore__results_end(&results, status);
}

alcore_status alcore_pool_get_column_tokens(const alcore_pool *pool, const char *name,
                                            const int64_t *rows, int64_t count,
                                            int64_t *out_offsets, const alcore_tensor *out_values) {
    ALCORE__TRY(alcore__pool_long_read_begin(pool));
    alcore_status status = out_offsets
                               ? copy_ragged(pool, name, rows, count, out_offsets, out_values)
                               : alcore__fail(ALCORE_E_INVALID, "out_offsets is NULL");
    return alcore__pool_read_end(pool, status);
}
