/* SPDX-License-Identifier: Apache-2.0 */
/* The public call of a corpus metric; corpus_metric.h says what it computes. The texts are the
 * caller's (their statistics are counted by corpus_count.c) or those of files (corpus_files.c). */
#include "metric/corpus_metric.h"

#include "base/tensor_view.h"

/* Counts, then draws the bootstrap samples; with none, alcore__resample() sets the interval to NaN
 * and does not read kept, which is NULL. */
static alcore_status run_metric(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                const alcore_tensor *out_sentence_scores) {
    const size_t segments = (size_t)metric->pairs.count;
    int64_t *kept = NULL;
    alcore__array scores = {0}; /* [pairs.count], the tensor's */
    if (out_sentence_scores)
        ALCORE__TRY(alcore__tensor_output(out_sentence_scores, "out_sentence_scores",
                                          ALCORE_FLOAT64, metric->pairs.count, 1, &scores));
    if (metric->resamples > 0)
        ALCORE__TRY(alcore__new_array(ctx, segments, (size_t)metric->width * sizeof *kept, &kept));
    alcore_status status = alcore__corpus_metric_count(ctx, metric, scores.data, kept);
    if (status == ALCORE_OK)
        status = alcore__resample(ctx, kept, metric->pairs.count, metric->width, metric->resamples,
                                  metric->seed, metric->score, metric, &metric->interval);
    alcore__free(ctx, kept);
    return status;
}

/* The texts of the caller. */
static alcore_status measure_texts(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                   const alcore__segment_texts *texts,
                                   const alcore_tensor *out_sentence_scores) {
    ALCORE__TRY(alcore__segment_pairs_check(texts, &metric->pairs));
    return run_metric(ctx, metric, out_sentence_scores);
}

alcore_status alcore__corpus_metric_compute(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                            const alcore__segment_texts *texts, const void *options,
                                            const alcore_tensor *out_sentence_scores, void *out) {
    ALCORE__TRY(alcore__enter(ctx));
    alcore_status status = ALCORE_OK;
    if (!ctx || !out) status = alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL");
    if (status == ALCORE_OK) status = metric->read(metric, options);
    if (status == ALCORE_OK && metric->files)
        status = texts->hypothesis_count != 0 || texts->reference_count != 0 || out_sentence_scores
                     ? alcore__fail(ALCORE_E_INVALID, "files take the place of texts and of "
                                                      "out_sentence_scores, which are 0 and NULL")
                     : alcore__corpus_files_run(ctx, metric, metric->files);
    else if (status == ALCORE_OK)
        status = measure_texts(ctx, metric, texts, out_sentence_scores);
    if (status == ALCORE_OK) status = metric->write(metric, out);
    return alcore__leave(ctx, status);
}

alcore_status alcore__check_resamples(int64_t resamples) {
    if (resamples >= 0 && resamples <= ALCORE__MOST_RESAMPLES) return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID, "resamples must be 0 to %d", ALCORE__MOST_RESAMPLES);
}

/* "bs:SAMPLES|seed:SEED|", or the empty string without samples. */
const char *alcore__bootstrap_signature(int64_t resamples, uint64_t seed, char buffer[64]) {
    buffer[0] = 0;
    if (resamples > 0)
        alcore__format(buffer, 64, "bs:%lld|seed:%llu|", (long long)resamples,
                       (unsigned long long)seed);
    return buffer;
}
