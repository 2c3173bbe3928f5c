/* SPDX-License-Identifier: Apache-2.0 */
/* The candidates of each cluster, once k-means of one group has clustered them: a pass that reads
 * what k-means keeps with the blocks. Memory: 12 bytes a candidate. */
#ifndef ALCORE__KMEANS_MEMBERS_H
#define ALCORE__KMEANS_MEMBERS_H

#include "strategy/kmeans/kmeans.h"

/* A zeroed struct, a member of the strategy's state; the arrays belong to the run. */
typedef struct alcore__members {
    int64_t count;       /* clusters */
    int32_t *cluster_of; /* [candidates] */
    int64_t *starts;     /* [count + 1] where the candidates of each cluster begin in `member` */
    int64_t *member;     /* [candidates] positions by cluster, ascending in each */
} alcore__members;

/* Called in the strategy's begin, with the number of clusters, 1 or more. */
alcore_status alcore__members_begin(alcore__run *run, alcore__members *members, int64_t count);
/* The pass: its block function, and its partial, int32 [active rows]. */
alcore_status alcore__members_read(alcore__block *block, void *partial);
#define ALCORE__MEMBERS(type, member)                                                              \
    {                                                                                              \
        .into = ALCORE__AT_A(type, member, alcore__members), .row_bytes = sizeof(int32_t),         \
        .reduce = alcore__members_store                                                            \
    }
alcore_status alcore__members_store(alcore__run *run, const alcore__block_partial *partial);
/* Called at the end of the pass: sets starts and member. */
alcore_status alcore__members_list(alcore__run *run, alcore__members *members);
/* The number of candidates of a cluster. */
static inline int64_t alcore__members_of(const alcore__members *members, int64_t cluster) {
    return members->starts[cluster + 1] - members->starts[cluster];
}

#endif
