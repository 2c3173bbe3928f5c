/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as 16-bit integers, and their products in 32-bit sums (cpu_int16.h has the error bound and
 * the layout): components times a scale are rounded to integers, two of which make a 32-bit word; a
 * panel is some packed rows interleaved by word. Compiled for engines with VNNI instructions only.
 * Cost: half the time of the products in float32. */
#include "engines/cpu/cpu_int16.h"

#include <string.h>

#include "engines/cpu/cpu_rows.h"

#if CPU_INT16

/* The residual, the L2 distance of the row to its int16 values / scale, is computed from the
 * squared rounding errors (moved). PRODUCT_FLOATS components at a time; rows of other dtypes and
 * the last components go through a float32 buffer. A component of out, 2 bytes, is never longer
 * than one of row, so that both may begin at the same address: what is overwritten has been read.
 * */
double CPU(int16_row)(const char *row, int64_t dims, int32_t dtype, float scale, void *out) {
    __m512 factor = _mm512_set1_ps(scale), moved = _mm512_setzero_ps();
    int64_t padded = 2 * int16_pairs(dims);
    for (int64_t j = 0; j < dims; j += PRODUCT_FLOATS) {
        int64_t left = dims - j < PRODUCT_FLOATS ? dims - j : PRODUCT_FLOATS;
        int64_t written = padded - j < PRODUCT_FLOATS ? padded - j : PRODUCT_FLOATS;
        const char *source = row + j * (int64_t)alcore_sys_dtype_bytes(dtype);
        float buffer[PRODUCT_FLOATS] = {0};
        if (dtype != ALCORE_FLOAT32 || left < PRODUCT_FLOATS) {
            CPU(float_row)(source, left, dtype, buffer);
            source = (const char *)buffer;
        }
        __m512 x = _mm512_loadu_ps(source);
        __m512i whole = _mm512_cvtps_epi32(_mm512_mul_ps(x, factor));
        __m512 off = _mm512_fmsub_ps(x, factor, _mm512_cvtepi32_ps(whole));
        moved = _mm512_fmadd_ps(off, off, moved);
        _mm256_mask_storeu_epi16((char *)out + j * 2, (__mmask16)((1u << written) - 1u),
                                 _mm512_cvtsepi32_epi16(whole));
    }
    double residual = sqrt((double)_mm512_reduce_add_ps(moved)) * 1.001 + INT16_SLIP;
    return residual / (double)scale;
}

/* One tile of products [PRODUCT_ROWS, stride], from one panel of rows [pairs, PRODUCT_ROWS] and one
 * of columns [pairs, PRODUCT_COLUMNS] of 32-bit words, two int16 each: the sums stay in registers,
 * and one instruction adds the products of both halves of a word. Not inlined, so that the sums
 * have all vector registers. */
static __attribute__((noinline)) void fill_tile(const float *rows, const float *columns,
                                                int64_t pairs, float factor, float *products,
                                                int64_t stride) {
    cpu_float_bits sum[PRODUCT_ROWS][PRODUCT_VECTORS] = {{{0}}};
    for (int64_t j = 0; j < pairs; j++) {
        __m512i c[PRODUCT_VECTORS];
#pragma GCC unroll 4
        for (int v = 0; v < PRODUCT_VECTORS; v++)
            c[v] = _mm512_loadu_si512(columns + j * PRODUCT_COLUMNS + v * PRODUCT_FLOATS);
#pragma GCC unroll 16
        for (int r = 0; r < PRODUCT_ROWS; r++) {
            int32_t pair;
            memcpy(&pair, rows + j * PRODUCT_ROWS + r, sizeof pair);
            __m512i x = _mm512_set1_epi32(pair);
#pragma GCC unroll 4
            for (int v = 0; v < PRODUCT_VECTORS; v++)
                sum[r][v] = (cpu_float_bits)_mm512_dpwssd_epi32((__m512i)sum[r][v], x, c[v]);
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < PRODUCT_ROWS; r++) {
#pragma GCC unroll 4
        for (int v = 0; v < PRODUCT_VECTORS; v++) {
            __m512 product = _mm512_cvtepi32_ps((__m512i)sum[r][v]);
            _mm512_storeu_ps(products + r * stride + v * PRODUCT_FLOATS,
                             _mm512_mul_ps(product, _mm512_set1_ps(factor)));
        }
    }
}

/* Panels are passed as float because CPU(pack_panel) packs words of 32 bits; stride is at least
 * column_panels x PRODUCT_COLUMNS. */
void CPU(int16_products)(const float *rows, int64_t row_panels, const float *columns,
                         int64_t column_panels, int64_t pairs, float factor, float *products,
                         int64_t stride) {
    for (int64_t c = 0; c < column_panels; c++) {
        for (int64_t r = 0; r < row_panels; r++) {
            fill_tile(rows + r * PRODUCT_ROWS * pairs, columns + c * PRODUCT_COLUMNS * pairs, pairs,
                      factor, products + r * PRODUCT_ROWS * stride + c * PRODUCT_COLUMNS, stride);
        }
    }
}

#endif
