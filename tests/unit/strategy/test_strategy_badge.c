/* SPDX-License-Identifier: Apache-2.0 */
/* BADGE (spec 4.5): TV-BADGE, the lines of TV-BLOCK, and distances by hand (spec B.7). */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "block_bed.h"
#include "check_suite.h"

static bed b;

static const double P[] = {.7, .2, .1, .4, .35, .25, .5, .5, 0, .2, .2, .6, .4, .35, .25};
static const double H[] = {1, 0, 0, 2, 1, 1, 2, 1, 0, 2};

static void open_small(const double *probs, int32_t dtype) {
    bed_open(&b, 5, 1, NULL);
    bed_column(&b, &b.input.candidates, "probs", probs, 5, 3, dtype);
    bed_column(&b, &b.input.candidates, "embeddings", H, 5, 2, ALCORE_FLOAT64);
}

static vector_case badge_case(const char *name) {
    return vector_case_named(vector_find("baselines", "TV-BADGE"), name);
}

static void expect_case(const char *name, const char *params) {
    vector_case one = badge_case(name);
    int64_t count;
    const int64_t *rows = vector_integers(vector_expected(&one, "picks"), &count);
    ck_assert_msg(bed_run(&b, "badge", params, (double)count) == ALCORE_OK, "%s",
                  alcore_last_error());
    bed_expect_picks(&b, count, rows);
}

START_TEST(vector) {
    vector_case factors = badge_case("factors"), drawn = badge_case("drawn");
    open_small(P, ALCORE_FLOAT64);
    vector_near(P, vector_input(&factors, "probs"), 0);
    vector_near(H, vector_input(&factors, "embeddings"), 0);
    expect_case("first=uniform", "first=uniform");
    expect_case("drawn", "");
    const double *norms = vector_doubles(vector_expected(&factors, "norms"), NULL);
    const double *distances = vector_doubles(vector_expected(&factors, "distances"), NULL);
    const int64_t *picks = vector_integers(vector_expected(&drawn, "picks"), NULL);
    const double *norm = bed_record(&b, "gradient_norm");
    for (int i = 0; i < 5; i++) ck_assert_double_eq_tol(norm[i], sqrt(norms[i]), 1e-9);
    /* The norm of the first pick; then the distance to the nearest pick when the row was drawn. */
    ck_assert_double_eq_tol(b.outcome.scores[picks[0]], sqrt(norms[picks[0]]), 1e-9);
    for (int i = 0; i < 5; i++) {
        double nearest = HUGE_VAL;
        for (int k = 0; k < 5 && picks[k] != i; k++)
            nearest = fmin(nearest, distances[5 * i + picks[k]]);
        if (i != picks[0]) ck_assert_double_eq_tol(b.outcome.scores[i], sqrt(nearest), 1e-9);
    }
    bed_close(&b);
}
END_TEST

/* The same distributions as logarithms and as logits. */
START_TEST(meanings) {
    double logs[15];
    for (int i = 0; i < 15; i++) logs[i] = P[i] > 0.0 ? log(P[i]) : -HUGE_VAL;
    for (int32_t meaning = ALCORE_MEANS_LOGPROBS; meaning <= ALCORE_MEANS_LOGITS; meaning++) {
        open_small(logs, ALCORE_FLOAT64);
        b.columns[0].meaning = meaning;
        expect_case("drawn", "");
        bed_close(&b);
    }
}
END_TEST

START_TEST(bad_rows_are_named) {
    double probs[15], factors[] = {1, 2, (double)NAN, 4, 5};
    memcpy(probs, P, sizeof probs);
    probs[4] = 1.5;
    open_small(probs, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "badge", "", 2), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 1"));
    probs[4] = (double)NAN;
    b.input.nan_exclude = true;
    ck_assert_int_eq(bed_run(&b, "badge", "", 5), ALCORE_OK);
    ck_assert_int_eq(b.outcome.bought.pick_count, 4);
    ck_assert_int_eq(b.outcome.nan_rows[0], 1);
    bed_close(&b);
    bed_open(&b, 5, 1, NULL);
    bed_column(&b, &b.input.candidates, "factors", factors, 5, 1, ALCORE_FLOAT64);
    bed_column(&b, &b.input.candidates, "embeddings", H, 5, 2, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "badge", "", 2), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 2"));
    b.input.nan_exclude = true;
    ck_assert_int_eq(bed_run(&b, "badge", "", 5), ALCORE_OK);
    ck_assert_int_eq(b.outcome.bought.pick_count, 4);
    bed_close(&b);
}
END_TEST

/* What cannot be bought is neither drawn nor a centroid. */
START_TEST(budgets) {
    static const char *const modes[] = {"", "mode=oversampling", "mode=oversampling per_step=1"};
    static const double costs[] = {1, 9, 2, 3, 0};
    open_small(P, ALCORE_FLOAT64);
    b.input.costs = costs;
    b.input.fill.policy = ALCORE__FILL_SKIP;
    ck_assert_int_eq(bed_run(&b, "badge", modes[_i], 6), ALCORE_OK);
    ck_assert_int_eq(b.outcome.bought.pick_count, 3);
    ck_assert_int_eq(bed_pick(&b, 0), 3);               /* the largest norm among those that fit */
    ck_assert_int_eq(b.outcome.bought.unaffordable, 0); /* nothing is left of the budget */
    b.input.fill.policy = ALCORE__FILL_OVERSHOOT;
    ck_assert_int_eq(bed_run(&b, "badge", modes[_i], 100), ALCORE_OK);
    ck_assert_int_eq(b.outcome.bought.pick_count, 4);
    ck_assert_int_eq(b.outcome.bought.free_rows, 1);
    b.input.fill.limited = true;
    b.input.fill.max_similarity = 0.99;
    ck_assert_int_eq(bed_run(&b, "badge", modes[_i], 100), ALCORE_OK);
    ck_assert_int_eq(b.outcome.bought.pick_count, 4); /* (0,2) twice, once without a cost */
    b.input.fill.max_similarity = 0.5;
    ck_assert_int_eq(bed_run(&b, "badge", modes[_i], 100), ALCORE_OK);
    ck_assert_int_eq(
        b.outcome.bought.redundant + b.outcome.bought.pick_count + b.outcome.bought.free_rows, 5);
    ck_assert_int_gt(b.outcome.bought.redundant, 0);
    bed_close(&b);
}
END_TEST

/* CLUSTERS balls that are far from each other, of very different sizes: as many picks as there are
 * balls hit nearly all of them, by the exact form and from rows drawn beforehand; random picks
 * would miss the small ones. Only gathered rows have a score. */
START_TEST(oversampling_covers_the_clusters) {
    enum { MANY = 20000, CLUSTERS = 24 };
    static const char *const modes[] = {"", "mode=oversampling", "mode=oversampling per_step=8"};
    static double ones[MANY], h[MANY * 2];
    alcore__rng rng;
    alcore__rng_seed(&rng, 3);
    for (int i = 0; i < MANY; i++) {
        const int cluster = i % 40 < CLUSTERS - 1 && i % 11 == 0 ? i % 40 : CLUSTERS - 1;
        ones[i] = 1.0;
        h[2 * i] = 100.0 * cluster + alcore__rng_f64(&rng);
        h[2 * i + 1] = 100.0 * (cluster % 5) + alcore__rng_f64(&rng);
    }
    bed_open(&b, MANY, 2, NULL);
    bed_column(&b, &b.input.candidates, "factors", ones, MANY, 1, ALCORE_FLOAT64);
    bed_column(&b, &b.input.candidates, "embeddings", h, MANY, 2, ALCORE_FLOAT64);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        uint32_t hit = 0;
        int64_t measured = 0;
        int clusters = 0;
        ck_assert_int_eq(bed_run(&b, "badge", modes[m], CLUSTERS), ALCORE_OK);
        ck_assert_int_eq(b.outcome.bought.pick_count, CLUSTERS);
        for (int64_t k = 0; k < CLUSTERS; k++)
            hit |= 1u << (int)(h[2 * bed_pick(&b, k)] / 100.0 + 0.001);
        for (; hit; hit &= hit - 1) clusters++;
        ck_assert_int_ge(clusters, CLUSTERS - 2);
        for (int i = 0; i < MANY; i++) measured += !isnan(b.outcome.scores[i]);
        ck_assert_int_eq(measured, m == 0 ? MANY : b.outcome.measured);
        if (m > 0) ck_assert_int_le(measured, 1 + 5 * (m == 1 ? CLUSTERS : 8));
    }
    bed_close(&b);
}
END_TEST

START_TEST(parameters_are_checked) {
    open_small(P, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "badge", "mode=oversampling per_step=0", 2), ALCORE_E_PARAM);
    ck_assert_int_eq(bed_run(&b, "badge", "mode=oversampling steps=0", 2), ALCORE_E_PARAM);
    ck_assert_int_eq(bed_run(&b, "badge", "mode=composable", 2), ALCORE_E_PARAM);
    bed_close(&b);
}
END_TEST

/* A seed with which the first draw of a run of BADGE is at least low and below high, and the second
 * at least next_low and below next_high. */
static uint64_t seed_of_draws(double low, double high, double next_low, double next_high) {
    for (uint64_t seed = 0;; seed++) {
        alcore__rng rng;
        alcore__rng_seed(&rng, alcore__rng_derive(seed, ALCORE__TAG_BADGE, 1 /* round */, 0));
        const double first = alcore__rng_f64(&rng), second = alcore__rng_f64(&rng);
        if (first >= low && first < high && second >= next_low && second < next_high) return seed;
    }
}

/* Row 1 is drawn and passed over, for its cosine with row 0 is 1: row 2, which is near it, stays as
 * far from the chosen rows as it was. */
START_TEST(passed_over_is_no_centroid) {
    static const double ones[] = {1, 1, 1, 1}, h[] = {10, 0, 5, 0, 4, 0, 0, 1};
    bed_open(&b, 4, 1, NULL);
    bed_column(&b, &b.input.candidates, "factors", ones, 4, 1, ALCORE_FLOAT64);
    bed_column(&b, &b.input.candidates, "embeddings", h, 4, 2, ALCORE_FLOAT64);
    b.input.fill.limited = true;
    b.input.fill.max_similarity = 0.99;
    /* The weights of rows 1, 2, 3 are 25, 36 and 101 after the first pick, 36 and 101 of rows 2 and
     * 3 after row 1 was passed over. */
    b.input.seed = seed_of_draws(0.0, 25.0 / 162, 36.0 / 137, 1.0);
    ck_assert_int_eq(bed_run(&b, "badge", "", 2), ALCORE_OK);
    BED_PICKS(&b, 0, 3);
    ck_assert_int_eq(b.outcome.bought.redundant, 1);
    ck_assert(b.outcome.scores[2] == 6.0);
    bed_close(&b);
}
END_TEST

/* ---- TV-BLOCK ---- */

START_TEST(block_gives_the_bits) {
    for (int width = 0; width < BLOCK_WIDTHS; width++) {
        vector_case known = block_vector(width);
        const int64_t *first = vector_integers(vector_expected(&known, "badge/first"), NULL);
        for (int32_t parts = 0; parts <= 3; parts += 3) {
            block_bed data;
            block_bed_open(&data, block_dims(width), 2);
            data.bed.parts = parts;
            bed_column(&data.bed, &data.bed.input.candidates, "factors", data.data.u, BLOCK_POOL, 1,
                       ALCORE_FLOAT64);
            ck_assert_msg(bed_run(&data.bed, "badge", "", 100) == ALCORE_OK, "%s",
                          alcore_last_error());
            bed_expect_picks(&data.bed, 5, first);
            ck_assert_uint_eq(bed_hash_picks(&data.bed, 100),
                              vector_word(vector_expected(&known, "badge/picks")));
            ck_assert_int_eq(bed_run(&data.bed, "badge", "mode=oversampling", 100), ALCORE_OK);
            ck_assert_uint_eq(bed_hash_picks(&data.bed, 100),
                              vector_word(vector_expected(&known, "badge oversampling/picks")));
            ck_assert_int_eq(
                bed_run(&data.bed, "badge", "mode=oversampling steps=2 per_step=9", 100),
                ALCORE_OK);
            ck_assert_uint_eq(bed_hash_picks(&data.bed, 100),
                              vector_word(vector_expected(&known, "badge oversampling/turns")));
            block_bed_close(&data);
        }
    }
}
END_TEST

/* ---- spec B.7 ---- */

enum { ROWS = 40, CLASSES = 3, DIMS = 4 };

/* Of both modes: the second one gathers few rows at a time, all of them in the end. */
START_TEST(factored_is_explicit) {
    static const char *const modes[] = {"", "mode=oversampling", "mode=oversampling per_step=2",
                                        "mode=oversampling steps=1 per_step=1"};
    static double probs[ROWS * CLASSES], h[ROWS * DIMS], g[ROWS][CLASSES * DIMS];
    alcore__rng rng;
    alcore__rng_seed(&rng, 11 + (uint64_t)_i);
    for (int i = 0; i < ROWS; i++) {
        double rest = 1.0;
        int likeliest = 0;
        for (int c = 0; c < CLASSES; c++) {
            double *p = &probs[i * CLASSES + c];
            *p = c == CLASSES - 1 ? rest : rest * alcore__rng_f64(&rng);
            rest -= *p;
            if (*p > probs[i * CLASSES + likeliest]) likeliest = c;
        }
        for (int j = 0; j < DIMS; j++) h[i * DIMS + j] = alcore__rng_f64(&rng) - 0.4;
        if (i % 5 == 4) { /* a duplicate */
            memcpy(probs + i * CLASSES, probs + (i - 1) * CLASSES, CLASSES * sizeof *probs);
            memcpy(h + i * DIMS, h + (i - 1) * DIMS, DIMS * sizeof *h);
            memcpy(g[i], g[i - 1], sizeof g[i]);
            continue;
        }
        for (int k = 0; k < CLASSES * DIMS; k++) {
            double a = probs[i * CLASSES + k / DIMS] - (k / DIMS == likeliest ? 1.0 : 0.0);
            g[i][k] = a * h[i * DIMS + k % DIMS];
        }
    }
    bed_open(&b, ROWS, 1, NULL);
    bed_column(&b, &b.input.candidates, "probs", probs, ROWS, CLASSES, ALCORE_FLOAT64);
    bed_column(&b, &b.input.candidates, "embeddings", h, ROWS, DIMS, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "badge", modes[_i % 4], ROWS), ALCORE_OK);
    ck_assert_int_eq(b.outcome.bought.pick_count, ROWS);
    int distinct = 0;
    for (int64_t k = 1; k < ROWS; k++) {
        int64_t row = bed_pick(&b, k);
        double least = HUGE_VAL;
        for (int64_t c = 0; c < k; c++) {
            double sum = 0.0;
            for (int j = 0; j < CLASSES * DIMS; j++)
                sum += pow(g[row][j] - g[bed_pick(&b, c)][j], 2.0);
            if (sum < least) least = sum;
        }
        ck_assert_double_eq_tol(b.outcome.scores[row], sqrt(least), 1e-9);
        if (b.outcome.scores[row] > 0.0) {
            ck_assert_int_eq(distinct, (int)k - 1); /* no duplicate came before it */
            distinct++;
        }
    }
    ck_assert_int_eq(distinct, ROWS - ROWS / 5 - 1);
    bed_close(&b);
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("badge");
    tcase_set_timeout(all, 240);
    tcase_add_test(all, vector);
    tcase_add_test(all, meanings);
    tcase_add_test(all, bad_rows_are_named);
    tcase_add_loop_test(all, budgets, 0, 3);
    tcase_add_test(all, oversampling_covers_the_clusters);
    tcase_add_test(all, parameters_are_checked);
    tcase_add_test(all, passed_over_is_no_centroid);
    tcase_add_test(all, block_gives_the_bits);
    tcase_add_loop_test(all, factored_is_explicit, 0, 8);
    return check_suite_run("strategy-badge", all);
}
