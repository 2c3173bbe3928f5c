/* SPDX-License-Identifier: Apache-2.0 */
/* A request with a model for each column: which of them is asked for what. */
#include "request_test.h"

enum { ROWS = 8 };

/* A host's model that answers each row with its number in `user`, and counts the rows. */
typedef struct answers {
    float value;
    int64_t embedded, scored;
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
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 1));
    return alcore_column_writer_put(out, batch->rows, lengths, batch->count, &tensor);
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
    host.embed = embeds ? embed : NULL;
    host.token_logprobs = scores ? logprobs : NULL;
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
    ck_assert_ok(alcore_pool_column_info(pool, column, &info));
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

CHECK_SUITE("column models", each_column_has_its_model,
            other_columns_come_from_the_model_of_the_request, wrong_columns_and_models_are_refused);
