/* SPDX-License-Identifier: Apache-2.0 */
#include "pool/text_scan.h"

#include <string.h>

#define EACH(byte) ((byte)*0x0101010101010101u)
#define HIGH EACH(0x80u)

/* The high bit of each byte of bytes that is not zero; exact for every byte. */
static inline uint64_t nonzero(uint64_t bytes) {
    return (((bytes & ~HIGH) + ~HIGH) | bytes) & HIGH;
}

static inline uint64_t load_low(const char *text, size_t length) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < length; i++) bytes |= (uint64_t)(unsigned char)text[i] << (8 * i);
    return bytes;
}

static inline uint64_t load(const char *text) {
    uint64_t bytes;
    memcpy(&bytes, text, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

/* Eight bytes at a time: loading a pool of 10 million sentences spends most of its arithmetic here.
 */
alcore__text_facts alcore__text_scan(const char *text, size_t length) {
    uint64_t seen = 0, full = HIGH, before = 0; /* before: bit 7, the byte before is of a word */
    int64_t words = 0;
    for (size_t at = 0; at < length; at += 8) {
        const size_t left = length - at;
        /* Behind the end stand spaces: they neither end nor begin a word twice. */
        uint64_t bytes =
            left >= 8 ? load(text + at) : load_low(text + at, left) | EACH(0x20u) << (8 * left);
        uint64_t word = nonzero(bytes ^ EACH(0x20u)) & nonzero(bytes ^ EACH(0x09u)) &
                        nonzero(bytes ^ EACH(0x0Du)) & nonzero(bytes ^ EACH(0x0Au));
        uint64_t begins = word & ~(word << 8 | before);
        words += (int64_t)((begins >> 7) * EACH(0x01u) >> 56);
        before = word >> 56;
        seen |= bytes;
        full &= nonzero(bytes);
    }
    return (alcore__text_facts){words, (seen & HIGH) == 0, full != HIGH};
}
