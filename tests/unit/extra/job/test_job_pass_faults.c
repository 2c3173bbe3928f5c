/* SPDX-License-Identifier: Apache-2.0 */
/* What goes wrong in the exchanges of rows and passes: workers that are lost, pools that change,
 * messages that lie, and memory that runs out. */
#include "job_pass_settings.h"
#include "job_record.h"

static alcore_ctx *ctx;

static void setup(void) {
    ctx = job_context(5);
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

static const job_cut THREE = {3, {0, 100, 170, FEW_ROWS}};

/* Delivers the messages from .. count - 1 and steps to the end. */
static void go_on(alcore_job *job, const record *made, int from, const alcore_selection *expected) {
    int32_t state;
    for (int i = from; i < made->count; i++)
        ck_assert_ok(alcore_job_deliver(job, made->bytes[i], made->lengths[i]));
    ck_assert_ok(alcore_job_step(job, &state));
    ck_assert_int_eq(state, ALCORE_JOB_DONE);
    job_check_picks(job, expected);
}

/* A worker that was lost, whose rows another one takes over: its job begins with the messages of
 * the exchanges that are over, makes the steps of its shard again and puts the same bytes into the
 * next one; messages that come twice, late or too early do no harm. */
START_TEST(a_lost_worker_is_replaced) {
    job_setting setting = SETTINGS[_i];
    setting.parameters = setting.budget[0] == '1' ? NULL : setting.parameters;
    alcore_selection *expected = job_expected(ctx, &setting, FEW_ROWS);
    record made = record_exchanges(ctx, &setting, &THREE);
    for (int lost = 0; lost < made.count; lost += 1 + made.count / 5) {
        alcore_job *job = job_new(ctx, &setting, &THREE, lost % 3);
        int32_t state;
        for (int i = 0; i < lost; i++)
            ck_assert_ok(alcore_job_deliver(job, made.bytes[i], made.lengths[i]));
        ck_assert_ok(alcore_job_step(job, &state));
        ck_assert_int_eq(state, ALCORE_JOB_FOLD);
        for (int i = 0; i < lost; i++) /* again */
            ck_assert_ok(alcore_job_deliver(job, made.bytes[i], made.lengths[i]));
        if (lost + 1 < made.count) { /* too early */
            ck_assert_int_eq(alcore_job_deliver(job, made.bytes[lost + 1], made.lengths[lost + 1]),
                             ALCORE_E_INVALID);
            ck_assert_ptr_nonnull(strstr(alcore_last_error(), "exchange of"));
        }
        ck_assert_int_eq(alcore_job_deliver(job, made.bytes[lost], made.lengths[lost] - 3),
                         ALCORE_E_CORRUPT);
        go_on(job, &made, lost, expected);
        ck_assert_ok(alcore_job_deliver(job, made.bytes[0], made.lengths[0]));
        alcore_job_unref(job);
    }
    record_free(&made);
    alcore_selection_unref(expected);
}
END_TEST

/* The pools of a job that makes passes stay as they are until it is released. */
START_TEST(pools_are_in_use) {
    const job_setting *setting = &SETTINGS[0];
    alcore_selection *expected = job_expected(ctx, setting, FEW_ROWS);
    record made = record_exchanges(ctx, setting, &THREE);
    alcore_pool *pool = job_pool(ctx, setting, 0, 100);
    alcore_request *request = job_request(ctx, setting, pool);
    alcore_job_options options = ALCORE_JOB_OPTIONS_INIT;
    alcore_job *job;
    int32_t state;
    options.rows = FEW_ROWS;
    options.dataset = "texts of 2026";
    ck_assert_ok(alcore_job_new(request, &options, &job));
    for (int i = 0; i < 4; i++)
        ck_assert_ok(alcore_job_deliver(job, made.bytes[i], made.lengths[i]));
    const int64_t row = 3;
    ck_assert_int_eq(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, &row, 1), ALCORE_E_BUSY);
    alcore_ctx_cancel(ctx);
    ck_assert_int_eq(alcore_job_step(job, &state), ALCORE_E_CANCELLED);
    alcore_ctx_cancel_clear(ctx);
    ck_assert_ok(alcore_job_step(job, &state)); /* it had not begun */
    alcore_job_unref(job);
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, &row, 0)); /* it is free again */
    ck_assert_ok(alcore_job_new(request, &options, &job));
    go_on(job, &made, 0, expected);
    alcore_job_unref(job);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    record_free(&made);
    alcore_selection_unref(expected);
}
END_TEST

/* Where bytes of items are changed and the checksum is made anew, the job takes the message or
 * refuses it, and reads nothing beyond its arrays (a sanitizer looks). */
START_TEST(partials_that_lie) {
    const job_setting *setting = &SETTINGS[_i];
    record made = record_exchanges(ctx, setting, &THREE);
    alcore__rng rng;
    alcore__rng_seed(&rng, (uint64_t)_i);
    int refused = 0;
    for (int n = 0; n < 40; n++) {
        const int last = (int)alcore__rng_below(&rng, (uint64_t)made.count);
        char *bytes = memcpy(malloc(made.lengths[last]), made.bytes[last], made.lengths[last]);
        const size_t settings = settings_bytes(bytes);
        const size_t items = 48 + settings + 32;
        alcore_job *job = job_new(ctx, setting, &THREE, n % 3);
        for (int i = 0; i < last; i++)
            ck_assert_ok(alcore_job_deliver(job, made.bytes[i], made.lengths[i]));
        for (int change = 0; change < 3; change++)
            bytes[items + alcore__rng_below(&rng, made.lengths[last] - items)] ^=
                (char)(1 << alcore__rng_below(&rng, 8));
        const uint64_t checksum = alcore__hash64(bytes + 16, made.lengths[last] - 16);
        memcpy(bytes + 8, &checksum, sizeof checksum);
        refused += alcore_job_deliver(job, bytes, made.lengths[last]) != ALCORE_OK;
        alcore_job_unref(job);
        free(bytes);
    }
    ck_assert_int_gt(refused, 0);
    record_free(&made);
}
END_TEST

/* What only all shards together know to be missing is an error of the step, not of a message; the
 * first rows are not labeled. */
START_TEST(no_shard_has_a_labeled_row) {
    static const job_setting setting = {"mrs", NULL, "2", NULL, ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 2, 5}};
    alcore_job *jobs[] = {job_new(ctx, &setting, &cut, 0), job_new(ctx, &setting, &cut, 1)};
    alcore__rng rng;
    int32_t state;
    size_t length;
    alcore__rng_seed(&rng, 1);
    for (int32_t s = 0; s < 2; s++) ck_assert_ok(alcore_job_step(jobs[s], &state));
    alcore_job_fold *all = job_fold_all(ctx, jobs, 2, &rng);
    const char *message = alcore_job_fold_message(all, &length);
    for (int32_t s = 0; s < 2; s++) {
        ck_assert_ok(alcore_job_deliver(jobs[s], message, length));
        for (int again = 0; again < 2; again++) {
            ck_assert_int_eq(alcore_job_step(jobs[s], &state), ALCORE_E_MISSING);
            ck_assert_ptr_nonnull(
                strstr(alcore_last_error(), "give labeled rows or a labeled pool"));
        }
        alcore_job_unref(jobs[s]);
    }
    alcore_job_fold_unref(all);
}
END_TEST

/* ---- failing allocations ---- */

/* Makes the exchanges of two shards, with one allocation that fails: a job that failed is made
 * anew. Whether the failure was met. *failed counts jobs that a pass has ended. */
static bool drive_without(const job_setting *setting, const record *made, const job_cut *cut,
                          fault_allocator *fault, long long failing,
                          const alcore_selection *expected, int *failed) {
    alcore_pool *pool = job_pool(ctx, setting, cut->starts[1], cut->starts[2]);
    alcore_request *request = job_request(ctx, setting, pool);
    alcore_job_options options = ALCORE_JOB_OPTIONS_INIT;
    alcore_job *job = NULL;
    options.first_row = cut->starts[1];
    options.rows = cut->starts[2];
    options.dataset = "texts of 2026";
    fault_arm(fault, failing, 0);
    for (int attempt = 0; !alcore_job_rows(job); attempt++) {
        int32_t state;
        alcore_status status = ALCORE_OK;
        ck_assert_int_lt(attempt, 3);
        alcore_job_unref(job);
        job = NULL;
        status = alcore_job_new(request, &options, &job);
        for (int i = 0; i < made->count && status == ALCORE_OK; i++) {
            status = alcore_job_step(job, &state);
            if (status == ALCORE_OK)
                status = alcore_job_deliver(job, made->bytes[i], made->lengths[i]);
        }
        if (status == ALCORE_OK) status = alcore_job_step(job, &state);
        if (status == ALCORE_OK) continue;
        ck_assert_int_eq(status, ALCORE_E_NOMEM);
        if (!job || alcore_job_step(job, &state) == ALCORE_OK) continue;
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "make a new job"));
        ++*failed;
    }
    const bool met = fault->failures > 0;
    fault_arm(fault, 0, 0);
    job_check_picks(job, expected);
    alcore_job_unref(job);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    return met;
}

static const job_setting FAILING[] = {
    {"kcenter", NULL, "2,3", "fill=skip", ALCORE_DEDUP_EXACT},
    {"huds", "n_strata=2 k_clusters=2", "9w", NULL, ALCORE_DEDUP_NONE},
    {"knn-uncertainty", NULL, "5", "nan=exclude", ALCORE_DEDUP_NONE},
    {"typiclust", "max_clusters=2", "3", NULL, ALCORE_DEDUP_NONE},
    {"huds", "n_strata=2 min_stratum=40", "9w", NULL, ALCORE_DEDUP_EXACT},
    {"huds", "n_strata=2 strata=quantile rescale=zscore", "9w", NULL, ALCORE_DEDUP_NONE},
    {"knn-uncertainty", "k=1 mode=code", "60", NULL, ALCORE_DEDUP_NONE},
    {"kcenter", "mode=composable per_block=2", "5", NULL, ALCORE_DEDUP_EXACT},
    {"badge", "mode=oversampling per_step=2", "5", NULL, ALCORE_DEDUP_EXACT},
    {"average-dist", NULL, "4", "tie=random", ALCORE_DEDUP_EXACT},
    {"contrastive", "k=2", "4", NULL, ALCORE_DEDUP_NONE},
    {"uncertainty-knn", "cover=1", "5,3", NULL, ALCORE_DEDUP_NONE},
    {"rtt-bleu", NULL, "3w", "max_similarity=0.6", ALCORE_DEDUP_EXACT},
    {"egl", NULL, "9w,4w", "fill=skip tie=random nan=exclude", ALCORE_DEDUP_NONE},
    {"uncertainty-knn", NULL, "7w,3w", "fill=skip", ALCORE_DEDUP_NONE},
    {"mrs", "k=2", "9w", "nan=exclude", ALCORE_DEDUP_EXACT},
};

START_TEST(no_failing_allocation_does_harm) {
    static fault_allocator fault;
    const job_cut half = {2, {0, 40, 90}};
    job_context_that_fails(&ctx, &fault, 0);
    alcore_selection *expected = job_expected(ctx, &FAILING[_i], 90);
    record made = record_exchanges(ctx, &FAILING[_i], &half);
    long long failing = 1;
    int failed = 0;
    while (drive_without(&FAILING[_i], &made, &half, &fault, failing, expected, &failed)) failing++;
    ck_assert_int_gt(failed, 0);
    ck_assert_int_gt(failing, 100);
    record_free(&made);
    alcore_selection_unref(expected);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("job_pass_faults");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, a_lost_worker_is_replaced, 0, SETTING_COUNT);
    tcase_add_test(cases, pools_are_in_use);
    tcase_add_loop_test(cases, partials_that_lie, 0, SETTING_COUNT);
    tcase_add_test(cases, no_shard_has_a_labeled_row);
    tcase_add_loop_test(cases, no_failing_allocation_does_harm, 0,
                        sizeof FAILING / sizeof *FAILING);
    return check_suite_run("job_pass_faults", cases);
}
