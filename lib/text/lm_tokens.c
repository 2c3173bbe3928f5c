/* SPDX-License-Identifier: Apache-2.0 */
/* Log-probabilities of words given the words before them, by backing off
 * (docs/spec/language-model.md): log10 p(w | h) = log10 p of the longest n-gram h' w that the model
 * has, plus the back-off weights (log10) of all contexts longer than h' up to h.
 *
 * The model (lm_internal.h): the slots of trie->table[n] give the number of an n-gram by the hash
 * of its context (the number of its first n - 1 words in order n - 1) and of its last word; by that
 * number entry[n] has the same two, log10 p, log10 gamma and its suffix (the number of its last
 * n - 1 words). Order 1 is trie->words and word[]. A log10 p above 0 means that the model lacks the
 * n-gram.
 *
 * A model of millions of n-grams lies in tables that no cache holds, so a thread that looks up one
 * n-gram after the other waits for memory most of the time. Here no look-up waits for another of
 * its order: ROWS tokens of texts are read at once, order by order. The n-gram of n words that ends
 * with a token can be in the model only if its first n - 1 words, which end with the token before,
 * and its last n - 1 words are: both were found, or not, in the order below. So a list of probes
 * goes through three loops in each order, each of which reads what the one before it prefetched:
 *
 *     home     the n-grams that may be in the model: the slot where the search begins is prefetched
 *     slot     a slot near by has the n-gram's tag, whose entry is prefetched; or it is not there
 *     entry    the n-gram is compared; the longest one of a token gives its probability
 *
 * The words are looked up in the vocabulary by such loops too. Every token then has the longest
 * n-gram that ends with it, and the weights of all that do; a last loop adds up. The sums are made
 * in the order of alcore__lm_read(), so they have the same bits.
 *
 * Reading 64 texts in turns instead, each from the longest context of a word down as
 * alcore__lm_read() does, took 2.3 times the processor time on a model of 250,000 sentences
 * (docs/results/lm.txt). */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "text/lm_internal.h"
#include "text/words.h"

#define LN_10 2.302585092994045684

/* Tokens that are looked up at once: memory is idle at the end of each loop, and what a loop
 * prefetches is to be in the first-level cache when the next one reads it. */
enum { ROWS = 256 };

/* ---- one word ---- */

/* The number of an n-gram of an order from 2 on in the model, ALCORE__NGRAM_NONE where it lacks it;
 * looked for from a slot on that alcore__ngram_candidate() returned. */
static inline uint32_t find_from(const alcore_lm *lm, int32_t order, size_t slot, uint32_t tag,
                                 uint32_t context, uint32_t word) {
    const alcore__ngram_table *table = &lm->trie->table[order];
    for (;;) {
        const uint32_t number = table->slot[slot].number - 1; /* a free slot wraps to NONE */
        if (number == ALCORE__NGRAM_NONE) return number;
        const alcore__lm_entry *entry = alcore__lm_entry_of(lm, order, number);
        if (entry->context == context && entry->word == word)
            return entry->logp > 0.0 ? ALCORE__NGRAM_NONE : number;
        slot = alcore__ngram_next(table, slot, alcore__ngram_home(table, tag)); /* of equal tag */
        slot = alcore__ngram_candidate(table, slot, tag);
    }
}

/* The number of an n-gram of an order from 2 on in the model, or ALCORE__NGRAM_NONE. */
static uint32_t find(const alcore_lm *lm, int32_t order, uint32_t context, uint32_t word) {
    const alcore__ngram_table *table = &lm->trie->table[order];
    if (table->slots == 0) return ALCORE__NGRAM_NONE;
    const uint32_t tag = alcore__ngram_tag(context, word);
    const size_t slot = alcore__ngram_candidate(table, alcore__ngram_home(table, tag), tag);
    return find_from(lm, order, slot, tag, context, word);
}

/* One word at a time, for callers whose words depend on each other; alcore__lm_tokens() is faster.
 * The contexts of the word are tried from the longest on. The first and the last words of every
 * n-gram of the model are n-grams of the model too, so the context of the next word is the n-gram
 * that is found, or its last N - 1 words. */
double alcore__lm_read(const alcore_lm *lm, alcore__lm_context *context, uint32_t word) {
    double backoff = 0.0;
    uint32_t number = context->number;
    for (int32_t length = context->length; length > 0; length--) {
        const alcore__lm_entry *entry = length > 1 ? alcore__lm_entry_of(lm, length, number) : NULL;
        if (!entry || (entry->following & alcore__lm_following(word)) != 0) {
            const uint32_t found = find(lm, length + 1, number, word);
            if (found != ALCORE__NGRAM_NONE) {
                const alcore__lm_entry *ngram = alcore__lm_entry_of(lm, length + 1, found);
                *context = length + 1 < lm->order ? (alcore__lm_context){length + 1, found}
                                                  : (alcore__lm_context){length, ngram->suffix};
                return backoff + ngram->logp;
            }
        }
        backoff += alcore__lm_backoff(lm, length, number);
        number = !entry ? 0 : entry->suffix;
    }
    *context = lm->order > 1 ? (alcore__lm_context){1, word} : (alcore__lm_context){0, 0};
    return backoff + lm->word[word].logp;
}

alcore__lm_context alcore__lm_begin(const alcore_lm *lm) {
    return lm->order > 1 ? (alcore__lm_context){1, ALCORE__LM_BEGIN} : (alcore__lm_context){0, 0};
}

/* The number by which word `number` of the vocabulary, or ALCORE__WORD_NONE, is scored. */
static inline uint32_t scored_as(const alcore_lm *lm, uint32_t number) {
    return number == ALCORE__WORD_NONE || number <= ALCORE__LM_END || lm->word[number].logp > 0.0
               ? ALCORE__LM_UNK
               : number;
}

/* The number by which a word of a text is scored: <unk> for a word that the model does not have,
 * and for a word that reads <s>, </s> or <unk>, whose numbers are up to ALCORE__LM_END. */
uint32_t alcore__lm_word_number(const alcore_lm *lm, uint64_t hash, const char *word,
                                size_t length) {
    return scored_as(lm, alcore__vocabulary_find_hashed(&lm->trie->words, hash, word, length));
}

/* The number of </s>, or <unk> where a model read from a file lacks it. */
uint32_t alcore__lm_end_number(const alcore_lm *lm) {
    return lm->word[ALCORE__LM_END].logp > 0.0 ? ALCORE__LM_UNK : ALCORE__LM_END;
}

/* A word of a text on its way through the vocabulary. */
typedef struct lookup {
    alcore__spelled_word word;
    uint32_t tag; /* of its spelling; not set, and slot neither, where it has none */
    size_t slot;  /* of lm->spelled: the first that has the tag, or a free one */
} lookup;

/* The number by which a word is scored; its slot was found, and the entry that it names
 * prefetched. */
static inline uint32_t number_of(const alcore_lm *lm, const lookup *found) {
    const alcore__ngram_table *table = &lm->spelled;
    const alcore__spelled_word *word = &found->word;
    if (!alcore__is_spelled(word->spelling))
        return alcore__lm_word_number(lm, alcore__hash64(word->word, word->bytes), word->word,
                                      word->bytes);
    for (size_t slot = found->slot;;) {
        const uint32_t number = table->slot[slot].number - 1; /* a free slot wraps to NONE */
        if (number == ALCORE__WORD_NONE) return ALCORE__LM_UNK;
        if (alcore__spelling_same(lm->word[number].spelling, word->spelling))
            return scored_as(lm, number);
        slot = alcore__ngram_next(table, slot, alcore__ngram_home(table, found->tag));
        slot = alcore__ngram_candidate(table, slot, found->tag);
    }
}

/* ---- many texts ---- */

/* Where the reading of texts [count] stands. */
typedef struct text_reader {
    const alcore__lm_text *texts; /* [count] */
    int64_t count;
    int64_t next;                   /* the text that is begun next */
    bool open;                      /* the text begun last has tokens that are not read yet: */
    const char *begin, *rest, *end; /* its bytes: all, and those of its next words */
    int64_t scored; /* the text of the row that is scored next, less 1 at its beginning */
    float *value;   /* of that text: where the next logarithm is written; or NULL */
    double *total;  /* ... the sum of its base-10 logarithms */
} text_reader;

/* An n-gram of which the words but the last and the words but the first are in the model. */
typedef struct probe {
    uint32_t row;     /* the token that it ends with */
    uint32_t context; /* number of the words but the last in the order below */
    uint32_t tag;     /* of the n-gram */
    uint32_t number;  /* of the entry that the slot names */
    size_t slot;      /* where the search begins, then the first slot of that tag */
} probe;

/* The tokens that are looked up at once, and row 0, the last one of those before. The beginning of
 * a text is a token too, the word <s>, which nothing precedes and which is not scored. */
typedef struct token_block {
    int32_t rows;             /* rows 1 .. rows are in use */
    uint32_t word[ROWS + 1];  /* numbers by which the words are scored */
    int32_t length[ROWS + 1]; /* words of the longest n-gram of the model that ends there */
    double logp[ROWS + 1];    /* log10 p of its last word after the others */
    double weight[ROWS + 1][ALCORE__LM_ORDERS]; /* [n] log10 gamma of the n-gram of n words, n up to
                                                   length and below N */
    uint32_t number[ALCORE__LM_ORDERS];    /* [n] of row 0: the n-gram of n words, n as above */
    uint32_t following[ALCORE__LM_ORDERS]; /* [n] ... alcore__lm_entry.following, n from 2 on */
    probe list[2][ROWS];                   /* of two orders in turn */
    int32_t listed;                        /* probes of the present order */
} token_block;

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

/* Fills word from the texts and sets rows, at most ROWS: fewer only at the end of the last text.
 * Each of the three loops reads what the one before it prefetched; words without a spelling, which
 * are rare, are left to number_of(). */
static void read_words(const alcore_lm *lm, text_reader *reader, token_block *block) {
    const alcore__ngram_table *table = &lm->spelled;
    lookup found[ROWS];
    uint32_t row_of[ROWS]; /* row of each of found */
    const uint32_t end_number = alcore__lm_end_number(lm);
    int32_t rows = 0, count = 0;
    while (rows < ROWS) {
        if (!reader->open) {
            if (reader->next == reader->count) break;
            const alcore__lm_text *text = &reader->texts[reader->next++];
            reader->open = true;
            reader->begin = reader->rest = text->text;
            reader->end = text->text + text->length;
            block->word[++rows] = ALCORE__LM_BEGIN;
            continue;
        }
        lookup *next = &found[count];
        rows++;
        if (!alcore__spelled_next(&reader->rest, reader->begin, reader->end, &next->word)) {
            reader->open = false;
            block->word[rows] = end_number;
            continue;
        }
        row_of[count++] = (uint32_t)rows;
        if (!alcore__is_spelled(next->word.spelling)) continue;
        next->tag = alcore__spelling_tag(next->word.spelling);
        next->slot = alcore__ngram_home(table, next->tag);
        __builtin_prefetch(&table->slot[next->slot]);
    }
    for (int32_t i = 0; i < count; i++) {
        lookup *next = &found[i];
        if (!alcore__is_spelled(next->word.spelling)) continue;
        next->slot = alcore__ngram_candidate(table, next->slot, next->tag);
        const uint32_t number = table->slot[next->slot].number;
        if (number != 0) __builtin_prefetch(&lm->word[number - 1]);
    }
    for (int32_t i = 0; i < count; i++) block->word[row_of[i]] = number_of(lm, &found[i]);
    block->rows = rows;
}

/* Adds the n-gram of a context and the word of a row to the list of an order and prefetches its
 * first slot; the table has slots. */
static inline void add_probe(const alcore__ngram_table *table, probe *list, int32_t *listed,
                             uint32_t row, uint32_t context, uint32_t word) {
    const uint32_t tag = alcore__ngram_tag(context, word);
    const size_t slot = alcore__ngram_home(table, tag);
    __builtin_prefetch(&table->slot[slot]);
    list[(*listed)++] = (probe){.row = row, .context = context, .tag = tag, .slot = slot};
}

/* Every token as an n-gram of one word, and the probes of order 2. */
static void find_unigrams(const alcore_lm *lm, token_block *block) {
    const bool probes = lm->order > 1 && lm->trie->table[2].slots > 0;
    int32_t listed = 0;
    for (int32_t row = 1; row <= block->rows; row++) {
        const uint32_t number = block->word[row];
        block->length[row] = 1;
        block->logp[row] = lm->word[number].logp;
        block->weight[row][1] = lm->word[number].backoff;
        if (probes && number != ALCORE__LM_BEGIN)
            add_probe(&lm->trie->table[2], block->list[0], &listed, (uint32_t)row,
                      block->word[row - 1], number);
    }
    block->listed = listed;
}

/* Keeps the probes of an order whose tag a slot has, and prefetches the entries that these name. */
static void read_slots(const alcore_lm *lm, int32_t order, token_block *block) {
    const alcore__ngram_table *table = &lm->trie->table[order];
    probe *list = block->list[order % 2];
    int32_t kept = 0;
    for (int32_t i = 0; i < block->listed; i++) {
        probe p = list[i];
        p.slot = alcore__ngram_candidate(table, p.slot, p.tag);
        p.number = table->slot[p.slot].number - 1;
        list[kept] = p;
        if (p.number == ALCORE__NGRAM_NONE) continue;
        kept++;
        const char *entry = (const void *)alcore__lm_entry_of(lm, order, p.number);
        __builtin_prefetch(entry);
        /* those of order N take 24 bytes, so a quarter of them lie in two lines */
        if (order == lm->order) __builtin_prefetch(entry + sizeof(alcore__lm_entry) - 1);
    }
    block->listed = kept;
}

/* Compares the entries of the probes of an order, and lists the probes of the next order: rows
 * ascend, so the row before that of a probe is known. last_row is the last row where an n-gram of
 * the order was found, with its number and its alcore__lm_entry.following. */
static void read_entries(const alcore_lm *lm, int32_t order, token_block *block) {
    const probe *list = block->list[order % 2];
    probe *next_list = block->list[(order + 1) % 2];
    const bool highest = order == lm->order;
    const alcore__ngram_table *next_table = highest ? NULL : &lm->trie->table[order + 1];
    const bool probes = !highest && next_table->slots > 0;
    uint32_t last_row = !highest && block->length[0] >= order ? 0 : UINT32_MAX - 1;
    uint32_t last_number = highest ? 0 : block->number[order];
    uint32_t following = probes ? block->following[order] : 0;
    int32_t next_listed = 0;
    for (int32_t i = 0; i < block->listed; i++) {
        const probe *p = &list[i];
        const uint32_t word = block->word[p->row];
        const uint32_t number = find_from(lm, order, p->slot, p->tag, p->context, word);
        if (number == ALCORE__NGRAM_NONE) continue;
        const alcore__lm_entry *entry = alcore__lm_entry_of(lm, order, number);
        block->length[p->row] = order;
        block->logp[p->row] = entry->logp;
        if (highest) continue;
        block->weight[p->row][order] = *(const double *)(const void *)(entry + 1);
        if (last_row + 1 == p->row && (following & alcore__lm_following(word)) != 0)
            add_probe(next_table, next_list, &next_listed, p->row, last_number, word);
        last_row = p->row;
        last_number = number;
        following = probes ? entry->following : 0;
    }
    if (!highest && last_row == (uint32_t)block->rows) {
        block->number[order] = last_number;
        block->following[order] = following;
    }
    block->listed = next_listed;
}

/* Adds up the logarithms of the rows: that of the longest n-gram of a token, and the weights of the
 * n-grams that end with the token before and that its context is shorter than, the longest first.
 * Writes what the texts ask for. */
static void add_up(const alcore_lm *lm, text_reader *reader, const token_block *block) {
    const int32_t longest = lm->order - 1;
    for (int32_t row = 1; row <= block->rows; row++) {
        if (block->word[row] == ALCORE__LM_BEGIN) {
            const alcore__lm_text *text = &reader->texts[reader->scored++];
            reader->value = text->values;
            reader->total = text->total;
            if (!text->values) *text->total = 0.0;
            continue;
        }
        const int32_t before = block->length[row - 1], length = block->length[row];
        double backoff = 0.0;
        for (int32_t n = before < longest ? before : longest; n >= length; n--)
            backoff += block->weight[row - 1][n];
        const double log10_p = backoff + block->logp[row];
        if (reader->value)
            *reader->value++ = natural(log10_p);
        else
            *reader->total += log10_p;
    }
}

/* Makes the last row row 0 of the next tokens. */
static void carry_over(token_block *block) {
    block->word[0] = block->word[block->rows];
    block->length[0] = block->length[block->rows];
    memcpy(block->weight[0], block->weight[block->rows], sizeof block->weight[0]);
}

void alcore__lm_tokens(const alcore_lm *lm, const alcore__lm_text *texts, int64_t count) {
    text_reader reader = {.texts = texts, .count = count};
    token_block block;
    block.word[0] = ALCORE__LM_END; /* nothing is before the first text */
    block.length[0] = 0;
    memset(block.number, 0, sizeof block.number);
    memset(block.following, 0, sizeof block.following);
    for (;;) {
        read_words(lm, &reader, &block);
        if (block.rows == 0) break;
        find_unigrams(lm, &block);
        for (int32_t n = 2; n <= lm->order; n++) {
            read_slots(lm, n, &block);
            read_entries(lm, n, &block);
        }
        add_up(lm, &reader, &block);
        carry_over(&block);
    }
}
