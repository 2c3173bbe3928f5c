/* SPDX-License-Identifier: Apache-2.0 */
/* The mask "lengths": a text whose number of tokens is an outlier. Its logarithm is beyond the
 * quartiles of the candidates by more than FENCE times their distance (Tukey 1977, the outer
 * fence). A text without a word has no length. */
#include <math.h>

#include "request/text_masks_internal.h"

#define FENCE 3.0

/* For alcore__sort(): rising. */
static int compare_counts(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/* Whether a row is a candidate with a word, whose text then has a token or more. */
static bool has_length(const alcore__masked_texts *texts, int64_t row) {
    return texts->masks->candidate_mask[row] && texts->candidates.facts[row].pattern != 0;
}

/* Masks what is beyond the fences of sorted [count] numbers of tokens. The quartiles are the
 * entries at a quarter and at three quarters. */
static void mask_outliers(const alcore__masked_texts *texts, const int64_t *sorted, int64_t count) {
    const double low = log((double)sorted[count / 4]);
    const double high = log((double)sorted[count * 3 / 4]);
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
    const int64_t rows = texts->masks->rows;
    int64_t count = 0;
    int64_t *sorted; /* [rows] numbers of tokens */
    ALCORE__TRY(alcore__new_array(texts->ctx, (size_t)rows, sizeof *sorted, &sorted));
    for (int64_t row = 0; row < rows; row++)
        if (has_length(texts, row)) sorted[count++] = texts->candidates.facts[row].tokens;
    const alcore_status status =
        alcore__sort(texts->ctx, sorted, (size_t)count, sizeof *sorted, compare_counts);
    if (status == ALCORE_OK && count > 0) mask_outliers(texts, sorted, count);
    alcore__free(texts->ctx, sorted);
    return status;
}
