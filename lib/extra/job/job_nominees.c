/* SPDX-License-Identifier: Apache-2.0 */
/* The exchange of nominees (strategy/budget/nominees.h), which is the last one: a shard puts in
 * what it would buy under the whole budget. Each job computes the picks from the nominees of all,
 * so that no one has to tell the others. A strategy that ranks rows by a score of their own has no
 * other exchange; of one that keeps the values of its own rows it follows the passes
 * (job_passes.c). */
#include <math.h>
#include <string.h>

#include "extra/job/job_passes.h"

alcore_status alcore__job_put_nominees(alcore_job *job, alcore__job_entry *entry,
                                       alcore__buffer *items) {
    alcore__shard_answer answer = alcore__job_answer_of(job, ALCORE__SHARD_NOMINEES);
    ALCORE__TRY(alcore__request_answer_shard(job->request, &answer));
    alcore__job_keep_drawn(job, &answer);
    entry->count = answer.nominees.count;
    const alcore_status status =
        alcore__buffer_append(job->object.ctx, items, answer.nominees.entries,
                              (size_t)entry->count * sizeof *answer.nominees.entries);
    alcore__nominees_clear(job->object.ctx, &answer.nominees);
    return status;
}

/* Whether the nominees [count] are of the rows first .. end - 1, have a key and can be bought. */
static bool are_nominees(const alcore__nominee *nominees, int64_t count, int64_t first,
                         int64_t end) {
    for (int64_t i = 0; i < count; i++)
        if (nominees[i].row < first || nominees[i].row >= end || isnan(nominees[i].key) ||
            !isfinite(nominees[i].cost) || nominees[i].cost < 0)
            return false;
    return true;
}

/* Copies the nominees of an entry behind those of *out, and counts them. After passes they are of
 * the blocks that begin in the shard, and entries have bytes. */
static bool copy_entry(const alcore__job_message *message, alcore__job_entry entry,
                       const char *items, alcore__nominees *out) {
    const bool passes = message->exchange >= ALCORE__EXCHANGE_PASSES;
    const int64_t bytes = (int64_t)sizeof *out->entries, rows = message->rows;
    alcore__nominee *copy = out->entries + out->count;
    if (passes) {
        if (entry.count % bytes != 0) return false;
        entry.count /= bytes;
        entry.first = alcore__job_block_border(entry.first, rows);
        entry.end = alcore__job_block_border(entry.end, rows);
    }
    if (entry.count > 0) memcpy(copy, items, (size_t)(entry.count * bytes));
    out->count += entry.count;
    return are_nominees(copy, entry.count, entry.first, entry.end);
}

alcore_status alcore__job_collect(const alcore_job *job, const alcore__job_message *message,
                                  alcore__nominees *out, int64_t *ends) {
    alcore_ctx *ctx = job->object.ctx;
    const alcore__nominees *own = job->passes ? &job->passes->nominees : NULL;
    const int64_t entries = message ? message->entry_count : 0;
    const char *place = message ? message->entries : NULL, *items;
    alcore__job_entry entry;
    int64_t count = 0;
    for (int64_t i = 0; i < entries; i++) {
        place = alcore__job_entry_next(message, place, &entry, &items);
        count += entry.count;
    }
    if (message && message->exchange >= ALCORE__EXCHANGE_PASSES)
        count /= (int64_t)sizeof *out->entries;
    if (own) out->offered = out->count = own->offered;
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)(out->count + count), sizeof *out->entries, &out->entries));
    if (out->count > 0)
        memcpy(out->entries, own->entries, (size_t)out->count * sizeof *out->entries);
    place = message ? message->entries : NULL;
    for (int64_t i = 0; i < entries; i++) {
        place = alcore__job_entry_next(message, place, &entry, &items);
        if (!copy_entry(message, entry, items, out))
            return alcore__fail(ALCORE_E_CORRUPT,
                                "the message of a job has no nominees of the rows %lld to %lld",
                                (long long)entry.first, (long long)entry.end - 1);
        if (ends) ends[i] = out->count;
    }
    return ALCORE_OK;
}

alcore_status alcore__job_spend(alcore_job *job, const alcore__fill *fill,
                                alcore__nominees *nominees) {
    alcore_ctx *ctx = job->object.ctx;
    alcore__outcome outcome = {0};
    alcore_status status =
        alcore__nominees_spend(ctx, fill, alcore__request_seed(job->request), nominees, &outcome);
    if (status == ALCORE_OK)
        status =
            alcore__job_keep(job, &(alcore__job_bought){.outcome = &outcome, .nominees = nominees});
    alcore__outcome_clear(ctx, &outcome);
    return status;
}

alcore_status alcore__job_take_nominees(alcore_job *job, const alcore__job_message *message) {
    const alcore_request *request = job->request;
    const alcore__budgets *budgets = &request->budgets;
    alcore__fill fill = {.budget = alcore__budgets_largest(budgets),
                         .policy = request->options.fill,
                         .tie = request->options.tie,
                         .further = budgets->amounts, /* with the largest once more */
                         .further_count = (int32_t)(budgets->count > 1 ? budgets->count : 0)};
    alcore__nominees nominees = {0};
    if (job->refreshes) {
        fill.budget *= request->options.refresh_factor;
        fill.further_count = 0;
    }
    if (job->passes && job->passes->spends_each) {
        fill.budget = job->passes->input.fill.budget;
        fill.further_count = 0;
    }
    alcore_status status = alcore__job_collect(job, message, &nominees, NULL);
    if (status == ALCORE_OK) status = alcore__job_spend(job, &fill, &nominees);
    alcore__nominees_clear(job->object.ctx, &nominees);
    return status;
}
