/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on one row, exactly as spec 1.8 writes it. dtype is a constant at every use, so that
 * each function is compiled for one number type. */
#ifndef ALCORE__CPU_ROWS_H
#define ALCORE__CPU_ROWS_H

#include <math.h>

#include "cpu/cpu_vector.h"

typedef struct cpu_lanes {
    cpu_vector v[CPU_VECTORS]; /* lane i is element i % CPU_WIDTH of v[i / CPU_WIDTH] */
} cpu_lanes;

/* The tree of spec 1.8: w = 16, 8, 4, 2, 1. */
CPU_INLINE double cpu_lanes_sum(cpu_lanes lanes) {
#pragma GCC unroll 8
    for (int w = CPU_VECTORS / 2; w > 0; w /= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < w; i++) lanes.v[i] += lanes.v[i + w];
    }
    double lane[CPU_WIDTH];
    cpu_store_double(lane, lanes.v[0]);
#pragma GCC unroll 8
    for (int w = CPU_WIDTH / 2; w > 0; w /= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < w; i++) lane[i] += lane[i + w];
    }
    return lane[0];
}

/* The last numbers of a row, filled up to 32 with zeros: a zero product leaves a lane's bits as
 * they are. */
CPU_INLINE void cpu_tail(char *tail, const char *row, int64_t done, int64_t dims, int32_t dtype) {
    size_t bytes = cpu_bytes(dtype);
    __builtin_memset(tail, 0, CPU_LANES * bytes);
    __builtin_memcpy(tail, row + (size_t)done * bytes, (size_t)(dims - done) * bytes);
}

/* lane[i] += row[j + i] * row[j + i] for i = 0..31 */
CPU_INLINE void cpu_step_self(cpu_lanes *lanes, const char *row, int64_t j, int32_t dtype) {
#pragma GCC unroll 8
    for (int i = 0; i < CPU_VECTORS; i++) {
        cpu_vector x = cpu_load(row, j + i * CPU_WIDTH, dtype);
        lanes->v[i] = cpu_add_square(x, lanes->v[i], dtype);
    }
}

CPU_INLINE void cpu_step_dot(cpu_lanes *lanes, const char *row, const double *vector, int64_t j,
                             int32_t dtype) {
#pragma GCC unroll 8
    for (int i = 0; i < CPU_VECTORS; i++) {
        lanes->v[i] +=
            cpu_load(row, j + i * CPU_WIDTH, dtype) * cpu_load_double(vector + j + i * CPU_WIDTH);
    }
}

CPU_INLINE void cpu_step_sqd(cpu_lanes *lanes, const char *row, const double *vector, int64_t j,
                             int32_t dtype) {
#pragma GCC unroll 8
    for (int i = 0; i < CPU_VECTORS; i++) {
        cpu_vector t =
            cpu_load(row, j + i * CPU_WIDTH, dtype) - cpu_load_double(vector + j + i * CPU_WIDTH);
        lanes->v[i] += t * t;
    }
}

/* dot(row, row) */
CPU_INLINE double cpu_self_dot(const char *row, int64_t dims, int32_t dtype) {
    cpu_lanes lanes = {0};
    int64_t j = 0;
    for (; j + CPU_LANES <= dims; j += CPU_LANES) cpu_step_self(&lanes, row, j, dtype);
    if (j < dims) {
        char tail[CPU_LANES * 8];
        cpu_tail(tail, row, j, dims, dtype);
        cpu_step_self(&lanes, tail, 0, dtype);
    }
    return cpu_lanes_sum(lanes);
}

/* dot(row, vector) */
CPU_INLINE double cpu_dot(const char *row, const double *vector, int64_t dims, int32_t dtype) {
    cpu_lanes lanes = {0};
    int64_t j = 0;
    for (; j + CPU_LANES <= dims; j += CPU_LANES) cpu_step_dot(&lanes, row, vector, j, dtype);
    if (j < dims) {
        char tail[CPU_LANES * 8];
        double vector_tail[CPU_LANES];
        cpu_tail(tail, row, j, dims, dtype);
        cpu_tail((char *)vector_tail, (const char *)vector, j, dims, ALCORE_FLOAT64);
        cpu_step_dot(&lanes, tail, vector_tail, 0, dtype);
    }
    return cpu_lanes_sum(lanes);
}

/* dot(row, row) and dot(row, vector) while the row passes once. */
CPU_INLINE double cpu_dot_both(const char *row, const double *vector, int64_t dims, int32_t dtype,
                               double *self) {
    cpu_lanes lanes = {0}, own = {0};
    int64_t j = 0;
    for (; j + CPU_LANES <= dims; j += CPU_LANES) {
        cpu_step_dot(&lanes, row, vector, j, dtype);
        cpu_step_self(&own, row, j, dtype);
    }
    if (j < dims) {
        char tail[CPU_LANES * 8];
        double vector_tail[CPU_LANES];
        cpu_tail(tail, row, j, dims, dtype);
        cpu_tail((char *)vector_tail, (const char *)vector, j, dims, ALCORE_FLOAT64);
        cpu_step_dot(&lanes, tail, vector_tail, 0, dtype);
        cpu_step_self(&own, tail, 0, dtype);
    }
    *self = cpu_lanes_sum(own);
    return cpu_lanes_sum(lanes);
}

/* Numbers between two looks at the partial sum in cpu_sqd_within. */
#define CPU_LOOK 128

/* sqd(row, vector), or early some value above `limit` when the sqd is above it. Every lane only
 * grows and rounded addition is monotone, so the tree over partial lanes is never above the tree
 * over the final ones: no bound is needed. A NaN compares false and goes on to the end. */
CPU_INLINE double cpu_sqd_within(const char *row, const double *vector, int64_t dims, int32_t dtype,
                                 double limit) {
    cpu_lanes lanes = {0};
    int64_t j = 0;
    while (limit < HUGE_VAL && j + 2 * CPU_LOOK <= dims) {
        int64_t end = j + CPU_LOOK;
        for (; j < end; j += CPU_LANES) cpu_step_sqd(&lanes, row, vector, j, dtype);
        double partial = cpu_lanes_sum(lanes);
        if (partial > limit) return partial;
    }
    for (; j + CPU_LANES <= dims; j += CPU_LANES) cpu_step_sqd(&lanes, row, vector, j, dtype);
    if (j < dims) {
        char tail[CPU_LANES * 8];
        double vector_tail[CPU_LANES];
        cpu_tail(tail, row, j, dims, dtype);
        cpu_tail((char *)vector_tail, (const char *)vector, j, dims, ALCORE_FLOAT64);
        cpu_step_sqd(&lanes, tail, vector_tail, 0, dtype);
    }
    return cpu_lanes_sum(lanes);
}

/* sqd(row, vector) */
CPU_INLINE double cpu_sqd(const char *row, const double *vector, int64_t dims, int32_t dtype) {
    return cpu_sqd_within(row, vector, dims, dtype, HUGE_VAL);
}

/* out[j] = row[j] / divisor; a divisor of 1 changes no bit. */
CPU_INLINE void cpu_widen_row(const char *row, int64_t dims, int32_t dtype, double divisor,
                              double *out) {
    int64_t j = 0;
    if (divisor == 1.0) {
        for (; j + CPU_WIDTH <= dims; j += CPU_WIDTH)
            cpu_store_double(out + j, cpu_load(row, j, dtype));
    } else {
        for (; j + CPU_WIDTH <= dims; j += CPU_WIDTH) {
            cpu_store_double(out + j, cpu_load(row, j, dtype) / divisor);
        }
    }
    if (j < dims) {
        char tail[CPU_LANES * 8];
        double wide[CPU_WIDTH];
        cpu_tail(tail, row, j, dims, dtype);
        cpu_store_double(wide, cpu_load(tail, 0, dtype) / divisor);
        __builtin_memcpy(out + j, wide, (size_t)(dims - j) * sizeof *out);
    }
}

/* out[j] = row[j] rounded to float32 */
CPU_INLINE void cpu_float_row(const char *row, int64_t dims, int32_t dtype, float *out) {
    int64_t j = 0;
    for (; j + CPU_WIDTH <= dims; j += CPU_WIDTH) {
        cpu_half_vector v = cpu_load_float(row, j, dtype);
        __builtin_memcpy(out + j, &v, sizeof v);
    }
    if (j < dims) {
        char tail[CPU_LANES * 8];
        cpu_tail(tail, row, j, dims, dtype);
        cpu_half_vector v = cpu_load_float(tail, 0, dtype);
        __builtin_memcpy(out + j, &v, (size_t)(dims - j) * sizeof *out);
    }
}

/* Below this norm a vector counts as zero (spec 1.5). */
#define CPU_ZERO_NORM 1e-12

/* out = unit(row) of spec 1.5 */
CPU_INLINE void cpu_unit_row(const char *row, int64_t dims, int32_t dtype, double *out) {
    double norm = sqrt(cpu_self_dot(row, dims, dtype));
    if (norm < CPU_ZERO_NORM) {
        __builtin_memset(out, 0, (size_t)dims * sizeof *out);
    } else {
        cpu_widen_row(row, dims, dtype, norm, out);
    }
}

/* cos(a, b) from dot(a, b) and the norms (spec 1.5). */
CPU_INLINE double cpu_cosine(double dot, double norm_a, double norm_b) {
    if (norm_a < CPU_ZERO_NORM || norm_b < CPU_ZERO_NORM) return 0.0;
    double cosine = dot / (norm_a * norm_b);
    if (cosine > 1.0 - 1e-12) return 1.0;
    if (cosine < -(1.0 - 1e-12)) return -1.0;
    return cosine;
}

CPU_INLINE const char *cpu_row(const alcore_sys_rows *rows, int64_t i, int32_t dtype) {
    return (const char *)rows->data + i * rows->stride * (int64_t)cpu_bytes(dtype);
}

/* Runs `call`, an expression with the constant dtype CPU_DTYPE, for the dtype of rows. */
#define CPU_EACH_DTYPE(dtype, call)                                                                \
    do {                                                                                           \
        switch (dtype) {                                                                           \
        case ALCORE_FLOAT16: {                                                                     \
            enum { CPU_DTYPE = ALCORE_FLOAT16 };                                                   \
            call;                                                                                  \
            break;                                                                                 \
        }                                                                                          \
        case ALCORE_BFLOAT16: {                                                                    \
            enum { CPU_DTYPE = ALCORE_BFLOAT16 };                                                  \
            call;                                                                                  \
            break;                                                                                 \
        }                                                                                          \
        case ALCORE_FLOAT32: {                                                                     \
            enum { CPU_DTYPE = ALCORE_FLOAT32 };                                                   \
            call;                                                                                  \
            break;                                                                                 \
        }                                                                                          \
        default: {                                                                                 \
            enum { CPU_DTYPE = ALCORE_FLOAT64 };                                                   \
            call;                                                                                  \
            break;                                                                                 \
        }                                                                                          \
        }                                                                                          \
    } while (0)

#endif
