/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that never moves and can be rolled back to a mark (chunks.h): a list of chunks, from the
 * newest to the oldest; allocations are cut off the newest. */
#include "pool/chunks.h"

typedef struct alcore__chunk {
    struct alcore__chunk *older; /* the chunk that was newest before; NULL: this is the first */
    size_t size;                 /* of data, in bytes */
    _Alignas(ALCORE__CHUNK_ALIGN) char data[];
} alcore__chunk;

/* Bytes of a small pool's chunks, and the most that a chunk has unless one allocation needs more.
 */
#define FIRST_SIZE ((size_t)4096)
#define LARGEST_SIZE ((size_t)64 << 20)
/* Bytes of a large chunk that are provided ahead of those in use, on all threads. */
#define AHEAD ((size_t)4 << 20)

/* Allocates a new chunk with memory for `bytes` and makes it the newest. Chunks grow with the pool,
 * to half of what it has: a small pool stays small, a large one has few chunks. False when out of
 * memory; chunks are then as before. */
static bool add_chunk(alcore_ctx *ctx, alcore__chunks *chunks, size_t bytes) {
    size_t size = chunks->bytes / 2;
    if (size < FIRST_SIZE) size = FIRST_SIZE;
    if (size > LARGEST_SIZE) size = LARGEST_SIZE;
    if (size < bytes) size = bytes;
    size = alcore__alloc_size(sizeof(alcore__chunk) + size);
    alcore__chunk *chunk = alcore__alloc(ctx, size);
    if (!chunk) return false;
    size -= sizeof *chunk; /* of data: the allocation was rounded up */
    *chunk = (alcore__chunk){.older = chunks->newest, .size = size};
    *chunks = (alcore__chunks){.newest = chunk, .bytes = chunks->bytes + size};
    return true;
}

/* Provides the chunk's memory from the first byte that is not in use on. A failure, when the call
 * was cancelled, is told by the next poll. */
static void touch_ahead(alcore_ctx *ctx, alcore__chunks *chunks) {
    const size_t from = chunks->used, left = chunks->newest->size - from;
    const size_t bytes = left < AHEAD ? left : AHEAD;
    (void)alcore__touch(ctx, chunks->newest->data + from, bytes);
    chunks->touched = from + bytes;
}

/* Cuts `bytes`, which are not zeroed, off the newest chunk, or off a new one where they do not fit;
 * the rest of the old chunk stays unused. NULL when out of memory. */
void *alcore__chunks_alloc(alcore_ctx *ctx, alcore__chunks *chunks, size_t bytes) {
    if (bytes > SIZE_MAX / 2) return NULL;
    if (!chunks->newest || chunks->newest->size - chunks->used < bytes)
        if (!add_chunk(ctx, chunks, bytes)) return NULL;
    if (chunks->used >= chunks->touched) touch_ahead(ctx, chunks);
    char *memory = chunks->newest->data + chunks->used;
    chunks->used += bytes;
    return memory;
}

/* Frees the chunks that are newer than the mark's and restores how much of the mark's chunk is
 * used. mark: an earlier copy of *chunks, or a zeroed struct, with which all chunks are freed. */
void alcore__chunks_rollback(alcore_ctx *ctx, alcore__chunks *chunks, const alcore__chunks *mark) {
    while (chunks->newest != mark->newest) {
        alcore__chunk *older = chunks->newest->older;
        alcore__free(ctx, chunks->newest);
        chunks->newest = older;
    }
    *chunks = *mark;
}
