/* SPDX-License-Identifier: Apache-2.0 */
/* Which centroids can be the nearest of a row, found in float32 (spec 1.8, Filters). Used by
 * nearest_centroid (cpu_centroids.h) and by min_sq_dists (cpu_minimum.c); distance_bounds
 * (cpu_bounds.c) takes the error of a product from here.
 *
 * For a row x the filter ranks F(c) = |c|^2 - 2 x.c = |x - c|^2 - |x|^2 with x.c in float32, and
 * keeps every centroid whose F is at most the smallest F plus T. T = 4 E + 8 e bounds how far the
 * difference of two F can be from the difference of the two sq_dists in double. With u = 2^-24, c'
 * the centroid rounded to float32, and every sum of products bounded by Cauchy-Schwarz, the product
 * x.c is off by at most the sum E of
 *
 *     |x| |c - c'|   rounding c to float32
 *     u |x| |c'|     rounding x (float64 and unit rows)
 *     g |x| |c'|     the sum itself; g is u times the longest chain of additions
 *     1e-43 each     components below float32's range
 *
 * F is off by 2 E, a difference of two F by 4 E. |c|^2, F and the sq_dists in double are each
 * within e = (dims / 32 + 10) 2^-52 (|x| + |c|)^2; 8 e covers them. So a centroid with a larger F
 * has a sq_dist that is truly larger than that of the smallest F; the kept ones are computed in
 * double. Rows or centroids too large for float32 are not filtered. */
#ifndef ALCORE__CPU_FILTER_H
#define ALCORE__CPU_FILTER_H

#include <math.h>

#include "engines/cpu/cpu_product.h"
#include "engines/cpu/cpu_rows.h"

/* With fewer centroids or rows than these, computing all sq_dists in double is as fast. */
#define FILTER_MIN_CENTROIDS 5
#define FILTER_MIN_ROWS 32

/* The bound does not hold for more dims or longer vectors (L2 norms). */
#define FILTER_MAX_DIMS (INT64_C(1) << 22)
#define FILTER_MAX_NORM 1e18

/* The centroids of one group, packed for CPU(products). The caller allocates panels and squares. */
typedef struct filter_centroids {
    int64_t count, padded; /* padded: count rounded up to whole panels */
    float *panels;         /* [padded / PRODUCT_COLUMNS, dims, PRODUCT_COLUMNS] */
    double *squares;       /* [padded] |c|^2; infinity behind the last centroid */
    double max_norm;       /* upper bound of |c| over the centroids; NaN when one of them has a NaN:
                              no row is filtered, and the rest of the arrays is not written */
    double max_residual;   /* upper bound of |c - c'|, c' being c rounded to float32 */
} filter_centroids;

/* A computed norm times this is an upper bound of the true one, for up to FILTER_MAX_DIMS
 * components. */
#define FILTER_UP (1.0 + 1e-9)

/* Packs `count` centroids [count, dims] into panels of float32 [padded / PRODUCT_COLUMNS, dims,
 * PRODUCT_COLUMNS], with |c|^2 in squares (infinity in the padding, which is never nearest) and the
 * largest norm and rounding residual, which the bound E needs. A NaN centroid leaves max_norm NaN
 * and ends the packing. PRODUCT_COLUMNS centroids make a panel, interleaved by component. Some
 * files that include this header do not call it, hence `unused`; it is called once for many rows,
 * hence not inlined. */
static __attribute__((noinline, unused)) void
filter_prepare(filter_centroids *out, const double *centroids, int64_t count, int64_t dims) {
    out->count = count;
    out->padded = (count + PRODUCT_COLUMNS - 1) / PRODUCT_COLUMNS * PRODUCT_COLUMNS;
    out->max_norm = 0.0;
    out->max_residual = 0.0;
    for (int64_t c = 0; c < out->padded; c++) {
        float *column =
            out->panels + c / PRODUCT_COLUMNS * PRODUCT_COLUMNS * dims + c % PRODUCT_COLUMNS;
        if (c >= count) {
            out->squares[c] = HUGE_VAL;
            for (int64_t j = 0; j < dims; j++) column[j * PRODUCT_COLUMNS] = 0.0f;
            continue;
        }
        const double *centroid = centroids + c * dims;
        double residual = 0.0;
        for (int64_t j = 0; j < dims; j++) {
            float rounded = (float)centroid[j];
            double t = centroid[j] - (double)rounded;
            residual += t * t;
            column[j * PRODUCT_COLUMNS] = rounded;
        }
        out->squares[c] = CPU(self_dot)((const char *)centroid, dims, ALCORE_FLOAT64);
        double norm = sqrt(out->squares[c]) * FILTER_UP;
        residual = sqrt(residual) * FILTER_UP;
        /* Negated, so that a NaN is kept: it switches the filter off. */
        if (!(norm <= out->max_norm)) out->max_norm = norm;
        if (!(residual <= out->max_residual)) out->max_residual = residual;
        if (norm != norm) break;
    }
}

/* Upper bound of the L2 distance by which rounding to float32 moves a vector of this norm. */
CPU_INLINE double filter_rounding(double norm, int64_t dims) {
    return 0x1p-24 * 1.01 * norm + (double)dims * 1e-45;
}

/* E: how far x.c in float32 may be from the true product, for a row of norm `norm` and a centroid
 * of norm `centroid_norm` that rounding moved by at most `residual`. */
CPU_INLINE double filter_product_error(double norm, double centroid_norm, double residual,
                                       int64_t dims) {
    double rounded = centroid_norm + residual; /* at least |c'| */
    return norm * residual + 0x1p-24 * 1.01 * (product_chain(dims) + 1.0) * norm * rounded +
           (double)dims * 1e-43 * (1.0 + rounded);
}

/* T for a row of norm `norm` when E is `product`; -1: do not filter this row, because it or a
 * centroid is longer than FILTER_MAX_NORM or NaN. Squared, as F is. */
CPU_INLINE double filter_bound_of(const filter_centroids *centroids, double norm, double product,
                                  int64_t dims) {
    if (!(norm < FILTER_MAX_NORM && centroids->max_norm < FILTER_MAX_NORM)) return -1.0;
    double sum = norm + centroids->max_norm;
    return 4.0 * product + 8.0 * ((double)(dims / 32) + 10.0) * 0x1p-52 * sum * sum + 1e-290;
}

/* T for a row of norm `norm` when the products are float32; -1: do not filter this row. */
CPU_INLINE double filter_bound(const filter_centroids *centroids, double norm, int64_t dims) {
    double product = filter_product_error(norm, centroids->max_norm, centroids->max_residual, dims);
    return filter_bound_of(centroids, norm, product, dims);
}

#endif
