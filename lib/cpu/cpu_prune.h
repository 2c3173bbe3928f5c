/* SPDX-License-Identifier: Apache-2.0 */
/* Products bounded from above by a few leading directions (after Panorama, Ramani et al. 2025).
 *
 * B: the `leading` directions as rows, float32; D = B B^T - I, |D| <= skew. Of a row x the filter
 * computes y = B x + e in float32, |e| <= h |x| with h = g sqrt(leading (1 + skew)), g as in
 * cpu_search.h for sums over all dims; then r = x - B^T y is what y leaves. For x and q with y, z:
 *
 *     x.q  = y.z - y.e_q - z.e_x - y^T D z + r_x.r_q
 *         <= y.z + |r_x| |r_q| + c |x| |q|     c = 2 b h + skew b^2, b = sqrt(1 + skew) + h >=
 * |y|/|x| |r|^2 = |x|^2 - |y|^2 + 2 y.e + y^T D y <= |x|^2 - |y|^2 + c |x|^2
 *
 * With t >= |r| as one more number of the vectors (y, t) and (z, t), their product is the bound but
 * for c |x| |q| and its own rounding: that is prune_slack(), in units of |x| |q|. Nothing depends
 * on where the directions come from. */
#ifndef ALCORE__CPU_PRUNE_H
#define ALCORE__CPU_PRUNE_H

#include "cpu/cpu_sweep.h"

/* Where the sums of prune_dot() round no more than those of CPU(products). */
#define PRUNE_MIN_DIMS 64
#define PRUNE_MAX_DIMS 2048
#define PRUNE_MAX_LEADING 512

typedef struct prune {
    const alcore_sys_search *search;
    int64_t leading; /* 0: nothing is pruned */
    int64_t padded;  /* leading and one more, up to whole panels of columns */
    double excess;   /* c */
    float *basis;    /* [padded / PRODUCT_COLUMNS, dims, PRODUCT_COLUMNS] */
    float *panel;    /* [dims, PRODUCT_ROWS] */
} prune;

CPU_INLINE double prune_chain(int64_t dims) {
    return (double)((dims < PRODUCT_CHAIN ? dims : PRODUCT_CHAIN) + dims / PRODUCT_CHAIN + 4);
}

/* Whether a search's directions are used. */
static prune prune_begin(const alcore_sys_search *search, int64_t dims) {
    prune out = {.search = search};
    if (!search->basis || search->leading < 1 || search->leading > PRUNE_MAX_LEADING) return out;
    if (dims < PRUNE_MIN_DIMS || dims > PRUNE_MAX_DIMS || search->leading >= dims) return out;
    double rounding = 0x1p-24 * 1.02 * (prune_chain(dims) + 2.0);
    double h = rounding * sqrt((double)search->leading * (1.0 + search->skew));
    double b = sqrt(1.0 + search->skew) + h;
    out.excess = (2.0 * b * h + search->skew * b * b) * 1.001;
    if (!(search->skew >= 0.0 && out.excess < 0.02)) return out;
    out.leading = search->leading;
    out.padded = sweep_padded(out.leading + 1, PRODUCT_COLUMNS);
    return out;
}

/* |y|^2 + t^2 is at most (1 + 3 c) |x|^2, rounding included: 1.1 covers both vectors. */
static double prune_slack(const prune *by) {
    return by->excess + 0x1p-24 * 1.02 * 1.1 * (prune_chain(by->leading + 1) + 4.0);
}

static void prune_cut(prune *by, int64_t dims, sweep_memory *memory) {
    by->basis = sweep_cut(memory, by->padded * dims, sizeof *by->basis);
    by->panel = sweep_cut(memory, PRODUCT_ROWS * dims, sizeof *by->panel);
}

/* Packs the leading directions [leading, dims] into panels of columns, zeros up to `padded`. */
static void prune_pack_basis(const prune *by, int64_t dims) {
    for (int64_t first = 0; first < by->padded; first += PRODUCT_COLUMNS) {
        const char *row[PRODUCT_COLUMNS];
        int64_t count = 0;
        for (; count < PRODUCT_COLUMNS && first + count < by->leading; count++)
            row[count] = (const char *)(by->search->basis + (first + count) * dims);
        CPU(pack_panel)
        (row, count, PRODUCT_COLUMNS, dims, ALCORE_FLOAT32, by->basis + first * dims);
    }
}

/* floats: [items, dims], the items as float32; leading: [items, padded], (y, t) of each; panels:
 * those in panels. staged: [SWEEP_STAGED, dims] */
static void prune_pack(const prune *by, const sweep_items *items, const search_side *side,
                       int scaled, double *staged, float *floats, float *leading) {
    const alcore_sys_rows *rows = side->rows;
    int64_t width = items->width;
    int64_t dims = rows->dims, padded = by->padded;
    int32_t dtype = cpu_row_dtype(rows);
    for (int64_t first = 0; first < items->count; first += PRODUCT_ROWS) {
        const char *row[PRODUCT_ROWS];
        int64_t count = items->count - first < PRODUCT_ROWS ? items->count - first : PRODUCT_ROWS;
        for (int64_t r = 0; r < count; r++) {
            int64_t i = items->item[first + r];
            float *own = floats + (first + r) * dims;
            const char *given = cpu_row(rows, i, staged);
            if (scaled) {
                CPU(scaled_row)(given, dims, dtype, side->norm[i], staged);
                CPU(float_row)((const char *)staged, dims, ALCORE_FLOAT64, own);
            } else {
                CPU(float_row)(given, dims, dtype, own);
            }
            row[r] = (const char *)own;
        }
        CPU(pack_panel)(row, count, PRODUCT_ROWS, dims, ALCORE_FLOAT32, by->panel);
        /* The last rows of a last panel lie behind the items: leading has room for them. */
        CPU(products)
        (by->panel, 1, by->basis, padded / PRODUCT_COLUMNS, dims, leading + first * padded, padded);
        for (int64_t r = 0; r < count; r++) {
            float *y = leading + (first + r) * padded;
            double whole = CPU(self_dot)(row[r], dims, ALCORE_FLOAT32) * SEARCH_UP;
            double held = CPU(self_dot)((const char *)y, by->leading, ALCORE_FLOAT32);
            double rest = whole * (1.0 + by->excess) - held / SEARCH_UP;
            /* What underflowed above is less than the last term. */
            if (!(rest > 0.0)) rest = 0.0;
            y[by->leading] = (float)(sqrt(rest) * (1.0 + 1e-6) + (double)dims * 1e-38);
        }
    }
    for (int64_t first = 0; first < items->count; first += width) {
        const char *row[SWEEP_STAGED];
        int64_t count = items->count - first < width ? items->count - first : width;
        for (int64_t r = 0; r < count; r++) row[r] = (const char *)(leading + (first + r) * padded);
        CPU(pack_panel)
        (row, count, width, by->leading + 1, ALCORE_FLOAT32,
         items->panels + first * (by->leading + 1));
    }
}

/* a . b in float32, in 4 PRODUCT_FLOATS chains. */
static __attribute__((noinline)) float prune_dot(const float *a, const float *b, int64_t dims) {
    sweep_floats sum[4] = {{0}};
    int64_t j = 0;
    for (; j + 4 * PRODUCT_FLOATS <= dims; j += 4 * PRODUCT_FLOATS) {
#pragma GCC unroll 4
        for (int v = 0; v < 4; v++) {
            sum[v] +=
                sweep_load(a + j + v * PRODUCT_FLOATS) * sweep_load(b + j + v * PRODUCT_FLOATS);
        }
    }
    sum[0] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    float total = 0.0f;
    for (int i = 0; i < PRODUCT_FLOATS; i++) total += sum[0][i];
    for (; j < dims; j++) total += a[j] * b[j];
    return total;
}

#endif
