/* SPDX-License-Identifier: Apache-2.0 */
/* The language model behind alcore/lm.h (docs/spec/language-model.md): the n-grams of all orders,
 * which several models may share, and the probabilities of one model over them. lm.c has the
 * handle, lm_trainer.c counts, lm_estimate.c estimates, lm_tokens.c scores texts for lm_score.c;
 * formats/arpa_reader.c and arpa_writer.c read and write files. */
#ifndef ALCORE__LM_INTERNAL_H
#define ALCORE__LM_INTERNAL_H

#include "alcore/lm.h"
#include "base/base.h"
#include "text/ngram_table.h"
#include "text/vocabulary.h"

/* The highest order N of a model. */
#define ALCORE__LM_ORDERS 6
#define ALCORE__LM_DEFAULT_ORDER 4

/* The numbers of <unk>, <s> and </s>, the first three words of every vocabulary. */
enum { ALCORE__LM_UNK = 0, ALCORE__LM_BEGIN = 1, ALCORE__LM_END = 2 };

/* In place of a log10 probability, which is never above 0: the n-gram is in the trie but not in
 * this model (a model of cross-fitting lacks the n-grams of its own fold alone). */
#define ALCORE__LM_ABSENT 1.0

/* The n-grams of all orders with their numbers. For every n-gram its first and its last n - 1 words
 * are in it too. Models hold references; it does not change once a model is made. */
typedef struct alcore__lm_trie {
    alcore__object object;
    int32_t order;                                    /* N, 1 to ALCORE__LM_ORDERS */
    alcore__vocabulary words;                         /* order 1: number of each word */
    alcore__ngram_table table[ALCORE__LM_ORDERS + 1]; /* [n] the n-grams of order n, 2 .. order */
} alcore__lm_trie;

/* One model. Arrays [ALCORE__LM_ORDERS + 1] are indexed by order n, 1 .. order; [0] is not used. */
struct alcore_lm {
    alcore__object object;
    alcore__lm_trie *trie;               /* a reference */
    int32_t order;                       /* N */
    double *logp[ALCORE__LM_ORDERS + 1]; /* [n][n-grams] log10 p(last word | words before), by
                                            number of the n-gram; ALCORE__LM_ABSENT */
    double
        *backoff[ALCORE__LM_ORDERS + 1]; /* [n][n-grams] log10 gamma(n-gram), n < N; NULL for N */
    uint32_t listed[ALCORE__LM_ORDERS + 1]; /* numbers from here on are n-grams that the file read
                                               does not list but that others begin or end with:
                                               they are not written */
    int64_t ngrams[ALCORE__LM_ORDERS + 1];  /* n-grams of the model */
    int64_t exactly[ALCORE__LM_ORDERS + 1]
                   [4]; /* [n][k - 1] is t_k: n-grams with adjusted count k */
    double discount[ALCORE__LM_ORDERS + 1][3]; /* [n] D(1), D(2), D(3+) */
    bool fallback[ALCORE__LM_ORDERS + 1]; /* the discounts are 0.5, 1, 1.5 for want of counts */
    bool trained;                         /* false: read from a file, exactly and discount are 0 */
    int64_t dropped;              /* words <s>, </s> and <unk> left out of the training texts */
    _Atomic uint64_t fingerprint; /* alcore_lm_fingerprint(); 0: not computed yet */
};

/* A trie with the words <unk>, <s> and </s> and no n-grams, and a model over a trie (of which it
 * takes a reference of its own) whose arrays are NULL: the caller allocates and fills them. */
alcore_status alcore__lm_trie_new(alcore_ctx *ctx, int32_t order, alcore__lm_trie **out);
alcore_status alcore__lm_new(alcore__lm_trie *trie, alcore_lm **out);
/* Number of n-grams of an order in the trie, the unlisted ones included. */
uint32_t alcore__lm_size(const alcore_lm *lm, int32_t order);
/* The context of the next word: the longest run of the words before it that is an n-gram of the
 * model, at most N - 1 words. */
typedef struct alcore__lm_context {
    int32_t length;  /* words; 0: no context */
    uint32_t number; /* the n-gram of that length in the trie */
} alcore__lm_context;
/* The context at the beginning of a sentence, <s>. */
alcore__lm_context alcore__lm_begin(const alcore_lm *lm);
/* Returns log10 p(word | *context) and makes *context the context of the word after it. */
double alcore__lm_read(const alcore_lm *lm, alcore__lm_context *context, uint32_t word);
/* The number by which a word of a text is scored; hash is alcore__hash64() of it. <unk> for a word
 * that the model does not have, and for a word that reads <s>, </s> or <unk>. */
uint32_t alcore__lm_word_number(const alcore_lm *lm, uint64_t hash, const char *word,
                                size_t length);
/* The number by which the end of a text is scored: </s>, or <unk> where a model read from a file
 * lacks it. */
uint32_t alcore__lm_end_number(const alcore_lm *lm);

/* What the public calls compute, for callers inside a public call; any thread. */

/* A text that is scored, and where the result is written: either the natural logarithms of the
 * probabilities of its words and of </s>, or the sum of their base-10 logarithms. */
typedef struct alcore__lm_text {
    const char *text;
    size_t length;
    float *values; /* [alcore__lm_token_count()], or NULL */
    double *total; /* log10 probability of the words and </s>, in order from 0.0; read where values
                      is NULL */
} alcore__lm_text;
/* Words + 1. */
int64_t alcore__lm_token_count(const char *text, size_t length);
/* Scores texts [count]; many at once are faster than one by one (lm_tokens.c). */
void alcore__lm_tokens(const alcore_lm *lm, const alcore__lm_text *texts, int64_t count);

#endif
