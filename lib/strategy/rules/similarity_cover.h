/* SPDX-License-Identifier: Apache-2.0 */
/* Covers of the candidates by similarity (facility_location.c, probcover.c): greedily the candidate
 * that adds most, for its cost, to
 *
 *   f(S) = sum over candidates i of the largest s(i, j) over j in S,    0 where S is empty
 *   gain(j) = (sum over i of max(0, s(i, j) - covered(i))) / cost(j)
 *
 * where S holds the labeled rows and the picks, covered(i) is i's term of f(S), and s is a function
 * of the distance of two unit vectors that never grows with it. f is submodular, so that an old
 * gain is a bound. What a pick takes from each gain, over the candidates i that it covers more than
 * before, makes the bounds tight, and only candidates at the head of a heap are measured again
 * (lazy_heap.h). Gains that were measured decide, so that no result depends on the bounds.
 *
 * Time: candidates^2 x components for the first gains, and candidates x components for each time
 * that a pick covers a candidate more than before: with a ball once, else about 5 times in 100
 * picks. Memory: 8 bytes a component of a candidate (gathered_rows.h), 80 bytes a candidate, 4 MiB
 * for each thread, and the similarities of all pairs where these are no more than 1 GiB.
 *
 * With the parameter `neighbors` s(i, j) is 0 but for the candidates j that are nearest to i
 * (neighbor_cover.h): the neighbors are searched once, and a gain is a sum over the few i that j is
 * near. Labeled rows cover whatever is like them all the same. */
#ifndef ALCORE__SIMILARITY_COVER_H
#define ALCORE__SIMILARITY_COVER_H

#include "strategy/budget/fill.h"
#include "strategy/greedy/lazy_heap.h"
#include "strategy/rules/gathered_rows.h"
#include "strategy/rules/neighbor_cover.h"

/* Candidates of a chunk. A gain is added up chunk by chunk of adjacent candidates, whether by all
 * pairs or by neighbors, so that both round alike. */
enum { ALCORE__COVER_CHUNK = 512 };

/* What s is of a distance d of unit vectors, with one number x of the cover. */
enum {
    ALCORE__COVER_COSINE = 0, /* max(0, 1 - d^2 / 2), the cosine */
    ALCORE__COVER_RBF = 1,    /* exp(-x d^2) */
    ALCORE__COVER_BALL = 2    /* 1 where d < x, else 0 */
};

/* The state of such a strategy begins with this. Arrays are owned by the run. */
typedef struct alcore__cover {
    alcore__filler filler;
    alcore__gathered gathered; /* all candidates */
    int64_t kind;              /* ALCORE__COVER_*; it and x are set before the last pass ends */
    double x;
    int64_t neighbors;         /* the parameter; 0: all */
    alcore__cover_graph graph; /* with neighbors */
    int64_t *nearest;          /* [candidates] not -1: a labeled row or pick is known, ... */
    double *sq_dist;           /* [candidates] ... and the squared distance to the nearest one */
    double *covered;           /* [candidates] */
    double *gains;  /* [candidates] bounds of the gains: that of a fresh one is its gain */
    uint8_t *fresh; /* [candidates] 1: it was measured since the last pick */
    double *slack;  /* [candidates] what rounding may add to a bound with a pick */
    double *before; /* [candidates] `covered` before the last pick */
    double *pairs;  /* [candidates, candidates] similarities; NULL: too many to keep */
    bool has_pairs; /* they were computed */
    alcore__lazy_heap heap;
} alcore__cover;

/* The parameter "neighbors", of a state that begins with the cover. */
#define ALCORE__COVER_NEIGHBORS_PARAM                                                              \
    ALCORE__PARAM("neighbors", INTEGER, "all", 1, ALCORE__COVER_NEIGHBORS, "all",                  \
                  "only this many nearest candidates of a row cover it: for tens of thousands of " \
                  "rows",                                                                          \
                  ALCORE__MEMBER(ALCORE__TO_STATE, alcore__cover, neighbors))
/* For the strategy's begin. */
alcore_status alcore__cover_begin(alcore__run *run);
/* The passes, to be nested in the strategy's table as they are: the vectors of the candidates are
 * in cover.gathered from the first one on. */
extern const alcore__pass alcore__cover_passes[];
/* For the strategy's finish: chooses, and sets scores, picks, the record "covered" and the fact
 * "coverage", the mean of it over the candidates. The score of a candidate that was not offered is
 * an upper bound of its gain. */
alcore_status alcore__cover_finish(alcore__run *run);

#endif
