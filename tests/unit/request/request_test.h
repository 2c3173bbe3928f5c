/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of requests and selections share. */
#ifndef REQUEST_TEST_H
#define REQUEST_TEST_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "alcore/extra.h"
#include "check_status.h"
#include "check_suite.h"
#include "file_text.h"

static inline alcore_pool *pool_of(alcore_ctx *ctx, const char *const *texts, int64_t count) {
    alcore_pool *pool;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, count, NULL));
    return pool;
}

/* Distinct texts of four words. */
static inline alcore_pool *numbered_pool(alcore_ctx *ctx, int64_t count) {
    alcore_pool *pool;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    for (int64_t i = 0; i < count; i++) {
        char text[64];
        const char *texts[] = {text};
        snprintf(text, sizeof text, "sentence number %lld here", (long long)i);
        ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
    }
    return pool;
}

/* A column [rows] or, with dims > 1, [rows, dims]. */
static inline void give(alcore_pool *pool, const char *name, const double *values, int64_t rows,
                        int64_t dims) {
    alcore_tensor tensor;
    int64_t shape[2] = {rows, dims};
    ck_assert_ok(alcore_tensor_init(&tensor, (void *)(uintptr_t)values, ALCORE_FLOAT64, shape,
                                    dims == 1 ? 1 : 2));
    ck_assert_ok(alcore_pool_set_column(pool, name, &tensor, NULL, NULL));
}

static inline alcore_request *request_for(alcore_ctx *ctx, alcore_pool *pool, const char *strategy,
                                          const char *budget) {
    alcore_request *request;
    alcore_strategy *made;
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_ok(alcore_strategy_new(ctx, strategy, &made));
    ck_assert_ok(alcore_request_set_strategy(request, made));
    alcore_strategy_unref(made);
    ck_assert_ok(alcore_request_set(request, "budget", budget));
    return request;
}

/* Agrees to the built-in n-gram model for columns that are not given. */
static inline void give_ngram(alcore_ctx *ctx, alcore_request *request, alcore_pool *labeled) {
    alcore_model *ngram;
    ck_assert_ok(alcore_model_new_ngram(ctx, labeled, NULL, &ngram));
    ck_assert_ok(alcore_request_set_model(request, ngram));
    alcore_model_unref(ngram);
}

static inline void set_parameter(alcore_ctx *ctx, alcore_request *request, const char *strategy,
                                 const char *name, const char *value) {
    alcore_strategy *made;
    ck_assert_ok(alcore_strategy_new(ctx, strategy, &made));
    ck_assert_ok(alcore_strategy_set(made, name, value));
    ck_assert_ok(alcore_request_set_strategy(request, made));
    alcore_strategy_unref(made);
}

static inline alcore_selection *selected(alcore_request *request) {
    alcore_selection *selection;
    ck_assert_ok(alcore_select(request, &selection));
    return selection;
}

static inline void ck_rows(const alcore_selection *selection, const int64_t *expected,
                           int64_t count) {
    ck_assert_int_eq(alcore_selection_count(selection), count);
    for (int64_t i = 0; i < count; i++)
        ck_assert_int_eq(alcore_selection_rows(selection)[i], expected[i]);
}

/* The eight items of TV-HUDS (spec 3.5). */
static const double huds_scores[] = {0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.5};
static const double huds_embeddings[] = {1, 0, 0, 1, 3, 4, 4, 3, 1, 0, -1, 0, 2, 0, 2, 0};

static inline alcore_pool *huds_pool(alcore_ctx *ctx) {
    alcore_pool *pool = numbered_pool(ctx, 8);
    give(pool, "scores", huds_scores, 8, 1);
    give(pool, "embeddings", huds_embeddings, 8, 2);
    return pool;
}

#endif
