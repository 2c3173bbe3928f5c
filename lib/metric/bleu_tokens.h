/* SPDX-License-Identifier: Apache-2.0 */
/* The tokenizers of BLEU (docs/spec/analyses.md 8.6), over code points. */
#ifndef ALCORE__BLEU_TOKENS_H
#define ALCORE__BLEU_TOKENS_H

#include "base/base.h"

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
/* Rewrites lines->line so that its tokens stand between white space. tokenizer: ALCORE_BLEU_... */
alcore_status alcore__token_lines_cut(alcore__token_lines *lines, int32_t tokenizer);
/* Rewrites lines->line in lower case (text/letter_case.h). */
alcore_status alcore__token_lines_lower(alcore__token_lines *lines);
/* Finds the next token at or after index *end of lines->line: it is [*begin, *end) afterwards.
 * False when no token is left. */
bool alcore__token_lines_next(const alcore__token_lines *lines, size_t *end, size_t *begin);
void alcore__token_lines_clear(alcore__token_lines *lines);

#endif
