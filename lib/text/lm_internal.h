/* SPDX-License-Identifier: Apache-2.0 */
/* The language model behind alcore/extra/lm.h (docs/spec/language-model.md): the n-grams of all
 * orders, which several models may share, and the probabilities of one model over them. lm.c has
 * the handle, lm_trainer.c counts, lm_estimate.c estimates, lm_entries.c lays the finished model
 * out for look-ups, lm_tokens.c scores texts for lm_score.c; arpa_reader.c and
 * arpa_writer.c read and write files. */
#ifndef ALCORE__LM_INTERNAL_H
#define ALCORE__LM_INTERNAL_H

#include "base/base.h"
#include "text/ngram_table.h"
#include "text/spelling.h"
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
 * are in it too. Models hold references; it does not change once a model is made. The tables of a
 * trie that one model has for itself lose their array `ngram` when the model is finished, whose
 * entries say the same. */
typedef struct alcore__lm_trie {
    alcore__object object;
    int32_t order;                                    /* N, 1 to ALCORE__LM_ORDERS */
    alcore__vocabulary words;                         /* order 1: number of each word */
    alcore__ngram_table table[ALCORE__LM_ORDERS + 1]; /* [n] the n-grams of order n, 2 .. order */
} alcore__lm_trie;

/* A word of a finished model: half a cache line with all that looking it up reads. */
typedef struct alcore__lm_word {
    double logp;    /* log10 p(word); ALCORE__LM_ABSENT */
    double backoff; /* log10 gamma(word); 0 if N is 1 */
    alcore__spelling spelling;
} alcore__lm_word;

/* An n-gram of order 2 or more of a finished model: its words and its numbers side by side, so that
 * a look-up reads one place. In orders below N the double log10 gamma(n-gram) follows it. */
typedef struct alcore__lm_entry {
    double logp;        /* log10 p(last word | words before); ALCORE__LM_ABSENT */
    uint32_t context;   /* as in alcore__ngram */
    uint32_t word;      /* ... */
    uint32_t suffix;    /* ... */
    uint32_t following; /* bits of the words that follow the n-gram in the model, so that most
                           searches for another word end here: alcore__lm_following(). In order N
                           0 */
} alcore__lm_entry;

/* The bit of a word in alcore__lm_entry.following: few words follow most n-grams. */
static inline uint32_t alcore__lm_following(uint32_t word) {
    return UINT32_C(1) << (word * UINT32_C(2654435769) >> 27);
}

/* A language model; it never changes once it is made. */
typedef struct alcore_lm alcore_lm;

/* One model. Arrays [ALCORE__LM_ORDERS + 1] are indexed by order n, 1 .. order; [0] is not used.
 *
 *   being made   logp and backoff are filled, by number of the n-gram; word and entry are NULL
 *   finished     word and entry are filled, by the same numbers; logp and backoff are NULL */
struct alcore_lm {
    alcore__object object;
    alcore__lm_trie *trie;               /* a reference */
    int32_t order;                       /* N */
    double *logp[ALCORE__LM_ORDERS + 1]; /* [n][n-grams] log10 p(last word | words before);
                                            ALCORE__LM_ABSENT */
    /* [n][n-grams] log10 gamma(n-gram), n < N; NULL for N */
    double *backoff[ALCORE__LM_ORDERS + 1];
    alcore__lm_word *word;                  /* [words] */
    alcore__ngram_table spelled;            /* slots of the words that have a spelling, by
                                    alcore__spelling_tag(), and no n-grams */
    char *entry[ALCORE__LM_ORDERS + 1];     /* [n][n-grams] alcore__lm_entry, each with its back-off
                                            where n < N: read by alcore__lm_entry_of() */
    void *block[ALCORE__LM_ORDERS + 1];     /* [n] of word (n = 1) and entry, for alcore__free() */
    uint32_t listed[ALCORE__LM_ORDERS + 1]; /* numbers from here on are n-grams that the file read
                                               does not list but that others begin or end with:
                                               they are not written */
    int64_t ngrams[ALCORE__LM_ORDERS + 1];  /* n-grams of the model */
    int64_t exactly[ALCORE__LM_ORDERS + 1]
                   [4]; /* [n][k - 1] is t_k: n-grams with adjusted count k */
    double discount[ALCORE__LM_ORDERS + 1][3]; /* [n] D(1), D(2), D(3+) */
    bool fallback[ALCORE__LM_ORDERS + 1];      /* too few counts: the discounts are 0.5, 1, 1.5 */
    bool trained;                 /* false: read from a file, exactly and discount are 0 */
    int64_t dropped;              /* words <s>, </s> and <unk> left out of the training texts */
    _Atomic uint64_t fingerprint; /* alcore_lm_fingerprint(); 0: not computed yet */
};

/* A trie with the words <unk>, <s> and </s> and no n-grams, and a model over a trie (of which it
 * takes a reference of its own) whose arrays are NULL: the caller allocates and fills them. */
alcore_status alcore__lm_trie_new(alcore_ctx *ctx, int32_t order, alcore__lm_trie **out);
alcore_status alcore__lm_new(alcore__lm_trie *trie, alcore_lm **out);
/* Number of n-grams of an order in the trie, the unlisted ones included. */
static inline uint32_t alcore__lm_size(const alcore_lm *lm, int32_t order) {
    return order == 1 ? lm->trie->words.count : lm->trie->table[order].count;
}
/* Makes a model that is being made a finished one (lm_entries.c). sole: no other model is made over
 * the trie, so that its arrays `ngram` are freed. On the thread that entered the call. After a
 * failure the model can only be released. */
alcore_status alcore__lm_finish(alcore_lm *lm, bool sole);

/* Bytes from one entry of an order, from 2 on, to the next. */
static inline size_t alcore__lm_entry_bytes(const alcore_lm *lm, int32_t order) {
    return sizeof(alcore__lm_entry) + (order < lm->order ? sizeof(double) : 0);
}

/* What a finished model knows of an n-gram: its entry (order 2 or more), log10 p(last word | words
 * before) and log10 gamma(n-gram) (order below N). */
static inline const alcore__lm_entry *alcore__lm_entry_of(const alcore_lm *lm, int32_t order,
                                                          uint32_t number) {
    return (const void *)(lm->entry[order] + number * alcore__lm_entry_bytes(lm, order));
}
static inline double alcore__lm_logp(const alcore_lm *lm, int32_t order, uint32_t number) {
    return order == 1 ? lm->word[number].logp : alcore__lm_entry_of(lm, order, number)->logp;
}
static inline double alcore__lm_backoff(const alcore_lm *lm, int32_t order, uint32_t number) {
    if (order == 1) return lm->word[number].backoff;
    return *(const double *)(const void *)(alcore__lm_entry_of(lm, order, number) + 1);
}

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
    size_t length; /* bytes */
    float *values; /* [alcore__lm_token_count()], or NULL */
    double *total; /* log10 probability of the words and </s>, in order from 0.0; read where values
                      is NULL */
} alcore__lm_text;
/* Words + 1. */
int64_t alcore__lm_token_count(const char *text, size_t length);
/* Scores texts [count]; many at once are faster than one by one (lm_tokens.c). */
void alcore__lm_tokens(const alcore_lm *lm, const alcore__lm_text *texts, int64_t count);

#endif
