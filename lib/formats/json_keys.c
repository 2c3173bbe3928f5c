/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of one JSON object as 64-bit hashes (json_keys.h): pairs are compared for the few keys
 * of a record, hashes are sorted for a header with many. */
#include "formats/json_keys.h"

#include <stdlib.h>
#include <xxhash.h>

void alcore__json_keys_reset(alcore__json_keys *keys) {
    keys->count = 0;
}

/* Adds a key of the object, without its quotes; only its hash is kept. */
alcore_status alcore__json_keys_add(alcore_ctx *ctx, alcore__json_keys *keys, const char *key,
                                    size_t length) {
    if (keys->count == keys->capacity)
        ALCORE__TRY(alcore__grow(ctx, &keys->hashes, &keys->capacity, keys->count + 1,
                                 sizeof *keys->hashes));
    keys->hashes[keys->count++] = XXH3_64bits(key, length);
    return ALCORE_OK;
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Compares all pairs of fewer than 16 keys, else sorts the hashes and compares neighbors. */
bool alcore__json_keys_repeat(alcore__json_keys *keys) {
    uint64_t *hashes = keys->hashes;
    if (keys->count < 16) { /* a record: too few to call for a sort */
        for (size_t i = 1; i < keys->count; i++)
            for (size_t k = 0; k < i; k++)
                if (hashes[i] == hashes[k]) return true;
        return false;
    }
    qsort(hashes, keys->count, sizeof *hashes, compare);
    for (size_t i = 1; i < keys->count; i++)
        if (hashes[i] == hashes[i - 1]) return true;
    return false;
}

void alcore__json_keys_clear(alcore_ctx *ctx, alcore__json_keys *keys) {
    alcore__free(ctx, keys->hashes);
    *keys = (alcore__json_keys){0};
}
