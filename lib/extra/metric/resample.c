/* SPDX-License-Identifier: Apache-2.0 */
/* Bootstrap intervals: the draws, the sums and the ends are defined in resample.h. Time: samples *
 * segments * width additions; memory: one double a sample. */
#include "extra/metric/resample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

#define TICK_EVERY 4096 /* segments between two polls of cancellation */

/* For sorting: ascending. */
static int rising(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Draws one sample, `segments` rows of statistics [segments, width] with replacement, and scores
 * the sums of their columns: *out. rng: of this sample alone. segments is above 0, width at most
 * ALCORE__MOST_STATISTICS. */
static alcore_status score_sample(alcore_ctx *ctx, const int64_t *statistics, int64_t segments,
                                  int32_t width, alcore__rng *rng, alcore__score_of_sums score,
                                  const void *settings, double *out) {
    int64_t sums[ALCORE__MOST_STATISTICS] = {0};
    for (int64_t i = 0; i < segments; i++) {
        if (i % TICK_EVERY == TICK_EVERY - 1) ALCORE__TRY(alcore__tick(ctx, NULL, 0, 0));
        const int64_t *row =
            statistics + (int64_t)alcore__rng_below(rng, (uint64_t)segments) * width;
        for (int32_t j = 0; j < width; j++) sums[j] += row[j];
    }
    *out = score(sums, settings);
    return ALCORE_OK;
}

/* Called once a corpus, also without samples, where statistics may be NULL. *out: mean of the
 * scores, and the ends of the interval that leaves floor(samples / 40) scores out on either side
 * (95 %). */
alcore_status alcore__resample(alcore_ctx *ctx, const int64_t *statistics, int64_t segments,
                               int32_t width, int64_t samples, uint64_t seed,
                               alcore__score_of_sums score, const void *settings,
                               alcore__interval *out) {
    *out = (alcore__interval){.mean = NAN, .low = NAN, .high = NAN};
    if (segments == 0 || samples == 0) return ALCORE_OK;
    double *scores = NULL, sum = 0;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)samples, sizeof *scores, &scores));
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < samples && status == ALCORE_OK; i++) {
        alcore__rng rng;
        alcore__rng_seed(&rng, alcore__rng_derive(seed, ALCORE__TAG_BOOTSTRAP, (uint64_t)i, 0));
        status = score_sample(ctx, statistics, segments, width, &rng, score, settings, &scores[i]);
        sum += scores[i];
        if (status == ALCORE_OK) status = alcore__tick(ctx, "bootstrap samples", i + 1, samples);
    }
    if (status == ALCORE_OK)
        status = alcore__sort(ctx, scores, (size_t)samples, sizeof *scores, rising);
    if (status == ALCORE_OK) {
        const int64_t cut = samples / 40;
        *out = (alcore__interval){
            .mean = sum / (double)samples, .low = scores[cut], .high = scores[samples - 1 - cut]};
    }
    alcore__free(ctx, scores);
    return status;
}

alcore_status alcore__check_resamples(const char *name, int64_t resamples) {
    if (resamples >= 0 && resamples <= ALCORE__MOST_RESAMPLES) return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID, "%s must be 0 to %d", name, ALCORE__MOST_RESAMPLES);
}
