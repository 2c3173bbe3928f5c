/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of strategies that compare rows, whose shards exchange the partials of passes: the picks of
 * one machine for shards that end within blocks, every parameter that changes the passes, messages
 * of the sizes of docs/distributed.md, and what goes wrong in the exchanges of rows and passes. */
#include "extra/job/job_message.h"
#include "fault_allocator.h"
#include "job_shards.h"

enum { FEW_ROWS = 300, MANY_ROWS = 20000 };

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

/* ---- messages that were kept ---- */

enum { MOST_EXCHANGES = 128 };

/* The messages of all exchanges of a cut, owned. */
typedef struct record {
    char *bytes[MOST_EXCHANGES];
    size_t lengths[MOST_EXCHANGES];
    int count;
} record;

static record record_exchanges(const job_setting *setting, const job_cut *cut) {
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

static void record_free(record *made) {
    for (int i = 0; i < made->count; i++) free(made->bytes[i]);
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
    record made = record_exchanges(&setting, &THREE);
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
    record made = record_exchanges(setting, &THREE);
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
    record made = record_exchanges(setting, &THREE);
    alcore__rng rng;
    alcore__rng_seed(&rng, (uint64_t)_i);
    int refused = 0;
    for (int n = 0; n < 40; n++) {
        const int last = (int)alcore__rng_below(&rng, (uint64_t)made.count);
        char *bytes = memcpy(malloc(made.lengths[last]), made.bytes[last], made.lengths[last]);
        const size_t settings = (strlen(bytes + 48) / 8 + 1) * 8;
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

/* Delivers the messages of a job that has all rows until the next one is of a pass, and the partial
 * of its first block has so many bytes: a copy of that one, and *place, where these begin. */
static char *pass_of_bytes(alcore_job *job, uint64_t wanted, size_t *length, size_t *place) {
    for (;;) {
        int32_t state, exchange;
        uint64_t bytes = 0;
        ck_assert_ok(alcore_job_step(job, &state));
        ck_assert_int_eq(state, ALCORE_JOB_FOLD);
        const char *message = alcore_job_message(job, length);
        char *copy = memcpy(malloc(*length), message, *length);
        *place = 48 + (strlen(copy + 48) / 8 + 1) * 8 + 32 + 16;
        memcpy(&exchange, copy + 20, sizeof exchange);
        if (exchange >= ALCORE__EXCHANGE_PASSES && *length > *place)
            memcpy(&bytes, copy + *place - 8, sizeof bytes);
        if (bytes == wanted) return copy;
        ck_assert_ok(alcore_job_deliver(job, copy, *length));
        free(copy);
    }
}

/* Writes 8 bytes into a message, with the right sum, and delivers it. */
static alcore_status deliver_lie(alcore_job *job, char *message, size_t length, size_t place,
                                 const void *number) {
    memcpy(message + place, number, 8);
    const uint64_t sum = alcore__hash64(message + 16, length - 16);
    memcpy(message + 8, &sum, 8);
    return alcore_job_deliver(job, message, length);
}

/* Bytes of what bertkm exchanges: a drawn row (its sequence, draw and position, its square and its
 * vector), what an iteration of k-means has of its clusters, a row that is far from its centroid.
 */
enum {
    KMEANS = 6,
    DRAWN_BYTES = 24 + 8 * (1 + VECTOR),
    ITERATION_BYTES = 8 * KMEANS * VECTOR + 8 * (1 + KMEANS),
    FAR_BYTES = 24 + 8 * VECTOR
};

static const job_setting BERTKM = {"bertkm", NULL, "6", NULL, ALCORE_DEDUP_NONE};
static const job_cut WHOLE = {1, {0, FEW_ROWS}};

/* A draw of another sequence, a second one, and another row than the one that was drawn. */
START_TEST(draws_that_lie) {
    static const int64_t wrong[][2] = {{0, 1}, {0, -1}, {8, 1}, {8, 3}, {16, -1}, {16, FEW_ROWS}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong + 1; i++) {
        size_t length, place;
        alcore_job *job = job_new(ctx, &BERTKM, &WHOLE, 0);
        char *message = pass_of_bytes(job, DRAWN_BYTES, &length, &place);
        int64_t position, number = i > 0 ? wrong[i - 1][1] : 0;
        memcpy(&position, message + place + 16, sizeof position);
        if (i == 0) number = position == 0; /* a candidate */
        place += i > 0 ? (size_t)wrong[i - 1][0] : 16;
        ck_assert_int_eq(deliver_lie(job, message, length, place, &number), ALCORE_E_CORRUPT);
        free(message);
        alcore_job_unref(job);
    }
}
END_TEST

/* Where no row is left that can be drawn, a block that claims a weight has no row to be found. */
START_TEST(weights_that_lie) {
    const job_setting setting = {"badge", NULL, "9999", NULL, ALCORE_DEDUP_NONE};
    const job_cut few = {1, {0, 20}};
    record made = record_exchanges(&setting, &few);
    const int last = made.count - 2; /* then come scores */
    alcore_job *job = job_new(ctx, &setting, &few, 0);
    const double weight = 1.0, none = 0.0;
    int32_t state;
    for (int i = 0; i < last; i++)
        ck_assert_ok(alcore_job_deliver(job, made.bytes[i], made.lengths[i]));
    const size_t place = made.lengths[last] - 8;
    ck_assert_mem_eq(made.bytes[last] + place, &none, 8);
    ck_assert_ok(deliver_lie(job, made.bytes[last], made.lengths[last], place, &weight));
    ck_assert_int_eq(alcore_job_step(job, &state), ALCORE_E_CORRUPT);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "a draw that was not made"));
    alcore_job_unref(job);
    record_free(&made);
}
END_TEST

/* Numbers of rows that are none, and a cluster that is empty by a lie, for which no row comes. */
START_TEST(clusters_that_lie) {
    static const int64_t wrong[] = {-1, FEW_ROWS + 1, INT64_MAX};
    const int64_t nothing = 0, other_group = 7;
    size_t length, place;
    char *message;
    for (size_t i = 0; i < 2 * sizeof wrong / sizeof *wrong; i++) {
        alcore_job *job = job_new(ctx, &BERTKM, &WHOLE, 0);
        message = pass_of_bytes(job, ITERATION_BYTES, &length, &place);
        place += i % 2 == 0 ? 8 * KMEANS * VECTOR : ITERATION_BYTES - 8;
        ck_assert_int_eq(deliver_lie(job, message, length, place, &wrong[i / 2]), ALCORE_E_CORRUPT);
        free(message);
        alcore_job_unref(job);
    }
    alcore_job *job = job_new(ctx, &BERTKM, &WHOLE, 0);
    message = pass_of_bytes(job, ITERATION_BYTES, &length, &place);
    ck_assert_ok(deliver_lie(job, message, length, place + ITERATION_BYTES - 8, &nothing));
    free(message);
    message = pass_of_bytes(job, FAR_BYTES, &length, &place);
    ck_assert_int_eq(deliver_lie(job, message, length, place, &other_group), ALCORE_E_CORRUPT);
    free(message);
    alcore_job_unref(job);
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

/* ---- sizes ---- */

/* 48, the settings, and for each shard 32 and: of rows 48, a bit for each row up to a multiple of
 * 64 (twice where some are labeled), 8 for each cost, 64 for each column and the values of border
 * rows; of a pick 16 and a row's vector with 24 bytes. */
START_TEST(sizes_of_messages) {
    static const job_setting setting = {"kcenter", NULL, "9", NULL, ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 130, 330}};
    record made = record_exchanges(&setting, &cut);
    const size_t head = 48 + (strlen(made.bytes[0] + 48) / 8 + 1) * 8 + 2 * 32;
    ck_assert_int_gt(made.count, 9);
    const size_t labeled = 24 + 32;
    ck_assert_uint_eq(made.lengths[0],
                      head + 2 * (48 + 64) + 24 + 32 + labeled + 200 * VECTOR * sizeof(float));
    /* the vectors of 25 labeled rows, from the one block, then a candidate for each pick */
    ck_assert_uint_eq(made.lengths[2], head + 16 + 24 + 8 * VECTOR);
    for (int i = 3; i < made.count; i++) ck_assert_uint_eq(made.lengths[i], made.lengths[2]);
    record_free(&made);
}
END_TEST

/* All picks of mode=composable are made after one exchange, behind those of the rows and of the
 * labeled rows: of each block 16, and for each of its centers 24 and a vector. */
START_TEST(sizes_of_centers) {
    enum { BUDGET = 40, BLOCKS = 3 };
    static const job_setting exact = {"kcenter", NULL, "40", NULL, ALCORE_DEDUP_NONE},
                             setting = {"kcenter", "mode=composable", "40", NULL,
                                        ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 8192, MANY_ROWS}};
    record made = record_exchanges(&setting, &cut), by_picks = record_exchanges(&exact, &cut);
    const size_t head = 48 + (strlen(made.bytes[0] + 48) / 8 + 1) * 8 + 2 * 32;
    const int before = by_picks.count - (BUDGET + 1); /* one for each pick, and one more */
    ck_assert_int_ge(before, 2);
    ck_assert_int_eq(made.count, before + 1);
    ck_assert_uint_eq(made.lengths[before],
                      head + BLOCKS * (16 + (size_t)BUDGET * (24 + 8 * VECTOR)));
    record_free(&made);
    record_free(&by_picks);
}
END_TEST

/* With max_similarity the vectors of all candidates are in the message of rows, beside those of
 * border rows, here none. */
START_TEST(sizes_of_compared_rows) {
    static const job_setting plain = {"kcenter", NULL, "9", NULL, ALCORE_DEDUP_NONE},
                             limited = {"kcenter", NULL, "9", "max_similarity=0.9",
                                        ALCORE_DEDUP_NONE};
    record made = record_exchanges(&plain, &WHOLE), compared = record_exchanges(&limited, &WHOLE);
    size_t bytes = 0, heads[2];
    alcore_pool *pool = job_pool(ctx, &plain, 0, FEW_ROWS);
    for (int64_t row = 0; row < FEW_ROWS; row++)
        if (alcore_pool_states(pool)[row] == 0) bytes += VECTOR * sizeof(float);
    alcore_pool_unref(pool);
    heads[0] = (strlen(made.bytes[0] + 48) / 8 + 1) * 8;
    heads[1] = (strlen(compared.bytes[0] + 48) / 8 + 1) * 8;
    ck_assert_uint_gt(bytes, 1000);
    ck_assert_uint_eq(compared.lengths[0] - heads[1],
                      made.lengths[0] - heads[0] + (bytes + 7) / 8 * 8);
    record_free(&made);
    record_free(&compared);
}
END_TEST

/* How many of the first rows have the states: 0, candidates. */
static size_t count_rows(const job_setting *setting, int64_t rows, uint32_t states) {
    alcore_pool *pool = job_pool(ctx, setting, 0, rows);
    const uint32_t *all = alcore_pool_states(pool);
    size_t count = 0;
    for (int64_t row = 0; row < rows; row++) count += all[row] == states;
    alcore_pool_unref(pool);
    return count;
}

/* With mode=oversampling of badge 14 exchanges behind that of the rows: the lengths of gradients, 8
 * for each candidate; the first row, 8 and 8 for each value of its factors, and the weights of the
 * blocks, 16 and 8 for each; the same of each of 5 steps, whose rows are sent as often as they are
 * drawn; and, of each shard, a count for each row that was gathered. */
START_TEST(sizes_of_steps) {
    enum { BLOCKS = 3, PER_STEP = 7, DRAWN = 8 + 8 * (CLASSES + VECTOR) };
    static const job_setting setting = {"badge", "mode=oversampling per_step=7", "30", NULL,
                                        ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 8192, MANY_ROWS}};
    const size_t candidates = count_rows(&setting, MANY_ROWS, 0);
    record made = record_exchanges(&setting, &cut);
    const size_t head = 48 + (strlen(made.bytes[0] + 48) / 8 + 1) * 8 + 2 * 32;
    ck_assert_int_eq(made.count, 1 + 14);
    ck_assert_uint_eq(made.lengths[1], head + BLOCKS * 16 + 8 * candidates);
    for (int i = 2; i < 14; i++) {
        const size_t draws = i == 2 ? 1 : PER_STEP;
        if (i % 2 == 0) ck_assert_uint_ge(made.lengths[i], head + 16 + draws * DRAWN);
        if (i % 2 == 0) ck_assert_uint_le(made.lengths[i], head + BLOCKS * 16 + draws * DRAWN);
        if (i % 2 == 1) ck_assert_uint_eq(made.lengths[i], head + BLOCKS * (16 + 8));
    }
    /* No row is drawn twice, or some are. */
    ck_assert_uint_le(made.lengths[14], head + 2 * (16 + 8 * (1 + 5 * PER_STEP)));
    ck_assert_uint_gt(made.lengths[14], head + 2 * (16 + 8 * (1 + 4 * PER_STEP)));
    record_free(&made);
}
END_TEST

/* The bytes of each pass over one block, for a strategy that gathers vectors and one that lists
 * neighbors: 16, and 8 for each value of a vector of a candidate or labeled row; with mrs 8 and a
 * vector for a labeled row, 16 for each of its neighbors, and 16 for each candidate. */
START_TEST(sizes_of_passes) {
    enum { NEIGHBORS = 4, BYTES = 8 * VECTOR };
    static const job_setting settings[] = {
        {"facility-location", NULL, "9", NULL, ALCORE_DEDUP_NONE},
        {"mrs", NULL, "9", NULL, ALCORE_DEDUP_NONE}};
    const size_t candidates = count_rows(&settings[0], 330, 0),
                 labeled = count_rows(&settings[0], 330, ALCORE_ROW_LABELED);
    const size_t expected[2][4] = {
        {BYTES * candidates, BYTES * labeled},
        {(8 + BYTES) * labeled, 16 * NEIGHBORS * labeled, 16 * candidates}};
    const job_cut cut = {2, {0, 130, 330}};
    record made = record_exchanges(&settings[_i], &cut);
    const size_t head = 48 + (strlen(made.bytes[0] + 48) / 8 + 1) * 8 + 2 * 32;
    ck_assert_int_eq(made.count, _i ? 4 : 3);
    for (int i = 1; i < made.count; i++)
        ck_assert_uint_eq(made.lengths[i], head + 16 + expected[_i][i - 1]);
    record_free(&made);
}
END_TEST

/* Where shards keep the values of their own rows no message grows with the rows: of each shard the
 * range of the scores, and how many rows each stratum has; of each block 8 bytes for each value of
 * a stratum and of all; of each shard as many nominees as the budget has items. */
START_TEST(sizes_of_own_rows) {
    enum { STRATA = 3, BUDGET = 9 };
    static const job_setting setting = {"huds", "n_strata=3", "9", NULL, ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 8192, MANY_ROWS}};
    record made = record_exchanges(&setting, &cut);
    const size_t head = 48 + (strlen(made.bytes[0] + 48) / 8 + 1) * 8 + 2 * 32;
    ck_assert_int_eq(made.count, 5);
    ck_assert_uint_eq(made.lengths[1], head + 2 * (16 + 16));
    ck_assert_uint_eq(made.lengths[2], head + 2 * (16 + 8 * STRATA));
    ck_assert_uint_eq(made.lengths[3], head + 3 * (16 + 8 * (STRATA + 1) * VECTOR));
    ck_assert_uint_eq(made.lengths[4], head + 2 * 32 * BUDGET);
    record_free(&made);
}
END_TEST

/* How many rows two of the lists of two shards name, rows [2, targets, k] before distances, once
 * they are merged by distance; *blocks: in how many blocks of 8192 rows. */
static size_t count_merged(const char *const lists[2], int targets, int k, size_t *blocks) {
    bool near[MANY_ROWS] = {false}, visited[MANY_ROWS / 8192 + 1] = {false};
    size_t count = 0;
    for (int t = 0; t < targets; t++) {
        int at[2] = {t * k, t * k};
        for (int i = 0; i < k; i++) {
            int64_t rows[2];
            double distances[2];
            for (int s = 0; s < 2; s++) {
                memcpy(&rows[s], lists[s] + 8 * at[s], 8);
                memcpy(&distances[s], lists[s] + 8 * (targets * k + at[s]), 8);
            }
            if (rows[0] < 0) break;                         /* the target row is not active */
            const int nearer = distances[1] < distances[0]; /* rows of the first are lower */
            count += !near[rows[nearer]];
            near[rows[nearer]] = true;
            *blocks += !visited[rows[nearer] / 8192];
            visited[rows[nearer] / 8192] = true;
            at[nearer]++;
        }
    }
    return count;
}

/* The same of neighbors of a target: of each shard one list for each row of the target, of each
 * block what its neighbors are worth and cost, and no nominee where these fill the budget. */
START_TEST(sizes_of_neighbors) {
    enum { TARGETS = TARGET_END - TARGET_FIRST, K = 2 };
    static const job_setting setting = {"knn-uncertainty", "k=2", "9", NULL, ALCORE_DEDUP_NONE},
                             other = {"knn-uncertainty", "k=2", "2000", NULL, ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 8192, MANY_ROWS}};
    record made = record_exchanges(&setting, &cut), more = record_exchanges(&other, &cut);
    const size_t settings = (strlen(made.bytes[0] + 48) / 8 + 1) * 8, list_bytes = 16 * TARGETS * K;
    const size_t head = 48 + settings + 2 * 32;
    const char *first = made.bytes[1] + 48 + settings + 32 + 16;
    const char *const lists[] = {first, first + list_bytes + 32 + 16};
    size_t blocks = 0;
    ck_assert_int_eq(made.count, 4);
    ck_assert_uint_eq(made.lengths[1], head + 2 * (16 + list_bytes));
    const size_t neighbors = count_merged(lists, TARGETS, K, &blocks);
    ck_assert_uint_gt(neighbors, 9);
    ck_assert_uint_eq(made.lengths[2], head + 16 * blocks + 16 * neighbors);
    ck_assert_uint_eq(made.lengths[3], head);
    ck_assert_int_eq(more.count, 4);
    ck_assert_uint_eq(more.lengths[3], made.lengths[3] + 2 * 32 * (2000 - neighbors) +
                                           (strlen(more.bytes[0] + 48) / 8 + 1) * 8 - settings);
    record_free(&made);
    record_free(&more);
}
END_TEST

/* Neighbors that are no rows or no candidates, of which no uncertainty or no cost is told, and
 * nominees that are neighbors, all in what another shard has put in. */
START_TEST(neighbors_that_lie) {
    enum { TARGETS = TARGET_END - TARGET_FIRST, ROWS = 8400 };
    static const job_setting setting = {"knn-uncertainty", "k=1", "200", NULL, ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 8192, ROWS}};
    const int64_t rows[] = {ROWS, -2, 8195 /* labeled, of the shard that is lied to */};
    const double nothing = NAN, less = -1;
    record made = record_exchanges(&setting, &cut);
    const size_t settings = (strlen(made.bytes[0] + 48) / 8 + 1) * 8, items = 48 + settings + 48;
    size_t near = items; /* of a target row that is active, and nearer to the other shard's row */
    double distances[2] = {1, 0};
    ck_assert_int_eq(made.count, 4);
    for (; distances[0] >= distances[1]; near += 8) {
        ck_assert_uint_lt(near, items + 8 * TARGETS);
        memcpy(&distances[0], made.bytes[1] + near + 8 * TARGETS, 8);
        memcpy(&distances[1], made.bytes[1] + near + 48 + 24 * TARGETS, 8);
    }
    near -= 8;
    const struct {
        int exchange;
        size_t place;
        const void *lie;
    } lies[] = {{1, near, &rows[0]},
                {1, near, &rows[1]},
                {1, near, &rows[2]},
                {2, items, &nothing},
                {2, items + 8, &less},
                {2, items + 8, &nothing},
                {3, items - 16, made.bytes[1] + near}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        const int exchange = lies[i].exchange;
        const size_t length = made.lengths[exchange];
        alcore_job *job = job_new(ctx, &setting, &cut, 1);
        char *message = memcpy(malloc(length), made.bytes[exchange], length);
        int32_t state;
        for (int before = 0; before < exchange; before++)
            ck_assert_ok(alcore_job_deliver(job, made.bytes[before], made.lengths[before]));
        alcore_status status = deliver_lie(job, message, length, lies[i].place, lies[i].lie);
        if (lies[i].lie == &rows[2]) {
            ck_assert_ok(status);
            status = alcore_job_step(job, &state);
            ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 8195 is a neighbor and no"));
        }
        ck_assert_int_eq(status, ALCORE_E_CORRUPT);
        free(message);
        alcore_job_unref(job);
    }
    record_free(&made);
}
END_TEST

/* A shard that tells nothing of its neighbors, in a message that is whole. */
START_TEST(neighbors_that_are_not_told) {
    static const job_setting setting = {"knn-uncertainty", "k=1", "20", NULL, ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 8192, 8400}};
    record made = record_exchanges(&setting, &cut);
    const size_t settings = (strlen(made.bytes[0] + 48) / 8 + 1) * 8, first = 48 + settings;
    const int64_t none = 0;
    int64_t count;
    alcore_job *job = job_new(ctx, &setting, &cut, 1);
    for (int i = 0; i < 2; i++)
        ck_assert_ok(alcore_job_deliver(job, made.bytes[i], made.lengths[i]));
    memcpy(&count, made.bytes[2] + first + offsetof(alcore__job_entry, count), sizeof count);
    ck_assert_int_gt(count, 16);
    char *message = malloc(made.lengths[2]);
    memcpy(message, made.bytes[2], first + 32);
    memcpy(message + first + 32, made.bytes[2] + first + 32 + count,
           made.lengths[2] - first - 32 - (size_t)count);
    ck_assert_int_eq(deliver_lie(job, message, made.lengths[2] - (size_t)count,
                                 first + offsetof(alcore__job_entry, count), &none),
                     ALCORE_E_CORRUPT);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "neighbors of the target were told"));
    free(message);
    alcore_job_unref(job);
    record_free(&made);
}
END_TEST

/* Nominees of rows that are none, twice of one row, without a key, and half of one. */
START_TEST(nominees_that_lie) {
    static const job_setting setting = {"huds", NULL, "9", NULL, ALCORE_DEDUP_NONE};
    static const int64_t wrong[] = {-1, FEW_ROWS};
    const double nothing = NAN;
    record made = record_exchanges(&setting, &WHOLE);
    const int last = made.count - 1;
    const size_t length = made.lengths[last], place = length - 32 * 9;
    for (int lie = 0; lie < 4; lie++) {
        alcore_job *job = job_new(ctx, &setting, &WHOLE, 0);
        char *bytes = memcpy(malloc(length), made.bytes[last], length);
        for (int i = 0; i < last; i++)
            ck_assert_ok(alcore_job_deliver(job, made.bytes[i], made.lengths[i]));
        const void *number = lie < 2    ? (const void *)&wrong[lie]
                             : lie == 2 ? (const void *)(bytes + place + 32)
                                        : (const void *)&nothing;
        char copy[8];
        memcpy(copy, number, sizeof copy);
        ck_assert_int_eq(deliver_lie(job, bytes, length, lie == 3 ? place + 8 : place, copy),
                         ALCORE_E_CORRUPT);
        ck_assert_ok(alcore_job_deliver(job, made.bytes[last], length)); /* it is as it was */
        free(bytes);
        alcore_job_unref(job);
    }
    record_free(&made);
}
END_TEST

/* Vectors that are no unit vectors, of candidates and of labeled rows, clusters and rows of L' that
 * are none, ranges of scores that are none, counts of more rows than there are, centers that
 * are no rows of their block, out of order, or have no distances, and drawn rows that are none. */
START_TEST(vectors_that_lie) {
    static const job_setting settings[] = {
        {"facility-location", NULL, "9", NULL, ALCORE_DEDUP_NONE},
        {"typiclust", NULL, "9", NULL, ALCORE_DEDUP_NONE},
        {"mrs", NULL, "9", NULL, ALCORE_DEDUP_NONE},
        {"huds", NULL, "9", NULL, ALCORE_DEDUP_NONE},
        {"kcenter", "mode=composable", "9", NULL, ALCORE_DEDUP_NONE},
        {"badge", "mode=oversampling steps=1 per_step=1", "9", NULL, ALCORE_DEDUP_NONE}};
    const size_t candidates = count_rows(&settings[0], FEW_ROWS, 0),
                 labeled = count_rows(&settings[0], FEW_ROWS, ALCORE_ROW_LABELED);
    const int64_t none = (int64_t)labeled;
    const struct {
        int setting;
        uint64_t bytes; /* of the partial */
        size_t place;
        const void *lie;
    } lies[] = {
        {0, 8 * VECTOR * candidates, 16, (const double[]){NAN}},
        {0, 8 * VECTOR * candidates, 0, (const double[]){-1e300}},
        {0, 8 * VECTOR * labeled, 40, (const double[]){1.5}},
        {1, 4 * candidates, 8, (const int32_t[]){-1, 0}},
        {1, 4 * labeled, 16, (const int32_t[]){0, 500}},
        {2, 16 * candidates, 8 * (candidates + 2), (const int64_t[]){-1}},
        {2, 16 * candidates, 8 * (candidates + 2), &none},
        {3, 16, 0, (const double[]){NAN}},
        {3, 16, 0, (const double[]){1e300}},
        {3, 80, 8, (const int64_t[]){-1}},
        {3, 80, 72, (const int64_t[]){FEW_ROWS + 1}},
        {4, 9 * (24 + 8 * VECTOR), 0, (const int64_t[]){-1}},
        {4, 9 * (24 + 8 * VECTOR), 24 + 8 * VECTOR, (const int64_t[]){0}}, /* not in order */
        {4, 9 * (24 + 8 * VECTOR), 8 * (24 + 8 * VECTOR), (const int64_t[]){FEW_ROWS}},
        {4, 9 * (24 + 8 * VECTOR), 8, (const double[]){NAN}},
        {4, 9 * (24 + 8 * VECTOR), 16, (const double[]){1.0}},
        {5, 8 + 8 * (CLASSES + VECTOR), 0, (const int64_t[]){-1}},
        {5, 8 + 8 * (CLASSES + VECTOR), 0, (const int64_t[]){FEW_ROWS}},
        {5, 2 * 8, 0, (const int64_t[]){-1}},
        {5, 2 * 8, 8, (const int64_t[]){FEW_ROWS + 1}},
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        size_t length, place;
        alcore_job *job = job_new(ctx, &settings[lies[i].setting], &WHOLE, 0);
        char *message = pass_of_bytes(job, lies[i].bytes, &length, &place);
        ck_assert_int_eq(deliver_lie(job, message, length, place + lies[i].place, lies[i].lie),
                         ALCORE_E_CORRUPT);
        free(message);
        alcore_job_unref(job);
    }
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
    {"knn-uncertainty", "k=1 mode=code", "60", NULL, ALCORE_DEDUP_NONE},
    {"kcenter", "mode=composable per_block=2", "5", NULL, ALCORE_DEDUP_EXACT},
    {"badge", "mode=oversampling per_step=2", "5", NULL, ALCORE_DEDUP_EXACT},
    {"average-dist", NULL, "4", "tie=random", ALCORE_DEDUP_EXACT},
    {"contrastive", "k=2", "4", NULL, ALCORE_DEDUP_NONE},
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
    record made = record_exchanges(&FAILING[_i], &half);
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
    tcase_add_test(cases, columns_of_all_shards_have_one_form);
    tcase_add_loop_test(cases, ties_between_blocks, 0, 3);
    tcase_add_loop_test(cases, a_lost_worker_is_replaced, 0, SETTING_COUNT);
    tcase_add_test(cases, pools_are_in_use);
    tcase_add_loop_test(cases, partials_that_lie, 0, SETTING_COUNT);
    tcase_add_test(cases, draws_that_lie);
    tcase_add_test(cases, weights_that_lie);
    tcase_add_test(cases, clusters_that_lie);
    tcase_add_test(cases, no_shard_has_a_labeled_row);
    tcase_add_test(cases, sizes_of_messages);
    tcase_add_test(cases, sizes_of_centers);
    tcase_add_test(cases, sizes_of_steps);
    tcase_add_test(cases, sizes_of_compared_rows);
    tcase_add_loop_test(cases, sizes_of_passes, 0, 2);
    tcase_add_test(cases, sizes_of_own_rows);
    tcase_add_test(cases, sizes_of_neighbors);
    tcase_add_test(cases, neighbors_that_lie);
    tcase_add_test(cases, neighbors_that_are_not_told);
    tcase_add_test(cases, nominees_that_lie);
    tcase_add_test(cases, vectors_that_lie);
    tcase_add_loop_test(cases, no_failing_allocation_does_harm, 0,
                        sizeof FAILING / sizeof *FAILING);
    return check_suite_run("job_passes", cases);
}
