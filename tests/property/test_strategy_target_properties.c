/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of the strategies that look at a target or at languages, on seeded random pools (spec
 * B.8, B.9, B.10). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check_suite.h"
#include "strategy_bed.h"

enum { MOST = 400, DIMS = 3, POOLS = 12, TARGETS = 7, MOST_TIMES = 5, LANGUAGES = 6 };

static bed b;
static alcore__rng rng;
static int64_t rows;
static double margins[MOST], x[MOST * DIMS], targets[TARGETS * DIMS],
    repeated[TARGETS * MOST_TIMES * DIMS];

/* Coordinates of rows and targets: SCATTERED has no ties; on the GRID of integers many rows are at
 * equal distances from a target, exactly; COPIES has rows that stand at the same place. */
typedef enum layout { SCATTERED, GRID, COPIES } layout;
enum { LAYOUTS = 3 };

static double coordinate(layout kind) {
    return kind == GRID ? (double)alcore__rng_below(&rng, 5) : alcore__rng_f64(&rng);
}

static void make_pool(uint64_t number, layout kind) {
    alcore__rng_seed(&rng, 2000 + 10 * number + (uint64_t)kind);
    rows = 20 + (int64_t)alcore__rng_below(&rng, MOST - 20);
    for (int64_t i = 0; i < rows; i++) {
        margins[i] = (double)alcore__rng_below(&rng, 20) / 20; /* many ties */
        for (int64_t j = 0; j < DIMS; j++)
            x[i * DIMS + j] = kind == COPIES && i % 3 ? x[i / 3 * DIMS + j] : coordinate(kind);
    }
    for (int64_t j = 0; j < TARGETS * DIMS; j++) targets[j] = coordinate(kind);
}

/* Some rows are no candidates. */
static void open_pool(const double *target, int64_t target_rows) {
    bed_open(&b, rows, 2, NULL);
    for (int64_t i = 0; i < rows; i++) b.mask[i] = i % 7 != 3;
    bed_column(&b, &b.input.candidates, "margins", margins, rows, 1, ALCORE_FLOAT64);
    bed_column(&b, &b.input.candidates, "embeddings", x, rows, DIMS, ALCORE_FLOAT64);
    bed_column(&b, &b.input.target, "embeddings", target, target_rows, DIMS, ALCORE_FLOAT64);
}

/* The picks of a run, as rows of the pool in order. */
static int64_t run_picks(const char *strategy, const char *params, double budget, int64_t *out) {
    ck_assert_msg(bed_run(&b, strategy, params, budget) == ALCORE_OK, "%s", alcore_last_error());
    for (int64_t i = 0; i < b.outcome.bought.pick_count; i++) out[i] = bed_pick(&b, i);
    return b.outcome.bought.pick_count;
}

static int by_number(const void *one, const void *other) {
    int64_t a = *(const int64_t *)one, c = *(const int64_t *)other;
    return (a > c) - (a < c);
}

/* ---- B.8 ---- */

START_TEST(all_rows_as_neighbors_are_uncertainty) {
    static int64_t wanted[MOST], found[MOST];
    char params[64];
    make_pool((uint64_t)(_i / LAYOUTS), (layout)(_i % LAYOUTS));
    open_pool(targets, TARGETS);
    for (int round = 0; round < 5; round++) {
        const double budget = 1.0 + (double)alcore__rng_below(&rng, (uint64_t)rows);
        const int64_t count = run_picks("uncertainty", "", budget, wanted);
        ck_assert_int_gt(count, 0);
        snprintf(params, sizeof params, "k=%lld k_max=%lld", (long long)rows, (long long)rows);
        ck_assert_int_eq(run_picks("knn-uncertainty", params, budget, found), count);
        ck_assert_mem_eq(found, wanted, (size_t)count * sizeof *found);
    }
    bed_close(&b);
}
END_TEST

START_TEST(as_many_candidates_as_picks_are_uncertainty) {
    static const char *const PARAMS[] = {"c=1", "c=1 prox=mean", "c=1 cover=1"};
    static int64_t wanted[MOST], found[MOST];
    bool moved = false;
    make_pool((uint64_t)(_i / LAYOUTS), (layout)(_i % LAYOUTS));
    open_pool(targets, TARGETS);
    for (int round = 0; round < 5; round++) {
        const double budget = 2.0 + (double)alcore__rng_below(&rng, (uint64_t)rows);
        const int64_t count = run_picks("uncertainty", "", budget, wanted);
        for (int p = 0; p < 3; p++) {
            ck_assert_int_eq(run_picks("uncertainty-knn", PARAMS[p], budget, found), count);
            moved = moved || memcmp(found, wanted, (size_t)count * sizeof *found) != 0;
            qsort(found, (size_t)count, sizeof *found, by_number);
            if (p == 0) qsort(wanted, (size_t)count, sizeof *wanted, by_number);
            ck_assert_mem_eq(found, wanted, (size_t)count * sizeof *found);
        }
    }
    ck_assert(moved); /* the sets are equal, the orders are not */
    bed_close(&b);
}
END_TEST

/* ---- B.9 ---- */

static double from_target[MOST]; /* squared distances from the one target */

static int by_nearness(const void *one, const void *other) {
    int64_t a = *(const int64_t *)one, c = *(const int64_t *)other;
    if (from_target[a] != from_target[c]) return from_target[a] < from_target[c] ? -1 : 1;
    return (a > c) - (a < c);
}

START_TEST(one_target_orders_by_nearness) {
    static int64_t wanted[MOST], found[MOST];
    int64_t count = 0;
    make_pool((uint64_t)(_i / LAYOUTS), (layout)(_i % LAYOUTS));
    open_pool(targets, 1);
    for (int64_t i = 0; i < rows; i++) {
        from_target[i] = 0;
        for (int64_t j = 0; j < DIMS; j++)
            from_target[i] += (x[i * DIMS + j] - targets[j]) * (x[i * DIMS + j] - targets[j]);
        if (b.mask[i]) wanted[count++] = i;
    }
    qsort(wanted, (size_t)count, sizeof *wanted, by_nearness);
    for (int s = 0; s < 2; s++) {
        const char *params = s ? "sq=1" : "";
        ck_assert_int_eq(run_picks("average-dist", params, (double)rows, found), count);
        ck_assert_mem_eq(found, wanted, (size_t)count * sizeof *found);
        ck_assert_int_eq(run_picks("average-dist", params, 9, found), 9);
        ck_assert_mem_eq(found, wanted, 9 * sizeof *found);
    }
    bed_close(&b);
}
END_TEST

/* The targets [count] come `times` times: one after the other, or each beside its copies. */
static void repeat_targets(int64_t count, int64_t times, bool beside) {
    for (int64_t i = 0; i < count * times; i++) {
        const int64_t target = beside ? i / times : i % count;
        memcpy(repeated + i * DIMS, targets + target * DIMS, DIMS * sizeof *targets);
    }
}

/* Ties of several targets are of rows at the same place: rows with the same distances in another
 * order have sums that rounding may tell apart, hence no GRID there. */
START_TEST(repeated_targets_change_nothing) {
    static const char *const PARAMS[] = {"", "sq=1", "metric=cosine"};
    static int64_t wanted[MOST], found[MOST];
    const layout kind = (layout)(_i % LAYOUTS);
    const int64_t target_rows = kind == GRID ? 1 : TARGETS;
    make_pool((uint64_t)(_i / LAYOUTS), kind);
    for (int p = 0; p < (kind == GRID ? 2 : 3); p++) {
        open_pool(targets, target_rows);
        const int64_t count = run_picks("average-dist", PARAMS[p], (double)rows, wanted);
        ck_assert_int_eq(count, rows - (rows + 3) / 7);
        bed_close(&b);
        for (int64_t times = 2; times <= MOST_TIMES; times++)
            for (int beside = 0; beside < 2; beside++) {
                repeat_targets(target_rows, times, beside);
                open_pool(repeated, target_rows * times);
                ck_assert_int_eq(run_picks("average-dist", PARAMS[p], (double)rows, found), count);
                ck_assert_mem_eq(found, wanted, (size_t)count * sizeof *found);
                bed_close(&b);
            }
    }
}
END_TEST

/* ---- B.10 ---- */

/* Candidates of each language and what was picked of them. */
static int32_t languages[MOST];
static int64_t there[LANGUAGES], picked[LANGUAGES];
static const char *const TAGS[LANGUAGES] = {"ar", "de", "fa", "hi", "te", "zh"};

/* Rows of languages that are more and less frequent; of the last one no row is a candidate. */
static void open_languages(void) {
    bed_open(&b, rows, 2, NULL);
    memset(there, 0, sizeof there);
    for (int64_t i = 0; i < rows; i++) {
        const uint64_t most = 1 + alcore__rng_below(&rng, LANGUAGES);
        languages[i] = (int32_t)alcore__rng_below(&rng, most);
        b.mask[i] = i % 7 != 3 && languages[i] != LANGUAGES - 1;
        there[languages[i]] += b.mask[i];
    }
    b.input.languages = languages;
    b.input.language_tags = TAGS;
    b.input.language_count = LANGUAGES;
    b.input.seed = alcore__rng_below(&rng, 1000);
}

/* Counts the picks of each language; every pick is a candidate, and none comes twice. */
static void count_picks(void) {
    static uint8_t seen[MOST];
    memset(seen, 0, sizeof seen);
    memset(picked, 0, sizeof picked);
    for (int64_t i = 0; i < b.outcome.bought.pick_count; i++) {
        const int64_t row = bed_pick(&b, i);
        ck_assert(b.mask[row] && !seen[row]);
        seen[row] = 1;
        picked[languages[row]]++;
    }
}

static int64_t smaller(int64_t one, int64_t other) {
    return one < other ? one : other;
}

/* Every language has its equal share, or all it has; only what that leaves of the budget is drawn
 * from all, so that no two languages with enough rows differ by more. */
START_TEST(egalitarian_counts_are_even) {
    make_pool((uint64_t)_i, SCATTERED);
    open_languages();
    for (int round = 0; round < 20; round++) {
        const int64_t budget = 1 + (int64_t)alcore__rng_below(&rng, (uint64_t)rows);
        const int64_t share = budget / LANGUAGES;
        int64_t all = 0, rest = budget;
        ck_assert_int_eq(bed_run(&b, "egalitarian", "", (double)budget), ALCORE_OK);
        count_picks();
        for (int l = 0; l < LANGUAGES; l++) {
            all += there[l];
            rest -= smaller(share, there[l]);
        }
        ck_assert_int_eq(b.outcome.bought.pick_count, smaller(budget, all));
        for (int l = 0; l < LANGUAGES; l++) {
            ck_assert_int_ge(picked[l], smaller(share, there[l]));
            ck_assert_int_le(picked[l], smaller(share, there[l]) + rest);
        }
    }
    bed_close(&b);
}
END_TEST

/* The histogram of the picks is the one that was asked for; of a language that has fewer rows, all
 * of them. */
START_TEST(same_ratio_histograms_are_equal) {
    make_pool((uint64_t)_i, SCATTERED);
    open_languages();
    for (int round = 0; round < 20; round++) {
        int64_t wanted[LANGUAGES], budget = 0;
        char params[160];
        int length = snprintf(params, sizeof params, "counts=");
        for (int l = 0; l < LANGUAGES; l++) {
            wanted[l] = 1 + (int64_t)alcore__rng_below(&rng, (uint64_t)(there[l] + 1 + round % 2));
            budget += wanted[l];
            length += snprintf(params + length, sizeof params - (size_t)length, "%s%s:%lld",
                               l ? "," : "", TAGS[l], (long long)wanted[l]);
        }
        ck_assert_msg(bed_run(&b, "same-ratio", params, (double)budget) == ALCORE_OK, "%s",
                      alcore_last_error());
        count_picks();
        for (int l = 0; l < LANGUAGES; l++)
            ck_assert_int_eq(picked[l], smaller(wanted[l], there[l]));
    }
    bed_close(&b);
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("properties");
    tcase_set_timeout(all, 300);
    tcase_add_loop_test(all, all_rows_as_neighbors_are_uncertainty, 0, POOLS * LAYOUTS);
    tcase_add_loop_test(all, as_many_candidates_as_picks_are_uncertainty, 0, POOLS * LAYOUTS);
    tcase_add_loop_test(all, one_target_orders_by_nearness, 0, POOLS * LAYOUTS);
    tcase_add_loop_test(all, repeated_targets_change_nothing, 0, POOLS * LAYOUTS);
    tcase_add_loop_test(all, egalitarian_counts_are_even, 0, POOLS);
    tcase_add_loop_test(all, same_ratio_histograms_are_equal, 0, POOLS);
    return check_suite_run("strategy-target-properties", all);
}
