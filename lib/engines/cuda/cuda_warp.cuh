/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of one warp on one row, exactly as spec 1.8 writes it: thread l of the warp holds
 * running sum l (lane l), to which the components j with j mod 32 = l are added in order. All 32
 * threads call the functions lanes_sum(), row_...() and lane_components() together, and all get the
 * result; the others are of each thread by itself. A product is rounded before it is
 * added, as it is written, because meson.build compiles this folder with -fmad=false; a fused
 * operation is device_fused() or fma(). Cost: one read of the row. */
#ifndef ALCORE__CUDA_WARP_CUH
#define ALCORE__CUDA_WARP_CUH

#include "alcore/sys/dtype.h"
#include "alcore/sys/kernel.h"
#include "cuda_platform.cuh"

/* Threads of a warp, threads and warps of a block of most kernels. */
enum { CUDA_LANES = 32, CUDA_THREADS = 256, CUDA_WARPS = CUDA_THREADS / CUDA_LANES };

/* Blocks that a multiprocessor is to have room for, by which the compiler chooses registers: up to
 * 128 a thread with CUDA_THREADS threads. Where it is not told it takes fewer and spills. */
enum { CUDA_BLOCKS = 2 };

/* Below this norm a vector counts as zero (spec 1.5). */
#define CUDA_ZERO_NORM 1e-12

/* Natural log-probabilities below CUDA_FLOOR count as it; values above 0 are rounding and count as
 * 0 up to CUDA_SLACK, beyond which they are bad (spec 1.1). */
#define CUDA_FLOOR (-100.0)
#define CUDA_SLACK 1e-6

/* Bytes of a component of type DTYPE as a constant for the device. */
template <int DTYPE> struct dtype_size {
    enum { BYTES = alcore_sys_dtype_bytes(DTYPE) };
};

/* The type that holds a component of type DTYPE exactly: float, or double for float64. */
template <int DTYPE> struct real_of { typedef float type; };
template <> struct real_of<ALCORE_FLOAT64> { typedef double type; };

/* Entry `index`, in components, of an array of type DTYPE on the device, exactly. */
template <int DTYPE>
__device__ inline typename real_of<DTYPE>::type real_at(const void *data, int64_t index) {
    if (DTYPE == ALCORE_FLOAT64)
        return (typename real_of<DTYPE>::type)((const double *)data)[index];
    if (DTYPE == ALCORE_FLOAT32) return ((const float *)data)[index];
    uint16_t bits = ((const uint16_t *)data)[index];
    if (DTYPE == ALCORE_FLOAT16) return device_float_of_half(bits);
    return __uint_as_float((unsigned)bits << 16);
}

/* Devices of compute capability 8.0 and 9.0 convert 16 numbers in a clock, eight times as many as
 * 8.6 and 8.9, by one instruction in place of seven. 10.0 is taken to be as 9.0, which it follows,
 * and 12.0 as 8.9; neither has been measured. */
#if defined(__CUDA_ARCH__) &&                                                                      \
    (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ / 100 == 10)
#define CUDA_CONVERTS_FAST 1
#else
#define CUDA_CONVERTS_FAST 0
#endif

/* The same number as a double. On other devices the conversion of a float32 takes as long as an
 * operation in float64, of which they have 64 times fewer than of those on integers; so integers
 * move sign, exponent and fraction to their places, but for zero, subnormal and infinite numbers
 * and NaN. */
__device__ inline double widened(double x) {
    return x;
}
__device__ inline double widened(float x) {
    uint32_t bits = (uint32_t)__float_as_int(x), magnitude = bits & 0x7fffffffu;
    if (CUDA_CONVERTS_FAST || magnitude - 0x00800000u >= 0x7f000000u) return (double)x;
    uint32_t upper = (bits & 0x80000000u) | ((magnitude >> 3) + ((1023u - 127u) << 20));
    return __longlong_as_double((long long)((uint64_t)upper << 32 | bits << 29));
}

/* 16 bytes of an array, the most that one instruction loads, from an address that is a multiple of
 * 16. cuda_group_sums.cu and cuda_logits.cu read rows so where their addresses allow it. */
struct alignas(16) loaded_unit {
    uint32_t word[4];
};

/* The components of a unit of type DTYPE, in their order, widened exactly to Real: double for
 * float64, else float or double. Each thread calls it for the unit that it has loaded. The last
 * branch is bfloat16; entry k of a type of 16 bits is the lower half of its word where k is even.
 */
template <int DTYPE, class Real>
__device__ inline void widen_unit(const loaded_unit &unit,
                                  Real (&out)[sizeof(loaded_unit) / dtype_size<DTYPE>::BYTES]) {
    enum { BYTES = dtype_size<DTYPE>::BYTES, COUNT = sizeof(loaded_unit) / BYTES };
#pragma unroll
    for (int k = 0; k < (int)COUNT; k++) {
        uint32_t word = unit.word[k * BYTES / 4];
        if (DTYPE == ALCORE_FLOAT64)
            out[k] = (Real)__longlong_as_double(
                (long long)((uint64_t)unit.word[k * BYTES / 4 + 1] << 32 | word));
        else if (DTYPE == ALCORE_FLOAT32)
            out[k] = (Real)__uint_as_float(word);
        else if (DTYPE == ALCORE_FLOAT16)
            out[k] = (Real)device_float_of_half((uint16_t)(word >> k % 2 * 16));
        else
            out[k] = (Real)__uint_as_float(k % 2 ? word & 0xffff0000u : word << 16);
    }
}

/* Runs `call`, a statement with the constant DTYPE, for the value `dtype`. The last branch is
 * bfloat16: entries refuse other dtypes before (call::check_rows). */
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

/* The index of this thread in its warp. */
__device__ inline int lane_id() {
    return (int)(threadIdx.x % CUDA_LANES);
}

/* The indices of this thread and of its warp in a grid of blocks of CUDA_THREADS threads. */
__device__ inline int64_t thread_index() {
    return (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
}
__device__ inline int64_t warp_index() {
    return (int64_t)blockIdx.x * CUDA_WARPS + threadIdx.x / CUDA_LANES;
}

/* The sum of the 32 lanes by the tree of spec 1.8, w = 16, 8, 4, 2, 1, in every thread. Threads i
 * and i xor w add the same two values, and a + b is b + a, so both hold the same bits after each
 * step. */
__device__ inline double lanes_sum(double lane) {
    for (int w = CUDA_LANES / 2; w > 0; w /= 2)
        lane = lane + __shfl_xor_sync(CUDA_FULL_WARP, lane, w, CUDA_LANES);
    return lane;
}

/* What the CUDA_THREADS threads of a block have, joined pairwise in a fixed shape, in every thread;
 * all call it with their own. join(&into, from) joins two of them; memory [CUDA_THREADS]: shared,
 * overwritten; w: how many are left after a step. */
template <class T, class Join>
__device__ inline T joined_in_block(const T &own, T *memory, const Join &join) {
    int t = (int)threadIdx.x;
    memory[t] = own;
    for (int w = CUDA_THREADS / 2; w > 0; w /= 2) {
        __syncthreads();
        if (t < w) join(&memory[t], memory[t + w]);
    }
    __syncthreads();
    return memory[0];
}

/* A row as kernels read it: row[j] is component j as a double, or component j of unit(row). */
template <int DTYPE> struct row_reader {
    const void *data; /* component 0, of type DTYPE */
    double norm;      /* L2 norm of the row, when unit; else not used */
    bool unit;        /* components are divided by the norm; all 0 where it is below 1e-12 */
    __device__ double operator[](int64_t j) const {
        double x = widened(real_at<DTYPE>(data, j));
        if (!unit) return x;
        return norm < CUDA_ZERO_NORM ? 0.0 : x / norm;
    }
};

/* A row that is read as it is: row[j] is component j as a double. */
template <int DTYPE> struct plain_row {
    const void *data; /* component 0, of type DTYPE */
    __device__ double operator[](int64_t j) const { return widened(real_at<DTYPE>(data, j)); }
};

/* sum + x * x for a component x of a row, rounded twice: the square of a number of 16 or 32 bits is
 * exact in float64, so that one operation rounds the same. */
template <class Row> __device__ inline double add_square(const Row &, double x, double sum) {
    return sum + x * x;
}
template <int DTYPE>
__device__ inline double add_square(const plain_row<DTYPE> &, double x, double sum) {
    return DTYPE == ALCORE_FLOAT64 ? sum + x * x : device_fused(x, x, sum);
}

/* Calls step(j) for the components j = l, l + 32, ... below dims of lane l, in order. LANE_STEPS of
 * them at a time while there are as many, whose loads begin before the first is waited for: of 16
 * bits, they are as many bytes as one instruction loads. */
enum { LANE_STEPS = 8 };
template <class Step> __device__ inline void lane_components(int64_t dims, const Step &step) {
    int64_t j = lane_id();
    for (; j + (LANE_STEPS - 1) * CUDA_LANES < dims; j += LANE_STEPS * CUDA_LANES) {
#pragma unroll
        for (int k = 0; k < LANE_STEPS; k++) step(j + k * CUDA_LANES);
    }
#pragma unroll 4
    for (; j < dims; j += CUDA_LANES) step(j);
}

/* dot(row, row) of the components row[0 .. dims - 1], in every lane; the warp calls it together.
 * Row, here and below: a row_reader, a plain_row or a pointer to doubles; Other likewise. */
template <class Row> __device__ inline double row_self_dot(const Row &row, int64_t dims) {
    double lane = 0.0;
    lane_components(dims, [&](int64_t j) { lane = add_square(row, row[j], lane); });
    return lanes_sum(lane);
}

/* dot(row, other), and dot(row, row) in *self, in every lane, from one read of the row; the warp
 * calls it together. */
template <class Row, class Other>
__device__ inline double row_dots(const Row &row, const Other &other, int64_t dims, double *self) {
    double lane = 0.0, square_lane = 0.0;
    lane_components(dims, [&](int64_t j) {
        double x = row[j];
        lane = lane + x * other[j];
        square_lane = add_square(row, x, square_lane);
    });
    *self = lanes_sum(square_lane);
    return lanes_sum(lane);
}

/* dot(row, other), in every lane; the warp calls it together. */
template <class Row, class Other>
__device__ inline double row_dot(const Row &row, const Other &other, int64_t dims) {
    double lane = 0.0;
    lane_components(dims, [&](int64_t j) { lane = lane + row[j] * other[j]; });
    return lanes_sum(lane);
}

/* |row - other|^2, in every lane; the warp calls it together. */
template <class Row>
__device__ inline double row_sq_dist(const Row &row, const double *other, int64_t dims) {
    double lane = 0.0;
    lane_components(dims, [&](int64_t j) {
        double t = row[j] - other[j];
        lane = lane + t * t;
    });
    return lanes_sum(lane);
}

/* cos(a, b) from dot(a, b) and the L2 norms (spec 1.5): 0 where a norm is below 1e-12; within 1e-12
 * of 1 or -1 it is that. A NaN stays one. */
__device__ inline double cosine_of(double dot, double norm_a, double norm_b) {
    if (norm_a < CUDA_ZERO_NORM || norm_b < CUDA_ZERO_NORM) return 0.0;
    double cosine = dot / (norm_a * norm_b);
    if (cosine > 1.0 - 1e-12) return 1.0;
    if (cosine < -(1.0 - 1e-12)) return -1.0;
    return cosine;
}

#endif
