/* SPDX-License-Identifier: Apache-2.0 */
/* A search over blocks of rows on the context's threads, with bounded memory.
 *
 * The queries are processed in slabs that fit into memory. For each slab all rows are read once, in
 * blocks; a task compares one block with the slab. Each thread keeps the k best rows of each query
 * of the slab, and the lists of the threads are merged after the slab. The k best queries of a row
 * are updated by the task that has its block, once for each slab. */
#ifndef ALCORE__SEARCH_RUN_H
#define ALCORE__SEARCH_RUN_H

#include "search/search_data.h"

/* Lists of neighbors, the best first. An item is a query, whose neighbors are rows, or a row, whose
 * neighbors are queries. row NULL: the lists are not wanted. */
typedef struct alcore__search_best {
    int64_t *row;  /* [items, k] row (or query) of each neighbor; -1 where there are fewer than k */
    double *value; /* [items, k] squared distance, product or cosine, by the metric */
} alcore__search_best;

/* The state of a search; both kinds, k nearest neighbors and margin ratios, use it. The queries of
 * margin ratios are called "others" in the public interface. */
typedef struct alcore__search_run {
    alcore_ctx *ctx;
    alcore__engine engine;
    alcore__search_data rows, queries; /* the two operands */
    alcore_sys_search search;          /* what kernels are told: the metric, and how to prune */
    int32_t given_metric;              /* ALCORE_METRIC_* of the options; 0: none was given */
    int64_t k;                         /* neighbors of each item */
    int32_t threads;
    int64_t slab;             /* largest number of queries of a slab */
    int64_t block;            /* rows of a block */
    alcore_sys_rows queried;  /* [queries of the present slab, dims] */
    alcore__scratch *scratch; /* [threads + 1] in which each thread reads its block; the last one
                                 has the slab */
    double *dots;             /* [threads + 1, block] squared norms, for the check of finiteness */
    alcore__search_best *thread_best;  /* [threads] lists [slab, k] of each thread: best rows of the
                                         slab's queries; NULL: not wanted */
    alcore__search_best *thread_tails; /* [threads] workspace of lists that are longer than the
                                          kernel's, [ALCORE__LONG_QUERIES,
                                          ALCORE__KERNEL_NEIGHBORS]; NULL: they are not */
    /* The rows as the filters of a device compare them, for all slabs; held.memory NULL: they are
     * not kept so. Owned. */
    alcore_sys_converted converted;
    int32_t *merged; /* [threads] workspace for merging these lists; NULL before the first slab */
    alcore__search_best row_best; /* [rows, k] best queries of each row; row NULL: not wanted. Set
                                     after alcore__search_begin() by the caller, whose it is:
                                     alcore__search_end() does not free it */
    /* Used for margin ratios only: */
    const double *row_half;   /* [rows] half the mean cosine to the k nearest queries */
    const double *query_half; /* [queries] half the mean cosine to the k nearest rows */
    double *ratio;            /* [rows] largest ratio so far */
    int64_t *other;           /* [rows] the query that has it; -1: none */
    uint8_t *open;            /* [rows] 1: a later query may have a larger ratio; 0: it is final */
} alcore__search_run;

/* Fails unless k, as a public function was given it, is from 1 to `most`. */
alcore_status alcore__search_check_k(int64_t k, int64_t most);

/* Reads the options and both operands and allocates the threads' memory; the pools of columns are
 * locked until the search ends. The caller ends the search with alcore__search_end(), also after a
 * failure, which may leave run->engine zeroed. k: 1 or more, and at most ALCORE_KNN_MAX where
 * run->row_best is wanted or margin ratios. */
alcore_status alcore__search_begin(alcore_ctx *ctx, const alcore_search_data *rows,
                                   const char *rows_name, const alcore_search_data *queries,
                                   const char *queries_name, int64_t k,
                                   const alcore_search_options *options, alcore__search_run *run);
void alcore__search_end(alcore__search_run *run);

/* Finds the neighbors of the queries, query_best [queries, k], and in the same passes those of the
 * rows, run->row_best [rows, k]; either is left out when its row is NULL. */
alcore_status alcore__search_neighbors(alcore__search_run *run, alcore__search_best query_best);

/* Does the same for one slab of queries only, the one that begins at query `first`: query_best
 * [run->slab, k], for callers that need no more lists at a time (lib/metric). query_best.row is
 * NULL in every call for a run or in none. */
alcore_status alcore__search_slab_neighbors(alcore__search_run *run, int64_t first,
                                            alcore__search_best query_best);

/* Reads the slab of queries that begins at query `first` into run->queried; check: fails when a
 * value is not finite. */
alcore_status alcore__search_slab(alcore__search_run *run, int64_t first, bool check);
/* Lets a device convert the rows once for several passes over them, where they are in its memory.
 * Called before the first pass, when run->ratio is set if it will be. */
alcore_status alcore__search_convert_rows(alcore__search_run *run);
/* The first argument of a kernel that compares the rows. */
alcore_sys_work alcore__search_work(const alcore__search_run *run);
/* Runs the task for every block of rows, on the context's threads. */
alcore_status alcore__search_blocks(alcore__search_run *run, alcore__task task);
/* Reads block `index` of the rows, for worker `worker`. */
alcore_status alcore__search_block(alcore__search_run *run, int64_t index, int32_t worker,
                                   bool check, alcore_sys_rows *out);

#endif
