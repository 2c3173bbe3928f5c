/* SPDX-License-Identifier: Apache-2.0 */
/* BERT-KM and ALPS (spec 4.6, 4.8): TV-ALPS, TV-ALPS-DRAWN, TV-BERTKM, and how the clusters choose
 * when rows are passed over, repeated, or fewer than the budget. */
#include <math.h>
#include <string.h>

#include "strategy/rules/surprisal.h"
#include "strategy_bed.h"
#include "vectors.h"

static bed b;

/* ---- vectors ---- */

START_TEST(tokens_of_a_text) {
    vector_case one = vector_case_named(vector_find("baselines", "TV-ALPS"), "mask");
    const alcore__surprisal surprisal = {
        .seed = (uint64_t)vector_integer(vector_input(&one, "seed")), .length = 128, .share = 0.15};
    uint8_t chosen[128];
    int64_t workspace[128], count = 0, expected_count;
    int64_t tokens = vector_integer(vector_input(&one, "length"));
    const int64_t *expected = vector_integers(vector_expected(&one, "positions"), &expected_count);
    ck_assert_int_eq(alcore__surprisal_draw(&surprisal, vector_text(vector_input(&one, "id")),
                                            tokens, chosen, workspace),
                     ALCORE_OK);
    for (int64_t t = 0; t < tokens; t++) {
        if (!chosen[t]) continue;
        ck_assert_int_lt(count, expected_count);
        ck_assert_int_eq(expected[count++], t);
    }
    ck_assert_int_eq(count, expected_count);
}
END_TEST

/* Of a text of one token that one is kept, of a long one 15 % of the first 128; tokens that are
 * drawn one by one are about as many. */
START_TEST(numbers_of_tokens) {
    static const struct {
        int64_t tokens, kept;
    } CASES[] = {{1, 1}, {3, 1}, {10, 2}, {128, 19}, {500, 19}};
    alcore__surprisal surprisal = {.seed = 3, .length = 128, .share = 0.15};
    uint8_t chosen[128];
    int64_t workspace[128], drawn = 0;
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        int64_t kept = 0, count = CASES[c].tokens < 128 ? CASES[c].tokens : 128;
        ck_assert_int_eq(
            alcore__surprisal_draw(&surprisal, "a", CASES[c].tokens, chosen, workspace), ALCORE_OK);
        for (int64_t t = 0; t < count; t++) kept += chosen[t];
        ck_assert_int_eq(kept, CASES[c].kept);
    }
    surprisal.bernoulli = true;
    for (int i = 0; i < 200; i++) {
        char id[8];
        snprintf(id, sizeof id, "%d", i);
        ck_assert_int_eq(alcore__surprisal_draw(&surprisal, id, 128, chosen, workspace), ALCORE_OK);
        for (int64_t t = 0; t < 128; t++) drawn += chosen[t];
    }
    /* 25600 draws of 0.15: 3840, with a standard deviation of 57. */
    ck_assert_int_lt(llabs(drawn - 3840), 300);
}
END_TEST

/* The seeds of the vector are given; some seed of the generator draws rows of both clusters. */
START_TEST(clusters_of_the_vector) {
    vector_case one = vector_case_named(vector_find("baselines", "TV-ALPS"), "clusters");
    int64_t count;
    const double *vectors = vector_doubles(vector_expected(&one, "vectors"), &count);
    const double *sqd = vector_doubles(vector_expected(&one, "sqd"), NULL);
    bool found = false;
    for (uint64_t seed = 0; seed < 50 && !found; seed++) {
        bed_open(&b, 6, 1, NULL);
        b.input.seed = seed;
        bed_column(&b, &b.input.candidates, "embeddings", vectors, 6, 4, ALCORE_FLOAT64);
        ck_assert_int_eq(bed_run(&b, "bertkm", "", 2), ALCORE_OK);
        found = bed_pick(&b, 0) == 0 && bed_pick(&b, 1) == 3;
        if (found) {
            const double *distance = bed_record(&b, "distance");
            vector_equal(bed_record(&b, "cluster"), vector_expected(&one, "cluster"));
            for (int i = 0; i < 6; i++)
                ck_assert(fabs(distance[i] * distance[i] - sqd[i]) < 1e-12 &&
                          b.outcome.scores[i] == -distance[i]);
        }
        bed_close(&b);
    }
    ck_assert(found);
}
END_TEST

START_TEST(bertkm_vector) {
    test_vector all = vector_find("baselines", "TV-BERTKM");
    for (int64_t c = 0; c < vector_case_count(all); c++) {
        vector_case one = vector_case_number(all, c);
        int64_t count, picks;
        const double *points = vector_doubles(vector_input(&one, "embeddings"), &count);
        const int64_t *expected = vector_integers(vector_expected(&one, "picks"), &picks);
        bed_open(&b, count / 3, 2, NULL);
        b.input.seed = (uint64_t)vector_integer(vector_input(&one, "seed"));
        b.input.round = vector_integer(vector_input(&one, "round"));
        bed_column(&b, &b.input.candidates, "embeddings", points, count / 3, 3, ALCORE_FLOAT64);
        ck_assert_int_eq(bed_run(&b, "bertkm", "", vector_double(vector_input(&one, "k"))),
                         ALCORE_OK);
        ck_assert_int_eq(b.outcome.bought.pick_count, picks);
        bed_expect_picks(&b, picks, expected);
        bed_close(&b);
    }
}
END_TEST

START_TEST(alps_vector) {
    test_vector all = vector_find("baselines", "TV-ALPS-DRAWN");
    for (int64_t c = 0; c < vector_case_count(all); c++) {
        vector_case one = vector_case_number(all, c);
        const json_t *lists = vector_input(&one, "losses");
        int64_t rows = vector_length(lists), picks;
        const int64_t *offsets = vector_offsets(lists, NULL);
        const double *losses = vector_doubles(lists, NULL);
        const int64_t *expected = vector_integers(vector_expected(&one, "picks"), &picks);
        bed_open(&b, rows, 2, NULL);
        b.input.seed = (uint64_t)vector_integer(vector_input(&one, "seed"));
        b.input.round = vector_integer(vector_input(&one, "round"));
        bed_ragged(&b, "mlm_losses", losses, offsets, rows, 1, ALCORE_FLOAT64);
        ck_assert_msg(bed_run(&b, "alps", "", vector_double(vector_input(&one, "k"))) == ALCORE_OK,
                      "%s", alcore_last_error());
        ck_assert_int_eq(b.outcome.bought.pick_count, picks);
        bed_expect_picks(&b, picks, expected);
        /* A row's mean loss. */
        double sum = 0;
        for (int64_t t = 0; t < offsets[1]; t++) sum += losses[t];
        const double *loss = bed_record(&b, "loss");
        ck_assert(loss[0] == sum / (double)offsets[1]);
        bed_close(&b);
    }
}
END_TEST

/* ---- how the clusters choose ---- */

enum { ROWS = 500, DIMS = 4 };

static float x[ROWS * DIMS];
static double costs[ROWS];

static void open_random(uint64_t seed, bool repeated) {
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    for (int i = 0; i < ROWS * DIMS; i++)
        x[i] = repeated ? (float)(1 + i % DIMS) : (float)(alcore__rng_f64(&rng) - 0.4);
    for (int i = 0; i < ROWS; i++) costs[i] = (double)(1 + alcore__rng_below(&rng, 5));
    bed_open(&b, ROWS, 2, NULL);
    bed_column(&b, &b.input.candidates, "embeddings", x, ROWS, DIMS, ALCORE_FLOAT32);
}

/* Equal rows are chosen in their order, each once: the lists are made again and again. */
START_TEST(repeated_rows_are_chosen_in_order) {
    open_random(1, true);
    ck_assert_int_eq(bed_run(&b, "bertkm", "", 90), ALCORE_OK);
    ck_assert_int_eq(b.outcome.bought.pick_count, 90);
    for (int64_t i = 0; i < 90; i++) ck_assert_int_eq(bed_pick(&b, i), i);
    bed_close(&b);
}
END_TEST

/* A budget of costs is estimated, so that after the last cluster the first one chooses again, or
 * some clusters choose nothing. No row is bought twice, and what fits is bought. */
START_TEST(costs_are_spent) {
    for (uint64_t seed = 1; seed < 6; seed++) {
        bool bought[ROWS] = {false};
        open_random(seed, false);
        b.input.costs = costs;
        b.input.fill.policy = ALCORE__FILL_SKIP;
        ck_assert_int_eq(bed_run(&b, "bertkm", "", 100), ALCORE_OK);
        ck_assert(b.outcome.bought.spent == 100.0);
        for (int64_t i = 0; i < b.outcome.bought.pick_count; i++) {
            ck_assert(!bought[bed_pick(&b, i)]);
            bought[bed_pick(&b, i)] = true;
        }
        bed_close(&b);
    }
}
END_TEST

START_TEST(a_budget_for_all_rows_buys_all) {
    open_random(2, false);
    ck_assert_int_eq(bed_run(&b, "bertkm", "", 2.0 * ROWS), ALCORE_OK);
    ck_assert_int_eq(b.outcome.bought.pick_count, ROWS);
    ck_assert_uint_eq(b.outcome.bought.flags, ALCORE_SELECTION_SHORT);
    bed_close(&b);
}
END_TEST

/* Rows too similar to a pick are passed over, and the cluster takes its next nearest row. */
START_TEST(similar_rows_are_passed_over) {
    open_random(3, false);
    b.input.fill.limited = true;
    b.input.fill.max_similarity = 0.9;
    ck_assert_int_eq(bed_run(&b, "bertkm", "", 30), ALCORE_OK);
    for (int64_t i = 0; i < b.outcome.bought.pick_count; i++) {
        for (int64_t j = 0; j < i; j++) {
            const float *p = x + bed_pick(&b, i) * DIMS, *q = x + bed_pick(&b, j) * DIMS;
            double pq = 0, pp = 0, qq = 0;
            for (int d = 0; d < DIMS; d++) {
                pq += (double)p[d] * (double)q[d];
                pp += (double)p[d] * (double)p[d];
                qq += (double)q[d] * (double)q[d];
            }
            ck_assert(pq / sqrt(pp * qq) <= 0.9 + 1e-9);
        }
    }
    ck_assert_int_gt(b.outcome.bought.redundant, 0);
    bed_close(&b);
}
END_TEST

/* ---- losses that are none ---- */

START_TEST(bad_losses_are_named) {
    static const struct {
        double loss;
        const char *says;
    } CASES[] = {{-0.5, "row 1: the loss of token 1 is -0.5, below 0"},
                 {(double)NAN, "row 1: the loss of token 1 is NaN"},
                 {(double)INFINITY, "row 1: the loss of token 1 is infinite"}};
    static const int64_t offsets[] = {0, 2, 5, 6, 7}, with_empty[] = {0, 2, 2, 6, 7};
    double losses[] = {1, 2, 3, 0, 1, 2, 2};
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        losses[3] = CASES[c].loss;
        bed_open(&b, 4, 1, NULL);
        bed_ragged(&b, "mlm_losses", losses, offsets, 4, 1, ALCORE_FLOAT64);
        ck_assert_int_eq(bed_run(&b, "alps", "", 2), ALCORE_E_DATA);
        ck_assert_msg(strstr(alcore_last_error(), CASES[c].says), "%s", alcore_last_error());
        b.input.nan_exclude = true;
        ck_assert_int_eq(bed_run(&b, "alps", "", 2), c ? ALCORE_OK : ALCORE_E_DATA);
        ck_assert_int_eq(b.outcome.nan_count, c ? 1 : 0);
        bed_close(&b);
    }
    losses[3] = 1;
    bed_open(&b, 4, 1, NULL);
    bed_ragged(&b, "mlm_losses", losses, with_empty, 4, 1, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "alps", "", 2), ALCORE_E_DATA);
    ck_assert_msg(strstr(alcore_last_error(), "row 1: no token"), "%s", alcore_last_error());
    bed_close(&b);
}
END_TEST

CHECK_SUITE("strategy-clusters", tokens_of_a_text, numbers_of_tokens, clusters_of_the_vector,
            bertkm_vector, alps_vector, repeated_rows_are_chosen_in_order, costs_are_spent,
            a_budget_for_all_rows_buys_all, similar_rows_are_passed_over, bad_losses_are_named);
