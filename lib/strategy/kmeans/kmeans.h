/* SPDX-License-Identifier: Apache-2.0 */
/* k-means inside groups of candidates (spec 3.3): ++ seeding, Lloyd passes, exact for any cut of
 * the pool. A strategy gives its block, gather and next to the functions below until
 * alcore__kmeans_next() says that it is finished. */
#ifndef ALCORE__KMEANS_H
#define ALCORE__KMEANS_H

#include "alcore/rng.h"
#include "strategy/kmeans/d2_sampling.h"

enum { ALCORE__KMEANS_PASSES = 100 };

typedef struct alcore__kmeans_group {
    int64_t size;     /* members */
    int64_t number;   /* groups with members before it */
    int64_t clusters; /* min(k, size) */
    int64_t chosen;   /* centroids found so far */
    int64_t passes;   /* of Lloyd, the last one included */
    bool active;
    alcore_rng rng;
    alcore__sampler sampler;
    double dots[ALCORE__AHEAD]; /* of the newest centroid and the guessed ones */
    int64_t changed, empty;
    double farthest[2]; /* how far centroids moved: the farthest and the next */
    int64_t mover;      /* cluster of the farthest */
} alcore__kmeans_group;

typedef struct alcore__kmeans {
    int64_t groups, dims, blocks;
    bool unit, given; /* given: the first centroids are the caller's */
    bool keeps_sums;  /* blocks keep theirs */
    int32_t phase;
    const int32_t *group;       /* [candidates] borrowed; negative: takes no part */
    alcore__kmeans_group *each; /* [groups] */
    int64_t *starts;            /* [groups + 1] first cluster of each group */
    double *centroids;          /* [starts[groups], dims] */
    int64_t *initial;           /* [starts[groups]] positions of the first centroids */
    double *moved;              /* [starts[groups]] no centroid moved farther in the last pass */
    double *sums;               /* [starts[groups], dims] */
    int64_t *counts;            /* [starts[groups]] */
    double *ahead;   /* [groups with members, ALCORE__AHEAD, dims] newest centroids, guessed ones */
    double *mass;    /* [blocks, groups] */
    uint8_t *chosen; /* [candidates] 1: a first centroid */
    char *far;       /* rows for empty clusters, as blocks sent them */
    size_t far_bytes, far_capacity;
} alcore__kmeans;

/* k clusters in each of the groups, RNG derive(seed, 4, round, group). initial: positions of the
 * first centroids in cluster order, for callers that have them; NULL: ++ seeding. */
alcore_status alcore__kmeans_begin(alcore__run *run, alcore__kmeans *means, const int32_t *group,
                                   int64_t groups, int64_t k, bool unit, const int64_t *initial);
alcore_status alcore__kmeans_block(const alcore__kmeans *means, alcore__block *block);
alcore_status alcore__kmeans_gather(alcore__run *run, alcore__kmeans *means, int64_t block,
                                    const void *payload, size_t bytes);
alcore_status alcore__kmeans_next(alcore__run *run, alcore__kmeans *means, bool *finished);
/* Cluster of each member of a block, counted from 0 in its group; after alcore__kmeans_next()
 * finished. */
const int32_t *alcore__kmeans_assigned(const alcore__block *block);
void alcore__kmeans_clear(alcore_ctx *ctx, alcore__kmeans *means);

#endif
