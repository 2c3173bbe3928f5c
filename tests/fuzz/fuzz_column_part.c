/* SPDX-License-Identifier: Apache-2.0 */
/* The part file of a column writer: whatever is in it, merging puts all of its rows or none, and
 * the column can be finished afterwards.
 *
 * A mutation nearly always breaks the checksum, and another pool's fingerprint ends the merge
 * early. Each input is therefore merged twice: as it is, and with the pool's fingerprint and a
 * checksum that agrees, so that everything behind those two checks is reached too. */
#include <xxhash.h>

#include "alcore/pool_column.h"
#include "fuzz_target.h"

enum { ROWS = 4, PIECE = 1 << 16, HEADER = 80, FINGERPRINT_AT = 16, ROWS_AT = 24 };

static int64_t integer_at(const uint8_t *file, size_t start) {
    int64_t value;
    memcpy(&value, file + start, sizeof value);
    return value;
}

/* Hashes a part of the file in pieces, as the writer does; a part that is longer than the file ends
 * with it. */
static void add_part(const uint8_t *file, size_t end, uint64_t part, size_t *done, uint64_t *hash) {
    for (uint64_t left = part; left > 0 && *done < end;) {
        size_t piece = left > PIECE ? PIECE : (size_t)left;
        if (piece > end - *done) piece = end - *done;
        *hash = XXH64(file + *done, piece, *hash);
        *done += piece;
        left -= piece;
    }
}

/* Puts the pool's fingerprint and rows, and the checksum that the header's sizes ask for, into
 * file.
 */
static void repair(uint8_t *file, size_t bytes, uint64_t fingerprint) {
    const int64_t rows = ROWS;
    uint32_t name_bytes;
    uint64_t hash = 0;
    size_t done = 0, end = bytes - sizeof hash;
    int32_t shape;
    memcpy(file + FINGERPRINT_AT, &fingerprint, sizeof fingerprint);
    memcpy(file + ROWS_AT, &rows, sizeof rows);
    memcpy(&name_bytes, file + 12, sizeof name_bytes);
    memcpy(&shape, file + 32, sizeof shape);
    const uint64_t list = (uint64_t)integer_at(file, 48) * sizeof(int64_t);
    add_part(file, end, HEADER, &done, &hash);
    add_part(file, end, name_bytes, &done, &hash);
    add_part(file, end, list, &done, &hash);
    if (shape >= ALCORE_COLUMN_RAGGED) add_part(file, end, list, &done, &hash);
    add_part(file, end, UINT64_MAX, &done, &hash);
    memcpy(file + end, &hash, sizeof hash);
}

/* Merges the host's file into a writer of this shape, for a pool of its own. */
static void merge(alcore_ctx *ctx, int32_t shape, uint8_t *file, size_t bytes, bool repaired) {
    static const char *const texts[ROWS] = {"one", "two", "three", "four"};
    alcore_column_writer *writer;
    alcore_pool *pool;
    FUZZ_CHECK(alcore_pool_new(ctx, NULL, &pool) == ALCORE_OK);
    FUZZ_CHECK(alcore_pool_add_texts(pool, texts, NULL, ROWS, NULL) == ALCORE_OK);
    if (repaired && bytes >= HEADER + 8) repair(file, bytes, alcore_pool_fingerprint(pool));
    FUZZ_CHECK(alcore_column_writer_new(pool, "c", shape, NULL, &writer) == ALCORE_OK);
    alcore_status status = alcore_column_writer_merge(writer, "part");
    FUZZ_CHECK(status == ALCORE_OK || status == ALCORE_E_CORRUPT || status == ALCORE_E_SHAPE ||
               status == ALCORE_E_UNSUPPORTED || status == ALCORE_E_NOT_FOUND);
    if (status != ALCORE_OK)
        FUZZ_CHECK(alcore_column_writer_missing_count(writer) == ROWS &&
                   alcore_column_writer_repeats(writer) == 0);
    FUZZ_CHECK(alcore_column_writer_finish(writer, ALCORE_MISSING_MASK) == ALCORE_OK);
    alcore_column_writer_unref(writer);
    alcore_pool_unref(pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    memory_host_open(&host);
    uint8_t *file = malloc(bytes + 1);
    FUZZ_CHECK(file);
    memcpy(file, data, bytes);
    memory_host_file(&host, file, bytes);
    for (int32_t shape = ALCORE_COLUMN_SCALAR; shape <= ALCORE_COLUMN_RAGGED_DENSE; shape++)
        merge(host.ctx, shape, file, bytes, shape > ALCORE_COLUMN_SCALAR);
    memcpy(file, data, bytes);
    merge(host.ctx, ALCORE_COLUMN_SCALAR, file, bytes, true);
    free(file);
    fuzz_finish(&host, bytes, ALCORE_OK);
    return 0;
}
