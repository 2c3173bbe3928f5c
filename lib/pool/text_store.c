/* SPDX-License-Identifier: Apache-2.0 */
#include "pool/text_store.h"

#include "base/huge_pages.h"

typedef struct alcore__text_chunk {
    struct alcore__text_chunk *older;
    size_t size; /* of data */
    char data[];
} alcore__text_chunk;

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 16 << 20 };

char *alcore__text_store_alloc(alcore_ctx *ctx, alcore__text_store *store, size_t length) {
    if (length > SIZE_MAX / 2) return NULL;
    if (store->newest == NULL || store->newest->size - store->used < length + 1) {
        /* Chunks grow with the store: a small pool stays small, a large one has few chunks. */
        size_t size = store->bytes / 8;
        if (size < FIRST_CHUNK) size = FIRST_CHUNK;
        if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
        if (size < length + 1) size = length + 1;
        alcore__text_chunk *chunk = alcore__alloc(ctx, sizeof *chunk + size);
        if (chunk == NULL) return NULL;
        alcore__prefer_huge_pages(chunk, sizeof *chunk + size);
        chunk->older = store->newest;
        chunk->size = size;
        *store = (alcore__text_store){chunk, 0, store->bytes + size};
    }
    char *text = store->newest->data + store->used;
    store->used += length + 1;
    text[length] = '\0';
    return text;
}

void alcore__text_store_rollback(alcore_ctx *ctx, alcore__text_store *store,
                                 const alcore__text_store *mark) {
    while (store->newest != mark->newest) {
        alcore__text_chunk *older = store->newest->older;
        alcore__free(ctx, store->newest);
        store->newest = older;
    }
    *store = *mark;
}
