/* SPDX-License-Identifier: Apache-2.0 */
/* Columns on a CUDA device whose values cannot be read where the caller has them, and which are
 * therefore copied from memory of the device to other memory of it, once, when the column is set:
 *
 *     kept (ALCORE_KEEP)        the caller's memory may go
 *     in another order          kernels read adjacent rows; entries are put in the order of their
 *                               rows, or one for each row of the pool where some have none
 *     tokens with gaps          a list of tokens has no stride (alcore_sys_ragged)
 *
 * Nothing of the values comes to the host. A quarter of the device's memory stays free for others;
 * a copy for which there is not enough of it is not made, and the log says so: the values are then
 * copied to host memory (kept, gaps) or stay where they are and are read in blocks through the host
 * (order). */
#include <inttypes.h>

#include "pool/column_array.h"

/* Row numbers that are given to a kernel at once; between two calls the host may cancel. */
enum { PART_ROWS = 8 * ALCORE_BLOCK_ROWS };

/* A copy of rows of the caller's array on the device, in an order of their own. */
typedef struct gathering {
    alcore_ctx *ctx;
    alcore__engine engine;
    alcore_sys_rows from; /* the caller's array; there may be gaps between its rows */
    alcore_sys_held to;   /* [rows of the copy], owned until the copy is done */
    int64_t *items;       /* [PART_ROWS] the next rows to be copied, -1: none; owned */
    int64_t count;        /* items that are listed */
    int64_t done;         /* rows that are copied already */
} gathering;

/* Copies the rows of items. */
static alcore_status flush(gathering *self) {
    const size_t row_bytes = (size_t)self->from.dims * alcore_sys_dtype_bytes(self->from.dtype);
    char *memory = (char *)self->to.memory + (size_t)self->done * row_bytes;
    alcore_sys_work work = alcore__engine_work(&self->engine);
    ALCORE__TRY(alcore__tick(self->ctx, "ordering", self->done, self->to.rows.count));
    if (self->count > 0)
        ALCORE__TRY(
            self->engine.kernels->gather(&work, &self->from, self->count, self->items, memory));
    self->done += self->count;
    self->count = 0;
    return ALCORE_OK;
}

static alcore_status push(gathering *self, int64_t item) {
    if (self->count == PART_ROWS) ALCORE__TRY(flush(self));
    self->items[self->count++] = item;
    return ALCORE_OK;
}

/* Copies the entry of each row of the pool, in row order, for a column without tokens. Rows without
 * an entry get a NaN, so that the copy has one entry for each row (alcore__row_map_by_row()). */
static alcore_status gather_by_row(gathering *self, const alcore__column *column) {
    for (int64_t row = 0; row < column->row_count; row++)
        ALCORE__TRY(push(self, alcore__column_entry(column, row)));
    return flush(self);
}

/* Copies the tokens of the entries in the order of their rows. offsets [entries + 1]: where the
 * tokens of each entry begin in the caller's array; ordered [entries + 1], filled here: where they
 * begin in the copy. */
static alcore_status gather_tokens(gathering *self, const alcore__column *column,
                                   const int64_t *offsets, int64_t *ordered) {
    int64_t rank = 0;
    ordered[0] = 0;
    for (int64_t row = 0; row < column->row_count; row++) {
        const int64_t entry = alcore__column_entry(column, row);
        if (entry < 0) continue;
        for (int64_t token = offsets[entry]; token < offsets[entry + 1]; token++)
            ALCORE__TRY(push(self, token));
        ordered[rank + 1] = ordered[rank] + offsets[entry + 1] - offsets[entry];
        rank++;
    }
    return flush(self);
}

/* What is to be copied of a column, and in which order. */
typedef enum copy_order { COPY_NOTHING, COPY_AS_IT_IS, COPY_BY_ROW, COPY_TOKENS } copy_order;

/* Whether the entries are in another order than their rows. */
static bool is_reordered(const alcore__column *column) {
    return column->map && column->map->entries;
}

/* A column that has entries for at most half of the pool's rows is not copied by row, as the copy
 * would have memory for all of them. Tokens need a copy only for another order: rows without an
 * entry have no tokens. */
static copy_order order_of(const alcore__column *column, const alcore__array *given, bool kept,
                           bool ragged) {
    const bool most = column->map && column->map->count > column->row_count / 2;
    if (ragged && is_reordered(column)) return COPY_TOKENS;
    if (!ragged && most) return COPY_BY_ROW;
    return kept || (ragged && given->stride != given->columns) ? COPY_AS_IT_IS : COPY_NOTHING;
}

/* Allocates memory of the device for `rows` rows like those of the array. Where there is too
 * little, to.memory is NULL and the log says so; instead: what happens then, for that message. */
static alcore_status hold(gathering *self, const char *name, int64_t rows, const char *instead) {
    alcore_sys_work work = alcore__engine_work(&self->engine);
    alcore_sys_rows shape = self->from;
    shape.count = rows;
    ALCORE__TRY(self->engine.kernels->hold(&work, &shape, &self->to));
    if (self->to.memory) return ALCORE_OK;
    const int64_t bytes = rows * shape.dims * (int64_t)alcore_sys_dtype_bytes(shape.dtype);
    if (bytes > 0)
        alcore__log(self->ctx, ALCORE_LOG_WARN, "pool", NULL /* no fields */,
                    "column \"%s\": a copy of %" PRId64
                    " bytes would leave less than a quarter of the memory of cuda:%d free; %s",
                    name, bytes, self->engine.device, instead);
    return ALCORE_OK;
}

/* Fills the copy in the given order; ordered: [entries + 1], the offsets that gather_tokens()
 * fills. */
static alcore_status copy(gathering *self, const alcore__column *column, copy_order order,
                          const int64_t *offsets, int64_t *ordered) {
    alcore_sys_work work = alcore__engine_work(&self->engine);
    if (order == COPY_AS_IT_IS)
        return self->engine.kernels->store(&work, &self->from, self->to.memory);
    ALCORE__TRY(alcore__new_array(self->ctx, PART_ROWS, sizeof *self->items, &self->items));
    return order == COPY_BY_ROW ? gather_by_row(self, column)
                                : gather_tokens(self, column, offsets, ordered);
}

/* Makes the copy the values of the array, and changes the column's map to the order of the copy. */
static alcore_status use(gathering *self, alcore__column *column, copy_order order,
                         int64_t *ordered, alcore__memory_array *array) {
    if (order == COPY_BY_ROW) ALCORE__TRY(alcore__row_map_by_row(column));
    if (order == COPY_TOKENS) {
        alcore__row_map_by_rank(column);
        alcore__free(self->ctx, array->owned_offsets);
        array->offsets = array->owned_offsets = ordered;
    }
    array->by_row = order == COPY_BY_ROW;
    array->held = self->to;
    array->values = self->to.memory;
    array->stride = self->to.rows.stride;
    array->engine = self->engine;
    array->on_device = true;
    return ALCORE_OK;
}

alcore_status alcore__column_copy_there(alcore__column *column, const alcore__array *given,
                                        const alcore__engine *engine, bool kept,
                                        alcore__memory_array *array) {
    gathering self = {.ctx = column->ctx,
                      .engine = *engine,
                      .from = {.data = given->data,
                               .count = given->rows,
                               .dims = given->columns,
                               .stride = given->stride,
                               .dtype = given->dtype}};
    int64_t *ordered = NULL;
    const copy_order order = order_of(column, given, kept, array->offsets);
    const alcore_sys_kernels *kernels = engine->kernels;
    if (order == COPY_NOTHING || !kernels->hold || !kernels->gather || !kernels->store ||
        !kernels->release)
        return ALCORE_OK;
    const bool to_host = kept || (array->offsets && given->stride != given->columns);
    ALCORE__TRY(hold(&self, column->name, order == COPY_BY_ROW ? column->row_count : given->rows,
                     to_host ? "it is copied to host memory"
                             : "its rows are put in order on the host, block by block"));
    if (!self.to.memory) return ALCORE_OK;
    alcore_status status = ALCORE_OK;
    if (order == COPY_TOKENS)
        status =
            alcore__new_array(self.ctx, (size_t)column->map->count + 1, sizeof *ordered, &ordered);
    if (status == ALCORE_OK) status = copy(&self, column, order, array->offsets, ordered);
    if (status == ALCORE_OK) status = use(&self, column, order, ordered, array);
    alcore__free(self.ctx, self.items);
    if (status == ALCORE_OK) return ALCORE_OK;
    alcore__free(self.ctx, ordered);
    alcore__held_release(engine, &self.to);
    return status;
}

void alcore__held_release(const alcore__engine *engine, const alcore_sys_held *held) {
    alcore_sys_work work = alcore__engine_work(engine);
    if (held->memory) engine->kernels->release(&work, held);
}
