/* SPDX-License-Identifier: Apache-2.0 */
/* Where a pool's strings live: chunks that never move, and that can be rolled back to an earlier
 * mark when adding fails half-way (an arena keeps what it gave out). */
#ifndef ALCORE__TEXT_STORE_H
#define ALCORE__TEXT_STORE_H

#include "base/base.h"

/* All-zero is empty; a copy is a mark. */
typedef struct alcore__text_store {
    struct alcore__text_chunk *newest;
    size_t used;  /* bytes of the newest chunk */
    size_t bytes; /* of all chunks */
} alcore__text_store;

/* Room for length bytes and a NUL, which is set; NULL when out of memory. */
char *alcore__text_store_alloc(alcore_ctx *ctx, alcore__text_store *store, size_t length);
/* Frees everything given out since mark was copied from store. */
void alcore__text_store_rollback(alcore_ctx *ctx, alcore__text_store *store,
                                 const alcore__text_store *mark);

#endif
