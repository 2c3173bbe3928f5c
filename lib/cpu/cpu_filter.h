/* SPDX-License-Identifier: Apache-2.0 */
/* Which centroids can be a row's nearest, found in float32 (spec 1.8, Filters).
 *
 * For a row x the filter ranks F(c) = |c|^2 - 2 x.c = |x - c|^2 - |x|^2 with x.c in float32, and
 * keeps every centroid whose F is within T of the least. T bounds all that can differ from the
 * normative sq_dist: x.c: rounding c to float32 costs |x| |c - c'|, rounding x (float64 and unit
 * rows) u |x| |c'|, and the sum itself g |x| |c'| with u = 2^-24 and g = u * (longest chain of
 * additions): PRODUCT_CHAIN numbers, then the chains; numbers below float32's range cost less than
 * 1e-43 each. Cauchy-Schwarz bounds every sum of products. Call that sum E; F is off by 2 E, a
 * difference of two F by 4 E. |c|^2, F and the normative sq_dists in double: each within e = (dims
 * / 32
 * + 10) 2^-52 of (|x| + |c|)^2; 8 e covers them. A centroid with F beyond T therefore has a
 * normative sq_dist that is truly larger than the one of the least F; the others are computed
 * again. Rows or centroids too large for float32 are not filtered. */
#ifndef ALCORE__CPU_FILTER_H
#define ALCORE__CPU_FILTER_H

#include <math.h>

#include "cpu/cpu_product.h"
#include "cpu/cpu_rows.h"

/* With fewer centroids or rows the plain way is as quick. */
#define FILTER_MIN_CENTROIDS 5
#define FILTER_MIN_ROWS 32

/* Beyond these the bound does not hold. */
#define FILTER_MAX_DIMS (INT64_C(1) << 22)
#define FILTER_MAX_NORM 1e18

/* The centroids of one group, packed for CPU(products). */
typedef struct filter_centroids {
    int64_t count, padded; /* padded: up to whole panels */
    float *panels;         /* [padded / PRODUCT_COLUMNS, dims, PRODUCT_COLUMNS] */
    double *squares;       /* [padded]: |c|^2, infinity behind the last one */
    double norm, residual; /* at least the largest |c| and |c - c'| */
} filter_centroids;

/* Computed norms and residuals are this near to the true ones, for FILTER_MAX_DIMS numbers. */
#define FILTER_UP (1.0 + 1e-9)

/* Packs `count` centroids [count, dims] into panels of float32 [padded / PRODUCT_COLUMNS, dims,
 * PRODUCT_COLUMNS], with |c|^2 in squares (infinity in the padding, which is never nearest) and the
 * largest norm and rounding residual, which the bound E needs. A NaN centroid leaves norm NaN. */
static __attribute__((noinline, unused)) void
filter_prepare(filter_centroids *out, const double *centroids, int64_t count, int64_t dims) {
    out->count = count;
    out->padded = (count + PRODUCT_COLUMNS - 1) / PRODUCT_COLUMNS * PRODUCT_COLUMNS;
    out->norm = 0.0;
    out->residual = 0.0;
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
            float near = (float)centroid[j];
            double t = centroid[j] - (double)near;
            residual += t * t;
            column[j * PRODUCT_COLUMNS] = near;
        }
        out->squares[c] = CPU(self_dot)((const char *)centroid, dims, ALCORE_FLOAT64);
        double norm = sqrt(out->squares[c]) * FILTER_UP;
        residual = sqrt(residual) * FILTER_UP;
        /* Written so that NaN stays and switches the filter off. */
        if (!(norm <= out->norm)) out->norm = norm;
        if (!(residual <= out->residual)) out->residual = residual;
        if (norm != norm) break;
    }
}

/* What rounding a vector of this norm to float32 may move it by. */
CPU_INLINE double filter_rounding(double norm, int64_t dims) {
    return 0x1p-24 * 1.01 * norm + (double)dims * 1e-45;
}

/* How far x.c in float32 may be from the true one: a row of the norm given, a centroid that
 * rounding moved by `residual` at most. */
CPU_INLINE double filter_product_error(double norm, double centroid_norm, double residual,
                                       int64_t dims) {
    double chain =
        (double)((dims < PRODUCT_CHAIN ? dims : PRODUCT_CHAIN) + dims / PRODUCT_CHAIN + 4);
    double rounded = centroid_norm + residual; /* at least |c'| */
    return norm * residual + 0x1p-24 * 1.01 * (chain + 1.0) * norm * rounded +
           (double)dims * 1e-43 * (1.0 + rounded);
}

/* T of a row with the norm given, E being `product`, or -1: do not filter. */
CPU_INLINE double filter_bound_of(const filter_centroids *centroids, double norm, double product,
                                  int64_t dims) {
    if (!(norm < FILTER_MAX_NORM && centroids->norm < FILTER_MAX_NORM)) return -1.0;
    double sum = norm + centroids->norm;
    return 4.0 * product + 8.0 * ((double)(dims / 32) + 10.0) * 0x1p-52 * sum * sum + 1e-290;
}

/* The same with products in float32. */
CPU_INLINE double filter_bound(const filter_centroids *centroids, double norm, int64_t dims) {
    double product = filter_product_error(norm, centroids->norm, centroids->residual, dims);
    return filter_bound_of(centroids, norm, product, dims);
}

#endif
