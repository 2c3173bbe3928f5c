/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of CPU_FLOATS float32 values: for filters and column kernels, where engines may round
 * differently (spec 1.8). Loads and stores, multiply-add, minimum and maximum with a defined result
 * for NaN, and exp. */
#ifndef ALCORE__CPU_FLOATS_H
#define ALCORE__CPU_FLOATS_H

#include "engines/cpu/cpu_vector.h"

#if defined(__AVX512F__)
#define CPU_FLOATS 16
#elif defined(__AVX2__)
#define CPU_FLOATS 8
#else
#define CPU_FLOATS 4
#endif

/* A vector of floats; and the result of comparing two, all ones in a lane that is true, or the bits
 * of one. */
typedef float cpu_floats __attribute__((vector_size(CPU_FLOATS * 4)));
typedef int32_t cpu_float_bits __attribute__((vector_size(CPU_FLOATS * 4)));

/* CPU_FLOATS floats at an address of any alignment, and back. */
CPU_INLINE cpu_floats cpu_load_floats(const float *values) {
    cpu_floats v;
    __builtin_memcpy(&v, values, sizeof v);
    return v;
}

CPU_INLINE void cpu_store_floats(float *out, cpu_floats v) {
    __builtin_memcpy(out, &v, sizeof v);
}

/* x in every lane. */
CPU_INLINE cpu_floats cpu_all_floats(float x) {
#if defined(__AVX512F__)
    return (cpu_floats)_mm512_set1_ps(x);
#elif defined(__AVX2__)
    return (cpu_floats)_mm256_set1_ps(x);
#else
    return (cpu_floats){x, x, x, x}; /* x + 0 would turn -0.0 into +0.0 */
#endif
}

/* a * b + c; engines with a fused multiply-add do not round the product. */
CPU_INLINE cpu_floats cpu_add_product(cpu_floats a, cpu_floats b, cpu_floats c) {
#if defined(__AVX512F__)
    return (cpu_floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__AVX2__)
    return (cpu_floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(ALCORE__CPU_NEON)
    return (cpu_floats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return c + a * b;
#endif
}

/* The sum of lane[0 .. width - 1], halves first; lane is overwritten. width: a constant, 4, 8
 * or 16. */
CPU_INLINE float cpu_sum_lanes(float *lane, int width) {
#pragma GCC unroll 4
    for (int w = width / 2; w > 0; w /= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < w; i++) lane[i] += lane[i + w];
    }
    return lane[0];
}

/* The sum of the lanes of v, in the order that is fastest: for filters only. */
CPU_INLINE float cpu_sum_floats(cpu_floats v) {
#if defined(__AVX512F__)
    return _mm512_reduce_add_ps((__m512)v);
#else
    float values[CPU_FLOATS];
    cpu_store_floats(values, v);
    return cpu_sum_lanes(values, CPU_FLOATS);
#endif
}

/* Lane by lane: yes where mask is all ones, no where it is 0. */
CPU_INLINE cpu_floats cpu_choose(cpu_float_bits mask, cpu_floats yes, cpu_floats no) {
    return (cpu_floats)((mask & (cpu_float_bits)yes) | (~mask & (cpu_float_bits)no));
}

/* 1 when any lane of the result of a comparison is true. */
CPU_INLINE int cpu_any(cpu_float_bits mask) {
#if defined(__AVX512F__)
    return _mm512_movepi32_mask((__m512i)mask) != 0;
#elif defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#else
    int64_t parts[2];
    __builtin_memcpy(parts, &mask, sizeof mask);
    return (parts[0] | parts[1]) != 0;
#endif
}

/* The larger of x and other; other where either is NaN. */
CPU_INLINE cpu_floats cpu_larger(cpu_floats x, cpu_floats other) {
#if defined(__AVX512F__)
    return (cpu_floats)_mm512_max_ps((__m512)x, (__m512)other);
#elif defined(__AVX2__)
    return (cpu_floats)_mm256_max_ps((__m256)x, (__m256)other);
#else
    return cpu_choose(x > other, x, other);
#endif
}

/* The smaller of x and other; other where either is NaN. */
CPU_INLINE cpu_floats cpu_smaller(cpu_floats x, cpu_floats other) {
#if defined(__AVX512F__)
    return (cpu_floats)_mm512_min_ps((__m512)x, (__m512)other);
#elif defined(__AVX2__)
    return (cpu_floats)_mm256_min_ps((__m256)x, (__m256)other);
#else
    return cpu_choose(x < other, x, other);
#endif
}

/* x, or `low` where x is below it; a NaN lane stays NaN, unlike cpu_larger(). */
CPU_INLINE cpu_floats cpu_at_least(cpu_floats x, float low) {
#if defined(__AVX512F__)
    return (cpu_floats)_mm512_max_ps(_mm512_set1_ps(low), (__m512)x);
#elif defined(__AVX2__)
    return (cpu_floats)_mm256_max_ps(_mm256_set1_ps(low), (__m256)x);
#else
    return cpu_choose(x < low, cpu_all_floats(low), x);
#endif
}

/* Below this cpu_exp() gives 0. */
#define CPU_EXP_MIN (-87.0f)

/* exp of each lane for CPU_EXP_MIN <= x <= 0, within one unit in the last place, exactly 1 for 0; 0
 * for x below CPU_EXP_MIN, anything for NaN. With n the integer nearest to x / ln 2 and r = x - n
 * ln 2, exp(x) = 2^n exp(r) and |r| <= ln 2 / 2. Adding `whole` rounds x / ln 2 to n; p is a
 * polynomial for exp(r), within 0.2 units (interpolated at Chebyshev points); n is added to its
 * exponent. */
CPU_INLINE cpu_floats cpu_exp(cpu_floats x) {
    const float whole = 0x1.8p23f; /* a sum with it has n in its last bits */
    cpu_floats sum = cpu_add_product(x, cpu_all_floats(0x1.715476p0f), cpu_all_floats(whole));
    cpu_floats n = sum - whole;
    /* ln 2 in two parts; the first has few bits, so that its product with n is exact. */
    cpu_floats r = cpu_add_product(n, cpu_all_floats(-0x1.62ep-1f), x);
    r = cpu_add_product(n, cpu_all_floats(-0x1.0bfbe8p-15f), r);
    cpu_floats p = cpu_all_floats(0x1.6d113cp-10f);
    p = cpu_add_product(p, r, cpu_all_floats(0x1.120ba2p-7f));
    p = cpu_add_product(p, r, cpu_all_floats(0x1.55551ap-5f));
    p = cpu_add_product(p, r, cpu_all_floats(0x1.5554dcp-3f));
    p = cpu_add_product(p, r, cpu_all_floats(0.5f));
    p = cpu_add_product(p * r, r, r) + 1.0f;
    cpu_float_bits scaled = (cpu_float_bits)p + ((cpu_float_bits)sum << 23);
#if defined(__AVX512F__)
    __mmask16 in_range = _mm512_cmp_ps_mask((__m512)x, _mm512_set1_ps(CPU_EXP_MIN), _CMP_GE_OQ);
    return (cpu_floats)_mm512_maskz_mov_ps(in_range, (__m512)scaled);
#else
    return (cpu_floats)(scaled & (cpu_float_bits)(x >= CPU_EXP_MIN));
#endif
}

#endif
