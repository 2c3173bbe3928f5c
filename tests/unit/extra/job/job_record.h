/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of jobs whose shards exchange the partials of passes: all messages of a cut, kept, so
 * that a test can look at their sizes, deliver them again or change them. */
#ifndef ALCORE_TESTS__JOB_RECORD_H
#define ALCORE_TESTS__JOB_RECORD_H

#include "extra/job/job_message.h"
#include "job_shards.h"

enum { FEW_ROWS = 300, MANY_ROWS = 20000 };

static const job_cut WHOLE = {1, {0, FEW_ROWS}};

enum { MOST_EXCHANGES = 128 };

/* The messages of all exchanges of a cut, owned. */
typedef struct record {
    char *bytes[MOST_EXCHANGES];
    size_t lengths[MOST_EXCHANGES];
    int count;
} record;

static inline record record_exchanges(alcore_ctx *ctx, const job_setting *setting,
                                      const job_cut *cut) {
    record made = {.count = 0};
    alcore_job *jobs[SHARDS] = {NULL};
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    for (int32_t s = 0; s < cut->shards; s++) jobs[s] = job_new(ctx, setting, cut, s);
    for (;;) {
        int32_t state;
        size_t length;
        for (int32_t s = 0; s < cut->shards; s++) ck_assert_ok(alcore_job_step(jobs[s], &state));
        if (state == ALCORE_JOB_DONE) break;
        ck_assert_int_lt(made.count, MOST_EXCHANGES);
        alcore_job_fold *all = job_fold_all(ctx, jobs, cut->shards, &rng);
        const char *message = alcore_job_fold_message(all, &length);
        for (int32_t s = 0; s < cut->shards; s++)
            ck_assert_ok(alcore_job_deliver(jobs[s], message, length));
        made.bytes[made.count] = memcpy(malloc(length), message, length);
        made.lengths[made.count++] = length;
        alcore_job_fold_unref(all);
    }
    for (int32_t s = 0; s < cut->shards; s++) alcore_job_unref(jobs[s]);
    return made;
}

static inline void record_free(record *made) {
    for (int i = 0; i < made->count; i++) free(made->bytes[i]);
}

/* Bytes of the settings behind the 48 of the header. */
static inline size_t settings_bytes(const char *message) {
    return (strlen(message + 48) / 8 + 1) * 8;
}

/* How many of the first rows have the states: 0, candidates. */
static inline size_t count_rows(alcore_ctx *ctx, const job_setting *setting, int64_t rows,
                                uint32_t states) {
    alcore_pool *pool = job_pool(ctx, setting, 0, rows);
    const uint32_t *all = alcore_pool_states(pool);
    size_t count = 0;
    for (int64_t row = 0; row < rows; row++) count += all[row] == states;
    alcore_pool_unref(pool);
    return count;
}

#endif
