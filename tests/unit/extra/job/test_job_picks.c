/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs over 1 to 8 shards of any sizes have the picks of one machine, byte for byte, whatever the
 * order in which messages are folded, for every strategy that they serve; a job that begins with
 * the messages of exchanges before goes on; messages have the sizes of docs/distributed.md. */
#include "job_shards.h"

enum { FEW_ROWS = 400, MANY_ROWS = 20000 };

static alcore_ctx *ctx;

static void setup(void) {
    ctx = job_context(11);
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* How requests differ beside their strategy. */
static const job_setting VARIANTS[] = {
    {.budget = "30", .dedup = ALCORE_DEDUP_EXACT},
    {.budget = "100w", .dedup = ALCORE_DEDUP_NORMALIZED},
    {.budget = "33w", .options = "fill=stop tie=random seed=3", .dedup = ALCORE_DEDUP_NONE},
    {.budget = "500c", .options = "fill=stop round=4", .dedup = ALCORE_DEDUP_EXACT},
    {.budget = "20", .options = "fill=skip tie=random", .dedup = ALCORE_DEDUP_NORMALIZED},
    {.budget = "40.3u", .options = "nan=exclude", .dedup = ALCORE_DEDUP_EXACT},
    {.budget = "1000000w", .dedup = ALCORE_DEDUP_EXACT},
    {.budget = "0", .dedup = ALCORE_DEDUP_NONE},
    {.budget = "7,30,0", .options = "tie=random", .dedup = ALCORE_DEDUP_EXACT},
    {.budget = "90w,20w", .options = "fill=stop", .dedup = ALCORE_DEDUP_EXACT},
    {.budget = "90w,33w", .options = "fill=skip tie=random", .dedup = ALCORE_DEDUP_EXACT},
    {.budget = "500c", .options = "fill=skip nan=exclude", .dedup = ALCORE_DEDUP_NORMALIZED},
    {.budget = "60w,20w", .options = "max_similarity=0.9", .dedup = ALCORE_DEDUP_EXACT},
    {.budget = "40.5u", .options = "max_similarity=0.5 fill=skip", .dedup = ALCORE_DEDUP_NONE},
};
enum { VARIANT_COUNT = sizeof VARIANTS / sizeof *VARIANTS };

/* Every strategy that is served, every variant, 1 to 8 shards. */
START_TEST(the_picks_of_one_machine) {
    const char *name;
    int served = 0;
    for (int64_t i = 0; (name = alcore_strategy_builtin_name(i)) != NULL; i++) {
        /* Those that compare vectors make many exchanges: test_job_passes.c has them;
         * test_job_phrases.c those that buy phrases. */
        if (!alcore_job_serves(name) || job_reads_vectors(name) || job_buys_phrases(name)) continue;
        job_setting setting = VARIANTS[_i];
        setting.strategy = name;
        for (int32_t shards = 1; shards <= SHARDS; shards++)
            job_compare(ctx, &setting, FEW_ROWS, shards, (uint64_t)(100 * _i + shards));
        served++;
    }
    ck_assert_int_ge(served, 12); /* random and all that only rank by a score */
}
END_TEST

/* Where no shard has a row there is no pick, as on one machine: of no strategy, which has then no
 * column to read, nor vectors by which picks are compared. */
START_TEST(no_shard_has_a_row) {
    const job_cut cut = {3, {0, 0, 0, 0}};
    const char *name;
    int made = 0;
    for (int64_t i = 0; (name = alcore_strategy_builtin_name(i)) != NULL; i++) {
        const char *options = _i == 0 ? NULL : "max_similarity=0.6";
        const job_setting setting = {name, NULL, "9", options, ALCORE_DEDUP_EXACT};
        alcore_job *jobs[3];
        alcore__rng rng;
        alcore__rng_seed(&rng, 1);
        if (strcmp(name, "gold") == 0 || strcmp(name, "huds-phrase") == 0)
            continue; /* a target has rows; the n-gram model has no text, on one machine neither */
        for (int32_t s = 0; s < cut.shards; s++) jobs[s] = job_new(ctx, &setting, &cut, s);
        job_drive(ctx, jobs, cut.shards, &rng);
        for (int32_t s = 0; s < cut.shards; s++) {
            ck_assert_int_eq(alcore_job_pick_count(jobs[s]), 0);
            alcore_job_unref(jobs[s]);
        }
        made++;
    }
    ck_assert_int_ge(made, 30);
}
END_TEST

/* Parameters that draw candidates, or decide what is drawn. */
START_TEST(draws_of_all_shards) {
    static const job_setting settings[] = {
        {"random", "seed_set=1", "150w", "round=3", ALCORE_DEDUP_EXACT},
        {"nnll", "candidates=60", "25", NULL, ALCORE_DEDUP_EXACT},
        {"entropy", "candidates=100", "90w", "round=2 tie=random", ALCORE_DEDUP_NORMALIZED},
        {"qbc", "measure=kl candidates=399", "90w", NULL, ALCORE_DEDUP_NONE},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (int32_t shards = 1; shards <= SHARDS; shards++)
            job_compare(ctx, &settings[i], FEW_ROWS, shards, (uint64_t)shards);
}
END_TEST

/* Shards that begin and end within blocks of 8192 rows. */
START_TEST(shards_of_several_blocks) {
    static const job_setting settings[] = {
        {"random", NULL, "700w", NULL, ALCORE_DEDUP_EXACT},
        {"margin", NULL, "2000", "tie=random", ALCORE_DEDUP_EXACT},
        {"nnll", NULL, "9000w", "fill=stop", ALCORE_DEDUP_NORMALIZED},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        job_compare(ctx, &settings[i], MANY_ROWS, 3 + (int32_t)i, 5);
}
END_TEST

/* A request over a shard with the scores u of all rows. */
static alcore_request *request_with(const job_setting *setting, const job_cut *cut, int32_t shard,
                                    const double *u) {
    const int64_t first = cut->starts[shard], end = cut->starts[shard + 1];
    alcore_pool *pool = job_pool(ctx, setting, first, end);
    int64_t shape[] = {end - first};
    alcore_tensor tensor;
    ck_assert_ok(
        alcore_tensor_init(&tensor, (void *)(uintptr_t)(u + first), ALCORE_FLOAT64, shape, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "scores", &tensor, NULL, NULL));
    alcore_request *request = job_request(ctx, setting, pool);
    alcore_pool_unref(pool);
    return request;
}

/* Scores of nsp are 1 where u is large, and rank by u all the same. */
START_TEST(keys_rank_where_scores_are_equal) {
    static const job_setting setting = {"nsp", NULL, "9", NULL, ALCORE_DEDUP_NONE};
    static const double u[] = {40, 41, 50, 45, 60, 42, 47, 44, 61, 39, 38, 70, 48, 41, 43, 49};
    enum { ROWS = sizeof u / sizeof *u };
    const job_cut cut = {.shards = 2, .starts = {0, 7, ROWS}}, whole = {1, {0, ROWS}};
    alcore_request *request = request_with(&setting, &whole, 0, u);
    alcore_selection *expected;
    alcore_job *jobs[2];
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    ck_assert_ok(alcore_select(request, &expected));
    alcore_request_unref(request);
    for (int32_t s = 0; s < 2; s++)
        jobs[s] = job_for(request_with(&setting, &cut, s, u), &cut, s, NULL);
    job_drive(ctx, jobs, 2, &rng);
    for (int32_t s = 0; s < 2; s++) job_check_picks(jobs[s], expected);
    ck_assert_double_eq(alcore_job_scores(jobs[0])[0], alcore_job_scores(jobs[0])[8]);
    ck_assert_int_gt(alcore_job_rows(jobs[0])[0], alcore_job_rows(jobs[0])[1]);
    for (int32_t s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
    alcore_selection_unref(expected);
}
END_TEST

/* Names every third row as eligible, and some of these as excluded, of rows that begin with first;
 * and gives the texts of rows 30 to 49 as labeled, of 60 to 69 as excluded ones. */
static alcore_request *request_with_lists(const job_setting *setting, int64_t first, int64_t end) {
    alcore_pool *pool = job_pool(ctx, setting, first, end);
    alcore_pool *labeled = job_pool(ctx, setting, 30, 50);
    alcore_pool *excluded = job_pool(ctx, setting, 60, 70);
    alcore_request *request = job_request(ctx, setting, pool);
    int64_t eligible[FEW_ROWS], not_wanted[FEW_ROWS], counts[2] = {0, 0};
    for (int64_t row = first; row < end; row++) {
        if (row % 3 == 1) eligible[counts[0]++] = row - first;
        if (row % 15 == 1) not_wanted[counts[1]++] = row - first;
    }
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_ELIGIBLE, eligible, counts[0]));
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, not_wanted, counts[1]));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_EXCLUDED, excluded));
    alcore_pool_unref(excluded);
    alcore_pool_unref(labeled);
    alcore_pool_unref(pool);
    return request;
}

START_TEST(lists_of_rows_are_of_the_shard) {
    static const job_setting setting = {"random", NULL, "60w", "fuzzy_match=60",
                                        ALCORE_DEDUP_EXACT};
    const job_cut cut = job_cut_at(FEW_ROWS, 3, 4);
    alcore_request *request = request_with_lists(&setting, 0, FEW_ROWS);
    alcore_selection *expected;
    alcore_job *jobs[3];
    alcore__rng rng;
    alcore__rng_seed(&rng, 2);
    ck_assert_ok(alcore_select(request, &expected));
    alcore_request_unref(request);
    for (int32_t s = 0; s < 3; s++)
        jobs[s] =
            job_for(request_with_lists(&setting, cut.starts[s], cut.starts[s + 1]), &cut, s, NULL);
    job_drive(ctx, jobs, 3, &rng);
    for (int32_t s = 0; s < 3; s++) job_check_picks(jobs[s], expected);
    for (int32_t s = 0; s < 3; s++) alcore_job_unref(jobs[s]);
    alcore_selection_unref(expected);
}
END_TEST

/* A process that was lost is replaced by one with the messages of the exchanges that are over,
 * which need not make the steps again. */
START_TEST(a_new_job_goes_on) {
    static const job_setting setting = {"random", NULL, "80w", NULL, ALCORE_DEDUP_EXACT};
    const job_cut cut = job_cut_at(FEW_ROWS, 3, 9);
    alcore_selection *expected = job_expected(ctx, &setting, FEW_ROWS);
    alcore_job_fold *folds[3] = {NULL};
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    for (int exchange = 0; exchange < 3; exchange++) {
        alcore_job *jobs[3];
        for (int32_t s = 0; s < 3; s++) { /* new ones for every exchange */
            int32_t state;
            size_t length;
            jobs[s] = job_new(ctx, &setting, &cut, s);
            for (int before = 0; before < exchange; before++) {
                const char *message = alcore_job_fold_message(folds[before], &length);
                ck_assert_ok(alcore_job_deliver(jobs[s], message, length));
            }
            ck_assert_ok(alcore_job_step(jobs[s], &state));
            ck_assert_int_eq(state, ALCORE_JOB_FOLD);
        }
        folds[exchange] = job_fold_all(ctx, jobs, 3, &rng);
        for (int32_t s = 0; s < 3; s++) alcore_job_unref(jobs[s]);
    }
    alcore_job *last = job_new(ctx, &setting, &cut, 1);
    for (int before = 0; before < 3; before++) {
        size_t length;
        const char *message = alcore_job_fold_message(folds[before], &length);
        ck_assert_ptr_null(alcore_job_rows(last));
        ck_assert_ok(alcore_job_deliver(last, message, length));
        ck_assert_ptr_null(alcore_job_message(last, &length));
    }
    job_check_picks(last, expected);
    alcore_job_unref(last);
    for (int exchange = 0; exchange < 3; exchange++) alcore_job_fold_unref(folds[exchange]);
    alcore_selection_unref(expected);
}
END_TEST

/* The handle of a further budget has its picks, is kept by a reference, and makes no step. */
static alcore_request *request_of(const job_setting *setting, int64_t first, int64_t end) {
    alcore_pool *pool = job_pool(ctx, setting, first, end);
    alcore_request *request = job_request(ctx, setting, pool);
    alcore_pool_unref(pool);
    return request;
}

/* The next round, in which as many candidates are drawn. */
static void begin_round(alcore_request *request, const job_setting *setting, const char *round,
                        const char *candidates) {
    alcore_strategy *strategy;
    ck_assert_ok(alcore_strategy_new(ctx, setting->strategy, &strategy));
    ck_assert_ok(alcore_strategy_set(strategy, "sticky", "1"));
    ck_assert_ok(alcore_strategy_set(strategy, "candidates", candidates));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_request_set(request, "round", round));
    alcore_strategy_unref(strategy);
}

/* Excludes the picks that are rows first .. end - 1 of all. */
static void exclude(alcore_request *request, const alcore_selection *picks, int64_t first,
                    int64_t end) {
    int64_t rows[FEW_ROWS], count = 0;
    for (int64_t k = 0; k < alcore_selection_count(picks); k++) {
        const int64_t row = alcore_selection_rows(picks)[k];
        if (row >= first && row < end) rows[count++] = row - first;
    }
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, rows, count));
}

static alcore_job *job_over(alcore_request *request, const job_cut *cut, int32_t shard) {
    return job_for(alcore_request_ref(request), cut, shard, NULL);
}

/* A message of a shard whose request remembers no round is refused by the others. */
static void check_forgotten(const job_setting *setting, const job_cut *cut,
                            alcore_request *remembering) {
    alcore_request *request = request_of(setting, cut->starts[0], cut->starts[1]);
    int32_t state;
    size_t length;
    begin_round(request, setting, "3", "20");
    alcore_job *jobs[] = {job_over(request, cut, 0), job_over(remembering, cut, 0)};
    ck_assert_ok(alcore_job_step(jobs[0], &state));
    const char *message = alcore_job_message(jobs[0], &length);
    ck_assert_int_eq(alcore_job_deliver(jobs[1], message, length), ALCORE_E_INVALID);
    ck_assert_msg(strstr(alcore_last_error(),
                         "with candidates of round=0, this job with candidates "
                         "of round=2") != NULL,
                  "%s", alcore_last_error());
    alcore_job_unref(jobs[0]);
    alcore_job_unref(jobs[1]);
    alcore_request_unref(request);
}

/* Rounds that keep candidates: what the requests of shards remember is what one machine does. The
 * third round is asked for twice, the second time with fewer candidates than may be kept. */
START_TEST(candidates_of_the_round_before) {
    static const job_setting settings[] = {
        {"nnll", NULL, "25", NULL, ALCORE_DEDUP_EXACT},
        {"huds", NULL, "60w", NULL, ALCORE_DEDUP_NORMALIZED},
        {"margin", NULL, "20", NULL, ALCORE_DEDUP_NONE},
    };
    static const char *const rounds[][2] = {{"1", "60"}, {"2", "90"}, {"3", "70"}, {"3", "20"}};
    const job_setting *setting = &settings[_i];
    for (int32_t shards = 1; shards <= SHARDS; shards++) {
        const job_cut cut = job_cut_at(FEW_ROWS, shards, (uint64_t)shards);
        alcore_request *one = request_of(setting, 0, FEW_ROWS), *requests[SHARDS];
        alcore__rng rng;
        alcore__rng_seed(&rng, 1);
        for (int32_t s = 0; s < shards; s++)
            requests[s] = request_of(setting, cut.starts[s], cut.starts[s + 1]);
        for (size_t r = 0; r < sizeof rounds / sizeof *rounds; r++) {
            const char *drawn = _i == 2 && r < 2 ? "all" : rounds[r][1];
            alcore_selection *expected;
            alcore_job *jobs[SHARDS];
            begin_round(one, setting, rounds[r][0], drawn);
            ck_assert_ok(alcore_select(one, &expected));
            for (int32_t s = 0; s < shards; s++) {
                begin_round(requests[s], setting, rounds[r][0], drawn);
                jobs[s] = job_over(requests[s], &cut, s);
            }
            job_drive(ctx, jobs, shards, &rng);
            for (int32_t s = 0; s < shards; s++) {
                job_check_picks(jobs[s], expected);
                alcore_job_unref(jobs[s]);
                exclude(requests[s], expected, cut.starts[s], cut.starts[s + 1]);
            }
            exclude(one, expected, 0, FEW_ROWS);
            alcore_selection_unref(expected);
        }
        check_forgotten(setting, &cut, requests[0]);
        for (int32_t s = 0; s < shards; s++) alcore_request_unref(requests[s]);
        alcore_request_unref(one);
    }
}
END_TEST

START_TEST(handles_of_budgets) {
    static const job_setting setting = {"random", NULL, "30,7", NULL, ALCORE_DEDUP_NONE};
    const job_cut whole = {1, {0, FEW_ROWS}};
    alcore_job *job = job_new(ctx, &setting, &whole, 0);
    alcore__rng rng;
    int32_t state;
    alcore__rng_seed(&rng, 1);
    ck_assert_int_eq(alcore_job_budget_count(job), 0);
    ck_assert_int_eq(alcore_job_budget_count(NULL), 0);
    ck_assert_ptr_null(alcore_job_of_budget(job, 0));
    job_drive(ctx, &job, 1, &rng);
    ck_assert_int_eq(alcore_job_budget_count(job), 2);
    ck_assert_ptr_eq(alcore_job_of_budget(job, 0), job);
    ck_assert_ptr_null(alcore_job_of_budget(job, 2));
    ck_assert_ptr_null(alcore_job_of_budget(job, -1));
    alcore_job *kept = alcore_job_ref(alcore_job_of_budget(job, 1));
    ck_assert_mem_eq(alcore_job_rows(kept), alcore_job_rows(job), 7 * sizeof(int64_t));
    alcore_job_unref(job);
    ck_assert_int_eq(alcore_job_pick_count(kept), 7);
    ck_assert_int_eq(alcore_job_budget_count(kept), 1);
    ck_assert_ptr_null(alcore_job_message(kept, NULL));
    ck_assert_int_eq(alcore_job_step(kept, &state), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_job_deliver(kept, "", 0), ALCORE_E_INVALID);
    alcore_job_unref(kept);
}
END_TEST

/* Bytes of a message by the formula: 48, the settings with a NUL up to a multiple of 8, 32 a shard,
 * 16 a distinct text, 32 a nominee. */
START_TEST(sizes_of_messages) {
    static const job_setting setting = {"random", NULL, "40", NULL, ALCORE_DEDUP_EXACT};
    const job_cut cut = job_cut_at(FEW_ROWS, 4, 3);
    alcore_job *jobs[4];
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    for (int32_t s = 0; s < 4; s++) jobs[s] = job_new(ctx, &setting, &cut, s);
    size_t settings = 0, lengths[4];
    for (int exchange = 0; exchange < 3; exchange++) {
        size_t texts = 0;
        for (int32_t s = 0; s < 4; s++) {
            int32_t state;
            ck_assert_ok(alcore_job_step(jobs[s], &state));
            const char *message = alcore_job_message(jobs[s], &lengths[s]);
            if (exchange == 0) settings = (strlen(message + 48) / 8 + 1) * 8;
            alcore_pool *pool = job_pool(ctx, &setting, cut.starts[s], cut.starts[s + 1]);
            const uint32_t *states = alcore_pool_states(pool);
            size_t distinct = 0;
            for (int64_t i = 0; i < alcore_pool_row_count(pool); i++)
                distinct += (states[i] & (ALCORE_ROW_DUPLICATE | ALCORE_ROW_EMPTY)) == 0;
            alcore_pool_unref(pool);
            if (exchange == 0) ck_assert_uint_eq(lengths[s], 48 + settings + 32 + 16 * distinct);
            if (exchange == 1) ck_assert_uint_eq(lengths[s], 48 + settings + 32);
            /* 40 items of this shard, or all of its rows that were drawn */
            if (exchange == 2) ck_assert_uint_le(lengths[s], 48 + settings + 32 + 32 * 40);
            texts += distinct;
        }
        size_t length;
        alcore_job_fold *all = job_fold_all(ctx, jobs, 4, &rng);
        const char *message = alcore_job_fold_message(all, &length);
        ck_assert_uint_eq(length,
                          lengths[0] + lengths[1] + lengths[2] + lengths[3] - 3 * (48 + settings));
        if (exchange == 0) ck_assert_uint_eq(length, 48 + settings + 4 * 32 + 16 * texts);
        for (int32_t s = 0; s < 4; s++) ck_assert_ok(alcore_job_deliver(jobs[s], message, length));
        alcore_job_fold_unref(all);
    }
    for (int32_t s = 0; s < 4; s++) alcore_job_unref(jobs[s]);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("job_picks");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, the_picks_of_one_machine, 0, VARIANT_COUNT);
    tcase_add_loop_test(cases, no_shard_has_a_row, 0, 2);
    tcase_add_test(cases, draws_of_all_shards);
    tcase_add_test(cases, shards_of_several_blocks);
    tcase_add_test(cases, keys_rank_where_scores_are_equal);
    tcase_add_test(cases, lists_of_rows_are_of_the_shard);
    tcase_add_test(cases, a_new_job_goes_on);
    tcase_add_loop_test(cases, candidates_of_the_round_before, 0, 3);
    tcase_add_test(cases, handles_of_budgets);
    tcase_add_test(cases, sizes_of_messages);
    return check_suite_run("job_picks", cases);
}
