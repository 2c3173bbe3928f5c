/* SPDX-License-Identifier: Apache-2.0 */
/* The state of MRS, and the ratios that its blocks of candidates keep from pass to pass. The terms
 * are those of mrs.c: L is all labeled rows, L' the sample of them that candidates are compared
 * with; a number counts the rows of L', and h of a row is half its mean cosine to its k nearest
 * rows on the other side. */
#ifndef ALCORE__MRS_H
#define ALCORE__MRS_H

#include "strategy/greedy/greedy.h"
#include "strategy/rules/neighbor_lists.h"

typedef struct alcore__mrs_state {
    alcore__greedy greedy;     /* first, see greedy/greedy.h; used with iterative=1 only */
    bool iterative, by_cosine; /* the parameters: iterative=1, metric=cosine */
    int64_t dims, k;           /* of the embeddings; entries of a list, 1 with metric=cosine */
    int64_t sample_size;       /* the parameter "sample" */
    int64_t labeled_rows;      /* rows of L that are in the candidates' pool; they come first */
    int64_t drawn;             /* rows of L that were drawn for L'; picks follow them in L' */
    int64_t *positions;        /* [drawn] their positions in L, ascending */
    int64_t collected;         /* rows of L' whose vector is in `sample`, drawn rows and picks */
    double *sample;            /* [collected, dims] vectors of L' by number */
    size_t sample_capacity;
    int64_t *sample_rows; /* [collected] the pool row of each: a row of the labeled pool for the
                             numbers own_rows .. drawn - 1, else one of the candidates' pool */
    size_t rows_capacity;
    int64_t own_rows;  /* how many of the drawn rows are of the candidates' pool */
    int64_t new_first; /* rows of L' from here on were added since the last pass "distances" */
    /* Rows of L' for which the next pass "neighbors" finds lists: those whose list has the last
     * pick, then the new ones. With metric=ratio only; the arrays keep their capacity when
     * pending_count becomes 0 after "distances". */
    alcore__neighbor_lists found; /* [pending_count, k] the lists */
    int64_t *pending;             /* [pending_count] their numbers, ascending */
    size_t pending_capacity;
    int64_t pending_count;
    double *pending_vectors; /* [pending_count, dims] copies of their vectors */
    size_t pending_vectors_capacity;
    uint8_t *changed; /* [collected] 1: the row is among `pending`, so its h may change */
    size_t changed_capacity;
    int64_t *near; /* [collected, k] the pool rows of the candidates with the largest cosine to each
                      row of L' */
    size_t near_capacity;
    double *half; /* [collected] h of each row of L' */
    size_t half_capacity;
    double min_half; /* the smallest of them; `near`, `half` and this with metric=ratio only */
    int64_t
        *nearest; /* [candidates] number of the row of L' with the largest ratio or cosine; NULL:
                         it is not told, in a run over own rows */
} alcore__mrs_state;

/* ---- what is kept with a block (mrs_rows.c) ---- */

/* By matrix row; entries of rows that are not active are not used. */
typedef struct alcore__mrs_rows {
    int64_t *near;   /* [matrix rows, k] the numbers with the largest cosines, largest first */
    double *cosine;  /* [matrix rows, k] their cosines */
    double *half;    /* [matrix rows] h of the row */
    double *ratio;   /* [matrix rows] its largest ratio */
    int64_t *number; /* [matrix rows] the number that has it; -1: not computed yet */
    uint8_t *stale;  /* [matrix rows] 1: the ratio is to be computed again over all of L' */
} alcore__mrs_rows;

/* Whether a candidate was picked: then it is in L' and no candidate any more. */
bool alcore__mrs_is_picked(const alcore__mrs_state *state, int64_t position);
/* Describes the rows first .. end - 1 of vectors [.., dims] as a matrix for kernels, `.first` being
 * `first`: no pool row, but the place in vectors. */
alcore_sys_rows alcore__mrs_as_rows(const alcore__mrs_state *state, const double *vectors,
                                    int64_t first, int64_t end);
/* *out: what the block keeps, which is made on the first visit. Called in each pass over the
 * candidates, before the functions below. */
alcore_status alcore__mrs_open_rows(alcore__block *block, const alcore__matrix *matrix,
                                    alcore__mrs_rows *out);
/* Pushes *mask [matrix rows]: 1 for the active rows that are no pick. */
alcore_status alcore__mrs_push_mask(const alcore__matrix *matrix, uint8_t **mask);
/* Joins the rows of L' from new_first on to the lists of the candidates of the mask, near and
 * cosine of rows. */
alcore_status alcore__mrs_join_new(const alcore__matrix *matrix, const uint8_t *mask,
                                   alcore__mrs_rows *rows);
/* Computes the largest ratio of the candidates of the mask, ratio and number of rows, and ends that
 * they are stale. The mask is overwritten. */
alcore_status alcore__mrs_update_ratios(const alcore__matrix *matrix, uint8_t *mask,
                                        alcore__mrs_rows *rows);

#endif
