/* SPDX-License-Identifier: Apache-2.0 */
/* k nearest neighbors: the nearest rows of each query, the nearest queries of each row, or both in
 * one search (search_run.h).
 *
 * Words of this file:
 *
 *     item        a row or a query; a mask leaves items out, whose lists then have free entries
 *     slab        adjacent queries that are in memory at once; for each slab all rows are read once
 *     list        the k neighbors of one item, the best first: row numbers of the other operand,
 *                 counted from its row 0, and values by the metric, squared distances (L2, smaller
 *                 is nearer), products or cosines (larger is nearer)
 *     free entry  of a list: there is no such neighbor; row -1, value NaN
 *     pruning     leaving out pairs that a bound shows to be no neighbors. The bound is computed
 *                 from the products with a few directions, the basis (search_basis.c); it changes
 *                 the time of a search, not its result
 *
 * Each thread keeps its k best rows of every query of the slab, from the blocks that it compared;
 * the lists of the threads are merged after the slab. The order by value and row is total, so the
 * result does not depend on which thread compared which block. */
#include <math.h>
#include <string.h>

#include "kernel/device_result.h"
#include "search/neighbor_list.h"
#include "search/search_basis.h"

/* Task `index` of alcore__parallel(): compares one block of rows with the present slab of queries,
 * run->queried, and joins what it finds to the lists. Lists of queries: run->thread_best[worker],
 * [slab, k], of this worker's own, so that no two tasks write to one (NULL: not wanted). Lists of
 * rows: run->row_best [rows, k], of which rows.first * k is the first entry of this block (row
 * NULL: not wanted); no other task has these rows. Lists of queries alone may be longer than the
 * kernel's; they have the workspace run->thread_tails[worker]. With the first slab, which begins at
 * query 0, the rows are also checked for values that are not finite. */
static alcore_status knn_block(void *data, int64_t index, int32_t worker) {
    alcore__search_run *run = data;
    alcore_sys_rows rows;
    alcore_sys_work work = alcore__search_work(run);
    ALCORE__TRY(alcore__search_block(run, index, worker, run->queried.first == 0, &rows));
    alcore_sys_best query_best = {.k = run->k}, row_best = {.k = run->k};
    const uint8_t *mask = alcore__search_data_mask(&run->rows, rows.first);
    const uint8_t *query_mask = alcore__search_data_mask(&run->queries, run->queried.first);
    if (run->thread_best) {
        query_best.row = run->thread_best[worker].row;
        query_best.value = run->thread_best[worker].value;
    }
    if (run->thread_tails)
        return alcore__neighbor_join_long(run->ctx, run->engine.kernels, &work, &rows, mask,
                                          &run->queried, query_mask, &run->search, &query_best,
                                          run->thread_tails[worker].row,
                                          run->thread_tails[worker].value);
    if (run->row_best.row) {
        row_best.row = run->row_best.row + rows.first * run->k;
        row_best.value = run->row_best.value + rows.first * run->k;
    }
    return run->engine.kernels->knn(&work, &rows, mask, &run->queried, query_mask, &run->search,
                                    run->thread_best ? &query_best : NULL,
                                    run->row_best.row ? &row_best : NULL);
}

/* Merges the threads' sorted lists of query q, its index in the slab, to row and value [k], the
 * best first. Its entries in thread_best[t] begin at q * k. Called after each slab, on the calling
 * thread. next [threads]: workspace, the index of the next entry of each list. No row is in two
 * lists, as each block was compared by one thread. Free entries sort last, so a merged list with
 * fewer than k neighbors ends with them. */
static void merge(const alcore__search_run *run, int64_t q, int32_t *next, int64_t *row,
                  double *value) {
    int64_t k = run->k, base = q * k;
    memset(next, 0, (size_t)run->threads * sizeof *next);
    for (int64_t p = 0; p < k; p++) {
        int32_t best = 0; /* the thread whose next entry comes first */
        for (int32_t t = 1; t < run->threads; t++) {
            const alcore__search_best *a = &run->thread_best[t], *b = &run->thread_best[best];
            if (alcore__neighbor_precedes(run->search.metric, a->value[base + next[t]],
                                          a->row[base + next[t]], b->value[base + next[best]],
                                          b->row[base + next[best]]))
                best = t;
        }
        row[p] = run->thread_best[best].row[base + next[best]];
        value[p] = run->thread_best[best].value[base + next[best]];
        /* Keeps next below k: when a list has been read to its end, k entries have been merged, and
         * the loop ends. */
        if (next[best] + 1 < k) next[best]++;
    }
}

/* Makes `count` entries of lists free: row -1, value NaN. count: items times k. The struct is
 * passed by value; what its pointers refer to is written. */
static void set_free(alcore__search_best best, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        best.row[i] = -1;
        best.value[i] = (double)NAN;
    }
}

/* Allocates row and value [entries] of each of the threads. */
static alcore_status new_thread_lists(const alcore__search_run *run, size_t entries,
                                      alcore__search_best **out) {
    size_t threads = (size_t)run->threads;
    ALCORE__TRY(alcore__new_array(run->ctx, threads, sizeof **out, out));
    for (size_t t = 0; t < threads; t++) {
        ALCORE__TRY(alcore__new_array(run->ctx, entries, sizeof(int64_t), &(*out)[t].row));
        ALCORE__TRY(alcore__new_array(run->ctx, entries, sizeof(double), &(*out)[t].value));
    }
    return ALCORE_OK;
}

/* Allocates the lists of every thread, thread_best[t] [slab, k]: the k best rows of each query of a
 * slab; and, where these are longer than the kernel's, thread_tails[t]. They are used for one slab
 * after the other and freed by alcore__search_end(), as is what was allocated before a failure. */
static alcore_status new_lists(alcore__search_run *run) {
    ALCORE__TRY(new_thread_lists(run, (size_t)(run->slab * run->k), &run->thread_best));
    if (run->k <= ALCORE__KERNEL_NEIGHBORS) return ALCORE_OK;
    return new_thread_lists(run, (size_t)ALCORE__LONG_QUERIES * ALCORE__KERNEL_NEIGHBORS,
                            &run->thread_tails);
}

/* Compares the slab of queries that begins at query `first` with all rows and merges the lists of
 * the threads to those of the slab, query_best [slab, k]; run->row_best [rows, k] is updated by the
 * tasks themselves. Either is left out when its row is NULL; that of query_best is NULL in every
 * call for a run or in none. The threads' lists and run->merged [threads], the workspace of
 * merge(), are allocated for the first slab and freed by alcore__search_end(). */
alcore_status alcore__search_slab_neighbors(alcore__search_run *run, int64_t first,
                                            alcore__search_best query_best) {
    if (query_best.row && !run->thread_best) ALCORE__TRY(new_lists(run));
    if (!run->merged)
        ALCORE__TRY(
            alcore__new_array(run->ctx, (size_t)run->threads, sizeof *run->merged, &run->merged));
    if (first == 0) ALCORE__TRY(alcore__search_convert_rows(run));
    ALCORE__TRY(alcore__search_slab(run, first, true /* refuse values that are not finite */));
    for (int32_t t = 0; run->thread_best && t < run->threads; t++)
        set_free(run->thread_best[t], run->slab * run->k);
    ALCORE__TRY(alcore__search_blocks(run, knn_block));
    for (int64_t q = 0; run->thread_best && q < run->queried.count; q++) {
        merge(run, q, run->merged, query_best.row + q * run->k, query_best.value + q * run->k);
        /* Done 0 of 0: this only asks for cancellation. */
        if (q % 64 == 0 || run->thread_tails) ALCORE__TRY(alcore__tick(run->ctx, "search", 0, 0));
    }
    return ALCORE_OK;
}

/* Compares all slabs of queries with all rows: query_best [queries, k] and run->row_best [rows, k],
 * slab after slab. Both are overwritten; after a failure they may be so in part. Without queries no
 * row is read or checked, and all lists of rows are free. margin_ratio.c calls it too, for the mean
 * cosines to the neighbors that its ratios are divided by. */
alcore_status alcore__search_neighbors(alcore__search_run *run, alcore__search_best query_best) {
    if (run->row_best.row) set_free(run->row_best, run->rows.count * run->k);
    for (int64_t first = 0; first < run->queries.count; first += run->slab) {
        alcore__search_best slab = {0};
        if (query_best.row)
            slab = (alcore__search_best){.row = query_best.row + first * run->k,
                                         .value = query_best.value + first * run->k};
        ALCORE__TRY(alcore__search_slab_neighbors(run, first, slab));
    }
    return ALCORE_OK;
}

/* Checks a pair of the caller's tensors for the neighbors of `count` items, rows int64 and values
 * float64 [count, k], and sets *best to where they are written (device_result.h); both are given or
 * neither; with neither, best->row is NULL. The names are those of the public parameters, for
 * messages. */
static alcore_status read_best(alcore__results *results, const char *row_name,
                               const alcore_tensor *row_out, const char *value_name,
                               const alcore_tensor *value_out, int64_t count, int64_t k,
                               alcore__search_best *best) {
    void *rows, *values;
    *best = (alcore__search_best){0};
    if (!row_out != !value_out)
        return alcore__fail(ALCORE_E_INVALID, "%s and %s are given together or not at all",
                            row_name, value_name);
    if (!row_out) return ALCORE_OK;
    ALCORE__TRY(
        alcore__results_add(results, row_out, row_name, ALCORE_INT64, count, k, false, &rows));
    ALCORE__TRY(alcore__results_add(results, value_out, value_name, ALCORE_FLOAT64, count, k, false,
                                    &values));
    *best = (alcore__search_best){.row = rows, .value = values};
    return ALCORE_OK;
}

/* The caller's arrays, out_rows .. out_query_values of alcore_search_knn(); NULL: not wanted. */
typedef struct knn_out {
    const alcore_tensor *rows, *values;          /* [queries, k] neighbors of the queries */
    const alcore_tensor *queries, *query_values; /* [rows, k] neighbors of the rows */
} knn_out;

/* The body of alcore_search_knn(), called once the context is entered: reads the arguments, decides
 * whether to prune (basis [leading, dims], float32, of which run.search has a view; NULL: no
 * pruning), searches, and frees everything on one path: alcore__search_begin() leaves a run that
 * can be ended, also when it fails, and results of zeros, which no init has made yet, have nothing
 * to copy or to free. The lists of run.row_best are the caller's arrays or the copies of `results`.
 * After a failure the caller's arrays may be written in part. */
static alcore_status knn(alcore_ctx *ctx, const alcore_search_data *rows,
                         const alcore_search_data *queries, int64_t k,
                         const alcore_search_options *options, const knn_out *out) {
    alcore__search_run run;
    alcore__results results = {0};
    alcore__search_best query_best = {0};
    if (!out->rows && !out->queries)
        return alcore__fail(ALCORE_E_INVALID, "out_rows and out_queries are both NULL");
    ALCORE__TRY(alcore__search_check_k(k, ALCORE_KNN_MAX));
    alcore_status status =
        alcore__search_begin(ctx, rows, "rows", queries, "queries", k, options, &run);
    float *basis = NULL;
    if (!status) alcore__results_init(&results, &run.engine, run.rows.stream);
    if (!status)
        status = read_best(&results, "out_rows", out->rows, "out_values", out->values,
                           run.queries.count, k, &query_best);
    if (!status)
        status = read_best(&results, "out_queries", out->queries, "out_query_values",
                           out->query_values, run.rows.count, k, &run.row_best);
    /* Pruning is for the neighbors of queries alone, for which search_basis.c measures what it
     * saves. When those of the rows are wanted too, a pair could be left out only when bounds
     * exclude it from both of its lists, which is rare. */
    if (!status && !run.row_best.row) status = alcore__search_basis(&run, &basis);
    if (!status) status = alcore__search_neighbors(&run, query_best);
    status = alcore__results_end(&results, status);
    alcore__free(ctx, basis);
    alcore__search_end(&run);
    return status;
}

/* The exact k nearest neighbors between rows and queries, two matrices or columns of a pool with
 * the same number of components, each with an optional mask. out_rows (int64) and out_values
 * (float64) [queries, k] get the lists of the queries, out_queries and out_query_values [rows, k]
 * those of the rows; a pair that is NULL is not wanted, and one of the two is. k: 1 to
 * ALCORE_KNN_MAX. options: metric and device. All arrays are the caller's, in host memory or on a
 * CUDA device. */
alcore_status alcore_search_knn(alcore_ctx *ctx, const alcore_search_data *rows,
                                const alcore_search_data *queries, int64_t k,
                                const alcore_search_options *options, const alcore_tensor *out_rows,
                                const alcore_tensor *out_values, const alcore_tensor *out_queries,
                                const alcore_tensor *out_query_values) {
    const knn_out out = {.rows = out_rows,
                         .values = out_values,
                         .queries = out_queries,
                         .query_values = out_query_values};
    ALCORE__TRY(alcore__enter_long(ctx));
    return alcore__leave(ctx, knn(ctx, rows, queries, k, options, &out));
}
