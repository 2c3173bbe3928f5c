/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets (spec 1.6), the similarity limit (spec 1.10), NaN and odd pools (spec 1.4, B.15). */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "strategy/budget/rank.h"
#include "strategy_bed.h"
#include "vectors.h"

static bed b;
static alcore__dataset *pool(void) {
    return &b.input.candidates;
}

static const double FALLING[] = {6, 5, 4, 3, 2, 1};
static const double COSTS[] = {4, 0, 5, 3, 2, 1};

static void open_costs(void) {
    bed_open(&b, 6, 1, NULL);
    bed_column(&b, pool(), "scores", FALLING, 6, 1, ALCORE_FLOAT64);
    b.input.costs = COSTS;
}

START_TEST(policies) {
    open_costs();
    bed_run(&b, "nnll", "", 8);
    BED_PICKS(&b, 0, 2);
    ck_assert(b.outcome.bought.pick_count == 2 && b.outcome.bought.spent == 9 &&
              b.outcome.bought.free_rows == 1);
    b.input.fill.policy = ALCORE__FILL_STOP;
    bed_run(&b, "nnll", "", 8);
    BED_PICKS(&b, 0);
    ck_assert(b.outcome.bought.pick_count == 1 && b.outcome.bought.spent == 4 &&
              b.outcome.bought.flags == 0);
    b.input.fill.policy = ALCORE__FILL_SKIP;
    bed_run(&b, "nnll", "", 8);
    BED_PICKS(&b, 0, 3, 5);
    ck_assert(b.outcome.bought.pick_count == 3 && b.outcome.bought.spent == 8 &&
              b.outcome.bought.unaffordable == 2);
    for (int32_t policy = 0; policy < 3; policy++) {
        b.input.fill.policy = policy;
        bed_run(&b, "nnll", "", 100);
        BED_PICKS(&b, 0, 2, 3, 4, 5);
        ck_assert(b.outcome.bought.flags == ALCORE_SELECTION_SHORT && b.outcome.bought.spent == 15);
        bed_run(&b, "nnll", "", -1);
        ck_assert(b.outcome.bought.pick_count == 0 && b.outcome.bought.flags == 0);
    }
    bed_close(&b);
}
END_TEST

/* TV-FILL: every policy at several budgets, with and without a similarity limit. */
START_TEST(vectors) {
    static const char *const names[] = {"overshoot", "stop", "skip"};
    test_vector known = vector_find("budgets", "TV-FILL");
    for (int64_t i = 0; i < vector_case_count(known); i++) {
        vector_case one = vector_case_number(known, i);
        int64_t rows, count;
        const double *scores = vector_doubles(vector_input(&one, "scores"), &rows);
        const int64_t *picks = vector_integers(vector_expected(&one, "picks"), &count);
        bed_open(&b, rows, 1, NULL);
        bed_column(&b, pool(), "scores", scores, rows, 1, ALCORE_FLOAT64);
        bed_column(&b, pool(), "embeddings", vector_doubles(vector_input(&one, "embeddings"), NULL),
                   rows, 2, ALCORE_FLOAT64);
        b.input.costs = vector_doubles(vector_input(&one, "costs"), NULL);
        for (int32_t policy = 0; policy < 3; policy++)
            if (strcmp(vector_text(vector_input(&one, "fill")), names[policy]) == 0)
                b.input.fill.policy = policy;
        b.input.fill.limited = vector_has_input(&one, "max_similarity");
        if (b.input.fill.limited)
            b.input.fill.max_similarity = vector_double(vector_input(&one, "max_similarity"));
        ck_assert_int_eq(bed_run(&b, "nnll", "", vector_double(vector_input(&one, "budget"))),
                         ALCORE_OK);
        ck_assert_int_eq(b.outcome.bought.pick_count, count);
        bed_expect_picks(&b, count, picks);
        ck_assert(b.outcome.bought.spent == vector_double(vector_expected(&one, "spent")));
        bed_close(&b);
    }
}
END_TEST

START_TEST(bad_costs) {
    const double negative[] = {1, 1, -2, 1, 1, 1}, nan[] = {1, 1, 1, 1, (double)NAN, 1};
    open_costs();
    b.input.costs = negative;
    ck_assert_int_eq(bed_run(&b, "nnll", "", 3), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 2"));
    b.input.costs = nan;
    ck_assert_int_eq(bed_run(&b, "nnll", "", 3), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 4"));
    bed_close(&b);
}
END_TEST

static const double PLANE[] = {1, 0, 0.999, 0.001, 0, 1, 0.5, 0.5, 0, 0, -1, 0};

START_TEST(similarity_limit) {
    open_costs();
    b.input.costs = NULL;
    bed_column(&b, pool(), "embeddings", PLANE, 6, 2, ALCORE_FLOAT64);
    b.input.fill.limited = true;
    b.input.fill.max_similarity = 0.9;
    bed_run(&b, "nnll", "", 3);
    BED_PICKS(&b, 0, 2, 3);
    ck_assert_int_eq(b.outcome.bought.redundant, 1);
    b.input.fill.max_similarity = 0.5;
    bed_run(&b, "nnll", "", 6);
    BED_PICKS(&b, 0, 2, 4, 5);
    ck_assert_int_eq(b.outcome.bought.redundant, 2);
    ck_assert_uint_eq(b.outcome.bought.flags, ALCORE_SELECTION_SHORT);
    /* The strategies that pick one by one look at the same limit. */
    for (const char *const *name = (const char *const[]){"kcenter", "idds", NULL}; *name; name++) {
        ck_assert_int_eq(bed_run(&b, *name, "", 6), ALCORE_OK);
        ck_assert_int_ge(b.outcome.bought.redundant, 2);
        ck_assert_int_eq(b.outcome.bought.pick_count + b.outcome.bought.redundant, 6);
        for (int64_t i = 0; i < b.outcome.bought.pick_count; i++) {
            for (int64_t j = 0; j < i; j++) {
                const double *x = PLANE + 2 * bed_pick(&b, i), *y = PLANE + 2 * bed_pick(&b, j);
                ck_assert(x[0] * y[0] + x[1] * y[1] <= 0.5 * hypot(x[0], x[1]) * hypot(y[0], y[1]));
            }
        }
    }
    bed_close(&b);
}
END_TEST

/* A cosine that equals the limit does not exceed it: rows at right angles under the limit 0. */
START_TEST(similarity_at_the_limit_is_bought) {
    const double u[] = {2, 1}, crossed[] = {1, 0, 0, 1};
    bed_open(&b, 2, 1, NULL);
    bed_column(&b, pool(), "scores", u, 2, 1, ALCORE_FLOAT64);
    bed_column(&b, pool(), "embeddings", crossed, 2, 2, ALCORE_FLOAT64);
    b.input.fill.limited = true;
    b.input.fill.max_similarity = 0.0;
    bed_run(&b, "nnll", "", 2);
    BED_PICKS(&b, 0, 1);
    ck_assert_int_eq(b.outcome.bought.redundant, 0);
    bed_close(&b);
}
END_TEST

static void expect_nothing_fits(double spent) {
    bool picked[6] = {false};
    for (int64_t i = 0; i < b.outcome.bought.pick_count; i++) picked[bed_pick(&b, i)] = true;
    for (int i = 0; i < 6; i++) ck_assert(picked[i] || COSTS[i] == 0 || spent + COSTS[i] > 8);
}

START_TEST(greedy_strategies_spend_words) {
    open_costs();
    bed_column(&b, pool(), "embeddings", PLANE, 6, 2, ALCORE_FLOAT64);
    for (const char *const *name = (const char *const[]){"kcenter", "idds", "random", NULL}; *name;
         name++) {
        for (int32_t policy = 0; policy < 3; policy++) {
            b.input.fill.policy = policy;
            ck_assert_int_eq(bed_run(&b, *name, "", 8), ALCORE_OK);
            double spent = 0;
            for (int64_t i = 0; i < b.outcome.bought.pick_count; i++) {
                ck_assert_int_ne(bed_pick(&b, i), 1); /* costs nothing */
                spent += COSTS[bed_pick(&b, i)];
            }
            ck_assert(spent == b.outcome.bought.spent);
            if (policy == ALCORE__FILL_OVERSHOOT) ck_assert(spent >= 8 && spent < 8 + 5);
            if (policy != ALCORE__FILL_OVERSHOOT) ck_assert(spent <= 8);
            if (policy == ALCORE__FILL_SKIP) expect_nothing_fits(spent);
            ck_assert_uint_eq(b.outcome.bought.flags, 0);
            bed_run(&b, *name, "", 100);
            ck_assert(b.outcome.bought.spent == 15 &&
                      b.outcome.bought.flags == ALCORE_SELECTION_SHORT);
            ck_assert_int_eq(b.outcome.bought.free_rows, 1);
        }
    }
    bed_close(&b);
}
END_TEST

/* ---- NaN ---- */

START_TEST(nan_names_the_row) {
    const double u[] = {1, 2, (double)NAN, 4, (double)INFINITY, 6};
    double plane[12];
    memcpy(plane, PLANE, sizeof plane);
    bed_open(&b, 6, 2, NULL);
    bed_column(&b, pool(), "scores", u, 6, 1, ALCORE_FLOAT64);
    bed_column(&b, pool(), "embeddings", plane, 6, 2, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "huds", "", 2), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 2"));
    /* What is masked is never looked at. */
    b.mask[2] = b.mask[4] = 0;
    ck_assert_int_eq(bed_run(&b, "huds", "", 2), ALCORE_OK);
    plane[7] = (double)NAN;
    for (const char *const *name =
             (const char *const[]){"huds", "kcenter", "idds", "diversity-global", NULL};
         *name; name++) {
        ck_assert_int_eq(bed_run(&b, *name, "", 2), ALCORE_E_DATA);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 3"));
    }
    ck_assert_int_eq(bed_run(&b, "huds", "k_clusters=2", 2), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 3"));
    b.input.nan_exclude = true;
    b.mask[2] = b.mask[4] = 1;
    ck_assert_int_eq(bed_run(&b, "huds", "", 9), ALCORE_OK);
    ck_assert_int_eq(b.outcome.count, 3);
    ck_assert_int_eq(b.outcome.nan_count, 3);
    ck_assert(b.outcome.nan_rows[0] == 2 && b.outcome.nan_rows[1] == 3 &&
              b.outcome.nan_rows[2] == 4);
    ck_assert_int_eq(b.outcome.rows[2], 5);
    bed_close(&b);
}
END_TEST

START_TEST(nan_among_the_labeled_rows) {
    double plane[12], side[] = {1, 1, (double)NAN, 0};
    memcpy(plane, PLANE, sizeof plane);
    plane[0] = (double)NAN;
    const uint8_t labeled[] = {1, 1, 0, 0, 0, 0};
    bed_open(&b, 6, 1, NULL);
    bed_column(&b, pool(), "embeddings", plane, 6, 2, ALCORE_FLOAT64);
    bed_column(&b, &b.input.labeled, "embeddings", side, 2, 2, ALCORE_FLOAT64);
    b.mask[0] = b.mask[1] = 0;
    b.input.labeled_rows = labeled;
    for (const char *const *name = (const char *const[]){"kcenter", "idds", NULL}; *name; name++) {
        b.input.nan_exclude = false;
        ck_assert_int_eq(bed_run(&b, *name, "", 2), ALCORE_E_DATA);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 0"));
        b.input.nan_exclude = true;
        ck_assert_int_eq(bed_run(&b, *name, "", 2), ALCORE_OK);
        ck_assert_int_eq(b.outcome.nan_labeled, 1);
        ck_assert(b.outcome.nan_count == 1 && b.outcome.nan_rows[0] == 0);
        ck_assert_int_eq(b.outcome.bought.pick_count, 2);
    }
    bed_close(&b);
}
END_TEST

START_TEST(bad_log_probabilities) {
    double lp[] = {-1, -2, (double)NAN, -1, 0.5};
    const int64_t offsets[] = {0, 2, 3, 3, 4, 5};
    bed_open(&b, 5, 1, NULL);
    bed_ragged(&b, "logprobs", lp, offsets, 5, 1, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "nnll", "", 2), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 1"));
    b.mask[1] = 0;
    ck_assert_int_eq(bed_run(&b, "nnll", "", 2), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 2: no token"));
    b.mask[1] = 1;
    b.input.nan_exclude = true;
    ck_assert_int_eq(bed_run(&b, "nnll", "", 2), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 4"));
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "negative log-likelihoods"));
    b.mask[4] = 0;
    ck_assert_int_eq(bed_run(&b, "nnll", "", 9), ALCORE_OK);
    ck_assert(b.outcome.count == 2 && b.outcome.nan_count == 2);
    bed_close(&b);
}
END_TEST

START_TEST(bad_probabilities) {
    const double p[] = {0.5, 0.5, 1.5, -0.5, (double)NAN, 1};
    bed_open(&b, 3, 1, NULL);
    bed_column(&b, pool(), "probs", p, 3, 2, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "lc", "", 1), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 1"));
    b.input.nan_exclude = true;
    ck_assert_int_eq(bed_run(&b, "lc", "", 1), ALCORE_E_DATA);
    b.mask[1] = 0;
    ck_assert_int_eq(bed_run(&b, "lc", "", 9), ALCORE_OK);
    ck_assert(b.outcome.count == 1 && b.outcome.nan_count == 1 && b.outcome.nan_rows[0] == 2);
    bed_close(&b);
}
END_TEST

/* ---- odd pools ---- */

/* Whether a strategy reads a column of bed_text_columns(), whose rows differ. */
static bool reads_texts(const char *strategy) {
    static const char *const columns[] = {"logprobs", "mlm_losses", "roundtrip", "sample_probs"};
    const char *need = alcore_strategy_builtin_needs(strategy, ALCORE_ROLE_CANDIDATES, 0);
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
        if (need && !strcmp(need, columns[c])) return true;
    return strcmp(strategy, "ngram-cover") == 0;
}

START_TEST(odd_pools) {
    const float same[] = {1, 2, 1, 2, 1, 2, 1, 2};
    const double ones[] = {1, 1, 1, 1};
    const float probs[] = {.5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f};
    for (int64_t rows = 0; rows <= 4; rows += rows ? 3 : 1) {
        bed_open(&b, rows, 2, NULL);
        bed_column(&b, pool(), "scores", ones, rows, 1, ALCORE_FLOAT64);
        bed_column(&b, pool(), "embeddings", same, rows, 2, ALCORE_FLOAT32);
        bed_column(&b, pool(), "probs", probs, rows, 2, ALCORE_FLOAT32);
        bed_phrases(&b, true);
        bed_text_columns(&b);
        bed_column(&b, &b.input.target, "embeddings", same, 3, 2, ALCORE_FLOAT32);
        bed_column(&b, &b.input.labeled, "embeddings", same, 3, 2, ALCORE_FLOAT32);
        bed_column(&b, &b.input.labeled, "probs", probs, 3, 2, ALCORE_FLOAT32);
        for (int32_t i = 0; alcore_strategy_builtin_name(i); i++) {
            const char *name = alcore_strategy_builtin_name(i);
            if (!bed_runs(name)) continue;
            ck_assert_msg(bed_run(&b, name, "", 9) == ALCORE_OK, "%s: %s", name,
                          alcore_last_error());
            ck_assert_int_eq(b.outcome.bought.pick_count, rows);
            ck_assert_uint_eq(b.outcome.bought.flags, ALCORE_SELECTION_SHORT);
            /* Equal scores: the rows in order, but for strategies that draw. */
            for (int64_t r = 0; r < rows && !bed_draws(name) && !reads_texts(name); r++)
                ck_assert_int_eq(bed_pick(&b, r), r);
            bed_run(&b, name, "", 0);
            ck_assert_int_eq(b.outcome.bought.pick_count, 0);
        }
        ck_assert_int_eq(bed_run(&b, "huds", "k_clusters=3", 9), ALCORE_OK);
        ck_assert_int_eq(b.outcome.bought.pick_count, rows);
        bed_close(&b);
    }
}
END_TEST

START_TEST(missing_columns) {
    bed_open(&b, 2, 1, NULL);
    ck_assert_int_eq(bed_run(&b, "huds", "", 1), ALCORE_E_MISSING);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "scores|logprobs"));
    bed_column(&b, pool(), "scores", FALLING, 2, 1, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "huds", "", 1), ALCORE_E_MISSING);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "embeddings"));
    b.input.fill.limited = true;
    ck_assert_int_eq(bed_run(&b, "nnll", "", 1), ALCORE_E_MISSING);
    bed_column(&b, pool(), "embeddings", PLANE, 2, 2, ALCORE_FLOAT64);
    bed_column(&b, &b.input.labeled, "embeddings", PLANE, 2, 3, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "kcenter", "", 1), ALCORE_E_SHAPE);
    bed_close(&b);
}
END_TEST

/* Also behind minus infinity, in both orders of rows, however many candidates are ordered, and with
 * random ties. */
START_TEST(unknown_keys_rank_last) {
    enum { COUNT = 7 };
    const double low = -(double)INFINITY, none = (double)NAN;
    const double keys[2][COUNT] = {{none, low, 1, none, low, 2, low},
                                   {low, none, 2, low, none, 1, none}};
    const int64_t rows[COUNT] = {0, 1, 2, 3, 4, 5, 6};
    const int64_t by_row[2][COUNT] = {{5, 2, 1, 4, 6, 0, 3}, {2, 5, 0, 3, 1, 4, 6}};
    for (int c = 0; c < 2; c++)
        for (int64_t best = 1; best <= COUNT; best++) {
            int64_t order[COUNT];
            ck_assert_int_eq(
                alcore__rank(NULL, keys[c], rows, COUNT, ALCORE__TIE_INDEX, 0, best, order),
                ALCORE_OK);
            ck_assert_mem_eq(order, by_row[c], (size_t)best * sizeof *order);
            ck_assert_int_eq(
                alcore__rank(NULL, keys[c], rows, COUNT, ALCORE__TIE_RANDOM, 3, best, order),
                ALCORE_OK);
            for (int64_t i = 1; i < best; i++)
                ck_assert(!isnan(keys[c][order[i - 1]]) || isnan(keys[c][order[i]]));
        }
}
END_TEST

START_TEST(many_passes_are_announced) {
    enum { ROWS = 400 };
    static float x[ROWS * 2];
    alcore__rng rng;
    alcore__rng_seed(&rng, 5);
    for (int i = 0; i < ROWS * 2; i++) x[i] = (float)alcore__rng_f64(&rng);
    bed_open(&b, ROWS, 1, NULL);
    bed_column(&b, pool(), "embeddings", x, ROWS, 2, ALCORE_FLOAT32);
    bed_run(&b, "kcenter", "", 50);
    ck_assert_str_eq(b.warning, "");
    for (const char *const *name = (const char *const[]){"kcenter", "idds", NULL}; *name; name++) {
        b.warning[0] = 0;
        bed_run(&b, *name, "", 300);
        ck_assert_ptr_nonnull(strstr(b.warning, "strategy: "));
        ck_assert_ptr_nonnull(strstr(b.warning, "the parameter candidates limits"));
        ck_assert_ptr_nonnull(strstr(b.warning, "400 rows"));
    }
    bed_close(&b);
}
END_TEST

CHECK_SUITE("strategy-fill", policies, vectors, bad_costs, similarity_limit,
            similarity_at_the_limit_is_bought, greedy_strategies_spend_words, nan_names_the_row,
            nan_among_the_labeled_rows, bad_log_probabilities, bad_probabilities, odd_pools,
            missing_columns, unknown_keys_rank_last, many_passes_are_announced);
