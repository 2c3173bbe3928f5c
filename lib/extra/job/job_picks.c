/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of a job's picks, which are filled from nominees (job_exchange.c) or from the outcome
 * of a run over all rows (job_passes.c). */
#include "extra/job/job_internal.h"

alcore_status alcore__job_new_picks(alcore_job *job, int64_t count) {
    alcore_ctx *ctx = job->object.ctx;
    const size_t picks = (size_t)count;
    int64_t *rows;
    double *scores = NULL, *costs = NULL;
    ALCORE__TRY(alcore__new_array(ctx, picks, sizeof *rows, &rows));
    alcore_status status = alcore__new_array(ctx, picks, sizeof *scores, &scores);
    if (status == ALCORE_OK) status = alcore__new_array(ctx, picks, sizeof *costs, &costs);
    if (status != ALCORE_OK) {
        alcore__free(ctx, rows);
        alcore__free(ctx, scores);
        return status;
    }
    job->pick_count = count;
    job->pick_rows = rows;
    job->pick_scores = scores;
    job->costs = costs;
    return ALCORE_OK;
}
