/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces of words that were cut before: a text has the same words again and again, and looking
 * a word up costs a tenth of cutting it by merges or by Viterbi. The result is the same with it. */
#ifndef ALCORE__TOKEN_CACHE_H
#define ALCORE__TOKEN_CACHE_H

#include "tokenizer/token_model.h"

/* Makes sure that pieces has a cache and that it belongs to the model with this number, which no
 * other model of the process ever has; a cache of another one is emptied. */
alcore_status alcore__token_cache_ready(alcore_ctx *ctx, alcore__pieces *pieces, uint64_t model);
void alcore__token_cache_free(alcore_ctx *ctx, struct alcore__token_cache *cache); /* NULL-safe */
/* Adds the pieces of a word, if they are there. *hash: for alcore__token_cache_put(). */
alcore_status alcore__token_cache_get(alcore_ctx *ctx, alcore__pieces *pieces, const char *word,
                                      size_t length, uint64_t *hash, bool *found);
/* Keeps pieces [first, count) of a word that was not found, unless word or pieces are too many. */
alcore_status alcore__token_cache_put(alcore_ctx *ctx, alcore__pieces *pieces, const char *word,
                                      size_t length, uint64_t hash, size_t first);

#endif
