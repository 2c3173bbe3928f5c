/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs whose shards exchange the partials of passes have the picks of one machine where blocks of
 * 8192 rows lie in one shard or in several, and where rows tie between blocks. */
#include "job_pass_settings.h"
#include "job_record.h"

static alcore_ctx *ctx;

static void setup(void) {
    ctx = job_context(5);
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* Compares jobs over the shards of a cut with one machine. */
static void compare(const job_setting *setting, const job_cut *cut, uint64_t seed,
                    const alcore_selection *expected) {
    alcore_job *jobs[SHARDS] = {NULL};
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    for (int32_t s = 0; s < cut->shards; s++) jobs[s] = job_new(ctx, setting, cut, s);
    job_drive(ctx, jobs, cut->shards, &rng);
    ck_assert_int_gt(alcore_job_pick_count(jobs[0]), 3);
    for (int32_t s = 0; s < cut->shards; s++) job_check_picks(jobs[s], expected);
    for (int32_t s = 0; s < cut->shards; s++) alcore_job_unref(jobs[s]);
}

/* Blocks of 8192 rows lie in one shard, in two, in several of which some are small, or end with a
 * shard. */
START_TEST(blocks_in_several_shards) {
    static const job_cut cuts[] = {
        {8, {0, 5, 8190, 8191, 8193, 12000, 12000, 16384, MANY_ROWS}},
        {3, {0, 11000, 11007, MANY_ROWS}},
    };
    alcore_selection *expected = job_expected(ctx, &SETTINGS[_i], MANY_ROWS);
    for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++)
        compare(&SETTINGS[_i], &cuts[c], (uint64_t)_i, expected);
    alcore_selection_unref(expected);
}
END_TEST

/* A request of rows that have one of three vectors, so that every pick is the first of many rows,
 * in all blocks, that are as far. */
static alcore_request *request_of_ties(const job_setting *setting, int64_t first, int64_t end) {
    alcore_pool *pool = job_pool(ctx, setting, first, end);
    float *values = calloc((size_t)((end - first) * VECTOR) + 1, sizeof *values);
    int64_t shape[] = {end - first, VECTOR};
    alcore_tensor tensor;
    for (int64_t row = first; row < end; row++)
        values[(row - first) * VECTOR] = (float)((row + 5) / 7 % 3);
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 2));
    ck_assert_ok(alcore_pool_set_column(pool, "embeddings", &tensor, NULL, NULL));
    free(values);
    alcore_request *request = job_request(ctx, setting, pool);
    alcore_pool_unref(pool);
    return request;
}

START_TEST(ties_between_blocks) {
    static const job_setting settings[] = {
        {"kcenter", NULL, "6", NULL, ALCORE_DEDUP_NONE},
        {"kcenter", "mode=composable", "6", NULL, ALCORE_DEDUP_NONE},
        {"idds", NULL, "6", NULL, ALCORE_DEDUP_NONE},
        /* Seed rows without a weight, and empty clusters, whose farthest rows are as far. */
        {"diversity-global", "k_clusters=9", "6", NULL, ALCORE_DEDUP_NONE},
        {"huds", "n_strata=3 k_clusters=5", "6", "fill=skip", ALCORE_DEDUP_NONE}};
    const job_cut cut = {2, {0, 9000, MANY_ROWS}};
    alcore_request *request = request_of_ties(&settings[_i], 0, MANY_ROWS);
    alcore_selection *expected;
    alcore_job *jobs[2];
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    ck_assert_ok(alcore_select(request, &expected));
    alcore_request_unref(request);
    for (int32_t s = 0; s < 2; s++)
        jobs[s] = job_for(request_of_ties(&settings[_i], cut.starts[s], cut.starts[s + 1]), &cut, s,
                          NULL);
    job_drive(ctx, jobs, 2, &rng);
    for (int32_t s = 0; s < 2; s++) job_check_picks(jobs[s], expected);
    for (int32_t s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
    alcore_selection_unref(expected);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("job_blocks");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 240);
    check_suite_add_sample(cases, blocks_in_several_shards, SETTING_COUNT, 3);
    tcase_add_loop_test(cases, ties_between_blocks, 0, 5);
    return check_suite_run("job_blocks", cases);
}
