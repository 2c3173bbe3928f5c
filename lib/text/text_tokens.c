/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens, as text_tokens.h defines them. ASCII is decided without the tables of Unicode. */
#include "text/text_tokens.h"

#include <utf8proc.h>

#include "text/placeholder.h"
#include "text/utf8.h"

/* What a character is to a token. MARK continues a token only. */
enum character { SPACE, PASSED, LETTER, MARK, DIGIT, UNSPACED, SIGN };

enum { SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2 };

static enum character classify_ascii(int32_t *point) {
    const int32_t c = *point;
    if (c >= 'A' && c <= 'Z') *point = c - 'A' + 'a';
    if ((c >= 'a' && c <= 'z') || *point != c) return LETTER;
    if (c >= '0' && c <= '9') *point = '0';
    if (*point == '0') return DIGIT;
    return c == '_' ? PASSED : alcore__utf8_is_space(c) ? SPACE : SIGN;
}

/* *point becomes the character as it is hashed. */
static enum character classify(int32_t *point) {
    if (*point >= 0 && *point < 0x80) return classify_ascii(point);
    if (*point < 0) return SIGN; /* malformed */
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

/* Whether the ampersand before offset `next` marks the key of a command. */
static bool marks_key(const alcore__token_reader *reader, size_t next) {
    if (next >= reader->length) return false;
    int32_t point = alcore__utf8_next(reader->text, reader->length, &next);
    const enum character kind = classify(&point);
    return kind == LETTER || kind == UNSPACED;
}

/* Joins a character to the token. */
static void join(alcore__token_reader *reader, enum character kind, int32_t point) {
    reader->hash = alcore__token_join(reader->hash, (uint64_t)(uint32_t)point);
    if (kind == LETTER || kind == UNSPACED || (kind == MARK && reader->letters > 0))
        reader->letters += kind == UNSPACED ? 2 : 1;
    if (reader->letters > 0) reader->kind = ALCORE__TOKEN_WORD;
}

/* Reads on while the token goes on. A letter of a script without spaces takes its marks only. */
static void read_on(alcore__token_reader *reader, bool unspaced) {
    for (size_t next = reader->next; next < reader->length; reader->next = next) {
        int32_t point = alcore__utf8_next(reader->text, reader->length, &next);
        enum character kind = classify(&point);
        if (point == '&' && alcore__placeholder(reader->text, reader->length, reader->next)) return;
        if (point == '&' && !unspaced && marks_key(reader, next)) kind = PASSED;
        if (unspaced ? kind != MARK : kind == SPACE || kind == SIGN || kind == UNSPACED) return;
        if (kind != PASSED) join(reader, kind, point);
    }
}

bool alcore__token_next(alcore__token_reader *reader) {
    enum character kind = SPACE;
    int32_t point = 0;
    while (kind == SPACE || kind == PASSED || kind == MARK) {
        if (reader->next >= reader->length) return false;
        const size_t bytes = alcore__placeholder(reader->text, reader->length, reader->next);
        reader->begin = reader->next;
        reader->hash = 0xCBF29CE484222325u;
        reader->letters = 0;
        reader->kind = ALCORE__TOKEN_PLACEHOLDER;
        reader->next += bytes;
        if (bytes > 0) return true;
        point = alcore__utf8_next(reader->text, reader->length, &reader->next);
        kind = classify(&point);
        if (point == '&' && marks_key(reader, reader->next)) kind = PASSED;
    }
    reader->kind = kind == DIGIT ? ALCORE__TOKEN_NUMBER : ALCORE__TOKEN_SIGN;
    join(reader, kind, point);
    if (kind != SIGN) read_on(reader, kind == UNSPACED);
    return true;
}
