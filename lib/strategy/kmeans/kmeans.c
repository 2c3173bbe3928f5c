/* SPDX-License-Identifier: Apache-2.0 */
/* The table of passes of k-means, and its state (alcore__kmeans, where every array has its shape).
 * k clusters are made in each of several groups of candidates side by side. The first three passes
 * repeat until every group has its seed rows: "drawn rows" finds those that the engine has drawn,
 * "seed rows" those that the host has drawn, and "D^2 weights" prepares the next draws. Then
 * "assignment" is one Lloyd iteration, followed by "farthest rows" where it left a cluster without
 * a row. In a row of the table, `again` true makes the pass `back` rows before the next one.
 *
 * A seed row is a candidate that becomes the first centroid of a cluster. A position numbers the
 * candidates from 0. means->each[g] is what is known of group g: its size in candidates, its
 * clusters, min(k, size), its number among the groups with candidates, whether it is active (not
 * converged), its generator rng, and its sampler, the draws of seed rows (d2_sampling.h). */
#include "strategy/kmeans/kmeans.h"
#include "base/rng.h"

#include <string.h>

#include "strategy/kmeans/kmeans_rows.h"

const alcore__pass alcore__kmeans_passes[] = {
    {.name = "drawn rows",
     .block = alcore__kmeans_queue_draws,
     .end = alcore__kmeans_read_draws,
     .when = ALCORE__TEST(alcore__kmeans_has_device_draws)},
    {.name = "seed rows",
     .block = alcore__kmeans_find_seeds,
     .partial = {.extra = alcore__kmeans_seeds_bytes, .reduce = alcore__kmeans_store_seeds},
     .end = alcore__kmeans_accept_seeds,
     .when = ALCORE__TEST(alcore__kmeans_has_draws)},
    {.name = "D^2 weights",
     .block = alcore__kmeans_weigh_rows,
     .partial = {.extra = alcore__kmeans_weights_bytes, .reduce = alcore__kmeans_store_weights},
     .end = alcore__kmeans_draw_seeds,
     .when = ALCORE__TEST(alcore__kmeans_needs_weights),
     .start = alcore__kmeans_open_draws,
     .again = ALCORE__TEST(alcore__kmeans_needs_seeds),
     .back = 2},
    {.name = "assignment",
     .block = alcore__kmeans_assign_rows,
     .partial = {.sums = ALCORE__SUMS(alcore__kmeans, sums),
                 .extra = alcore__kmeans_counts_bytes,
                 .reduce = alcore__kmeans_add_counts},
     .end = alcore__kmeans_move_centroids,
     .start = alcore__kmeans_begin_iteration},
    {.name = "farthest rows",
     .block = alcore__kmeans_find_far,
     .partial = {.extra = alcore__kmeans_far_bytes, .reduce = alcore__kmeans_store_far},
     .end = alcore__kmeans_fill_empty,
     .when = ALCORE__TEST(alcore__kmeans_has_empty),
     .again = ALCORE__TEST(alcore__kmeans_iterates),
     .back = 1},
    {.name = NULL},
};

/* Blocks keep the sums of their clusters when those of all blocks take no more than this. */
enum { MAX_KEPT_SUMS = 256 << 20 }; /* 256 MiB */

/* Sets size, seed_slot, clusters and active of every group, and centroid_starts [groups + 1]: group
 * g owns the clusters centroid_starts[g] to centroid_starts[g + 1] - 1. A group without candidates
 * has no clusters and is never active. means->group [candidates]: the group of each, -1: none. */
static void count_groups(alcore__run *run, alcore__kmeans *means, int64_t k) {
    int64_t with_rows = 0;
    for (int64_t i = 0; i < run->outcome.count; i++) {
        if (means->group[i] >= 0) means->each[means->group[i]].size++;
    }
    for (int64_t g = 0; g < means->groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        each->seed_slot = with_rows;
        with_rows += each->size > 0;
        each->clusters = each->size < k ? each->size : k;
        each->active = each->size > 0;
        means->centroid_starts[g + 1] = means->centroid_starts[g] + each->clusters;
    }
}

/* Allocates the arrays of all groups, zeroed; alcore__kmeans states their shapes. Blocks keep their
 * own sums by cluster, so that those of clusters without a change are not made again, but only
 * where the sums of all blocks fit in MAX_KEPT_SUMS. */
static alcore_status make_arrays(alcore__run *run, alcore__kmeans *means, int64_t k) {
    const int64_t groups = means->groups, dims = means->dims;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, groups, &means->each));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, groups + 1, &means->centroid_starts));
    count_groups(run, means, k);
    const alcore__kmeans_group *last = &means->each[groups - 1];
    int64_t with_rows = last->seed_slot + (last->size > 0); /* groups with candidates */
    int64_t clusters = means->centroid_starts[groups];
    means->keeps_sums =
        (double)means->blocks * (double)(clusters * dims) * (double)sizeof(double) <= MAX_KEPT_SUMS;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, clusters * dims, &means->centroids));
    ALCORE__TRY(alcore__run_sums(run, clusters * dims, &means->sums));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, clusters, &means->shift));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, clusters, &means->seed_positions));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, clusters, &means->counts));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, with_rows * ALCORE__MAX_DRAWS * dims, &means->seed_vectors));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, run->outcome.count, &means->is_seed));
    return ALCORE__RUN_ARRAY(run, means->blocks * groups, &means->block_weights);
}

/* Position among the candidates of the n-th candidate of a group, n from 0 and below its size, so
 * that there is one. */
static int64_t nth_of_group(const alcore__kmeans *means, int64_t g, int64_t n) {
    int64_t position = 0;
    while (means->group[position] != g || n-- > 0) position++;
    return position;
}

/* Each group has a generator of its own, so its result does not depend on the others. */
alcore_status alcore__kmeans_begin(alcore__run *run, alcore__kmeans *means, const int32_t *group,
                                   int64_t groups, int64_t k, bool unit, const int64_t *seeds) {
    means->run = run;
    means->groups = groups;
    means->dims = alcore__embedding_dims(run);
    means->blocks = run->active[ALCORE__OVER_CANDIDATES].blocks;
    means->unit = unit;
    means->group = group;
    means->seeds_given = seeds != NULL;
    run->hints.repeats = true;
    ALCORE__TRY(make_arrays(run, means, k));
    if (seeds)
        memcpy(means->seed_positions, seeds,
               (size_t)means->centroid_starts[groups] * sizeof *seeds);
    for (int64_t g = 0; g < groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        alcore__rng_seed(&each->rng, alcore__rng_derive(run->input->seed, ALCORE__TAG_KMEANS,
                                                        (uint64_t)run->input->round, (uint64_t)g));
        alcore__sampler_begin(run, unit, &each->sampler);
        if (!each->size) continue;
        /* The first seed row is drawn uniformly, also where it is given: the draws that follow stay
         * the same. */
        int64_t n = (int64_t)alcore__rng_below(&each->rng, (uint64_t)each->size);
        each->sampler.draw[0].position =
            seeds ? seeds[means->centroid_starts[g]] : nth_of_group(means, g, n);
    }
    return ALCORE_OK;
}
