/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzy matches: how much of a text a translation memory has (docs/spec/arithmetic.md, 1.10).
 *
 *   match(a, b) = 100 (1 - ED(a, b) / max(|a|, |b|))      in percent (Koehn and Senellart 2010)
 *
 * where a and b are the tokens of two texts (text_tokens.h: letters in lower case, each digit as 0)
 * and ED is their edit distance: the least number of tokens that are inserted, deleted or replaced.
 * A text without a token matches nothing.
 *
 * The best match of a text is found exactly. Texts that match by `least` percent or more have
 * c = least / 100 max(|a|, |b|) tokens in common, so that of each of them the |a| - c + 1 rarest
 * tokens, which are listed, have one in common (prefix filter: Chaudhuri, Ganti and Kaushik 2006);
 * only such pairs are compared. Memory: 8 bytes a token of the memory and 4 for each that is
 * listed. */
#ifndef ALCORE__FUZZY_MATCH_H
#define ALCORE__FUZZY_MATCH_H

#include "base/base.h"

/* A struct of zeros is an empty memory. It may be searched by any number of threads once it is
 * finished. */
typedef struct alcore__fuzzy_memory {
    double least; /* percent: matches below are not found */

    /* Tokens of all texts, one text's after the other's: hashes while texts are added, then ranks,
     * 0 for the rarest. */
    uint64_t *hashes; /* [token_count] owned */
    size_t token_count, hash_capacity;
    size_t *begin; /* [count + 1] owned: of each text; NULL without texts */
    size_t begin_capacity;
    int64_t count;

    uint64_t *known;          /* [known_count] owned: distinct hashes, rising */
    uint32_t *rank_of_known;  /* [known_count] owned */
    uint32_t *ranks, *sorted; /* [token_count] owned: in the order of the text, and rising */
    size_t known_count;
    size_t *listed_begin; /* [known_count + 1] owned: of each rank in listed */
    uint32_t *listed;     /* owned: texts that have the rank among their rarest */
} alcore__fuzzy_memory;

/* What one thread needs to search. A struct of zeros is empty. */
typedef struct alcore__fuzzy_work {
    uint32_t *tokens, *sorted, *row; /* [capacity] of the text that is looked for, owned */
    size_t capacity;
    uint32_t *seen; /* [count of the memory] number of the search that met the text last, owned */
    uint32_t search;
} alcore__fuzzy_work;

/* Adds a text; alcore__fuzzy_finish() follows the last one. least: percent, above 0. */
alcore_status alcore__fuzzy_add(alcore_ctx *ctx, alcore__fuzzy_memory *memory, const char *text,
                                size_t length);
alcore_status alcore__fuzzy_finish(alcore_ctx *ctx, alcore__fuzzy_memory *memory, double least);
/* *out: percent of the best match of a text, 0: there is none of memory->least or more. enough: a
 * match of so much percent ends the search. */
alcore_status alcore__fuzzy_best(alcore_ctx *ctx, const alcore__fuzzy_memory *memory,
                                 alcore__fuzzy_work *work, const char *text, size_t length,
                                 double enough, double *out);
void alcore__fuzzy_clear(alcore_ctx *ctx, alcore__fuzzy_memory *memory);
void alcore__fuzzy_work_clear(alcore_ctx *ctx, alcore__fuzzy_work *work);

#endif
