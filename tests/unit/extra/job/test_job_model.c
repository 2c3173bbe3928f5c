/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs whose columns the n-gram model makes, which learns from the texts of all shards: the picks
 * that one machine has by that model, for 1 to 8 shards of any sizes. */
#include "extra/job/job_message.h"
#include "job_shards.h"

enum { ROWS = 240 };

static alcore_ctx *ctx;

static void setup(void) {
    ctx = job_context(5);
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* A request over the rows first .. end - 1, without columns. trained: the model of the labeled rows
 * 1000 to 1049 is named; else one that learns from the pool. */
static alcore_request *request_of(const job_setting *setting, int64_t first, int64_t end,
                                  bool trained) {
    const job_setting texts = {"random", NULL, NULL, NULL, setting->dedup};
    alcore_pool *pool = job_pool(ctx, &texts, first, end);
    alcore_pool *labeled = trained ? job_pool(ctx, &texts, 1000, 1050) : NULL;
    alcore_request *request = job_request(ctx, setting, pool);
    alcore_model *model;
    ck_assert_ok(alcore_model_new_ngram(ctx, labeled, NULL, &model));
    ck_assert_ok(alcore_request_set_model(request, model));
    alcore_model_unref(model);
    alcore_pool_unref(labeled);
    alcore_pool_unref(pool);
    return request;
}

static alcore_job *job_of(const job_setting *setting, const job_cut *cut, int32_t shard,
                          bool trained) {
    return job_for(request_of(setting, cut->starts[shard], cut->starts[shard + 1], trained), cut,
                   shard, NULL);
}

static const job_setting SETTINGS[] = {
    {"nnll", NULL, "40,9", NULL, ALCORE_DEDUP_EXACT},
    {"nnll", NULL, "150w", "fill=stop tie=random", ALCORE_DEDUP_NONE},
    {"huds", NULL, "100w", NULL, ALCORE_DEDUP_NORMALIZED},
    {"huds", "n_strata=3 candidates=120", "12", "masks=near", ALCORE_DEDUP_EXACT},
    {"kcenter", NULL, "7", NULL, ALCORE_DEDUP_EXACT}, /* labeled rows have vectors too */
    {"random", NULL, "60w", "max_similarity=0.5", ALCORE_DEDUP_EXACT},
    {NULL, NULL, "60w", "max_similarity=0.5", ALCORE_DEDUP_EXACT},
};
enum { SETTING_COUNT = sizeof SETTINGS / sizeof *SETTINGS };

START_TEST(the_picks_of_one_machine) {
    const job_setting *setting = &SETTINGS[_i];
    for (int32_t shards = 1; shards <= SHARDS; shards++) {
        const bool trained = shards == 3;
        const job_cut cut = job_cut_at(ROWS, shards, (uint64_t)shards);
        alcore_request *request = request_of(setting, 0, ROWS, trained);
        alcore_selection *expected;
        alcore_job *jobs[SHARDS] = {NULL};
        alcore__rng rng;
        alcore__rng_seed(&rng, 1);
        ck_assert_ok(alcore_select(request, &expected));
        alcore_request_unref(request);
        for (int32_t s = 0; s < shards; s++) jobs[s] = job_of(setting, &cut, s, trained);
        job_drive(ctx, jobs, shards, &rng);
        ck_assert_int_gt(alcore_job_pick_count(jobs[0]), 5);
        for (int32_t s = 0; s < shards; s++) job_check_picks(jobs[s], expected);
        for (int32_t s = 0; s < shards; s++) alcore_job_unref(jobs[s]);
        alcore_selection_unref(expected);
    }
}
END_TEST

/* Where every row is labeled there is nothing to pick and no text to learn from: no pick, as on one
 * machine. */
START_TEST(every_row_is_labeled) {
    const job_setting *setting = &SETTINGS[_i];
    const job_cut cut = job_cut_at(ROWS, 3, 4);
    alcore_job *jobs[3];
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    for (int32_t s = 0; s < 3; s++) {
        const int64_t first = cut.starts[s], count = cut.starts[s + 1] - first;
        const job_setting texts = {"random", NULL, NULL, NULL, setting->dedup};
        alcore_pool *pool = job_pool(ctx, &texts, first, first + count);
        alcore_request *request = job_request(ctx, setting, pool);
        alcore_job_options options = ALCORE_JOB_OPTIONS_INIT;
        alcore_model *model;
        int64_t rows[ROWS];
        for (int64_t i = 0; i < count; i++) rows[i] = i;
        ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, rows, count));
        ck_assert_ok(alcore_model_new_ngram(ctx, NULL, NULL, &model));
        ck_assert_ok(alcore_request_set_model(request, model));
        options.first_row = first;
        options.rows = ROWS;
        ck_assert_ok(alcore_job_new(request, &options, &jobs[s]));
        alcore_model_unref(model);
        alcore_request_unref(request);
        alcore_pool_unref(pool);
    }
    job_drive(ctx, jobs, 3, &rng);
    for (int32_t s = 0; s < 3; s++) {
        ck_assert_int_eq(alcore_job_pick_count(jobs[s]), 0);
        alcore_job_unref(jobs[s]);
    }
}
END_TEST

static const job_cut TWO = {2, {0, 100, ROWS}};
static const job_setting NNLL = {"nnll", NULL, "9", NULL, ALCORE_DEDUP_NONE};

/* A model that was trained on other texts, or that learns from the shards, in one of them. */
START_TEST(one_model_for_all_shards) {
    const job_setting *setting = &NNLL;
    alcore_job *jobs[2] = {job_of(setting, &TWO, 0, true), job_of(setting, &TWO, 1, false)};
    int32_t state;
    size_t length;
    ck_assert_ok(alcore_job_step(jobs[1], &state));
    const char *message = alcore_job_message(jobs[1], &length);
    ck_assert_int_eq(alcore_job_deliver(jobs[0], message, length), ALCORE_E_INVALID);
    ck_assert_msg(strstr(alcore_last_error(), "all texts") != NULL, "%s", alcore_last_error());
    for (int s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
}
END_TEST

/* The bytes are those of docs/distributed.md: 8 for each text that is learned from, and its own up
 * to a multiple of 8. Texts that lie are taken or refused, and the job takes the right message. */
START_TEST(texts_that_lie) {
    alcore_job *jobs[2] = {job_of(&NNLL, &TWO, 0, false), job_of(&NNLL, &TWO, 1, false)};
    alcore_pool *pool = job_pool(ctx, &NNLL, 0, ROWS);
    alcore__rng rng;
    int32_t state, refused = 0;
    size_t length, bytes = 0;
    for (int s = 0; s < 2; s++) ck_assert_ok(alcore_job_step(jobs[s], &state));
    alcore__rng_seed(&rng, 1);
    alcore_job_fold *all = job_fold_all(ctx, jobs, 2, &rng);
    const char *message = alcore_job_fold_message(all, &length);
    const size_t settings = (strlen(message + 48) / 8 + 1) * 8, items = 48 + settings + 32;
    for (int64_t row = 0; row < ROWS; row++)
        if ((alcore_pool_states(pool)[row] & ~(uint32_t)ALCORE_ROW_LABELED) == 0)
            bytes += 8 + (strlen(alcore_pool_text(pool, row, NULL)) + 7) / 8 * 8;
    ck_assert_uint_eq(length, 48 + settings + 2 * 32 + bytes);
    for (int n = 0; n < 200; n++) {
        char *wrong = memcpy(malloc(length), message, length);
        const uint64_t lie = n % 2 ? alcore__rng_u64(&rng) : alcore__rng_below(&rng, 64);
        memcpy(wrong + items + 8 * alcore__rng_below(&rng, (length - items) / 8), &lie, 8);
        const uint64_t sum = alcore__hash64(wrong + 16, length - 16);
        memcpy(wrong + 8, &sum, sizeof sum);
        alcore_job *job = job_of(&NNLL, &TWO, n % 2, false);
        refused += alcore_job_deliver(job, wrong, length) != ALCORE_OK;
        alcore_job_unref(job);
        free(wrong);
    }
    ck_assert_int_gt(refused, 50);
    for (int s = 0; s < 2; s++) ck_assert_ok(alcore_job_deliver(jobs[s], message, length));
    alcore_job_fold_unref(all);
    for (int s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
    alcore_pool_unref(pool);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("job_model");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, the_picks_of_one_machine, 0, SETTING_COUNT);
    tcase_add_loop_test(cases, every_row_is_labeled, 0, SETTING_COUNT);
    tcase_add_test(cases, one_model_for_all_shards);
    tcase_add_test(cases, texts_that_lie);
    return check_suite_run("job_model", cases);
}
