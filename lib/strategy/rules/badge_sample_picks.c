/* SPDX-License-Identifier: Apache-2.0 */
/* Picks of BADGE among the rows that mode=oversampling gathered: k-means++ seeding over these, each
 * weighted by how many candidates it is the nearest to (badge_oversampling.c). */
#include <math.h>
#include <string.h>

#include "strategy/rules/badge.h"
#include "strategy/rules/gathered_rows.h"

/* What one call of alcore__parallel() measures the gathered rows from `first` on from. */
typedef struct measure_call {
    const alcore__run *run;
    int64_t first, end;
    int64_t center; /* the gathered row that is a pick */
} measure_call;

/* Measures ALCORE_BLOCK_ROWS of them, number `index` of such parts. data: a measure_call. */
static alcore_status measure_part(void *data, int64_t index, int32_t worker) {
    const measure_call *call = data;
    const alcore__run *run = call->run;
    const alcore__badge_state *state = run->state;
    const alcore__badge_sample *sample = &state->sample;
    const int64_t first = call->first + index * ALCORE_BLOCK_ROWS, left = call->end - first;
    const int64_t count = left < ALCORE_BLOCK_ROWS ? left : ALCORE_BLOCK_ROWS;
    const alcore_sys_rows a = alcore__badge_factors(state, sample->a + first * state->classes,
                                                    count),
                          h = alcore__rows_of(sample->h + first * state->dims, count, state->dims);
    const alcore_sys_weights weights = {.minimum = sample->weights + first};
    (void)worker;
    return ALCORE__GATHERED_KERNEL(
        run, min_badge, &a, &h, NULL /* no mask */, sample->a + call->center * state->classes,
        sample->h + call->center * state->dims, 1, sample->squares + call->center,
        sample->squares + first, &weights);
}

static alcore_status measure_gathered(alcore__run *run, int64_t first, int64_t end,
                                      int64_t center) {
    measure_call call = {.run = run, .first = first, .end = end, .center = center};
    const int64_t parts = (end - first + ALCORE_BLOCK_ROWS - 1) / ALCORE_BLOCK_ROWS;
    if (parts == 1) return measure_part(&call, 0, 0);
    return alcore__parallel(run->ctx, NULL /* no stage of its own */, parts, measure_part, &call);
}

/* Rows that were gathered after some picks are measured from these. */
static alcore_status compare_new(alcore__run *run) {
    alcore__badge_sample *sample = &((alcore__badge_state *)run->state)->sample;
    for (int64_t k = 0; k < sample->bought_count && sample->compared < sample->gathered; k++)
        ALCORE__TRY(measure_gathered(run, sample->compared, sample->gathered, sample->bought[k]));
    sample->compared = sample->gathered;
    return ALCORE_OK;
}

/* *n: the gathered row to offer next; -1: none, or none with a weight while rows that were not
 * gathered have one. Before the first pick it is the one of the largest gradient, the lower
 * position in a tie, or with first=uniform drawn by its count. free, mass [gathered]: workspace. */
static alcore_status draw_gathered(alcore__run *run, uint8_t *free, double *mass, int64_t *n) {
    alcore__badge_state *state = run->state;
    alcore__badge_sample *sample = &state->sample;
    const bool by_norm = !sample->bought_count && !state->first_uniform;
    double total = 0.0;
    int64_t best = -1, first = -1;
    for (int64_t i = 0; i < sample->gathered; i++) {
        const int64_t position = sample->positions[i];
        free[i] = alcore__greedy_is_free(&state->greedy, position);
        mass[i] = (double)sample->counts[i] * (sample->bought_count ? sample->weights[i] : 1.0);
        if (!free[i]) continue;
        if (first < 0) first = i;
        total += mass[i];
        if (best < 0 || sample->squares[i] > sample->squares[best] ||
            (sample->squares[i] == sample->squares[best] && position < sample->positions[best]))
            best = i;
    }
    *n = by_norm ? best : total > 0.0 || !sample->no_distance ? -1 : first;
    if (by_norm || !(total > 0.0)) return ALCORE_OK;
    return ALCORE__GATHERED_KERNEL(run, draw, sample->gathered, free, mass, 0.0 /* before */,
                                   alcore__rng_f64(&sample->rng) * total, n);
}

/* The gathered rows may come from another process: each turn offers at least one of them. */
alcore_status alcore__badge_pick_sample(alcore__run *run) {
    alcore__badge_state *state = run->state;
    alcore__badge_sample *sample = &state->sample;
    alcore__greedy *greedy = &state->greedy;
    const size_t height = alcore__run_height(run);
    const int64_t offered = greedy->offered_count;
    uint8_t *free;
    double *mass;
    ALCORE__TRY(ALCORE__RUN_PUSH(run, sample->gathered, &free));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, sample->gathered, &mass));
    ALCORE__TRY(compare_new(run));
    while (!alcore__filler_full(&greedy->filler)) {
        int64_t n;
        bool bought;
        ALCORE__TRY(draw_gathered(run, free, mass, &n));
        if (n < 0) break;
        greedy->best = sample->positions[n];
        ALCORE__TRY(alcore__greedy_turn(
            greedy, sqrt(sample->bought_count ? sample->weights[n] : sample->squares[n]), &bought));
        ALCORE__TRY(alcore__tick(run->ctx, "filling the budget", 0, 0)); /* cancellation only */
        if (!bought) continue;
        ALCORE__TRY(alcore__run_grow(run, &sample->bought, &sample->bought_capacity,
                                     sample->bought_count + 1, sizeof *sample->bought));
        sample->bought[sample->bought_count++] = n;
        ALCORE__TRY(measure_gathered(run, 0, sample->gathered, n));
    }
    alcore__run_drop(run, height);
    sample->another_turn = !alcore__filler_full(&greedy->filler) && alcore__greedy_has_free(greedy);
    sample->steps_left = state->steps;
    return sample->another_turn && greedy->offered_count == offered ? alcore__fail_draw()
                                                                    : ALCORE_OK;
}

/* The score is the distance to the nearest pick, or the length of the gradient where there is none.
 */
void alcore__badge_score_sample(alcore__run *run) {
    const alcore__badge_state *state = run->state;
    const alcore__badge_sample *sample = &state->sample;
    for (int64_t i = 0; i < run->outcome.count; i++) run->outcome.scores[i] = (double)NAN;
    for (int64_t n = 0; n < sample->gathered; n++)
        run->outcome.scores[sample->positions[n]] =
            sqrt(sample->bought_count ? sample->weights[n] : sample->squares[n]);
    run->outcome.measured = sample->gathered;
}
