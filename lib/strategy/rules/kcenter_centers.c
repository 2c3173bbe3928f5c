/* SPDX-License-Identifier: Apache-2.0 */
/* Picks of k-center that become centers: their vectors, scores and radii. */
#include <math.h>
#include <string.h>

#include "strategy/rules/kcenter.h"

double alcore__kcenter_score(double value) {
    return value > 0.0 && value < HUGE_VAL ? sqrt(value) : 0.0;
}

/* The pass measured the rows from the last pick too: the distance of the row that is farthest now
 * is the radius of that pick. The first pick without labeled rows has no distance to earlier ones;
 * its score is its radius, so that the scores never increase from pick to pick. */
alcore_status alcore__kcenter_set_radius(alcore__run *run) {
    alcore__kcenter_state *state = run->state;
    if (!state->lacks_radius) return ALCORE_OK;
    const double radius = sqrt(state->greedy.left_value);
    state->lacks_radius = false;
    if (state->radius) state->radius[state->last_pick] = radius;
    if (state->from_mean && state->center_count == 1)
        alcore__greedy_score_last(&state->greedy, state->last_pick, radius);
    return ALCORE_OK;
}

alcore_status alcore__kcenter_add_center(alcore__run *run) {
    alcore__kcenter_state *state = run->state;
    alcore__greedy *greedy = &state->greedy;
    state->last_pick = greedy->best;
    state->lacks_radius = true;
    ALCORE__TRY(alcore__run_grow(run, &state->centers, &state->center_capacity,
                                 (state->center_count + 1) * state->dims, sizeof(double)));
    memcpy(state->centers + state->center_count++ * state->dims, greedy->best_vector,
           (size_t)state->dims * sizeof(double));
    return ALCORE_OK;
}
