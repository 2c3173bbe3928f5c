/* SPDX-License-Identifier: Apache-2.0 */
/* A hybrid of sentences and phrases, each of whose strategies runs with its pool cut at block
 * borders into parts whose states are folded in shuffled order: together they buy what the hybrid
 * of one request buys, whatever the number of threads (spec 5.8, B.13). */
#include <math.h>
#include <string.h>

#include "../request/request_test.h"
#include "strategy_bed.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { FEW_CUTS = 1 };
#else
enum { FEW_CUTS = 0 };
#endif
/* Three blocks of sentences, and more of phrases. */
enum { ROWS = 2 * 8192 + 200, DIMS = 4, MOST_WORDS = 6, VOCABULARY = 90 };
static const double BUDGET = 121, RATIO = 0.4;

static const struct {
    const char *sentences, *phrases;
} PAIRS[] = {{"random", "ngf"},      {"nnll", "ngf-smp"},       {"huds", "huds-phrase"},
             {"kcenter", "ngf-smp"}, {"huds", "random-phrase"}, {"diversity-global", "ngf"}};
enum { PAIR_COUNT = sizeof PAIRS / sizeof PAIRS[0] };

static double scores[ROWS], embeddings[ROWS * DIMS], costs[ROWS];
static double logprobs[ROWS * (MOST_WORDS + 1)];
static int64_t offsets[ROWS + 1];

/* Makes the pool of texts, whose first word is a number that keeps them apart, and its columns. */
static alcore_pool *make_pool(alcore_ctx *ctx) {
    alcore__rng rng;
    alcore_pool *pool;
    alcore_tensor values, at;
    int64_t ends = ROWS + 1;
    alcore__rng_seed(&rng, 29);
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    for (int64_t i = 0; i < ROWS; i++) {
        char text[80];
        const char *texts[] = {text};
        const int words = 1 + (int)alcore__rng_below(&rng, MOST_WORDS);
        int length = snprintf(text, sizeof text, "n%lld", (long long)i);
        for (int w = 0; w < words; w++)
            length +=
                snprintf(text + length, sizeof text - (size_t)length, " w%d",
                         (int)alcore__rng_below(&rng, 1 + alcore__rng_below(&rng, VOCABULARY)));
        ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
        offsets[i + 1] = offsets[i] + words + 1;
        costs[i] = words + 1;
        scores[i] = alcore__rng_f64(&rng);
    }
    for (int64_t i = 0; i < ROWS * DIMS; i++) embeddings[i] = alcore__rng_f64(&rng) - 0.4;
    for (int64_t i = 0; i < offsets[ROWS]; i++) logprobs[i] = -5 * alcore__rng_f64(&rng);
    give(pool, "scores", scores, ROWS, 1);
    give(pool, "embeddings", embeddings, ROWS, DIMS);
    ck_assert_ok(alcore_tensor_init(&values, logprobs, ALCORE_FLOAT64, &offsets[ROWS], 1));
    ck_assert_ok(alcore_tensor_init(&at, offsets, ALCORE_INT64, &ends, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "logprobs", &values, &at, NULL));
    return pool;
}

/* What the hybrid of a pair buys, cover: the phrases of its sentences are known. */
static alcore_selection *hybrid_of(alcore_ctx *ctx, alcore_pool *pool, int pair, bool cover) {
    alcore_strategy *strategy;
    char text[32];
    snprintf(text, sizeof text, "%gw", BUDGET);
    alcore_request *request = request_for(ctx, pool, "hybrid", text);
    ck_assert_ok(alcore_strategy_new(ctx, "hybrid", &strategy));
    ck_assert_ok(alcore_strategy_set(strategy, "sentences", PAIRS[pair].sentences));
    ck_assert_ok(alcore_strategy_set(strategy, "phrases", PAIRS[pair].phrases));
    ck_assert_ok(alcore_strategy_set_number(strategy, "ratio", RATIO));
    ck_assert_ok(alcore_strategy_set_int(strategy, "cover", cover));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_request_set(request, "seed", "42"));
    alcore_selection *selection = selected(request);
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
    return selection;
}

/* The pool of phrases from which a hybrid buys when its sentences are rows [count] of the pool,
 * with all columns that the strategy reads: that of a request which leaves these rows out. */
static alcore_pool *phrases_of(alcore_ctx *ctx, alcore_pool *pool, int pair, bool cover,
                               const int64_t *rows, int64_t count) {
    alcore_request *request = request_for(ctx, pool, PAIRS[pair].phrases, "1w");
    ck_assert_ok(alcore_request_set_rows(
        request, cover ? ALCORE_ROWS_LABELED : ALCORE_ROWS_EXCLUDED, rows, count));
    alcore_selection *one = selected(request);
    alcore_pool *phrases = alcore_pool_ref(alcore_selection_pool(one));
    alcore_selection_unref(one);
    alcore_request_unref(request);
    return phrases;
}

/* Runs a strategy over a pool in parts. costs [rows of the pool]. */
static void run_parts(bed *b, alcore_pool *pool, const char *strategy, const double *words,
                      double budget, int32_t parts) {
    static const char *const NAMES[] = {"scores", "embeddings",     "occurrences", "first_row",
                                        "length", "first_position", "known",       "semi_maximal"};
    b->input.candidates.pool = pool;
    b->input.costs = words;
    b->input.fill.policy = ALCORE__FILL_OVERSHOOT;
    b->parts = parts;
    b->shuffle = (uint64_t)parts;
    for (size_t c = 0; c < sizeof NAMES / sizeof NAMES[0]; c++) {
        const alcore__column *column = alcore__pool_find_column(pool, NAMES[c]);
        if (column)
            ck_assert_int_eq(alcore__dataset_add(&b->input.candidates, NAMES[c], column),
                             ALCORE_OK);
    }
    ck_assert_msg(bed_run(b, strategy, "", budget) == ALCORE_OK, "%s: %s", strategy,
                  alcore_last_error());
}

/* Compares the picks of a bed, rows of `pool`, with those of a selection from a rank on. */
static void expect_picks(const bed *b, const alcore_pool *pool, const alcore_selection *hybrid,
                         int64_t first, int32_t parts) {
    for (int64_t k = 0; k < b->outcome.bought.pick_count; k++) {
        const int64_t row = alcore_selection_rows(hybrid)[first + k];
        const char *const text = alcore_pool_text(alcore_selection_pool(hybrid), row, NULL);
        ck_assert_msg(strcmp(alcore_pool_text(pool, bed_pick(b, k), NULL), text) == 0,
                      "pick %lld in %d parts is \"%s\", not \"%s\"", (long long)(first + k),
                      (int)parts, alcore_pool_text(pool, bed_pick(b, k), NULL), text);
        ck_assert_double_eq(b->outcome.scores[b->outcome.bought.picks[k]],
                            alcore_selection_scores(hybrid)[first + k]);
    }
}

/* Runs both strategies of a pair in parts and splits the budget between them. */
static void check_parts(alcore_ctx *ctx, alcore_pool *pool, const alcore_selection *hybrid,
                        int pair, bool cover, int32_t parts, int32_t threads) {
    const double share = floor(RATIO * BUDGET + 1e-9);
    bed sentences, phrases;
    bed_open(&sentences, ROWS, threads, NULL);
    run_parts(&sentences, pool, PAIRS[pair].sentences, costs, share, parts);
    const int64_t count = sentences.outcome.bought.pick_count;
    int64_t *rows = malloc((size_t)count * sizeof *rows + 1);
    for (int64_t k = 0; k < count; k++) rows[k] = bed_pick(&sentences, k);
    expect_picks(&sentences, pool, hybrid, 0, parts);
    alcore_pool *derived = phrases_of(ctx, pool, pair, cover, rows, count);
    const int64_t phrase_rows = alcore_pool_row_count(derived);
    double *words = malloc((size_t)phrase_rows * sizeof *words + 1);
    for (int64_t i = 0; i < phrase_rows; i++) words[i] = (double)alcore_pool_words(derived, i);
    bed_open(&phrases, phrase_rows, threads, NULL);
    run_parts(&phrases, derived, PAIRS[pair].phrases, words, BUDGET - share, parts);
    ck_assert_int_gt(count, 5);
    ck_assert_int_gt(phrases.outcome.bought.pick_count, 5);
    ck_assert_int_eq(alcore_selection_count(hybrid), count + phrases.outcome.bought.pick_count);
    expect_picks(&phrases, derived, hybrid, count, parts);
    bed_close(&phrases);
    bed_close(&sentences);
    alcore_pool_unref(derived);
    free(words);
    free(rows);
}

START_TEST(hybrids_in_shuffled_parts) {
    static const int32_t PARTS[] = {1, 2, 3, 8}, THREADS[] = {1, 8, 2, 2};
    const bool cover = _i % 2;
    alcore_ctx *ctx;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    alcore_pool *pool = make_pool(ctx);
    alcore_selection *hybrid = hybrid_of(ctx, pool, _i, cover);
    for (int p = FEW_CUTS || bed_brief() ? 3 : 0; p < 4; p++)
        check_parts(ctx, pool, hybrid, _i, cover, PARTS[p], THREADS[p]);
    alcore_selection_unref(hybrid);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("hybrid");
    tcase_set_timeout(all, 300);
    bed_add_variants(all, hybrids_in_shuffled_parts, PAIR_COUNT);
    return check_suite_run("strategy-hybrid", all);
}
