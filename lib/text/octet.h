/* SPDX-License-Identifier: Apache-2.0 */
/* Eight bytes of a text at a time, in a register of any processor. */
#ifndef ALCORE__OCTET_H
#define ALCORE__OCTET_H

#include <stdint.h>
#include <string.h>

typedef uint64_t alcore__octet; /* the first byte lowest */
#define ALCORE__EACH(byte) ((alcore__octet)0x0101010101010101u * (byte))

/* The eight bytes at an address of any alignment. */
static inline alcore__octet alcore__octet_load(const char *text) {
    alcore__octet bytes;
    memcpy(&bytes, text, sizeof bytes);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

/* The highest bit of each byte, of those below 0x80, that is in first .. last. */
static inline alcore__octet alcore__octet_within(alcore__octet bytes, unsigned char first,
                                                 unsigned char last) {
    return (bytes + ALCORE__EACH(0x80 - first)) & ~(bytes + ALCORE__EACH(0x7F - last)) &
           ALCORE__EACH(0x80);
}

#endif
