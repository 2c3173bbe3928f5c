/* SPDX-License-Identifier: Apache-2.0 */
/* Columns in memory: an array [entries or tokens, dims], whose rows may have gaps between them
 * (stride: values from one to the next). An entry is what the column has of one pool row: one array
 * row or, of a ragged column, a list of tokens. A map says to which pool row an entry belongs;
 * without a map entry i belongs to row i. The values are given by the caller (copied or borrowed),
 * or put by a column writer. A block of rows with consecutive entries is handed out where it lies;
 * others are gathered.
 *
 * An array may be on a CUDA device: the caller's, or a copy that the column owns (column_device.c).
 * Kernels of that device read it there; whoever reads it on the host gets its blocks gathered in
 * scratch, by copies from the device. Offsets are always on the host. */
#include <string.h>

#include "pool/column_array.h"

/* The address of the first value of an entry (or token). */
static const char *entry_bytes(const alcore__column *column, int64_t entry) {
    const alcore__memory_array *array = column->data;
    return array->values + (size_t)(entry * array->stride) * alcore_sys_dtype_bytes(column->dtype);
}

/* Describes entries entry .. entry + count - 1, which belong to pool rows `first` and following,
 * without copying them. */
static alcore_sys_rows in_place(const alcore__column *column, int64_t entry, int64_t first,
                                int64_t count) {
    const alcore__memory_array *array = column->data;
    return (alcore_sys_rows){.data = entry_bytes(column, entry),
                             .first = first,
                             .count = count,
                             .dims = column->dims,
                             .stride = array->stride,
                             .dtype = column->dtype};
}

/* Copies entries (or tokens) entry .. entry + count - 1 to destination, on the host, without the
 * gaps that a borrowed array may have between them. */
static alcore_status fetch(const alcore__column *column, int64_t entry, int64_t count,
                           char *destination) {
    const alcore__memory_array *array = column->data;
    const size_t bytes = (size_t)column->dims * alcore_sys_dtype_bytes(column->dtype);
    if (array->on_device) {
        const alcore_sys_rows rows = in_place(column, entry, entry /* not used */, count);
        return alcore__device_rows_copy(&array->engine, &rows, destination);
    }
    if (array->samples > 0) {
        alcore__samples_fetch(column, entry, count, destination);
        return ALCORE_OK;
    }
    if (array->stride == column->dims) {
        memcpy(destination, entry_bytes(column, entry), (size_t)count * bytes);
        return ALCORE_OK;
    }
    for (int64_t i = 0; i < count; i++)
        memcpy(destination + (size_t)i * bytes, entry_bytes(column, entry + i), bytes);
    return ALCORE_OK;
}

/* Pool rows first .. first + count - 1. Hands the block out where it lies when it may (is_readable:
 * the reader can read the memory of the array) and its rows have consecutive entries, or memory
 * where they have none, and gathers it in scratch otherwise. */
static alcore_status read_block(const alcore__column *column, bool is_readable, int64_t first,
                                int64_t count, alcore__scratch *scratch, alcore_sys_rows *out) {
    const alcore__memory_array *array = column->data;
    int64_t entry = -1, run = 0;
    if (array->by_row && count > 0 && first + count <= column->row_count) {
        entry = first;
        run = count;
    } else if (count > 0) {
        run = alcore__column_run(column, first, count, &entry);
    }
    if (!is_readable || run < count || entry < 0)
        return alcore__gather_rows(column, first, count, fetch, scratch, out);
    *out = in_place(column, entry, first, count);
    return ALCORE_OK;
}

/* ops.rows, for readers on the host. */
static alcore_status read_rows(const alcore__column *column, int64_t first, int64_t count,
                               alcore__scratch *scratch, alcore_sys_rows *out) {
    const alcore__memory_array *array = column->data;
    return read_block(column, !array->on_device, first, count, scratch, out);
}

/* Called by passes and searches for the rows that their kernels then read. Only kernels of the
 * device that the values are on read them in place. */
alcore_status alcore__column_rows_on(const alcore__column *column, const alcore__engine *engine,
                                     int64_t first, int64_t count, alcore__scratch *scratch,
                                     alcore_sys_rows *out) {
    const int32_t device = alcore__column_device(column);
    if (device < 0 || !alcore__engine_is_cuda(engine, device))
        return column->ops->rows(column, first, count, scratch, out);
    return read_block(column, true /* by these kernels */, first, count, scratch, out);
}

/* Counts all entries or tokens of the array, those of rows that are not read too. */
int64_t alcore__column_bytes(const alcore__column *column) {
    const alcore__memory_array *array = alcore__column_memory(column);
    const int64_t value = (int64_t)alcore_sys_dtype_bytes(column->dtype);
    return array ? array->shape[0] * column->dims * value : 0;
}

/* An array in memory that the engine's kernels or the host can read, with one entry for each row in
 * their order, or memory for each. */
bool alcore__column_in_place(const alcore__column *column, const alcore__engine *engine) {
    const int32_t device = alcore__column_device(column);
    const alcore__memory_array *array = alcore__column_memory(column);
    return array && (!column->map || array->by_row) && !column->ragged &&
           (device < 0 || alcore__engine_is_cuda(engine, device));
}

/* Fills starts [count + 1] with where the tokens of rows first .. first + count - 1 begin in the
 * array, and those of the last end; those of a row without an entry begin and end at one place.
 * Entries are in the order of their rows. */
static void find_starts(const alcore__column *column, int64_t first, int64_t count,
                        int64_t *starts) {
    const alcore__memory_array *array = column->data;
    int64_t run, entry = -1;
    for (int64_t i = 0; i < count && entry < 0; i += run)
        run = alcore__column_run(column, first + i, count - i, &entry);
    starts[0] = entry < 0 ? 0 : array->offsets[entry]; /* of the first row that has one */
    for (int64_t i = 0; i < count; i += run) {
        run = alcore__column_run(column, first + i, count - i, &entry);
        for (int64_t r = 0; r < run; r++)
            starts[i + r + 1] = entry < 0 ? starts[i + r] : array->offsets[entry + r + 1];
    }
}

/* Rows first .. first + count - 1 of a ragged column, whose block is handed out where it lies when
 * it may (is_readable), the tokens of a row are adjacent and entries are in the order of their
 * rows, and gathered in scratch otherwise. An array of tokens that is read in place has no gaps
 * (column_given.c). */
static alcore_status read_tokens(const alcore__column *column, bool is_readable, int64_t first,
                                 int64_t count, alcore__scratch *scratch, alcore_sys_ragged *out) {
    const alcore__memory_array *array = column->data;
    if (!is_readable || count == 0 || array->samples > 0 || (column->map && column->map->entries))
        return alcore__gather_ragged(column, first, count, array->offsets, fetch, scratch, out);
    const int64_t *starts = array->offsets + first;
    if (column->map || first + count > column->row_count) {
        ALCORE__TRY(alcore__scratch_reserve(column->ctx, &scratch->offsets, &scratch->offsets_bytes,
                                            count + 1, sizeof *starts));
        find_starts(column, first, count, scratch->offsets);
        starts = scratch->offsets;
    }
    const size_t bytes = (size_t)column->dims * alcore_sys_dtype_bytes(column->dtype);
    *out = (alcore_sys_ragged){.values = array->values + (size_t)starts[0] * bytes,
                               .offsets = starts,
                               .first = first,
                               .count = count,
                               .classes = column->dims,
                               .dtype = column->dtype};
    return ALCORE_OK;
}

/* ops.ragged, for readers on the host. */
static alcore_status read_ragged(const alcore__column *column, int64_t first, int64_t count,
                                 alcore__scratch *scratch, alcore_sys_ragged *out) {
    const alcore__memory_array *array = column->data;
    return read_tokens(column, !array->on_device, first, count, scratch, out);
}

bool alcore__column_planes(const alcore__column *column, int64_t first, int64_t count,
                           alcore__sample_planes *out) {
    const alcore__memory_array *array = alcore__column_memory(column);
    int64_t entry;
    if (!array || array->samples == 0 || count == 0 ||
        alcore__column_run(column, first, count, &entry) < count || entry < 0)
        return false;
    *out = (alcore__sample_planes){.first = in_place(column, entry, first, count),
                                   .samples = array->samples,
                                   .stride = array->sample_stride};
    return true;
}

/* Called for the scores that a kernel computes of the tokens of a row. */
alcore_status alcore__column_ragged_on(const alcore__column *column, const alcore__engine *engine,
                                       int64_t first, int64_t count, alcore__scratch *scratch,
                                       alcore_sys_ragged *out) {
    const int32_t device = alcore__column_device(column);
    if (device < 0 || !alcore__engine_is_cuda(engine, device))
        return column->ops->ragged(column, first, count, scratch, out);
    return read_tokens(column, true /* by these kernels */, first, count, scratch, out);
}

/* Frees what the array owns and tells the owner of a borrowed one. Called with the column, and by
 * setters that failed before the column had the array, whose release is not set yet. */
void alcore__memory_array_clear(alcore_ctx *ctx, alcore__memory_array *array) {
    alcore__free(ctx, array->owned_values);
    alcore__free(ctx, array->owned_offsets);
    /* A forked child has no device, and calls nothing of the host: its memory is a copy that no one
     * else uses. */
    if (!alcore__forked(ctx)) {
        alcore__held_release(&array->engine, &array->held);
        if (array->release) array->release(array->release_user);
    }
    *array = (alcore__memory_array){0};
}

/* ops.release. */
static void release_memory(alcore__column *column) {
    alcore__memory_array_clear(column->ctx, column->data);
    alcore__free(column->ctx, column->data);
}

static const alcore__column_ops dense_ops = {.rows = read_rows, .release = release_memory};
static const alcore__column_ops ragged_ops = {.ragged = read_ragged, .release = release_memory};

/* Copies the description of the array into the column, which owns from then on what the array owns;
 * after a failure that is still the caller's. entries: rows of the array (tokens of a ragged
 * column). The shapes and strides are those that tensors of alcore_pool_get_column() point to; they
 * live as long as the column. */
alcore_status alcore__column_set_memory(alcore__column *column, const alcore__memory_array *array,
                                        int64_t entries) {
    alcore__memory_array *kept;
    ALCORE__TRY(alcore__new_array(column->ctx, 1, sizeof *kept, &kept));
    *kept = *array;
    kept->strides[0] = array->stride;
    kept->strides[1] = 1;
    kept->shape[0] = entries;
    kept->offsets_shape[0] = column->row_count + 1;
    column->ragged = array->offsets;
    column->token_count = column->ragged ? entries : 0;
    column->ops = column->ragged ? &ragged_ops : &dense_ops;
    column->data = kept;
    return ALCORE_OK;
}

int32_t alcore__column_device(const alcore__column *column) {
    const alcore__memory_array *array = alcore__column_memory(column);
    return array && array->on_device ? array->engine.device : -1;
}

/* The array of a column of this file; NULL for a column of any other kind. */
alcore__memory_array *alcore__column_memory(const alcore__column *column) {
    return column->ops == &dense_ops || column->ops == &ragged_ops ? column->data : NULL;
}
