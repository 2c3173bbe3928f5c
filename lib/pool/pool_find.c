/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by id: a given id is found through an index, the number of a row without one is computed.
 * Row i (from 0) without a given id has the id i + 1. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "pool/pool_state.h"

/* The row that was given the id `id` [length bytes], of the rows that are in the index; -1: none
 * was, and *slot is the free slot of the index where it belongs. hash: the lower half of the id's
 * 128-bit hash. The index has at least one slot. */
static int64_t find_given(const alcore_pool *pool, const char *id, size_t length, uint64_t hash,
                          size_t *slot) {
    *slot = alcore__index_home(&pool->id_index, hash);
    int64_t row;
    while ((row = alcore__index_next(&pool->id_index, hash, slot)) >= 0) {
        const char *other = alcore__pool_given_id(pool, row);
        if (strncmp(other, id, length) == 0 && other[length] == '\0') return row;
    }
    return -1;
}

/* Brings the index of given ids up to date with the rows of the pool, those from pool->id_rows on;
 * of equal ids the first row counts. The mutex is held. After a failure the next call goes on. */
static alcore_status index_ids(alcore_pool *pool) {
    for (; pool->id_rows < pool->rows; pool->id_rows++) {
        const char *id = alcore__pool_given_id(pool, pool->id_rows);
        size_t slot;
        if (!id) continue;
        ALCORE__TRY(alcore__index_reserve(pool->object.ctx, &pool->id_index, 1 /* more */,
                                          0 /* expected: unknown */, pool->rows));
        const size_t length = strlen(id);
        const uint64_t hash = alcore__hash128(id, length).low;
        if (find_given(pool, id, length, hash, &slot) < 0)
            alcore__index_put(&pool->id_index, slot, hash, pool->id_rows);
    }
    return ALCORE_OK;
}

/* The row whose id is a number because none was given: row i has the id i + 1, in canonical digits
 * (no sign, no leading zero); -1 for any other text and for rows with a given id. */
static int64_t find_number(const alcore_pool *pool, const char *id, size_t length) {
    int64_t number;
    char canonical[24];
    if (length >= sizeof canonical || !alcore__parse_int(id, length, &number)) return -1;
    const int written = snprintf(canonical, sizeof canonical, "%" PRId64, number);
    if ((size_t)written != length || memcmp(canonical, id, length) != 0) return -1;
    if (number < 1 || number > pool->rows) return -1;
    return !alcore__pool_given_id(pool, number - 1) ? number - 1 : -1;
}

/* Looks among the given ids and among the numbers of rows without one; the lower row counts where
 * both have it. The index is built on the first call, under its own mutex, as callers only read the
 * pool. */
alcore_status alcore__pool_find_id(const alcore_pool *readable, const char *id, size_t length,
                                   int64_t *out_row) {
    alcore_pool *pool = readable->object.self;
    int64_t given = -1;
    pthread_mutex_lock(&pool->lazy);
    alcore_status status = index_ids(pool);
    if (status == ALCORE_OK && pool->id_index.count > 0) {
        size_t slot;
        given = find_given(pool, id, length, alcore__hash128(id, length).low, &slot);
    }
    pthread_mutex_unlock(&pool->lazy);
    ALCORE__TRY(status);
    const int64_t number = find_number(pool, id, length);
    *out_row = given < 0 || (number >= 0 && number < given) ? number : given;
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
