/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: options, budgets, masks, where columns come from, and the picks. */
#include "request_test.h"
#include "vectors.h"

#include <stdio.h>

#include "request/request_internal.h"

static alcore_ctx *new_ctx(void) {
    alcore_ctx *ctx;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    return ctx;
}

START_TEST(options_say_what_is_wrong) {
    alcore_ctx *ctx = new_ctx();
    alcore_request *request;
    alcore_selection *selection = (alcore_selection *)1;
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_fails(alcore_request_set(request, "bugdet", "10"), ALCORE_E_PARAM, "budget");
    ck_assert_fails(alcore_request_set(request, "budget", "-3"), ALCORE_E_PARAM, "negative");
    ck_assert_fails(alcore_request_set(request, "budget", "3 parrots"), ALCORE_E_PARAM, "words");
    ck_assert_fails(alcore_request_set(request, "round", "0"), ALCORE_E_PARAM, "round");
    ck_assert_fails(alcore_request_set(request, "fill", "overshot"), ALCORE_E_PARAM, "overshoot");
    ck_assert_fails(alcore_request_set(request, "spread", "0.9"), ALCORE_E_PARAM, "max_similarity");
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_INVALID, "pool");
    ck_assert_ptr_null(selection);
    alcore_pool *pool = numbered_pool(ctx, 3);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_PARAM, "budget");
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, pool));
    ck_assert_ok(alcore_request_set(request, "budget", "1"));
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_INVALID, "labeled");
    ck_assert_fails(alcore_request_set_pool(request, 9, pool), ALCORE_E_INVALID, "role 9");
    int32_t count = 0;
    for (;; count++) {
        alcore_param_info info = ALCORE_PARAM_INFO_INIT;
        if (alcore_request_builtin_param(count, &info) != ALCORE_OK) break;
        ck_assert_ptr_nonnull(info.help);
    }
    ck_assert_int_ge(count, 8);
    alcore_pool_unref(pool);
    alcore_request_unref(request);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(huds_picks) {
    static const int64_t half[] = {7, 5, 4, 6}, none[] = {7, 6, 5, 4}, one[] = {4, 5, 0, 1};
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = huds_pool(ctx);
    alcore_request *request = request_for(ctx, pool, "huds", "4");
    alcore_strategy *strategy;
    ck_assert_ok(alcore_strategy_new(ctx, "huds", &strategy));
    ck_assert_ok(alcore_strategy_set(strategy, "n_strata", "4"));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_selection *selection = selected(request);
    ck_rows(selection, half, 4);
    ck_assert_double_eq(alcore_selection_scores(selection)[1], 2.0);
    ck_assert_double_eq(alcore_selection_costs(selection)[0], 1);
    ck_assert_double_eq(alcore_selection_spent(selection), 4);
    ck_assert_uint_eq(alcore_selection_flags(selection), 0);
    ck_assert_ptr_eq(alcore_selection_pool(selection), pool);
    alcore_selection_unref(selection);
    ck_assert_ok(alcore_strategy_set(strategy, "lambda", "0"));
    selection = selected(request);
    ck_rows(selection, none, 4);
    alcore_selection_unref(selection);
    ck_assert_ok(alcore_strategy_set(strategy, "lambda", "1"));
    selection = selected(request);
    ck_rows(selection, one, 4);
    alcore_selection_unref(selection);
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(draws) {
    vector_case random = vector_case_named(vector_find("random", "TV-DRAW"), "random"),
                candidates = vector_case_named(vector_find("random", "TV-DRAW"), "candidates");
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = numbered_pool(ctx, 10);
    alcore_request *request = request_for(ctx, pool, "random", "5");
    alcore_tensor rows;
    ck_assert_ok(alcore_request_set(request, "seed", "42"));
    alcore_selection *selection = selected(request);
    ck_rows(selection, vector_integers(vector_expected(&random, "picks"), NULL), 5);
    ck_assert_str_eq(alcore_selection_reason(selection, 0), "drawn at random");
    ck_assert_ok(alcore_request_candidates(request, 4, &rows));
    ck_assert(rows.ndim == 1 && rows.shape[0] == 4);
    vector_equal(rows.data, vector_expected(&candidates, "picks"));
    ck_assert_ok(alcore_request_candidates(request, 10, &rows));
    ck_assert_int_eq(rows.shape[0], 10);
    ck_assert_ok(alcore_request_candidates(request, INT64_MAX, &rows));
    ck_assert_int_eq(rows.shape[0], 10);
    ck_assert_ok(alcore_request_candidates(request, 0, &rows));
    ck_assert(rows.shape[0] == 0 && rows.data);
    ck_assert_fails(alcore_request_candidates(request, -1, &rows), ALCORE_E_INVALID, "0 or more");
    ck_assert(!rows.data && !rows.shape);
    ck_assert_fails(alcore_request_candidates(request, 1, NULL), ALCORE_E_INVALID, "out_rows");
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Odd pools (spec B.15). */
START_TEST(small_and_odd_pools) {
    alcore_ctx *ctx = new_ctx();
    alcore_pool *empty = pool_of(ctx, NULL, 0), *one = numbered_pool(ctx, 1),
                *eight = huds_pool(ctx);
    alcore_request *request = request_for(ctx, empty, "huds", "5");
    alcore_selection *selection = selected(request);
    ck_assert_int_eq(alcore_selection_count(selection), 0);
    ck_assert_uint_eq(alcore_selection_flags(selection), ALCORE_SELECTION_SHORT);
    ck_assert_ptr_nonnull(strstr(alcore_selection_summary(selection), "the pool has no rows"));
    alcore_selection_unref(selection);

    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, one));
    selection = selected(request);
    ck_assert_int_eq(alcore_selection_count(selection), 1);
    ck_assert_uint_eq(alcore_selection_flags(selection),
                      ALCORE_SELECTION_SHORT | ALCORE_SELECTION_BUILT_IN);
    alcore_selection_unref(selection);

    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, eight));
    ck_assert_ok(alcore_request_set(request, "budget", "100"));
    selection = selected(request);
    ck_assert_int_eq(alcore_selection_count(selection), 8);
    ck_assert_uint_eq(alcore_selection_flags(selection), ALCORE_SELECTION_SHORT);
    ck_assert_ptr_nonnull(strstr(alcore_selection_summary(selection), "SHORT"));
    alcore_selection_unref(selection);

    ck_assert_ok(alcore_request_set(request, "budget", "0"));
    selection = selected(request);
    ck_assert_int_eq(alcore_selection_count(selection), 0);
    ck_assert_uint_eq(alcore_selection_flags(selection), 0);
    alcore_selection_unref(selection);

    const double same[8] = {2, 2, 2, 2, 2, 2, 2, 2},
                 alike[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const int64_t first[] = {0, 1, 2};
    give(eight, "scores", same, 8, 1);
    give(eight, "embeddings", alike, 8, 2);
    ck_assert_ok(alcore_request_set(request, "budget", "3"));
    selection = selected(request);
    ck_rows(selection, first, 3); /* ties go to the lower row */
    alcore_selection_unref(selection);

    double broken[8] = {2, 2, 2, 2, 2, 2, 2, 2};
    broken[5] = (double)NAN;
    give(eight, "scores", broken, 8, 1);
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_DATA, "row 5");
    ck_assert_ok(alcore_request_set(request, "nan", "exclude"));
    ck_assert_ok(alcore_request_set(request, "budget", "8"));
    selection = selected(request);
    ck_assert_int_eq(alcore_selection_count(selection), 7);
    ck_assert_ptr_nonnull(strstr(alcore_selection_summary(selection), "1 with a NaN"));
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(empty);
    alcore_pool_unref(one);
    alcore_pool_unref(eight);
    alcore_ctx_unref(ctx);
}
END_TEST

/* TV-AVG through a request: the target is a pool with languages and an empty text. */
START_TEST(targets_have_languages) {
    static const char *const texts[] = {"one a", "two b", "three c", "four d", "five e"};
    static const char *const target_texts[] = {"six f", "", "seven g", "eight h"};
    static const char *const languages[] = {"bn", "xx", "bn", "te"};
    vector_case known = vector_case_named(vector_find("multilingual", "TV-AVG"), "balanced");
    const double *source = vector_doubles(vector_input(&known, "source"), NULL);
    const double *given = vector_doubles(vector_input(&known, "target"), NULL);
    const int64_t *expected = vector_integers(vector_expected(&known, "order"), NULL);
    const double *distances = vector_doubles(vector_expected(&known, "distances"), NULL);
    /* The empty text, row 1 of the target, has a vector that nobody may look at. */
    const double vectors[] = {given[0], given[1], 99, 99, given[2], given[3], given[4], given[5]};
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = pool_of(ctx, texts, 5), *target;
    alcore_records records = ALCORE_RECORDS_INIT;
    records.count = 4;
    records.texts = target_texts;
    records.languages = languages;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &target));
    ck_assert_ok(alcore_pool_add_records(target, &records, NULL));
    give(pool, "embeddings", source, 5, 2);
    give(target, "embeddings", vectors, 4, 2);
    alcore_request *request = request_for(ctx, pool, "average-dist", "5");
    alcore_selection *selection = NULL;
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_MISSING, "needs a target");
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    ck_assert_int_eq(alcore_last_remedy(&remedy), 1);
    ck_assert_int_eq(remedy.kind, ALCORE_REMEDY_POOL);
    ck_assert_str_eq(remedy.name, "target");
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, target));
    set_parameter(ctx, request, "average-dist", "balance_targets", "1");
    selection = selected(request);
    ck_rows(selection, expected, 5);
    ck_assert_double_eq_tol(alcore_selection_scores(selection)[0], -distances[expected[0]], 1e-12);
    ck_assert_ptr_nonnull(
        strstr(alcore_selection_provenance(selection), "\"target\":{\"rows\":4,\"used\":3"));
    alcore_selection_unref(selection);

    alcore_strategy *unread; /* leaves the target of the request unread, as random needs none */
    ck_assert_ok(alcore_strategy_new(ctx, "random", &unread));
    ck_assert_ok(alcore_request_set_strategy(request, unread));
    alcore_strategy_unref(unread);
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_INVALID,
                    "strategy random does not read the target, but these do: average-dist");
    ck_assert_ptr_null(selection);
    ck_assert_int_eq(alcore_last_remedy(&remedy), 1);
    ck_assert_int_eq(remedy.kind, ALCORE_REMEDY_STRATEGY);
    ck_assert_str_eq(remedy.name, "average-dist");
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, NULL));
    alcore_selection_unref(selected(request));
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_pool_unref(target);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(masks) {
    static const char *const texts[] = {"alpha one",   "beta two",   "alpha one",    "",
                                        "gamma three", "delta four", "epsilon five", "zeta six"};
    static const char *const known[] = {"gamma three"};
    static const double scores[] = {1, 2, 9, 9, 9, 9, 3, 9};
    static const int64_t expected[] = {6, 1, 0};
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = pool_of(ctx, texts, 8), *labeled = pool_of(ctx, known, 1);
    int64_t excluded = 5, done = 7;
    give(pool, "scores", scores, 8, 1);
    give(pool, "embeddings", huds_embeddings, 8, 2);
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, &excluded, 1));
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, &done, 1));
    alcore_request *request = request_for(ctx, pool, "huds", "8");
    set_parameter(ctx, request, "huds", "lambda", "0");
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    alcore_selection *selection = selected(request);
    ck_rows(selection, expected, 3);
    const char *summary = alcore_selection_summary(selection);
    ck_assert_ptr_nonnull(strstr(summary, "rows read: 8"));
    ck_assert_ptr_nonnull(strstr(summary, "1 empty, 1 duplicate, 1 labeled, 1 known from the "
                                          "labeled pool, 1 excluded"));
    ck_assert_ptr_nonnull(strstr(summary, "scored 3 of 8"));
    alcore_selection_unref(selection);
    /* What belongs to a request is told by its selection, and is no state of the pool. */
    const double with_nan[] = {1, 2, 9, 9, 9, 9, (double)NAN, 9};
    give(pool, "scores", with_nan, 8, 1);
    ck_assert_ok(alcore_request_set(request, "nan", "exclude"));
    selection = selected(request);
    ck_rows(selection, expected + 1, 2);
    const char *provenance = alcore_selection_provenance(selection);
    ck_assert_msg(strstr(provenance, "\"known\":1") && strstr(provenance, "\"nan\":1"), "%s",
                  provenance);
    ck_assert_int_eq(alcore_pool_state_count(pool, ALCORE_ROW_NAN | ALCORE_ROW_KNOWN), 0);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_pool_unref(labeled);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(budgets_in_words_characters_and_units) {
    static const char *const texts[] = {"one two three four", "one two", "one two three", "one"};
    static const double scores[] = {9, 8, 7, 6}, costs[] = {5, 1, 1, 0};
    static const int64_t over[] = {0, 1}, stop[] = {0}, skip[] = {0, 3}, units[] = {0, 1};
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool;
    alcore_records records = ALCORE_RECORDS_INIT;
    records.count = 4;
    records.texts = texts;
    records.costs = costs;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    give(pool, "scores", scores, 4, 1);
    alcore_request *request = request_for(ctx, pool, "huds", "5w");
    give(pool, "embeddings", huds_embeddings, 4, 2);
    set_parameter(ctx, request, "huds", "lambda", "0");
    alcore_selection *selection = selected(request);
    ck_rows(selection, over, 2);
    ck_assert_double_eq(alcore_selection_spent(selection), 6);
    ck_assert_ptr_nonnull(
        strstr(alcore_selection_summary(selection), "spent 6 of 5 words, 1 over"));
    ck_assert_ptr_nonnull(strstr(alcore_selection_summary(selection), "the last pick overshot"));
    alcore_selection_unref(selection);
    ck_assert_ok(alcore_request_set(request, "fill", "stop"));
    selection = selected(request);
    ck_rows(selection, stop, 1);
    alcore_selection_unref(selection);
    ck_assert_ok(alcore_request_set(request, "fill", "skip"));
    selection = selected(request);
    ck_rows(selection, skip, 2);
    alcore_selection_unref(selection);
    ck_assert_ok(alcore_request_set(request, "budget", "19 characters"));
    selection = selected(request);
    ck_assert_double_eq(alcore_selection_costs(selection)[0], 18);
    alcore_selection_unref(selection);
    ck_assert_ok(alcore_request_set(request, "fill", "overshoot"));
    ck_assert_ok(alcore_request_set(request, "budget", "5.5u"));
    selection = selected(request);
    ck_rows(selection, units, 2);
    alcore_selection_unref(selection);
    const char *more[] = {"a text without a cost"};
    ck_assert_ok(alcore_pool_add_texts(pool, more, NULL, 1, NULL));
    const double five[] = {9, 8, 7, 6, 5};
    give(pool, "scores", five, 5, 1);
    give(pool, "embeddings", huds_embeddings, 5, 2);
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_DATA, "row 4");
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* `texts[index]` is the text that a user sees, with duplicates, an empty last line and full-length
 * columns. */
START_TEST(index_is_the_row_as_given) {
    static const char *const lines[] = {"the first", "second one", "the first",       "third row",
                                        "",          "second one", "fourth and last", ""};
    static const double scores[] = {1, 5, 100, 3, 100, 100, 4, 100};
    static const int64_t expected[] = {1, 6, 3, 0};
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = pool_of(ctx, lines, 8);
    give(pool, "scores", scores, 8, 1);
    give(pool, "embeddings", huds_embeddings, 8, 2);
    alcore_request *request = request_for(ctx, pool, "huds", "8");
    set_parameter(ctx, request, "huds", "lambda", "0");
    alcore_selection *selection = selected(request);
    ck_rows(selection, expected, 4);
    for (int64_t k = 0; k < 4; k++)
        ck_assert_str_eq(alcore_pool_text(pool, alcore_selection_rows(selection)[k], NULL),
                         lines[expected[k]]);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* The caller's own rule: larger rows first; budgets, masks and reports stay the library's. */
static alcore_status last_rows_first(void *user, const alcore_view *view, alcore_choice *out) {
    double scores[16];
    int64_t count = alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES);
    *(int64_t *)user = alcore_view_round(view);
    ck_assert_int_le(count, 16);
    for (int64_t i = 0; i < count; i++)
        scores[i] = (double)alcore_view_rows(view, ALCORE_ROLE_CANDIDATES)[i];
    return alcore_choice_scores(out, scores, count);
}

START_TEST(own_strategy) {
    static const int64_t expected[] = {9, 7, 6};
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = numbered_pool(ctx, 10);
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    alcore_strategy *strategy;
    alcore_request *request = request_for(ctx, pool, "random", "12w");
    int64_t round = 0, masked = 8;
    host.user = &round;
    host.name = "last";
    host.choose = last_rows_first;
    ck_assert_ok(alcore_strategy_new_host(ctx, &host, &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_request_set(request, "round", "3"));
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, &masked, 1));
    alcore_selection *selection = selected(request);
    ck_rows(selection, expected, 3);
    ck_assert_int_eq(round, 3);
    ck_assert_str_eq(alcore_selection_reason(selection, 0), "score top 12 %");
    ck_assert_ptr_nonnull(strstr(alcore_selection_provenance(selection), "\"strategy\":\"last\""));
    alcore_selection_unref(selection);
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* sticky=1: the next round's candidates are this round's without the labeled ones, topped up
 * (spec 3.7). */
START_TEST(candidates_stay) {
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = numbered_pool(ctx, 40);
    alcore_request *request = request_for(ctx, pool, "huds", "2");
    alcore_strategy *strategy;
    alcore_tensor first, second;
    ck_assert_ok(alcore_strategy_new(ctx, "huds", &strategy));
    ck_assert_ok(alcore_strategy_set(strategy, "candidates", "10"));
    ck_assert_ok(alcore_strategy_set(strategy, "sticky", "1"));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_selection *one = selected(request), *two;
    ck_assert_ok(alcore_selection_get_column(one, ALCORE_SCOPE_CANDIDATES, "row", &first));
    ck_assert_int_eq(first.shape[0], 10);
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, alcore_selection_rows(one), 2));
    ck_assert_ok(alcore_request_set(request, "round", "2"));
    two = selected(request);
    ck_assert_ok(alcore_selection_get_column(two, ALCORE_SCOPE_CANDIDATES, "row", &second));
    ck_assert_int_eq(second.shape[0], 10);
    int kept = 0;
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 10; k++)
            kept += ((const int64_t *)first.data)[i] == ((const int64_t *)second.data)[k];
    ck_assert_int_eq(kept, 8);
    alcore_selection_unref(one);
    alcore_selection_unref(two);
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(like_rows_are_passed_over) {
    static const int64_t expected[] = {7, 5, 3, 2};
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = huds_pool(ctx);
    alcore_request *request = request_for(ctx, pool, "huds", "4");
    set_parameter(ctx, request, "huds", "lambda", "0");
    ck_assert_ok(alcore_request_set(request, "max_similarity", "0.97"));
    alcore_selection *selection = selected(request);
    ck_rows(selection, expected, 4); /* 6 and 4 point where 7 does */
    ck_assert_ptr_nonnull(
        strstr(alcore_selection_provenance(selection), "\"passed_over_similar\":2"));
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Another pool's rows are no last round's candidates. */
START_TEST(candidates_of_another_pool_are_forgotten) {
    alcore_ctx *ctx = new_ctx();
    alcore_pool *first = numbered_pool(ctx, 40), *second = numbered_pool(ctx, 40);
    alcore_request *request = request_for(ctx, first, "huds", "2"), *fresh;
    alcore_strategy *strategy;
    alcore_tensor stale, drawn;
    ck_assert_ok(alcore_strategy_new(ctx, "huds", &strategy));
    ck_assert_ok(alcore_strategy_set(strategy, "candidates", "10"));
    ck_assert_ok(alcore_strategy_set(strategy, "sticky", "1"));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_selection_unref(selected(request));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, second));
    ck_assert_ok(alcore_request_set(request, "round", "2"));
    fresh = request_for(ctx, second, "huds", "2");
    ck_assert_ok(alcore_request_set_strategy(fresh, strategy));
    ck_assert_ok(alcore_request_set(fresh, "round", "2"));
    alcore_selection *one = selected(request), *two = selected(fresh);
    ck_assert_ok(alcore_selection_get_column(one, ALCORE_SCOPE_CANDIDATES, "row", &stale));
    ck_assert_ok(alcore_selection_get_column(two, ALCORE_SCOPE_CANDIDATES, "row", &drawn));
    ck_assert_int_eq(stale.shape[0], 10);
    ck_assert_mem_eq(stale.data, drawn.data, 10 * sizeof(int64_t));
    alcore_selection_unref(one);
    alcore_selection_unref(two);
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
    alcore_request_unref(fresh);
    alcore_pool_unref(first);
    alcore_pool_unref(second);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Seeds are 64 bits wide; a double holds 53 of them. */
START_TEST(a_long_seed_is_taken_exactly) {
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = numbered_pool(ctx, 10);
    alcore_request *request = request_for(ctx, pool, "random", "5");
    ck_assert_ok(alcore_request_set(request, "seed", "9007199254740993"));
    alcore_selection *selection = selected(request);
    ck_assert_ptr_nonnull(
        strstr(alcore_selection_provenance(selection), "\"seed\":9007199254740993,\"round\""));
    ck_assert_fails(alcore_request_set(request, "seed", "18446744073709551616"), ALCORE_E_PARAM,
                    "seed");
    ck_assert_fails(alcore_request_set(request, "seed", "-1"), ALCORE_E_PARAM, "seed");
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(the_command_is_json) {
    static const char *const bad[] = {"alcore select",       "{}",     "[\"a\",1]",
                                      "[\"a\"] x",           "[\"a\"", "[\"\xff\"]",
                                      "[\"a\"],\"seed\":[1]"};
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = numbered_pool(ctx, 3);
    alcore_request *request = request_for(ctx, pool, "random", "1");
    ck_assert_ok(alcore_request_set(request, "command", "[\"a\", \"b \\\"c\\\"\"]"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_fails(alcore_request_set(request, "command", bad[i]), ALCORE_E_PARAM,
                        "JSON array");
    alcore_selection *selection = selected(request);
    ck_assert_ptr_nonnull(
        strstr(alcore_selection_provenance(selection), "[\"a\", \"b \\\"c\\\"\"]"));
    alcore_selection_unref(selection);
    ck_assert_ok(alcore_request_set(request, "command", ""));
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* lambda_first weighs the first round (spec 3.6); the summary tells of the terms as they were
 * mixed. */
START_TEST(terms_follow_the_first_lambda) {
    alcore_ctx *ctx = new_ctx();
    alcore_pool *pool = huds_pool(ctx);
    alcore_request *request = request_for(ctx, pool, "huds", "4");
    alcore_strategy *strategy;
    ck_assert_ok(alcore_strategy_new(ctx, "huds", &strategy));
    ck_assert_ok(alcore_strategy_set(strategy, "lambda", "0"));
    ck_assert_ok(alcore_strategy_set(strategy, "lambda_first", "0.5"));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_selection *selection = selected(request);
    ck_assert_ptr_nonnull(strstr(alcore_selection_summary(selection), "alone would have made"));
    alcore_selection_unref(selection);
    ck_assert_ok(alcore_request_set(request, "round", "2"));
    selection = selected(request);
    ck_assert_ptr_null(strstr(alcore_selection_summary(selection), "alone would have made"));
    alcore_selection_unref(selection);
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("request", options_say_what_is_wrong, huds_picks, draws, small_and_odd_pools, masks,
            targets_have_languages, budgets_in_words_characters_and_units,
            index_is_the_row_as_given, own_strategy, candidates_stay, like_rows_are_passed_over,
            candidates_of_another_pool_are_forgotten, a_long_seed_is_taken_exactly,
            the_command_is_json, terms_follow_the_first_lambda);
