/* SPDX-License-Identifier: Apache-2.0 */
/* Training of the language model, a text at a time (spec 6.5), with counts by fold for
 * cross-fitting: the n-grams are counted once, and the model that leaves one fold out is estimated
 * from the counts of the others. Every number of it is the one that a training on the other folds
 * alone would give, because all sums are integers.
 *
 *     alcore__lm_trainer_new(ctx, 4, ALCORE__LM_FOLDS, rows, &trainer);
 *     for every row: alcore__lm_trainer_add(trainer, text, length);
 *     for every fold: alcore__lm_trainer_model(trainer, fold, &lm);
 *                     score the rows of which alcore__lm_fold(text, length) is fold;
 * alcore_lm_unref(lm); alcore__lm_trainer_free(trainer); */
#ifndef ALCORE__LM_TRAINER_H
#define ALCORE__LM_TRAINER_H

#include "text/lm_internal.h"

#define ALCORE__LM_FOLDS 5 /* of spec 6.5, Cross-fitting */

typedef struct alcore__lm_trainer {
    alcore_ctx *ctx; /* borrowed */
    alcore__lm_trie *trie;
    int32_t order, folds;
    int64_t expected;                        /* texts, for the progress; -1: unknown */
    uint32_t *counts[ALCORE__LM_ORDERS + 1]; /* [number * folds + fold], raw */
    size_t counts_capacity[ALCORE__LM_ORDERS + 1];
    int64_t sentences[ALCORE__LM_FOLDS], dropped[ALCORE__LM_FOLDS];
    int64_t texts, tokens;
    bool closed; /* a model was made, or a failure left the counts halfway: no more texts */
    /* Whole sentences that wait to be counted. */
    uint32_t *block; /* [block_length] words */
    uint32_t *id;    /* [block_length] the n-gram that begins at each word */
    uint8_t *fold;   /* [block_length] */
    size_t block_length, block_capacity, id_capacity, fold_capacity;
} alcore__lm_trainer;

/* folds: 1, or ALCORE__LM_FOLDS with the fold of each text by alcore__lm_fold(). */
alcore_status alcore__lm_trainer_new(alcore_ctx *ctx, int32_t order, int32_t folds,
                                     int64_t expected, alcore__lm_trainer **out);
/* Adds one sentence; on the thread that entered the call. The text is not kept. */
alcore_status alcore__lm_trainer_add(alcore__lm_trainer *trainer, const char *text, size_t length);
/* The model of all folds but one (-1: of all). It outlives the trainer. Without folds it is made
 * once: the counts are given back on the way. */
alcore_status alcore__lm_trainer_model(alcore__lm_trainer *trainer, int32_t without,
                                       alcore_lm **out);
void alcore__lm_trainer_free(alcore__lm_trainer *trainer); /* NULL-safe */

/* The fold of a text: its hash64 mod 5. */
int32_t alcore__lm_fold(const char *text, size_t length);

void alcore__lm_trainer_drop_counts(alcore__lm_trainer *trainer, int32_t order);
/* Fills a fresh model (lm_estimate.c). */
alcore_status alcore__lm_estimate(alcore__lm_trainer *trainer, int32_t without, alcore_lm *lm);

#endif
