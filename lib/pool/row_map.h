/* SPDX-License-Identifier: Apache-2.0 */
/* Which entry of a column belongs to a pool row: alcore_column_options.rows, or the rows that a
 * writer was given. */
#ifndef ALCORE__ROW_MAP_H
#define ALCORE__ROW_MAP_H

#include "base/base.h"
#include "pool/column.h"

typedef struct alcore__row_map {
    uint64_t *has;    /* [ceil(rows of the pool / 64)] bit row % 64 of word row / 64: the row has an
                         entry; owned */
    int64_t *before;  /* likewise: the bits set in the words before this one; owned */
    int64_t *entries; /* [count] the entry of the row of each rank (how many rows below it have an
                         entry); NULL: it is the rank; owned */
    int64_t count;    /* rows that have an entry */
} alcore__row_map;

/* Makes the map of `count` entries of which entry i belongs to pool row rows[i]; rows may be in any
 * order. Fails with ALCORE_E_NOT_FOUND for a row that the pool lacks, with ALCORE_E_DATA for a row
 * that is there twice. *out is NULL when entry i belongs to row i for all pool_rows rows. */
alcore_status alcore__row_map_new(alcore_ctx *ctx, const int64_t *rows, int64_t count,
                                  int64_t pool_rows, alcore__row_map **out);
void alcore__row_map_free(alcore_ctx *ctx, alcore__row_map *map); /* NULL-safe */

/* Called once the values of a column are in another order than its entries were. by_rank: in that
 * of the rows which have one; by_row: with one for each row of the pool, those without an entry
 * too. The map goes where every row has an entry. */
void alcore__row_map_by_rank(alcore__column *column);
alcore_status alcore__row_map_by_row(alcore__column *column);

/* The entry of a row of a column; -1 when it has none. */
int64_t alcore__column_entry(const alcore__column *column, int64_t row);
/* Returns the length of the longest run of rows from `first` on, 1 to count, that either all have
 * entries which follow one another (*out_entry: the first of them) or all have none (*out_entry
 * -1).
 */
int64_t alcore__column_run(const alcore__column *column, int64_t first, int64_t count,
                           int64_t *out_entry);

#endif
