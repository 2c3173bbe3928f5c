/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest centre of each row. */
#include "cpu/cpu_call.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_rows.h"

/* Of centres [count, dims] the nearest by sqd, the lowest among equals. */
CPU_INLINE void nearest_of_all(const char *row, const double *centres, int64_t count, int64_t dims,
                               int32_t dtype, int32_t *nearest, double *distance) {
    int32_t best = -1;
    double least = HUGE_VAL;
    for (int64_t c = 0; c < count; c++) {
        double sqd = cpu_sqd_within(row, centres + c * dims, dims, dtype, least);
        if (c == 0 || sqd < least) {
            best = (int32_t)c;
            least = sqd;
        }
    }
    *nearest = best;
    *distance = least;
}

CPU_INLINE alcore_status nearest_rows(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                      const int32_t *group, const int64_t *starts,
                                      const double *centres, double *unit, int32_t *nearest,
                                      double *distance, int32_t dtype) {
    int64_t spent = 0, dims = rows->dims;
    for (int64_t i = 0; i < rows->count; i++) {
        int32_t g = group[i];
        if (g < 0) continue;
        const double *own = centres + starts[g] * dims;
        int64_t count = starts[g + 1] - starts[g];
        const char *row = cpu_row(rows, i, dtype);
        if (rows->unit) {
            cpu_unit_row(row, dims, dtype, unit);
            nearest_of_all((const char *)unit, own, count, dims, ALCORE_FLOAT64, &nearest[i],
                           &distance[i]);
        } else {
            nearest_of_all(row, own, count, dims, dtype, &nearest[i], &distance[i]);
        }
        alcore_status status = alcore__cpu_poll(work, &spent, count * dims);
        if (status) return status;
    }
    return ALCORE_OK;
}

alcore_status CPU(nearest_centre)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                  const int32_t *group, int64_t groups, const int64_t *starts,
                                  const double *centres, int32_t *nearest, double *distance) {
    alcore_status status = alcore__cpu_check_groups(work, rows, group, groups);
    if (status) return status;
    double *unit = NULL;
    if (rows->unit) status = alcore__cpu_new(work, rows->dims, sizeof *unit, &unit);
    if (!status) {
        CPU_EACH_DTYPE(rows->dtype, status = nearest_rows(work, rows, group, starts, centres, unit,
                                                          nearest, distance, CPU_DTYPE));
    }
    alcore__cpu_free(work, unit, rows->dims, sizeof *unit);
    return status;
}
