/* SPDX-License-Identifier: Apache-2.0 */
/* Rescales the values v of a term over all candidates, so that terms of different units can be
 * added (spec 3.4): minmax (v - min) / (max - min), zscore (v - mean) / sd, rank (average rank - 1)
 * / (candidates - 1). One to three passes over the values; ranks sort them. */
#include "strategy/budget/rescale.h"

#include <string.h>

#include "strategy/budget/rank.h"

/* Replaces values [candidates], none NaN, by their average ranks (equal values share the mean of
 * their ranks), mapped from 1 .. candidates to [0, 1]; there are at least two different values. */
static alcore_status by_rank(const alcore__run *run, double *values) {
    int64_t count = run->outcome.count;
    const size_t height = alcore__run_height(run);
    double *ranks;
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &ranks));
    ALCORE__TRY(alcore__average_ranks(run->ctx, values, count, ranks));
    for (int64_t i = 0; i < count; i++) values[i] = (ranks[i] - 1.0) / ((double)count - 1.0);
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* By the word and not by the index of the choice; WORDS has the order of ALCORE__RESCALE_*. */
int64_t alcore__rescale_named(const char *word) {
    static const char *const WORDS[] = {"none", "minmax", "zscore", "rank"};
    for (int64_t scale = ALCORE__RESCALE_NONE; scale <= ALCORE__RESCALE_RANK; scale++)
        if (word && strcmp(word, WORDS[scale]) == 0) return scale;
    return ALCORE__RESCALE_NONE;
}

/* After the test of equal values two values differ, so that width is above 0. */
alcore__scale alcore__scale_of_range(double low, double high) {
    const double ends[] = {low, high};
    alcore__scale scale = {.exponent = alcore__common_exponent(ends, 2)};
    if (low == high) return scale;
    scale.shift = alcore__moved_exponent(&scale, low);
    scale.width = alcore__moved_exponent(&scale, high) - scale.shift;
    return scale;
}

/* Where all values are equal, all become 0. After that test two values differ, so max - min,
 * candidates - 1 and sd are above 0. */
alcore_status alcore__rescale(const alcore__run *run, int64_t scale, double *values) {
    int64_t count = run->outcome.count;
    if (scale == ALCORE__RESCALE_NONE) return ALCORE_OK;
    double low = values[0], high = values[0];
    for (int64_t i = 1; i < count; i++) {
        if (values[i] < low) low = values[i];
        if (values[i] > high) high = values[i];
    }
    /* Tested first: the rounded mean of equal values may differ from them. */
    if (high == low) {
        memset(values, 0, (size_t)count * sizeof *values);
        return ALCORE_OK;
    }
    if (scale == ALCORE__RESCALE_RANK) return by_rank(run, values);
    alcore__scale of_all = alcore__scale_of_range(low, high);
    for (int64_t i = 0; i < count && of_all.exponent != 0; i++)
        values[i] = alcore__moved_exponent(&of_all, values[i]);
    of_all.exponent = 0;
    if (scale == ALCORE__RESCALE_ZSCORE)
        alcore__candidate_mean_sd(run, values, 1.0 /* weight */, &of_all.shift, &of_all.width);
    for (int64_t i = 0; i < count; i++) values[i] = (values[i] - of_all.shift) / of_all.width;
    return ALCORE_OK;
}
