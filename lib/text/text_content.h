/* SPDX-License-Identifier: Apache-2.0 */
/* What a text has to translate: counts over its tokens (text_tokens.h). */
#ifndef ALCORE__TEXT_CONTENT_H
#define ALCORE__TEXT_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/kept_tokens.h"
#include "text/near_words.h"

typedef struct alcore__text_content {
    int64_t words, tokens;
    int64_t unspaced; /* words that are a letter of a script without spaces */
    /* Of its words, with their marks, without variables of source code (source_code.h); one that is
     * a syllable counts 2. */
    int64_t letters;
    int64_t called; /* letters of them in calls of source code and in markup (text_markup.h) */
    /* The number of code points. Not counted are white space, format characters, and what belongs
     * to a placeholder, a variable or the rule of a heading (one of =~^* four times or more, before
     * or behind the text). */
    int64_t characters;
    /* A hash of its words in their order, so that texts with equal ones are one template with other
     * numbers, placeholders, punctuation and case; 0 without words. It never leaves the process. */
    uint64_t pattern;
    /* The same with all names alike (word_pattern.h); equal to pattern where it has no name. */
    uint64_t named_pattern;
    /* It is a line of markup as a whole (alcore__text_markup_line()), a synopsis
     * (alcore__is_synopsis()) or a declared argument (alcore__source_typed()), or has brackets of
     * the cells of a table (alcore__source_cell()). */
    bool markup;
    bool cut; /* it is a part of a sentence: of four words or more, and ends in a comma */
} alcore__text_content;

/* Its words, where ALCORE__NEAR_LETTERS letters of a script without spaces are one. */
static inline int64_t alcore__text_content_spaced(const alcore__text_content *self) {
    return self->words - self->unspaced + self->unspaced / ALCORE__NEAR_LETTERS;
}

/* Counts what is in a text of `length` bytes, UTF-8 or not. words: memory for `length` entries, as
 * many words as a text may have, each of a byte or more; gets the hashes of its words in their
 * order, out->words of them; NULL: they are not wanted. room: gets the first room->most
 * tokens; NULL: they are not wanted. */
void alcore__text_content_read(const char *text, size_t length, uint64_t *words,
                               const alcore__token_room *room, alcore__text_content *out);

#endif
