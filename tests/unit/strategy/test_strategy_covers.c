/* SPDX-License-Identifier: Apache-2.0 */
/* TypiClust (spec 4.11): TV-TYPICLUST, and what the vectors do not show. */
#include <math.h>
#include <string.h>

#include "strategy_bed.h"
#include "vectors.h"

enum { MOST_ROWS = 256 };

static bed b;
static uint8_t labeled[MOST_ROWS];

/* A case whose labeled rows are of the pool itself, or, own false, are a pool of their own. */
static void open_case(const vector_case *one, int32_t threads, bool own) {
    int64_t given, count, rows = vector_length(vector_input(one, "embeddings"));
    const int64_t *known = vector_integers(vector_input(one, "labeled_rows"), &given);
    const double *points = vector_doubles(vector_input(one, "embeddings"), &count);
    const int64_t dims = count / rows;
    ck_assert_int_le(rows, MOST_ROWS);
    bed_open(&b, rows, threads, NULL);
    b.input.seed = (uint64_t)vector_integer(vector_input(one, "seed"));
    b.input.round = vector_integer(vector_input(one, "round"));
    bed_column(&b, &b.input.candidates, "embeddings", points, rows, dims, ALCORE_FLOAT64);
    memset(labeled, 0, sizeof labeled);
    static double other[MOST_ROWS];
    for (int64_t k = 0; k < given; k++) {
        labeled[known[k]] = 1;
        b.mask[known[k]] = 0;
        memcpy(other + k * dims, points + known[k] * dims, (size_t)dims * sizeof *points);
    }
    if (given && own) b.input.labeled_rows = labeled;
    if (given && !own)
        bed_column(&b, &b.input.labeled, "embeddings", other, given, dims, ALCORE_FLOAT64);
}

/* Picks and the scores of the picks are those of the case. */
static void expect_case(const vector_case *one) {
    int64_t count;
    const int64_t *picks = vector_integers(vector_expected(one, "picks"), &count);
    const double *scores = vector_doubles(vector_expected(one, "scores"), NULL);
    bed_expect_picks(&b, count, picks);
    for (int64_t i = 0; i < count; i++)
        ck_assert_msg(b.outcome.scores[b.outcome.bought.picks[i]] == scores[i], "score %d is %.17g",
                      (int)i, b.outcome.scores[b.outcome.bought.picks[i]]);
}

/* All cases of a vector, with labeled rows in either place and any number of threads. */
static void check_vector(const char *strategy, const char *name, const char *record) {
    test_vector all = vector_find("covers", name);
    for (int64_t c = 0; c < 2 * vector_case_count(all); c++) {
        vector_case one = vector_case_number(all, c / 2);
        open_case(&one, c % 2 ? 3 : 1, c % 2 == 1);
        ck_assert_int_eq(bed_run(&b, strategy, vector_text(vector_input(&one, "params")),
                                 vector_double(vector_input(&one, "k"))),
                         ALCORE_OK);
        expect_case(&one);
        if (record) vector_equal(bed_record(&b, record), vector_expected(&one, record));
        bed_close(&b);
    }
}

START_TEST(typiclust_vector) {
    check_vector("typiclust", "TV-TYPICLUST", "cluster");
}
END_TEST

/* A row that costs too much is passed over, and the next turn is that of the next cluster. */
START_TEST(typiclust_buys_by_cost) {
    const double values[] = {1, 0, 1, .01, 1, .02, 0, 1, .01, 1, .02, 1};
    const double costs[] = {1, 9, 1, 1, 9, 1};
    bed_open(&b, 6, 1, NULL);
    bed_column(&b, &b.input.candidates, "embeddings", values, 6, 2, ALCORE_FLOAT64);
    b.input.costs = costs;
    b.input.fill.policy = ALCORE__FILL_SKIP;
    ck_assert_int_eq(bed_run(&b, "typiclust", "min_cluster=1 max_clusters=2", 4), ALCORE_OK);
    ck_assert_int_eq(b.outcome.bought.pick_count, 4);
    ck_assert_int_eq(b.outcome.bought.unaffordable, 2);
    ck_assert(b.outcome.bought.spent == 4.0);
    /* The rows between the others are the most typical ones. */
    const int64_t *cluster = bed_record(&b, "cluster");
    ck_assert_int_ne(cluster[bed_pick(&b, 0)], cluster[bed_pick(&b, 1)]);
    bed_close(&b);
}
END_TEST

/* An error names the row, also of the labeled pool. */
START_TEST(bad_vectors_are_named) {
    const double values[] = {1, 0, 0, 1, 1, 1}, bad[] = {1, 0, (double)NAN, 1};
    bed_open(&b, 3, 1, NULL);
    bed_column(&b, &b.input.candidates, "embeddings", values, 3, 2, ALCORE_FLOAT64);
    bed_column(&b, &b.input.labeled, "embeddings", bad, 2, 2, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "typiclust", "", 1), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 1"));
    bed_close(&b);
}
END_TEST

CHECK_SUITE("strategy-covers", typiclust_vector, typiclust_buys_by_cost, bad_vectors_are_named);
