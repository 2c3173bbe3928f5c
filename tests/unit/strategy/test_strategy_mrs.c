/* SPDX-License-Identifier: Apache-2.0 */
/* MRS (spec 5.6): TV-MRS, and the strategy against a search that computes every cosine anew for
 * every pick, with few and with many neighbors, samples of the labeled side, and its edge cases. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "strategy_bed.h"
#include "vectors.h"

static bed b;

/* ---- the vector ---- */

START_TEST(mrs_vector) {
    test_vector all = vector_find("search", "TV-MRS");
    for (int64_t c = 0; c < vector_case_count(all); c++) {
        vector_case one = vector_case_number(all, c);
        const char *metric = vector_text(vector_input(&one, "metric"));
        int64_t unlabeled, labeled;
        const double *u = vector_doubles(vector_input(&one, "unlabeled"), &unlabeled);
        const double *l = vector_doubles(vector_input(&one, "labeled"), &labeled);
        bed_open(&b, unlabeled / 2, 1, NULL);
        bed_column(&b, &b.input.candidates, "embeddings", u, unlabeled / 2, 2, ALCORE_FLOAT64);
        bed_column(&b, &b.input.labeled, "embeddings", l, labeled / 2, 2, ALCORE_FLOAT64);
        const char *params = strcmp(metric, "cosine") ? "k=2" : "k=2 metric=cosine";
        ck_assert_msg(bed_run(&b, "mrs", params, 3) == ALCORE_OK, "%s", alcore_last_error());
        vector_near(b.outcome.scores, vector_expected(&one, "dist"), 1e-12);
        vector_equal(bed_record(&b, "nearest_labeled"), vector_expected(&one, "nearest"));
        bed_expect_picks(&b, 3, vector_integers(vector_expected(&one, "order"), NULL));
        bed_close(&b);
    }
}
END_TEST

/* ---- every cosine anew ---- */

enum { ROWS = 8192 + 700, SIDE = 60, DIMS = 3, MOST = 60 + 30 + 40 };

static float x[ROWS * DIMS], side[SIDE * DIMS];
static uint8_t labeled[ROWS];
static double costs[ROWS];

/* Small integers: every product and sum is exact, so the twin below need not add in the order of
 * the library, and many cosines are equal. */
static void open_grid(uint64_t seed) {
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    for (int64_t i = 0; i < ROWS * DIMS; i++) x[i] = (float)alcore__rng_below(&rng, 9) - 3;
    for (int64_t i = 0; i < SIDE * DIMS; i++) side[i] = (float)alcore__rng_below(&rng, 9) - 6;
    for (int64_t i = 0; i < ROWS; i++) {
        labeled[i] = i % 300 == 7;
        costs[i] = (double)(1 + alcore__rng_below(&rng, 6));
    }
    bed_open(&b, ROWS, 2, NULL);
    /* Few candidates, in both blocks, so that the twin is quick. */
    for (int64_t i = 0; i < ROWS; i++) b.mask[i] = !labeled[i] && (i % 37 == 0 || i > ROWS - 50);
    b.input.labeled_rows = labeled;
    bed_column(&b, &b.input.candidates, "embeddings", x, ROWS, DIMS, ALCORE_FLOAT32);
    bed_column(&b, &b.input.labeled, "embeddings", side, SIDE, DIMS, ALCORE_FLOAT32);
}

static double cosine(const float *a, const float *c) {
    double dot = 0, aa = 0, cc = 0;
    for (int j = 0; j < DIMS; j++) {
        dot += (double)a[j] * (double)c[j];
        aa += (double)a[j] * (double)a[j];
        cc += (double)c[j] * (double)c[j];
    }
    if (aa == 0 || cc == 0) return 0;
    double result = dot / (sqrt(aa) * sqrt(cc));
    return fabs(result) > 1.0 - 1e-12 ? copysign(1.0, result) : result;
}

static int descending(const void *left, const void *right) {
    double a = *(const double *)left, c = *(const double *)right;
    return (a < c) - (a > c);
}

/* Half the mean of the k largest of values [count], which are sorted. */
static double half_of(double *values, int64_t count, int64_t k) {
    double sum = 0;
    qsort(values, (size_t)count, sizeof *values, descending);
    if (k > count) k = count;
    for (int64_t i = 0; i < k; i++) sum += values[i];
    return k ? sum / (2.0 * (double)k) : 0;
}

typedef struct twin {
    const float *others[MOST]; /* vectors of L' by number */
    int64_t count;             /* rows of L' */
    bool picked[ROWS];
    double dist[ROWS];
    int64_t number[ROWS]; /* the row of L' that decides dist */
} twin;
static twin slow;

static bool is_candidate(int64_t row) {
    return b.mask[row] && !slow.picked[row];
}

/* Computes dist of every candidate that is no pick. */
static void measure(int64_t k, bool by_cosine) {
    static double values[ROWS], other_half[MOST];
    for (int64_t y = 0; y < slow.count; y++) {
        int64_t count = 0;
        for (int64_t i = 0; i < ROWS; i++)
            if (is_candidate(i)) values[count++] = cosine(x + i * DIMS, slow.others[y]);
        other_half[y] = half_of(values, count, k);
    }
    for (int64_t i = 0; i < ROWS; i++) {
        if (!is_candidate(i)) continue;
        for (int64_t y = 0; y < slow.count; y++) values[y] = cosine(x + i * DIMS, slow.others[y]);
        double half = half_of(values, slow.count, k), best = -HUGE_VAL;
        for (int64_t y = 0; y < slow.count; y++) {
            double cos = cosine(x + i * DIMS, slow.others[y]), sum = half + other_half[y];
            double ratio = by_cosine ? cos : sum <= 1e-9 ? 0 : cos / sum;
            if (!(ratio > best)) continue;
            best = ratio;
            slow.number[i] = y;
        }
        slow.dist[i] = 1.0 - best;
    }
}

/* L' without a draw: the labeled rows, then the labeled pool. */
static void begin_twin(void) {
    memset(&slow, 0, sizeof slow);
    for (int64_t i = 0; i < ROWS; i++)
        if (labeled[i]) slow.others[slow.count++] = x + i * DIMS;
    for (int64_t i = 0; i < SIDE; i++) slow.others[slow.count++] = side + i * DIMS;
}

static void expect_rows(void) {
    const int64_t *own = bed_record(&b, "nearest_row"), *pool = bed_record(&b, "nearest_labeled");
    for (int64_t i = 0; i < b.outcome.count; i++) {
        int64_t row = b.outcome.rows[i];
        const float *vector = slow.others[slow.number[row]];
        ck_assert_msg(b.outcome.scores[i] == slow.dist[row], "row %lld: %a is not %a",
                      (long long)row, b.outcome.scores[i], slow.dist[row]);
        ck_assert((own[i] < 0) != (pool[i] < 0));
        ck_assert((own[i] < 0 ? side + pool[i] * DIMS : x + own[i] * DIMS) == vector);
    }
}

static void expect_one_pass(const char *params, int64_t k, bool by_cosine, int32_t parts) {
    begin_twin();
    measure(k, by_cosine);
    b.parts = parts;
    ck_assert_msg(bed_run(&b, "mrs", params, 20) == ALCORE_OK, "%s", alcore_last_error());
    expect_rows();
    ck_assert_int_eq(b.outcome.bought.pick_count, 20);
}

START_TEST(mrs_is_the_plain_search) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        open_grid(seed);
        expect_one_pass("", 4, false, 0);
        expect_one_pass("k=1", 1, false, 3);
        expect_one_pass("k=500", 500, false, 2); /* more than both sides have */
        expect_one_pass("metric=cosine", 4, true, 2);
        bed_close(&b);
    }
}
END_TEST

/* One pick after the other with everything computed anew, under costs and fill=skip too. */
static void expect_iterative(const char *params, int64_t k, bool by_cosine, double budget,
                             int32_t parts) {
    double spent = 0;
    int64_t picks[40], count = 0;
    begin_twin();
    for (measure(k, by_cosine); spent < budget; measure(k, by_cosine)) {
        int64_t best = -1;
        for (int64_t i = 0; i < ROWS; i++) {
            double cost = b.input.costs ? costs[i] : 1;
            if (!is_candidate(i) || spent + cost > budget) continue;
            if (best < 0 || slow.dist[i] > slow.dist[best]) best = i;
        }
        if (best < 0) break;
        spent += b.input.costs ? costs[best] : 1;
        slow.picked[best] = true;
        slow.others[slow.count++] = x + best * DIMS;
        ck_assert_int_lt(count, 40);
        picks[count++] = best;
        if (spent >= budget) break; /* nothing is measured after the last pick */
    }
    b.parts = parts;
    ck_assert_msg(bed_run(&b, "mrs", params, budget) == ALCORE_OK, "%s", alcore_last_error());
    ck_assert_int_eq(b.outcome.bought.pick_count, count);
    bed_expect_picks(&b, count, picks);
    expect_rows();
}

START_TEST(iterative_mrs_is_the_plain_search) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        open_grid(seed);
        expect_iterative("iterative=1", 4, false, 25, 0);
        expect_iterative("iterative=1 k=1", 1, false, 25, 2);
        expect_iterative("iterative=1 k=500", 500, false, 12, 0);
        expect_iterative("iterative=1 metric=cosine", 4, true, 25, 3);
        b.input.costs = costs;
        b.input.fill.policy = ALCORE__FILL_SKIP;
        expect_iterative("iterative=1 k=2", 2, false, 40, 0);
        bed_close(&b);
    }
}
END_TEST

/* ---- the sample, and edges ---- */

START_TEST(the_sample_is_drawn_once_for_all_rounds) {
    int64_t all = 0, place = 0, places[7];
    alcore__rng rng;
    open_grid(1);
    for (int64_t i = 0; i < ROWS; i++) all += labeled[i];
    all += SIDE;
    alcore__rng_seed(&rng, alcore__rng_derive(42, 13, 0, 0));
    ck_assert_int_eq(alcore__rng_sample(NULL, &rng, all, 7, places), ALCORE_OK);
    const float *kept[7];
    int64_t count = 0;
    begin_twin();
    for (place = 0; place < all; place++)
        for (int p = 0; p < 7; p++)
            if (places[p] == place) kept[count++] = slow.others[place];
    ck_assert_int_eq(count, 7);
    memcpy(slow.others, kept, sizeof kept);
    slow.count = 7;
    measure(4, false);
    for (b.input.round = 1; b.input.round <= 2; b.input.round++) {
        ck_assert_int_eq(bed_run(&b, "mrs", "sample=7", 5), ALCORE_OK);
        expect_rows();
    }
    bed_close(&b);
}
END_TEST

START_TEST(mrs_without_labeled_rows_is_refused) {
    open_grid(1);
    memset(labeled, 0, sizeof labeled);
    b.input.labeled = (alcore__dataset){0};
    ck_assert_int_eq(bed_run(&b, "mrs", "", 5), ALCORE_E_MISSING);
    ck_assert_msg(strstr(alcore_last_error(), "labeled sentences"), "%s", alcore_last_error());
    bed_close(&b);
}
END_TEST

START_TEST(mrs_names_a_labeled_row_with_a_nan) {
    open_grid(1);
    side[7 * DIMS + 1] = NAN;
    ck_assert_int_eq(bed_run(&b, "mrs", "", 5), ALCORE_E_DATA);
    ck_assert_msg(strstr(alcore_last_error(), "row 7 of the labeled pool: component 1"), "%s",
                  alcore_last_error());
    b.input.nan_exclude = true;
    ck_assert_int_eq(bed_run(&b, "mrs", "", 5), ALCORE_OK);
    ck_assert_int_eq(b.outcome.nan_labeled, 1);
    x[37 * DIMS] = INFINITY;
    b.input.nan_exclude = false;
    ck_assert_int_eq(bed_run(&b, "mrs", "sample=3", 5), ALCORE_E_DATA);
    ck_assert_msg(strstr(alcore_last_error(), "row 37: component 0"), "%s", alcore_last_error());
    bed_close(&b);
}
END_TEST

/* All rows equal: every ratio is 1, every dist 0, and rows are bought in their order. */
START_TEST(equal_rows_are_bought_in_their_order) {
    static const char *const PARAMS[] = {"", "iterative=1", "metric=cosine iterative=1"};
    for (size_t p = 0; p < sizeof PARAMS / sizeof PARAMS[0]; p++) {
        open_grid(1);
        for (int64_t i = 0; i < ROWS * DIMS; i++) x[i] = 2;
        for (int64_t i = 0; i < SIDE * DIMS; i++) side[i] = 1;
        ck_assert_int_eq(bed_run(&b, "mrs", PARAMS[p], 4), ALCORE_OK);
        BED_PICKS(&b, 0, 37, 74, 111);
        ck_assert(b.outcome.scores[b.outcome.bought.picks[3]] == 0.0);
        bed_close(&b);
    }
}
END_TEST

/* Zero vectors have cosine 0 with everything: the divisor is 0, the ratio 0 and the dist 1. */
START_TEST(zero_vectors_have_distance_one) {
    open_grid(1);
    memset(x, 0, sizeof x);
    memset(side, 0, sizeof side);
    ck_assert_int_eq(bed_run(&b, "mrs", "iterative=1", 3), ALCORE_OK);
    for (int64_t i = 0; i < b.outcome.count; i++) ck_assert(b.outcome.scores[i] == 1.0);
    bed_close(&b);
}
END_TEST

CHECK_SUITE("strategy-mrs", mrs_vector, mrs_is_the_plain_search, iterative_mrs_is_the_plain_search,
            the_sample_is_drawn_once_for_all_rounds, mrs_without_labeled_rows_is_refused,
            mrs_names_a_labeled_row_with_a_nan, equal_rows_are_bought_in_their_order,
            zero_vectors_have_distance_one);
