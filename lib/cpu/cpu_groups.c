/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by group (stratum, cluster): sums, and each row against the centre of its group. */
#include <string.h>

#include "cpu/cpu_call.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_rows.h"

/* Rows of a group that are added in one pass over its sums. */
#define TOGETHER 4

/* sums[j] = sums[j] + row 0 [j] + row 1 [j] ..., from the left: the running sum in row order. */
CPU_INLINE void add_rows(const char *const *row, int count, int64_t dims, int32_t dtype,
                         double *sums) {
    int64_t j = 0;
    for (; j + CPU_WIDTH <= dims; j += CPU_WIDTH) {
        cpu_vector sum = cpu_load_double(sums + j);
#pragma GCC unroll 4
        for (int r = 0; r < count; r++) sum += cpu_load(row[r], j, dtype);
        cpu_store_double(sums + j, sum);
    }
    if (j < dims) {
        char tail[CPU_LANES * 8];
        double sum[CPU_WIDTH] = {0};
        memcpy(sum, sums + j, (size_t)(dims - j) * sizeof *sums);
        cpu_vector v = cpu_load_double(sum);
        for (int r = 0; r < count; r++) {
            cpu_tail(tail, row[r], j, dims, dtype);
            v += cpu_load(tail, 0, dtype);
        }
        cpu_store_double(sum, v);
        memcpy(sums + j, sum, (size_t)(dims - j) * sizeof *sums);
    }
}

/* The rows of a group that wait to be added. */
typedef struct waiting {
    int64_t row[TOGETHER];
} waiting;

CPU_INLINE void add_waiting(const alcore_sys_rows *rows, const waiting *wait, int count,
                            int32_t dtype, double *unit, double *sums) {
    const char *row[TOGETHER];
    for (int r = 0; r < count; r++) {
        row[r] = cpu_row(rows, wait->row[r], dtype);
        if (rows->unit) {
            cpu_unit_row(row[r], rows->dims, dtype, unit + r * rows->dims);
            row[r] = (const char *)(unit + r * rows->dims);
        }
    }
    if (rows->unit) {
        if (count == TOGETHER) {
            add_rows(row, TOGETHER, rows->dims, ALCORE_FLOAT64, sums);
        } else {
            for (int r = 0; r < count; r++) add_rows(row + r, 1, rows->dims, ALCORE_FLOAT64, sums);
        }
    } else if (count == TOGETHER) {
        add_rows(row, TOGETHER, rows->dims, dtype, sums);
    } else {
        for (int r = 0; r < count; r++) add_rows(row + r, 1, rows->dims, dtype, sums);
    }
}

CPU_INLINE alcore_status sum_rows(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                  const int32_t *group, int64_t groups, double *sums,
                                  int64_t *counts, waiting *wait, double *unit, int32_t dtype) {
    int64_t spent = 0;
    for (int64_t i = 0; i < rows->count; i++) {
        int32_t g = group[i];
        if (g < 0) continue;
        int64_t at = counts[g]++ % TOGETHER;
        wait[g].row[at] = i;
        if (at < TOGETHER - 1) continue;
        add_waiting(rows, &wait[g], TOGETHER, dtype, unit, sums + g * rows->dims);
        alcore_status status = alcore__cpu_poll(work, &spent, TOGETHER * rows->dims);
        if (status) return status;
    }
    for (int64_t g = 0; g < groups; g++) {
        add_waiting(rows, &wait[g], (int)(counts[g] % TOGETHER), dtype, unit,
                    sums + g * rows->dims);
    }
    return ALCORE_OK;
}

alcore_status CPU(group_sums)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                              const int32_t *group, int64_t groups, double *sums, int64_t *counts) {
    alcore_status status = alcore__cpu_check_groups(work, rows, group, groups);
    if (status) return status;
    waiting *wait = NULL;
    double *unit = NULL;
    status = alcore__cpu_new(work, groups, sizeof *wait, &wait);
    if (!status && rows->unit)
        status = alcore__cpu_new(work, rows->dims, TOGETHER * sizeof *unit, &unit);
    if (!status) {
        memset(sums, 0, (size_t)groups * (size_t)rows->dims * sizeof *sums);
        memset(counts, 0, (size_t)groups * sizeof *counts);
        CPU_EACH_DTYPE(rows->dtype, status = sum_rows(work, rows, group, groups, sums, counts, wait,
                                                      unit, CPU_DTYPE));
    }
    alcore__cpu_free(work, unit, rows->dims, TOGETHER * sizeof *unit);
    alcore__cpu_free(work, wait, groups, sizeof *wait);
    return status;
}

CPU_INLINE double distance(const char *row, const double *centre, double centre_norm, int64_t dims,
                           int32_t dtype, int cosine) {
    if (!cosine) return cpu_sqd(row, centre, dims, dtype);
    double self, dot = cpu_dot_both(row, centre, dims, dtype, &self);
    return 1.0 - cpu_cosine(dot, sqrt(self), centre_norm);
}

CPU_INLINE alcore_status distance_rows(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                       const int32_t *group, const double *centres, double *norms,
                                       double *unit, double *out, int cosine, int32_t dtype) {
    int64_t spent = 0;
    for (int64_t i = 0; i < rows->count; i++) {
        int32_t g = group[i];
        if (g < 0) continue;
        const double *centre = centres + g * rows->dims;
        if (cosine && norms[g] < 0.0) {
            norms[g] = sqrt(cpu_self_dot((const char *)centre, rows->dims, ALCORE_FLOAT64));
        }
        double norm = cosine ? norms[g] : 0.0;
        const char *row = cpu_row(rows, i, dtype);
        if (rows->unit) {
            cpu_unit_row(row, rows->dims, dtype, unit);
            out[i] = distance((const char *)unit, centre, norm, rows->dims, ALCORE_FLOAT64, cosine);
        } else {
            out[i] = distance(row, centre, norm, rows->dims, dtype, cosine);
        }
        alcore_status status = alcore__cpu_poll(work, &spent, 2 * rows->dims);
        if (status) return status;
    }
    return ALCORE_OK;
}

static alcore_status group_distance(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                    const int32_t *group, int64_t groups, const double *centres,
                                    double *out, int cosine) {
    alcore_status status = alcore__cpu_check_groups(work, rows, group, groups);
    if (status) return status;
    double *norms = NULL, *unit = NULL;
    if (cosine) status = alcore__cpu_new(work, groups, sizeof *norms, &norms);
    if (!status && rows->unit) status = alcore__cpu_new(work, rows->dims, sizeof *unit, &unit);
    if (!status) {
        /* -1: not yet known. A group that has no row here costs nothing. */
        for (int64_t g = 0; cosine && g < groups; g++) norms[g] = -1.0;
        if (cosine) {
            CPU_EACH_DTYPE(rows->dtype, status = distance_rows(work, rows, group, centres, norms,
                                                               unit, out, 1, CPU_DTYPE));
        } else {
            CPU_EACH_DTYPE(rows->dtype, status = distance_rows(work, rows, group, centres, norms,
                                                               unit, out, 0, CPU_DTYPE));
        }
    }
    alcore__cpu_free(work, unit, rows->dims, sizeof *unit);
    alcore__cpu_free(work, norms, groups, sizeof *norms);
    return status;
}

alcore_status CPU(group_cosine)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                const int32_t *group, int64_t groups, const double *centres,
                                double *out) {
    return group_distance(work, rows, group, groups, centres, out, 1);
}

alcore_status CPU(group_sqds)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                              const int32_t *group, int64_t groups, const double *centres,
                              double *out) {
    return group_distance(work, rows, group, groups, centres, out, 0);
}
