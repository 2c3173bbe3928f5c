/* SPDX-License-Identifier: Apache-2.0 */
/* Log-probabilities of the tokens of many texts.
 *
 * A model of millions of n-grams lies in tables that no cache holds. Reading a word (lm_score.c)
 * looks it up in the vocabulary and then in one table an order, each look-up where the one before
 * left off, so a thread that reads one text waits for memory most of the time. This file reads
 * TOGETHER texts side by side, a word of each in turn, in three steps:
 *
 *     number   the word is looked up; the slots of its n-grams with all contexts are asked for
 *     ngrams   the n-grams that the slots name are asked for
 *     read     alcore__lm_read() finds all of it in the cache; the text's next word is found
 *
 * Asking (prefetching) changes no value, and each text is read in its own order by the same
 * function: the numbers are those of one text at a time. */
#include <math.h>

#include "base/rng.h"
#include "text/lm_internal.h"
#include "text/words.h"

#define LN_10 2.302585092994045684

enum {
    TOGETHER = 16,
    PROBES = 3 /* slots whose n-grams are asked for: more are seldom looked at */
};

/* A text that is being read. */
typedef struct reading {
    const char *rest, *end; /* the text behind `word` */
    const char *word;       /* the word to be read next, [bytes]; */
    size_t bytes;           /* 0: the end of the text is read next */
    uint64_t hash;          /* of the word */
    uint32_t number;        /* of the word in the model, from the step "number" on */
    alcore__lm_context context;
    float *value; /* where the next logarithm goes */
} reading;

int64_t alcore__lm_token_count(const char *text, size_t length) {
    const char *rest = text, *end = text + length, *word;
    size_t bytes;
    int64_t count = 1;
    while (alcore__word_next(&rest, end, &word, &bytes)) count++;
    return count;
}

/* The natural logarithm, at most 0: the back-off weights of a model read from a file can lift a
 * probability above 1. */
static float natural(double log10_p) {
    return (float)fmin(log10_p * LN_10, 0.0);
}

/* Finds the text's next word and asks for its slot in the vocabulary. */
static void next_word(const alcore_lm *lm, reading *text) {
    if (!alcore__word_next(&text->rest, text->end, &text->word, &text->bytes)) return;
    text->hash = alcore__hash64(text->word, text->bytes);
    alcore__vocabulary_fetch(&lm->trie->words, text->hash);
}

/* Goes through the contexts of a word, the longest first: context.number is that of n - 1 words and
 * the word with it an n-gram of table[n]. */
static inline void shorten(const alcore__lm_trie *trie, alcore__lm_context *context) {
    if (context->length > 1)
        context->number = trie->table[context->length].ngram[context->number].suffix;
    context->length--;
}

/* Step "number". */
static void find_number(const alcore_lm *lm, reading *text) {
    const alcore__lm_trie *trie = lm->trie;
    text->number = text->bytes == 0
                       ? alcore__lm_end_number(lm)
                       : alcore__lm_word_number(lm, text->hash, text->word, text->bytes);
    __builtin_prefetch(&lm->logp[1][text->number]);
    for (alcore__lm_context at = text->context; at.length > 0; shorten(trie, &at)) {
        const alcore__ngram_table *table = &trie->table[at.length + 1];
        if (table->slots > 0)
            __builtin_prefetch(&table->slot[alcore__ngram_home(
                table, alcore__ngram_hash(at.number, text->number))]);
        __builtin_prefetch(&lm->backoff[at.length][at.number]);
    }
}

/* Step "ngrams". */
static void fetch_ngrams(const alcore_lm *lm, const reading *text) {
    const alcore__lm_trie *trie = lm->trie;
    for (alcore__lm_context at = text->context; at.length > 0; shorten(trie, &at)) {
        const alcore__ngram_table *table = &trie->table[at.length + 1];
        if (table->slots == 0) continue;
        size_t slot = alcore__ngram_home(table, alcore__ngram_hash(at.number, text->number));
        for (int i = 0; i < PROBES && table->slot[slot] != 0; i++) {
            __builtin_prefetch(&table->ngram[table->slot[slot] - 1]);
            if (i == 0) __builtin_prefetch(&lm->logp[at.length + 1][table->slot[slot] - 1]);
            slot = (slot + 1) & (table->slots - 1);
        }
    }
}

/* Step "read"; false: that was the end of the text. */
static bool read_word(const alcore_lm *lm, reading *text) {
    *text->value++ = natural(alcore__lm_read(lm, &text->context, text->number));
    if (text->bytes == 0) return false;
    if (text->context.length > 1)
        __builtin_prefetch(&lm->trie->table[text->context.length].ngram[text->context.number]);
    next_word(lm, text);
    return true;
}

static void begin_text(const alcore_lm *lm, const alcore__lm_text *text, reading *out) {
    *out = (reading){.rest = text->text,
                     .end = text->text + text->length,
                     .context = alcore__lm_begin(lm),
                     .value = text->values};
    next_word(lm, out);
}

void alcore__lm_tokens(const alcore_lm *lm, const alcore__lm_text *texts, int64_t count) {
    reading open[TOGETHER];
    int64_t begun = 0;
    int reading_now = 0;
    for (;;) {
        while (reading_now < TOGETHER && begun < count)
            begin_text(lm, &texts[begun++], &open[reading_now++]);
        if (reading_now == 0) return;
        for (int i = 0; i < reading_now; i++) find_number(lm, &open[i]);
        for (int i = 0; i < reading_now; i++) fetch_ngrams(lm, &open[i]);
        for (int i = 0; i < reading_now;) {
            if (read_word(lm, &open[i]))
                i++;
            else
                open[i] = open[--reading_now]; /* it is read in this turn too */
        }
    }
}
