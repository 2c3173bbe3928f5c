/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: validation, code points, classes of characters, the normalized form of a text. */
#ifndef ALCORE__UTF8_H
#define ALCORE__UTF8_H

#include "base/base.h"

/* Byte offset of the first malformed sequence (overlong, surrogate, above U+10FFFF, truncated,
 * stray byte); length when there is none. */
size_t alcore__utf8_check(const char *text, size_t length);
/* Returns the code point at offset *next, which is below length, and moves *next behind it. Returns
 * -1 for a malformed sequence and moves over its longest well-formed beginning, at least one byte:
 * what Unicode replaces by one U+FFFD. */
static inline int32_t alcore__utf8_next(const char *text, size_t length, size_t *next);
/* Writes a code point, returns the bytes written (1 to 4). */
size_t alcore__utf8_write(int32_t code_point, char out[4]);
/* Appends text with every malformed sequence replaced by U+FFFD; *out_count (may be NULL) is their
 * number. */
alcore_status alcore__utf8_repair(alcore_ctx *ctx, const char *text, size_t length,
                                  alcore__buffer *out, int64_t *out_count);
/* Code points of a valid text. */
int64_t alcore__utf8_count(const char *text, size_t length);

/* Letters and the marks that belong to them (categories L and M: without M, Hindi or Burmese would
 * count as half letters). */
bool alcore__utf8_is_letter(int32_t code_point);
/* Decimal digits of any script (category Nd). */
bool alcore__utf8_is_digit(int32_t code_point);
/* White space: ASCII blanks, U+0085 and category Z. */
bool alcore__utf8_is_space(int32_t code_point);
/* Scripts written without spaces between words: Han, Kana, Thai, Lao, Khmer, Burmese. */
bool alcore__utf8_is_unspaced(int32_t code_point);
/* Letters that are a syllable or a word, so that a text needs few: those of scripts without spaces,
 * Hangul syllables, Ethiopic, Canadian Aboriginal syllabics, Vai, Yi. */
bool alcore__utf8_is_syllable(int32_t code_point);
/* What dedup=normalized compares: canonically decomposed, case folded, decimal digits as 0,
 * punctuation (category P), white space and control characters dropped. Appends to out; a malformed
 * sequence counts as U+FFFD. */
alcore_status alcore__utf8_normalize(alcore_ctx *ctx, const char *text, size_t length,
                                     alcore__buffer *out);

/* The same where the offset is not that of an ASCII character. */
int32_t alcore__utf8_next_wide(const char *text, size_t length, size_t *next);

static inline int32_t alcore__utf8_next(const char *text, size_t length, size_t *next) {
    const unsigned char first = (unsigned char)text[*next];
    if (first >= 0x80) return alcore__utf8_next_wide(text, length, next);
    ++*next;
    return first;
}

#endif
