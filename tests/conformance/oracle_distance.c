/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "kernel_oracle.h"

/* One distance after the other, in target order. */
static void add_distances(const double *row, double *const *targets, int64_t count, int64_t dims,
                          const int32_t *group, int64_t groups, double *sums) {
    for (int64_t g = 0; g < groups; g++) sums[g] = 0.0;
    for (int64_t t = 0; t < count; t++) {
        int32_t g = group ? group[t] : 0;
        if (g >= 0) sums[g] += sqrt(oracle_sq_dist(row, targets[t], dims));
    }
}

alcore_status oracle_distance_sums(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                   const uint8_t *mask, const alcore_sys_rows *targets,
                                   const int32_t *group, int64_t groups, double *sums) {
    (void)work;
    double **wide = malloc((size_t)(targets->count + 1) * sizeof *wide);
    if (!wide) abort();
    for (int64_t t = 0; t < targets->count; t++) wide[t] = oracle_row(targets, t);
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        double *row = oracle_row(rows, i);
        add_distances(row, wide, targets->count, rows->dims, group, groups, sums + i * groups);
        free(row);
    }
    for (int64_t t = 0; t < targets->count; t++) free(wide[t]);
    free(wide);
    return ALCORE_OK;
}

/* The interval that is no wider than a point. */
alcore_status oracle_distance_bounds(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                     const uint8_t *mask, const alcore_sys_rows *targets,
                                     const int32_t *group, int64_t groups, double *low,
                                     double *high) {
    oracle_distance_sums(work, rows, mask, targets, group, groups, low);
    return oracle_distance_sums(work, rows, mask, targets, group, groups, high);
}
