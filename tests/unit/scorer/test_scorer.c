/* SPDX-License-Identifier: Apache-2.0 */
/* Scorers: TV-NNLL, TV-UNC, TV-TOK, TV-QA, the caller's own score, and what goes wrong. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "alcore/extra.h"
#include "base/rng.h"
#include "check_status.h"
#include "check_suite.h"
#include "column_rows.h"
#include "vectors.h"

static alcore_ctx *ctx;
static alcore_pool *pool;

static void setup(void) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_new(ctx, NULL, &pool), ALCORE_OK);
}

static void teardown(void) {
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

static void add_rows(int count) {
    for (int i = 0; i < count; i++) {
        char text[24];
        const char *texts[] = {text};
        snprintf(text, sizeof text, "row %d", i);
        ck_assert_int_eq(alcore_pool_add_texts(pool, texts, NULL, 1, NULL), ALCORE_OK);
    }
}

static void set_ragged(const char *name, const double *values, int64_t tokens, int64_t classes,
                       const int64_t *offsets, int64_t rows) {
    alcore_tensor tensor, starts;
    int64_t shape[2] = {tokens, classes}, length = rows + 1;
    ck_assert_int_eq(alcore_tensor_init(&tensor, (void *)(uintptr_t)values, ALCORE_FLOAT64, shape,
                                        classes == 0 ? 1 : 2),
                     ALCORE_OK);
    ck_assert_int_eq(
        alcore_tensor_init(&starts, (void *)(uintptr_t)offsets, ALCORE_INT64, &length, 1),
        ALCORE_OK);
    ck_assert_int_eq(alcore_pool_set_column(pool, name, &tensor, &starts, NULL), ALCORE_OK);
}

static void set_rows(const char *name, const double *values, int64_t rows, int64_t classes) {
    alcore_tensor tensor;
    int64_t shape[2] = {rows, classes};
    ck_assert_int_eq(
        alcore_tensor_init(&tensor, (void *)(uintptr_t)values, ALCORE_FLOAT64, shape, 2),
        ALCORE_OK);
    ck_assert_int_eq(alcore_pool_set_column(pool, name, &tensor, NULL, NULL), ALCORE_OK);
}

static alcore_status score(const char *name, const char *parameter, const char *value) {
    alcore_scorer *scorer;
    ck_assert_int_eq(alcore_scorer_new(ctx, name, &scorer), ALCORE_OK);
    if (parameter) ck_assert_int_eq(alcore_scorer_set(scorer, parameter, value), ALCORE_OK);
    alcore_status status = alcore_scorer_run(scorer, pool, NULL);
    alcore_scorer_unref(scorer);
    return status;
}

static double score_of(int64_t row) {
    double value;
    ck_assert_int_eq(test_column_rows(pool, "scores", &row, 1, &value), ALCORE_OK);
    return value;
}

static void check_scores(const char *name, const char *parameter, const char *value,
                         const json_t *expected) {
    double scores[8];
    int64_t rows = vector_length(expected);
    ck_assert_int_le(rows, 8);
    ck_assert_msg(score(name, parameter, value) == ALCORE_OK, "%s: %s", name, alcore_last_error());
    for (int64_t i = 0; i < rows; i++) scores[i] = score_of(i);
    vector_near(scores, expected, 1e-6);
}

/* The vector's list of values per row becomes a column of its rows. */
static vector_case give_ragged(const char *name, const char *case_name, const char *input,
                               const char *column, int64_t classes) {
    vector_case one = vector_case_named(vector_find("scores", name), case_name);
    const json_t *given = vector_input(&one, input);
    int64_t count;
    const double *values = vector_doubles(given, &count);
    const int64_t *offsets = vector_offsets(given, NULL);
    int64_t rows = vector_length(given);
    if (alcore_pool_row_count(pool) == 0) add_rows((int)rows);
    set_ragged(column, values, offsets[rows], classes, offsets, rows);
    return one;
}

static vector_case give_logprobs(void) {
    return give_ragged("TV-NNLL", "rows", "logprobs", "logprobs", 0);
}

START_TEST(nnll_and_nsp) {
    vector_case known = give_logprobs();
    check_scores("nnll", NULL, NULL, vector_expected(&known, "nnll"));
    ck_assert(!signbit(score_of(2)));
    check_scores("nsp", NULL, NULL, vector_expected(&known, "nsp"));
}
END_TEST

START_TEST(class_scores) {
    test_vector unc = vector_find("scores", "TV-UNC");
    vector_case margin = vector_case_named(unc, "margin"), lc = vector_case_named(unc, "lc"),
                entropy = vector_case_named(unc, "entropy"),
                logs = vector_case_named(unc, "log margin");
    const json_t *given = vector_input(&margin, "probs");
    int64_t rows = vector_length(given);
    add_rows((int)rows);
    set_rows("probs", vector_doubles(given, NULL), rows, 3);
    check_scores("margin", NULL, NULL, vector_expected(&margin, "u"));
    check_scores("uncertainty", NULL, NULL, vector_expected(&margin, "u"));
    check_scores("lc", NULL, NULL, vector_expected(&lc, "u"));
    check_scores("entropy", NULL, NULL, vector_expected(&entropy, "u"));
    check_scores("margin", "margin", "log", vector_expected(&logs, "u"));
}
END_TEST

START_TEST(token_scores) {
    test_vector tokens = vector_find("scores", "TV-TOK");
    vector_case smallest = give_ragged("TV-TOK", "margin-min", "token_probs", "token_probs", 3);
    vector_case mnlp = vector_case_named(tokens, "mnlp"),
                mean = vector_case_named(tokens, "margin-mean"),
                lc = vector_case_named(tokens, "lc"),
                entropy = vector_case_named(tokens, "entropy");
    check_scores("uncertainty", NULL, NULL, vector_expected(&smallest, "u"));
    check_scores("uncertainty", "mode", "mnlp", vector_expected(&mnlp, "u"));
    check_scores("uncertainty", "mode", "margin-mean", vector_expected(&mean, "u"));
    check_scores("uncertainty", "mode", "lc", vector_expected(&lc, "u"));
    check_scores("uncertainty", "mode", "entropy", vector_expected(&entropy, "u"));
}
END_TEST

/* Two words a row: the smaller of their logarithmic margins is that of the likelier pair. */
START_TEST(token_margins_of_logarithms) {
    const double values[] = {0.9, 0.1, 0.6, 0.4, 0.5, 0.5, 0.8, 0.2};
    const int64_t offsets[] = {0, 2, 4};
    add_rows(2);
    set_ragged("token_probs", values, 4, 2, offsets, 2);
    ck_assert_int_eq(score("uncertainty", "margin", "log"), ALCORE_OK);
    ck_assert(fabs(score_of(0) - (1.0 - log(0.6 / 0.4))) < 1e-6);
    ck_assert(fabs(score_of(1) - 1.0) < 1e-6);
    ck_assert_int_eq(score("uncertainty", "margin", "prob"), ALCORE_OK);
    ck_assert(fabs(score_of(0) - 0.8) < 1e-6);
}
END_TEST

/* The same words: the public code leaves the one without a margin out, the paper does not. */
START_TEST(token_margins_of_the_public_code) {
    const double values[] = {0.9, 0.1, 0.6, 0.4, 0.5, 0.5, 0.8, 0.2, 0.5, 0.5};
    const int64_t offsets[] = {0, 2, 4, 5};
    add_rows(3);
    set_ragged("token_probs", values, 5, 2, offsets, 3);
    ck_assert_int_eq(score("uncertainty", "mode", "paper"), ALCORE_OK);
    ck_assert(fabs(score_of(0) - 0.8) < 1e-6);
    ck_assert(fabs(score_of(1) - 1.0) < 1e-6);
    ck_assert_int_eq(score("uncertainty", "mode", "code"), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 2: no token whose margin is not 0"));
    ck_assert_int_eq(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, (const int64_t[]){2}, 1),
                     ALCORE_OK);
    ck_assert_int_eq(score("uncertainty", "mode", "code"), ALCORE_OK);
    ck_assert(fabs(score_of(0) - (1.0 - log(0.6 / 0.4))) < 1e-6);
    ck_assert(fabs(score_of(1) - (1.0 - log(0.8 / 0.2))) < 1e-6);
}
END_TEST

START_TEST(answers) {
    give_ragged("TV-QA", "sum-prob", "start", "qa_start", 0);
    vector_case known = give_ragged("TV-QA", "sum-prob", "end", "qa_end", 0);
    check_scores("sum-prob", NULL, NULL, vector_expected(&known, "u"));
}
END_TEST

/* Numbers of positions of the windows of each row, as the column "qa_windows". */
static void set_windows(const int64_t *counts, int64_t windows, const int64_t *offsets,
                        int64_t rows) {
    alcore_tensor tensor, starts;
    int64_t length = rows + 1;
    ck_assert_int_eq(
        alcore_tensor_init(&tensor, (void *)(uintptr_t)counts, ALCORE_INT64, &windows, 1),
        ALCORE_OK);
    ck_assert_int_eq(
        alcore_tensor_init(&starts, (void *)(uintptr_t)offsets, ALCORE_INT64, &length, 1),
        ALCORE_OK);
    ck_assert_int_eq(alcore_pool_set_column(pool, "qa_windows", &tensor, &starts, NULL), ALCORE_OK);
}

START_TEST(answers_in_windows) {
    int64_t count;
    give_ragged("TV-QA", "windows", "start", "qa_start", 0);
    vector_case known = give_ragged("TV-QA", "windows", "end", "qa_end", 0);
    ck_assert_int_eq(score("sum-prob", "windows", "1"), ALCORE_E_MISSING);
    const json_t *windows = vector_input(&known, "windows");
    const int64_t *counts = vector_integers(windows, &count);
    set_windows(counts, count, vector_offsets(windows, NULL), 3);
    check_scores("sum-prob", "windows", "1", vector_expected(&known, "u"));
    /* Numbers of positions may be floats, which lists of numbers are in Lua. */
    const double floats[] = {1, 2, 3, 2, 1}, halves[] = {1, 2, 3, 1.5, 1.5};
    set_ragged("qa_windows", floats, 5, 0, vector_offsets(windows, NULL), 3);
    check_scores("sum-prob", "windows", "1", vector_expected(&known, "u"));
    set_ragged("qa_windows", halves, 5, 0, vector_offsets(windows, NULL), 3);
    ck_assert_int_eq(score("sum-prob", "windows", "1"), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 2: window 0"));
    /* One window a row is the whole context. */
    known = vector_case_named(vector_find("scores", "TV-QA"), "sum-prob");
    set_windows((const int64_t[]){3, 3, 3}, 3, (const int64_t[]){0, 1, 2, 3}, 3);
    check_scores("sum-prob", "windows", "1", vector_expected(&known, "u"));
}
END_TEST

START_TEST(windows_that_are_refused) {
    static const struct {
        int64_t counts[4], windows, offsets[4];
        const char *says;
    } CASES[] = {
        {{3, 1, 1, 3}, 4, {0, 1, 3, 4}, "row 1: the windows of column \"qa_windows\" have fewer"},
        {{3, 2, 2, 3}, 4, {0, 1, 3, 4}, "row 1: the windows of column \"qa_windows\" have more"},
        {{3, 2, INT64_MAX, 3}, 4, {0, 1, 3, 4}, "row 1: the windows of column"},
        {{3, 3, 0, 3}, 4, {0, 1, 3, 4}, "row 1: window 1 of column \"qa_windows\" is not a number"},
        {{3, 3, 3, 0}, 3, {0, 2, 3, 3}, "row 0: the windows of column"},
        {{3, 3, 0, 0}, 2, {0, 1, 2, 2}, "row 2: the windows of column"},
    };
    give_ragged("TV-QA", "sum-prob", "start", "qa_start", 0);
    give_ragged("TV-QA", "sum-prob", "end", "qa_end", 0);
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        set_windows(CASES[c].counts, CASES[c].windows, CASES[c].offsets, 3);
        ck_assert_int_eq(score("sum-prob", "windows", "1"), ALCORE_E_DATA);
        ck_assert_msg(strstr(alcore_last_error(), CASES[c].says), "%s", alcore_last_error());
    }
}
END_TEST

START_TEST(answers_without_positions_are_refused) {
    const double p[] = {.5, .5};
    const int64_t offsets[] = {0, 2, 2};
    add_rows(2);
    set_ragged("qa_start", p, 2, 0, offsets, 2);
    set_ragged("qa_end", p, 2, 0, offsets, 2);
    ck_assert_int_eq(score("sum-prob", NULL, NULL), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 1"));
}
END_TEST

START_TEST(masked_rows_have_no_score) {
    int64_t row = 1;
    give_logprobs();
    ck_assert_int_eq(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, &row, 1), ALCORE_OK);
    ck_assert_int_eq(score("nnll", NULL, NULL), ALCORE_OK);
    ck_assert(isnan(score_of(1)));
    ck_assert_double_eq_tol(score_of(3), 2.079442, 1e-6);
}
END_TEST

START_TEST(names_and_columns_at_fault) {
    alcore_scorer *scorer = (alcore_scorer *)1;
    ck_assert_int_eq(alcore_scorer_new(ctx, "entrpy", &scorer), ALCORE_E_PARAM);
    ck_assert_ptr_null(scorer);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "entropy"));
    add_rows(2);
    ck_assert_int_eq(score("nnll", NULL, NULL), ALCORE_E_MISSING);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "logprobs"));
    ck_assert_int_eq(alcore_scorer_new(ctx, "margin", &scorer), ALCORE_OK);
    ck_assert_int_eq(alcore_scorer_set(scorer, "margn", "log"), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "margin"));
    ck_assert_int_eq(alcore_scorer_set(scorer, "margin", "logarithm"), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "prob"));
    alcore_scorer_unref(scorer);
}
END_TEST

START_TEST(nan_is_named) {
    double lp[] = {-1, NAN, -2};
    const int64_t offsets[] = {0, 1, 2, 3};
    add_rows(3);
    set_ragged("logprobs", lp, 3, 0, offsets, 3);
    ck_assert_int_eq(score("nnll", NULL, NULL), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 1"));
    lp[1] = 0.5;
    set_ragged("logprobs", lp, 3, 0, offsets, 3);
    ck_assert_int_eq(score("nnll", NULL, NULL), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "negative log-likelihoods"));
}
END_TEST

START_TEST(the_registry) {
    int32_t count = 0;
    for (const char *name; (name = alcore_scorer_builtin_name(count)) != NULL; count++) {
        ck_assert_ptr_nonnull(alcore_scorer_builtin_summary(name));
        ck_assert_ptr_nonnull(alcore_scorer_builtin_needs(name, 0));
        for (int32_t i = 0;; i++) {
            alcore_param_info info = ALCORE_PARAM_INFO_INIT;
            alcore_status status = alcore_scorer_builtin_param(name, i, &info);
            if (status == ALCORE_E_NOT_FOUND) break;
            ck_assert_int_eq(status, ALCORE_OK);
            ck_assert_ptr_nonnull(info.help);
        }
    }
    ck_assert_int_ge(count, 7);
    ck_assert_ptr_null(alcore_scorer_builtin_summary("none"));
    ck_assert_str_eq(alcore_scorer_builtin_needs("uncertainty", 0), "margins|probs|token_probs");
}
END_TEST

/* ---- the caller's own ---- */

typedef struct own {
    double bad;
    int destroyed;
    alcore_status fail;
} own;

static alcore_status word_length(void *user, const alcore_view *view, double *scores) {
    const own *mine = user;
    alcore_tensor logprobs, offsets;
    if (mine->fail != ALCORE_OK) return mine->fail;
    ck_assert_int_eq(alcore_view_get_column(view, ALCORE_ROLE_CANDIDATES, "logprobs", 0,
                                            alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES),
                                            &logprobs, &offsets),
                     ALCORE_OK);
    const int64_t *at = offsets.data;
    for (int64_t i = 0; i < alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES); i++)
        scores[i] = (double)(at[i + 1] - at[i]) + mine->bad;
    return ALCORE_OK;
}

static void free_own(void *user) {
    ((own *)user)->destroyed++;
}

START_TEST(own_score) {
    static const char *const needs[] = {"logprobs", NULL};
    own mine = {0};
    int64_t row = 1;
    alcore_scorer_host host = ALCORE_SCORER_HOST_INIT;
    alcore_scorer *scorer;
    host.user = &mine;
    host.destroy = free_own;
    host.name = "length";
    host.needs = needs;
    host.score = word_length;
    give_logprobs();
    ck_assert_int_eq(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, &row, 1), ALCORE_OK);
    ck_assert_int_eq(alcore_scorer_new_host(ctx, &host, &scorer), ALCORE_OK);
    ck_assert_int_eq(alcore_scorer_set(scorer, "x", "1"), ALCORE_E_PARAM);
    ck_assert_int_eq(alcore_scorer_run(scorer, pool, NULL), ALCORE_OK);
    ck_assert_double_eq(score_of(0), 2);
    ck_assert(isnan(score_of(1)));
    ck_assert_double_eq(score_of(3), 4);
    mine.bad = (double)NAN;
    ck_assert_int_eq(alcore_scorer_run(scorer, pool, NULL), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 0"));
    mine.bad = -INFINITY;
    ck_assert_fails(alcore_scorer_run(scorer, pool, NULL), ALCORE_E_DATA, "row 0");
    mine.fail = 1;
    ck_assert_int_eq(alcore_scorer_run(scorer, pool, NULL), ALCORE_E_CALLBACK);
    ck_assert_double_eq(score_of(3), 4); /* the old column stays */
    alcore_scorer_unref(scorer);
    ck_assert_int_eq(mine.destroyed, 1);
}
END_TEST

/* A view of a scorer: of one pool, without a budget, in round 1, with the context's seed. */
static alcore_status look_around(void *user, const alcore_view *view, double *scores) {
    const int64_t count = alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES), row = 0;
    *(int *)user += 1;
    ck_assert(count == 2 && alcore_view_rows(view, ALCORE_ROLE_CANDIDATES)[1] == 2);
    ck_assert(alcore_view_row_count(view, ALCORE_ROLE_LABELED_ROWS) == 1);
    ck_assert(alcore_view_rows(view, ALCORE_ROLE_LABELED_ROWS)[0] == 1);
    for (int32_t role = ALCORE_ROLE_LABELED; role <= ALCORE_ROLE_TARGET; role++) {
        ck_assert_int_eq(alcore_view_row_count(view, role), 0);
        ck_assert(!alcore_view_rows(view, role) && !alcore_view_pool(view, role));
    }
    ck_assert_ptr_eq(alcore_view_pool(view, ALCORE_ROLE_CANDIDATES), pool);
    ck_assert_ptr_eq(alcore_view_pool(view, ALCORE_ROLE_LABELED_ROWS), pool);
    ck_assert_fails(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, &row, 1), ALCORE_E_BUSY, "in use");
    ck_assert(isinf(alcore_view_budget(view)) && alcore_view_round(view) == 1);
    ck_assert(alcore_view_costs(view)[0] == 1 && alcore_view_costs(view)[1] == 1);
    ck_assert_uint_eq(alcore_view_random(view, 3), alcore__rng_derive(7, 64, 1, 3));
    for (int64_t i = 0; i < count; i++) scores[i] = 1;
    return ALCORE_OK;
}

START_TEST(a_scorer_sees_one_pool) {
    int64_t labeled = 1;
    int seen = 0;
    own none = {0};
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_scorer_host host = ALCORE_SCORER_HOST_INIT;
    alcore_scorer *scorer;
    teardown();
    options.seed = 7;
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    add_rows(3);
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, &labeled, 1));
    host.user = &none;
    host.destroy = free_own;
    ck_assert_fails(alcore_scorer_new_host(ctx, &host, &scorer), ALCORE_E_INVALID, "score");
    ck_assert_int_eq(none.destroyed, 0);
    host.user = &seen;
    host.destroy = NULL;
    host.score = look_around;
    ck_assert_ok(alcore_scorer_new_host(ctx, &host, &scorer));
    ck_assert_ptr_null(alcore_scorer_needs(scorer, 0));
    ck_assert_ok(alcore_scorer_run(scorer, pool, NULL));
    ck_assert_int_eq(seen, 1);
    ck_assert(isnan(score_of(1)) && score_of(2) == 1);
    alcore_scorer_unref(scorer);
    static const char *const needs[] = {"absent", NULL};
    host.needs = needs;
    ck_assert_ok(alcore_scorer_new_host(ctx, &host, &scorer));
    ck_assert_fails(alcore_scorer_run(scorer, pool, NULL), ALCORE_E_MISSING,
                    "scorer host needs the column 'absent'"); /* "host" without a name */
    ck_assert_int_eq(seen, 1);
    alcore_scorer_unref(scorer);
}
END_TEST

/* Needs follow the parameters; a wrong value leaves the parameter as it was. */
START_TEST(parameters_of_a_scorer) {
    alcore_scorer *scorer;
    const char *text;
    ck_assert_ok(alcore_scorer_new(ctx, "uncertainty", &scorer));
    ck_assert_str_eq(alcore_scorer_needs(scorer, 0), "margins|probs|token_probs");
    ck_assert_ptr_null(alcore_scorer_needs(scorer, 1));
    ck_assert_ptr_null(alcore_scorer_needs(NULL, 0));
    ck_assert_ok(alcore_scorer_set(scorer, "mode", "mnlp"));
    ck_assert_str_ne(alcore_scorer_needs(scorer, 0), "margins|probs|token_probs");
    ck_assert_fails(alcore_scorer_set_int(scorer, "windows", 2), ALCORE_E_PARAM, "0 or 1");
    ck_assert_fails(alcore_scorer_set_number(scorer, "windows", (double)NAN), ALCORE_E_PARAM,
                    "0 or 1");
    ck_assert_ok(alcore_scorer_set_int(scorer, "windows", 1));
    ck_assert_ok(alcore_scorer_get(scorer, "windows", &text));
    ck_assert_str_eq(text, "1");
    ck_assert_ok(alcore_scorer_get(scorer, "margin", &text));
    ck_assert_str_eq(text, "prob"); /* the default */
    ck_assert_ptr_null(alcore_scorer_builtin_name(-1));
    ck_assert_ptr_null(alcore_scorer_builtin_needs("entropy", 1));
    ck_assert_ptr_null(alcore_scorer_builtin_needs("none", 0));
    alcore_scorer_unref(scorer);
}
END_TEST

START_TEST(columns_come_from_the_model) {
    alcore_model *model;
    alcore_scorer *scorer;
    add_rows(5);
    ck_assert_int_eq(alcore_model_new_ngram(ctx, NULL, NULL, &model), ALCORE_OK);
    ck_assert_int_eq(alcore_scorer_new(ctx, "nnll", &scorer), ALCORE_OK);
    ck_assert_int_eq(alcore_scorer_run(scorer, pool, model), ALCORE_OK);
    ck_assert_double_gt(score_of(2), 0);
    alcore_scorer_unref(scorer);
    alcore_model_unref(model);
}
END_TEST

/* Two calls of one scorer, each of which ends only after both have begun. */
static pthread_barrier_t both_have_begun;

static alcore_status score_together(void *user, const alcore_view *view, double *scores) {
    (void)user;
    pthread_barrier_wait(&both_have_begun);
    for (int64_t i = 0; i < alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES); i++)
        scores[i] = (double)alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES);
    return ALCORE_OK;
}

typedef struct scoring {
    alcore_scorer *scorer;
    alcore_pool *pool;
    alcore_status status;
} scoring;

static void *score_pool(void *data) {
    scoring *one = data;
    one->status = alcore_scorer_run(one->scorer, one->pool, NULL);
    return NULL;
}

START_TEST(one_scorer_scores_two_pools_at_once) {
    const char *texts[] = {"another pool"};
    pthread_t thread;
    alcore_scorer_host host = ALCORE_SCORER_HOST_INIT;
    alcore_scorer *scorer;
    alcore_pool *other;
    host.score = score_together;
    add_rows(3);
    ck_assert_ok(alcore_pool_new(ctx, NULL, &other));
    ck_assert_ok(alcore_pool_add_texts(other, texts, NULL, 1, NULL));
    ck_assert_ok(alcore_scorer_new_host(ctx, &host, &scorer));
    ck_assert_int_eq(pthread_barrier_init(&both_have_begun, NULL, 2), 0);
    scoring here = {scorer, pool, 0}, there = {scorer, other, 0};
    ck_assert_int_eq(pthread_create(&thread, NULL, score_pool, &there), 0);
    score_pool(&here);
    pthread_join(thread, NULL);
    ck_assert_ok(here.status);
    ck_assert_ok(there.status);
    ck_assert_double_eq(score_of(2), 3);
    pthread_barrier_destroy(&both_have_begun);
    alcore_scorer_unref(scorer);
    alcore_pool_unref(other);
}
END_TEST

CHECK_SUITE_WITH("scorer", setup, teardown, nnll_and_nsp, class_scores, token_scores,
                 token_margins_of_logarithms, token_margins_of_the_public_code, answers,
                 answers_in_windows, windows_that_are_refused,
                 answers_without_positions_are_refused, masked_rows_have_no_score,
                 names_and_columns_at_fault, nan_is_named, the_registry, own_score,
                 a_scorer_sees_one_pool, parameters_of_a_scorer, columns_come_from_the_model,
                 one_scorer_scores_two_pools_at_once);
