/* SPDX-License-Identifier: Apache-2.0 */
/* Which texts are equal, inside a pool and between two pools. A text is compared by its key: the
 * text itself (ALCORE_DEDUP_EXACT), or its normalized form (ALCORE_DEDUP_NORMALIZED; text/utf8.h).
 * A hash of the key finds candidates in an index of rows, the bytes of the keys decide. A search
 * for a hash begins at its home slot of the index; `slot` is where it goes on. */
#include <string.h>

#include "pool/pool_state.h"
#include "text/utf8.h"

/* Sets *out to what text [length bytes] is compared by under a dedup rule: the text itself, or its
 * normalized form in buffer, which is overwritten. *out is a view of one of both. */
alcore_status alcore__dedup_key_of(alcore_ctx *ctx, int32_t dedup, const char *text, size_t length,
                                   alcore__buffer *buffer, alcore__dedup_key *out) {
    *out = (alcore__dedup_key){text, length};
    if (dedup != ALCORE_DEDUP_NORMALIZED) return ALCORE_OK;
    buffer->length = 0;
    ALCORE__TRY(alcore__utf8_normalize(ctx, text, length, buffer));
    *out = (alcore__dedup_key){buffer->length > 0 ? buffer->data : "", buffer->length};
    return ALCORE_OK;
}

/* *out_row: the row of the pool with this key, found from *slot on; -1: none, and *slot is the free
 * slot where it belongs. Walks the entries of the same hash and compares their keys, which are
 * computed again in buffer. At most one row of the index has the key. */
alcore_status alcore__dedup_find(const alcore_pool *pool, const alcore__hash_index *index,
                                 int32_t dedup, const alcore__dedup_key *key, uint64_t hash,
                                 alcore__buffer *buffer, size_t *slot, int64_t *out_row) {
    while ((*out_row = alcore__index_next(index, hash, slot)) >= 0) {
        const alcore__pool_row info = alcore__pool_row_at(pool, *out_row);
        alcore__dedup_key other;
        ALCORE__TRY(alcore__dedup_key_of(pool->object.ctx, dedup, info.text, (size_t)info.length,
                                         buffer, &other));
        if (other.length == key->length && memcmp(other.text, key->text, key->length) == 0) break;
    }
    return ALCORE_OK;
}

/* What the tasks of alcore__pool_match_texts() share. */
typedef struct match {
    const alcore_pool *pool, *other;
    const alcore__hash_index *index; /* of other's texts, by the rule dedup */
    int32_t dedup;                   /* ALCORE_DEDUP_EXACT or _NORMALIZED */
    uint8_t *known;                  /* out: [rows of pool] 1: other has the text */
} match;

/* Sets known[row] of one row of the pool. buffers: for the keys of this row and of rows of other.
 * Rows without words match nothing. */
static alcore_status match_row(const match *work, int64_t row, alcore__buffer buffers[2]) {
    const alcore__pool_row info = alcore__pool_row_at(work->pool, row);
    alcore__dedup_key key;
    int64_t found;
    if (info.words == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__dedup_key_of(work->pool->object.ctx, work->dedup, info.text,
                                     (size_t)info.length, &buffers[0], &key));
    const uint64_t hash = alcore__hash128(key.text, key.length).low;
    size_t slot = alcore__index_home(work->index, hash);
    ALCORE__TRY(alcore__dedup_find(work->other, work->index, work->dedup, &key, hash, &buffers[1],
                                   &slot, &found));
    work->known[row] = found >= 0;
    return ALCORE_OK;
}

/* Task `block` of alcore__pool_match_texts(): the rows of one block. */
static alcore_status match_block(void *data, int64_t block, int32_t worker) {
    const match *work = data;
    alcore_ctx *pool_ctx = work->pool->object.ctx, *other_ctx = work->other->object.ctx;
    alcore__buffer buffers[2] = {{0}, {0}};
    alcore_status status = ALCORE_OK;
    int64_t row = block * ALCORE_BLOCK_ROWS, end = row + ALCORE_BLOCK_ROWS;
    (void)worker;
    if (end > work->pool->rows) end = work->pool->rows;
    for (; row < end && status == ALCORE_OK; row++) {
        status = alcore__tick(pool_ctx, NULL, 0, 0);
        if (status == ALCORE_OK) status = match_row(work, row, buffers);
    }
    alcore__buffer_clear(pool_ctx, &buffers[0]);
    alcore__buffer_clear(other_ctx, &buffers[1]);
    return status;
}

/* Makes an index of a pool's texts under another dedup rule than the pool's own, whose index cannot
 * be used then: the first row of each text that has words. */
static alcore_status index_texts(const alcore_pool *pool, int32_t dedup,
                                 alcore__hash_index *index) {
    alcore_ctx *ctx = pool->object.ctx;
    alcore__buffer buffers[2] = {{0}, {0}};
    alcore_status status = alcore__index_reserve(ctx, index, (size_t)pool->rows, 0, pool->rows);
    for (int64_t row = 0; row < pool->rows && status == ALCORE_OK; row++) {
        const alcore__pool_row info = alcore__pool_row_at(pool, row);
        alcore__dedup_key key;
        int64_t found;
        if (info.words == 0) continue;
        ALCORE__TRY_GOTO(status, done, alcore__tick(ctx, "matching", row, pool->rows));
        ALCORE__TRY_GOTO(
            status, done,
            alcore__dedup_key_of(ctx, dedup, info.text, (size_t)info.length, &buffers[0], &key));
        const uint64_t hash = alcore__hash128(key.text, key.length).low;
        size_t slot = alcore__index_home(index, hash);
        ALCORE__TRY_GOTO(
            status, done,
            alcore__dedup_find(pool, index, dedup, &key, hash, &buffers[1], &slot, &found));
        if (found < 0) alcore__index_put(index, slot, hash, row);
    }
done:
    alcore__buffer_clear(ctx, &buffers[0]);
    alcore__buffer_clear(ctx, &buffers[1]);
    return status;
}

/* Sets known [rows of pool] to 1 for rows whose text the other pool has, else to 0. Texts are
 * compared by the rule of `pool`, exactly if it has none; the other pool's own index of duplicates
 * is used where it has the same rule. Called with both pools locked, in tasks of one block of rows.
 */
alcore_status alcore__pool_match_texts(const alcore_pool *pool, const alcore_pool *other,
                                       uint8_t *known) {
    const int32_t dedup =
        pool->dedup == ALCORE_DEDUP_NORMALIZED ? ALCORE_DEDUP_NORMALIZED : ALCORE_DEDUP_EXACT;
    alcore_ctx *ctx = pool->object.ctx;
    alcore__hash_index other_index = {0};
    match work = {
        .pool = pool, .other = other, .index = &other->duplicates, .dedup = dedup, .known = known};
    alcore_status status = ALCORE_OK;
    if (pool->rows > 0) memset(known, 0, (size_t)pool->rows);
    if (other->dedup != dedup) {
        status = index_texts(other, dedup, &other_index);
        work.index = &other_index;
    }
    if (status == ALCORE_OK && work.index->count > 0) {
        const int64_t blocks = (pool->rows + ALCORE_BLOCK_ROWS - 1) / ALCORE_BLOCK_ROWS;
        status = alcore__parallel(ctx, "matching", blocks, match_block, &work);
    }
    alcore__index_clear(other->object.ctx, &other_index);
    return status;
}
