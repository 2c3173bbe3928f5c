/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of a job (job_handle.c) and what its exchanges do with it (job_exchange.c). Words of
 * this room are in job_message.h. */
#ifndef ALCORE__JOB_INTERNAL_H
#define ALCORE__JOB_INTERNAL_H

#include "alcore/extra/job.h"
#include "extra/job/job_message.h"
#include "select/select_internal.h"

/* The passes over all shards (job_passes.h). */
typedef struct alcore__job_passes alcore__job_passes;

struct alcore_job {
    alcore__object object;
    alcore_request *request; /* one reference; NULL: a handle of the picks of one budget */
    alcore_strategy
        *recommended;        /* one reference: in place of that of the request, which has none */
    alcore__job_entry entry; /* of the shard; count is that of the message */
    int64_t rows;            /* of all shards */
    char *dataset;           /* owned: one line of text */
    alcore__buffer settings; /* when the job was made */
    bool makes[ALCORE__EXCHANGES]; /* of the exchanges of passes: whether there is any */
    int32_t exchange;              /* the one that it has come to, unless it is done */
    bool done;                     /* it has its picks */
    alcore__buffer message;        /* of that exchange; empty: the step was not made */
    uint64_t *delivered; /* [exchange] checksums of the messages of the exchanges before, owned */
    size_t delivered_capacity;
    alcore__job_passes *passes; /* owned; NULL: there are none, or none was begun */
    /* [entry.end - entry.first] owned: 1 where an earlier shard has the text, and where the option
     * masks leaves it out; NULL: nowhere */
    uint8_t *repeated, *left_out;
    alcore_pool *texts; /* of all shards, for the n-gram model; one reference; NULL: not taken */
    alcore__place place;
    /* By the first budget; read once it is done: */
    int64_t pick_count;
    int64_t *pick_rows;          /* [pick_count] owned, as the next two */
    double *pick_scores, *costs; /* [pick_count] */
    double spent;
    uint32_t flags;
    alcore_job **further; /* [further_count] of the other budgets, one reference of each; owned */
    int64_t further_count;
};

/* ---- settings (job_settings.c) ---- */

/* The strategy of the job. */
static inline alcore_strategy *alcore__job_strategy(const alcore_job *job) {
    return job->request->strategy ? job->request->strategy : job->recommended;
}
/* Refuses what jobs do not serve, by name. Called without locks on the pools. */
alcore_status alcore__job_check_served(const alcore_job *job);
/* Sets job->makes: which exchanges the request needs. */
alcore_status alcore__job_plan(alcore_job *job);
/* Writes the settings of the request to an empty buffer. */
alcore_status alcore__job_settings(const alcore_job *job, alcore__buffer *out);

/* ---- picks (job_picks.c) ---- */

/* What was bought of the rows of all shards, or of their nominees. */
typedef struct alcore__job_bought {
    const alcore__outcome *outcome;   /* its purchases are those of some or all budgets */
    const alcore__nominees *nominees; /* of which its rows are the indices; NULL: rows are rows */
    const double *costs;              /* by row, without nominees; NULL: each costs 1 */
} alcore__job_bought;
/* Keeps the picks of these budgets. */
alcore_status alcore__job_keep(alcore_job *job, const alcore__job_bought *bought);
void alcore__job_clear_picks(alcore_job *job);

/* ---- texts of the n-gram model (job_model.c) ---- */

alcore_status alcore__job_put_model(alcore_job *job, alcore__job_entry *entry,
                                    alcore__buffer *items);
alcore_status alcore__job_take_model(alcore_job *job, const alcore__job_message *message);

/* ---- exchanges (job_exchange.c) ---- */

void alcore__job_passes_free(alcore_ctx *ctx, alcore__job_passes *passes);

/* Makes the message of the exchange that the job has come to: an empty buffer becomes it. Where the
 * passes are over there is none, and the job is done. */
alcore_status alcore__job_put(alcore_job *job, alcore__buffer *out);
/* Takes what all shards have put into it, once the message was checked. */
alcore_status alcore__job_take(alcore_job *job, const alcore__job_message *message);

#endif
