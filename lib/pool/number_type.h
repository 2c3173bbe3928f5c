/* SPDX-License-Identifier: Apache-2.0 */
/* The types of a column's numbers, one number at a time; whole blocks are widened by the kernels.
 */
#ifndef ALCORE__NUMBER_TYPE_H
#define ALCORE__NUMBER_TYPE_H

#include <string.h>

#include "base/tensor_view.h"

static inline float alcore__widen_half(uint16_t half) {
    const uint32_t magnitude = (uint32_t)(half & 0x7FFF) << 13;
    uint32_t bits;
    float value;
    /* The exponent's bias differs by 112; multiplying is exact for subnormals too. */
    memcpy(&value, &magnitude, sizeof value);
    value *= 0x1p112f;
    memcpy(&bits, &value, sizeof bits);
    if ((half & 0x7C00) == 0x7C00) bits = magnitude | 0x7F800000u;
    bits |= (uint32_t)(half & 0x8000) << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* One number of a float type as a double; exact. from need not be aligned. */
static inline double alcore__widen(int32_t dtype, const char *from) {
    if (dtype == ALCORE_FLOAT64) {
        double value;
        memcpy(&value, from, sizeof value);
        return value;
    }
    uint32_t bits;
    float value;
    if (dtype == ALCORE_FLOAT32) {
        memcpy(&value, from, sizeof value);
        return value;
    }
    uint16_t half;
    memcpy(&half, from, sizeof half);
    if (dtype == ALCORE_FLOAT16) return alcore__widen_half(half);
    bits = (uint32_t)half << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Writes count NaNs of a float type. */
static inline void alcore__fill_nan(int32_t dtype, void *to, int64_t count) {
    static const uint64_t pattern[] = {[ALCORE_FLOAT16] = 0x7E00,
                                       [ALCORE_BFLOAT16] = 0x7FC0,
                                       [ALCORE_FLOAT32] = 0x7FC00000,
                                       [ALCORE_FLOAT64] = 0x7FF8000000000000};
    const size_t bytes = alcore__dtype_bytes(dtype);
    char *at = to;
    for (int64_t i = 0; i < count; i++, at += bytes) {
        const uint16_t half = (uint16_t)pattern[dtype];
        const uint32_t single = (uint32_t)pattern[dtype];
        memcpy(at,
               bytes == 2   ? (const void *)&half
               : bytes == 4 ? (const void *)&single
                            : (const void *)&pattern[dtype],
               bytes);
    }
}

#endif
