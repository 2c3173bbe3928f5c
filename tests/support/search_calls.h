/* SPDX-License-Identifier: Apache-2.0 */
/* Searches into plain arrays, for tests that know how large they are. */
#ifndef SEARCH_CALLS_H
#define SEARCH_CALLS_H

#include "alcore/search.h"

/* Memory for a tensor over a test's array, which test_out_of() fills. */
typedef struct test_out {
    int64_t shape[2];
    alcore_tensor tensor;
} test_out;
/* A tensor over data [rows, columns]; NULL for data that is NULL. */
static inline const alcore_tensor *test_out_of(test_out *out, void *data, int32_t dtype,
                                               int64_t rows, int64_t columns) {
    out->shape[0] = rows;
    out->shape[1] = columns;
    if (!data || alcore_tensor_init(&out->tensor, data, dtype, out->shape, 2) != ALCORE_OK)
        return NULL;
    return &out->tensor;
}

/* The rows of search data: of its matrix, or of its pool. */
static inline int64_t test_search_count(const alcore_search_data *data) {
    if (!data) return 0;
    return data->matrix ? data->matrix->shape[0] : alcore_pool_row_count(data->pool);
}

/* alcore_search_knn() into arrays: out_rows and out_values [queries, k], out_queries and
 * out_query_values [rows, k]; any may be NULL. */
static inline alcore_status test_knn(alcore_ctx *ctx, const alcore_search_data *rows,
                                     const alcore_search_data *queries, int64_t k,
                                     const alcore_search_options *options, int64_t *out_rows,
                                     double *out_values, int64_t *out_queries,
                                     double *out_query_values) {
    const int64_t row_count = test_search_count(rows), query_count = test_search_count(queries);
    const int64_t width = k > 0 && k <= ALCORE_KNN_MAX ? k : 1;
    test_out out[4];
    return alcore_search_knn(
        ctx, rows, queries, k, options,
        test_out_of(&out[0], out_rows, ALCORE_INT64, query_count, width),
        test_out_of(&out[1], out_values, ALCORE_FLOAT64, query_count, width),
        test_out_of(&out[2], out_queries, ALCORE_INT64, row_count, width),
        test_out_of(&out[3], out_query_values, ALCORE_FLOAT64, row_count, width));
}

/* alcore_search_margin_ratios() into arrays [rows]; any may be NULL. */
static inline alcore_status test_margin_ratios(alcore_ctx *ctx, const alcore_search_data *rows,
                                               const alcore_search_data *others, int64_t k,
                                               const alcore_search_options *options,
                                               double *out_ratios, int64_t *out_others) {
    const int64_t count = test_search_count(rows);
    test_out out[2];
    return alcore_search_margin_ratios(ctx, rows, others, k, options,
                                       test_out_of(&out[0], out_ratios, ALCORE_FLOAT64, count, 1),
                                       test_out_of(&out[1], out_others, ALCORE_INT64, count, 1));
}

#endif
