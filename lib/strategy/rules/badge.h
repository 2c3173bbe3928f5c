/* SPDX-License-Identifier: Apache-2.0 */
/* The state of BADGE, what its blocks keep from pass to pass, and its draws. The terms are those of
 * badge.c. */
#ifndef ALCORE__BADGE_H
#define ALCORE__BADGE_H

#include "strategy/greedy/greedy.h"
#include "strategy/kmeans/draw_passes.h"

/* mode=oversampling (badge_oversampling.c): the rows that were gathered, in their order, and the
 * draws of the present step. */
typedef struct alcore__badge_sample {
    alcore__rng rng;
    int64_t steps_left;    /* of this turn */
    bool no_distance;      /* every row that can be picked is where a gathered one is */
    bool another_turn;     /* the gathered rows ended before the budget */
    alcore__draw *draw;    /* [draws] rows that the next pass gathers, some of them twice */
    double *block_weights; /* [blocks] total D^2 weight of the rows that can be picked */
    uint8_t *is_gathered;  /* [candidates] */
    size_t draw_capacity, position_capacity, a_capacity, h_capacity, square_capacity,
        weight_capacity, count_capacity, bought_capacity;
    int64_t draws, gathered;
    int64_t measured;   /* of the gathered rows, those from which blocks have measured theirs */
    int64_t compared;   /* those with a D^2 weight beside the picks */
    int64_t *positions; /* [gathered] of the candidates */
    double *a, *h;      /* [gathered, classes], [gathered, dims] */
    double *squares;    /* [gathered] G */
    double *weights;    /* [gathered] D^2 weight beside the picks; infinite before the first */
    int64_t *counts;    /* [gathered] candidates to which it is the nearest of these rows */
    int64_t *bought;    /* [bought_count] those of them that are picks */
    int64_t bought_count;
} alcore__badge_sample;

typedef struct alcore__badge_state {
    alcore__greedy greedy; /* first, see greedy/greedy.h; best is the row that was drawn */
    int64_t classes, dims; /* components of a and of h */
    bool first_uniform;    /* first=uniform: the first row is drawn, too */
    bool oversampling;     /* mode=oversampling, and its parameters: */
    int64_t steps;
    int64_t per_step; /* draws of a step; 0 before begin: by the budget */
    alcore__badge_sample sample;
    double *squares;     /* [candidates] G */
    alcore__draws draws; /* one sequence; of a row its D^2 weight, a and h are taken */
    /* What was found of the row that was drawn, entry 0, and of the speculative rows: */
    double *found_a;                         /* [ALCORE__MAX_DRAWS, classes] */
    double *found_h;                         /* [ALCORE__MAX_DRAWS, dims] */
    double found_squares[ALCORE__MAX_DRAWS]; /* G */
    double found_weight;                     /* D^2 weight of the row that was drawn */
} alcore__badge_state;

/* The arrays of a block, kept with it between passes in the memory that the engine works in. */
typedef struct alcore__badge_rows {
    double *squares;             /* [matrix rows] G */
    double *weights;             /* [matrix rows] D^2 weight; infinite before the first center */
    double *speculative_weights; /* [ALCORE__MAX_SPECULATIVE, matrix rows] squared distances to the
                                    speculative rows measured last */
    double *sums;                /* [matrix rows] running sums of the weights that the next draws
                                    are made from, in each block of a wide one; else not used */
    double *a;                   /* [matrix rows, classes] */
} alcore__badge_rows;

/* Arrays of alcore__badge_rows of a number a row. */
enum { ALCORE__BADGE_ROW_ARRAYS = 3 + ALCORE__MAX_SPECULATIVE };

/* Where the arrays lie in values, the doubles of a block (alcore__block_doubles()) with `rows`
 * matrix rows. */
static inline alcore__badge_rows alcore__badge_lay_out(double *values, int64_t rows) {
    return (alcore__badge_rows){.squares = values,
                                .weights = values + rows,
                                .speculative_weights = values + 2 * rows,
                                .sums = values + (2 + ALCORE__MAX_SPECULATIVE) * rows,
                                .a = values + ALCORE__BADGE_ROW_ARRAYS * rows};
}

/* Describes the factors a [rows, classes] as a matrix for kernels. */
static inline alcore_sys_rows alcore__badge_factors(const alcore__badge_state *state,
                                                    const double *a, int64_t rows) {
    return alcore__rows_of(a, rows, state->classes);
}

/* ---- draws (badge_draws.c) ---- */

alcore_status alcore__badge_begin_draws(alcore__run *run);
/* Position of the next row to try as the first center, among those that can be picked: the one of
 * the largest gradient, the lower row in a tie, or a uniform draw by `rng`; -1: none is left. */
int64_t alcore__badge_first_position(const alcore__badge_state *state, alcore__rng *rng);
/* That row is drawn, unless the budget is full. */
alcore_status alcore__badge_draw_first(alcore__run *run);

/* ---- mode=oversampling (badge_oversampling.c) ---- */

/* For begin: decides how many rows a step draws; ALCORE_E_UNSUPPORTED where the gathered rows may
 * need more than ALCORE__GATHERED_BYTES. */
alcore_status alcore__badge_begin_sample(alcore__run *run);
/* The first row is the first to be gathered. */
alcore_status alcore__badge_sample_first(alcore__run *run);
/* The passes that gather rows and pick among them, to be nested. */
extern const alcore__pass alcore__badge_sample_passes[];
/* End of the last of these (badge_sample_picks.c): picks while the budget and the gathered rows
 * last, and sets another_turn. */
alcore_status alcore__badge_pick_sample(alcore__run *run);
/* For finish: the scores of the gathered rows, before those of the picks; others are NaN. */
void alcore__badge_score_sample(alcore__run *run);

#endif
