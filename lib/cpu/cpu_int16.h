/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products of many rows with many columns in integers of 16 bits: where the processor has
 * VPDPWSSD, twice the multiply-adds of cpu_product.h, with an error that is known beforehand.
 *
 * An item's numbers are multiplied by a scale S that is at most INT16_NORM / |item| and rounded to
 * the nearest integer. What rounding moves is at most sqrt(dims) / 2 and the rounding of the
 * float32 product, INT16_SLIP, in units of 1 / S: the item's residual. The vectors of whole
 * numbers are then shorter than 2^15, so that by Cauchy-Schwarz their product is below 2^30: sums
 * of 32 bits hold it exactly, whatever the order of additions. So with X, Y for x, y and residuals
 * r, t
 *
 *     |x.y - X.Y / (S T)| <= |x| t + |y| r + r t,
 *
 * and the float32 number that is given out is rounded three times (the integer, 1 / (S T),
 * their product). bfloat16 has the same rate, and residuals ten times as large. */
#ifndef ALCORE__CPU_NARROW_H
#define ALCORE__CPU_NARROW_H

#include <math.h>

#include "cpu/cpu_product.h"

/* Whether this engine has these products; where it has not, the functions are not there. */
#if defined(__AVX512VNNI__)
#define CPU_INT16 1
#else
#define CPU_INT16 0
#endif

/* With half the root of INT16_MAX_DIMS, 128, and more it is below 2^15. */
#define INT16_NORM 32600.0
#define INT16_MAX_DIMS (INT64_C(1) << 16)
/* Numbers times S are rounded to float32 up to four times: 2^-22 of INT16_NORM, doubled. */
#define INT16_SLIP 0.016
/* S T and 1 / (S T) stay in float32's range. */
#define INT16_MAX_SCALE 0x1p60

/* Numbers of 32 bits that an item of a panel takes: two numbers of 16 bits each. */
CPU_INLINE int64_t int16_pairs(int64_t dims) {
    return (dims + 1) / 2;
}

/* S for items whose norm is at most `norm`. */
CPU_INLINE float int16_scale(double norm) {
    double scale = INT16_NORM / norm;
    return scale < INT16_MAX_SCALE ? (float)scale : (float)INT16_MAX_SCALE;
}

/* The largest residual of items with that scale. */
CPU_INLINE double int16_residual(float scale, int64_t dims) {
    return (0.5 * sqrt((double)dims) + INT16_SLIP) * (1.0 + 1e-9) / (double)scale;
}

/* How far a product may be from the true one: items up to these norms, with these residuals. */
CPU_INLINE double int16_error(double norm, double other, double residual, double other_residual) {
    double moved = norm * other_residual + other * residual + residual * other_residual;
    return moved + 0x1p-22 * (norm + residual) * (other + other_residual);
}

#if CPU_INT16

/* out = row * scale in integers, zero behind the last one up to whole pairs; row and out may
 * begin at the same place. Returns at least the residual. */
double CPU(int16_row)(const char *row, int64_t dims, int32_t dtype, float scale, void *out);

/* products[r * stride + c] = factor * (row r . column c), for whole panels as CPU(products) takes
 * them: [panels, int16_pairs(dims), PRODUCT_ROWS or PRODUCT_COLUMNS] pairs, which
 * CPU(pack_panel) makes of rows of int16_pairs(dims) "float32" numbers. */
void CPU(int16_products)(const float *rows, int64_t row_panels, const float *columns,
                         int64_t column_panels, int64_t pairs, float factor, float *products,
                         int64_t stride);

#endif

#endif
