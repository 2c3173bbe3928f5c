/* SPDX-License-Identifier: Apache-2.0 */
/* The words of one side of a sentence pair that are linked to a sequence of words of the other:
 * where the translation of a phrase begins and ends (Hu and Neubig 2021, section 4.2; spec 5.10 and
 * 6.3). */
#ifndef ALCORE__LINK_RANGES_H
#define ALCORE__LINK_RANGES_H

#include "text/word_links.h"

/* First and last word; low > high: none. */
typedef struct alcore__word_range {
    int64_t low, high;
} alcore__word_range;

/* The partners of every word of one sentence pair, as ranges. Reused from pair to pair; a struct of
 * zeros is empty. */
typedef struct alcore__link_ranges {
    alcore__word_range *of_source; /* [source words] target words linked to each source word */
    alcore__word_range *of_target; /* [target words] source words linked to each target word */
    size_t source_capacity, target_capacity; /* entries that there is memory for */
} alcore__link_ranges;

/* Reads links [count] of a pair of source_words and target_words words. ALCORE_E_DATA: a link names
 * a word that the pair lacks; the message names the link. */
alcore_status alcore__link_ranges_read(alcore_ctx *ctx, alcore__link_ranges *ranges,
                                       const alcore__link *links, int64_t count,
                                       int64_t source_words, int64_t target_words);
/* The range of target words that are linked to the source words first .. first + words - 1.
 * *out_consistent: none of its words is linked to a source word outside of these; false for an
 * empty range. */
alcore__word_range alcore__link_ranges_span(const alcore__link_ranges *ranges, int64_t first,
                                            int64_t words, bool *out_consistent);
void alcore__link_ranges_clear(alcore_ctx *ctx, alcore__link_ranges *ranges);

#endif
