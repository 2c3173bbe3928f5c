/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a column of a pool into a column writer of the same pool: how the values that a model has
 * computed join those that a cache had (model/model_cache.c). */
#include "pool/column_writer.h"

#include "pool/pool_internal.h"

/* What the copy of one column needs beside it; rows and lengths are owned. */
typedef struct copying {
    alcore__column_builder *builder;
    const alcore__column *column;
    alcore__scratch scratch; /* of the present block */
    int64_t *rows;           /* [ALCORE_BLOCK_ROWS] pool rows of the present block */
    int64_t *lengths;        /* [ALCORE_BLOCK_ROWS] tokens of each, of a ragged column */
} copying;

/* No lock: the caller alone uses the writer. */
bool alcore__column_writer_has(const alcore_column_writer *writer, int64_t row) {
    return row < writer->builder.pool_rows && writer->builder.entry[row] != 0;
}

/* Puts rows begin .. end - 1 of a block of one vector a row. */
static alcore_status put_vectors(copying *self, const alcore_sys_rows *block, int64_t begin,
                                 int64_t end) {
    const int64_t bytes = (int64_t)alcore_sys_dtype_bytes(block->dtype);
    const alcore__builder_input input = {.rows = self->rows + begin,
                                         .count = end - begin,
                                         .values = (const char *)block->data +
                                                   begin * block->stride * bytes,
                                         .strides = {block->stride * bytes, bytes},
                                         .value_rows = end - begin,
                                         .dims = block->dims,
                                         .dtype = block->dtype};
    return alcore__builder_put(self->builder, &input);
}

/* Puts rows begin .. end - 1 of a block of a list of tokens a row. */
static alcore_status put_tokens(copying *self, const alcore_sys_ragged *block, int64_t begin,
                                int64_t end) {
    const int64_t bytes = (int64_t)alcore_sys_dtype_bytes(block->dtype) * block->classes;
    const int64_t *offsets = block->offsets;
    for (int64_t i = begin; i < end; i++) self->lengths[i] = offsets[i + 1] - offsets[i];
    const alcore__builder_input input = {.rows = self->rows + begin,
                                         .count = end - begin,
                                         .values = (const char *)block->values +
                                                   (offsets[begin] - offsets[0]) * bytes,
                                         .strides = {bytes, bytes / block->classes},
                                         .value_rows = offsets[end] - offsets[begin],
                                         .dims = block->classes,
                                         .dtype = block->dtype,
                                         .lengths = self->lengths + begin};
    return alcore__builder_put(self->builder, &input);
}

/* Copies pool rows first .. first + count - 1: every run of rows that have an entry is one put. */
static alcore_status copy_block(copying *self, int64_t first, int64_t count) {
    const alcore__column *column = self->column;
    alcore_sys_rows vectors = {0};
    alcore_sys_ragged tokens = {0};
    if (column->ragged)
        ALCORE__TRY(column->ops->ragged(column, first, count, &self->scratch, &tokens));
    else
        ALCORE__TRY(column->ops->rows(column, first, count, &self->scratch, &vectors));
    for (int64_t i = 0; i < count; i++) self->rows[i] = first + i;
    for (int64_t begin = 0, end; begin < count; begin = end) {
        const bool has = alcore__column_has(column, first + begin);
        for (end = begin + 1; end < count && alcore__column_has(column, first + end) == has;) end++;
        if (!has) continue;
        ALCORE__TRY(column->ragged ? put_tokens(self, &tokens, begin, end)
                                   : put_vectors(self, &vectors, begin, end));
    }
    return ALCORE_OK;
}

/* Copies all blocks of the column. */
static alcore_status copy_column(copying *self) {
    alcore_ctx *ctx = self->builder->ctx;
    const int64_t rows = self->builder->pool_rows;
    ALCORE__TRY(alcore__new_array(ctx, ALCORE_BLOCK_ROWS, sizeof *self->rows, &self->rows));
    ALCORE__TRY(alcore__new_array(ctx, ALCORE_BLOCK_ROWS, sizeof *self->lengths, &self->lengths));
    for (int64_t first = 0; first < rows; first += ALCORE_BLOCK_ROWS) {
        const int64_t left = rows - first;
        ALCORE__TRY(alcore__tick(ctx, "copying", first, rows));
        ALCORE__TRY(copy_block(self, first, left < ALCORE_BLOCK_ROWS ? left : ALCORE_BLOCK_ROWS));
    }
    return ALCORE_OK;
}

/* Rows that the writer has already keep their values. A failure may leave a part of the column in
 * the writer. The pool is locked for reading; the caller alone uses the writer. */
alcore_status alcore__column_writer_copy(alcore_column_writer *writer,
                                         const alcore__column *column) {
    copying self = {.builder = &writer->builder, .column = column};
    if (column->ragged != alcore__builder_ragged(self.builder) || column->dtype == ALCORE_TEXT)
        return alcore__fail(ALCORE_E_SHAPE, "column \"%s\": another shape than before",
                            writer->name);
    alcore_status status = copy_column(&self);
    alcore__scratch_clear(writer->object.ctx, &self.scratch);
    alcore__free(writer->object.ctx, self.rows);
    alcore__free(writer->object.ctx, self.lengths);
    return status;
}
