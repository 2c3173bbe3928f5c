/* SPDX-License-Identifier: Apache-2.0 */
/* What a search compares in float32, and how wrong that can be (spec 1.8, Filters).
 *
 * Let p be the float32 product of a row x and a query q (or another row). A search ranks
 *
 *     L2      S = x.q - |x|^2 / 2 - |q|^2 / 2 = -|x - q|^2 / 2
 *     dot     S = x.q
 *     cosine  S = x.q / |x| with q given as unit(q)
 *
 * A search has two operands, the rows and the queries. An item of one operand ranks the items of
 * the other by the score s = p w - h, which leaves out what depends on the ranking item alone and
 * so changes no order: w = 1 / |x| for cosine and 1 otherwise; h = |y|^2 / 2 of the ranked item y
 * for L2 and 0 otherwise. s lies within search_error() of the value that double arithmetic gives:
 *
 *   - x and q rounded to float32 and the sum itself: g |x| |q|, g = 2^-24 (longest chain of
 *     additions + the roundings of inputs, of w and of the product), by Cauchy-Schwarz;
 *   - components below float32's range: 1e-43 each, times w where there is one;
 *   - L2: h rounded and the difference rounded: 2^-24 (|x| |q| + 2 h);
 *   - the normative double sums: (dims / 32 + 10) 2^-52 (|x| + |q|)^2, and 1e-12 where cosines
 *     near 1 count as 1 (spec 1.5).
 *
 * So when two items are ranked by a third one and their scores s differ by more than twice that
 * error, the one with the lower score is truly worse. Items whose norm float32 cannot represent, or
 * whose norm is so much larger than the others' that it would loosen the bound for all, are "far":
 * they are compared with every item of the other operand in double. */
#ifndef ALCORE__CPU_SEARCH_H
#define ALCORE__CPU_SEARCH_H

#include <math.h>

#include "engines/cpu/cpu_product.h"
#include "engines/cpu/cpu_rows.h"

/* With more components than this the bound does not hold: every item is far. */
#define SEARCH_MAX_DIMS (INT64_C(1) << 16)
/* A computed norm times this is an upper bound of the true norm, for rows of at most
 * SEARCH_MAX_DIMS components. */
#define SEARCH_UP (1.0 + 1e-9)

/* One operand of a search: the rows or the queries. The caller sets rows and mask and provides the
 * arrays, which are indexed by matrix row; search_measure() fills the rest. */
typedef struct search_operand {
    const alcore_sys_rows *rows;
    const uint8_t *mask; /* [count] 1: the row takes part; NULL: all do */
    double *norm;        /* [count] sqrt(dot(row, row)); not written outside the mask */
    float *weight;       /* [count] w = 1 / norm, 0 for a zero row; NULL: 1 for every row */
    float *offset;       /* [count] h; infinite for rows that the filter must not find: far ones and
                            those outside the mask */
    uint8_t *far;        /* [count] 1: compared in double only; 0 outside the mask */
    double limit;        /* upper bound of the norms with which rows that are not far are packed;
                            cosine: 1 rounded up */
    int64_t far_count;   /* rows with far 1 */
    int32_t *order;      /* [ordered of count] the rows that the filter compares, in the mask and
                            not far, ascending */
    int64_t ordered;
} search_operand;

/* 1 when matrix row i of the operand takes part. */
CPU_INLINE int search_in_mask(const search_operand *operand, int64_t i) {
    return !operand->mask || operand->mask[i];
}

/* Fills norm, offset, far, limit, far_count, order, ordered and, unless it is NULL, weight. unit
 * [dims] and sorted [count] are workspace. */
void CPU(search_measure)(search_operand *operand, int32_t metric, double *unit, double *sorted);

/* Refuses rows and queries that no search can work on: unlike dims, more than 2^31 - 1 items. */
alcore_status CPU(search_check)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                const alcore_sys_rows *queries);

/* Upper bound of |s - true value| for an item of norm `norm` with items of norms up to `limit`. */
double CPU(search_error)(double norm, double limit, int64_t dims, int32_t metric);

/* out = row / norm, zeros where the norm counts as zero (spec 1.5): what a float32 cosine is made
 * of. row and out may be the same. */
void CPU(scaled_row)(const char *row, int64_t dims, int32_t dtype, double norm, double *out);

/* The value in double, as spec 1.8 defines it, of an item, widened to wide [dims] and with norm
 * `norm`, and row i of the other operand. For L2, where the sq_dist is above `limit`, any value
 * above `limit` may be returned instead. unit [dims] is workspace. */
double CPU(search_value)(int32_t metric, const double *wide, double norm,
                         const search_operand *other, int64_t i, double *unit, double limit);

/* One neighbor: its value by the metric and its pool row. */
typedef struct search_found {
    double value;
    int64_t row;
} search_found;

/* Merges found [count], which is left sorted, into the k best of an item: row, value [k] (order:
 * spec 1.3). */
void CPU(search_join)(int64_t *row, double *value, int64_t k, search_found *found, int64_t count,
                      int32_t metric);

/* The value of rank `rank` (0: the largest) among values [count], which are reordered; no NaN.
 * 0 <= rank < count, so that there is a value. */
float CPU(search_select)(float *values, int64_t count, int64_t rank);

/* The largest float that is not above x. */
CPU_INLINE float search_below(double x) {
    if (x >= (double)FLT_MAX) return FLT_MAX;
    if (x <= -(double)FLT_MAX) return -FLT_MAX;
    float below = (float)x;
    return (double)below > x ? nextafterf(below, -HUGE_VALF) : below;
}

#endif
