/* SPDX-License-Identifier: Apache-2.0 */
/* What bertkm and alps share (spec 4.6, 4.8): k-means over unit vectors with as many clusters as
 * the budget is expected to buy rows; then the clusters, in their order, each choose the candidate
 * nearest to their centroid that was not chosen yet, of any cluster. Where the budget has something
 * left after the last cluster, the first one chooses again.
 *
 * A candidate that the budget or the similarity limit passes over is not offered again; the cluster
 * offers the next nearest. Passes: those of k-means, then the distances of all candidates to their
 * nearest centroids, then lists of the candidates nearest to each centroid, made again where a list
 * ends before the budget is spent.
 *
 * Memory: 29 bytes a candidate, 8 more for the record "cluster", and that of k-means; 16 bytes for
 * each entry of the lists. */
#ifndef ALCORE__CLUSTER_PICKS_H
#define ALCORE__CLUSTER_PICKS_H

#include "strategy/greedy/greedy.h"
#include "strategy/kmeans/kmeans.h"
#include "strategy/rules/neighbor_lists.h"

/* The state of such a strategy begins with this. Arrays are owned. */
typedef struct alcore__cluster_picks {
    alcore__greedy greedy; /* first, see greedy/greedy.h */
    alcore__kmeans kmeans;
    int32_t *group;              /* [candidates] 0: all are of one group of k-means */
    int64_t clusters;            /* at most the candidates */
    int64_t length;              /* entries of each list */
    int64_t next;                /* the cluster that chooses next */
    bool needs_new_lists;        /* a list ended before the budget: the lists are made again */
    alcore__neighbor_lists near; /* [clusters, length] the candidates nearest to each centroid that
                                    could be bought when the lists were made */
    int64_t *cluster;            /* [candidates] the cluster of the nearest centroid; of a pick the
                                    cluster that chose it; -1 before it is known */
    double *distance;            /* [candidates] Euclidean distance to that centroid */
} alcore__cluster_picks;

/* For the strategy's begin, once run->embeddings is set (where the strategy makes the vectors
 * itself). */
alcore_status alcore__cluster_picks_begin(alcore__run *run);
/* The passes, to be nested in the strategy's table: a row whose .nested they are. */
extern const alcore__pass alcore__cluster_picks_passes[];
/* For the strategy's finish: the records "cluster" and "distance", scores (minus the distance) and
 * picks. */
alcore_status alcore__cluster_picks_finish(alcore__run *run);

#endif
