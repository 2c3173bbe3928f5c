/* SPDX-License-Identifier: Apache-2.0 */
/* k nearest neighbors: rows of queries, queries of rows, or both in one search (search_run.h).
 *
 * Each thread keeps its k best rows of every query of the slab, from the blocks that it compared;
 * the lists of the threads are merged after the slab. The order by value and row is total, so it
 * does not matter which thread compared which block. */
#include <math.h>
#include <string.h>

#include "search/search_basis.h"

/* Task `index` of alcore__parallel(): compares one block of rows with the present slab of queries.
 * Each worker has lists of its own for the queries; those of a row are written by the one task that
 * has the row. The rows' values are checked while the first slab passes only. */
static alcore_status knn_block(void *data, int64_t index, int32_t worker) {
    alcore__search_run *run = data;
    alcore_sys_rows rows;
    alcore_sys_work work = alcore__engine_work(&run->engine);
    /* The rows are checked once, with the first slab. */
    ALCORE__TRY(alcore__search_block(run, index, worker, run->queried.first == 0, &rows));
    alcore_sys_best of_queries = {.k = run->k}, of_rows = {.k = run->k};
    if (run->each) {
        of_queries.row = run->each[worker].row;
        of_queries.value = run->each[worker].value;
    }
    if (run->of_rows.row) {
        of_rows.row = run->of_rows.row + rows.first * run->k;
        of_rows.value = run->of_rows.value + rows.first * run->k;
    }
    return run->engine.kernels->knn(
        &work, &rows, alcore__search_data_mask(&run->rows, rows.first), &run->queried,
        alcore__search_data_mask(&run->queries, run->queried.first), &run->search,
        run->each ? &of_queries : NULL, run->of_rows.row ? &of_rows : NULL);
}

/* Whether neighbor a comes before b; free places come last. */
static bool before(int32_t metric, double value, int64_t row, double other, int64_t other_row) {
    if (row < 0 || other_row < 0) return other_row < 0 && row >= 0;
    if (value != other) return metric == ALCORE_METRIC_L2 ? value < other : value > other;
    return row < other_row;
}

/* Merges the threads' sorted lists of query q (its index in the slab) to row and value [k], the
 * best first. at: workspace [threads], the next entry of each list. Free entries have row -1 and
 * sort last, so a merged list with fewer than k neighbors ends with them. */
static void merge(const alcore__search_run *run, int64_t q, int32_t *at, int64_t *row,
                  double *value) {
    int64_t k = run->k, base = q * k;
    memset(at, 0, (size_t)run->threads * sizeof *at);
    for (int64_t p = 0; p < k; p++) {
        int32_t best = 0;
        for (int32_t t = 1; t < run->threads; t++) {
            const alcore__search_best *a = &run->each[t], *b = &run->each[best];
            if (before(run->search.metric, a->value[base + at[t]], a->row[base + at[t]],
                       b->value[base + at[best]], b->row[base + at[best]]))
                best = t;
        }
        row[p] = run->each[best].row[base + at[best]];
        value[p] = run->each[best].value[base + at[best]];
        /* A list is never read beyond its last entry: after it k entries have been merged. */
        if (at[best] + 1 < k) at[best]++;
    }
}

/* Empties the lists of `count` items: row and value [count, k]. */
static void set_free(alcore__search_best best, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        best.row[i] = -1;
        best.value[i] = (double)NAN;
    }
}

/* Allocates for every thread the k best rows of each query of a slab. */
static alcore_status new_lists(alcore__search_run *run) {
    size_t threads = (size_t)run->threads;
    size_t places = (size_t)(run->slab * run->k);
    ALCORE__TRY(alcore__new_array(run->ctx, threads, sizeof *run->each, &run->each));
    for (size_t t = 0; t < threads; t++) {
        ALCORE__TRY(alcore__new_array(run->ctx, places, sizeof(int64_t), &run->each[t].row));
        ALCORE__TRY(alcore__new_array(run->ctx, places, sizeof(double), &run->each[t].value));
    }
    return ALCORE_OK;
}

/* All slabs of queries against all rows: of_queries [queries, k] is merged from the threads' lists
 * after each slab; run->of_rows [rows, k] grows from slab to slab. */
alcore_status alcore__search_neighbors(alcore__search_run *run, alcore__search_best of_queries) {
    int32_t *at;
    if (of_queries.row) ALCORE__TRY(new_lists(run));
    if (run->of_rows.row) set_free(run->of_rows, run->rows.count * run->k);
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)run->threads, sizeof *at, &at));
    alcore_status status = ALCORE_OK;
    for (int64_t first = 0; first < run->queries.count && !status; first += run->slab) {
        status = alcore__search_slab(run, first, true);
        for (int32_t t = 0; run->each && t < run->threads; t++)
            set_free(run->each[t], run->slab * run->k);
        if (!status) status = alcore__search_blocks(run, knn_block);
        for (int64_t q = 0; run->each && q < run->queried.count && !status; q++) {
            merge(run, q, at, of_queries.row + (first + q) * run->k,
                  of_queries.value + (first + q) * run->k);
            if (q % 64 == 0) status = alcore__tick(run->ctx, "search", 0, 0);
        }
    }
    alcore__free(run->ctx, at);
    return status;
}

/* Checks a pair of the caller's arrays for the neighbors of `count` items: both or neither. */
static alcore_status read_best(const char *row_name, const alcore_tensor *row_out,
                               const char *value_name, const alcore_tensor *value_out,
                               int64_t count, int64_t k, alcore__search_best *best) {
    alcore__array rows, values;
    *best = (alcore__search_best){0};
    if (!row_out != !value_out)
        return alcore__fail(ALCORE_E_INVALID, "%s and %s are given together or not at all",
                            row_name, value_name);
    if (!row_out) return ALCORE_OK;
    ALCORE__TRY(alcore__tensor_output(row_out, row_name, ALCORE_INT64, count, k, &rows));
    ALCORE__TRY(alcore__tensor_output(value_out, value_name, ALCORE_FLOAT64, count, k, &values));
    *best =
        (alcore__search_best){(int64_t *)(uintptr_t)rows.data, (double *)(uintptr_t)values.data};
    return ALCORE_OK;
}

/* The caller's arrays, in the order of alcore_search_knn(). */
typedef struct knn_out {
    const alcore_tensor *rows, *values, *queries, *query_values;
} knn_out;

/* The whole of alcore_search_knn() between entering and leaving: arguments, memory, search. */
static alcore_status knn(alcore_ctx *ctx, const alcore_search_data *rows,
                         const alcore_search_data *queries, int64_t k,
                         const alcore_search_options *options, const knn_out *out) {
    alcore__search_run run;
    alcore__search_best of_queries = {0};
    if (!out->rows && !out->queries)
        return alcore__fail(ALCORE_E_INVALID, "out_rows and out_queries are both NULL");
    alcore_status status = alcore__search_begin(ctx, rows, queries, "queries", k, options, &run);
    float *basis = NULL;
    if (!status)
        status = read_best("out_rows", out->rows, "out_values", out->values, run.queries.count, k,
                           &of_queries);
    if (!status)
        status = read_best("out_queries", out->queries, "out_query_values", out->query_values,
                           run.rows.count, k, &run.of_rows);
    /* With neighbors of rows wanted too, a query that a bound rules out for the rows' lists would
     * still have to be compared for its own: the rotation would save little. */
    if (!status && !run.of_rows.row) status = alcore__search_basis(&run, &basis);
    if (!status) status = alcore__search_neighbors(&run, of_queries);
    alcore__free(ctx, basis);
    alcore__search_end(&run);
    return status;
}

alcore_status alcore_search_knn(alcore_ctx *ctx, const alcore_search_data *rows,
                                const alcore_search_data *queries, int64_t k,
                                const alcore_search_options *options, const alcore_tensor *out_rows,
                                const alcore_tensor *out_values, const alcore_tensor *out_queries,
                                const alcore_tensor *out_query_values) {
    const knn_out out = {out_rows, out_values, out_queries, out_query_values};
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, knn(ctx, rows, queries, k, options, &out));
}
