/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen bytes at a time. A comparison of blocks gives 0xFF in every byte where it holds, and 0 in
 * the others. */
#ifndef ALCORE__BYTE_BLOCK_H
#define ALCORE__BYTE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { ALCORE__BLOCK_BYTES = 16 };
typedef uint8_t alcore__byte_block __attribute__((vector_size(ALCORE__BLOCK_BYTES)));
typedef uint64_t alcore__block_halves __attribute__((vector_size(ALCORE__BLOCK_BYTES)));

/* The 16 bytes at an address of any alignment. */
static inline alcore__byte_block alcore__block_load(const void *bytes) {
    alcore__byte_block loaded;
    memcpy(&loaded, bytes, sizeof loaded);
    return loaded;
}

/* Whether any byte has a bit of a mask, which is repeated in each byte. */
static inline bool alcore__block_has(alcore__byte_block block, uint8_t mask) {
    const alcore__block_halves halves = (alcore__block_halves)block;
    return ((halves[0] | halves[1]) & (0x0101010101010101u * mask)) != 0;
}

/* How many bytes have their lowest bit. */
static inline int64_t alcore__block_count(alcore__byte_block block) {
    const alcore__block_halves ones = (alcore__block_halves)(block & 1);
    return (int64_t)((ones[0] + ones[1]) * 0x0101010101010101u >> 56);
}

#endif
