/* SPDX-License-Identifier: Apache-2.0 */
/* The state of an answer, and the steps of making it, which request_answer.c puts in order:
 *
 *   answering_rows.c      which rows take part, what each costs, which are drawn
 *   answering_earlier.c   with max_age: which of them the present model scores
 *   answering_input.c     what the strategy's run reads, and the run
 *   answering_shard.c     what a job over shards asks in place of a selection */
#ifndef ALCORE__ANSWERING_H
#define ALCORE__ANSWERING_H

#include "select/select_internal.h"

enum { ALCORE__HELD_POOLS = 4 }; /* candidates, labeled, target, excluded */

/* The state of one answer, which answer_or_nominate() frees at its end. */
typedef struct alcore__held_answer {
    alcore_request *request;     /* the caller's, or `derived` */
    alcore__shard_answer *shard; /* borrowed; NULL: a selection is wanted */
    /* A copy of the caller's request whose candidates are the phrases of its texts, `phrases`, and
     * which names no rows; used where the strategy buys phrases. */
    alcore_request derived;
    alcore_pool *phrases;    /* one reference; NULL: the candidates are those of the caller */
    alcore__text_rows texts; /* what is known of the texts of `phrases`; else all 0 */
    alcore_ctx *ctx;
    alcore_strategy *strategy; /* the request's, or the recommended one; one reference */
    alcore__masks masks;
    alcore__resolution resolution; /* the columns that the strategy reads */
    alcore__reuse reuse; /* with max_age: the columns that earlier rounds have values of */
    double *costs;       /* [rows of the candidates' pool] in the unit of the budget; 0 for
                      rows that are no candidates; NULL: every row costs 1 */
    /* [budgets.count - 1] the budgets but the largest; NULL: there is one budget */
    double *further;
    /* [rows] a copy of the candidates for the next round, with sticky=1; else NULL */
    uint8_t *drawn;
    int32_t *languages; /* [rows of the candidates' pool] index of each row's language among all
                           tags of the pool in byte order; NULL: the strategy does not read
                           languages */
    alcore__run_input input;
    alcore__outcome outcome;
    alcore__column
        *computed; /* in place of a column of texts, for passes over shards; NULL: none */
    alcore_pool
        *held[ALCORE__HELD_POOLS]; /* locked for reading until the answer is freed, a reference of
                                      each; NULL: it is not held, or has no such pool */
} alcore__answering;

/* ---- rows (answering_rows.c) ---- */

/* Makes the masks of all pools and the costs of the candidates, and draws with candidates=N; locks
 * the pools for reading. Called before any column of the strategy is made, as without a candidate
 * no column is needed at all, and a model computes the candidates that are drawn only. */
alcore_status alcore__answering_make_masks(alcore__answering *self);
/* Fails where the masks of the recommended strategy, those of the answer or of all shards, left
 * nothing in a first round. */
alcore_status alcore__answering_check_words(const alcore__answering *self,
                                            const alcore__masks *masks);
/* Whether a row is left in the mask of the candidates. */
bool alcore__answering_has_candidate(const alcore__answering *self);
/* *out [rows]: the candidates of the round before, of which rows that were added since are none,
 * owned by the caller; NULL: there was no such round. */
alcore_status alcore__answering_copy_previous(const alcore__answering *self, uint8_t **out);
/* Moves what was drawn into the request, once the selection is made, or hands it out for a shard,
 * whose job does so when it is done. */
void alcore__answering_keep_drawn(alcore__answering *self);

/* ---- values of earlier rounds (answering_earlier.c) ---- */

/* Under which budget the best candidates are found by values of earlier rounds. */
alcore__fill alcore__answering_refresh_fill(const alcore__answering *self);
/* Makes the columns of which earlier rounds may have values, where the request has the option
 * max_age (rounds). Where a shard is asked by these values, the mask of the candidates has those
 * alone that have them; else it is on return as it was. Called without locks on the pools. */
alcore_status alcore__answering_refresh_columns(alcore__answering *self);

/* ---- the run (answering_input.c); with the pools locked for reading ---- */

/* Fills in the input of the run: datasets with their columns, the engine, the rows of another
 * selection (like) and, where the strategy reads them, languages. */
alcore_status alcore__answering_fill_input(alcore__answering *self);
/* Fails where a candidate that was drawn lacks a value of a column of the input; labeled rows that
 * lack one are not among those of the input any more. */
alcore_status alcore__answering_check_values(alcore__answering *self);
/* Fills in the input, checks its values and runs the strategy. */
alcore_status alcore__answering_run(alcore__answering *self, alcore__outcome *out);

/* With nan=exclude: leaves out the rows with a NaN before the run does; the input was filled in. */
alcore_status alcore__answering_leave_out_nan(alcore__answering *self);

/* ---- shards (answering_shard.c) ---- */

/* Answers what is asked of a shard before the columns are made. Called without locks. */
alcore_status alcore__answering_shard_masks(alcore__answering *self);
/* Answers what is asked of a shard at last, with the pools locked for reading. */
alcore_status alcore__answering_shard_run(alcore__answering *self);

#endif
