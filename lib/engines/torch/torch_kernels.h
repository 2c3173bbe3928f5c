/* SPDX-License-Identifier: Apache-2.0 */
/* What the torch module computes by itself on the CPU, in float32: attention and norms without
 * gradients, and the best tokens of a row of logits. Products with weights are oneDNN's
 * (torch_linear.cpp).
 *
 * torch's own attention multiplies the small matrices of each text and head by calls of MKL; these
 * calls take a tenth of the time of an embedding. It also needs the keys of one hypothesis to lie
 * together, so that a beam search copies its whole cache in each step. Here keys and values are
 * read where they lie.
 *
 * Plain C without a header of torch, compiled once for each instruction set; torch_kernels_here()
 * gives the functions of the widest one that the processor has. Functions do not allocate, and may
 * be called by several threads. */
#ifndef ALCORE__TORCH_KERNELS_H
#define ALCORE__TORCH_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows are padded to multiples of TORCH_LANES floats; queries are taken TORCH_QUERIES at a time. */
enum { TORCH_LANES = 16, TORCH_QUERIES = 4 };

static inline int64_t torch_padded(int64_t count) {
    return (count + TORCH_LANES - 1) / TORCH_LANES * TORCH_LANES;
}

/* Floats that lay_out() writes for the keys and values of a text in one head. */
static inline int64_t torch_laid_out(int64_t keys, int64_t head) {
    return head * torch_padded(keys) + keys * torch_padded(head);
}

/* Floats that attend() and attend_chain() need as scratch. */
static inline int64_t torch_scratch(int64_t keys, int64_t head) {
    return TORCH_QUERIES * (torch_padded(keys) + torch_padded(head));
}

/* softmax(query key^T scale + bias) value for one text in one head of `head` components. */
typedef struct torch_attention {
    const float *memory; /* keys and values as lay_out() wrote them */
    int64_t keys, head;
    const float *query; /* [queries, head], query_step floats from row to row */
    int64_t query_step, queries;
    float scale;
    const float *bias; /* [queries, keys], bias_step floats from row to row; NULL: none */
    int64_t bias_step;
    bool causal; /* query i meets keys 0 to i only */
    float *out;  /* [queries, head], out_step floats from row to row */
    int64_t out_step;
    float *scratch; /* [torch_scratch(keys, head)] */
    bool onward;    /* the memory behind this one, of its size, is fetched for a later call */
} torch_attention;

/* The same for a single query whose keys lie apart, each followed by its value: key j at tokens[j]
 * + place, its value at tokens[j] + place + value_place. Both are padded with zeros to
 * torch_padded(head) components. */
typedef struct torch_chain {
    const float *const *tokens; /* [keys] */
    int64_t keys, head, place, value_place;
    const float *query; /* [head] */
    float scale;
    const float *bias;         /* [keys]; NULL: none */
    float *out;                /* [head] */
    float *scratch;            /* [torch_scratch(keys, head)] */
    const float *const *later; /* [keys] tokens of a later call, which are fetched; NULL: none */
} torch_chain;

/* RMSNorm: x / sqrt(mean of x^2 + epsilon) (weight + raise); LayerNorm, where it is centered: the
 * same of x - mean of x, plus the bias. */
typedef struct torch_norm {
    const float *weight; /* [size] */
    float raise, epsilon;
    bool centered;
    const float *bias; /* [size]; NULL: none */
} torch_norm;

/* What a token's query and key are before attention: each of their heads normed and turned by
 * rotary positions, x cosine + (-second half of x, first half) sine; a key or value that several
 * queries share once for each of them. */
typedef struct torch_turn {
    const float *projected; /* [heads + 2 kv_heads, head]: query, key, value */
    int64_t heads, kv_heads, head;
    torch_norm query_norm, key_norm; /* weight NULL: no norm */
    const float *cosine, *sine;      /* [head]; NULL: no turn */
    float *out;                      /* [3, heads, head] */
} torch_turn;

typedef struct torch_kernels {
    /* Writes keys transposed, [head, torch_padded(keys)], then values, [keys, torch_padded(head)],
     * both padded with zeros, to out. Row j of key and value begins j * step floats on. */
    void (*lay_out)(const float *key, const float *value, int64_t step, int64_t keys, int64_t head,
                    float *out);
    void (*attend)(const torch_attention *what);
    void (*attend_chain)(const torch_chain *what);
    /* ids [most]: the places of the `most` greatest values, the greatest first, of equals the first
     * one first. Returns how many there are: values that are NaN or minus infinity do not count. */
    int64_t (*find_best)(const float *values, int64_t count, int64_t most, int64_t *ids);
    /* The natural logarithm of the sum of exp(values[i] - greatest). */
    double (*log_sum)(const float *values, int64_t count, float greatest);
    /* out [count, size] of x [count, size], which may be the same. */
    void (*norm)(const torch_norm *by, const float *x, int64_t count, int64_t size, float *out);
    void (*turn)(const torch_turn *what);
} torch_kernels;

const torch_kernels *torch_kernels_here(void);

#ifdef __cplusplus
}
#endif

#endif
