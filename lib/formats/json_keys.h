/* SPDX-License-Identifier: Apache-2.0 */
/* Finds keys that stand twice in one object, in n log n whatever the keys are. */
#ifndef ALCORE__JSON_KEYS_H
#define ALCORE__JSON_KEYS_H

#include "base/base.h"

/* Hashes of the keys: two different keys of one hash (2^-64) would be refused, nothing worse.
 * All-zero is empty. */
typedef struct alcore__json_keys {
    uint64_t *hashes;
    size_t capacity, count;
} alcore__json_keys;
void alcore__json_keys_reset(alcore__json_keys *keys);
alcore_status alcore__json_keys_add(alcore_ctx *ctx, alcore__json_keys *keys, const char *key,
                                    size_t length);
/* Whether a key was added twice; sorts. */
bool alcore__json_keys_repeat(alcore__json_keys *keys);
void alcore__json_keys_clear(alcore_ctx *ctx, alcore__json_keys *keys);

#endif
