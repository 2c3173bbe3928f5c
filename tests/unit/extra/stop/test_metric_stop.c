/* SPDX-License-Identifier: Apache-2.0 */
/* Stopping criteria and Cohen's kappa: the vectors of the specification, a kappa from the full
 * table of classes, sentences of decisions, and wrong arguments. */
#include "check_suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/extra.h"
#include "base/rng.h"
#include "check_status.h"
#include "options_with.h"
#include "vectors.h"

static alcore_ctx *new_ctx(void) {
    alcore_ctx *ctx;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    return ctx;
}

/* ---- plateau ---- */

START_TEST(test_plateau_vectors) {
    const test_vector vector = vector_find("loop", "TV-PLATEAU");
    ck_assert_int_eq(vector_case_count(vector), 11);
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        const vector_case one = vector_case_number(vector, i);
        int64_t count;
        const double *metric = vector_doubles(vector_input(&one, "metric"), &count);
        alcore_plateau_options options = ALCORE_PLATEAU_OPTIONS_INIT;
        alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
        options.patience = vector_integer(vector_input(&one, "patience"));
        options.least_gain = vector_double(vector_input(&one, "least_gain"));
        options.lower_is_better = json_is_true(vector_input(&one, "lower_is_better"));
        ck_assert_ok(alcore_stop_check_plateau(metric, count, &options, &decision));
        ck_assert_msg(decision.stop == vector_integer(vector_expected(&one, "stop")), "%s",
                      one.name);
        ck_assert_int_eq(decision.best_round, vector_integer(vector_expected(&one, "best_round")));
        vector_near(&decision.best, vector_expected(&one, "best"), 0);
        vector_near(&decision.value, vector_expected(&one, "value"), 1e-12);
        ck_assert_int_eq(decision.criterion, ALCORE_STOP_PLATEAU);
        ck_assert_int_eq(decision.numbers, count);
        ck_assert_int_eq(decision.window, options.patience);
        ck_assert_double_eq(decision.threshold, options.least_gain);
    }
}
END_TEST

/* A driver that asks after each round stops in the first round that a look at all of them says. */
START_TEST(test_plateau_round_by_round) {
    static const double metric[] = {20, 24.1, 26, 26.1, 26.05, 26.2, 26.1};
    alcore_plateau_options options = ALCORE_PLATEAU_OPTIONS_INIT;
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    int64_t first = 0;
    options.least_gain = 0.2;
    for (int64_t rounds = 1; rounds <= 7 && first == 0; rounds++) {
        ck_assert_ok(alcore_stop_check_plateau(metric, rounds, &options, &decision));
        if (decision.stop) first = rounds;
    }
    ck_assert_int_eq(first, 6); /* the third round is the best, and the patience is 3 */
    ck_assert_int_eq(decision.best_round, 3);
    ck_assert_int_eq(decision.window, 3);
}
END_TEST

START_TEST(test_plateau_wrong) {
    static const double metric[] = {1, NAN};
    alcore_plateau_options options = ALCORE_PLATEAU_OPTIONS_INIT;
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    ck_assert_fails(alcore_stop_check_plateau(metric, 2, NULL, &decision), ALCORE_E_DATA,
                    "round 2");
    ck_assert_fails(alcore_stop_check_plateau(NULL, 1, NULL, &decision), ALCORE_E_INVALID, "NULL");
    ck_assert_fails(alcore_stop_check_plateau(metric, -1, NULL, &decision), ALCORE_E_INVALID,
                    "negative");
    ck_assert_fails(alcore_stop_check_plateau(metric, 1, NULL, NULL), ALCORE_E_INVALID, "out");
    options.patience = -1;
    ck_assert_fails(alcore_stop_check_plateau(metric, 1, &options, &decision), ALCORE_E_INVALID,
                    "patience is -1");
    options.patience = 0;
    options.least_gain = -0.5;
    ck_assert_fails(alcore_stop_check_plateau(metric, 1, &options, &decision), ALCORE_E_INVALID,
                    "least_gain is -0.5");
    options.least_gain = (double)INFINITY;
    ck_assert_fails(alcore_stop_check_plateau(metric, 1, &options, &decision), ALCORE_E_INVALID,
                    "least_gain");
    options.least_gain = 0;
    options.lower_is_better = 2;
    ck_assert_fails(alcore_stop_check_plateau(metric, 1, &options, &decision), ALCORE_E_INVALID,
                    "lower_is_better is 2");
    options.lower_is_better = 0;
    options.reserved = 1;
    ck_assert_fails(alcore_stop_check_plateau(metric, 1, &options, &decision),
                    ALCORE_E_STRUCT_NEWER, "alcore_plateau_options");
}
END_TEST

/* ---- uncertainty ---- */

START_TEST(test_uncertainty_vectors) {
    const test_vector vector = vector_find("loop", "TV-LOWU");
    ck_assert_int_eq(vector_case_count(vector), 9);
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        const vector_case one = vector_case_number(vector, i);
        int64_t count;
        const double *values = vector_doubles(vector_input(&one, "values"), &count);
        const double threshold = vector_double(vector_input(&one, "threshold"));
        const int32_t criterion = strcmp(vector_text(vector_input(&one, "statistic")), "max") == 0
                                      ? ALCORE_STOP_MAX_UNCERTAINTY
                                      : ALCORE_STOP_MEAN_UNCERTAINTY;
        alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
        ck_assert_ok(alcore_stop_check_uncertainty(
            values, count, threshold,
            OPTIONS_WITH(alcore_uncertainty_options, .criterion = criterion), &decision));
        ck_assert_msg(decision.stop == vector_integer(vector_expected(&one, "stop")), "%s",
                      one.name);
        vector_near(&decision.value, vector_expected(&one, "value"), 1e-15);
        ck_assert_int_eq(decision.numbers, vector_integer(vector_expected(&one, "numbers")));
        ck_assert_int_eq(decision.left_out, vector_integer(vector_expected(&one, "left_out")));
        ck_assert_int_eq(decision.criterion, criterion);
    }
}
END_TEST

/* More than a block: the mean is that of alcore_metric_compute_mean(), to the last bit. */
START_TEST(test_uncertainty_blocks) {
    alcore_ctx *ctx = new_ctx();
    enum { ROWS = 20000 };
    double *values = malloc(ROWS * sizeof *values);
    alcore__rng rng;
    alcore_mean_result mean = ALCORE_MEAN_RESULT_INIT;
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    ck_assert_ptr_nonnull(values);
    alcore__rng_seed(&rng, 96);
    for (int i = 0; i < ROWS; i++) values[i] = alcore__rng_f64(&rng);
    ck_assert_ok(alcore_metric_compute_mean(ctx, values, ROWS, NULL, &mean));
    ck_assert_ok(alcore_stop_check_uncertainty(values, ROWS, 0.5, NULL, &decision));
    ck_assert_double_eq(decision.value, mean.mean);
    ck_assert_int_eq(decision.stop, mean.mean <= 0.5);
    free(values);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_uncertainty_wrong) {
    static const double values[] = {0.5, (double)INFINITY};
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    ck_assert_fails(alcore_stop_check_uncertainty(values, 2, 1, NULL, &decision), ALCORE_E_DATA,
                    "uncertainty 2");
    ck_assert_fails(alcore_stop_check_uncertainty(values, 1, 1,
                                                  OPTIONS_WITH(alcore_uncertainty_options,
                                                               .criterion = ALCORE_STOP_AGREEMENT),
                                                  &decision),
                    ALCORE_E_INVALID, "ALCORE_STOP_MEAN_UNCERTAINTY or");
    ck_assert_fails(
        alcore_stop_check_uncertainty(
            values, 1, (double)NAN,
            OPTIONS_WITH(alcore_uncertainty_options, .criterion = ALCORE_STOP_MAX_UNCERTAINTY),
            &decision),
        ALCORE_E_INVALID, "threshold");
}
END_TEST

/* ---- kappa and agreement ---- */

START_TEST(test_kappa_vectors) {
    alcore_ctx *ctx = new_ctx();
    const test_vector vector = vector_find("loop", "TV-KAPPA");
    ck_assert_int_eq(vector_case_count(vector), 10);
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        const vector_case one = vector_case_number(vector, i);
        int64_t x_count, y_count;
        const int64_t *x = vector_integers(vector_input(&one, "x"), &x_count);
        const int64_t *y = vector_integers(vector_input(&one, "y"), &y_count);
        alcore_kappa_result result = ALCORE_KAPPA_RESULT_INIT;
        ck_assert_ok(alcore_metric_compute_kappa(ctx, x, x_count, y, y_count, NULL, &result));
        vector_near(&result.kappa, vector_expected(&one, "kappa"), 1e-15);
        vector_near(&result.observed, vector_expected(&one, "observed"), 1e-15);
        vector_near(&result.expected, vector_expected(&one, "expected"), 1e-15);
        ck_assert_int_eq(result.classes, vector_integer(vector_expected(&one, "classes")));
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* Random predictions against the table of all classes in floating point; the order of the items and
 * the sides do not matter to the last bit. */
START_TEST(test_kappa_table) {
    enum { ITEMS = 500, CLASSES = 6 };
    alcore_ctx *ctx = new_ctx();
    alcore__rng rng;
    alcore__rng_seed(&rng, 17);
    for (int round = 0; round < 20; round++) {
        int64_t x[ITEMS], y[ITEMS], backwards_x[ITEMS], backwards_y[ITEMS];
        double table[CLASSES][CLASSES] = {{0}}, observed = 0, expected = 0;
        for (int i = 0; i < ITEMS; i++) {
            x[i] = (int64_t)alcore__rng_below(&rng, CLASSES);
            y[i] = alcore__rng_below(&rng, 10) < 7 ? x[i] : (int64_t)alcore__rng_below(&rng, 3);
            table[x[i]][y[i]] += 1.0 / ITEMS;
        }
        for (int c = 0; c < CLASSES; c++) {
            double row = 0, column = 0;
            observed += table[c][c];
            for (int d = 0; d < CLASSES; d++) {
                row += table[c][d];
                column += table[d][c];
            }
            expected += row * column;
        }
        for (int i = 0; i < ITEMS; i++) {
            backwards_x[i] = y[ITEMS - 1 - i];
            backwards_y[i] = x[ITEMS - 1 - i];
        }
        alcore_kappa_result result = ALCORE_KAPPA_RESULT_INIT, other = result;
        ck_assert_ok(alcore_metric_compute_kappa(ctx, x, ITEMS, y, ITEMS, NULL, &result));
        ck_assert_ok(
            alcore_metric_compute_kappa(ctx, backwards_x, ITEMS, backwards_y, ITEMS, NULL, &other));
        ck_assert_double_eq_tol(result.kappa, (observed - expected) / (1 - expected), 1e-12);
        ck_assert_double_eq(other.kappa, result.kappa);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_agreement_vectors) {
    const test_vector vector = vector_find("loop", "TV-AGREE");
    ck_assert_int_eq(vector_case_count(vector), 9);
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        const vector_case one = vector_case_number(vector, i);
        int64_t count;
        const double *kappas = vector_doubles(vector_input(&one, "kappas"), &count);
        alcore_agreement_options options = ALCORE_AGREEMENT_OPTIONS_INIT;
        alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
        options.window = vector_integer(vector_input(&one, "window"));
        options.threshold = vector_double(vector_input(&one, "threshold"));
        ck_assert_ok(alcore_stop_check_agreement(kappas, count, &options, &decision));
        ck_assert_msg(decision.stop == vector_integer(vector_expected(&one, "stop")), "%s",
                      one.name);
        vector_near(&decision.value, vector_expected(&one, "value"), 1e-15);
        ck_assert_int_eq(decision.window, options.window);
        ck_assert_int_eq(decision.numbers, count);
    }
}
END_TEST

START_TEST(test_agreement_wrong) {
    alcore_ctx *ctx = new_ctx();
    static const double kappas[] = {1.5, 1, 1, 1};
    static const int64_t classes[] = {1, 2};
    alcore_agreement_options options = ALCORE_AGREEMENT_OPTIONS_INIT;
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    alcore_kappa_result kappa = ALCORE_KAPPA_RESULT_INIT;
    ck_assert_ok(alcore_stop_check_agreement(kappas, 4, NULL, &decision));
    ck_assert_int_eq(decision.stop, 1); /* the first kappa is behind the window and not read */
    ck_assert_double_eq(decision.threshold, 0.99);
    ck_assert_fails(alcore_stop_check_agreement(kappas, 3, NULL, &decision), ALCORE_E_DATA,
                    "kappa 1 is 1.5");
    options.threshold = 1.01;
    ck_assert_fails(alcore_stop_check_agreement(kappas, 1, &options, &decision), ALCORE_E_INVALID,
                    "threshold is 1.01");
    options.threshold = (double)INFINITY;
    ck_assert_fails(alcore_stop_check_agreement(kappas, 1, &options, &decision), ALCORE_E_INVALID,
                    "threshold");
    options.threshold = 0; /* is 0 */
    ck_assert_ok(alcore_stop_check_agreement(kappas + 1, 3, &options, &decision));
    ck_assert_double_eq(decision.threshold, 0);
    options.threshold = ALCORE_UNSET;
    options.window = -2;
    ck_assert_fails(alcore_stop_check_agreement(kappas, 1, &options, &decision), ALCORE_E_INVALID,
                    "window is -2");
    ck_assert_fails(alcore_metric_compute_kappa(ctx, classes, 2, classes, 1, NULL, &kappa),
                    ALCORE_E_SHAPE, "x has 2 classes, y has 1");
    ck_assert_fails(alcore_metric_compute_kappa(ctx, classes, 1, NULL, 1, NULL, &kappa),
                    ALCORE_E_INVALID, "NULL");
    ck_assert_fails(alcore_metric_compute_kappa(ctx, classes, INT64_C(1) << 31, classes,
                                                INT64_C(1) << 31, NULL, &kappa),
                    ALCORE_E_UNSUPPORTED, "2^31");
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- text ---- */

static void expect_text(const alcore_stop_decision *decision, const char *expected) {
    char buffer[200];
    ck_assert_ptr_eq(alcore_stop_text(decision, buffer), buffer);
    ck_assert_str_eq(buffer, expected);
}

START_TEST(test_texts) {
    static const double metric[] = {20, 24.1, 24, 24.1, 24.15}, kappas[] = {1, 0.98, NAN};
    char buffer[200];
    alcore_plateau_options options = ALCORE_PLATEAU_OPTIONS_INIT;
    alcore_agreement_options two = ALCORE_AGREEMENT_OPTIONS_INIT;
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    options.least_gain = 0.1;
    ck_assert_ok(alcore_stop_check_plateau(metric, 5, &options, &decision));
    expect_text(&decision, "stop: 3 of 3 rounds without a gain above 0.1 over round 2 (24.1)");
    ck_assert_ok(alcore_stop_check_plateau(metric, 3, &options, &decision));
    expect_text(&decision, "go on: 1 of 3 rounds without a gain above 0.1 over round 2 (24.1)");
    ck_assert_ok(alcore_stop_check_plateau(NULL, 0, NULL, &decision));
    expect_text(&decision, "go on: no round was measured yet");
    ck_assert_ok(alcore_stop_check_uncertainty(
        metric, 2, 30,
        OPTIONS_WITH(alcore_uncertainty_options, .criterion = ALCORE_STOP_MAX_UNCERTAINTY),
        &decision));
    expect_text(&decision, "stop: largest uncertainty 24.1 of 2 rows is at most 30");
    ck_assert_ok(alcore_stop_check_uncertainty(metric, 2, 3, NULL, &decision));
    expect_text(&decision, "go on: mean uncertainty 22.05 of 2 rows is above 3");
    ck_assert_ok(alcore_stop_check_uncertainty(NULL, 0, 3, NULL, &decision));
    expect_text(&decision, "go on: there is no uncertainty to measure");
    ck_assert_ok(alcore_stop_check_agreement(kappas, 2, NULL, &decision));
    expect_text(&decision, "go on: 2 of the 3 kappas that are averaged");
    ck_assert_ok(alcore_stop_check_agreement(kappas, 3, NULL, &decision));
    expect_text(&decision, "go on: one of the last 3 kappas is undefined: both models predict one "
                           "and the same class");
    two.window = 2;
    ck_assert_ok(alcore_stop_check_agreement(kappas, 2, &two, &decision));
    expect_text(&decision, "stop: mean 0.99 of the last 2 kappas is at least 0.99");
    decision.criterion = 9;
    ck_assert_ptr_null(alcore_stop_text(&decision, buffer));
    ck_assert_ptr_null(alcore_stop_text(NULL, buffer));
}
END_TEST

CHECK_SUITE("metric_stop", test_plateau_vectors, test_plateau_round_by_round, test_plateau_wrong,
            test_uncertainty_vectors, test_uncertainty_blocks, test_uncertainty_wrong,
            test_kappa_vectors, test_kappa_table, test_agreement_vectors, test_agreement_wrong,
            test_texts);
