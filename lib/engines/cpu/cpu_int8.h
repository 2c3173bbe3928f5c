/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products of many rows with many columns as 8-bit integers: where the processor has VPDPBUSD,
 * four times the multiply-adds a second of cpu_product.h, with an error that is known for each
 * item. For the coarse filter of knn (cpu_coarse.h).
 *
 * An item x has a multiplier w of its own, its largest component / INT8_MOST, and integers X, its
 * components / w rounded to the nearest; the vector w X stands for it, and its residual is an upper
 * bound of |x - w X|. With v, Y and the residuals r and t of a second item y
 *
 *     |x.y - w v X.Y| = |x.(y - v Y) + (x - w X).v Y| <= |x| t + r (|y| + t)
 *
 * 32-bit sums hold X.Y exactly. The instruction multiplies bytes with a sign by bytes without one:
 * those of a column are Y + 128, so that the sum of a row begins with -128 times the sum of X. */
#ifndef ALCORE__CPU_INT8_H
#define ALCORE__CPU_INT8_H

#include "engines/cpu/cpu_int16.h"

/* 1 when this engine has int8 products; without them the functions below do not exist. */
#define CPU_INT8 CPU_INT16

/* The largest |X|, and the most components whose sums 32 bits hold: 2^15 x 255 x 127 < 2^31. */
#define INT8_MOST 127.0f
#define INT8_MAX_DIMS (INT64_C(1) << 15)
/* What the roundings of w, of 1 / w and of the components to float32 move an item by, in units of
 * w: less than 2^-21 x INT8_MOST x sqrt(INT8_MAX_DIMS) = 0.011. */
#define INT8_SLIP 0.016

/* 32-bit words of a packed item: each holds four int8 components. */
CPU_INLINE int64_t int8_words(int64_t dims) {
    return (dims + 3) / 4;
}

/* How an item was packed. */
typedef struct int8_item {
    float multiplier; /* w */
    int32_t sum;      /* of X */
    double residual;
} int8_item;

#if CPU_INT8

/* out, int8 [4 int8_words(dims)] = X, zero behind the last component; with `offset` 128 is added to
 * each, as columns need it. row and out may begin at the same address. */
int8_item CPU(int8_row)(const char *row, int64_t dims, int32_t dtype, int offset, void *out);

/* products[r * stride + c] = X of row r . Y of column c, for one panel of rows [words,
 * PRODUCT_ROWS] and whole panels of columns [column_panels, words, PRODUCT_COLUMNS]; begin
 * [PRODUCT_ROWS]: -128 times the sum of X of each row. CPU(pack_panel) makes the panels when it is
 * told that the rows are float32 with int8_words(dims) components. */
void CPU(int8_products)(const float *rows, const int32_t *begin, const float *columns,
                        int64_t column_panels, int64_t words, float *products, int64_t stride);

#endif

#endif
