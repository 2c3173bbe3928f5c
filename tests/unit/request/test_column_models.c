/* SPDX-License-Identifier: Apache-2.0 */
/* A request with a model for each column: which of them is asked for what. */
#include "column_functions.h"
#include "request_test.h"

enum { ROWS = 8 };

/* A host's model that answers each row with its number in `user`, and counts the rows and the
 * calls. */
typedef struct answers {
    float value;
    int64_t embedded, scored; /* rows */
    int64_t calls;            /* of both functions */
    bool embeds, scores;      /* which columns the model makes */
} answers;

static alcore_status embed(void *user, const alcore_batch *batch, alcore_column_writer *out) {
    answers *self = user;
    float values[ROWS][2];
    int64_t shape[2] = {batch->count, 2};
    alcore_tensor tensor;
    for (int64_t i = 0; i < batch->count; i++) {
        values[i][0] = (float)batch->rows[i];
        values[i][1] = self->value;
    }
    self->embedded += batch->count;
    self->calls++;
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 2));
    return alcore_column_writer_put(out, batch->rows, NULL, batch->count, &tensor);
}

static alcore_status logprobs(void *user, const alcore_batch *batch, alcore_column_writer *out) {
    answers *self = user;
    float values[ROWS];
    int64_t lengths[ROWS], shape[1] = {batch->count};
    alcore_tensor tensor;
    for (int64_t i = 0; i < batch->count; i++) {
        values[i] = -self->value * (float)(batch->rows[i] + 1);
        lengths[i] = 1;
    }
    self->scored += batch->count;
    self->calls++;
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 1));
    return alcore_column_writer_put(out, batch->rows, lengths, batch->count, &tensor);
}

TEST_COLUMN_FUNCTIONS({"embeddings", embed}, {"logprobs", logprobs});

/* alcore_model_host.can */
static int32_t can(void *user, const char *column) {
    const answers *self = user;
    return strcmp(column, "embeddings") == 0 ? self->embeds
           : strcmp(column, "logprobs") == 0 ? self->scores
                                             : 0;
}

static alcore_ctx *ctx;
static alcore_pool *pool;
static alcore_request *request;
static answers first, second;

static alcore_model *model_of(const char *name, answers *user, bool embeds, bool scores) {
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    alcore_model *out;
    host.user = user;
    host.name = name;
    user->embeds = embeds;
    user->scores = scores;
    host.can = can;
    host.compute = test_compute;
    ck_assert_ok(alcore_model_new_host(ctx, &host, &out));
    return out;
}

static void begin(void) {
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    pool = numbered_pool(ctx, ROWS);
    request = request_for(ctx, pool, "huds", "2");
    first = (answers){.value = 1};
    second = (answers){.value = 2};
}

static void end(void) {
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

static void select_two(void) {
    alcore_selection *selection;
    ck_assert_ok(alcore_select(request, &selection));
    ck_assert_int_eq(alcore_selection_count(selection), 2);
    alcore_selection_unref(selection);
}

static void check_origin(const char *column, const char *part) {
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    ck_assert_ok(alcore_pool_get_column_info(pool, column, &info));
    ck_assert_msg(strstr(info.origin, part) != NULL, "%s: %s", column, info.origin);
}

START_TEST(each_column_has_its_model) {
    begin();
    alcore_model *both = model_of("both", &first, true, true);
    alcore_model *other = model_of("other", &second, true, true);
    ck_assert_ok(alcore_request_set_column_model(request, "logprobs", both));
    ck_assert_ok(alcore_request_set_column_model(request, "embeddings", other));
    alcore_model_unref(both); /* the request holds them */
    alcore_model_unref(other);
    select_two();
    check_origin("logprobs", "model both");
    check_origin("embeddings", "model other");
    ck_assert_int_eq(first.scored, ROWS);
    ck_assert_int_eq(first.embedded, 0);
    ck_assert_int_eq(second.embedded, ROWS);
    ck_assert_int_eq(second.scored, 0);
    select_two(); /* both columns stand */
    ck_assert_int_eq(first.scored + second.embedded, 2 * ROWS);
    end();
}
END_TEST

START_TEST(other_columns_come_from_the_model_of_the_request) {
    begin();
    alcore_model *general = model_of("general", &first, true, true);
    alcore_model *embeds = model_of("embeds", &second, true, false);
    ck_assert_ok(alcore_request_set_model(request, general));
    ck_assert_ok(alcore_request_set_column_model(request, "embeddings", embeds));
    select_two();
    check_origin("logprobs", "model general");
    check_origin("embeddings", "model embeds");
    /* Without one of its own the column is that of the request's model again. */
    ck_assert_ok(alcore_request_set_column_model(request, "embeddings", NULL));
    select_two();
    check_origin("embeddings", "model general");
    alcore_model_unref(general);
    alcore_model_unref(embeds);
    end();
}
END_TEST

START_TEST(wrong_columns_and_models_are_refused) {
    begin();
    alcore_ctx *foreign;
    alcore_model *embeds = model_of("embeds", &first, true, false), *stranger;
    ck_assert_fails(alcore_request_set_column_model(request, "embedding", embeds),
                    ALCORE_E_NOT_FOUND, "did you mean 'embeddings'");
    ck_assert_fails(alcore_request_set_column_model(request, "logprobs", embeds),
                    ALCORE_E_UNSUPPORTED, "model embeds cannot make the column 'logprobs'");
    ck_assert_fails(alcore_request_set_column_model(request, NULL, embeds), ALCORE_E_INVALID,
                    "column is needed");
    ck_assert_ok(alcore_ctx_new(NULL, &foreign));
    ck_assert_ok(alcore_model_new_ngram(foreign, NULL, NULL, &stranger));
    ck_assert_fails(alcore_request_set_column_model(request, "embeddings", stranger),
                    ALCORE_E_INVALID, "another context");
    alcore_model_unref(stranger);
    alcore_ctx_unref(foreign);
    alcore_model_unref(embeds);
    end();
}
END_TEST

/* Scores each candidate by its row; *user counts the calls. */
static alcore_status choose_and_count(void *user, const alcore_view *view, alcore_choice *out) {
    double scores[ROWS];
    const int64_t count = alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES);
    ck_assert_int_le(count, ROWS);
    for (int64_t i = 0; i < count; i++)
        scores[i] = (double)alcore_view_rows(view, ALCORE_ROLE_CANDIDATES)[i];
    ++*(int64_t *)user;
    return alcore_choice_scores(out, scores, count);
}

/* Selects for a list of budgets; *calls is the calls of the functions of both models. */
static void select_budgets(const char *budgets, int64_t count, int64_t *calls) {
    first.value = second.value = 1;
    first.scored = first.embedded = first.calls = 0;
    second.scored = second.embedded = second.calls = 0;
    ck_assert_ok(alcore_request_set(request, "budget", budgets));
    alcore_selection *selection = selected(request);
    ck_assert_int_eq(alcore_selection_budget_count(selection), count);
    alcore_selection_unref(selection);
    *calls = first.calls + second.calls;
}

/* All budgets of a list are spent from the same scores: the functions of a host are called as often
 * as for one of them. A model without a name keeps no column, so that a second pass would ask it
 * again. */
START_TEST(several_budgets_are_one_pass_over_the_functions_of_a_host) {
    static const char *const needs[] = {"logprobs", "embeddings", NULL};
    begin();
    int64_t of_one, of_three, chosen = 0;
    alcore_model *scores = model_of(NULL, &first, false, true);
    alcore_model *embeds = model_of(NULL, &second, true, false);
    ck_assert_ok(alcore_request_set_column_model(request, "logprobs", scores));
    ck_assert_ok(alcore_request_set_column_model(request, "embeddings", embeds));
    alcore_model_unref(scores);
    alcore_model_unref(embeds);
    select_budgets("3", 1, &of_one); /* of huds */
    ck_assert_int_ge(of_one, 2);
    select_budgets("2,5,3", 3, &of_three);
    ck_assert_int_eq(of_three, of_one);
    ck_assert_int_eq(first.scored, ROWS);
    ck_assert_int_eq(second.embedded, ROWS);
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    alcore_strategy *strategy;
    host.user = &chosen;
    host.needs = needs;
    host.choose = choose_and_count;
    ck_assert_ok(alcore_strategy_new_host(ctx, &host, &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_strategy_unref(strategy);
    select_budgets("3", 1, &of_one);
    ck_assert_int_eq(chosen, 1);
    select_budgets("2,5,3", 3, &of_three);
    ck_assert_int_eq(chosen, 2);
    ck_assert_int_eq(of_three, of_one);
    end();
}
END_TEST

CHECK_SUITE("column models", each_column_has_its_model,
            other_columns_come_from_the_model_of_the_request, wrong_columns_and_models_are_refused,
            several_budgets_are_one_pass_over_the_functions_of_a_host);
