/* SPDX-License-Identifier: Apache-2.0 */
/* Strings of the caller that enter a pool: checked for length, NUL bytes and UTF-8, repaired where
 * the pool was made with ALCORE_UTF8_REPLACE, and copied into the pool's memory. */
#ifndef ALCORE__POOL_STRINGS_H
#define ALCORE__POOL_STRINGS_H

#include "pool/pool_state.h"

/* The checks of one call that adds strings. It begins as {.pool = pool}. */
typedef struct alcore__string_check {
    const alcore_pool *pool;
    alcore__buffer repaired; /* the repaired copy of the string checked last */
    int64_t replaced;        /* malformed sequences that became U+FFFD, over all strings */
} alcore__string_check;

/* Checks a string by the pool's rules. Where it is repaired, *text and *length become those of the
 * repaired copy, which lives until the next check. `noun` ("text", "id") goes into the message.
 * *out_words, when wanted, is the number of words. ALCORE_E_DATA, ALCORE_E_NOMEM. */
alcore_status alcore__string_check_next(alcore__string_check *check, const char *noun,
                                        const char **text, size_t *length, int64_t *out_words);
/* Logs how many sequences were replaced, when there were any. */
void alcore__string_check_report(const alcore__string_check *check);
void alcore__string_check_clear(alcore__string_check *check);

/* A NUL-terminated copy in the memory of the pool's texts, which lives as long as the pool. */
alcore_status alcore__pool_copy_string(alcore_pool *pool, const char *text, size_t length,
                                       const char **out);
/* The same of the text of a row, behind what stands in front of it. */
alcore_status alcore__pool_copy_text(alcore_pool *pool, const char *text, size_t length,
                                     int64_t words, const char **out);

#endif
