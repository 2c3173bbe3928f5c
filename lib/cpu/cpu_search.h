/* SPDX-License-Identifier: Apache-2.0 */
/* What a search compares in float32, and how wrong that can be (spec 1.8, Filters).
 *
 * Let p be the float32 product of a row x and a query q (or another row). A search ranks
 *
 *     L2      S = x.q - |x|^2 / 2 - |q|^2 / 2 = -|x - q|^2 / 2
 *     dot     S = x.q
 *     cosine  S = x.q / |x| with q given as unit(q)
 *
 * An item i of one side looks at s = p w - h, where h belongs to the other side and what depends on
 * i alone is left out: w = 1 / |x| for cosine and 1 otherwise, h = |other|^2 / 2 for L2 and 0
 * otherwise. s lies within search_error() of the value that the normative arithmetic stands for:
 *
 *   - x and q rounded to float32 and the sum itself: g |x| |q|, g = 2^-24 (longest chain of
 *     additions + the roundings of inputs, of w and of the product), by Cauchy-Schwarz;
 *   - numbers below float32's range: 1e-43 each, times w where there is one;
 *   - L2: h rounded and the difference rounded: 2^-24 (|x| |q| + 2 h);
 *   - the normative double sums: (dims / 32 + 10) 2^-52 (|x| + |q|)^2, and 1e-12 where cosines are
 *     taken for 1.
 *
 * So of two others of one item, the one whose s is below the other's by more than twice that error
 * is truly worse. What is too large or too much larger than the rest for one error bound is "far":
 * it is compared with everything in double. */
#ifndef ALCORE__CPU_SEARCH_H
#define ALCORE__CPU_SEARCH_H

#include <math.h>

#include "cpu/cpu_product.h"
#include "cpu/cpu_rows.h"

/* Beyond this the bound does not hold. */
#define SEARCH_MAX_DIMS (INT64_C(1) << 16)
/* Computed norms are this near to the true ones, for SEARCH_MAX_DIMS numbers. */
#define SEARCH_UP (1.0 + 1e-9)

/* Rows, or queries: one side of a search. */
typedef struct search_side {
    const alcore_sys_rows *rows;
    const uint8_t *mask;
    double *norm;  /* [count] sqrt(dot(row, row)) */
    float *weight; /* [count] w; NULL: 1 */
    float *offset; /* [count] h; infinite: never found by the filter */
    uint8_t *far;  /* [count] */
    double limit;  /* at least the norm of every row that is not far, as the filter sees it */
    int64_t fars;  /* how many are far */
} search_side;

CPU_INLINE int search_in_mask(const search_side *side, int64_t i) {
    return !side->mask || side->mask[i];
}

/* Fills norm, offset, far, limit and, where there is one, weight. */
void CPU(search_measure)(search_side *side, int32_t metric, double *unit, double *sorted);

/* Refuses rows and queries that no search can take. */
alcore_status CPU(search_check)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                const alcore_sys_rows *queries);

/* Which rows the filter sees, in order; returns how many. */
int64_t CPU(search_order)(const search_side *side, int32_t *order);

/* Largest difference between the s of an item with that norm, as the filter sees it, and the truth.
 */
double CPU(search_error)(double norm, double limit, int64_t dims, int32_t metric);

/* out = row / norm, zeros where the norm counts as zero (spec 1.5): what a float32 cosine is made
 * of. row and out may be the same. */
void CPU(scaled_row)(const char *row, int64_t dims, int32_t dtype, double norm, double *out);

/* The normative value of the item of one side, widened to `wide`, with row i of the other; any
 * value above `within` where the sq_dist is above it. */
double CPU(search_value)(int32_t metric, const double *wide, double norm, const search_side *other,
                         int64_t i, double *unit, double within);

/* One neighbor. */
typedef struct search_found {
    double value;
    int64_t row;
} search_found;

/* Joins the best `k` places (spec 1.3) with `count` found ones, which are left sorted. */
void CPU(search_join)(int64_t *row, double *value, int64_t k, search_found *found, int64_t count,
                      int32_t metric);

/* The `rank`-th largest, counted from 0, of `count` numbers, which are reordered; no NaN. */
float CPU(search_largest)(float *values, int64_t count, int64_t rank);

/* The largest float that is not above x. */
CPU_INLINE float search_below(double x) {
    if (x >= (double)FLT_MAX) return FLT_MAX;
    if (x <= -(double)FLT_MAX) return -FLT_MAX;
    float below = (float)x;
    return (double)below > x ? nextafterf(below, -HUGE_VALF) : below;
}

#endif
