/* SPDX-License-Identifier: Apache-2.0 */
/* The state of BADGE, what its blocks keep from pass to pass, and its draws. The terms are those of
 * badge.c. */
#ifndef ALCORE__BADGE_H
#define ALCORE__BADGE_H

#include "strategy/greedy/greedy.h"
#include "strategy/kmeans/draw_passes.h"

typedef struct alcore__badge_state {
    alcore__greedy greedy; /* first, see greedy/greedy.h; best is the row that was drawn */
    int64_t classes, dims; /* components of a and of h */
    bool first_uniform;    /* first=uniform: the first row is drawn, too */
    double *squares;       /* [candidates] G */
    alcore__draws draws;   /* one sequence; of a row its D^2 weight, a and h are taken */
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
/* End of the first pass: the first row is the one of the largest gradient, or a uniform draw. */
alcore_status alcore__badge_draw_first(alcore__run *run);

#endif
