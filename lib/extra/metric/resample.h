/* SPDX-License-Identifier: Apache-2.0 */
/* Bootstrap intervals of a corpus metric (Koehn 2004): the metric of corpora of the same size,
 * drawn from the segments with replacement. */
#ifndef ALCORE__RESAMPLE_H
#define ALCORE__RESAMPLE_H

#include "base/base.h"

enum {
    ALCORE__MOST_RESAMPLES = 1000000, /* samples of one call */
    ALCORE__MOST_STATISTICS = 32      /* statistics of a segment */
};

/* Mean of the samples' scores and the ends of the 95 % interval. */
typedef struct alcore__interval {
    double mean, low, high;
} alcore__interval;

/* The score of a corpus whose statistics add up to sums [width]. */
typedef double (*alcore__score_of_sums)(const int64_t *sums, const void *settings);

/* statistics: [segments][width], width at most ALCORE__MOST_STATISTICS. Every sample has its own
 * generator, seeded by derive(seed, 15, sample, 0), and draws `segments` times below(segments). Of
 * n sorted scores the ends are number floor(n / 40) and number n - 1 - floor(n / 40), from 0, as
 * sacreBLEU's. NaN without segments or samples. */
alcore_status alcore__resample(alcore_ctx *ctx, const int64_t *statistics, int64_t segments,
                               int32_t width, int64_t samples, uint64_t seed,
                               alcore__score_of_sums score, const void *settings,
                               alcore__interval *out);

/* The check that all metrics share of their number of samples. */
alcore_status alcore__check_resamples(const char *name, int64_t resamples);

#endif
