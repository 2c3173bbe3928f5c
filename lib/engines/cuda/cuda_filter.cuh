/* SPDX-License-Identifier: Apache-2.0 */
/* What the filters of this engine compare in half precision, and the error bound of that (spec 1.8,
 * Filters). Used by knn, nearest_centroid, margin_ratios and distance_bounds.
 *
 * A unit is 8 float16 components, which one copy moves (half_unit). Norms are L2 and not squared.
 *
 * A row x is scaled by a power of two, s, so that |s x| lies in [2^14, 2^15), and rounded to
 * float16: that is x'. Tensor cores compute p, about x'.y' (cuda_tile.cuh). Scaled back, p differs
 * from x.y by at most
 *
 *     |x| |y| (d_x + d_y + d_x d_y + g (1 + d_x) (1 + d_y))
 *
 * with d_x = |s x - x'| / |s x|, measured for each row, and g for what the sum loses, both by
 * Cauchy-Schwarz. g: tensor cores align the products of a step to the largest of them, cut what is
 * below some 24 bits of it, and cut the sum (Fasi, Higham, Mikaitis and Pranesh, Numerical behavior
 * of NVIDIA tensor cores, 2021; Li et al., FTTN: Feature-targeted testing for numerical properties
 * of matrix accelerators, 2024). This file assumes no more than that a step of 16 products and the
 * sum before loses at most 18 * 2^-22 of the sum of their magnitudes: 17 terms cut below 2^-22 of
 * the largest, and the result. A chain has TILE_CHAIN * TILE_DEPTH / 16 steps; chains are added in
 * float32, 2^-24 each.
 *
 * Each row keeps four numbers (half_stats): n >= |x|, w that scales p back, h = |x|^2 / 2 for
 * distances, and t >= n (d (1 + 2^-9) + (g + FILTER_SLACK) / 2). Then
 *
 *     U = p w_x w_y + n_x t_y + n_y t_x
 *
 * is an upper bound of the dot product, as a real number and as spec 1.8 computes it, and
 * U - 2 (n_x t_y + n_y t_x) a lower one. FILTER_SLACK covers the roundings of p w w, of n, t and U,
 * of the double sums and of cosines that count as 1 or -1. For cosines w is divided by the norm and
 * n = 1. For distances |x - y|^2 = |x|^2 - 2 (x.y - h_y); h is stored smaller by FILTER_SLACK of
 * itself, so that U - h_y is an upper bound, too.
 *
 * Rows whose components or norm leave the range of the filter are "far": their t is infinite, so
 * that U is below no limit, and everything about them is computed in double. */
#ifndef ALCORE__CUDA_FILTER_CUH
#define ALCORE__CUDA_FILTER_CUH

#include "cuda_call.cuh"
#include "cuda_rows.cuh"
#include "cuda_tile.cuh"

/* Smallest and largest norm in the range of the filter: squares and products of such norms are
 * float32 values. A row of norm 0 is in range, too; every other row is "far" (its slack is
 * infinite). For cosines no norm enters float32, so that the largest one is only kept from
 * overflowing when it is squared in double. */
#define FILTER_MIN_NORM 1e-15
#define FILTER_MAX_NORM 1e15
#define FILTER_MAX_COSINE_NORM 1e150
#define FILTER_SLACK 0x1p-20
/* What is measured of d_x, in float32, is too small by less than this: s x, of a unit row with the
 * division, is rounded by at most 2^-23 of itself; a lane adds up to 2^11 squares, with a loss of
 * 2^-13 of their sum, so 2^-14 of the root, and d_x is at most some 2^-11; what underflows is below
 * 2^-60. The difference s x - x' of float32 numbers is exact: it is a multiple of the last place of
 * s x, and not larger than s x. */
#define FILTER_MEASURED 0x1p-22
/* A computed norm times this is an upper bound of the true one, for up to FILTER_MAX_DIMS
 * components. */
#define FILTER_UP (1.0 + 1e-9)

namespace alcore_cuda {

/* The bound does not hold for more dims. */
const int64_t FILTER_MAX_DIMS = 1 << 16;
/* With fewer products (rows x others x dims) the plain kernels are done before the some ten
 * launches of the filter, a few microseconds each, have started. */
const int64_t FILTER_MIN_PRODUCTS = 1 << 26;

/* What a filter knows of a row beside x'. */
struct alignas(16) half_stats {
    float weight; /* w, a power of two; for cosines that divided by the norm; 0 for zero rows */
    float norm;   /* n, at least the norm; for cosines 1; 0 for zero and far rows */
    float slack;  /* t: this row adds t times the norm of the other to the error; infinite: far */
    float half_square; /* h, |x|^2 / 2, less 2^-20 of it; 0 unless the metric is L2 */
};

/* Whether a call with this number of rows and others uses the filter: dims is in the range for
 * which its error is bounded, and there are enough products to pay for halving. */
inline bool filter_pays(int64_t dims, int64_t rows, int64_t others) {
    bool pays = dims >= TILE_DEPTH && rows >= TILE_OTHERS && others >= TILE_OTHERS / 2 &&
                rows >= FILTER_MIN_PRODUCTS / dims / others;
    return dims > 0 && dims <= FILTER_MAX_DIMS && device_filters(pays);
}

/* Rows in half precision, on the device. */
struct half_rows {
    half_unit *units;  /* [count, half_units(dims)] x' */
    half_stats *stats; /* [count] */
};

/* Device memory for one row in half precision. */
inline size_t half_bytes(int64_t dims) {
    return (size_t)half_units(dims) * sizeof(half_unit) + sizeof(half_stats);
}
/* Divides memory of count * half_bytes(dims) bytes on the device into the arrays for `count` rows;
 * nothing is written there. With memory NULL (a call without its filter) the result is not used. */
inline half_rows lay_out_halves(char *memory, int64_t count, int64_t dims) {
    half_unit *units = (half_unit *)memory;
    return {units, (half_stats *)(units + count * half_units(dims))};
}

/* A candidate: an upper bound of its score, and the index of the other in its part or chunk. */
struct scored_other {
    float score;
    int32_t other;
};

/* What rows are converted to, on the device, by one kernel. */
struct conversion {
    double *wide;   /* [count, dims] the components in double; NULL: not wanted */
    double *norms;  /* [count] L2 norms */
    half_rows half; /* [count] half precision, memory of lay_out_halves(); units NULL: not wanted */
    int32_t metric; /* what half.stats serve: ALCORE_SYS_L2, _DOT or _COSINE; with half only */
};

/* The part of a conversion that begins with row `first`. */
inline conversion conversion_from(const conversion &all, int64_t first, int64_t dims) {
    conversion part = all;
    if (all.wide) part.wide += first * dims;
    part.norms += first;
    if (all.half.units)
        part.half = {all.half.units + first * half_units(dims), all.half.stats + first};
    return part;
}

/* Both convert rows on the device on the compute stream, unit rows as unit vectors; NaN and
 * infinite rows become far ones. The first converts all rows of a chunk, the second rows first ..
 * first + count - 1 of a matrix on host or device, of which row `first` is entry 0 of out. */
void convert_set(call &c, const row_set &rows, int32_t dtype, const conversion &out);
void convert_range(call &c, const alcore_sys_rows *rows, int64_t first, int64_t count,
                   const conversion &out);

/* The conversion of the rows of a call that an earlier call of convert() has kept; norms NULL:
 * there is none. */
conversion find_converted(call &c, const alcore_sys_rows *rows, int32_t metric);

/* n_x t_y + n_y t_x: U lies at most twice this above the dot product. For a far row it is infinite,
 * or NaN where n of the other is 0; callers then discard nothing on its account. */
__device__ inline float filter_error(const half_stats &x, const half_stats &y) {
    return x.norm * y.slack + y.norm * x.slack;
}

/* U: the upper bound of the dot product (cosine) of two rows whose half-precision product is p. */
__device__ inline float filter_upper(float p, const half_stats &x, const half_stats &y) {
    return p * x.weight * y.weight + filter_error(x, y);
}

/* The largest float that is not above x. */
__device__ inline float float_below(double x) {
    float rounded = (float)x;
    return (double)rounded > x ? nextafterf(rounded, -HUGE_VALF) : rounded;
}

} // namespace alcore_cuda

#endif
