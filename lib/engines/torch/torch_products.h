/* SPDX-License-Identifier: Apache-2.0 */
/* Products of float32 inputs with weights that are kept in 8 bits, in bfloat16 or in float32, on
 * processors that have instructions for them (AVX-512 VNNI, AVX-512 BF16, AVX-512). Hand-written,
 * because oneDNN's operators in libtorch take one scale for all rows of an input, write results in
 * their own number type, pass over them once more for what follows a product, and wait for weights:
 * in float32 and with 64 rows they make three quarters of the operations a second that the
 * processor can (docs/results/number_types.txt).
 *
 *     int8      y = s_row s_column sum (q_row - z_row) q_column + bias; the sum is exact, so that
 *               results do not depend on the processor's instructions. Of a row w of the weights
 *                   q = round(w / s), s = max |w| / 127,
 *               of a row x of the input, of which what an activation left may have one sign,
 *                   q = min(round(x / s) + z, 255), s = (max(x, 0) - min(x, 0)) / 255,
 *                   z = round(-min(x, 0) / s)
 *     bfloat16  y = sum x_row x_column + bias, the factors rounded to nearest even, sums in float32
 *     float32   the same of factors that are not rounded
 *
 * In the narrow types a row of an input that has a NaN or an infinity, or differences that are none
 * of float32, gives NaN, and so does such a row of weights. A row of zeros has the scale 0, so that
 * its sum counts 0.
 *
 * Weights lie in panels of TORCH_PANEL rows: for each group of components (4 of int8, 2 of
 * bfloat16, 1 of float32: 32 bits) those of one row after the other. Functions do not allocate, and
 * may be called by several threads. */
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
    const void *weights;      /* panel by panel, as pack() wrote them */
    const float *scales;      /* [panels TORCH_PANEL] of int8, as pack() wrote them */
    const int32_t *sums;      /* [panels TORCH_PANEL] of int8, as pack() wrote them */
    const float *bias;        /* [panels TORCH_PANEL] */
    int64_t in, out;          /* components of a row, rows of the weights */
    const void *rows;         /* [count] rows, as narrow() wrote them, or inputs */
    const float *row_scales;  /* [count] of int8 */
    const int32_t *row_zeros; /* [count] of int8: what stands for 0 */
    int64_t count;            /* rows */
    int64_t panel, panels;    /* the first panel that is computed, and the one behind the last */
    enum torch_after after;
    const float *times, *added; /* [count, out] or NULL; not the result */
    float *result;              /* [count, out] */
} torch_product;

typedef struct torch_products {
    int64_t group; /* components in 32 bits */
    /* Writes a panel: weights [rows, in], at most TORCH_PANEL rows; rows that lack are zeros. The
     * sums are those of the components of each row; float32 has neither these nor scales. */
    void (*pack)(const float *weights, int64_t rows, int64_t in, void *panel, float *scales,
                 int32_t *sums);
    /* Rounds inputs [count, in]; NULL: they are taken as they are. */
    void (*narrow)(const float *inputs, int64_t count, int64_t in, void *rows, float *scales,
                   int32_t *zeros);
    void (*multiply)(const torch_product *what);
} torch_products;

/* Bytes of a row that narrow() writes; a panel has TORCH_PANEL times as many. */
static inline int64_t torch_row_bytes(const torch_products *products, int64_t in) {
    return (in + products->group - 1) / products->group * 4;
}

/* The functions for each type that this processor has instructions for; NULL: it has none. */
const torch_products *torch_products_int8_here(void);
const torch_products *torch_products_bfloat16_here(void);
const torch_products *torch_products_float32_here(void);

#ifdef __cplusplus
}
#endif

#endif
