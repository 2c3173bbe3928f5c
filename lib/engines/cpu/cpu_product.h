/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products of many rows with many columns in float32: the micro-kernel under the filters of the
 * decision kernels and under the logits of hidden_stats. A "column" is a vector of the second
 * operand (a centroid, a query, a class).
 *
 * Both operands are packed into panels, so that a tile reads them front to back: a panel holds
 * PRODUCT_ROWS rows (or PRODUCT_COLUMNS columns) interleaved by component, [dims, PRODUCT_ROWS].
 * The sums of a tile, PRODUCT_ROWS x PRODUCT_COLUMNS, stay in registers. Each sum runs in chains of
 * PRODUCT_CHAIN products, which are then added in order: with u = 2^-24 a sum is within
 * u * (longest chain + number of chains + 2) * |row| |column| of the true one, to first order. The
 * same vectors give the same bits at any position in a tile. Cost: one multiply-add per row, column
 * and component. */
#ifndef ALCORE__CPU_PRODUCT_H
#define ALCORE__CPU_PRODUCT_H

#include "engines/cpu/cpu_floats.h"

/* Size of a tile: PRODUCT_ROWS rows by PRODUCT_VECTORS vectors of columns. Its sums, the vectors of
 * one component of the columns and one component of a row fit the registers (32 of AVX-512 and
 * NEON, else 16). */
#if defined(__AVX512F__)
#define PRODUCT_ROWS 14
#define PRODUCT_VECTORS 2
#elif defined(__AVX2__)
#define PRODUCT_ROWS 6
#define PRODUCT_VECTORS 2
#elif defined(ALCORE__CPU_NEON)
#define PRODUCT_ROWS 6
#define PRODUCT_VECTORS 4
#else
#define PRODUCT_ROWS 6
#define PRODUCT_VECTORS 2
#endif
#define PRODUCT_FLOATS CPU_FLOATS
#define PRODUCT_COLUMNS (PRODUCT_VECTORS * PRODUCT_FLOATS)

/* Products of a chain: short chains round less. */
#define PRODUCT_CHAIN 128

/* Upper bound of the roundings that a term of a sum of `dims` products passes through. */
CPU_INLINE double product_chain(int64_t dims) {
    return (double)((dims < PRODUCT_CHAIN ? dims : PRODUCT_CHAIN) + dims / PRODUCT_CHAIN + 4);
}

/* Number of panels of `width` vectors for `count` vectors. */
CPU_INLINE int64_t product_panels(int64_t count, int64_t width) {
    return (count + width - 1) / width;
}

/* Packs one panel: panel[j * width + r] = component j of row[r], rounded to float32; 0 for r >=
 * count. row: pointers to `count` vectors of type dtype; width: PRODUCT_ROWS or PRODUCT_COLUMNS. */
void CPU(pack_panel)(const char *const *row, int64_t count, int64_t width, int64_t dims,
                     int32_t dtype, float *panel);

/* products[r * stride + c] = row r . column c, for whole panels: rows [row_panels, dims,
 * PRODUCT_ROWS], columns [column_panels, dims, PRODUCT_COLUMNS]. Every panel of columns is used for
 * all rows before the next one, so a panel and the rows should fit the second-level cache, some 200
 * KiB each. */
void CPU(products)(const float *rows, int64_t row_panels, const float *columns,
                   int64_t column_panels, int64_t dims, float *products, int64_t stride);

#endif
