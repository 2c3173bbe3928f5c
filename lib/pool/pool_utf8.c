/* SPDX-License-Identifier: Apache-2.0 */
/* Adding texts that lie in one block (alcore_pool_add_utf8()). */
#include <inttypes.h>
#include <math.h>

#include "pool/pool_add.h"

enum { RECORDS = 64 /* that are passed on at once */ };

/* Fills in the record of text i, a view of the block. */
static alcore_status record_at(const char *bytes, const int64_t *offsets, int64_t i,
                               alcore__record *out) {
    const int64_t begin = offsets[i], end = offsets[i + 1];
    if (begin < 0 || end < begin)
        return alcore__fail(ALCORE_E_DATA,
                            "offset %" PRId64 " is %" PRId64 " and the next one %" PRId64
                            "; expected 0 or more, never falling",
                            i, begin, end);
    if (!bytes && end > begin) return alcore__fail(ALCORE_E_INVALID, "bytes is NULL");
    *out = (alcore__record){
        .text = bytes ? bytes + begin : "", .text_length = (size_t)(end - begin), .cost = NAN};
    return ALCORE_OK;
}

/* Adds all texts, some at a time; the caller ends the addition. */
static alcore_status add_all(alcore__pool_add *add, const char *bytes, const int64_t *offsets,
                             int64_t count) {
    alcore__record batch[RECORDS];
    for (int64_t i = 0; i < count;) {
        int64_t filled = 0;
        for (; filled < RECORDS && i < count; filled++, i++)
            ALCORE__TRY(record_at(bytes, offsets, i, &batch[filled]));
        ALCORE__TRY(alcore__pool_add_records(add, batch, filled, count - i));
    }
    return ALCORE_OK;
}

/* Adds all texts or none. */
static alcore_status add_block(alcore_pool *pool, const char *bytes, const int64_t *offsets,
                               int64_t count, int64_t *out_first) {
    alcore__pool_add add;
    const int64_t first = pool->rows;
    if (count < 0 || (count > 0 && !offsets))
        return alcore__fail(ALCORE_E_INVALID, "%" PRId64 " texts with offsets at %p", count,
                            (const void *)offsets);
    alcore__pool_add_begin(&add, pool, NULL /* no file */);
    ALCORE__TRY(alcore__pool_add_end(&add, add_all(&add, bytes, offsets, count)));
    if (out_first) *out_first = first;
    return ALCORE_OK;
}

alcore_status alcore_pool_add_utf8(alcore_pool *pool, const char *bytes, const int64_t *offsets,
                                   int64_t count, int64_t *out_first) {
    if (out_first) *out_first = 0;
    ALCORE__TRY(alcore__pool_long_change_begin(pool));
    return alcore__pool_change_end(pool, add_block(pool, bytes, offsets, count, out_first));
}
