/* SPDX-License-Identifier: Apache-2.0 */
/* Reading bytes that were made elsewhere, which may be cut off, damaged or lie about what follows:
 * every length is checked before it is used. The bytes need not be aligned. */
#ifndef ALCORE__BYTE_CURSOR_H
#define ALCORE__BYTE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* What is left to be read. */
typedef struct alcore__byte_cursor {
    const char *next;
    size_t left; /* bytes */
} alcore__byte_cursor;

/* `bytes` rounded up to a multiple of 8: the parts of a message are filled with zeros to that
 * length, so that arrays of 64 bits behind them are aligned. */
static inline size_t alcore__cursor_padded(size_t bytes) {
    return (bytes + 7) / 8 * 8;
}

/* Returns the next `count` items of `size` bytes (size > 0) and moves behind them; NULL, without
 * moving, where fewer are left. */
static inline const char *alcore__cursor_take(alcore__byte_cursor *cursor, size_t count,
                                              size_t size) {
    const char *found = cursor->next;
    if (count > cursor->left / size) return NULL;
    cursor->next += count * size;
    cursor->left -= count * size;
    return found;
}

/* Copies the next `size` bytes to *out; false where fewer are left. */
static inline bool alcore__cursor_read(alcore__byte_cursor *cursor, void *out, size_t size) {
    const char *found = alcore__cursor_take(cursor, 1, size);
    if (found) memcpy(out, found, size);
    return found != NULL;
}

#endif
