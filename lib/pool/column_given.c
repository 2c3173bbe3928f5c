/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of the caller as columns. */
#include <inttypes.h>
#include <string.h>

#include "pool/column_array.h"
#include "pool/dlpack_abi.h"

alcore_status alcore__column_tensor(const char *name, const alcore_tensor *tensor,
                                    alcore__array *out) {
    if (tensor != NULL && (tensor->device.type == ALCORE_DEVICE_CUDA ||
                           tensor->device.type == ALCORE_DEVICE_CUDA_MANAGED))
        return alcore__fail(
            ALCORE_E_UNSUPPORTED,
            "column \"%s\": the array lies on cuda:%d; columns on a device need the "
            "CUDA module, so give a copy in host memory (.cpu() in PyTorch)",
            name, tensor->device.id);
    alcore_status status = alcore__tensor_view(tensor, "the array", out);
    return status == ALCORE_OK ? status : alcore__fail_within(status, "column \"%s\"", name);
}

bool alcore__is_float(int32_t dtype) {
    return dtype == ALCORE_FLOAT16 || dtype == ALCORE_BFLOAT16 || dtype == ALCORE_FLOAT32 ||
           dtype == ALCORE_FLOAT64;
}

alcore_status alcore__column_check_dtype(const char *name, int32_t dtype) {
    if (alcore__is_float(dtype)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_SHAPE,
                        "column \"%s\": expected float16, bfloat16, float32 or float64, found %s",
                        name, alcore__dtype_name(dtype));
}

/* Uses the caller's numbers in place, or copies them without the room between rows. */
static alcore_status take_numbers(alcore_ctx *ctx, const alcore__array *from, bool in_place,
                                  const char **out, void **out_owned, int64_t *out_stride) {
    *out = from->data;
    *out_stride = from->stride;
    if (in_place) return ALCORE_OK;
    const size_t number = alcore__dtype_bytes(from->dtype);
    const size_t row = (size_t)from->columns * number, bytes = (size_t)from->rows * row;
    char *copy = alcore__alloc(ctx, bytes);
    if (copy == NULL) return alcore__fail_memory(bytes);
    if (from->stride == from->columns && bytes > 0) memcpy(copy, from->data, bytes);
    for (int64_t i = 0; i < from->rows && from->stride != from->columns; i++)
        memcpy(copy + (size_t)i * row,
               (const char *)from->data + (size_t)(i * from->stride) * number, row);
    *out = *out_owned = copy;
    *out_stride = from->columns;
    return ALCORE_OK;
}

static alcore_status take_offsets(alcore_ctx *ctx, const char *name, const alcore_tensor *tensor,
                                  int64_t entries, int64_t tokens, bool in_place,
                                  alcore__memory_array *array) {
    alcore__array from;
    const char *numbers;
    int64_t stride;
    ALCORE__TRY(alcore__column_tensor(name, tensor, &from));
    if ((from.dtype != ALCORE_INT64 && from.dtype != ALCORE_UINT64) || tensor->ndim != 1)
        return alcore__fail(ALCORE_E_SHAPE,
                            "column \"%s\": expected offsets int64 or uint64 [%" PRId64
                            "], found %s with %d dimensions",
                            name, entries + 1, alcore__dtype_name(from.dtype), tensor->ndim);
    if (from.rows != entries + 1)
        return alcore__fail(ALCORE_E_SHAPE,
                            "column \"%s\": expected %" PRId64
                            " offsets (entries + 1), found %" PRId64,
                            name, entries + 1, from.rows);
    /* A uint64 above INT64_MAX reads as a negative number, which the check refuses. */
    ALCORE__TRY(take_numbers(ctx, &from, in_place && from.stride == 1, &numbers,
                             &array->owned_offsets, &stride));
    array->offsets = (const void *)numbers;
    return alcore__offsets_check(name, array->offsets, entries, tokens);
}

static alcore_status check_entries(const char *name, int64_t expected, const alcore__array *found) {
    if (found->rows == expected) return ALCORE_OK;
    return alcore__fail(ALCORE_E_SHAPE, "column \"%s\": expected %" PRId64 " rows, found %" PRId64,
                        name, expected, found->rows);
}

/* Fills array from the tensors; what it owns is freed by the caller, also on failure. */
static alcore_status take_array(alcore__column *column, const alcore_tensor *values,
                                const alcore_tensor *offsets, int64_t entries, bool in_place,
                                alcore__memory_array *array, int64_t *out_count) {
    alcore__array from;
    const char *name = column->name;
    ALCORE__TRY(alcore__column_tensor(name, values, &from));
    ALCORE__TRY(alcore__column_check_dtype(name, from.dtype));
    if (from.columns < 1)
        return alcore__fail(ALCORE_E_SHAPE,
                            "column \"%s\": expected [%" PRId64 ", 1 or more], found [%" PRId64
                            ", %" PRId64 "]",
                            name, entries, from.rows, from.columns);
    if (offsets != NULL)
        ALCORE__TRY(take_offsets(column->ctx, name, offsets, entries, from.rows, in_place, array));
    else
        ALCORE__TRY(check_entries(name, entries, &from));
    /* Readers of tokens know no stride. */
    ALCORE__TRY(take_numbers(column->ctx, &from,
                             in_place && (offsets == NULL || from.stride == from.columns),
                             &array->values, &array->owned_values, &array->stride));
    array->shape[1] = values->ndim == 2 ? from.columns : 0;
    column->dims = from.columns;
    column->dtype = from.dtype;
    *out_count = from.rows;
    return ALCORE_OK;
}

/* managed is the tensor that values belongs to; it is given back on failure, and at once when it
 * was copied. */
static alcore_status set_column(alcore_pool *pool, const char *name, const alcore_tensor *values,
                                const alcore_tensor *offsets, const alcore_column_options *theirs,
                                alcore__dlpack_tensor *managed) {
    alcore_column_options options;
    alcore__column *column = NULL;
    alcore__memory_array array = {.managed = managed};
    int64_t entries, count = 0;
    alcore_status status;
    ALCORE__TRY_GOTO(status, failed, alcore__column_options_read(pool, theirs, &options, &entries));
    ALCORE__TRY_GOTO(status, failed, alcore__column_new(pool, name, "given", &options, &column));
    ALCORE__TRY_GOTO(status, failed,
                     take_array(column, values, offsets, entries,
                                managed != NULL || options.ownership == ALCORE_BORROW, &array,
                                &count));
    ALCORE__TRY_GOTO(status, failed, alcore__column_set_memory(column, &array, count));
    array = (alcore__memory_array){0};
    ALCORE__TRY_GOTO(status, failed, alcore__pool_put_column(pool, column));
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
    return alcore__pool_change_end(pool, set_column(pool, name, values, offsets, options, NULL));
}

static void give_back(alcore__dlpack_tensor *tensor) {
    if (tensor != NULL && tensor->deleter != NULL)
        tensor->deleter((struct DLManagedTensorVersioned *)tensor);
}

alcore_status alcore_pool_take_column(alcore_pool *pool, const char *name,
                                      struct DLManagedTensorVersioned *values,
                                      const alcore_column_options *options) {
    alcore__dlpack_tensor *tensor = (alcore__dlpack_tensor *)values;
    alcore_status status = alcore__pool_change_begin(pool);
    if (status != ALCORE_OK) {
        give_back(tensor);
        return status;
    }
    if (tensor == NULL)
        return alcore__pool_change_end(pool, alcore__fail(ALCORE_E_INVALID, "values is NULL"));
    if (tensor->version.major != ALCORE__DLPACK_MAJOR) {
        const unsigned major = tensor->version.major;
        give_back(tensor);
        return alcore__pool_change_end(
            pool, alcore__fail(ALCORE_E_UNSUPPORTED,
                               "the tensor is of DLPack version %u; version %d is read", major,
                               ALCORE__DLPACK_MAJOR));
    }
    return alcore__pool_change_end(pool,
                                   set_column(pool, name, &tensor->tensor, NULL, options, tensor));
}
