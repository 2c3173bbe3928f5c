/* SPDX-License-Identifier: Apache-2.0 */
/* Memory through the context's allocator. Each block is preceded by its size, which the allocator's
 * release wants. */
#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"
#include "base/state.h"

/* Keeps the alignment that the allocator gave. */
#define HEADER 16
/* Blocks of this size on are an array per row or a table: filled from end to end. */
#define LARGE ((size_t)4 << 20)
_Static_assert(sizeof(size_t) <= HEADER && _Alignof(max_align_t) <= HEADER, "block header");

static void *default_allocate(void *user, size_t bytes) {
    (void)user;
    return malloc(bytes);
}

static void *default_reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    (void)user;
    (void)old_bytes;
    return realloc(memory, new_bytes);
}

static void default_release(void *user, void *memory, size_t bytes) {
    (void)user;
    (void)bytes;
    free(memory);
}

const alcore_allocator alcore__default_allocator = {.size = sizeof(alcore_allocator),
                                                    .allocate = default_allocate,
                                                    .reallocate = default_reallocate,
                                                    .release = default_release};

static const alcore_allocator *allocator_of(const alcore_ctx *ctx) {
    return ctx ? &ctx->allocator : &alcore__default_allocator;
}

static size_t block_bytes(const void *memory) {
    size_t bytes;
    memcpy(&bytes, (const char *)memory - HEADER, sizeof bytes);
    return bytes;
}

static void *begin_block(void *block, size_t bytes) {
    if (!block) return NULL;
    memcpy(block, &bytes, sizeof bytes);
    return (char *)block + HEADER;
}

void *alcore__alloc(alcore_ctx *ctx, size_t bytes) {
    const alcore_allocator *allocator = allocator_of(ctx);
    if (bytes > PTRDIFF_MAX - HEADER) return NULL;
    return begin_block(allocator->allocate(allocator->user, bytes + HEADER), bytes + HEADER);
}

void *alcore__calloc(alcore_ctx *ctx, size_t count, size_t bytes) {
    size_t total;
    if (__builtin_mul_overflow(count, bytes, &total) || total > PTRDIFF_MAX - HEADER) return NULL;
    /* calloc leaves fresh pages untouched, which large masks and columns live on. */
    if (allocator_of(ctx)->allocate == default_allocate) {
        void *block = calloc(1, total + HEADER);
        if (block && total >= LARGE) alcore__prefer_huge_pages(block, total + HEADER);
        return begin_block(block, total + HEADER);
    }
    void *memory = alcore__alloc(ctx, total);
    if (memory) memset(memory, 0, total);
    return memory;
}

void *alcore__realloc(alcore_ctx *ctx, void *memory, size_t bytes) {
    const alcore_allocator *allocator = allocator_of(ctx);
    if (!memory) return alcore__alloc(ctx, bytes);
    if (bytes > PTRDIFF_MAX - HEADER) return NULL;
    return begin_block(allocator->reallocate(allocator->user, (char *)memory - HEADER,
                                             block_bytes(memory), bytes + HEADER),
                       bytes + HEADER);
}

void alcore__free(alcore_ctx *ctx, void *memory) {
    const alcore_allocator *allocator = allocator_of(ctx);
    if (memory) allocator->release(allocator->user, (char *)memory - HEADER, block_bytes(memory));
}

char *alcore__strndup(alcore_ctx *ctx, const char *text, size_t bytes) {
    if (bytes == SIZE_MAX) return NULL;
    char *copy = alcore__alloc(ctx, bytes + 1);
    if (!copy) return NULL;
    if (bytes) memcpy(copy, text, bytes);
    copy[bytes] = 0;
    return copy;
}

alcore_status alcore__new_array(alcore_ctx *ctx, size_t count, size_t bytes, void *out) {
    size_t total;
    void *memory = alcore__calloc(ctx, count, bytes);
    memcpy(out, &memory, sizeof memory);
    if (memory) return ALCORE_OK;
    return alcore__fail_memory(__builtin_mul_overflow(count, bytes, &total) ? SIZE_MAX : total);
}

alcore_status alcore__grow(alcore_ctx *ctx, void *array, size_t *capacity, size_t need,
                           size_t bytes) {
    size_t wanted, total;
    if (need <= *capacity) return ALCORE_OK;
    if (__builtin_add_overflow(*capacity, *capacity / 2 + 8, &wanted) || wanted < need)
        wanted = need;
    if (__builtin_mul_overflow(wanted, bytes, &total)) return alcore__fail_memory(SIZE_MAX);
    void *memory;
    memcpy(&memory, array, sizeof memory);
    void *grown = alcore__realloc(ctx, memory, total);
    if (!grown) return alcore__fail_memory(total);
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return ALCORE_OK;
}
