/* SPDX-License-Identifier: Apache-2.0 */
/* The state of k-center, and the distances that its blocks of candidates keep from pass to pass.
 * The terms are those of kcenter.c. */
#ifndef ALCORE__KCENTER_H
#define ALCORE__KCENTER_H

#include "strategy/greedy/greedy.h"

typedef struct alcore__kcenter_state {
    alcore__greedy greedy; /* first, see greedy/greedy.h */
    int64_t dims;          /* of the embeddings */
    int64_t labeled; /* number of labeled rows: of the candidates' pool and of the labeled pool */
    double *chunk;   /* [chunk_rows, dims] vectors of the labeled rows of the present chunk */
    int64_t chunk_rows;   /* at most CHUNK_ROWS */
    alcore__doubles mean; /* [dims] of the candidates, where nothing is labeled */
    int64_t collected; /* labeled rows in earlier chunks of both sources, those of the candidates'
                           pool first */
    double *centers;   /* [center_count, dims] vectors of the picks, in their order */
    int64_t center_count;
    size_t center_capacity; /* in doubles */
    double *radius;         /* [candidates] for each pick the largest distance that a row has to its
                               nearest center once this pick is one; NaN for other rows; NULL in a
                               run over own rows */
    int64_t last_pick;      /* position of the last pick */
    bool lacks_radius;      /* whose radius is not known yet */
    bool from_mean;         /* nothing is labeled: the first pick is the nearest to the mean */

    /* mode=composable (kcenter_composable.c): the centers that the blocks gave in this round, in
     * the order of their positions; arrays are [gathered]. */
    bool composable;
    int64_t per_block;  /* the parameter, 0: as many as the budget buys; begin replaces that */
    bool another_round; /* the centers were too few */
    int64_t gathered;
    int64_t *places;  /* positions of the candidates; in a run over own rows their pool rows */
    double *costs;    /* in the unit of the budget; 0: bought, in a run over own rows */
    double *sq_dist;  /* m(x) */
    double cheapest;  /* cost of the cheapest row that could be picked and was not gathered;
                         infinite: there is none */
    double *nearness; /* minus the squared distance to the mean; set before there is a center */
    double *vectors;  /* [gathered, dims] */
    size_t place_capacity, cost_capacity, sq_dist_capacity, nearness_capacity, vector_capacity;
} alcore__kcenter_state;

/* ---- picks (kcenter_centers.c) ---- */

/* The score of a row: its distance to the nearest center, 0 where nothing was measured. The first
 * pick from the mean has a negative value, and no center yet: alcore__kcenter_set_radius() scores
 * it. */
double alcore__kcenter_score(double value);
/* Takes greedy.left_value as the radius of the last pick, unless it has one. */
alcore_status alcore__kcenter_set_radius(alcore__run *run);
/* The pick greedy.best becomes a center. */
alcore_status alcore__kcenter_add_center(alcore__run *run);

/* ---- mode=composable (kcenter_composable.c) ---- */

/* For begin: decides how many centers a block gives; ALCORE_E_UNSUPPORTED where their vectors need
 * more than ALCORE__GATHERED_BYTES. */
alcore_status alcore__kcenter_begin_composable(alcore__run *run);
/* The pass that gathers the centers of the blocks and picks among them, to be nested. */
extern const alcore__pass alcore__kcenter_composable_passes[];
/* For finish: the scores of the gathered rows, before those of the picks; others are NaN. */
void alcore__kcenter_score_gathered(alcore__run *run);

/* ---- what is kept with a block (kcenter_rows.c) ---- */

/* Functions of the greedy rule in kcenter.c (greedy/greedy.h says when each is called), which keeps
 * sq_dist, m(x) [matrix rows] over labeled rows and the measured picks of the row, in the engine's
 * memory; infinite at first, and checked for NaN then. find_farthest: *index (-1: none) and *value
 * of the row with the largest m(x) of those that were not bought, with `pickable` of those that can
 * be picked. On a device every row is measured from every pick in each pass, as it cannot be
 * measured alone there. */
alcore_status alcore__kcenter_fill(const alcore__matrix *matrix, double *sq_dist, void *unused);
alcore_status alcore__kcenter_update(const alcore__matrix *matrix, double *sq_dist);
alcore_status alcore__kcenter_complete(const alcore__matrix *matrix, double *sq_dist);
alcore_status alcore__kcenter_find_farthest(const alcore__matrix *matrix, double *sq_dist,
                                            bool pickable, int64_t *index, double *value);
/* Measures all active rows of the block from vectors [count, dims] and lowers sq_dist, m(x). */
alcore_status alcore__kcenter_measure(const alcore__matrix *matrix, const double *vectors,
                                      int64_t count, double *sq_dist);

#endif
