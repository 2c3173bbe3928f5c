/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products of many rows with many columns as 16-bit integers: where the processor has VPDPWSSD,
 * twice the multiply-adds a second of cpu_product.h, with an error that is known beforehand. For
 * filters only: nearest_centroid, knn, margin_ratios and distance_bounds.
 *
 * The components of an item x are multiplied by a scale S of at most INT16_NORM / |x| and rounded
 * to the nearest integer, which gives X. The residual of the item is an upper bound of |x - X / S|:
 * rounding to integers moves it by at most sqrt(dims) / 2, and rounding the float32 products by
 * INT16_SLIP, in units of 1 / S. |X| is below 2^15, so by Cauchy-Schwarz |X.Y| is below 2^30:
 * 32-bit sums hold it exactly, whatever the order of additions. With scale T for y and residuals r
 * and t
 *
 *     |x.y - X.Y / (S T)| <= |x| t + |y| r + r t
 *
 * and the float32 result is rounded three times (the integer, 1 / (S T), their product).
 * bfloat16 products have the same rate, and residuals ten times as large. */
#ifndef ALCORE__CPU_INT16_H
#define ALCORE__CPU_INT16_H

#include <math.h>

#include "engines/cpu/cpu_product.h"

/* 1 when this engine has int16 products; without them the functions below do not exist. */
#if defined(__AVX512VNNI__)
#define CPU_INT16 1
#else
#define CPU_INT16 0
#endif

/* The length of S x. Rounding adds at most sqrt(INT16_MAX_DIMS) / 2 = 128 and the slip, which keeps
 * |X| below 2^15. */
#define INT16_NORM 32600.0
#define INT16_MAX_DIMS (INT64_C(1) << 16)
/* S x_j is rounded to float32 up to four times: 2^-22 of INT16_NORM, doubled for safety. */
#define INT16_SLIP 0.016
/* Up to this scale S T and 1 / (S T) stay in float32's range. */
#define INT16_MAX_SCALE 0x1p60

/* 32-bit words of a packed item: each holds two int16 components. */
CPU_INLINE int64_t int16_pairs(int64_t dims) {
    return (dims + 1) / 2;
}

/* S for items of norms up to `norm`. */
CPU_INLINE float int16_scale(double norm) {
    double scale = INT16_NORM / norm;
    return scale < INT16_MAX_SCALE ? (float)scale : (float)INT16_MAX_SCALE;
}

/* Upper bound of the residual of any item packed with that scale. */
CPU_INLINE double int16_residual(float scale, int64_t dims) {
    return (0.5 * sqrt((double)dims) + INT16_SLIP) * (1.0 + 1e-9) / (double)scale;
}

/* How far a product may be from the true one, for items of norms up to `norm` and `other` with the
 * residuals given. */
CPU_INLINE double int16_error(double norm, double other, double residual, double other_residual) {
    double moved = norm * other_residual + other * residual + residual * other_residual;
    return moved + 0x1p-22 * (norm + residual) * (other + other_residual);
}

#if CPU_INT16

/* out, int16 [2 int16_pairs(dims)] = row * scale rounded, zero behind the last component; row and
 * out may begin at the same address. Returns an upper bound of the residual. */
double CPU(int16_row)(const char *row, int64_t dims, int32_t dtype, float scale, void *out);

/* products[r * stride + c] = factor * (X of row r . X of column c), for whole panels of rows and of
 * columns in the layout of CPU(products): [panels, int16_pairs(dims), PRODUCT_ROWS or
 * PRODUCT_COLUMNS] words. CPU(pack_panel) makes them when it is told that the rows are float32 with
 * int16_pairs(dims) components. */
void CPU(int16_products)(const float *rows, int64_t row_panels, const float *columns,
                         int64_t column_panels, int64_t pairs, float factor, float *products,
                         int64_t stride);

#endif

#endif
