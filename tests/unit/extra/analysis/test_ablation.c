/* SPDX-License-Identifier: Apache-2.0 */
/* Ablations: every number against requests of their own, for HUDS, for phrases and for a hybrid;
 * what the call leaves as it was; what it refuses. Table 7's layout is tested with the command. */
#include "request_test.h"

#include <stdlib.h>

#include "base/rng.h"
#include "check_suite.h"
#include "options_with.h"

enum { ROWS = 120, DIMS = 2, VALUES = 4 };
static const double values[VALUES] = {0, 0.3, 0.5, 1};
static const char *const words[] = {"heart", "fever", "severe", "cold", "late", "report", "was"};
static const char *const test_texts[] = {"the heart was cold", "unknown late words"};

static alcore_ctx *ctx;
static alcore_pool *pool;
static alcore_overlap *test;

static void open_all(void) {
    double scores[ROWS], embeddings[ROWS * DIMS];
    alcore__rng rng;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    alcore__rng_seed(&rng, 5);
    for (int i = 0; i < ROWS; i++) {
        char text[100];
        const char *texts[] = {text};
        snprintf(text, sizeof text, "the %s %s %s and %s %s", words[i % 7], words[i / 7 % 7],
                 words[i * 3 % 5], words[i / 3 % 7], i % 2 ? "again" : "");
        ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
        scores[i] = alcore__rng_f64(&rng);
        for (int k = 0; k < DIMS; k++) embeddings[i * DIMS + k] = alcore__rng_f64(&rng) - 0.5;
    }
    give(pool, "scores", scores, ROWS, 1);
    give(pool, "embeddings", embeddings, ROWS, DIMS);
    ck_assert_ok(alcore_overlap_new(ctx, NULL, &test));
    ck_assert_ok(
        alcore_overlap_add(test, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE, test_texts, NULL, 2));
}

static void close_all(void) {
    alcore_overlap_unref(test);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

/* Whether a pick of one selection is a pick of another: equal texts of one kind, which no two picks
 * of a selection have here. */
static bool has_pick(const alcore_selection *selection, const char *text) {
    for (int64_t i = 0; i < alcore_selection_count(selection); i++)
        if (strcmp(alcore_pool_text(alcore_selection_pool(selection),
                                    alcore_selection_rows(selection)[i], NULL),
                   text) == 0)
            return true;
    return false;
}

static const char *text_of_pick(const alcore_selection *selection, int64_t i) {
    return alcore_pool_text(alcore_selection_pool(selection), alcore_selection_rows(selection)[i],
                            NULL);
}

static double slow_share(const alcore_selection *picked, const alcore_selection *other) {
    int64_t both = 0;
    for (int64_t i = 0; i < alcore_selection_count(picked); i++)
        both += has_pick(other, text_of_pick(picked, i));
    return (double)both / (double)alcore_selection_count(picked);
}

/* The overlap by a table of its own. */
static double slow_overlap(const alcore_selection *picked) {
    alcore_overlap *overlap;
    alcore_coverage_result score = ALCORE_COVERAGE_RESULT_INIT;
    ck_assert_ok(alcore_overlap_new(ctx, NULL, &overlap));
    ck_assert_ok(
        alcore_overlap_add(overlap, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE, test_texts, NULL, 2));
    for (int64_t i = 0; i < alcore_selection_count(picked); i++) {
        const char *text = text_of_pick(picked, i);
        ck_assert_ok(alcore_overlap_add(overlap, ALCORE_OVERLAP_SELECTED, ALCORE_SIDE_SOURCE, &text,
                                        NULL, 1));
    }
    ck_assert_ok(alcore_overlap_compute_coverage(
        overlap, 1, OPTIONS_WITH(alcore_coverage_options, .data = ALCORE_OVERLAP_SELECTED),
        &score));
    alcore_overlap_unref(overlap);
    return score.coverage;
}

/* The selection of a request of its own with one value of the parameter. */
static alcore_selection *alone(const char *strategy, const char *parameter, double value,
                               const char *budget) {
    alcore_request *request = request_for(ctx, pool, strategy, budget);
    give_ngram(ctx, request, NULL);
    alcore_strategy *made;
    ck_assert_ok(alcore_strategy_new(ctx, strategy, &made));
    ck_assert_ok(alcore_strategy_set_number(made, parameter, value));
    if (strcmp(strategy, "hybrid") == 0)
        ck_assert_ok(alcore_strategy_set(made, "sentences", "nnll"));
    ck_assert_ok(alcore_request_set_strategy(request, made));
    alcore_selection *found = selected(request);
    alcore_strategy_unref(made);
    alcore_request_unref(request);
    return found;
}

static void start_rows(alcore_ablation rows[VALUES]) {
    for (int i = 0; i < VALUES; i++) rows[i] = (alcore_ablation)ALCORE_ABLATION_INIT;
}

/* Compares each row with requests of their own. */
static void check_rows(const char *strategy, const char *parameter, const char *budget,
                       const alcore_ablation *rows, alcore_selection **picked) {
    alcore_selection *ends[2] = {alone(strategy, parameter, 0, budget),
                                 alone(strategy, parameter, 1, budget)};
    for (int i = 0; i < VALUES; i++) {
        alcore_selection *one = alone(strategy, parameter, values[i], budget);
        const int64_t count = alcore_selection_count(one);
        int64_t all_words = 0, phrases = 0;
        alcore_tensor kinds;
        const bool hybrid =
            alcore_selection_get_column(one, ALCORE_SCOPE_PICKS, "kind", &kinds) == ALCORE_OK;
        ck_assert_int_gt(count, 0);
        ck_assert_int_eq(alcore_selection_count(picked[i]), count);
        for (int64_t k = 0; k < count; k++) {
            ck_assert_str_eq(text_of_pick(picked[i], k), text_of_pick(one, k));
            all_words +=
                alcore_pool_words(alcore_selection_pool(one), alcore_selection_rows(one)[k]);
            if (hybrid) phrases += ((const int64_t *)kinds.data)[k];
        }
        ck_assert(rows[i].value == values[i]);
        ck_assert_int_eq(rows[i].items, count);
        ck_assert_int_eq(rows[i].words, all_words);
        ck_assert_int_eq(rows[i].phrases, hybrid ? phrases : -1);
        ck_assert(rows[i].overlap == slow_overlap(one));
        ck_assert(rows[i].share_of_0 == slow_share(one, ends[0]));
        ck_assert(rows[i].share_of_1 == slow_share(one, ends[1]));
        alcore_selection_unref(one);
    }
    alcore_selection_unref(ends[0]);
    alcore_selection_unref(ends[1]);
}

/* Twice with the same test set, which the first ablation must leave as it was. */
START_TEST(rows_are_those_of_single_requests) {
    static const char *const strategies[][3] = {
        {"huds", "lambda", "40w"}, {"huds-phrase", "lambda", "15w"}, {"hybrid", "ratio", "30w"}};
    const char *const *one = strategies[_i];
    alcore_request *request = request_for(ctx, pool, one[0], one[2]);
    give_ngram(ctx, request, NULL);
    if (strcmp(one[0], "hybrid") == 0) set_parameter(ctx, request, "hybrid", "sentences", "nnll");
    for (int again = 0; again < 2; again++) {
        alcore_ablation rows[VALUES];
        alcore_selection *picked[VALUES];
        start_rows(rows);
        ck_assert_ok(alcore_request_ablate(request, again ? one[1] : NULL, values, VALUES, test,
                                           rows, picked));
        check_rows(one[0], one[1], one[2], rows, picked);
        ck_assert(rows[0].share_of_0 == 1);
        ck_assert(rows[VALUES - 1].share_of_1 == 1);
        ck_assert(rows[1].share_of_1 < 1);
        for (int i = 0; i < VALUES; i++) alcore_selection_unref(picked[i]);
    }
    alcore_request_unref(request);
}
END_TEST

/* Neither the caller's strategy nor a request without one is changed, also not by a failure; rows
 * without a test set have no overlap; the texts that the overlap had are forgotten. */
START_TEST(the_request_stays_as_it_was) {
    alcore_request *request;
    alcore_strategy *strategy;
    alcore_ablation rows[VALUES];
    alcore_coverage_result score = ALCORE_COVERAGE_RESULT_INIT;
    const double refused[] = {0.5, 2};
    const char *text;
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_ok(alcore_request_set(request, "budget", "5"));
    ck_assert_ok(alcore_strategy_new(ctx, "huds", &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_strategy_unref(strategy);
    start_rows(rows);
    ck_assert_ok(alcore_request_ablate(request, NULL, values, 2, NULL, rows, NULL));
    ck_assert(isnan(rows[1].overlap));
    ck_assert_int_eq(rows[1].items, 5);
    ck_assert_ok(alcore_strategy_new(ctx, "huds", &strategy));
    ck_assert_ok(alcore_strategy_set(strategy, "lambda", "0.9,0.7"));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(
        alcore_overlap_add(test, ALCORE_OVERLAP_SELECTED, ALCORE_SIDE_SOURCE, test_texts, NULL, 2));
    ck_assert_ok(alcore_request_ablate(request, NULL, values, 2, test, rows, NULL));
    ck_assert(rows[1].overlap < 100);
    ck_assert_ok(alcore_overlap_compute_coverage(
        test, 1, OPTIONS_WITH(alcore_coverage_options, .data = ALCORE_OVERLAP_SELECTED), &score));
    ck_assert_int_eq(score.shared_types, 0);
    ck_assert_ok(alcore_strategy_get(strategy, "lambda", &text));
    ck_assert_str_eq(text, "0.9,0.7");
    ck_assert_int_eq(alcore_request_ablate(request, NULL, refused, 2, test, rows, NULL),
                     ALCORE_E_PARAM);
    ck_assert_ok(alcore_strategy_get(strategy, "lambda", &text));
    ck_assert_str_eq(text, "0.9,0.7");
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
}
END_TEST

/* A budget of nothing: no picks, which share nothing with others and have no word of the test
 * set. */
START_TEST(without_picks) {
    alcore_request *request = request_for(ctx, pool, "huds", "0");
    alcore_ablation rows[VALUES];
    start_rows(rows);
    ck_assert_ok(alcore_request_ablate(request, NULL, values, VALUES, test, rows, NULL));
    for (int i = 0; i < VALUES; i++) {
        ck_assert_double_eq(rows[i].value, values[i]);
        ck_assert_int_eq(rows[i].items, 0);
        ck_assert_int_eq(rows[i].words, 0);
        ck_assert_int_eq(rows[i].phrases, -1);
        ck_assert_double_eq(rows[i].overlap, 0);
        ck_assert_double_nan(rows[i].share_of_0);
        ck_assert_double_nan(rows[i].share_of_1);
    }
    alcore_request_unref(request);
}
END_TEST

START_TEST(what_is_refused) {
    alcore_request *request = request_for(ctx, pool, "gold", "5");
    alcore_overlap_options options = ALCORE_OVERLAP_OPTIONS_INIT;
    alcore_overlap *kept;
    alcore_ablation rows[VALUES];
    alcore_selection *picked[VALUES] = {(alcore_selection *)&options};
    start_rows(rows);
    ck_assert_int_eq(alcore_request_ablate(request, NULL, values, VALUES, NULL, rows, picked),
                     ALCORE_E_PARAM);
    ck_assert_msg(strstr(alcore_last_error(), "gold has no parameters") != NULL, "%s",
                  alcore_last_error());
    for (int i = 0; i < VALUES; i++) ck_assert_ptr_null(picked[i]);
    alcore_request_unref(request);
    /* the recommended strategy, however it is asked for, has no weight of its own */
    for (int handle = 0; handle < 2; handle++) {
        request = request_for(ctx, pool, "recommended", "5");
        if (!handle) ck_assert_ok(alcore_request_set_strategy(request, NULL));
        ck_assert_fails(alcore_request_ablate(request, NULL, values, VALUES, NULL, rows, NULL),
                        ALCORE_E_PARAM,
                        "the recommended strategy ngram-cover has no parameter \"lambda\"; name a "
                        "strategy that has one, such as huds");
        ck_assert_ok(alcore_request_ablate(request, "decay", values, 1, NULL, rows, NULL));
        alcore_request_unref(request);
    }
    request = request_for(ctx, pool, "huds", "5");
    ck_assert_int_eq(alcore_request_ablate(request, "lamda", values, VALUES, NULL, rows, NULL),
                     ALCORE_E_PARAM);
    ck_assert_msg(strstr(alcore_last_error(), "lambda") != NULL, "%s", alcore_last_error());
    ck_assert_int_eq(alcore_request_ablate(request, NULL, values, 0, NULL, rows, NULL),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_request_ablate(request, NULL, NULL, 1, NULL, rows, NULL),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_request_ablate(NULL, NULL, values, 1, NULL, rows, NULL),
                     ALCORE_E_INVALID);
    options.kept = ALCORE_OVERLAP_TEST | ALCORE_OVERLAP_SELECTED;
    ck_assert_ok(alcore_overlap_new(ctx, &options, &kept));
    ck_assert_int_eq(alcore_request_ablate(request, NULL, values, VALUES, kept, rows, NULL),
                     ALCORE_E_INVALID);
    alcore_overlap_unref(kept);
    rows[0].size = 0;
    ck_assert_int_eq(alcore_request_ablate(request, NULL, values, 1, NULL, rows, picked),
                     ALCORE_E_STRUCT_UNSET);
    ck_assert_ptr_null(picked[0]);
    alcore_request_unref(request);
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("ablation");
    tcase_set_timeout(all, 120);
    tcase_add_checked_fixture(all, open_all, close_all);
    tcase_add_loop_test(all, rows_are_those_of_single_requests, 0, 3);
    tcase_add_test(all, the_request_stays_as_it_was);
    tcase_add_test(all, without_picks);
    tcase_add_test(all, what_is_refused);
    return check_suite_run("ablation", all);
}
