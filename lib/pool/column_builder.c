/* SPDX-License-Identifier: Apache-2.0 */
/* A column that is built row by row, in any order (column_builder.h). Entry e is what was put e-th:
 * rows[e] is its pool row, entry[row] - 1 the other way round (entry[row] 0: the row was not put).
 * Its values are row e of values [stored, dims] or, of a ragged column, which has a list of tokens
 * a row, rows offsets[e] .. offsets[e + 1] - 1. */
#include "pool/column_builder_parts.h"

#include <inttypes.h>
#include <string.h>

#include "pool/row_map.h"

/* Entries of a put between two polls of cancellation: below a millisecond with 1000 values each. */
enum { POLL_ENTRIES = 256 };

/* Allocates entry [pool_rows], zeroed, and for ragged columns offsets with their first 0, by which
 * alcore__builder_ragged() knows them. The dtype is float32 until other values are put. */
alcore_status alcore__builder_init(alcore__column_builder *builder, alcore_ctx *ctx,
                                   int64_t pool_rows, int32_t shape) {
    *builder = (alcore__column_builder){
        .ctx = ctx, .pool_rows = pool_rows, .shape = shape, .dtype = ALCORE_FLOAT32};
    alcore_status status =
        alcore__new_array(ctx, (size_t)pool_rows, sizeof *builder->entry, &builder->entry);
    if (status == ALCORE_OK &&
        (shape == ALCORE_COLUMN_RAGGED || shape == ALCORE_COLUMN_RAGGED_DENSE))
        status = alcore__new_array(ctx, builder->offsets_capacity = 1, sizeof *builder->offsets,
                                   &builder->offsets);
    if (status != ALCORE_OK) alcore__builder_clear(builder);
    return status;
}

/* Frees all arrays; the builder is left empty but for its context, so a second call does no harm.
 */
void alcore__builder_clear(alcore__column_builder *builder) {
    alcore__free(builder->ctx, builder->entry);
    alcore__free(builder->ctx, builder->rows);
    alcore__free(builder->ctx, builder->offsets);
    alcore__free(builder->ctx, builder->values);
    alcore__builder_release_there(builder);
    *builder = (alcore__column_builder){.ctx = builder->ctx};
}

/* Converts the stored float32 values to float64 in place, in memory that was enlarged for that;
 * from the last one on, because float64 number i lies where float32 numbers 2 i and 2 i + 1 were.
 */
static void promote(alcore__column_builder *builder) {
    const int64_t values = alcore__builder_stored(builder) * builder->dims;
    for (int64_t i = values; i-- > 0;) {
        float single;
        memcpy(&single, builder->values + (size_t)i * sizeof single, sizeof single);
        const double wide = single;
        memcpy(builder->values + (size_t)i * sizeof wide, &wide, sizeof wide);
    }
    builder->dtype = ALCORE_FLOAT64;
}

/* Grows all arrays for what alcore__builder_put() is about to append: at most `entries` entries
 * with value_rows rows of dims values of type dtype. Chooses the dtype of the stored values: the
 * first integers make it int64 (nothing is stored yet then: integers and floats are not mixed), the
 * first float64 promotes what is stored. A smaller float type is stored as float32. Sizes that
 * overflow are out of memory. A failure leaves what is stored as it was. */
alcore_status alcore__builder_reserve(alcore__column_builder *builder, int64_t entries,
                                      int64_t value_rows, int64_t dims, int32_t dtype) {
    const bool integers = alcore__dtype_is_integer(dtype);
    const bool wide = integers || dtype == ALCORE_FLOAT64 || builder->dtype == ALCORE_FLOAT64;
    int64_t values, rows;
    if (__builtin_add_overflow(alcore__builder_stored(builder), value_rows, &rows) ||
        __builtin_mul_overflow(rows, dims, &values) || values > INT64_MAX / (int64_t)sizeof(double))
        return alcore__fail_memory(SIZE_MAX);
    ALCORE__TRY(alcore__builder_reserve_entries(builder, entries));
    ALCORE__TRY(alcore__grow(builder->ctx, &builder->values, &builder->values_capacity,
                             (size_t)values * (wide ? sizeof(double) : sizeof(float)), 1));
    if (builder->dims == 0) builder->dims = dims;
    if (integers)
        builder->dtype = ALCORE_INT64; /* the first put, or it was so before */
    else if (wide && builder->dtype != ALCORE_FLOAT64)
        promote(builder);
    return ALCORE_OK;
}

/* Appends rows of the input's matrix to values, whose memory was reserved. */
static alcore_status append(alcore__column_builder *builder, const alcore__builder_input *input,
                            alcore__builder_window *here, int64_t first, int64_t count) {
    const size_t row_bytes = (size_t)builder->dims * alcore_sys_dtype_bytes(builder->dtype);
    char *out = builder->values + (size_t)alcore__builder_stored(builder) * row_bytes;
    return alcore__builder_read_rows(input, here, builder->dtype, first, count, out);
}

/* Appends the entries of rows that have none yet, all of the input or, after a failure, nothing. A
 * row that occurs again, in this input or a later one, keeps its first values and is counted in
 * repeats: two processes may have computed the same rows. */
alcore_status alcore__builder_put(alcore__column_builder *builder,
                                  const alcore__builder_input *input) {
    ALCORE__TRY(alcore__builder_check(builder, input));
    if (input->count == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__builder_bring(builder));
    const alcore__column_builder before = *builder;
    ALCORE__TRY(alcore__builder_reserve(builder, input->count, input->value_rows, input->dims,
                                        input->dtype));
    alcore__builder_window here = {input->values, 0, input->fetch ? 0 : input->value_rows};
    alcore_status status = ALCORE_OK;
    /* next_row: the first row of the input's matrix that belongs to rows[i]. */
    for (int64_t i = 0, next_row = 0; i < input->count; i++) {
        const int64_t row = input->rows[i];
        const int64_t length = input->lengths ? input->lengths[i] : 1;
        if (i % POLL_ENTRIES == POLL_ENTRIES - 1)
            ALCORE__TRY_GOTO(status, failed, alcore__tick(builder->ctx, NULL, 0, 0));
        if (builder->entry[row] == 0)
            ALCORE__TRY_GOTO(status, failed, append(builder, input, &here, next_row, length));
        alcore__builder_append_entry(builder, row, length);
        next_row += length;
    }
    return ALCORE_OK;
failed:
    alcore__builder_undo(builder, &before);
    return status;
}

/* Exchanges `bytes` bytes at a and b, which do not overlap, through a buffer on the stack. */
static void swap_bytes(char *a, char *b, size_t bytes) {
    char buffer[256];
    for (size_t done = 0; done < bytes; done += sizeof buffer) {
        const size_t block = bytes - done < sizeof buffer ? bytes - done : sizeof buffer;
        memcpy(buffer, a + done, block);
        memcpy(a + done, b + done, block);
        memcpy(b + done, buffer, block);
    }
}

/* Sorts entries of `bytes` bytes each, of a column that is not ragged, by following the cycles of
 * the permutation. rank [count]: the index at which each entry belongs, 0, 1, 2, ... afterwards.
 * Every swap puts one entry where it belongs and leaves rows, entry, values and rank consistent, so
 * that a cancelled call loses nothing and can be repeated. */
static alcore_status sort_entries(alcore__column_builder *builder, int64_t *rank, size_t bytes) {
    for (int64_t i = 0; i < builder->count; i++) {
        while (rank[i] != i) {
            const int64_t target = rank[i], row = builder->rows[i], other = builder->rows[target];
            ALCORE__TRY(alcore__tick(builder->ctx, "sorting", i, builder->count));
            swap_bytes(builder->values + (size_t)i * bytes,
                       builder->values + (size_t)target * bytes, bytes);
            builder->rows[i] = other;
            builder->rows[target] = row;
            builder->entry[other] = i + 1;
            builder->entry[row] = target + 1;
            rank[i] = rank[target];
            rank[target] = target;
        }
    }
    return ALCORE_OK;
}

/* The same for a ragged column. Rows differ in their number of tokens, so that entries cannot
 * change places: sorted copies of all arrays are made, and replace the old ones at the end, when
 * nothing can fail. Entry i becomes entry rank[i]. bytes: of a token. */
static alcore_status sort_tokens(alcore__column_builder *builder, const int64_t *rank,
                                 size_t bytes) {
    alcore_ctx *ctx = builder->ctx;
    const int64_t count = builder->count, stored = alcore__builder_stored(builder);
    char *values = NULL;
    int64_t *offsets = NULL, *rows = NULL;
    alcore_status status;
    ALCORE__TRY_GOTO(status, failed,
                     alcore__new_array(ctx, (size_t)count + 1, sizeof *offsets, &offsets));
    ALCORE__TRY_GOTO(status, failed, alcore__new_array(ctx, (size_t)count, sizeof *rows, &rows));
    ALCORE__TRY_GOTO(status, failed, alcore__new_array(ctx, (size_t)stored, bytes, &values));
    for (int64_t i = 0; i < count; i++)
        offsets[rank[i] + 1] = builder->offsets[i + 1] - builder->offsets[i];
    for (int64_t i = 0; i < count; i++) offsets[i + 1] += offsets[i];
    for (int64_t i = 0; i < count; i++) {
        const int64_t start = builder->offsets[i];
        ALCORE__TRY_GOTO(status, failed, alcore__tick(ctx, "sorting", i, count));
        if (bytes > 0 && builder->offsets[i + 1] > start)
            memcpy(values + (size_t)offsets[rank[i]] * bytes,
                   builder->values + (size_t)start * bytes,
                   (size_t)(builder->offsets[i + 1] - start) * bytes);
        rows[rank[i]] = builder->rows[i];
    }
    for (int64_t i = 0; i < count; i++) builder->entry[rows[i]] = i + 1;
    alcore__free(ctx, builder->values);
    alcore__free(ctx, builder->offsets);
    alcore__free(ctx, builder->rows);
    builder->values = values;
    builder->values_capacity = (size_t)stored * bytes;
    builder->offsets = offsets;
    builder->offsets_capacity = (size_t)count + 1;
    builder->rows = rows;
    builder->rows_capacity = (size_t)count;
    return ALCORE_OK;
failed:
    alcore__free(ctx, values);
    alcore__free(ctx, rows);
    alcore__free(ctx, offsets);
    return status;
}

/* Called when a column is finished, as its readers need the entries in row order. rank [count]: the
 * index of each entry in that order, found by one pass over entry [pool_rows] instead of a
 * comparison sort. */
static alcore_status sort(alcore__column_builder *builder) {
    const size_t bytes = (size_t)builder->dims * alcore_sys_dtype_bytes(builder->dtype);
    int64_t *rank, next_rank = 0;
    bool sorted = true;
    for (int64_t i = 1; i < builder->count && sorted; i++)
        sorted = builder->rows[i] > builder->rows[i - 1];
    if (sorted) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(builder->ctx, (size_t)builder->count, sizeof *rank, &rank));
    for (int64_t row = 0; row < builder->pool_rows; row++)
        if (builder->entry[row] != 0) rank[builder->entry[row] - 1] = next_rank++;
    alcore_status status = alcore__builder_ragged(builder) ? sort_tokens(builder, rank, bytes)
                                                           : sort_entries(builder, rank, bytes);
    alcore__free(builder->ctx, rank);
    return status;
}

/* Makes the builder's arrays those of the column and puts the column into the pool; it then owns
 * values and offsets. After a failure they still belong to the builder: the column, which the
 * caller frees, does not own them. shape[1] 0: one value an entry, a tensor of 1 dimension. */
static alcore_status put_into_pool(alcore__column_builder *builder, alcore_pool *pool,
                                   alcore__column *column) {
    const int64_t dims = builder->dims > 0 ? builder->dims : 1; /* builder->dims 0: it is empty */
    const alcore__memory_array array = {
        .values = builder->values,
        .stride = dims,
        .offsets = builder->offsets,
        .owned_values = builder->values,
        .owned_offsets = builder->offsets,
        .shape = {0, builder->shape == ALCORE_COLUMN_DENSE ||
                             builder->shape == ALCORE_COLUMN_RAGGED_DENSE
                         ? dims
                         : 0}};
    column->row_count = builder->pool_rows;
    column->dims = dims;
    column->dtype = builder->dtype;
    ALCORE__TRY(alcore__column_check_source_rows(pool, column->name, builder->dtype,
                                                 builder->values,
                                                 alcore__builder_stored(builder) * builder->dims));
    /* Each row of the builder has one entry and the entries are sorted, so this cannot fail on
     * rows. */
    ALCORE__TRY(alcore__row_map_new(builder->ctx, builder->rows, builder->count, builder->pool_rows,
                                    &column->map));
    ALCORE__TRY(alcore__column_set_memory(column, &array, alcore__builder_stored(builder)));
    alcore_status status = alcore__pool_put_column(pool, column);
    if (status == ALCORE_OK) {
        builder->values = NULL;
        builder->offsets = NULL;
    } else {
        alcore__memory_array *kept = column->data;
        kept->owned_values = kept->owned_offsets = NULL;
    }
    return status;
}

/* Makes a column of the builder's arrays without copying them and puts it into the pool, which is
 * locked for writing. After a success the builder is empty. The order of the entries may have
 * changed after a failure; their contents have not, and the call can be repeated. */
alcore_status alcore__builder_finish(alcore__column_builder *builder, alcore_pool *pool,
                                     const char *name, const char *origin,
                                     const alcore_column_options *options) {
    alcore__column *column;
    const bool there = builder->held.memory && builder->count > 0;
    if (!there) ALCORE__TRY(sort(builder));
    ALCORE__TRY(alcore__column_new(pool, name, origin, options, &column));
    alcore_status status = there ? alcore__builder_finish_there(builder, pool, column)
                                 : put_into_pool(builder, pool, column);
    if (status == ALCORE_OK)
        alcore__builder_clear(builder);
    else
        alcore__column_free(column);
    return status;
}
