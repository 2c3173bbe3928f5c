/* SPDX-License-Identifier: Apache-2.0 */
/* What the summary of a hybrid over shards says of the columns that its sentences were chosen by,
 * which lie in the shards; summaries with columns of one origin are compared in
 * test_job_phrases.c. */
#include "job_shards.h"
#include "pool/pool_internal.h"
#include "request/request_internal.h"

enum { ROWS = 150 };

static alcore_ctx *ctx;

static void setup(void) {
    ctx = job_context(11);
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* A request of the setting, whose pool has scores and vectors. */
static alcore_request *request_of(const job_setting *setting, int64_t first, int64_t end) {
    static const job_setting columns = {"huds", NULL, "9", NULL, ALCORE_DEDUP_NONE};
    alcore_pool *pool = job_pool(ctx, &columns, first, end);
    alcore_request *request = job_request(ctx, setting, pool);
    alcore_pool_unref(pool);
    return request;
}

static char *copy(const char *text) {
    return alcore__strndup(ctx, text, strlen(text));
}

/* Makes the column of scores one that a model made, which has cut half of the texts, from a folder
 * with a warning, or one that was read from a file. */
static void set_maker(const alcore_request *request, const char *file) {
    const alcore_pool *pool = request->candidates;
    alcore__column *column = (alcore__column *)alcore__pool_find_column(pool, "scores");
    if (!column) return;
    alcore__free(ctx, column->origin);
    column->origin = copy(file ? file : "model of a test, version 1");
    column->engine = file ? NULL : "host";
    column->warnings = file ? NULL : copy("[\"odd\"]");
    for (int64_t row = 0; row < alcore_pool_row_count(pool); row++)
        column->cut.texts += row % 2 == 0 && !file;
    column->cut.tokens = file ? 0 : 8;
}

/* Each shard tells of its own columns: counts are added up, and files have names of their own. */
START_TEST(what_is_told_of_columns) {
    static const job_setting setting = {"hybrid", "sentences=huds", "30,8", NULL,
                                        ALCORE_DEDUP_NONE};
    static const job_cut cut = {4, {0, 40, 40, 90, ROWS}};
    for (int files = 0; files < 2; files++) {
        alcore_request *request = request_of(&setting, 0, ROWS);
        alcore_selection *expected;
        alcore_job *jobs[SHARDS];
        alcore__rng rng;
        alcore__rng_seed(&rng, 3);
        set_maker(request, files ? "part-0.npy and others" : NULL);
        ck_assert_ok(alcore_select(request, &expected));
        ck_assert_ptr_nonnull(strstr(
            alcore_selection_summary(expected),
            files ? "\nscores: from part-0.npy and others\nembeddings: given\n"
                  : "\nscores: model of a test, version 1\nwarning: scores: 75 texts were cut "
                    "to 8 tokens, the most that the model reads\nwarning: scores: of the "
                    "model's folder: [\"odd\"]\nembeddings: given\n"));
        alcore_request_unref(request);
        for (int32_t s = 0; s < cut.shards; s++) {
            char file[] = "part-0.npy";
            file[5] = (char)('0' + s);
            request = request_of(&setting, cut.starts[s], cut.starts[s + 1]);
            set_maker(request, files ? file : NULL);
            jobs[s] = job_for(request, &cut, s, NULL);
        }
        job_drive(ctx, jobs, cut.shards, &rng);
        for (int32_t s = 0; s < cut.shards; s++)
            ck_assert_str_eq(alcore_selection_summary(alcore_job_selection(jobs[s])),
                             alcore_selection_summary(expected));
        for (int32_t s = 0; s < cut.shards; s++) alcore_job_unref(jobs[s]);
        alcore_selection_unref(expected);
    }
}
END_TEST

/* What is given has to be read by one of the parts, as on one machine. */
START_TEST(what_is_given_is_read) {
    static const job_setting setting = {"hybrid", "sentences=huds", "30", NULL, ALCORE_DEDUP_NONE};
    static const job_cut cut = {1, {0, ROWS}};
    for (int wrong = 0; wrong < 2; wrong++) {
        alcore_request *request = request_of(&setting, 0, ROWS);
        alcore__rng rng;
        int32_t state;
        alcore__rng_seed(&rng, 1);
        ck_assert_ok(
            alcore_request_set(request, "given", wrong ? "scores,margins" : "scores,embeddings"));
        alcore_job *job = job_for(request, &cut, 0, NULL);
        alcore_status status = alcore_job_step(job, &state);
        while (status == ALCORE_OK && state == ALCORE_JOB_FOLD) {
            size_t length;
            alcore_job_fold *all = job_fold_all(ctx, &job, 1, &rng);
            const char *message = alcore_job_fold_message(all, &length);
            status = alcore_job_deliver(job, message, length);
            if (status == ALCORE_OK) status = alcore_job_step(job, &state);
            alcore_job_fold_unref(all);
        }
        ck_assert_int_eq(status, wrong ? ALCORE_E_INVALID : ALCORE_OK);
        if (wrong)
            ck_assert_msg(strstr(alcore_last_error(),
                                 "the column 'margins' is not read: strategy hybrid reads scores, "
                                 "embeddings; it is read by "),
                          "%s", alcore_last_error());
        alcore_job_unref(job);
    }
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("job_columns");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, what_is_told_of_columns);
    tcase_add_test(cases, what_is_given_is_read);
    return check_suite_run("job_columns", cases);
}
