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
                               nearest center once this pick is one; NaN for other rows */
    double max_sq_dist;     /* largest m(x) of the rows that are no center, in the present pass */
    int64_t last_pick;      /* position of the last pick; -1: there is none */
    bool first_from_mean;   /* the last pick is the first one, chosen by its distance to the mean */
} alcore__kcenter_state;

/* ---- what is kept with a block (kcenter_rows.c) ---- */

typedef struct alcore__kcenter_rows {
    double *sq_dist; /* [matrix rows] m(x) over labeled rows and the measured picks of the row, in
                        the engine's memory; infinite at first. On a device every row is measured
                        from every pick in each pass, as it cannot be measured alone there. */
    int64_t *block_measured_picks; /* [1] number of picks that every row of the block was measured
                                      from */
    int64_t *single_count;   /* [1] distances that were measured row by row since all rows were
                                measured together */
    int64_t *measured_picks; /* [active rows] number of picks that each row was measured from */
} alcore__kcenter_rows;

/* Finds what the block keeps, or makes it on the first visit, and checks the rows for NaN then. */
alcore_status alcore__kcenter_open_rows(alcore__block *block, const alcore__matrix *matrix,
                                        alcore__kcenter_rows *out);
/* Measures all active rows of the block from vectors [count, dims]. */
alcore_status alcore__kcenter_measure(const alcore__matrix *matrix, const double *vectors,
                                      int64_t count, double *sq_dist);
/* The same from the picks that not all rows of the block were measured from. */
alcore_status alcore__kcenter_measure_from_picks(const alcore__kcenter_state *state,
                                                 const alcore__matrix *matrix,
                                                 alcore__kcenter_rows *rows);
/* The farthest row of the block, for engines that work in host memory: with `pickable` of those
 * that can still be picked, else of those that are no center. */
alcore_status alcore__kcenter_find_farthest(const alcore__kcenter_state *state,
                                            const alcore__matrix *matrix,
                                            alcore__kcenter_rows *rows, bool pickable,
                                            double *vector, int64_t *index, double *value);

#endif
