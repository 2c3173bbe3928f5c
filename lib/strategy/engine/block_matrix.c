/* SPDX-License-Identifier: Apache-2.0 */
/* One block of a pass: its members' scores and vectors. Kernels work on runs of rows; strategies on
 * members, so what is not every row is spread out before a kernel and collected after it. */
#include <math.h>
#include <string.h>

#include "strategy/strategy.h"

/* A matrix that is made or read block by block, or of which most rows take no part, is kept between
 * passes when all of it is no larger than this. */
enum { KEEP_MOST = 256 << 20 };

static const size_t NUMBER_BYTES[] = {0, 2, 2, 4, 8};

alcore_sys_work alcore__run_work(const alcore__run *run) {
    return alcore__engine_work(&run->input->engine);
}

alcore_status alcore__block_payload(alcore__block *block, size_t bytes, void *out) {
    ALCORE__TRY(alcore__new_array(block->run->ctx, 1, bytes, &block->payload));
    block->bytes = bytes;
    *(void **)out = block->payload;
    return ALCORE_OK;
}

static int64_t block_first(const alcore__block *block) {
    return block->rows[0];
}

static int64_t block_span(const alcore__block *block) {
    return block->count ? block->rows[block->count - 1] - block->rows[0] + 1 : 0;
}

alcore_status alcore__block_scores(alcore__block *block, double *rank, double *score, double *raw) {
    const alcore__run *run = block->run;
    const alcore__members *members = &run->members[run->source];
    if (!block->count) return ALCORE_OK;
    int64_t first = block_first(block), span = block_span(block);
    alcore__bench *bench = block->bench;
    alcore__score_call call = {.ctx = run->ctx,
                               .engine = run->input->engine,
                               .dataset = members->dataset,
                               .values = run->values,
                               .first = first,
                               .count = span,
                               .take = span == block->count ? NULL : members->take + first,
                               .nan_exclude = run->input->nan_exclude,
                               .scratch = &bench->scratch[0],
                               .rank = bench->wide[0],
                               .score = bench->wide[1],
                               .raw = bench->wide[2]};
    ALCORE__TRY(run->def->score_rows(&call));
    bench->floored += call.floored;
    for (int64_t i = 0; i < block->count; i++) {
        int64_t at = block->rows[i] - first;
        rank[i] = call.rank[at];
        if (score) score[i] = call.score[at];
        if (raw) raw[i] = call.raw[at];
    }
    return ALCORE_OK;
}

int64_t alcore__embedding_dims(const alcore__run *run) {
    const alcore__column *column = alcore__dataset_find(&run->input->candidates, "embeddings");
    return column ? column->dims : 0;
}

/* Copies the members' rows together. */
static alcore_status keep_rows(alcore__block *block, const alcore_sys_rows *rows) {
    size_t bytes = NUMBER_BYTES[rows->dtype] * (size_t)rows->dims;
    char *kept;
    ALCORE__TRY(alcore__new_array(block->run->ctx, (size_t)block->count, bytes, &kept));
    for (int64_t i = 0; i < block->count; i++) {
        size_t at =
            (size_t)((block->rows[i] - rows->first) * rows->stride) * NUMBER_BYTES[rows->dtype];
        memcpy(kept + (size_t)i * bytes, (const char *)rows->data + at, bytes);
    }
    block->memory->rows = kept;
    return ALCORE_OK;
}

static bool worth_keeping(const alcore__block *block, const alcore__column *column,
                          const alcore__scratch *scratch, const alcore_sys_rows *rows) {
    const alcore__run *run = block->run;
    if (!run->repeats || run->source != ALCORE__OVER_CANDIDATES) return false;
    size_t row = NUMBER_BYTES[column->dtype] * (size_t)column->dims;
    if (!row || (size_t)run->members[0].count > KEEP_MOST / row) return false;
    /* Numbers that stay with a block have an entry per row of its matrix. */
    if (!run->input->engine.kernels->upload && rows->count > 2 * block->count) return true;
    const char *data = rows->data, *values = scratch->values;
    return column->in_file || scratch->user ||
           (values && data >= values && data < values + scratch->values_bytes);
}

/* Lets the engine hold the members' rows, where it has memory of its own and wants to. */
static alcore_status hold_rows(alcore__block *block, const alcore__matrix *matrix) {
    const alcore__run *run = block->run;
    const alcore_sys_kernels *kernels = run->input->engine.kernels;
    alcore_sys_work work = alcore__run_work(run);
    if (!block->memory || block->memory->asked || !run->repeats || !kernels->upload)
        return ALCORE_OK;
    block->memory->asked = true;
    return kernels->upload(&work, &matrix->rows, matrix->take, &block->memory->held);
}

/* Both sources of the pool's rows share one. */
static alcore__scratch *side_scratch(const alcore__block *block, int32_t source) {
    return &block->bench->scratch[source < ALCORE__OVER_LABELED_SIDE ? 1 : source];
}

alcore_status alcore__target_rows(alcore__block *block, int64_t number, alcore_sys_rows *out) {
    const alcore__dataset *dataset = &block->run->input->target;
    const alcore__column *column = alcore__dataset_find(dataset, "embeddings");
    int64_t first = number * ALCORE_BLOCK_ROWS, left = dataset->rows - first;
    return column->ops->rows(column, first, left < ALCORE_BLOCK_ROWS ? left : ALCORE_BLOCK_ROWS,
                             side_scratch(block, ALCORE__OVER_TARGET), out);
}

alcore_status alcore__block_matrix(alcore__block *block, bool unit, alcore__matrix *out) {
    const alcore__run *run = block->run;
    const alcore__members *members = &run->members[run->source];
    const alcore__column *column = alcore__dataset_find(members->dataset, "embeddings");
    memset(out, 0, sizeof *out);
    out->block = block;
    out->rows.dims = out->rows.stride = column->dims;
    out->rows.dtype = column->dtype;
    alcore__memory none = {0}, *memory = block->memory ? block->memory : &none;
    if (block->count && !memory->rows && !memory->held.data) {
        int64_t first = block_first(block), span = block_span(block);
        alcore__scratch *scratch = side_scratch(block, run->source);
        ALCORE__TRY(column->ops->rows(column, first, span, scratch, &out->rows));
        if (span != block->count) out->take = members->take + first;
        ALCORE__TRY(hold_rows(block, out));
        if (!memory->held.data && worth_keeping(block, column, scratch, &out->rows))
            ALCORE__TRY(keep_rows(block, &out->rows));
    }
    if (memory->held.data || memory->rows) {
        out->rows = memory->held;
        if (!memory->held.data) {
            out->rows = (alcore_sys_rows){.data = memory->rows,
                                          .count = block->count,
                                          .dims = column->dims,
                                          .stride = column->dims,
                                          .dtype = column->dtype};
        }
        out->rows.first = block->start;
        out->take = NULL;
    }
    out->rows.unit = unit;
    return ALCORE_OK;
}

int64_t alcore__matrix_member(const alcore__matrix *matrix, int64_t place) {
    if (!matrix->take) return place;
    int64_t row = matrix->rows.first + place, low = 0, high = matrix->block->count - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (matrix->block->rows[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void collect(const alcore__matrix *matrix, const double *wide, double *out) {
    for (int64_t i = 0; i < matrix->block->count; i++)
        out[i] = wide[alcore__matrix_place(matrix, i)];
}

static const int32_t *spread_groups(const alcore__matrix *matrix, const int32_t *group) {
    if (!matrix->take) return group;
    int32_t *wide = matrix->block->bench->groups[0];
    memset(wide, 0xff, (size_t)matrix->rows.count * sizeof *wide);
    for (int64_t i = 0; i < matrix->block->count; i++)
        wide[alcore__matrix_place(matrix, i)] = group[i];
    return wide;
}

static const alcore_sys_kernels *kernels(const alcore__matrix *matrix) {
    return matrix->block->run->input->engine.kernels;
}

/* Where a kernel writes one number a row. */
static double *target(const alcore__matrix *matrix, double *out) {
    return matrix->take ? matrix->block->bench->wide[0] : out;
}

alcore_status alcore__matrix_dots(const alcore__matrix *matrix, const double *vector, double *out) {
    alcore_sys_work work = alcore__run_work(matrix->block->run);
    double *wide = target(matrix, out);
    ALCORE__TRY(kernels(matrix)->dots(&work, &matrix->rows, matrix->take, vector, wide));
    if (matrix->take) collect(matrix, wide, out);
    return ALCORE_OK;
}

alcore_status alcore__matrix_self_dots(const alcore__matrix *matrix, double *out) {
    alcore_sys_work work = alcore__run_work(matrix->block->run);
    double *wide = target(matrix, out);
    ALCORE__TRY(kernels(matrix)->self_dots(&work, &matrix->rows, matrix->take, wide));
    if (matrix->take) collect(matrix, wide, out);
    return ALCORE_OK;
}

alcore_status alcore__matrix_sq_dists(const alcore__matrix *matrix, const double *vector,
                                      double *out) {
    alcore_sys_work work = alcore__run_work(matrix->block->run);
    double *wide = target(matrix, out);
    ALCORE__TRY(kernels(matrix)->sq_dists(&work, &matrix->rows, matrix->take, vector, wide));
    if (matrix->take) collect(matrix, wide, out);
    return ALCORE_OK;
}

alcore_status alcore__matrix_group_sums(const alcore__matrix *matrix, const int32_t *group,
                                        int64_t groups, double *sums, int64_t *counts) {
    alcore_sys_work work = alcore__run_work(matrix->block->run);
    ALCORE__TRY(kernels(matrix)->group_sums(&work, &matrix->rows, spread_groups(matrix, group),
                                            groups, sums, counts));
    for (int64_t i = 0; i < groups * matrix->rows.dims; i++) {
        if (!isfinite(sums[i])) return alcore__matrix_check(matrix);
    }
    return ALCORE_OK;
}

alcore_status alcore__matrix_group_cosine(const alcore__matrix *matrix, const int32_t *group,
                                          int64_t groups, const double *centroids, double *out) {
    alcore_sys_work work = alcore__run_work(matrix->block->run);
    double *wide = target(matrix, out);
    ALCORE__TRY(kernels(matrix)->group_cosine(&work, &matrix->rows, spread_groups(matrix, group),
                                              groups, centroids, wide));
    if (matrix->take) collect(matrix, wide, out);
    return ALCORE_OK;
}

alcore_status alcore__matrix_nearest(const alcore__matrix *matrix, const int32_t *group,
                                     int64_t groups, const int64_t *starts, const double *centroids,
                                     const alcore__nearest *out) {
    alcore_sys_work work = alcore__run_work(matrix->block->run);
    alcore__bench *bench = matrix->block->bench;
    alcore__nearest wide = *out;
    if (matrix->take) {
        wide.nearest = bench->groups[1];
        if (out->distance) wide.distance = bench->wide[0];
        if (out->high) wide.low = bench->wide[1];
        if (out->high) wide.high = bench->wide[2];
    }
    ALCORE__TRY(kernels(matrix)->nearest_centroid(
        &work, &matrix->rows, spread_groups(matrix, group), groups, starts, centroids, wide.nearest,
        wide.distance, wide.low, wide.high));
    if (!matrix->take) return ALCORE_OK;
    for (int64_t i = 0; i < matrix->block->count; i++) {
        if (group[i] < 0) continue;
        int64_t at = alcore__matrix_place(matrix, i);
        out->nearest[i] = wide.nearest[at];
        if (out->distance) out->distance[i] = wide.distance[at];
        if (out->high) out->low[i] = wide.low[at];
        if (out->high) out->high[i] = wide.high[at];
    }
    return ALCORE_OK;
}

alcore_status alcore__matrix_row(const alcore__matrix *matrix, int64_t member, double *out) {
    alcore_sys_work work = alcore__run_work(matrix->block->run);
    alcore_sys_rows row = matrix->rows;
    int64_t at = alcore__matrix_place(matrix, member);
    row.data = (const char *)row.data + (size_t)(at * row.stride) * NUMBER_BYTES[row.dtype];
    row.first += at;
    row.count = 1;
    return kernels(matrix)->widen(&work, &row, NULL, out);
}

alcore_status alcore__vector_check(const double *values, int64_t dims, int32_t source,
                                   int64_t row) {
    for (int64_t j = 0; j < dims; j++) {
        if (isfinite(values[j])) continue;
        return alcore__fail(ALCORE_E_DATA,
                            "row %lld%s: number %lld in column \"embeddings\" is %s; nan=exclude "
                            "leaves such rows out",
                            (long long)row,
                            source == ALCORE__OVER_LABELED_SIDE ? " of the labeled side"
                            : source == ALCORE__OVER_TARGET     ? " of the target"
                                                                : "",
                            (long long)j, isnan(values[j]) ? "NaN" : "infinite");
    }
    return ALCORE_OK;
}

alcore_status alcore__matrix_check(const alcore__matrix *matrix) {
    const alcore__run *run = matrix->block->run;
    alcore__matrix raw = *matrix;
    raw.rows.unit = 0;
    double *values;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)raw.rows.dims, sizeof *values, &values));
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < raw.block->count && status == ALCORE_OK; i++) {
        status = alcore__matrix_row(&raw, i, values);
        if (status == ALCORE_OK)
            status = alcore__vector_check(values, raw.rows.dims, run->source, raw.block->rows[i]);
    }
    alcore__free(run->ctx, values);
    return status;
}

alcore_status alcore__block_sum(alcore__block *block, bool unit, int64_t dims) {
    alcore__matrix matrix;
    double *sums;
    int64_t count;
    int32_t *all = block->bench->groups[1];
    ALCORE__TRY(alcore__block_matrix(block, unit, &matrix));
    ALCORE__TRY(alcore__block_payload(block, (size_t)dims * sizeof *sums, &sums));
    memset(all, 0, (size_t)block->count * sizeof *all);
    return alcore__matrix_group_sums(&matrix, all, 1, sums, &count);
}
