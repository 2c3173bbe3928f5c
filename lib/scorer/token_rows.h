/* SPDX-License-Identifier: Apache-2.0 */
/* A caller's logits or hidden states as the rows of a kernel, whatever their strides. */
#ifndef ALCORE__TOKEN_ROWS_H
#define ALCORE__TOKEN_ROWS_H

#include "alcore/logits.h"
#include "alcore/sys/kernel.h"
#include "base/base.h"
#include "kernel/kernel_engine.h"

/* Row item_step * item + token_step * token of `rows` is a token's; rows between them, such as the
 * last token of each item of logits[:, :-1], are left out by their label and never read. */
typedef struct alcore__token_rows {
    alcore__engine engine;  /* of the device that the arrays are on, in the caller's stream */
    alcore_sys_rows rows;   /* logits or hidden states, in the caller's memory */
    alcore_sys_rows output; /* [classes, dims] with hidden states; else data NULL */
    float *bias;            /* [classes], owned; NULL: there is none, or it is placed */
    int64_t *labels;        /* [rows.count], owned; -1: left out; NULL: the kernels lay them out */
    uint8_t *taking; /* without labels: [rows.count], owned, 1: takes part; NULL: not known */
    /* Where labels or bias are read on the device of the engine, by its kernel token_stats: */
    bool placed;
    alcore_sys_labels placed_labels; /* those of the caller, or `labels` */
    alcore_sys_rows placed_bias;     /* that of the caller, or `bias`; data NULL: there is none */
    int64_t classes;
    int64_t items, tokens; /* of the arrays; all tokens of [tokens, n] belong to one item */
    int64_t item_step, token_step;
    bool hidden;  /* rows are hidden states */
    bool packed;  /* [tokens, n]; token_step is 1 */
    bool labeled; /* labels are the caller's; else 0 */
} alcore__token_rows;

/* Reads and checks all arrays of a call. ignore: the label of tokens to leave out. items: the
 * number of items that the caller expects; -1: not known, as many as the arrays have. */
alcore_status alcore__token_rows_init(alcore_ctx *ctx, const alcore_logits *logits, int64_t ignore,
                                      int64_t items, alcore__token_rows *out);
/* The item and token, from 0, of row kernel_row of the matrix; for [tokens, n] the item is 0. */
void alcore__token_rows_locate(const alcore__token_rows *tokens, int64_t kernel_row, int64_t *item,
                               int64_t *token);
/* Whether a row of the matrix is a token that takes part; labels or taking are known. */
static inline bool alcore__token_rows_takes_part(const alcore__token_rows *tokens,
                                                 int64_t kernel_row) {
    return tokens->labels ? tokens->labels[kernel_row] >= 0 : tokens->taking[kernel_row] != 0;
}
/* Makes `taking`, zeroed, for token_stats to fill, unless labels are known. */
alcore_status alcore__token_rows_want_taking(alcore_ctx *ctx, alcore__token_rows *tokens);
/* The error for a label on the device that is none of the classes: of token bad_label % tokens of
 * item bad_label / tokens. */
alcore_status alcore__token_rows_fail_label(const alcore__token_rows *tokens, int64_t bad_label);
void alcore__token_rows_clear(alcore_ctx *ctx, alcore__token_rows *tokens);

#endif
