/* SPDX-License-Identifier: Apache-2.0 */
/* A corpus metric beside that of another system, the baseline, and the samples of both: the
 * bootstrap interval of one, the paired test of the two (paired.h). */
#include <math.h>
#include <string.h>

#include "extra/metric/corpus_metric.h"

alcore_status alcore__corpus_metric_count_both(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                               const char *const *baseline, const size_t *lengths,
                                               double *scores, int64_t *const kept[2]) {
    ALCORE__TRY(alcore__corpus_metric_count(ctx, metric, scores, kept[0]));
    if (metric->paired.samples == 0) return ALCORE_OK;
    alcore__corpus_metric other = *metric;
    other.pairs.hypotheses = baseline;
    other.pairs.hypothesis_lengths = lengths;
    memcpy(other.sums, metric->paired.sums, sizeof other.sums);
    ALCORE__TRY(alcore__corpus_metric_count(ctx, &other, NULL, kept[1]));
    memcpy(metric->paired.sums, other.sums, sizeof other.sums);
    return ALCORE_OK;
}

/* With no samples alcore__resample() sets the interval to NaN and does not read kept, which is
 * NULL. */
alcore_status alcore__corpus_metric_sample(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                           int64_t *const kept[2], int64_t segments) {
    metric->baseline_score = metric->p = NAN;
    ALCORE__TRY(alcore__resample(ctx, kept[0], segments, metric->width, metric->resamples,
                                 metric->seed, metric->score, metric, &metric->interval));
    if (metric->paired.samples == 0 || segments == 0) return ALCORE_OK;
    const alcore__paired_systems systems = {
        .statistics = {kept[0], kept[1]},
        .segments = segments,
        .width = metric->width,
        .score = metric->score,
        .settings = metric,
        .difference =
            fabs(metric->score(metric->sums, metric) - metric->score(metric->paired.sums, metric))};
    metric->baseline_score = metric->score(metric->paired.sums, metric);
    return alcore__paired_test(ctx, &metric->paired, &systems, &metric->p);
}
