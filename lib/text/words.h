/* SPDX-License-Identifier: Apache-2.0 */
/* Words: maximal runs of bytes other than ASCII space, tab, CR and LF
 * (docs/spec/arithmetic.md, 1.1). Every count of words and every position of a word in the library
 * follows from this one scan. */
#ifndef ALCORE__WORDS_H
#define ALCORE__WORDS_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
