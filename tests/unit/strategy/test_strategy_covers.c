/* SPDX-License-Identifier: Apache-2.0 */
/* TypiClust, ProbCover and facility location (spec 4.11 to 4.13): TV-TYPICLUST, TV-PROBCOVER,
 * TV-FACILITY, and what the vectors do not show. */
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

/* Picks and the scores of the picks are those of the case; tolerance: of scores. */
static void expect_case(const vector_case *one, double tolerance) {
    int64_t count;
    const int64_t *picks = vector_integers(vector_expected(one, "picks"), &count);
    const double *scores = vector_doubles(vector_expected(one, "scores"), NULL);
    bed_expect_picks(&b, count, picks);
    for (int64_t i = 0; i < count; i++)
        ck_assert_msg(fabs(b.outcome.scores[b.outcome.bought.picks[i]] - scores[i]) <= tolerance,
                      "score %d is %.17g", (int)i, b.outcome.scores[b.outcome.bought.picks[i]]);
}

/* The records and facts that the case has are those of the run. */
static void expect_told(const vector_case *one, double tolerance) {
    const json_t *cluster = json_object_get(one->expected, "cluster");
    const json_t *covered = json_object_get(one->expected, "covered");
    const json_t *delta = json_object_get(one->expected, "delta");
    if (cluster) vector_equal(bed_record(&b, "cluster"), cluster);
    if (covered) vector_near(bed_record(&b, "covered"), covered, tolerance);
    if (delta) ck_assert(*bed_fact(&b, "delta") == vector_double(delta));
}

/* All cases of a vector, with labeled rows in either place and with one thread or three. */
static void check_vector(const char *strategy, const char *name, double tolerance) {
    test_vector all = vector_find("covers", name);
    for (int64_t c = 0; c < 2 * vector_case_count(all); c++) {
        vector_case one = vector_case_number(all, c / 2);
        open_case(&one, c % 2 ? 3 : 1, c % 2 == 1);
        if (vector_has_input(&one, "costs"))
            b.input.costs = vector_doubles(vector_input(&one, "costs"), NULL);
        ck_assert_int_eq(bed_run(&b, strategy, vector_text(vector_input(&one, "params")),
                                 vector_double(vector_input(&one, "k"))),
                         ALCORE_OK);
        expect_case(&one, tolerance);
        expect_told(&one, tolerance);
        bed_close(&b);
    }
}

START_TEST(typiclust_vector) {
    check_vector("typiclust", "TV-TYPICLUST", 0);
}
END_TEST

START_TEST(probcover_vector) {
    check_vector("probcover", "TV-PROBCOVER", 0);
}
END_TEST

/* exp() may differ in the last place between libms. */
START_TEST(facility_location_vector) {
    check_vector("facility-location", "TV-FACILITY", 1e-12);
}
END_TEST

/* ---- covers of more than one chunk of 512 rows ---- */

enum { MANY = 1300, DIMS = 5 };

/* The naive greedy cover: gains of all rows anew for each pick. ball 0: the cosine. */
static void cover_naively(const double *x, double ball, int64_t count, int64_t *picks) {
    static double covered[MANY], similar[MANY];
    memset(covered, 0, sizeof covered);
    for (int64_t pick = 0; pick < count; pick++) {
        double most = -1;
        for (int trial = 0; trial <= MANY; trial++) {
            const int64_t j = trial < MANY ? trial : picks[pick];
            double gain = 0;
            for (int i = 0; i < MANY; i++) {
                double square = 0;
                for (int d = 0; d < DIMS; d++) {
                    const double t = x[i * DIMS + d] - x[j * DIMS + d];
                    square += t * t;
                }
                similar[i] = ball > 0 ? sqrt(square) < ball : fmax(0, 1 - square / 2);
                gain += fmax(0, similar[i] - covered[i]);
                if (trial == MANY) covered[i] = fmax(covered[i], similar[i]);
            }
            if (trial < MANY && gain > most + 1e-9) {
                most = gain;
                picks[pick] = j;
            }
        }
    }
}

/* Bounds and chunks change nothing. */
START_TEST(picks_are_those_of_the_naive_cover) {
    static double x[MANY * DIMS];
    int64_t picks[12];
    alcore__rng rng;
    alcore__rng_seed(&rng, 5);
    for (int i = 0; i < MANY; i++) {
        double square = 0;
        for (int d = 0; d < DIMS; d++) {
            x[i * DIMS + d] = alcore__rng_f64(&rng) - 0.4;
            square += x[i * DIMS + d] * x[i * DIMS + d];
        }
        for (int d = 0; d < DIMS; d++) x[i * DIMS + d] /= sqrt(square);
    }
    for (int ball = 0; ball < 2; ball++) {
        bed_open(&b, MANY, 2, NULL);
        bed_column(&b, &b.input.candidates, "embeddings", x, MANY, DIMS, ALCORE_FLOAT64);
        ck_assert_int_eq(
            bed_run(&b, ball ? "probcover" : "facility-location", ball ? "delta=0.4" : "", 12),
            ALCORE_OK);
        cover_naively(x, ball ? 0.4 : 0, 12, picks);
        bed_expect_picks(&b, 12, picks);
        bed_close(&b);
    }
}
END_TEST

/* Where all others are neighbors, the sums are those of all pairs to the last bit, over two chunks
 * of rows of which some are repeated more often than a list is long. */
START_TEST(all_neighbors_are_all_pairs) {
    enum { COUNT = 1020 };
    static double x[COUNT * DIMS], scores[2][COUNT];
    alcore__rng rng;
    alcore__rng_seed(&rng, 9);
    for (int i = 0; i < COUNT * DIMS; i++) x[i] = alcore__rng_f64(&rng) - 0.3;
    for (int i = 0; i < COUNT; i += 3)
        memcpy(x + i * DIMS, x, DIMS * sizeof *x); /* 340 equal rows */
    for (int ball = 0; ball < 2; ball++) {
        for (int k = 0; k < 2; k++) {
            bed_open(&b, COUNT, 2, NULL);
            bed_column(&b, &b.input.candidates, "embeddings", x, COUNT, DIMS, ALCORE_FLOAT64);
            const char *params = ball ? k ? "delta=0.4 neighbors=1019" : "delta=0.4"
                                 : k  ? "neighbors=1023"
                                      : "";
            ck_assert_int_eq(bed_run(&b, ball ? "probcover" : "facility-location", params, 9),
                             ALCORE_OK);
            for (int i = 0; i < 9; i++) {
                const int64_t pick = b.outcome.bought.picks[i];
                scores[k][2 * i] = (double)pick;
                scores[k][2 * i + 1] = b.outcome.scores[pick];
            }
            bed_close(&b);
        }
        ck_assert_mem_eq(scores[0], scores[1], 18 * sizeof scores[0][0]);
    }
    bed_open(&b, COUNT, 1, NULL);
    bed_column(&b, &b.input.candidates, "embeddings", x, COUNT, DIMS, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "facility-location", "neighbors=20", 1), ALCORE_OK);
    ck_assert_double_ge(b.outcome.scores[b.outcome.bought.picks[0]], 20.0);
    bed_close(&b);
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
    for (const char *const *name =
             (const char *const[]){"typiclust", "probcover", "facility-location", NULL};
         *name; name++) {
        ck_assert_int_eq(bed_run(&b, *name, "", 1), ALCORE_E_DATA);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 1"));
    }
    bed_close(&b);
}
END_TEST

CHECK_SUITE("strategy-covers", typiclust_vector, probcover_vector, facility_location_vector,
            picks_are_those_of_the_naive_cover, all_neighbors_are_all_pairs, typiclust_buys_by_cost,
            bad_vectors_are_named);
