/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of strategies that compare rows, whose shards exchange the partials of passes: the picks of
 * one machine for shards of a few rows, with every parameter that changes the passes, and what has
 * to be the same in all shards. */
#include "job_pass_settings.h"
#include "job_record.h"

static alcore_ctx *ctx;

static void setup(void) {
    ctx = job_context(5);
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

START_TEST(a_few_rows_in_many_shards) {
    job_setting setting = SETTINGS[_i];
    if (setting.parameters && strstr(setting.parameters, "candidates")) setting.parameters = NULL;
    for (int32_t shards = 1; shards <= SHARDS; shards++)
        job_compare(ctx, &setting, FEW_ROWS, shards, (uint64_t)(10 * _i + shards));
}
END_TEST

/* A job with a labeled pool, of the rows first .. end - 1, which all shards have; first_label: the
 * row that has the vector of its first one. */
static alcore_job *job_with_labels(const job_setting *setting, const job_cut *cut, int32_t shard,
                                   int64_t first, int64_t end, int64_t first_label) {
    alcore_pool *pool = job_pool(ctx, setting, cut->starts[shard], cut->starts[shard + 1]);
    alcore_pool *labeled = job_pool(ctx, setting, first, end);
    alcore_request *request = job_request(ctx, setting, pool);
    job_give_vectors(labeled, first_label, false);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    alcore_job *job = job_for(request, cut, shard, NULL);
    alcore_pool_unref(labeled);
    alcore_pool_unref(pool);
    return job;
}

/* The picks depend on the labeled pool, and one that is not the same in all shards is refused. */
START_TEST(the_labeled_pool_is_the_same_in_all_shards) {
    static const job_setting setting = {"kcenter", NULL, "9", NULL, ALCORE_DEDUP_NONE};
    const job_cut one = {1, {0, FEW_ROWS}}, two = {2, {0, 130, FEW_ROWS}};
    alcore_job *alone = job_with_labels(&setting, &one, 0, 95000, 95040, 95000), *jobs[2];
    alcore_selection *without = job_expected(ctx, &setting, FEW_ROWS);
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    for (int32_t s = 0; s < 2; s++)
        jobs[s] = job_with_labels(&setting, &two, s, 95000, 95040, 95000);
    job_drive(ctx, &alone, 1, &rng);
    job_drive(ctx, jobs, 2, &rng);
    ck_assert_mem_eq(alcore_job_rows(jobs[1]), alcore_job_rows(alone), 9 * sizeof(int64_t));
    ck_assert_mem_eq(alcore_job_scores(jobs[0]), alcore_job_scores(alone), 9 * sizeof(double));
    ck_assert(memcmp(alcore_job_rows(alone), alcore_selection_rows(without), 9 * 8) != 0);
    for (int32_t s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
    for (int32_t s = 0; s < 2; s++)
        jobs[s] = job_with_labels(&setting, &two, s, 95000, 95040, 95000 + s);
    for (int32_t s = 0; s < 2; s++) {
        int32_t state;
        ck_assert_ok(alcore_job_step(jobs[s], &state));
    }
    size_t length;
    alcore_job_fold *all = job_fold_all(ctx, jobs, 2, &rng);
    const char *message = alcore_job_fold_message(all, &length);
    ck_assert_int_eq(alcore_job_deliver(jobs[0], message, length), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "the labeled pool"));
    alcore_job_fold_unref(all);
    for (int32_t s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
    alcore_job_unref(alone);
    alcore_selection_unref(without);
}
END_TEST

/* Where nothing is labeled the first pick is the row nearest to the mean, whose score is known once
 * the rows are measured from it. */
START_TEST(nothing_is_labeled) {
    static const job_setting settings[] = {
        {"kcenter", NULL, "4", NULL, ALCORE_DEDUP_NONE},
        {"kcenter", NULL, "4,1", NULL, ALCORE_DEDUP_NONE},
        {"kcenter", "mode=composable per_block=1", "4,1", "fill=skip", ALCORE_DEDUP_NONE},
        {"kcenter", "mode=composable per_block=1", "4,1", NULL, ALCORE_DEDUP_NONE},
        {"kcenter", "mode=composable per_block=2", "9", NULL, ALCORE_DEDUP_NONE},
        {"kcenter", "mode=composable per_block=2", "1.2u", "fill=skip", ALCORE_DEDUP_NONE},
        {"kcenter", NULL, "1.2u,3u", "fill=skip", ALCORE_DEDUP_NONE},
        {"idds", NULL, "4,2", NULL, ALCORE_DEDUP_NONE}};
    ck_assert_uint_eq(count_rows(ctx, &settings[_i], 5, ALCORE_ROW_LABELED), 0);
    job_compare(ctx, &settings[_i], 5, 4 /* shards */, 1);
}
END_TEST

/* Without a candidate in any shard there is no pick, as on one machine: here the labeled pool has
 * all texts, and no row is marked as labeled. */
START_TEST(no_shard_has_a_candidate) {
    static const job_setting settings[] = {
        {"kcenter", NULL, "4,2", NULL, ALCORE_DEDUP_EXACT},
        {"kcenter", "mode=composable", "4,2", NULL, ALCORE_DEDUP_EXACT},
        {"idds", "mode=oneshot", "4w", "fill=skip", ALCORE_DEDUP_EXACT},
        {"huds", "strata=quantile", "9w,4w", "nan=exclude", ALCORE_DEDUP_EXACT},
        {"uncertainty-knn", NULL, "4", NULL, ALCORE_DEDUP_EXACT},
        {"knn-uncertainty", NULL, "4,2", NULL, ALCORE_DEDUP_EXACT},
        {"rtt-bleu", NULL, "4", "max_similarity=0.6", ALCORE_DEDUP_EXACT}};
    const job_setting *setting = &settings[_i];
    const job_cut cuts[] = {{1, {0, 5}}, {4, {0, 2, 3, 3, 5}}};
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
        const job_cut *cut = &cuts[c];
        alcore_job *jobs[SHARDS] = {NULL};
        for (int32_t s = 0; s < cut->shards; s++)
            jobs[s] = job_with_labels(setting, cut, s, 0, 5, 0);
        job_drive(ctx, jobs, cut->shards, &rng);
        for (int32_t s = 0; s < cut->shards; s++) {
            ck_assert_int_eq(alcore_job_pick_count(jobs[s]), 0);
            ck_assert_uint_eq(alcore_job_flags(jobs[s]), ALCORE_SELECTION_SHORT);
            alcore_job_unref(jobs[s]);
        }
    }
}
END_TEST

/* Vectors by which picks are compared, some of which have no number: their rows are left out, also
 * by a strategy that reads no vector otherwise. */
START_TEST(compared_vectors_without_a_number) {
    static const job_setting settings[] = {
        {"ngram-cover", NULL, "60", "nan=exclude max_similarity=0.6 masks=none", ALCORE_DEDUP_NONE},
        {"ngram-cover", NULL, "90w,30w", "nan=exclude max_similarity=0.8", ALCORE_DEDUP_EXACT},
        {"nnll", NULL, "60", "nan=exclude max_similarity=0.6", ALCORE_DEDUP_EXACT}};
    for (int32_t shards = 1; shards <= SHARDS; shards++)
        job_compare(ctx, &settings[_i], FEW_ROWS, shards, (uint64_t)(10 * _i + shards));
}
END_TEST

/* The job of a shard whose target has no number, without a row that may be selected. */
static alcore_job *job_without_targets(const job_setting *setting, const job_cut *cut,
                                       int32_t shard) {
    alcore_pool *pool = job_pool(ctx, setting, cut->starts[shard], cut->starts[shard + 1]);
    alcore_pool *target = job_pool(ctx, setting, TARGET_FIRST, TARGET_END);
    alcore_request *request = job_request(ctx, setting, pool);
    float values[(TARGET_END - TARGET_FIRST) * VECTOR];
    int64_t shape[] = {TARGET_END - TARGET_FIRST, VECTOR};
    alcore_tensor tensor;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) values[i] = NAN;
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 2));
    ck_assert_ok(alcore_pool_set_column(target, "embeddings", &tensor, NULL, NULL));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, target));
    for (int64_t row = 0; row < alcore_pool_row_count(pool); row++)
        ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, &row, 1));
    alcore_job *job = job_for(request, cut, shard, NULL);
    alcore_pool_unref(target);
    alcore_pool_unref(pool);
    return job;
}

/* Then the target is not looked at, as on one machine. Where there is a candidate, it is. */
START_TEST(no_candidate_and_no_target) {
    static const job_setting settings[] = {
        {"average-dist", NULL, "4", "nan=exclude", ALCORE_DEDUP_NONE},
        {"average-dist", NULL, "4", NULL, ALCORE_DEDUP_NONE},
        {"average-dist", NULL, "4", "nan=exclude max_similarity=0.6", ALCORE_DEDUP_NONE}};
    const job_cut cut = {3, {0, 2, 2, 5}};
    alcore_job *jobs[SHARDS] = {NULL};
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    for (int32_t s = 0; s < cut.shards; s++) jobs[s] = job_without_targets(&settings[_i], &cut, s);
    job_drive(ctx, jobs, cut.shards, &rng);
    for (int32_t s = 0; s < cut.shards; s++) {
        ck_assert_int_eq(alcore_job_pick_count(jobs[s]), 0);
        ck_assert_uint_eq(alcore_job_flags(jobs[s]), ALCORE_SELECTION_SHORT);
        alcore_job_unref(jobs[s]);
    }
}
END_TEST

/* Columns of another type or width in one of the shards. */
START_TEST(columns_of_all_shards_have_one_form) {
    static const job_setting setting = {"kcenter", NULL, "9", NULL, ALCORE_DEDUP_NONE};
    const job_cut two = {2, {0, 130, FEW_ROWS}};
    alcore_pool *pool = job_pool(ctx, &setting, 130, FEW_ROWS);
    double values[(FEW_ROWS - 130) * VECTOR] = {0};
    int64_t shape[] = {FEW_ROWS - 130, VECTOR};
    alcore_tensor tensor;
    alcore_job_options options = ALCORE_JOB_OPTIONS_INIT;
    alcore_job *jobs[2] = {job_new(ctx, &setting, &two, 0), NULL};
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT64, shape, 2));
    ck_assert_ok(alcore_pool_set_column(pool, "embeddings", &tensor, NULL, NULL));
    alcore_request *request = job_request(ctx, &setting, pool);
    options.first_row = 130;
    options.rows = FEW_ROWS;
    options.dataset = "texts of 2026";
    ck_assert_ok(alcore_job_new(request, &options, &jobs[1]));
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    for (int32_t s = 0; s < 2; s++) {
        int32_t state;
        ck_assert_ok(alcore_job_step(jobs[s], &state));
    }
    size_t length;
    alcore_job_fold *all = job_fold_all(ctx, jobs, 2, &rng);
    const char *message = alcore_job_fold_message(all, &length);
    for (int32_t s = 0; s < 2; s++) {
        ck_assert_int_eq(alcore_job_deliver(jobs[s], message, length), ALCORE_E_SHAPE);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "embeddings"));
    }
    alcore_job_fold_unref(all);
    for (int32_t s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("job_passes");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, a_few_rows_in_many_shards, 0, SETTING_COUNT);
    tcase_add_test(cases, the_labeled_pool_is_the_same_in_all_shards);
    tcase_add_loop_test(cases, nothing_is_labeled, 0, 8);
    tcase_add_loop_test(cases, no_shard_has_a_candidate, 0, 7);
    tcase_add_loop_test(cases, compared_vectors_without_a_number, 0, 3);
    tcase_add_loop_test(cases, no_candidate_and_no_target, 0, 3);
    tcase_add_test(cases, columns_of_all_shards_have_one_form);
    return check_suite_run("job_passes", cases);
}
