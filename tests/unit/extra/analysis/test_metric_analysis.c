/* SPDX-License-Identifier: Apache-2.0 */
/* Costs, what a selection consists of, the projection on principal components, and texts of a test
 * set that are training data: the vectors of the specification, slow obvious implementations on
 * random inputs, and wrong arguments. */
#include "check_suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra.h"
#include "base/rng.h"
#include "matrix_data.h"
#include "test_folder.h"
#include "vectors.h"

/* ---- costs ---- */

START_TEST(test_cost_vectors) {
    const test_vector vector = vector_find("analyses", "TV-COST");
    ck_assert_int_eq(vector_case_count(vector), 3);
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        const vector_case one = vector_case_number(vector, i);
        int64_t count;
        const double *words = vector_doubles(vector_input(&one, "words"), &count);
        const double *usd = vector_doubles(vector_expected(&one, "usd"), NULL);
        alcore_cost_options options = ALCORE_COST_OPTIONS_INIT;
        options.model = ALCORE_COST_RATE + (int32_t)i; /* rate, linear, power, in this order */
        options.bleu_gain = 2;
        options.in_domain_types = 50;
        for (int64_t k = 0; k < count; k++) {
            alcore_cost_result result = ALCORE_COST_RESULT_INIT;
            ck_assert_int_eq(alcore_analysis_compute_cost(words[k], &options, &result), ALCORE_OK);
            ck_assert_double_eq_tol(result.usd, usd[k], 1e-6);
            ck_assert_double_eq_tol(result.usd_per_bleu, usd[k] / 2, 1e-6);
            ck_assert_double_eq_tol(result.usd_per_type, usd[k] / 50, 1e-6);
        }
    }
}
END_TEST

START_TEST(test_cost_settings) {
    alcore_cost_options options = ALCORE_COST_OPTIONS_INIT;
    alcore_cost_result result = ALCORE_COST_RESULT_INIT;
    ck_assert_int_eq(alcore_analysis_compute_cost(0, NULL, &result), ALCORE_OK);
    ck_assert_double_eq(result.usd, 0);
    ck_assert_double_nan(result.usd_per_bleu);
    ck_assert_double_nan(result.usd_per_type);
    options.rate = 0.25;
    options.bleu_gain = -1;
    ck_assert_int_eq(alcore_analysis_compute_cost(100, &options, &result), ALCORE_OK);
    ck_assert_double_eq(result.usd, 25);
    ck_assert_double_nan(result.usd_per_bleu);
    options.rate = -1;
    ck_assert_int_eq(alcore_analysis_compute_cost(1, &options, &result), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "rate"));
    options.rate = 0; /* is 0: what costs nothing */
    ck_assert_int_eq(alcore_analysis_compute_cost(1, &options, &result), ALCORE_OK);
    ck_assert_double_eq(result.usd, 0);
    options.rate = ALCORE_UNSET;
    ck_assert_int_eq(alcore_analysis_compute_cost(1, &options, &result), ALCORE_OK);
    ck_assert_double_eq(result.usd, 0.1773);
    options.model = 3;
    ck_assert_int_eq(alcore_analysis_compute_cost(1, &options, &result), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "model 3"));
    ck_assert_int_eq(alcore_analysis_compute_cost(NAN, NULL, &result), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_analysis_compute_cost(-1, NULL, &result), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_analysis_compute_cost(1, NULL, NULL), ALCORE_E_INVALID);
    options.model = 0;
    options.in_domain_types = NAN;
    ck_assert_int_eq(alcore_analysis_compute_cost(1, &options, &result), ALCORE_E_INVALID);
}
END_TEST

/* ---- what a selection consists of ---- */

enum { POOL_ROWS = 40, POOL_DIMS = 3, TARGETS = 25 };

/* A pool of POOL_ROWS rows, every fourth of them without a language, the others en, de, fr. */
static alcore_pool *new_pool(alcore_ctx *ctx) {
    static char texts[POOL_ROWS][16];
    static const char *languages[POOL_ROWS],
        *pointers[POOL_ROWS], *const cycle[] = {"fr", "de", "en", NULL};
    alcore_records records = ALCORE_RECORDS_INIT;
    alcore_pool *pool;
    for (int i = 0; i < POOL_ROWS; i++) {
        snprintf(texts[i], sizeof texts[i], "text %d", i);
        pointers[i] = texts[i];
        languages[i] = cycle[i % 4];
    }
    records.texts = pointers;
    records.languages = languages;
    records.count = POOL_ROWS;
    ck_assert_int_eq(alcore_pool_new(ctx, NULL, &pool), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_add_records(pool, &records, NULL), ALCORE_OK);
    return pool;
}

START_TEST(test_languages) {
    alcore_ctx *ctx = new_ctx(1);
    alcore_pool *pool = new_pool(ctx);
    static const char *const tags[] = {"de", "en", "fr", "unknown"};
    static const int64_t rows[] = {0, 4, 1, 2, 3, 3}, outside[] = {40};
    int64_t counts[4], shape[1] = {4}, short_shape[1] = {3};
    alcore_tensor out, wrong;
    for (int i = 0; i < 4; i++) ck_assert_str_eq(alcore_pool_distinct_language(pool, i), tags[i]);
    ck_assert_ptr_null(alcore_pool_distinct_language(pool, 4));
    ck_assert_ptr_null(alcore_pool_distinct_language(pool, -1));
    ck_assert_ptr_null(alcore_pool_distinct_language(NULL, 0));
    ck_assert_int_eq(alcore_tensor_init(&out, counts, ALCORE_INT64, shape, 1), ALCORE_OK);
    ck_assert_int_eq(alcore_tensor_init(&wrong, counts, ALCORE_INT64, short_shape, 1), ALCORE_OK);
    ck_assert_int_eq(alcore_analysis_count_languages(pool, rows, 6, &out), ALCORE_OK);
    static const int64_t expected[] = {1, 1, 2, 2};
    for (int i = 0; i < 4; i++) ck_assert_int_eq(counts[i], expected[i]);
    ck_assert_int_eq(alcore_analysis_count_languages(pool, NULL, 0, &out), ALCORE_OK);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(counts[i], 0);
    ck_assert_int_eq(alcore_analysis_count_languages(pool, outside, 1, &out), ALCORE_E_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 40"));
    ck_assert_int_eq(alcore_analysis_count_languages(pool, rows, 6, &wrong), ALCORE_E_SHAPE);
    ck_assert_int_eq(alcore_analysis_count_languages(pool, NULL, 1, &out), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_analysis_count_languages(NULL, rows, 1, &out), ALCORE_E_INVALID);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Every measure against loops over all pairs. */
START_TEST(test_composition) {
    alcore_ctx *ctx = new_ctx(2);
    alcore_pool *pool = new_pool(ctx), *target_pool;
    static const int64_t rows[] = {7, 3, 31, 3, 12}, others[] = {3, 12, 5},
                         distinct[] = {3, 7, 12, 31};
    static double points[POOL_ROWS * POOL_DIMS], targets[TARGETS * POOL_DIMS], u[POOL_ROWS];
    uint8_t target_mask[TARGETS];
    alcore_composition_options options = ALCORE_COMPOSITION_OPTIONS_INIT;
    alcore_composition_result found = ALCORE_COMPOSITION_RESULT_INIT;
    matrix from, to;
    alcore__rng rng;
    alcore__rng_seed(&rng, 3);
    for (int i = 0; i < POOL_ROWS * POOL_DIMS; i++) points[i] = alcore__rng_f64(&rng);
    for (int i = 0; i < TARGETS * POOL_DIMS; i++) targets[i] = alcore__rng_f64(&rng);
    for (int i = 0; i < POOL_ROWS; i++)
        u[i] = i == 3 || i == 7 || i == 12 || i == 31 ? (double)i : (double)NAN;
    for (int i = 0; i < TARGETS; i++) target_mask[i] = i != 4;

    ck_assert_int_eq(alcore_analysis_compute_composition(ctx, pool, rows, 5, NULL, &found),
                     ALCORE_OK);
    ck_assert_int_eq(found.rows, 4);
    ck_assert_int_eq(found.target_language_rows, -1);
    ck_assert_int_eq(found.targets, -1);
    ck_assert_double_nan(found.mean_uncertainty);
    ck_assert_double_nan(found.mean_distance);
    ck_assert_double_nan(found.jaccard);

    static const char *const target_texts[] = {"a", "b"}, *const target_tags[] = {"xx", "fr"};
    alcore_records records = ALCORE_RECORDS_INIT;
    records.texts = target_texts;
    records.languages = target_tags;
    records.count = 2;
    ck_assert_int_eq(alcore_pool_new(ctx, NULL, &target_pool), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_add_records(target_pool, &records, NULL), ALCORE_OK);
    options.uncertainty = u;
    options.uncertainty_count = POOL_ROWS;
    options.source = matrix_of(&from, points, POOL_ROWS, POOL_DIMS);
    options.target = matrix_of(&to, targets, TARGETS, POOL_DIMS);
    to.data.mask = target_mask;
    to.data.mask_count = TARGETS;
    options.target_pool = target_pool;
    options.other_rows = others;
    options.other_count = 3;
    options.neighbors = 4;
    ck_assert_int_eq(alcore_analysis_compute_composition(ctx, pool, rows, 5, &options, &found),
                     ALCORE_OK);
    ck_assert_int_eq(found.target_language_rows, 1); /* row 12 is fr */
    ck_assert_double_eq_tol(found.mean_uncertainty, (3 + 7 + 12 + 31) / 4.0, 1e-12);
    ck_assert_double_eq_tol(found.median_uncertainty, (7 + 12) / 2.0, 1e-12);
    ck_assert_double_eq_tol(found.jaccard, 2 / 5.0, 1e-12);
    ck_assert_int_eq(found.targets, TARGETS - 1);
    double total = 0;
    int64_t reached = 0;
    for (int t = 0; t < TARGETS; t++) {
        double square[POOL_ROWS];
        bool hit = false;
        if (!target_mask[t]) continue;
        for (int i = 0; i < POOL_ROWS; i++) {
            square[i] = 0;
            for (int j = 0; j < POOL_DIMS; j++) {
                const double gap = points[i * POOL_DIMS + j] - targets[t * POOL_DIMS + j];
                square[i] += gap * gap;
            }
        }
        for (int s = 0; s < 4; s++) {
            int nearer = 0; /* rows before it in the order of neighbors */
            for (int i = 0; i < POOL_ROWS; i++) nearer += square[i] < square[distinct[s]];
            hit = hit || nearer < 4;
            total += sqrt(square[distinct[s]]);
        }
        reached += hit;
    }
    ck_assert_int_eq(found.targets_reached, reached);
    ck_assert_int_gt(reached, 0);
    ck_assert_int_lt(reached, TARGETS - 1);
    ck_assert_double_eq_tol(found.mean_distance, total / 4 / (TARGETS - 1), 1e-12);

    u[7] = INFINITY;
    ck_assert_int_eq(alcore_analysis_compute_composition(ctx, pool, rows, 5, &options, &found),
                     ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 7"));
    options.uncertainty_count = 3;
    ck_assert_int_eq(alcore_analysis_compute_composition(ctx, pool, rows, 5, &options, &found),
                     ALCORE_E_SHAPE);
    options.uncertainty = NULL;
    options.target = NULL;
    ck_assert_int_eq(alcore_analysis_compute_composition(ctx, pool, rows, 5, &options, &found),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_analysis_compute_composition(ctx, pool, NULL, 0, NULL, &found),
                     ALCORE_OK);
    ck_assert_int_eq(found.rows, 0);
    ck_assert_int_eq(alcore_analysis_compute_composition(ctx, NULL, NULL, 0, NULL, &found),
                     ALCORE_E_INVALID);
    alcore_pool_unref(target_pool);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- projection ---- */

START_TEST(test_projection_vectors) {
    alcore_ctx *ctx = new_ctx(1);
    const vector_case one = vector_case_number(vector_find("analyses", "TV-PCA"), 0);
    double points[10], components[6];
    matrix rows, out, axes;
    alcore_projection_result found = ALCORE_PROJECTION_RESULT_INIT;
    const double *given = vector_doubles(vector_input(&one, "rows"), NULL);
    const double *values = vector_doubles(vector_expected(&one, "eigenvalues"), NULL);
    const double *shares = vector_doubles(vector_expected(&one, "explained"), NULL);
    const double *known_axes = vector_doubles(vector_expected(&one, "components"), NULL);
    const double *known_points = vector_doubles(vector_expected(&one, "projections"), NULL);
    matrix_of(&out, points, 5, 2);
    matrix_of(&axes, components, 2, 3);
    ck_assert_int_eq(alcore_analysis_compute_projection(ctx, matrix_of(&rows, given, 5, 3), NULL,
                                                        NULL, &out.tensor, NULL, &axes.tensor,
                                                        &found),
                     ALCORE_OK);
    ck_assert_int_eq(found.rows, 5);
    for (int i = 0; i < 2; i++) {
        ck_assert_double_eq_tol(found.eigenvalues[i], values[i], 1e-12);
        ck_assert_double_eq_tol(found.shares[i], shares[i], 1e-12);
    }
    for (int i = 0; i < 6; i++) ck_assert_double_eq_tol(components[i], known_axes[i], 1e-10);
    for (int i = 0; i < 10; i++) ck_assert_double_eq_tol(points[i], known_points[i], 1e-10);
    alcore_ctx_unref(ctx);
}
END_TEST

enum { MANY = 1200, WIDE = 40 };

/* Random rows of different variances in each dimension, turned so that no axis is a component. */
static void fill_rows(double *rows, uint64_t seed) {
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    for (int i = 0; i < MANY; i++) {
        double plain[WIDE];
        for (int j = 0; j < WIDE; j++)
            plain[j] = (alcore__rng_f64(&rng) - 0.5) * (j == 3 ? 9 : j == 17 ? 7 : 1 + j % 5);
        for (int j = 0; j < WIDE; j++) /* a rotation of neighboring pairs, and a shift */
            rows[i * WIDE + j] = 0.8 * plain[j] + (j % 2 ? -0.6 : 0.6) * plain[j ^ 1] + j;
    }
}

/* The covariance of the rows of the mask, by the definition. */
static void slow_covariance(const double *rows, const uint8_t *mask, double *out) {
    double mean[WIDE] = {0}, count = 0;
    for (int i = 0; i < MANY; i++) {
        if (!mask[i]) continue;
        count++;
        for (int j = 0; j < WIDE; j++) mean[j] += rows[i * WIDE + j];
    }
    for (int j = 0; j < WIDE; j++) mean[j] /= count;
    memset(out, 0, sizeof(double) * WIDE * WIDE);
    for (int i = 0; i < MANY; i++)
        for (int j = 0; mask[i] && j < WIDE; j++)
            for (int k = 0; k < WIDE; k++)
                out[j * WIDE + k] +=
                    (rows[i * WIDE + j] - mean[j]) * (rows[i * WIDE + k] - mean[k]) / count;
}

/* What defines the components: C v = value v, unit length, orthogonal, the largest variance of all
 * directions (of many random ones none has more), the sign; points are products; the variance of
 * the points is the eigenvalue. The same bytes on any number of threads, and from a file. */
START_TEST(test_projection_property) {
    static double rows[MANY * WIDE], points[MANY * 2], again[MANY * 2], covariance[WIDE * WIDE];
    static double components[2 * WIDE], other_points[MANY * 2];
    uint8_t mask[MANY];
    matrix data, out, axes, others;
    alcore_projection_result found = ALCORE_PROJECTION_RESULT_INIT;
    alcore_ctx *ctx = new_ctx(1), *threads = new_ctx(5);
    fill_rows(rows, 1);
    for (int i = 0; i < MANY; i++) mask[i] = i % 9 != 2;
    slow_covariance(rows, mask, covariance);
    matrix_of(&data, rows, MANY, WIDE);
    data.data.mask = mask;
    data.data.mask_count = MANY;
    matrix_of(&out, points, MANY, 2);
    matrix_of(&axes, components, 2, WIDE);
    ck_assert_int_eq(alcore_analysis_compute_projection(ctx, &data.data, NULL, NULL, &out.tensor,
                                                        NULL, &axes.tensor, &found),
                     ALCORE_OK);
    for (int c = 0; c < 2; c++) {
        const double *v = components + c * WIDE;
        double square = 0, variance = 0, largest = 0;
        int at = 0;
        for (int j = 0; j < WIDE; j++) {
            double product = 0;
            for (int k = 0; k < WIDE; k++) product += covariance[j * WIDE + k] * v[k];
            ck_assert_double_eq_tol(product, found.eigenvalues[c] * v[j], 1e-9);
            square += v[j] * v[j];
            if (fabs(v[j]) > largest) largest = fabs(v[j]), at = j;
        }
        ck_assert_double_eq_tol(square, 1, 1e-12);
        ck_assert_double_gt(v[at], 0);
        for (int i = 0; i < MANY; i++) {
            if (!mask[i]) {
                ck_assert_double_nan(points[2 * i + c]);
                continue;
            }
            variance += points[2 * i + c] * points[2 * i + c] / (double)found.rows;
        }
        ck_assert_double_eq_tol(variance, found.eigenvalues[c], 1e-9);
    }
    double dot = 0, trace = 0;
    for (int j = 0; j < WIDE; j++) dot += components[j] * components[WIDE + j];
    for (int j = 0; j < WIDE; j++) trace += covariance[j * (WIDE + 1)];
    ck_assert_double_eq_tol(dot, 0, 1e-12);
    ck_assert_double_eq_tol(found.shares[0], found.eigenvalues[0] / trace, 1e-12);
    ck_assert_double_ge(found.eigenvalues[0], found.eigenvalues[1]);
    alcore__rng rng;
    alcore__rng_seed(&rng, 2);
    for (int round = 0; round < 200; round++) { /* directions orthogonal to the first component */
        double v[WIDE], along = 0, square = 0, variance = 0;
        for (int j = 0; j < WIDE; j++) v[j] = alcore__rng_f64(&rng) - 0.5;
        for (int j = 0; j < WIDE; j++) along += v[j] * components[j];
        for (int j = 0; j < WIDE; j++) v[j] -= along * components[j];
        for (int j = 0; j < WIDE; j++) square += v[j] * v[j];
        for (int j = 0; j < WIDE; j++)
            for (int k = 0; k < WIDE; k++) variance += v[j] * covariance[j * WIDE + k] * v[k];
        ck_assert_double_le(variance / square, found.eigenvalues[1] * (1 + 1e-9));
    }
    /* The rows themselves as others, on five threads: the same points, and masked rows have
     * some. */
    matrix_of(&others, rows, MANY, WIDE);
    matrix_of(&out, again, MANY, 2);
    matrix_of(&axes, other_points, MANY, 2);
    ck_assert_int_eq(alcore_analysis_compute_projection(threads, &data.data, &others.data, NULL,
                                                        &out.tensor, &axes.tensor, NULL, NULL),
                     ALCORE_OK);
    for (int i = 0; i < 2 * MANY; i++) {
        ck_assert(!isnan(other_points[i]));
        if (!mask[i / 2]) continue;
        ck_assert_double_eq(points[i], again[i]);
        ck_assert_double_eq(points[i], other_points[i]);
    }
    alcore_ctx_unref(threads);
    alcore_ctx_unref(ctx);
}
END_TEST

/* A column that stays in a file gives the same points as the matrix. */
START_TEST(test_projection_file) {
    static double rows[MANY * WIDE], points[MANY * 2], again[MANY * 2];
    static char texts[MANY][16];
    static const char *pointers[MANY];
    alcore_ctx *ctx = new_ctx(2);
    alcore_pool *pool;
    matrix data, out;
    char path[TEST_PATH_BYTES];
    test_file_make(path, "projection", ".npy", "");
    for (int i = 0; i < MANY; i++) {
        snprintf(texts[i], sizeof texts[i], "row %d", i);
        pointers[i] = texts[i];
    }
    fill_rows(rows, 5);
    ck_assert_int_eq(alcore_pool_new(ctx, NULL, &pool), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_add_texts(pool, pointers, NULL, MANY, NULL), ALCORE_OK);
    matrix_of(&data, rows, MANY, WIDE);
    ck_assert_int_eq(alcore_pool_set_column(pool, "embeddings", &data.tensor, NULL, NULL),
                     ALCORE_OK);
    ck_assert_int_eq(alcore_pool_write_column(pool, "embeddings", path, NULL), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_read_column(pool, "embeddings", path, NULL), ALCORE_OK);
    matrix_of(&out, points, MANY, 2);
    ck_assert_int_eq(alcore_analysis_compute_projection(ctx, &data.data, NULL, NULL, &out.tensor,
                                                        NULL, NULL, NULL),
                     ALCORE_OK);
    alcore_search_data column = ALCORE_SEARCH_DATA_INIT;
    column.pool = pool;
    matrix_of(&out, again, MANY, 2);
    ck_assert_int_eq(
        alcore_analysis_compute_projection(ctx, &column, NULL, NULL, &out.tensor, NULL, NULL, NULL),
        ALCORE_OK);
    for (int i = 0; i < 2 * MANY; i++) ck_assert_double_eq(points[i], again[i]);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    unlink(path);
}
END_TEST

/* No rows, one row, one dimension, equal rows, equal variances everywhere, and what is refused. */
START_TEST(test_projection_edges) {
    alcore_ctx *ctx = new_ctx(1);
    static const double equal[] = {3, 4, 3, 4, 3, 4}, line[] = {1, 5, 3};
    static const double cross[] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
    static const double broken[] = {1, 2, 3, NAN};
    double points[12], components[6];
    matrix data, out, axes;
    alcore_projection_result found = ALCORE_PROJECTION_RESULT_INIT;
#define CALL(values, rows, dims)                                                                   \
    (matrix_of(&out, points, rows, 2), matrix_of(&axes, components, 2, dims),                      \
     alcore_analysis_compute_projection(ctx, matrix_of(&data, values, rows, dims), NULL, NULL,     \
                                        &out.tensor, NULL, &axes.tensor, &found))
    ck_assert_int_eq(CALL(equal, 0, 2), ALCORE_OK);
    ck_assert_int_eq(found.rows, 0);
    ck_assert_double_nan(found.shares[0]);
    ck_assert_double_eq(components[0], 0);
    ck_assert_int_eq(CALL(equal, 1, 2), ALCORE_OK);
    ck_assert_double_eq(points[0], 0);
    ck_assert_int_eq(CALL(equal, 3, 2), ALCORE_OK);
    for (int i = 0; i < 6; i++) ck_assert_double_eq(points[i], 0);
    ck_assert_double_eq(found.eigenvalues[0], 0);
    ck_assert_double_nan(found.shares[0]);
    ck_assert_int_eq(CALL(line, 3, 1), ALCORE_OK);
    ck_assert_double_eq_tol(points[0], -2, 1e-12);
    ck_assert_double_eq(points[1], 0);
    ck_assert_double_eq(components[0], 1);
    ck_assert_double_eq(found.shares[1], 0);
    ck_assert_int_eq(CALL(cross, 6, 3), ALCORE_OK);
    ck_assert_double_eq_tol(found.eigenvalues[0], 1 / 3.0, 1e-12);
    ck_assert_double_eq_tol(found.eigenvalues[1], 1 / 3.0, 1e-12);
    ck_assert_int_eq(CALL(broken, 2, 2), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 1 has the value NaN"));
    matrix_of(&data, line, 3, 1);
    ck_assert_int_eq(alcore_analysis_compute_projection(ctx, &data.data, NULL, NULL, &axes.tensor,
                                                        NULL, NULL, NULL),
                     ALCORE_E_SHAPE);
    ck_assert_int_eq(alcore_analysis_compute_projection(NULL, &data.data, NULL, NULL, &out.tensor,
                                                        NULL, NULL, NULL),
                     ALCORE_E_INVALID);
#undef CALL
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- texts of a test set that are training data ---- */

static alcore_pool *texts_of(alcore_ctx *ctx, int32_t dedup, const char *const *texts,
                             int64_t count) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    options.dedup = dedup;
    ck_assert_int_eq(alcore_pool_new(ctx, &options, &pool), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_add_texts(pool, texts, NULL, count, NULL), ALCORE_OK);
    return pool;
}

/* Under each rule; neither pool is changed. */
START_TEST(test_duplicates) {
    static const char *const tested[] = {"one text", "One  Text", "another", "", "one text", "new"};
    static const char *const trained[] = {"another", "one text", "third", "another"};
    static const int32_t rules[] = {ALCORE_DEDUP_EXACT, ALCORE_DEDUP_NORMALIZED, ALCORE_DEDUP_NONE};
    static const int64_t in_train[] = {3, 4, 3}, repeated[] = {1, 2, 0};
    alcore_ctx *ctx = new_ctx(2);
    for (int i = 0; i < 3; i++) {
        alcore_pool *test = texts_of(ctx, rules[i], tested, 6);
        alcore_pool *train = texts_of(ctx, ALCORE_DEDUP_EXACT, trained, 4);
        alcore_pool *none = texts_of(ctx, rules[i], tested, 0);
        alcore_duplicates_result found = ALCORE_DUPLICATES_RESULT_INIT;
        ck_assert_int_eq(alcore_analysis_compute_duplicates(test, train, NULL, &found), ALCORE_OK);
        ck_assert_int_eq(found.in_train, in_train[i]);
        ck_assert_int_eq(found.texts, 5);
        ck_assert_int_eq(found.repeated, repeated[i]);
        ck_assert_double_eq(found.duplicates, 100.0 * (double)in_train[i] / 5);
        ck_assert_int_eq(alcore_pool_state_count(test, ALCORE_ROW_EXCLUDED), 0);
        ck_assert_int_eq(alcore_analysis_compute_duplicates(none, train, NULL, &found), ALCORE_OK);
        ck_assert_double_nan(found.duplicates);
        ck_assert_int_eq(alcore_analysis_compute_duplicates(test, none, NULL, &found), ALCORE_OK);
        ck_assert_int_eq(found.in_train, 0);
        ck_assert_int_eq(alcore_analysis_compute_duplicates(test, test, NULL, &found),
                         ALCORE_E_INVALID);
        ck_assert_int_eq(alcore_analysis_compute_duplicates(test, NULL, NULL, &found),
                         ALCORE_E_INVALID);
        found.size = 0;
        ck_assert_int_eq(alcore_analysis_compute_duplicates(test, train, NULL, &found),
                         ALCORE_E_STRUCT_UNSET);
        alcore_pool_unref(none);
        alcore_pool_unref(train);
        alcore_pool_unref(test);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* Each band, a repetition, and that a text the memory has is no repetition. */
START_TEST(test_leverage) {
    static const char *const given[] = {
        "a b c d e f g h i j k l m n o p q r s t", /* 19 of 20: 95 */
        "open the file in a new window",           /* the memory has it */
        "open this file in a new window",          /* 6 of 7: 85 */
        "open this file in a new window",          /* a repetition */
        "delete one row now",                      /* 3 of 4: 75 */
        "save one file",                           /* 2 of 3: 50 */
        "something else",
        "Save The File", /* the same tokens: no more than 95 to 99 */
        "",
        "open the file in a new window"};
    static const char *const memory_texts[] = {"a b c d e f g h i j k l m n o p q r s z",
                                               "open the file in a new window", "delete one row",
                                               "save the file"};
    static const int64_t rows[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, none[] = {10};
    static const int64_t in_band[] = {1, 2, 2, 1, 1, 1, 1}, words[] = {7, 14, 23, 7, 4, 3, 2};
    alcore_ctx *ctx = new_ctx(2);
    alcore_pool *pool = texts_of(ctx, ALCORE_DEDUP_EXACT, given, 10);
    alcore_pool *memory = texts_of(ctx, ALCORE_DEDUP_EXACT, memory_texts, 4);
    alcore_leverage_result found = ALCORE_LEVERAGE_RESULT_INIT;
    ck_assert_int_eq(alcore_analysis_compute_leverage(pool, rows, 10, memory, NULL, &found),
                     ALCORE_OK);
    for (int i = 0; i < 7; i++) {
        ck_assert_msg(found.rows[i] == in_band[i] && found.words[i] == words[i],
                      "band %d: %d rows, %d words", i, (int)found.rows[i], (int)found.words[i]);
    }
    ck_assert_int_eq(alcore_analysis_compute_leverage(pool, rows + 3, 1, memory, NULL, &found),
                     ALCORE_OK);
    ck_assert_int_eq(found.rows[3], 1); /* the earlier row is not selected */
    ck_assert_int_eq(alcore_analysis_compute_leverage(pool, NULL, 0, memory, NULL, &found),
                     ALCORE_OK);
    ck_assert_int_eq(found.words[6], 0);
    ck_assert_int_eq(alcore_analysis_compute_leverage(pool, none, 1, memory, NULL, &found),
                     ALCORE_E_NOT_FOUND);
    ck_assert_int_eq(alcore_analysis_compute_leverage(pool, rows, 1, pool, NULL, &found),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_analysis_compute_leverage(pool, NULL, 1, memory, NULL, &found),
                     ALCORE_E_INVALID);
    found.size = 0;
    ck_assert_int_eq(alcore_analysis_compute_leverage(pool, rows, 1, memory, NULL, &found),
                     ALCORE_E_STRUCT_UNSET);
    alcore_pool_unref(memory);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("metric_analysis", test_cost_vectors, test_cost_settings, test_languages,
            test_composition, test_projection_vectors, test_projection_property,
            test_projection_file, test_projection_edges, test_duplicates, test_leverage);
