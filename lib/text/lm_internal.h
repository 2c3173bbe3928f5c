/* SPDX-License-Identifier: Apache-2.0 */
/* The language model behind alcore/lm.h (spec 6.5): the n-grams of all orders, which several models
 * may share, and one model's numbers over them. */
#ifndef ALCORE__LM_INTERNAL_H
#define ALCORE__LM_INTERNAL_H

#include "alcore/lm.h"
#include "base/base.h"
#include "text/ngram_table.h"
#include "text/vocabulary.h"

#define ALCORE__LM_ORDERS 6
#define ALCORE__LM_DEFAULT_ORDER 4

/* The first three words of every vocabulary. */
enum { ALCORE__LM_UNK = 0, ALCORE__LM_BEGIN = 1, ALCORE__LM_END = 2 };

/* In place of a log10 probability: the n-gram is not in this model. */
#define ALCORE__LM_ABSENT 1.0

typedef struct alcore__lm_trie {
    alcore__object object;
    int32_t order;
    alcore__vocabulary words;                         /* order 1 */
    alcore__ngram_table table[ALCORE__LM_ORDERS + 1]; /* [2 .. order] */
} alcore__lm_trie;

struct alcore_lm {
    alcore__object object;
    alcore__lm_trie *trie; /* a reference; all contexts and suffixes of an n-gram are in it too */
    int32_t order;
    /* By order, then by number of the n-gram. Numbers from listed[n] on are n-grams that the read
     * file does not list but that others begin or end with: they are no part of what is written. */
    double *logp[ALCORE__LM_ORDERS + 1];    /* log10 */
    double *backoff[ALCORE__LM_ORDERS + 1]; /* log10; none for the highest order */
    uint32_t listed[ALCORE__LM_ORDERS + 1];
    int64_t ngrams[ALCORE__LM_ORDERS + 1];
    int64_t exactly[ALCORE__LM_ORDERS + 1][4];
    double discount[ALCORE__LM_ORDERS + 1][3];
    bool fallback[ALCORE__LM_ORDERS + 1];
    bool trained;
    int64_t dropped;
    _Atomic uint64_t fingerprint; /* 0: not computed yet */
};

/* The texts of a public call: pointers, and lengths unless the texts are NUL-terminated. */
typedef struct alcore__texts {
    const char *const *texts; /* [count] */
    const size_t *lengths;    /* [count] bytes; NULL: NUL-terminated */
    int64_t count;
} alcore__texts;
/* ALCORE_E_INVALID for a negative count or a NULL, naming the text; a NULL text of length 0 is
 * an empty text. */
alcore_status alcore__texts_check(const alcore__texts *texts);
const char *alcore__texts_get(const alcore__texts *texts, int64_t index, size_t *length);

/* An empty trie with the three symbols, and a model over it without numbers. */
alcore_status alcore__lm_trie_new(alcore_ctx *ctx, int32_t order, alcore__lm_trie **out);
alcore_status alcore__lm_new(alcore__lm_trie *trie, alcore_lm **out);
/* Number of n-grams of an order in the trie, the unlisted ones included. */
uint32_t alcore__lm_size(const alcore_lm *lm, int32_t order);
/* What the model remembers of the words before: the longest end of them that it knows, at most
 * order - 1 words. */
typedef struct alcore__lm_context {
    int32_t length;
    uint32_t number; /* n-gram of that length */
} alcore__lm_context;
/* The context behind <s>; reading a word gives its log10 probability and the context for the next
 * one. */
alcore__lm_context alcore__lm_begin(const alcore_lm *lm);
double alcore__lm_read(const alcore_lm *lm, alcore__lm_context *state, uint32_t word);
/* What the public calls compute, for callers that run inside a call already; any thread. */
double alcore__lm_total(const alcore_lm *lm, const char *text, size_t length);
/* Words + 1; values are written only when capacity is enough. */
int64_t alcore__lm_tokens(const alcore_lm *lm, const char *text, size_t length, float *values,
                          int64_t capacity);

#endif
