/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of rows that are numbers (number_ids.h). Two threads may make the same memory at once; the
 * first one to publish it wins, and the other one frees its own. */
#include "pool/number_ids.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    SEGMENT_ROWS = 1024,
    ID_BYTES = 24 /* of the digits of a row and a NUL */
};

/* Puts `made` into an empty slot, or frees it where another thread was faster. Returns what the
 * slot has. */
static void *publish(alcore_ctx *ctx, _Atomic(void *) *slot, void *made) {
    void *there = NULL;
    if (!made || atomic_compare_exchange_strong(slot, &there, made)) return made;
    alcore__free(ctx, made);
    return there;
}

/* The texts of a segment of rows. */
static void *make_segment(alcore_ctx *ctx, int64_t first) {
    char *texts = alcore__alloc(ctx, (size_t)SEGMENT_ROWS * ID_BYTES);
    for (int64_t i = 0; texts && i < SEGMENT_ROWS; i++)
        snprintf(texts + i * ID_BYTES, ID_BYTES, "%" PRId64, first + i + 1);
    return texts;
}

const char *alcore__number_id(alcore_ctx *ctx, alcore__number_ids *ids, int64_t row) {
    const uint64_t segment = (uint64_t)row / SEGMENT_ROWS + 1;
    const int level = 63 - __builtin_clzll(segment);
    const size_t entries = (size_t)1 << level;
    _Atomic(void *) *slots = atomic_load(&ids->levels[level]);
    if (!slots)
        slots = publish(ctx, &ids->levels[level], alcore__calloc(ctx, entries, sizeof *slots));
    if (!slots) return NULL;
    _Atomic(void *) *slot = &slots[segment - entries];
    const char *texts = atomic_load(slot);
    if (!texts) texts = publish(ctx, slot, make_segment(ctx, row / SEGMENT_ROWS * SEGMENT_ROWS));
    return texts ? texts + row % SEGMENT_ROWS * ID_BYTES : NULL;
}

void alcore__number_ids_clear(alcore_ctx *ctx, alcore__number_ids *ids) {
    for (int level = 0; level < ALCORE__NUMBER_ID_LEVELS; level++) {
        _Atomic(void *) *slots = atomic_load(&ids->levels[level]);
        for (size_t i = 0; slots && i < (size_t)1 << level; i++)
            alcore__free(ctx, atomic_load(&slots[i]));
        alcore__free(ctx, (void *)slots);
    }
}
