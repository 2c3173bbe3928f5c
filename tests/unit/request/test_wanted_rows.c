/* SPDX-License-Identifier: Apache-2.0 */
/* A model computes the rows that a request reads, and no others: the candidates, and the rows that
 * the request names as labeled. */
#include <jansson.h>

#include "column_functions.h"
#include "request_test.h"

enum { ROWS = 12 };

/* Which rows a host's model was asked for, [ROWS] 1 for each, and how many in all. */
typedef struct asked {
    uint8_t row[ROWS];
    int64_t count;
    alcore_column_writer *kept; /* a reference to the writer of the last call */
    alcore_pool *grows; /* a pool to which embed() adds five texts when it is first called; NULL:
                           none */
} asked;

static void note(asked *self, const alcore_batch *batch) {
    for (int64_t i = 0; i < batch->count; i++) {
        self->row[batch->rows[i]]++;
        self->count++;
    }
}

static void grow(asked *self) {
    static const char *const texts[] = {"one", "two", "three", "four", "five"};
    if (self->grows) ck_assert_ok(alcore_pool_add_texts(self->grows, texts, NULL, 5, NULL));
    self->grows = NULL;
}

/* Embeddings: the row number and 1. */
static alcore_status embed(void *user, const alcore_batch *batch, alcore_column_writer *out) {
    asked *self = user;
    float values[ROWS][2];
    int64_t shape[2] = {batch->count, 2};
    alcore_tensor tensor;
    grow(self);
    note(self, batch);
    for (int64_t i = 0; i < batch->count; i++) {
        values[i][0] = (float)batch->rows[i];
        values[i][1] = 1;
    }
    alcore_column_writer_unref(self->kept);
    self->kept = alcore_column_writer_ref(out);
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 2));
    return alcore_column_writer_put(out, batch->rows, NULL, batch->count, &tensor);
}

/* Log-probabilities: one token, minus the row number. */
static alcore_status logprobs(void *user, const alcore_batch *batch, alcore_column_writer *out) {
    float values[ROWS];
    int64_t lengths[ROWS], shape[1] = {batch->count};
    alcore_tensor tensor;
    note(user, batch);
    for (int64_t i = 0; i < batch->count; i++) {
        values[i] = -(float)batch->rows[i];
        lengths[i] = 1;
    }
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 1));
    return alcore_column_writer_put(out, batch->rows, lengths, batch->count, &tensor);
}

TEST_COLUMN_FUNCTIONS({"embeddings", embed}, {"logprobs", logprobs});

static alcore_ctx *ctx;
static alcore_pool *pool;
static alcore_model *model;
static asked seen;

static void begin(void) {
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    pool = numbered_pool(ctx, ROWS);
    seen = (asked){0};
    host.user = &seen;
    host.name = "counting";
    host.batch_rows = 5;
    host.can = test_can;
    host.compute = test_compute;
    ck_assert_ok(alcore_model_new_host(ctx, &host, &model));
}

static void end(void) {
    alcore_column_writer_unref(seen.kept);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

/* Answers a request for two rows of the pool with lists of rows, [n] and ended by -1; NULL: no such
 * list. Forgets before it what the model was asked for. */
static alcore_selection *select_two(const char *strategy, const int64_t *eligible,
                                    const int64_t *excluded, const int64_t *labeled) {
    const int64_t *const lists[] = {eligible, excluded, labeled};
    alcore_request *request = request_for(ctx, pool, strategy, "2");
    alcore_selection *selection;
    ck_assert_ok(alcore_request_set_model(request, model));
    for (int32_t kind = 0; kind < 3; kind++) {
        int64_t count = 0;
        while (lists[kind] && lists[kind][count] >= 0) count++;
        ck_assert_ok(
            alcore_request_set_rows(request, ALCORE_ROWS_ELIGIBLE + kind, lists[kind], count));
    }
    memset(seen.row, 0, sizeof seen.row);
    seen.count = 0;
    ck_assert_ok(alcore_select(request, &selection));
    alcore_request_unref(request);
    return selection;
}

/* The model was asked once for each row of the list, ended by -1, and for no other. */
static void check_asked(const int64_t *rows) {
    int64_t count = 0;
    for (; rows[count] >= 0; count++)
        ck_assert_msg(seen.row[rows[count]] == 1, "row %lld: asked %d times",
                      (long long)rows[count], seen.row[rows[count]]);
    ck_assert_int_eq(seen.count, count);
}

static const int64_t nothing[] = {-1}, first_ten[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1};

START_TEST(rows_left_out_are_not_computed) {
    static const int64_t excluded[] = {1, 2, -1}, labeled[] = {3, -1},
                         computed[] = {0, 3, 4, 5, 6, 7, 8, 9, -1};
    begin();
    alcore_selection_unref(select_two("kcenter", first_ten, excluded, labeled));
    check_asked(computed);
    alcore_selection_unref(select_two("nnll", first_ten, excluded, NULL));
    check_asked((const int64_t[]){0, 3, 4, 5, 6, 7, 8, 9, -1});
    /* Fewer rows of the same column: nothing is computed anew. */
    alcore_selection_unref(select_two("nnll", (const int64_t[]){0, 9, -1}, NULL, NULL));
    check_asked(nothing);
    end();
}
END_TEST

START_TEST(rows_of_an_earlier_request_stay) {
    static const int64_t low[] = {0, 1, 2, 3, 4, -1}, high[] = {4, 5, 6, -1},
                         both[] = {0, 1, 2, 3, 4, 5, 6, -1};
    begin();
    alcore_selection_unref(select_two("nnll", low, NULL, NULL));
    check_asked(low);
    alcore_selection_unref(select_two("nnll", high, NULL, NULL));
    check_asked(both);
    alcore_selection_unref(select_two("nnll", low, NULL, NULL));
    check_asked(nothing);
    alcore_selection_unref(select_two("nnll", high, NULL, NULL));
    check_asked(nothing);
    end();
}
END_TEST

/* A text that the labeled pool holds is no candidate. */
START_TEST(known_texts_are_not_computed) {
    static const char *const known[] = {"sentence number 4 here"};
    static const int64_t computed[] = {0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, -1};
    begin();
    alcore_pool *labeled = pool_of(ctx, known, 1);
    alcore_request *request = request_for(ctx, pool, "nnll", "2");
    alcore_selection *selection;
    ck_assert_ok(alcore_request_set_model(request, model));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    ck_assert_ok(alcore_select(request, &selection));
    check_asked(computed);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(labeled);
    end();
}
END_TEST

/* The pool as its own target: the rows that may not be selected are read as rows of the target. */
START_TEST(a_pool_that_is_the_target_is_computed_whole) {
    static const int64_t all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -1};
    begin();
    alcore_request *request = request_for(ctx, pool, "average-dist", "2");
    alcore_selection *selection;
    ck_assert_ok(alcore_request_set_model(request, model));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, pool));
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_ELIGIBLE, first_ten, 3));
    ck_assert_ok(alcore_select(request, &selection));
    check_asked(all);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    end();
}
END_TEST

/* A host may keep a reference to its writer, which knows nothing of the request afterwards. */
START_TEST(a_kept_writer_outlives_the_request) {
    begin();
    alcore_selection_unref(select_two("kcenter", first_ten, NULL, NULL));
    ck_assert_ptr_nonnull(seen.kept);
    ck_assert_int_eq(alcore_column_writer_missing_count(seen.kept), 0);
    end();
}
END_TEST

/* Values of the built-in model do not depend on what a request leaves out. */
START_TEST(the_built_in_model_scores_what_is_read) {
    static const int64_t excluded[] = {1, 2, -1};
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    alcore_tensor whole, part;
    begin();
    alcore_model_unref(model);
    model = NULL;
    alcore_selection_unref(select_two("nnll", NULL, excluded, NULL));
    ck_assert_ok(alcore_pool_get_column_info(pool, "logprobs", &info));
    ck_assert_int_eq(info.entries, ROWS - 2);
    alcore_selection *some = select_two("nnll", first_ten, excluded, NULL);
    alcore_pool *again = numbered_pool(ctx, ROWS);
    alcore_pool_unref(pool);
    pool = again;
    alcore_selection *all = select_two("nnll", NULL, NULL, NULL);
    ck_assert_ok(alcore_pool_get_column_info(pool, "logprobs", &info));
    ck_assert_int_eq(info.entries, ROWS);
    ck_assert_ok(alcore_selection_get_column(all, ALCORE_SCOPE_CANDIDATES, "u", &whole));
    ck_assert_ok(alcore_selection_get_column(some, ALCORE_SCOPE_CANDIDATES, "u", &part));
    /* Candidates 0, 3, 4, ... of the first request are rows 0, 3, 4, ... of the second. */
    ck_assert_double_eq(((double *)part.data)[0], ((double *)whole.data)[0]);
    for (int64_t i = 1; i < part.shape[0]; i++)
        ck_assert_double_eq(((double *)part.data)[i], ((double *)whole.data)[i + 2]);
    alcore_selection_unref(some);
    alcore_selection_unref(all);
    end();
}
END_TEST

/* A model adds rows to the labeled pool while it computes the candidates: the request reads the
 * rows that the labeled pool had when it began. */
START_TEST(rows_added_to_the_labeled_pool_take_no_part) {
    static const char *const text[] = {"zero"};
    static const int64_t expected[] = {11, 5}; /* the farthest of row 0, then of rows 0 and 11 */
    begin();
    alcore_pool *labeled = pool_of(ctx, text, 1);
    alcore_request *request = request_for(ctx, pool, "kcenter", "2");
    ck_assert_ok(alcore_request_set_model(request, model));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    seen.grows = labeled;
    alcore_selection *selection = selected(request);
    ck_assert_int_eq(alcore_pool_row_count(labeled), 6);
    ck_rows(selection, expected, 2);
    json_t *root = json_loads(alcore_selection_provenance(selection), 0, NULL);
    const json_t *input = json_object_get(json_object_get(root, "inputs"), "labeled");
    ck_assert_int_eq(json_integer_value(json_object_get(input, "rows")), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(input, "used")), 1);
    json_decref(root);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(labeled);
    end();
}
END_TEST

CHECK_SUITE("wanted-rows", rows_left_out_are_not_computed, rows_of_an_earlier_request_stay,
            known_texts_are_not_computed, a_pool_that_is_the_target_is_computed_whole,
            a_kept_writer_outlives_the_request, the_built_in_model_scores_what_is_read,
            rows_added_to_the_labeled_pool_take_no_part);
