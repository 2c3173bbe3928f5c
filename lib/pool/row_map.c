/* SPDX-License-Identifier: Apache-2.0 */
/* Maps from pool rows to entries of a column: sorted rows that are searched by bisection. An entry
 * is what a column has of one row; a column without a map has one for each row, entry i for row i.
 * Making a map of m entries takes one pass, or m log m where the caller's rows are not ascending.
 */
#include "pool/row_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A row and its entry, for sorting. */
typedef struct pair {
    int64_t row, entry;
} pair;

/* Order of pairs: by row, then by entry, so that equal rows are neighbors. */
static int compare_pairs(const void *a, const void *b) {
    const pair *x = a, *y = b;
    return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
                            : (x->entry > y->entry) - (x->entry < y->entry);
}

void alcore__row_map_free(alcore_ctx *ctx, alcore__row_map *map) {
    if (!map) return;
    alcore__free(ctx, map->rows);
    alcore__free(ctx, map->entries);
    alcore__free(ctx, map);
}

/* Checks that rows [count] are rows of the pool. *out_identity: they are 0, 1, 2, ... of all of the
 * pool, so that no map is needed; *out_ascending: each is above the one before it. */
static alcore_status check_rows(const int64_t *rows, int64_t count, int64_t pool_rows,
                                bool *out_identity, bool *out_ascending) {
    *out_identity = count == pool_rows;
    *out_ascending = true;
    for (int64_t i = 0; i < count; i++) {
        if (rows[i] < 0 || rows[i] >= pool_rows)
            return alcore__fail(ALCORE_E_NOT_FOUND,
                                "entry %" PRId64 " is for row %" PRId64 ", the pool has %" PRId64
                                " rows",
                                i, rows[i], pool_rows);
        *out_identity &= rows[i] == i;
        *out_ascending &= i == 0 || rows[i] > rows[i - 1];
    }
    return ALCORE_OK;
}

/* Fills in the map of map->count entries: rows ascending, and the entry of each, which is left out
 * (entries NULL: entry i) where the caller's rows are ascending already. rows are copied. A row
 * that is there twice is an error. After a failure the caller frees the map. */
static alcore_status fill(alcore_ctx *ctx, alcore__row_map *map, const int64_t *rows,
                          bool ascending) {
    const size_t count = (size_t)map->count;
    pair *pairs;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *map->rows, &map->rows));
    if (ascending) {
        if (count > 0) memcpy(map->rows, rows, count * sizeof *rows);
        return ALCORE_OK;
    }
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *map->entries, &map->entries));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *pairs, &pairs));
    for (size_t i = 0; i < count; i++) pairs[i] = (pair){.row = rows[i], .entry = (int64_t)i};
    const alcore_status status = alcore__sort(ctx, pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < count && status == ALCORE_OK; i++) {
        map->rows[i] = pairs[i].row;
        map->entries[i] = pairs[i].entry;
    }
    alcore__free(ctx, pairs);
    ALCORE__TRY(status);
    for (size_t i = 1; i < count; i++)
        if (map->rows[i] == map->rows[i - 1])
            return alcore__fail(ALCORE_E_DATA,
                                "entries %" PRId64 " and %" PRId64 " are both for row %" PRId64,
                                map->entries[i - 1], map->entries[i], map->rows[i]);
    return ALCORE_OK;
}

/* Called for every column whose options name rows. Rows that are checked to be 0, 1, 2, ... need no
 * map, and ascending ones no list of entries. */
alcore_status alcore__row_map_new(alcore_ctx *ctx, const int64_t *rows, int64_t count,
                                  int64_t pool_rows, alcore__row_map **out) {
    bool identity, ascending;
    alcore__row_map *map;
    *out = NULL;
    ALCORE__TRY(check_rows(rows, count, pool_rows, &identity, &ascending));
    if (identity) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *map, &map));
    map->count = count;
    alcore_status status = fill(ctx, map, rows, ascending);
    if (status != ALCORE_OK) {
        alcore__row_map_free(ctx, map);
        return status;
    }
    *out = map;
    return ALCORE_OK;
}

/* Index in map->rows of the first row that is not below `row`; map->count when there is none. */
static int64_t lower_bound(const alcore__row_map *map, int64_t row) {
    int64_t low = 0, high = map->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (map->rows[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The entry at an index of the map. */
static int64_t entry_at(const alcore__row_map *map, int64_t index) {
    return map->entries ? map->entries[index] : index;
}

/* The entry of a row, from 0; -1: none. Rows that were added to the pool after the column was set,
 * and numbers that are no rows, have no entry. */
int64_t alcore__column_entry(const alcore__column *column, int64_t row) {
    const alcore__row_map *map = column->map;
    if (row < 0 || row >= column->row_count) return -1;
    if (!map) return row;
    const int64_t index = lower_bound(map, row);
    return index < map->count && map->rows[index] == row ? entry_at(map, index) : -1;
}

bool alcore__column_has(const alcore__column *column, int64_t row) {
    return alcore__column_entry(column, row) >= 0;
}

/* The length of the longest run of rows from `first` on, at most count (1 or more), that either all
 * have consecutive entries, of which *out_entry is the first, or all have none (*out_entry -1).
 * Rows from column->row_count on have none. Readers call it to copy or hand out as many rows as
 * possible at once. index: that of the row, or of the next row with an entry, in map->rows. */
int64_t alcore__column_run(const alcore__column *column, int64_t first, int64_t count,
                           int64_t *out_entry) {
    const alcore__row_map *map = column->map;
    const int64_t end = first + count;
    *out_entry = alcore__column_entry(column, first);
    if (first >= column->row_count) return count;
    const int64_t covered = end < column->row_count ? end : column->row_count;
    if (!map) return covered - first;
    int64_t row = first + 1;
    int64_t index = lower_bound(map, first);
    if (*out_entry < 0) {
        const int64_t next = index < map->count ? map->rows[index] : covered;
        return (next < covered ? next : covered) - first;
    }
    while (row < covered && ++index < map->count && map->rows[index] == row &&
           entry_at(map, index) == *out_entry + (row - first))
        row++;
    return row - first;
}
