/* SPDX-License-Identifier: Apache-2.0 */
/* A search over blocks of rows on the context's threads, with bounded memory.
 *
 * The queries are processed in slabs that fit into memory. For each slab all rows pass once, in
 * blocks; a task compares one block with the slab. Each thread keeps the k best rows of each query
 * of the slab, and the lists of the threads are merged after the slab. The k best queries of a row
 * are written by whichever task has its block, and grow from slab to slab. */
#ifndef ALCORE__SEARCH_RUN_H
#define ALCORE__SEARCH_RUN_H

#include "search/search_data.h"

/* Lists of neighbors, the best first; row NULL: not wanted. */
typedef struct alcore__search_best {
    int64_t *row;  /* [items, k] -1: fewer than k neighbors */
    double *value; /* [items, k] squared distance, product or cosine */
} alcore__search_best;

/* What both kinds of search share. The queries of margin ratios are called "others" outside. */
typedef struct alcore__search_run {
    alcore_ctx *ctx;
    alcore__engine engine;
    alcore__search_data rows, queries;
    alcore_sys_search search;
    int64_t k; /* neighbors of each item */
    int32_t threads;
    int64_t slab;              /* largest number of queries of a slab */
    int64_t block;             /* rows of a block */
    alcore_sys_rows queried;   /* the queries of the present slab */
    alcore__scratch *scratch;  /* [threads + 1]: one a thread; the last one has the slab */
    double *dots;              /* [threads + 1, block] squared norms, for the check of finiteness */
    alcore__search_best *each; /* [threads] best rows of the slab's queries; NULL: not wanted */
    alcore__search_best of_rows; /* best queries of each row; row NULL: not wanted */
    /* of margin ratios, by row or by query number: */
    const double *row_half, *query_half; /* half-sums of the k largest cosines */
    double *ratio;                       /* [rows] largest ratio so far */
    int64_t *other;                      /* [rows] query that has it */
    uint8_t *open; /* [rows] 1: a later query may have a larger ratio; 0: the ratio is final */
} alcore__search_run;

/* Reads the options and both operands and allocates the threads' memory. alcore__search_end() is
 * due also after a failure. */
alcore_status alcore__search_begin(alcore_ctx *ctx, const alcore_search_data *rows,
                                   const alcore_search_data *queries, const char *queries_name,
                                   int64_t k, const alcore_search_options *options,
                                   alcore__search_run *run);
void alcore__search_end(alcore__search_run *run);

/* Finds the neighbors of the queries (unless of_queries.row is NULL) and, in the same passes, those
 * of the rows (unless run->of_rows.row is NULL). */
alcore_status alcore__search_neighbors(alcore__search_run *run, alcore__search_best of_queries);

/* Reads the slab of queries that begins at `first`; check: refuses values that are not finite. */
alcore_status alcore__search_slab(alcore__search_run *run, int64_t first, bool check);
/* Runs the task for every block of rows, on the context's threads. */
alcore_status alcore__search_blocks(alcore__search_run *run, alcore__task task);
/* Reads block `index` of the rows, for worker `worker`. */
alcore_status alcore__search_block(alcore__search_run *run, int64_t index, int32_t worker,
                                   bool check, alcore_sys_rows *out);

#endif
