/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern of a text's words: texts with equal ones are a template with other numbers,
 * placeholders, punctuation, case or names. Names are told by their form alone, which nouns with a
 * capital, as in German, do not have:
 *
 *     XFS GObject PyQt ext4     a letter, and a capital or digit of ASCII behind it; a word of six
 *                               letters or more, capitals alone, is none, as emphasized words are
 *                               ("REMOVE")
 *     clone_new_user            two underscores, as one marks the key of a command
 *     fork() write(2)           brackets of a call behind it, empty or with a number, as of a
 *                               section of the manual
 *     login.defs fsck.minix     a point inside, before a small letter, with two letters or more on
 *                               both sides, unlike "z.B.": one name
 *
 * A text without any other word has no name, so that "PDF" and "HTML", and "FILE NOT FOUND" and
 * "DISK NOT FREE", are no template. */
#ifndef ALCORE__WORD_PATTERN_H
#define ALCORE__WORD_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "text/octet.h"
#include "text/text_tokens.h"

/* The words that were read, in their order; begin with zeros. The hashes are 0 without words, and
 * leave the process to others of this release only. */
typedef struct alcore__word_pattern {
    uint64_t plain;  /* hash of them as they are */
    uint64_t named;  /* hash in which names are all alike; valid where there is one */
    uint64_t before; /* the latter, before the last word or name */
    size_t goes_on;  /* offset of a word that goes on with the name of the last one; 0: none does */
    int64_t others;  /* words that are no names */
    bool any;        /* whether there is a name */
    bool last;       /* whether the last word is one */
} alcore__word_pattern;

/* The highest bit of each of the eight bytes at an address that is a small letter of ASCII, or part
 * of a character that is not ASCII; of bytes of words, in which nothing else of ASCII has both bits
 * of these letters. */
static inline alcore__octet alcore__octet_plain(const char *text) {
    const alcore__octet bytes = alcore__octet_load(text);
    return (bytes << 1 & bytes << 2) | bytes;
}

/* Whether all bytes of a word but the first are plain. Two loads of eight bytes decide it, so that
 * longer words, and words within eight bytes of the end of the text, count as not plain. */
static inline bool alcore__word_is_plain(const alcore__token_reader *word) {
    const char *begin = word->text + word->begin;
    const size_t bytes = word->next - word->begin;
    if (word->begin + 8 > word->length || bytes > 16) return false;
    alcore__octet others = ~alcore__octet_plain(begin) & ALCORE__EACH(0x80) & ~(alcore__octet)0xFF;
    if (bytes < 8) others <<= 64 - 8 * bytes;
    if (bytes > 8) others |= ~alcore__octet_plain(begin + bytes - 8) & ALCORE__EACH(0x80);
    return others == 0;
}

/* Whether what is behind a word may make a name of it: a bracket, or a point before a letter. */
static inline bool alcore__word_is_marked(const alcore__token_reader *word) {
    const char *next = word->text + word->next;
    if (word->next >= word->length) return false;
    return *next == '(' || (*next == '.' && word->next + 1 < word->length && next[1] >= 'a');
}

/* Adds a word that may be a name. */
void alcore__word_pattern_add_any(alcore__word_pattern *self, const alcore__token_reader *word);

/* Adds the word that the reader has read last. Most are no names, and told at once. */
static inline void alcore__word_pattern_add(alcore__word_pattern *self,
                                            const alcore__token_reader *word) {
    if (self->goes_on > 0 || alcore__word_is_marked(word) || !alcore__word_is_plain(word)) {
        alcore__word_pattern_add_any(self, word);
        return;
    }
    self->before = self->any ? self->named : self->plain;
    self->plain = alcore__scramble(alcore__token_join(self->plain, word->hash));
    if (self->any) self->named = alcore__scramble(alcore__token_join(self->before, word->hash));
    self->others++;
    self->last = false;
}

/* The hash in which names are all alike; that of the words as they are where these have no name or
 * are nothing but names. */
static inline uint64_t alcore__word_pattern_template(const alcore__word_pattern *self) {
    return self->any && self->others > 0 ? self->named : self->plain;
}

#endif
