/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a pool's strings and rows: it never moves, and it can be rolled back to an earlier mark
 * when adding rows fails half-way, which an alcore__arena cannot. */
#ifndef ALCORE__CHUNKS_H
#define ALCORE__CHUNKS_H

#include "base/base.h"

enum { ALCORE__CHUNK_ALIGN = 16 };

/* A list of chunks. A zeroed struct is empty; a copy of the struct is a mark to roll back to. */
typedef struct alcore__chunks {
    struct alcore__chunk *newest; /* the head of the list; NULL: there is none */
    size_t used;                  /* bytes of the newest chunk that are allocated */
    size_t bytes;                 /* of all chunks together */
    size_t touched;               /* bytes of the newest chunk that the system has provided */
} alcore__chunks;

/* Allocates bytes that are not zeroed and that only a rollback frees; NULL when out of memory.
 * Allocations follow one another without gaps, so they are aligned only when all of their sizes are
 * multiples of ALCORE__CHUNK_ALIGN. */
void *alcore__chunks_alloc(alcore_ctx *ctx, alcore__chunks *chunks, size_t bytes);
/* Frees everything that was allocated since mark was copied from chunks. */
void alcore__chunks_rollback(alcore_ctx *ctx, alcore__chunks *chunks, const alcore__chunks *mark);

#endif
