/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on one row of any number type, exactly as spec 1.8 writes it (cpu_rows.c). */
#ifndef ALCORE__CPU_ROWS_H
#define ALCORE__CPU_ROWS_H

#include <math.h>

#include "cpu/cpu_vector.h"

/* dot(row, row) */
double CPU(self_dot)(const char *row, int64_t dims, int32_t dtype);

/* dot(row, vector) */
double CPU(dot)(const char *row, const double *vector, int64_t dims, int32_t dtype);

/* dot(row, vector) and, in *self, dot(row, row) while the row passes once. */
double CPU(dot_both)(const char *row, const double *vector, int64_t dims, int32_t dtype,
                     double *self);

/* sq_dist(row, vector), or early some value above `limit` when the sq_dist is above it; HUGE_VAL:
 * always the sq_dist. */
double CPU(sq_dist_within)(const char *row, const double *vector, int64_t dims, int32_t dtype,
                           double limit);

/* out[j] = row[j], widened exactly */
void CPU(widen_row)(const char *row, int64_t dims, int32_t dtype, double *out);

/* out[j] = row[j] rounded to float32 */
void CPU(float_row)(const char *row, int64_t dims, int32_t dtype, float *out);

/* sq_dist and dot of two rows of float32 in float32, in some order. Every term passes through fewer
 * than CPU_FLOAT_CHAIN(dims) roundings. */
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

/* Row i as the caller is to read it: itself, or for unit rows its unit vector, which is put into
 * unit [dims]. */
CPU_INLINE const char *cpu_row(const alcore_sys_rows *rows, int64_t i, double *unit) {
    const char *row = (const char *)rows->data + i * rows->stride * (int64_t)cpu_bytes(rows->dtype);
    if (!rows->unit) return row;
    CPU(unit_row)(row, rows->dims, rows->dtype, unit);
    return (const char *)unit;
}

/* The number type of what cpu_row gives. */
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
