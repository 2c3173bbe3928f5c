/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of a job: a request whose candidates are a shard, and how far its exchanges have
 * come. A step keeps its message until the exchange is over; a message that is delivered is
 * checked whole, against the settings, the rows that it covers and the shard's own rows, before
 * anything of it is taken. */
#include <string.h>

#include "extra/job/job_passes.h"
#include "pool/pool_state.h"

static void release(void *object) {
    alcore_job *job = object;
    alcore_ctx *ctx = job->object.ctx;
    alcore_job_unref(job->refresher);
    alcore__free(ctx, job->refreshed);
    alcore_request_unref(job->request);
    alcore_strategy_unref(job->recommended);
    alcore__free(ctx, job->dataset);
    alcore__buffer_clear(ctx, &job->settings);
    alcore__buffer_clear(ctx, &job->message);
    alcore__free(ctx, job->drawn);
    alcore__free(ctx, job->repeated);
    alcore__free(ctx, job->left_out);
    alcore_pool_unref(job->texts);
    alcore__job_whole_clear(job);
    alcore__job_clear_picks(job);
    alcore__free(ctx, job->delivered);
    alcore__job_passes_free(ctx, job->passes);
}

/* Sets the place of the shard's rows, and the name of the data, by the options. */
static alcore_status read_options(alcore_job *job, const alcore_job_options *theirs) {
    alcore_job_options options;
    ALCORE__TRY(alcore__struct_read(&options, sizeof options,
                                    ALCORE__FIRST_SIZE(alcore_job_options, dataset), theirs,
                                    "alcore_job_options"));
    const char *dataset = options.dataset ? options.dataset : "";
    const int64_t own = alcore_pool_row_count(job->request->candidates);
    job->rows = options.rows ? options.rows : own;
    if (options.first_row < 0 || job->rows < own || options.first_row > job->rows - own)
        return alcore__fail(ALCORE_E_INVALID,
                            "the shard has %lld rows from row %lld on, but there are %lld rows in "
                            "all",
                            (long long)own, (long long)options.first_row, (long long)job->rows);
    if (strchr(dataset, '\n'))
        return alcore__fail(ALCORE_E_INVALID, "alcore_job_options.dataset has several lines");
    job->entry = (alcore__job_entry){.first = options.first_row,
                                     .end = options.first_row + own,
                                     .fingerprint = job->request->candidates->fingerprint};
    job->place.first_row = options.first_row;
    job->dataset = alcore__strndup(job->object.ctx, dataset, strlen(dataset));
    return job->dataset ? ALCORE_OK : alcore__fail_memory(strlen(dataset) + 1);
}

/* Makes the refresher of a job whose exchanges are planned, where one is asked. */
static alcore_status open_refresher(alcore_job *job) {
    if (!alcore__job_asks_refresher(job)) return ALCORE_OK;
    ALCORE__TRY(
        alcore__object_new(job->object.ctx, sizeof *job->refresher, release, &job->refresher));
    return alcore__job_fill_refresher(job, job->refresher);
}

/* Fills in the job of a request that the caller has locked. */
static alcore_status fill_in(alcore_job *job, const alcore_job_options *options) {
    const alcore_request *request = job->request;
    if (!request->strategy)
        ALCORE__TRY(alcore_strategy_new(job->object.ctx, NULL /* the recommended one */,
                                        &job->recommended));
    ALCORE__TRY(alcore__job_check_served(job));
    ALCORE__TRY(alcore__request_read_pools(request));
    alcore_status status = read_options(job, options);
    if (status == ALCORE_OK) status = alcore__job_settings(job, &job->settings);
    alcore__request_leave_pools(request);
    if (status == ALCORE_OK) status = alcore__job_plan(job);
    return status == ALCORE_OK ? open_refresher(job) : status;
}

static alcore_status make(alcore_request *request, const alcore_job_options *options,
                          alcore_job **out) {
    alcore_job *job;
    ALCORE__TRY(alcore__object_new(request->object.ctx, sizeof *job, release, &job));
    job->request = alcore_request_ref(request);
    return alcore__object_made(fill_in(job, options), job, out);
}

alcore_status alcore_job_new(alcore_request *request, const alcore_job_options *options,
                             alcore_job **out) {
    if (out) *out = NULL;
    if (!request || !out)
        return alcore__fail(ALCORE_E_INVALID, "alcore_job_new: request and out are needed");
    ALCORE__TRY(alcore__request_begin(request, "alcore_job_new"));
    return alcore__request_end(request, make(request, options, out));
}

alcore_job *alcore_job_ref(alcore_job *job) {
    return alcore__object_ref(job);
}

void alcore_job_unref(alcore_job *job) {
    alcore__object_unref(job);
}

/* ---- steps ---- */

/* Begins a long call on the job and its request; where it fails there is nothing to end. */
static alcore_status begin(alcore_job *job, const char *call) {
    if (!job->request)
        return alcore__fail(ALCORE_E_INVALID,
                            "%s: the picks of one budget take no step and no message", call);
    ALCORE__TRY(alcore__request_begin_long(job->request, call));
    const alcore_status status = alcore__write_begin(job, "job");
    return status == ALCORE_OK ? ALCORE_OK : alcore__request_end(job->request, status);
}

static alcore_status end(alcore_job *job, alcore_status status) {
    alcore__write_end(job);
    return alcore__request_end(job->request, status);
}

/* Fails where the request is no longer the one that the job was made of. */
static alcore_status check_unchanged(const alcore_job *job) {
    const alcore_request *request = job->request;
    alcore_ctx *ctx = job->object.ctx;
    alcore__buffer settings = {0};
    ALCORE__TRY(alcore__request_read_pools(request));
    alcore_status status = alcore__job_settings(job, &settings);
    const bool same = settings.length == job->settings.length &&
                      memcmp(settings.data, job->settings.data, settings.length) == 0 &&
                      request->candidates->fingerprint == job->entry.fingerprint &&
                      request->candidates->rows == job->entry.end - job->entry.first;
    alcore__request_leave_pools(request);
    alcore__buffer_clear(ctx, &settings);
    if (status == ALCORE_OK && !same)
        status = alcore__fail(ALCORE_E_INVALID,
                              "the request or the rows of its pool were changed after the job was "
                              "made");
    return status;
}

/* Fails where a pass has failed, which cannot be made again. */
static alcore_status check_passes(const alcore_job *job) {
    if (!job->passes || !job->passes->failed) return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID,
                        "a pass of the job has failed: make a new job, and deliver the messages of "
                        "the exchanges that are over to it");
}

/* Where the job is done, it lets go of the pools, and the request remembers the candidates of this
 * round for the next one, but for a refresher, which does not end the round. */
static void close_round(alcore_job *job) {
    if (!job->done) return;
    alcore__job_passes_free(job->object.ctx, job->passes);
    job->passes = NULL;
    if (!job->drawn || job->refreshes) return;
    alcore__keep_drawn(job->request, job->entry.end - job->entry.first, job->drawn);
    job->drawn = NULL;
}

/* Makes the message of the exchange, unless that was done. */
static alcore_status make_message(alcore_job *job) {
    ALCORE__TRY(check_passes(job));
    if (job->done || job->message.length > 0) return ALCORE_OK;
    ALCORE__TRY(alcore__job_put(job, &job->message));
    close_round(job);
    return ALCORE_OK;
}

/* Whether the exchanges are still those of the refresher. */
static bool is_refreshing(const alcore_job *job) {
    return job->refresher && !job->refresher->done;
}

/* Makes the message of the refresher, which may find that its passes are over. */
static alcore_status step_refresher(alcore_job *job) {
    ALCORE__TRY(make_message(job->refresher));
    if (job->refresher->done) alcore__job_end_refresher(job);
    return ALCORE_OK;
}

static alcore_status step(alcore_job *job, int32_t *out_state) {
    ALCORE__TRY(check_unchanged(job));
    if (is_refreshing(job)) ALCORE__TRY(step_refresher(job));
    if (!is_refreshing(job)) ALCORE__TRY(make_message(job));
    *out_state = job->done ? ALCORE_JOB_DONE : ALCORE_JOB_FOLD;
    return ALCORE_OK;
}

alcore_status alcore_job_step(alcore_job *job, int32_t *out_state) {
    if (out_state) *out_state = 0;
    if (!job || !out_state)
        return alcore__fail(ALCORE_E_INVALID, "alcore_job_step: job and out_state are needed");
    ALCORE__TRY(begin(job, "alcore_job_step"));
    return end(job, step(job, out_state));
}

const char *alcore_job_message(const alcore_job *job, size_t *out_length) {
    if (job && is_refreshing(job)) job = job->refresher;
    if (out_length) *out_length = job ? job->message.length : 0;
    return job && job->message.length > 0 ? job->message.data : NULL;
}

/* Fails unless the entries cover all rows, and those of this shard by its own entry. */
static alcore_status check_cover(const alcore_job *job, const alcore__job_message *message) {
    const char *place = message->entries, *items;
    int64_t covered = 0;
    bool own = false;
    for (int64_t i = 0; i <= message->entry_count; i++) {
        alcore__job_entry entry = {.first = job->rows};
        if (i < message->entry_count)
            place = alcore__job_entry_next(message, place, &entry, &items);
        if (entry.first > covered)
            return alcore__fail(ALCORE_E_MISSING,
                                "the messages cover no rows %lld to %lld: that of a shard is "
                                "missing",
                                (long long)covered, (long long)entry.first - 1);
        if (i == message->entry_count) break;
        covered = entry.end;
        if (entry.first != job->entry.first || entry.end != job->entry.end) continue;
        own = true;
        if (entry.fingerprint != job->entry.fingerprint)
            return alcore__fail(ALCORE_E_DATA,
                                "the message was made with other texts of the rows %lld to %lld "
                                "than this shard has",
                                (long long)entry.first, (long long)entry.end - 1);
    }
    if (!own && job->entry.first == job->entry.end)
        return alcore__fail(ALCORE_E_MISSING,
                            "the messages do not have that of the shard without rows at row %lld, "
                            "which is this one",
                            (long long)job->entry.first);
    return own ? ALCORE_OK
               : alcore__fail(ALCORE_E_DATA,
                              "the message has no shard of the rows %lld to %lld, as this one is",
                              (long long)job->entry.first, (long long)job->entry.end - 1);
}

/* Fails where a shard that keeps the values of its own rows was made again with other ones than the
 * others were told, which is known once the message is taken: no pass can follow. */
static alcore_status check_own_items(const alcore_job *job, const alcore__job_message *message) {
    alcore__job_message own;
    alcore__job_entry mine, entry;
    const char *place = message->entries, *items, *my_items;
    if (!job->passes || !job->passes->own.only || job->message.length == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__job_message_read(job->message.data, job->message.length, &own));
    (void)alcore__job_entry_next(&own, own.entries, &mine, &my_items);
    for (int64_t i = 0; i < message->entry_count; i++) {
        place = alcore__job_entry_next(message, place, &entry, &items);
        if (!alcore__job_is_own(job, &entry)) continue;
        job->passes->failed =
            entry.count != mine.count || memcmp(items, my_items, (size_t)mine.count) != 0;
        if (job->passes->failed)
            return alcore__fail(ALCORE_E_DATA,
                                "the message was made with other values of the rows %lld to %lld "
                                "than this shard has: a shard that is made again needs the same "
                                "scores and vectors",
                                (long long)entry.first, (long long)entry.end - 1);
    }
    return ALCORE_OK;
}

/* Goes on to the next exchange that the request needs, or to the end. */
static void go_on(alcore_job *job, uint64_t checksum) {
    job->delivered[job->exchange] = checksum;
    job->done = job->selection || job->exchange == ALCORE__EXCHANGE_NOMINEES ||
                job->exchange == ALCORE__EXCHANGE_GATHERED;
    do job->exchange++;
    while (!job->makes[alcore__exchange_kind(job->exchange)] && !job->done);
    alcore__buffer_clear(job->object.ctx, &job->message);
    close_round(job);
}

/* Whether the message was delivered before. */
static bool is_known(const alcore_job *job, const alcore__job_message *message) {
    return message->exchange < job->exchange &&
           job->makes[alcore__exchange_kind(message->exchange)] &&
           job->delivered[message->exchange] == message->checksum;
}

static alcore_status take(alcore_job *job, const alcore__job_message *message) {
    alcore__job_message expected = {.exchange = job->exchange,
                                    .rows = job->rows,
                                    .settings = job->settings.data,
                                    .settings_length = job->settings.length};
    if (!job->done) {
        ALCORE__TRY(alcore__job_message_check(message, "the message", &expected, "this job"));
        ALCORE__TRY(check_cover(job, message));
        /* A pass leaves something with the blocks of the shard. */
        if (job->exchange >= ALCORE__EXCHANGE_PASSES) ALCORE__TRY(make_message(job));
    }
    if (job->done) {
        expected.exchange = message->exchange;
        ALCORE__TRY(alcore__job_message_check(message, "the message", &expected, "this job"));
        return alcore__fail(ALCORE_E_INVALID, "the job is done: it takes no other message");
    }
    ALCORE__TRY(alcore__grow(job->object.ctx, &job->delivered, &job->delivered_capacity,
                             (size_t)job->exchange + 1, sizeof *job->delivered));
    ALCORE__TRY(alcore__job_take(job, message));
    ALCORE__TRY(check_own_items(job, message));
    go_on(job, message->checksum);
    return ALCORE_OK;
}

/* Whether a message has the settings of the job, and not of its refresher. */
static bool is_of(const alcore_job *job, const alcore__job_message *message) {
    return message->settings_length == job->settings.length &&
           memcmp(message->settings, job->settings.data, job->settings.length) == 0;
}

static alcore_status deliver(alcore_job *job, const char *bytes, size_t length) {
    alcore__job_message message;
    ALCORE__TRY(check_unchanged(job));
    ALCORE__TRY(alcore__job_message_read(bytes, length, &message));
    if (is_known(job, &message) || (job->refresher && is_known(job->refresher, &message)))
        return ALCORE_OK;
    /* A message of the job says that the passes of its refresher are over. */
    if (is_refreshing(job) && is_of(job, &message) &&
        job->refresher->exchange >= ALCORE__EXCHANGE_PASSES)
        ALCORE__TRY(step_refresher(job));
    if (!is_refreshing(job)) return take(job, &message);
    ALCORE__TRY(take(job->refresher, &message));
    if (job->refresher->done) alcore__job_end_refresher(job);
    return ALCORE_OK;
}

alcore_status alcore_job_deliver(alcore_job *job, const char *message, size_t length) {
    if (!job || !message)
        return alcore__fail(ALCORE_E_INVALID, "alcore_job_deliver: job and message are needed");
    ALCORE__TRY(begin(job, "alcore_job_deliver"));
    return end(job, deliver(job, message, length));
}
