/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen pairs at a time: four rows against four others, each of the 16 sums in the lanes of
 * spec 1.8. A component that is loaded is used in four sums. */
#ifndef ALCORE__CUDA_PAIRS_CUH
#define ALCORE__CUDA_PAIRS_CUH

#include "cuda_warp.cuh"

enum { PAIR_SIDE = 4, PAIR_SUMS = PAIR_SIDE * PAIR_SIDE };

/* One step of the tree of 16 sums at once: of W sums a lane keeps half and gives half to lane ^ W.
 * A template, so that sums stay in registers. */
template <int W> __device__ inline void give_half(double (&sum)[PAIR_SUMS]) {
    bool upper = (lane_here() & W) != 0;
#pragma unroll
    for (int k = 0; k < W / 2; k++) {
        double mine = upper ? sum[k + W / 2] : sum[k], theirs = upper ? sum[k] : sum[k + W / 2];
        sum[k] = mine + __shfl_xor_sync(CUDA_EVERYBODY, theirs, W, CUDA_LANES);
    }
}

/* dot or sq_dist of row[r] and other[o]: the value of pair p = r * 4 + o is in the lanes 2p and
 * 2p + 1. */
template <bool SQD>
__device__ inline double pair_sums(const double *const row[PAIR_SIDE],
                                   const double *const other[PAIR_SIDE], int64_t dims) {
    double sum[PAIR_SUMS];
#pragma unroll
    for (int p = 0; p < PAIR_SUMS; p++) sum[p] = 0.0;
    for (int64_t j = lane_here(); j < dims; j += CUDA_LANES) {
        double x[PAIR_SIDE], y[PAIR_SIDE];
#pragma unroll
        for (int k = 0; k < PAIR_SIDE; k++) {
            x[k] = row[k][j];
            y[k] = other[k][j];
        }
#pragma unroll
        for (int p = 0; p < PAIR_SUMS; p++) {
            double a = x[p / PAIR_SIDE], b = y[p % PAIR_SIDE];
            if (SQD) {
                double t = a - b;
                sum[p] = sum[p] + t * t;
            } else {
                sum[p] = sum[p] + a * b;
            }
        }
    }
    give_half<16>(sum);
    give_half<8>(sum);
    give_half<4>(sum);
    give_half<2>(sum);
    return sum[0] + __shfl_xor_sync(CUDA_EVERYBODY, sum[0], 1, CUDA_LANES);
}

/* The value of pair (r, o) in every lane that asks for it; all lanes call. */
__device__ inline double pair_value(double sums, int r, int o) {
    return __shfl_sync(CUDA_EVERYBODY, sums, 2 * (r * PAIR_SIDE + o), CUDA_LANES);
}

/* Rows first .. first + 3 of a matrix of doubles; beyond the last the last one again. */
__device__ inline void pair_rows(const double *matrix, int64_t first, int64_t count, int64_t dims,
                                 const double *out[PAIR_SIDE]) {
#pragma unroll
    for (int k = 0; k < PAIR_SIDE; k++)
        out[k] = matrix + (first + k < count ? first + k : count - 1) * dims;
}

#endif
