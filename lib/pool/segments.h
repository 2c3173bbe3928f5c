/* SPDX-License-Identifier: Apache-2.0 */
/* One entry per row in segments that never move. A segment that nobody wrote to takes no memory and
 * reads as absent: a pool without ids pays nothing for ids. */
#ifndef ALCORE__SEGMENTS_H
#define ALCORE__SEGMENTS_H

#include "pool/chunks.h"

enum { ALCORE__SEGMENT_ROWS = 1024 };

/* All-zero is empty. */
typedef struct alcore__segments {
    void **segment;
    size_t capacity; /* of segment */
    alcore__chunks memory;
} alcore__segments;

/* The entry of a row for writing, zeroed in a new segment; NULL when out of memory. */
void *alcore__segments_at(alcore_ctx *ctx, alcore__segments *segments, size_t bytes, int64_t row);
/* Zeroes the entries of rows first..end-1. */
void alcore__segments_zero(alcore__segments *segments, size_t bytes, int64_t first, int64_t end);
void alcore__segments_clear(alcore_ctx *ctx, alcore__segments *segments);

/* The entry of a row; NULL when its segment was never written to. */
static inline void *alcore__segments_get(const alcore__segments *segments, size_t bytes,
                                         int64_t row) {
    const size_t number = (size_t)row / ALCORE__SEGMENT_ROWS;
    if (number >= segments->capacity || segments->segment[number] == NULL) return NULL;
    return (char *)segments->segment[number] + (size_t)row % ALCORE__SEGMENT_ROWS * bytes;
}

#endif
