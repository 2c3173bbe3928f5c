/* SPDX-License-Identifier: Apache-2.0 */
/* A model of the caller's functions: its state, and how rows reach the functions. Shared by
 * model_host.c (the handle), host_columns.c (what columns are), host_batches.c (batches) and
 * host_calls.c (columns and references), and by the call that lets such a model translate. */
#ifndef ALCORE__MODEL_HOST_H
#define ALCORE__MODEL_HOST_H

#include "model/model_pass.h"

/* The data of the handle, owned by it. */
typedef struct alcore__host_model {
    alcore_model_host host; /* its name and reads are the caller's strings: not used */
    char **reads;           /* a list that ends with NULL, owned; NULL: the caller said nothing */
    /* The function of the caller that translates, as the pointer of any function, and the one that
     * calls it for alcore__model_table.translate; NULL: none. */
    void (*translate_function)(void);
    alcore_status (*translate)(alcore_model *model, alcore_pool *pool,
                               const alcore__translating *how, alcore_pool *out);
} alcore__host_model;

/* The state of a host's model. */
static inline alcore__host_model *alcore__host_data(const alcore_model *model) {
    return model->data;
}
/* The same; NULL: the model is of another kind. */
alcore__host_model *alcore__host_of(const alcore_model *model);

/* ---- columns (host_columns.c) ---- */

/* What a column is: as usual, or as the functions say. */
alcore_model_column alcore__host_describe_column(const alcore_model *model, const char *column);
/* ALCORE_E_INVALID where `describe` of the host says of a column what no column of that name can
 * be: a per_word other than 0 or, of "logprobs", 1. */
alcore_status alcore__host_check_column(const alcore_model *model, const char *column);

/* ---- batches (host_batches.c) ---- */

/* Rows that are collected until the batch is full. It owns the arrays, which point into the
 * pool. */
typedef struct alcore__host_batch {
    const alcore_pool *pool;   /* whose read lock the caller holds */
    alcore__model_batch rows;  /* rows, texts, lengths and languages */
    const char **references;   /* [capacity]; NULL: not wanted */
    size_t *reference_lengths; /* [capacity] bytes */
    const char **contexts;     /* [capacity]; NULL: not wanted, or the pool has none */
    size_t *context_lengths;   /* [capacity] bytes */
    int64_t bytes;             /* at most; 0: no limit */
    size_t longest;            /* bytes of its longest text */
} alcore__host_batch;

/* Allocates the arrays; references: they are wanted, though the functions did not say so. The
 * caller clears the batch, also after a failure. */
alcore_status alcore__host_batch_init(const alcore_model *model, const alcore_pool *pool,
                                      bool references, alcore__host_batch *batch);
void alcore__host_batch_clear(alcore_ctx *ctx, alcore__host_batch *batch);
/* Adds a row; false, and nothing is added: the batch is full. */
bool alcore__host_batch_add(alcore__host_batch *batch, int64_t row);
/* The batch as the caller's functions get it: views. */
alcore_batch alcore__host_batch_view(const alcore__host_batch *batch);
/* Empties the batch. */
void alcore__host_batch_empty(alcore__host_batch *batch);

/* ---- calls (host_calls.c) ---- */

/* alcore__model_table.fill and .score of a host's model. */
alcore_status alcore__host_fill(alcore_model *model, alcore__pass *pass);
alcore_status alcore__host_score(alcore_model *model, alcore_pool *pool);

#endif
