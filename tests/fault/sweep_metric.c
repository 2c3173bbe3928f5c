/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: the measures of an experiment. */
#include <string.h>

#include "sweep.h"

static const char *const hypotheses[2] = {"a b c d e", "x y."};
static const char *const references[4] = {"a b c d f", "x z.", "b", "y"};
static const double numbers[4] = {1, -2, 3, 4};

ALLOCATES(alcore_metric_compute_bleu, 0) {
    alcore_bleu_options options = ALCORE_BLEU_OPTIONS_INIT;
    alcore_bleu_score score = ALCORE_BLEU_SCORE_INIT;
    options.resamples = 2;
    return alcore_metric_compute_bleu(w->ctx, hypotheses, NULL, 2, references, NULL, 4, &options,
                                      NULL, &score);
}
ALLOCATES(alcore_metric_compute_chrf, 0) {
    alcore_chrf_options options = ALCORE_CHRF_OPTIONS_INIT;
    alcore_chrf_score score = ALCORE_CHRF_SCORE_INIT;
    options.word_order = 2;
    options.resamples = 2;
    return alcore_metric_compute_chrf(w->ctx, hypotheses, NULL, 2, references, NULL, 4, &options,
                                      NULL, &score);
}
ALLOCATES(alcore_metric_compute_wilcoxon, 0) {
    alcore_wilcoxon_result result = ALCORE_WILCOXON_RESULT_INIT;
    return alcore_metric_compute_wilcoxon(w->ctx, numbers, 4, NULL, 0, &result);
}
NEVER(alcore_metric_compute_mean, 0) {
    alcore_mean_result result = ALCORE_MEAN_RESULT_INIT;
    (void)w;
    return alcore_metric_compute_mean(numbers, 4, &result);
}
NEVER(alcore_metric_compute_pearson, 0) {
    alcore_pearson_result result = ALCORE_PEARSON_RESULT_INIT;
    (void)w;
    return alcore_metric_compute_pearson(numbers, 4, numbers, 4, &result);
}
NEVER(alcore_metric_bleu_signature, 0) {
    char buffer[160];
    HOLDS(alcore_metric_bleu_signature(1, NULL, buffer) == buffer);
}
NEVER(alcore_metric_chrf_signature, 0) {
    char buffer[160];
    HOLDS(alcore_metric_chrf_signature(1, NULL, buffer) == buffer);
}
ALLOCATES(alcore_metric_compute_labels, 0) {
    alcore_label_score score = ALCORE_LABEL_SCORE_INIT;
    return alcore_metric_compute_labels(w->ctx, references, NULL, 4, references, NULL, 4, &score);
}
NEVER(alcore_metric_compute_spans, 0) {
    static const char *const tags[1] = {"B-PER I-PER O"};
    alcore_span_score score = ALCORE_SPAN_SCORE_INIT;
    return alcore_metric_compute_spans(w->ctx, tags, NULL, 1, tags, NULL, 1, 0, &score);
}
