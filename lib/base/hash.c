/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of bytes (base.h, rng.h), by xxHash. NULL is the empty text. */
#include <inttypes.h>
#include <xxhash.h>

#include "base/base.h"
#include "base/rng.h"

uint64_t alcore__hash64(const void *data, size_t bytes) {
    return XXH64(data ? data : "", data ? bytes : 0, 0);
}

alcore__hash alcore__hash128(const void *data, size_t bytes) {
    XXH128_hash_t hash = XXH3_128bits(data ? data : "", data ? bytes : 0);
    return (alcore__hash){.low = hash.low64, .high = hash.high64};
}

void alcore__hash_print(alcore__hash hash, char out[ALCORE__HASH_TEXT_BYTES]) {
    alcore__format(out, ALCORE__HASH_TEXT_BYTES, "%016" PRIx64 "%016" PRIx64, hash.high, hash.low);
}
