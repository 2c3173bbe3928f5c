/* SPDX-License-Identifier: Apache-2.0 */
/* Contrastive active learning (spec 4.22): TV-CONTRASTIVE with labeled rows of the pool itself, of
 * a pool of their own and of both, what class scores may be, and what is refused. */
#include <math.h>
#include <string.h>

#include "check_suite.h"
#include "strategy_bed.h"
#include "vectors.h"

enum { ROWS = 24, DIMS = 3, CLASSES = 3 };

static bed b;
static uint8_t labeled[ROWS];
static double other_points[ROWS * DIMS], other_probs[ROWS * CLASSES];

/* A bed with the vector's rows, of which the labeled ones are of the pool, from number `own` on in
 * a pool of their own. */
static void open_case(const vector_case *one, const double *probs, int32_t meaning, int64_t own) {
    int64_t count;
    const int64_t *known = vector_integers(vector_input(one, "labeled_rows"), &count);
    const double *points = vector_doubles(vector_input(one, "embeddings"), NULL);
    bed_open(&b, ROWS, 2, NULL);
    bed_column(&b, &b.input.candidates, "embeddings", points, ROWS, DIMS, ALCORE_FLOAT64);
    bed_column(&b, &b.input.candidates, "probs", probs, ROWS, CLASSES, ALCORE_FLOAT64)->meaning =
        meaning;
    memset(labeled, 0, sizeof labeled);
    for (int64_t l = 0; l < count; l++) {
        b.mask[known[l]] = 0;
        labeled[known[l]] = l < own;
        if (l < own) continue;
        memcpy(other_points + (l - own) * DIMS, points + known[l] * DIMS, DIMS * sizeof *points);
        memcpy(other_probs + (l - own) * CLASSES, probs + known[l] * CLASSES,
               CLASSES * sizeof *probs);
    }
    if (own > 0) b.input.labeled_rows = labeled;
    if (own >= count) return;
    bed_column(&b, &b.input.labeled, "embeddings", other_points, count - own, DIMS, ALCORE_FLOAT64);
    bed_column(&b, &b.input.labeled, "probs", other_probs, count - own, CLASSES, ALCORE_FLOAT64)
        ->meaning = meaning;
}

static void expect_run(const vector_case *one, const char *scores, double tolerance) {
    ck_assert_msg(bed_run(&b, "contrastive", one->name, ROWS) == ALCORE_OK, "%s",
                  alcore_last_error());
    vector_near(b.outcome.scores, vector_expected(one, scores), tolerance);
    vector_near(bed_record(&b, "divergence"), vector_expected(one, scores), tolerance);
}

START_TEST(vectors) {
    test_vector all = vector_find("scores", "TV-CONTRASTIVE");
    for (int64_t c = 0; c < vector_case_count(all); c++) {
        const vector_case one = vector_case_number(all, c);
        const double *probs = vector_doubles(vector_input(&one, "probs"), NULL);
        double logits[ROWS * CLASSES];
        for (int n = 0; n < ROWS * CLASSES; n++) logits[n] = log(probs[n]) + 7.0;
        for (int64_t own = 0; own <= 8; own += 2) {
            int64_t count;
            const int64_t *picks = vector_integers(vector_expected(&one, "picks"), &count);
            open_case(&one, probs, 0, own);
            expect_run(&one, "u", 1e-12);
            bed_expect_picks(&b, count, picks);
            bed_close(&b);
            open_case(&one, logits, ALCORE_MEANS_LOGITS, own);
            expect_run(&one, "u", 1e-11);
            bed_close(&b);
            open_case(&one, probs, ALCORE_MEANS_MULTILABEL, own);
            expect_run(&one, "labels", 1e-12);
            bed_close(&b);
        }
    }
}
END_TEST

/* A row with the probabilities of its neighbors has a divergence of 0, and with nan=exclude a
 * labeled row without probabilities is no neighbor of any row. */
START_TEST(agreement_and_missing_numbers) {
    const vector_case one = vector_case_number(vector_find("scores", "TV-CONTRASTIVE"), 1);
    double probs[ROWS * CLASSES];
    int64_t count;
    const int64_t *known = vector_integers(vector_input(&one, "labeled_rows"), &count);
    for (int n = 0; n < ROWS * CLASSES; n++) probs[n] = n % CLASSES == 0 ? 0.5 : 0.25;
    for (int k = 1; k < count; k++)
        for (int c = 0; c < CLASSES; c++) probs[known[k] * CLASSES + c] = (double)NAN;
    open_case(&one, probs, 0, count);
    ck_assert_int_eq(bed_run(&b, "contrastive", "", 5), ALCORE_E_DATA);
    bed_close(&b);
    open_case(&one, probs, 0, count);
    b.input.nan_exclude = true;
    ck_assert_msg(bed_run(&b, "contrastive", "", 5) == ALCORE_OK, "%s", alcore_last_error());
    for (int64_t i = 0; i < b.outcome.count; i++) ck_assert_double_eq(b.outcome.scores[i], 0.0);
    bed_close(&b);
}
END_TEST

START_TEST(refusals) {
    const vector_case one = vector_case_number(vector_find("scores", "TV-CONTRASTIVE"), 0);
    double probs[ROWS * CLASSES];
    memcpy(probs, vector_doubles(vector_input(&one, "probs"), NULL), sizeof probs);
    bed_open(&b, ROWS, 1, NULL);
    bed_column(&b, &b.input.candidates, "embeddings",
               vector_doubles(vector_input(&one, "embeddings"), NULL), ROWS, DIMS, ALCORE_FLOAT64);
    bed_column(&b, &b.input.candidates, "probs", probs, ROWS, CLASSES, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "contrastive", "", 5), ALCORE_E_MISSING);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "labeled rows, of which there is none"));
    bed_column(&b, &b.input.labeled, "embeddings", other_points, 2, DIMS, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "contrastive", "", 5), ALCORE_E_MISSING);
    ck_assert_msg(strstr(alcore_last_error(), "\"probs\" of the labeled pool"), "%s",
                  alcore_last_error());
    bed_column(&b, &b.input.labeled, "probs", other_probs, 2, CLASSES - 1, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "contrastive", "", 5), ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "has 2 classes, that of the pool 3"));
    bed_close(&b);
    for (int row = 4; row < 7; row += 2) { /* a labeled row, a candidate */
        memcpy(probs, vector_doubles(vector_input(&one, "probs"), NULL), sizeof probs);
        probs[row * CLASSES] += 0.5;
        open_case(&one, probs, 0, 9);
        ck_assert_int_eq(bed_run(&b, "contrastive", "", 5), ALCORE_E_DATA);
        ck_assert_msg(strstr(alcore_last_error(), row == 4 ? "row 4: the" : "row 6: the"), "%s",
                      alcore_last_error());
        bed_close(&b);
    }
}
END_TEST

CHECK_SUITE("contrastive", vectors, agreement_and_missing_numbers, refusals);
