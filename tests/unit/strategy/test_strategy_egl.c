/* SPDX-License-Identifier: Apache-2.0 */
/* Expected gradient length (spec 4.21): TV-EGL, what class scores may be, and what is refused. */
#include <math.h>
#include <string.h>

#include "check_suite.h"
#include "strategy_bed.h"
#include "vectors.h"

enum { ROWS = 4, CLASSES = 3 };

static bed b;

/* A bed with the vector's embeddings and these class scores. */
static void open_with(const vector_case *one, const double *probs, int64_t classes,
                      int32_t meaning) {
    bed_open(&b, ROWS, 2, NULL);
    bed_column(&b, &b.input.candidates, "embeddings",
               vector_doubles(vector_input(one, "embeddings"), NULL), ROWS, 2, ALCORE_FLOAT64);
    bed_column(&b, &b.input.candidates, "probs", probs, ROWS, classes, ALCORE_FLOAT64)->meaning =
        meaning;
}

static void expect_scores(const json_t *expected) {
    ck_assert_msg(b.status == ALCORE_OK, "%s", alcore_last_error());
    vector_near(b.outcome.scores, expected, 1e-12);
}

START_TEST(vectors) {
    static const char *const names[] = {"bias=1", "bias=0"};
    for (int i = 0; i < 2; i++) {
        const vector_case one = vector_case_named(vector_find("scores", "TV-EGL"), names[i]);
        const double *probs = vector_doubles(vector_input(&one, "probs"), NULL);
        double logits[ROWS * CLASSES];
        open_with(&one, probs, CLASSES, 0);
        bed_run(&b, "egl", names[i], 9);
        expect_scores(vector_expected(&one, "u"));
        const double *error = bed_record(&b, "expected_error");
        const double *length = bed_record(&b, "activation_length");
        for (int r = 0; r < ROWS; r++)
            ck_assert_double_eq(b.outcome.scores[r], error[r] * length[r]);
        ck_assert_double_eq(length[3], i ? 0.0 : 1.0);
        bed_close(&b);
        for (int n = 0; n < ROWS * CLASSES; n++) logits[n] = log(probs[n]) + 3.0;
        open_with(&one, logits, CLASSES, ALCORE_MEANS_LOGITS);
        bed_run(&b, "egl", names[i], 9);
        expect_scores(vector_expected(&one, "u"));
        bed_close(&b);
        open_with(&one, vector_doubles(vector_input(&one, "labels"), NULL), 3,
                  ALCORE_MEANS_MULTILABEL);
        bed_run(&b, "egl", names[i], 9);
        expect_scores(vector_expected(&one, "labels"));
        bed_close(&b);
    }
}
END_TEST

/* A row whose class is sure changes nothing, however long its vector is. */
START_TEST(a_sure_row_is_last) {
    const double sure[ROWS * 2] = {1, 0, 0.5, 0.5, 0.9, 0.1, 0, 1};
    const vector_case one = vector_case_named(vector_find("scores", "TV-EGL"), "bias=1");
    open_with(&one, sure, 2, ALCORE_MEANS_PROBS);
    ck_assert_int_eq(bed_run(&b, "egl", "", 9), ALCORE_OK);
    bed_expect_picks(&b, 4, (const int64_t[]){1, 2, 0, 3});
    ck_assert_double_eq(b.outcome.scores[0], 0.0);
    bed_close(&b);
}
END_TEST

START_TEST(refusals) {
    double probs[ROWS * 2] = {1, 0, 0.5, 0.5, 0.9, 0.2, 0, 1};
    double embeddings[ROWS * 2] = {1, 2, 3, 4, 5, 6, 7, 8};
    const vector_case one = vector_case_named(vector_find("scores", "TV-EGL"), "bias=1");
    open_with(&one, probs, 2, 0);
    ck_assert_int_eq(bed_run(&b, "egl", "", 9), ALCORE_E_DATA);
    ck_assert_msg(strstr(alcore_last_error(), "row 2: the probabilities"), "%s",
                  alcore_last_error());
    bed_close(&b);
    probs[4] = 0.8;
    embeddings[3] = (double)NAN;
    bed_open(&b, ROWS, 2, NULL);
    bed_column(&b, &b.input.candidates, "embeddings", embeddings, ROWS, 2, ALCORE_FLOAT64);
    bed_column(&b, &b.input.candidates, "probs", probs, ROWS, 2, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "egl", "", 9), ALCORE_E_DATA);
    ck_assert_msg(strstr(alcore_last_error(), "row 1: component 1 in column \"embeddings\" is NaN"),
                  "%s", alcore_last_error());
    bed_close(&b);
}
END_TEST

CHECK_SUITE("egl", vectors, a_sure_row_is_last, refusals);
