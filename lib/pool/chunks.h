/* SPDX-License-Identifier: Apache-2.0 */
/* Where a pool's strings and rows live: memory that never moves, and that can be rolled back to an
 * earlier mark when adding fails half-way (an arena keeps what it gave out). */
#ifndef ALCORE__CHUNKS_H
#define ALCORE__CHUNKS_H

#include "base/base.h"

enum { ALCORE__CHUNK_ALIGN = 16 };

/* All-zero is empty; a copy is a mark. */
typedef struct alcore__chunks {
    struct alcore__chunk *newest;
    size_t used;  /* bytes of the newest chunk */
    size_t bytes; /* of all chunks */
} alcore__chunks;

/* Bytes that nobody else has, not zeroed; NULL when out of memory. Without gaps: they are aligned
 * when all sizes are multiples of ALCORE__CHUNK_ALIGN. */
void *alcore__chunks_alloc(alcore_ctx *ctx, alcore__chunks *chunks, size_t bytes);
/* Frees everything given out since mark was copied from chunks. */
void alcore__chunks_rollback(alcore_ctx *ctx, alcore__chunks *chunks, const alcore__chunks *mark);

#endif
