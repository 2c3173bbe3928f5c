/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of words that tags mark, a tag for each word: O, a mark and a type such as B-PER, or a mark
 * alone. Which marks there are, and where a span begins, goes on and ends, depends on the scheme
 * (ALCORE_TAGS_*, docs/spec/analyses.md 8.9). */
#ifndef ALCORE__TAGS_H
#define ALCORE__TAGS_H

#include <stdbool.h>

#include "base/base.h"

/* Whether a word of `length` bytes, one at least, is a tag of the scheme. */
bool alcore__is_tag(int32_t scheme, const char *word, size_t length);

/* A tag: its mark, and its type as a view of the line, [0] for a mark alone and for O. */
typedef struct alcore__tag {
    char mark;
    const char *type;
    size_t type_length;
} alcore__tag;

/* One line of tags, read from left to right. Set next, end, scheme and before, whose mark is O, and
 * zeros; the rest is the reader's. */
typedef struct alcore__tag_reader {
    const char *next, *end; /* the rest of the line */
    int32_t scheme;
    int64_t word;       /* words read */
    bool open, at_end;  /* a span is open; the O behind the last word was read */
    int64_t first;      /* first word of the open span */
    alcore__tag before; /* of the last word read */
} alcore__tag_reader;

/* A span of a line; its type is a view of the line. */
typedef struct alcore__tag_span {
    const char *type;
    size_t type_length;
    int64_t first, last; /* words of the line, from 0 */
} alcore__tag_span;

/* Reads tags until a span ends and sets *out to that span; *found is false when the line has no
 * further span. ALCORE_E_DATA: a word that is no tag of the scheme; the message has its number, the
 * marks of the scheme and, where one has the tag, another scheme. */
alcore_status alcore__tags_next_span(alcore__tag_reader *reader, alcore__tag_span *out,
                                     bool *found);

#endif
