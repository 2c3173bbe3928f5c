/* SPDX-License-Identifier: Apache-2.0 */
/* The length ratio of a corpus: words of the hypotheses / words of the references
 * (docs/spec/analyses.md 8.4). */
#include <math.h>

#include "alcore/metric.h"
#include "metric/segment_pairs.h"
#include "text/words.h"

#define TICK_EVERY 4096

/* The words of part `part` of a segment: 0 is the hypothesis, 1 the reference. */
static int64_t count_words(const alcore__segment_pairs *pairs, int64_t segment, int64_t part) {
    size_t length, bytes;
    const char *next = alcore__segment_pairs_text(pairs, segment, part, &length), *word;
    const char *end = next + length;
    int64_t words = 0;
    while (alcore__word_next(&next, end, &word, &bytes)) words++;
    return words;
}

/* Counts all words and fills *score, which is zeroed. */
static alcore_status count_pairs(alcore_ctx *ctx, const alcore__segment_texts *texts,
                                 alcore_length_ratio_score *score) {
    alcore__segment_pairs pairs;
    ALCORE__TRY(alcore__segment_pairs_check(texts, &pairs));
    if (pairs.sets != 1)
        return alcore__fail(ALCORE_E_SHAPE, "%lld references for each hypothesis; one is needed",
                            (long long)pairs.sets);
    for (int64_t i = 0; i < pairs.count; i++) {
        if (i % TICK_EVERY == 0) ALCORE__TRY(alcore__tick(ctx, "words", i, pairs.count));
        score->hypothesis_words += count_words(&pairs, i, 0);
        score->reference_words += count_words(&pairs, i, 1);
    }
    score->ratio = score->reference_words > 0
                       ? (double)score->hypothesis_words / (double)score->reference_words
                       : (double)NAN;
    return ALCORE_OK;
}

alcore_status
alcore_metric_compute_length_ratio(alcore_ctx *ctx, const char *const *hypotheses,
                                   const size_t *hypothesis_lengths, int64_t hypothesis_count,
                                   const char *const *references, const size_t *reference_lengths,
                                   int64_t reference_count, alcore_length_ratio_score *out) {
    const alcore__segment_texts texts = {hypotheses, hypothesis_lengths, hypothesis_count,
                                         references, reference_lengths,  reference_count};
    alcore_length_ratio_score score = {0};
    ALCORE__TRY(alcore__enter(ctx));
    alcore_status status = ALCORE_OK;
    if (!ctx || !out) status = alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL");
    if (status == ALCORE_OK) status = count_pairs(ctx, &texts, &score);
    if (status == ALCORE_OK)
        status =
            alcore__struct_write(out, &score, sizeof score,
                                 ALCORE__FIRST_SIZE(alcore_length_ratio_score, reference_words),
                                 "alcore_length_ratio_score");
    return alcore__leave(ctx, status);
}
