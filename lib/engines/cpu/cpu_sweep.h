/* SPDX-License-Identifier: Apache-2.0 */
/* The loop under knn and margin_ratios: products of all items of one operand ("rows") with all
 * items of the other ("columns"), in float32 or, where the engine has them, in int16 (cpu_int16.h).
 *
 * Layout: the caller cuts each operand into slabs of sweep_slab() items, which it packs into panels
 * (sweep_next(), sweep_pack(); cpu_product.h has the layout). sweep_products() multiplies one slab
 * with another: in blocks of columns whose panels stay in the second-level cache while they are
 * multiplied with all rows of the slab, one panel of PRODUCT_ROWS rows at a time. It calls a
 * callback with each such tile of products, whose memory is used again for the next. sweep_choose()
 * decides, on a sample in double, whether int16 is precise enough. Cost: rows x columns x dims
 * multiply-adds. */
#ifndef ALCORE__CPU_SWEEP_H
#define ALCORE__CPU_SWEEP_H

#include "engines/cpu/cpu_call.h"
#include "engines/cpu/cpu_int8.h"
#include "engines/cpu/cpu_search.h"

/* Bytes of the column panels of a block (they stay in the second-level cache): 384 KiB; and of
 * everything that a call keeps for the items of a slab: 16 MiB. */
#define SWEEP_BLOCK_BYTES (INT64_C(384) << 10)
#define SWEEP_SLAB_BYTES (INT64_C(16) << 20)

/* One operand. The caller sets search.rows and mask, k, width and slab; a word is 32 bits of a
 * packed item: one float32 component or a pair of int16 ones. */
typedef struct sweep_operand {
    search_operand search; /* norms and more, by matrix row */
    int64_t k;             /* neighbors wanted for each item; 0: none */
    int64_t width;         /* items of a panel: PRODUCT_ROWS or PRODUCT_COLUMNS */
    int64_t slab;          /* capacity of a slab, in items */
    int64_t count;         /* items of the present slab */
    const int32_t *item;   /* [count] matrix row of each */
    float *panels;         /* [panels, words, width] items interleaved by word; zeros in place of
                              the items that the last panel lacks */
    float scale;           /* factor of the int16 values; 0: the panels are float32 */
    double residual;       /* upper bound of the L2 distance by which rounding to int16 moves an
                              item (cpu_int16.h) */
} sweep_operand;

/* One call of either kernel: all arrays are cut out of one allocation. */
typedef struct sweep_call {
    const alcore_sys_work *work;
    int32_t metric;      /* ALCORE_SYS_L2 (sq_dist, smaller is better), _DOT, _COSINE (larger) */
    int64_t dims, spent; /* spent: multiplications since the last poll */
    int always_floats;   /* panels are float32, and nothing else is considered */
    int coarse;          /* the panels are int8; before sweep_begin(): they may be */
    sweep_operand *rows, *columns;
    double *unit;         /* [dims] an item as a unit vector */
    double *wide;         /* [dims] the item that is compared in double */
    double *sorted;       /* [larger count of both operands] norms, reordered */
    double *staged;       /* [SWEEP_STAGED, dims] items on their way into panels */
    float *products;      /* [PRODUCT_ROWS, columns of a block] the present tile */
    const int32_t *begin; /* [slab of rows] what the sums of int8 rows begin with */
} sweep_call;

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
CPU_INLINE int sweep_any(cpu_floats a, cpu_floats b, cpu_floats c, cpu_floats d) {
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

/* The lanes in which a >= b, and from bit PRODUCT_FLOATS on those in which c >= d; a NaN lane is
 * false. Engines without such an instruction set all bits where there is one. */
CPU_INLINE uint32_t sweep_lanes(cpu_floats a, cpu_floats b, cpu_floats c, cpu_floats d) {
#if defined(__AVX512F__)
    uint32_t low = _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GE_OQ);
    return low | (uint32_t)_mm512_cmp_ps_mask((__m512)c, (__m512)d, _CMP_GE_OQ) << PRODUCT_FLOATS;
#else
    return sweep_any(a, b, c, d) ? (UINT32_C(1) << SWEEP_STEP) - 1 : 0;
#endif
}

/* Items of the larger kind of panel: capacity of the buffers in which sweep_pack() prepares
 * (stages) items that are not packed as they lie in memory. */
#define SWEEP_STAGED (PRODUCT_ROWS > PRODUCT_COLUMNS ? PRODUCT_ROWS : PRODUCT_COLUMNS)

/* Words of a packed item of `dims` components. */
CPU_INLINE int64_t sweep_words(const sweep_operand *operand, int64_t dims) {
    return operand->scale > 0.0f ? int16_pairs(dims) : dims;
}

/* The most columns that a block can have, packed as float32, int16 or, where the call allows it,
 * int8: for sizing products before sweep_choose() has decided. */
CPU_INLINE int64_t sweep_most_columns(const sweep_call *call) {
    if (call->coarse) return sweep_columns(int8_words(call->dims));
    return sweep_columns(CPU_INT16 ? int16_pairs(call->dims) : call->dims);
}

/* Cuts the arrays of the call and of its operands, panels for items of `words` words. Only products
 * of the rows of a cosine search are still to be multiplied by a weight: other weights stay NULL.
 * Without components, or with more than SEARCH_MAX_DIMS = 65536, every item is far: nothing is
 * filtered, and what only the sweep uses is not needed. */
static void sweep_cut_call(sweep_call *call, sweep_memory *memory, int64_t words) {
    sweep_operand *operands[] = {call->rows, call->columns};
    int64_t dims = call->dims, max_count = 0;
    for (int v = 0; v < 2; v++) {
        search_operand *search = &operands[v]->search;
        int64_t count = search->rows->count;
        search->norm = sweep_cut(memory, count, sizeof *search->norm);
        if (v == 0 && call->metric == ALCORE_SYS_COSINE)
            search->weight = sweep_cut(memory, count, sizeof *search->weight);
        search->offset = sweep_cut(memory, count, sizeof *search->offset);
        search->far = sweep_cut(memory, count, sizeof *search->far);
        search->order = sweep_cut(memory, count, sizeof *search->order);
        if (count > max_count) max_count = count;
    }
    call->unit = sweep_cut(memory, dims, sizeof *call->unit);
    call->wide = sweep_cut(memory, dims, sizeof *call->wide);
    call->sorted = sweep_cut(memory, max_count, sizeof *call->sorted);
    if (dims == 0 || dims > SEARCH_MAX_DIMS) return;
    int64_t columns = call->always_floats ? sweep_columns(words) : sweep_most_columns(call);
    call->products = sweep_cut(memory, PRODUCT_ROWS * columns, sizeof(float));
    call->staged = sweep_cut(memory, SWEEP_STAGED * dims, sizeof(double));
    for (int v = 0; v < 2; v++)
        operands[v]->panels = sweep_cut(memory, operands[v]->slab * words, sizeof(float));
}

/* ---- values in double ---- */

/* Widens item i (matrix row) of an operand into call->wide, as a unit vector where the caller's
 * matrix says so. */
static void sweep_widen(sweep_call *call, const search_operand *operand, int64_t i) {
    const char *row = cpu_row(operand->rows, i, call->unit);
    CPU(widen_row)(row, call->dims, cpu_row_dtype(operand->rows), call->wide);
}

/* The value of the pair of item i of an operand, which is in call->wide, and item j of the other
 * one; limit: CPU(search_value). */
CPU_INLINE double sweep_value(sweep_call *call, const search_operand *operand, int64_t i,
                              const search_operand *other, int64_t j, double limit) {
    return CPU(search_value)(call->metric, call->wide, operand->norm[i], other, j, call->unit,
                             limit);
}

/* Called with the value of each pair that has a far item; row and column: matrix rows. */
typedef void (*sweep_pair)(void *user, int64_t row, int64_t column, double value);

/* Compares the far items of one operand (by_row 1: the rows, 0: the columns) with every item of the
 * mask of the other: those that the filter cannot bound (a norm that is NaN or too large, or too
 * many or no components). Items outside the mask are never far, so the operand's own mask need not
 * be looked at. The columns come last and leave out pairs of two far items, which the rows have
 * compared. */
static alcore_status sweep_far(sweep_call *call, int by_row, sweep_pair pair, void *user) {
    const search_operand *operand = by_row ? &call->rows->search : &call->columns->search;
    const search_operand *other = by_row ? &call->columns->search : &call->rows->search;
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < operand->rows->count && operand->far_count > 0 && !status; i++) {
        if (!operand->far[i]) continue;
        sweep_widen(call, operand, i);
        for (int64_t j = 0; j < other->rows->count && !status; j++) {
            if (!search_in_mask(other, j) || (!by_row && other->far[j])) continue;
            double value = sweep_value(call, operand, i, other, j, HUGE_VAL /* no limit */);
            pair(user, by_row ? i : j, by_row ? j : i, value);
            status = alcore__cpu_poll(call->work, &call->spent, call->dims);
        }
    }
    return status;
}

/* ---- float32 or int16 ---- */

/* An upper bound of the norm with which item i (matrix row) of an operand enters the float32
 * products: cosine divides it out, so that 1 remains. SEARCH_UP = 1 + 1e-9 covers the rounding of
 * the computed norm. */
static double sweep_norm(const sweep_operand *operand, int64_t i, int32_t metric) {
    return metric == ALCORE_SYS_COSINE ? SEARCH_UP : operand->search.norm[i] * SEARCH_UP;
}

/* How far the score of item i (matrix row, not far) of `operand` with any item of `other` that is
 * not far can be off in the sweep, in float32 or as int16. Valid after sweep_choose(); the same for
 * all items where the metric is the cosine. */
static double sweep_error(const sweep_operand *operand, const sweep_operand *other, int64_t i,
                          int32_t metric) {
    double norm = sweep_norm(operand, i, metric), limit = other->search.limit;
    double error = CPU(search_error)(norm, limit, operand->search.rows->dims, metric);
    if (operand->scale == 0.0f) return error;
    return error + int16_error(norm, limit, operand->residual, other->residual);
}

/* ---- the sweep ---- */

/* Makes the items from position `first` of the operand's order on, as many as fit a slab, the
 * present slab. */
CPU_INLINE void sweep_next(sweep_operand *operand, int64_t first) {
    int64_t left = operand->search.ordered - first;
    operand->count = left < operand->slab ? left : operand->slab;
    operand->item = operand->search.order + first;
}

/* The weight w (1 / norm for the rows of a cosine search, else 1) that products of the item at
 * position slab_index of the present slab are still to be multiplied by: 1 for int16 items, into
 * whose scale sweep_pack() put it. */
static float sweep_weight(const sweep_operand *operand, int64_t slab_index) {
    const float *weight = operand->search.weight;
    return weight && operand->scale == 0.0f ? weight[operand->item[slab_index]] : 1.0f;
}

/* Values of `scaled` where a slab is packed. SWEEP_SCALED: each item is divided by its norm first
 * (cosine, for the operand without weights). */
enum { SWEEP_AS_IS = 0, SWEEP_SCALED = 1 };

/* Packs the items of the present slab into operand->panels, as float32 or, where sweep_choose() set
 * a scale, as int16. staged [width, dims]: workspace for items that are not packed as they lie in
 * memory: unit rows, scaled ones and int16. As int16, w is part of the scale of an item, and
 * CPU(pack_panel) copies each word, two int16 values, like one float32 component. */
static void sweep_pack(const sweep_operand *operand, int scaled, double *staged) {
    const search_operand *search = &operand->search;
    const alcore_sys_rows *rows = search->rows;
    int64_t dims = rows->dims, width = operand->width;
    int64_t words = sweep_words(operand, dims);
    int32_t dtype = scaled ? ALCORE_FLOAT64 : cpu_row_dtype(rows);
    int32_t packed_dtype = operand->scale > 0.0f ? ALCORE_FLOAT32 : dtype;
    for (int64_t first = 0; first < operand->count; first += width) {
        const char *row[SWEEP_STAGED];
        int64_t count = operand->count - first < width ? operand->count - first : width;
        for (int64_t r = 0; r < count; r++) {
            int64_t i = operand->item[first + r];
            double *copy = staged + r * dims;
            row[r] = cpu_row(rows, i, copy);
            if (scaled) CPU(scaled_row)(row[r], dims, cpu_row_dtype(rows), search->norm[i], copy);
            if (scaled) row[r] = (const char *)copy;
#if CPU_INT16
            if (operand->scale == 0.0f) continue;
            float scale = operand->scale * (search->weight ? search->weight[i] : 1.0f);
            CPU(int16_row)(row[r], dims, dtype, scale, copy);
            row[r] = (const char *)copy;
#endif
        }
        CPU(pack_panel)(row, count, width, words, packed_dtype, operand->panels + first * words);
    }
}

/* The callback of sweep_products(), with its `user`: products [rows, count] of the rows row .. row
 * + rows - 1 with the columns first .. first + count - 1, all of them indices in their slabs. count
 * is whole panels, so that columns behind the slab's last one may be among them. */
typedef void (*sweep_tile)(void *user, int64_t row, int rows, int64_t first, int64_t count,
                           const float *products);

/* products [PRODUCT_ROWS, count], overwritten, of one panel of packed rows, `row`, with `count`
 * packed columns from `column` on, whole panels. words: 32-bit words of a packed item; factor: 1 /
 * (the product of both scales) for int16, 0 for float32; begin: of the rows, for int8, else NULL.
 */
static void sweep_fill(const float *row, const int32_t *begin, const float *column, int64_t count,
                       int64_t words, float factor, float *products) {
#if CPU_INT8
    if (begin) {
        CPU(int8_products)
        (row, begin, column, count / PRODUCT_COLUMNS, words, products, count);
        return;
    }
#endif
#if CPU_INT16
    if (factor > 0.0f) {
        CPU(int16_products)
        (row, /*row_panels=*/1, column, count / PRODUCT_COLUMNS, words, factor, products, count);
        return;
    }
#endif
    (void)factor, (void)begin;
    CPU(products)(row, /*row_panels=*/1, column, count / PRODUCT_COLUMNS, words, products, count);
}

/* Multiplies the present slabs of both operands and calls `tile` for each block of columns and
 * panel of rows. words: words of a packed item. A panel of rows counts like one row of work, as
 * vectors make several multiplications at a time. */
static alcore_status sweep_products(sweep_call *call, int64_t words, sweep_tile tile, void *user) {
    const sweep_operand *rows = call->rows, *columns = call->columns;
    float *products = call->products;
    int64_t padded = sweep_padded(columns->count, PRODUCT_COLUMNS),
            max_columns = sweep_columns(words);
    double scale = (double)rows->scale * (double)columns->scale;
    float factor = scale > 0.0 ? (float)(1.0 / scale) : 0.0f;
    for (int64_t first = 0; first < padded; first += max_columns) {
        int64_t count = padded - first < max_columns ? padded - first : max_columns;
        for (int64_t r = 0; r < rows->count; r += PRODUCT_ROWS) {
            int64_t left = rows->count - r;
            sweep_fill(rows->panels + r * words, call->coarse ? call->begin + r : NULL,
                       columns->panels + first * words, count, words, factor, products);
            tile(user, r, left < PRODUCT_ROWS ? (int)left : PRODUCT_ROWS, first, count, products);
            alcore_status status = alcore__cpu_poll(call->work, &call->spent, count * words);
            if (status) return status;
        }
    }
    return ALCORE_OK;
}

#endif
