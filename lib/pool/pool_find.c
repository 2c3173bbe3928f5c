/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by id: a given id is found through an index, the number of a row without one is computed.
 * Row i (from 0) without a given id has the id i + 1. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "pool/pool_state.h"

/* The first of the rows [first, end) that was given the id `id` [length bytes]; -1: none was. Rows
 * with equal ids, which ALCORE_IDS_PER_CALL allows, are all in the index. */
static int64_t find_given(const alcore_pool *pool, const char *id, size_t length, int64_t first,
                          int64_t end) {
    if (pool->id_index.count == 0) return -1;
    const uint64_t hash = alcore__hash128(id, length).low;
    size_t slot = alcore__index_home(&pool->id_index, hash);
    int64_t row, found = -1;
    while ((row = alcore__index_next(&pool->id_index, hash, &slot)) >= 0) {
        if (row < first || row >= end || (found >= 0 && row > found)) continue;
        const char *other = alcore__pool_given_id(pool, row);
        if (strncmp(other, id, length) == 0 && other[length] == '\0') found = row;
    }
    return found;
}

/* The row of [first, end) whose id is a number because none was given: row i has the id i + 1, in
 * canonical digits (no sign, no leading zero); -1 for any other text and for rows that were given
 * an id or are malformed. */
static int64_t find_number(const alcore_pool *pool, const char *id, size_t length, int64_t first,
                           int64_t end) {
    int64_t number;
    char canonical[24];
    if (length >= sizeof canonical || !alcore__parse_int(id, length, &number)) return -1;
    const int written = snprintf(canonical, sizeof canonical, "%" PRId64, number);
    if ((size_t)written != length || memcmp(canonical, id, length) != 0) return -1;
    if (number <= first || number > end) return -1;
    const bool has_number = !alcore__pool_given_id(pool, number - 1) &&
                            !(pool->states[number - 1] & ALCORE_ROW_MALFORMED);
    return has_number ? number - 1 : -1;
}

int64_t alcore__pool_row_of_id(const alcore_pool *pool, const char *id, size_t length,
                               int64_t first, int64_t end) {
    const int64_t given = find_given(pool, id, length, first, end);
    const int64_t number = find_number(pool, id, length, first, end);
    return given < 0 || (number >= 0 && number < given) ? number : given;
}

alcore_status alcore__pool_find_id(const alcore_pool *pool, const char *id, size_t length,
                                   int64_t *out_row) {
    *out_row = alcore__pool_row_of_id(pool, id, length, 0 /* first */, pool->rows);
    if (*out_row < 0)
        return alcore__fail(ALCORE_E_NOT_FOUND, "no row has the id \"%.*s\"",
                            length > 200 ? 200 : (int)length, id);
    return ALCORE_OK;
}

alcore_status alcore_pool_find(const alcore_pool *pool, const char *id, size_t length,
                               int64_t *out_row) {
    if (out_row) *out_row = -1;
    ALCORE__TRY(alcore__pool_read_begin(pool));
    if (!id || !out_row)
        return alcore__pool_read_end(pool, alcore__fail(ALCORE_E_INVALID, "id or out_row is NULL"));
    return alcore__pool_read_end(pool, alcore__pool_find_id(pool, id, length, out_row));
}
