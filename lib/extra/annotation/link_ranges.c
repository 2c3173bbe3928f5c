/* SPDX-License-Identifier: Apache-2.0 */
/* Words that are linked to a sequence of words (link_ranges.h). */
#include "extra/annotation/link_ranges.h"

/* extend() makes it the range of the first word that is added. */
static const alcore__word_range empty = {INT64_MAX, -1};

/* Adds a word to a range, with all words between. */
static void extend(alcore__word_range *range, int64_t word) {
    if (word < range->low) range->low = word;
    if (word > range->high) range->high = word;
}

/* Extends the ranges of both words of each link. */
alcore_status alcore__link_ranges_read(alcore_ctx *ctx, alcore__link_ranges *ranges,
                                       const alcore__link *links, int64_t count,
                                       int64_t source_words, int64_t target_words) {
    ALCORE__TRY(alcore__grow(ctx, &ranges->of_source, &ranges->source_capacity,
                             (size_t)source_words, sizeof *ranges->of_source));
    ALCORE__TRY(alcore__grow(ctx, &ranges->of_target, &ranges->target_capacity,
                             (size_t)target_words, sizeof *ranges->of_target));
    for (int64_t i = 0; i < source_words; i++) ranges->of_source[i] = empty;
    for (int64_t j = 0; j < target_words; j++) ranges->of_target[j] = empty;
    for (int64_t k = 0; k < count; k++) {
        const alcore__link link = links[k];
        if (link.source >= source_words || link.target >= target_words)
            return alcore__fail(ALCORE_E_DATA,
                                "link %u-%u: the pair has %lld source words and %lld target words, "
                                "which are counted from 0",
                                link.source, link.target, (long long)source_words,
                                (long long)target_words);
        extend(&ranges->of_source[link.source], link.target);
        extend(&ranges->of_target[link.target], link.source);
    }
    return ALCORE_OK;
}

/* The union of the ranges of the source words; then, for every target word in it, whether its own
 * range of source words lies within first .. first + words - 1. An empty union has low > high, so
 * that the second loop does nothing. */
alcore__word_range alcore__link_ranges_span(const alcore__link_ranges *ranges, int64_t first,
                                            int64_t words, bool *out_consistent) {
    alcore__word_range span = empty;
    for (int64_t i = first; i < first + words; i++) {
        if (ranges->of_source[i].high < 0) continue;
        extend(&span, ranges->of_source[i].low);
        extend(&span, ranges->of_source[i].high);
    }
    *out_consistent = span.high >= 0;
    for (int64_t j = span.low; j <= span.high; j++) {
        const alcore__word_range sources = ranges->of_target[j];
        if (sources.high >= 0 && (sources.low < first || sources.high >= first + words))
            *out_consistent = false;
    }
    return span;
}

void alcore__link_ranges_clear(alcore_ctx *ctx, alcore__link_ranges *ranges) {
    alcore__free(ctx, ranges->of_source);
    alcore__free(ctx, ranges->of_target);
    *ranges = (alcore__link_ranges){0};
}
