/* SPDX-License-Identifier: Apache-2.0 */
/* TV-BLOCK's neighbors (spec 1.8), TV-MRS (5.6), TV-KNN (7.5), and what searches refuse. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/alcore.h"
#include "block_data.h"

enum { QUERIES = BLOCK_ROWS - BLOCK_POOL };

static alcore_ctx *ctx;

static void setup(void) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
}
static void teardown(void) {
    alcore_ctx_unref(ctx);
}

typedef struct matrix {
    int64_t shape[2];
    alcore_tensor tensor;
    alcore_search_side side;
} matrix;

static const alcore_search_side *side_of(matrix *m, void *data, int32_t dtype, int64_t rows,
                                         int64_t dims) {
    m->shape[0] = rows;
    m->shape[1] = dims;
    ck_assert_int_eq(alcore_tensor_init(&m->tensor, data, dtype, m->shape, 2), ALCORE_OK);
    m->side = (alcore_search_side)ALCORE_SEARCH_SIDE_INIT;
    m->side.matrix = &m->tensor;
    return &m->side;
}

typedef struct block_vector {
    int64_t dims, first[10];
    uint64_t rows, values;
} block_vector;
static const block_vector block_vectors[] = {
    {5,
     {14581, 4206, 19910, 15146, 14932, 10095, 5175, 8746, 4315, 3911},
     UINT64_C(0x65F0451D64505CCE),
     UINT64_C(0x409CA8D2D09F8890)},
    {70,
     {6787, 5875, 13543, 14011, 727, 11993, 5439, 8242, 14611, 18857},
     UINT64_C(0x17184AF94D1C4110),
     UINT64_C(0xF49BD4D6481074CC)},
};

START_TEST(block_neighbors) {
    const block_vector *expected = &block_vectors[_i];
    block_data data;
    block_data_make(&data, expected->dims);
    uint8_t *take = calloc(BLOCK_POOL, 1);
    ck_assert_ptr_nonnull(take);
    for (int64_t i = 0; i < BLOCK_POOL; i++) take[i] = i % 97 != 3;
    matrix rows, queries;
    side_of(&rows, data.x, ALCORE_FLOAT32, BLOCK_POOL, expected->dims);
    rows.side.take = take;
    side_of(&queries, data.x + BLOCK_POOL * expected->dims, ALCORE_FLOAT32, QUERIES,
            expected->dims);
    int64_t found[10 * QUERIES];
    double values[10 * QUERIES];
    ck_assert_int_eq(alcore_knn(ctx, &rows.side, &queries.side, NULL, found, values, NULL, NULL),
                     ALCORE_OK);
    for (int p = 0; p < 10; p++) ck_assert_int_eq(found[p], expected->first[p]);
    ck_assert_uint_eq(alcore_hash64(found, sizeof found), expected->rows);
    ck_assert_uint_eq(alcore_hash64(values, sizeof values), expected->values);
    free(take);
    block_data_free(&data);
}
END_TEST

static double u_rows[] = {1, 0, 0.6, 0.8, 0, 1};
static double l_rows[] = {0.8, 0.6, 1, 0.1, -0.6, 0.8, 0.96, 0.28};

START_TEST(margin_ratios) {
    matrix rows, others;
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    double ratio[3];
    int64_t other[3];
    options.k = 2;
    side_of(&rows, u_rows, ALCORE_FLOAT64, 3, 2);
    side_of(&others, l_rows, ALCORE_FLOAT64, 4, 2);
    ck_assert_int_eq(alcore_margin_ratios(ctx, &rows.side, &others.side, &options, ratio, other),
                     ALCORE_OK);
    const double expected[] = {1.097458, 1.090909, 1.290323};
    const int64_t nearest[] = {1, 0, 2};
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq_tol(ratio[i], expected[i], 1e-6);
        ck_assert_int_eq(other[i], nearest[i]);
    }
    /* The other way round: TV-RETR. */
    double back[4];
    const double retrieved[] = {1.090909, 1.097458, 1.290323, 1.033637};
    ck_assert_int_eq(alcore_margin_ratios(ctx, &others.side, &rows.side, &options, back, NULL),
                     ALCORE_OK);
    for (int i = 0; i < 4; i++) ck_assert_double_eq_tol(back[i], retrieved[i], 1e-6);
    /* metric=cosine of TV-MRS is the nearest of one neighbor. */
    const double distance[] = {0.004963, 0.04, 0.2};
    options.metric = ALCORE_METRIC_COSINE;
    options.k = 1;
    ck_assert_int_eq(alcore_knn(ctx, &rows.side, &others.side, &options, NULL, NULL, other, ratio),
                     ALCORE_OK);
    for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(1.0 - ratio[i], distance[i], 1e-6);
}
END_TEST

START_TEST(both_ways) {
    double source[] = {0, 0, 1, 0, 2, 0, 5, 5, 6, 5, 9, 9, 10, 0};
    double target[] = {0.25, 0, 5.375, 5};
    matrix rows, queries;
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    int64_t of_queries[4], of_rows[14];
    double values[4], row_values[14];
    options.k = 2;
    side_of(&rows, source, ALCORE_FLOAT64, 7, 2);
    side_of(&queries, target, ALCORE_FLOAT64, 2, 2);
    ck_assert_int_eq(alcore_knn(ctx, &rows.side, &queries.side, &options, of_queries, values,
                                of_rows, row_values),
                     ALCORE_OK);
    const int64_t nearest[] = {0, 1, 3, 4};
    const double squares[] = {0.0625, 0.5625, 0.140625, 0.390625};
    const int64_t first[] = {0, 0, 0, 1, 1, 1, 1};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(of_queries[i], nearest[i]);
        ck_assert(values[i] == squares[i]);
    }
    for (int i = 0; i < 7; i++) {
        ck_assert_int_eq(of_rows[2 * i], first[i]);
        ck_assert_int_eq(of_rows[2 * i + 1], 1 - first[i]);
    }
}
END_TEST

START_TEST(places_without_neighbors) {
    matrix rows, others;
    uint8_t take[] = {1, 0, 1};
    int64_t found[40], of_rows[30];
    double values[40], row_values[30], ratio[3];
    side_of(&rows, u_rows, ALCORE_FLOAT64, 3, 2);
    side_of(&others, l_rows, ALCORE_FLOAT64, 4, 2);
    rows.side.take = take;
    ck_assert_int_eq(
        alcore_knn(ctx, &rows.side, &others.side, NULL, found, values, of_rows, row_values),
        ALCORE_OK);
    for (int q = 0; q < 4; q++) {
        ck_assert(found[10 * q] != 1 && found[10 * q + 1] != 1 && found[10 * q + 1] >= 0);
        ck_assert_int_eq(found[10 * q + 2], -1);
        ck_assert(isnan(values[10 * q + 2]));
    }
    ck_assert_int_eq(of_rows[10], -1);
    ck_assert(isnan(row_values[10]));
    ck_assert_int_eq(alcore_margin_ratios(ctx, &rows.side, &others.side, NULL, ratio, of_rows),
                     ALCORE_OK);
    ck_assert(isnan(ratio[1]) && of_rows[1] == -1 && ratio[0] > 0.0);
    /* Nothing to search in, nothing to search for. */
    memset(take, 0, sizeof take);
    ck_assert_int_eq(alcore_knn(ctx, &rows.side, &others.side, NULL, found, values, NULL, NULL),
                     ALCORE_OK);
    ck_assert_int_eq(found[0], -1);
    ck_assert_int_eq(alcore_margin_ratios(ctx, &others.side, &rows.side, NULL, values, NULL),
                     ALCORE_E_INVALID);
    side_of(&rows, NULL, ALCORE_FLOAT64, 0, 2);
    ck_assert_int_eq(alcore_knn(ctx, &rows.side, &others.side, NULL, found, values, NULL, NULL),
                     ALCORE_OK);
    ck_assert_int_eq(found[39], -1);
    ck_assert_int_eq(alcore_knn(ctx, &others.side, &rows.side, NULL, NULL, NULL, found, values),
                     ALCORE_OK);
    ck_assert_int_eq(found[39], -1);
}
END_TEST

START_TEST(pool_columns) {
    const char *texts[] = {"one text", "", "a third", "a fourth"};
    alcore_pool *pool = NULL;
    matrix rows, others;
    ck_assert_int_eq(alcore_pool_new(ctx, NULL, &pool), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_add_texts(pool, texts, 4, NULL, NULL), ALCORE_OK);
    side_of(&others, l_rows, ALCORE_FLOAT64, 4, 2);
    ck_assert_int_eq(alcore_pool_set_column(pool, "embeddings", &others.tensor, NULL, NULL),
                     ALCORE_OK);
    side_of(&rows, u_rows, ALCORE_FLOAT64, 3, 2);
    alcore_search_side side = ALCORE_SEARCH_SIDE_INIT;
    side.pool = pool;
    int64_t found[12], expected[12];
    double values[12], expected_values[12];
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    options.k = 4;
    uint8_t take[] = {1, 0, 1, 1}; /* row 1 has no word */
    others.side.take = take;
    ck_assert_int_eq(
        alcore_knn(ctx, &others.side, &rows.side, &options, expected, expected_values, NULL, NULL),
        ALCORE_OK);
    ck_assert_int_eq(alcore_knn(ctx, &side, &rows.side, &options, found, values, NULL, NULL),
                     ALCORE_OK);
    ck_assert_mem_eq(found, expected, sizeof found);
    side.column = "embedding";
    ck_assert_int_eq(alcore_knn(ctx, &side, &rows.side, &options, found, values, NULL, NULL),
                     ALCORE_E_NOT_FOUND);
    /* A row that came after the column has no value. */
    side.column = NULL;
    ck_assert_int_eq(alcore_pool_add_texts(pool, texts + 2, 1, NULL, NULL), ALCORE_OK);
    ck_assert_int_eq(alcore_knn(ctx, &side, &rows.side, &options, found, values, NULL, NULL),
                     ALCORE_OK); /* it repeats a text and is masked */
    const char *more[] = {"something else"};
    ck_assert_int_eq(alcore_pool_add_texts(pool, more, 1, NULL, NULL), ALCORE_OK);
    ck_assert_int_eq(alcore_knn(ctx, &side, &rows.side, &options, found, values, NULL, NULL),
                     ALCORE_E_MISSING);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 5"));
    alcore_pool_unref(pool);
}
END_TEST

START_TEST(refusals) {
    matrix rows, others;
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    int64_t found[40];
    double values[40];
    double bad[] = {1, 0, 0.6, (double)NAN, 0, 1};
    side_of(&rows, bad, ALCORE_FLOAT64, 3, 2);
    side_of(&others, l_rows, ALCORE_FLOAT64, 4, 2);
#define REFUSED(status, a, b, o, r, v)                                                             \
    ck_assert_int_eq(alcore_knn(ctx, a, b, o, r, v, NULL, NULL), status)
    REFUSED(ALCORE_E_DATA, &rows.side, &others.side, NULL, found, values);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "rows: row 1"));
    REFUSED(ALCORE_E_DATA, &others.side, &rows.side, NULL, found, values);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "queries: row 1"));
    uint8_t take[] = {1, 0, 1};
    rows.side.take = take;
    REFUSED(ALCORE_OK, &rows.side, &others.side, NULL, found, values);
    /* Finite, though its square is not. */
    bad[3] = 1e300;
    take[1] = 1;
    REFUSED(ALCORE_OK, &rows.side, &others.side, NULL, found, values);
    REFUSED(ALCORE_E_INVALID, NULL, &others.side, NULL, found, values);
    REFUSED(ALCORE_E_INVALID, &rows.side, &others.side, NULL, NULL, NULL);
    REFUSED(ALCORE_E_INVALID, &rows.side, &others.side, NULL, found, NULL);
    options.k = ALCORE_KNN_MOST + 1;
    REFUSED(ALCORE_E_INVALID, &rows.side, &others.side, &options, found, values);
    options.k = -1;
    REFUSED(ALCORE_E_INVALID, &rows.side, &others.side, &options, found, values);
    options.k = 0;
    options.metric = 3;
    REFUSED(ALCORE_E_INVALID, &rows.side, &others.side, &options, found, values);
    options.metric = 0;
    options.device = "tpu";
    REFUSED(ALCORE_E_PARAM, &rows.side, &others.side, &options, found, values);
    alcore_search_side side = ALCORE_SEARCH_SIDE_INIT;
    REFUSED(ALCORE_E_INVALID, &side, &others.side, NULL, found, values);
    side_of(&rows, bad, ALCORE_FLOAT64, 2, 3);
    REFUSED(ALCORE_E_SHAPE, &rows.side, &others.side, NULL, found, values);
    rows.side.unit = 2;
    REFUSED(ALCORE_E_INVALID, &rows.side, &others.side, NULL, found, values);
    int64_t whole[] = {1, 2, 3, 4};
    side_of(&rows, whole, ALCORE_INT64, 2, 2);
    REFUSED(ALCORE_E_SHAPE, &rows.side, &others.side, NULL, found, values);
    ck_assert_int_eq(alcore_margin_ratios(ctx, &others.side, &others.side, NULL, NULL, NULL),
                     ALCORE_E_INVALID);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("search_vectors");
    TCase *vectors = tcase_create("vectors");
    tcase_add_checked_fixture(vectors, setup, teardown);
    tcase_set_timeout(vectors, 60);
    tcase_add_loop_test(vectors, block_neighbors, 0, 2);
    tcase_add_test(vectors, margin_ratios);
    tcase_add_test(vectors, both_ways);
    tcase_add_test(vectors, places_without_neighbors);
    tcase_add_test(vectors, pool_columns);
    tcase_add_test(vectors, refusals);
    suite_add_tcase(suite, vectors);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
