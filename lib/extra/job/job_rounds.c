/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of nominees (strategy/budget/skip_rounds.h), of shards that keep the values of their own
 * rows: with fill=skip and costs they follow the passes, one exchange for each, in place of one
 * exchange of nominees. The run stays until the last round of the last budget. */
#include "extra/job/job_passes.h"

/* Keeps what the rounds have bought. */
static alcore_status keep(alcore_job *job) {
    alcore__job_passes *passes = job->passes;
    const alcore__fill *of_run = &passes->input.fill;
    const alcore__fill fill = {
        .budget = of_run->budget, .policy = ALCORE__FILL_SKIP, .tie = of_run->tie};
    alcore__nominees bought;
    alcore__skip_bought(passes->run, &passes->rounds, &bought);
    const alcore_status status = alcore__job_spend(job, &fill, &bought);
    alcore__nominees_clear(job->object.ctx, &bought);
    return status;
}

/* Begins with the next budget. Where the strategy only ranks, the ranking is the same; else its
 * passes are made again. */
static alcore_status begin_budget(alcore_job *job) {
    alcore__job_passes *passes = job->passes;
    alcore__fill *fill = &passes->input.fill;
    if (passes->run->offered) {
        alcore__skip_clear(job->object.ctx, &passes->rounds);
        return alcore__job_begin_next(job);
    }
    fill->budget = fill->further[--passes->budgets_left];
    alcore__skip_restart(passes->run, &passes->rounds);
    return ALCORE_OK;
}

/* Nominates for the next round; where there is none keeps what was bought and goes on to the next
 * budget, or ends. */
static alcore_status go_on(alcore_job *job) {
    alcore__job_passes *passes = job->passes;
    alcore__nominees_clear(job->object.ctx, &passes->nominees);
    for (passes->nominated = false; passes->rounds.ended;) {
        ALCORE__TRY(keep(job));
        passes->bought = passes->budgets_left == 0;
        if (passes->bought) {
            alcore__job_passes_clear_rows(job->object.ctx, passes);
            return ALCORE_OK;
        }
        const bool again = passes->run->offered != NULL;
        ALCORE__TRY(begin_budget(job));
        if (again) return ALCORE_OK;
    }
    passes->nominated = true;
    return alcore__skip_nominate(passes->run, &passes->rounds, &passes->nominees);
}

alcore_status alcore__job_begin_rounds(alcore_job *job) {
    alcore__job_passes *passes = job->passes;
    if (!passes->ended) passes->budgets_left = passes->input.fill.further_count;
    passes->ended = true;
    ALCORE__TRY(alcore__skip_begin(passes->run, &passes->rounds));
    return go_on(job);
}

alcore_status alcore__job_take_round(alcore_job *job, const alcore__job_message *message) {
    alcore_ctx *ctx = job->object.ctx;
    alcore__job_passes *passes = job->passes;
    alcore__nominees nominees = {0};
    int64_t *ends;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)message->entry_count, sizeof *ends, &ends));
    alcore_status status = alcore__job_collect(job, message, &nominees, ends);
    if (status == ALCORE_OK) {
        status =
            alcore__skip_take(passes->run, &nominees, ends, message->entry_count, &passes->rounds);
        passes->failed = status != ALCORE_OK && status != ALCORE_E_CORRUPT;
    }
    if (status == ALCORE_OK) {
        status = go_on(job);
        passes->failed = status != ALCORE_OK;
    }
    alcore__nominees_clear(ctx, &nominees);
    alcore__free(ctx, ends);
    return status;
}
