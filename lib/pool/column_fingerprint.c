/* SPDX-License-Identifier: Apache-2.0 */
/* The fingerprint of a column for the provenance: a 64-bit hash of its shape, its meaning and its
 * values, or of a sample of them. */
#include "base/rng.h"
#include "base/tensor_view.h"
#include "pool/pool_internal.h"
#include "pool/row_map.h"

/* Reading a large matrix once more only to name it would cost as much as selecting from it: of more
 * than this many parts have, these parts are read, which lie evenly over it. */
#define PARTS 64
#define PART_BYTES ((int64_t)1 << 20)

/* Hashes data [bytes] and joins the hash to the fingerprint so far, so that the result depends on
 * the order of the pieces. */
static uint64_t join(uint64_t fingerprint, const void *data, size_t bytes) {
    const uint64_t both[2] = {fingerprint, alcore__hash64(data, bytes)};
    return alcore__hash64(both, sizeof both);
}

/* Adds rows first .. first + count - 1 of a dense column, one row at a time, as rows may have gaps
 * between them in memory. */
static alcore_status add_rows(const alcore__column *column, int64_t first, int64_t count,
                              alcore__scratch *scratch, uint64_t *fingerprint) {
    alcore_sys_rows rows;
    ALCORE__TRY(column->ops->rows(column, first, count, scratch, &rows));
    const size_t bytes = alcore_sys_dtype_bytes(rows.dtype);
    for (int64_t i = 0; i < rows.count; i++)
        *fingerprint =
            join(*fingerprint, (const char *)rows.data + (size_t)(i * rows.stride) * bytes,
                 (size_t)rows.dims * bytes);
    return ALCORE_OK;
}

/* Adds rows first .. first + count - 1 of a ragged column: the number of tokens of each row, then
 * the values of all of them. */
static alcore_status add_ragged(const alcore__column *column, int64_t first, int64_t count,
                                alcore__scratch *scratch, uint64_t *fingerprint) {
    alcore_sys_ragged items;
    ALCORE__TRY(column->ops->ragged(column, first, count, scratch, &items));
    const int64_t tokens = items.offsets[count] - items.offsets[0];
    for (int64_t i = 0; i < count; i++) {
        const int64_t length = items.offsets[i + 1] - items.offsets[i];
        *fingerprint = join(*fingerprint, &length, sizeof length);
    }
    *fingerprint = join(*fingerprint, items.values,
                        (size_t)(tokens * items.classes) * alcore_sys_dtype_bytes(items.dtype));
    return ALCORE_OK;
}

/* Adds rows first .. first + count - 1 of a column of texts: the length (-1: no text) and the bytes
 * of each. */
static void add_texts(const alcore__column *column, int64_t first, int64_t count,
                      uint64_t *fingerprint) {
    for (int64_t row = first; row < first + count; row++) {
        size_t length = 0;
        const int64_t entry = alcore__column_entry(column, row);
        const char *text = entry >= 0 ? column->ops->text(column, entry, &length) : NULL;
        const int64_t bytes = text ? (int64_t)length : -1;
        *fingerprint = join(*fingerprint, &bytes, sizeof bytes);
        *fingerprint = join(*fingerprint, text, length);
    }
}

/* Adds rows first .. first + count - 1 of a column of any kind; its ops have one of rows, ragged
 * and text. scratch: the memory of its reader, kept from block to block. */
static alcore_status add_block(const alcore__column *column, int64_t first, int64_t count,
                               alcore__scratch *scratch, uint64_t *fingerprint) {
    if (column->ops->rows) return add_rows(column, first, count, scratch, fingerprint);
    if (column->ops->ragged) return add_ragged(column, first, count, scratch, fingerprint);
    add_texts(column, first, count, fingerprint);
    return ALCORE_OK;
}

/* How much of a column is read. */
typedef struct reading {
    int64_t rows;  /* of a part */
    int64_t parts; /* of the column */
    int64_t read;  /* parts that are read, spread evenly over the column */
} reading;

/* Bytes of the values of a row, of a ragged column on an average; 0: not known. */
static int64_t row_bytes_of(const alcore__column *column) {
    const int64_t bytes = column->dims * (int64_t)alcore_sys_dtype_bytes(column->dtype);
    if (!column->ragged || column->row_count == 0) return bytes;
    return column->token_count * bytes / column->row_count;
}

/* Decides how much of a column is read: all of it up to PARTS (64) times PART_BYTES (1 MiB), else
 * PARTS parts of about PART_BYTES, at most ALCORE_BLOCK_ROWS rows each. Where its size is not known
 * without reading it, PARTS blocks are read at most. Texts have 0 bytes a row here and are read as
 * a whole, as every column is with `whole`. */
static reading reading_of(const alcore__column *column, bool whole) {
    const int64_t bytes = row_bytes_of(column);
    reading plan = {.rows = ALCORE_BLOCK_ROWS};
    if (column->ragged && bytes == 0)
        whole = whole || column->row_count <= PARTS * ALCORE_BLOCK_ROWS;
    else
        whole = whole || bytes == 0 || column->row_count <= PARTS * PART_BYTES / bytes;
    if (!whole && bytes > 0 && PART_BYTES / bytes < ALCORE_BLOCK_ROWS)
        plan.rows = PART_BYTES / bytes > 0 ? PART_BYTES / bytes : 1;
    plan.parts = (column->row_count + plan.rows - 1) / plan.rows;
    plan.read = whole || plan.parts < PARTS ? plan.parts : PARTS;
    return plan;
}

/* *out: the hash of shape and meaning, then of the parts that the plan reads, evenly spread, first
 * and last one included. */
static alcore_status hash_parts(const alcore__column *column, const reading *plan, uint64_t *out) {
    const int64_t facts[] = {column->row_count, column->dims, column->dtype, column->meaning,
                             column->ragged};
    uint64_t fingerprint = alcore__hash64(facts, sizeof facts);
    alcore__scratch scratch = {0};
    alcore_status status = ALCORE_OK;

    fingerprint = join(fingerprint, &column->log_scale, sizeof column->log_scale);
    for (int64_t i = 0; i < plan->read && status == ALCORE_OK; i++) {
        const int64_t part = plan->read == plan->parts ? i : i * (plan->parts - 1) / (PARTS - 1);
        const int64_t first = part * plan->rows, left = column->row_count - first;
        const int64_t count = left < plan->rows ? left : plan->rows;
        status = alcore__tick(column->ctx, "naming the inputs", i, plan->read);
        if (status == ALCORE_OK) status = add_block(column, first, count, &scratch, &fingerprint);
    }
    alcore__scratch_clear(column->ctx, &scratch);
    if (status == ALCORE_OK) *out = fingerprint;
    return status;
}

/* Called when a selection is made, for every column that it read, and compared by people or
 * programs that want to know whether two selections had the same input. */
alcore_status alcore__column_fingerprint(const alcore__column *column, uint64_t *out) {
    const reading plan = reading_of(column, false);
    return hash_parts(column, &plan, out);
}

alcore_status alcore__column_fingerprint_whole(const alcore__column *column, uint64_t *out) {
    const reading plan = reading_of(column, true);
    return hash_parts(column, &plan, out);
}
