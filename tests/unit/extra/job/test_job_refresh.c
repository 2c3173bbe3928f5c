/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs with max_age, whose rounds score the best rows of all shards again by the scores of earlier
 * rounds: for rounds of a loop, the picks of one machine, which computes the same rows, whether
 * shards have rows that were scored before, or candidates at all; and what goes wrong between the
 * exchanges of both selections. */
#include "column_functions.h"
#include "job_record.h"
#include "test_folder.h"

enum { ROWS = 400, ROUNDS = 3, DIMS = VECTOR, BATCH = 64 };

static alcore_ctx *ctx;
static char folder[TEST_PATH_BYTES];

static void setup(void) {
    ctx = job_context(5);
    test_folder_make(folder, "refresh");
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
    test_folder_remove(folder);
}

/* ---- a model whose values depend on the row and on its version ---- */

typedef struct scorer {
    int64_t first;    /* row of the shard */
    uint64_t version; /* the round after which it was trained */
    uint8_t *scored;  /* [ROWS] 1: the model was asked for the row, in this round */
} scorer;

static alcore_status put(const scorer *self, const alcore_batch *batch, int64_t width,
                         int64_t tokens, bool sums_to_one, uint64_t version,
                         alcore_column_writer *out) {
    float values[BATCH * DIMS * 2];
    int64_t lengths[BATCH], shape[2] = {batch->count * (tokens ? tokens : 1), width};
    alcore_tensor tensor;
    for (int64_t i = 0; i < shape[0]; i++) {
        const int64_t row = self->first + batch->rows[tokens ? i / tokens : i];
        float rest = 1;
        for (int64_t c = 0; c < width; c++) {
            const float part =
                (float)job_number(row, 50 + 10 * (int64_t)version + (tokens ? i % tokens : c));
            values[i * width + c] = tokens           ? -3 * part
                                    : !sums_to_one   ? part
                                    : c == width - 1 ? rest
                                                     : rest * part;
            rest -= values[i * width + c];
        }
    }
    for (int64_t i = 0; i < batch->count; i++) {
        lengths[i] = tokens;
        if (version) self->scored[self->first + batch->rows[i]] = 1;
    }
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, width > 1 ? 2 : 1));
    return alcore_column_writer_put(out, batch->rows, tokens ? lengths : NULL, batch->count,
                                    &tensor);
}

static alcore_status logprobs(void *user, const alcore_batch *batch, alcore_column_writer *out) {
    const scorer *self = user;
    return put(self, batch, 1, 2, false, self->version, out);
}
static alcore_status probs(void *user, const alcore_batch *batch, alcore_column_writer *out) {
    const scorer *self = user;
    return put(self, batch, DIMS, 0, true, self->version, out);
}
static alcore_status embed(void *user, const alcore_batch *batch, alcore_column_writer *out) {
    return put(user, batch, DIMS, 0, false, 0 /* no training changes them */, out);
}
TEST_COLUMN_FUNCTIONS({"logprobs", logprobs}, {"probs", probs}, {"embeddings", embed});

static uint64_t version(void *user) {
    return ((scorer *)user)->version;
}

static void set_model(alcore_request *request, scorer *self) {
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    alcore_model *model;
    host.user = self;
    host.name = "trained";
    host.batch_rows = BATCH;
    host.can = test_can;
    host.compute = test_compute;
    host.version = version;
    ck_assert_ok(alcore_model_new_host(ctx, &host, &model));
    ck_assert_ok(alcore_request_set_model(request, model));
    alcore_model_unref(model);
}

/* ---- loops of rounds ---- */

/* A loop over the shards of a cut, whose requests are kept from round to round. */
typedef struct loop {
    const job_setting *setting;
    job_cut cut;
    uint8_t scored[ROWS];
    scorer scorers[SHARDS];
    alcore_pool *pools[SHARDS];
    alcore_request *requests[SHARDS];
} loop;

/* cache: its folder in that of the test. */
static void loop_open(loop *self, const job_setting *setting, const job_cut *cut,
                      const char *cache) {
    job_setting plain = *setting;
    char path[TEST_PATH_BYTES + 8];
    snprintf(path, sizeof path, "%s/%s", folder, cache);
    plain.strategy = "random"; /* no column is given */
    *self = (loop){.setting = setting, .cut = *cut};
    for (int32_t s = 0; s < cut->shards; s++) {
        self->scorers[s] = (scorer){.first = cut->starts[s], .scored = self->scored};
        self->pools[s] = job_pool(ctx, &plain, cut->starts[s], cut->starts[s + 1]);
        self->requests[s] = job_request(ctx, setting, self->pools[s]);
        ck_assert_ok(alcore_request_set(self->requests[s], "cache", path));
    }
}

static void loop_close(loop *self) {
    for (int32_t s = 0; s < self->cut.shards; s++) {
        alcore_request_unref(self->requests[s]);
        alcore_pool_unref(self->pools[s]);
    }
}

/* Begins a round, in the first of which only the first `some` rows are eligible. */
static void loop_begin(loop *self, int round, int64_t some) {
    char text[8];
    snprintf(text, sizeof text, "%d", round);
    memset(self->scored, 0, sizeof self->scored);
    for (int32_t s = 0; s < self->cut.shards; s++) {
        int64_t rows[ROWS], count = 0;
        for (int64_t row = self->cut.starts[s]; row < self->cut.starts[s + 1]; row++)
            if (round > 1 || row < some) rows[count++] = row - self->cut.starts[s];
        self->scorers[s].version = (uint64_t)round;
        set_model(self->requests[s], &self->scorers[s]);
        ck_assert_ok(alcore_request_set(self->requests[s], "round", text));
        ck_assert_ok(alcore_request_set_rows(self->requests[s], ALCORE_ROWS_ELIGIBLE, rows, count));
    }
}

/* Marks rows of all shards as labeled. */
static void loop_label(loop *self, const int64_t *rows, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        for (int32_t s = 0; s < self->cut.shards; s++) {
            const int64_t own = rows[i] - self->cut.starts[s];
            if (own >= 0 && rows[i] < self->cut.starts[s + 1])
                ck_assert_ok(alcore_pool_mark(self->pools[s], ALCORE_ROW_LABELED, &own, 1));
        }
}

static alcore_job *loop_job(const loop *self, int32_t shard) {
    alcore_job_options options = ALCORE_JOB_OPTIONS_INIT;
    alcore_job *job;
    options.first_row = self->cut.starts[shard];
    options.rows = self->cut.starts[self->cut.shards];
    ck_assert_ok(alcore_job_new(self->requests[shard], &options, &job));
    return job;
}

static const job_setting SETTINGS[] = {
    {"nnll", NULL, "9", "max_age=1", ALCORE_DEDUP_EXACT},
    {"nnll", NULL, "40w,9w", "max_age=2 refresh_factor=1.5 fill=stop", ALCORE_DEDUP_EXACT},
    {"nsp", "candidates=150", "20w", "max_age=1 fill=skip tie=random", ALCORE_DEDUP_NONE},
    {"nnll", "candidates=90 sticky=1", "9", "max_age=2", ALCORE_DEDUP_EXACT},
    {"entropy", NULL, "9,20", "max_age=1 max_similarity=0.9", ALCORE_DEDUP_EXACT},
    {"nnll", NULL, "9", "max_age=1 refresh_factor=0", ALCORE_DEDUP_EXACT},
    {"nnll", NULL, "9", "max_age=1 masks=near", ALCORE_DEDUP_EXACT},
    {"huds", "n_strata=3 min_stratum=9", "30w", "max_age=1", ALCORE_DEDUP_EXACT},
    {"huds", "n_strata=2 k_clusters=2", "9,4", "max_age=1 nan=exclude", ALCORE_DEDUP_NONE},
    {"knn-uncertainty", "k=2", "9", "max_age=2 refresh_factor=2", ALCORE_DEDUP_EXACT},
    {"uncertainty-knn", NULL, "30w", "max_age=1", ALCORE_DEDUP_EXACT},
    {"badge", NULL, "5", "max_age=1", ALCORE_DEDUP_EXACT},
    {"kcenter", NULL, "5", "max_age=1", ALCORE_DEDUP_EXACT}, /* reads no score */
    {"random", NULL, "5", "max_age=1", ALCORE_DEDUP_EXACT},
    {"hybrid", "sentences=nnll phrases=ngf", "60w", "max_age=1", ALCORE_DEDUP_EXACT},
    {"hybrid", "sentences=huds phrases=ngf", "60w,20w", "max_age=1", ALCORE_DEDUP_EXACT},
};
enum { SETTING_COUNT = sizeof SETTINGS / sizeof *SETTINGS };

/* Copies a summary without the seconds that values of earlier rounds saved. */
static void copy_timeless(const alcore_selection *selection, char *out) {
    const char *text = alcore_selection_summary(selection);
    const char *saved;
    while ((saved = strstr(text, "; saved about ")) != NULL) {
        memcpy(out, text, (size_t)(saved - text));
        out += saved - text;
        text = saved + strcspn(saved, "\n");
    }
    memcpy(out, text, strlen(text) + 1);
}

/* The summary says how many values were kept, computed and of earlier rounds in all shards. */
static void check_summary(const alcore_job *job, const alcore_selection *expected) {
    char found[4096], wanted[4096];
    copy_timeless(alcore_job_selection(job), found);
    copy_timeless(expected, wanted);
    ck_assert_str_eq(found, wanted);
}

/* Compares rounds over shards with those of one machine. Rows 200 to 219 are labeled. */
static void compare(const job_setting *setting, const job_cut *cut, int64_t some, uint64_t seed) {
    const job_cut whole = {1, {0, ROWS}};
    loop one, many;
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    loop_open(&one, setting, &whole, "one");
    loop_open(&many, setting, cut, "many");
    for (int64_t row = 200; row < 220; row++) {
        loop_label(&one, &row, 1);
        loop_label(&many, &row, 1);
    }
    for (int round = 1; round <= ROUNDS; round++) {
        alcore_selection *expected;
        alcore_job *jobs[SHARDS];
        loop_begin(&one, round, some);
        loop_begin(&many, round, some);
        ck_assert_ok(alcore_select(one.requests[0], &expected));
        for (int32_t s = 0; s < cut->shards; s++) jobs[s] = loop_job(&many, s);
        job_drive(ctx, jobs, cut->shards, &rng);
        ck_assert_msg(alcore_selection_count(expected) > 3, "round %d: %s", round,
                      alcore_selection_summary(expected));
        for (int32_t s = 0; s < cut->shards; s++) job_check_picks(jobs[s], expected);
        ck_assert_mem_eq(many.scored, one.scored, ROWS);
        for (int32_t s = 0; s < cut->shards && alcore_job_selection(jobs[0]); s++)
            check_summary(jobs[s], expected);
        for (int32_t s = 0; s < cut->shards; s++) alcore_job_unref(jobs[s]);
        if (strcmp(setting->strategy, "hybrid") != 0) {
            const int64_t *rows = alcore_selection_rows(expected);
            loop_label(&one, rows, alcore_selection_count(expected));
            loop_label(&many, rows, alcore_selection_count(expected));
        }
        alcore_selection_unref(expected);
    }
    loop_close(&one);
    loop_close(&many);
    test_folder_remove(folder);
    test_folder_make(folder, "refresh");
}

START_TEST(the_picks_of_one_machine) {
    for (int32_t shards = 1; shards <= SHARDS; shards += 3) {
        const job_cut cut = job_cut_at(ROWS, shards, (uint64_t)(10 * _i + shards));
        compare(&SETTINGS[_i], &cut, ROWS, (uint64_t)shards);
    }
}
END_TEST

/* The second shard has no candidate; the last two, no score of the first round. */
START_TEST(shards_without_scores_of_earlier_rounds) {
    static const job_cut cut = {5, {0, 200, 220, 220, 300, ROWS}};
    compare(&SETTINGS[_i], &cut, 150, (uint64_t)_i);
}
END_TEST

/* ---- between the exchanges ---- */

static const job_cut TWO = {2, {0, 190, ROWS}};

/* Makes the first round, and records the exchanges of the second one, whose first are those of
 * the refresher. The jobs are released. */
static record second_round(loop *self, const job_setting *setting) {
    record made = {.count = 0};
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    loop_open(self, setting, &TWO, "two");
    for (int round = 1; round <= 2; round++) {
        alcore_job *jobs[2];
        int32_t state;
        loop_begin(self, round, ROWS);
        for (int32_t s = 0; s < 2; s++) jobs[s] = loop_job(self, s);
        while (alcore_job_step(jobs[0], &state) == ALCORE_OK && state == ALCORE_JOB_FOLD) {
            size_t length;
            ck_assert_ok(alcore_job_step(jobs[1], &state));
            alcore_job_fold *all = job_fold_all(ctx, jobs, 2, &rng);
            const char *message = alcore_job_fold_message(all, &length);
            for (int32_t s = 0; s < 2; s++)
                ck_assert_ok(alcore_job_deliver(jobs[s], message, length));
            if (round == 2) {
                made.bytes[made.count] = memcpy(malloc(length), message, length);
                made.lengths[made.count++] = length;
            }
            alcore_job_fold_unref(all);
        }
        ck_assert_int_eq(state, ALCORE_JOB_DONE);
        for (int32_t s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
    }
    return made;
}

static const job_setting CHAOS[] = {
    {"nnll", NULL, "9", "max_age=1", ALCORE_DEDUP_EXACT},
    {"huds", "n_strata=2 k_clusters=2", "9", "max_age=1", ALCORE_DEDUP_NONE},
    {"knn-uncertainty", "k=2", "9", "max_age=1", ALCORE_DEDUP_EXACT}};

/* A worker that is lost at any exchange is replaced by one that takes the messages before; these
 * may come again at any time, and not too early. */
START_TEST(a_lost_worker_is_replaced) {
    loop self;
    record made = second_round(&self, &CHAOS[_i]);
    ck_assert_int_ge(made.count, 3);
    for (int lost = 0; lost <= made.count; lost++) {
        alcore_job *job = loop_job(&self, lost % 2);
        int32_t state;
        for (int i = 0; i < lost; i++)
            ck_assert_ok(alcore_job_deliver(job, made.bytes[i], made.lengths[i]));
        for (int i = lost + 1; i < made.count; i++)
            ck_assert_int_eq(alcore_job_deliver(job, made.bytes[i], made.lengths[i]),
                             ALCORE_E_INVALID);
        ck_assert_ok(alcore_job_step(job, &state));
        for (int i = 0; i < lost; i++)
            ck_assert_ok(alcore_job_deliver(job, made.bytes[i], made.lengths[i]));
        if (lost < made.count)
            ck_assert_int_eq(alcore_job_deliver(job, made.bytes[lost], made.lengths[lost] - 3),
                             ALCORE_E_CORRUPT);
        for (int i = lost; i < made.count; i++)
            ck_assert_ok(alcore_job_deliver(job, made.bytes[i], made.lengths[i]));
        ck_assert_ok(alcore_job_step(job, &state));
        ck_assert_int_eq(state, ALCORE_JOB_DONE);
        ck_assert_int_eq(alcore_job_pick_count(job), 9);
        alcore_job_unref(job);
    }
    alcore_job *job = loop_job(&self, 0);
    const int last = made.count - 1;
    ck_assert_int_eq(alcore_job_deliver(job, made.bytes[last], made.lengths[last]),
                     ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "this job with values=of earlier rounds"));
    alcore_job_unref(job);
    record_free(&made);
    loop_close(&self);
}
END_TEST

/* The exchanges of both selections have the same sizes where these have as many picks; those before
 * are made once. */
START_TEST(sizes_of_messages) {
    static const job_setting setting = {"nnll", NULL, "9", "max_age=1 refresh_factor=2",
                                        ALCORE_DEDUP_EXACT};
    loop self;
    record made = second_round(&self, &setting);
    ck_assert_int_eq(made.count, 3); /* texts, nominees of the refresher, nominees */
    for (int i = 1; i < 3; i++)
        ck_assert_uint_eq(made.lengths[i], 48 + settings_bytes(made.bytes[i]) +
                                               2 * (32 + 32 * 9 * (size_t)(i == 1 ? 2 : 1)));
    record_free(&made);
    loop_close(&self);
}
END_TEST

START_TEST(no_failing_allocation_does_harm) {
    static fault_allocator fault;
    loop self;
    bool met = true;
    job_context_that_fails(&ctx, &fault, 5);
    record made = second_round(&self, &CHAOS[_i]);
    int64_t expected[9];
    for (long long failing = 0; met; failing += 1 + failing / 15) {
        alcore_job *job = NULL;
        alcore_job_options place = ALCORE_JOB_OPTIONS_INIT;
        place.first_row = TWO.starts[1];
        place.rows = ROWS;
        fault_arm(&fault, failing, 0);
        for (int attempt = 0; !alcore_job_rows(job); attempt++) {
            int32_t state;
            ck_assert_int_lt(attempt, 3);
            alcore_job_unref(job);
            job = NULL;
            alcore_status status = alcore_job_new(self.requests[1], &place, &job);
            for (int i = 0; i < made.count && status == ALCORE_OK; i++) {
                status = alcore_job_step(job, &state);
                if (status == ALCORE_OK)
                    status = alcore_job_deliver(job, made.bytes[i], made.lengths[i]);
            }
            if (status == ALCORE_OK) status = alcore_job_step(job, &state);
            if (status != ALCORE_OK)
                ck_assert_msg(status == ALCORE_E_NOMEM, "%lld: %s", failing, alcore_last_error());
        }
        met = failing == 0 || fault.failures > 0;
        fault_arm(&fault, 0, 0);
        ck_assert_int_eq(alcore_job_pick_count(job), 9);
        if (failing == 0) memcpy(expected, alcore_job_rows(job), sizeof expected);
        ck_assert_mem_eq(alcore_job_rows(job), expected, sizeof expected);
        alcore_job_unref(job);
    }
    record_free(&made);
    loop_close(&self);
}
END_TEST

START_TEST(a_cache_is_needed) {
    static const job_setting setting = {"nnll", NULL, "9", "max_age=1 round=2", ALCORE_DEDUP_NONE};
    alcore_pool *pool = job_pool(ctx, &setting, 0, 40);
    alcore_request *request = job_request(ctx, &setting, pool);
    alcore_job *job;
    int32_t state;
    ck_assert_ok(alcore_job_new(request, NULL, &job));
    ck_assert_int_eq(alcore_job_step(job, &state), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "max_age is set, but no cache is"));
    alcore_job_unref(job);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("job_refresh");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, the_picks_of_one_machine, 0, SETTING_COUNT);
    tcase_add_loop_test(cases, shards_without_scores_of_earlier_rounds, 0, SETTING_COUNT);
    tcase_add_loop_test(cases, a_lost_worker_is_replaced, 0, sizeof CHAOS / sizeof *CHAOS);
    tcase_add_test(cases, sizes_of_messages);
    tcase_add_loop_test(cases, no_failing_allocation_does_harm, 0, sizeof CHAOS / sizeof *CHAOS);
    tcase_add_test(cases, a_cache_is_needed);
    return check_suite_run("job_refresh", cases);
}
