/* SPDX-License-Identifier: Apache-2.0 */
#include "kmeans_bed.h"

#include <string.h>

typedef struct means_state {
    alcore__kmeans means;
    int32_t *group; /* [candidates] */
} means_state;

static kmeans_bed *present; /* of the run; tests run in processes of their own */

static alcore_status begin(alcore__run *run) {
    means_state *state = run->state;
    size_t count = (size_t)run->outcome.count;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->group));
    if (present->group) memcpy(state->group, present->group, count * sizeof *state->group);
    present->count = run->outcome.count;
    present->assigned = calloc(count + 1, sizeof *present->assigned);
    ALCORE__TRY(alcore__kmeans_begin(run, &state->means, state->group, present->groups, present->k,
                                     present->unit, present->seeds));
    if (present->forget_sums) state->means.keeps_sums = false;
    return ALCORE_OK;
}

static alcore_status copy_assigned(alcore__block *block, void *partial) {
    memcpy(partial, alcore__kmeans_assigned(block), (size_t)block->count * sizeof(int32_t));
    return ALCORE_OK;
}

static alcore_status store_assigned(alcore__run *run, const alcore__block_partial *partial) {
    (void)run;
    memcpy(present->assigned + partial->start, partial->extra, partial->extra_bytes);
    return ALCORE_OK;
}

static alcore_status finish(alcore__run *run) {
    const alcore__kmeans *means = &((means_state *)run->state)->means;
    present->clusters = means->centroid_starts[means->groups];
    ck_assert_int_le(present->clusters, KMEANS_BED_CLUSTERS);
    for (int64_t g = 0; g < means->groups; g++) present->iterations[g] = means->each[g].iterations;
    memcpy(present->seed_positions, means->seed_positions,
           (size_t)present->clusters * sizeof *means->seed_positions);
    size_t bytes = (size_t)(present->clusters * means->dims) * sizeof(double);
    present->centroids = malloc(bytes + 1);
    memcpy(present->centroids, means->centroids, bytes);
    return ALCORE_OK;
}

static const alcore__pass PASSES[] = {
    {.name = "k-means", .nested = alcore__kmeans_passes, .nested_at = offsetof(means_state, means)},
    {.name = "assigned",
     .narrow = true,
     .block = copy_assigned,
     .partial = {.row_bytes = sizeof(int32_t), .reduce = store_assigned}},
    {.name = NULL},
};

static const alcore__strategy_def MEANS = {
    .name = "kmeans",
    .state_bytes = sizeof(means_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
};

void kmeans_bed_run(bed *b, kmeans_bed *means) {
    present = means;
    ck_assert_msg(bed_run_def(b, &MEANS, NULL) == ALCORE_OK, "%s", alcore_last_error());
}

void kmeans_bed_free(kmeans_bed *means) {
    free(means->assigned);
    free(means->centroids);
    means->assigned = NULL;
    means->centroids = NULL;
}
