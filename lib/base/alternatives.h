/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words of the form "a|b|c": the columns of which a strategy needs one, the choices of a
 * parameter. */
#ifndef ALCORE__ALTERNATIVES_H
#define ALCORE__ALTERNATIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Reads the next word of a list: *out_word [*out_length], not NUL-terminated, a view of the list.
 * *rest is the list that is left, at first all of it. false: no word is left. */
static inline bool alcore__alternatives_next(const char **rest, const char **out_word,
                                             size_t *out_length) {
    if (**rest == '\0') return false;
    *out_word = *rest;
    *out_length = strcspn(*rest, "|");
    *rest += *out_length;
    if (**rest == '|') ++*rest;
    return true;
}

/* Whether a word of a list is the NUL-terminated string `name`. */
static inline bool alcore__alternative_is(const char *word, size_t length, const char *name) {
    return strlen(name) == length && memcmp(name, word, length) == 0;
}

#endif
