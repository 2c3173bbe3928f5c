/* SPDX-License-Identifier: Apache-2.0 */
/* One quick look at a text as it is added: its words, and whether it needs a closer look. */
#ifndef ALCORE__TEXT_SCAN_H
#define ALCORE__TEXT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct alcore__text_facts {
    int64_t words; /* spec 1.1 */
    bool ascii;    /* no byte above 7F */
    bool nul;      /* a NUL byte is in it */
} alcore__text_facts;

alcore__text_facts alcore__text_scan(const char *text, size_t length);

#endif
