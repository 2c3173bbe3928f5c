/* SPDX-License-Identifier: Apache-2.0 */
/* The tokenizers of BLEU (docs/spec/analyses.md 8.6), over code points. */
#ifndef ALCORE__BLEU_TOKENS_H
#define ALCORE__BLEU_TOKENS_H

#include "base/base.h"

/* White space as Python's str.split has it (29 code points, docs/spec/analyses.md 8.6). */
static inline bool alcore__is_python_space(int32_t point) {
    if (point <= 0x20) return point == 0x20 || (point >= 9 && point <= 13) || point >= 0x1C;
    if (point < 0x1680) return point == 0x85 || point == 0xA0;
    return point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028 ||
           point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

/* Python's string.punctuation. */
static inline bool alcore__is_ascii_punctuation(int32_t point) {
    return (point >= '!' && point <= '/') || (point >= ':' && point <= '@') ||
           (point >= '[' && point <= '`') || (point >= '{' && point <= '~');
}

/* How the tokens are found: as the tokenizers of these names of sacreBLEU. In the order of the
 * public ALCORE_BLEU_13A and on. */
typedef enum alcore__bleu_tokenizer {
    ALCORE__BLEU_13A,
    ALCORE__BLEU_INTL,
    ALCORE__BLEU_CHAR,
    ALCORE__BLEU_ZH,
    ALCORE__BLEU_NONE
} alcore__bleu_tokenizer;

/* Two lines of code points; a rewriting step reads one and writes the other, then they are
 * swapped. A zeroed struct with ctx set is empty; release it with alcore__token_lines_clear(). */
typedef struct alcore__token_lines {
    alcore_ctx *ctx;
    int32_t *line, *other; /* line: [length] the text as the last step left it; other: capacity
                            * for the next step */
    size_t length;
    size_t line_capacity, other_capacity;
} alcore__token_lines;

/* Reads a text, a malformed sequence as U+FFFD, into lines->line. */
alcore_status alcore__token_lines_read(alcore__token_lines *lines, const char *text, size_t length);
/* Rewrites lines->line so that its tokens stand between white space. */
alcore_status alcore__token_lines_cut(alcore__token_lines *lines, alcore__bleu_tokenizer tokenizer);
/* Rewrites lines->line in lower case (text/letter_case.h). */
alcore_status alcore__token_lines_lower(alcore__token_lines *lines);
/* Finds the next token at or after index *end of lines->line: it is [*begin, *end) afterwards.
 * False when no token is left. */
bool alcore__token_lines_next(const alcore__token_lines *lines, size_t *end, size_t *begin);
void alcore__token_lines_clear(alcore__token_lines *lines);

#endif
