/* SPDX-License-Identifier: Apache-2.0 */
/* Log-probabilities of words given the words before them, by backing off
 * (docs/spec/language-model.md): log10 p(w | h) = log10 p of the longest n-gram h' w that the model
 * has, plus the back-off weights (log10) of all contexts longer than h' up to h.
 *
 * The model (lm_internal.h): trie->table[n] has the n-grams of order n by number, each with its
 * context (the number of its first n - 1 words in order n - 1), its last word and its suffix (the
 * number of its last n - 1 words); order 1 is trie->words. logp[n] and backoff[n] are log10 values
 * by the same numbers; a logp above 0 means that the model lacks the n-gram. The context of a word
 * is the longest run of words before it that is an n-gram of the model: its length in words, and
 * its number in that order's table.
 *
 * A model of millions of n-grams lies in tables that no cache holds, and each look-up begins where
 * the one before left off, so a thread that reads one text waits for memory most of the time. This
 * file reads TOGETHER texts side by side, a word of each in turn. Every step of a look-up reads
 * what the step before it prefetched, and all texts make one step before any makes the next:
 *
 *     number   the word is looked up; the search with its longest context begins
 *     slot     a slot near by has the tag of the n-gram that is searched, and its n-gram is
 *              prefetched; or none has
 *     ngram    the n-gram is compared; where there is none, the search with the context without its
 *              first word begins
 *
 * The last two steps are repeated for the texts whose word is not found yet. Shorter contexts are
 * not looked at before the longer ones have failed, which saves most of the reads of memory.
 * Prefetching changes no value, and each text is read in its own order, so the logarithms are those
 * of one text at a time. */
#include <math.h>

#include "base/rng.h"
#include "text/lm_internal.h"
#include "text/words.h"

#define LN_10 2.302585092994045684

enum { TOGETHER = 32 }; /* texts read side by side: fewer leave memory idle in the last steps */

/* ---- one word ---- */

/* The search for the longest n-gram that ends with a word. */
typedef struct search {
    alcore__lm_context context; /* of the word; when the word was found, that of the next word */
    alcore__lm_context tried;   /* the context that is tried now; length 0: none was found */
    uint32_t word;              /* its number in the vocabulary */
    uint32_t tag;               /* of the n-gram in the table of order tried.length + 1 */
    size_t slot;                /* of that table, where the search stands */
    double backoff;             /* log10 of the weights of the contexts longer than `tried` */
} search;

/* Begins the search for an n-gram of the context `tried` and the word: prefetches its slot, and
 * what backing off from the context reads. */
static inline void try_context(const alcore_lm *lm, search *s) {
    const int32_t length = s->tried.length;
    if (length == 0) return;
    const alcore__ngram_table *table = &lm->trie->table[length + 1];
    __builtin_prefetch(&lm->backoff[length][s->tried.number]);
    if (length > 1) __builtin_prefetch(&lm->trie->table[length].ngram[s->tried.number]);
    if (table->slots == 0) return;
    s->tag = alcore__ngram_tag(s->tried.number, s->word);
    s->slot = alcore__ngram_home(table, s->tag);
    __builtin_prefetch(&table->slot[s->slot]);
}

/* Step "number": the longest context is tried first. */
static inline void begin_search(const alcore_lm *lm, search *s, uint32_t word) {
    s->word = word;
    s->tried = s->context;
    s->backoff = 0.0;
    __builtin_prefetch(&lm->logp[1][word]);
    try_context(lm, s);
}

/* Step "slot": moves on to the first slot that has the tag, and prefetches its n-gram, or to the
 * free slot that ends the search. */
static inline void fetch_ngram(const alcore_lm *lm, search *s) {
    const int32_t n = s->tried.length + 1;
    const alcore__ngram_table *table = &lm->trie->table[n];
    if (n == 1 || table->slots == 0) return;
    s->slot = alcore__ngram_candidate(table, s->slot, s->tag);
    const uint32_t number = table->slot[s->slot].number;
    if (number == 0) return;
    __builtin_prefetch(&table->ngram[number - 1]);
    __builtin_prefetch(&lm->logp[n][number - 1]);
}

/* The number of the n-gram of the context `tried` and the word, ALCORE__NGRAM_NONE when the model
 * does not have it. */
static inline uint32_t find_ngram(const alcore_lm *lm, const search *s) {
    const int32_t n = s->tried.length + 1;
    const alcore__ngram_table *table = &lm->trie->table[n];
    if (table->slots == 0) return ALCORE__NGRAM_NONE;
    const size_t slot = alcore__ngram_probe(table, s->slot, s->tag, s->tried.number, s->word);
    const uint32_t found = table->slot[slot].number - 1; /* a free slot wraps to NONE */
    return found != ALCORE__NGRAM_NONE && lm->logp[n][found] <= 0.0 ? found : ALCORE__NGRAM_NONE;
}

/* Step "ngram": true when the word is found, with its log10 probability in *out and the context of
 * the next word in s->context. The first and the last words of every n-gram of the model are
 * n-grams of the model too, so that context is the n-gram that matched, or its last N - 1 words.
 * Else the search with the next shorter context has begun. */
static inline bool end_search(const alcore_lm *lm, search *s, double *out) {
    const alcore__lm_trie *trie = lm->trie;
    const int32_t length = s->tried.length, n = length + 1;
    if (length == 0) {
        *out = s->backoff + lm->logp[1][s->word];
        s->context = lm->order > 1 ? (alcore__lm_context){1, s->word} : (alcore__lm_context){0, 0};
        return true;
    }
    const uint32_t found = find_ngram(lm, s);
    if (found != ALCORE__NGRAM_NONE) {
        *out = s->backoff + lm->logp[n][found];
        s->context = n < lm->order
                         ? (alcore__lm_context){n, found}
                         : (alcore__lm_context){n - 1, trie->table[n].ngram[found].suffix};
        return true;
    }
    s->backoff += lm->backoff[length][s->tried.number];
    if (length > 1) s->tried.number = trie->table[length].ngram[s->tried.number].suffix;
    s->tried.length--;
    try_context(lm, s);
    return false;
}

double alcore__lm_read(const alcore_lm *lm, alcore__lm_context *context, uint32_t word) {
    search s = {.context = *context};
    double log10_p;
    begin_search(lm, &s, word);
    while (!end_search(lm, &s, &log10_p)) continue;
    *context = s.context;
    return log10_p;
}

alcore__lm_context alcore__lm_begin(const alcore_lm *lm) {
    return lm->order > 1 ? (alcore__lm_context){1, ALCORE__LM_BEGIN} : (alcore__lm_context){0, 0};
}

/* The number by which a word of a text is scored: <unk> for a word that the model does not have,
 * and for a word that reads <s>, </s> or <unk>, whose numbers are up to ALCORE__LM_END. */
uint32_t alcore__lm_word_number(const alcore_lm *lm, uint64_t hash, const char *word,
                                size_t length) {
    const uint32_t number = alcore__vocabulary_find_hashed(&lm->trie->words, hash, word, length);
    return number == ALCORE__WORD_NONE || number <= ALCORE__LM_END || lm->logp[1][number] > 0.0
               ? ALCORE__LM_UNK
               : number;
}

/* The number of </s>, or <unk> where a model read from a file lacks it. */
uint32_t alcore__lm_end_number(const alcore_lm *lm) {
    return lm->logp[1][ALCORE__LM_END] > 0.0 ? ALCORE__LM_UNK : ALCORE__LM_END;
}

/* ---- many texts ---- */

/* A text that is being read. */
typedef struct reading {
    const char *rest, *end; /* the text after `word` */
    const char *word;       /* the word to be read next */
    size_t bytes;           /* of the word; 0: the end of the text is read next */
    uint64_t hash;          /* alcore__hash64() of the word */
    search search;          /* for the word */
    float *value;           /* where the next logarithm is written; NULL: they are summed */
    double *total;          /* the sum of the base-10 logarithms, where value is NULL */
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

/* Begins a text before its first word. */
static void begin_text(const alcore_lm *lm, const alcore__lm_text *text, reading *out) {
    if (!text->values) *text->total = 0.0;
    *out = (reading){.rest = text->text,
                     .end = text->text + text->length,
                     .search.context = alcore__lm_begin(lm),
                     .value = text->values,
                     .total = text->total};
    next_word(lm, out);
}

/* Looks the word up in the vocabulary and begins its search. */
static void find_number(const alcore_lm *lm, reading *text) {
    begin_search(lm, &text->search,
                 text->bytes == 0
                     ? alcore__lm_end_number(lm)
                     : alcore__lm_word_number(lm, text->hash, text->word, text->bytes));
}

/* Writes or adds the word's logarithm and finds the next word; false when that was the end of the
 * text. */
static bool finish_word(const alcore_lm *lm, reading *text, double log10_p) {
    if (text->value)
        *text->value++ = natural(log10_p);
    else
        *text->total += log10_p;
    if (text->bytes == 0) return false;
    next_word(lm, text);
    return true;
}

/* Reads the next word of each text [count]; alive[i] becomes whether text i has another one. */
static void read_words(const alcore_lm *lm, reading *texts, int count, bool *alive) {
    int searching[TOGETHER], searches = count; /* the texts whose word is not found yet */
    for (int i = 0; i < count; i++) {
        find_number(lm, &texts[i]);
        searching[i] = i;
    }
    while (searches > 0) {
        for (int i = 0; i < searches; i++) fetch_ngram(lm, &texts[searching[i]].search);
        int left = 0;
        for (int i = 0; i < searches; i++) {
            reading *text = &texts[searching[i]];
            double log10_p;
            if (end_search(lm, &text->search, &log10_p))
                alive[searching[i]] = finish_word(lm, text, log10_p);
            else
                searching[left++] = searching[i];
        }
        searches = left;
    }
}

/* Scores texts [count], at most TOGETHER at a time: open [open_count] are those being read; when
 * some end, the others move up and the next texts begin. */
void alcore__lm_tokens(const alcore_lm *lm, const alcore__lm_text *texts, int64_t count) {
    reading open[TOGETHER];
    bool alive[TOGETHER];
    int64_t begun = 0;
    int open_count = 0;
    for (;;) {
        while (open_count < TOGETHER && begun < count)
            begin_text(lm, &texts[begun++], &open[open_count++]);
        if (open_count == 0) return;
        read_words(lm, open, open_count, alive);
        int kept = 0;
        for (int i = 0; i < open_count; i++) {
            if (!alive[i]) continue;
            if (kept != i) open[kept] = open[i];
            kept++;
        }
        open_count = kept;
    }
}
