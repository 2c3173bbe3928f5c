/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen pairs at a time: one warp computes dot or sq_dist of four rows with four others (rows of
 * the second operand), in double. Thread l of the warp keeps lane l (spec 1.8) of all 16 sums, so
 * that a component that it loads is used in four of them; the threads share the work of adding up
 * the lanes of the 16 sums (exchange_halves). All 32 threads call these functions together. Used by
 * the plain (unfiltered) search, margin, distance and k-means kernels. */
#ifndef ALCORE__CUDA_PAIRS_CUH
#define ALCORE__CUDA_PAIRS_CUH

#include "cuda_warp.cuh"

/* PAIR_ROWS: rows, and others, of a call; PAIR_SUMS: its pairs; pair p is row p / 4 with other p
 * % 4.
 */
enum { PAIR_ROWS = 4, PAIR_SUMS = PAIR_ROWS * PAIR_ROWS };

/* Step w = W of the tree (lane i += lane i + w for w = 16, 8, 4, 2, 1) for the first W of the sums
 * at once: thread l and thread l ^ W exchange halves, so that each adds lane[l] and lane[l ^ W] for
 * W / 2 of the sums and drops the others. a + b is b + a, so the bits are those of the tree. The
 * threads l with bit W set keep the upper half: after the steps 16, 8, 4, 2 thread l has one sum
 * left, that of pair l / 2. A template, so that sums stay in registers. */
template <int W> __device__ inline void exchange_halves(double (&sum)[PAIR_SUMS]) {
    bool upper = (lane_id() & W) != 0;
#pragma unroll
    for (int k = 0; k < W / 2; k++) {
        double kept = upper ? sum[k + W / 2] : sum[k], given = upper ? sum[k] : sum[k + W / 2];
        sum[k] = kept + __shfl_xor_sync(CUDA_FULL_WARP, given, W, CUDA_LANES);
    }
}

/* The dot product (SQD false) or squared distance of row[r] and other[o], all [dims], r and o 0 ..
 * 3: threads 2p and 2p + 1 of the warp get the value of pair p = 4 r + o. Row: a pointer to doubles
 * or a row_reader (cuda_warp.cuh). Rows may be equal. */
template <bool SQD, class Row>
__device__ inline double pair_sums(const Row *row /* [PAIR_ROWS] */,
                                   const double *const other[PAIR_ROWS], int64_t dims) {
    double sum[PAIR_SUMS];
#pragma unroll
    for (int p = 0; p < PAIR_SUMS; p++) sum[p] = 0.0;
    for (int64_t j = lane_id(); j < dims; j += CUDA_LANES) {
        double x[PAIR_ROWS], y[PAIR_ROWS];
#pragma unroll
        for (int k = 0; k < PAIR_ROWS; k++) {
            x[k] = row[k][j];
            y[k] = other[k][j];
        }
#pragma unroll
        for (int p = 0; p < PAIR_SUMS; p++) {
            double a = x[p / PAIR_ROWS], b = y[p % PAIR_ROWS];
            if (SQD) {
                double t = a - b;
                sum[p] = sum[p] + t * t;
            } else {
                sum[p] = sum[p] + a * b;
            }
        }
    }
    exchange_halves<16>(sum);
    exchange_halves<8>(sum);
    exchange_halves<4>(sum);
    exchange_halves<2>(sum);
    return sum[0] + __shfl_xor_sync(CUDA_FULL_WARP, sum[0], 1, CUDA_LANES);
}

/* The value of pair (r, o), from `sums`, what pair_sums() returned to the calling thread; r and o
 * may differ from thread to thread, but the whole warp calls it. */
__device__ inline double pair_value(double sums, int r, int o) {
    return __shfl_sync(CUDA_FULL_WARP, sums, 2 * (r * PAIR_ROWS + o), CUDA_LANES);
}

/* out = pointers to the rows first .. first + 3 of matrix [count, dims]; beyond the last row, to
 * the last one, whose results the caller ignores. */
__device__ inline void pair_rows(const double *matrix, int64_t first, int64_t count, int64_t dims,
                                 const double *out[PAIR_ROWS]) {
#pragma unroll
    for (int k = 0; k < PAIR_ROWS; k++)
        out[k] = matrix + (first + k < count ? first + k : count - 1) * dims;
}

#endif
