/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen pairs at a time: four rows against four others, each of the 16 sums in the lanes of
 * spec 1.8. A number that is loaded serves four sums. */
#ifndef ALCORE__CUDA_PAIRS_CUH
#define ALCORE__CUDA_PAIRS_CUH

#include "cuda_lanes.cuh"

enum { PAIR_SIDE = 4, PAIR_SUMS = PAIR_SIDE * PAIR_SIDE };

/* dot or sqd of row[r] and other[o]: the value of pair p = r * 4 + o is in the lanes 2p and
 * 2p + 1. The tree of all 16 sums at once: at each step a lane keeps half of its sums and gives
 * the other half away. */
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
#pragma unroll
    for (int w = CUDA_LANES / 2; w > 1; w /= 2) {
        bool upper = (lane_here() & w) != 0;
        int half = w / 2; /* sums that stay: 8, 4, 2, 1 */
#pragma unroll
        for (int k = 0; k < half; k++) {
            double mine = upper ? sum[k + half] : sum[k], theirs = upper ? sum[k] : sum[k + half];
            sum[k] = mine + __shfl_xor_sync(CUDA_EVERYBODY, theirs, w, CUDA_LANES);
        }
    }
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
