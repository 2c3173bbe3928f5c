/* SPDX-License-Identifier: Apache-2.0 */
/* TV-BLOCK's neighbors (spec 1.8), TV-MRS (5.6), TV-KNN (7.5), and what searches refuse. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/extra.h"
#include "base/rng.h"
#include "block_data.h"
#include "check_status.h"
#include "check_suite.h"
#include "search_calls.h"
#include "vectors.h"

enum { QUERIES = BLOCK_ROWS - BLOCK_POOL };

static alcore_ctx *ctx;

static double u_rows[6], l_rows[8]; /* the unlabeled and the labeled rows of TV-MRS */

static vector_case search_case(const char *name, const char *case_name) {
    return vector_case_named(vector_find("search", name), case_name);
}

static void setup(void) {
    vector_case mrs = search_case("TV-MRS", "ratio");
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    memcpy(u_rows, vector_doubles(vector_input(&mrs, "unlabeled"), NULL), sizeof u_rows);
    memcpy(l_rows, vector_doubles(vector_input(&mrs, "labeled"), NULL), sizeof l_rows);
}
static void teardown(void) {
    alcore_ctx_unref(ctx);
}

typedef struct matrix {
    int64_t shape[2];
    alcore_tensor tensor;
    alcore_search_data side;
} matrix;

static const alcore_search_data *side_of(matrix *m, void *data, int32_t dtype, int64_t rows,
                                         int64_t dims) {
    m->shape[0] = rows;
    m->shape[1] = dims;
    ck_assert_int_eq(alcore_tensor_init(&m->tensor, data, dtype, m->shape, 2), ALCORE_OK);
    m->side = (alcore_search_data)ALCORE_SEARCH_DATA_INIT;
    m->side.matrix = &m->tensor;
    return &m->side;
}

/* Both widths of TV-BLOCK: file, vector. */
static const char *const block_vectors[][2] = {{"block", "TV-BLOCK"},
                                               {"block-wide", "TV-BLOCK-WIDE"}};

START_TEST(block_neighbors) {
    vector_case known =
        vector_case_named(vector_find(block_vectors[_i][0], block_vectors[_i][1]), "rows");
    int64_t dims = vector_integer(vector_input(&known, "dims"));
    block_data data;
    block_data_make(&data, dims);
    uint8_t *mask = calloc(BLOCK_POOL, 1);
    ck_assert_ptr_nonnull(mask);
    for (int64_t i = 0; i < BLOCK_POOL; i++) mask[i] = i % 97 != 3;
    matrix rows, queries;
    side_of(&rows, data.x, ALCORE_FLOAT32, BLOCK_POOL, dims);
    rows.side.mask = mask;
    rows.side.mask_count = rows.shape[0];
    side_of(&queries, data.x + BLOCK_POOL * dims, ALCORE_FLOAT32, QUERIES, dims);
    int64_t found[10 * QUERIES];
    double values[10 * QUERIES];
    ck_assert_int_eq(test_knn(ctx, &rows.side, &queries.side, 10, NULL, found, values, NULL, NULL),
                     ALCORE_OK);
    vector_equal(found, vector_expected(&known, "knn/first"));
    vector_digest(found, sizeof found, vector_expected(&known, "knn/rows"));
    vector_digest(values, sizeof values, vector_expected(&known, "knn/sqd"));
    free(mask);
    block_data_free(&data);
}
END_TEST

START_TEST(margin_ratios) {
    matrix rows, others;
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    int64_t wanted = 10;
    double ratio[3];
    int64_t other[3];
    wanted = 2;
    side_of(&rows, u_rows, ALCORE_FLOAT64, 3, 2);
    side_of(&others, l_rows, ALCORE_FLOAT64, 4, 2);
    ck_assert_int_eq(
        test_margin_ratios(ctx, &rows.side, &others.side, wanted, &options, ratio, other),
        ALCORE_OK);
    vector_case mrs = search_case("TV-MRS", "ratio");
    double dist[3];
    for (int i = 0; i < 3; i++) dist[i] = 1 - ratio[i];
    vector_near(dist, vector_expected(&mrs, "dist"), 0);
    vector_equal(other, vector_expected(&mrs, "nearest"));
    /* The other way round: TV-RETR. */
    double back[4];
    vector_case retrieved = search_case("TV-RETR", "all");
    ck_assert_int_eq(
        test_margin_ratios(ctx, &others.side, &rows.side, wanted, &options, back, NULL), ALCORE_OK);
    vector_near(back, vector_expected(&retrieved, "sim"), 0);
    /* metric=cosine of TV-MRS is the nearest of one neighbor. */
    vector_case cosine = search_case("TV-MRS", "cosine");
    options.metric = ALCORE_METRIC_COSINE;
    wanted = 1;
    ck_assert_int_eq(
        test_knn(ctx, &rows.side, &others.side, wanted, &options, NULL, NULL, other, ratio),
        ALCORE_OK);
    for (int i = 0; i < 3; i++) dist[i] = 1 - ratio[i];
    vector_near(dist, vector_expected(&cosine, "dist"), 0);
}
END_TEST

START_TEST(both_ways) {
    vector_case knn = vector_case_named(vector_find("multilingual", "TV-KNN"), "distances");
    double source[14], target[4];
    const double *distances = vector_doubles(vector_expected(&knn, "distances"), NULL);
    memcpy(source, vector_doubles(vector_input(&knn, "source"), NULL), sizeof source);
    memcpy(target, vector_doubles(vector_input(&knn, "target"), NULL), sizeof target);
    matrix rows, queries;
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    int64_t wanted = 10;
    int64_t of_queries[4], of_rows[14];
    double values[4], row_values[14];
    wanted = 2;
    side_of(&rows, source, ALCORE_FLOAT64, 7, 2);
    side_of(&queries, target, ALCORE_FLOAT64, 2, 2);
    ck_assert_int_eq(test_knn(ctx, &rows.side, &queries.side, wanted, &options, of_queries, values,
                              of_rows, row_values),
                     ALCORE_OK);
    const int64_t nearest[] = {0, 1, 3, 4};
    const int64_t first[] = {0, 0, 0, 1, 1, 1, 1};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(of_queries[i], nearest[i]);
        ck_assert_double_eq_tol(sqrt(values[i]), distances[7 * (i / 2) + nearest[i]], 1e-12);
    }
    for (int i = 0; i < 7; i++) {
        ck_assert_int_eq(of_rows[2 * i], first[i]);
        ck_assert_int_eq(of_rows[2 * i + 1], 1 - first[i]);
    }
}
END_TEST

START_TEST(places_without_neighbors) {
    matrix rows, others;
    uint8_t mask[] = {1, 0, 1};
    int64_t found[40], of_rows[30];
    double values[40], row_values[30], ratio[3];
    side_of(&rows, u_rows, ALCORE_FLOAT64, 3, 2);
    side_of(&others, l_rows, ALCORE_FLOAT64, 4, 2);
    rows.side.mask = mask;
    rows.side.mask_count = rows.shape[0];
    ck_assert_int_eq(
        test_knn(ctx, &rows.side, &others.side, 10, NULL, found, values, of_rows, row_values),
        ALCORE_OK);
    for (int q = 0; q < 4; q++) {
        ck_assert(found[10 * q] != 1 && found[10 * q + 1] != 1 && found[10 * q + 1] >= 0);
        ck_assert_int_eq(found[10 * q + 2], -1);
        ck_assert(isnan(values[10 * q + 2]));
    }
    ck_assert_int_eq(of_rows[10], -1);
    ck_assert(isnan(row_values[10]));
    ck_assert_int_eq(test_margin_ratios(ctx, &rows.side, &others.side, 4, NULL, ratio, of_rows),
                     ALCORE_OK);
    ck_assert(isnan(ratio[1]) && of_rows[1] == -1 && ratio[0] > 0.0);
    /* Nothing to search in, nothing to search for. */
    memset(mask, 0, sizeof mask);
    ck_assert_int_eq(test_knn(ctx, &rows.side, &others.side, 10, NULL, found, values, NULL, NULL),
                     ALCORE_OK);
    ck_assert_int_eq(found[0], -1);
    ck_assert_int_eq(test_margin_ratios(ctx, &others.side, &rows.side, 4, NULL, values, NULL),
                     ALCORE_E_INVALID);
    side_of(&rows, NULL, ALCORE_FLOAT64, 0, 2);
    ck_assert_int_eq(test_knn(ctx, &rows.side, &others.side, 10, NULL, found, values, NULL, NULL),
                     ALCORE_OK);
    ck_assert_int_eq(found[39], -1);
    ck_assert_int_eq(test_knn(ctx, &others.side, &rows.side, 10, NULL, NULL, NULL, found, values),
                     ALCORE_OK);
    ck_assert_int_eq(found[39], -1);
}
END_TEST

START_TEST(pool_columns) {
    const char *texts[] = {"one text", "", "a third", "a fourth"};
    alcore_pool *pool = NULL;
    matrix rows, others;
    ck_assert_int_eq(alcore_pool_new(ctx, NULL, &pool), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_add_texts(pool, texts, NULL, 4, NULL), ALCORE_OK);
    side_of(&others, l_rows, ALCORE_FLOAT64, 4, 2);
    ck_assert_int_eq(alcore_pool_set_column(pool, "embeddings", &others.tensor, NULL, NULL),
                     ALCORE_OK);
    side_of(&rows, u_rows, ALCORE_FLOAT64, 3, 2);
    alcore_search_data side = ALCORE_SEARCH_DATA_INIT;
    side.pool = pool;
    int64_t found[12], expected[12];
    double values[12], expected_values[12];
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    int64_t wanted = 10;
    wanted = 4;
    uint8_t mask[] = {1, 0, 1, 1}; /* row 1 has no word */
    others.side.mask = mask;
    others.side.mask_count = others.shape[0];
    ck_assert_int_eq(test_knn(ctx, &others.side, &rows.side, wanted, &options, expected,
                              expected_values, NULL, NULL),
                     ALCORE_OK);
    ck_assert_int_eq(test_knn(ctx, &side, &rows.side, wanted, &options, found, values, NULL, NULL),
                     ALCORE_OK);
    ck_assert_mem_eq(found, expected, sizeof found);
    side.column = "embedding";
    ck_assert_int_eq(test_knn(ctx, &side, &rows.side, wanted, &options, found, values, NULL, NULL),
                     ALCORE_E_NOT_FOUND);
    /* A row that came after the column has no value. */
    side.column = NULL;
    ck_assert_int_eq(alcore_pool_add_texts(pool, texts + 2, NULL, 1, NULL), ALCORE_OK);
    ck_assert_int_eq(test_knn(ctx, &side, &rows.side, wanted, &options, found, values, NULL, NULL),
                     ALCORE_OK); /* it repeats a text and is masked */
    const char *more[] = {"something else"};
    ck_assert_int_eq(alcore_pool_add_texts(pool, more, NULL, 1, NULL), ALCORE_OK);
    ck_assert_int_eq(test_knn(ctx, &side, &rows.side, wanted, &options, found, values, NULL, NULL),
                     ALCORE_E_MISSING);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 5"));
    alcore_pool_unref(pool);
}
END_TEST

START_TEST(refusals) {
    matrix rows, others;
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    int64_t wanted = 10;
    int64_t found[40];
    double values[40];
    double bad[] = {1, 0, 0.6, (double)NAN, 0, 1};
    side_of(&rows, bad, ALCORE_FLOAT64, 3, 2);
    side_of(&others, l_rows, ALCORE_FLOAT64, 4, 2);
#define REFUSED(status, a, b, o, r, v)                                                             \
    ck_assert_int_eq(test_knn(ctx, a, b, wanted, o, r, v, NULL, NULL), status)
    REFUSED(ALCORE_E_DATA, &rows.side, &others.side, NULL, found, values);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "rows: row 1"));
    REFUSED(ALCORE_E_DATA, &others.side, &rows.side, NULL, found, values);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "queries: row 1"));
    uint8_t mask[] = {1, 0, 1};
    rows.side.mask = mask;
    rows.side.mask_count = rows.shape[0];
    REFUSED(ALCORE_OK, &rows.side, &others.side, NULL, found, values);
    /* Finite, but its square is not. */
    bad[3] = 1e300;
    mask[1] = 1;
    REFUSED(ALCORE_E_DATA, &rows.side, &others.side, NULL, found, values);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "rows: row 1"));
    bad[3] = 1;
    REFUSED(ALCORE_E_INVALID, NULL, &others.side, NULL, found, values);
    REFUSED(ALCORE_E_INVALID, &rows.side, &others.side, NULL, NULL, NULL);
    REFUSED(ALCORE_E_INVALID, &rows.side, &others.side, NULL, found, NULL);
    wanted = ALCORE_KNN_MAX + 1;
    REFUSED(ALCORE_E_INVALID, &rows.side, &others.side, &options, found, values);
    wanted = -1;
    REFUSED(ALCORE_E_INVALID, &rows.side, &others.side, &options, found, values);
    wanted = 0;
    REFUSED(ALCORE_E_INVALID, &rows.side, &others.side, &options, found, values);
    wanted = 10;
    options.metric = 3;
    REFUSED(ALCORE_E_INVALID, &rows.side, &others.side, &options, found, values);
    options.metric = 0;
    options.device = "tpu";
    REFUSED(ALCORE_E_PARAM, &rows.side, &others.side, &options, found, values);
    options.device = NULL;
    options.reserved = 1;
    REFUSED(ALCORE_E_STRUCT_NEWER, &rows.side, &others.side, &options, found, values);
    options.reserved = 0;
    rows.side.reserved = 1;
    REFUSED(ALCORE_E_STRUCT_NEWER, &rows.side, &others.side, &options, found, values);
    rows.side.reserved = 0;
    rows.side.mask_count = 2;
    REFUSED(ALCORE_E_SHAPE, &rows.side, &others.side, &options, found, values);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "mask has 2 entries for 3 rows"));
    rows.side.mask_count = 3;
    test_out narrow;
    ck_assert_int_eq(alcore_search_knn(ctx, &rows.side, &others.side, 10, NULL,
                                       test_out_of(&narrow, found, ALCORE_INT64, 4, 9),
                                       &narrow.tensor, NULL, NULL),
                     ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "out_rows: expected [4, 10], found [4, 9]"));
    alcore_search_data side = ALCORE_SEARCH_DATA_INIT;
    REFUSED(ALCORE_E_INVALID, &side, &others.side, NULL, found, values);
    side_of(&rows, bad, ALCORE_FLOAT64, 2, 3);
    REFUSED(ALCORE_E_SHAPE, &rows.side, &others.side, NULL, found, values);
    rows.side.normalize = 2;
    REFUSED(ALCORE_E_INVALID, &rows.side, &others.side, NULL, found, values);
    int64_t whole[] = {1, 2, 3, 4};
    side_of(&rows, whole, ALCORE_INT64, 2, 2);
    REFUSED(ALCORE_E_SHAPE, &rows.side, &others.side, NULL, found, values);
    ck_assert_int_eq(test_margin_ratios(ctx, &others.side, &others.side, 4, NULL, NULL, NULL),
                     ALCORE_E_INVALID);
}
END_TEST

/* Row 0 and the others in turn point nowhere, or each against the other. */
START_TEST(zero_rows_and_small_divisors) {
    matrix rows, others;
    double x[] = {0, 0, 1, 0}, y[] = {1, 0, -1, 0}, values[4], ratios[2];
    int64_t found[4], other[2];
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    options.metric = ALCORE_METRIC_COSINE;
    side_of(&rows, x, ALCORE_FLOAT64, 2, 2);
    side_of(&others, y, ALCORE_FLOAT64, 2, 2);
    ck_assert_ok(test_knn(ctx, &rows.side, &others.side, 2, &options, found, values, NULL, NULL));
    const int64_t nearest[] = {1, 0, 0, 1};
    const double cosines[] = {1, 0, 0, -1};
    ck_assert_mem_eq(found, nearest, sizeof nearest);
    for (int i = 0; i < 4; i++) ck_assert_double_eq(values[i], cosines[i]);
    /* h is half the mean of the two that there are, of the others 1/4 and -1/4, of the rows 0. */
    ck_assert_ok(test_margin_ratios(ctx, &rows.side, &others.side, 4, NULL, ratios, other));
    ck_assert_double_eq(ratios[0], 0);
    ck_assert_int_eq(other[0], 0);
    ck_assert_double_eq(ratios[1], 4);
    ck_assert_int_eq(other[1], 0);
}
END_TEST

/* Rows that lie apart, divided by their norms: of {3, 4} and {0, 2} the products are cosines. */
START_TEST(rows_with_gaps_of_unit_length) {
    double x[] = {3, 4, (double)NAN, 0, 2, (double)NAN}, y[] = {0, 5}, values[2];
    int64_t strides[] = {3, 1}, found[2];
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    matrix rows, queries;
    options.metric = ALCORE_METRIC_DOT;
    side_of(&rows, x, ALCORE_FLOAT64, 2, 2);
    rows.tensor.strides = strides;
    side_of(&queries, y, ALCORE_FLOAT64, 1, 2);
    ck_assert_ok(test_knn(ctx, &rows.side, &queries.side, 2, &options, found, values, NULL, NULL));
    ck_assert(found[0] == 0 && values[0] == 20 && values[1] == 10);
    rows.side.normalize = queries.side.normalize = 1;
    ck_assert_ok(test_knn(ctx, &rows.side, &queries.side, 2, &options, found, values, NULL, NULL));
    ck_assert(found[0] == 1 && values[0] == 1);
    ck_assert_double_eq_tol(values[1], 0.8, 1e-15);
}
END_TEST

/* What a struct says that nothing reads. */
START_TEST(settings_beside_the_point) {
    matrix rows;
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    double ratios[3], values[3];
    int64_t found[3];
    side_of(&rows, u_rows, ALCORE_FLOAT64, 3, 2);
#define KNN() test_knn(ctx, &rows.side, &rows.side, 1, NULL, found, values, NULL, NULL)
    rows.side.column = "embeddings";
    ck_assert_fails(KNN(), ALCORE_E_INVALID, "a matrix is given");
    rows.side.column = NULL;
    rows.side.mask_count = 3;
    ck_assert_fails(KNN(), ALCORE_E_SHAPE, "mask_count is 3 without a mask");
    rows.side.mask_count = 0;
    ck_assert_ok(KNN());
#undef KNN
    /* Ratios are of cosines, whatever a metric says. */
    for (int32_t metric = ALCORE_METRIC_L2; metric <= ALCORE_METRIC_COSINE; metric++) {
        char named[20];
        options.metric = metric;
        snprintf(named, sizeof named, "metric is %d;", metric);
        ck_assert_fails(test_margin_ratios(ctx, &rows.side, &rows.side, 1, &options, ratios, found),
                        ALCORE_E_INVALID, named);
    }
}
END_TEST

TEST_FILE() {
    TCase *vectors = tcase_create("vectors");
    tcase_add_checked_fixture(vectors, setup, teardown);
    tcase_set_timeout(vectors, 60);
    tcase_add_loop_test(vectors, block_neighbors, 0, 2);
    tcase_add_test(vectors, margin_ratios);
    tcase_add_test(vectors, both_ways);
    tcase_add_test(vectors, places_without_neighbors);
    tcase_add_test(vectors, pool_columns);
    tcase_add_test(vectors, refusals);
    tcase_add_test(vectors, zero_rows_and_small_divisors);
    tcase_add_test(vectors, rows_with_gaps_of_unit_length);
    tcase_add_test(vectors, settings_beside_the_point);
    return check_suite_run("search_vectors", vectors);
}
