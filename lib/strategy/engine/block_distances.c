/* SPDX-License-Identifier: Apache-2.0 */
/* Distances of a block's members to rows of the target: the kernels work on runs of rows. */
#include <string.h>

#include "strategy/strategy.h"

/* Where the kernels' rows lie, with room for their outputs. */
typedef struct spread {
    uint8_t *take;
    double *out[2]; /* [rows, groups] */
} spread;

static void clear(const alcore__matrix *matrix, spread *wide) {
    alcore_ctx *ctx = matrix->block->run->ctx;
    alcore__free(ctx, wide->take);
    alcore__free(ctx, wide->out[0]);
    alcore__free(ctx, wide->out[1]);
}

static alcore_status make(const alcore__matrix *matrix, const uint8_t *which, int64_t groups,
                          int outputs, spread *out) {
    alcore_ctx *ctx = matrix->block->run->ctx;
    size_t rows = (size_t)matrix->rows.count;
    alcore_status status = alcore__new_array(ctx, rows, 1, &out->take);
    for (int i = 0; i < outputs && status == ALCORE_OK; i++)
        status = alcore__new_array(ctx, rows, (size_t)groups * sizeof(double), &out->out[i]);
    for (int64_t i = 0; i < matrix->block->count && status == ALCORE_OK; i++)
        out->take[alcore__matrix_place(matrix, i)] = which ? which[i] : 1;
    return status;
}

static void collect(const alcore__matrix *matrix, const spread *wide, int64_t groups, int output,
                    double *out) {
    size_t bytes = (size_t)groups * sizeof *out;
    for (int64_t i = 0; i < matrix->block->count; i++) {
        int64_t at = alcore__matrix_place(matrix, i);
        if (wide->take[at]) memcpy(out + i * groups, wide->out[output] + at * groups, bytes);
    }
}

alcore_status alcore__matrix_distances(const alcore__matrix *matrix, const uint8_t *which,
                                       const alcore_sys_rows *targets, const int32_t *group,
                                       int64_t groups, double *sums) {
    alcore_sys_work work = alcore__run_work(matrix->block->run);
    spread wide = {0};
    alcore_status status = make(matrix, which, groups, 1, &wide);
    if (status == ALCORE_OK) {
        status = matrix->block->run->input->engine.kernels->distance_sums(
            &work, &matrix->rows, wide.take, targets, group, groups, wide.out[0]);
    }
    if (status == ALCORE_OK) collect(matrix, &wide, groups, 0, sums);
    clear(matrix, &wide);
    return status;
}

alcore_status alcore__matrix_distance_bounds(const alcore__matrix *matrix,
                                             const alcore_sys_rows *targets, const int32_t *group,
                                             int64_t groups, double *low, double *high) {
    alcore_sys_work work = alcore__run_work(matrix->block->run);
    spread wide = {0};
    alcore_status status = make(matrix, NULL, groups, 2, &wide);
    if (status == ALCORE_OK) {
        status = matrix->block->run->input->engine.kernels->distance_bounds(
            &work, &matrix->rows, wide.take, targets, group, groups, wide.out[0], wide.out[1]);
    }
    if (status == ALCORE_OK) {
        collect(matrix, &wide, groups, 0, low);
        collect(matrix, &wide, groups, 1, high);
    }
    clear(matrix, &wide);
    return status;
}
