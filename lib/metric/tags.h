/* SPDX-License-Identifier: Apache-2.0 */
/* The tags of spans: O (outside of spans), B-TYPE (begins a span) and I-TYPE (continues one). */
#ifndef ALCORE__TAGS_H
#define ALCORE__TAGS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a word of `length` bytes, one at least, is such a tag. */
static inline bool alcore__is_tag(const char *word, size_t length) {
    if (word[0] == 'O') return length == 1;
    return (word[0] == 'B' || word[0] == 'I') && length > 2 && word[1] == '-';
}

#endif
