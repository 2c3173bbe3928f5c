/* SPDX-License-Identifier: Apache-2.0 */
/* Upper bounds of products from a few leading directions (after Panorama, Ramani et al. 2025): knn
 * multiplies `leading` + 1 components in place of dims, and computes the full product only for
 * pairs whose bound reaches the limit of an item. The search module finds the directions; the bound
 * holds for any.
 *
 * B holds the `leading` directions as rows, in float32; D = B B^T - I, |D| <= skew. For a row x the
 * filter computes y = B x + e in float32, |e| <= h |x| with h = g sqrt(leading (1 + skew)), g as in
 * cpu_search.h for sums over all dims; r_x = x - B^T y is the remainder. For a query q, z and r_q
 * are the same. With b = sqrt(1 + skew) + h, which is at least |y| / |x|, and c = 2 b h + skew b^2:
 *
 *     x.q  = y.z - y.e_q - z.e_x - y^T D z + r_x.r_q
 *          <= y.z + |r_x| |r_q| + c |x| |q|
 *
 *     |r_x|^2  = |x|^2 - |y|^2 + 2 y.e + y^T D y
 *              <= |x|^2 - |y|^2 + c |x|^2
 *
 * So with t >= |r| as one more component, the product of (y, t_x) with (z, t_q) plus c |x| |q| and
 * the rounding of that product is an upper bound of x.q. prune_slack() is the sum of these two, in
 * units of |x| |q|.
 *
 * Items of an operand are packed into panels, some items interleaved by component (cpu_sweep.h):
 * PRODUCT_ROWS items of the rows, PRODUCT_COLUMNS of the queries; PRODUCT_FLOATS floats make a
 * vector. A sweep_operand has the rows and, by matrix row, their norms; SEARCH_UP times a computed
 * norm or square is an upper bound of the true one. */
#ifndef ALCORE__CPU_PRUNE_H
#define ALCORE__CPU_PRUNE_H

#include "engines/cpu/cpu_sweep.h"

/* Between these dims the sums of CPU(float_dot) round no more than those of CPU(products), whose
 * error search_error() bounds: by dims / 16 + 8 roundings a term at most, against
 * product_chain(dims). */
#define PRUNE_MIN_DIMS 64
#define PRUNE_MAX_DIMS 2048
/* The most that pruning may cost, as a share of the products in float32: with int8 products a
 * coarse filter (cpu_coarse.h) takes some 0.3 of these, and what pruning really costs is up to
 * twice what was expected from a sample. */
#define PRUNE_MAX_COST (CPU_INT8 ? 0.15 : 1.0)
/* The most directions that are used; with more, nothing is pruned. */
#define PRUNE_MAX_LEADING 512

/* The directions of one search and the workspace for projecting items on them. */
typedef struct prune_state {
    const alcore_sys_search *search; /* basis [leading, dims] and skew, the caller's */
    int64_t leading;                 /* directions; 0: nothing is pruned */
    int64_t padded;                  /* leading + 1 rounded up to whole panels of columns */
    double excess;                   /* c */
    float *basis; /* [padded / PRODUCT_COLUMNS, dims, PRODUCT_COLUMNS] the directions, packed */
    float *panel; /* [dims, PRODUCT_ROWS] items on their way to be projected */
} prune_state;

/* The state of a search of this call: leading is 0, so that nothing is pruned, where there are no
 * directions or too many, or they save too little, or they are too far from orthonormal for a
 * useful bound (c of 0.02 and more), or dims is out of range. search is kept for the length of the
 * call. The arrays are cut later, by prune_cut(). */
static prune_state prune_begin(const alcore_sys_search *search, int64_t dims) {
    prune_state out = {.search = search};
    if (!search->basis || search->leading < 1 || search->leading > PRUNE_MAX_LEADING) return out;
    if (search->cost > PRUNE_MAX_COST) return out;
    if (dims < PRUNE_MIN_DIMS || dims > PRUNE_MAX_DIMS || search->leading >= dims) return out;
    double rounding = 0x1p-24 * 1.02 * (product_chain(dims) + 2.0);
    double h = rounding * sqrt((double)search->leading * (1.0 + search->skew));
    double b = sqrt(1.0 + search->skew) + h;
    out.excess = (2.0 * b * h + search->skew * b * b) * 1.001;
    if (!(search->skew >= 0.0 && out.excess < 0.02)) return out;
    out.leading = search->leading;
    out.padded = sweep_padded(out.leading + 1, PRODUCT_COLUMNS);
    return out;
}

/* How far the product of two vectors (y, t) can lie below x.q, in units of |x| |q|: c, and the
 * rounding of that product. |y|^2 + t^2 is at most (1 + 3 c) |x|^2, rounding included, so the
 * factor 1.1 covers the norms of both vectors; 1.02 covers products of roundings. */
static double prune_slack(const prune_state *prune) {
    return prune->excess + 0x1p-24 * 1.02 * 1.1 * (product_chain(prune->leading + 1) + 4.0);
}

/* Cuts basis and panel out of the call's memory; runs twice, as all of cpu_sweep.h's cuts: first to
 * add up the size, then to hand out. */
static void prune_cut(prune_state *prune, int64_t dims, sweep_memory *memory) {
    prune->basis = sweep_cut(memory, prune->padded * dims, sizeof *prune->basis);
    prune->panel = sweep_cut(memory, PRODUCT_ROWS * dims, sizeof *prune->panel);
}

/* Packs the leading directions [leading, dims] into panels of columns, zeros up to `padded`. Called
 * once a call, before the first slab. */
static void prune_pack_basis(const prune_state *prune, int64_t dims) {
    for (int64_t first = 0; first < prune->padded; first += PRODUCT_COLUMNS) {
        const char *row[PRODUCT_COLUMNS];
        int64_t count = 0;
        for (; count < PRODUCT_COLUMNS && first + count < prune->leading; count++)
            row[count] = (const char *)(prune->search->basis + (first + count) * dims);
        CPU(pack_panel)
        (row, count, PRODUCT_COLUMNS, dims, ALCORE_FLOAT32, prune->basis + first * dims);
    }
}

/* Packs a slab (the items of one operand that are multiplied at a time) for a pruned sweep: in
 * place of the items their vectors (y, t), the products with the leading directions and an upper
 * bound of the norm of the remainder. Writes floats [items, dims], the items in float32 for full
 * products, unless it is NULL: the items are float32 as they are; leading [items, padded], (y, t)
 * of each item and zeros behind, in whole panels of PRODUCT_ROWS rows, so that its capacity is
 * rounded up to those; and the panels, (y, t) packed for the sweep, leading + 1 words an item.
 * scaled: SWEEP_SCALED divides each item by its norm (queries of a cosine search), SWEEP_AS_IS does
 * not. staged [SWEEP_STAGED, dims]: workspace for unit rows and scaled ones. */
static void prune_pack(const prune_state *prune, const sweep_operand *operand, int scaled,
                       double *staged, float *floats, float *leading) {
    const alcore_sys_rows *rows = operand->search.rows;
    int64_t width = operand->width, items = operand->count;
    int64_t dims = rows->dims, padded = prune->padded;
    int32_t dtype = cpu_row_dtype(rows);
    for (int64_t first = 0; first < items; first += PRODUCT_ROWS) {
        const char *row[PRODUCT_ROWS];
        int64_t count = items - first < PRODUCT_ROWS ? items - first : PRODUCT_ROWS;
        for (int64_t r = 0; r < count; r++) {
            int64_t i = operand->item[first + r];
            float *copy = floats ? floats + (first + r) * dims : NULL;
            const char *row_values = cpu_row(rows, i, staged);
            row[r] = floats ? (const char *)copy : row_values;
            if (!floats) continue;
            if (scaled) {
                CPU(scaled_row)(row_values, dims, dtype, operand->search.norm[i], staged);
                CPU(float_row)((const char *)staged, dims, ALCORE_FLOAT64, copy);
            } else {
                CPU(float_row)(row_values, dims, dtype, copy);
            }
        }
        CPU(pack_panel)(row, count, PRODUCT_ROWS, dims, ALCORE_FLOAT32, prune->panel);
        CPU(products)
        (prune->panel, /*row_panels=*/1, prune->basis, padded / PRODUCT_COLUMNS, dims,
         leading + first * padded, padded);
        for (int64_t r = 0; r < count; r++) {
            float *y = leading + (first + r) * padded;
            double square = CPU(self_dot)(row[r], dims, ALCORE_FLOAT32) * SEARCH_UP;
            double leading_square = CPU(self_dot)((const char *)y, prune->leading, ALCORE_FLOAT32);
            double remainder = square * (1.0 + prune->excess) - leading_square / SEARCH_UP;
            if (!(remainder > 0.0)) remainder = 0.0; /* what rounding made negative */
            /* t: 1e-6 more, so that rounding to float32 does not bring it below the true norm; the
             * term in dims covers what underflowed in y and in the sums. */
            y[prune->leading] = (float)(sqrt(remainder) * (1.0 + 1e-6) + (double)dims * 1e-38);
        }
    }
    for (int64_t first = 0; first < items; first += width) {
        const char *row[SWEEP_STAGED];
        int64_t count = items - first < width ? items - first : width;
        for (int64_t r = 0; r < count; r++) row[r] = (const char *)(leading + (first + r) * padded);
        CPU(pack_panel)
        (row, count, width, prune->leading + 1, ALCORE_FLOAT32,
         operand->panels + first * (prune->leading + 1));
    }
}

#endif
