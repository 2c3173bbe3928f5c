/* SPDX-License-Identifier: Apache-2.0 */
/* The long calls on matrices, for the walk of cancellations: hidden states and logits, searches,
 * analyses and plots. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cancel_calls.h"
#include "cancel_parts.h"

enum { NEAR = 4, QUERIES = 2000 };

/* The embeddings as hidden states, and as an output matrix with a class for each row. */
alcore_status call_logits(void) {
    alcore_tensor view, entropies;
    alcore_logits given = ALCORE_LOGITS_INIT;
    alcore_token_stats out = ALCORE_TOKEN_STATS_INIT;
    alcore_status status = alcore_pool_get_column(pool, "embeddings", &view, NULL);
    if (status != ALCORE_OK) return status;
    given.hidden = given.output = &view;
    double *numbers = malloc(sizeof *numbers * (size_t)row_count);
    out.entropy = &entropies;
    status = alcore_tensor_init(&entropies, numbers, ALCORE_FLOAT64, &row_count, 1);
    if (status == ALCORE_OK) status = alcore_logits_measure(ctx, &given, -100, &out);
    free(numbers);
    return status;
}
/* The embeddings as hidden states: a row has one token, which begins a word. */
alcore_status call_first_subword_mean(void) {
    alcore_tensor view, words, offsets, out;
    alcore_status status = alcore_pool_get_column(pool, "embeddings", &view, NULL);
    if (status != ALCORE_OK) return status;
    int64_t ends = row_count + 1, shape[2] = {row_count, view.shape[1]};
    int64_t *starts = malloc(sizeof *starts * (size_t)ends);
    double *means = malloc(sizeof *means * (size_t)(shape[0] * shape[1]));
    for (int64_t i = 0; i < ends; i++) starts[i] = i;
    status = alcore_tensor_init(&words, starts, ALCORE_INT64, &row_count, 1);
    if (status == ALCORE_OK) status = alcore_tensor_init(&offsets, starts, ALCORE_INT64, &ends, 1);
    if (status == ALCORE_OK) status = alcore_tensor_init(&out, means, ALCORE_FLOAT64, shape, 2);
    if (status == ALCORE_OK)
        status = alcore_hidden_average_words(ctx, &view, &words, &offsets, &out);
    free(starts);
    free(means);
    return status;
}
/* The embeddings of all rows, and of the first QUERIES. */
static alcore_status search_data(alcore_search_data *rows, alcore_search_data *queries,
                                 alcore_tensor *view, alcore_tensor *first, int64_t shape[2]) {
    alcore_status status = alcore_pool_get_column(pool, "embeddings", view, NULL);
    *first = *view;
    shape[0] = QUERIES < row_count ? QUERIES : row_count;
    shape[1] = DIMS;
    first->shape = shape;
    rows->matrix = view;
    queries->matrix = first;
    return status;
}
alcore_status call_knn(void) {
    alcore_search_data rows = ALCORE_SEARCH_DATA_INIT, queries = ALCORE_SEARCH_DATA_INIT;
    alcore_tensor view, first, found, values;
    int64_t shape[2], near[2] = {0, NEAR}, *numbers = malloc(sizeof *numbers * QUERIES * NEAR);
    double *distances = malloc(sizeof *distances * QUERIES * NEAR);
    alcore_status status = search_data(&rows, &queries, &view, &first, shape);
    near[0] = shape[0];
    if (status == ALCORE_OK) status = alcore_tensor_init(&found, numbers, ALCORE_INT64, near, 2);
    if (status == ALCORE_OK)
        status = alcore_tensor_init(&values, distances, ALCORE_FLOAT64, near, 2);
    if (status == ALCORE_OK)
        status = alcore_search_knn(ctx, &rows, &queries, NEAR, NULL, &found, &values, NULL, NULL);
    free(distances);
    free(numbers);
    return status;
}
alcore_status call_margin_ratios(void) {
    alcore_search_data rows = ALCORE_SEARCH_DATA_INIT, others = ALCORE_SEARCH_DATA_INIT;
    alcore_tensor view, first, ratios;
    int64_t shape[2];
    double *values = malloc(sizeof *values * (size_t)row_count);
    alcore_status status = search_data(&rows, &others, &view, &first, shape);
    if (status == ALCORE_OK)
        status = alcore_tensor_init(&ratios, values, ALCORE_FLOAT64, &row_count, 1);
    if (status == ALCORE_OK)
        status = alcore_search_margin_ratios(ctx, &rows, &others, NEAR, NULL, &ratios, NULL);
    free(values);
    return status;
}
static alcore_status correlate(int64_t near) {
    const int64_t k[1] = {near};
    alcore_search_data rows = ALCORE_SEARCH_DATA_INIT, queries = ALCORE_SEARCH_DATA_INIT;
    alcore_tensor view, first, out;
    int64_t shape[2], pair[2] = {1, 2};
    double answer[2], *u = calloc((size_t)row_count, sizeof *u);
    alcore_status status = search_data(&rows, &queries, &view, &first, shape);
    if (status == ALCORE_OK) status = alcore_tensor_init(&out, answer, ALCORE_FLOAT64, pair, 2);
    if (status == ALCORE_OK)
        status = alcore_analysis_compute_neighborhood(ctx, &rows, u, row_count, &queries, u,
                                                      shape[0], k, 1, NULL, &out);
    free(u);
    return status;
}
alcore_status call_neighborhood(void) {
    return correlate(NEAR);
}
/* Lists of more neighbors than the kernel keeps. */
alcore_status call_long_neighborhood(void) {
    return correlate(ALCORE_NEIGHBORHOOD_MAX);
}
alcore_status call_composition(void) {
    alcore_search_data rows = ALCORE_SEARCH_DATA_INIT, queries = ALCORE_SEARCH_DATA_INIT;
    alcore_composition_options options = ALCORE_COMPOSITION_OPTIONS_INIT;
    alcore_composition_result out = ALCORE_COMPOSITION_RESULT_INIT;
    alcore_tensor view, first;
    int64_t shape[2];
    const int64_t selected[1] = {row_count / 2};
    alcore_status status = search_data(&rows, &queries, &view, &first, shape);
    options.source = &rows;
    options.target = &queries;
    if (status == ALCORE_OK)
        status = alcore_analysis_compute_composition(ctx, pool, selected, 1, &options, &out);
    return status;
}
alcore_status call_leverage(void) {
    alcore_leverage_result out = ALCORE_LEVERAGE_RESULT_INIT;
    int64_t *rows = malloc(sizeof *rows * (size_t)row_count);
    alcore_status status;
    for (int64_t i = 0; i < row_count; i++) rows[i] = i;
    status = alcore_analysis_compute_leverage(pool, rows, row_count, labeled, NULL, &out);
    free(rows);
    return status;
}
alcore_status call_projection(void) {
    alcore_search_data rows = ALCORE_SEARCH_DATA_INIT;
    alcore_tensor view, out;
    int64_t shape[2] = {row_count, 2};
    double *points = malloc(sizeof *points * 2 * (size_t)row_count);
    alcore_status status = alcore_pool_get_column(pool, "embeddings", &view, NULL);
    rows.matrix = &view;
    if (status == ALCORE_OK) status = alcore_tensor_init(&out, points, ALCORE_FLOAT64, shape, 2);
    if (status == ALCORE_OK)
        status = alcore_analysis_compute_projection(ctx, &rows, NULL, NULL, &out, NULL, NULL, NULL);
    free(points);
    return status;
}
/* A plot in which every row of the pool is an observation. */
static alcore_status write_plot(bool curves, const char *name) {
    const char **series = malloc(sizeof *series * (size_t)row_count);
    double *x = malloc(sizeof *x * (size_t)row_count);
    for (int64_t i = 0; i < row_count; i++) {
        series[i] = i % 2 ? "odd" : "even";
        x[i] = (double)(i % 5003);
    }
    alcore_status status = curves
                               ? SAVING(alcore_plot_write_curves(ctx, series, NULL, NULL, x, x,
                                                                 row_count, in_folder(name), NULL))
                               : SAVING(alcore_plot_write_points(ctx, series, NULL, NULL, x, x,
                                                                 row_count, in_folder(name), NULL));
    free(x);
    free(series);
    return status;
}
alcore_status call_write_curves(void) {
    return write_plot(true, "curves.svg");
}
alcore_status call_write_points(void) {
    return write_plot(false, "points.svg");
}
/* Logits of two classes, which are the probabilities of the pool, to a column of every row. */
alcore_status call_logits_put(void) {
    alcore_tensor view, labels;
    alcore_logits given = ALCORE_LOGITS_INIT;
    alcore_logits_writers out = ALCORE_LOGITS_WRITERS_INIT;
    int64_t *rows = malloc(sizeof *rows * (size_t)row_count),
            *ones = malloc(sizeof *ones * (size_t)row_count);
    for (int64_t i = 0; i < row_count; i++) {
        rows[i] = i;
        ones[i] = 1;
    }
    alcore_status status = alcore_pool_get_column(pool, "probs", &view, NULL);
    if (status == ALCORE_OK)
        status = alcore_tensor_init(&labels, ones, ALCORE_INT64, &row_count, 1);
    if (status == ALCORE_OK)
        status = alcore_column_writer_new(pool, "nnll", ALCORE_COLUMN_SCALAR, NULL, &out.nnll);
    given.logits = &view;
    given.labels = &labels;
    given.lengths = ones;
    given.length_count = row_count;
    if (status == ALCORE_OK) status = alcore_logits_put(ctx, &given, rows, row_count, -100, &out);
    alcore_column_writer_unref(out.nnll);
    free(ones);
    free(rows);
    return status;
}
/* Two classes of equal probability of the one token of every row. */
alcore_status call_logits_put_topk(void) {
    alcore_tensor top;
    alcore_topk given = ALCORE_TOPK_INIT;
    alcore_logits_writers out = ALCORE_LOGITS_WRITERS_INIT;
    int64_t shape[2] = {row_count, 2}, *rows = malloc(sizeof *rows * (size_t)row_count);
    double *numbers = malloc(sizeof *numbers * 2 * (size_t)row_count);
    for (int64_t i = 0; i < row_count; i++) {
        rows[i] = i;
        numbers[2 * i] = numbers[2 * i + 1] = log(0.5);
    }
    alcore_status status = alcore_tensor_init(&top, numbers, ALCORE_FLOAT64, shape, 2);
    if (status == ALCORE_OK)
        status = alcore_column_writer_new(pool, "m", ALCORE_COLUMN_SCALAR, NULL, &out.margins);
    given.top = &top;
    if (status == ALCORE_OK) status = alcore_logits_put_topk(ctx, &given, rows, row_count, &out);
    alcore_column_writer_unref(out.margins);
    free(numbers);
    free(rows);
    return status;
}
alcore_status call_served_read(void) {
    alcore_logits_writers out = ALCORE_LOGITS_WRITERS_INIT;
    alcore_status status =
        alcore_column_writer_new(pool, "n", ALCORE_COLUMN_SCALAR, NULL, &out.nnll);
    if (status == ALCORE_OK)
        status = alcore_served_read(pool, in_folder("answers.jsonl"), NULL, &out);
    alcore_column_writer_unref(out.nnll);
    return status;
}
