/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of a job over all shards (strategy/passes/shard_passes.h): what it has taken of the
 * rows of all (job_rows.c), and the run, which exchanges the partials of its passes (job_passes.c).
 *
 * A pass changes what is kept with blocks, so that one which failed cannot be made again: then the
 * job has failed, and a new one takes the messages of the exchanges that are over. */
#ifndef ALCORE__JOB_PASSES_H
#define ALCORE__JOB_PASSES_H

#include "extra/job/job_internal.h"
#include "pool/column_joined.h"
#include "strategy/passes/shard_passes.h"

struct alcore__job_passes {
    alcore__held_answer *held; /* what the shard itself reads; NULL: not made yet */
    /* Of all shards; NULL before the exchange of rows is over: */
    uint8_t *mask, *labeled_rows; /* [job->rows] 1: a candidate; a labeled row */
    double *costs;                /* [job->rows] of candidates; NULL: each costs 1 */
    alcore__column *columns[ALCORE__DATASET_COLUMNS]; /* with the rows of the shard's blocks */
    alcore__run_input input;
    alcore__run *run;
    alcore__shard *shard;
    bool failed; /* in a pass */
};

/* Makes job->passes and what the shard itself reads, unless that was done. */
alcore_status alcore__job_hold(alcore_job *job);
/* Begins the run over all rows, whose input was filled. */
alcore_status alcore__job_begin_passes(alcore_job *job);
/* Frees the run and what it reads of all shards. */
void alcore__job_passes_clear_rows(alcore_ctx *ctx, alcore__job_passes *passes);

/* The first block that begins at or behind a row, by its number: the shard with rows first .. end -
 * 1 visits the blocks from that of first up to that of end. */
static inline int64_t alcore__job_first_block(int64_t row) {
    return (row + ALCORE_BLOCK_ROWS - 1) / ALCORE_BLOCK_ROWS;
}

/* ---- exchanges ---- */

alcore_status alcore__job_put_rows(alcore_job *job, alcore__job_entry *entry,
                                   alcore__buffer *items);
alcore_status alcore__job_take_rows(alcore_job *job, const alcore__job_message *message);
/* *done: the passes are over, the job has its picks, and there is no message. */
alcore_status alcore__job_put_pass(alcore_job *job, alcore__job_entry *entry, alcore__buffer *items,
                                   bool *done);
alcore_status alcore__job_take_pass(alcore_job *job, const alcore__job_message *message);

#endif
