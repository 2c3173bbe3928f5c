/* SPDX-License-Identifier: Apache-2.0 */
/* Each row against one vector: widen, dots, self_dots and sq_dists of the kernel table. One pass
 * over the rows in their own dtype. Cost: the memory bandwidth for rows that are not in cache. */
#include "engines/cpu/cpu_call.h"
#include "engines/cpu/cpu_engine.h"
#include "engines/cpu/cpu_rows.h"

/* What is computed of a row: its dot product with itself, that with the vector, its sq_dist
 * (squared L2 distance) to the vector, its components as double. */
enum { ROW_SELF, ROW_DOT, ROW_SQD, ROW_WIDE };

/* The four kernels of one row at a time: `what` (ROW_*) says which value of row i goes to out[i],
 * or for ROW_WIDE which dims values to out[i, dims]. vector [dims]; NULL for ROW_SELF and ROW_WIDE,
 * which have none. Rows that mask [rows] leaves out (0; NULL: all take part) are not written.
 * HUGE_VAL: the sq_dist is computed to its end, whatever it is. */
static alcore_status each_row(const alcore_sys_work *work, const alcore_sys_rows *rows,
                              const uint8_t *mask, const double *vector, double *out, int what) {
    alcore_status status = alcore__cpu_check(work, rows);
    if (status) return status;
    int64_t spent = 0, dims = rows->dims;
    double *unit = NULL;
    if (rows->unit) status = alcore__cpu_new(work, dims, sizeof *unit, &unit);
    int32_t dtype = cpu_row_dtype(rows);
    for (int64_t i = 0; i < rows->count && !status; i++) {
        if (mask && !mask[i]) continue;
        const char *row = cpu_row(rows, i, unit);
        if (what == ROW_SELF) out[i] = CPU(self_dot)(row, dims, dtype);
        if (what == ROW_DOT) out[i] = CPU(dot)(row, vector, dims, dtype);
        if (what == ROW_SQD) out[i] = CPU(sq_dist_within)(row, vector, dims, dtype, HUGE_VAL);
        if (what == ROW_WIDE) CPU(widen_row)(row, dims, dtype, out + i * dims);
        status = alcore__cpu_poll(work, &spent, dims);
    }
    alcore__cpu_free(work, unit, dims, sizeof *unit);
    return status;
}

/* The entries of the table (alcore/sys/kernel.h) that work so. */
alcore_status CPU(widen)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                         const uint8_t *mask, double *out) {
    return each_row(work, rows, mask, /*vector=*/NULL, out, ROW_WIDE);
}

alcore_status CPU(dots)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                        const uint8_t *mask, const double *vector, double *out) {
    return each_row(work, rows, mask, vector, out, ROW_DOT);
}

alcore_status CPU(self_dots)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                             const uint8_t *mask, double *out) {
    return each_row(work, rows, mask, /*vector=*/NULL, out, ROW_SELF);
}

alcore_status CPU(sq_dists)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                            const uint8_t *mask, const double *vector, double *out) {
    return each_row(work, rows, mask, vector, out, ROW_SQD);
}
