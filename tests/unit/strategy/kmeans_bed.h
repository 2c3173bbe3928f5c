/* SPDX-License-Identifier: Apache-2.0 */
/* k-means by itself: a strategy of two passes, k-means and what it assigned. */
#ifndef KMEANS_BED_H
#define KMEANS_BED_H

#include "strategy/kmeans/kmeans.h"
#include "strategy_bed.h"

enum { KMEANS_BED_CLUSTERS = 24 };

typedef struct kmeans_bed {
    /* in */
    const int32_t *group; /* [candidates]; NULL: all are of one group */
    int64_t groups, k;
    bool unit;
    const int64_t *seeds; /* [clusters] or NULL */
    bool forget_sums;     /* blocks keep no sums between iterations */
    /* out */
    int64_t count;                               /* candidates */
    int32_t *assigned;                           /* [count] */
    int64_t iterations[KMEANS_BED_CLUSTERS];     /* by group */
    int64_t seed_positions[KMEANS_BED_CLUSTERS]; /* by cluster */
    double *centroids;                           /* [clusters, dims] */
    int64_t clusters;
} kmeans_bed;

/* Runs it over the bed's candidates; out is freed with kmeans_bed_free(). */
void kmeans_bed_run(bed *bed, kmeans_bed *means);
void kmeans_bed_free(kmeans_bed *means);

#endif
