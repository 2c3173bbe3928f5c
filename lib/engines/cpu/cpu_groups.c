/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by group (stratum, cluster): sums by group, from which centroids are made, and the distance
 * of each row to the centroid of its group (HUDS: d(x) = 1 - cos(e(x), centroid of s(x))).
 *
 * sums[g, j] is the running sum in row order. Adding one row reads and writes dims sums; so up to
 * CPU_TOGETHER = 4 rows of a group are collected (their indices only) and added from the left in
 * one pass over the sums, which gives the same bytes for a quarter of the traffic. Cost: the time
 * to read the rows. */
#include <string.h>

#include "engines/cpu/cpu_call.h"
#include "engines/cpu/cpu_engine.h"
#include "engines/cpu/cpu_rows.h"

/* The matrix rows of one group that are collected and not added yet: the first counts[g] mod
 * CPU_TOGETHER entries. */
typedef struct group_queue {
    int64_t row[CPU_TOGETHER];
} group_queue;

/* Adds `count` collected rows, 0 to CPU_TOGETHER of them in the order of the matrix, to the sums
 * [dims] of their group. unit [CPU_TOGETHER, dims]: workspace for unit rows, NULL without them. */
static void add_queued(const alcore_sys_rows *rows, const group_queue *queue, int count,
                       double *unit, double *sums) {
    const char *row[CPU_TOGETHER];
    for (int r = 0; r < count; r++) {
        row[r] = cpu_row(rows, queue->row[r], rows->unit ? unit + r * rows->dims : NULL);
    }
    CPU(add_rows)(row, count, rows->dims, cpu_row_dtype(rows), sums);
}

/* Adds every row to the sums [groups, dims] of its group (group [rows], negative: none),
 * CPU_TOGETHER rows of a group at a time. queue [groups]: the rows not added yet; counts [groups]:
 * the rows of each group so far, so that counts mod CPU_TOGETHER of them are queued. These are
 * added at the end; the order within a group stays that of the rows. */
static alcore_status sum_rows(const alcore_sys_work *work, const alcore_sys_rows *rows,
                              const int32_t *group, int64_t groups, double *sums, int64_t *counts,
                              group_queue *queue, double *unit) {
    int64_t spent = 0;
    for (int64_t i = 0; i < rows->count; i++) {
        int32_t g = group[i];
        if (g < 0) continue;
        int64_t queued = counts[g]++ % CPU_TOGETHER;
        queue[g].row[queued] = i;
        cpu_fetch_row(rows, i);
        if (queued < CPU_TOGETHER - 1) continue; /* the queue is not full yet */
        add_queued(rows, &queue[g], CPU_TOGETHER, unit, sums + g * rows->dims);
        alcore_status status = alcore__cpu_poll(work, &spent, CPU_TOGETHER * rows->dims);
        if (status) return status;
    }
    for (int64_t g = 0; g < groups; g++) {
        add_queued(rows, &queue[g], (int)(counts[g] % CPU_TOGETHER), unit, sums + g * rows->dims);
    }
    return ALCORE_OK;
}

/* The rows of a group are summed CPU_TOGETHER at a time (sum_rows()). */
alcore_status CPU(group_sums)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                              const int32_t *group, int64_t groups, double *sums, int64_t *counts) {
    alcore_status status = alcore__cpu_check_groups(work, rows, group, groups);
    if (status) return status;
    group_queue *queue = NULL;
    double *unit = NULL;
    cpu_arrays arrays = {.work = work};
    alcore__cpu_add(&arrays, groups, sizeof *queue, &queue);
    if (rows->unit) alcore__cpu_add(&arrays, rows->dims, CPU_TOGETHER * sizeof *unit, &unit);
    status = arrays.status;
    if (!status) {
        /* Without groups the arrays may be NULL, which memset() must not be given. */
        if (groups > 0 && rows->dims > 0)
            memset(sums, 0, (size_t)groups * (size_t)rows->dims * sizeof *sums);
        if (groups > 0) memset(counts, 0, (size_t)groups * sizeof *counts);
        status = sum_rows(work, rows, group, groups, sums, counts, queue, unit);
    }
    alcore__cpu_release(&arrays);
    return status;
}

/* out[i], for each row that has a group (group [rows], negative: none, and out[i] is not written):
 * its cosine distance 1 - cos to that group's centroid, centroids [groups, dims]. norms [groups]:
 * norm of each centroid, -1 until a row of the group needs it. unit [dims]: workspace for unit
 * rows, NULL without them. */
static alcore_status distance_rows(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                   const int32_t *group, const double *centroids, double *norms,
                                   double *unit, double *out) {
    int64_t spent = 0, dims = rows->dims;
    int32_t dtype = cpu_row_dtype(rows);
    for (int64_t i = 0; i < rows->count; i++) {
        int32_t g = group[i];
        if (g < 0) continue;
        const double *centroid = centroids + g * dims;
        const char *row = cpu_row(rows, i, unit);
        if (norms[g] < 0.0)
            norms[g] = sqrt(CPU(self_dot)((const char *)centroid, dims, ALCORE_FLOAT64));
        double self, dot = CPU(dot_both)(row, centroid, dims, dtype, &self);
        out[i] = 1.0 - cpu_cosine(dot, sqrt(self), norms[g]);
        alcore_status status = alcore__cpu_poll(work, &spent, 2 * dims);
        if (status) return status;
    }
    return ALCORE_OK;
}

/* The norm of a centroid is computed when the first row of its group needs it. */
alcore_status CPU(group_cosine)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                const int32_t *group, int64_t groups, const double *centroids,
                                double *out) {
    alcore_status status = alcore__cpu_check_groups(work, rows, group, groups);
    if (status) return status;
    double *norms = NULL, *unit = NULL;
    cpu_arrays arrays = {.work = work};
    alcore__cpu_add(&arrays, groups, sizeof *norms, &norms);
    if (rows->unit) alcore__cpu_add(&arrays, rows->dims, sizeof *unit, &unit);
    status = arrays.status;
    if (!status) {
        /* Computed lazily: a group that has no row in this call costs nothing. */
        for (int64_t g = 0; g < groups; g++) norms[g] = -1.0;
        status = distance_rows(work, rows, group, centroids, norms, unit, out);
    }
    alcore__cpu_release(&arrays);
    return status;
}
