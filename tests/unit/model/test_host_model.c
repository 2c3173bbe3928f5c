/* SPDX-License-Identifier: Apache-2.0 */
/* A host's model: several columns in one pass, what its batches carry, its cache and its
 * failures. */
#include "host_model_bed.h"

/* ---- passes ---- */

static const char *const both[] = {"logprobs", "embeddings"};

static void assert_call(int64_t number, const char *columns, int64_t first, int64_t last,
                        int64_t count) {
    ck_assert_int_lt(number, self.call_count);
    const asked *call = &self.calls[number];
    ck_assert_str_eq(call->columns, columns);
    ck_assert_int_eq(call->first, first);
    ck_assert_int_eq(call->last, last);
    ck_assert_int_eq(call->count, count);
}

START_TEST(a_request_asks_for_all_columns_at_once) {
    alcore_request *request;
    alcore_strategy *strategy;
    alcore_selection *selection;
    alcore_model *model = model_of(4, NULL);
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_ok(alcore_request_set_model(request, model));
    ck_assert_ok(alcore_strategy_new(ctx, "huds", &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_strategy_unref(strategy);
    ck_assert_ok(alcore_request_set(request, "budget", "2"));
    for (int turn = 0; turn < 2; turn++) {
        ck_assert_ok(alcore_select(request, &selection));
        alcore_selection_unref(selection);
        ck_assert_int_eq(self.call_count, 3); /* three batches, once */
    }
    for (int64_t i = 0; i < 3; i++)
        assert_call(i, "logprobs embeddings", 4 * i, i < 2 ? 4 * i + 3 : 9, i < 2 ? 4 : 2);
    alcore_request_unref(request);
    alcore_model_unref(model);
}
END_TEST

static alcore_status score_nothing(void *user, const alcore_view *view, double *out) {
    (void)user;
    for (int64_t i = 0; i < alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES); i++) out[i] = 0;
    return ALCORE_OK;
}

START_TEST(a_scorer_asks_for_all_columns_at_once) {
    static const char *const needs[] = {"qa_start", "logprobs", NULL};
    alcore_scorer_host functions = ALCORE_SCORER_HOST_INIT;
    alcore_scorer *scorer;
    functions.needs = needs;
    functions.score = score_nothing;
    alcore_model *model = model_of(0, NULL);
    ck_assert_ok(alcore_scorer_new_host(ctx, &functions, &scorer));
    ck_assert_ok(alcore_scorer_run(scorer, pool, model));
    ck_assert_int_eq(self.call_count, 1);
    assert_call(0, "qa_start logprobs", 0, 9, 10);
    alcore_scorer_unref(scorer);
    alcore_model_unref(model);
}
END_TEST

START_TEST(columns_have_the_shapes_that_the_model_says) {
    static const char *const columns[] = {"margins", "mlm_losses", "quality"};
    alcore_model *model = model_of(0, NULL);
    ck_assert_ok(alcore_model_run_columns(model, pool, columns, 3));
    ck_assert_int_eq(self.call_count, 1);
    assert_call(0, "margins mlm_losses quality", 0, 9, 10);
    alcore_column_info found = ALCORE_COLUMN_INFO_INIT;
    ck_assert_ok(alcore_pool_get_column_info(pool, "margins", &found));
    ck_assert_int_eq(found.shape, ALCORE_COLUMN_RAGGED);
    ck_assert_ok(alcore_pool_get_column_info(pool, "quality", &found));
    ck_assert_int_eq(found.shape, ALCORE_COLUMN_SCALAR);
    self.margin_shape = 1;
    ck_assert_ok(alcore_model_run(model, pool, "margins"));
    ck_assert_ok(alcore_pool_get_column_info(pool, "margins", &found));
    ck_assert_int_eq(found.shape, ALCORE_COLUMN_SCALAR);
    alcore_model_unref(model);
}
END_TEST

/* Labeled rows have embeddings only, and masked ones nothing. */
START_TEST(a_row_is_asked_for_the_columns_that_it_lacks) {
    const int64_t labeled[] = {1, 4, 7}, excluded = 0;
    alcore_model *model = model_of(3, NULL);
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, labeled, 3));
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, &excluded, 1));
    ck_assert_ok(alcore_model_run_columns(model, pool, both, 2));
    ck_assert_int_eq(self.call_count, 3);
    assert_call(0, "embeddings", 1, 7, 3);
    assert_call(1, "logprobs embeddings", 2, 5, 3);
    assert_call(2, "logprobs embeddings", 6, 9, 3);
    double values[2];
    const int64_t row = 7;
    ck_assert_ok(test_column_rows(pool, "embeddings", &row, 1, values));
    ck_assert_double_eq(values[1], 8);
    alcore_model_unref(model);
}
END_TEST

START_TEST(batches_are_bounded_by_bytes) {
    alcore_model_host functions = ALCORE_MODEL_HOST_INIT;
    alcore_model *model;
    functions.user = &self;
    functions.can = can;
    functions.compute = compute;
    functions.batch_bytes = 20; /* texts have 5 to 14 bytes */
    ck_assert_ok(alcore_model_new_host(ctx, &functions, &model));
    ck_assert_ok(alcore_model_run(model, pool, "embeddings"));
    assert_call(0, "embeddings", 0, 1, 2); /* 3 rows of 7 bytes are 21 */
    assert_call(1, "embeddings", 2, 3, 2); /* of 8 */
    assert_call(2, "embeddings", 4, 5, 2); /* of 10 */
    assert_call(3, "embeddings", 6, 6, 1); /* of 11 */
    ck_assert_int_eq(self.call_count, 7);
    alcore_model_unref(model);
}
END_TEST

/* ---- what batches carry ---- */

START_TEST(batches_carry_references_and_contexts) {
    static const char *const contexts[ROWS] = {"c0", NULL, "c2"},
                             *const some[] = {"references", NULL}, *const none[] = {NULL},
                             *const context[] = {"qa_contexts", NULL};
    ck_assert_ok(alcore_pool_set_text_column(pool, "qa_contexts", contexts, NULL, ROWS, NULL));
    alcore_model *model = model_of(3, NULL);
    ck_assert_ok(alcore_model_run(model, pool, "qa_start"));
    ck_assert_str_eq(self.references, "");
    ck_assert_int_eq(strncmp(self.contexts, "c0 - c2 - - ", 12), 0);
    ck_assert_str_eq(self.ids, "14710");
    alcore_model_unref(model);
    self.contexts[0] = '\0';
    model = model_of(3, some);
    ck_assert_ok(alcore_model_run(model, pool, "qa_start"));
    ck_assert_str_eq(self.references, "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 ");
    ck_assert_str_eq(self.contexts, "");
    alcore_model_unref(model);
    self.references[0] = '\0';
    model = model_of(3, none);
    ck_assert_ok(alcore_model_run(model, pool, "qa_start"));
    ck_assert_str_eq(self.references, "");
    ck_assert_str_eq(self.contexts, "");
    alcore_model_unref(model);
    model = model_of(3, context);
    ck_assert_ok(alcore_model_run(model, pool, "qa_start"));
    ck_assert_str_eq(self.references, "");
    ck_assert_int_eq(strncmp(self.contexts, "c0 - c2 - - ", 12), 0);
    alcore_model_unref(model);
}
END_TEST

/* The origin of a column made now. */
static void origin_now(const alcore_model *model, char out[200]) {
    alcore__buffer origin = {0};
    ck_assert_ok(alcore__read_begin(pool, "pool"));
    ck_assert_ok(alcore__model_origin(model, pool, "logprobs", &origin));
    alcore__read_end(pool);
    snprintf(out, 200, "%.*s", (int)origin.length, origin.data);
    alcore__buffer_clear(ctx, &origin);
}

/* A column is made anew where something has changed that the functions read, and only then. */
START_TEST(what_is_read_tells_columns_apart) {
    static const char *const lists[][4] = {
        {"costs", NULL}, {"references", NULL}, {"qa_contexts", "weights", NULL}, {NULL}};
    static const char *const contexts[ROWS] = {"c0"}, *const references[1] = {"another"};
    const double costs[ROWS] = {3, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const int64_t row = 5, all[ROWS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    char before[5][200], after[5][200];
    for (int change = 0; change < 3; change++) {
        alcore_model *models[5];
        for (int m = 0; m < 5; m++) {
            models[m] = model_of(0, m < 4 ? lists[m] : NULL);
            origin_now(models[m], before[m]);
        }
        if (change == 0) ck_assert_ok(alcore_pool_set_costs(pool, all, costs, ROWS));
        if (change == 1) ck_assert_ok(alcore_pool_set_references(pool, &row, references, NULL, 1));
        if (change == 2)
            ck_assert_ok(
                alcore_pool_set_text_column(pool, "qa_contexts", contexts, NULL, ROWS, NULL));
        for (int m = 0; m < 5; m++) {
            origin_now(models[m], after[m]);
            const bool read = m == change || (m == 4 && change != 1);
            ck_assert_msg((strcmp(before[m], after[m]) != 0) == read, "%d %d: %s, %s", change, m,
                          before[m], after[m]);
            alcore_model_unref(models[m]);
        }
    }
}
END_TEST

/* ---- the cache ---- */

START_TEST(columns_of_a_pass_are_kept_together) {
    char folder[TEST_PATH_BYTES];
    test_folder_make(folder, "host-model");
    for (int turn = 0; turn < 4; turn++) {
        alcore_model *model = model_of(4, NULL);
        self.call_count = 0;
        self.version = turn == 3;
        ck_assert_ok(alcore_model_set_cache(model, folder, INFINITY));
        /* The second turn finds one column, the third one finds both, the last one is of another
         * version. */
        ck_assert_ok(turn == 0 ? alcore_model_run(model, pool, "embeddings")
                               : alcore_model_run_columns(model, pool, both, 2));
        ck_assert_int_eq(self.call_count, turn == 2 ? 0 : 3);
        if (turn == 1) assert_call(0, "logprobs", 0, 3, 4);
        if (turn == 3) assert_call(0, "logprobs embeddings", 0, 3, 4);
        ck_assert_str_eq(origin_of("embeddings"),
                         turn == 3 ? "model letters, version 1" : "model letters, version 0");
        ck_assert_ok(alcore_pool_drop_column(pool, "embeddings"));
        if (turn > 0) ck_assert_ok(alcore_pool_drop_column(pool, "logprobs"));
        alcore_model_unref(model);
    }
    test_folder_remove(folder);
}
END_TEST

static alcore_status choose_by_row(void *user, const alcore_view *view, alcore_choice *out) {
    const int64_t count = alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES);
    double scores[ROWS];
    (void)user;
    for (int64_t i = 0; i < count; i++) scores[i] = (double)i;
    return alcore_choice_scores(out, scores, count);
}

/* Where several columns are refreshed because they are older than max_age, one pass computes all of
 * them. */
START_TEST(columns_of_earlier_rounds_are_refreshed_together) {
    static const char *const needs[] = {"qa_start", "logprobs", NULL};
    static const char *const rounds[] = {"1", "2"};
    char folder[TEST_PATH_BYTES];
    alcore_strategy_host functions = ALCORE_STRATEGY_HOST_INIT;
    alcore_strategy *strategy;
    alcore_model *model = model_of(0, NULL);
    test_folder_make(folder, "host-model");
    functions.needs = needs;
    functions.choose = choose_by_row;
    ck_assert_ok(alcore_strategy_new_host(ctx, &functions, &strategy));
    for (int round = 0; round < 2; round++) {
        alcore_request *request;
        alcore_selection *selection;
        self.call_count = 0;
        self.version = (uint64_t)round;
        ck_assert_ok(alcore_request_new(ctx, &request));
        ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
        ck_assert_ok(alcore_request_set_model(request, model));
        ck_assert_ok(alcore_request_set_strategy(request, strategy));
        ck_assert_ok(alcore_request_set(request, "budget", "2"));
        ck_assert_ok(alcore_request_set(request, "cache", folder));
        ck_assert_ok(alcore_request_set(request, "max_age", "1"));
        ck_assert_ok(alcore_request_set(request, "refresh_factor", "2"));
        ck_assert_ok(alcore_request_set(request, "round", rounds[round]));
        ck_assert_ok(alcore_select(request, &selection));
        ck_assert_int_eq(self.call_count, 1);
        ck_assert_str_eq(self.calls[0].columns, "qa_start logprobs");
        ck_assert_int_eq(self.calls[0].count, round == 0 ? ROWS : 4);
        ck_assert_ptr_nonnull(strstr(alcore_selection_provenance(selection),
                                     round == 0 ? "\"stale\":0" : "\"stale\":6"));
        alcore_selection_unref(selection);
        alcore_request_unref(request);
    }
    alcore_strategy_unref(strategy);
    alcore_model_unref(model);
    test_folder_remove(folder);
}
END_TEST

/* A pass that fails or is cancelled keeps its batches, and puts no column into the pool. */
START_TEST(a_pass_that_fails_keeps_its_batches) {
    for (int turn = 0; turn < 2; turn++) {
        char folder[TEST_PATH_BYTES];
        test_folder_make(folder, "host-model");
        alcore_model *model = model_of(4, NULL);
        self = (host){.dims = 2, .fail_at = turn ? 0 : 2, .cancel_at = turn ? 2 : 0};
        ck_assert_ok(alcore_model_set_cache(model, folder, INFINITY));
        const alcore_status status = alcore_model_run_columns(model, pool, both, 2);
        ck_assert_int_eq(status, turn ? ALCORE_E_CANCELLED : ALCORE_E_DATA);
        if (!turn) ck_assert_ptr_nonnull(strstr(alcore_last_error(), "the device is gone"));
        ck_assert_ptr_null(alcore__pool_find_column(pool, "logprobs"));
        ck_assert_ptr_null(alcore__pool_find_column(pool, "embeddings"));
        alcore_ctx_cancel_clear(ctx);
        self.fail_at = self.cancel_at = self.call_count = 0;
        ck_assert_ok(alcore_model_run_columns(model, pool, both, 2));
        /* The second batch has log-probabilities where the failure came after them, and all where
         * the cancel came. */
        if (!turn) assert_call(0, "embeddings", 4, 7, 4);
        assert_call(!turn, "logprobs embeddings", 8, 9, 2);
        ck_assert_int_eq(self.call_count, turn ? 1 : 2);
        ck_assert_ok(alcore_pool_drop_column(pool, "embeddings"));
        ck_assert_ok(alcore_pool_drop_column(pool, "logprobs"));
        alcore_model_unref(model);
        test_folder_remove(folder);
    }
}
END_TEST

/* ---- what goes wrong ---- */

START_TEST(a_row_without_a_value_ends_the_first_batch) {
    alcore_model *model = model_of(4, NULL);
    self.forget = "embeddings";
    ck_assert_fails(alcore_model_run_columns(model, pool, both, 2), ALCORE_E_MISSING,
                    "gave row 3 no value of the column 'embeddings'");
    ck_assert_int_eq(self.call_count, 1);
    ck_assert_ptr_null(alcore__pool_find_column(pool, "logprobs"));
    self.forget = NULL;
    self.dims = 3;
    self.nan = true; /* which is a value: strategies say what becomes of it */
    ck_assert_ok(alcore_model_run_columns(model, pool, both, 2));
    alcore_model_unref(model);
}
END_TEST

static int64_t widest; /* columns of one pass */

static int32_t can_all(void *user, const char *column) {
    (void)user, (void)column;
    return 1;
}

static alcore_status compute_rows(void *user, const alcore_batch *batch, const char *const *columns,
                                  alcore_column_writer *const *outs, int64_t count) {
    double values[ROWS];
    int64_t rows = batch->count;
    alcore_tensor tensor;
    (void)user, (void)columns;
    if (count > widest) widest = count;
    for (int64_t i = 0; i < rows; i++) values[i] = (double)batch->rows[i];
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT64, &rows, 1));
    for (int64_t c = 0; c < count; c++)
        ck_assert_ok(alcore_column_writer_put(outs[c], batch->rows, NULL, rows, &tensor));
    return ALCORE_OK;
}

START_TEST(passes_have_32_columns_at_most) {
    enum { MANY = 33 };
    char names[MANY][16];
    const char *columns[MANY];
    alcore_model_host functions = ALCORE_MODEL_HOST_INIT;
    alcore_model *model;
    functions.can = can_all;
    functions.compute = compute_rows;
    widest = 0;
    ck_assert_ok(alcore_model_new_host(ctx, &functions, &model));
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "quality%d", i);
        columns[i] = names[i];
    }
    ck_assert_ok(alcore_model_run_columns(model, pool, columns, MANY));
    ck_assert_int_eq(widest, 32);
    for (int i = 0; i < MANY; i++) {
        const int64_t row = 7;
        double value;
        ck_assert_ok(test_column_rows(pool, names[i], &row, 1, &value));
        ck_assert_double_eq(value, 7);
    }
    alcore_model_unref(model);
}
END_TEST

START_TEST(wrong_columns_are_refused) {
    const char *const twice[] = {"logprobs", "logprobs"}, *const hole[] = {"logprobs", NULL};
    alcore_model *model = model_of(4, NULL);
    ck_assert_fails(alcore_model_run_columns(model, pool, twice, 2), ALCORE_E_INVALID,
                    "'logprobs' is given twice");
    ck_assert_fails(alcore_model_run_columns(model, pool, hole, 2), ALCORE_E_INVALID,
                    "column 1 is NULL");
    ck_assert_fails(alcore_model_run_columns(model, pool, both, 0), ALCORE_E_INVALID, "0 columns");
    /* A writer takes no texts, whatever the function says. */
    ck_assert_int_eq(alcore_model_can(model, "qa_contexts"), 0);
    ck_assert_fails(alcore_model_run(model, pool, "qa_contexts"), ALCORE_E_UNSUPPORTED,
                    "cannot make the column 'qa_contexts'");
    self.per_word = 2;
    ck_assert_fails(alcore_model_run(model, pool, "logprobs"), ALCORE_E_INVALID,
                    "describes the column \"logprobs\" with per_word 2");
    self.reserved = 1;
    ck_assert_fails(alcore_model_run(model, pool, "margins"), ALCORE_E_STRUCT_NEWER, "reserved");
    ck_assert_int_eq(self.call_count, 0);
    alcore_model_unref(model);
}
END_TEST

CHECK_SUITE_WITH("host model", set_up, tear_down, a_request_asks_for_all_columns_at_once,
                 a_scorer_asks_for_all_columns_at_once, columns_have_the_shapes_that_the_model_says,
                 a_row_is_asked_for_the_columns_that_it_lacks, batches_are_bounded_by_bytes,
                 batches_carry_references_and_contexts, what_is_read_tells_columns_apart,
                 columns_of_a_pass_are_kept_together,
                 columns_of_earlier_rounds_are_refreshed_together,
                 a_pass_that_fails_keeps_its_batches, a_row_without_a_value_ends_the_first_batch,
                 passes_have_32_columns_at_most, wrong_columns_are_refused);
