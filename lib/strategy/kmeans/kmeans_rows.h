/* SPDX-License-Identifier: Apache-2.0 */
/* What k-means keeps with each block of candidates between passes, and the rows that blocks find.
 * kmeans_seed.c, kmeans_lloyd.c and kmeans_empty.c include it and call nothing of each other;
 * kmeans.c puts their passes into one table. */
#ifndef ALCORE__KMEANS_ROWS_H
#define ALCORE__KMEANS_ROWS_H

#include "strategy/kmeans/kmeans.h"

typedef struct alcore__kmeans_rows {
    /* [matrix rows], in the memory that the engine works in; D^2 sampling only: */
    double *self_dots;           /* dot product of each row with itself */
    double *weights;             /* D^2: squared distance to the nearest seed row so far */
    double *speculative_weights; /* [ALCORE__MAX_SPECULATIVE, matrix rows] */
    double *weight_sums; /* running sums of the weights, from which a device draws; not there on
                            other engines */
    /* [active rows], in host memory: Hamerly's bounds, L2 distances (kmeans_lloyd.c). */
    double *upper, *lower;
    int32_t *assigned; /* local cluster; -1 before the first iteration */
    /* Sums by cluster of the rows of the block, of each block of a wide one
     * (alcore__kmeans.keeps_sums); NULL where they are not kept. */
    int64_t *sums_valid; /* [1] 0: not summed yet */
    int64_t *counts;     /* [blocks, clusters] */
    double *sums;        /* [blocks, clusters, dims] */
} alcore__kmeans_rows;

/* Reads the matrix and finds what is kept, which is made at the first visit of the block. */
alcore_status alcore__kmeans_open_block(const alcore__kmeans *means, alcore__block *block,
                                        alcore__matrix *matrix, alcore__kmeans_rows *out);
/* What is kept in host memory, without reading the matrix, for passes that may need no row of the
 * block; false: the block was never visited. */
bool alcore__kmeans_find_rows(const alcore__kmeans *means, const alcore__block *block,
                              alcore__kmeans_rows *out);

/* A row that a block found for an empty cluster; its vector, double [dims], follows in a partial */
typedef struct alcore__kmeans_found {
    int64_t group;  /* -1: the row has become the centroid of an empty cluster */
    int64_t place;  /* alcore__block_place() */
    double sq_dist; /* squared distance to its centroid */
} alcore__kmeans_found;

/* Bytes of one of them with its vector. */
static inline size_t alcore__kmeans_found_bytes(const alcore__kmeans *means) {
    return sizeof(alcore__kmeans_found) + (size_t)means->dims * sizeof(double);
}

/* Moves a centroid to `to` [dims] and bounds the distance from above (means->shift). */
void alcore__kmeans_move_centroid(alcore__kmeans *means, int64_t cluster, const double *to);

/* ---- the parts of the passes, for the table in kmeans.c ---- */

/* In a run over own rows (kmeans_own.c): a pass, then what seed rows need. _draw_left: draws row n,
 * from 0, of those of a group that are no seed rows yet, nothing where there are fewer; _left_row:
 * the index of such a row in its block, -1: there is none; _take_row: row `place` has become a seed
 * row of the group. */
size_t alcore__kmeans_sizes_bytes(const alcore__block *block);
alcore_status alcore__kmeans_count_sizes(alcore__block *block, void *partial);
alcore_status alcore__kmeans_store_sizes(alcore__run *run, const alcore__block_partial *partial);
void alcore__kmeans_draw_left(const alcore__kmeans *means, int64_t g, int64_t n, alcore__draw *out);
int64_t alcore__kmeans_left_row(const alcore__kmeans *means, const alcore__block *block, int64_t g,
                                int64_t number);
void alcore__kmeans_take_row(const alcore__run *run, alcore__kmeans *means, int64_t g,
                             int64_t place);

/* Begins the draws of the seed rows, once the clusters are numbered. seeds [centroids]: positions
 * of rows to use in place of drawn ones, in the order of centroid_starts; NULL: every seed row is
 * drawn. */
alcore_status alcore__kmeans_begin_seeds(alcore__run *run, alcore__kmeans *means,
                                         const int64_t *seeds);

alcore_status alcore__kmeans_begin_iteration(alcore__run *run);
size_t alcore__kmeans_counts_bytes(const alcore__block *block);
alcore_status alcore__kmeans_assign_rows(alcore__block *block, void *partial);
alcore_status alcore__kmeans_add_counts(alcore__run *run, const alcore__block_partial *partial);
alcore_status alcore__kmeans_move_centroids(alcore__run *run);
bool alcore__kmeans_iterates(const alcore__run *run);

bool alcore__kmeans_has_empty(const alcore__run *run);
size_t alcore__kmeans_far_bytes(const alcore__block *block);
alcore_status alcore__kmeans_find_far(alcore__block *block, void *partial);
alcore_status alcore__kmeans_store_far(alcore__run *run, const alcore__block_partial *partial);
alcore_status alcore__kmeans_fill_empty(alcore__run *run);

#endif
