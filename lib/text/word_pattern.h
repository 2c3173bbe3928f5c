/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern of a text's words: texts with equal ones are a template with other numbers,
 * placeholders, punctuation, case or names. Names are told by their form alone, which nouns with a
 * capital, as in German, do not have:
 *
 *     XFS GObject PyQt ext4           alcore__token_reader.name; a word of six capitals or more and
 *                                     nothing else is none, as emphasized words are: "REMOVE"
 *     clone_new_user                  two underscores inside, as one marks the key of a command
 *     fork() write(2)                 brackets of a call behind it, empty or with a number, as of a
 *                                     section of the manual
 *     login.defs fsck.minix           a point inside, behind a letter and before a small one, with
 *                                     two letters or more on both sides, unlike "z.B.": one name
 *
 * A text without any other word has no name, so that "PDF" and "HTML", and "FILE NOT FOUND" and
 * "ACCESS DENIED", are no template. */
#ifndef ALCORE__WORD_PATTERN_H
#define ALCORE__WORD_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/text_tokens.h"

/* The words that were read, in their order; begin with zeros. The hashes are 0 without words, and
 * leave the process to others of this release only. */
typedef struct alcore__word_pattern {
    uint64_t plain;  /* hash of them as they are */
    uint64_t named;  /* hash in which names are all alike; equal to plain while there is none */
    uint64_t before; /* named, before the last word */
    size_t end;      /* offset behind the last word */
    int64_t others;  /* words that are no names */
    bool any;        /* whether there is a name */
    bool last;       /* whether the last word is one */
    bool goes_on;    /* whether a point and a further word behind the last one make both a name */
} alcore__word_pattern;

/* Adds the word that the reader has read last. */
void alcore__word_pattern_add(alcore__word_pattern *self, const alcore__token_reader *word);

/* The hash in which names are all alike; that of the words as they are where these have no name or
 * are nothing but names. */
static inline uint64_t alcore__word_pattern_template(const alcore__word_pattern *self) {
    return self->others > 0 ? self->named : self->plain;
}

#endif
