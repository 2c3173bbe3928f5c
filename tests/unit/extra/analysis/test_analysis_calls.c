/* SPDX-License-Identifier: Apache-2.0 */
/* What alcore/extra/analysis.h promises of options, of what is left out, of rows that take no part,
 * and of arguments that do not belong together. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_status.h"
#include "matrix_data.h"
#include "options_with.h"

enum { ROWS = 6 };

static alcore_ctx *ctx;
static char logged[256];

static void note_line(void *user, int32_t level, const char *component, const char *message,
                      const char *fields) {
    (void)user, (void)component, (void)fields;
    if (level == ALCORE_LOG_WARN) snprintf(logged, sizeof logged, "%s", message);
}

static void setup(void) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.log = note_line;
    logged[0] = '\0';
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

static alcore_pool *new_pool(const char *const *languages) {
    static const char *const texts[ROWS] = {"a", "b", "c", "d", "e", "f"};
    alcore_records records = ALCORE_RECORDS_INIT;
    alcore_pool *pool;
    records.texts = texts;
    records.languages = languages;
    records.count = ROWS;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    return pool;
}

/* ---- costs ---- */

static alcore_status cost(double words, const alcore_cost_options *options, double *usd) {
    alcore_cost_result result = ALCORE_COST_RESULT_INIT;
    const alcore_status status = alcore_analysis_compute_cost(words, options, &result);
    *usd = result.usd;
    return status;
}

/* Both lines and the power run through the two prices of the paper. */
START_TEST(prices) {
    static const double words[] = {2500, 40000}, usd[] = {491, 7092};
    double found;
    for (int i = 0; i < 2; i++)
        for (int32_t model = ALCORE_COST_LINEAR; model <= ALCORE_COST_POWER; model++) {
            ck_assert_ok(cost(
                words[i], OPTIONS_WITH(alcore_cost_options, .model = model, .rate = ALCORE_UNSET),
                &found));
            ck_assert_double_eq_tol(found, usd[i], 1e-9);
        }
    ck_assert_ok(cost(
        0, OPTIONS_WITH(alcore_cost_options, .model = ALCORE_COST_LINEAR, .rate = ALCORE_UNSET),
        &found));
    ck_assert_double_eq_tol(found, 50.933333, 1e-6);
    ck_assert_ok(
        cost(1, OPTIONS_WITH(alcore_cost_options, .model = ALCORE_COST_POWER, .rate = ALCORE_UNSET),
             &found));
    ck_assert_double_eq_tol(found, 0.262136504, 1e-9);
    ck_assert_ok(cost(2.5, OPTIONS_WITH(alcore_cost_options, .rate = 2), &found));
    ck_assert_double_eq(found, 5); /* a mean of words need not be whole */
    static const struct {
        alcore_cost_options options;
        alcore_status status;
    } wrong[] = {
        {{.size = sizeof wrong[0].options, .rate = INFINITY}, ALCORE_E_INVALID},
        {{.size = sizeof wrong[0].options, .bleu_gain = NAN}, ALCORE_E_INVALID},
        {{.size = sizeof wrong[0].options, .bleu_gain = -INFINITY}, ALCORE_E_INVALID},
        {{.size = sizeof wrong[0].options, .in_domain_types = -1}, ALCORE_E_INVALID},
        {{.size = sizeof wrong[0].options, .model = 5804}, ALCORE_E_INVALID},
        {{.size = sizeof wrong[0].options, .reserved = 1}, ALCORE_E_STRUCT_NEWER},
        {{.size = 0}, ALCORE_E_STRUCT_UNSET},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_int_eq(cost(1, &wrong[i].options, &found), wrong[i].status);
    ck_assert_int_eq(cost(INFINITY, NULL, &found), ALCORE_E_INVALID);
}
END_TEST

/* ---- compositions ---- */

static const int64_t picked[] = {1, 4, 1};

static alcore_status compose(alcore_pool *pool, const int64_t *rows, int64_t count,
                             const alcore_composition_options *options,
                             alcore_composition_result *out) {
    *out = (alcore_composition_result)ALCORE_COMPOSITION_RESULT_INIT;
    return alcore_analysis_compute_composition(ctx, pool, rows, count, options, out);
}

/* What is not given is NaN or -1, each by itself; of no rows there is no mean. */
START_TEST(measures_that_are_left_out) {
    static const char *const languages[ROWS] = {"de", "fr", "de", NULL, "fr", "de"};
    static const double u[ROWS] = {0, 3, NAN, NAN, 5, 0}, none[1] = {0};
    alcore_pool *pool = new_pool(languages);
    alcore_composition_result found;
    ck_assert_ok(compose(pool, picked, 3, NULL, &found));
    ck_assert_int_eq(found.rows, 2);
    ck_assert_int_eq(found.target_language_rows, -1);
    ck_assert_int_eq(found.targets, -1);
    ck_assert_int_eq(found.targets_reached, -1);
    ck_assert_double_nan(found.mean_uncertainty);
    ck_assert_double_nan(found.median_uncertainty);
    ck_assert_double_nan(found.mean_distance);
    ck_assert_double_nan(found.jaccard);
    const alcore_composition_options *by_u =
        OPTIONS_WITH(alcore_composition_options, .uncertainty = u, .uncertainty_count = ROWS);
    ck_assert_ok(compose(pool, picked, 3, by_u, &found));
    ck_assert_double_eq(found.mean_uncertainty, 4);
    ck_assert_double_eq(found.median_uncertainty, 4);
    ck_assert_int_eq(found.targets, -1);
    ck_assert_ok(compose(pool, picked, 1, by_u, &found));
    ck_assert_double_eq(found.median_uncertainty, 3);
    ck_assert_ok(compose(pool, NULL, 0, by_u, &found));
    ck_assert_double_nan(found.mean_uncertainty);
    ck_assert_double_nan(found.median_uncertainty);
    /* The row without a language is of "unknown", which this pool has too. */
    static const int64_t third[] = {3};
    ck_assert_ok(compose(pool, third, 1,
                         OPTIONS_WITH(alcore_composition_options, .target_pool = pool), &found));
    ck_assert_int_eq(found.target_language_rows, 1);
    /* Of two empty selections either has what the other has. */
    ck_assert_ok(compose(
        pool, NULL, 0,
        OPTIONS_WITH(alcore_composition_options, .other_rows = (const int64_t *)(const void *)none),
        &found));
    ck_assert_double_eq(found.jaccard, 1);
    ck_assert_ok(compose(
        pool, picked, 3,
        OPTIONS_WITH(alcore_composition_options, .other_rows = (const int64_t *)(const void *)none),
        &found));
    ck_assert_double_eq(found.jaccard, 0);
    alcore_pool_unref(pool);
}
END_TEST

/* Counts without their array, half of a target, and what lies outside the pool. */
START_TEST(compositions_that_are_refused) {
    static const double points[ROWS] = {0, 1, 2, 3, 4, 5}, u[ROWS] = {0, INFINITY};
    static const int64_t outside[] = {6}, below[] = {-1};
    alcore_pool *pool = new_pool(NULL);
    alcore_composition_result found;
    matrix all, few;
    matrix_of(&all, points, ROWS, 1);
    matrix_of(&few, points, 2, 1);
#define REFUSED(status, text, ...)                                                                 \
    ck_assert_fails(                                                                               \
        compose(pool, picked, 3, OPTIONS_WITH(alcore_composition_options, __VA_ARGS__), &found),   \
        status, text)
    REFUSED(ALCORE_E_INVALID, "other_count is 2, but other_rows is NULL", .other_count = 2);
    REFUSED(ALCORE_E_INVALID, "other_count is -1", .other_rows = picked, .other_count = -1);
    REFUSED(ALCORE_E_INVALID, "uncertainty_count is 6, but uncertainty is NULL",
            .uncertainty_count = ROWS);
    REFUSED(ALCORE_E_INVALID, "k is -1", .neighbors = -1);
    REFUSED(ALCORE_E_INVALID, "k is 1025", .neighbors = ALCORE_KNN_MAX + 1);
    REFUSED(ALCORE_E_INVALID, "given together", .source = &all.data);
    REFUSED(ALCORE_E_INVALID, "given together", .target = &all.data);
    REFUSED(ALCORE_E_SHAPE, "source has 2 rows, the pool 6", .source = &few.data,
            .target = &all.data);
    REFUSED(ALCORE_E_SHAPE, "5 uncertainties for 6 rows", .uncertainty = u, .uncertainty_count = 5);
    REFUSED(ALCORE_E_DATA, "the uncertainty of row 1 is inf", .uncertainty = u,
            .uncertainty_count = ROWS);
    REFUSED(ALCORE_E_NOT_FOUND, "row 6", .other_rows = outside, .other_count = 1);
    ck_assert_fails(compose(pool, outside, 1, NULL, &found), ALCORE_E_NOT_FOUND, "row 6");
    ck_assert_fails(compose(pool, below, 1, NULL, &found), ALCORE_E_NOT_FOUND, "row -1");
    ck_assert_int_eq(compose(pool, NULL, 1, NULL, &found), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_analysis_compute_composition(ctx, pool, picked, 3, NULL, NULL),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(compose(pool, picked, 3, &(const alcore_composition_options){0}, &found),
                     ALCORE_E_STRUCT_UNSET);
    alcore_pool_unref(pool);
}
END_TEST

/* Ten neighbors count where none are named: of twelve rows on a line the target at the end reaches
 * the tenth, not the eleventh. */
START_TEST(ten_neighbors) {
    double line[12], end[1] = {0};
    const char *texts[12];
    static const char letters[12][2] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    alcore_pool *pool;
    alcore_composition_result found;
    matrix source, target;
    for (int i = 0; i < 12; i++) line[i] = i, texts[i] = letters[i];
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 12, NULL));
    matrix_of(&source, line, 12, 1);
    matrix_of(&target, end, 1, 1);
    const alcore_composition_options *options =
        OPTIONS_WITH(alcore_composition_options, .source = &source.data, .target = &target.data);
    for (int64_t row = 9; row < 11; row++) {
        ck_assert_ok(compose(pool, &row, 1, options, &found));
        ck_assert_int_eq(found.targets, 1);
        ck_assert_int_eq(found.targets_reached, row == 9);
        ck_assert_double_eq(found.mean_distance, (double)row);
    }
    alcore_pool_unref(pool);
}
END_TEST

/* ---- neighborhoods, projections, ablations ---- */

/* A correlation that there is not is a warning of the log. */
START_TEST(a_correlation_that_is_missing_is_logged) {
    static const double rows[] = {0, 1, 2, 3}, u[] = {1, 2, 3, 4}, same[] = {1, 1, 1, 1};
    static const int64_t k[] = {1};
    double answer[2];
    matrix data, out;
    matrix_of(&data, rows, 4, 1);
    matrix_of(&out, answer, 1, 2);
    ck_assert_ok(alcore_analysis_compute_neighborhood(ctx, &data.data, u, 4, &data.data, u, 4, k, 1,
                                                      NULL, &out.tensor));
    ck_assert_double_eq_tol(answer[0], 1, 1e-12);
    ck_assert_str_eq(logged, "");
    ck_assert_ok(alcore_analysis_compute_neighborhood(ctx, &data.data, same, 4, &data.data, u, 4, k,
                                                      1, NULL, &out.tensor));
    ck_assert_double_nan(answer[0]);
    ck_assert_double_nan(answer[1]);
    ck_assert_ptr_nonnull(strstr(logged, "rho for k = 1 is NaN: the uncertainty of one side"));
    data.shape[0] = 2;
    ck_assert_ok(alcore_analysis_compute_neighborhood(ctx, &data.data, u, 2, &data.data, u, 2, k, 1,
                                                      NULL, &out.tensor));
    ck_assert_double_nan(answer[0]);
    ck_assert_ptr_nonnull(strstr(logged, "fewer than three target rows"));
}
END_TEST

START_TEST(projections_of_others) {
    static const double rows[] = {0, 0, 2, 1}, wide[] = {1, 2, 3};
    double points[4], others[4];
    alcore_projection_result found = ALCORE_PROJECTION_RESULT_INIT;
    matrix data, out, longer, other_out;
    matrix_of(&data, rows, 2, 2);
    matrix_of(&out, points, 2, 2);
    matrix_of(&other_out, others, 1, 2);
#define PROJECT(other, out_other, result)                                                          \
    alcore_analysis_compute_projection(ctx, &data.data, other, NULL, &out.tensor, out_other, NULL, \
                                       result)
    ck_assert_ok(PROJECT(NULL, NULL, &found));
    ck_assert_int_eq(found.rows, 2);
    ck_assert_double_eq_tol(found.eigenvalues[0], 1.25, 1e-12);
    ck_assert_double_eq_tol(found.shares[0], 1, 1e-12);
    ck_assert_fails(PROJECT(NULL, &other_out.tensor, NULL), ALCORE_E_INVALID, "others is NULL");
    ck_assert_fails(PROJECT(matrix_of(&longer, wide, 1, 3), &other_out.tensor, NULL),
                    ALCORE_E_SHAPE, "2 and 3 components");
    ck_assert_int_eq(PROJECT(&data.data, &other_out.tensor, NULL), ALCORE_E_SHAPE);
    ck_assert_int_eq(PROJECT(&data.data, NULL, NULL), ALCORE_E_INVALID);
    found.size = 0;
    ck_assert_int_eq(PROJECT(NULL, NULL, &found), ALCORE_E_STRUCT_UNSET);
#undef PROJECT
}
END_TEST

/* Makes the column "embeddings" of a host's model, and counts the texts. */
static int64_t computed;
static alcore_status compute(void *user, const alcore_batch *batch, const char *const *columns,
                             alcore_column_writer *const *outs, int64_t count) {
    (void)user, (void)columns, (void)count;
    double values[2 * ROWS];
    int64_t shape[2] = {batch->count, 2};
    alcore_tensor tensor;
    computed += batch->count;
    for (int64_t i = 0; i < batch->count; i++) {
        values[2 * i] = batch->texts[i][0];
        values[2 * i + 1] = 1;
    }
    alcore_status status = alcore_tensor_init(&tensor, values, ALCORE_FLOAT64, shape, 2);
    if (status == ALCORE_OK)
        status = alcore_column_writer_put(outs[0], batch->rows, NULL, batch->count, &tensor);
    return status;
}
static int32_t can(void *user, const char *column) {
    (void)user;
    return strcmp(column, "embeddings") == 0;
}

/* The first selection computes what a model with a name makes, the others choose; of several
 * budgets the first counts; so it is with the strategies of a comparison. max_age, and values that
 * are no numbers, are refused. _i: with a name. */
START_TEST(ablations_compute_once) {
    static const double values[] = {0, 0.5, 1}, broken[] = {NAN}, scores[ROWS] = {6, 5, 4, 3, 2, 1};
    alcore_ablation rows[3] = {ALCORE_ABLATION_INIT, ALCORE_ABLATION_INIT, ALCORE_ABLATION_INIT};
    alcore_pool *pool = new_pool(NULL);
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    alcore_model *model;
    alcore_request *request;
    alcore_strategy *strategy, *both[2] = {NULL, NULL};
    alcore_comparison *comparison;
    alcore_tensor tensor;
    int64_t shape = ROWS;
    host.can = can;
    host.compute = compute;
    host.name = _i ? "letters" : NULL;
    computed = 0;
    ck_assert_ok(alcore_tensor_init(&tensor, (void *)(uintptr_t)scores, ALCORE_FLOAT64, &shape, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "scores", &tensor, NULL, NULL));
    ck_assert_ok(alcore_model_new_host(ctx, &host, &model));
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_strategy_new(ctx, "huds", &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_ok(alcore_request_set_model(request, model));
    ck_assert_ok(alcore_request_set(request, "budget", "2,3"));
    ck_assert_ok(alcore_request_ablate(request, NULL, values, 3, NULL, rows, NULL));
    ck_assert_int_eq(computed, _i ? ROWS : 3 * ROWS);
    for (int i = 0; i < 3; i++) ck_assert_int_eq(rows[i].items, 2);
    ck_assert_int_eq(alcore_request_ablate(request, NULL, broken, 1, NULL, rows, NULL),
                     ALCORE_E_PARAM);
    ck_assert_ok(alcore_strategy_new(ctx, "kcenter", &both[0]));
    ck_assert_ok(alcore_strategy_new(ctx, "diversity-global", &both[1]));
    computed = 0;
    ck_assert_ok(alcore_request_compare(request, both, NULL, 2, NULL, &comparison));
    ck_assert_int_eq(computed, _i ? 0 /* the pool has them */ : 2 * ROWS);
    alcore_comparison_unref(comparison);
    for (int i = 0; i < 2; i++) alcore_strategy_unref(both[i]);
    ck_assert_ok(alcore_request_set(request, "max_age", "1"));
    ck_assert_fails(alcore_request_ablate(request, NULL, values, 3, NULL, rows, NULL),
                    ALCORE_E_PARAM, "max_age is set");
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
}
END_TEST

TEST_FILE() {
    const TTest *const tests[] = {prices,
                                  measures_that_are_left_out,
                                  compositions_that_are_refused,
                                  ten_neighbors,
                                  a_correlation_that_is_missing_is_logged,
                                  projections_of_others};
    TCase *cases = tcase_create("analysis_calls");
    tcase_add_checked_fixture(cases, setup, teardown);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) tcase_add_test(cases, tests[i]);
    tcase_add_loop_test(cases, ablations_compute_once, 0, 2);
    return check_suite_run("analysis_calls", cases);
}
