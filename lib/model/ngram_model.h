/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the built-in n-gram model. */
#ifndef ALCORE__NGRAM_MODEL_H
#define ALCORE__NGRAM_MODEL_H

#include "alcore/lm.h"
#include "model/model_internal.h"
#include "text/char_embedding.h"

typedef struct alcore__ngram_data {
    alcore_pool *labeled; /* NULL: cross-fitted */
    int32_t order, dims;
    uint64_t seed;
    alcore_lm *lm;     /* of the labeled side; NULL: not trained yet */
    uint64_t lm_texts; /* alcore__ngram_state() of what it was trained on */
    void *embedder;    /* alcore__object of ngram_embedding.c; NULL: not made yet */
    uint64_t embedder_texts;
} alcore__ngram_data;

/* Tells whether a pool is still what a model learnt from: its texts and its masks. For calls that
 * hold the pool. */
uint64_t alcore__ngram_state(const alcore_pool *pool);
/* Gives pool the column "embeddings". */
alcore_status alcore__ngram_embed(alcore__ngram_data *ngram, alcore_ctx *ctx, alcore_pool *pool);

#endif
