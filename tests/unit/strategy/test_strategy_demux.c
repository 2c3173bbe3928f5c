/* SPDX-License-Identifier: Apache-2.0 */
/* The strategies of DeMuX that buy uncertain neighbors of a target: TV-KNN, TV-UNCKNN, and both
 * against a search that computes every distance. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "block_bed.h"
#include "demux_bed.h"

static bed b;

/* ---- vectors ---- */

/* Opens a pool with the points, the uncertainty and the target of a vector. */
static void open_points(const vector_case *one) {
    demux_bed_open(&b, one);
}

/* Leaves only the rows of a list among the candidates. */
static void keep_only(const vector_case *one) {
    int64_t count;
    const int64_t *rows = vector_integers(vector_input(one, "unlabeled"), &count);
    memset(b.mask, 0, (size_t)b.input.candidates.rows);
    for (int64_t i = 0; i < count; i++) b.mask[rows[i]] = 1;
}

/* The rows that are no candidates are labeled rows of the pool. */
static void label_others(void) {
    static uint8_t labeled[20000];
    for (int64_t i = 0; i < b.input.candidates.rows; i++) labeled[i] = !b.mask[i];
    b.input.labeled_rows = labeled;
}

START_TEST(knn_uncertainty_vectors) {
    static const char *const CASES[] = {"auto",
                                        "k = 1",
                                        "k = 4",
                                        "k = 7",
                                        "short, none",
                                        "short, uncertainty",
                                        "rows 1 and 4 labeled",
                                        "rows 1 and 4 labeled, code",
                                        "rows 0, 1 and 4 labeled, k = 3, code"};
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        vector_case one = vector_case_named(vector_find("multilingual", "TV-KNN"), CASES[c]);
        char params[64] = "";
        int64_t near;
        open_points(&one);
        if (vector_has_input(&one, "unlabeled")) keep_only(&one);
        if (vector_has_input(&one, "k"))
            snprintf(params, sizeof params, "k=%lld%s",
                     (long long)vector_integer(vector_input(&one, "k")),
                     vector_has_input(&one, "fill_short") ? " fill_short=none" : "");
        if (vector_has_input(&one, "mode")) {
            strcat(params, " mode=code");
            label_others();
        }
        double budget = vector_double(vector_input(&one, "b"));
        ck_assert_msg(bed_run(&b, "knn-uncertainty", params, budget) == ALCORE_OK, "%s",
                      alcore_last_error());
        demux_bed_expect_picks(&b, &one);
        ck_assert(bed_fact(&b, "k")[0] == vector_double(vector_expected(&one, "k")));
        vector_integers(vector_expected(&one, "union"), &near);
        ck_assert(bed_fact(&b, "near rows")[0] == (double)near);
        bool is_short = b.outcome.bought.pick_count < (int64_t)budget;
        ck_assert_int_eq(b.outcome.bought.flags == ALCORE_SELECTION_SHORT, is_short);
        bed_close(&b);
    }
}
END_TEST

/* k is at most k_max and at most the candidates; with k=auto too, where no k costs more than the
 * budget. */
START_TEST(k_has_limits) {
    static const struct {
        const char *params;
        double k;
    } CASES[] = {{"k=5 k_max=3", 3}, {"k_max=3", 3}, {"k_max=9", 7}, {"k=9", 7}};
    vector_case one = vector_case_named(vector_find("multilingual", "TV-KNN"), "auto");
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        open_points(&one);
        ck_assert_int_eq(bed_run(&b, "knn-uncertainty", CASES[c].params, 7), ALCORE_OK);
        ck_assert_msg(bed_fact(&b, "k")[0] == CASES[c].k, "%s", CASES[c].params);
        bed_close(&b);
    }
}
END_TEST

START_TEST(uncertainty_knn_vectors) {
    demux_bed_uncertainty_knn(&b, "TV-UNCKNN", "", open_points);
}
END_TEST

/* ---- against every distance ---- */

enum { ROWS = 17000, TARGETS = 50, DIMS = 3 }; /* three blocks */

static float source[ROWS * DIMS], target[TARGETS * DIMS];
static double u[ROWS], costs[ROWS], sq_dist[ROWS];
static bool near[ROWS];

/* together: every target row stands at the same place, so that N_k has k rows and k must grow. */
static void open_many(bool together) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 7);
    for (int64_t i = 0; i < ROWS; i++) {
        u[i] = floor(40 * alcore__rng_f64(&rng)); /* many ties */
        costs[i] = (double)(1 + alcore__rng_below(&rng, 9));
        for (int64_t j = 0; j < DIMS; j++) /* a grid, so that distances are equal too */
            source[i * DIMS + j] = (float)alcore__rng_below(&rng, 30);
    }
    for (int64_t i = 0; i < TARGETS * DIMS; i++)
        target[i] = together ? 7 : (float)alcore__rng_below(&rng, 30);
    bed_open(&b, ROWS, 2, NULL);
    for (int64_t i = 0; i < ROWS; i++) b.mask[i] = i % 7 != 3;
    bed_column(&b, &b.input.candidates, "scores", u, ROWS, 1, ALCORE_FLOAT64);
    bed_column(&b, &b.input.candidates, "embeddings", source, ROWS, DIMS, ALCORE_FLOAT32);
    bed_column(&b, &b.input.target, "embeddings", target, TARGETS, DIMS, ALCORE_FLOAT32);
}

static void measure(int64_t t) {
    for (int64_t i = 0; i < ROWS; i++) {
        sq_dist[i] = 0;
        for (int64_t j = 0; j < DIMS; j++) {
            double difference = (double)source[i * DIMS + j] - (double)target[t * DIMS + j];
            sq_dist[i] += difference * difference;
        }
    }
}

static int by_distance(const void *x, const void *y) {
    int64_t a = *(const int64_t *)x, c = *(const int64_t *)y;
    if (sq_dist[a] != sq_dist[c]) return sq_dist[a] < sq_dist[c] ? -1 : 1;
    return (a > c) - (a < c);
}

static int by_uncertainty(const void *x, const void *y) {
    int64_t a = *(const int64_t *)x, c = *(const int64_t *)y;
    if (u[a] != u[c]) return u[a] > u[c] ? -1 : 1;
    return (a > c) - (a < c);
}

/* N_k by sorting all rows for each target; returns what its rows cost. With labeled rows in the
 * input they are neighbors too, but not in N_k. */
static double find_near(int64_t k) {
    static int64_t order[ROWS];
    double cost = 0;
    memset(near, 0, sizeof near);
    for (int64_t t = 0; t < TARGETS; t++) {
        int64_t count = 0;
        measure(t);
        for (int64_t i = 0; i < ROWS; i++)
            if (b.mask[i] || b.input.labeled_rows) order[count++] = i;
        qsort(order, (size_t)count, sizeof *order, by_distance);
        for (int64_t i = 0; i < k; i++) near[order[i]] = b.mask[order[i]];
    }
    for (int64_t i = 0; i < ROWS; i++)
        if (near[i]) cost += b.input.costs ? costs[i] : 1;
    return cost;
}

/* Expects the picks of k=auto with a k_max, a power of 2. */
static void expect_knn_uncertainty(double budget, int64_t k_max, int32_t parts) {
    static int64_t order[ROWS];
    int64_t k = 1, count = 0;
    char params[64];
    while (!(find_near(k) > budget) && k < k_max) k *= 2;
    for (int64_t i = 0; i < ROWS; i++)
        if (near[i]) order[count++] = i;
    qsort(order, (size_t)count, sizeof *order, by_uncertainty);
    b.parts = parts;
    snprintf(params, sizeof params, "k_max=%lld%s", (long long)k_max,
             b.input.labeled_rows ? " mode=code" : "");
    ck_assert_msg(bed_run(&b, "knn-uncertainty", params, budget) == ALCORE_OK, "%s",
                  alcore_last_error());
    ck_assert(bed_fact(&b, "k")[0] == (double)k);
    ck_assert_int_gt(b.outcome.bought.pick_count, 0);
    ck_assert_int_le(b.outcome.bought.pick_count, count);
    bed_expect_picks(&b, b.outcome.bought.pick_count, order);
}

START_TEST(knn_uncertainty_is_the_plain_search) {
    open_many(false);
    expect_knn_uncertainty(30, 256, 0);
    expect_knn_uncertainty(100, 256, 0);
    expect_knn_uncertainty(100, 256, 3);
    b.input.costs = costs;
    expect_knn_uncertainty(400, 256, 0);
    bed_close(&b);
    open_many(true);
    expect_knn_uncertainty(100, 256, 0); /* k = 128: lists of 8 are made longer twice */
    /* The 64 nearest cost no more than the budget, so k is 128 here too. */
    expect_knn_uncertainty(64, 256, 2);
    bed_close(&b);
}
END_TEST

/* k may be larger than the lists of the kernel, 1024, and than a block, 8192 rows: by doubling, and
 * as a given k, whatever the rows are cut into. */
START_TEST(k_may_exceed_the_lists_of_the_kernel) {
    open_many(true);
    expect_knn_uncertainty(1000, 2048, 0); /* k = 1024 */
    expect_knn_uncertainty(1500, 2048, 3); /* k = 2048: the last list that is longer */
    b.parts = 0;
    for (int64_t k = 1025; k <= 9000; k += 7975) {
        char params[64];
        int64_t picks[20];
        ck_assert(find_near(k) == (double)k); /* every target row stands at the same place */
        snprintf(params, sizeof params, "k=%lld k_max=%lld", (long long)k, (long long)k);
        ck_assert_int_eq(bed_run(&b, "knn-uncertainty", params, 20), ALCORE_OK);
        ck_assert(bed_fact(&b, "near rows")[0] == (double)k);
        ck_assert_int_eq(b.outcome.bought.pick_count, 20);
        for (int64_t r = 0; r < 20; r++) {
            picks[r] = bed_pick(&b, r);
            ck_assert(near[picks[r]]);
        }
        b.input.nan_exclude = true; /* changes nothing where nothing is NaN */
        ck_assert_int_eq(bed_run(&b, "knn-uncertainty", params, 20), ALCORE_OK);
        bed_expect_picks(&b, 20, picks);
        b.input.nan_exclude = false;
    }
    bed_close(&b);
}
END_TEST

/* Where every neighbor is labeled there is no candidate in N_k, and the others follow or do not. */
START_TEST(all_neighbors_may_be_labeled) {
    vector_case one = vector_case_named(vector_find("multilingual", "TV-KNN"), "auto");
    open_points(&one);
    b.mask[0] = b.mask[3] = 0;
    label_others();
    ck_assert_int_eq(
        bed_run(&b, "knn-uncertainty", "mode=code k=1 fill_short=none balance_targets=1", 2),
        ALCORE_OK);
    ck_assert_int_eq(b.outcome.bought.pick_count, 0);
    ck_assert_int_eq(b.outcome.bought.flags, ALCORE_SELECTION_SHORT);
    ck_assert_int_eq(bed_run(&b, "knn-uncertainty", "mode=code k=1", 2), ALCORE_OK);
    BED_PICKS(&b, 5, 1); /* the most uncertain */
    bed_close(&b);
}
END_TEST

/* With nan=exclude a labeled row with a NaN is nobody's neighbor, as if it had no label and were no
 * candidate; where labeled rows are not read it counts nowhere. */
START_TEST(a_labeled_row_may_have_a_nan) {
    vector_case one = vector_case_named(vector_find("multilingual", "TV-KNN"), "auto");
    const double *vectors = vector_doubles(vector_input(&one, "source"), NULL);
    uint8_t labeled[64] = {0};
    double points[2 * 64];
    int64_t expected[2], n;
    open_points(&one);
    const int64_t rows = b.input.candidates.rows;
    ck_assert_int_le(rows, 64);
    b.mask[0] = b.mask[3] = 0;
    labeled[3] = 1;
    b.input.labeled_rows = labeled;
    ck_assert_int_eq(bed_run(&b, "knn-uncertainty", "mode=code k=2", 2), ALCORE_OK);
    for (int64_t r = 0; r < 2; r++) expected[r] = bed_pick(&b, r);
    bed_close(&b);
    memcpy(points, vectors, (size_t)(2 * rows) * sizeof *points);
    points[1] = (double)NAN;
    bed_open(&b, rows, 1, NULL);
    bed_column(&b, &b.input.candidates, "embeddings", points, rows, 2, ALCORE_FLOAT64);
    bed_column(&b, &b.input.candidates, "scores", vector_doubles(vector_input(&one, "u"), NULL),
               rows, 1, ALCORE_FLOAT64);
    const double *of_target = vector_doubles(vector_input(&one, "target"), &n);
    bed_column(&b, &b.input.target, "embeddings", of_target, n / 2, 2, ALCORE_FLOAT64);
    b.mask[0] = b.mask[3] = 0;
    labeled[0] = 1;
    b.input.labeled_rows = labeled;
    ck_assert_int_eq(bed_run(&b, "knn-uncertainty", "mode=code k=2", 2), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 0"));
    b.input.nan_exclude = true;
    ck_assert_int_eq(bed_run(&b, "knn-uncertainty", "mode=code k=2", 2), ALCORE_OK);
    bed_expect_picks(&b, 2, expected);
    ck_assert(b.outcome.nan_count == 1 && b.outcome.nan_rows[0] == 0);
    ck_assert_int_eq(bed_run(&b, "knn-uncertainty", "k=2", 2), ALCORE_OK);
    ck_assert_int_eq(b.outcome.nan_count, 0);
    bed_close(&b);
}
END_TEST

START_TEST(knn_uncertainty_of_the_public_code) {
    open_many(false);
    label_others();
    expect_knn_uncertainty(30, 256, 0);
    expect_knn_uncertainty(100, 256, 3);
    b.input.costs = costs;
    expect_knn_uncertainty(400, 256, 0);
    bed_close(&b);
    open_many(true);
    label_others();
    expect_knn_uncertainty(100, 256, 0); /* both kinds of lists are made longer */
    bed_close(&b);
}
END_TEST

START_TEST(several_budgets_are_runs_of_their_own) {
    static const double smaller[] = {20, 61};
    int64_t picks[2][64], counts[2];
    open_many(false);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(bed_run(&b, "knn-uncertainty", "", smaller[i]), ALCORE_OK);
        counts[i] = b.outcome.bought.pick_count;
        for (int64_t r = 0; r < counts[i]; r++) picks[i][r] = b.outcome.bought.picks[r];
    }
    b.input.fill.further = smaller;
    b.input.fill.further_count = 2;
    ck_assert_int_eq(bed_run(&b, "knn-uncertainty", "", 300), ALCORE_OK);
    ck_assert_int_eq(b.outcome.further_count, 2);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(b.outcome.further[i].pick_count, counts[i]);
        ck_assert_mem_eq(b.outcome.further[i].picks, picks[i], (size_t)counts[i] * sizeof(int64_t));
    }
    bed_close(&b);
}
END_TEST

START_TEST(uncertainty_knn_is_the_plain_search) {
    static double prox[ROWS];
    static int64_t order[ROWS];
    static const char *const PARAMS[] = {"c=3", "c=3 prox=mean"};
    open_many(false);
    for (int mean = 0; mean <= 1; mean++) {
        int64_t count = 0;
        for (int64_t i = 0; i < ROWS; i++) prox[i] = mean ? 0 : HUGE_VAL;
        for (int64_t t = 0; t < TARGETS; t++) {
            measure(t);
            for (int64_t i = 0; i < ROWS; i++)
                prox[i] = mean ? prox[i] + sqrt(sq_dist[i]) : fmin(prox[i], sq_dist[i]);
        }
        for (int64_t i = 0; i < ROWS; i++)
            if (b.mask[i]) order[count++] = i;
        qsort(order, (size_t)count, sizeof *order, by_uncertainty);
        ck_assert_int_eq(bed_run(&b, "uncertainty-knn", PARAMS[mean], 100), ALCORE_OK);
        ck_assert_int_eq(b.outcome.bought.pick_count, 100);
        /* Members of C behind the picks are no nearer than the last pick, and picks are in order.
         */
        for (int64_t r = 1; r < 100; r++)
            ck_assert(prox[bed_pick(&b, r - 1)] <= prox[bed_pick(&b, r)]);
        double last = prox[bed_pick(&b, 99)];
        int64_t nearer = 0, not_farther = 0;
        for (int64_t i = 0; i < 300; i++) {
            nearer += prox[order[i]] < last;
            not_farther += prox[order[i]] <= last;
        }
        ck_assert_int_lt(nearer, 100);
        ck_assert_int_ge(not_farther, 100);
        for (int64_t r = 0; r < 100; r++) {
            int64_t i = 0;
            while (i < 300 && order[i] != bed_pick(&b, r)) i++;
            ck_assert_int_lt(i, 300);
        }
    }
    bed_close(&b);
}
END_TEST

START_TEST(hybrids_name_a_nan) {
    static const char *const NAMES[] = {"knn-uncertainty", "uncertainty-knn"};
    for (int n = 0; n < 2; n++) {
        for (int bad = 0; bad < 3; bad++) {
            vector_case one = vector_case_named(vector_find("multilingual", "TV-KNN"), "auto");
            static double points[14], goals[4], scores[7];
            memcpy(points, vector_doubles(vector_input(&one, "source"), NULL), sizeof points);
            memcpy(goals, vector_doubles(vector_input(&one, "target"), NULL), sizeof goals);
            memcpy(scores, vector_doubles(vector_input(&one, "u"), NULL), sizeof scores);
            *(bad == 0 ? &points[3] : bad == 1 ? &goals[2] : &scores[1]) = (double)NAN;
            bed_open(&b, 7, 1, NULL);
            bed_column(&b, &b.input.candidates, "scores", scores, 7, 1, ALCORE_FLOAT64);
            bed_column(&b, &b.input.candidates, "embeddings", points, 7, 2, ALCORE_FLOAT64);
            bed_column(&b, &b.input.target, "embeddings", goals, 2, 2, ALCORE_FLOAT64);
            ck_assert_int_eq(bed_run(&b, NAMES[n], "", 2), ALCORE_E_DATA);
            ck_assert_msg(strstr(alcore_last_error(), "row 1"), "%s", alcore_last_error());
            b.input.nan_exclude = true;
            ck_assert_msg(bed_run(&b, NAMES[n], "", 2) == ALCORE_OK, "%s", alcore_last_error());
            ck_assert_int_eq(b.outcome.nan_count, bad != 1);
            ck_assert_int_eq(b.outcome.nan_target, bad == 1);
            for (int64_t r = 0; bad != 1 && r < b.outcome.bought.pick_count; r++)
                ck_assert_int_ne(bed_pick(&b, r), 1);
            bed_close(&b);
        }
    }
}
END_TEST

/* Margins take the place of probabilities, confidences in the mode that measures them; with neither
 * scores nor classes NNLL of the tokens is the uncertainty. */
START_TEST(hybrids_read_what_a_model_gives) {
    static const double margins[] = {0.8, 0.1, 0.5, 0.7, 0.2, 0.0, 0.4}; /* 1 - u of TV-KNN */
    static const double tokens[] = {-0.2, -0.9, -0.5, -0.3, -0.8, -1.0, -0.6};
    static const int64_t offsets[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const struct {
        const char *column, *params;
    } CASES[] = {{"margins", ""}, {"confidences", "mode=lc"}, {"logprobs", ""}};
    vector_case one = vector_case_named(vector_find("multilingual", "TV-KNN"), "auto");
    const double *points = vector_doubles(vector_input(&one, "source"), NULL);
    const double *goals = vector_doubles(vector_input(&one, "target"), NULL);
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        bed_open(&b, 7, 1, NULL);
        if (strcmp(CASES[c].column, "logprobs") == 0)
            bed_ragged(&b, "logprobs", tokens, offsets, 7, 1, ALCORE_FLOAT64);
        else
            bed_column(&b, &b.input.candidates, CASES[c].column, margins, 7, 1, ALCORE_FLOAT64);
        bed_column(&b, &b.input.candidates, "embeddings", points, 7, 2, ALCORE_FLOAT64);
        bed_column(&b, &b.input.target, "embeddings", goals, 2, 2, ALCORE_FLOAT64);
        ck_assert_msg(bed_run(&b, "knn-uncertainty", CASES[c].params, 2) == ALCORE_OK, "%s: %s",
                      CASES[c].column, alcore_last_error());
        demux_bed_expect_picks(&b, &one);
        bed_close(&b);
    }
}
END_TEST

/* Rows 0 and 1 are so near that the square roots of their squared distances are equal: the order is
 * that of the squares, and row 1 is nearer though row 0 is more uncertain. */
START_TEST(uncertainty_knn_compares_squares) {
    static const double points[] = {1, 1.5e-8, 1, 0, 9, 9}, goal[] = {0, 0}, scores[] = {3, 2, 1};
    static const char *const PARAMS[] = {"c=2", "c=2 cover=1"};
    for (int p = 0; p < 2; p++) {
        bed_open(&b, 3, 1, NULL);
        bed_column(&b, &b.input.candidates, "scores", scores, 3, 1, ALCORE_FLOAT64);
        bed_column(&b, &b.input.candidates, "embeddings", points, 3, 2, ALCORE_FLOAT64);
        bed_column(&b, &b.input.target, "embeddings", goal, 1, 2, ALCORE_FLOAT64);
        ck_assert_int_eq(bed_run(&b, "uncertainty-knn", PARAMS[p], 1), ALCORE_OK);
        BED_PICKS(&b, 1);
        bed_close(&b);
    }
}
END_TEST

/* Of equally near rows the more uncertain one is bought first, then the lower row. */
START_TEST(uncertainty_knn_ties) {
    static const double points[] = {1, 0, 0, 1, -1, 0, 9, 9}, goal[] = {0, 0};
    static const double scores[] = {2, 3, 3, 1};
    static const char *const PARAMS[] = {"c=1", "c=1 cover=1"};
    for (int p = 0; p < 2; p++) {
        bed_open(&b, 4, 1, NULL);
        bed_column(&b, &b.input.candidates, "scores", scores, 4, 1, ALCORE_FLOAT64);
        bed_column(&b, &b.input.candidates, "embeddings", points, 4, 2, ALCORE_FLOAT64);
        bed_column(&b, &b.input.target, "embeddings", goal, 1, 2, ALCORE_FLOAT64);
        ck_assert_int_eq(bed_run(&b, "uncertainty-knn", PARAMS[p], 3), ALCORE_OK);
        BED_PICKS(&b, 1, 2, 0);
        bed_close(&b);
    }
}
END_TEST

/* A parameter that has no part in what is computed is refused. */
START_TEST(parameters_without_a_part) {
    static const struct {
        const char *strategy, *params;
    } CASES[] = {{"knn-uncertainty", "mode=lc"},
                 {"knn-uncertainty", "margin=log"},
                 {"uncertainty-knn", "mode=entropy"},
                 {"uncertainty-knn", "mode=code"}, /* no public code has it */
                 {"uncertainty-knn", "cover=1 prox=mean"},
                 {"plan", "config=a"},
                 {"plan", "file=plan.tsv counts=hi:1"}};
    vector_case one = vector_case_named(vector_find("multilingual", "TV-KNN"), "auto");
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        open_points(&one);
        ck_assert_int_eq(bed_run(&b, CASES[c].strategy, CASES[c].params, 2), ALCORE_E_PARAM);
        bed_close(&b);
    }
}
END_TEST

START_TEST(hybrids_need_a_target) {
    vector_case one = vector_case_named(vector_find("multilingual", "TV-KNN"), "auto");
    open_points(&one);
    memset(&b.input.target, 0, sizeof b.input.target);
    ck_assert_int_eq(bed_run(&b, "knn-uncertainty", "", 2), ALCORE_E_MISSING);
    ck_assert_int_eq(bed_run(&b, "uncertainty-knn", "", 2), ALCORE_E_MISSING);
    bed_close(&b);
}
END_TEST

CHECK_SUITE("strategy-demux", k_has_limits, knn_uncertainty_vectors, uncertainty_knn_vectors,
            knn_uncertainty_is_the_plain_search, knn_uncertainty_of_the_public_code,
            k_may_exceed_the_lists_of_the_kernel, all_neighbors_may_be_labeled,
            a_labeled_row_may_have_a_nan, several_budgets_are_runs_of_their_own,
            uncertainty_knn_is_the_plain_search, hybrids_name_a_nan,
            uncertainty_knn_compares_squares, uncertainty_knn_ties, parameters_without_a_part,
            hybrids_read_what_a_model_gives, hybrids_need_a_target);
