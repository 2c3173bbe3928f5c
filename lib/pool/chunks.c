/* SPDX-License-Identifier: Apache-2.0 */
#include "pool/chunks.h"

typedef struct alcore__chunk {
    struct alcore__chunk *older;
    size_t size; /* of data */
    _Alignas(ALCORE__CHUNK_ALIGN) char data[];
} alcore__chunk;

#define FIRST_SIZE ((size_t)4096)
#define LARGEST_SIZE ((size_t)64 << 20)

static bool add_chunk(alcore_ctx *ctx, alcore__chunks *chunks, size_t bytes) {
    /* They grow with the pool: a small pool stays small, a large one has few chunks. */
    size_t size = chunks->bytes / 2;
    if (size < FIRST_SIZE) size = FIRST_SIZE;
    if (size > LARGEST_SIZE) size = LARGEST_SIZE;
    if (size < bytes) size = bytes;
    size = alcore__alloc_size(sizeof(alcore__chunk) + size);
    alcore__chunk *chunk = alcore__alloc(ctx, size);
    if (chunk == NULL) return false;
    size -= sizeof *chunk;
    *chunk = (alcore__chunk){.older = chunks->newest, .size = size};
    *chunks = (alcore__chunks){.newest = chunk, .bytes = chunks->bytes + size};
    return true;
}

void *alcore__chunks_alloc(alcore_ctx *ctx, alcore__chunks *chunks, size_t bytes) {
    if (bytes > SIZE_MAX / 2) return NULL;
    if (chunks->newest == NULL || chunks->newest->size - chunks->used < bytes)
        if (!add_chunk(ctx, chunks, bytes)) return NULL;
    char *memory = chunks->newest->data + chunks->used;
    chunks->used += bytes;
    return memory;
}

void alcore__chunks_rollback(alcore_ctx *ctx, alcore__chunks *chunks, const alcore__chunks *mark) {
    while (chunks->newest != mark->newest) {
        alcore__chunk *older = chunks->newest->older;
        alcore__free(ctx, chunks->newest);
        chunks->newest = older;
    }
    *chunks = *mark;
}
