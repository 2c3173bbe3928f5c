/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over the segments of a corpus; corpus_metric.h says what it computes. */
#include "metric/corpus_metric.h"

#include <string.h>

#include "base/tensor_view.h"

/* The scores [pairs.count] that the caller's tensor has room for; NULL without a tensor. */
static alcore_status score_array(const alcore__corpus_metric *metric, const alcore_tensor *tensor,
                                 double **out) {
    alcore__array array;
    *out = NULL;
    if (!tensor) return ALCORE_OK;
    ALCORE__TRY(alcore__tensor_output(tensor, "out_sentence_scores", ALCORE_FLOAT64,
                                      metric->pairs.count, 1, &array));
    *out = (double *)(uintptr_t)array.data;
    return ALCORE_OK;
}

/* Counts all segments into metric->sums [width], which are 0 before. A segment is a hypothesis with
 * its references. sentence_scores [pairs.count]: out, NULL: not wanted. kept [pairs.count, width]:
 * out, the statistics of each segment for bootstrap samples; NULL: none are drawn. */
static alcore_status count_corpus(alcore__corpus_metric *metric, double *sentence_scores,
                                  int64_t *kept) {
    const int64_t segments = metric->pairs.count;
    const int32_t width = metric->width;
    for (int64_t i = 0; i < segments; i++) {
        int64_t statistics[ALCORE__MOST_STATISTICS] = {0};
        double *score = !sentence_scores ? NULL : sentence_scores + i;
        ALCORE__TRY(alcore__tick(metric->counter.ctx, metric->stage, i, segments));
        ALCORE__TRY(metric->count(metric, i, statistics, score));
        for (int32_t j = 0; j < width; j++) metric->sums[j] += statistics[j];
        if (kept) memcpy(kept + i * width, statistics, (size_t)width * sizeof *statistics);
    }
    return ALCORE_OK;
}

/* Counts, then draws the bootstrap samples; with none, alcore__resample() sets the interval to NaN
 * and does not read kept, which is NULL. The workspaces are freed in every case. */
alcore_status alcore__corpus_metric_run(alcore__corpus_metric *metric,
                                        const alcore_tensor *sentence_scores) {
    alcore_ctx *ctx = metric->counter.ctx;
    const size_t segments = (size_t)metric->pairs.count;
    int64_t *kept = NULL;
    double *scores; /* [pairs.count], the tensor's; NULL: not wanted */
    alcore_status status = score_array(metric, sentence_scores, &scores);
    if (status == ALCORE_OK && metric->resamples > 0)
        status = alcore__new_array(ctx, segments, (size_t)metric->width * sizeof *kept, &kept);
    if (status == ALCORE_OK) status = count_corpus(metric, scores, kept);
    if (status == ALCORE_OK)
        status = alcore__resample(ctx, kept, metric->pairs.count, metric->width, metric->resamples,
                                  metric->seed, metric->score, metric->settings, &metric->interval);
    alcore__ngram_counter_clear(&metric->counter);
    alcore__token_lines_clear(&metric->lines);
    alcore__free(ctx, kept);
    return status;
}

/* "bs:SAMPLES|seed:SEED|", or the empty string without samples. */
const char *alcore__bootstrap_signature(int64_t resamples, uint64_t seed, char buffer[64]) {
    buffer[0] = 0;
    if (resamples > 0)
        alcore__format(buffer, 64, "bs:%lld|seed:%llu|", (long long)resamples,
                       (unsigned long long)seed);
    return buffer;
}
