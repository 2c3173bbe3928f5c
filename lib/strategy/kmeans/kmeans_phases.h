/* SPDX-License-Identifier: Apache-2.0 */
/* What the phases of k-means share: kmeans.c turns them, kmeans_seed.c chooses the first centroids,
 * kmeans_lloyd.c assigns rows and moves centroids, kmeans_empty.c fills empty clusters. */
#ifndef ALCORE__KMEANS_PHASES_H
#define ALCORE__KMEANS_PHASES_H

#include "strategy/kmeans/kmeans.h"

enum { ALCORE__KMEANS_TAG = 4 };
enum { ALCORE__KMEANS_PICK, ALCORE__KMEANS_MASS, ALCORE__KMEANS_ASSIGN, ALCORE__KMEANS_FAR };

/* What stays with a block: numbers by place of the matrix, where the engine works, and by member in
 * host memory. */
typedef struct alcore__kmeans_rows {
    double *dots;       /* [rows] self dots */
    double *minimum;    /* [rows] D^2 */
    double *each;       /* [ALCORE__GUESSES, rows] weights against guessed centroids */
    double *high, *low; /* [members] bounds, from the first assignment on */
    int32_t *assigned;  /* [members] -1 at first */
} alcore__kmeans_rows;

/* What stays with a block whose sums are kept (alcore__kmeans.keeps_sums). */
typedef struct alcore__kmeans_sums {
    int64_t *valid;  /* [1] 0: not summed yet */
    int64_t *counts; /* [clusters] */
    double *sums;    /* [clusters, dims] */
} alcore__kmeans_sums;

/* The state by member of a block that was looked at before. */
alcore__kmeans_rows alcore__kmeans_rows_of(const alcore__block *block);
alcore__kmeans_sums alcore__kmeans_sums_of(const alcore__kmeans *means, const alcore__block *block);
/* The state of a block's rows, made when the block is first looked at, and the rows. */
alcore_status alcore__kmeans_touch(const alcore__kmeans *means, alcore__block *block,
                                   alcore__matrix *matrix, alcore__kmeans_rows *out);

/* A row that was looked for: the next first centroid, or a row for an empty cluster. A vector
 * [dims] follows. */
typedef struct alcore__kmeans_found {
    int64_t group, position;
    int64_t draw; /* which of the group's draws found it */
    double value; /* self dot, or distance to the row's centroid */
} alcore__kmeans_found;

size_t alcore__kmeans_found_bytes(const alcore__kmeans *means);

/* ---- the phases: the work on a block, what is taken of its payload, the turn ---- */

alcore_status alcore__kmeans_pick_block(const alcore__kmeans *means, alcore__block *block);
void alcore__kmeans_take_pick(alcore__kmeans *means, const char *payload);
alcore_status alcore__kmeans_mass_block(const alcore__kmeans *means, alcore__block *block);
/* After PICK and MASS. */
void alcore__kmeans_next_centroids(alcore__run *run, alcore__kmeans *means);

alcore_status alcore__kmeans_assign_block(const alcore__kmeans *means, alcore__block *block);
void alcore__kmeans_add_assigned(alcore__kmeans *means, const void *payload);
void alcore__kmeans_next_assignment(alcore__kmeans *means, bool *finished);
/* The centroid of a cluster becomes `to` [dims]. */
void alcore__kmeans_move(alcore__kmeans *means, int64_t cluster, const double *to);
/* Ends or goes on, once empty clusters have their rows. */
void alcore__kmeans_settle(alcore__kmeans *means, bool *finished);

alcore_status alcore__kmeans_far_block(const alcore__kmeans *means, alcore__block *block);
/* Gives the farthest rows to the empty clusters, in cluster order. */
void alcore__kmeans_fill_empty(alcore__kmeans *means);

#endif
