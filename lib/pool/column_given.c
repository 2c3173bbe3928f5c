/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that are the caller's arrays, copied (ALCORE_KEEP) or read in place (ALCORE_BORROW).
 *
 * An array on a CUDA device is ready in the order of the caller's stream. The setter waits for that
 * once, and every later reader uses a stream of its own. Floating-point values stay on the device,
 * where they lie or as a copy (column_device.c), which goes to host memory where the device has no
 * memory for it. Integers and offsets, which no kernel reads, are copied to the host.
 *
 * Ownership of a borrowed array moves only when the call succeeds: release is stored in the column
 * last, so that no path of failure can call it. */
#include <inttypes.h>
#include <string.h>

#include "pool/column_array.h"

/* Copies a given array on the host to copy [rows, columns], without the gaps between its rows, in
 * parts of about PART_BYTES, between which the call can be cancelled. */
static alcore_status copy_array(alcore_ctx *ctx, const alcore__array *given, char *copy) {
    const int64_t PART_BYTES = 256 << 10;
    const int64_t value_bytes = (int64_t)alcore_sys_dtype_bytes(given->dtype);
    const int64_t row_bytes = given->columns * value_bytes;
    const int64_t part = row_bytes > 0 && row_bytes < PART_BYTES ? PART_BYTES / row_bytes : 1;
    for (int64_t first = 0; first < given->rows; first += part) {
        const int64_t count = given->rows - first < part ? given->rows - first : part;
        const char *from = (const char *)given->data + first * given->stride * value_bytes;
        char *to = copy + first * row_bytes;
        ALCORE__TRY(alcore__tick(ctx, "copying", first, given->rows));
        if (given->stride == given->columns && row_bytes > 0)
            memcpy(to, from, (size_t)(count * row_bytes));
        for (int64_t i = 0; i < count && given->stride != given->columns; i++)
            memcpy(to + i * row_bytes, from + i * given->stride * value_bytes, (size_t)row_bytes);
    }
    return ALCORE_OK;
}

/* Sets *out to the values of the given array [rows, columns] where they lie if in_place is set,
 * *out_owned being left as it is (NULL), else to a copy of them without the gaps between rows,
 * which is *out_owned too: the caller of this function frees it. *out_stride: values from a row of
 * *out to the next. The copy is in host memory; device: the engine of values on a device. */
static alcore_status use_or_copy(alcore_ctx *ctx, const alcore__array *given,
                                 const alcore__engine *device, bool in_place, char **out,
                                 void **out_owned, int64_t *out_stride) {
    *out = given->data;
    *out_stride = given->stride;
    if (in_place) return ALCORE_OK;
    const size_t value_bytes = alcore_sys_dtype_bytes(given->dtype);
    const size_t row_bytes = (size_t)given->columns * value_bytes;
    const size_t bytes = (size_t)given->rows * row_bytes;
    char *copy = alcore__alloc(ctx, bytes);
    if (!copy) return alcore__fail_memory(bytes);
    *out = *out_owned = copy;
    *out_stride = given->columns;
    return given->on_device ? alcore__device_array_copy(device, given, copy)
                            : copy_array(ctx, given, copy);
}

/* Checks the offsets of a ragged column and puts them into array: the caller's own where they can
 * be read in place on the host, else a copy. */
static alcore_status set_offsets(alcore_ctx *ctx, const char *name, const alcore_tensor *tensor,
                                 int64_t entries, int64_t tokens,
                                 const alcore_column_options *options,
                                 alcore__memory_array *array) {
    alcore__array given;
    alcore__engine device;
    char *offsets;
    int64_t stride;
    ALCORE__TRY(alcore__column_tensor(name, tensor, &given));
    if ((given.dtype != ALCORE_INT64 && given.dtype != ALCORE_UINT64) || tensor->ndim != 1)
        return alcore__fail(ALCORE_E_SHAPE,
                            "column \"%s\": expected offsets int64 or uint64 [%" PRId64
                            "], found %s with %d dimensions",
                            name, entries + 1, alcore__dtype_name(given.dtype), tensor->ndim);
    if (given.rows != entries + 1)
        return alcore__fail(ALCORE_E_SHAPE,
                            "column \"%s\": expected %" PRId64
                            " offsets (entries + 1), found %" PRId64,
                            name, entries + 1, given.rows);
    if (given.on_device)
        ALCORE__TRY(alcore__column_open_device(ctx, name, &given, options->stream, &device));
    const bool in_place =
        options->ownership == ALCORE_BORROW && given.stride == 1 && !given.on_device;
    /* A uint64 above INT64_MAX reads as a negative number, which the check refuses. */
    ALCORE__TRY(
        use_or_copy(ctx, &given, &device, in_place, &offsets, &array->owned_offsets, &stride));
    array->offsets = (void *)offsets;
    return alcore__offsets_check(name, array->offsets, entries, tokens);
}

/* A column that is not ragged has one row of the array for each entry. */
static alcore_status check_entries(const char *name, int64_t expected, const alcore__array *found) {
    if (found->rows == expected) return ALCORE_OK;
    return alcore__fail(ALCORE_E_SHAPE, "column \"%s\": expected %" PRId64 " rows, found %" PRId64,
                        name, expected, found->rows);
}

/* Fills array from the caller's tensors, and the column's dims and dtype. *out_count: entries, or
 * tokens of a ragged column. What array owns is freed by the caller of this function, also after a
 * failure. */
static alcore_status set_array(alcore__column *column, const alcore_tensor *values,
                               const alcore_tensor *offsets, int64_t entries,
                               const alcore_column_options *options, alcore__memory_array *array,
                               int64_t *out_count) {
    alcore__array given;
    alcore__engine device = {0};
    const char *name = column->name;
    if (values && values->ndim == 3 && !offsets && alcore__column_takes_samples(name))
        return alcore__column_set_samples(column, values, entries, options, array, out_count);
    ALCORE__TRY(alcore__column_tensor(name, values, &given));
    ALCORE__TRY(alcore__column_tensor_dtype(name, given.dtype));
    if (given.columns < 1)
        return alcore__fail(ALCORE_E_SHAPE,
                            "column \"%s\": expected [%" PRId64 ", 1 or more], found [%" PRId64
                            ", %" PRId64 "]",
                            name, entries, given.rows, given.columns);
    if (offsets)
        ALCORE__TRY(set_offsets(column->ctx, name, offsets, entries, given.rows, options, array));
    else
        ALCORE__TRY(check_entries(name, entries, &given));
    if (given.on_device)
        ALCORE__TRY(
            alcore__column_open_device(column->ctx, name, &given, options->stream, &device));
    array->shape[1] = values->ndim == 2 ? given.columns : 0;
    column->dims = given.columns;
    column->dtype = given.dtype;
    *out_count = given.rows;
    const bool stays = given.on_device && !alcore__dtype_is_integer(given.dtype);
    if (stays)
        ALCORE__TRY(alcore__column_copy_there(column, &given, &device,
                                              options->ownership == ALCORE_KEEP, array));
    if (array->held.memory) { /* in an order, and for rows, of its own */
        *out_count = array->held.rows.count;
        return ALCORE_OK;
    }
    /* alcore_sys_ragged has no stride: tokens with gaps between them are copied. */
    const bool in_place = options->ownership == ALCORE_BORROW &&
                          (!offsets || given.stride == given.columns) &&
                          (stays || !given.on_device);
    ALCORE__TRY(use_or_copy(column->ctx, &given, &device, in_place, &array->values,
                            &array->owned_values, &array->stride));
    array->on_device = given.on_device && in_place;
    if (array->on_device) array->engine = device;
    return ALCORE_OK;
}

/* alcore__column_check_source_rows() for rows 0 .. count - 1 (entries or tokens) of the array;
 * there may be gaps between rows. Called for every column; those that have no row numbers pass at
 * once. Row numbers are integers, which are on the host. */
static alcore_status check_source(const alcore_pool *pool, const alcore__column *column,
                                  const alcore__memory_array *array, int64_t count) {
    const size_t bytes = alcore_sys_dtype_bytes(column->dtype);
    if (!alcore__column_names_source_rows(pool, column->name)) return ALCORE_OK;
    for (int64_t i = 0; i < count && !array->on_device; i++)
        ALCORE__TRY(alcore__column_check_source_rows(
            pool, column->name, column->dtype, array->values + (size_t)(i * array->stride) * bytes,
            column->dims));
    return ALCORE_OK;
}

/* entries: what the options ask for; count: rows of the values, so entries, or tokens. Until the
 * column has `array` as its data, what array owns is freed here after a failure; afterwards it is
 * freed with the column. release is stored when nothing can fail any more. */
alcore_status alcore__column_set_given(alcore_pool *pool, const char *name,
                                       const alcore_tensor *values, const alcore_tensor *offsets,
                                       const alcore_column_options *theirs) {
    alcore_column_options options;
    alcore__column *column = NULL;
    alcore__memory_array array = {0};
    int64_t entries, count = 0;
    alcore_status status;
    ALCORE__TRY(alcore__column_options_read(pool, theirs, &options, &entries));
    if (options.offsets || options.format)
        return alcore__fail(ALCORE_E_INVALID,
                            "the options offsets and format are those of a column in a file");
    if (options.on_device)
        return alcore__fail(ALCORE_E_INVALID, "the option on_device is that of a column writer");
    ALCORE__TRY(alcore__column_new(pool, name, "given", &options, &column));
    ALCORE__TRY_GOTO(status, failed,
                     set_array(column, values, offsets, entries, &options, &array, &count));
    ALCORE__TRY_GOTO(status, failed, check_source(pool, column, &array, count));
    ALCORE__TRY_GOTO(status, failed, alcore__column_set_memory(column, &array, count));
    array = (alcore__memory_array){0};
    ALCORE__TRY_GOTO(status, failed, alcore__pool_put_column(pool, column));
    alcore__memory_array *kept = alcore__column_memory(column);
    kept->release = options.release;
    kept->release_user = options.release_user;
    return ALCORE_OK;
failed:
    alcore__memory_array_clear(pool->object.ctx, &array);
    alcore__column_free(column);
    return status;
}

alcore_status alcore_pool_set_column(alcore_pool *pool, const char *name,
                                     const alcore_tensor *values, const alcore_tensor *offsets,
                                     const alcore_column_options *options) {
    ALCORE__TRY(alcore__pool_change_begin(pool));
    return alcore__pool_change_end(pool,
                                   alcore__column_set_given(pool, name, values, offsets, options));
}
