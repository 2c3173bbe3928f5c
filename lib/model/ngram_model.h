/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the built-in n-gram model, shared by model_ngram.c and ngram_embedding.c. */
#ifndef ALCORE__NGRAM_MODEL_H
#define ALCORE__NGRAM_MODEL_H

#include "model/model_internal.h"
#include "text/char_embedding.h"
#include "text/lm_internal.h"

typedef struct alcore__ngram_data {
    alcore_pool *labeled; /* what it trains on, a reference; NULL: the pool itself, cross-fitted */
    alcore_pool *shard, *texts; /* references: run on `shard`, it learns from `texts`, those of all
                                   shards (alcore__ngram_over()); NULL: it was not made so */
    int32_t order;              /* of the language model */
    int32_t dims;               /* of embeddings */
    uint64_t seed;              /* of the hash that places n-grams in embeddings */
    alcore_lm *lm;     /* trained on the labeled pool, a reference; NULL: not trained yet */
    uint64_t lm_texts; /* alcore__ngram_state() of the texts that lm was trained on */
    void *embedder;    /* shared_embedder of ngram_embedding.c, a reference; NULL: not made yet */
    uint64_t embedder_texts; /* alcore__ngram_state() of the texts that the embedder learned from */
} alcore__ngram_data;

/* A hash of the texts and row states of a pool: it changes when a model would learn something else.
 * The caller holds a lock of the pool. */
uint64_t alcore__ngram_state(const alcore_pool *pool);
/* What the model learns from to make columns of a pool. */
const alcore_pool *alcore__ngram_source(const alcore__ngram_data *ngram, const alcore_pool *pool);
/* Makes the column "embeddings" and puts it into the pool. */
alcore_status alcore__ngram_embed(alcore__ngram_data *ngram, alcore_ctx *ctx, alcore_pool *pool);

/* ---- over shards (lib/extra/job) ---- */

/* Whether it is an n-gram model, and *labeled: the pool that it is trained on, borrowed; NULL: it
 * learns from the pool whose columns it makes. */
bool alcore__model_is_ngram(const alcore_model *model, const alcore_pool **labeled);
/* *out: a model with the settings of an n-gram model, which learns from `texts`, those of all
 * shards as their pools would have them together, when it makes columns of the pool `shard`. */
alcore_status alcore__ngram_over(const alcore_model *model, alcore_pool *shard, alcore_pool *texts,
                                 alcore_model **out);

#endif
