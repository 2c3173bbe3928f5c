/* SPDX-License-Identifier: Apache-2.0 */
/* The products of many rows with many columns, tile by tile, in float32 or, where the engine has
 * them, in integers (cpu_int16.h): rows of a slab times the panels of a slab, in blocks of
 * panels that stay in the second-level cache while all rows pass. */
#ifndef ALCORE__CPU_SWEEP_H
#define ALCORE__CPU_SWEEP_H

#include "cpu/cpu_call.h"
#include "cpu/cpu_int16.h"
#include "cpu/cpu_search.h"

/* Bytes of the panels of a block, and of what a call keeps of a slab. */
#define SWEEP_BLOCK_BYTES (INT64_C(384) << 10)
#define SWEEP_SLAB_BYTES (INT64_C(16) << 20)

/* Items of one side that the filter sees, and their numbers for it. */
typedef struct sweep_items {
    int64_t count;
    const int32_t *item; /* [count] which of the side's rows */
    int64_t width;       /* of a panel: PRODUCT_ROWS or PRODUCT_COLUMNS */
    float *panels;       /* [count up to whole panels, numbers]; integers: pairs of them */
    float scale;         /* of the items as integers; 0: they are in float32 */
    double residual;     /* of them (cpu_int16.h) */
} sweep_items;

/* Parts of one block of memory: first with base NULL to add up, then again to cut. */
typedef struct sweep_memory {
    char *base;
    int64_t used;
} sweep_memory;

CPU_INLINE void *sweep_cut(sweep_memory *memory, int64_t count, size_t bytes) {
    void *part = memory->base ? memory->base + memory->used : NULL;
    memory->used += (count * (int64_t)bytes + 63) / 64 * 64;
    return part;
}

typedef float sweep_floats __attribute__((vector_size(PRODUCT_FLOATS * 4)));

CPU_INLINE sweep_floats sweep_load(const float *from) {
    sweep_floats v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}

/* Items with those that fill the last panel. */
CPU_INLINE int64_t sweep_padded(int64_t items, int64_t width) {
    return product_panels(items, width) * width;
}

/* Most items of a slab that takes `each` bytes for one; whole panels. */
CPU_INLINE int64_t sweep_slab(int64_t count, int64_t each, int64_t width) {
    int64_t slab = SWEEP_SLAB_BYTES / each / width * width;
    if (slab < width) slab = width;
    return slab < count ? slab : sweep_padded(count, width);
}

/* Columns of a block, by the numbers of 32 bits that one takes. */
CPU_INLINE int64_t sweep_columns(int64_t numbers) {
    int64_t panels = SWEEP_BLOCK_BYTES / (numbers * PRODUCT_COLUMNS * 4);
    return (panels < 1 ? 1 : panels) * PRODUCT_COLUMNS;
}

/* Columns that are looked at together. */
#define SWEEP_LOOK (2 * PRODUCT_FLOATS)

/* Whether any of the comparisons a >= b of two vectors holds. */
CPU_INLINE int sweep_any(sweep_floats a, sweep_floats b, sweep_floats c, sweep_floats d) {
#if defined(__AVX512F__)
    return (_mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GE_OQ) |
            _mm512_cmp_ps_mask((__m512)c, (__m512)d, _CMP_GE_OQ)) != 0;
#elif defined(__AVX2__)
    return _mm256_movemask_ps(_mm256_or_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_GE_OQ),
                                           _mm256_cmp_ps((__m256)c, (__m256)d, _CMP_GE_OQ))) != 0;
#else
    typedef int32_t whole __attribute__((vector_size(16)));
    typedef int64_t halves __attribute__((vector_size(16)));
    halves any = (halves)((whole)(a >= b) | (whole)(c >= d));
    return (any[0] | any[1]) != 0;
#endif
}

/* Rows of the larger panel. */
#define SWEEP_STAGED (PRODUCT_ROWS > PRODUCT_COLUMNS ? PRODUCT_ROWS : PRODUCT_COLUMNS)

/* Numbers of 32 bits of a packed item with `dims` numbers. */
CPU_INLINE int64_t sweep_numbers(const sweep_items *items, int64_t dims) {
    return items->scale > 0.0f ? int16_pairs(dims) : dims;
}

/* Columns of a block, whichever way items are packed. */
CPU_INLINE int64_t sweep_most_columns(int64_t dims) {
    return sweep_columns(CPU_INT16 ? int16_pairs(dims) : dims);
}

/* What the integers add to the error of an item's s: a norm as the filter sees it. */
static double sweep_error(const sweep_items *own, const sweep_items *other, double norm,
                          double limit) {
    if (own->scale == 0.0f) return 0.0;
    return int16_error(norm, limit, own->residual, other->residual);
}

/* A side that is about to be swept. */
typedef struct sweep_view {
    sweep_items *items;
    const search_side *side;
    const int32_t *order; /* [ordered] the items that the filter sees */
    int64_t ordered;
    int64_t k; /* neighbors that each of them wants; 0: none */
} sweep_view;

/* Items of both sides that are compared before a sweep, and the share of pairs that integers
 * may keep and float32 would not: computing those in double then costs as much as is saved. */
#define SWEEP_SEEN_ROWS 128
#define SWEEP_SEEN_COLUMNS 32
#define SWEEP_BLUR 0.02

#if CPU_INT16
/* How many of an item's values, s of others by which it ranks them, integers would keep and
 * float32 would not. values are reordered. */
static int64_t sweep_blurred(const sweep_view *own, const sweep_view *other, int64_t i,
                             int32_t metric, float *values, int64_t count) {
    int64_t rank = own->k * count / other->ordered, blurred = 0;
    double norm = metric == ALCORE_SYS_COSINE ? SEARCH_UP : own->side->norm[i] * SEARCH_UP;
    double error = CPU(search_error)(norm, other->side->limit, own->side->rows->dims, metric);
    double more =
        int16_error(norm, other->side->limit, own->items->residual, other->items->residual);
    if (rank >= count) return 0;
    double bar = (double)CPU(search_largest)(values, count, rank) - 2.0 * error;
    for (int64_t v = 0; v < count; v++)
        blurred += (double)values[v] < bar && (double)values[v] >= bar - 2.0 * more;
    return blurred;
}

/* Whether a sample of both sides has few pairs that integers cannot tell apart. */
static int sweep_is_sharp(const sweep_view *rows, const sweep_view *columns, int32_t metric,
                          double *wide, double *unit) {
    float values[SWEEP_SEEN_COLUMNS][SWEEP_SEEN_ROWS], of_row[SWEEP_SEEN_COLUMNS];
    int64_t m = rows->ordered / 8 < SWEEP_SEEN_ROWS ? rows->ordered / 8 : SWEEP_SEEN_ROWS;
    int64_t n =
        columns->ordered / 8 < SWEEP_SEEN_COLUMNS ? columns->ordered / 8 : SWEEP_SEEN_COLUMNS;
    const alcore_sys_rows *asked = columns->side->rows;
    int64_t blurred = 0;
    if (m == 0 || n == 0) return 1;
    for (int64_t c = 0; c < n; c++) {
        int64_t j = columns->order[columns->ordered / n * c];
        CPU(widen_row)(cpu_row(asked, j, unit), asked->dims, cpu_row_dtype(asked), wide);
        for (int64_t r = 0; r < m; r++) {
            double value = CPU(search_value)(metric, wide, columns->side->norm[j], rows->side,
                                             rows->order[rows->ordered / m * r], unit, HUGE_VAL);
            values[c][r] = (float)(metric == ALCORE_SYS_L2 ? -0.5 * value : value);
        }
    }
    for (int64_t r = 0; r < m && rows->k > 0; r++) {
        for (int64_t c = 0; c < n; c++) of_row[c] = values[c][r];
        blurred +=
            sweep_blurred(rows, columns, rows->order[rows->ordered / m * r], metric, of_row, n);
    }
    for (int64_t c = 0; c < n && columns->k > 0; c++) {
        int64_t j = columns->order[columns->ordered / n * c];
        blurred += sweep_blurred(columns, rows, j, metric, values[c], m);
    }
    return (double)blurred <= SWEEP_BLUR * (double)(m * n);
}
#endif

/* Decides how the items of both sides are packed. wide and unit: [dims] */
static void sweep_choose(const sweep_view *rows, const sweep_view *columns, int32_t metric,
                         double *wide, double *unit) {
#if CPU_INT16
    const sweep_view *views[] = {rows, columns};
    for (int v = 0; v < 2 && rows->side->rows->dims > 0; v++) {
        sweep_items *items = views[v]->items;
        items->scale = int16_scale(views[v]->side->limit);
        items->residual = int16_residual(items->scale, rows->side->rows->dims);
    }
    if (!sweep_is_sharp(rows, columns, metric, wide, unit))
        rows->items->scale = columns->items->scale = 0.0f;
#endif
    (void)rows, (void)columns, (void)metric, (void)wide, (void)unit;
}

/* The weight that a product has still to get (cpu_search.h): integers have it. */
static float sweep_weight(const sweep_items *items, const search_side *side, int64_t at) {
    return side->weight && items->scale == 0.0f ? side->weight[items->item[at]] : 1.0f;
}

/* Packs the items into panels; scaled: each divided by its norm. staged: [width, dims], for rows
 * that are not taken as they lie. */
static void sweep_pack(const sweep_items *items, const search_side *side, int scaled,
                       double *staged) {
    const alcore_sys_rows *rows = side->rows;
    int64_t dims = rows->dims, width = items->width;
    int64_t numbers = sweep_numbers(items, dims);
    int32_t dtype = scaled ? ALCORE_FLOAT64 : cpu_row_dtype(rows);
    int32_t packed = items->scale > 0.0f ? ALCORE_FLOAT32 : dtype;
    for (int64_t first = 0; first < items->count; first += width) {
        const char *row[SWEEP_STAGED];
        int64_t count = items->count - first < width ? items->count - first : width;
        for (int64_t r = 0; r < count; r++) {
            int64_t i = items->item[first + r];
            double *own = staged + r * dims;
            row[r] = cpu_row(rows, i, own);
            if (scaled) CPU(scaled_row)(row[r], dims, cpu_row_dtype(rows), side->norm[i], own);
            if (scaled) row[r] = (const char *)own;
#if CPU_INT16
            if (items->scale == 0.0f) continue;
            float scale = items->scale * (side->weight ? side->weight[i] : 1.0f);
            CPU(int16_row)(row[r], dims, dtype, scale, own);
            row[r] = (const char *)own;
#endif
        }
        CPU(pack_panel)(row, count, width, numbers, packed, items->panels + first * numbers);
    }
}

/* Gives `tile` the products of the rows row .. row + rows - 1 with the columns first .. first +
 * count - 1, whole panels: products[r * count + c]. */
typedef void (*sweep_tile)(void *user, int64_t row, int rows, int64_t first, int64_t count,
                           const float *products);

/* The products of one panel of rows with `count` columns, whole panels; factor: of integers.
 */
static void sweep_fill(const float *row, const float *column, int64_t count, int64_t numbers,
                       float factor, float *products) {
#if CPU_INT16
    if (factor > 0.0f) {
        CPU(int16_products)
        (row, 1, column, count / PRODUCT_COLUMNS, numbers, factor, products, count);
        return;
    }
#endif
    (void)factor;
    CPU(products)(row, 1, column, count / PRODUCT_COLUMNS, numbers, products, count);
}

/* products: [PRODUCT_ROWS, sweep_columns(numbers)] at least; numbers: of 32 bits, of an item. */
static alcore_status sweep_products(const alcore_sys_work *work, const sweep_items *rows,
                                    const sweep_items *columns, int64_t numbers, float *products,
                                    int64_t *spent, sweep_tile tile, void *user) {
    int64_t padded = sweep_padded(columns->count, PRODUCT_COLUMNS), most = sweep_columns(numbers);
    double scale = (double)rows->scale * (double)columns->scale;
    float factor = scale > 0.0 ? (float)(1.0 / scale) : 0.0f;
    for (int64_t first = 0; first < padded; first += most) {
        int64_t count = padded - first < most ? padded - first : most;
        for (int64_t r = 0; r < rows->count; r += PRODUCT_ROWS) {
            int64_t left = rows->count - r;
            sweep_fill(rows->panels + r * numbers, columns->panels + first * numbers, count,
                       numbers, factor, products);
            tile(user, r, left < PRODUCT_ROWS ? (int)left : PRODUCT_ROWS, first, count, products);
            alcore_status status = alcore__cpu_poll(work, spent, count * numbers);
            if (status) return status;
        }
    }
    return ALCORE_OK;
}

#endif
