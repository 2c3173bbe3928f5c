/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest candidates of many vectors (rows of a target, labeled rows, centroids): a list of
 * `length` candidates for each vector, the nearest first, found in one pass over the candidates.
 *
 * A block's partial is its own lists. Partials are merged in block order, so that of equally near
 * candidates the lower row comes first. What is near is decided by the metric of the lists: the
 * smallest squared Euclidean distance or the largest cosine. A position numbers the candidates from
 * 0 in the order of their pool rows. Joined lists name rows of the pool instead, so that a shard
 * which knows its own candidates only reads those of all, and have one partial for all blocks of a
 * shard. Lists may be of any length; those of a block have no more
 * entries than the block has active rows. Memory: 16 bytes for each entry, for the merged lists and
 * for each block in work, and with more than 1024 entries a list 1 MiB for each block in work. */
#ifndef ALCORE__NEIGHBOR_LISTS_H
#define ALCORE__NEIGHBOR_LISTS_H

#include "strategy/block.h"

/* A zeroed struct has no lists. The arrays belong to the run. */
typedef struct alcore__neighbor_lists {
    int32_t metric;    /* ALCORE_SYS_L2 or ALCORE_SYS_COSINE */
    int64_t count;     /* vectors, each with a list */
    int64_t length;    /* entries of each list */
    int64_t *position; /* [count, length] candidates, nearest first, joined: their pool rows; -1:
                          there are fewer, and such entries come last */
    double *value;     /* [count, length] their squared distances or cosines */
    bool joined;       /* set by the strategy before the lists are made: see above */
    bool full;         /* every partial has lists of `length` entries: they are joined in shards */
} alcore__neighbor_lists;

/* Makes `count` empty lists of `length` entries in place of those that the struct had, a member of
 * the strategy's state; metric: ALCORE_SYS_L2 or ALCORE_SYS_COSINE. */
alcore_status alcore__neighbor_lists_new(const alcore__run *run, int32_t metric, int64_t count,
                                         int64_t length, alcore__neighbor_lists *lists);

/* ---- the pass ---- */

/* The partial of a block: positions, int64 [count, width], then values, double of the same shape,
 * where width is the smaller of `length` and the number of active rows in the block; `length` where
 * the lists are full. It is merged with those of the blocks before. */
#define ALCORE__NEIGHBOR_LISTS(type, member)                                                       \
    {                                                                                              \
        .into = ALCORE__AT_A(type, member, alcore__neighbor_lists),                                \
        .extra = alcore__neighbor_lists_bytes, .reduce = alcore__neighbor_lists_merge              \
    }
/* The same for joined lists. */
#define ALCORE__JOINED_LISTS(type, member)                                                         \
    {                                                                                              \
        .into = ALCORE__AT_A(type, member, alcore__neighbor_lists),                                \
        .extra = alcore__neighbor_lists_bytes, .reduce = alcore__neighbor_lists_merge,             \
        .join = alcore__neighbor_lists_join_partials                                               \
    }
size_t alcore__neighbor_lists_bytes(const alcore__block *block);
alcore_status alcore__neighbor_lists_merge(alcore__run *run, const alcore__block_partial *partial);
void alcore__neighbor_lists_join_partials(const alcore__block *block, void *into, const void *next,
                                          size_t bytes);
/* Empties the lists of a partial; called once for a block. */
void alcore__neighbor_lists_begin(const alcore__neighbor_lists *lists, const alcore__block *block,
                                  void *partial);
/* Joins the candidates of the block whose mask [matrix rows] is 1 to the lists of the vectors
 * first .. first + vectors->count - 1, those whose vector_mask [vectors->count] is 1 (NULL: all).
 * mask NULL: all matrix rows, only where matrix->mask is NULL, as every one is a candidate then.
 * Called any number of times for a block, after alcore__neighbor_lists_begin(). */
alcore_status alcore__neighbor_lists_join(const alcore__neighbor_lists *lists,
                                          const alcore__matrix *matrix, const uint8_t *mask,
                                          const alcore_sys_rows *vectors,
                                          const uint8_t *vector_mask, int64_t first, void *partial);
/* Ends the partial of a block, once, after the last join: the pool rows that the kernel wrote
 * become positions of candidates, or rows of the candidates' pool. */
void alcore__neighbor_lists_end(const alcore__neighbor_lists *lists, const alcore__matrix *matrix,
                                void *partial);

#endif
