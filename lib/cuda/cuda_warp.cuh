/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of one warp on one row, exactly as spec 1.8 writes it: lane l of the warp is lane l of
 * the sum. */
#ifndef ALCORE__CUDA_LANES_CUH
#define ALCORE__CUDA_LANES_CUH

#include "alcore/sys/kernel.h"
#include "cuda_platform.cuh"

enum { CUDA_LANES = 32, CUDA_THREADS = 256, CUDA_WARPS = CUDA_THREADS / CUDA_LANES };

/* Below this norm a vector counts as zero (spec 1.5). */
#define CUDA_ZERO_NORM 1e-12

/* Log-probabilities below this count as this; above 0 they are rounding up to the slack (spec 1.1).
 */
#define CUDA_FLOOR (-100.0)
#define CUDA_SLACK 1e-6

/* Number `at` of an array, widened exactly. */
template <int DTYPE> __device__ inline double number_at(const void *data, int64_t at) {
    if (DTYPE == ALCORE_FLOAT64) return ((const double *)data)[at];
    if (DTYPE == ALCORE_FLOAT32) return (double)((const float *)data)[at];
    uint16_t bits = ((const uint16_t *)data)[at];
    if (DTYPE == ALCORE_FLOAT16) return (double)device_float_of_half(bits);
    uint32_t wide = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &wide, sizeof x);
    return (double)x;
}

/* Runs `call`, an expression with the constant DTYPE, for a number type. */
#define CUDA_EACH_DTYPE(dtype, call)                                                               \
    do {                                                                                           \
        if ((dtype) == ALCORE_FLOAT32) {                                                           \
            constexpr int DTYPE = ALCORE_FLOAT32;                                                  \
            call;                                                                                  \
        } else if ((dtype) == ALCORE_FLOAT64) {                                                    \
            constexpr int DTYPE = ALCORE_FLOAT64;                                                  \
            call;                                                                                  \
        } else if ((dtype) == ALCORE_FLOAT16) {                                                    \
            constexpr int DTYPE = ALCORE_FLOAT16;                                                  \
            call;                                                                                  \
        } else {                                                                                   \
            constexpr int DTYPE = ALCORE_BFLOAT16;                                                 \
            call;                                                                                  \
        }                                                                                          \
    } while (0)

__device__ inline int lane_here() {
    return (int)(threadIdx.x % CUDA_LANES);
}

/* The tree w = 16, 8, 4, 2, 1; every lane gets the sum. Lanes i and i + w add the same two numbers,
 * and a + b is b + a, so all lanes hold the same bits after each step. */
__device__ inline double lanes_sum(double lane) {
    for (int w = CUDA_LANES / 2; w > 0; w /= 2)
        lane = lane + __shfl_xor_sync(CUDA_EVERYBODY, lane, w, CUDA_LANES);
    return lane;
}

/* A row as the caller is to read it: element j, or that of unit(row). */
template <int DTYPE> struct row_reader {
    const void *data;
    double norm;
    bool unit;
    __device__ double operator[](int64_t j) const {
        double x = number_at<DTYPE>(data, j);
        if (!unit) return x;
        return norm < CUDA_ZERO_NORM ? 0.0 : x / norm;
    }
};

/* dot(row, row) of the components row[0 .. dims - 1], in every lane; the warp calls it together. */
template <class Row> __device__ inline double row_self_dot(const Row &row, int64_t dims) {
    double lane = 0.0;
#pragma unroll 4
    for (int64_t j = lane_here(); j < dims; j += CUDA_LANES) {
        double x = row[j];
        lane = lane + x * x;
    }
    return lanes_sum(lane);
}

/* dot(row, other), in every lane; the warp calls it together. */
template <class Row, class Other>
__device__ inline double row_dot(const Row &row, const Other &other, int64_t dims) {
    double lane = 0.0;
#pragma unroll 4
    for (int64_t j = lane_here(); j < dims; j += CUDA_LANES) lane = lane + row[j] * other[j];
    return lanes_sum(lane);
}

/* |row - other|^2, in every lane; the warp calls it together. */
template <class Row>
__device__ inline double row_sq_dist(const Row &row, const double *other, int64_t dims) {
    double lane = 0.0;
#pragma unroll 4
    for (int64_t j = lane_here(); j < dims; j += CUDA_LANES) {
        double t = row[j] - other[j];
        lane = lane + t * t;
    }
    return lanes_sum(lane);
}

/* Row number i of a matrix; a warp calls it together. */
template <int DTYPE>
__device__ inline row_reader<DTYPE> read_row(const void *data, int64_t i, int64_t stride,
                                             int64_t dims, bool unit) {
    const int bytes = DTYPE == ALCORE_FLOAT64 ? 8 : DTYPE == ALCORE_FLOAT32 ? 4 : 2;
    row_reader<DTYPE> row = {(const char *)data + i * stride * bytes, 1.0, false};
    if (unit) {
        row.norm = sqrt(row_self_dot(row, dims));
        row.unit = true;
    }
    return row;
}

/* cos(a, b) from dot(a, b) and the norms (spec 1.5). */
__device__ inline double cosine_of(double dot, double norm_a, double norm_b) {
    if (norm_a < CUDA_ZERO_NORM || norm_b < CUDA_ZERO_NORM) return 0.0;
    double cosine = dot / (norm_a * norm_b);
    if (cosine > 1.0 - 1e-12) return 1.0;
    if (cosine < -(1.0 - 1e-12)) return -1.0;
    return cosine;
}

#endif
