/* SPDX-License-Identifier: Apache-2.0 */
/* What the numbers of a column of class probabilities are said to be: TV-LABELS, the checks of
 * distributions (spec 1.1), and what a meaning is refused for. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alcore/extra.h"
#include "check_suite.h"
#include "column_rows.h"
#include "vectors.h"

enum { ROWS = 4 };

static alcore_ctx *ctx;
static alcore_pool *pool;

#define MUST(call) ck_assert_msg((call) == ALCORE_OK, "%s", alcore_last_error())

static void setup(void) {
    MUST(alcore_ctx_new(NULL, &ctx));
    MUST(alcore_pool_new(ctx, NULL, &pool));
    for (int i = 0; i < ROWS; i++) {
        char text[24];
        const char *texts[] = {text};
        snprintf(text, sizeof text, "row %d", i);
        MUST(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
    }
}

static void teardown(void) {
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

/* Sets a column [ROWS, width], or [ROWS] for width 0, of a type and a meaning. */
static alcore_status give(const char *name, const void *values, int32_t dtype, int64_t width,
                          int32_t meaning) {
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    alcore_tensor tensor;
    int64_t shape[2] = {ROWS, width};
    options.meaning = meaning;
    MUST(alcore_tensor_init(&tensor, (void *)(uintptr_t)values, dtype, shape, width ? 2 : 1));
    return alcore_pool_set_column(pool, name, &tensor, NULL, &options);
}

static void must_give(const double *values, int64_t width, int32_t meaning) {
    MUST(give("probs", values, ALCORE_FLOAT64, width, meaning));
}

static alcore_status score(const char *name, const char *labels) {
    alcore_scorer *scorer;
    MUST(alcore_scorer_new(ctx, name, &scorer));
    if (labels) MUST(alcore_scorer_set(scorer, "labels", labels));
    alcore_status status = alcore_scorer_run(scorer, pool, NULL);
    alcore_scorer_unref(scorer);
    return status;
}

static void expect_scores(const json_t *expected) {
    const int64_t rows[ROWS] = {0, 1, 2, 3};
    double found[ROWS];
    MUST(test_column_rows(pool, "scores", rows, ROWS, found));
    vector_near(found, expected, 1e-12);
}

static void expect_failure(alcore_status status, alcore_status expected, const char *says) {
    ck_assert_int_eq(status, expected);
    ck_assert_msg(strstr(alcore_last_error(), says), "%s", alcore_last_error());
}

START_TEST(labels_and_the_positive_class) {
    static const char *const names[] = {"lc", "margin", "entropy"}, *const ways[] = {"mean", "max"};
    test_vector known = vector_find("scores", "TV-LABELS");
    for (int i = 0; i < 6; i++) {
        char title[24];
        snprintf(title, sizeof title, "%s %s", names[i / 2], ways[i % 2]);
        vector_case one = vector_case_named(known, title);
        must_give(vector_doubles(vector_input(&one, "labels"), NULL), 3, ALCORE_MEANS_MULTILABEL);
        MUST(score(names[i / 2], ways[i % 2]));
        expect_scores(vector_expected(&one, "u"));
        if (i % 2 == 0) {
            must_give(vector_doubles(vector_input(&one, "positive"), NULL), i ? 1 : 0,
                      ALCORE_MEANS_SIGMOID);
            MUST(score(names[i / 2], NULL));
            expect_scores(vector_expected(&one, "positive"));
        }
    }
}
END_TEST

/* The margin of (1 - p, p) is the same, whoever writes out both. */
START_TEST(one_number_is_two_classes) {
    const double p[ROWS] = {0.9, 0.5, 0.3, 0.0};
    const int64_t rows[ROWS] = {0, 1, 2, 3};
    double both[2 * ROWS], wide[ROWS], narrow[ROWS];
    for (int i = 0; i < ROWS; i++) both[2 * i] = 1.0 - p[i], both[2 * i + 1] = p[i];
    static const char *const names[] = {"lc", "margin", "entropy", "uncertainty"};
    for (int s = 0; s < 4; s++) {
        must_give(both, 2, ALCORE_MEANS_PROBS);
        MUST(score(names[s], NULL));
        MUST(test_column_rows(pool, "scores", rows, ROWS, wide));
        must_give(p, 1, ALCORE_MEANS_SIGMOID);
        MUST(score(names[s], NULL));
        MUST(test_column_rows(pool, "scores", rows, ROWS, narrow));
        ck_assert_mem_eq(wide, narrow, sizeof wide);
    }
}
END_TEST

/* The probability of one class, said to be nothing else. */
START_TEST(one_number_is_no_distribution) {
    const double p[ROWS] = {0.9, 0.5, 0.3, 0.0};
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    for (int64_t width = 0; width < 2; width++) {
        must_give(p, width, 0);
        expect_failure(score("margin", NULL), ALCORE_E_SHAPE, "one number");
        ck_assert_int_eq(alcore_last_remedy(&remedy), 1);
        ck_assert_int_eq(remedy.kind, ALCORE_REMEDY_MEANING);
        ck_assert_str_eq(remedy.name, "probs");
        ck_assert_str_eq(remedy.value, "sigmoid");
    }
    must_give(p, 1, ALCORE_MEANS_LOGITS);
    expect_failure(score("lc", NULL), ALCORE_E_SHAPE, "one number");
}
END_TEST

/* Sums of 1 within the rounding of each type; an error beyond it, which names the row. */
START_TEST(sums) {
    double exact[2 * ROWS] = {0.5, 0.5, 0.25, 0.75, 1, 0, 0.1, 0.9};
    for (int i = 0; i < 2; i++) {
        exact[4] = i ? 1.002 - 0.5 : 1.0009 - 0.5;
        exact[5] = 0.5;
        must_give(exact, 2, 0);
        if (i == 0)
            MUST(score("entropy", NULL));
        else
            expect_failure(score("entropy", NULL), ALCORE_E_DATA, "row 2: the probabilities");
    }
    ck_assert(strstr(alcore_last_error(), "1.002"));
    const double zeros[2 * ROWS] = {0};
    must_give(zeros, 2, ALCORE_MEANS_PROBS);
    expect_failure(score("lc", NULL), ALCORE_E_DATA, "row 0: the probabilities");
    double logs[2 * ROWS];
    for (int i = 0; i < 2 * ROWS; i++) logs[i] = log(0.5);
    must_give(logs, 2, ALCORE_MEANS_LOGPROBS);
    MUST(score("lc", NULL));
    logs[3] = -4.0;
    must_give(logs, 2, ALCORE_MEANS_LOGPROBS);
    expect_failure(score("margin", NULL), ALCORE_E_DATA, "row 1: the probabilities whose log");
}
END_TEST

/* 0.5 and 0.504 in float16 and bfloat16, by their bits: sums of 1.004 and 1.0156, 1.008 and
 * 1.031. */
START_TEST(sums_of_halves) {
    const uint16_t half_ok[2 * ROWS] = {0x3800, 0x3808, 0x3800, 0x3800,
                                        0x3800, 0x3800, 0x3800, 0x3800},
                               half_bad[2 * ROWS] = {0x3800, 0x3810, 0x3800, 0x3800,
                                                     0x3800, 0x3800, 0x3800, 0x3800},
                               brain_ok[2 * ROWS] = {0x3f00, 0x3f04, 0x3f00, 0x3f00,
                                                     0x3f00, 0x3f00, 0x3f00, 0x3f00},
                               brain_bad[2 * ROWS] = {0x3f00, 0x3f08, 0x3f00, 0x3f00,
                                                      0x3f00, 0x3f00, 0x3f00, 0x3f00};
    MUST(give("probs", half_ok, ALCORE_FLOAT16, 2, 0));
    MUST(score("lc", NULL));
    MUST(give("probs", half_bad, ALCORE_FLOAT16, 2, 0));
    expect_failure(score("lc", NULL), ALCORE_E_DATA, "row 0");
    MUST(give("probs", brain_ok, ALCORE_BFLOAT16, 2, 0));
    MUST(score("lc", NULL));
    MUST(give("probs", brain_bad, ALCORE_BFLOAT16, 2, 0));
    expect_failure(score("lc", NULL), ALCORE_E_DATA, "row 0");
}
END_TEST

/* A row that takes no part is not checked; a label outside [0, 1] is named; labels=max is about
 * labels only. */
START_TEST(refusals) {
    double labels[2 * ROWS] = {0.9, 0.9, 0.1, 0.2, 0.5, 1.5, 0.3, 0.4};
    must_give(labels, 2, ALCORE_MEANS_MULTILABEL);
    expect_failure(score("lc", NULL), ALCORE_E_DATA, "row 2");
    labels[5] = (double)NAN;
    must_give(labels, 2, ALCORE_MEANS_MULTILABEL);
    expect_failure(score("lc", NULL), ALCORE_E_DATA, "row 2: class 1");
    const int64_t out[] = {0, 1, 2};
    MUST(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, out, 3));
    MUST(score("lc", NULL));
    labels[7] = 0.7;
    must_give(labels, 2, ALCORE_MEANS_PROBS);
    MUST(score("lc", NULL));
    expect_failure(score("lc", "max"), ALCORE_E_PARAM, "independent labels");
    expect_failure(give("probs", labels, ALCORE_FLOAT64, 2, ALCORE_MEANS_CONFIDENCE),
                   ALCORE_E_INVALID, "not confidence");
    expect_failure(give("embeddings", labels, ALCORE_FLOAT64, 2, ALCORE_MEANS_LOGITS),
                   ALCORE_E_INVALID, "one meaning");
    MUST(give("mine", labels, ALCORE_FLOAT64, 2, ALCORE_MEANS_LOGITS));
    must_give(labels, 2, ALCORE_MEANS_SIGMOID);
    expect_failure(score("lc", NULL), ALCORE_E_SHAPE, "sigmoid");
}
END_TEST

CHECK_SUITE_WITH("meanings", setup, teardown, labels_and_the_positive_class,
                 one_number_is_two_classes, one_number_is_no_distribution, sums, sums_of_halves,
                 refusals);
