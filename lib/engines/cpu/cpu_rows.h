/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on one row of any dtype, exactly as spec 1.8 writes it (cpu_rows.c): row holds dims
 * components of type dtype, vector dims doubles. */
#ifndef ALCORE__CPU_ROWS_H
#define ALCORE__CPU_ROWS_H

#include <math.h>

#include "engines/cpu/cpu_vector.h"

/* dot(row, row) */
double CPU(self_dot)(const char *row, int64_t dims, int32_t dtype);

/* dot(row, vector) */
double CPU(dot)(const char *row, const double *vector, int64_t dims, int32_t dtype);

/* Returns dot(row, vector) and puts dot(row, row) into *self, reading the row once. */
double CPU(dot_both)(const char *row, const double *vector, int64_t dims, int32_t dtype,
                     double *self);

/* sq_dist(row, vector); when it is above `limit`, possibly another value above `limit`, computed
 * from fewer components. HUGE_VAL: always the sq_dist. */
double CPU(sq_dist_within)(const char *row, const double *vector, int64_t dims, int32_t dtype,
                           double limit);

/* out[j] = row[j], widened exactly */
void CPU(widen_row)(const char *row, int64_t dims, int32_t dtype, double *out);

/* out[j] = row[j] rounded to float32 */
void CPU(float_row)(const char *row, int64_t dims, int32_t dtype, float *out);

/* sq_dist and dot of two float32 rows, row and other [dims], in float32, in an order that depends
 * on the engine: for filters. Every term passes through fewer than CPU_FLOAT_CHAIN(dims) roundings.
 */
float CPU(float_sq_dist)(const float *row, const float *other, int64_t dims);
float CPU(float_dot)(const float *row, const float *other, int64_t dims);
#define CPU_FLOAT_CHAIN(dims) ((double)((dims) / (4 * 4) + 32))

/* out = unit(row) of spec 1.5 */
void CPU(unit_row)(const char *row, int64_t dims, int32_t dtype, double *out);

/* Rows that CPU(add_rows) can add in one pass over the sums. */
#define CPU_TOGETHER 4

/* sums[j] = sums[j] + row 0 [j] + row 1 [j] ..., from the left, for `count` rows: the running sum
 * in row order. */
void CPU(add_rows)(const char *const *row, int count, int64_t dims, int32_t dtype, double *sums);

/* Matrix row i as kernels read it, of type cpu_row_dtype(): in place, or for unit rows its unit
 * vector, which is written to unit [dims]. */
CPU_INLINE const char *cpu_row(const alcore_sys_rows *rows, int64_t i, double *unit) {
    const char *row =
        (const char *)rows->data + i * rows->stride * (int64_t)alcore_sys_dtype_bytes(rows->dtype);
    if (!rows->unit) return row;
    CPU(unit_row)(row, rows->dims, rows->dtype, unit);
    return (const char *)unit;
}

/* Prefetches matrix row i, which is read some time later, in an order that the processor cannot
 * predict: one cache line of 64 bytes after the other. */
CPU_INLINE void cpu_fetch_row(const alcore_sys_rows *rows, int64_t i) {
    int64_t bytes = (int64_t)alcore_sys_dtype_bytes(rows->dtype);
    const char *row = (const char *)rows->data + i * rows->stride * bytes;
    for (int64_t byte = 0; byte < rows->dims * bytes; byte += 64) __builtin_prefetch(row + byte);
}

/* The dtype of the rows that cpu_row() returns. */
CPU_INLINE int32_t cpu_row_dtype(const alcore_sys_rows *rows) {
    return rows->unit ? ALCORE_FLOAT64 : rows->dtype;
}

/* Below this norm a vector counts as zero (spec 1.5). */
#define CPU_ZERO_NORM 1e-12

/* cos(a, b) from dot(a, b) and the norms (spec 1.5). */
CPU_INLINE double cpu_cosine(double dot, double norm_a, double norm_b) {
    if (norm_a < CPU_ZERO_NORM || norm_b < CPU_ZERO_NORM) return 0.0;
    double cosine = dot / (norm_a * norm_b);
    if (cosine > 1.0 - 1e-12) return 1.0;
    if (cosine < -(1.0 - 1e-12)) return -1.0;
    return cosine;
}

#endif
