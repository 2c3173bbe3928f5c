/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of a fixed size, one for each row, in segments of ALCORE__SEGMENT_ROWS rows that never
 * move. A segment without a written entry does not exist, so that a pool without ids has no memory
 * for ids.
 */
#ifndef ALCORE__SEGMENTS_H
#define ALCORE__SEGMENTS_H

#include "pool/chunks.h"

enum { ALCORE__SEGMENT_ROWS = 1024 };

/* A zeroed struct has no segment. The size of an entry, `bytes`, is the same in all calls. */
typedef struct alcore__segments {
    void **segment; /* [capacity] by row / ALCORE__SEGMENT_ROWS; NULL: not there */
    size_t capacity;
    alcore__chunks memory; /* in which the segments lie */
} alcore__segments;

/* The entry of a row for writing; the entries of a new segment are zeroed. NULL when out of memory.
 */
void *alcore__segments_at(alcore_ctx *ctx, alcore__segments *segments, size_t bytes, int64_t row);
/* Zeroes the entries of rows first .. end - 1, where there are any. */
void alcore__segments_zero(alcore__segments *segments, size_t bytes, int64_t first, int64_t end);
void alcore__segments_clear(alcore_ctx *ctx, alcore__segments *segments);

/* The entry of a row; NULL when its segment is not there. An entry that was never written is
 * zeroed. */
static inline void *alcore__segments_get(const alcore__segments *segments, size_t bytes,
                                         int64_t row) {
    const size_t number = (size_t)row / ALCORE__SEGMENT_ROWS;
    if (number >= segments->capacity || !segments->segment[number]) return NULL;
    return (char *)segments->segment[number] + (size_t)row % ALCORE__SEGMENT_ROWS * bytes;
}

#endif
