/* SPDX-License-Identifier: Apache-2.0 */
/* mode=composable of kcenter: where it has to be exact, its bound, and its bits (TV-BLOCK). */
#include <math.h>
#include <string.h>

#include "block_bed.h"

enum { FEW = 300, DIMS = 3, MANY = 20000, CLUSTERS = 30 };

static double few[FEW * DIMS], costs[FEW];
static float many[MANY * DIMS];
static uint8_t labeled[FEW];

/* few: random rows with ties; costs, of which some are 0. many: CLUSTERS balls of radius 1 that are
 * 10 or more apart, whose first rows are their middles; each block has some of the balls only. */
static void make_rows(void) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 5);
    for (int i = 0; i < FEW * DIMS; i++) few[i] = floor(12.0 * alcore__rng_f64(&rng));
    for (int i = 0; i < FEW; i++) costs[i] = i % 11 == 4 ? 0.0 : 1.0 + i % 5;
    for (int i = 0; i < MANY; i++) {
        const int cluster = (i / 8192 * 11 + i % 11) % CLUSTERS;
        const bool middle = i % 8192 < 11;
        for (int d = 0; d < DIMS; d++)
            many[i * DIMS + d] = (float)((d == 0 ? 12.0 * cluster : 0.0) +
                                         (middle ? 0.0 : alcore__rng_f64(&rng) - 0.5));
    }
}

static void open_few(bed *b, bool with_labels) {
    make_rows();
    bed_open(b, FEW, 2, NULL);
    bed_column(b, &b->input.candidates, "embeddings", few, FEW, DIMS, ALCORE_FLOAT64);
    memset(labeled, 0, sizeof labeled);
    for (int i = 3; with_labels && i < FEW; i += 60) {
        labeled[i] = 1;
        b->mask[i] = 0;
    }
    b->input.labeled_rows = with_labels ? labeled : NULL;
}

/* What the picks are, with their scores and radii. */
typedef struct told {
    int64_t count, rows[FEW];
    double scores[FEW], radii[FEW];
} told;

static void keep(const bed *b, told *out) {
    const double *radius = bed_record(b, "radius");
    memset(out, 0, sizeof *out);
    out->count = b->outcome.bought.pick_count;
    for (int64_t k = 0; k < out->count; k++) {
        const int64_t at = b->outcome.bought.picks[k];
        out->rows[k] = bed_pick(b, k);
        out->scores[k] = b->outcome.scores[at];
        out->radii[k] = radius[at];
    }
}

/* In one block the gathered rows are the exact picks, and with per_block=1 each round gathers the
 * farthest row of all, until none is left. */
START_TEST(one_block_is_exact) {
    const double budgets[] = {40, FEW};
    for (int n = 0; n < 2; n++) {
        told exact, gathered, one;
        bed b;
        open_few(&b, _i == 1);
        ck_assert_int_eq(bed_run(&b, "kcenter", "", budgets[n]), ALCORE_OK);
        keep(&b, &exact);
        ck_assert_int_eq(bed_run(&b, "kcenter", "mode=composable", budgets[n]), ALCORE_OK);
        keep(&b, &gathered);
        ck_assert_mem_eq(gathered.rows, exact.rows, sizeof exact.rows);
        ck_assert_mem_eq(gathered.scores, exact.scores, sizeof exact.scores);
        ck_assert_int_eq(bed_run(&b, "kcenter", "mode=composable per_block=1", budgets[n]),
                         ALCORE_OK);
        keep(&b, &one);
        ck_assert_mem_eq(&one.rows, &exact.rows, sizeof exact.rows);
        ck_assert_mem_eq(&one.scores, &exact.scores, sizeof exact.scores);
        ck_assert_mem_eq(one.radii, exact.radii, (size_t)(exact.count - 1) * sizeof(double));
        bed_close(&b);
    }
}
END_TEST

/* The same under costs, with rows that are never bought or that the budget passes over. */
START_TEST(one_block_is_exact_with_costs) {
    told exact, one;
    bed b;
    open_few(&b, false);
    b.input.costs = costs;
    b.input.fill.policy = _i;
    b.input.fill.limited = true;
    b.input.fill.max_similarity = 0.98;
    ck_assert_int_eq(bed_run(&b, "kcenter", "", 150.5), ALCORE_OK);
    keep(&b, &exact);
    const alcore__purchase expected = b.outcome.bought;
    const int64_t refused[] = {expected.redundant, expected.unaffordable, expected.free_rows};
    ck_assert_int_gt(exact.count, 5);
    ck_assert_int_eq(bed_run(&b, "kcenter", "mode=composable per_block=1", 150.5), ALCORE_OK);
    keep(&b, &one);
    ck_assert_mem_eq(one.rows, exact.rows, sizeof exact.rows);
    ck_assert_mem_eq(one.scores, exact.scores, sizeof exact.scores);
    ck_assert_int_eq(b.outcome.bought.redundant, refused[0]);
    ck_assert_int_eq(b.outcome.bought.unaffordable, refused[1]);
    ck_assert_int_eq(b.outcome.bought.free_rows, refused[2]);
    bed_close(&b);
}
END_TEST

/* The largest distance of a row of `many` to its nearest pick. */
static double covering_radius(const bed *b) {
    double radius = 0.0;
    for (int64_t i = 0; i < MANY; i++) {
        double nearest = HUGE_VAL;
        for (int64_t k = 0; k < b->outcome.bought.pick_count; k++) {
            const float *from = many + bed_pick(b, k) * DIMS;
            double sum = 0.0;
            for (int d = 0; d < DIMS; d++) sum += pow(many[i * DIMS + d] - from[d], 2.0);
            if (sum < nearest) nearest = sum;
        }
        if (nearest > radius) radius = nearest;
    }
    return sqrt(radius);
}

/* With as many picks as there are balls the smallest radius is that of the balls, at most
 * sqrt(3) / 2: the exact picks are within twice of it, the others within four times. With fewer
 * picks it is at least a half of the exact one's, so that 4 times as much as the exact one bounds
 * both. Scores beside those of gathered rows are NaN, and are counted as not measured. */
START_TEST(radius_is_within_the_bound) {
    const double smallest = sqrt(3.0) / 2.0;
    bed b;
    make_rows();
    bed_open(&b, MANY, 2, NULL);
    bed_column(&b, &b.input.candidates, "embeddings", many, MANY, DIMS, ALCORE_FLOAT32);
    ck_assert_int_eq(bed_run(&b, "kcenter", "", CLUSTERS), ALCORE_OK);
    const double exact = covering_radius(&b);
    ck_assert(exact <= 2.0 * smallest);
    ck_assert_int_eq(bed_run(&b, "kcenter", "mode=composable", CLUSTERS), ALCORE_OK);
    ck_assert_int_eq(b.outcome.bought.pick_count, CLUSTERS);
    ck_assert(covering_radius(&b) <= 4.0 * smallest);
    ck_assert_int_eq(b.outcome.measured, 3 * CLUSTERS);
    int64_t measured = 0;
    for (int i = 0; i < MANY; i++) measured += !isnan(b.outcome.scores[i]);
    ck_assert_int_eq(measured, 3 * CLUSTERS);
    ck_assert_int_eq(bed_run(&b, "kcenter", "", 10), ALCORE_OK);
    const double ten = covering_radius(&b);
    ck_assert_int_eq(bed_run(&b, "kcenter", "mode=composable", 10), ALCORE_OK);
    ck_assert(covering_radius(&b) <= 4.0 * ten);
    bed_close(&b);
}
END_TEST

/* The bits of an independent implementation. */
START_TEST(composable_gives_the_bits) {
    for (int width = 0; width < BLOCK_WIDTHS; width++) {
        vector_case known = block_vector(width);
        block_bed data;
        block_bed_open(&data, block_dims(width), 2);
        bed *b = &data.bed;
        double radii[100];
        ck_assert_int_eq(bed_run(b, "kcenter", "mode=composable", 100), ALCORE_OK);
        ck_assert_uint_eq(bed_hash_picks(b, 100),
                          vector_word(vector_expected(&known, "kcenter composable/picks")));
        const double *radius = bed_record(b, "radius");
        for (int i = 0; i < 100; i++) radii[i] = radius[b->outcome.bought.picks[i]];
        vector_digest(radii, sizeof radii, vector_expected(&known, "kcenter composable/radii"));
        ck_assert_int_eq(bed_run(b, "kcenter", "mode=composable per_block=20", 100), ALCORE_OK);
        ck_assert_uint_eq(bed_hash_picks(b, 100),
                          vector_word(vector_expected(&known, "kcenter composable/rounds")));
        block_bed_close(&data);
    }
}
END_TEST

START_TEST(parameters_are_checked) {
    enum { ROWS = 4, WIDE = 5 };
    bed b;
    bed_open(&b, ROWS, 1, NULL);
    bed_column(&b, &b.input.candidates, "embeddings", few, ROWS, WIDE, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "kcenter", "mode=composable per_block=8193", 2), ALCORE_E_PARAM);
    ck_assert_int_eq(bed_run(&b, "kcenter", "mode=composable per_block=0", 2), ALCORE_E_PARAM);
    ck_assert_int_eq(bed_run(&b, "kcenter", "mode=composed", 2), ALCORE_E_PARAM);
    bed_close(&b);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("kcenter");
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, one_block_is_exact, 0, 2);
    tcase_add_loop_test(cases, one_block_is_exact_with_costs, 0, 3);
    tcase_add_test(cases, radius_is_within_the_bound);
    tcase_add_test(cases, composable_gives_the_bits);
    tcase_add_test(cases, parameters_are_checked);
    return check_suite_run("strategy-kcenter", cases);
}
