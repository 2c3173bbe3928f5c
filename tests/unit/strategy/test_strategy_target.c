/* SPDX-License-Identifier: Apache-2.0 */
/* Strategies that look at a target (spec 7): TV-AVG, and the lines of TV-BLOCK. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "block_bed.h"

static bed b;

/* TV-AVG: its source and its target. */
static double SOURCE[10], TARGET[6];

static void open_small(void) {
    vector_case one = vector_case_number(vector_find("multilingual", "TV-AVG"), 0);
    memcpy(SOURCE, vector_doubles(vector_input(&one, "source"), NULL), sizeof SOURCE);
    memcpy(TARGET, vector_doubles(vector_input(&one, "target"), NULL), sizeof TARGET);
    bed_open(&b, 5, 1, NULL);
    bed_column(&b, &b.input.candidates, "embeddings", SOURCE, 5, 2, ALCORE_FLOAT64);
    bed_column(&b, &b.input.target, "embeddings", TARGET, 3, 2, ALCORE_FLOAT64);
}

static void expect_distances(const char *name, const char *params) {
    vector_case one = vector_case_named(vector_find("multilingual", "TV-AVG"), name);
    const int64_t *order = vector_integers(vector_expected(&one, "order"), NULL);
    char text[96];
    snprintf(text, sizeof text, "scores=all %s", params);
    ck_assert_msg(bed_run(&b, "average-dist", text, 5) == ALCORE_OK, "%s", alcore_last_error());
    const double *distance = bed_record(&b, "distance");
    vector_near(distance, vector_expected(&one, "distances"), 1e-12);
    for (int i = 0; i < 5; i++) ck_assert(b.outcome.scores[i] == -distance[i]);
    bed_expect_picks(&b, 5, order);
}

START_TEST(average_distances) {
    static const int32_t languages[] = {1, 1, 3}; /* bn bn te among five tags */
    open_small();
    expect_distances("default", "");
    expect_distances("sq=1", "sq=1");
    expect_distances("metric=cosine", "metric=cosine");
    expect_distances("default", "balance_targets=1"); /* without languages all are of one */
    b.input.target_languages = languages;
    b.input.target_language_count = 5; /* tags without a row of the target count for nothing */
    expect_distances("balanced", "balance_targets=1");
    expect_distances("balanced, sq=1", "balance_targets=1 sq=1");
    ck_assert_int_eq(bed_run(&b, "average-dist", "metric=cosine sq=1", 5), ALCORE_E_PARAM);
    bed_close(&b);
}
END_TEST

START_TEST(average_needs_a_target) {
    open_small(); /* fills SOURCE and TARGET */
    bed_close(&b);
    bed_open(&b, 5, 1, NULL);
    bed_column(&b, &b.input.candidates, "embeddings", SOURCE, 5, 2, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "average-dist", "", 5), ALCORE_E_MISSING);
    bed_column(&b, &b.input.target, "embeddings", TARGET, 2, 3, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "average-dist", "", 5), ALCORE_E_SHAPE);
    bed_close(&b);
}
END_TEST

START_TEST(average_names_a_nan) {
    double target[6], source[10];
    open_small(); /* fills SOURCE and TARGET */
    bed_close(&b);
    memcpy(target, TARGET, sizeof target);
    memcpy(source, SOURCE, sizeof source);
    target[3] = (double)NAN;
    source[8] = HUGE_VAL;
    bed_open(&b, 5, 1, NULL);
    bed_column(&b, &b.input.candidates, "embeddings", source, 5, 2, ALCORE_FLOAT64);
    bed_column(&b, &b.input.target, "embeddings", target, 3, 2, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "average-dist", "", 2), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 1 of the target"));
    b.input.nan_exclude = true;
    ck_assert_msg(bed_run(&b, "average-dist", "", 5) == ALCORE_OK, "%s", alcore_last_error());
    BED_PICKS(&b, 0, 1, 3, 2); /* from (0,0) and (3,0): 1.5, 4.5, 9.27, 4.5 */
    ck_assert_int_eq(b.outcome.nan_count, 1);
    ck_assert_int_eq(b.outcome.nan_target, 1);
    target[3] = 4.0;
    b.input.nan_exclude = false;
    ck_assert_int_eq(bed_run(&b, "average-dist", "", 2), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 4:"));
    bed_close(&b);
}
END_TEST

/* ---- TV-BLOCK ---- */

START_TEST(average_gives_the_bits) {
    for (int width = 0; width < BLOCK_WIDTHS; width++) {
        vector_case known = block_vector(width);
        int64_t dims = block_dims(width);
        for (int32_t parts = 0; parts <= 3; parts += 3) {
            block_data data;
            block_data_make(&data, dims);
            bed_open(&b, 10, 2, NULL);
            b.parts = parts;
            bed_column(&b, &b.input.candidates, "embeddings", data.x + BLOCK_POOL * dims, 10, dims,
                       ALCORE_FLOAT32);
            bed_column(&b, &b.input.target, "embeddings", data.x, BLOCK_POOL, dims, ALCORE_FLOAT32);
            ck_assert_msg(bed_run(&b, "average-dist", "scores=all", 1) == ALCORE_OK, "%s",
                          alcore_last_error());
            const double *distance = bed_record(&b, "distance");
            vector_near(distance, vector_expected(&known, "average-dist/first"), 0);
            vector_digest(distance, 80, vector_expected(&known, "average-dist/distances"));
            bed_close(&b);
            block_data_free(&data);
        }
    }
}
END_TEST

/* ---- the filter ---- */

/* The pool against its own first rows; what the filter leaves out is never among the picks. */
static void expect_order_of_all(double budget) {
    static double exact[BLOCK_POOL];
    static int64_t picks[BLOCK_POOL];
    ck_assert_msg(bed_run(&b, "average-dist", "scores=all", budget) == ALCORE_OK, "%s",
                  alcore_last_error());
    int64_t count = b.outcome.bought.pick_count;
    ck_assert_int_eq(b.outcome.measured, b.outcome.count);
    memcpy(exact, b.outcome.scores, sizeof exact);
    memcpy(picks, b.outcome.bought.picks, (size_t)count * sizeof *picks);
    double spent = b.outcome.bought.spent;
    int64_t passed =
        b.outcome.bought.redundant + b.outcome.bought.unaffordable + b.outcome.bought.free_rows;
    ck_assert_int_eq(bed_run(&b, "average-dist", "", budget), ALCORE_OK);
    ck_assert_int_eq(b.outcome.bought.pick_count, count);
    ck_assert_mem_eq(b.outcome.bought.picks, picks, (size_t)count * sizeof *picks);
    ck_assert(b.outcome.bought.spent == spent);
    ck_assert_int_eq(b.outcome.bought.redundant + b.outcome.bought.unaffordable +
                         b.outcome.bought.free_rows,
                     passed);
    int64_t known = 0;
    for (int64_t i = 0; i < b.outcome.count; i++) {
        if (isnan(b.outcome.scores[i])) continue;
        ck_assert(b.outcome.scores[i] == exact[i]);
        known++;
    }
    ck_assert_int_eq(known, count + passed);
    ck_assert_int_eq(b.outcome.measured, known);
}

START_TEST(the_filter_changes_nothing) {
    static double costs[BLOCK_POOL];
    block_data data;
    block_data_make(&data, 70);
    bed_open(&b, BLOCK_POOL, 2, NULL);
    bed_column(&b, &b.input.candidates, "embeddings", data.x, BLOCK_POOL, 70, ALCORE_FLOAT32);
    bed_column(&b, &b.input.target, "embeddings", data.x, 300, 70, ALCORE_FLOAT32);
    expect_order_of_all(1);
    expect_order_of_all(500);
    b.input.fill.tie = ALCORE__TIE_RANDOM;
    expect_order_of_all(500);
    /* The cheap rows come last, so the first guess is too small. */
    ck_assert_int_eq(bed_run(&b, "average-dist", "scores=all", 1), ALCORE_OK);
    double middle = b.outcome.scores[100];
    for (int64_t i = 0; i < BLOCK_POOL; i++)
        costs[i] = b.outcome.scores[i] > middle ? (i % 3 ? 0.0 : 2.0) : 40.0;
    b.input.costs = costs;
    b.input.fill.policy = ALCORE__FILL_SKIP;
    expect_order_of_all(1501);
    b.input.fill.limited = true;
    b.input.fill.max_similarity = 0.05;
    expect_order_of_all(61);
    bed_close(&b);
    block_data_free(&data);
}
END_TEST

CHECK_SUITE("strategy-target", average_distances, average_needs_a_target, average_names_a_nan,
            average_gives_the_bits, the_filter_changes_nothing);
