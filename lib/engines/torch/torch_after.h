/* SPDX-License-Identifier: Apache-2.0 */
/* What follows the sums of a product, a vector at a time. */
#ifndef ALCORE__TORCH_AFTER_H
#define ALCORE__TORCH_AFTER_H

#include "torch_products.h"
#include "torch_vectors.h"

/* 1 / (1 + exp(-x)), computed by exp(-|x|), which cannot overflow. */
INLINE floats logistic(floats x) {
    const floats power = exp_of((floats)((ints)x | INT32_MIN));
    const ints negative = x < 0;
    const floats above = (floats)(((ints)power & negative) | ((ints)all_of(1) & ~negative));
    return above / (power + 1.0f);
}

/* x Phi(x). erf by the formula 7.1.26 of Abramowitz and Stegun, whose error is 1.5e-7. */
INLINE floats gelu(floats x) {
    const floats z = x * 0.70710678f, size = (floats)((ints)z & 0x7fffffff);
    const floats t = 1.0f / (size * 0.3275911f + 1.0f);
    floats y = t * 1.061405429f - 1.453152027f;
    y = y * t + 1.421413741f;
    y = y * t - 0.284496736f;
    y = y * t + 0.254829592f;
    const floats erf = 1.0f - y * t * exp_of(-(size * size));
    const floats signed_erf = (floats)(((ints)erf & 0x7fffffff) | ((ints)z & INT32_MIN));
    return x * 0.5f * (signed_erf + 1.0f);
}

INLINE floats apply(floats x, enum torch_after after) {
    switch (after) {
    case TORCH_AFTER_GELU:
        return gelu(x);
    case TORCH_AFTER_GELU_TANH:
        return x * logistic((x * x * 0.044715f + 1.0f) * x * 1.59576912f);
    case TORCH_AFTER_RELU:
        return greater(all_of(0), x); /* a NaN stays one */
    case TORCH_AFTER_SILU:
        return x * logistic(x);
    default:
        return x;
    }
}

/* A vector of the result; `size` of its components are there. */
INLINE void put_vector(const torch_product *what, floats value, int64_t row, int64_t column,
                       int64_t size) {
    const int64_t place = row * what->out + column;
    float some[WIDTH];
    value = apply(value, what->after);
    if (size == WIDTH) {
        if (what->times != NULL) value *= load(what->times + place);
        if (what->added != NULL) value += load(what->added + place);
        store(what->result + place, value);
        return;
    }
    store(some, value);
    for (int64_t i = 0; i < size; i++) {
        if (what->times != NULL) some[i] *= what->times[place + i];
        if (what->added != NULL) some[i] += what->added[place + i];
        what->result[place + i] = some[i];
    }
}

#endif
