/* SPDX-License-Identifier: Apache-2.0 */
/* Paired tests of two systems by a corpus metric (docs/spec/analyses.md 8.5): how likely is a
 * difference of scores as large as theirs if the systems are alike? */
#ifndef ALCORE__PAIRED_H
#define ALCORE__PAIRED_H

#include "alcore/extra/metric.h"
#include "extra/metric/resample.h"

/* The baseline of a call and its test. */
typedef struct alcore__paired {
    const char *const *baseline; /* [count] of the caller; NULL: its file is the last one */
    const size_t *lengths;       /* [count] bytes, or NULL: NUL-terminated */
    int64_t count;
    int32_t test;    /* ALCORE_PAIRED_* */
    int64_t samples; /* 0: there is no baseline */
    uint64_t seed;
    int64_t sums[ALCORE__MOST_STATISTICS]; /* [width] of the baseline, summed over all segments */
} alcore__paired;

/* Checks the caller's struct, whose texts alcore__paired_check() checks, and fills *out, with the
 * default number of samples; NULL: there is no baseline. */
alcore_status alcore__paired_read(alcore__paired *out, const alcore_paired_options *given);

/* Checks the texts of a baseline against the number of hypotheses. */
alcore_status alcore__paired_check(const alcore__paired *paired, int64_t hypotheses);

/* Two systems that were counted. */
typedef struct alcore__paired_systems {
    const int64_t *statistics[2]; /* [segments, width] of the hypotheses and of the baseline */
    int64_t segments;             /* 1 or more */
    int32_t width;
    alcore__score_of_sums score;
    const void *settings; /* of score */
    double difference;    /* of the scores of both, 0 or more */
} alcore__paired_systems;

/* *p: of the test, from 1 / (samples + 1) to 1. Time: samples * segments * width additions on the
 * context's threads; memory: a number a sample. */
alcore_status alcore__paired_test(alcore_ctx *ctx, const alcore__paired *paired,
                                  const alcore__paired_systems *systems, double *p);

#endif
