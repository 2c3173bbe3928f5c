/* SPDX-License-Identifier: Apache-2.0 */
/* The runs over the rows of all shards, one after the other where there is one for each budget. */
#include "extra/job/job_passes.h"

void alcore__job_passes_clear_rows(alcore_ctx *ctx, alcore__job_passes *passes) {
    if (passes->run) alcore__shard_free(passes->run, passes->shard);
    alcore__run_free(passes->run);
    passes->run = NULL;
    passes->shard = NULL;
    for (int32_t c = 0; c < ALCORE__DATASET_COLUMNS; c++) {
        alcore__column_free(passes->columns[c]);
        passes->columns[c] = NULL;
    }
    alcore__free(ctx, passes->mask);
    alcore__free(ctx, passes->labeled_rows);
    alcore__free(ctx, passes->costs);
    alcore__job_languages_clear(ctx, &passes->languages);
    alcore__outcome_clear(ctx, &passes->sentences);
    passes->sentences = (alcore__outcome){0};
    passes->mask = passes->labeled_rows = NULL;
    passes->costs = NULL;
    alcore__skip_clear(ctx, &passes->rounds);
    passes->ended = false;
}

alcore_status alcore__job_begin_run(alcore_job *job) {
    alcore__job_passes *passes = job->passes;
    const alcore_strategy *strategy = alcore__held_answer_strategy(passes->held);
    ALCORE__TRY(alcore__run_begin(strategy, alcore__strategy_def_of(strategy),
                                  alcore__strategy_values(strategy), &passes->input, &passes->run));
    const alcore_status status =
        alcore__shard_new(passes->run, 0 /* part 0 of */, 1, &passes->shard);
    if (status == ALCORE_OK) return ALCORE_OK;
    alcore__run_free(passes->run);
    passes->run = NULL;
    return status;
}

alcore_status alcore__job_begin_next(alcore_job *job) {
    alcore__job_passes *passes = job->passes;
    alcore__fill *fill = &passes->input.fill;
    fill->budget = fill->further[--passes->budgets_left];
    fill->further_count = 0;
    passes->input.only_picks = !fill->explain;
    alcore__shard_free(passes->run, passes->shard);
    passes->shard = NULL;
    alcore__run_free(passes->run);
    passes->run = NULL;
    return alcore__job_begin_run(job);
}
