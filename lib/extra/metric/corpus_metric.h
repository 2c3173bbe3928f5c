/* SPDX-License-Identifier: Apache-2.0 */
/* A metric whose score of a corpus comes from integer counts that are added up over its segments,
 * as BLEU, chrF and TER are. A segment is a hypothesis with its references. The metric reads its
 * options, counts one segment, scores a vector of sums and writes the caller's struct; the public
 * call, the loop over the corpus, the sums and the bootstrap interval are here. */
#ifndef ALCORE__CORPUS_METRIC_H
#define ALCORE__CORPUS_METRIC_H

#include "alcore/extra/metric.h"
#include "alcore/tensor.h"
#include "extra/metric/paired.h"
#include "extra/metric/resample.h"
#include "extra/metric/segment_pairs.h"
#include "extra/metric/shift_search.h"
#include "text/bleu_tokens.h"
#include "text/clipped_ngrams.h"

/* What one thread counts segments in; everything in it is reused by the next segment. A zeroed
 * struct with the ctx of its members set is empty. */
typedef struct alcore__metric_workspace {
    alcore__ngram_counter counter; /* words and n-grams of one segment */
    alcore__token_lines lines;     /* code points of one text */
    alcore__shift_search shifts;   /* edit distances of TER */
} alcore__metric_workspace;

typedef struct alcore__corpus_metric alcore__corpus_metric;

/* One call of a metric. The metric sets the members of the first group; the others begin as zero.
 */
struct alcore__corpus_metric {
    const char *stage; /* name of the progress stage */
    void *settings;    /* the metric's options, filled by read */
    int32_t width; /* statistics of a segment, at most ALCORE__MOST_STATISTICS; begin may set it */
    /* Checks the caller's options (NULL: defaults), fills settings, resamples and seed. */
    alcore_status (*read)(alcore__corpus_metric *metric, const void *options);
    /* Called once before the first segment, when pairs.sets is known; NULL: nothing to do. */
    alcore_status (*begin)(alcore__corpus_metric *metric);
    /* Counts one segment: fills statistics [width], which are 0 before, and, unless score is NULL,
     * the score of that segment alone. Called from any thread. */
    alcore_status (*count)(const alcore__corpus_metric *metric, alcore__metric_workspace *work,
                           int64_t segment, int64_t *statistics, double *score);
    alcore__score_of_sums score; /* of a bootstrap sample; its settings are the metric */
    /* Fills the caller's size-first struct from sums and interval. */
    alcore_status (*write)(const alcore__corpus_metric *metric, void *out);

    int64_t resamples;                     /* bootstrap samples; 0: none */
    uint64_t seed;                         /* of the bootstrap samples */
    alcore__segment_pairs pairs;           /* texts of the caller */
    int64_t sums[ALCORE__MOST_STATISTICS]; /* [width] result: statistics summed over all segments */
    alcore__interval interval;             /* result: NaN without bootstrap samples */
    alcore__paired paired;                 /* the baseline and its test; samples 0: none */
    double baseline_score, p;              /* result: NaN without a baseline */
};

/* The whole of a public call: checks the arguments, counts all segments on the context's threads,
 * draws the bootstrap samples and writes *out. The texts are those of the caller;
 * out_sentence_scores, his tensor, is checked to be float64 [hypotheses] and receives the score of
 * each segment; NULL if those are not wanted. The result does not depend on the number of threads:
 * only integers are added up. Time: that of the counting, and resamples * segments * width
 * additions; memory: a workspace a thread and, for bootstrap samples only, segments * width
 * integers. */
alcore_status alcore__corpus_metric_compute(alcore_ctx *ctx, alcore__corpus_metric metric,
                                            const alcore__segment_texts *texts, const void *options,
                                            const alcore_tensor *out_sentence_scores, void *out);

/* The same of files, whose score of a line is called if it is wanted. */
alcore_status alcore__corpus_metric_read(alcore_ctx *ctx, alcore__corpus_metric metric,
                                         const alcore_text_files *files, const void *options,
                                         void *out);

/* Counts the segments of metric->pairs and adds to metric->sums (corpus_count.c). scores
 * [pairs.count] and kept [pairs.count, width]: the score and the statistics of each segment; NULL:
 * not wanted. */
alcore_status alcore__corpus_metric_count(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                          double *scores, int64_t *kept);

/* Counts the segments of metric->pairs as alcore__corpus_metric_count() does, of the hypotheses
 * and, where there is one, of the baseline, whose hypotheses [pairs.count] and lengths are given.
 * kept: as of alcore__corpus_metric_count(), of both systems one after the other. */
alcore_status alcore__corpus_metric_count_both(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                               const char *const *baseline, const size_t *lengths,
                                               double *scores, int64_t *const kept[2]);

/* Draws the samples of a counted corpus (corpus_samples.c): the interval, and the test of the
 * baseline. kept: of both systems, [segments, width] each. */
alcore_status alcore__corpus_metric_sample(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                           int64_t *const kept[2], int64_t segments);

/* Counts the segments of files and draws the bootstrap samples (corpus_files.c). */
alcore_status alcore__corpus_files_run(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                       const alcore_text_files *files);

/* Writes "bs:SAMPLES|seed:SEED|", the part of a metric's signature that names its bootstrap
 * samples, "ar:" for those of a randomization test, or nothing without samples; returns buffer.
 * paired: of the options, checked; a test goes before an interval. */
const char *alcore__bootstrap_signature(int64_t resamples, uint64_t seed,
                                        const alcore_paired_options *paired, char buffer[64]);

/* Writes the number of sets of references, or "var" for 0; returns buffer. */
const char *alcore__reference_sets(int64_t sets, char buffer[24]);

#endif
