/* SPDX-License-Identifier: Apache-2.0 */
/* A metric whose score of a corpus comes from integer counts that are added up over its segments,
 * as BLEU and chrF are. The metric counts one segment and scores a vector of sums; the loop over
 * the corpus, the sums and the bootstrap interval are here. */
#ifndef ALCORE__CORPUS_METRIC_H
#define ALCORE__CORPUS_METRIC_H

#include "alcore/tensor.h"
#include "metric/bleu_tokens.h"
#include "metric/clipped_ngrams.h"
#include "metric/resample.h"
#include "metric/segment_pairs.h"

typedef struct alcore__corpus_metric alcore__corpus_metric;

/* Counts one segment: fills statistics [width] and, unless score is NULL, the score of that segment
 * alone. It works in metric->counter and metric->lines. */
typedef alcore_status (*alcore__count_segment)(alcore__corpus_metric *metric, int64_t segment,
                                               int64_t *statistics, double *score);

/* One call of a metric. The caller sets the members of the first group; the others begin as zero
 * but for counter.ctx and lines.ctx. */
struct alcore__corpus_metric {
    const char *stage;    /* name of the progress stage */
    const void *settings; /* the metric's options, read by count and score */
    int32_t width;        /* statistics of a segment, at most ALCORE__MOST_STATISTICS */
    int64_t resamples;    /* bootstrap samples; 0: none */
    uint64_t seed;        /* of the bootstrap samples */
    alcore__count_segment count;
    alcore__score_of_sums score;
    alcore__segment_pairs pairs; /* texts of the caller */

    alcore__ngram_counter counter; /* workspace of one segment, reused by the next */
    alcore__token_lines lines;     /* workspace of one text */

    int64_t sums[ALCORE__MOST_STATISTICS]; /* [width] result: statistics summed over all segments */
    alcore__interval interval;             /* result: NaN without bootstrap samples */
};

/* Counts all segments of metric->pairs and fills metric->sums and metric->interval.
 * sentence_scores, the caller's tensor, is checked to be float64 [pairs.count] and receives the
 * score of each segment; NULL if those are not wanted. Releases the workspaces. Time: that of the
 * counting, and resamples * segments * width additions; memory: the workspaces and, for bootstrap
 * samples only, segments * width integers. */
alcore_status alcore__corpus_metric_run(alcore__corpus_metric *metric,
                                        const alcore_tensor *sentence_scores);

/* Writes "bs:SAMPLES|seed:SEED|", the part of a metric's signature that names its bootstrap
 * samples, or nothing without samples; returns buffer. */
const char *alcore__bootstrap_signature(int64_t resamples, uint64_t seed, char buffer[64]);

#endif
