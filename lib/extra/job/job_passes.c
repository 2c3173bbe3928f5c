/* SPDX-License-Identifier: Apache-2.0 */
/* The exchanges of partials, one for each pass that reads rows of the shards, and the picks at the
 * end, which every job computes. Where the strategy ranks the own rows of each shard, an exchange
 * of nominees (job_nominees.c) follows the passes, in place of values of all rows. An entry has,
 * for each block of the shard whose partial has bytes, its number, how many bytes they are, and the
 * bytes up to a multiple of 8. */
#include "extra/job/job_passes.h"
#include "strategy/budget/spend.h"

/* What stands before the bytes of a partial. */
typedef struct partial_header {
    int64_t block;
    uint64_t bytes;
} partial_header;

void alcore__job_passes_free(alcore_ctx *ctx, alcore__job_passes *passes) {
    if (!passes) return;
    alcore__job_passes_clear_rows(ctx, passes);
    alcore__nominees_clear(ctx, &passes->nominees);
    alcore__job_columns_clear(ctx, &passes->told);
    alcore__held_answer_free(passes->held);
    alcore__free(ctx, passes);
}

alcore_status alcore__job_hold(alcore_job *job) {
    alcore__shard_answer answer = alcore__job_answer_of(job, ALCORE__SHARD_HOLD);
    if (!job->passes)
        ALCORE__TRY(alcore__new_array(job->object.ctx, 1, sizeof *job->passes, &job->passes));
    if (job->passes->held) return ALCORE_OK;
    ALCORE__TRY(alcore__request_answer_shard(job->request, &answer));
    job->passes->held = answer.held;
    job->passes->any = answer.any;
    alcore__job_keep_drawn(job, &answer);
    return ALCORE_OK;
}

/* ---- put ---- */

/* Keeps the sentences that a run has bought, and buys the phrases after the last one. */
static alcore_status keep_sentences(alcore_job *job, bool first, alcore__outcome *outcome) {
    alcore__job_passes *passes = job->passes;
    if (first) {
        passes->sentences = *outcome;
        *outcome = (alcore__outcome){0};
    } else {
        ALCORE__TRY(alcore__outcome_add_purchase(job->object.ctx, outcome, &passes->sentences));
    }
    return passes->budgets_left > 0 ? ALCORE_OK
                                    : alcore__job_join(job, passes->costs, &passes->sentences);
}

/* Keeps what the run has bought. */
static alcore_status keep_outcome(alcore_job *job, alcore__outcome *outcome) {
    alcore__job_passes *passes = job->passes;
    const bool first = !passes->ended;
    if (first) passes->budgets_left = passes->input.fill.further_count - outcome->further_count;
    passes->ended = true;
    if (alcore__job_is_hybrid(job) && !job->refreshes) return keep_sentences(job, first, outcome);
    return alcore__job_keep(job, &(alcore__job_bought){.outcome = outcome, .costs = passes->costs});
}

/* Ends the run. *more: another one was begun, under a further budget. */
static alcore_status finish(alcore_job *job, bool *more) {
    alcore__outcome outcome = {0};
    alcore_status status = alcore__run_finish(job->passes->run, &outcome);
    if (status == ALCORE_OK) status = keep_outcome(job, &outcome);
    alcore__outcome_clear(job->object.ctx, &outcome);
    *more = status == ALCORE_OK && job->passes->budgets_left > 0;
    return *more ? alcore__job_begin_next(job) : status;
}

/* Buys from the nominees of all shards, and begins the run of the next budget, where the strategy
 * looks at it. */
static alcore_status buy_nominees(alcore_job *job, const alcore__job_message *message) {
    alcore__job_passes *passes = job->passes;
    ALCORE__TRY(alcore__job_take_nominees(job, message));
    alcore__nominees_clear(job->object.ctx, &passes->nominees);
    passes->nominated = false;
    passes->bought = passes->budgets_left == 0;
    if (passes->bought) return ALCORE_OK;
    const alcore_status status = alcore__job_begin_next(job);
    passes->failed = status != ALCORE_OK;
    return status;
}

/* Ends the run of a shard that keeps the values of its own rows, and frees what was for passes.
 * Where these have made all picks there is no exchange of nominees. */
static alcore_status nominate(alcore_job *job) {
    alcore__job_passes *passes = job->passes;
    const alcore__strategy_def *def = passes->run->def;
    if (alcore__spends_in_rounds(&passes->input)) return alcore__job_begin_rounds(job);
    ALCORE__TRY(alcore__run_nominate(passes->run, &passes->nominees));
    const bool is_last = passes->run->offered_last;
    if (!passes->ended && (def->rows_depend_on_budget || passes->run->budget_decides))
        passes->budgets_left = passes->input.fill.further_count;
    passes->spends_each |= passes->budgets_left > 0;
    passes->ended = true;
    if (passes->budgets_left == 0) alcore__job_passes_clear_rows(job->object.ctx, passes);
    passes->nominated = true;
    return is_last ? buy_nominees(job, NULL) : ALCORE_OK;
}

static alcore_status put_nominees(const alcore_job *job, alcore__job_entry *entry,
                                  alcore__buffer *items) {
    const alcore__nominees *nominees = &job->passes->nominees;
    const size_t count = (size_t)(nominees->count - nominees->offered);
    const size_t bytes = count * sizeof *nominees->entries;
    entry->count = (int64_t)bytes;
    if (count == 0) return ALCORE_OK;
    return alcore__buffer_append(job->object.ctx, items, nominees->entries + nominees->offered,
                                 bytes);
}

static alcore_status put_partials(alcore_ctx *ctx, const alcore__partials *partials,
                                  alcore__buffer *out) {
    for (size_t p = 0; p < partials->count; p++) {
        const alcore__partial *partial = &partials->entries[p];
        const partial_header header = {.block = partial->block, .bytes = partial->bytes};
        ALCORE__TRY(alcore__buffer_append(ctx, out, &header, sizeof header));
        ALCORE__TRY(alcore__buffer_append(ctx, out, partial->data, partial->bytes));
        ALCORE__TRY(alcore__job_pad(ctx, out));
    }
    return ALCORE_OK;
}

/* Makes passes up to one that waits for other shards, whose partials are put into items, or to the
 * end of the last run. */
static alcore_status make_passes(alcore_job *job, const alcore__job_entry *entry,
                                 alcore__buffer *items, bool *waits) {
    alcore_ctx *ctx = job->object.ctx;
    alcore__job_passes *passes = job->passes;
    alcore__partials own = {0};
    bool more = true;
    alcore_status status = ALCORE_OK;
    for (*waits = false; status == ALCORE_OK && !*waits && more;) {
        status = alcore__run_to_exchange(passes->run, passes->shard,
                                         alcore__job_first_block(entry->first),
                                         alcore__job_first_block(entry->end), &own, waits);
        if (status != ALCORE_OK) break;
        if (*waits)
            status = put_partials(ctx, &own, items);
        else
            status = passes->own.only ? nominate(job) : finish(job, &more);
        /* Of a further budget, where no shard nominates under the one before. */
        if (passes->own.only) more = !*waits && !passes->nominated && !passes->bought;
    }
    alcore__partials_clear(ctx, &own);
    return status;
}

alcore_status alcore__job_put_pass(alcore_job *job, alcore__job_entry *entry, alcore__buffer *items,
                                   bool *done) {
    alcore__job_passes *passes = job->passes;
    bool waits = false;
    *done = passes->bought;
    if (passes->bought) return ALCORE_OK;
    if (!passes->nominated) {
        /* Here, and not where rows are taken, so that what the strategy lacks is no error of a
         * message. */
        if (!passes->run) ALCORE__TRY(alcore__job_begin_run(job));
        passes->failed = true; /* until the pass has ended */
        ALCORE__TRY(make_passes(job, entry, items, &waits));
        passes->failed = false;
    }
    if (passes->nominated && !passes->bought) return put_nominees(job, entry, items);
    *done = !waits;
    entry->count = (int64_t)items->length;
    return ALCORE_OK;
}

/* ---- take ---- */

static alcore_status fail_damaged(const alcore__job_entry *entry) {
    return alcore__fail(ALCORE_E_CORRUPT,
                        "the message of a job has no pass over the rows %lld to %lld",
                        (long long)entry->first, (long long)entry->end - 1);
}

/* The partials of all shards, whose bytes stay in the message until they are reduced. */
typedef struct taken {
    alcore__partials partials; /* without data */
    const char **data;         /* [data_count] of those that have bytes, in their order; owned */
    size_t data_count, data_capacity;
} taken;

/* Adds the partials of one shard. */
static alcore_status take_entry(alcore_job *job, const alcore__job_entry *entry, const char *items,
                                taken *out) {
    alcore_ctx *ctx = job->object.ctx;
    const int64_t pass = job->passes->run->runner->pass_count;
    const int64_t end = alcore__job_first_block(entry->end);
    int64_t next = alcore__job_first_block(entry->first);
    alcore__byte_cursor cursor = {.next = items, .left = (size_t)entry->count};
    while (cursor.left > 0) {
        partial_header header;
        if (!alcore__cursor_read(&cursor, &header, sizeof header) || header.block < next ||
            header.block >= end || header.bytes == 0 || header.bytes > cursor.left)
            return fail_damaged(entry);
        const size_t bytes = (size_t)header.bytes;
        const char *found = alcore__cursor_take(&cursor, alcore__cursor_padded(bytes), 1);
        if (!found) return fail_damaged(entry);
        ALCORE__TRY(alcore__grow(ctx, &out->data, &out->data_capacity, out->data_count + 1,
                                 sizeof *out->data));
        out->data[out->data_count++] = found;
        ALCORE__TRY(alcore__partials_add(ctx, &out->partials, pass, header.block, NULL, bytes));
        next = header.block + 1;
    }
    return ALCORE_OK;
}

static alcore_status take_entries(alcore_job *job, const alcore__job_message *message, taken *out) {
    const char *place = message->entries, *items;
    for (int64_t i = 0; i < message->entry_count; i++) {
        alcore__job_entry entry;
        place = alcore__job_entry_next(message, place, &entry, &items);
        ALCORE__TRY(take_entry(job, &entry, items, out));
    }
    return alcore__run_complete_partials(job->passes->run, &out->partials);
}

/* Partials that are copied at a time, as bytes of a message need not be aligned. */
enum { REDUCED_PARTIALS = 64 };

/* Reduces what was taken and ends the pass. */
static alcore_status reduce(alcore_job *job, const taken *from) {
    alcore_ctx *ctx = job->object.ctx;
    alcore__run *run = job->passes->run;
    const char *const *data = from->data;
    alcore_status status = ALCORE_OK;
    for (size_t p = 0; p < from->partials.count && status == ALCORE_OK;) {
        alcore__partials wave = {0};
        for (; p < from->partials.count && wave.count < REDUCED_PARTIALS && status == ALCORE_OK;
             p++) {
            const alcore__partial *partial = &from->partials.entries[p];
            void *copy = NULL;
            if (partial->bytes) {
                status = alcore__new_array(ctx, 1, partial->bytes, &copy);
                if (status != ALCORE_OK) break;
                memcpy(copy, *data++, partial->bytes);
            }
            status = alcore__partials_add(ctx, &wave, partial->pass, partial->block, copy,
                                          partial->bytes);
        }
        if (status == ALCORE_OK) status = alcore__run_reduce(run, &wave);
        alcore__partials_clear(ctx, &wave);
    }
    return status == ALCORE_OK ? alcore__run_end_pass(run) : status;
}

alcore_status alcore__job_take_pass(alcore_job *job, const alcore__job_message *message) {
    alcore_ctx *ctx = job->object.ctx;
    alcore__job_passes *passes = job->passes;
    taken all = {0};
    if (passes->nominated)
        return alcore__spends_in_rounds(&passes->input) ? alcore__job_take_round(job, message)
                                                        : buy_nominees(job, message);
    alcore_status status = take_entries(job, message, &all);
    if (status == ALCORE_OK) {
        status = reduce(job, &all);
        passes->failed = status != ALCORE_OK;
    }
    alcore__partials_clear(ctx, &all.partials);
    alcore__free(ctx, all.data);
    return status;
}
