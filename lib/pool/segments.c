/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of a fixed size by row number, in segments of ALCORE__SEGMENT_ROWS rows that are made
 * when an entry is written first and never move (segments.h). */
#include "pool/segments.h"

#include <string.h>

/* The entry of a row, `bytes` bytes, for writing; NULL when out of memory. Makes the segment of the
 * row, zeroed, where it is not there yet. Growing the list of segments, by half, moves the list
 * only, so that entries keep their addresses. */
void *alcore__segments_at(alcore_ctx *ctx, alcore__segments *segments, size_t bytes, int64_t row) {
    void *entry = alcore__segments_get(segments, bytes, row);
    if (entry) return entry;
    const size_t number = (size_t)row / ALCORE__SEGMENT_ROWS;
    if (number >= segments->capacity) {
        size_t capacity = number + number / 2 + 8;
        void **larger = alcore__realloc(ctx, segments->segment, capacity * sizeof *larger);
        if (!larger) return NULL;
        for (size_t i = segments->capacity; i < capacity; i++) larger[i] = NULL;
        segments->segment = larger;
        segments->capacity = capacity;
    }
    void *segment = alcore__chunks_alloc(ctx, &segments->memory, ALCORE__SEGMENT_ROWS * bytes);
    if (!segment) return NULL;
    segments->segment[number] = memset(segment, 0, ALCORE__SEGMENT_ROWS * bytes);
    return alcore__segments_get(segments, bytes, row);
}

/* Zeroes the entries of rows first .. end - 1 whose segments exist: an entry of 0 is none. */
void alcore__segments_zero(alcore__segments *segments, size_t bytes, int64_t first, int64_t end) {
    for (int64_t row = first; row < end; row++) {
        void *entry = alcore__segments_get(segments, bytes, row);
        if (entry) memset(entry, 0, bytes);
    }
}

/* Frees all segments and their list; the struct is empty then. */
void alcore__segments_clear(alcore_ctx *ctx, alcore__segments *segments) {
    alcore__chunks_rollback(ctx, &segments->memory, &(alcore__chunks){0});
    alcore__free(ctx, segments->segment);
    *segments = (alcore__segments){0};
}
