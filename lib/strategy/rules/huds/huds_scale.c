/* SPDX-License-Identifier: Apache-2.0 */
/* The common scale of u and d in a run over own rows: what the scale needs of all candidates is
 * exchanged, after the distances. Otherwise huds_outcome.c rescales the values of all. */
#include "strategy/rules/huds/huds.h"

/* Condition of the pass over d: there is a scale. */
static bool needs_range(const alcore__run *run) {
    const alcore__huds_state *state = run->state;
    return state->brief && run->rescale != ALCORE__RESCALE_NONE;
}

/* Of the passes that sum: it has means and deviations. */
static bool needs_moments(const alcore__run *run) {
    return needs_range(run) && run->rescale == ALCORE__RESCALE_ZSCORE;
}

static alcore_status range_of_distances(alcore__block *block, void *partial) {
    const alcore__huds_state *state = block->run->state;
    *(alcore__huds_range *)partial = alcore__huds_range_of(state->d + block->start, block->count);
    return ALCORE_OK;
}

static alcore_status widen_distances(alcore__run *run, const alcore__block_partial *partial) {
    alcore__huds_state *state = run->state;
    return alcore__huds_widen(&state->d_range, partial);
}

static alcore_status set_scales(alcore__run *run) {
    alcore__huds_state *state = run->state;
    state->u_scale = alcore__scale_of_range(state->u_range.low, state->u_range.high);
    state->d_scale = alcore__scale_of_range(state->d_range.low, state->d_range.high);
    return ALCORE_OK;
}

/* The sum of a term's values [count] less a center, or of the squares of that, in the order of
 * alcore__candidate_mean_sd(). */
static double sum_of(const alcore__scale *scale, const double *values, int64_t count, double center,
                     bool squared) {
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) {
        const double difference = alcore__moved_exponent(scale, values[i]) - center;
        sum += squared ? difference * difference : difference;
    }
    return sum;
}

/* The partial is sums [2], of u and of d. */
static alcore_status sum_terms(alcore__block *block, void *partial) {
    const alcore__huds_state *state = block->run->state;
    double *sums = partial;
    sums[0] = sum_of(&state->u_scale, state->u + block->start, block->count, 0.0, false);
    sums[1] = sum_of(&state->d_scale, state->d + block->start, block->count, 0.0, false);
    return ALCORE_OK;
}

static alcore_status square_terms(alcore__block *block, void *partial) {
    const alcore__huds_state *state = block->run->state;
    double *sums = partial;
    sums[0] = sum_of(&state->u_scale, state->u + block->start, block->count, state->means[0], true);
    sums[1] = sum_of(&state->d_scale, state->d + block->start, block->count, state->means[1], true);
    return ALCORE_OK;
}

static alcore_status set_means(alcore__run *run) {
    alcore__huds_state *state = run->state;
    for (int32_t t = 0; t < 2; t++)
        state->means[t] = state->term_sums.values[t] / (double)state->counts[state->strata];
    return ALCORE_OK;
}

/* A term of equal values stays on the scale that makes 0 of them. */
static alcore_status set_deviations(alcore__run *run) {
    alcore__huds_state *state = run->state;
    alcore__scale *const scales[] = {&state->u_scale, &state->d_scale};
    for (int32_t t = 0; t < 2; t++) {
        if (scales[t]->width == 0.0) continue;
        scales[t]->shift = state->means[t];
        scales[t]->width =
            sqrt(state->term_squares.values[t] / (double)state->counts[state->strata]);
    }
    return ALCORE_OK;
}

const alcore__pass alcore__huds_scale_passes[] = {
    {.name = "range of distances",
     .narrow = true,
     .keeps_nothing = true,
     .block = range_of_distances,
     .partial = {.extra = alcore__huds_range_bytes,
                 .reduce = widen_distances,
                 .join = alcore__huds_join_ranges},
     .end = set_scales,
     .when = ALCORE__TEST(needs_range)},
    {.name = "sums of terms",
     .narrow = true,
     .keeps_nothing = true,
     .block = sum_terms,
     .partial = {.sums = ALCORE__SUMS(alcore__huds_state, term_sums)},
     .end = set_means,
     .when = ALCORE__TEST(needs_moments)},
    {.name = "squares of terms",
     .narrow = true,
     .keeps_nothing = true,
     .block = square_terms,
     .partial = {.sums = ALCORE__SUMS(alcore__huds_state, term_squares)},
     .end = set_deviations,
     .when = ALCORE__TEST(needs_moments)},
    {.name = NULL},
};
