/* SPDX-License-Identifier: Apache-2.0 */
/* The table of passes of k-means, and its state (alcore__kmeans, where every array has its shape).
 * k clusters are made in each of several groups of candidates side by side. In a run over own rows
 * "group sizes" tells how large the groups are in all shards. Once every group has
 * its seed rows, "assignment" is one Lloyd iteration, followed by "farthest rows" where it left a
 * cluster without a row.
 *
 * A seed row is a candidate that becomes the first centroid of a cluster. A position numbers the
 * candidates from 0. means->each[g] is what is known of group g: its size in candidates, its
 * clusters, min(k, size), its number among the groups with candidates, and whether it is active
 * (not converged). */
#include "strategy/kmeans/kmeans.h"

#include <string.h>

#include "strategy/kmeans/kmeans_rows.h"

/* Blocks keep the sums of their clusters when those of all blocks take no more than this. */
enum { MAX_KEPT_SUMS = 256 << 20 }; /* 256 MiB */

/* Sets seed_slot, clusters and active of every group by its size, and centroid_starts [groups + 1]:
 * group g owns the clusters centroid_starts[g] to centroid_starts[g + 1] - 1. A group without
 * candidates has no clusters and is never active. */
static void number_clusters(alcore__kmeans *means) {
    int64_t with_rows = 0;
    for (int64_t g = 0; g < means->groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        each->seed_slot = with_rows;
        with_rows += each->size > 0;
        each->clusters = each->size < means->k ? each->size : means->k;
        each->active = each->size > 0;
        means->centroid_starts[g + 1] = means->centroid_starts[g] + each->clusters;
    }
}

/* Allocates the arrays of clusters, zeroed; alcore__kmeans states their shapes. Blocks keep their
 * own sums by cluster, so that those of clusters without a change are not made again, but only
 * where the sums of all blocks fit in MAX_KEPT_SUMS. */
static alcore_status make_arrays(alcore__run *run, alcore__kmeans *means) {
    const int64_t groups = means->groups, dims = means->dims;
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
    return ALCORE__RUN_ARRAY(run, run->outcome.count, &means->is_seed);
}

/* Once the size of each group is known, also that of all shards: begins all the rest. */
static alcore_status begin_clusters(alcore__run *run, alcore__kmeans *means, const int64_t *seeds) {
    number_clusters(means);
    ALCORE__TRY(make_arrays(run, means));
    return alcore__kmeans_begin_seeds(run, means, seeds);
}

/* End of the pass: the groups of all shards are known. */
static alcore_status begin_own(alcore__run *run) {
    return begin_clusters(run, run->state, NULL /* seeds by k-means++ */);
}

const alcore__pass alcore__kmeans_passes[] = {
    {.name = "group sizes",
     .narrow = true,
     .keeps_nothing = true,
     .block = alcore__kmeans_count_sizes,
     .partial = {.extra = alcore__kmeans_sizes_bytes, .reduce = alcore__kmeans_store_sizes},
     .end = begin_own,
     .when = ALCORE__TEST(alcore__lists_own)},
    {.name = "seeds", .nested = alcore__draw_passes, .nested_at = offsetof(alcore__kmeans, draws)},
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

alcore_status alcore__kmeans_begin(alcore__run *run, alcore__kmeans *means, const int32_t *group,
                                   int64_t groups, int64_t k, bool unit, const int64_t *seeds) {
    means->groups = groups;
    means->dims = alcore__embedding_dims(run);
    means->blocks = run->active[ALCORE__OVER_CANDIDATES].blocks;
    means->k = k;
    means->unit = unit;
    means->group = group;
    run->hints.repeats = true;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, groups, &means->each));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, groups + 1, &means->centroid_starts));
    if (alcore__lists_own(run)) {
        ALCORE__TRY(ALCORE__RUN_ARRAY(run, means->blocks * groups, &means->sizes));
        return ALCORE__RUN_ARRAY(run, means->blocks * groups, &means->left);
    }
    for (int64_t i = 0; i < run->outcome.count; i++)
        if (group[i] >= 0) means->each[group[i]].size++;
    return begin_clusters(run, means, seeds);
}
