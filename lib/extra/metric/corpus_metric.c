/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls of a corpus metric; corpus_metric.h says what it computes. The texts are the
 * caller's (their statistics are counted by corpus_count.c) or those of files (corpus_files.c). */
#include "extra/metric/corpus_metric.h"

#include "base/tensor_view.h"

/* Counts the caller's texts and draws the samples, for which the statistics of all segments are
 * kept. */
static alcore_status run_metric(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                const alcore_tensor *out_sentence_scores) {
    const size_t segments = (size_t)metric->pairs.count;
    const alcore__paired *paired = &metric->paired;
    const bool wanted[2] = {metric->resamples > 0 || paired->samples > 0, paired->samples > 0};
    int64_t *kept[2] = {NULL, NULL};
    alcore__array scores = {0}; /* [pairs.count], the tensor's */
    alcore_status status = ALCORE_OK;
    if (out_sentence_scores)
        ALCORE__TRY(alcore__tensor_output(out_sentence_scores, "out_sentence_scores",
                                          ALCORE_FLOAT64, metric->pairs.count, 1, &scores));
    for (int i = 0; i < 2 && status == ALCORE_OK; i++)
        if (wanted[i])
            status =
                alcore__new_array(ctx, segments, (size_t)metric->width * sizeof *kept[i], &kept[i]);
    if (status == ALCORE_OK)
        status = alcore__corpus_metric_count_both(ctx, metric, paired->baseline, paired->lengths,
                                                  scores.data, kept);
    if (status == ALCORE_OK)
        status = alcore__corpus_metric_sample(ctx, metric, kept, metric->pairs.count);
    alcore__free(ctx, kept[0]);
    alcore__free(ctx, kept[1]);
    return status;
}

/* The texts of the caller. */
static alcore_status measure_texts(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                   const alcore__segment_texts *texts,
                                   const alcore_tensor *out_sentence_scores) {
    ALCORE__TRY(alcore__segment_pairs_check(texts, &metric->pairs));
    ALCORE__TRY(alcore__paired_check(&metric->paired, metric->pairs.count));
    if (metric->begin) ALCORE__TRY(metric->begin(metric));
    return run_metric(ctx, metric, out_sentence_scores);
}

alcore_status alcore__corpus_metric_compute(alcore_ctx *ctx, alcore__corpus_metric metric,
                                            const alcore__segment_texts *texts, const void *options,
                                            const alcore_tensor *out_sentence_scores, void *out) {
    ALCORE__TRY(alcore__enter_long(ctx));
    alcore_status status = ALCORE_OK;
    if (!ctx || !out) status = alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL");
    if (status == ALCORE_OK) status = metric.read(&metric, options);
    if (status == ALCORE_OK) status = measure_texts(ctx, &metric, texts, out_sentence_scores);
    if (status == ALCORE_OK) status = metric.write(&metric, out);
    return alcore__leave(ctx, status);
}

alcore_status alcore__corpus_metric_read(alcore_ctx *ctx, alcore__corpus_metric metric,
                                         const alcore_text_files *files, const void *options,
                                         void *out) {
    ALCORE__TRY(alcore__enter_long(ctx));
    alcore_status status = ALCORE_OK;
    if (!ctx || !files || !out)
        status = alcore__fail(ALCORE_E_INVALID, "ctx, files or out is NULL");
    if (status == ALCORE_OK) status = metric.read(&metric, options);
    if (status == ALCORE_OK) status = alcore__corpus_files_run(ctx, &metric, files);
    if (status == ALCORE_OK) status = metric.write(&metric, out);
    return alcore__leave(ctx, status);
}

const char *alcore__bootstrap_signature(int64_t resamples, uint64_t seed,
                                        const alcore_paired_options *paired, char buffer[64]) {
    alcore__paired test = {0};
    buffer[0] = 0;
    if (alcore__paired_read(&test, paired) == ALCORE_OK && test.samples > 0)
        alcore__format(buffer, 64, "%s:%lld|seed:%llu|",
                       test.test == ALCORE_PAIRED_BOOTSTRAP ? "bs" : "ar", (long long)test.samples,
                       (unsigned long long)test.seed);
    else if (resamples > 0)
        alcore__format(buffer, 64, "bs:%lld|seed:%llu|", (long long)resamples,
                       (unsigned long long)seed);
    return buffer;
}

const char *alcore__reference_sets(int64_t sets, char buffer[24]) {
    if (sets > 0)
        alcore__format(buffer, 24, "%lld", (long long)sets);
    else
        alcore__format(buffer, 24, "var");
    return buffer;
}
