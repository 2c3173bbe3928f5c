/* SPDX-License-Identifier: Apache-2.0 */
/* Values that models computed in earlier rounds of a loop (spec 3.8, max_age). A model that was
 * trained has another origin, so that the entries of a cache (model_cache.c) are those of one state
 * of it; here a file has what was computed in one round, whatever made it:
 *
 *     FOLDER/COLUMN-round-ROUND-KEY.alcore   KEY: 128-bit hash of the fingerprint of the pool,
 *                                            column, strategy, seed, its languages and,
 *                                            of a shard, the number of its first row
 *
 * The round of a value, by which it is too old or not, is that of its file. A round reads the files
 * of rounds before it and writes its own, so that a round that is repeated reads what it read at
 * first, and selects the same. Strategy and seed are in the key because runs of several, which may
 * share a folder, are loops of their own. */
#include <inttypes.h>

#include "model/model_internal.h"

/* Appends the path of a round's file to the empty *out, which the caller frees. */
static alcore_status name_file(const alcore__rounds *rounds, const alcore_pool *pool,
                               const char *column, int64_t round, alcore__buffer *out) {
    alcore_ctx *ctx = alcore__pool_ctx(pool);
    alcore__buffer key = {0};
    const uint64_t languages = alcore__pool_hash_languages(pool);
    const int64_t first_row = rounds->first_row;
    alcore_status status =
        alcore__buffer_format(ctx, &key, "1\n%016" PRIx64 "\n%" PRId64 "\n%s\n%s\n%" PRIu64,
                              alcore_pool_fingerprint(pool), alcore_pool_row_count(pool), column,
                              rounds->strategy, rounds->seed);
    if (status == ALCORE_OK && languages != 0)
        status = alcore__buffer_format(ctx, &key, "\n%016" PRIx64, languages);
    if (status == ALCORE_OK && first_row > 0)
        status = alcore__buffer_format(ctx, &key, "\nfrom row %" PRId64, first_row);
    if (status == ALCORE_OK) {
        char hash[ALCORE__HASH_TEXT_BYTES];
        alcore__hash_print(alcore__hash128(key.data, key.length), hash);
        status = alcore__buffer_format(ctx, out, "%s/%s-round-%" PRId64 "-%s.alcore",
                                       rounds->folder, column, round, hash);
    }
    alcore__buffer_clear(ctx, &key);
    return status;
}

/* From the round before the present one on back: a row that the writer has keeps its value. */
alcore_status alcore__rounds_merge(const alcore__rounds *rounds, const alcore_pool *pool,
                                   const char *column, alcore_column_writer *writer) {
    alcore_ctx *ctx = alcore__pool_ctx(pool);
    alcore_status status = ALCORE_OK;
    for (int64_t age = 1; age <= rounds->max_age && age < rounds->round; age++) {
        alcore__buffer path = {0};
        bool found;
        status = name_file(rounds, pool, column, rounds->round - age, &path);
        if (status == ALCORE_OK) status = alcore__cache_merge(writer, path.data, &found);
        alcore__buffer_clear(ctx, &path);
        if (status != ALCORE_OK) break;
    }
    return status;
}

alcore_status alcore__rounds_save(const alcore__rounds *rounds, const alcore_pool *pool,
                                  const char *column, alcore_column_writer *writer,
                                  alcore__cache_use *use) {
    alcore__buffer path = {0};
    alcore_status status = name_file(rounds, pool, column, rounds->round, &path);
    if (status == ALCORE_OK) status = alcore__cache_save(writer, path.data, use);
    alcore__buffer_clear(alcore__pool_ctx(pool), &path);
    return status;
}
