/* SPDX-License-Identifier: Apache-2.0 */
/* Training of the language model, a text at a time (docs/spec/language-model.md), with counts by
 * fold for cross-fitting: the n-grams are counted once, and the model that leaves one fold out is
 * estimated from the counts of the other folds. It is, bit for bit, the model that a training on
 * the other folds alone would give, because all sums are sums of integers.
 *
 *   alcore__lm_trainer_new(ctx, 4, ALCORE__LM_FOLDS, rows, &trainer);
 *   for every row: alcore__lm_trainer_add(trainer, text, length);
 *   for every fold: alcore__lm_trainer_model(trainer, fold, &lm);
 *                   score the rows of which alcore__lm_fold(text, length) is fold;
 *                   alcore_lm_unref(lm);
 *   alcore__lm_trainer_free(trainer);
 *
 * A trainer is used by the thread that entered the call, and by no other. */
#ifndef ALCORE__LM_TRAINER_H
#define ALCORE__LM_TRAINER_H

#include "text/lm_internal.h"

#define ALCORE__LM_FOLDS 5 /* docs/spec/language-model.md, Cross-fitting */

typedef struct alcore__lm_trainer {
    alcore_ctx *ctx;       /* borrowed */
    alcore__lm_trie *trie; /* a reference; n-grams are added to it until a model is made */
    int32_t order;         /* N */
    int32_t folds;         /* 1, or ALCORE__LM_FOLDS */
    int64_t expected;      /* texts that will be added, for the progress; -1: unknown */
    uint32_t *counts[ALCORE__LM_ORDERS + 1]; /* [order][n-grams, folds] c(g): how often each n-gram
                                                occurs in the texts of each fold */
    size_t counts_capacity[ALCORE__LM_ORDERS + 1]; /* [order] entries counts has memory for */
    int64_t sentences[ALCORE__LM_FOLDS];           /* [folds] texts of each fold */
    int64_t dropped[ALCORE__LM_FOLDS]; /* [folds] words <s>, </s> and <unk> that were left out */
    int64_t texts, tokens;             /* added so far; tokens include <s> and </s> */
    const double *discounts;           /* D(1), D(2), D(3+) of order 1; NULL: estimated. Borrowed */
    int32_t discount_step;             /* numbers from one order's to the next: 3, or 0: the same */
    bool closed; /* a model was made, or a failure left the counts halfway: no more texts */
    /* The block: whole sentences that wait to be counted, <s> and </s> included. */
    uint32_t *block; /* [block_length] word numbers */
    uint32_t *id;    /* [block_length] while order n is counted: number of the n-gram that begins at
                        each word, ALCORE__NGRAM_NONE where it would reach beyond </s> */
    uint8_t *fold;   /* [block_length] fold of each word's text */
    size_t block_length, block_capacity, id_capacity, fold_capacity;
} alcore__lm_trainer;

/* folds: 1, or ALCORE__LM_FOLDS with the fold of each text by alcore__lm_fold(). */
alcore_status alcore__lm_trainer_new(alcore_ctx *ctx, int32_t order, int32_t folds,
                                     int64_t expected, alcore__lm_trainer **out);
/* Adds one sentence; on the thread that entered the call. The text is not kept. */
alcore_status alcore__lm_trainer_add(alcore__lm_trainer *trainer, const char *text, size_t length);
/* *out: the model of all folds but `without` (-1: of all folds). It may outlive the trainer. With
 * one fold it can be made once only, since the estimation frees the counts as it goes. */
alcore_status alcore__lm_trainer_model(alcore__lm_trainer *trainer, int32_t without,
                                       alcore_lm **out);
void alcore__lm_trainer_free(alcore__lm_trainer *trainer); /* NULL-safe */

/* The fold of a text: its hash64 mod 5. */
int32_t alcore__lm_fold(const char *text, size_t length);

/* Frees the counts of an order; called by the estimation when it has read them for the last time.
 */
void alcore__lm_trainer_drop_counts(alcore__lm_trainer *trainer, int32_t order);
/* Fills a model that alcore__lm_new() made over the trainer's trie (lm_estimate.c). */
alcore_status alcore__lm_estimate(alcore__lm_trainer *trainer, int32_t without, alcore_lm *lm);

#endif
