/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of strategies that draw by languages: the picks of one machine for 1 to 8 shards of any
 * sizes, whose languages are others; rows of another selection, files of plans, and what goes wrong
 * in the exchange of rows. */
#include <stdlib.h>
#include <unistd.h>

#include "base/rng.h"
#include "job_shards.h"

enum { ROWS = 300 };

static alcore_ctx *ctx;

static void setup(void) {
    ctx = job_context(5);
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* A request over the rows first .. end - 1. like: the rows of another selection are given. */
static alcore_request *request_of(const job_setting *setting, int64_t first, int64_t end,
                                  bool like) {
    /* "zu" comes first, and not in the last rows. */
    static const char *const tags[] = {"zu", "de", "en", "en", "be", "en"};
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    int64_t others[ROWS], count = 0;
    options.dedup = setting->dedup;
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    for (int64_t row = first; row < end; row++) {
        char text[256];
        const char *texts[] = {text}, *own[] = {tags[row < 200 ? row % 6 : 1 + row % 5]};
        alcore_records records = ALCORE_RECORDS_INIT;
        job_text(row, text, sizeof text);
        records.texts = texts;
        records.languages = own;
        records.count = 1;
        ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
        if (row % 31 == 7 || row % 30 == 4) others[count++] = row - first;
    }
    alcore_request *request = job_request(ctx, setting, pool);
    if (like) ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LIKE, others, count));
    alcore_pool_unref(pool);
    return request;
}

static alcore_job *job_of(const job_setting *setting, const job_cut *cut, int32_t shard,
                          bool like) {
    return job_for(request_of(setting, cut->starts[shard], cut->starts[shard + 1], like), cut,
                   shard, NULL);
}

static void compare(const job_setting *setting, int32_t shards, uint64_t seed, bool like) {
    const job_cut cut = job_cut_at(ROWS, shards, seed);
    alcore_request *request = request_of(setting, 0, ROWS, like);
    alcore_selection *expected;
    alcore_job *jobs[SHARDS] = {NULL};
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    ck_assert_ok(alcore_select(request, &expected));
    alcore_request_unref(request);
    for (int32_t s = 0; s < shards; s++) jobs[s] = job_of(setting, &cut, s, like);
    job_drive(ctx, jobs, shards, &rng);
    ck_assert_int_gt(alcore_job_pick_count(jobs[0]), 5);
    for (int32_t s = 0; s < shards; s++) job_check_picks(jobs[s], expected);
    for (int32_t s = 0; s < shards; s++) alcore_job_unref(jobs[s]);
    alcore_selection_unref(expected);
}

START_TEST(the_picks_of_one_machine) {
    static const job_setting settings[] = {
        {"egalitarian", NULL, "12,40", NULL, ALCORE_DEDUP_EXACT},
        {"egalitarian", NULL, "70w", "fill=skip round=2", ALCORE_DEDUP_NONE},
        {"same-ratio", NULL, "30", NULL, ALCORE_DEDUP_NORMALIZED},
        {"same-ratio", "counts=zu:3,be:4,en:2", "60w", "fill=stop", ALCORE_DEDUP_EXACT},
        {"plan", "counts=de:4,zu:90;be:7", "95", NULL, ALCORE_DEDUP_EXACT},
        {"plan", "counts=de:4,zu:90;be:7", "95", "round=2", ALCORE_DEDUP_NONE},
        {"same-ratio", NULL, "30", NULL, ALCORE_DEDUP_EXACT}, /* like */
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (int32_t shards = 1; shards <= SHARDS; shards++)
            compare(&settings[i], shards, 10 * i + (uint64_t)shards, i == 6);
}
END_TEST

/* The file of a plan may have another path for each shard, and has to be the same file. */
START_TEST(files_of_plans) {
    char folder[] = "/tmp/job_plan_XXXXXX", paths[3][64], parameters[3][80];
    const job_cut two = {2, {0, 130, ROWS}};
    job_setting settings[3];
    alcore_job *jobs[3];
    alcore__rng rng;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (int i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%d", folder, i);
        snprintf(parameters[i], sizeof parameters[i], "file=%s", paths[i]);
        FILE *file = fopen(paths[i], "w");
        fprintf(file, "all\t*\tzu:5,de:%d\n", i == 2 ? 2 : 3);
        fclose(file);
        settings[i] = (job_setting){"plan", parameters[i], "20", NULL, ALCORE_DEDUP_EXACT};
        jobs[i] = job_of(&settings[i], &two, i > 0, false);
    }
    alcore_request *request = request_of(&settings[0], 0, ROWS, false);
    alcore_selection *expected;
    ck_assert_ok(alcore_select(request, &expected));
    ck_assert_int_eq(alcore_selection_count(expected), 8);
    alcore__rng_seed(&rng, 1);
    unlink(paths[1]);
    int32_t state;
    ck_assert_int_eq(alcore_job_step(jobs[1], &state), ALCORE_E_IO);
    ck_assert_int_eq(link(paths[0], paths[1]), 0);
    job_drive(ctx, jobs, 2, &rng);
    job_check_picks(jobs[1], expected);
    alcore_job_unref(jobs[0]);
    jobs[0] = job_of(&settings[0], &two, 0, false);
    size_t length;
    ck_assert_ok(alcore_job_step(jobs[2], &state));
    const char *message = alcore_job_message(jobs[2], &length);
    ck_assert_int_eq(alcore_job_deliver(jobs[0], message, length), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "strategy.file="));
    for (int i = 0; i < 3; i++) alcore_job_unref(jobs[i]);
    alcore_selection_unref(expected);
    alcore_request_unref(request);
    for (int i = 0; i < 3; i++) unlink(paths[i]);
    rmdir(folder);
}
END_TEST

/* The message of the exchange of rows of two shards, some of which name rows of another selection;
 * a copy that the caller frees. */
static char *rows_message(alcore_job *const jobs[2], size_t *length) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    for (int s = 0; s < 2; s++) {
        int32_t state;
        ck_assert_ok(alcore_job_step(jobs[s], &state));
    }
    alcore_job_fold *all = job_fold_all(ctx, jobs, 2, &rng);
    const char *message = alcore_job_fold_message(all, length);
    char *copy = memcpy(malloc(*length), message, *length);
    alcore_job_fold_unref(all);
    return copy;
}

static const job_setting LIKE = {"same-ratio", NULL, "30", NULL, ALCORE_DEDUP_NONE};

START_TEST(rows_of_another_selection_in_every_shard) {
    const job_cut two = {2, {0, 130, ROWS}};
    alcore_job *jobs[2] = {job_of(&LIKE, &two, 0, true), job_of(&LIKE, &two, 1, false)};
    size_t length;
    char *message = rows_message(jobs, &length);
    ck_assert_int_eq(alcore_job_deliver(jobs[0], message, length), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "rows 130 to 299"));
    free(message);
    for (int s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
}
END_TEST

/* Changed bytes with the right sum are taken or refused; and a job takes the right message then.
 * The size is that of docs/distributed.md: 48, a bit for each row, 16, 8 and the letters of a tag
 * up to a multiple of 8, 4 for each row, and 8 for each row of another selection. */
START_TEST(languages_that_lie) {
    const job_cut two = {2, {0, 130, ROWS}};
    alcore_job *jobs[2] = {job_of(&LIKE, &two, 0, true), job_of(&LIKE, &two, 1, true)};
    alcore__rng rng;
    size_t length;
    int refused = 0, like = 0;
    char *message = rows_message(jobs, &length);
    const size_t settings = (strlen(message + 48) / 8 + 1) * 8, items = 48 + settings + 32;
    for (int row = 0; row < ROWS; row++) like += row % 31 == 7 || row % 30 == 4;
    /* four tags of two letters in either shard */
    ck_assert_uint_eq(length, 48 + settings + 2 * (32 + 48 + 16 + 4 * 16) + 24 + 24 + 4 * 130 +
                                  4 * 170 + 8 * (size_t)like);
    alcore__rng_seed(&rng, 3);
    for (int n = 0; n < 300; n++) {
        char *wrong = memcpy(malloc(length), message, length);
        const uint64_t lie = n % 3 ? alcore__rng_u64(&rng) : UINT64_MAX;
        memcpy(wrong + items + 8 * alcore__rng_below(&rng, (length - items) / 8), &lie, 8);
        const uint64_t sum = alcore__hash64(wrong + 16, length - 16);
        memcpy(wrong + 8, &sum, sizeof sum);
        alcore_job *job = job_of(&LIKE, &two, n % 2, true);
        const alcore_status status = alcore_job_deliver(job, wrong, length);
        refused += status != ALCORE_OK;
        if (status != ALCORE_OK) {
            int32_t state;
            ck_assert_ok(alcore_job_deliver(job, message, length));
            ck_assert_ok(alcore_job_step(job, &state));
            ck_assert_int_eq(state, ALCORE_JOB_DONE);
        }
        alcore_job_unref(job);
        free(wrong);
    }
    ck_assert_int_gt(refused, 200);
    free(message);
    for (int s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("job_languages");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, the_picks_of_one_machine);
    tcase_add_test(cases, files_of_plans);
    tcase_add_test(cases, rows_of_another_selection_in_every_shard);
    tcase_add_test(cases, languages_that_lie);
    return check_suite_run("job_languages", cases);
}
