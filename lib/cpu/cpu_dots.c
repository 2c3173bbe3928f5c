/* SPDX-License-Identifier: Apache-2.0 */
/* Each row against one vector. */
#include "cpu/cpu_call.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_rows.h"

CPU_INLINE alcore_status widen_rows(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                    const uint8_t *take, double *out, int32_t dtype) {
    int64_t dims = rows->dims, spent = 0;
    for (int64_t i = 0; i < rows->count; i++) {
        if (take && !take[i]) continue;
        const char *row = cpu_row(rows, i, dtype);
        if (rows->unit) {
            cpu_unit_row(row, dims, dtype, out + i * dims);
        } else {
            cpu_widen_row(row, dims, dtype, 1.0, out + i * dims);
        }
        alcore_status status = alcore__cpu_poll(work, &spent, dims);
        if (status) return status;
    }
    return ALCORE_OK;
}

alcore_status CPU(widen)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                         const uint8_t *take, double *out) {
    alcore_status status = alcore__cpu_check(work, rows);
    if (status) return status;
    CPU_EACH_DTYPE(rows->dtype, status = widen_rows(work, rows, take, out, CPU_DTYPE));
    return status;
}

/* What is computed of a row. */
enum { AGAINST_SELF, AGAINST_DOT, AGAINST_SQD };

CPU_INLINE double against(const char *row, const double *vector, int64_t dims, int32_t dtype,
                          int what) {
    if (what == AGAINST_SELF) return cpu_self_dot(row, dims, dtype);
    if (what == AGAINST_DOT) return cpu_dot(row, vector, dims, dtype);
    return cpu_sqd(row, vector, dims, dtype);
}

CPU_INLINE alcore_status given_rows(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                    const uint8_t *take, const double *vector, double *out,
                                    int32_t dtype, int what) {
    int64_t spent = 0;
    for (int64_t i = 0; i < rows->count; i++) {
        if (take && !take[i]) continue;
        out[i] = against(cpu_row(rows, i, dtype), vector, rows->dims, dtype, what);
        alcore_status status = alcore__cpu_poll(work, &spent, rows->dims);
        if (status) return status;
    }
    return ALCORE_OK;
}

CPU_INLINE alcore_status unit_rows(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                   const uint8_t *take, const double *vector, double *out,
                                   int what) {
    int64_t spent = 0;
    double *unit;
    alcore_status status = alcore__cpu_new(work, rows->dims, sizeof *unit, &unit);
    for (int64_t i = 0; i < rows->count && !status; i++) {
        if (take && !take[i]) continue;
        CPU_EACH_DTYPE(rows->dtype,
                       cpu_unit_row(cpu_row(rows, i, CPU_DTYPE), rows->dims, CPU_DTYPE, unit));
        out[i] = against((const char *)unit, vector, rows->dims, ALCORE_FLOAT64, what);
        status = alcore__cpu_poll(work, &spent, rows->dims);
    }
    alcore__cpu_free(work, unit, rows->dims, sizeof *unit);
    return status;
}

CPU_INLINE alcore_status each_row(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                  const uint8_t *take, const double *vector, double *out,
                                  int what) {
    alcore_status status = alcore__cpu_check(work, rows);
    if (status) return status;
    if (rows->unit) return unit_rows(work, rows, take, vector, out, what);
    CPU_EACH_DTYPE(rows->dtype,
                   status = given_rows(work, rows, take, vector, out, CPU_DTYPE, what));
    return status;
}

alcore_status CPU(dots)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                        const uint8_t *take, const double *vector, double *out) {
    return each_row(work, rows, take, vector, out, AGAINST_DOT);
}

alcore_status CPU(self_dots)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                             const uint8_t *take, double *out) {
    return each_row(work, rows, take, NULL, out, AGAINST_SELF);
}

alcore_status CPU(sqds)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                        const uint8_t *take, const double *vector, double *out) {
    return each_row(work, rows, take, vector, out, AGAINST_SQD);
}
