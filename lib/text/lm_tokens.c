/* SPDX-License-Identifier: Apache-2.0 */
/* Log-probabilities of the tokens of many texts.
 *
 * A model of millions of n-grams lies in tables that no cache holds. Reading a word (lm_score.c)
 * looks it up in the vocabulary and then in one table an order, each look-up where the one before
 * left off, so a thread that reads one text waits for memory most of the time. This file reads
 * TOGETHER texts side by side, a word of each in turn, in three steps:
 *
 *     number   the word is looked up; the slots of its n-grams with all contexts are prefetched
 *     ngrams   the n-grams that the slots name are prefetched
 *     read     alcore__lm_read() finds all of it in the cache; the text's next word is found
 *
 * Prefetching changes no value, and each text is read in its own order by the same function, so the
 * logarithms are those of one text at a time. A context is the longest run of words before a word
 * that is an n-gram of the model: its length in words, and its number in that order's table. */
#include <math.h>

#include "base/rng.h"
#include "text/lm_internal.h"
#include "text/words.h"

#define LN_10 2.302585092994045684

enum {
    TOGETHER = 16, /* texts read side by side */
    PROBES = 3     /* slots whose n-grams are prefetched: more are seldom looked at */
};

/* A text that is being read. */
typedef struct reading {
    const char *rest, *end;     /* the text after `word` */
    const char *word;           /* the word to be read next */
    size_t bytes;               /* of the word; 0: the end of the text is read next */
    uint64_t hash;              /* alcore__hash64() of the word */
    uint32_t number;            /* of the word in the model; set in the step "number" */
    alcore__lm_context context; /* of the word */
    float *value;               /* where the next logarithm is written */
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

/* Finds the text's next word and prefetches its slot in the vocabulary; bytes becomes 0 at the
 * end. */
static void next_word(const alcore_lm *lm, reading *text) {
    if (!alcore__word_next(&text->rest, text->end, &text->word, &text->bytes)) return;
    text->hash = alcore__hash64(text->word, text->bytes);
    alcore__vocabulary_fetch(&lm->trie->words, text->hash);
}

/* Drops the first word of a context: find_number() and fetch_ngrams() walk over all contexts of a
 * word, the longest first. With a context of n - 1 words the word is an n-gram of table[n]. */
static inline void shorten(const alcore__lm_trie *trie, alcore__lm_context *context) {
    if (context->length > 1)
        context->number = trie->table[context->length].ngram[context->number].suffix;
    context->length--;
}

/* Step "number": looks the word up and prefetches, for each context, the slot of its n-gram and the
 * back-off weight. */
static void find_number(const alcore_lm *lm, reading *text) {
    const alcore__lm_trie *trie = lm->trie;
    text->number = text->bytes == 0
                       ? alcore__lm_end_number(lm)
                       : alcore__lm_word_number(lm, text->hash, text->word, text->bytes);
    __builtin_prefetch(&lm->logp[1][text->number]);
    for (alcore__lm_context tried = text->context; tried.length > 0; shorten(trie, &tried)) {
        const alcore__ngram_table *table = &trie->table[tried.length + 1];
        if (table->slots > 0)
            __builtin_prefetch(&table->slot[alcore__ngram_home(
                table, alcore__ngram_hash(tried.number, text->number))]);
        __builtin_prefetch(&lm->backoff[tried.length][tried.number]);
    }
}

/* Step "ngrams": prefetches the n-grams that the first PROBES slots of each search name, and the
 * log-probability of the first. */
static void fetch_ngrams(const alcore_lm *lm, const reading *text) {
    const alcore__lm_trie *trie = lm->trie;
    for (alcore__lm_context tried = text->context; tried.length > 0; shorten(trie, &tried)) {
        const alcore__ngram_table *table = &trie->table[tried.length + 1];
        if (table->slots == 0) continue;
        size_t slot = alcore__ngram_home(table, alcore__ngram_hash(tried.number, text->number));
        for (int i = 0; i < PROBES && table->slot[slot] != 0; i++) {
            __builtin_prefetch(&table->ngram[table->slot[slot] - 1]);
            if (i == 0) __builtin_prefetch(&lm->logp[tried.length + 1][table->slot[slot] - 1]);
            slot = (slot + 1) & (table->slots - 1);
        }
    }
}

/* Step "read": writes the word's logarithm and finds the next word; false when that was the end of
 * the text. */
static bool read_word(const alcore_lm *lm, reading *text) {
    *text->value++ = natural(alcore__lm_read(lm, &text->context, text->number));
    if (text->bytes == 0) return false;
    if (text->context.length > 1)
        __builtin_prefetch(&lm->trie->table[text->context.length].ngram[text->context.number]);
    next_word(lm, text);
    return true;
}

/* Begins a text before its first word; text->values is where its logarithms go. */
static void begin_text(const alcore_lm *lm, const alcore__lm_text *text, reading *out) {
    *out = (reading){.rest = text->text,
                     .end = text->text + text->length,
                     .context = alcore__lm_begin(lm),
                     .value = text->values};
    next_word(lm, out);
}

/* Scores texts [count], at most TOGETHER at a time: open [open_count] are those being read; when
 * one ends, the last of them takes its index and the next text begins. */
void alcore__lm_tokens(const alcore_lm *lm, const alcore__lm_text *texts, int64_t count) {
    reading open[TOGETHER];
    int64_t begun = 0;
    int open_count = 0;
    for (;;) {
        while (open_count < TOGETHER && begun < count)
            begin_text(lm, &texts[begun++], &open[open_count++]);
        if (open_count == 0) return;
        for (int i = 0; i < open_count; i++) find_number(lm, &open[i]);
        for (int i = 0; i < open_count; i++) fetch_ngrams(lm, &open[i]);
        for (int i = 0; i < open_count;) {
            if (read_word(lm, &open[i]))
                i++;
            else
                open[i] = open[--open_count]; /* it is read in this turn too */
        }
    }
}
