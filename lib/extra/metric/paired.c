/* SPDX-License-Identifier: Apache-2.0 */
/* Paired tests (paired.h), by the definitions of sacreBLEU 2.6, whose are those of multeval (Clark
 * et al. 2011). With scores A and B of the systems and D = |A - B|:
 *
 *     bootstrap       d_s = |A_s - B_s| of sample s, the same segments of both with replacement;
 *                     c = samples with d_s - mean(d) > D
 *     randomization   d_s = |A_s - B_s| of shuffle s, which exchanges each segment of both systems
 *                     with probability 1/2; c = shuffles with d_s > D
 *     p = (c + 1) / (samples + 1)
 *
 * One exception: systems whose statistics are equal in every segment have p = 1. By the formulas it
 * would be the smallest p of all, as no d_s is above D = 0. */
#include "extra/metric/paired.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "extra/metric/segment_pairs.h"

/* A task of a thread gets as many samples as have about this many segments together. */
#define SEGMENTS_OF_TASK 65536

alcore_status alcore__paired_read(alcore__paired *out, const alcore_paired_options *given) {
    alcore_paired_options ours;
    *out = (alcore__paired){0};
    if (!given) return ALCORE_OK;
    ALCORE__TRY(alcore__struct_read(&ours, sizeof ours,
                                    ALCORE__FIRST_SIZE(alcore_paired_options, seed), given,
                                    "alcore_paired_options"));
    ALCORE__TRY(alcore__struct_reserved(ours.reserved, "alcore_paired_options"));
    ours.test = alcore__or_default(ours.test, ALCORE_PAIRED_BOOTSTRAP);
    if (ours.test != ALCORE_PAIRED_BOOTSTRAP && ours.test != ALCORE_PAIRED_RANDOMIZATION)
        return alcore__fail(ALCORE_E_INVALID, "test %d is none of ALCORE_PAIRED_...", ours.test);
    ALCORE__TRY(alcore__check_resamples("paired.samples", ours.samples));
    if (ours.samples == 0) ours.samples = ours.test == ALCORE_PAIRED_BOOTSTRAP ? 1000 : 10000;
    *out = (alcore__paired){.baseline = ours.baseline,
                            .lengths = ours.baseline_lengths,
                            .count = ours.baseline_count,
                            .test = ours.test,
                            .samples = ours.samples,
                            .seed = ours.seed};
    return ALCORE_OK;
}

alcore_status alcore__paired_check(const alcore__paired *paired, int64_t hypotheses) {
    if (paired->samples == 0) return ALCORE_OK;
    if (paired->count != hypotheses)
        return alcore__fail(ALCORE_E_SHAPE, "%lld hypotheses, %lld of the baseline",
                            (long long)hypotheses, (long long)paired->count);
    if (hypotheses > 0 && !paired->baseline)
        return alcore__fail(ALCORE_E_INVALID, "the texts of the baseline are NULL");
    return alcore__segment_texts_check(paired->baseline, paired->lengths, hypotheses, "baseline");
}

/* The tasks of one test. */
typedef struct paired_run {
    const alcore__paired *paired;
    const alcore__paired_systems *systems;
    int64_t samples_of_task;
    double *differences; /* [samples] */
} paired_run;

/* Adds the statistics of a segment of both systems to the sums of both, exchanged or not. */
static void add_segment(const alcore__paired_systems *systems, int64_t segment, int exchanged,
                        int64_t sums[2][ALCORE__MOST_STATISTICS]) {
    const int64_t *ours = systems->statistics[0] + segment * systems->width;
    const int64_t *theirs = systems->statistics[1] + segment * systems->width;
    for (int32_t j = 0; j < systems->width; j++) {
        sums[exchanged][j] += ours[j];
        sums[!exchanged][j] += theirs[j];
    }
}

/* The difference of the scores of sample s. */
static double difference_of_sample(const paired_run *run, int64_t s) {
    const alcore__paired_systems *systems = run->systems;
    const bool bootstrap = run->paired->test == ALCORE_PAIRED_BOOTSTRAP;
    int64_t sums[2][ALCORE__MOST_STATISTICS] = {{0}};
    uint64_t bits = 0;
    alcore__rng rng;
    alcore__rng_seed(&rng,
                     alcore__rng_derive(run->paired->seed,
                                        bootstrap ? ALCORE__TAG_BOOTSTRAP : ALCORE__TAG_SHUFFLE,
                                        (uint64_t)s, 0));
    for (int64_t i = 0; i < systems->segments; i++) {
        if (bootstrap) {
            add_segment(systems, (int64_t)alcore__rng_below(&rng, (uint64_t)systems->segments), 0,
                        sums);
            continue;
        }
        bits = i % 64 == 0 ? alcore__rng_u64(&rng) : bits >> 1;
        add_segment(systems, i, (int)(bits & 1), sums);
    }
    return fabs(systems->score(sums[0], systems->settings) -
                systems->score(sums[1], systems->settings));
}

/* For alcore__parallel(): draws the samples of one task. */
static alcore_status draw_samples(void *data, int64_t task, int32_t worker) {
    paired_run *run = data;
    (void)worker;
    const int64_t first = task * run->samples_of_task;
    for (int64_t s = first; s < first + run->samples_of_task && s < run->paired->samples; s++)
        run->differences[s] = difference_of_sample(run, s);
    return ALCORE_OK;
}

/* How many of the differences [samples] are above that of the systems, as the formula says. */
static int64_t count_larger(const paired_run *run) {
    const int64_t samples = run->paired->samples;
    double mean = 0;
    int64_t larger = 0;
    if (run->paired->test == ALCORE_PAIRED_BOOTSTRAP) {
        for (int64_t s = 0; s < samples; s++) mean += run->differences[s];
        mean /= (double)samples;
    }
    for (int64_t s = 0; s < samples; s++)
        larger += run->differences[s] - mean > run->systems->difference;
    return larger;
}

alcore_status alcore__paired_test(alcore_ctx *ctx, const alcore__paired *paired,
                                  const alcore__paired_systems *systems, double *p) {
    paired_run run = {.paired = paired,
                      .systems = systems,
                      .samples_of_task = 1 + SEGMENTS_OF_TASK / systems->segments};
    const size_t bytes = (size_t)(systems->segments * systems->width) * sizeof(int64_t);
    *p = 1;
    if (memcmp(systems->statistics[0], systems->statistics[1], bytes) == 0) return ALCORE_OK;
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)paired->samples, sizeof *run.differences, &run.differences));
    const alcore_status status = alcore__parallel(
        ctx, "paired samples", (paired->samples + run.samples_of_task - 1) / run.samples_of_task,
        draw_samples, &run);
    if (status == ALCORE_OK) *p = (double)(count_larger(&run) + 1) / (double)(paired->samples + 1);
    alcore__free(ctx, run.differences);
    return status;
}
