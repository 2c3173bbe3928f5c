/* SPDX-License-Identifier: Apache-2.0 */
/* The length ratio of a corpus: words of the hypotheses / words of the references
 * (docs/spec/analyses.md 8.4). */
#include <math.h>

#include "alcore/extra/metric.h"
#include "extra/metric/segment_pairs.h"
#include "extra/metric/text_blocks.h"
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

/* The words of one call so far. */
typedef struct word_counts {
    alcore_ctx *ctx;
    int64_t segments;
    alcore_length_ratio_result score; /* its ratio is computed in the end */
} word_counts;

/* Counts the words of pairs. total: how many the call has, -1 where that is not known. */
static alcore_status count_pairs(word_counts *counts, const alcore__segment_pairs *pairs,
                                 int64_t total) {
    for (int64_t i = 0; i < pairs->count; i++) {
        if (counts->segments % TICK_EVERY == 0)
            ALCORE__TRY(alcore__tick(counts->ctx, "words", counts->segments, total));
        counts->score.hypothesis_words += count_words(pairs, i, 0);
        counts->score.reference_words += count_words(pairs, i, 1);
        counts->segments++;
    }
    return ALCORE_OK;
}

/* Counts the words of the caller's texts, which it checks. */
static alcore_status count_texts(word_counts *counts, const alcore__segment_texts *texts) {
    alcore__segment_pairs pairs;
    ALCORE__TRY(alcore__segment_pairs_check(texts, &pairs));
    if (pairs.sets != 1)
        return alcore__fail(ALCORE_E_SHAPE, "%lld references for each hypothesis; one is needed",
                            (long long)pairs.sets);
    return count_pairs(counts, &pairs, pairs.count);
}

/* For alcore__text_blocks_visit(). */
static alcore_status count_block(void *data, const alcore__text_block *block) {
    const alcore__segment_pairs pairs = {.hypotheses = block->texts,
                                         .hypothesis_lengths = block->lengths,
                                         .references = block->texts + block->count,
                                         .reference_lengths = block->lengths + block->count,
                                         .count = block->count,
                                         .sets = 1};
    return count_pairs(data, &pairs, -1);
}

/* Body of both public calls: counts the words of files or, where it is NULL, of texts. */
static alcore_status compute_ratio(alcore_ctx *ctx, const alcore_text_files *files,
                                   const alcore__segment_texts *texts,
                                   const alcore_length_ratio_options *options,
                                   alcore_length_ratio_result *out) {
    static const alcore__text_files_rule rule = {2, 2, "hypotheses and references", false, true};
    word_counts counts = {.ctx = ctx};
    alcore_length_ratio_result *score = &counts.score;
    if (!ctx || !out) return alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL");
    ALCORE__TRY(alcore__struct_empty(options, "alcore_length_ratio_options"));
    ALCORE__TRY(files ? alcore__text_blocks_visit(ctx, files, &rule, count_block, &counts)
                      : count_texts(&counts, texts));
    score->ratio = score->reference_words > 0
                       ? (double)score->hypothesis_words / (double)score->reference_words
                       : (double)NAN;
    return alcore__struct_write(out, score, sizeof *score,
                                ALCORE__FIRST_SIZE(alcore_length_ratio_result, reference_words),
                                "alcore_length_ratio_result");
}

alcore_status alcore_metric_compute_length_ratio(
    alcore_ctx *ctx, const char *const *hypotheses, const size_t *hypothesis_lengths,
    int64_t hypothesis_count, const char *const *references, const size_t *reference_lengths,
    int64_t reference_count, const alcore_length_ratio_options *options,
    alcore_length_ratio_result *out) {
    const alcore__segment_texts texts = {hypotheses, hypothesis_lengths, hypothesis_count,
                                         references, reference_lengths,  reference_count};
    ALCORE__TRY(alcore__enter_long(ctx));
    return alcore__leave(ctx, compute_ratio(ctx, NULL, &texts, options, out));
}

alcore_status alcore_metric_read_length_ratio(alcore_ctx *ctx, const alcore_text_files *files,
                                              const alcore_length_ratio_options *options,
                                              alcore_length_ratio_result *out) {
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!files) return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "files is NULL"));
    return alcore__leave(ctx, compute_ratio(ctx, files, NULL, options, out));
}
