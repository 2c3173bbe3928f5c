/* SPDX-License-Identifier: Apache-2.0 */
/* Scores and embeddings of one block (the exported functions are declared in block.h).
 *
 * Words of this file:
 *
 *     index       number of an active row in its block, from 0: entry i is that of block->rows[i]
 *     span        the pool rows from the first active row of the block to its last
 *
 * Kernels work by matrix row, strategies by index. So a function spreads its inputs out (one entry
 * per index becomes one per matrix row), calls the kernel, and collects the outputs of the active
 * rows. Where both numberings are equal the caller's arrays are given to the kernel and nothing is
 * copied; only alcore__block_scores() always collects. */
#include <math.h>
#include <string.h>

#include "base/tensor_view.h"
#include "kernel/kernels.h"
#include "strategy/passes/block_embeddings.h"

/* Number of pool rows in the span, from the first active row of a block to its last. */
static int64_t block_span(const alcore__block *block) {
    return block->rows[block->count - 1] - block->rows[0] + 1;
}

/* The mask of the span, [block_span()], 1: the row is active; NULL: every row of the span is. */
static const uint8_t *span_mask(const alcore__block *block) {
    /* A row of the span that is not active has 0 in active->mask, which then is not NULL. */
    const alcore__active_rows *active = &block->run->active[block->source];
    return block_span(block) == block->count ? NULL : active->mask + block->rows[0];
}

/* The candidates of block b of a wide block are adjacent among its active rows; this is the index
 * of the first one. */
int64_t alcore__block_first_index(const alcore__block *block, int64_t b) {
    const alcore__active_rows *active = &block->run->active[block->source];
    return active->block_starts[block->number + b] - block->start;
}

/* Sums are reduced by blocks (spec 1.8), so that a wide block needs separate sums for each of its
 * blocks: row i of group g in block b gets the number b * groups + g. It fits int32_t, as the sums
 * of a wide block have at most WIDE_HOST_BYTES (wide_blocks.c). */
alcore_status alcore__block_groups(alcore__block *block, const int32_t *group, int64_t groups,
                                   const int32_t **out) {
    int32_t *number;
    *out = group;
    if (group && block->blocks == 1) return ALCORE_OK;
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *number, &number));
    for (int64_t b = 0; b < block->blocks; b++) {
        int64_t end = alcore__block_first_index(block, b + 1);
        for (int64_t i = alcore__block_first_index(block, b); i < end; i++) {
            int32_t own = group ? group[i] : 0;
            number[i] = own < 0 ? -1 : (int32_t)(b * groups) + own;
        }
    }
    *out = number;
    return ALCORE_OK;
}

/* ---- scores ---- */

/* Scorers work on adjacent rows with a mask, hence the three temporary arrays [span], whose entries
 * outside the mask are not read. */
alcore_status alcore__block_scores(alcore__block *block, double *rank, double *score, double *raw) {
    const alcore__run *run = block->run;
    int64_t first = block->rows[0], span = block_span(block);
    alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    double *by_row; /* rank, score and raw, [span] each */
    ALCORE__TRY(alcore__scratch_push(block, 3 * span, sizeof *by_row, &by_row));
    alcore__score_call call = {.ctx = run->ctx,
                               .engine = run->input->engine,
                               .dataset = run->active[block->source].dataset,
                               .params = &run->score_params,
                               .first = first,
                               .count = span,
                               .mask = span_mask(block),
                               .nan_exclude = run->input->nan_exclude,
                               .scratch = &block->worker->scores,
                               .rank = by_row,
                               .score = by_row + span,
                               .raw = by_row + 2 * span};
    ALCORE__TRY(run->def->score_rows(&call));
    block->worker->floored += call.floored;
    for (int64_t i = 0; i < block->count; i++) {
        int64_t span_row = block->rows[i] - first;
        rank[i] = call.rank[span_row];
        if (score) score[i] = call.score[span_row];
        if (raw) raw[i] = call.raw[span_row];
    }
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}

/* The rows lie in the thread's reader of scores (worker->scores) or in the column itself and stay
 * readable until the next call with this reader. */
alcore_status alcore__block_column(alcore__block *block, const alcore__column *column,
                                   alcore_sys_rows *out) {
    return column->ops->rows(column, block->rows[0], block_span(block), &block->worker->scores,
                             out);
}

/* ---- the matrix ---- */

const alcore__column *alcore__candidate_embeddings(const alcore__run *run) {
    return run->embeddings ? run->embeddings
                           : alcore__dataset_find(&run->input->candidates, "embeddings");
}

const alcore__column *alcore__source_embeddings(const alcore__run *run,
                                                enum alcore__row_source source) {
    if (source == ALCORE__OVER_CANDIDATES || source == ALCORE__OVER_CHOSEN)
        return alcore__candidate_embeddings(run);
    return alcore__dataset_find(run->active[source].dataset, "embeddings");
}

int64_t alcore__embedding_dims(const alcore__run *run) {
    const alcore__column *column = alcore__candidate_embeddings(run);
    return column ? column->dims : 0;
}

/* The buffer in which this thread reads embeddings of a source. Candidates, those chosen among
 * them, and labeled rows of the same pool are never read in one pass, so they share a buffer. */
static alcore__scratch *embedding_reader(alcore__block *block, enum alcore__row_source source) {
    if (source == ALCORE__OVER_LABELED_ROWS || source == ALCORE__OVER_CHOSEN)
        source = ALCORE__OVER_CANDIDATES;
    return &block->worker->embeddings[source];
}

/* The rows stay readable until this thread asks for another block of the target, as they lie in the
 * target's own reader. */
alcore_status alcore__target_rows(alcore__block *block, int64_t target_block,
                                  alcore_sys_rows *out) {
    const alcore__dataset *target = &block->run->input->target;
    const alcore__column *column = alcore__dataset_find(target, "embeddings");
    int64_t first = target_block * ALCORE_BLOCK_ROWS, left = target->rows - first;
    return alcore__column_rows_on(column, &block->run->input->engine, first,
                                  left < ALCORE_BLOCK_ROWS ? left : ALCORE_BLOCK_ROWS,
                                  embedding_reader(block, ALCORE__OVER_TARGET), out);
}

/* Whether only the active rows are read, one run of adjacent rows at a time, and copied together:
 * where more than half of the span is not active, so that reading those rows from a file or
 * computing them would be most of the work. Where copies are kept between passes, which is in runs
 * of many passes and for candidates only (other blocks have no memory), block_memory.c makes them.
 * Rows on the engine's device are read in place: kernels skip the others by the mask. */
static bool is_sparse(const alcore__block *block, const alcore__column *column) {
    bool keeps_copies = block->run->hints.repeats && block->memory;
    bool on_device = alcore__column_device(column) >= 0;
    return !keeps_copies && !on_device && block_span(block) > 2 * block->count;
}

/* Reads only the active rows of the block: *out is [active rows, dims] on the scratch stack, in the
 * column's type, which is also that of the rows it reads, without gaps, so that the matrix row of a
 * row is its index. `first` of such a matrix is not a pool row but the position of its first row
 * among all active rows, as kernels report neighbors by first + matrix row. */
static alcore_status read_active_rows(alcore__block *block, const alcore__column *column,
                                      alcore_sys_rows *out) {
    size_t row_bytes = alcore_sys_dtype_bytes(column->dtype) * (size_t)column->dims;
    alcore__scratch *reader = embedding_reader(block, block->source);
    char *packed;
    ALCORE__TRY(alcore__scratch_push(block, block->count, row_bytes, &packed));
    for (int64_t i = 0, count; i < block->count; i += count) {
        alcore_sys_rows rows; /* the run of `count` adjacent pool rows that begins at index i */
        for (count = 1; i + count < block->count; count++)
            if (block->rows[i + count] != block->rows[i] + count) break;
        ALCORE__TRY(column->ops->rows(column, block->rows[i], count, reader, &rows));
        size_t stride = alcore_sys_dtype_bytes(rows.dtype) * (size_t)rows.stride;
        for (int64_t k = 0; k < count; k++)
            memcpy(packed + (size_t)(i + k) * row_bytes,
                   (const char *)rows.data + (size_t)k * stride, row_bytes);
    }
    *out = (alcore_sys_rows){.data = packed,
                             .first = block->start,
                             .count = block->count,
                             .dims = column->dims,
                             .stride = column->dims,
                             .dtype = column->dtype};
    return ALCORE_OK;
}

/* The embeddings of the block as a matrix for kernels, in one of three forms:
 *
 *     a copy      of the active rows, made in an earlier pass or just now for the later ones
 *                 (block_memory.c); no mask, matrix row = index
 *     read alone  the active rows on the scratch stack, where most rows of the span are not active;
 *                 no mask, matrix row = index
 *     the span    where the column, on the host or on the engine's device, or the thread's reader
 *                 has it, with a mask where it has rows that are not active
 *
 * unit: kernels read each row divided by its length. The values are not checked here. */
alcore_status alcore__block_matrix_unchecked(alcore__block *block, bool unit, alcore__matrix *out) {
    const alcore__column *column = alcore__source_embeddings(block->run, block->source);
    *out = (alcore__matrix){.block = block};
    out->rows.dims = out->rows.stride = column->dims;
    out->rows.dtype = column->dtype;
    out->on_device = alcore__column_device(column) >= 0;
    if (is_sparse(block, column)) {
        ALCORE__TRY(read_active_rows(block, column, &out->rows));
    } else if (!alcore__block_find_copy(block, &out->rows)) {
        alcore__scratch *reader = embedding_reader(block, block->source);
        ALCORE__TRY(alcore__column_rows_on(column, &block->run->input->engine, block->rows[0],
                                           block_span(block), reader, &out->rows));
        out->mask = span_mask(block);
        ALCORE__TRY(alcore__block_make_copy(block, column, reader, &out->rows, out->mask));
        if (alcore__block_find_copy(block, &out->rows)) out->mask = NULL;
    }
    if (block->memory && block->memory->device.memory) out->on_device = true;
    out->rows.unit = unit;
    return ALCORE_OK;
}

/* The squares of float64 alone can overflow: those of the other types are below 1e78. Blocks of
 * candidates, which many passes read, are checked when they are first read. */
alcore_status alcore__block_matrix(alcore__block *block, bool unit, alcore__matrix *out) {
    alcore__block_memory *memory = block->memory;
    ALCORE__TRY(alcore__block_matrix_unchecked(block, unit, out));
    if (out->rows.dtype != ALCORE_FLOAT64 || (memory && memory->lengths_checked)) return ALCORE_OK;
    ALCORE__TRY(alcore__matrix_check(out));
    if (memory) memory->lengths_checked = true;
    return ALCORE_OK;
}

int64_t alcore__matrix_index_of(const alcore__matrix *matrix, int64_t matrix_row) {
    if (!matrix->mask) return matrix_row;
    const alcore__block *block = matrix->block;
    return alcore__first_from(block->rows, block->count - 1, matrix->rows.first + matrix_row);
}

/* The rows of a block are those from its start to that of the next block; rows between the two that
 * are not active may count as either's. */
int64_t alcore__matrix_block_start(const alcore__matrix *matrix, int64_t b) {
    const alcore__block *block = matrix->block;
    int64_t index = alcore__block_first_index(block, b);
    if (b == 0) return 0;
    return index < block->count ? alcore__matrix_row_of(matrix, index) : matrix->rows.count;
}

alcore_status alcore__matrix_block_starts(const alcore__matrix *matrix, int64_t **out) {
    alcore__block *block = matrix->block;
    ALCORE__TRY(alcore__scratch_push(block, block->blocks + 1, sizeof **out, out));
    for (int64_t b = 0; b <= block->blocks; b++) (*out)[b] = alcore__matrix_block_start(matrix, b);
    return ALCORE_OK;
}

/* The active row at an index, as a matrix of one row where it is. */
static alcore_sys_rows row_at(const alcore__matrix *matrix, int64_t index) {
    alcore_sys_rows row = matrix->rows;
    int64_t matrix_row = alcore__matrix_row_of(matrix, index);
    size_t bytes = alcore_sys_dtype_bytes(row.dtype) * (size_t)(matrix_row * row.stride);
    row.data = (const char *)row.data + bytes;
    row.first += matrix_row;
    row.count = 1;
    return row;
}

alcore_status alcore__matrix_copy_row(const alcore__matrix *matrix, int64_t index, double *out) {
    const alcore_sys_rows row = row_at(matrix, index);
    return ALCORE__KERNEL(matrix->block->run, widen, &row, NULL /* no mask */, out);
}

/* ---- checks ---- */

/* What messages add to the number of a row of a source. */
static const char *const WHERE[ALCORE__SOURCES] = {[ALCORE__OVER_CANDIDATES] = "",
                                                   [ALCORE__OVER_LABELED_ROWS] = "",
                                                   [ALCORE__OVER_LABELED_POOL] =
                                                       " of the labeled pool",
                                                   [ALCORE__OVER_TARGET] = " of the target",
                                                   [ALCORE__OVER_CHOSEN] = ""};

alcore_status alcore__vector_check(const double *values, int64_t dims,
                                   enum alcore__row_source source, int64_t row) {
    for (int64_t j = 0; j < dims; j++) {
        if (isfinite(values[j])) continue;
        return alcore__fail_nan("row %lld%s: component %lld in column \"embeddings\" is %s",
                                (long long)row, WHERE[source], (long long)j,
                                isnan(values[j]) ? "NaN" : "infinite");
    }
    return ALCORE_OK;
}

/* Rows on a device are collected there by one kernel, and widened by another one; where its memory
 * is short, one after the other. The CPU widens those in host memory, of which a device would make
 * copies. */
alcore_status alcore__matrix_copy_rows(const alcore__matrix *matrix, const int64_t *indices,
                                       int64_t count, double *out) {
    alcore__block *block = matrix->block;
    const alcore_sys_kernels *kernels =
        matrix->on_device ? alcore__run_kernels(block->run) : alcore__kernels_cpu();
    alcore_sys_work work = alcore__run_work(block->run);
    alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    alcore_sys_rows shape = matrix->rows;
    alcore_sys_held held = {0};
    int64_t *items; /* [count] matrix rows */
    shape.count = count;
    ALCORE__TRY(alcore__scratch_push(block, count, sizeof *items, &items));
    for (int64_t i = 0; i < count; i++) items[i] = alcore__matrix_row_of(matrix, indices[i]);
    if (count > 1 && kernels->hold && kernels->gather)
        ALCORE__TRY(kernels->hold(&work, &shape, &held));
    alcore_status status = ALCORE_OK;
    if (held.memory) {
        status = kernels->gather(&work, &matrix->rows, count, items, held.memory);
        if (status == ALCORE_OK) status = kernels->widen(&work, &held.rows, NULL /* all */, out);
        kernels->release(&work, &held);
    } else {
        for (int64_t i = 0; i < count && status == ALCORE_OK; i++) {
            const alcore_sys_rows row = row_at(matrix, indices[i]);
            status = kernels->widen(&work, &row, NULL /* no mask */, out + i * row.dims);
        }
    }
    alcore__scratch_release(block, mark);
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++)
        status = alcore__vector_check(out + i * shape.dims, shape.dims, block->source,
                                      block->rows[indices[i]]);
    return status;
}

/* Fails for an active row whose product with itself is not a usable number: because a component is
 * not finite, or because all of them are and the product is above ALCORE__MAX_SQUARE, 1e140. Such a
 * product is finite itself, but products of two of them, and sums of these over all rows, are not.
 */
static alcore_status fail_row(const alcore__matrix *matrix, int64_t index) {
    alcore__matrix plain = *matrix;
    alcore__block *block = matrix->block;
    double *vector; /* the row as it is, not divided by its length */
    plain.rows.unit = 0;
    ALCORE__TRY(alcore__scratch_push(block, matrix->rows.dims, sizeof *vector, &vector));
    ALCORE__TRY(alcore__matrix_copy_row(&plain, index, vector));
    ALCORE__TRY(alcore__vector_check(vector, matrix->rows.dims, block->source, block->rows[index]));
    return alcore__fail_nan("row %lld%s: the vector in column \"embeddings\" is longer than %g, so "
                            "that sums of its squares overflow; divide all vectors by one number",
                            (long long)block->rows[index], WHERE[block->source],
                            sqrt(ALCORE__MAX_SQUARE));
}

alcore_status alcore__matrix_check_dots(const alcore__matrix *matrix, const double *self_dots,
                                        uint8_t *bad) {
    alcore__block *block = matrix->block;
    for (int64_t i = 0; i < block->count; i++) {
        if (self_dots[alcore__matrix_row_of(matrix, i)] <= ALCORE__MAX_SQUARE) continue;
        if (!bad) return fail_row(matrix, i);
        bad[i] = 1;
    }
    return ALCORE_OK;
}

alcore_status alcore__matrix_check(const alcore__matrix *matrix) {
    alcore__block *block = matrix->block;
    alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    alcore_sys_rows plain = matrix->rows;
    double *dots; /* [matrix rows] of each row with itself */
    plain.unit = 0;
    ALCORE__TRY(alcore__scratch_push(block, plain.count, sizeof *dots, &dots));
    ALCORE__TRY(ALCORE__KERNEL(block->run, self_dots, &plain, matrix->mask, dots));
    ALCORE__TRY(alcore__matrix_check_dots(matrix, dots, NULL /* the first is an error */));
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}

/* ---- kernels by index ---- */

/* Sets *by_row to an array [matrix rows] for a kernel's output: a new array on the scratch stack,
 * or out [active rows] itself where matrix rows and indices are the same or out is NULL, for an
 * output that is not wanted. */
static alcore_status push_output(const alcore__matrix *matrix, double *out, double **by_row) {
    *by_row = out;
    if (!matrix->mask || !out) return ALCORE_OK;
    return alcore__scratch_push(matrix->block, matrix->rows.count, sizeof **by_row, by_row);
}

/* Copies the entries of the active rows from by_row [matrix rows] to out [active rows]; nothing is
 * to be done where push_output() made the two one array. */
static void collect(const alcore__matrix *matrix, const double *by_row, double *out) {
    if (by_row == out) return;
    for (int64_t i = 0; i < matrix->block->count; i++)
        out[i] = by_row[alcore__matrix_row_of(matrix, i)];
}

/* Sets *by_row to the groups as kernels read them, [matrix rows], -1 where a row is not active:
 * group [active rows] itself where matrix rows and indices are the same, else a spread copy. */
static alcore_status push_groups(const alcore__matrix *matrix, const int32_t *group,
                                 const int32_t **by_row) {
    int32_t *spread;
    *by_row = group;
    if (!matrix->mask) return ALCORE_OK;
    ALCORE__TRY(alcore__scratch_push(matrix->block, matrix->rows.count, sizeof *spread, &spread));
    memset(spread, 0xff, (size_t)matrix->rows.count * sizeof *spread); /* -1 everywhere */
    for (int64_t i = 0; i < matrix->block->count; i++)
        spread[alcore__matrix_row_of(matrix, i)] = group[i];
    *by_row = spread;
    return ALCORE_OK;
}

/* A kernel that computes one double for each row from the row and a vector [dims]. */
typedef alcore_status (*vector_kernel)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                       const uint8_t *mask, const double *vector, double *out);

/* Calls such a kernel for the active rows: out [active rows]; vector [dims]. The common body of
 * alcore__matrix_dots() and alcore__matrix_sq_dists(). */
static alcore_status call_vector_kernel(const alcore__matrix *matrix, vector_kernel kernel,
                                        const double *vector, double *out) {
    alcore_sys_work work = alcore__run_work(matrix->block->run);
    alcore__scratch_mark mark = alcore__scratch_get_mark(matrix->block);
    double *by_row;
    ALCORE__TRY(push_output(matrix, out, &by_row));
    ALCORE__TRY(kernel(&work, &matrix->rows, matrix->mask, vector, by_row));
    collect(matrix, by_row, out);
    alcore__scratch_release(matrix->block, mark);
    return ALCORE_OK;
}

alcore_status alcore__matrix_dots(const alcore__matrix *matrix, const double *vector, double *out) {
    return call_vector_kernel(matrix, alcore__run_kernels(matrix->block->run)->dots, vector, out);
}

alcore_status alcore__matrix_sq_dists(const alcore__matrix *matrix, const double *vector,
                                      double *out) {
    return call_vector_kernel(matrix, alcore__run_kernels(matrix->block->run)->sq_dists, vector,
                              out);
}

alcore_status alcore__matrix_self_dots(const alcore__matrix *matrix, double *out) {
    alcore__scratch_mark mark = alcore__scratch_get_mark(matrix->block);
    double *by_row;
    ALCORE__TRY(push_output(matrix, out, &by_row));
    ALCORE__TRY(ALCORE__KERNEL(matrix->block->run, self_dots, &matrix->rows, matrix->mask, by_row));
    collect(matrix, by_row, out);
    alcore__scratch_release(matrix->block, mark);
    return ALCORE_OK;
}

/* Each sum runs in row order (spec 1.8). A sum that is not finite starts the search for a NaN or
 * infinity in the rows, which then has one: finite rows within ALCORE__MAX_SQUARE have finite sums.
 */
alcore_status alcore__matrix_group_sums(const alcore__matrix *matrix, const int32_t *group,
                                        int64_t groups, double *sums, int64_t *counts) {
    alcore__scratch_mark mark = alcore__scratch_get_mark(matrix->block);
    const int32_t *by_row;
    ALCORE__TRY(push_groups(matrix, group, &by_row));
    ALCORE__TRY(ALCORE__KERNEL(matrix->block->run, group_sums, &matrix->rows, by_row, groups, sums,
                               counts));
    alcore__scratch_release(matrix->block, mark);
    for (int64_t i = 0; i < groups * matrix->rows.dims; i++) {
        if (!isfinite(sums[i])) return alcore__matrix_check(matrix);
    }
    return ALCORE_OK;
}

alcore_status alcore__matrix_sum(const alcore__matrix *matrix, double *sums) {
    alcore__block *block = matrix->block;
    alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    const int32_t *block_of; /* [active rows] the block of each */
    int64_t *counts;         /* [blocks] of active rows, which the caller knows; not used */
    ALCORE__TRY(alcore__block_groups(block, NULL /* no groups */, 1, &block_of));
    ALCORE__TRY(alcore__scratch_push(block, block->blocks, sizeof *counts, &counts));
    ALCORE__TRY(alcore__matrix_group_sums(matrix, block_of, block->blocks, sums, counts));
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}

alcore_status alcore__block_sum(alcore__block *block, bool unit, void *sums) {
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, unit, &matrix));
    return alcore__matrix_sum(&matrix, sums);
}

alcore_status alcore__matrix_checked_dots(const alcore__matrix *matrix, double *self_dots) {
    const alcore__run *run = matrix->block->run;
    ALCORE__TRY(ALCORE__KERNEL(run, self_dots, &matrix->rows, matrix->mask, self_dots));
    return alcore__matrix_check_dots(matrix, self_dots, NULL /* the first is an error */);
}

alcore_status alcore__matrix_totals(const alcore__matrix *matrix, const uint8_t *mask,
                                    const double *values, double *sums, double *totals) {
    alcore__block *block = matrix->block;
    alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    int64_t *starts; /* [blocks + 1] matrix rows */
    ALCORE__TRY(alcore__matrix_block_starts(matrix, &starts));
    ALCORE__TRY(
        ALCORE__KERNEL(block->run, run_totals, block->blocks, starts, mask, values, sums, totals));
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}

/* Values are not checked for a NaN: the pass that made the centroids has read the same rows
 * (alcore__matrix_group_sums). */
alcore_status alcore__matrix_cosine_distances(const alcore__matrix *matrix, const int32_t *group,
                                              int64_t groups, const double *centroids,
                                              double *out) {
    alcore__scratch_mark mark = alcore__scratch_get_mark(matrix->block);
    const int32_t *groups_by_row;
    double *by_row;
    ALCORE__TRY(push_groups(matrix, group, &groups_by_row));
    ALCORE__TRY(push_output(matrix, out, &by_row));
    ALCORE__TRY(ALCORE__KERNEL(matrix->block->run, group_cosine, &matrix->rows, groups_by_row,
                               groups, centroids, by_row));
    collect(matrix, by_row, out);
    alcore__scratch_release(matrix->block, mark);
    return ALCORE_OK;
}

/* Copies the outputs that are asked for from by_row [matrix rows] to out [active rows], for the
 * rows that have a group. Without a mask the kernel wrote to the arrays of out directly. */
static void collect_nearest(const alcore__matrix *matrix, const int32_t *group,
                            const alcore__nearest *by_row, const alcore__nearest *out) {
    if (!matrix->mask) return;
    for (int64_t i = 0; i < matrix->block->count; i++) {
        int64_t matrix_row = alcore__matrix_row_of(matrix, i);
        if (group[i] < 0) continue;
        out->nearest[i] = by_row->nearest[matrix_row];
        if (out->distance) out->distance[i] = by_row->distance[matrix_row];
        if (out->high) out->low[i] = by_row->low[matrix_row]; /* both are wanted or none is */
        if (out->high) out->high[i] = by_row->high[matrix_row];
    }
}

alcore_status alcore__matrix_nearest(const alcore__matrix *matrix, const int32_t *group,
                                     int64_t groups, const int64_t *centroid_starts,
                                     const double *centroids, const alcore__nearest *out) {
    alcore__block *block = matrix->block;
    alcore_sys_work work;
    alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    int64_t most = 0; /* centroids of a group */
    for (int64_t g = 0; g < groups; g++) {
        int64_t count = centroid_starts[g + 1] - centroid_starts[g];
        if (count > most) most = count;
    }
    if (most == 1) most = 0; /* such a call has no filter, and converts nothing */
    ALCORE__TRY(alcore__matrix_work(matrix, ALCORE_SYS_L2, most, &work));
    const int32_t *groups_by_row;
    alcore__nearest by_row = *out; /* [matrix rows] each: what the kernel writes */
    ALCORE__TRY(push_groups(matrix, group, &groups_by_row));
    if (matrix->mask)
        ALCORE__TRY(alcore__scratch_push(block, matrix->rows.count, sizeof *by_row.nearest,
                                         &by_row.nearest));
    ALCORE__TRY(push_output(matrix, out->distance, &by_row.distance));
    ALCORE__TRY(push_output(matrix, out->low, &by_row.low));
    ALCORE__TRY(push_output(matrix, out->high, &by_row.high));
    ALCORE__TRY(alcore__run_kernels(block->run)
                    ->nearest_centroid(&work, &matrix->rows, groups_by_row, groups, centroid_starts,
                                       centroids, by_row.nearest, by_row.distance, by_row.low,
                                       by_row.high));
    collect_nearest(matrix, group, &by_row, out);
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}
