/* SPDX-License-Identifier: Apache-2.0 */
/* The rarest words of a pick, for its reason. */
#ifndef ALCORE__SELECTION_RARE_WORDS_H
#define ALCORE__SELECTION_RARE_WORDS_H

#include "selection/selection_internal.h"
/* alcore__tokens: of text i the tokens offsets[i] to offsets[i + 1] - 1; marks tell special ones,
 *     spans [tokens, 2] the bytes of the text that a token stems from. */
#include "tokenizer/encoding.h"

/* Where the words of the picks of a selection have their log-probabilities. */
typedef struct alcore__rare_words {
    const alcore_pool *pool; /* of the picks, borrowed */
    /* Log-probabilities or losses of the candidates' tokens, borrowed; NULL: the strategy read
     * none, or it is not known which words they are of. */
    const alcore__column *values;
    double sign;             /* times a value it is a log-probability: 1, or -1 for losses */
    alcore__scratch scratch; /* in which the values are read */
    alcore__tokens tokens;   /* of the text at hand, in memory of the tokenizer's context */
} alcore__rare_words;

/* Finds the column; the pool of the candidates is locked for reading until the last call. */
void alcore__rare_words_init(alcore__rare_words *self, const alcore__ranking *ranking);
void alcore__rare_words_clear(alcore_ctx *ctx, alcore__rare_words *self);
/* Appends the rarest words of a pool row to the line, "; rare words: a, b", the rarest first; where
 * there are none, nothing. */
alcore_status alcore__rare_words_put(alcore__rare_words *self, alcore_ctx *ctx, int64_t row,
                                     alcore__buffer *line);

#endif
