/* SPDX-License-Identifier: Apache-2.0 */
/* Phrases by their definition, without an index: every phrase of every row is compared with every
 * other, every pair of phrases is tested for domination. For corpora of a few hundred words.
 *
 * A row is a text of one-letter words with single spaces ("a b a"). */
#ifndef PHRASE_REFERENCE_H
#define PHRASE_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { REFERENCE_PHRASES = 20000, REFERENCE_WORDS = 64 };

typedef struct reference_phrase {
    char text[2 * REFERENCE_WORDS];
    int length, occ, row, word;
    bool labeled, semi_maximal;
} reference_phrase;

typedef struct reference_table {
    reference_phrase phrases[REFERENCE_PHRASES];
    int count;
} reference_table;

static inline int reference_words(const char *text) {
    return ((int)strlen(text) + 1) / 2;
}

/* The phrase of `length` words at a word of a text. */
static inline void reference_cut(const char *text, int word, int length, char *out) {
    memcpy(out, text + 2 * word, (size_t)(2 * length - 1));
    out[2 * length - 1] = '\0';
}

static inline bool reference_contains(const char *text, const char *phrase) {
    const int words = reference_words(text), length = reference_words(phrase);
    for (int word = 0; word + length <= words; word++)
        if (strncmp(text + 2 * word, phrase, (size_t)(2 * length - 1)) == 0) return true;
    return false;
}

static inline reference_phrase *reference_find(reference_table *table, const char *text) {
    for (int i = 0; i < table->count; i++)
        if (strcmp(table->phrases[i].text, text) == 0) return &table->phrases[i];
    return NULL;
}

static inline int reference_compare(const void *a, const void *b) {
    const reference_phrase *x = a, *y = b;
    if (x->occ != y->occ) return y->occ - x->occ;
    if (x->length != y->length) return y->length - x->length;
    return x->row != y->row ? x->row - y->row : x->word - y->word;
}

/* rows [count] with states (0 absent, 1 unlabeled, 2 labeled); labeled [labeled_count] more rows.
 * Phrases up to max_words; those of up to limit words dominate. */
static inline void reference_list(reference_table *table, const char *const *rows,
                                  const int *states, int count, const char *const *labeled,
                                  int labeled_count, int max_words, int limit) {
    table->count = 0;
    for (int row = 0; row < count; row++) {
        if (states[row] != 1) continue;
        const int words = reference_words(rows[row]);
        for (int word = 0; word < words; word++) {
            for (int length = 1; length <= limit && word + length <= words; length++) {
                char text[2 * REFERENCE_WORDS];
                reference_cut(rows[row], word, length, text);
                reference_phrase *phrase = reference_find(table, text);
                if (!phrase) {
                    phrase = &table->phrases[table->count++];
                    *phrase = (reference_phrase){.length = length, .row = row, .word = word};
                    strcpy(phrase->text, text);
                }
                phrase->occ++;
            }
        }
    }
    for (int i = 0; i < table->count; i++) {
        reference_phrase *p = &table->phrases[i];
        p->semi_maximal = true;
        for (int j = 0; j < table->count; j++) {
            const reference_phrase *q = &table->phrases[j];
            if (q->length > p->length && 2 * q->occ > p->occ &&
                reference_contains(q->text, p->text))
                p->semi_maximal = false;
        }
        for (int row = 0; row < count; row++)
            if (states[row] == 2 && reference_contains(rows[row], p->text)) p->labeled = true;
        for (int row = 0; row < labeled_count; row++)
            if (reference_contains(labeled[row], p->text)) p->labeled = true;
    }
    int kept = 0;
    for (int i = 0; i < table->count; i++)
        if (table->phrases[i].length <= max_words) table->phrases[kept++] = table->phrases[i];
    table->count = kept;
    qsort(table->phrases, (size_t)kept, sizeof *table->phrases, reference_compare);
}

#endif
