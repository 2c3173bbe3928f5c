/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens: what a text says, in units that can be compared across texts.
 *
 *   word          a maximal run of letters, marks and decimal digits that has a letter; in a script
 *                 that is written without spaces each letter with its marks
 *   number        a maximal run of decimal digits
 *   placeholder   what text/placeholder.h finds: nobody translates it
 *   sign          any other character that is no white space
 *
 * A token has a hash. Letters count in lower case and each decimal digit as 0, so that words that
 * differ in these only are equal; all placeholders have one hash. Passed over are underscores, and
 * ampersands before a letter, by which interfaces mark the key of a command ("_File", "E&xit"),
 * format characters such as soft hyphens, and marks without a letter before them. Texts are not
 * normalized: a letter and its composed form differ.
 */
#ifndef ALCORE__TEXT_TOKENS_H
#define ALCORE__TEXT_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum alcore__token_kind {
    ALCORE__TOKEN_WORD,
    ALCORE__TOKEN_NUMBER,
    ALCORE__TOKEN_PLACEHOLDER,
    ALCORE__TOKEN_SIGN
} alcore__token_kind;

/* Reads a text [length bytes] token by token: begin with a struct of text and length alone. */
typedef struct alcore__token_reader {
    const char *text;
    size_t length;
    size_t begin, next; /* offsets of the token that was read last, and behind it */
    alcore__token_kind kind;
    uint64_t hash; /* of the token; it leaves the process to others of this release only */
    /* Code points of it that are letters or marks of letters; one that is a syllable
     * (alcore__utf8_is_syllable()) counts 2. */
    int64_t letters;
    bool unspaced; /* whether it is such a letter */
    /* Code points of the text so far that are no white space, no format character and in no
     * placeholder. */
    int64_t characters;
    size_t mark_end; /* of alcore__placeholder_next() */
} alcore__token_reader;

/* Reads the next token; false at the end of the text. A malformed sequence is a sign. */
bool alcore__token_next(alcore__token_reader *reader);

/* A further value joined to a hash; alcore__scramble() then mixes its bits. */
static inline uint64_t alcore__token_join(uint64_t hash, uint64_t value) {
    return (hash ^ value) * 0x100000001B3u; /* FNV-1a over 64-bit values */
}

#endif
