/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of the strategies on seeded random pools (spec B.1, B.2, B.3, B.6, B.14). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "check_suite.h"
#include "strategy_bed.h"

enum { MOST = 600, DIMS = 5, POOLS = 12 };

static bed b;
static double u[MOST];
static double x[MOST * DIMS], side[20 * DIMS];
static int64_t rows;

/* Pool number n: no ties, clustered vectors. */
static void make_pool(uint64_t n) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 1000 + n);
    rows = 20 + (int64_t)alcore__rng_below(&rng, MOST - 20);
    for (int64_t i = 0; i < rows; i++) {
        u[i] = alcore__rng_f64(&rng) * 5.0;
        for (int j = 0; j < DIMS; j++)
            x[i * DIMS + j] = alcore__rng_f64(&rng) - 0.3 + (double)(i % 3);
    }
    for (int i = 0; i < 20 * DIMS; i++) side[i] = alcore__rng_f64(&rng) - 0.5;
}

static void open_pool(const double *scores, const double *vectors) {
    bed_open(&b, rows, 1, NULL);
    bed_column(&b, &b.input.candidates, "scores", scores, rows, 1, ALCORE_FLOAT64);
    bed_column(&b, &b.input.candidates, "embeddings", vectors, rows, DIMS, ALCORE_FLOAT64);
    bed_phrases(&b, false);
    bed_column(&b, &b.input.labeled, "embeddings", side, 20, DIMS, ALCORE_FLOAT64);
    bed_column(&b, &b.input.target, "embeddings", side, 20, DIMS, ALCORE_FLOAT64);
    bed_text_columns(&b);
}

static int64_t keep_picks(const char *strategy, const char *params, double budget, int64_t *out) {
    ck_assert_msg(bed_run(&b, strategy, params, budget) == ALCORE_OK, "%s", alcore_last_error());
    for (int64_t i = 0; i < b.outcome.bought.pick_count; i++) out[i] = bed_pick(&b, i);
    return b.outcome.bought.pick_count;
}

static void expect_same(const char *one, const char *one_params, const char *two,
                        const char *two_params, double budget) {
    static int64_t first[MOST], second[MOST];
    int64_t count = keep_picks(one, one_params, budget, first);
    ck_assert_int_eq(keep_picks(two, two_params, budget, second), count);
    ck_assert_mem_eq(first, second, (size_t)count * sizeof *first);
}

/* 1 */
START_TEST(huds_without_diversity_is_nnll) {
    make_pool((uint64_t)_i);
    open_pool(u, x);
    expect_same("huds", "lambda=0", "nnll", "", 50);
    expect_same("huds", "lambda=0", "nsp", "", 50);
    bed_close(&b);
}
END_TEST

/* 2 */
START_TEST(huds_of_one_stratum_is_global) {
    static double d[MOST], scaled[MOST * DIMS], moved[MOST];
    static int64_t stratum[MOST];
    make_pool((uint64_t)_i);
    open_pool(u, x);
    expect_same("huds", "lambda=1 n_strata=1", "diversity-global", "", 50);
    ck_assert_int_eq(bed_run(&b, "huds", "", 1), ALCORE_OK);
    memcpy(d, bed_record(&b, "d"), (size_t)rows * sizeof *d);
    memcpy(stratum, bed_record(&b, "stratum"), (size_t)rows * sizeof *stratum);
    bed_close(&b);
    for (int64_t i = 0; i < rows * DIMS; i++) scaled[i] = 3.7 * x[i];
    for (int64_t i = 0; i < rows; i++) moved[i] = u[i] + 0.5;
    open_pool(u, scaled);
    ck_assert_int_eq(bed_run(&b, "huds", "", 1), ALCORE_OK);
    const double *again = bed_record(&b, "d");
    for (int64_t i = 0; i < rows; i++) ck_assert_double_eq_tol(again[i], d[i], 1e-12);
    bed_close(&b);
    open_pool(moved, x);
    ck_assert_int_eq(bed_run(&b, "huds", "", 1), ALCORE_OK);
    ck_assert_mem_eq(bed_record(&b, "stratum"), stratum, (size_t)rows * sizeof *stratum);
    bed_close(&b);
}
END_TEST

/* What the picks of a run are, in the order of the request's budgets. */
typedef struct kept_purchase {
    int64_t count, picks[MOST], redundant, unaffordable, free_rows;
    double scores[MOST], spent;
    uint32_t flags;
} kept_purchase;

static void keep_purchase(const int64_t *picks, int64_t count, kept_purchase *out) {
    out->count = count;
    memcpy(out->picks, picks, (size_t)count * sizeof *picks);
    for (int64_t k = 0; k < count; k++) out->scores[k] = b.outcome.scores[picks[k]];
}

/* The purchases of both budgets: out [2], zeroed first, so that two can be compared by bytes. */
static void keep_purchases(const char *params, double budget, kept_purchase *out) {
    memset(out, 0, 2 * sizeof *out);
    ck_assert_msg(bed_run(&b, "huds", params, budget) == ALCORE_OK, "%s", alcore_last_error());
    const alcore__outcome *outcome = &b.outcome;
    keep_purchase(outcome->bought.picks, outcome->bought.pick_count, &out[0]);
    out[0].spent = outcome->bought.spent;
    out[0].flags = outcome->bought.flags;
    out[0].redundant = outcome->bought.redundant;
    out[0].unaffordable = outcome->bought.unaffordable;
    out[0].free_rows = outcome->bought.free_rows;
    const alcore__purchase *further = &outcome->further[0];
    keep_purchase(further->picks, further->pick_count, &out[1]);
    out[1].spent = further->spent;
    out[1].flags = further->flags;
    out[1].redundant = further->redundant;
    out[1].unaffordable = further->unaffordable;
    out[1].free_rows = further->free_rows;
}

/* distances=needed (spec 3.10): the picks of distances=all under every way to spend, with equal d
 * of what was measured, whole strata of it, and NaN for the rest. */
START_TEST(huds_measures_what_picks_need) {
    static const char *const LAMBDAS[] = {"0", "0.1", "0.3", "0.5", "1"};
    static kept_purchase all[2], needed[2];
    static double d[MOST], costs[MOST];
    static char with_all[96], with_needed[128];
    alcore__rng rng;
    int64_t saved = 0;
    make_pool((uint64_t)_i);
    alcore__rng_seed(&rng, 500 + (uint64_t)_i);
    for (int64_t i = 0; i < rows; i++) {
        costs[i] = (double)alcore__rng_below(&rng, 5); /* 0 costs nothing and is passed over */
        if (i % 4 == 0) u[i] = floor(u[i]);            /* ties */
    }
    open_pool(u, x);
    for (int round = 0; round < 60; round++) {
        double budget = 1.0 + (double)alcore__rng_below(&rng, 30), smaller = floor(budget / 2);
        b.input.fill.policy = (int32_t)alcore__rng_below(&rng, 3);
        b.input.fill.tie = (int32_t)alcore__rng_below(&rng, 2);
        b.input.fill.limited = alcore__rng_below(&rng, 3) == 0;
        b.input.fill.max_similarity = 0.99;
        b.input.costs = alcore__rng_below(&rng, 2) ? costs : NULL;
        b.input.fill.further = &smaller;
        b.input.fill.further_count = 1;
        snprintf(with_all, sizeof with_all, "lambda=%s n_strata=%d strata=%s unit=%d",
                 LAMBDAS[round % 5], 1 + (int)alcore__rng_below(&rng, 40),
                 round % 2 ? "quantile" : "equal", round % 7 == 0);
        snprintf(with_needed, sizeof with_needed, "%s distances=needed", with_all);
        keep_purchases(with_all, budget, all);
        memcpy(d, bed_record(&b, "d"), (size_t)rows * sizeof *d);
        keep_purchases(with_needed, budget, needed);
        ck_assert_msg(!memcmp(all, needed, sizeof all), "%s, budget %g", with_all, budget);
        const double *some = bed_record(&b, "d"), *h = bed_record(&b, "H");
        const int64_t *stratum = bed_record(&b, "stratum");
        int64_t measured = 0, lowest = INT64_MAX;
        for (int64_t i = 0; i < rows; i++) {
            measured += !isnan(some[i]);
            if (!isnan(some[i])) lowest = stratum[i] < lowest ? stratum[i] : lowest;
        }
        for (int64_t i = 0; i < rows; i++) {
            ck_assert_int_eq(isnan(some[i]), stratum[i] < lowest);
            ck_assert_int_eq(isnan(h[i]), isnan(some[i]));
            if (!isnan(some[i])) ck_assert_mem_eq(&some[i], &d[i], sizeof *d);
        }
        ck_assert_double_eq(*bed_fact(&b, "measured"), (double)measured);
        ck_assert_int_eq(b.outcome.measured, measured);
        saved += rows - measured;
    }
    ck_assert_int_gt(saved, 0);
    b.input.fill.further_count = 0;
    bed_close(&b);
}
END_TEST

START_TEST(needed_distances_refuse_what_needs_all) {
    static const char *const PARAMS[] = {"rescale=rank", "min_stratum=2", "k_clusters=2"};
    static char params[64];
    make_pool(0);
    open_pool(u, x);
    snprintf(params, sizeof params, "distances=needed %s", PARAMS[_i]);
    ck_assert_int_eq(bed_run(&b, "huds", params, 5), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "distances=all"));
    bed_close(&b);
}
END_TEST

/* 3 */
START_TEST(permuted_pools_give_permuted_picks) {
    static const char *const NAMES[] = {"nnll", "nsp",    "huds", "diversity", "diversity-global",
                                        "idds", "kcenter"};
    static double other_u[MOST], other_x[MOST * DIMS];
    static int64_t place[MOST], first[MOST], second[MOST];
    alcore__rng rng;
    make_pool((uint64_t)_i);
    alcore__rng_seed(&rng, 77);
    ck_assert_int_eq(alcore__rng_sample(NULL, &rng, rows, rows, place), ALCORE_OK);
    for (int64_t i = 0; i < rows; i++) {
        other_u[i] = u[place[i]];
        memcpy(other_x + i * DIMS, x + place[i] * DIMS, DIMS * sizeof *x);
    }
    for (size_t n = 0; n < sizeof NAMES / sizeof NAMES[0]; n++) {
        open_pool(u, x);
        int64_t count = keep_picks(NAMES[n], "", 15, first);
        bed_close(&b);
        open_pool(other_u, other_x);
        ck_assert_int_eq(keep_picks(NAMES[n], "", 15, second), count);
        bed_close(&b);
        for (int64_t i = 0; i < count; i++) ck_assert_int_eq(place[second[i]], first[i]);
    }
}
END_TEST

/* 6 */
static double naive_cosine(const double *left, const double *right) {
    double dot = 0, l = 0, r = 0;
    for (int j = 0; j < DIMS; j++) {
        dot += left[j] * right[j];
        l += left[j] * left[j];
        r += right[j] * right[j];
    }
    return dot / sqrt(l * r);
}

START_TEST(idds_is_the_naive_sum) {
    make_pool((uint64_t)_i);
    open_pool(u, x);
    ck_assert_int_eq(bed_run(&b, "idds", "mode=oneshot", 5), ALCORE_OK);
    for (int64_t i = 0; i < rows; i++) {
        double near = 0, far = 0;
        for (int64_t k = 0; k < rows; k++)
            near += k == i ? 0 : naive_cosine(x + i * DIMS, x + k * DIMS);
        for (int64_t k = 0; k < 20; k++) far += naive_cosine(x + i * DIMS, side + k * DIMS);
        double naive = 0.67 * near / (double)(rows - 1) - 0.33 * far / 20.0;
        ck_assert_double_eq_tol(b.outcome.scores[i], naive, 1e-9);
    }
    expect_same("idds", "mode=oneshot", "idds", "mode=greedy", 1);
    bed_close(&b);
}
END_TEST

/* Strategies that read columns and draw too: the first centroids of k-means. */
static bool draws_centroids(const char *name) {
    return !strcmp(name, "bertkm") || !strcmp(name, "alps") || !strcmp(name, "typiclust") ||
           !strcmp(name, "probcover");
}

/* 14 */
START_TEST(seeds_move_random_strategies_only) {
    make_pool((uint64_t)_i);
    open_pool(u, x);
    for (int32_t n = 0; alcore_strategy_builtin_name(n); n++) {
        const char *name = alcore_strategy_builtin_name(n);
        const char *need = alcore_strategy_builtin_needs(name, ALCORE_ROLE_CANDIDATES, 0);
        if ((need && alcore__need_names(need, "probs")) || !bed_runs(name)) continue;
        uint64_t prints[2];
        for (uint64_t seed = 0; seed < 2; seed++) {
            b.input.seed = seed;
            ck_assert_int_eq(bed_run(&b, name, "", 10), ALCORE_OK);
            prints[seed] = bed_fingerprint(&b);
        }
        if (!draws_centroids(name)) ck_assert_int_eq(prints[0] == prints[1], !bed_draws(name));
    }
    uint64_t rounds[2];
    for (int64_t round = 1; round <= 2; round++) {
        b.input.round = round;
        ck_assert_int_eq(bed_run(&b, "random", "", 10), ALCORE_OK);
        rounds[round - 1] = bed_fingerprint(&b);
    }
    ck_assert_uint_ne(rounds[0], rounds[1]);
    bed_close(&b);
}
END_TEST

/* Whether a strategy reads the embeddings of a pool in a role (ALCORE_ROLE_*). */
static bool reads_embeddings(const char *name, int32_t role) {
    const char *need;
    for (int32_t i = 0; (need = alcore_strategy_builtin_needs(name, role, i)); i++)
        if (!strcmp(need, "embeddings")) return true;
    return false;
}

/* Every strategy names the vector whose squares overflow, of whichever pool it reads, or, with
 * nan=exclude, leaves it out; just below the limit it runs. */
START_TEST(squares_that_overflow_name_their_row) {
    static const int32_t roles[] = {ALCORE_ROLE_CANDIDATES, ALCORE_ROLE_LABELED,
                                    ALCORE_ROLE_TARGET};
    static double probs[2 * MOST];
    double *vectors[] = {x, side, side};
    char row[80];
    int reading = 0;
    for (int64_t i = 0; i < 2 * MOST; i++)
        probs[i] = 0.5 + (i % 2 ? 0.001 : -0.001) * (double)(i / 2 % 97);
    for (int r = 0; r < 3; r++) {
        make_pool((uint64_t)_i);
        double *component = vectors[r] + 7 * DIMS + 2;
        open_pool(u, x);
        bed_column(&b, &b.input.candidates, "probs", probs, rows, 2, ALCORE_FLOAT64);
        bed_column(&b, &b.input.labeled, "probs", probs, 20, 2, ALCORE_FLOAT64);
        snprintf(row, sizeof row, "row 7%s: the vector in",
                 r == 0   ? ""
                 : r == 1 ? " of the labeled pool"
                          : " of the target");
        for (int32_t n = 0; alcore_strategy_builtin_name(n); n++) {
            const char *name = alcore_strategy_builtin_name(n);
            if (!reads_embeddings(name, roles[r]) || !bed_runs(name)) continue;
            /* Labeled pool and target share the memory of their vectors. */
            if (r == 1 && reads_embeddings(name, ALCORE_ROLE_TARGET)) continue;
            reading++;
            *component = r == 2 ? -3e200 : 1e160;
            ck_assert_msg(bed_run(&b, name, "", 10) == ALCORE_E_DATA, "%s, role %d", name, r);
            ck_assert_msg(strstr(alcore_last_error(), row) || r == 2, "%s: %s", name,
                          alcore_last_error());
            ck_assert_msg(strstr(alcore_last_error(), "overflow"), "%s: %s", name,
                          alcore_last_error());
            *component = 1e69;
            ck_assert_msg(bed_run(&b, name, "", 10) == ALCORE_OK, "%s: %s", name,
                          alcore_last_error());
            for (int64_t i = 0; i < b.outcome.count; i++)
                ck_assert_msg(isfinite(b.outcome.scores[i]) || isnan(b.outcome.scores[i]),
                              "%s: score %d", name, (int)i);
        }
        bed_close(&b);
    }
    ck_assert_int_ge(reading, 15);
}
END_TEST

/* Rescaled values do not depend on their unit, however large or small it is. */
START_TEST(rescaled_scores_have_no_unit) {
    static const char *const scales[] = {"rescale=zscore", "rescale=minmax", "rescale=rank"};
    static const int exponents[] = {0, 530, 1015, -600, -1000};
    static int64_t first[MOST], other[MOST];
    static double scaled[MOST];
    make_pool((uint64_t)_i);
    for (int s = 0; s < 3; s++) {
        int64_t count = 0;
        for (int e = 0; e < 5; e++) {
            for (int64_t i = 0; i < rows; i++) scaled[i] = ldexp(u[i], exponents[e]);
            open_pool(scaled, x);
            const int64_t found = keep_picks("huds", scales[s], 20, e == 0 ? first : other);
            bed_close(&b);
            if (e == 0) count = found;
            ck_assert_int_eq(found, count);
            if (e > 0) ck_assert_mem_eq(first, other, (size_t)count * sizeof *first);
        }
    }
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("properties");
    tcase_set_timeout(all, 300);
    tcase_add_loop_test(all, huds_without_diversity_is_nnll, 0, POOLS);
    tcase_add_loop_test(all, huds_of_one_stratum_is_global, 0, POOLS);
    tcase_add_loop_test(all, huds_measures_what_picks_need, 0, POOLS);
    tcase_add_loop_test(all, needed_distances_refuse_what_needs_all, 0, 3);
    tcase_add_loop_test(all, permuted_pools_give_permuted_picks, 0, POOLS);
    tcase_add_loop_test(all, idds_is_the_naive_sum, 0, POOLS);
    tcase_add_loop_test(all, seeds_move_random_strategies_only, 0, POOLS);
    tcase_add_loop_test(all, squares_that_overflow_name_their_row, 0, 2);
    tcase_add_loop_test(all, rescaled_scores_have_no_unit, 0, 3);
    return check_suite_run("strategy-properties", all);
}
