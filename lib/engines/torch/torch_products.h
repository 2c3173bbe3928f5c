/* SPDX-License-Identifier: Apache-2.0 */
/* Products of float32 inputs with weights that are kept in 8 bits or in bfloat16, on processors
 * that have instructions for them (AVX-512 VNNI, AVX-512 BF16). Hand-written, because oneDNN's
 * operators in libtorch take one scale for all rows of an input, write results in their own number
 * type, and pass over them once more for what follows a product.
 *
 *     int8      y = s_row s_column (sum q_row q_column) + bias, where q = round(x / s) and
 *               s = max |x| / 127 of each row of the input and of each row of the weights; the sum
 *               is exact, so that results do not depend on the processor's instructions
 *     bfloat16  y = sum x_row x_column + bias, the factors rounded to nearest even, sums in float32
 *
 * A row of an input that has a NaN or an infinity gives NaN, and so does such a row of weights. A
 * row of zeros has the scale 0, so that its sum counts 0.
 *
 * Weights lie in panels of TORCH_PANEL rows: for each group of components (4 of int8, 2 of
 * bfloat16: 32 bits) those of one row after the other. Functions do not allocate, and may be called
 * by several threads. */
#ifndef ALCORE__TORCH_PRODUCTS_H
#define ALCORE__TORCH_PRODUCTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TORCH_PANEL = 64 };

/* What is applied to the sum with the bias. */
enum torch_after {
    TORCH_AFTER_NOTHING,
    TORCH_AFTER_GELU,
    TORCH_AFTER_GELU_TANH,
    TORCH_AFTER_RELU,
    TORCH_AFTER_SILU
};

/* result = after(rows weights^T + bias) * times + added, for the columns of some panels. */
typedef struct torch_product {
    const void *weights;     /* panel by panel, as pack() wrote them */
    const float *scales;     /* [panels TORCH_PANEL] of int8, as pack() wrote them */
    const float *bias;       /* [panels TORCH_PANEL] */
    int64_t in, out;         /* components of a row, rows of the weights */
    const void *rows;        /* [count] rows, as narrow() wrote them */
    const float *row_scales; /* [count] of int8 */
    const int32_t *row_sums; /* [count] of int8 */
    int64_t count;           /* rows */
    int64_t panel, panels;   /* the first panel that is computed, and the one behind the last */
    enum torch_after after;
    const float *times, *added; /* [count, out] or NULL; may be the result */
    float *result;              /* [count, out] */
} torch_product;

typedef struct torch_products {
    int64_t group; /* components in 32 bits */
    /* Writes a panel: weights [rows, in], at most TORCH_PANEL rows; rows that lack are zeros. */
    void (*pack)(const float *weights, int64_t rows, int64_t in, void *panel, float *scales);
    /* Rounds inputs [count, in], and adds up the components of int8. */
    void (*narrow)(const float *inputs, int64_t count, int64_t in, void *rows, float *scales,
                   int32_t *sums);
    void (*multiply)(const torch_product *what);
} torch_products;

/* Bytes of a row that narrow() writes; a panel has TORCH_PANEL times as many. */
static inline int64_t torch_row_bytes(const torch_products *products, int64_t in) {
    return (in + products->group - 1) / products->group * 4;
}

/* The functions for each type that this processor has instructions for; NULL: it has none. */
const torch_products *torch_products_int8_here(void);
const torch_products *torch_products_bfloat16_here(void);

#ifdef __cplusplus
}
#endif

#endif
