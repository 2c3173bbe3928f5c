/* SPDX-License-Identifier: Apache-2.0 */
/* The greedy engine: picking row after row. It has the turns, the mask of rows that can be bought,
 * the best row of a block and of all, offers to the budget, and passes that a device is given as a
 * whole.
 *
 * A strategy whose picks have the largest value of a rule (idds, kcenter) says four things: what is
 * kept of a row, what it is at first, how it changes after a pick, and which number is compared.
 * Its table nests alcore__greedy_passes: each block sends its best row with its vector, the best of
 * all is kept, the lower row in a tie, and the end of the pass makes the turn. The others (badge,
 * mrs, cluster_picks.c) choose in passes of their own, and make the turns here.
 *
 * In a run over own rows, each pass ends with the best row of all shards, which may be another
 * shard's. Every shard buys these rows with the same budget, and offers them before all nominees
 * (budget/nominees.h).
 *
 * The strategy's state begins with an alcore__greedy. */
#ifndef ALCORE__GREEDY_H
#define ALCORE__GREEDY_H

#include "strategy/block.h"
#include "strategy/budget/fill.h"
#include "strategy/budget/nominees.h"
#include "strategy/passes/engine_vectors.h"

enum { ALCORE__GREEDY_FREE = 0, ALCORE__GREEDY_PICKED = 1, ALCORE__GREEDY_PASSED_OVER = 2 };

/* What a block keeps: values [arrays, matrix rows], in the engine's memory after fill. All
 * functions but fill and picked may be NULL. */
typedef struct alcore__greedy_rule {
    int64_t arrays;
    int64_t choice; /* the array whose largest value is picked */
    /* Writes the values in host memory; entries of rows that are not active have no meaning. */
    alcore_status (*fill)(const alcore__matrix *matrix, double *values, void *unused);
    /* Computes the array `choice` from the others, once they are in the engine's memory. */
    alcore_status (*first)(const alcore__matrix *matrix, double *values);
    /* Changes the values after a pick; prepared by picked(), which is called once the row best was
     * bought, on the calling thread. */
    alcore_status (*update)(const alcore__matrix *matrix, double *values);
    alcore_status (*picked)(alcore__run *run);
    /* The score of a row with a value of the array `choice`; NULL: that value. */
    double (*score)(double value);

    /* For rules whose array `choice` has upper bounds in host memory, to be replaced by values
     * where they matter. search() finds the active row with the largest value, the lowest one in a
     * tie: with `pickable` of those that can be picked, else of those that were not bought. *index
     * -1 and *value 0: there is none. complete() replaces all bounds. */
    alcore_status (*search)(const alcore__matrix *matrix, double *values, bool pickable,
                            int64_t *index, double *value);
    alcore_status (*complete)(const alcore__matrix *matrix, double *values);

    /* left_value is wanted. A pass is made after the last pick too, which offers nothing.
     * searched() is called at the end of each pass, before the turn. */
    bool finds_left;
    alcore_status (*searched)(alcore__run *run);
} alcore__greedy_rule;

/* The first member of the state of such a strategy. */
typedef struct alcore__greedy {
    alcore__run *run;
    alcore__filler filler; /* spends the budget; has the picks so far */
    uint8_t *status;       /* [candidates] ALCORE__GREEDY_*: what became of each candidate */
    double *pick_scores; /* [candidates] score of each pick, written by the strategy when it offers
                            the row; used for rows with status ALCORE__GREEDY_PICKED only */
    int64_t *offered;    /* [offered_count] the candidates that were offered, in their order */
    size_t offered_capacity;
    int64_t offered_count, passed_over; /* candidates that were offered; of them, not bought */
    int64_t best;      /* position of the best candidate of the pass; -1: there is none, or it is a
                         row of another shard */
    int64_t best_row;  /* the pool row of that of pass "choice"; -1: there is none */
    double best_cost;  /* in the unit of the budget */
    double best_value; /* what it is the best by: the largest value of the pass */
    double *best_vector;          /* [dims] its embedding */
    alcore__nominees bought_rows; /* of a run over own rows: the picks of all shards so far */
    size_t bought_capacity;
    /* Where a pass is queued as a whole (alcore__wide_visits()), what its visits have found, until
     * alcore__greedy_collect() reads it: [2, visits] records, in the engine's memory, by turns. */
    alcore__vectors found;    /* data NULL: each visit sends its best candidate */
    double *records;          /* [visits] the records of a pass in host memory */
    int64_t visits, turn;     /* turn: 0 or 1, that of the present pass */
    const double *best_there; /* [dims] best_vector in `found`, until the pass after the next one;
                                 NULL: it was not found there */
    /* For alcore__greedy_passes: */
    const alcore__greedy_rule *rule;
    bool ranks_once; /* set before alcore__greedy_begin(): nothing is offered, as the scores before
                          the first pick are all that is wanted: the runner ranks by them */
    bool searched;   /* a pass has found the best row */
    bool bought;     /* the last turn of these passes bought a row; alcore__greedy_turn() tells
                          its caller only, and the end of "choice" keeps that here */
    bool has_next;   /* the last turn offered a row, and the budget is not full; set by
                          alcore__greedy_turn(), for all strategies. "choice" sets it after the last
                          pick too, where the rule has finds_left */
    double left_value; /* with finds_left: the largest value of the rows that were not bought,
                          whether they can be or not, in the present pass; 0: there is none */
} alcore__greedy;

/* Called in the strategy's begin. */
alcore_status alcore__greedy_begin(alcore__run *run, alcore__greedy *greedy);

/* Whether the candidate at a position can still be picked: it was not offered yet, and the budget
 * could buy it now. */
bool alcore__greedy_is_free(const alcore__greedy *greedy, int64_t position);
/* Whether there is such a candidate. */
bool alcore__greedy_has_free(const alcore__greedy *greedy);
/* Whether this is so of every row that was not bought: then the masks of push_mask and push_left
 * are the same, and left_value is best_value. False once a row was passed over, and in a request
 * with costs, where each row would have to be looked at. */
bool alcore__greedy_left_are_free(const alcore__greedy *greedy);
/* *out: a mask [matrix rows] for kernels, which may be in the engine's memory, valid until the
 * block is done: 1 for the active rows that can be picked. */
alcore_status alcore__greedy_push_mask(const alcore__greedy *greedy, const alcore__matrix *matrix,
                                       const uint8_t **out);
/* The same with 1 for the active rows that were not bought, those among them that were passed over
 * or cost too much. Pass "choice" asks for it, to find left_value, where the rule has finds_left
 * and alcore__greedy_left_are_free() is false. */
alcore_status alcore__greedy_push_left(const alcore__greedy *greedy, const alcore__matrix *matrix,
                                       const uint8_t **out);

/* ---- the best row of a block (greedy_found.c), for greedy_passes.c ---- */

/* The partial of a block: its best candidate. */
typedef struct alcore__greedy_best {
    int64_t position; /* of the candidate; -1: no row of the block can be picked */
    int64_t row;      /* of the pool */
    double cost;      /* in the unit of the budget */
    double value;     /* by which it is the best of the block */
    double left;      /* the largest value of the rows that were not bought; 0: none, or unknown */
    double vector[];  /* [dims] its embedding */
} alcore__greedy_best;
/* Fills the partial with the active row of an index and its value; index -1: the block has none. */
alcore_status alcore__greedy_write_best(const alcore__matrix *matrix, int64_t index, double value,
                                        alcore__greedy_best *out);
/* Finds the best row of the block by values [matrix rows, in the engine's memory] among those of a
 * mask [matrix rows], and fills the partial with it; or, where the pass is queued as a whole,
 * leaves it in the engine's memory and the partial without a row. */
alcore_status alcore__greedy_find_best(const alcore__greedy *greedy, const alcore__matrix *matrix,
                                       const uint8_t *mask, const double *values,
                                       alcore__greedy_best *out);
/* *max: the largest of values [matrix rows] of the block, 0 where the mask is empty; or, likewise,
 * 0 where it is left in the engine's memory, for left_value. */
alcore_status alcore__greedy_max_left(const alcore__greedy *greedy, const alcore__matrix *matrix,
                                      const uint8_t *mask, const double *values, double *max);
/* `start` of such a pass: whether it is queued as a whole. */
alcore_status alcore__greedy_start_pass(alcore__run *run);
/* Called first in its `end`: reads what the visits have left, and keeps the best candidate. */
alcore_status alcore__greedy_collect(alcore__run *run);

/* ---- turns ---- */

/* Offers the best candidate (best, which is not -1) to the budget; *bought: it became a pick, else
 * it was passed over. In both cases it is no longer free, so that no later pass finds it. */
alcore_status alcore__greedy_offer(alcore__greedy *greedy, bool *bought);
/* A turn: offers the best candidate, where there is one and the budget is not full, as a pick of
 * that score, and sets has_next; *bought: it was bought. `best` stays as it is: the caller chooses
 * another one, or clears it, before the next turn. */
alcore_status alcore__greedy_turn(alcore__greedy *greedy, double score, bool *bought);
/* Condition and loop of a pass after which there is a turn. */
#define ALCORE__GREEDY_HAS_NEXT ALCORE__IF(alcore__greedy, has_next)
/* The candidate with the largest of values [candidates] among those that can be picked, the lower
 * one in a tie; -1: there is none. *count: how many can be picked; NULL: not wanted. */
int64_t alcore__greedy_best_free(const alcore__greedy *greedy, const double *values,
                                 int64_t *count);
/* Forgets the best candidate before the next pass, and left_value. */
void alcore__greedy_clear_best(alcore__greedy *greedy);
/* The score of the last pick, at a position, is another one than that of its turn. */
void alcore__greedy_score_last(alcore__greedy *greedy, int64_t position, double score);
/* Called in the strategy's finish: sets the scores of the picks, counts the rows that are left as
 * passed over where the budget is not full, and moves the picks to the outcome, by
 * alcore__filler_finish(). */
alcore_status alcore__greedy_finish(alcore__greedy *greedy);

/* "choice", again and again, and "scores", to be nested in the strategy's table. */
extern const alcore__pass alcore__greedy_passes[];
/* The matrix of a block, with the values of the rule made at its first visit, *values: for passes
 * that change them before the first choice. */
alcore_status alcore__greedy_open(alcore__block *block, alcore__matrix *matrix, double **values);

#endif
