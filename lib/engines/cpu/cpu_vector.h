/* SPDX-License-Identifier: Apache-2.0 */
/* Vector types, loads and the few operations that differ between instruction sets. This folder is
 * compiled once per instruction set ("engine": portable, AVX2, AVX-512, AVX-512 VNNI, NEON), and
 * only the headers know which; ALCORE__CPU is the engine's name as an identifier, and CPU(name) the
 * function `name` of this engine. Decision kernels give the same bits on every engine (spec 1.8),
 * which rounds each product before it is added: meson.build compiles this folder, as the library,
 * with -ffp-contract=off, so that no a * b + c becomes a fused multiply-add. Where one is right it
 * is an intrinsic (cpu_add_square(), cpu_add_product()). A row is passed as const char * with its
 * dtype, ALCORE_FLOAT16, _BFLOAT16, _FLOAT32 or _FLOAT64; dtype is a constant wherever these
 * functions are inlined.
 *
 * Words of this room, and the header that declares what they name:
 *
 *   item, operand  a row of one of the two matrices that are compared, and the matrix: rows and
 *                  queries, others, centroids or targets. Arrays of an operand are by matrix row
 *   panel          some packed vectors, interleaved by component, as float32 or as pairs of int16:
 *                  PRODUCT_ROWS rows or PRODUCT_COLUMNS columns, the vectors of the second operand
 *                  (cpu_product.h); a slab is the items of an operand that are packed at a time
 *   tile           the products of one panel of rows with some panels of columns
 *   far item       one for which the error bound of the filter, products in float32 or int16, does
 *                  not hold (cpu_search.h, cpu_filter.h)
 *   cpu_row()      a row as kernels read it: in place, or where rows->unit is 1 as a unit vector,
 *                  written to `unit` [dims]; its type is cpu_row_dtype() (cpu_rows.h)
 *   FILTER_UP, SEARCH_UP   times a computed norm: an upper bound of the true one
 *   spent          work since the host was asked last whether to stop: alcore__cpu_poll() adds to
 *                  it and asks now and then (cpu_call.h)
 *
 * Masks are [rows], 1: the row takes part, NULL: all do; nothing is written of the others. Memory
 * of alcore__cpu_new() is not initialized; alcore__cpu_free() is told its size. */
#ifndef ALCORE__CPU_VECTOR_H
#define ALCORE__CPU_VECTOR_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>

#include "alcore/sys/dtype.h"
#include "alcore/sys/kernel.h"

#if FLT_EVAL_METHOD != 0
#error "spec 1.8 needs double arithmetic that is rounded at every operation"
#endif

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#elif defined(ALCORE__CPU_NEON)
#include <arm_neon.h>
#endif

#define ALCORE__CPU_JOIN2(a, b) alcore__cpu_##a##_##b
#define ALCORE__CPU_JOIN(a, b) ALCORE__CPU_JOIN2(a, b)
/* Name of a function of this engine. */
#define CPU(name) ALCORE__CPU_JOIN(ALCORE__CPU, name)

#define CPU_INLINE static inline __attribute__((always_inline))

/* CPU_WIDTH doubles make a vector; CPU_VECTORS of them are the 32 running sums (lanes) of spec 1.8.
 */
#if defined(__AVX512F__)
#define CPU_WIDTH 8
#else
#define CPU_WIDTH 4
#endif
#define CPU_LANES 32
#define CPU_VECTORS (CPU_LANES / CPU_WIDTH)

/* A vector of doubles; the result of comparing two, all ones in an element that is true; and
 * CPU_WIDTH floats, with the bits of floats and of 16-bit numbers, from which they are widened. */
typedef double cpu_vector __attribute__((vector_size(CPU_WIDTH * 8)));
typedef int64_t cpu_mask __attribute__((vector_size(CPU_WIDTH * 8)));
typedef float cpu_half_vector __attribute__((vector_size(CPU_WIDTH * 4)));
typedef uint32_t cpu_half_bits __attribute__((vector_size(CPU_WIDTH * 4)));
typedef uint16_t cpu_quarter_bits __attribute__((vector_size(CPU_WIDTH * 2)));

/* CPU_WIDTH doubles at an address of any alignment, and back. */
CPU_INLINE cpu_vector cpu_load_double(const double *values) {
    cpu_vector v;
    __builtin_memcpy(&v, values, sizeof v);
    return v;
}

CPU_INLINE void cpu_store_double(double *out, cpu_vector v) {
    __builtin_memcpy(out, &v, sizeof v);
}

/* CPU_WIDTH float16 values as floats, exactly, subnormals, infinities and NaN included. */
CPU_INLINE cpu_half_vector cpu_widen_float16(cpu_quarter_bits bits) {
#if defined(__AVX512F__)
    return (cpu_half_vector)_mm256_cvtph_ps((__m128i)bits);
#elif defined(__AVX2__)
    __m128i low = _mm_set_epi64x(0, (int64_t)bits);
    return (cpu_half_vector)_mm_cvtph_ps(low);
#elif defined(ALCORE__CPU_NEON)
    return (cpu_half_vector)vcvt_f32_f16((float16x4_t)bits);
#else
    /* Shifts exponent and fraction to their float32 positions; multiplying by 2^112 corrects the
     * exponent's bias (127 - 15) and is exact for subnormals too. Infinity and NaN are patched. */
    cpu_half_bits wide = __builtin_convertvector(bits, cpu_half_bits);
    cpu_half_bits magnitude = (wide & 0x7fffu) << 13;
    cpu_half_vector scaled = (cpu_half_vector)magnitude * 0x1p112f;
    cpu_half_bits special = (cpu_half_bits)((wide & 0x7c00u) == 0x7c00u);
    cpu_half_bits value =
        ((cpu_half_bits)scaled & ~special) | ((magnitude | 0x7f800000u) & special);
    return (cpu_half_vector)(value | (wide & 0x8000u) << 16);
#endif
}

/* CPU_WIDTH bfloat16 values as floats: their upper 16 bits. */
CPU_INLINE cpu_half_vector cpu_widen_bfloat16(cpu_quarter_bits bits) {
#if defined(__AVX512F__)
    return (cpu_half_vector)_mm256_slli_epi32(_mm256_cvtepu16_epi32((__m128i)bits), 16);
#elif defined(__AVX2__)
    return (cpu_half_vector)_mm_slli_epi32(_mm_cvtepu16_epi32(_mm_set_epi64x(0, (int64_t)bits)),
                                           16);
#else
    return (cpu_half_vector)(__builtin_convertvector(bits, cpu_half_bits) << 16);
#endif
}

/* Components j .. j + CPU_WIDTH - 1 of a row as floats; exact unless dtype is float64. */
CPU_INLINE cpu_half_vector cpu_load_float(const char *row, int64_t j, int32_t dtype) {
    if (dtype == ALCORE_FLOAT64) {
        cpu_vector v;
        __builtin_memcpy(&v, row + j * 8, sizeof v);
        return __builtin_convertvector(v, cpu_half_vector);
    }
    if (dtype == ALCORE_FLOAT32) {
        cpu_half_vector v;
        __builtin_memcpy(&v, row + j * 4, sizeof v);
        return v;
    }
    cpu_quarter_bits bits;
    __builtin_memcpy(&bits, row + j * 2, sizeof bits);
    return dtype == ALCORE_FLOAT16 ? cpu_widen_float16(bits) : cpu_widen_bfloat16(bits);
}

/* Components j .. j + CPU_WIDTH - 1 of a row as doubles, exactly. */
CPU_INLINE cpu_vector cpu_load(const char *row, int64_t j, int32_t dtype) {
    if (dtype == ALCORE_FLOAT64) {
        cpu_vector v;
        __builtin_memcpy(&v, row + j * 8, sizeof v);
        return v;
    }
    cpu_half_vector v = cpu_load_float(row, j, dtype);
#if defined(__AVX512F__)
    /* Compilers make four instructions of the generic form. */
    return (cpu_vector)_mm512_cvtps_pd((__m256)v);
#elif defined(__AVX2__)
    return (cpu_vector)_mm256_cvtps_pd((__m128)v);
#else
    return __builtin_convertvector(v, cpu_vector);
#endif
}

/* sum + x * x for components x that were widened from dtype. Unless that is float64 the product is
 * exact in double, so that a fused multiply-add gives the same bits. */
CPU_INLINE cpu_vector cpu_add_square(cpu_vector x, cpu_vector sum, int32_t dtype) {
    if (dtype != ALCORE_FLOAT64) {
#if defined(__AVX512F__)
        return (cpu_vector)_mm512_fmadd_pd((__m512d)x, (__m512d)x, (__m512d)sum);
#elif defined(__AVX2__)
        return (cpu_vector)_mm256_fmadd_pd((__m256d)x, (__m256d)x, (__m256d)sum);
#endif
    }
    return sum + x * x;
}

/* 1 when any lane of the result of a comparison is true. */
CPU_INLINE int cpu_any_double(cpu_mask mask) {
#if defined(__AVX512F__)
    return _mm512_movepi64_mask((__m512i)mask) != 0;
#else
    int64_t any = 0;
    for (int i = 0; i < CPU_WIDTH; i++) any |= mask[i];
    return any != 0;
#endif
}

#endif
