/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing is quadratic in the number of languages, groups, classes or ids: every row has one of its
 * own, and twice as many rows cost little more than twice the work. Work is counted and not timed:
 * the library is compiled with a call at each branch (-fsanitize-coverage=trace-pc), and runs with
 * one thread, so that the numbers are the same in every run. What is sorted may cost n log n, which
 * is 2.2 times as much for twice as many of these numbers of rows. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "alcore/extra.h"
#include "check_status.h"
#include "check_suite.h"
#include "test_folder.h"

enum { ROWS = 1000, DIMS = 4, FEW = 8 };
static const double MOST = 2.35;

/* ---- the counter ---- */

static uint64_t branches;
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
    branches++;
}

static alcore_ctx *ctx;
static char folder[TEST_PATH_BYTES], path[TEST_PATH_BYTES + 16];

static void setup(void) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.threads = 1;
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    test_folder_make(folder, "growth");
}

static void teardown(void) {
    test_folder_remove(folder);
    alcore_ctx_unref(ctx);
}

/* The most times that what is done for n may be done for 2 n: strategies that compare rows with
 * each other, as their definitions say, may compare four times as many. */
static double most_of(const char *what) {
    static const char *const PAIRS[] = {"typiclust", "probcover", "facility-location"};
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++)
        if (!strcmp(what, PAIRS[i])) return 2 * MOST;
    return MOST;
}

/* Runs `work` for n and for 2 n, whose returned counts are compared. */
static void check_growth(const char *what, uint64_t (*work)(int64_t n)) {
    const uint64_t one = work(ROWS), two = work(2 * ROWS);
    ck_assert_msg((double)two <= most_of(what) * (double)one,
                  "%s: %llu for %d, %llu for %d: %.2f times", what, (unsigned long long)one, ROWS,
                  (unsigned long long)two, 2 * ROWS, (double)two / (double)one);
}

/* ---- pools in which every row has a language, a group and an id of its own ---- */

typedef struct names {
    char text[2 * ROWS][48], name[2 * ROWS][16];
    const char *texts[2 * ROWS], *names[2 * ROWS];
    double numbers[2 * ROWS * DIMS];
    int64_t offsets[2 * ROWS + 1], rows[2 * ROWS];
} names;
static names all;

static void make_names(int64_t n) {
    uint64_t state = 7;
    for (int64_t i = 0; i < n; i++) {
        snprintf(all.text[i], sizeof all.text[i], "word%lld of text number %lld",
                 (long long)(i * 7919 % 997), (long long)i);
        snprintf(all.name[i], sizeof all.name[i], "l%lld", (long long)(i * 7919 % n));
        all.texts[i] = all.text[i];
        all.names[i] = all.name[i];
        all.rows[i] = i;
        all.offsets[i + 1] = i + 1;
    }
    for (int64_t i = 0; i < n * DIMS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        all.numbers[i] = 0.01 + (double)(state >> 40) / 0x1p24 * 0.98;
    }
}

static alcore_pool *pool_of(int64_t n) {
    alcore_pool *pool;
    alcore_records records = ALCORE_RECORDS_INIT;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    records.texts = all.texts;
    records.count = n;
    records.ids = records.languages = records.groups = all.names;
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    return pool;
}

static void give(alcore_pool *pool, const char *name, int64_t n, int64_t dims, bool ragged) {
    static double negative[2 * ROWS], sum[2 * ROWS * 2];
    const double *values = all.numbers;
    int64_t shape[] = {n, dims}, ends[] = {n + 1};
    alcore_tensor tensor, offsets;
    if (ragged && strcmp(name, "mlm_losses") != 0) {
        for (int64_t i = 0; i < n; i++) negative[i] = -all.numbers[i];
        values = negative;
    } else if (strcmp(name, "probs") == 0) {
        for (int64_t i = 0; i < n; i++) {
            sum[2 * i] = all.numbers[i];
            sum[2 * i + 1] = 1 - all.numbers[i];
        }
        values = sum;
    }
    ck_assert_ok(alcore_tensor_init(&tensor, (void *)(uintptr_t)values, ALCORE_FLOAT64, shape,
                                    dims > 1 ? 2 : 1));
    ck_assert_ok(alcore_tensor_init(&offsets, all.offsets, ALCORE_INT64, ends, 1));
    ck_assert_ok(alcore_pool_set_column(pool, name, &tensor, ragged ? &offsets : NULL, NULL));
}

/* Two samples [2, n, 2] of a model. */
static void give_samples(alcore_pool *pool, int64_t n) {
    static double samples[2 * ROWS * 2];
    int64_t shape[] = {2, n, 2};
    alcore_tensor tensor;
    for (int64_t i = 0; i < 2 * n; i++) {
        samples[2 * i] = all.numbers[i];
        samples[2 * i + 1] = 1 - all.numbers[i];
    }
    ck_assert_ok(alcore_tensor_init(&tensor, samples, ALCORE_FLOAT64, shape, 3));
    ck_assert_ok(alcore_pool_set_column(pool, "sample_probs", &tensor, NULL, NULL));
}

/* ---- pools ---- */

static uint64_t add_and_find(int64_t n) {
    make_names(n);
    const uint64_t before = branches;
    alcore_pool *pool = pool_of(n);
    for (int64_t i = 0; i < n; i++) {
        int64_t row;
        ck_assert_ok(alcore_pool_find(pool, all.names[i], strlen(all.names[i]), &row));
        ck_assert_int_eq(row, i);
    }
    const uint64_t work = branches - before;
    alcore_pool_unref(pool);
    return work;
}

static uint64_t count_languages(int64_t n) {
    int64_t shape[] = {n};
    static int64_t counts[2 * ROWS];
    alcore_tensor out;
    alcore_composition_result composition = ALCORE_COMPOSITION_RESULT_INIT;
    alcore_composition_options options = ALCORE_COMPOSITION_OPTIONS_INIT;
    make_names(n);
    alcore_pool *pool = pool_of(n);
    ck_assert_ok(alcore_tensor_init(&out, counts, ALCORE_INT64, shape, 1));
    options.target_pool = pool;
    const uint64_t before = branches;
    ck_assert_ok(alcore_analysis_count_languages(pool, all.rows, n, &out));
    ck_assert_ok(
        alcore_analysis_compute_composition(ctx, pool, all.rows, n, &options, &composition));
    const uint64_t work = branches - before;
    ck_assert_int_eq(composition.target_language_rows, n);
    alcore_pool_unref(pool);
    return work;
}

START_TEST(pools) {
    check_growth("adding and finding rows", add_and_find);
    check_growth("languages of rows", count_languages);
}
END_TEST

/* ---- metrics ---- */

static uint64_t labels(int64_t n) {
    alcore_labels_result score = ALCORE_LABELS_RESULT_INIT;
    make_names(n);
    const uint64_t before = branches;
    ck_assert_ok(
        alcore_metric_compute_labels(ctx, all.names, NULL, n, all.names, NULL, n, NULL, &score));
    ck_assert_int_eq(score.labels, n);
    return branches - before;
}

static uint64_t kappa(int64_t n) {
    alcore_kappa_result result = ALCORE_KAPPA_RESULT_INIT;
    make_names(n);
    const uint64_t before = branches;
    ck_assert_ok(alcore_metric_compute_kappa(ctx, all.rows, n, all.rows, n, NULL, &result));
    return branches - before;
}

static uint64_t spans(int64_t n) {
    static char tags[2 * ROWS][24];
    static const char *lines[2 * ROWS];
    alcore_spans_result score = ALCORE_SPANS_RESULT_INIT;
    make_names(n);
    for (int64_t i = 0; i < n; i++) {
        snprintf(tags[i], sizeof tags[i], "B-%s", all.names[i]);
        lines[i] = tags[i];
    }
    const uint64_t before = branches;
    ck_assert_ok(alcore_metric_compute_spans(ctx, lines, NULL, n, lines, NULL, n, NULL, &score));
    return branches - before;
}

START_TEST(metrics) {
    check_growth("labels", labels);
    check_growth("kappa", kappa);
    check_growth("spans", spans);
}
END_TEST

/* ---- strategies ---- */

static const char *strategy, *budget_part, *parameter;

static bool needs(const char *column) {
    const char *need;
    for (int i = 0; (need = alcore_strategy_builtin_needs(strategy, ALCORE_ROLE_CANDIDATES, i));
         i++)
        if (strstr(need, column)) return true;
    return false;
}

static bool reads(int32_t role) {
    return alcore_strategy_builtin_needs(strategy, role, 0) || strcmp(strategy, "gold") == 0;
}

/* A pool for a role with `n` rows and the columns that the strategy may read. */
static alcore_pool *full_pool(int64_t n) {
    alcore_pool *pool = pool_of(n);
    give(pool, "embeddings", n, DIMS, false);
    if (needs("probs")) give(pool, "probs", n, 2, false);
    if (needs("scores")) give(pool, "scores", n, 1, false);
    if (strcmp(strategy, "rttl") == 0) give(pool, "logprobs", n, 1, true);
    if (needs("mlm_losses")) give(pool, "mlm_losses", n, 1, true);
    if (needs("sample_probs")) give_samples(pool, n);
    if (needs("roundtrip"))
        ck_assert_ok(alcore_pool_set_text_column(pool, "roundtrip", all.texts, NULL, n, NULL));
    return pool;
}

/* Selects, writes the picks and a report. */
static uint64_t select_rows(int64_t n) {
    alcore_request *request;
    alcore_strategy *made;
    alcore_selection *selection;
    alcore_model *model;
    char budget[24];
    make_names(n);
    alcore_pool *pool = full_pool(n), *few = full_pool(FEW), *target = full_pool(n);
    snprintf(budget, sizeof budget, "%lld", (long long)(budget_part ? n / 4 : FEW));
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_strategy_new(ctx, strategy, &made));
    if (parameter) ck_assert_ok(alcore_strategy_set(made, parameter, "1"));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    if (reads(ALCORE_ROLE_LABELED) && strcmp(strategy, "gold") != 0)
        ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, few));
    if (reads(ALCORE_ROLE_TARGET))
        ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, target));
    ck_assert_ok(alcore_request_set_strategy(request, made));
    ck_assert_ok(alcore_request_set(request, "budget", budget));
    ck_assert_ok(alcore_model_new_ngram(ctx, NULL, NULL, &model)); /* scores the texts of phrases */
    ck_assert_ok(alcore_request_set_model(request, model));
    alcore_model_unref(model);
    const uint64_t before = branches;
    ck_assert_msg(alcore_select(request, &selection) == ALCORE_OK, "%s: %s", strategy,
                  alcore_last_error());
    snprintf(path, sizeof path, "%s/s.tsv", folder);
    ck_assert_ok(alcore_selection_write(selection, path, NULL));
    snprintf(path, sizeof path, "%s/s.json", folder);
    ck_assert_ok(alcore_selection_report(selection, path, NULL));
    const uint64_t work = branches - before;
    alcore_selection_unref(selection);
    alcore_strategy_unref(made);
    alcore_request_unref(request);
    alcore_pool_unref(target);
    alcore_pool_unref(few);
    alcore_pool_unref(pool);
    return work;
}

/* Every strategy with as many languages and groups as rows. */
START_TEST(strategies) {
    int count = 0;
    for (int64_t i = 0; (strategy = alcore_strategy_builtin_name(i)); i++, count++)
        check_growth(strategy, select_rows);
    ck_assert_int_ge(count, 29);
}
END_TEST

/* Strategies that draw by language with a budget that grows too, so that each language is asked. */
START_TEST(strategies_of_languages) {
    static const char *const by_language[] = {"egalitarian", "same-ratio", "plan", "gold",
                                              "random"};
    budget_part = "a quarter";
    for (size_t i = 0; i < sizeof by_language / sizeof *by_language; i++) {
        strategy = by_language[i];
        check_growth(strategy, select_rows);
    }
    strategy = "knn-uncertainty";
    parameter = "balance_targets";
    check_growth("knn-uncertainty with balanced targets", select_rows);
}
END_TEST

CHECK_SUITE_WITH("growth", setup, teardown, pools, metrics, strategies, strategies_of_languages);
