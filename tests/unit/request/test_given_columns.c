/* SPDX-License-Identifier: Apache-2.0 */
/* Where the columns of a request come from: the pool, a model, the built-in one; and what is said
 * of columns and numbers that are missing, not read or not finite. */
#include "request_test.h"

static alcore_ctx *new_ctx(void) {
    alcore_ctx *ctx;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    return ctx;
}

START_TEST(columns_come_from_the_built_in_model) {
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = numbered_pool(ctx, 40);
    alcore_request *request = request_for(ctx, pool, "huds", "5");
    alcore_selection *selection = selected(request), *again;
    const char *summary = alcore_selection_summary(selection);
    ck_assert_int_eq(alcore_selection_count(selection), 5);
    ck_assert_msg(strstr(summary,
                         "logprobs: model ngram order 4, cross-fitted in five folds of the "
                         "pool (none was given)"),
                  "%s", summary);
    ck_assert_ptr_nonnull(strstr(summary, "embeddings: model ngram character n-grams"));
    ck_assert_ptr_eq(summary, strstr(summary, "note: the built-in n-gram model stands in"));
    again = selected(request);
    ck_rows(again, alcore_selection_rows(selection), 5);
    /* What an earlier call left in the pool is still of that model. */
    ck_assert_uint_eq(alcore_selection_flags(again), ALCORE_SELECTION_BUILT_IN);
    alcore_selection_unref(again);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* A request that names a column, or a model, means it: the n-gram model answers for no other
 * column, nor does a column that it made for an earlier request. */
START_TEST(what_is_named_is_meant) {
    static const double vectors[] = {1, 0, 0, 1, 1, 1, 2, 1, 1, 2, 3, 1};
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = numbered_pool(ctx, 6);
    alcore_request *request = request_for(ctx, pool, "huds", "2");
    alcore_selection *selection = selected(request);
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    alcore_selection_unref(selection);
    give(pool, "embedings", vectors, 6, 2);
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_MISSING, "'scores|logprobs'");
    ck_assert_int_eq(alcore_last_remedy(&remedy), 1);
    ck_assert_int_eq(remedy.kind, ALCORE_REMEDY_MODEL);
    ck_assert_str_eq(remedy.name, "ngram");
    ck_assert_str_eq(remedy.value, "logprobs");
    give(pool, "scores", vectors, 6, 1);
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_MISSING,
                    "did you mean the column 'embedings'");
    give(pool, "embeddings", vectors, 6, 2);
    selection = selected(request);
    ck_assert_uint_eq(alcore_selection_flags(selection), 0);
    ck_assert_ptr_nonnull(
        strstr(alcore_selection_provenance(selection), "\"unread\":[\"embedings\"]"));
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* What belongs to one call has to be read by it; what a pool has otherwise need not. */
START_TEST(what_is_given_is_read) {
    static const double values[] = {0.5, 0.5, 1, 0, 0.9, 0.1, 0.2, 0.8, 0.3, 0.7, 0.6, 0.4};
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = numbered_pool(ctx, 6);
    alcore_request *request = request_for(ctx, pool, "entropy", "2");
    alcore_selection *selection;
    give(pool, "probs", values, 6, 2);
    give(pool, "embeddings", values, 6, 2);
    alcore_selection_unref(selected(request));
    ck_assert_ok(alcore_request_set(request, "given", "probs"));
    alcore_selection_unref(selected(request));
    ck_assert_ok(alcore_request_set(request, "given", "probs,embeddings"));
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_INVALID,
                    "the column 'embeddings' is not read: strategy entropy reads entropies or "
                    "probs; it is read by huds, ");
    ck_assert_ptr_null(selection);
    ck_assert_ok(alcore_request_set(request, "max_similarity", "0.9"));
    alcore_selection_unref(selected(request));
    ck_assert_ok(alcore_request_set(request, "given", "probs,labeled.embeddings"));
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_INVALID,
                    "the column 'embeddings' of the labeled pool is not read");
    give_ngram(ctx, request, NULL);
    ck_assert_ok(alcore_request_set(request, "given", "model,probs"));
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_INVALID, "the model is not read");
    set_parameter(ctx, request, "hybrid", "sentences", "entropy");
    ck_assert_ok(alcore_request_set(request, "given", "probs"));
    alcore_selection_unref(selected(request));
    ck_assert_ok(alcore_request_set(request, "given", "probs,entropies"));
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_INVALID, "'entropies'");
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* The strategies that are named read the column of that role, and one that would read it but for
 * another column is not told to be its reader. */
START_TEST(who_reads_a_column_that_is_not_read) {
    static const double values[] = {0.5, 0.5, 1, 0, 0.9, 0.1, 0.2, 0.8};
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = numbered_pool(ctx, 4);
    alcore_request *request = request_for(ctx, pool, "huds", "2");
    alcore_selection *selection;
    give(pool, "scores", values, 4, 1);
    give(pool, "logprobs", values, 4, 1);
    give(pool, "embeddings", values, 4, 2);
    ck_assert_ok(alcore_request_set(request, "given", "labeled.embeddings"));
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_INVALID,
                    "the column 'embeddings' of the labeled pool is not read: strategy huds reads "
                    "no column of the labeled pool; it is read by idds, kcenter");
    ck_assert_ptr_null(strstr(alcore_last_error(), "by huds"));
    ck_assert_ptr_null(strstr(alcore_last_error(), ", huds"));
    ck_assert_ok(alcore_request_set(request, "given", "labeled.margins"));
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_INVALID,
                    "strategy huds reads no column of the labeled pool");
    ck_assert_ptr_null(strstr(alcore_last_error(), "it is read by"));
    ck_assert_ok(alcore_request_set(request, "given", "scores,logprobs"));
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_INVALID,
                    "the column 'logprobs' is not read: strategy huds reads scores or logprobs, "
                    "embeddings; in its place it reads scores");
    set_parameter(ctx, request, "hybrid", "sentences", "huds");
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_INVALID,
                    "the column 'logprobs' is not read: strategy hybrid reads scores, embeddings; "
                    "in its place it reads scores");
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(missing_columns_are_named) {
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = numbered_pool(ctx, 6);
    alcore_request *request = request_for(ctx, pool, "entropy", "2");
    alcore_selection *selection;
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_MISSING, "probs");
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    ck_assert_int_eq(alcore_last_remedy(&remedy), 1);
    ck_assert_int_eq(remedy.kind, ALCORE_REMEDY_COLUMN);
    ck_assert_str_eq(remedy.name, "probs");
    ck_assert_ptr_null(remedy.value);
    const double values[] = {0.5, 0.5, 1, 0, 0.9, 0.1};
    const int64_t rows[] = {0, 2, 3};
    alcore_tensor tensor;
    int64_t shape[2] = {3, 2};
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.rows = rows;
    options.row_count = 3;
    ck_assert_ok(alcore_tensor_init(&tensor, (void *)(uintptr_t)values, ALCORE_FLOAT64, shape, 2));
    ck_assert_ok(alcore_pool_set_column(pool, "probs", &tensor, NULL, &options));
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_MISSING, "row 1 and 2 more");
    ck_assert_ptr_null(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* A NaN compares false with every similarity limit. */
START_TEST(a_nan_under_the_limit_names_its_row) {
    double vectors[16];
    alcore_selection *selection;
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = huds_pool(ctx);
    memcpy(vectors, huds_embeddings, sizeof vectors);
    vectors[2 * 4 + 1] = (double)NAN;
    give(pool, "embeddings", vectors, 8, 2);
    alcore_request *request = request_for(ctx, pool, "nnll", "8");
    ck_assert_ok(alcore_request_set(request, "max_similarity", "0.97"));
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_DATA, "row 4: component 1");
    ck_assert_ptr_null(selection);
    ck_assert_ok(alcore_request_set(request, "nan", "exclude"));
    selection = selected(request);
    for (int64_t k = 0; k < alcore_selection_count(selection); k++)
        ck_assert_int_ne(alcore_selection_rows(selection)[k], 4);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

static alcore_status infinite_scores(void *user, const alcore_view *view, alcore_choice *out) {
    double scores[8] = {0};
    (void)user;
    scores[5] = (double)INFINITY;
    return alcore_choice_scores(out, scores, alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES));
}

START_TEST(an_infinite_score_names_its_row) {
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    alcore_strategy *strategy;
    alcore_selection *selection;
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = numbered_pool(ctx, 8);
    alcore_request *request = request_for(ctx, pool, "random", "3");
    host.choose = infinite_scores;
    ck_assert_ok(alcore_strategy_new_host(ctx, &host, &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_DATA,
                    "row 5: the score is infinite");
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("given columns", columns_come_from_the_built_in_model, what_is_named_is_meant,
            what_is_given_is_read, who_reads_a_column_that_is_not_read, missing_columns_are_named,
            a_nan_under_the_limit_names_its_row, an_infinite_score_names_its_row);
