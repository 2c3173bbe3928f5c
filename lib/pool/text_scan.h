/* SPDX-License-Identifier: Apache-2.0 */
/* One fast scan of every string that enters a pool: it counts the words and tells whether the
 * string needs the slower checks for UTF-8 and NUL bytes. */
#ifndef ALCORE__TEXT_SCAN_H
#define ALCORE__TEXT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct alcore__text_stats {
    int64_t words; /* spec 1.1 */
    bool ascii;    /* no byte above 7F */
    bool nul;      /* a NUL byte is in it */
} alcore__text_stats;

alcore__text_stats alcore__text_scan(const char *text, size_t length);

#endif
