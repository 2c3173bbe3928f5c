/* SPDX-License-Identifier: Apache-2.0 */
/* Maps from pool rows to entries of a column. An entry is what a column has of one row; a column
 * without a map has one for each row, entry i for row i. A map has a bit for each row of the pool,
 * and for each word of 64 bits the number of bits set before it: the rank of a row, the number of
 * rows below it that have an entry, is found in constant time, in two bits a row. Where the
 * caller's rows ascend the rank is the entry. Making a map takes one pass over the rows. */
#include "pool/row_map.h"

#include <inttypes.h>

enum {
    WORD_ROWS = 64,     /* rows of a word of bits */
    POLL_ROWS = 1 << 16 /* rows between two polls of cancellation */
};

void alcore__row_map_free(alcore_ctx *ctx, alcore__row_map *map) {
    if (!map) return;
    alcore__free(ctx, map->has);
    alcore__free(ctx, map->before);
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

/* The bit of a row in its word. */
static uint64_t bit_of(int64_t row) {
    return UINT64_C(1) << (row % WORD_ROWS);
}

/* Whether a row of the pool has an entry. */
static bool has_entry(const alcore__row_map *map, int64_t row) {
    return map->has[row / WORD_ROWS] & bit_of(row);
}

/* How many rows below `row` have an entry. */
static int64_t rank_of(const alcore__row_map *map, int64_t row) {
    const int64_t word = row / WORD_ROWS;
    return map->before[word] + __builtin_popcountll(map->has[word] & (bit_of(row) - 1));
}

/* The error of a row that entry `second` and an entry before it are for. */
static alcore_status fail_twice(const int64_t *rows, int64_t second) {
    int64_t first = 0;
    while (rows[first] != rows[second]) first++;
    return alcore__fail(ALCORE_E_DATA,
                        "entries %" PRId64 " and %" PRId64 " are both for row %" PRId64, first,
                        second, rows[second]);
}

/* Fills in the map of map->count entries, whose rows are checked: the bits and their counts in
 * words [words], and the entry of each rank, which is left out (entries NULL: the entry is the
 * rank) where the caller's rows are ascending already. A row that is there twice is an error. After
 * a failure the caller frees the map. */
static alcore_status fill(alcore_ctx *ctx, alcore__row_map *map, const int64_t *rows, size_t words,
                          bool ascending) {
    ALCORE__TRY(alcore__new_array(ctx, words, sizeof *map->has, &map->has));
    ALCORE__TRY(alcore__new_array(ctx, words, sizeof *map->before, &map->before));
    for (int64_t i = 0; i < map->count; i++) {
        if (i % POLL_ROWS == 0) ALCORE__TRY(alcore__tick(ctx, NULL, 0, 0));
        if (has_entry(map, rows[i])) return fail_twice(rows, i);
        map->has[rows[i] / WORD_ROWS] |= bit_of(rows[i]);
    }
    for (size_t word = 1; word < words; word++)
        map->before[word] = map->before[word - 1] + __builtin_popcountll(map->has[word - 1]);
    if (ascending) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)map->count, sizeof *map->entries, &map->entries));
    for (int64_t i = 0; i < map->count; i++) {
        if (i % POLL_ROWS == 0) ALCORE__TRY(alcore__tick(ctx, NULL, 0, 0));
        map->entries[rank_of(map, rows[i])] = i;
    }
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
    const size_t words = ((size_t)pool_rows + WORD_ROWS - 1) / WORD_ROWS;
    alcore_status status = fill(ctx, map, rows, words, ascending);
    if (status != ALCORE_OK) {
        alcore__row_map_free(ctx, map);
        return status;
    }
    *out = map;
    return ALCORE_OK;
}

void alcore__row_map_by_rank(alcore__column *column) {
    alcore__row_map *map = column->map;
    alcore__free(column->ctx, map->entries);
    map->entries = NULL;
    if (map->count < column->row_count) return;
    alcore__row_map_free(column->ctx, map);
    column->map = NULL;
}

/* Called when the values have one entry for each row of the pool: the entry of a row that has one
 * is then the row's own number. */
alcore_status alcore__row_map_by_row(alcore__column *column) {
    alcore__row_map *map = column->map;
    int64_t rank = 0;
    if (map->count == column->row_count) {
        alcore__row_map_by_rank(column);
        return ALCORE_OK;
    }
    if (!map->entries)
        ALCORE__TRY(alcore__new_array(column->ctx, (size_t)map->count, sizeof *map->entries,
                                      &map->entries));
    for (int64_t row = 0; row < column->row_count; row++)
        if (has_entry(map, row)) map->entries[rank++] = row;
    return ALCORE_OK;
}

/* The entry of a row that has one. */
static int64_t entry_of(const alcore__row_map *map, int64_t row) {
    const int64_t rank = rank_of(map, row);
    return map->entries ? map->entries[rank] : rank;
}

/* The entry of a row, from 0; -1: none. Rows that were added to the pool after the column was set,
 * and numbers that are no rows, have no entry. */
int64_t alcore__column_entry(const alcore__column *column, int64_t row) {
    const alcore__row_map *map = column->map;
    if (row < 0 || row >= column->row_count) return -1;
    if (!map) return row;
    return has_entry(map, row) ? entry_of(map, row) : -1;
}

alcore_status alcore__column_fail(const alcore__column *column, int64_t row, alcore_status status) {
    if (!column->by_line) return status;
    return alcore__fail_within(status, "%s:%lld", column->origin,
                               (long long)alcore__column_entry(column, row) + 1);
}

bool alcore__column_has(const alcore__column *column, int64_t row) {
    return alcore__column_entry(column, row) >= 0;
}

/* The first row from `row` on, before `end`, that has an entry (or, with `has` false, that has
 * none); `end` when there is none. */
static int64_t find_row(const alcore__row_map *map, int64_t row, int64_t end, bool has) {
    while (row < end) {
        const uint64_t word = map->has[row / WORD_ROWS], wanted = has ? word : ~word;
        const uint64_t ahead = wanted & ~(bit_of(row) - 1); /* of this row and those above it */
        if (ahead) {
            const int64_t found = row / WORD_ROWS * WORD_ROWS + __builtin_ctzll(ahead);
            return found < end ? found : end;
        }
        row = (row / WORD_ROWS + 1) * WORD_ROWS;
    }
    return end;
}

/* The length of the longest run of rows from `first` on, at most count (1 or more), that either all
 * have consecutive entries, of which *out_entry is the first, or all have none (*out_entry -1).
 * Rows from column->row_count on have none. Readers call it to copy or hand out as many rows as
 * possible at once. */
int64_t alcore__column_run(const alcore__column *column, int64_t first, int64_t count,
                           int64_t *out_entry) {
    const alcore__row_map *map = column->map;
    const int64_t end = first + count;
    *out_entry = alcore__column_entry(column, first);
    if (first >= column->row_count) return count;
    const int64_t covered = end < column->row_count ? end : column->row_count;
    if (!map) return covered - first;
    if (*out_entry < 0) return find_row(map, first, covered, true) - first;
    const int64_t last = find_row(map, first, covered, false); /* the row after those with one */
    if (!map->entries) return last - first;
    int64_t row = first + 1;
    while (row < last && entry_of(map, row) == *out_entry + (row - first)) row++;
    return row - first;
}
