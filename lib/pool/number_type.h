/* SPDX-License-Identifier: Apache-2.0 */
/* The types of a column's values, one value at a time; whole blocks of floats are converted by the
 * kernels. "No value" is NaN in a float type and the smallest integer in an integer type. */
#ifndef ALCORE__NUMBER_TYPE_H
#define ALCORE__NUMBER_TYPE_H

#include <math.h>
#include <string.h>

#include "base/tensor_view.h"

/* binary16 to binary32, exactly. Shifting the 15 bits of exponent and significand left by 13 puts
 * them into place of a binary32 whose exponent is too small by 112; multiplying by 2^112 corrects
 * that, for subnormal numbers too. Infinities and NaNs keep their bits. */
static inline float alcore__widen_half(uint16_t half) {
    const uint32_t magnitude = (uint32_t)(half & 0x7FFF) << 13;
    uint32_t bits;
    float value;
    memcpy(&value, &magnitude, sizeof value);
    value *= 0x1p112f;
    memcpy(&bits, &value, sizeof bits);
    if ((half & 0x7C00) == 0x7C00) bits = magnitude | 0x7F800000u;
    bits |= (uint32_t)(half & 0x8000) << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* One value of an integer type; "no value" of int32 becomes that of int64. `value` need not be
 * aligned. */
static inline int64_t alcore__read_integer(int32_t dtype, const char *value) {
    if (dtype == ALCORE_INT64) {
        int64_t wide;
        memcpy(&wide, value, sizeof wide);
        return wide;
    }
    int32_t narrow;
    memcpy(&narrow, value, sizeof narrow);
    return narrow == INT32_MIN ? INT64_MIN : narrow;
}

/* One value of any type as a double: exact for floats and for integers up to 2^53. `value` need not
 * be aligned. */
static inline double alcore__widen(int32_t dtype, const char *value) {
    if (dtype == ALCORE_FLOAT64) {
        double wide;
        memcpy(&wide, value, sizeof wide);
        return wide;
    }
    if (alcore__dtype_is_integer(dtype)) {
        const int64_t integer = alcore__read_integer(dtype, value);
        return integer == INT64_MIN ? (double)NAN : (double)integer;
    }
    uint32_t bits;
    float single;
    if (dtype == ALCORE_FLOAT32) {
        memcpy(&single, value, sizeof single);
        return single;
    }
    uint16_t half;
    memcpy(&half, value, sizeof half);
    if (dtype == ALCORE_FLOAT16) return alcore__widen_half(half);
    bits = (uint32_t)half << 16;
    memcpy(&single, &bits, sizeof single);
    return single;
}

/* Writes "no value" of a type count times. */
static inline void alcore__fill_missing(int32_t dtype, void *out, int64_t count) {
    /* Of ALCORE_FLOAT16, _BFLOAT16, _FLOAT32, _FLOAT64, _INT32 and _INT64. */
    static const uint64_t pattern[] = {
        0x7E00, 0x7FC0, 0x7FC00000, 0x7FF8000000000000, 0x80000000, 0x8000000000000000};
    const uint64_t *missing = &pattern[dtype - ALCORE_FLOAT16];
    const size_t bytes = alcore_sys_dtype_bytes(dtype);
    const uint16_t half = (uint16_t)*missing;
    const uint32_t single = (uint32_t)*missing;
    const void *value = bytes == 2   ? (const void *)&half
                        : bytes == 4 ? (const void *)&single
                                     : (const void *)missing;
    for (int64_t i = 0; i < count; i++) memcpy((char *)out + (size_t)i * bytes, value, bytes);
}

#endif
