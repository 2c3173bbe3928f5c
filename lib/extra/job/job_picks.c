/* SPDX-License-Identifier: Apache-2.0 */
/* The picks of a job, from what a run over the rows or nominees of all shards has bought. Those of
 * the first budget are the job's own; each further budget has a handle, which has nothing but its
 * picks. */
#include "extra/job/job_internal.h"

void alcore__job_clear_picks(alcore_job *job) {
    alcore_ctx *ctx = job->object.ctx;
    for (int64_t i = 0; i < job->further_count; i++) alcore__object_unref(job->further[i]);
    alcore__free(ctx, job->further);
    alcore_selection_unref(job->selection);
    job->selection = NULL;
    alcore__free(ctx, job->pick_rows);
    alcore__free(ctx, job->pick_scores);
    alcore__free(ctx, job->costs);
    job->further = NULL;
    job->further_count = 0;
    job->pick_rows = NULL;
    job->pick_scores = job->costs = NULL;
}

static void release_picks(void *object) {
    alcore__job_clear_picks(object);
}

/* Makes the handles of the budgets but the first. */
static alcore_status open_budgets(alcore_job *job) {
    alcore_ctx *ctx = job->object.ctx;
    const int64_t count = job->request->budgets.count;
    if (count < 2 || job->further) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count - 1, sizeof *job->further, &job->further));
    for (int64_t i = 1; i < count; i++) {
        ALCORE__TRY(alcore__object_new(ctx, sizeof(alcore_job), release_picks,
                                       &job->further[job->further_count]));
        job->further[job->further_count++]->done = true;
    }
    return ALCORE_OK;
}

static alcore_status new_picks(alcore_job *job, int64_t count) {
    alcore_ctx *ctx = job->object.ctx;
    const size_t picks = (size_t)count;
    job->pick_count = count;
    ALCORE__TRY(alcore__new_array(ctx, picks, sizeof *job->pick_rows, &job->pick_rows));
    ALCORE__TRY(alcore__new_array(ctx, picks, sizeof *job->pick_scores, &job->pick_scores));
    return alcore__new_array(ctx, picks, sizeof *job->costs, &job->costs);
}

/* Keeps what a budget bought; bought: as for alcore__job_keep(). */
static alcore_status keep_purchase(alcore_job *job, const alcore__job_bought *bought,
                                   const alcore__purchase *purchase) {
    const alcore__outcome *outcome = bought->outcome;
    ALCORE__TRY(new_picks(job, purchase->pick_count));
    for (int64_t rank = 0; rank < purchase->pick_count; rank++) {
        const int64_t position = purchase->picks[rank], row = outcome->rows[position];
        const alcore__nominee *nominee = bought->nominees ? &bought->nominees->entries[row] : NULL;
        job->pick_rows[rank] = nominee ? nominee->row : row;
        job->pick_scores[rank] = nominee            ? nominee->score
                                 : purchase->scores ? purchase->scores[rank]
                                                    : outcome->scores[position];
        job->costs[rank] = nominee ? nominee->cost : bought->costs ? bought->costs[row] : 1.0;
    }
    job->spent = purchase->spent;
    job->flags = purchase->flags;
    return ALCORE_OK;
}

/* The handle of a budget by its amount, which no two have; NULL: there is none. */
static alcore_job *of_amount(alcore_job *job, double amount) {
    const alcore__budgets *budgets = &job->request->budgets;
    for (int64_t i = 0; i < budgets->count; i++)
        if (budgets->amounts[i] == amount) return i > 0 ? job->further[i - 1] : job;
    return NULL;
}

alcore_status alcore__job_keep(alcore_job *job, const alcore__job_bought *bought) {
    const alcore__outcome *outcome = bought->outcome;
    if (job->refreshes) {
        alcore__job_mark_refreshed(job, bought);
        return ALCORE_OK;
    }
    alcore_status status = open_budgets(job);
    for (int32_t i = -1; i < outcome->further_count && status == ALCORE_OK; i++) {
        const alcore__purchase *purchase = i < 0 ? &outcome->bought : &outcome->further[i];
        alcore_job *of = of_amount(job, purchase->budget);
        if (of && !of->pick_rows) status = keep_purchase(of, bought, purchase);
    }
    if (status != ALCORE_OK) alcore__job_clear_picks(job);
    return status;
}

alcore_status alcore__job_keep_selection(alcore_job *job, alcore_selection *selection) {
    const alcore_status status = open_budgets(job);
    for (int64_t i = 0; i < job->further_count && status == ALCORE_OK; i++)
        job->further[i]->selection =
            alcore_selection_ref(alcore_selection_of_budget(selection, i + 1));
    if (status != ALCORE_OK) {
        alcore_selection_unref(selection);
        alcore__job_clear_picks(job);
        return status;
    }
    job->selection = selection;
    return ALCORE_OK;
}

/* ---- candidates of the round ---- */

void alcore__job_keep_drawn(alcore_job *job, const alcore__shard_answer *answer) {
    if (!answer->drawn) return;
    alcore__free(job->object.ctx, job->drawn);
    job->drawn = answer->drawn;
}

/* ---- calls ---- */

int64_t alcore_job_budget_count(const alcore_job *job) {
    return job && job->done ? job->further_count + 1 : 0;
}

alcore_job *alcore_job_of_budget(const alcore_job *job, int64_t index) {
    if (index < 0 || index >= alcore_job_budget_count(job)) return NULL;
    return index > 0 ? job->further[index - 1] : job->object.self;
}

alcore_selection *alcore_job_selection(const alcore_job *job) {
    return job && job->done ? job->selection : NULL;
}

int64_t alcore_job_pick_count(const alcore_job *job) {
    const alcore_selection *selection = alcore_job_selection(job);
    if (selection) return alcore_selection_count(selection);
    return job && job->done ? job->pick_count : 0;
}

const int64_t *alcore_job_rows(const alcore_job *job) {
    const alcore_selection *selection = alcore_job_selection(job);
    if (selection) return alcore_selection_rows(selection);
    return job && job->done ? job->pick_rows : NULL;
}

const double *alcore_job_scores(const alcore_job *job) {
    const alcore_selection *selection = alcore_job_selection(job);
    if (selection) return alcore_selection_scores(selection);
    return job && job->done ? job->pick_scores : NULL;
}

const double *alcore_job_costs(const alcore_job *job) {
    const alcore_selection *selection = alcore_job_selection(job);
    if (selection) return alcore_selection_costs(selection);
    return job && job->done ? job->costs : NULL;
}

double alcore_job_spent(const alcore_job *job) {
    const alcore_selection *selection = alcore_job_selection(job);
    if (selection) return alcore_selection_spent(selection);
    return job && job->done ? job->spent : 0.0;
}

uint32_t alcore_job_flags(const alcore_job *job) {
    const alcore_selection *selection = alcore_job_selection(job);
    if (selection) return alcore_selection_flags(selection);
    return job && job->done ? job->flags : 0;
}
