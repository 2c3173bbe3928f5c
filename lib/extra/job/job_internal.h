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
    alcore_pool *whole; /* the rows of all shards, from which phrases are bought; one reference;
                           NULL: not taken */
    alcore__row_list lists[ALCORE__ROW_KINDS]; /* rows of it that the requests name; owned */
    alcore__place place;
    /* With max_age: the job that finds which rows are scored again, from their values of earlier
     * rounds; its exchanges come before those of this one (job_refresh.c). One reference; NULL:
     * none is asked. */
    alcore_job *refresher;
    bool refreshes; /* it is such a job */
    /* Of a refresher, [entry.end - entry.first] owned: 1 for a row that it has found; else NULL */
    uint8_t *refreshed;
    uint8_t *drawn; /* [entry.end - entry.first] the candidates of this round, with sticky=1, owned;
                       the request takes them when the job is done; NULL: none were drawn */
    /* By the first budget; read once it is done: */
    alcore_selection *selection; /* where the picks are no rows of shards, in place of the arrays
                                    below; one reference; else NULL */
    int64_t pick_count;
    int64_t *pick_rows;          /* [pick_count] owned, as the next two */
    double *pick_scores, *costs; /* [pick_count] */
    double spent;
    uint32_t flags;
    alcore_job **further; /* [further_count] of the other budgets, one reference of each; owned */
    int64_t further_count;
};

/* ---- settings (job_settings.c) ---- */

/* Whether the request buys sentences and phrases. */
static inline bool alcore__job_is_hybrid(const alcore_job *job) {
    const alcore_strategy *strategy = job->request->strategy;
    return strategy && alcore__strategy_def_of(strategy)->hybrid;
}

/* The strategy of the job; of a hybrid that which buys the sentences. */
static inline alcore_strategy *alcore__job_strategy(const alcore_job *job) {
    alcore_strategy *strategy = job->request->strategy;
    if (!strategy) return job->recommended;
    return alcore__job_is_hybrid(job) ? alcore__strategy_part(strategy, ALCORE__SENTENCES)
                                      : strategy;
}
/* Whether it buys rows of the target. */
static inline bool alcore__job_buys_target(const alcore_job *job) {
    return job->request->target && !alcore__job_is_hybrid(job) &&
           alcore__strategy_def_of(alcore__job_strategy(job))->picks_from_target;
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
/* Keeps those of a selection, of which it takes the reference, after a failure too. */
alcore_status alcore__job_keep_selection(alcore_job *job, alcore_selection *selection);
void alcore__job_clear_picks(alcore_job *job);
/* Keeps the candidates of this round, which the answer has of a shard with sticky=1. */
void alcore__job_keep_drawn(alcore_job *job, const alcore__shard_answer *answer);

/* ---- values of earlier rounds (job_refresh.c) ---- */

/* Whether the request asks for that, once its exchanges are planned. */
bool alcore__job_asks_refresher(const alcore_job *job);
/* Fills in the refresher of a job, an object of zeros. */
alcore_status alcore__job_fill_refresher(const alcore_job *job, alcore_job *refresher);
/* Marks the rows of the shard that a refresher has bought. */
void alcore__job_mark_refreshed(alcore_job *refresher, const alcore__job_bought *bought);
/* Goes on from a refresher that is done: its first exchanges are not made again. */
void alcore__job_end_refresher(alcore_job *job);

/* ---- nominees (job_nominees.c) ---- */

alcore_status alcore__job_put_nominees(alcore_job *job, alcore__job_entry *entry,
                                       alcore__buffer *items);
/* message NULL: the passes have offered all picks, and no shard nominates. */
alcore_status alcore__job_take_nominees(alcore_job *job, const alcore__job_message *message);

/* ---- texts of the n-gram model (job_model.c) ---- */

alcore_status alcore__job_put_model(alcore_job *job, alcore__job_entry *entry,
                                    alcore__buffer *items);
alcore_status alcore__job_take_model(alcore_job *job, const alcore__job_message *message);

/* ---- all texts (job_whole.c) ---- */

alcore_status alcore__job_put_whole(alcore_job *job, alcore__job_entry *entry,
                                    alcore__buffer *items);
alcore_status alcore__job_take_whole(alcore_job *job, const alcore__job_message *message);
/* Buys the phrases of a hybrid whose sentences were bought, by the rows of all shards, with costs
 * as alcore__job_bought has them; the contents of the outcome may move. */
alcore_status alcore__job_join(alcore_job *job, const double *costs, alcore__outcome *outcome);
void alcore__job_whole_clear(alcore_job *job);

/* ---- exchanges (job_exchange.c) ---- */

/* The question of a job to its request. */
static inline alcore__shard_answer alcore__job_answer_of(const alcore_job *job, int32_t wanted) {
    return (alcore__shard_answer){.wanted = wanted,
                                  .place = job->place,
                                  .rows = job->rows,
                                  .texts = job->texts,
                                  .explain = alcore__job_is_hybrid(job),
                                  .by_earlier = job->refreshes,
                                  .refreshed = job->refresher ? job->refresher->refreshed : NULL,
                                  .masked = {.repeated = job->repeated, .left_out = job->left_out}};
}

void alcore__job_passes_free(alcore_ctx *ctx, alcore__job_passes *passes);

/* Makes the message of the exchange that the job has come to: an empty buffer becomes it. Where the
 * passes are over there is none, and the job is done. */
alcore_status alcore__job_put(alcore_job *job, alcore__buffer *out);
/* Takes what all shards have put into it, once the message was checked. */
alcore_status alcore__job_take(alcore_job *job, const alcore__job_message *message);

#endif
