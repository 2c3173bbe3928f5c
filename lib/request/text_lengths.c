/* SPDX-License-Identifier: Apache-2.0 */
/* The mask "lengths": a text whose number of tokens is an outlier. Its logarithm is beyond the
 * quartiles of the candidates by more than FENCE times their distance (Tukey 1977, the outer
 * fence). A text without a word has no length. */
#include <math.h>
#include <string.h>

#include "request/text_masks_internal.h"

#define FENCE 3.0

/* Whether a row is a candidate with a word, whose text then has a token or more. */
static bool has_length(const alcore__masked_texts *texts, int64_t row) {
    return texts->masks->candidate_mask[row] && texts->candidates.facts[row].pattern != 0;
}

/* The number of tokens at a place among the sorted ones of all candidates: first its upper bits,
 * then the others. counts: [1 << HALF], overwritten. */
enum { HALF = 16 };
static uint32_t tokens_at(const alcore__masked_texts *texts, int64_t place, int64_t *counts) {
    uint32_t found = 0;
    for (int shift = HALF; shift >= 0; shift -= HALF) {
        uint32_t next = 0;
        memset(counts, 0, sizeof *counts << HALF);
        for (int64_t row = 0; row < texts->masks->rows; row++) {
            const uint32_t bits = texts->candidates.facts[row].tokens >> shift;
            if (has_length(texts, row) && bits >> HALF == found)
                counts[bits & ((1u << HALF) - 1)]++;
        }
        for (; place >= counts[next]; next++) place -= counts[next];
        found = found << HALF | next;
    }
    return found;
}

/* Masks what is beyond the fences of the numbers of tokens of `count` texts. The quartiles are the
 * entries at a quarter and at three quarters. */
static void mask_outliers(const alcore__masked_texts *texts, int64_t count, int64_t *counts) {
    const double low = log((double)tokens_at(texts, count / 4, counts));
    const double high = log((double)tokens_at(texts, count * 3 / 4, counts));
    /* Where half of the texts are equally long, twice a length still is no outlier. */
    const double fence = FENCE * (high - low > log(2) / FENCE ? high - low : log(2) / FENCE);
    for (int64_t row = 0; row < texts->masks->rows; row++) {
        if (!has_length(texts, row)) continue;
        const double tokens = log((double)texts->candidates.facts[row].tokens);
        if (tokens < low - fence || tokens > high + fence)
            alcore__mask_text(texts->masks, row, ALCORE__CAUSE_LENGTH);
    }
}

/* Of fewer than 4 candidates with a word none is an outlier, as the quartiles are the extremes. */
alcore_status alcore__mask_lengths(const alcore__masked_texts *texts) {
    int64_t count = 0;
    int64_t *counts;
    ALCORE__TRY(alcore__new_array(texts->ctx, (size_t)1 << HALF, sizeof *counts, &counts));
    for (int64_t row = 0; row < texts->masks->rows; row++) count += has_length(texts, row);
    if (count > 0) mask_outliers(texts, count, counts);
    alcore__free(texts->ctx, counts);
    return ALCORE_OK;
}
