/* SPDX-License-Identifier: Apache-2.0 */
/* Words: maximal runs of bytes other than ASCII space, tab, CR and LF
 * (docs/spec/arithmetic.md, 1.1). Every count of words and every position of a word in the library
 * follows from this one scan. */
#ifndef ALCORE__WORDS_H
#define ALCORE__WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool alcore__is_word_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Finds the next word in the bytes [*next, end): *word points to its first byte, *length is its
 * number of bytes, and *next moves behind it. Returns false when no word is left. */
static inline bool alcore__word_next(const char **next, const char *end, const char **word,
                                     size_t *length) {
    const char *begin = *next;
    while (begin < end && alcore__is_word_space(*begin)) begin++;
    const char *stop = begin;
    while (stop < end && !alcore__is_word_space(*stop)) stop++;
    *next = stop;
    *word = begin;
    *length = (size_t)(stop - begin);
    return stop > begin;
}

/* Whether two texts have the same words, whatever is between them: spreadsheets trim cells. */
static inline bool alcore__words_same(const char *a, size_t a_length, const char *b,
                                      size_t b_length) {
    const char *a_end = a + a_length, *b_end = b + b_length, *a_word, *b_word;
    size_t a_bytes, b_bytes;
    for (;;) {
        const bool more = alcore__word_next(&a, a_end, &a_word, &a_bytes);
        if (alcore__word_next(&b, b_end, &b_word, &b_bytes) != more) return false;
        if (!more) return true;
        if (a_bytes != b_bytes || memcmp(a_word, b_word, a_bytes) != 0) return false;
    }
}

#endif
