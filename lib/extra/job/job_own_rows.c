/* SPDX-License-Identifier: Apache-2.0 */
/* Shards that keep the values of their own rows (strategy_def.ranks_own): arrays of all rows have
 * entries of the rows of the own blocks alone. */
#include "extra/job/job_passes.h"
#include "strategy/budget/skip_rounds.h"

alcore_status alcore__job_choose_own(alcore_job *job) {
    const alcore__held_answer *held = job->passes->held;
    alcore__own_rows *own = &job->passes->own;
    *own = (alcore__own_rows){.first = alcore__job_block_border(job->entry.first, job->rows),
                              .end = alcore__job_block_border(job->entry.end, job->rows)};
    if (alcore__job_is_hybrid(job)) return ALCORE_OK; /* which tells reasons */
    return alcore__strategy_ranks_own(alcore__held_answer_strategy(held),
                                      alcore__held_answer_input(held), &own->only);
}

void alcore__job_use_own(alcore_job *job) {
    alcore__job_passes *passes = job->passes;
    bool all = true;
    for (int64_t row = passes->own.first; row < passes->own.end && all; row++)
        all = passes->mask[row];
    passes->input.own.policy = passes->input.fill.policy;
    if (!alcore__spends_in_rounds(&passes->input))
        passes->input.fill.policy = ALCORE__FILL_OVERSHOOT;
    if (!all) return;
    alcore__free(job->object.ctx, passes->mask);
    passes->mask = NULL;
    passes->input.candidates.mask = NULL;
}

bool alcore__job_take_bits(const alcore_job *job, const alcore__job_entry *entry,
                           alcore__byte_cursor *cursor, int64_t count, bool all, uint8_t *mask,
                           const char **bits) {
    const int64_t rows = entry->end - entry->first;
    int64_t set = 0;
    *bits = alcore__cursor_take(cursor, alcore__cursor_padded((size_t)(rows + 7) / 8), 1);
    for (int64_t row = 0; *bits && row < rows; row++) {
        const uint8_t bit = (*bits)[row / 8] >> row % 8 & 1;
        set += bit;
        if (bit && (all || alcore__job_keeps(job, entry->first + row)))
            mask[entry->first + row] = 1;
    }
    return *bits && set == count;
}

bool alcore__job_take_costs(const alcore_job *job, const alcore__job_entry *entry,
                            alcore__byte_cursor *cursor, const char *candidates) {
    for (int64_t row = entry->first; row < entry->end; row++) {
        const int64_t i = row - entry->first;
        double cost;
        if (!(candidates[i / 8] >> i % 8 & 1)) continue;
        if (!alcore__cursor_read(cursor, &cost, sizeof cost)) return false;
        if (alcore__job_keeps(job, row)) job->passes->costs[row] = cost;
        job->passes->own.cost += cost;
        job->passes->own.free += !(cost > 0.0);
    }
    return true;
}
