/* SPDX-License-Identifier: Apache-2.0 */
/* Which entry of a column belongs to a pool row: alcore_column_options.rows, or the rows that a
 * writer was given. */
#ifndef ALCORE__ROW_MAP_H
#define ALCORE__ROW_MAP_H

#include "base/base.h"
#include "pool/column.h"

typedef struct alcore__row_map {
    int64_t *rows;    /* [count] ascending */
    int64_t *entries; /* [count] the entry of rows[i]; NULL: entry i */
    int64_t count;
} alcore__row_map;

/* A map of `count` entries, entry i being pool row rows[i]. ALCORE_E_NOT_FOUND, ALCORE_E_DATA (a
 * row twice). *out is NULL when entry i simply is row i, for all of pool_rows. */
alcore_status alcore__row_map_new(alcore_ctx *ctx, const int64_t *rows, int64_t count,
                                  int64_t pool_rows, alcore__row_map **out);
void alcore__row_map_free(alcore_ctx *ctx, alcore__row_map *map); /* NULL-safe */

/* The entry of a row of a column; -1 when it has none. */
int64_t alcore__column_entry(const alcore__column *column, int64_t row);
/* The entries of the longest run of rows from first on (at most count) whose entries follow one
 * another: *out_entry is the first of them, or -1 for a run of rows without one. Returns the length
 * of the run, at least 1. */
int64_t alcore__column_run(const alcore__column *column, int64_t first, int64_t count,
                           int64_t *out_entry);

#endif
