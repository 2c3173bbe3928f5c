/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of strategies that compare rows, whose shards exchange the partials of passes: the picks of
 * one machine for shards that end within blocks, every parameter that changes the passes, and what
 * goes wrong in the exchanges of rows and passes. */
#include "fault_allocator.h"
#include "job_record.h"

static alcore_ctx *ctx;

static void setup(void) {
    ctx = job_context(5);
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* Strategies by passes, with the parameters that change which passes they make. */
static const job_setting SETTINGS[] = {
    {"kcenter", NULL, "12", NULL, ALCORE_DEDUP_EXACT},
    {"kcenter", "candidates=5000", "9w,40w,20w", "fill=skip", ALCORE_DEDUP_NONE},
    {"kcenter", NULL, "12,5", "max_similarity=0.6", ALCORE_DEDUP_EXACT},
    {"kcenter", "mode=composable", "9,30,4", NULL, ALCORE_DEDUP_EXACT},
    {"kcenter", "mode=composable per_block=4", "60w,20w", "fill=skip nan=exclude",
     ALCORE_DEDUP_NONE},
    {"kcenter", "mode=composable candidates=5000", "40w", "max_similarity=0.6", ALCORE_DEDUP_EXACT},
    {"idds", NULL, "12,4", "tie=random", ALCORE_DEDUP_NORMALIZED},
    {"idds", "mode=oneshot sim=dot-raw", "60w", "tie=random fill=stop", ALCORE_DEDUP_EXACT},
    {"idds", "mode=paper", "300w,40w", NULL, ALCORE_DEDUP_EXACT},
    {"idds", "mode=oneshot", "30", "fill=skip nan=exclude", ALCORE_DEDUP_NONE},
    {"idds", "mode=code", "5", "nan=exclude", ALCORE_DEDUP_EXACT},
    {"average-dist", NULL, "30", NULL, ALCORE_DEDUP_EXACT},
    {"average-dist", "sq=1", "30w,12w", "fill=skip", ALCORE_DEDUP_NONE},
    {"average-dist", "metric=cosine", "50.5u", "nan=exclude", ALCORE_DEDUP_EXACT},
    {"average-dist", NULL, "60w,300w", "tie=random fill=stop", ALCORE_DEDUP_EXACT},
    {"average-dist", "balance_targets=1", "700u", NULL, ALCORE_DEDUP_NONE},
    {"average-dist", "metric=cosine", "60w", "tie=random", ALCORE_DEDUP_EXACT},
    {"average-dist", "scores=all", "30", "fill=skip", ALCORE_DEDUP_EXACT},
    {"diversity", NULL, "30w", NULL, ALCORE_DEDUP_EXACT},
    {"diversity-global", "unit=1", "30", "nan=exclude", ALCORE_DEDUP_EXACT},
    {"diversity-global", "k_clusters=7", "30", NULL, ALCORE_DEDUP_EXACT},
    {"huds", NULL, "90w,300w", NULL, ALCORE_DEDUP_EXACT},
    {"huds", "n_strata=4 min_stratum=100", "300c,90c", "tie=random fill=stop", ALCORE_DEDUP_EXACT},
    {"huds", "distances=needed", "30w", NULL, ALCORE_DEDUP_NONE},
    {"huds", "n_strata=5 k_clusters=3", "30", "fill=skip", ALCORE_DEDUP_NONE},
    {"huds", "strata=quantile rescale=zscore", "300c", "tie=random", ALCORE_DEDUP_EXACT},
    {"huds", "rescale=minmax", "60w,200w", NULL, ALCORE_DEDUP_EXACT},
    {"huds", "rescale=zscore n_strata=3 min_stratum=90", "40", NULL, ALCORE_DEDUP_NONE},
    {"huds", "rescale=rank", "40", NULL, ALCORE_DEDUP_NONE},
    {"huds", "strata=quantile", "90w,300w", "tie=random fill=stop", ALCORE_DEDUP_EXACT},
    {"huds", "strata=quantile n_strata=700 min_stratum=2", "60", NULL, ALCORE_DEDUP_NONE},
    {"huds", "candidates=400", "60w", "max_similarity=0.8", ALCORE_DEDUP_EXACT},
    {"knn-uncertainty", NULL, "200w", NULL, ALCORE_DEDUP_EXACT},
    {"knn-uncertainty", "k=3 mode=code", "40", "nan=exclude", ALCORE_DEDUP_EXACT},
    {"knn-uncertainty", "k=3 mode=code", "70", "tie=random", ALCORE_DEDUP_EXACT},
    {"knn-uncertainty", "k=1 balance_targets=1", "300w", "fill=stop", ALCORE_DEDUP_EXACT},
    {"knn-uncertainty", "k=2 fill_short=none candidates=900", "500", "fill=skip",
     ALCORE_DEDUP_NONE},
    {"knn-uncertainty", "balance_targets=1", "30,9", "fill=skip", ALCORE_DEDUP_NONE},
    {"uncertainty-knn", NULL, "50w", NULL, ALCORE_DEDUP_EXACT},
    {"uncertainty-knn", "cover=1", "20", "nan=exclude", ALCORE_DEDUP_NONE},
    {"uncertainty-knn", "cover=1 c=2", "60w", "fill=stop", ALCORE_DEDUP_EXACT},
    {"uncertainty-knn", "balance_targets=1", "300u", "fill=stop tie=random", ALCORE_DEDUP_NONE},
    {"uncertainty-knn", "prox=mean c=1.5", "30", "tie=random fill=skip", ALCORE_DEDUP_EXACT},
    {"uncertainty-knn", NULL, "9,30", NULL, ALCORE_DEDUP_NONE},
    {"uncertainty-knn", "cover=1", "60w,12w,90w", "fill=stop", ALCORE_DEDUP_EXACT},
    {"knn-uncertainty", "k=2", "200,30,400", "tie=random", ALCORE_DEDUP_EXACT},
    {"knn-uncertainty", NULL, "60w,300w,20w", NULL, ALCORE_DEDUP_NONE},
    {"badge", NULL, "12", NULL, ALCORE_DEDUP_EXACT},
    {"badge", "first=uniform", "40w", "round=3 fill=skip", ALCORE_DEDUP_EXACT},
    {"badge", "mode=oversampling", "9,30,4", NULL, ALCORE_DEDUP_EXACT},
    {"badge", "mode=oversampling per_step=4 steps=2 first=uniform", "60w,20w",
     "fill=skip nan=exclude", ALCORE_DEDUP_NONE},
    {"badge", "mode=oversampling candidates=5000", "40w", "max_similarity=0.6", ALCORE_DEDUP_EXACT},
    {"bertkm", NULL, "4,6", NULL, ALCORE_DEDUP_EXACT},
    {"alps", NULL, "6", NULL, ALCORE_DEDUP_EXACT},
    {"contrastive", NULL, "20", NULL, ALCORE_DEDUP_EXACT},
    {"egl", NULL, "60w", "tie=random", ALCORE_DEDUP_NONE},
    {"mrs", NULL, "200w", NULL, ALCORE_DEDUP_EXACT},
    {"mrs", "iterative=1 k=2", "7", "fill=skip", ALCORE_DEDUP_NONE},
    {"mrs", "metric=cosine sample=9", "40", "tie=random nan=exclude", ALCORE_DEDUP_EXACT},
    {"mrs", "metric=cosine iterative=1", "6", NULL, ALCORE_DEDUP_EXACT},
    {"rtt-bleu", NULL, "60w,20w", "max_similarity=0.6", ALCORE_DEDUP_EXACT},
    {"rtt-bleu", "candidates=5000", "40w", "fill=skip nan=exclude", ALCORE_DEDUP_NONE},
    {"nnll", NULL, "40.5u,300u", "fill=skip tie=random", ALCORE_DEDUP_EXACT},
    {"typiclust", NULL, "9", NULL, ALCORE_DEDUP_EXACT},
    {"typiclust", "max_clusters=3 neighbors=4 mode=code", "40w,15w", "nan=exclude",
     ALCORE_DEDUP_NONE},
    {"probcover", "candidates=2500 classes=3", "9", NULL, ALCORE_DEDUP_EXACT},
    {"probcover", "candidates=2500 delta=0.4 neighbors=5", "40w", "fill=skip", ALCORE_DEDUP_NONE},
    {"facility-location", "candidates=2500", "9", NULL, ALCORE_DEDUP_EXACT},
    {"facility-location", "candidates=2500 similarity=rbf neighbors=7", "40w", "nan=exclude",
     ALCORE_DEDUP_NONE},
};
enum { SETTING_COUNT = sizeof SETTINGS / sizeof *SETTINGS };

/* Compares jobs over the shards of a cut with one machine. */
static void compare(const job_setting *setting, const job_cut *cut, uint64_t seed) {
    alcore_selection *expected = job_expected(ctx, setting, cut->starts[cut->shards]);
    alcore_job *jobs[SHARDS] = {NULL};
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    for (int32_t s = 0; s < cut->shards; s++) jobs[s] = job_new(ctx, setting, cut, s);
    job_drive(ctx, jobs, cut->shards, &rng);
    ck_assert_int_gt(alcore_job_pick_count(jobs[0]), 3);
    for (int32_t s = 0; s < cut->shards; s++) job_check_picks(jobs[s], expected);
    for (int32_t s = 0; s < cut->shards; s++) alcore_job_unref(jobs[s]);
    alcore_selection_unref(expected);
}

/* Blocks of 8192 rows lie in one shard, in two, in several of which some are small, or end with a
 * shard. */
START_TEST(blocks_in_several_shards) {
    static const job_cut cuts[] = {
        {8, {0, 5, 8190, 8191, 8193, 12000, 12000, 16384, MANY_ROWS}},
        {3, {0, 11000, 11007, MANY_ROWS}},
    };
    for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++)
        compare(&SETTINGS[_i], &cuts[c], (uint64_t)_i);
}
END_TEST

START_TEST(a_few_rows_in_many_shards) {
    job_setting setting = SETTINGS[_i];
    if (setting.parameters && strstr(setting.parameters, "candidates")) setting.parameters = NULL;
    for (int32_t shards = 1; shards <= SHARDS; shards++)
        job_compare(ctx, &setting, FEW_ROWS, shards, (uint64_t)(10 * _i + shards));
}
END_TEST

/* A labeled pool with vectors, which all shards have; first_label: its first row. */
static alcore_job *job_with_labels(const job_setting *setting, const job_cut *cut, int32_t shard,
                                   int64_t first_label) {
    alcore_pool *pool = job_pool(ctx, setting, cut->starts[shard], cut->starts[shard + 1]);
    alcore_pool *labeled = job_pool(ctx, setting, 95000, 95040);
    alcore_request *request = job_request(ctx, setting, pool);
    alcore_job_options options = ALCORE_JOB_OPTIONS_INIT;
    alcore_job *job;
    job_give_vectors(labeled, first_label, false);
    options.first_row = cut->starts[shard];
    options.rows = cut->starts[cut->shards];
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    ck_assert_ok(alcore_job_new(request, &options, &job));
    alcore_request_unref(request);
    alcore_pool_unref(labeled);
    alcore_pool_unref(pool);
    return job;
}

/* The picks depend on the labeled pool, and one that is not the same in all shards is refused. */
START_TEST(the_labeled_pool_is_the_same_in_all_shards) {
    static const job_setting setting = {"kcenter", NULL, "9", NULL, ALCORE_DEDUP_NONE};
    const job_cut one = {1, {0, FEW_ROWS}}, two = {2, {0, 130, FEW_ROWS}};
    alcore_job *alone = job_with_labels(&setting, &one, 0, 95000), *jobs[2];
    alcore_selection *without = job_expected(ctx, &setting, FEW_ROWS);
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    for (int32_t s = 0; s < 2; s++) jobs[s] = job_with_labels(&setting, &two, s, 95000);
    job_drive(ctx, &alone, 1, &rng);
    job_drive(ctx, jobs, 2, &rng);
    ck_assert_mem_eq(alcore_job_rows(jobs[1]), alcore_job_rows(alone), 9 * sizeof(int64_t));
    ck_assert_mem_eq(alcore_job_scores(jobs[0]), alcore_job_scores(alone), 9 * sizeof(double));
    ck_assert(memcmp(alcore_job_rows(alone), alcore_selection_rows(without), 9 * 8) != 0);
    for (int32_t s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
    for (int32_t s = 0; s < 2; s++) jobs[s] = job_with_labels(&setting, &two, s, 95000 + s);
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
    static const job_setting settings[] = {{"kcenter", NULL, "4", NULL, ALCORE_DEDUP_NONE},
                                           {"kcenter", NULL, "4,1", NULL, ALCORE_DEDUP_NONE},
                                           {"idds", NULL, "4,2", NULL, ALCORE_DEDUP_NONE}};
    const job_cut cut = {4, {0, 2, 3, 3, 5}};
    ck_assert_uint_eq(count_rows(ctx, &settings[_i], 5, ALCORE_ROW_LABELED), 0);
    compare(&settings[_i], &cut, 1);
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
        {"idds", NULL, "6", NULL, ALCORE_DEDUP_NONE}};
    const job_cut cut = {2, {0, 17000, MANY_ROWS}};
    alcore_request *request = request_of_ties(&settings[_i], 0, MANY_ROWS);
    alcore_selection *expected;
    alcore_job *jobs[2];
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    ck_assert_ok(alcore_select(request, &expected));
    alcore_request_unref(request);
    for (int32_t s = 0; s < 2; s++) {
        alcore_job_options options = ALCORE_JOB_OPTIONS_INIT;
        options.first_row = cut.starts[s];
        options.rows = MANY_ROWS;
        request = request_of_ties(&settings[_i], cut.starts[s], cut.starts[s + 1]);
        ck_assert_ok(alcore_job_new(request, &options, &jobs[s]));
        alcore_request_unref(request);
    }
    job_drive(ctx, jobs, 2, &rng);
    for (int32_t s = 0; s < 2; s++) job_check_picks(jobs[s], expected);
    for (int32_t s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
    alcore_selection_unref(expected);
}
END_TEST

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
};

START_TEST(no_failing_allocation_does_harm) {
    static fault_allocator fault;
    const job_cut half = {2, {0, 40, 90}};
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx_unref(ctx);
    const alcore_allocator table = fault_table(&fault);
    options.allocator = &table;
    options.threads = 1;
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
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
    TCase *cases = tcase_create("job_passes");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, blocks_in_several_shards, 0, SETTING_COUNT);
    tcase_add_loop_test(cases, a_few_rows_in_many_shards, 0, SETTING_COUNT);
    tcase_add_test(cases, the_labeled_pool_is_the_same_in_all_shards);
    tcase_add_loop_test(cases, nothing_is_labeled, 0, 3);
    tcase_add_test(cases, columns_of_all_shards_have_one_form);
    tcase_add_loop_test(cases, ties_between_blocks, 0, 3);
    tcase_add_loop_test(cases, a_lost_worker_is_replaced, 0, SETTING_COUNT);
    tcase_add_test(cases, pools_are_in_use);
    tcase_add_loop_test(cases, partials_that_lie, 0, SETTING_COUNT);
    tcase_add_test(cases, no_shard_has_a_labeled_row);
    tcase_add_loop_test(cases, no_failing_allocation_does_harm, 0,
                        sizeof FAILING / sizeof *FAILING);
    return check_suite_run("job_passes", cases);
}
