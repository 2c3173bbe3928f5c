/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a text that stand on lines of their own, for people who give them tags: the runs
 * between white space, or those cut further for spans. */
#ifndef ALCORE__TOOL_WORDS_H
#define ALCORE__TOOL_WORDS_H

#include "extra/tool/tool_draft.h"

/* Reads a text word by word. */
typedef struct alcore__tool_words {
    const char *text, *end;
    const char *next;                  /* behind the word that was read last */
    const char *word_end;              /* of the run between white space that `next` is in */
    const char *core_begin, *core_end; /* from its first letter or digit to its last */
    bool whole;                        /* words are the runs themselves */
    int64_t points;                    /* code points before next */
    /* Spans in code points, sorted and apart, where words are cut too; NULL: none */
    const alcore__tool_draft *draft;
    size_t part; /* of the draft: the first that does not end before next */

    const char *begin;              /* the word */
    int64_t first_point, end_point; /* code points before it, and before its end */
} alcore__tool_words;

/* Before the first word of a text. whole: words are the runs between white space; else they are cut
 * so that a span can begin and end at signs and at characters of scripts without spaces. */
alcore__tool_words alcore__tool_words_of(const char *text, size_t length, bool whole);
/* Reads the next word, from begin to next; false: there is none. */
bool alcore__tool_words_next(alcore__tool_words *self);

#endif
