/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens, as text_tokens.h defines them. ASCII is decided without the tables of Unicode, and its
 * letters and digits are read eight at a time: texts are read several times, and most of most texts
 * is such a run.
 *
 * The hash of a token mixes its code points, as they count, one after the other, but up to eight
 * adjacent ones of ASCII at once. Which ones share a group depends on the code points alone, not on
 * what was passed over between them. */
#include "text/text_tokens.h"

#include <string.h>
#include <utf8proc.h>

#include "base/rng.h"
#include "text/octet.h"
#include "text/placeholder.h"
#include "text/utf8.h"

/* What a character is to a token. MARK continues a token only. */
enum character { SPACE, PASSED, LETTER, MARK, DIGIT, UNSPACED, SIGN };

enum { SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2 };

static const uint8_t kinds[0x80] = {
    ['\0' ... '\b'] = SIGN,
    ['\x0E' ... '\x1F'] = SIGN,
    ['!' ... '/'] = SIGN,
    ['0' ... '9'] = DIGIT,
    [':' ... '@'] = SIGN,
    ['A' ... 'Z'] = LETTER,
    ['[' ... '^'] = SIGN,
    ['_'] = PASSED,
    ['`'] = SIGN,
    ['a' ... 'z'] = LETTER,
    ['{' ... '\x7F'] = SIGN,
};

/* *point becomes the character as it is hashed. */
static enum character classify_ascii(int32_t *point) {
    const enum character kind = kinds[*point];
    if (kind == LETTER) *point |= 'a' - 'A';
    if (kind == DIGIT) *point = '0';
    return kind;
}

/* The same of any character; -1 is a malformed one. */
static enum character classify(int32_t *point) {
    if (*point >= 0 && *point < 0x80) return classify_ascii(point);
    if (*point < 0) return SIGN;
    const utf8proc_category_t category = utf8proc_category(*point);
    if (category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME) return MARK;
    if (category == UTF8PROC_CATEGORY_CF) return PASSED; /* joiners, soft hyphens */
    if (category == UTF8PROC_CATEGORY_ND) *point = '0';
    if (category == UTF8PROC_CATEGORY_ND) return DIGIT;
    if (!alcore__utf8_is_letter(*point)) return alcore__utf8_is_space(*point) ? SPACE : SIGN;
    if (alcore__utf8_is_unspaced(*point)) return UNSPACED;
    *point = *point == FINAL_SIGMA ? SIGMA : utf8proc_tolower(*point);
    return LETTER;
}

/* Decodes and classifies the character at *next, which moves behind it. */
static inline enum character read_character(const alcore__token_reader *reader, size_t *next,
                                            int32_t *point) {
    const unsigned char first = (unsigned char)reader->text[*next];
    if (first >= 0x80) {
        *point = alcore__utf8_next(reader->text, reader->length, next);
        return classify(point);
    }
    ++*next;
    *point = first;
    return classify_ascii(point);
}

/* Whether the ampersand before offset `next` marks the key of a command. */
static bool marks_key(const alcore__token_reader *reader, size_t next) {
    int32_t point;
    if (next >= reader->length) return false;
    const enum character kind = read_character(reader, &next, &point);
    return kind == LETTER || kind == UNSPACED;
}

/* ---- the hash ---- */

/* The hash of a token that is being read. */
typedef struct token_hash {
    uint64_t mixed; /* of all code points but those of group */
    uint64_t group; /* the last ones, of ASCII, 8 bits each, the first one lowest; no 8 of them */
    unsigned bits;  /* that are used of it */
} token_hash;

static inline void mix(token_hash *hash, uint64_t value) {
    hash->mixed = alcore__scramble(hash->mixed ^ value);
}

static inline void close_group(token_hash *hash) {
    if (hash->bits > 0) mix(hash, hash->group);
    hash->group = hash->bits = 0;
}

/* A value of a group never has its highest bit, that of another code point always has. */
static void join(token_hash *hash, int32_t point) {
    if (point < 0 || point >= 0x80) {
        close_group(hash);
        mix(hash, (uint64_t)1 << 63 | (uint32_t)point);
        return;
    }
    hash->group |= (uint64_t)point << hash->bits;
    hash->bits += 8;
    if (hash->bits == 64) close_group(hash);
}

/* ---- runs of ASCII ---- */

/* Joins the letters and digits that a text of at least eight bytes begins with, at most eight;
 * returns their number. The group is empty, and is again after eight. */
static inline unsigned join_run(token_hash *hash, const char *text, int64_t *letters) {
    const alcore__octet bytes = alcore__octet_load(text), low = bytes & ALCORE__EACH(0x7F),
                        lower = low | ALCORE__EACH('a' - 'A');
    alcore__octet letter = alcore__octet_within(lower, 'a', 'z') & ~bytes;
    const alcore__octet digit = alcore__octet_within(low, '0', '9') & ~bytes,
                        others = ~(letter | digit) & ALCORE__EACH(0x80);
    const unsigned bits = others ? (unsigned)__builtin_ctzll(others) - 7 : 64;
    if (bits == 0) return 0;
    const alcore__octet run = ~(alcore__octet)0 >> (64 - bits);
    letter = (letter & run) >> 7;
    hash->group = ((lower & letter * 0xFF) | (ALCORE__EACH('0') & (digit >> 7) * 0xFF)) & run;
    hash->bits = bits;
    if (bits == 64) close_group(hash);
    *letters += (int64_t)(letter * ALCORE__EACH(1) >> 56);
    return bits / 8;
}

/* Reads the run of letters and digits of ASCII at the reader's place. */
static void read_run(alcore__token_reader *reader, token_hash *hash) {
    const char *text = reader->text;
    size_t next = reader->next;
    unsigned count = 8;
    while (count == 8 && hash->bits == 0 && next + 8 <= reader->length)
        next += count = join_run(hash, text + next, &reader->letters);
    for (; next < reader->length && (unsigned char)text[next] < 0x80; next++) {
        int32_t point = (unsigned char)text[next];
        const enum character kind = classify_ascii(&point);
        if (kind != LETTER && kind != DIGIT) break;
        join(hash, point);
        reader->letters += kind == LETTER;
    }
    reader->characters += (int64_t)(next - reader->next);
    reader->next = next;
}

/* ---- tokens ---- */

/* Joins a character to the token. */
static void add(alcore__token_reader *reader, token_hash *hash, enum character kind,
                int32_t point) {
    join(hash, point);
    if (kind == LETTER || kind == UNSPACED || (kind == MARK && reader->letters > 0))
        reader->letters += kind != MARK && alcore__utf8_is_syllable(point) ? 2 : 1;
}

/* Reads on while the token goes on. A letter of a script without spaces takes its marks only. */
static void read_on(alcore__token_reader *reader, token_hash *hash, bool unspaced) {
    for (;;) {
        int32_t point;
        if (!unspaced) read_run(reader, hash);
        if (reader->next >= reader->length) return;
        size_t next = reader->next;
        enum character kind = read_character(reader, &next, &point);
        if (point == '&' && alcore__placeholder(reader->text, reader->length, reader->next)) return;
        if (point == '&' && !unspaced && marks_key(reader, next)) kind = PASSED;
        if (unspaced ? kind != MARK : kind == SPACE || kind == SIGN || kind == UNSPACED) return;
        if (kind != PASSED) add(reader, hash, kind, point);
        reader->characters += kind != PASSED || point < 0x80;
        reader->next = next;
    }
}

static const token_hash EMPTY = {.mixed = 0xCBF29CE484222325u};

/* The token is the placeholder [bytes] at the reader's place. */
static void take_placeholder(alcore__token_reader *reader, size_t bytes) {
    reader->kind = ALCORE__TOKEN_PLACEHOLDER;
    reader->hash = EMPTY.mixed;
    reader->letters = 0;
    reader->next += bytes;
}

/* Reads the token whose first character is at the reader's place and ends at offset `next`. */
static void read_token(alcore__token_reader *reader, size_t next, enum character kind,
                       int32_t point) {
    token_hash hash = EMPTY;
    reader->letters = 0;
    if (kind == SIGN || kind == UNSPACED) {
        add(reader, &hash, kind, point);
        reader->characters++;
        reader->next = next;
    }
    if (kind != SIGN) read_on(reader, &hash, kind == UNSPACED);
    close_group(&hash);
    reader->hash = hash.mixed;
    reader->unspaced = kind == UNSPACED;
    reader->kind = reader->letters > 0 ? ALCORE__TOKEN_WORD
                   : kind == DIGIT     ? ALCORE__TOKEN_NUMBER
                                       : ALCORE__TOKEN_SIGN;
}

bool alcore__token_next(alcore__token_reader *reader) {
    for (;;) {
        int32_t point;
        if (reader->next >= reader->length) return false;
        reader->begin = reader->next;
        const size_t bytes =
            alcore__placeholder_next(reader->text, reader->length, reader->next, &reader->mark_end);
        if (bytes > 0) {
            take_placeholder(reader, bytes);
            return true;
        }
        size_t next = reader->next;
        enum character kind = read_character(reader, &next, &point);
        if (point == '&' && marks_key(reader, next)) kind = PASSED;
        if (kind != SPACE && kind != PASSED && kind != MARK) {
            read_token(reader, next, kind, point);
            return true;
        }
        reader->characters += kind == MARK || (kind == PASSED && point < 0x80);
        reader->next = next;
    }
}
