/* SPDX-License-Identifier: Apache-2.0 */
/* What Replace and Split look for: a text, or a regular expression.
 *
 * Expressions are the subset of Oniguruma's that published tokenizers use: characters, classes with
 * ranges, \s \S \w \d \p{..}, alternatives, groups that occur once or not at all, lookahead, and
 * quantifiers, greedy or possessive, of single characters and classes. Anything else is refused
 * when the pattern is read. */
#ifndef ALCORE__PATTERN_H
#define ALCORE__PATTERN_H

#include "tokenizer/json_part.h"

typedef struct alcore__pattern_node alcore__pattern_node;
/* A struct of zeros never matches. It does not change once it is read, and needs no release: it
 * lives in the part's arena. */
typedef struct alcore__pattern {
    alcore__name text;                 /* what the file says */
    const alcore__pattern_node *start; /* of an expression; NULL: the text itself is sought */
} alcore__pattern;

/* Reads the member "pattern", {"String": ".."} or {"Regex": ".."}. */
alcore_status alcore__pattern_read(const alcore__part *part, alcore__pattern *out);
/* Finds the first match in text [length] that begins at `from` or later and is not empty: *begin
 * and *end are its bounds, both `length` without one. ALCORE_E_DATA: the expression takes more
 * steps than any useful one. */
alcore_status alcore__pattern_find(alcore_ctx *ctx, const alcore__pattern *pattern,
                                   const char *text, size_t length, size_t from, size_t *begin,
                                   size_t *end);

#endif
