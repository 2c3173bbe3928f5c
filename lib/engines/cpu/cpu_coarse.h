/* SPDX-License-Identifier: Apache-2.0 */
/* A coarse filter of knn: products of int8 items (cpu_int8.h) tell which pairs may reach the limit
 * of a query, and only of those is the full product computed. The integers of a pair give its
 * product within |x| t + r (|q| + t), for a row x and a query q of the residuals r and t, so that a
 * query is compared with
 *
 *     w v X.Q - (h - r reach) >= limit of the query - t |x|       reach: the largest |q| + t
 *
 * The first term in brackets is of the row alone, the last one of the query, whose |x| is that of
 * the longest row. coarse_rounding() covers the rounding of both sides. */
#ifndef ALCORE__CPU_COARSE_H
#define ALCORE__CPU_COARSE_H

#include "engines/cpu/cpu_choose.h"

/* How the items of the present slab of an operand were packed. */
typedef struct coarse_items {
    float *multiplier; /* [slab] w, for cosine divided by |row| where the row is not; zero behind
                          the last item */
    double *residual;  /* [slab], times the same */
    int32_t *begin;    /* [slab] what the sums of a row begin with; not used of columns */
} coarse_items;

/* Cuts the arrays for a slab, which is whole panels. */
static void coarse_cut(coarse_items *items, int64_t slab, sweep_memory *memory) {
    items->multiplier = sweep_cut(memory, slab, sizeof *items->multiplier);
    items->residual = sweep_cut(memory, slab, sizeof *items->residual);
    items->begin = sweep_cut(memory, slab, sizeof *items->begin);
}

/* An upper bound of the error that rounding to float32 adds to a comparison: three roundings of the
 * product, one of the row's term, which is at most |x|^2 / 2 + |q|^2, and one of the difference.
 * limit, norm: of the longest row and of the query. An item and what stands for it differ by less
 * than a fifth of its norm (PRUNE_MAX_DIMS components) or, below INT16_MAX_SCALE, by less than
 * 2^-54. */
CPU_INLINE double coarse_rounding(double limit, double norm) {
    double sum = limit + norm + 0x1p-50;
    return 0x1p-20 * sum * sum;
}

/* Packs the items of the present slab of an operand as int8, and writes them in float32 to floats
 * [items, dims] unless that is NULL. columns: whether the operand is the columns of the sweep;
 * scaled, staged: sweep_pack(). */
static void coarse_pack(const sweep_operand *operand, int scaled, int columns, double *staged,
                        float *floats, const coarse_items *items) {
#if CPU_INT8
    const search_operand *search = &operand->search;
    const alcore_sys_rows *rows = search->rows;
    int64_t dims = rows->dims, width = operand->width, words = int8_words(dims);
    int32_t dtype = scaled ? ALCORE_FLOAT64 : cpu_row_dtype(rows);
    for (int64_t first = 0; first < operand->count; first += width) {
        const char *row[SWEEP_STAGED];
        for (int64_t r = first; r < first + width; r++) {
            items->multiplier[r] = 0.0f;
            items->begin[r] = 0;
        }
        int64_t count = operand->count - first < width ? operand->count - first : width;
        for (int64_t r = 0; r < count; r++) {
            int64_t i = operand->item[first + r];
            double *copy = staged + r * dims;
            row[r] = cpu_row(rows, i, copy);
            if (scaled) CPU(scaled_row)(row[r], dims, cpu_row_dtype(rows), search->norm[i], copy);
            if (scaled) row[r] = (const char *)copy;
            if (floats) CPU(float_row)(row[r], dims, dtype, floats + (first + r) * dims);
            int8_item packed = CPU(int8_row)(row[r], dims, dtype, columns, copy);
            float weight = search->weight ? search->weight[i] : 1.0f;
            items->multiplier[first + r] = packed.multiplier * weight;
            items->residual[first + r] = packed.residual * (double)weight;
            items->begin[first + r] = -128 * packed.sum;
            row[r] = (const char *)copy;
        }
        CPU(pack_panel)
        (row, count, width, words, ALCORE_FLOAT32, operand->panels + first * words);
    }
#else
    (void)operand, (void)scaled, (void)columns, (void)staged, (void)floats, (void)items;
#endif
}

#endif
