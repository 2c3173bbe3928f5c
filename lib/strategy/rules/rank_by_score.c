/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a strategy that only ranks by a score: one pass, a payload of three numbers a row.
 */
#include <string.h>

#include "strategy/strategy.h"

alcore_status alcore__top_begin(alcore__run *run) {
    alcore__top_plan *plan = run->plan;
    size_t count = (size_t)run->outcome.count;
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(double), &plan->rank));
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(double), &plan->score));
    return alcore__new_array(run->ctx, count, sizeof(double), &plan->raw);
}

alcore_status alcore__top_block(alcore__block *block) {
    double *numbers;
    ALCORE__TRY(alcore__block_payload(block, 3 * (size_t)block->count * sizeof *numbers, &numbers));
    return alcore__block_scores(block, numbers, numbers + block->count, numbers + 2 * block->count);
}

alcore_status alcore__top_gather(alcore__run *run, int64_t block, const void *payload,
                                 size_t bytes) {
    alcore__top_plan *plan = run->plan;
    int64_t start = run->members[0].start[block];
    size_t part = bytes / 3;
    memcpy(plan->rank + start, payload, part);
    memcpy(plan->score + start, (const char *)payload + part, part);
    memcpy(plan->raw + start, (const char *)payload + 2 * part, part);
    return ALCORE_OK;
}

alcore_status alcore__top_next(alcore__run *run) {
    run->done = true;
    return ALCORE_OK;
}

alcore_status alcore__top_finish(alcore__run *run) {
    alcore__top_plan *plan = run->plan;
    size_t bytes = (size_t)run->outcome.count * sizeof(double);
    double *raw;
    ALCORE__TRY(alcore__outcome_column(run, run->def->raw_name, ALCORE_FLOAT64, &raw));
    memcpy(raw, plan->raw, bytes);
    memcpy(run->outcome.scores, plan->score, bytes);
    run->keys = plan->rank;
    return ALCORE_OK;
}

void alcore__top_clear(alcore__run *run) {
    alcore__top_plan *plan = run->plan;
    alcore__free(run->ctx, plan->rank);
    alcore__free(run->ctx, plan->score);
    alcore__free(run->ctx, plan->raw);
}
