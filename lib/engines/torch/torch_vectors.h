/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of float32 as wide as the instruction set that a file is compiled for has them, of which
 * the module's kernels are made. */
#ifndef ALCORE__TORCH_VECTORS_H
#define ALCORE__TORCH_VECTORS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif
#if defined(__AVX512F__)
#define WIDTH 16
#elif defined(__AVX2__)
#define WIDTH 8
#else
#define WIDTH 4
#endif

typedef float floats __attribute__((vector_size(WIDTH * 4)));
typedef int32_t ints __attribute__((vector_size(WIDTH * 4)));

#define INLINE static inline __attribute__((always_inline))
#define UNROLLED _Pragma("GCC unroll 4")

INLINE floats load(const float *from) {
    floats v;
    memcpy(&v, from, sizeof v);
    return v;
}

INLINE void store(float *to, floats v) {
    memcpy(to, &v, sizeof v);
}

INLINE floats all_of(float value) {
    return value - (floats){0};
}

/* The greater of both, component by component; b where one is a NaN. */
INLINE floats greater(floats a, floats b) {
#if defined(__AVX512F__)
    return (floats)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (floats)_mm256_max_ps((__m256)a, (__m256)b);
#else
    const ints mask = a > b;
    return (floats)(((ints)a & mask) | ((ints)b & ~mask));
#endif
}

/* Parts of a vector, whose halves are joined until four floats are left. */
typedef float four_floats __attribute__((vector_size(16)));
#if WIDTH == 16
typedef float eight_floats __attribute__((vector_size(32)));
INLINE eight_floats eight_at(const void *vector, int first) {
    eight_floats out;
    memcpy(&out, (const float *)vector + first, sizeof out);
    return out;
}
#define EIGHT(v, first) eight_at(&(v), first)
#endif
INLINE four_floats four_at(const void *vector, int first) {
    four_floats out;
    memcpy(&out, (const float *)vector + first, sizeof out);
    return out;
}
#define FOUR(v, first) four_at(&(v), first)

/* The greatest component, for vectors without a NaN. */
INLINE float greatest_of(floats v) {
    four_floats rest;
#if WIDTH == 16
    const __m256 half = _mm256_max_ps((__m256)EIGHT(v, 0), (__m256)EIGHT(v, 8));
    rest = (four_floats)_mm_max_ps((__m128)FOUR(half, 0), (__m128)FOUR(half, 4));
#elif WIDTH == 8
    rest = (four_floats)_mm_max_ps((__m128)FOUR(v, 0), (__m128)FOUR(v, 4));
#else
    rest = v;
#endif
    const float a = rest[0] > rest[1] ? rest[0] : rest[1];
    const float b = rest[2] > rest[3] ? rest[2] : rest[3];
    return a > b ? a : b;
}

/* The sum of the components, added by halves. */
INLINE float sum_of(floats v) {
    four_floats rest;
#if WIDTH == 16
    const eight_floats half = EIGHT(v, 0) + EIGHT(v, 8);
    rest = FOUR(half, 0) + FOUR(half, 4);
#elif WIDTH == 8
    rest = FOUR(v, 0) + FOUR(v, 4);
#else
    rest = v;
#endif
    return (rest[0] + rest[1]) + (rest[2] + rest[3]);
}

/* The sums of four vectors, each added as sum_of() does. */
INLINE four_floats sums_of(const floats v[4]) {
    four_floats rest[4], pairs[2];
    for (int i = 0; i < 4; i++) {
#if WIDTH == 16
        const eight_floats half = EIGHT(v[i], 0) + EIGHT(v[i], 8);
        rest[i] = FOUR(half, 0) + FOUR(half, 4);
#elif WIDTH == 8
        rest[i] = FOUR(v[i], 0) + FOUR(v[i], 4);
#else
        rest[i] = v[i];
#endif
    }
    typedef int32_t four_ints __attribute__((vector_size(16)));
    for (int i = 0; i < 2; i++)
        pairs[i] = __builtin_shuffle(rest[2 * i], rest[2 * i + 1], (four_ints){0, 4, 2, 6}) +
                   __builtin_shuffle(rest[2 * i], rest[2 * i + 1], (four_ints){1, 5, 3, 7});
    return __builtin_shuffle(pairs[0], pairs[1], (four_ints){0, 1, 4, 5}) +
           __builtin_shuffle(pairs[0], pairs[1], (four_ints){2, 3, 6, 7});
}

/* exp(x) of x <= 0 to about 1e-7 of its value, 0 below -87.7; a NaN stays one. x = n ln 2 + r with
 * an integer n and |r| <= ln 2 / 2; exp(r) is the polynomial of degree 7 of Cephes (Moshier 1992).
 * n is rounded by adding and taking away 1.5 * 2^23. 2^n is the float of exponent n + 127, which is
 * 0 for n = -127, the n of all x below -87.7. */
INLINE floats exp_of(floats x) {
    x = greater(all_of(-88.0f), x);
    const floats shift = all_of(12582912.0f);
    const floats n = (x * 1.44269504088896341f + shift) - shift;
    const floats r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    floats y = all_of(1.9875691500e-4f);
    y = y * r + 1.3981999507e-3f;
    y = y * r + 8.3334519073e-3f;
    y = y * r + 4.1665795894e-2f;
    y = y * r + 1.6666665459e-1f;
    y = y * r + 5.0000001201e-1f;
    y = y * (r * r) + r + 1.0f;
    const ints power = (__builtin_convertvector(n, ints) + 127) << 23;
    return y * (floats)power;
}

#endif
