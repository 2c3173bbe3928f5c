/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of partials: the results of blocks on their way from map to reduce, possibly from several
 * processes. A partial is the bytes that one block (8192 rows of the pool) contributes to one pass;
 * an entry has its pass and block, numbered from 0; a set owns the bytes of its entries. */
#include "strategy/passes/partial.h"

#include <stdlib.h>
#include <string.h>

alcore_status alcore__partials_add(alcore_ctx *ctx, alcore__partials *partials, int64_t pass,
                                   int64_t block, void *data, size_t bytes) {
    alcore_status status = alcore__grow(ctx, &partials->entries, &partials->capacity,
                                        partials->count + 1, sizeof *partials->entries);
    if (status != ALCORE_OK) {
        alcore__free(ctx, data);
        return status;
    }
    partials->entries[partials->count++] =
        (alcore__partial){.pass = pass, .block = block, .bytes = bytes, .data = data};
    return ALCORE_OK;
}

/* The order of entries, for qsort(): by pass, then by block; 0: both are of one block in one pass.
 */
static int compare_blocks(const void *left, const void *right) {
    const alcore__partial *a = left, *b = right;
    if (a->pass != b->pass) return a->pass < b->pass ? -1 : 1;
    return (a->block > b->block) - (a->block < b->block);
}

/* Whether two partials have the same bytes; data is NULL where there are none. */
static bool same_bytes(const alcore__partial *a, const alcore__partial *b) {
    return a->bytes == b->bytes && (!a->bytes || !memcmp(a->data, b->data, a->bytes));
}

/* Removes repeats of a sorted set, entries of the same pass and block, and packs the others to the
 * front. Fails with ALCORE_E_CORRUPT where two such entries have different bytes; the loop ends
 * only after the last entry also then, so that each one is either kept or freed. */
static alcore_status drop_repeats(alcore_ctx *ctx, alcore__partials *partials) {
    alcore_status status = ALCORE_OK;
    size_t kept = 0;
    for (size_t i = 0; i < partials->count; i++) {
        alcore__partial *entry = &partials->entries[i];
        const alcore__partial *last = kept ? &partials->entries[kept - 1] : NULL;
        if (!last || compare_blocks(last, entry)) {
            partials->entries[kept++] = *entry;
            continue;
        }
        if (!same_bytes(last, entry))
            status = alcore__fail(ALCORE_E_CORRUPT,
                                  "two parts disagree about block %lld: one of them was computed "
                                  "from other data",
                                  (long long)entry->block);
        alcore__free(ctx, entry->data);
    }
    partials->count = kept;
    return status;
}

/* When no memory is left both sets stay as they were. */
alcore_status alcore__partials_merge(alcore_ctx *ctx, alcore__partials *partials,
                                     alcore__partials *added) {
    ALCORE__TRY(alcore__grow(ctx, &partials->entries, &partials->capacity,
                             partials->count + added->count, sizeof *partials->entries));
    if (added->count)
        memcpy(partials->entries + partials->count, added->entries,
               added->count * sizeof *added->entries);
    partials->count += added->count;
    added->count = 0;
    if (partials->count > 1)
        qsort(partials->entries, partials->count, sizeof *partials->entries, compare_blocks);
    return drop_repeats(ctx, partials);
}

void alcore__partials_clear(alcore_ctx *ctx, alcore__partials *partials) {
    for (size_t i = 0; i < partials->count; i++) alcore__free(ctx, partials->entries[i].data);
    alcore__free(ctx, partials->entries);
    memset(partials, 0, sizeof *partials);
}

alcore_status alcore__partial_check_index(int64_t index, int64_t count) {
    if (index >= 0 && index < count) return ALCORE_OK;
    return alcore__fail(ALCORE_E_CORRUPT, "a partial names entry %lld of %lld", (long long)index,
                        (long long)count);
}
