/* SPDX-License-Identifier: Apache-2.0 */
/* k-means inside groups of candidates (spec 3.3): k-means++ seeding, then Lloyd iterations until no
 * assignment changes, the same bytes for any cut of the pool. A table of passes for strategies to
 * nest: its state is an alcore__kmeans, which alcore__kmeans_begin() fills before the first pass.
 *
 *     group sizes      in a run over own rows: the rows of each group in each block (kmeans_own.c)
 *     seeds            k-means++: rows that are drawn, one after another       (kmeans_seed.c)
 *     assignment       nearest centroids; sums by cluster; moves the centroids (kmeans_lloyd.c)
 *     farthest rows    become the centroids of empty clusters                  (kmeans_empty.c)
 *
 * Clusters are numbered over all groups: group g owns the clusters centroid_starts[g] to
 * centroid_starts[g + 1] - 1. A cluster counted from 0 inside its group is its local number. */
#ifndef ALCORE__KMEANS_H
#define ALCORE__KMEANS_H

#include "strategy/kmeans/draw_passes.h"

enum { ALCORE__KMEANS_MAX_ITERATIONS = 100 };

typedef struct alcore__kmeans_group {
    int64_t size;       /* candidates of the group */
    int64_t seed_slot;  /* its entry of seed_vectors: the groups with candidates before it */
    int64_t clusters;   /* min(k, size) */
    int64_t seeded;     /* centroids found so far */
    int64_t iterations; /* of Lloyd, the one that found no change included */
    bool active;        /* not converged yet */
    double seed_dots[ALCORE__MAX_DRAWS]; /* self dots of the newest centroid and of the speculative
                                            rows */
    int64_t changed_rows;   /* rows of the group that changed their cluster in the last iteration */
    int64_t empty_clusters; /* that the last iteration left without a row; 0 before the first */
    /* How far centroids moved in the last iteration: the largest shift, the largest one of the
     * other clusters, and the cluster of the largest. */
    double max_shift, max_other_shift;
    int64_t max_shift_cluster;
} alcore__kmeans_group;

typedef struct alcore__kmeans {
    int64_t groups, dims, blocks;
    int64_t k;                  /* clusters of a group that has as many rows */
    bool unit;                  /* rows are read as unit vectors */
    bool keeps_sums;            /* blocks keep the sums of their clusters between iterations */
    const int32_t *group;       /* [candidates] borrowed; -1: takes no part */
    alcore__kmeans_group *each; /* [groups] */
    int64_t *centroid_starts;   /* [groups + 1] */
    double *centroids;          /* [clusters, dims] */
    int64_t *seed_positions;    /* [clusters] places (alcore__block_place()) of the candidates that
                                   were the first centroids */
    double *shift;              /* [clusters] upper bound of how far each centroid moved last */
    alcore__doubles sums;       /* [clusters, dims] of the rows assigned in this iteration */
    int64_t *counts;            /* [clusters] how many */
    double *seed_vectors;       /* [groups with candidates, ALCORE__MAX_DRAWS, dims] the newest
                                   centroid of each, then its speculative rows */
    uint8_t *is_seed;           /* [candidates] */
    /* [far_bytes] rows for empty clusters as blocks sent them: alcore__kmeans_found with a vector
     * behind it, one after the other. */
    char *far_rows;
    size_t far_bytes, far_capacity;
    alcore__draws draws; /* of seed rows, a sequence for each group */
    /* [blocks, groups] In a run over own rows, of the blocks of all shards (kmeans_own.c): the
     * candidates of a group in a block, and how many of them are no seed rows yet. */
    int32_t *sizes, *left;
} alcore__kmeans;

extern const alcore__pass alcore__kmeans_passes[];

/* k clusters in each of `groups` groups, 1 or more, by the generator derive(seed, 4, round, group).
 * Called in the strategy's begin or at the end of a pass before these; sets run->hints.repeats.
 * *means is zeroed before; group [candidates] is borrowed until the passes are made. seeds
 * [clusters]: positions of the first centroids by cluster, for callers that have them, copied;
 * NULL: k-means++. In a run over own rows they are NULL, and group has the own candidates. */
alcore_status alcore__kmeans_begin(alcore__run *run, alcore__kmeans *means, const int32_t *group,
                                   int64_t groups, int64_t k, bool unit, const int64_t *seeds);
/* Once the passes are made: the local cluster of each active row of a block, [block->count]; -1 for
 * rows without a group. */
const int32_t *alcore__kmeans_assigned(const alcore__block *block);

#endif
