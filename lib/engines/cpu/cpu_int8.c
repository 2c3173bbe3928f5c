/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as 8-bit integers, and their products in 32-bit sums (cpu_int8.h has the error bound and the
 * layout). Compiled for engines with VNNI instructions only. Cost: a quarter of the time of the
 * products in float32. */
#include "engines/cpu/cpu_int8.h"

#include <string.h>

#include "engines/cpu/cpu_rows.h"

#if CPU_INT8

/* Components j .. j + PRODUCT_FLOATS - 1 of a row as float32, zeros behind the last one. */
CPU_INLINE __m512 load_part(const char *row, int64_t j, int64_t dims, int32_t dtype) {
    int64_t left = dims - j < PRODUCT_FLOATS ? dims - j : PRODUCT_FLOATS;
    const char *source = row + j * (int64_t)alcore_sys_dtype_bytes(dtype);
    if (dtype == ALCORE_FLOAT32)
        return _mm512_maskz_loadu_ps((__mmask16)((1u << left) - 1u), source);
    float buffer[PRODUCT_FLOATS] = {0};
    CPU(float_row)(source, left, dtype, buffer);
    return _mm512_loadu_ps(buffer);
}

/* Two passes: the largest component, then the integers with the squares of what rounding moves
 * (moved). Up to INT16_MAX_SCALE 1 / w stays in float32's range, whatever the row. A component of
 * out, a byte, is never longer than one of row, so that both may begin at the same address: what is
 * overwritten has been read. */
int8_item CPU(int8_row)(const char *row, int64_t dims, int32_t dtype, int offset, void *out) {
    __m512 most = _mm512_setzero_ps(), moved = _mm512_setzero_ps();
    __m512i sum = _mm512_setzero_si512();
    for (int64_t j = 0; j < dims; j += PRODUCT_FLOATS)
        most = _mm512_max_ps(most, _mm512_abs_ps(load_part(row, j, dims, dtype)));
    float largest = _mm512_reduce_max_ps(most), scale = (float)INT16_MAX_SCALE;
    if (largest * (float)INT16_MAX_SCALE > INT8_MOST) scale = INT8_MOST / largest;
    int64_t padded = 4 * int8_words(dims);
    for (int64_t j = 0; j < dims; j += PRODUCT_FLOATS) {
        __m512 scaled = _mm512_mul_ps(load_part(row, j, dims, dtype), _mm512_set1_ps(scale));
        __m512i whole = _mm512_cvtps_epi32(scaled);
        __m512 off = _mm512_sub_ps(scaled, _mm512_cvtepi32_ps(whole));
        moved = _mm512_fmadd_ps(off, off, moved);
        sum = _mm512_add_epi32(sum, whole);
        whole = _mm512_add_epi32(whole, _mm512_set1_epi32(offset ? 128 : 0));
        int64_t written = padded - j < PRODUCT_FLOATS ? padded - j : PRODUCT_FLOATS;
        _mm_mask_storeu_epi8((char *)out + j, (__mmask16)((1u << written) - 1u),
                             _mm512_cvtepi32_epi8(whole));
    }
    double residual = sqrt((double)_mm512_reduce_add_ps(moved)) * 1.001 + INT8_SLIP;
    return (int8_item){.multiplier = 1.0f / scale,
                       .sum = _mm512_reduce_add_epi32(sum),
                       .residual = residual / (double)scale};
}

/* One tile of products [PRODUCT_ROWS, stride], like fill_tile() of cpu_int16.c. */
static __attribute__((noinline)) void fill_tile(const float *rows, const int32_t *begin,
                                                const float *columns, int64_t words,
                                                float *products, int64_t stride) {
    cpu_float_bits sum[PRODUCT_ROWS][PRODUCT_VECTORS];
#pragma GCC unroll 16
    for (int r = 0; r < PRODUCT_ROWS; r++) {
#pragma GCC unroll 4
        for (int v = 0; v < PRODUCT_VECTORS; v++)
            sum[r][v] = (cpu_float_bits)_mm512_set1_epi32(begin[r]);
    }
    for (int64_t j = 0; j < words; j++) {
        __m512i c[PRODUCT_VECTORS];
#pragma GCC unroll 4
        for (int v = 0; v < PRODUCT_VECTORS; v++)
            c[v] = _mm512_loadu_si512(columns + j * PRODUCT_COLUMNS + v * PRODUCT_FLOATS);
#pragma GCC unroll 16
        for (int r = 0; r < PRODUCT_ROWS; r++) {
            int32_t word;
            memcpy(&word, rows + j * PRODUCT_ROWS + r, sizeof word);
            __m512i x = _mm512_set1_epi32(word);
#pragma GCC unroll 4
            for (int v = 0; v < PRODUCT_VECTORS; v++)
                sum[r][v] = (cpu_float_bits)_mm512_dpbusd_epi32((__m512i)sum[r][v], c[v], x);
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < PRODUCT_ROWS; r++) {
#pragma GCC unroll 4
        for (int v = 0; v < PRODUCT_VECTORS; v++)
            _mm512_storeu_ps(products + r * stride + v * PRODUCT_FLOATS,
                             _mm512_cvtepi32_ps((__m512i)sum[r][v]));
    }
}

/* Panels are passed as float because CPU(pack_panel) packs words of 32 bits; stride is at least
 * column_panels x PRODUCT_COLUMNS. */
void CPU(int8_products)(const float *rows, const int32_t *begin, const float *columns,
                        int64_t column_panels, int64_t words, float *products, int64_t stride) {
    for (int64_t c = 0; c < column_panels; c++)
        fill_tile(rows, begin, columns + c * PRODUCT_COLUMNS * words, words,
                  products + c * PRODUCT_COLUMNS, stride);
}

#endif
