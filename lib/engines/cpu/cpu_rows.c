/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on one row, exactly as spec 1.8 writes it: component j is added to lane j mod 32 of 32
 * running sums, which a tree reduces (w = 16, 8, 4, 2, 1). CPU_VECTORS vectors of CPU_WIDTH doubles
 * hold the lanes. Each function is written once for a constant dtype and inlined for the four
 * dtypes (EACH_DTYPE) in this file only, which keeps compile time small. The last dims mod 32
 * components go through a copy padded with zeros. The float32 sums at the end serve filters only
 * and have no prescribed order. In every function row is dims components of type dtype, and vector
 * dims doubles. Cost: the time to read the row. Products and sums are rounded apart, as they are
 * written, by -ffp-contract=off (cpu_vector.h). */
#include "engines/cpu/cpu_rows.h"

#include "engines/cpu/cpu_floats.h"

/* The 32 running sums: lane i is element i % CPU_WIDTH of v[i / CPU_WIDTH]. */
typedef struct lanes32 {
    cpu_vector v[CPU_VECTORS];
} lanes32;

/* The sum of the lanes by the tree of spec 1.8: for w = 16, 8, 4, 2, 1, lane[i] += lane[i + w] for
 * i < w. Steps as wide as a vector add vectors, the others halves of one. */
static double lanes_sum(lanes32 lanes) {
#pragma GCC unroll 8
    for (int w = CPU_VECTORS / 2; w > 0; w /= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < w; i++) lanes.v[i] += lanes.v[i + w];
    }
#if defined(__AVX512F__) || defined(__AVX2__)
#if defined(__AVX512F__)
    __m512d whole = (__m512d)lanes.v[0];
    __m256d half = _mm256_add_pd(_mm512_castpd512_pd256(whole), _mm512_extractf64x4_pd(whole, 1));
#else
    __m256d half = (__m256d)lanes.v[0];
#endif
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(half), _mm256_extractf128_pd(half, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
#else
    double lane[CPU_WIDTH];
    cpu_store_double(lane, lanes.v[0]);
#pragma GCC unroll 8
    for (int w = CPU_WIDTH / 2; w > 0; w /= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < w; i++) lane[i] += lane[i + w];
    }
    return lane[0];
#endif
}

/* Copies the components done .. dims - 1 of a row (fewer than 32) to tail [32], zeros behind them:
 * a zero product leaves the bits of a lane as they are. */
static void copy_tail(char *tail, const char *row, int64_t done, int64_t dims, int32_t dtype) {
    size_t bytes = alcore_sys_dtype_bytes(dtype);
    __builtin_memset(tail, 0, CPU_LANES * bytes);
    __builtin_memcpy(tail, row + (size_t)done * bytes, (size_t)(dims - done) * bytes);
}

/* lane[i] += row[j + i] * row[j + i] for i = 0..31. The row has these components, or is a tail that
 * copy_tail() filled up; so it is for the next two functions. cpu_add_square() is fused where that
 * gives the same bits: the square of a component is exact in double unless dtype is float64. */
CPU_INLINE void step_self(lanes32 *lanes, const char *row, int64_t j, int32_t dtype) {
#pragma GCC unroll 8
    for (int i = 0; i < CPU_VECTORS; i++) {
        cpu_vector x = cpu_load(row, j + i * CPU_WIDTH, dtype);
        lanes->v[i] = cpu_add_square(x, lanes->v[i], dtype);
    }
}

/* lane[i] += row[j + i] * vector[j + i] for i = 0..31, the product rounded first, which a fused
 * multiply-add would not do */
CPU_INLINE void step_dot(lanes32 *lanes, const char *row, const double *vector, int64_t j,
                         int32_t dtype) {
#pragma GCC unroll 8
    for (int i = 0; i < CPU_VECTORS; i++) {
        lanes->v[i] +=
            cpu_load(row, j + i * CPU_WIDTH, dtype) * cpu_load_double(vector + j + i * CPU_WIDTH);
    }
}

/* lane[i] += (row[j + i] - vector[j + i])^2 for i = 0..31, the square rounded first */
CPU_INLINE void step_sq_dist(lanes32 *lanes, const char *row, const double *vector, int64_t j,
                             int32_t dtype) {
#pragma GCC unroll 8
    for (int i = 0; i < CPU_VECTORS; i++) {
        cpu_vector t =
            cpu_load(row, j + i * CPU_WIDTH, dtype) - cpu_load_double(vector + j + i * CPU_WIDTH);
        lanes->v[i] += t * t;
    }
}

/* dot(row, row), the squared norm: 32 components a step, the rest from a copy with zeros behind,
 * which add nothing. */
CPU_INLINE double self_dot(const char *row, int64_t dims, int32_t dtype) {
    lanes32 lanes = {0};
    int64_t j = 0;
    for (; j + CPU_LANES <= dims; j += CPU_LANES) step_self(&lanes, row, j, dtype);
    if (j < dims) {
        char tail[CPU_LANES * 8];
        copy_tail(tail, row, j, dims, dtype);
        step_self(&lanes, tail, 0, dtype);
    }
    return lanes_sum(lanes);
}

/* dot(row, vector) */
CPU_INLINE double dot(const char *row, const double *vector, int64_t dims, int32_t dtype) {
    lanes32 lanes = {0};
    int64_t j = 0;
    for (; j + CPU_LANES <= dims; j += CPU_LANES) step_dot(&lanes, row, vector, j, dtype);
    if (j < dims) {
        char tail[CPU_LANES * 8];
        double vector_tail[CPU_LANES];
        copy_tail(tail, row, j, dims, dtype);
        copy_tail((char *)vector_tail, (const char *)vector, j, dims, ALCORE_FLOAT64);
        step_dot(&lanes, tail, vector_tail, 0, dtype);
    }
    return lanes_sum(lanes);
}

/* Returns dot(row, vector) and puts dot(row, row) into *self, reading the row once; both have the
 * bits of dot() and self_dot(), as each has lanes of its own. */
CPU_INLINE double dot_both(const char *row, const double *vector, int64_t dims, int32_t dtype,
                           double *self) {
    lanes32 lanes = {0}, squares = {0};
    int64_t j = 0;
    for (; j + CPU_LANES <= dims; j += CPU_LANES) {
        step_dot(&lanes, row, vector, j, dtype);
        step_self(&squares, row, j, dtype);
    }
    if (j < dims) {
        char tail[CPU_LANES * 8];
        double vector_tail[CPU_LANES];
        copy_tail(tail, row, j, dims, dtype);
        copy_tail((char *)vector_tail, (const char *)vector, j, dims, ALCORE_FLOAT64);
        step_dot(&lanes, tail, vector_tail, 0, dtype);
        step_self(&squares, tail, 0, dtype);
    }
    *self = lanes_sum(squares);
    return lanes_sum(lanes);
}

/* Components between two comparisons of the partial sum with the limit in sq_dist_within(). */
#define LIMIT_INTERVAL 128

/* sq_dist(row, vector), the squared L2 distance, or as soon as a partial sum is above `limit`, that
 * partial sum. Lanes only grow and rounded addition is monotone, so the tree over partial lanes is
 * never above the tree over the final ones: the sq_dist is then above the limit too. HUGE_VAL: no
 * limit. With a NaN all comparisons are false, and the result is NaN. */
CPU_INLINE double sq_dist_within(const char *row, const double *vector, int64_t dims, int32_t dtype,
                                 double limit) {
    lanes32 lanes = {0};
    int64_t j = 0;
    while (limit < HUGE_VAL && j + 2 * LIMIT_INTERVAL <= dims) {
        int64_t end = j + LIMIT_INTERVAL;
        for (; j < end; j += CPU_LANES) step_sq_dist(&lanes, row, vector, j, dtype);
        double partial = lanes_sum(lanes);
        if (partial > limit) return partial;
    }
    for (; j + CPU_LANES <= dims; j += CPU_LANES) step_sq_dist(&lanes, row, vector, j, dtype);
    if (j < dims) {
        char tail[CPU_LANES * 8];
        double vector_tail[CPU_LANES];
        copy_tail(tail, row, j, dims, dtype);
        copy_tail((char *)vector_tail, (const char *)vector, j, dims, ALCORE_FLOAT64);
        step_sq_dist(&lanes, tail, vector_tail, 0, dtype);
    }
    return lanes_sum(lanes);
}

/* out [dims]: row / divisor in double; a divisor of 1 changes no bit. Called by CPU(widen_row) with
 * 1 and by CPU(unit_row) with the norm of the row. The last dims % CPU_WIDTH components go through
 * a padded copy. */
CPU_INLINE void widen_row(const char *row, int64_t dims, int32_t dtype, double divisor,
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
        copy_tail(tail, row, j, dims, dtype);
        cpu_store_double(wide, cpu_load(tail, 0, dtype) / divisor);
        __builtin_memcpy(out + j, wide, (size_t)(dims - j) * sizeof *out);
    }
}

/* out[j] = row[j] rounded to float32; the last components go through a copy, so that nothing behind
 * the row is read and nothing behind out written. */
CPU_INLINE void float_row(const char *row, int64_t dims, int32_t dtype, float *out) {
    int64_t j = 0;
    for (; j + CPU_WIDTH <= dims; j += CPU_WIDTH) {
        cpu_half_vector v = cpu_load_float(row, j, dtype);
        __builtin_memcpy(out + j, &v, sizeof v);
    }
    if (j < dims) {
        char tail[CPU_LANES * 8];
        copy_tail(tail, row, j, dims, dtype);
        cpu_half_vector v = cpu_load_float(tail, 0, dtype);
        __builtin_memcpy(out + j, &v, (size_t)(dims - j) * sizeof *out);
    }
}

/* sums [dims]: sums[j] = sums[j] + rows[0][j] + rows[1][j] + ..., from the left, for `count` rows
 * (a constant): the running sum in row order. Called by CPU(add_rows); the last dims % CPU_WIDTH
 * components go through padded copies. */
CPU_INLINE void add_rows(const char *const *rows, int count, int64_t dims, int32_t dtype,
                         double *sums) {
    const char *row[CPU_TOGETHER]; /* copies: writing sums cannot change them */
    for (int r = 0; r < count; r++) row[r] = rows[r];
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
        __builtin_memcpy(sum, sums + j, (size_t)(dims - j) * sizeof *sums);
        cpu_vector v = cpu_load_double(sum);
        for (int r = 0; r < count; r++) {
            copy_tail(tail, row[r], j, dims, dtype);
            v += cpu_load(tail, 0, dtype);
        }
        cpu_store_double(sum, v);
        __builtin_memcpy(sums + j, sum, (size_t)(dims - j) * sizeof *sums);
    }
}

/* Runs the statement `call` with ROW_DTYPE as a constant equal to the variable `dtype`. */
#define EACH_DTYPE(call)                                                                           \
    do {                                                                                           \
        if (dtype == ALCORE_FLOAT32) {                                                             \
            enum { ROW_DTYPE = ALCORE_FLOAT32 };                                                   \
            call;                                                                                  \
        } else if (dtype == ALCORE_FLOAT64) {                                                      \
            enum { ROW_DTYPE = ALCORE_FLOAT64 };                                                   \
            call;                                                                                  \
        } else if (dtype == ALCORE_FLOAT16) {                                                      \
            enum { ROW_DTYPE = ALCORE_FLOAT16 };                                                   \
            call;                                                                                  \
        } else {                                                                                   \
            enum { ROW_DTYPE = ALCORE_BFLOAT16 };                                                  \
            call;                                                                                  \
        }                                                                                          \
    } while (0)

/* The functions of cpu_rows.h: each chooses the version above that was compiled for its dtype. */

double CPU(self_dot)(const char *row, int64_t dims, int32_t dtype) {
    EACH_DTYPE(return self_dot(row, dims, ROW_DTYPE));
}

double CPU(dot)(const char *row, const double *vector, int64_t dims, int32_t dtype) {
    EACH_DTYPE(return dot(row, vector, dims, ROW_DTYPE));
}

double CPU(dot_both)(const char *row, const double *vector, int64_t dims, int32_t dtype,
                     double *self) {
    EACH_DTYPE(return dot_both(row, vector, dims, ROW_DTYPE, self));
}

double CPU(sq_dist_within)(const char *row, const double *vector, int64_t dims, int32_t dtype,
                           double limit) {
    EACH_DTYPE(return sq_dist_within(row, vector, dims, ROW_DTYPE, limit));
}

void CPU(widen_row)(const char *row, int64_t dims, int32_t dtype, double *out) {
    EACH_DTYPE(widen_row(row, dims, ROW_DTYPE, 1.0, out));
}

void CPU(float_row)(const char *row, int64_t dims, int32_t dtype, float *out) {
    EACH_DTYPE(float_row(row, dims, ROW_DTYPE, out));
}

/* Body of a function that returns a sum over the components of row and other, float32 [dims]:
 * add(x, y, sum) returns sum plus the terms of two vectors. Four running vectors, then single
 * vectors, then the last components padded with zeros. */
#define FLOAT_SUM(add)                                                                             \
    cpu_floats sum[4] = {0};                                                                       \
    float x[CPU_FLOATS] = {0}, y[CPU_FLOATS] = {0};                                                \
    int64_t j = 0;                                                                                 \
    for (; j + 4 * CPU_FLOATS <= dims; j += 4 * CPU_FLOATS) {                                      \
        _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) {                                      \
            int64_t c = j + i * CPU_FLOATS;                                                        \
            sum[i] = add(cpu_load_floats(row + c), cpu_load_floats(other + c), sum[i]);            \
        }                                                                                          \
    }                                                                                              \
    for (; j + CPU_FLOATS <= dims; j += CPU_FLOATS)                                                \
        sum[0] = add(cpu_load_floats(row + j), cpu_load_floats(other + j), sum[0]);                \
    if (j < dims) {                                                                                \
        __builtin_memcpy(x, row + j, (size_t)(dims - j) * sizeof *x);                              \
        __builtin_memcpy(y, other + j, (size_t)(dims - j) * sizeof *y);                            \
        sum[1] = add(cpu_load_floats(x), cpu_load_floats(y), sum[1]);                              \
    }                                                                                              \
    return cpu_sum_floats((sum[0] + sum[1]) + (sum[2] + sum[3]))

/* sum + (x - y)^2, component by component: the terms of a squared distance, for FLOAT_SUM. */
CPU_INLINE cpu_floats add_float_square(cpu_floats x, cpu_floats y, cpu_floats sum) {
    cpu_floats t = x - y;
    return cpu_add_product(t, t, sum);
}

/* For filters, whose bounds allow for the rounding; so is the next one. */
float CPU(float_sq_dist)(const float *row, const float *other, int64_t dims) {
    FLOAT_SUM(add_float_square);
}

float CPU(float_dot)(const float *row, const float *other, int64_t dims) {
    FLOAT_SUM(cpu_add_product);
}

/* Zeros where |row| is below CPU_ZERO_NORM = 1e-12 (spec 1.5). */
void CPU(unit_row)(const char *row, int64_t dims, int32_t dtype, double *out) {
    double norm = sqrt(CPU(self_dot)(row, dims, dtype));
    if (norm < CPU_ZERO_NORM) {
        __builtin_memset(out, 0, (size_t)dims * sizeof *out);
    } else {
        EACH_DTYPE(widen_row(row, dims, ROW_DTYPE, norm, out));
    }
}

/* CPU_TOGETHER rows are added in one pass over the sums; the result has the same bits as when they
 * are added one by one. */
void CPU(add_rows)(const char *const *row, int count, int64_t dims, int32_t dtype, double *sums) {
    if (count == CPU_TOGETHER) {
        EACH_DTYPE(add_rows(row, CPU_TOGETHER, dims, ROW_DTYPE, sums));
        return;
    }
    for (int r = 0; r < count; r++) EACH_DTYPE(add_rows(row + r, 1, dims, ROW_DTYPE, sums));
}
