/* SPDX-License-Identifier: Apache-2.0 */
/* The centres of one group beside a tile of rows: their products, and by those the few centres that
 * can be a row's nearest (cpu_filter.h). Engines that have them take products of 16-bit whole
 * numbers, with another E. */
#ifndef ALCORE__CPU_CENTRES_H
#define ALCORE__CPU_CENTRES_H

#include "cpu/cpu_filter.h"
#include "cpu/cpu_narrow.h"

/* Rows of the larger panel. */
#define CENTRES_STAGED (PRODUCT_ROWS > PRODUCT_COLUMNS ? PRODUCT_ROWS : PRODUCT_COLUMNS)

typedef struct centres_filter {
    filter_centres base;
    float *staged;   /* [CENTRES_STAGED, dims]; used for whole numbers */
    float scale;     /* of whole numbers; 0: the panels are float32 */
    double residual; /* of the centres as whole numbers */
} centres_filter;

/* One row beside the centres. */
typedef struct centres_row {
    double self, norm; /* dot(x, x), and at least |x| */
    double residual;   /* of its whole numbers */
    double weight;     /* x.c = weight times a product */
} centres_row;

#if CPU_NARROW
static void centres_narrow(centres_filter *out, const double *centres, int64_t dims) {
    int64_t numbers = narrow_pairs(dims), padded = out->base.padded;
    out->scale = narrow_scale(out->base.norm);
    out->residual = 0.0;
    for (int64_t first = 0; first < padded; first += PRODUCT_COLUMNS) {
        const char *column[PRODUCT_COLUMNS];
        int64_t left = out->base.count - first, count = 0;
        for (; count < PRODUCT_COLUMNS && count < left; count++) {
            float *whole = out->staged + count * numbers;
            double residual = CPU(narrow_row)((const char *)(centres + (first + count) * dims),
                                              dims, ALCORE_FLOAT64, out->scale, whole);
            if (residual > out->residual) out->residual = residual;
            column[count] = (const char *)whole;
        }
        CPU(pack_panel)
        (column, count, PRODUCT_COLUMNS, numbers, ALCORE_FLOAT32,
         out->base.panels + first * numbers);
    }
}
#endif

static void centres_prepare(centres_filter *out, const double *centres, int64_t count,
                            int64_t dims) {
    filter_prepare(&out->base, centres, count, dims);
    out->scale = 0.0f;
#if CPU_NARROW
    if (dims > 0 && dims <= NARROW_MAX_DIMS && out->base.norm < FILTER_MAX_NORM)
        centres_narrow(out, centres, dims);
#endif
}

/* The products [rows, padded] of up to PRODUCT_ROWS rows with the centres; panel: [dims,
 * PRODUCT_ROWS]. dtype: of the rows. */
static void centres_products(const centres_filter *centres, const char *const *row, int count,
                             int64_t dims, int32_t dtype, float *panel, float *products,
                             centres_row *out) {
    int64_t padded = centres->base.padded, panels = padded / PRODUCT_COLUMNS;
    for (int r = 0; r < count; r++) {
        double self = CPU(self_dot)(row[r], dims, dtype);
        out[r] = (centres_row){.self = self, .norm = sqrt(self) * FILTER_UP, .weight = 1.0};
    }
#if CPU_NARROW
    if (centres->scale > 0.0f) {
        const char *whole[PRODUCT_ROWS];
        int64_t numbers = narrow_pairs(dims);
        for (int r = 0; r < count; r++) {
            /* A row that is too large, or no number, is not filtered: any scale will do. */
            float scale = narrow_scale(out[r].norm < FILTER_MAX_NORM ? out[r].norm : 1e38);
            float *to = centres->staged + r * numbers;
            out[r].residual = CPU(narrow_row)(row[r], dims, dtype, scale, to);
            whole[r] = (const char *)to;
            out[r].weight = 1.0 / ((double)scale * (double)centres->scale);
        }
        CPU(pack_panel)(whole, count, PRODUCT_ROWS, numbers, ALCORE_FLOAT32, panel);
        CPU(narrow_products)
        (panel, 1, centres->base.panels, panels, numbers, 1.0f, products, padded);
        return;
    }
#endif
    CPU(pack_panel)(row, count, PRODUCT_ROWS, dims, dtype, panel);
    CPU(products)(panel, 1, centres->base.panels, panels, dims, products, padded);
}

/* T of a row, or -1: do not filter. */
CPU_INLINE double centres_bound(const centres_filter *centres, const centres_row *row,
                                int64_t dims) {
    const filter_centres *base = &centres->base;
    if (centres->scale == 0.0f) return filter_bound(base, row->norm, dims);
    double product = narrow_error(row->norm, base->norm, row->residual, centres->residual);
    return filter_bound_of(base, row->norm, product, dims);
}

/* F of CPU_WIDTH centres. */
CPU_INLINE cpu_vector centres_f(const centres_filter *centres, const float *products, int64_t c,
                                double twice) {
    return cpu_load_double(centres->base.squares + c) -
           twice * cpu_load((const char *)products, c, ALCORE_FLOAT32);
}

/* The least F. */
static double centres_least(const centres_filter *centres, const centres_row *row,
                            const float *products) {
    double twice = 2.0 * row->weight;
    cpu_vector least = centres_f(centres, products, 0, twice);
    for (int64_t c = CPU_WIDTH; c < centres->base.padded; c += CPU_WIDTH) {
        cpu_vector f = centres_f(centres, products, c, twice);
        cpu_mask below = f < least;
        least = (cpu_vector)((below & (cpu_mask)f) | (~below & (cpu_mask)least));
    }
    double lane[CPU_WIDTH];
    cpu_store_double(lane, least);
    for (int i = 1; i < CPU_WIDTH; i++) {
        if (lane[i] < lane[0]) lane[0] = lane[i];
    }
    return lane[0];
}

/* Lists the centres whose F is at most `most` in kept [padded], in their order, and returns their
 * number; *rest is the least F of the others, infinity when there are none. */
static int64_t centres_keep(const centres_filter *centres, const centres_row *row,
                            const float *products, double most, int32_t *kept, double *rest) {
    double twice = 2.0 * row->weight;
    cpu_vector others = {0};
    others += HUGE_VAL;
    int64_t count = 0;
    for (int64_t c = 0; c < centres->base.padded; c += CPU_WIDTH) {
        cpu_vector f = centres_f(centres, products, c, twice);
        cpu_mask keep = f <= most, less = ~keep & (f < others);
        others = (cpu_vector)((less & (cpu_mask)f) | (~less & (cpu_mask)others));
        if (!cpu_any_double(keep)) continue;
        for (int i = 0; i < CPU_WIDTH; i++) {
            if (keep[i]) kept[count++] = (int32_t)(c + i);
        }
    }
    *rest = HUGE_VAL;
    for (int i = 0; i < CPU_WIDTH; i++) {
        if (others[i] < *rest) *rest = others[i];
    }
    return count;
}

#endif
