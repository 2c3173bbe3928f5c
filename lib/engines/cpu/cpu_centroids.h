/* SPDX-License-Identifier: Apache-2.0 */
/* The filter of nearest_centroid: the products of a panel of rows with all centroids of one group,
 * and from those the few centroids that can be the nearest of a row (the bound: cpu_filter.h). An
 * engine with VPDPWSSD multiplies int16 values instead of float32 ones; E is then that of
 * cpu_int16.h. cpu_nearest.c calls, for each group: centroids_prepare() once, then for each panel
 * of rows centroids_products(), and for each row centroids_bound(), _rank() and _keep().
 *
 * Layout: centroids are packed into panels of PRODUCT_COLUMNS, rows into one panel of PRODUCT_ROWS;
 * products are [PRODUCT_ROWS, padded], padded = centroids rounded up to whole panels. CPU_FLOATS
 * floats make a vector, whose elements are lanes. FILTER_UP times a computed norm is an upper bound
 * of the true one.
 *
 * Cost: rows x centroids x dims multiply-adds in float32, or half of that time in integers; then
 * one sq_dist in double for each centroid that is kept, one or two a row on data with clusters. */
#ifndef ALCORE__CPU_CENTROIDS_H
#define ALCORE__CPU_CENTROIDS_H

#include "engines/cpu/cpu_filter.h"
#include "engines/cpu/cpu_int16.h"

/* Vectors of the larger kind of panel: capacity of staged. */
#define CENTROIDS_STAGED (PRODUCT_ROWS > PRODUCT_COLUMNS ? PRODUCT_ROWS : PRODUCT_COLUMNS)

/* The centroids of one group, packed; the caller allocates the arrays, base.panels and base.squares
 * included. "int16" is the form in which an engine with integer products packs vectors: each
 * component times a scale and rounded, two of them in a 32-bit word. */
typedef struct centroids_filter {
    filter_centroids base; /* base.panels holds int16 words when scale is not 0 */
    float *squares;        /* [padded] |c|^2 in float32; infinity behind the last centroid */
    float *staged;         /* [CENTROIDS_STAGED, dims] vectors as int16, before they are packed */
    float scale;           /* factor of the int16 values; 0: the panels are float32 */
    double residual;       /* upper bound of the L2 distance by which rounding to int16 moved any of
                              the centroids */
} centroids_filter;

/* What the filter knows of one row x that is compared with the centroids. */
typedef struct centroids_row {
    double self;     /* |x|^2, summed in float32 for float32 rows (centroids_measure()) */
    double slip;     /* bound of the error of self; 0: the sum in double that spec 1.8 defines */
    double norm;     /* upper bound of |x|, not squared */
    double residual; /* upper bound of how far rounding to int16 moved the row; 0 in float32 */
    double weight;   /* x.c = weight * product: 1 in float32, 1 / (both scales) in int16 */
} centroids_row;

#if CPU_INT16
/* Packs the centroids [count, dims] again as int16, over the float32 panels that filter_prepare()
 * wrote, with one scale for all of them, because the products of a row with different columns are
 * compared; residual becomes the largest residual of a centroid. */
static void centroids_int16(centroids_filter *out, const double *centroids, int64_t dims) {
    int64_t words = int16_pairs(dims), padded = out->base.padded;
    out->scale = int16_scale(out->base.max_norm);
    out->residual = 0.0;
    for (int64_t first = 0; first < padded; first += PRODUCT_COLUMNS) {
        const char *column[PRODUCT_COLUMNS];
        int64_t left = out->base.count - first, count = 0;
        for (; count < PRODUCT_COLUMNS && count < left; count++) {
            float *staged_row = out->staged + count * words;
            double residual = CPU(int16_row)((const char *)(centroids + (first + count) * dims),
                                             dims, ALCORE_FLOAT64, out->scale, staged_row);
            if (residual > out->residual) out->residual = residual;
            column[count] = (const char *)staged_row;
        }
        CPU(pack_panel)
        (column, count, PRODUCT_COLUMNS, words, ALCORE_FLOAT32, out->base.panels + first * words);
    }
}
#endif

/* Packs centroids [count, dims] into the panels of the filter: float32, or int16 where this engine
 * multiplies these faster and dims and norms are within the range of its bound (65536 components,
 * norms below 1e18). Called once for each group, before its rows. */
static void centroids_prepare(centroids_filter *out, const double *centroids, int64_t count,
                              int64_t dims) {
    filter_prepare(&out->base, centroids, count, dims);
    for (int64_t c = 0; c < out->base.padded; c++) out->squares[c] = (float)out->base.squares[c];
    out->scale = 0.0f;
#if CPU_INT16
    if (dims > 0 && dims <= INT16_MAX_DIMS && out->base.max_norm < FILTER_MAX_NORM)
        centroids_int16(out, centroids, dims);
#endif
}

/* With more dims the error of the float32 sum in centroids_measure() would make T too large. */
#define CENTROIDS_QUICK_DIMS (INT64_C(1) << 16)

/* Measures one row, of type dtype: |x|^2, its error and an upper bound of |x|. |x|^2 of a float32
 * row is summed in float32, which is faster: every lane is a chain of dims / CPU_FLOATS additions,
 * and squares below float32's range add less than 2e-38 each; slip bounds both. For other rows
 * |x|^2 is self_dot. */
CPU_INLINE centroids_row centroids_measure(const char *row, int64_t dims, int32_t dtype) {
    centroids_row out = {.weight = 1.0};
    if (dtype != ALCORE_FLOAT32 || dims > CENTROIDS_QUICK_DIMS) {
        out.self = CPU(self_dot)(row, dims, dtype);
        out.norm = sqrt(out.self) * FILTER_UP;
        return out;
    }
    const float *values = (const float *)(const void *)row;
    cpu_floats sum[4] = {{0}};
    int64_t j = 0;
    for (; j + 4 * CPU_FLOATS <= dims; j += 4 * CPU_FLOATS) {
#pragma GCC unroll 4
        for (int v = 0; v < 4; v++) {
            cpu_floats x = cpu_load_floats(values + j + v * CPU_FLOATS);
            sum[v] = cpu_add_product(x, x, sum[v]);
        }
    }
    sum[0] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    for (int i = 0; i < CPU_FLOATS; i++) out.self += (double)sum[0][i];
    for (; j < dims; j++) {
        float x;
        __builtin_memcpy(&x, values + j, sizeof x);
        out.self += (double)x * (double)x;
    }
    double chain = (double)(dims / CPU_FLOATS) + 8.0;
    out.slip = chain * 0x1p-24 * 1.01 * out.self + (double)dims * 2e-38;
    out.norm = sqrt(out.self + out.slip) * FILTER_UP;
    return out;
}

/* products [PRODUCT_ROWS, padded] of `count` rows, at most PRODUCT_ROWS, with the centroids, and
 * what the filter needs of each row: out [count]. row [count]: the rows, of type dtype; panel
 * [dims, PRODUCT_ROWS]: workspace. */
static void centroids_products(const centroids_filter *centroids, const char *const *row, int count,
                               int64_t dims, int32_t dtype, float *panel, float *products,
                               centroids_row *out) {
    int64_t padded = centroids->base.padded, panels = padded / PRODUCT_COLUMNS;
    for (int r = 0; r < count; r++) out[r] = centroids_measure(row[r], dims, dtype);
#if CPU_INT16
    if (centroids->scale > 0.0f) {
        const char *whole[PRODUCT_ROWS];
        int64_t words = int16_pairs(dims);
        for (int r = 0; r < count; r++) {
            /* A row that is too long or has a NaN is not filtered: any scale will do. */
            float scale = int16_scale(out[r].norm < FILTER_MAX_NORM ? out[r].norm : 1e38);
            float *staged = centroids->staged + r * words;
            out[r].residual = CPU(int16_row)(row[r], dims, dtype, scale, staged);
            whole[r] = (const char *)staged;
            out[r].weight = 1.0 / ((double)scale * (double)centroids->scale);
        }
        CPU(pack_panel)(whole, count, PRODUCT_ROWS, words, ALCORE_FLOAT32, panel);
        CPU(int16_products)
        (panel, /*row_panels=*/1, centroids->base.panels, panels, words, /*factor=*/1.0f, products,
         padded);
        return;
    }
#endif
    CPU(pack_panel)(row, count, PRODUCT_ROWS, dims, dtype, panel);
    CPU(products)
    (panel, /*row_panels=*/1, centroids->base.panels, panels, dims, products, padded);
}

/* T of a row, the largest difference of two F that float32 (or int16) could have made up
 * (cpu_filter.h), so that only centroids within T of the smallest F can be the nearest; -1: do not
 * filter the row, it or a centroid is too long or NaN. The last terms bound the roundings of F
 * itself, which centroids_rank() computes in float32. */
CPU_INLINE double centroids_bound(const centroids_filter *centroids, const centroids_row *row,
                                  int64_t dims) {
    const filter_centroids *base = &centroids->base;
    double product =
        centroids->scale > 0.0f
            ? int16_error(row->norm, base->max_norm, row->residual, centroids->residual)
            : filter_product_error(row->norm, base->max_norm, base->max_residual, dims);
    double bound = filter_bound_of(base, row->norm, product, dims);
    if (bound < 0.0) return bound;
    return bound + 0x1p-20 * base->max_norm * (base->max_norm + row->norm) + 1e-42;
}

/* Second step for a row, after centroids_products(): turns its products [padded], in place, into
 * F(c) = |c|^2 - 2 x.c with x.c = row->weight * product, and returns the smallest F. Entries behind
 * the last centroid become infinite. centroids_keep() reads the result. */
static float centroids_rank(const centroids_filter *centroids, const centroids_row *row,
                            float *products) {
    cpu_floats twice = cpu_all_floats((float)(-2.0 * row->weight));
    cpu_floats min_f = cpu_all_floats(HUGE_VALF);
    for (int64_t c = 0; c < centroids->base.padded; c += CPU_FLOATS) {
        cpu_floats f = cpu_add_product(twice, cpu_load_floats(products + c),
                                       cpu_load_floats(centroids->squares + c));
        cpu_store_floats(products + c, f);
        min_f = cpu_smaller(f, min_f);
    }
    for (int i = 1; i < CPU_FLOATS; i++) {
        if (min_f[i] < min_f[0]) min_f[0] = min_f[i];
    }
    return min_f[0];
}

/* Third step for a row: lists the centroids with F <= max_f in kept [padded], ascending, and
 * returns how many; *min_rest is the smallest F of the others, infinity when there are none. f
 * [padded]: F of each centroid, as centroids_rank() left it. max_f is rounded up to float32, so
 * that none is lost. */
static int64_t centroids_keep(const centroids_filter *centroids, const float *f, double max_f,
                              int32_t *kept, double *min_rest) {
    float limit = (float)max_f;
    if ((double)limit < max_f) limit = nextafterf(limit, HUGE_VALF);
    cpu_floats others = cpu_all_floats(HUGE_VALF), infinite = others;
    int64_t count = 0;
    for (int64_t c = 0; c < centroids->base.padded; c += CPU_FLOATS) {
        cpu_floats x = cpu_load_floats(f + c);
        cpu_float_bits keep = x <= limit;
        others = cpu_smaller(cpu_choose(keep, infinite, x), others);
        if (!cpu_any(keep)) continue;
        for (int i = 0; i < CPU_FLOATS; i++) {
            if (f[c + i] <= limit) kept[count++] = (int32_t)(c + i);
        }
    }
    for (int i = 1; i < CPU_FLOATS; i++) {
        if (others[i] < others[0]) others[0] = others[i];
    }
    *min_rest = (double)others[0];
    return count;
}

#endif
