/* SPDX-License-Identifier: Apache-2.0 */
/* The state of KNN-UNCERTAINTY, whose terms are those of knn_uncertainty.c, and its neighbors: the
 * candidates that the lists name, with what each needs to be chosen. A process that knows its own
 * candidates only knows the neighbors of all (passes/shard_passes.h). */
#ifndef ALCORE__KNN_UNCERTAINTY_H
#define ALCORE__KNN_UNCERTAINTY_H

#include "strategy/budget/nominees.h"
#include "strategy/rules/neighbor_lists.h"
#include "strategy/rules/target_groups.h"
#include "strategy/rules/target_hybrid.h"

/* Entries of a list beside neighbors: there is no further neighbor; a labeled row. */
enum { ALCORE__NO_NEIGHBOR = -1, ALCORE__LABELED_NEIGHBOR = -2 };

/* The candidates that the present lists name, ascending. A neighbor is the index of one. */
typedef struct alcore__neighbors {
    int64_t count;
    int64_t *row;           /* [count] of the pool */
    double *uncertainty;    /* [count] larger = more uncertain */
    double *cost;           /* [count] in the unit of the budget */
    int64_t *target_counts; /* [count] number of target rows among whose k nearest it is, k being
                                  that of the target row's group; not 0: it is in an N_k. Made with
                                  the k */
    int64_t told;           /* of how many uncertainty and cost are known */
} alcore__neighbors;

typedef struct alcore__knn_state {
    alcore__hybrid hybrid;        /* uncertainty of the candidates, and the budget */
    int64_t fixed_k, k_max;       /* the parameters; fixed_k 0: k=auto */
    bool automatic;               /* k=auto */
    bool fill_short;              /* other candidates follow where N_k is short of the budget */
    int64_t k_limit;              /* largest k: min of k_max, a fixed k, and the rows searched */
    bool balanced;                /* balance_targets=1 */
    alcore__target_groups groups; /* the languages of the target, or one group of all its rows */
    int64_t target_rows;          /* rows of the target's pool, active or not */
    int64_t length;               /* entries of each list */
    int64_t next_k;    /* the largest k that a group has yet to try, beyond `length`; 0: all groups
                       have their k */
    bool needs_longer; /* next_k is not 0: the lists are made again */
    int64_t *k;        /* [groups] the k of each group, once no group needs longer lists */
    alcore__neighbor_lists near; /* [target rows, length] the nearest candidates of each target row,
                                    by pool row and, once they are listed, as neighbors; none of one
                                    that is not active */
    bool searches_labeled;       /* mode=code: `labeled` has the nearest labeled rows, which are
                                    merged into `near` */
    alcore__neighbor_lists labeled; /* [target rows, length] by pool row */
    bool checked; /* the first passes are over, in which embeddings were checked for NaN */
    alcore__neighbors neighbors;
    alcore__nominees offered; /* of a run over own rows: what is bought of the N_k */
} alcore__knn_state;

/* ---- neighbors (knn_neighbors.c) ---- */

/* Lists the neighbors once `near` is made, whose entries become neighbors. */
alcore_status alcore__knn_list_neighbors(alcore__run *run);
/* The pass that brings the uncertainty and cost of each: the functions of its partial, which has a
 * pair of doubles for each neighbor in the block, and its end, which sets the k of every group and
 * counts target rows or, where the lists are too short for a group, raises `length`. */
alcore_status alcore__knn_tell_neighbors(alcore__block *block, void *partial);
size_t alcore__knn_neighbors_bytes(const alcore__block *block);
alcore_status alcore__knn_take_neighbors(alcore__run *run, const alcore__block_partial *partial);
alcore_status alcore__knn_choose_k(alcore__run *run);
/* Marks the neighbors first .. end - 1, counted from the nearest, of every target row of a group:
 * their mark [neighbors] becomes group + 1. Adds to *cost what those cost that did not have this
 * mark before, one after another in the order of the target rows, and lists them in `list` (NULL:
 * nowhere). Returns how many they are. */
int64_t alcore__knn_mark(const alcore__knn_state *state, int64_t group, int64_t first, int64_t end,
                         int32_t *mark, double *cost, int64_t *list);

/* ---- the budget (knn_buy.c) ---- */

/* The finish of the strategy. */
alcore_status alcore__knn_finish(alcore__run *run);

#endif
