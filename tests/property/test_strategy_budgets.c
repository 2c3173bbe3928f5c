/* SPDX-License-Identifier: Apache-2.0 */
/* A request of several budgets buys under each what a run with that budget alone buys (spec 1.6):
 * the same picks, and as many rows passed over for each cause. Every strategy of the registry, with
 * its defaults and its examples, under every fill policy; with rows of cost 0, with and without a
 * similarity limit, and with budgets below and above the cost of the whole pool. (test_budgets.c
 * compares the selections of requests, without these counts.) */
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "check_suite.h"
#include "strategy_bed.h"

enum { ROWS = 90, DIMS = 4, CLASSES = 3, SIDE = 20, LANGUAGES = 4, BUDGETS = 4 };

static double u[ROWS], x[ROWS * DIMS], side[SIDE * DIMS], costs[ROWS];
static float probs[ROWS * CLASSES];
static int32_t languages[SIDE];
static alcore_pool *phrases; /* [ROWS] short texts, many of which lie inside others */

static void make_data(uint64_t seed) {
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    for (int i = 0; i < ROWS; i++) {
        const float p = (float)alcore__rng_f64(&rng) / 2.0f;
        u[i] = alcore__rng_f64(&rng) * 5.0;
        costs[i] = (double)alcore__rng_below(&rng, 4);
        probs[i * CLASSES] = p;
        probs[i * CLASSES + 1] = 0.5f;
        probs[i * CLASSES + 2] = 0.5f - p;
    }
    for (int i = 0; i < ROWS * DIMS; i++) x[i] = alcore__rng_f64(&rng) - 0.4;
    for (int i = 0; i < SIDE * DIMS; i++) side[i] = alcore__rng_f64(&rng) - 0.5;
    for (int i = 0; i < SIDE; i++) languages[i] = i % LANGUAGES;
}

/* Each text is one, two or three words from a to f, so that many lie inside others. */
static alcore_pool *nested_texts(alcore_ctx *ctx) {
    static char texts[ROWS][8];
    static const char *list[ROWS];
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    options.dedup = ALCORE_DEDUP_NONE;
    for (int i = 0; i < ROWS; i++) {
        snprintf(texts[i], sizeof texts[i], "%c %c %c", 'a' + i % 6, 'a' + i / 6 % 6,
                 'a' + i / 36 % 6);
        texts[i][1 + 2 * (i % 3)] = '\0'; /* one word, two or three */
        list[i] = texts[i];
    }
    ck_assert_int_eq(alcore_pool_new(ctx, &options, &pool), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_add_texts(pool, list, NULL, ROWS, NULL), ALCORE_OK);
    return pool;
}

static void open_pool(bed *b) {
    bed_open(b, ROWS, 1, NULL);
    alcore__dataset *pool = &b->input.candidates;
    bed_column(b, pool, "scores", u, ROWS, 1, ALCORE_FLOAT64);
    bed_column(b, pool, "embeddings", x, ROWS, DIMS, ALCORE_FLOAT64);
    bed_column(b, pool, "probs", probs, ROWS, CLASSES, ALCORE_FLOAT32);
    bed_phrases(b, false);
    bed_column(b, &b->input.labeled, "embeddings", side, SIDE, DIMS, ALCORE_FLOAT64);
    bed_column(b, &b->input.labeled, "probs", probs, SIDE, CLASSES, ALCORE_FLOAT32);
    bed_column(b, &b->input.target, "embeddings", side, SIDE, DIMS, ALCORE_FLOAT64);
    b->input.target_languages = languages;
    b->input.target_language_count = LANGUAGES;
    bed_text_columns(b);
    phrases = nested_texts(b->ctx);
    b->input.candidates.pool = phrases;
}

static void close_pool(bed *b) {
    alcore_pool_unref(phrases);
    bed_close(b);
}

static bool has_no_table(const char *strategy) {
    (void)strategy;
    return false;
}

/* What one budget bought; zeroed first, so that two can be compared by bytes. */
typedef struct bought {
    int64_t count, picks[ROWS], redundant, unaffordable, free_rows;
    double spent;
    int64_t flags;
} bought;

static void keep(const alcore__purchase *from, bought *out) {
    *out = (bought){.count = from->pick_count,
                    .redundant = from->redundant,
                    .unaffordable = from->unaffordable,
                    .free_rows = from->free_rows,
                    .spent = from->spent,
                    .flags = from->flags};
    for (int64_t i = 0; i < from->pick_count; i++) out->picks[i] = from->picks[i];
}

/* The purchase of the first budget, which lies in members of the outcome itself. */
static void keep_first(const bed *b, bought *out) {
    const alcore__outcome *outcome = &b->outcome;
    const alcore__purchase first = {.pick_count = outcome->bought.pick_count,
                                    .picks = outcome->bought.picks,
                                    .spent = outcome->bought.spent,
                                    .flags = outcome->bought.flags,
                                    .redundant = outcome->bought.redundant,
                                    .unaffordable = outcome->bought.unaffordable,
                                    .free_rows = outcome->bought.free_rows};
    keep(&first, out);
}

static void run(bed *b, const bed_setting *setting, double budget) {
    ck_assert_msg(bed_run(b, setting->strategy, setting->params, budget) == ALCORE_OK, "%s %s: %s",
                  setting->strategy, setting->params, alcore_last_error());
}

static void expect_same(const bed *b, const bed_setting *setting, double budget,
                        const bought *together, const bought *alone) {
    ck_assert_msg(
        !memcmp(together, alone, sizeof *alone),
        "%s %s, budget %g, policy %d, limited %d: %lld picks, passed over %lld similar, %lld dear, "
        "%lld free; alone %lld picks, %lld similar, %lld dear, %lld free",
        setting->strategy, setting->params, budget, (int)b->input.fill.policy,
        (int)b->input.fill.limited, (long long)together->count, (long long)together->redundant,
        (long long)together->unaffordable, (long long)together->free_rows, (long long)alone->count,
        (long long)alone->redundant, (long long)alone->unaffordable, (long long)alone->free_rows);
}

START_TEST(several_budgets_are_runs_of_their_own) {
    /* The largest first. All costs together are at most 3 x 90. */
    static const double BUDGET[BUDGETS] = {1000, 400, 60, 9};
    static const int32_t POLICIES[] = {ALCORE__FILL_OVERSHOOT, ALCORE__FILL_STOP,
                                       ALCORE__FILL_SKIP};
    static bought together[BUDGETS], alone;
    bed_setting setting;
    bed b;
    int64_t passed_over = 0;
    ck_assert(bed_setting_beside(has_no_table, _i, &setting));
    make_data(900 + (uint64_t)_i);
    open_pool(&b);
    b.input.costs = costs;
    b.input.fill.max_similarity = 0.9;
    for (int round = 0; round < 12; round++) {
        const int first = round / 6 * 2; /* all four budgets, or the last two */
        b.input.fill.policy = POLICIES[round % 3];
        b.input.fill.limited = round / 3 % 2;
        b.input.fill.further = BUDGET + first + 1;
        b.input.fill.further_count = BUDGETS - first - 1;
        run(&b, &setting, BUDGET[first]);
        keep_first(&b, &together[first]);
        for (int i = first + 1; i < BUDGETS; i++)
            keep(&b.outcome.further[i - first - 1], &together[i]);
        b.input.fill.further_count = 0;
        for (int i = first; i < BUDGETS; i++) {
            run(&b, &setting, BUDGET[i]);
            keep_first(&b, &alone);
            expect_same(&b, &setting, BUDGET[i], &together[i], &alone);
            passed_over += alone.redundant + alone.unaffordable + alone.free_rows;
        }
    }
    ck_assert_int_gt(passed_over, 0);
    close_pool(&b);
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("budgets");
    tcase_set_timeout(all, 300);
    int count = 0;
    for (bed_setting setting; bed_setting_beside(has_no_table, count, &setting);) count++;
    bed_add_variants(all, several_budgets_are_runs_of_their_own, count);
    return check_suite_run("strategy-budgets", all);
}
