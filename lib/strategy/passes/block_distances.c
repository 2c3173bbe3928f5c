/* SPDX-License-Identifier: Apache-2.0 */
/* Distances of a block's active rows to rows of the target, summed by the group (language) of the
 * target rows:
 *
 *   sums[i, g] = sum over target rows t of group g of ||e(i) - e(t)||
 *
 * Strategies call these functions in a pass over candidates, once for each block of the target,
 * with its embeddings as `targets`. Active rows of a block are those that take part, numbered by
 * their index 0 .. block->count - 1; matrix rows are the rows of `matrix` that kernels see, with
 * inactive ones between the active ones. So each function writes a mask by matrix row, calls the
 * kernel, and copies the entries of the active rows to out. Temporary arrays lie on the scratch
 * stack until the function returns; after a failure the runner empties it. */
#include <string.h>

#include "strategy/passes/runner.h"

/* What the kernel is given, by matrix row; on the scratch stack. */
typedef struct spread {
    uint8_t *mask;  /* [matrix rows] 1: the row's distances are computed */
    double *out[2]; /* [matrix rows, groups] the sums, and out[1] not used; or low and high */
} spread;

/* Makes what a kernel is given: the mask of the wanted rows by matrix row, and `outputs` (1 or 2)
 * arrays [matrix rows, groups], uninitialized. wanted [active rows] 1 or 0; NULL: all are. */
static alcore_status push_spread(const alcore__matrix *matrix, const uint8_t *wanted,
                                 int64_t groups, int outputs, spread *out) {
    alcore__block *block = matrix->block;
    int64_t rows = matrix->rows.count;
    ALCORE__TRY(alcore__scratch_push(block, rows, sizeof *out->mask, &out->mask));
    for (int i = 0; i < outputs; i++)
        ALCORE__TRY(
            alcore__scratch_push(block, rows, (size_t)groups * sizeof(double), &out->out[i]));
    memset(out->mask, 0, (size_t)rows);
    for (int64_t i = 0; i < block->count; i++)
        out->mask[alcore__matrix_row_of(matrix, i)] = wanted ? wanted[i] : 1;
    return ALCORE_OK;
}

/* Copies one output of the kernel, by_row->out[output], to out [active rows, groups] by index; the
 * entries of rows that are not wanted are left as they were. */
static void collect(const alcore__matrix *matrix, const spread *by_row, int64_t groups, int output,
                    double *out) {
    for (int64_t i = 0; i < matrix->block->count; i++) {
        int64_t matrix_row = alcore__matrix_row_of(matrix, i);
        if (!by_row->mask[matrix_row]) continue;
        memcpy(out + i * groups, by_row->out[output] + matrix_row * groups,
               (size_t)groups * sizeof *out);
    }
}

alcore_status alcore__matrix_distances(const alcore__matrix *matrix, const uint8_t *wanted,
                                       const alcore_sys_rows *targets, const int32_t *group,
                                       int64_t groups, double *sums) {
    alcore__scratch_mark mark = alcore__scratch_get_mark(matrix->block);
    spread by_row;
    ALCORE__TRY(push_spread(matrix, wanted, groups, 1 /* output: sums */, &by_row));
    ALCORE__TRY(ALCORE__KERNEL(matrix->block->run, distance_sums, &matrix->rows, by_row.mask,
                               targets, group, groups, by_row.out[0]));
    collect(matrix, &by_row, groups, 0 /* sums */, sums);
    alcore__scratch_release(matrix->block, mark);
    return ALCORE_OK;
}

alcore_status alcore__matrix_distance_bounds(const alcore__matrix *matrix,
                                             const alcore_sys_rows *targets, const int32_t *group,
                                             int64_t groups, double *low, double *high) {
    alcore_sys_work work;
    ALCORE__TRY(alcore__matrix_work(matrix, ALCORE_SYS_L2, targets->count, &work));
    alcore__scratch_mark mark = alcore__scratch_get_mark(matrix->block);
    spread by_row;
    ALCORE__TRY(push_spread(matrix, NULL /* all rows */, groups, 2 /* low, high */, &by_row));
    ALCORE__TRY(alcore__run_kernels(matrix->block->run)
                    ->distance_bounds(&work, &matrix->rows, by_row.mask, targets, group, groups,
                                      by_row.out[0], by_row.out[1]));
    collect(matrix, &by_row, groups, 0 /* low */, low);
    collect(matrix, &by_row, groups, 1 /* high */, high);
    alcore__scratch_release(matrix->block, mark);
    return ALCORE_OK;
}

alcore_status alcore__matrix_join_nearest(const alcore__matrix *matrix, const uint8_t *wanted,
                                          const alcore_sys_rows *targets,
                                          const uint8_t *target_mask, double *sq_dist) {
    alcore__block *block = matrix->block;
    const alcore_sys_search search = {.size = sizeof search, .metric = ALCORE_SYS_L2};
    alcore_sys_work work;
    ALCORE__TRY(alcore__matrix_work(matrix, search.metric, targets->count, &work));
    alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    spread by_row;    /* out[0]: [matrix rows] squared distance to the nearest target */
    int64_t *nearest; /* [matrix rows] row of that target; -1: none */
    ALCORE__TRY(push_spread(matrix, wanted, 1 /* group */, 1 /* output */, &by_row));
    ALCORE__TRY(alcore__scratch_push(block, matrix->rows.count, sizeof *nearest, &nearest));
    for (int64_t i = 0; i < matrix->rows.count; i++) nearest[i] = -1; /* none is known yet */
    const alcore_sys_best best = {.k = 1, .row = nearest, .value = by_row.out[0]};
    ALCORE__TRY(alcore__run_kernels(block->run)
                    ->knn(&work, &matrix->rows, by_row.mask, targets, target_mask, &search,
                          NULL /* neighbors of targets are not wanted */, &best));
    for (int64_t i = 0; i < block->count; i++) {
        int64_t matrix_row = alcore__matrix_row_of(matrix, i);
        if (nearest[matrix_row] >= 0 && by_row.out[0][matrix_row] < sq_dist[i])
            sq_dist[i] = by_row.out[0][matrix_row];
    }
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}
