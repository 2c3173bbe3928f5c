/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a column builder that are on a CUDA device (column_builder.h): input that the host
 * reads in blocks, and a column that grows in memory of the device and stays there.
 *
 * The memory has room for more rows than were put. It is replaced by memory of twice the size where
 * it is full, so that all puts together copy a value a few times at most. */
#include <inttypes.h>

#include "pool/column_builder_parts.h"

/* ---- input that the host reads ---- */

/* Copies a block of rows of the array to host memory (alcore__builder_input.fetch). */
static alcore_status fetch_block(void *user, int64_t first, int64_t count, const char **out) {
    const alcore__device_input *self = user;
    const alcore__array *array = &self->array;
    const int64_t at = first * array->stride * (int64_t)alcore_sys_dtype_bytes(array->dtype);
    const alcore_sys_rows rows = {.data = (const char *)array->data + at,
                                  .count = count,
                                  .dims = array->columns,
                                  .stride = array->stride,
                                  .dtype = array->dtype};
    *out = self->block;
    return alcore__device_rows_copy(&self->engine, &rows, self->block);
}

alcore_status alcore__device_input_open(alcore__device_input *self, alcore_ctx *ctx,
                                        alcore__builder_input *input) {
    const int64_t FETCH_BYTES = 1 << 20;
    const int64_t value_bytes = (int64_t)alcore_sys_dtype_bytes(self->array.dtype);
    input->value_rows = self->array.rows;
    input->dims = self->array.columns;
    input->dtype = self->array.dtype;
    input->strides[0] = self->array.columns * value_bytes;
    input->strides[1] = value_bytes;
    input->fetch = fetch_block;
    input->fetch_user = self;
    input->fetch_rows = FETCH_BYTES / input->strides[0];
    if (input->fetch_rows < 1) input->fetch_rows = 1;
    if (input->fetch_rows > self->array.rows) input->fetch_rows = self->array.rows;
    return alcore__new_array(ctx, (size_t)input->fetch_rows, (size_t)input->strides[0],
                             &self->block);
}

/* ---- values that stay on the device ---- */

/* Row numbers that are given to a kernel at once. */
enum { PART_ROWS = 8 * ALCORE_BLOCK_ROWS };

/* The first `count` rows of the builder's memory. */
static alcore_sys_rows rows_there(const alcore__column_builder *builder, int64_t count) {
    return (alcore_sys_rows){.data = builder->held.memory,
                             .count = count,
                             .dims = builder->dims,
                             .stride = builder->dims,
                             .dtype = builder->dtype};
}

/* Where row `row` of the builder's memory begins. */
static void *row_there(const alcore__column_builder *builder, int64_t row) {
    const alcore_sys_rows *held = &builder->held.rows;
    return (char *)builder->held.memory +
           (size_t)(row * held->dims) * alcore_sys_dtype_bytes(held->dtype);
}

void alcore__builder_release_there(alcore__column_builder *builder) {
    alcore__held_release(&builder->engine, &builder->held);
    builder->held = (alcore_sys_held){0};
    builder->engine = (alcore__engine){0};
}

/* Whether values of this array can join those that were put before. */
static bool can_join(const alcore__column_builder *builder, const alcore__array *values,
                     const alcore__engine *engine) {
    const alcore_sys_kernels *kernels = engine->kernels;
    if (alcore__dtype_is_integer(values->dtype) || !kernels->hold || !kernels->gather ||
        !kernels->store || !kernels->release)
        return false;
    return builder->count == 0 ||
           (builder->held.memory && builder->engine.device == engine->device &&
            builder->dtype == values->dtype);
}

/* Memory for at least `rows` rows of this width and type, or to->memory NULL: for `more` rows,
 * where there is enough of it, so that the next puts need none. */
static alcore_status hold_rows(const alcore__engine *engine, const alcore__array *values,
                               int64_t rows, int64_t more, alcore_sys_held *to) {
    alcore_sys_work work = alcore__engine_work(engine);
    if (rows == 0) rows = 1; /* lists without a token */
    alcore_sys_rows shape = {.count = more > rows ? more : rows,
                             .dims = values->columns,
                             .stride = values->columns,
                             .dtype = values->dtype};
    ALCORE__TRY(engine->kernels->hold(&work, &shape, to));
    if (to->memory || shape.count == rows) return ALCORE_OK;
    shape.count = rows;
    return engine->kernels->hold(&work, &shape, to);
}

/* Makes room for the rows of values; *out_room is false where the device has too little memory.
 * What is stored is copied to the new memory. A column that is not ragged never has more rows than
 * the pool. */
static alcore_status reserve_there(alcore__column_builder *builder, const char *name,
                                   const alcore__array *values, const alcore__engine *engine,
                                   bool *out_room) {
    const int64_t stored = alcore__builder_stored(builder), capacity = builder->held.rows.count;
    const bool first = builder->count == 0;
    int64_t rows, bytes;
    alcore_sys_held larger = {0};
    *out_room = false;
    if (__builtin_add_overflow(stored, values->rows, &rows) ||
        __builtin_mul_overflow(rows, values->columns, &bytes) ||
        bytes > INT64_MAX / (int64_t)sizeof(double) / 2)
        return alcore__fail_memory(SIZE_MAX);
    /* A put that failed may have left memory for rows of another kind. */
    if (first && builder->held.memory) alcore__builder_release_there(builder);
    *out_room = !first && rows <= capacity;
    if (*out_room) return ALCORE_OK;
    int64_t more = first ? rows : 2 * capacity;
    if (!alcore__builder_ragged(builder) && more > builder->pool_rows) more = builder->pool_rows;
    ALCORE__TRY(hold_rows(engine, values, rows, more, &larger));
    if (!larger.memory) {
        alcore__log(builder->ctx, ALCORE_LOG_WARN, "pool", NULL /* no fields */,
                    "column \"%s\": %" PRId64
                    " rows would leave less than a quarter of the memory of cuda:%d free; they are "
                    "copied to host memory",
                    name, rows, engine->device);
        return ALCORE_OK;
    }
    if (stored > 0) {
        alcore_sys_work work = alcore__engine_work(engine);
        const alcore_sys_rows old = rows_there(builder, stored);
        alcore_status status = engine->kernels->store(&work, &old, larger.memory);
        if (status != ALCORE_OK) {
            alcore__held_release(engine, &larger);
            return status;
        }
    }
    alcore__builder_release_there(builder);
    builder->engine = *engine;
    builder->held = larger;
    *out_room = true;
    return ALCORE_OK;
}

/* Copies the rows of the input that belong to the entries from number `before->count` on to the
 * builder's memory. Where all of them are entries it is one copy; else rows are named in parts. */
static alcore_status copy_new(const alcore__column_builder *builder,
                              const alcore__column_builder *before,
                              const alcore__builder_input *input, const alcore__array *values) {
    const alcore_sys_kernels *kernels = builder->engine.kernels;
    alcore_sys_work work = alcore__engine_work(&builder->engine);
    const alcore_sys_rows from = {.data = values->data,
                                  .count = values->rows,
                                  .dims = values->columns,
                                  .stride = values->stride,
                                  .dtype = values->dtype};
    int64_t done = alcore__builder_stored(before), count = 0, *items;
    if (builder->count - before->count == input->count)
        return kernels->store(&work, &from, row_there(builder, done));
    ALCORE__TRY(alcore__new_array(builder->ctx, PART_ROWS, sizeof *items, &items));
    alcore_status status = ALCORE_OK;
    /* next: the first row of the input that belongs to rows[i]; entry: the next one of the builder.
     * A row that occurs twice has the entry of its first occurrence. */
    for (int64_t i = 0, next = 0, entry = before->count; i < input->count; i++) {
        const int64_t length = input->lengths ? input->lengths[i] : 1;
        const bool is_new = entry < builder->count && builder->rows[entry] == input->rows[i];
        for (int64_t row = next; is_new && row < next + length; row++) {
            items[count++] = row;
            if (count < PART_ROWS) continue;
            ALCORE__TRY_GOTO(status, end,
                             kernels->gather(&work, &from, count, items, row_there(builder, done)));
            done += count;
            count = 0;
            ALCORE__TRY_GOTO(status, end, alcore__tick(builder->ctx, NULL, 0, 0));
        }
        entry += is_new;
        next += length;
    }
    if (count > 0) status = kernels->gather(&work, &from, count, items, row_there(builder, done));
end:
    alcore__free(builder->ctx, items);
    return status;
}

alcore_status alcore__builder_put_there(alcore__column_builder *builder, const char *name,
                                        const alcore__builder_input *input,
                                        const alcore__array *values, const alcore__engine *engine,
                                        bool *out_put) {
    *out_put = false;
    if (!can_join(builder, values, engine)) return ALCORE_OK;
    ALCORE__TRY(alcore__builder_check(builder, input));
    *out_put = input->count == 0;
    if (*out_put) return ALCORE_OK;
    ALCORE__TRY(alcore__builder_reserve_entries(builder, input->count));
    ALCORE__TRY(reserve_there(builder, name, values, engine, out_put));
    if (!*out_put) return ALCORE_OK;
    const alcore__column_builder before = *builder;
    builder->dims = values->columns;
    builder->dtype = values->dtype;
    for (int64_t i = 0; i < input->count; i++)
        alcore__builder_append_entry(builder, input->rows[i],
                                     input->lengths ? input->lengths[i] : 1);
    alcore_status status = copy_new(builder, &before, input, values);
    if (status != ALCORE_OK) alcore__builder_undo(builder, &before);
    return status;
}

alcore_status alcore__builder_bring(alcore__column_builder *builder) {
    if (!builder->held.memory) return ALCORE_OK;
    const int64_t stored = alcore__builder_stored(builder);
    const int32_t dtype = builder->dtype == ALCORE_FLOAT64 ? ALCORE_FLOAT64 : ALCORE_FLOAT32;
    const size_t bytes = (size_t)builder->dims * alcore_sys_dtype_bytes(dtype);
    alcore__device_input device = {.engine = builder->engine,
                                   .array = {.data = builder->held.memory,
                                             .rows = stored,
                                             .columns = builder->dims,
                                             .stride = builder->dims,
                                             .dtype = builder->dtype}};
    alcore__builder_input input = {0};
    alcore__builder_window here = {0};
    char *values = NULL;
    alcore_status status = ALCORE_OK;
    if (stored > 0) {
        ALCORE__TRY(alcore__device_input_open(&device, builder->ctx, &input));
        status = alcore__new_array(builder->ctx, (size_t)stored, bytes, &values);
        if (status == ALCORE_OK)
            status = alcore__builder_read_rows(&input, &here, dtype, 0 /* first */, stored, values);
        alcore__free(builder->ctx, device.block);
    }
    if (status != ALCORE_OK) {
        alcore__free(builder->ctx, values);
        return status;
    }
    alcore__builder_release_there(builder);
    alcore__free(builder->ctx, builder->values); /* of a put on the host that failed */
    builder->values = values;
    builder->values_capacity = (size_t)stored * bytes;
    builder->dtype = dtype;
    return ALCORE_OK;
}

/* The builder's memory becomes the column's, or a copy in the order of the rows does
 * (column_device.c); the memory of the builder is then released. Until the pool has the column the
 * builder keeps what it has. */
alcore_status alcore__builder_finish_there(alcore__column_builder *builder, alcore_pool *pool,
                                           alcore__column *column) {
    const int64_t stored = alcore__builder_stored(builder);
    const bool wide =
        builder->shape == ALCORE_COLUMN_DENSE || builder->shape == ALCORE_COLUMN_RAGGED_DENSE;
    const alcore__array given = {.data = builder->held.memory,
                                 .rows = stored,
                                 .columns = builder->dims,
                                 .stride = builder->dims,
                                 .dtype = builder->dtype};
    alcore__memory_array array = {.offsets = builder->offsets,
                                  .shape = {0, wide ? builder->dims : 0}};
    column->row_count = builder->pool_rows;
    column->dims = builder->dims;
    column->dtype = builder->dtype;
    ALCORE__TRY(alcore__row_map_new(builder->ctx, builder->rows, builder->count, builder->pool_rows,
                                    &column->map));
    ALCORE__TRY(
        alcore__column_copy_there(column, &given, &builder->engine, false /* not kept */, &array));
    const bool copied = array.held.memory;
    if (!copied) {
        array.values = builder->held.memory;
        array.stride = builder->dims;
        array.engine = builder->engine;
        array.on_device = true;
    }
    const int64_t count = copied ? array.held.rows.count : stored;
    alcore_status status = alcore__column_set_memory(column, &array, count);
    if (status != ALCORE_OK) {
        alcore__memory_array_clear(builder->ctx, &array);
        return status;
    }
    ALCORE__TRY(alcore__pool_put_column(pool, column));
    alcore__memory_array *kept = alcore__column_memory(column);
    if (!copied) {
        kept->held = builder->held;
        builder->held = (alcore_sys_held){0};
    }
    if (kept->offsets == builder->offsets) {
        kept->owned_offsets = builder->offsets;
        builder->offsets = NULL;
    }
    return ALCORE_OK;
}
