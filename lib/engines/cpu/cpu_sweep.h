/* SPDX-License-Identifier: Apache-2.0 */
/* The loop under knn and margin_ratios: products of all items of one operand ("rows") with all
 * items of the other ("columns"), in float32 or, where the engine has them, in int16 (cpu_int16.h).
 *
 * Layout: the caller cuts each operand into slabs of sweep_slab() items, which it packs into panels
 * (sweep_pack; cpu_product.h has the layout). sweep_products() multiplies one slab with another: in
 * blocks of columns whose panels stay in the second-level cache while they are multiplied with all
 * rows of the slab, one panel of PRODUCT_ROWS rows at a time. It calls a callback with each such
 * tile of products, whose memory is used again for the next. sweep_choose() decides, on a sample in
 * double, whether int16 is precise enough. Cost: rows x columns x dims multiply-adds. */
#ifndef ALCORE__CPU_SWEEP_H
#define ALCORE__CPU_SWEEP_H

#include "engines/cpu/cpu_call.h"
#include "engines/cpu/cpu_int16.h"
#include "engines/cpu/cpu_search.h"

/* Bytes of the column panels of a block (they stay in the second-level cache): 384 KiB; and of
 * everything that a call keeps for the items of a slab: 16 MiB. */
#define SWEEP_BLOCK_BYTES (INT64_C(384) << 10)
#define SWEEP_SLAB_BYTES (INT64_C(16) << 20)

/* The items of the present slab of one operand, packed. A word is 32 bits of a packed item: one
 * float32 component or a pair of int16 ones. */
typedef struct sweep_items {
    int64_t count;
    const int32_t *item; /* [count] matrix row of each item in its operand */
    int64_t width;       /* items of a panel: PRODUCT_ROWS or PRODUCT_COLUMNS */
    float *panels;       /* [panels, words, width] items interleaved by word; zeros in place of the
                            items that the last panel lacks */
    float scale;         /* factor of the int16 values; 0: the panels are float32 */
    double residual;     /* upper bound of the L2 distance by which rounding to int16 moves an item
                            (cpu_int16.h) */
} sweep_items;

/* One allocation that is cut into arrays. The same list of sweep_cut() calls runs twice: with base
 * NULL, to add up the size in `used`, and with the allocated base and used = 0, to hand out. */
typedef struct sweep_memory {
    char *base;
    int64_t used; /* bytes */
} sweep_memory;

/* Cuts the next array of count entries of `bytes` bytes off the allocation, aligned to 64 bytes,
 * not initialized; NULL while the sizes are added up. */
CPU_INLINE void *sweep_cut(sweep_memory *memory, int64_t count, size_t bytes) {
    void *part = memory->base ? memory->base + memory->used : NULL;
    memory->used += (count * (int64_t)bytes + 63) / 64 * 64;
    return part;
}

typedef float sweep_floats __attribute__((vector_size(PRODUCT_FLOATS * 4)));

/* PRODUCT_FLOATS floats at an address of any alignment. */
CPU_INLINE sweep_floats sweep_load(const float *values) {
    sweep_floats v;
    __builtin_memcpy(&v, values, sizeof v);
    return v;
}

/* The number of items rounded up to whole panels. */
CPU_INLINE int64_t sweep_padded(int64_t items, int64_t width) {
    return product_panels(items, width) * width;
}

/* Items of a slab: as many whole panels of `width` items as SWEEP_SLAB_BYTES holds, each item
 * taking `each` bytes (above 0: it divides), but at least one panel and no more than `count` items
 * need. */
CPU_INLINE int64_t sweep_slab(int64_t count, int64_t each, int64_t width) {
    int64_t slab = SWEEP_SLAB_BYTES / each / width * width;
    if (slab < width) slab = width;
    return slab < count ? slab : sweep_padded(count, width);
}

/* Columns of a block, whole panels, when a packed item has `words` words. */
CPU_INLINE int64_t sweep_columns(int64_t words) {
    int64_t panels = SWEEP_BLOCK_BYTES / (words * PRODUCT_COLUMNS * 4);
    return (panels < 1 ? 1 : panels) * PRODUCT_COLUMNS;
}

/* Columns of a tile that a callback tests together: two vectors. */
#define SWEEP_STEP (2 * PRODUCT_FLOATS)

/* 1 when a >= b or c >= d in any lane; a NaN lane is false. */
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

/* Values of `weighted` below: whether products of the items of an operand are still to be
 * multiplied by a weight w (1 / norm for the rows of a cosine search; cpu_search.h). */
enum { SWEEP_UNWEIGHTED = 0, SWEEP_WEIGHTED = 1 };

/* Cuts the arrays of an operand, [operand->rows->count] each, and its order out of the call's
 * memory. *order: int32 of the same length, which CPU(search_order) fills. */
static void sweep_cut_operand(sweep_memory *memory, search_operand *operand, int weighted,
                              int32_t **order) {
    int64_t count = operand->rows->count;
    operand->norm = sweep_cut(memory, count, sizeof *operand->norm);
    operand->weight = weighted ? sweep_cut(memory, count, sizeof *operand->weight) : NULL;
    operand->offset = sweep_cut(memory, count, sizeof *operand->offset);
    operand->far = sweep_cut(memory, count, sizeof *operand->far);
    *order = sweep_cut(memory, count, sizeof **order);
}

/* Items of the larger kind of panel: capacity of the buffers in which sweep_pack() prepares
 * (stages) items that are not packed as they lie in memory. */
#define SWEEP_STAGED (PRODUCT_ROWS > PRODUCT_COLUMNS ? PRODUCT_ROWS : PRODUCT_COLUMNS)

/* Words of a packed item of `dims` components. */
CPU_INLINE int64_t sweep_words(const sweep_items *items, int64_t dims) {
    return items->scale > 0.0f ? int16_pairs(dims) : dims;
}

/* The most columns that a block can have, packed as float32 or as int16: for sizing products before
 * sweep_choose() has decided. */
CPU_INLINE int64_t sweep_most_columns(int64_t dims) {
    return sweep_columns(CPU_INT16 ? int16_pairs(dims) : dims);
}

/* What packing as int16 adds to the error of the scores of an item of `items`, of norm `norm`, with
 * items of `other`, of norms up to `limit`; 0 when the slabs are float32. Valid after
 * sweep_choose(). */
static double sweep_error(const sweep_items *items, const sweep_items *other, double norm,
                          double limit) {
    if (items->scale == 0.0f) return 0.0;
    return int16_error(norm, limit, items->residual, other->residual);
}

/* An operand as sweep_choose() sees it, before the sweep. */
typedef struct sweep_view {
    sweep_items *items;            /* scale and residual are set by sweep_choose() */
    const search_operand *operand; /* measured: norm and limit are filled */
    const int32_t *order;          /* [ordered] matrix rows that the filter compares */
    int64_t ordered;
    int64_t k; /* neighbors wanted for each of them; 0: none */
} sweep_view;

/* sweep_choose() compares a sample of SWEEP_SAMPLE_ROWS rows with SWEEP_SAMPLE_COLUMNS columns in
 * double. Above a share SWEEP_MAX_INT16_ONLY of pairs that int16 would have to keep and float32
 * would not, computing those pairs again in double costs as much as int16 products save. */
#define SWEEP_SAMPLE_ROWS 128
#define SWEEP_SAMPLE_COLUMNS 32
#define SWEEP_MAX_INT16_ONLY 0.02

#if CPU_INT16
/* Counts the pairs of one sampled item that int16 products could not drop but float32 ones could
 * (int16_only). values [count]: the scores (larger is better) of the sampled items of the other
 * operand for item i (matrix row) of `view`; they are reordered. With float32 products the pairs
 * are dropped whose score is below the k-th best, whose rank is scaled down to the sample, minus
 * twice the error; with int16 products those that are below this by more than twice int16's
 * additional error. A sample that has no score of that rank says nothing: 0. */
static int64_t sweep_int16_only(const sweep_view *view, const sweep_view *other, int64_t i,
                                int32_t metric, float *values, int64_t count) {
    int64_t rank = view->k * count / other->ordered, int16_only = 0;
    double norm = metric == ALCORE_SYS_COSINE ? SEARCH_UP : view->operand->norm[i] * SEARCH_UP;
    double error =
        CPU(search_error)(norm, other->operand->limit, view->operand->rows->dims, metric);
    double int16_excess =
        int16_error(norm, other->operand->limit, view->items->residual, other->items->residual);
    if (rank >= count) return 0;
    double float_limit = (double)CPU(search_select)(values, count, rank) - 2.0 * error;
    for (int64_t v = 0; v < count; v++)
        int16_only += (double)values[v] < float_limit &&
                      (double)values[v] >= float_limit - 2.0 * int16_excess;
    return int16_only;
}

/* Whether at most SWEEP_MAX_INT16_ONLY of the pairs of a sample (m rows and n columns, evenly
 * spaced in `order`, at most an eighth of each) are ones that only int16 would keep. values
 * [columns, rows]: scores of the sampled pairs, computed in double; for L2 minus half the sq_dist,
 * so that larger is better as in the sweep. wide, unit [dims]: workspace. */
static int sweep_is_precise(const sweep_view *rows, const sweep_view *columns, int32_t metric,
                            double *wide, double *unit) {
    float values[SWEEP_SAMPLE_COLUMNS][SWEEP_SAMPLE_ROWS], row_values[SWEEP_SAMPLE_COLUMNS];
    int64_t m = rows->ordered / 8 < SWEEP_SAMPLE_ROWS ? rows->ordered / 8 : SWEEP_SAMPLE_ROWS;
    int64_t n =
        columns->ordered / 8 < SWEEP_SAMPLE_COLUMNS ? columns->ordered / 8 : SWEEP_SAMPLE_COLUMNS;
    const alcore_sys_rows *column_rows = columns->operand->rows;
    int64_t int16_only = 0;
    if (m == 0 || n == 0) return 1;
    for (int64_t c = 0; c < n; c++) {
        int64_t j = columns->order[columns->ordered / n * c];
        CPU(widen_row)
        (cpu_row(column_rows, j, unit), column_rows->dims, cpu_row_dtype(column_rows), wide);
        for (int64_t r = 0; r < m; r++) {
            double value = CPU(search_value)(metric, wide, columns->operand->norm[j], rows->operand,
                                             rows->order[rows->ordered / m * r], unit, HUGE_VAL);
            values[c][r] = (float)(metric == ALCORE_SYS_L2 ? -0.5 * value : value);
        }
    }
    for (int64_t r = 0; r < m && rows->k > 0; r++) {
        for (int64_t c = 0; c < n; c++) row_values[c] = values[c][r];
        int16_only += sweep_int16_only(rows, columns, rows->order[rows->ordered / m * r], metric,
                                       row_values, n);
    }
    for (int64_t c = 0; c < n && columns->k > 0; c++) {
        int64_t j = columns->order[columns->ordered / n * c];
        int16_only += sweep_int16_only(columns, rows, j, metric, values[c], m);
    }
    return (double)int16_only <= SWEEP_MAX_INT16_ONLY * (double)(m * n);
}
#endif

/* Decides whether the items of both operands are packed as int16 or as float32, and sets scale and
 * residual of their sweep_items: scale 0, as the caller initialized it, means float32 for both.
 * Engines without int16 products always stay with float32. Called once a call of a kernel, after
 * CPU(search_measure) and CPU(search_order) and before the sweep. wide, unit [dims]: workspace. */
static void sweep_choose(const sweep_view *rows, const sweep_view *columns, int32_t metric,
                         double *wide, double *unit) {
#if CPU_INT16
    const sweep_view *views[] = {rows, columns};
    for (int v = 0; v < 2 && rows->operand->rows->dims > 0; v++) {
        sweep_items *items = views[v]->items;
        items->scale = int16_scale(views[v]->operand->limit);
        items->residual = int16_residual(items->scale, rows->operand->rows->dims);
    }
    if (!sweep_is_precise(rows, columns, metric, wide, unit))
        rows->items->scale = columns->items->scale = 0.0f;
#endif
    (void)rows, (void)columns, (void)metric, (void)wide, (void)unit;
}

/* The weight w (1 / norm for the rows of a cosine search, else 1) that products of the item at
 * position slab_index of the present slab are still to be multiplied by: 1 for int16 items, into
 * whose scale sweep_pack() put it. */
static float sweep_weight(const sweep_items *items, const search_operand *operand,
                          int64_t slab_index) {
    return operand->weight && items->scale == 0.0f ? operand->weight[items->item[slab_index]]
                                                   : 1.0f;
}

/* Values of `scaled` where a slab is packed. SWEEP_SCALED: each item is divided by its norm first
 * (cosine, for the operand without weights). */
enum { SWEEP_AS_IS = 0, SWEEP_SCALED = 1 };

/* Packs the items of a slab (count and item are set) into items->panels, as float32 or, where
 * sweep_choose() set a scale, as int16. staged [width, dims]: workspace for items that are not
 * packed as they lie in memory: unit rows, scaled ones and int16. As int16, w is part of the scale
 * of an item, and CPU(pack_panel) copies each word, two int16 values, like one float32
 * component. */
static void sweep_pack(const sweep_items *items, const search_operand *operand, int scaled,
                       double *staged) {
    const alcore_sys_rows *rows = operand->rows;
    int64_t dims = rows->dims, width = items->width;
    int64_t words = sweep_words(items, dims);
    int32_t dtype = scaled ? ALCORE_FLOAT64 : cpu_row_dtype(rows);
    int32_t packed_dtype = items->scale > 0.0f ? ALCORE_FLOAT32 : dtype;
    for (int64_t first = 0; first < items->count; first += width) {
        const char *row[SWEEP_STAGED];
        int64_t count = items->count - first < width ? items->count - first : width;
        for (int64_t r = 0; r < count; r++) {
            int64_t i = items->item[first + r];
            double *copy = staged + r * dims;
            row[r] = cpu_row(rows, i, copy);
            if (scaled) CPU(scaled_row)(row[r], dims, cpu_row_dtype(rows), operand->norm[i], copy);
            if (scaled) row[r] = (const char *)copy;
#if CPU_INT16
            if (items->scale == 0.0f) continue;
            float scale = items->scale * (operand->weight ? operand->weight[i] : 1.0f);
            CPU(int16_row)(row[r], dims, dtype, scale, copy);
            row[r] = (const char *)copy;
#endif
        }
        CPU(pack_panel)(row, count, width, words, packed_dtype, items->panels + first * words);
    }
}

/* The callback of sweep_products(), with its `user`: products [rows, count] of the rows row .. row
 * + rows - 1 with the columns first .. first + count - 1, all of them indices in their slabs. count
 * is whole panels, so that columns behind the slab's last one may be among them. */
typedef void (*sweep_tile)(void *user, int64_t row, int rows, int64_t first, int64_t count,
                           const float *products);

/* products [PRODUCT_ROWS, count], overwritten, of one panel of rows with `count` columns, whole
 * panels. words: 32-bit words of a packed item; factor: 1 / (the product of both scales) for int16,
 * 0 for float32. */
static void sweep_fill(const float *row, const float *column, int64_t count, int64_t words,
                       float factor, float *products) {
#if CPU_INT16
    if (factor > 0.0f) {
        CPU(int16_products)
        (row, /*row_panels=*/1, column, count / PRODUCT_COLUMNS, words, factor, products, count);
        return;
    }
#endif
    (void)factor;
    CPU(products)(row, /*row_panels=*/1, column, count / PRODUCT_COLUMNS, words, products, count);
}

/* Multiplies the slab `rows` with the slab `columns` and calls `tile` for each block of columns and
 * panel of rows. words: words of a packed item; products [PRODUCT_ROWS, sweep_columns(words)]:
 * workspace; *spent: work since the last poll; a panel of rows counts like one row, as vectors make
 * several multiplications at a time. */
static alcore_status sweep_products(const alcore_sys_work *work, const sweep_items *rows,
                                    const sweep_items *columns, int64_t words, float *products,
                                    int64_t *spent, sweep_tile tile, void *user) {
    int64_t padded = sweep_padded(columns->count, PRODUCT_COLUMNS),
            max_columns = sweep_columns(words);
    double scale = (double)rows->scale * (double)columns->scale;
    float factor = scale > 0.0 ? (float)(1.0 / scale) : 0.0f;
    for (int64_t first = 0; first < padded; first += max_columns) {
        int64_t count = padded - first < max_columns ? padded - first : max_columns;
        for (int64_t r = 0; r < rows->count; r += PRODUCT_ROWS) {
            int64_t left = rows->count - r;
            sweep_fill(rows->panels + r * words, columns->panels + first * words, count, words,
                       factor, products);
            tile(user, r, left < PRODUCT_ROWS ? (int)left : PRODUCT_ROWS, first, count, products);
            alcore_status status = alcore__cpu_poll(work, spent, count * words);
            if (status) return status;
        }
    }
    return ALCORE_OK;
}

#endif
