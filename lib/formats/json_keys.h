/* SPDX-License-Identifier: Apache-2.0 */
/* Finds keys that stand twice in one JSON object, in n log n whatever the keys are. The callers add
 * each key of the object and ask at its end. */
#ifndef ALCORE__JSON_KEYS_H
#define ALCORE__JSON_KEYS_H

#include "base/base.h"

/* The keys so far. Two different keys with the same hash (a chance of 2^-64) would be refused, and
 * nothing worse. A struct of zeros has no keys. */
typedef struct alcore__json_keys {
    uint64_t *hashes; /* [count] XXH3 of each key, owned */
    size_t capacity, count;
} alcore__json_keys;
/* Forgets the keys and keeps the memory, before the next object. */
void alcore__json_keys_reset(alcore__json_keys *keys);
alcore_status alcore__json_keys_add(alcore_ctx *ctx, alcore__json_keys *keys, const char *key,
                                    size_t length);
/* Whether a key was added twice. Changes the order of the hashes. */
bool alcore__json_keys_repeat(alcore__json_keys *keys);
void alcore__json_keys_clear(alcore_ctx *ctx, alcore__json_keys *keys);

#endif
