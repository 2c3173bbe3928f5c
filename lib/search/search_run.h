/* SPDX-License-Identifier: Apache-2.0 */
/* A search over blocks of rows on the context's threads, with bounded memory. */
#ifndef ALCORE__SEARCH_RUN_H
#define ALCORE__SEARCH_RUN_H

#include "search/search_side.h"

/* Where neighbors go; row NULL: not wanted. */
typedef struct alcore__search_best {
    int64_t *row;  /* [items, k] */
    double *value; /* [items, k] */
} alcore__search_best;

/* What both kinds of search share. Queries, or others, are taken a slab at a time; for each slab
 * all rows pass in blocks. */
typedef struct alcore__search_run {
    alcore_ctx *ctx;
    alcore__engine engine;
    alcore__search_side rows, queries;
    alcore_sys_search search;
    int64_t k;
    int32_t threads;
    int64_t slab;              /* most queries of a slab */
    int64_t block;             /* rows of a block */
    alcore_sys_rows queried;   /* the slab */
    alcore__scratch *scratch;  /* [threads + 1]: the last one holds the slab */
    double *dots;              /* [threads + 1, block] */
    alcore__search_best *each; /* [threads] best rows of the slab's queries; NULL: not wanted */
    alcore__search_best of_rows;
    const double *row_half, *query_half; /* of margin ratios */
    double *ratio;
    int64_t *other;
    uint8_t *open; /* [rows] 0: the row's largest ratio is known */
} alcore__search_run;

/* Reads options and sides and makes the threads' memory; alcore__search_end() in any case. */
alcore_status alcore__search_begin(alcore_ctx *ctx, const alcore_search_side *rows,
                                   const alcore_search_side *queries, const char *queries_name,
                                   const alcore_search_options *options, int64_t initial_k,
                                   alcore__search_run *run);
void alcore__search_end(alcore__search_run *run);

/* Neighbors both ways; of_rows is taken from run. */
alcore_status alcore__search_neighbors(alcore__search_run *run, alcore__search_best of_queries);

/* Makes the queries from first on the slab; task then runs for every block of rows. */
alcore_status alcore__search_slab(alcore__search_run *run, int64_t first, bool check);
alcore_status alcore__search_blocks(alcore__search_run *run, alcore__task task);
/* Block `index` of rows. */
alcore_status alcore__search_block(alcore__search_run *run, int64_t index, int32_t worker,
                                   bool check, alcore_sys_rows *out);

#endif
