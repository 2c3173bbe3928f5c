/* SPDX-License-Identifier: Apache-2.0 */
/* Scores that are read from narrow columns (margins, confidences, entropies) in place of whole
 * distributions: the same numbers, and what is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/extra.h"
#include "base/rng.h"
#include "check_suite.h"
#include "column_rows.h"

enum { ROWS = 60, CLASSES = 5, MAX_TOKENS = 4 };

static alcore_ctx *ctx;
static alcore_pool *wide, *narrow; /* the same rows with whole distributions, and without */
static double probs[ROWS * MAX_TOKENS][CLASSES], logits[ROWS * MAX_TOKENS][CLASSES];
static int64_t lengths[ROWS], offsets[ROWS + 1], rows[ROWS];

#define MUST(call) ck_assert_msg((call) == ALCORE_OK, "%s", alcore_last_error())

static void expect(alcore_status status, alcore_status expected, const char *says) {
    ck_assert_int_eq(status, expected);
    ck_assert_msg(strstr(alcore_last_error(), says), "%s", alcore_last_error());
}

static alcore_pool *new_pool(void) {
    alcore_pool *pool;
    MUST(alcore_pool_new(ctx, NULL, &pool));
    for (int i = 0; i < ROWS; i++) {
        char text[24];
        const char *texts[] = {text};
        snprintf(text, sizeof text, "row %d", i);
        MUST(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
    }
    return pool;
}

/* Draws a distribution for each of 1 to MAX_TOKENS tokens of every row, sharp and flat ones. */
static void setup(void) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 11);
    MUST(alcore_ctx_new(NULL, &ctx));
    wide = new_pool();
    narrow = new_pool();
    for (int i = 0; i < ROWS; i++) {
        rows[i] = i;
        lengths[i] = 1 + (int64_t)(alcore__rng_f64(&rng) * MAX_TOKENS);
        offsets[i + 1] = offsets[i] + lengths[i];
    }
    for (int t = 0; t < ROWS * MAX_TOKENS; t++) {
        double sum = 0, scale = t % 7 == 0 ? 30 : 3;
        for (int c = 0; c < CLASSES; c++) {
            logits[t][c] = scale * alcore__rng_f64(&rng);
            sum += exp(logits[t][c]);
        }
        for (int c = 0; c < CLASSES; c++) probs[t][c] = exp(logits[t][c]) / sum;
    }
}

static void teardown(void) {
    alcore_pool_unref(wide);
    alcore_pool_unref(narrow);
    alcore_ctx_unref(ctx);
}

/* ---- columns ---- */

static void give_ragged(alcore_pool *pool, const char *name, const double *values, int64_t classes,
                        const int64_t *starts, int64_t count) {
    alcore_tensor tensor, ends;
    int64_t shape[2] = {starts[count], classes}, length = count + 1;
    MUST(alcore_tensor_init(&tensor, (void *)(uintptr_t)values, ALCORE_FLOAT64, shape,
                            classes > 1 ? 2 : 1));
    MUST(alcore_tensor_init(&ends, (void *)(uintptr_t)starts, ALCORE_INT64, &length, 1));
    MUST(alcore_pool_set_column(pool, name, &tensor, &ends, NULL));
}

static void give_rows(alcore_pool *pool, const char *name, const double *values, int64_t classes) {
    alcore_tensor tensor;
    int64_t shape[2] = {ROWS, classes};
    MUST(alcore_tensor_init(&tensor, (void *)(uintptr_t)values, ALCORE_FLOAT64, shape,
                            classes > 1 ? 2 : 1));
    MUST(alcore_pool_set_column(pool, name, &tensor, NULL, NULL));
}

/* Puts the three narrow columns of the first `count` rows, from logits in memory, in the given
 * shape. The status is that of alcore_logits_put(). */
static alcore_status put_narrow(int32_t shape, const int64_t *sizes, int64_t tokens,
                                int64_t count) {
    static const char *const names[] = {"margins", "confidences", "entropies"};
    alcore_column_writer *writers[3];
    alcore_tensor values;
    int64_t shapes[2] = {tokens, CLASSES};
    alcore_logits given = ALCORE_LOGITS_INIT;
    alcore_logits_writers out = ALCORE_LOGITS_WRITERS_INIT;
    MUST(alcore_tensor_init(&values, logits, ALCORE_FLOAT64, shapes, 2));
    for (int i = 0; i < 3; i++)
        MUST(alcore_column_writer_new(narrow, names[i], shape, NULL, &writers[i]));
    given.logits = &values;
    given.lengths = sizes;
    given.length_count = count;
    out.margins = writers[0];
    out.confidences = writers[1];
    out.entropies = writers[2];
    alcore_status status = alcore_logits_put(ctx, &given, rows, count, -100, &out);
    for (int i = 0; i < 3; i++) {
        if (status == ALCORE_OK) {
            MUST(alcore_column_writer_finish(writers[i], ALCORE_MISSING_FAIL));
        } else {
            ck_assert_int_eq(alcore_column_writer_missing_count(writers[i]), ROWS);
        }
        alcore_column_writer_unref(writers[i]);
    }
    return status;
}

/* ---- scores ---- */

static alcore_status score(alcore_pool *pool, const char *name, const char *mode,
                           const char *margin, double *out) {
    alcore_scorer *scorer;
    MUST(alcore_scorer_new(ctx, name, &scorer));
    if (mode) MUST(alcore_scorer_set(scorer, "mode", mode));
    if (margin) MUST(alcore_scorer_set(scorer, "margin", margin));
    alcore_status status = alcore_scorer_run(scorer, pool, NULL);
    if (status == ALCORE_OK && out) MUST(test_column_rows(pool, "scores", rows, ROWS, out));
    alcore_scorer_unref(scorer);
    return status;
}

static void expect_same(const char *name, const char *mode) {
    double of_wide[ROWS], of_narrow[ROWS];
    MUST(score(wide, name, mode, NULL, of_wide));
    MUST(score(narrow, name, mode, NULL, of_narrow));
    for (int i = 0; i < ROWS; i++)
        ck_assert_msg(fabs(of_wide[i] - of_narrow[i]) <= 1e-6 + 1e-5 * fabs(of_wide[i]),
                      "%s %s, row %d: %.9g and %.9g", name, mode ? mode : "", i, of_wide[i],
                      of_narrow[i]);
}

START_TEST(one_number_a_row) {
    static const char *const modes[] = {"auto", "margin", "lc", "entropy"};
    give_rows(wide, "probs", probs[0], CLASSES);
    int64_t ones[ROWS];
    for (int i = 0; i < ROWS; i++) ones[i] = 1;
    MUST(put_narrow(ALCORE_COLUMN_SCALAR, ones, ROWS, ROWS));
    expect_same("lc", NULL);
    expect_same("entropy", NULL);
    expect_same("margin", NULL);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) expect_same("uncertainty", modes[m]);
}
END_TEST

START_TEST(one_number_a_token) {
    static const char *const modes[] = {"auto", "margin", "margin-min", "margin-mean",
                                        "mnlp", "lc",     "entropy"};
    give_ragged(wide, "token_probs", probs[0], CLASSES, offsets, ROWS);
    MUST(put_narrow(ALCORE_COLUMN_RAGGED, lengths, offsets[ROWS], ROWS));
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) expect_same("uncertainty", modes[m]);
    expect(score(narrow, "lc", NULL, NULL, NULL), ALCORE_E_SHAPE,
           "one value per token, this score needs one per row");
}
END_TEST

/* Distributions are not looked at where the narrow column is there, and are where it does not hold
 * what is measured. */
START_TEST(narrow_goes_first) {
    double margins[ROWS], found[ROWS];
    for (int i = 0; i < ROWS; i++) margins[i] = 0.25;
    give_rows(wide, "probs", probs[0], CLASSES);
    give_rows(wide, "margins", margins, 1);
    MUST(score(wide, "margin", NULL, NULL, found));
    for (int i = 0; i < ROWS; i++) ck_assert(found[i] == 0.75);
    MUST(score(wide, "uncertainty", NULL, NULL, found));
    ck_assert(found[3] == 0.75);
    MUST(score(wide, "margin", NULL, "log", found));
    ck_assert(found[0] != found[1]);
    MUST(score(wide, "uncertainty", "entropy", NULL, found));
    ck_assert(found[0] != found[1]);
    /* Margins alone are no entropies, nor logarithms. */
    give_rows(narrow, "margins", margins, 1);
    expect(score(narrow, "uncertainty", "entropy", NULL, NULL), ALCORE_E_MISSING,
           "'entropies|probs|token_probs'");
    expect(score(narrow, "uncertainty", "mnlp", NULL, NULL), ALCORE_E_MISSING,
           "'confidences|token_probs'");
    expect(score(narrow, "margin", NULL, "log", NULL), ALCORE_E_MISSING, "'probs'");
    expect(score(narrow, "uncertainty", "margin-min", NULL, NULL), ALCORE_E_SHAPE,
           "one value per row");
}
END_TEST

START_TEST(both_given_tokens_go_by_the_mode) {
    double found[ROWS];
    give_rows(wide, "probs", probs[0], CLASSES);
    give_ragged(wide, "token_probs", probs[0], CLASSES, offsets, ROWS);
    MUST(score(wide, "uncertainty", "margin-min", NULL, found));
    double most = 0;
    for (int64_t t = 0; t < lengths[0]; t++) {
        double top = 0, second = 0;
        for (int c = 0; c < CLASSES; c++) {
            double p = probs[t][c];
            if (p > top) {
                second = top;
                top = p;
            } else if (p > second) {
                second = p;
            }
        }
        if (1 - (top - second) > most) most = 1 - (top - second);
    }
    ck_assert(fabs(found[0] - most) < 1e-6);
}
END_TEST

START_TEST(wrong_numbers_name_their_row) {
    double values[ROWS] = {0};
    values[7] = 1.5;
    give_rows(narrow, "margins", values, 1);
    expect(score(narrow, "margin", NULL, NULL, NULL), ALCORE_E_DATA,
           "row 7: 1.5 in column \"margins\" is outside");
    give_rows(narrow, "entropies", values, 1);
    MUST(score(narrow, "entropy", NULL, NULL, NULL));
    values[7] = -0.5;
    give_rows(narrow, "entropies", values, 1);
    expect(score(narrow, "entropy", NULL, NULL, NULL), ALCORE_E_DATA, "entropies are 0 or more");
    values[7] = (double)INFINITY;
    give_rows(narrow, "entropies", values, 1);
    expect(score(narrow, "entropy", NULL, NULL, NULL), ALCORE_E_DATA, "row 7: inf");
    values[7] = (double)NAN;
    give_rows(narrow, "confidences", values, 1);
    expect(score(narrow, "lc", NULL, NULL, NULL), ALCORE_E_DATA, "row 7: a value");
    give_rows(narrow, "margins", probs[0], CLASSES);
    expect(score(narrow, "margin", NULL, NULL, NULL), ALCORE_E_SHAPE, "one value per row");
    for (int i = 0; i <= ROWS; i++) offsets[i] = i < 8 ? i : i - 1; /* row 7 is empty */
    for (int i = 0; i < ROWS; i++) values[i] = 0;
    give_ragged(narrow, "confidences", values, 1, offsets, ROWS);
    expect(score(narrow, "uncertainty", "mnlp", NULL, NULL), ALCORE_E_DATA,
           "row 7: no token in column \"confidences\"");
}
END_TEST

/* A confidence of 0 counts as the floor of logarithms. */
START_TEST(mnlp_has_a_floor) {
    double values[ROWS], found[ROWS];
    int64_t starts[ROWS + 1];
    for (int i = 0; i < ROWS; i++) values[i] = i == 1 ? 0.5 : 0;
    for (int i = 0; i <= ROWS; i++) starts[i] = i;
    give_ragged(narrow, "confidences", values, 1, starts, ROWS);
    MUST(score(narrow, "uncertainty", "mnlp", NULL, found));
    ck_assert(found[0] == 100.0 && fabs(found[1] - log(2.0)) < 1e-12);
}
END_TEST

START_TEST(a_row_of_two_tokens_is_no_number) {
    lengths[0] = 2;
    lengths[1] = 1;
    expect(put_narrow(ALCORE_COLUMN_SCALAR, lengths, 3, 2), ALCORE_E_SHAPE,
           "row 0 has 2 tokens: the writer margins of shape scalar");
}
END_TEST

/* ---- strategies ---- */

static alcore_selection *selected(alcore_pool *pool, const char *name, const char *mode,
                                  const char *nan) {
    alcore_request *request;
    alcore_strategy *strategy;
    alcore_selection *selection = NULL;
    MUST(alcore_request_new(ctx, &request));
    MUST(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    MUST(alcore_strategy_new(ctx, name, &strategy));
    if (mode) MUST(alcore_strategy_set(strategy, "mode", mode));
    MUST(alcore_request_set_strategy(request, strategy));
    MUST(alcore_request_set(request, "budget", "12"));
    if (nan) MUST(alcore_request_set(request, "nan", nan));
    MUST(alcore_select(request, &selection));
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
    return selection;
}

static void expect_same_picks(const char *name, const char *mode) {
    alcore_selection *of_wide = selected(wide, name, mode, NULL);
    alcore_selection *of_narrow = selected(narrow, name, mode, NULL);
    ck_assert_int_eq(alcore_selection_count(of_wide), 12);
    ck_assert_int_eq(alcore_selection_count(of_narrow), 12);
    ck_assert_mem_eq(alcore_selection_rows(of_wide), alcore_selection_rows(of_narrow),
                     12 * sizeof(int64_t));
    alcore_selection_unref(of_wide);
    alcore_selection_unref(of_narrow);
}

START_TEST(strategies_pick_the_same) {
    int64_t ones[ROWS];
    for (int i = 0; i < ROWS; i++) ones[i] = 1;
    give_rows(wide, "probs", probs[0], CLASSES);
    MUST(put_narrow(ALCORE_COLUMN_SCALAR, ones, ROWS, ROWS));
    expect_same_picks("lc", NULL);
    expect_same_picks("entropy", NULL);
    expect_same_picks("margin", NULL);
    expect_same_picks("uncertainty", "entropy");
}
END_TEST

START_TEST(nan_excludes_a_row) {
    double values[ROWS];
    for (int i = 0; i < ROWS; i++) values[i] = i / 100.0;
    values[0] = (double)NAN; /* else the first pick */
    give_rows(narrow, "margins", values, 1);
    alcore_selection *selection = selected(narrow, "margin", NULL, "exclude");
    ck_assert_int_eq(alcore_selection_rows(selection)[0], 1);
    alcore_selection_unref(selection);
}
END_TEST

CHECK_SUITE_WITH("narrow", setup, teardown, one_number_a_row, one_number_a_token, narrow_goes_first,
                 both_given_tokens_go_by_the_mode, wrong_numbers_name_their_row, mnlp_has_a_floor,
                 a_row_of_two_tokens_is_no_number, strategies_pick_the_same, nan_excludes_a_row);
