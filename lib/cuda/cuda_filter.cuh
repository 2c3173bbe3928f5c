/* SPDX-License-Identifier: Apache-2.0 */
/* What the filters of this engine compare in half precision, and how wrong that can be (spec 1.8,
 * Filters).
 *
 * Of a row x there is x', x scaled by a power of two of its own so that its norm lies in [2^14,
 * 2^15) and rounded to float16. A tensor core gives p, about x'.y'. Scaled back it is within
 *
 *     |x| |y| (d_x + d_y + d_x d_y + g (1 + d_x) (1 + d_y))
 *
 * of x.y, with d_x = |x s - x'| / |x s|, measured for each row, and g for what the sum loses, both
 * by Cauchy-Schwarz. g: tensor cores align the products of a step to the largest of them, cut what
 * is below some 24 bits of it, and cut the sum (Fasi, Higham, Mikaitis and Pranesh, Numerical
 * behavior of NVIDIA tensor cores, 2021; Li et al., FTTN: Feature-targeted testing for numerical
 * properties of matrix accelerators, 2024). This file counts on no more than that a step of 16
 * products and the sum before loses at most 18 * 2^-22 of the sum of their magnitudes: 17 numbers
 * cut below 2^-22 of the largest, and the result. A chain has TILE_CHAIN * TILE_DEPTH / 16 steps;
 * chains are added in float32, 2^-24 each.
 *
 * With n >= |x|, w what scales p back and t >= n (d (1 + 2^-9) + (g + FILTER_SLACK) / 2)
 *
 *     U = p w_x w_y + n_x t_y + n_y t_x
 *
 * is not below the dot product, as real numbers and as spec 1.8 computes it, and U - 2 (n_x t_y +
 * n_y t_x) not above. FILTER_SLACK holds the roundings of p w w, of n, t and U, of the double sums
 * and of cosines that count as 1 or -1. For cosines w is divided by the norm and n = 1. For
 * distances |x - y|^2 = |x|^2 - 2 (x.y - h_y) with h_y = |y|^2 / 2, made smaller by FILTER_SLACK of
 * itself, so that U - h_y is not too small either.
 *
 * Rows whose numbers or norm the filter cannot hold are "far": their t is infinite, so that U never
 * is below anything, and everything about them is computed in double. */
#ifndef ALCORE__CUDA_FILTER_CUH
#define ALCORE__CUDA_FILTER_CUH

#include "cuda_call.cuh"
#include "cuda_tile.cuh"

/* Norms that a filter takes: squares and products of them are float32 numbers. Cosines bring none
 * into float32. */
#define FILTER_MIN_NORM 1e-15
#define FILTER_MAX_NORM 1e15
#define FILTER_MAX_COSINE_NORM 1e150
#define FILTER_SLACK 0x1p-20
/* Computed norms are this near to the true ones, for FILTER_MAX_DIMS numbers. */
#define FILTER_UP (1.0 + 1e-9)

namespace alcore_cuda {

/* Beyond this the bound does not hold. */
const int64_t FILTER_MAX_DIMS = 1 << 16;
/* With less to multiply the plain way has done its work before the filter has begun: some ten
 * launches of a few microseconds. */
const int64_t FILTER_MIN_PRODUCTS = 1 << 26;

/* What a filter knows of a row beside x': w, n, t and h. */
struct alignas(16) half_stats {
    float weight, norm, slack, half_square;
};

/* Whether rows and others are worth converting, and whether the filter can take them. */
inline bool filter_pays(int64_t dims, int64_t rows, int64_t others) {
    bool pays = dims >= TILE_DEPTH && rows >= TILE_OTHERS && others >= TILE_OTHERS / 2 &&
                rows >= FILTER_MIN_PRODUCTS / dims / others;
    return dims > 0 && dims <= FILTER_MAX_DIMS && device_filters(pays);
}

/* Rows in half precision. */
struct half_rows {
    half_unit *units; /* [count, half_units(dims)] */
    half_stats *stats;
};

/* Memory of one. */
inline size_t half_bytes(int64_t dims) {
    return (size_t)half_units(dims) * sizeof(half_unit) + sizeof(half_stats);
}
/* Cuts it for `count` rows. */
inline half_rows cut_halves(char *memory, int64_t count, int64_t dims) {
    half_unit *units = (half_unit *)memory;
    return {units, (half_stats *)(units + count * half_units(dims))};
}

/* A candidate: an other, and a score that is not below the truth. */
struct scored_other {
    float score;
    int32_t other;
};

/* Makes them of rows of doubles and their norms; metric: what the stats are to serve. */
void halve(call &c, const double *rows, const double *norms, int64_t count, int64_t dims,
           int32_t metric, const half_rows &out);

/* n_x t_y + n_y t_x: how far a product may be off. */
__device__ inline float filter_error(const half_stats &x, const half_stats &y) {
    return x.norm * y.slack + y.norm * x.slack;
}

/* U of two rows whose product is p. */
__device__ inline float filter_most(float p, const half_stats &x, const half_stats &y) {
    return p * x.weight * y.weight + filter_error(x, y);
}

/* The largest float that is not above x. */
__device__ inline float float_below(double x) {
    float near = (float)x;
    return (double)near > x ? nextafterf(near, -HUGE_VALF) : near;
}

} // namespace alcore_cuda

#endif
