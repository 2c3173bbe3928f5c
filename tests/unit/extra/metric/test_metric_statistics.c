/* SPDX-License-Identifier: Apache-2.0 */
/* Mean, Pearson and Wilcoxon: the vectors of the specification, p against closed forms and against
 * all signs by brute force, odd numbers and wrong arguments. */
#include "check_suite.h"

#include <math.h>
#include <string.h>

#include "alcore/extra/metric.h"
#include "base/rng.h"
#include "extra/metric/wilcoxon.h"
#include "vectors.h"

static alcore_ctx *new_ctx(void) {
    alcore_ctx *ctx;
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    return ctx;
}

START_TEST(test_mean_vectors) {
    alcore_ctx *ctx = new_ctx();
    const test_vector vector = vector_find("analyses", "TV-SE");
    ck_assert_int_gt(vector_case_count(vector), 0);
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        const vector_case one = vector_case_number(vector, i);
        int64_t count;
        const double *values = vector_doubles(vector_input(&one, "values"), &count);
        alcore_mean_result result = ALCORE_MEAN_RESULT_INIT;
        ck_assert_int_eq(alcore_metric_compute_mean(ctx, values, count, NULL, &result), ALCORE_OK);
        vector_near(&result.mean, vector_expected(&one, "mean"), 1e-12);
        vector_near(&result.standard_deviation, vector_expected(&one, "sd"), 1e-12);
        vector_near(&result.standard_error, vector_expected(&one, "se"), 1e-12);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_wilcoxon_vectors) {
    alcore_ctx *ctx = new_ctx();
    const test_vector vector = vector_find("analyses", "TV-WILCOXON");
    ck_assert_int_gt(vector_case_count(vector), 0);
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        const vector_case one = vector_case_number(vector, i);
        int64_t count, used = 0, integers[64];
        const double *values = vector_doubles(vector_input(&one, "differences"), &count);
        alcore_wilcoxon_result result = ALCORE_WILCOXON_RESULT_INIT;
        if (vector_has_input(&one, "exact")) {
            for (int64_t k = 0; k < count; k++)
                if (values[k] != 0) integers[used++] = llround(1e9 * values[k]);
            ck_assert_int_eq(alcore__wilcoxon(ctx, integers, used, false, &result), ALCORE_OK);
        } else {
            ck_assert_int_eq(
                alcore_metric_compute_wilcoxon(ctx, values, count, NULL, 0, NULL, &result),
                ALCORE_OK);
        }
        ck_assert_int_eq(result.pairs, vector_integer(vector_expected(&one, "pairs")));
        ck_assert_double_eq(result.w_plus, vector_double(vector_expected(&one, "w_plus")));
        ck_assert_double_eq(result.w_minus, vector_double(vector_expected(&one, "w_minus")));
        ck_assert_double_eq_tol(result.p, vector_double(vector_expected(&one, "p")), 1e-12);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* p by trying all 2^n signs of random differences with many ties. */
START_TEST(test_wilcoxon_brute_force) {
    alcore_ctx *ctx = new_ctx();
    alcore__rng rng;
    alcore__rng_seed(&rng, 5);
    for (int round = 0; round < 40; round++) {
        const int n = 1 + (int)alcore__rng_below(&rng, 10);
        int64_t differences[10], ranks[10], plus = 0;
        for (int i = 0; i < n; i++)
            differences[i] =
                (1 + (int64_t)alcore__rng_below(&rng, 5)) * (alcore__rng_below(&rng, 2) ? 1 : -1);
        for (int i = 0; i < n; i++) { /* doubled: 1 + 2 smaller ones + equal ones */
            ranks[i] = 1;
            for (int k = 0; k < n; k++)
                ranks[i] += 2 * (llabs(differences[k]) < llabs(differences[i])) +
                            (llabs(differences[k]) == llabs(differences[i]));
            if (differences[i] > 0) plus += ranks[i];
        }
        int64_t below = 0, above = 0;
        for (unsigned signs = 0; signs < 1u << n; signs++) {
            int64_t sum = 0;
            for (int i = 0; i < n; i++) sum += signs >> i & 1 ? ranks[i] : 0;
            below += sum <= plus;
            above += sum >= plus;
        }
        alcore_wilcoxon_result result = ALCORE_WILCOXON_RESULT_INIT;
        ck_assert_int_eq(alcore__wilcoxon(ctx, differences, n, true, &result), ALCORE_OK);
        const double p = 2.0 * (double)(below < above ? below : above) / (double)(1u << n);
        ck_assert_double_eq_tol(result.p, p < 1 ? p : 1, 1e-15);
        ck_assert_double_eq(result.w_plus, (double)plus / 2);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* Exact p of up to 50 pairs and the approximation agree where they meet; 51 pairs use the latter.
 */
START_TEST(test_wilcoxon_many) {
    alcore_ctx *ctx = new_ctx();
    double x[60], y[60];
    int64_t integers[50];
    for (int i = 0; i < 60; i++) {
        x[i] = i % 3 == 0 ? -(double)(i + 1) : (double)(i + 1);
        y[i] = 0;
        if (i < 50) integers[i] = llround(1e9 * x[i]);
    }
    alcore_wilcoxon_result exact = ALCORE_WILCOXON_RESULT_INIT, normal = exact, many = exact;
    ck_assert_int_eq(alcore_metric_compute_wilcoxon(ctx, x, 50, y, 50, NULL, &exact), ALCORE_OK);
    ck_assert_int_eq(alcore__wilcoxon(ctx, integers, 50, false, &normal), ALCORE_OK);
    ck_assert_int_eq(exact.exact, 1);
    ck_assert_double_eq_tol(exact.p, normal.p, 2e-3);
    ck_assert_double_ne(exact.p, normal.p);
    ck_assert_int_eq(alcore_metric_compute_wilcoxon(ctx, x, 51, y, 51, NULL, &many), ALCORE_OK);
    ck_assert_int_eq(many.exact, 0);
    ck_assert_int_eq(many.pairs, 51);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Closed forms: with three pairs p = 1 - (2 / pi) asin |r|, with four p = 1 - |r|, with six
 * p = 1 - |r| (3 - r^2) / 2. */
START_TEST(test_pearson) {
    alcore_ctx *ctx = new_ctx();
    static const double x[] = {1, 2, 3, 5, 8, 13}, y[] = {2, 1, 4, 3, 9, 7};
    alcore_pearson_result result = ALCORE_PEARSON_RESULT_INIT;
    ck_assert_int_eq(alcore_metric_compute_pearson(ctx, x, 3, y, 3, NULL, &result), ALCORE_OK);
    ck_assert_double_eq_tol(result.rho, 2 / sqrt(2 * 14.0 / 3), 1e-12);
    ck_assert_double_eq_tol(result.p, 1 - 2 / M_PI * asin(result.rho), 1e-12);
    ck_assert_int_eq(alcore_metric_compute_pearson(ctx, x, 4, y, 4, NULL, &result), ALCORE_OK);
    ck_assert_double_eq_tol(result.p, 1 - result.rho, 1e-12);
    ck_assert_int_eq(alcore_metric_compute_pearson(ctx, x, 6, y, 6, NULL, &result), ALCORE_OK);
    const double r = result.rho;
    ck_assert_double_eq_tol(result.p, 1 - r * (3 - r * r) / 2, 1e-12);
    ck_assert_int_eq(alcore_metric_compute_pearson(ctx, x, 6, x, 6, NULL, &result), ALCORE_OK);
    ck_assert_double_eq_tol(result.rho, 1, 1e-15);
    ck_assert_double_eq_tol(result.p, 0, 1e-12);
    ck_assert_int_eq(alcore_metric_compute_pearson(ctx, x, 2, y, 2, NULL, &result), ALCORE_OK);
    ck_assert_double_eq_tol(result.rho, -1, 1e-15);
    ck_assert_double_eq(result.p, 1);
    static const double same[] = {4, 4, 4};
    ck_assert_int_eq(alcore_metric_compute_pearson(ctx, x, 3, same, 3, NULL, &result), ALCORE_OK);
    ck_assert_double_nan(result.rho);
    ck_assert_double_nan(result.p);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_wrong_arguments) {
    alcore_ctx *ctx = new_ctx();
    static const double x[] = {1, INFINITY, NAN};
    alcore_mean_result mean = ALCORE_MEAN_RESULT_INIT;
    alcore_pearson_result pearson = ALCORE_PEARSON_RESULT_INIT;
    alcore_wilcoxon_result wilcoxon = ALCORE_WILCOXON_RESULT_INIT;
    ck_assert_int_eq(alcore_metric_compute_mean(ctx, NULL, 1, NULL, &mean), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_metric_compute_mean(ctx, NULL, 0, NULL, &mean), ALCORE_OK);
    ck_assert_double_nan(mean.mean);
    ck_assert_int_eq(alcore_metric_compute_pearson(ctx, x, 3, x, 2, NULL, &pearson),
                     ALCORE_E_SHAPE);
    ck_assert_int_eq(alcore_metric_compute_pearson(ctx, x, 1, NULL, 1, NULL, &pearson),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_metric_compute_wilcoxon(ctx, x, 3, x, 2, NULL, &wilcoxon),
                     ALCORE_E_SHAPE);
    ck_assert_int_eq(alcore_metric_compute_wilcoxon(ctx, x, 2, NULL, 0, NULL, &wilcoxon),
                     ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "pair 2"));
    ck_assert_int_eq(alcore_metric_compute_wilcoxon(NULL, x, 1, NULL, 0, NULL, &wilcoxon),
                     ALCORE_E_INVALID);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("metric_statistics", test_mean_vectors, test_wilcoxon_vectors,
            test_wilcoxon_brute_force, test_wilcoxon_many, test_pearson, test_wrong_arguments);
