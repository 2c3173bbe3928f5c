/* SPDX-License-Identifier: Apache-2.0 */
/* Words: maximal runs without ASCII space, tab, CR and LF (spec 1.1). */
#ifndef ALCORE__WORDS_H
#define ALCORE__WORDS_H

#include <stdbool.h>
#include <stddef.h>

static inline bool alcore__is_word_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Finds the next word in [*at, end), gives its first byte and its length and moves *at behind it;
 * false when there is none left. */
static inline bool alcore__word_next(const char **at, const char *end, const char **word,
                                     size_t *length) {
    const char *begin = *at;
    while (begin < end && alcore__is_word_space(*begin)) begin++;
    const char *stop = begin;
    while (stop < end && !alcore__is_word_space(*stop)) stop++;
    *at = stop;
    *word = begin;
    *length = (size_t)(stop - begin);
    return stop > begin;
}

#endif
