/* SPDX-License-Identifier: Apache-2.0 */
/* Memory through the context's allocator. Each block is preceded by a header with its size, header
 * included, which the allocator's functions reallocate and release are told:
 *
 *   | size, padded to HEADER bytes | the caller's bytes ... | */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/state.h"

/* Bytes of the header: the caller's bytes keep the alignment that the allocator gave. */
#define HEADER 16
/* Bytes of a large page. A block of this size or more is an array per row, a table or texts, filled
 * from end to end. In small pages loading gigabytes of text spends a third of its time on page
 * faults, and a table of hundreds of megabytes that is read at random misses the page tables' cache
 * at every step. */
#define LARGE ((size_t)2 << 20)
/* Bytes that malloc uses for itself around a block, at most. */
#define AROUND 64
/* From this size on malloc maps every block for itself, so it may begin at a large page. */
#define MAPPED ((size_t)32 << 20)
_Static_assert(sizeof(size_t) <= HEADER && _Alignof(max_align_t) <= HEADER, "block header");

/* Advises the system to use large pages for those that a block fills, with the AROUND bytes that
 * malloc uses at either end. It is no more than advice, so a refusal is ignored. */
static void prefer_large_pages(void *block, size_t bytes) {
#ifdef MADV_HUGEPAGE
    const uintptr_t begin = ((uintptr_t)block - AROUND + LARGE - 1) / LARGE * LARGE;
    const uintptr_t end = ((uintptr_t)block + bytes + AROUND) / LARGE * LARGE;
    if (end > begin) madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

/* allocate of the default allocator: malloc(), from MAPPED bytes on at the beginning of a large
 * page. */
static void *default_allocate(void *user, size_t bytes) {
    void *block;
    (void)user;
    if (bytes < MAPPED) {
        block = malloc(bytes);
    } else if (posix_memalign(&block, LARGE, bytes) != 0) {
        return NULL;
    }
    if (block) prefer_large_pages(block, bytes);
    return block;
}

/* reallocate and release of the default allocator; malloc knows the old size itself. */
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

/* The size in the header of the block of `memory`, header included. */
static size_t block_bytes(const void *memory) {
    size_t bytes;
    memcpy(&bytes, (const char *)memory - HEADER, sizeof bytes);
    return bytes;
}

/* Writes the header of a block of `bytes` bytes and returns where the caller's bytes begin; NULL
 * for NULL. */
static void *begin_block(void *block, size_t bytes) {
    if (!block) return NULL;
    memcpy(block, &bytes, sizeof bytes);
    return (char *)block + HEADER;
}

/* Memory of undefined content, aligned as malloc()'s; NULL also for sizes beyond PTRDIFF_MAX. */
void *alcore__alloc(alcore_ctx *ctx, size_t bytes) {
    const alcore_allocator *allocator = allocator_of(ctx);
    if (bytes > PTRDIFF_MAX - HEADER) return NULL;
    return begin_block(allocator->allocate(allocator->user, bytes + HEADER), bytes + HEADER);
}

/* The caller's share of the whole large pages that hold `bytes`, the header and malloc's own bytes;
 * below one large page `bytes` itself. */
size_t alcore__alloc_size(size_t bytes) {
    const size_t more = HEADER + AROUND;
    if (bytes + more < LARGE || bytes > PTRDIFF_MAX - LARGE - more) return bytes;
    return (bytes + more + LARGE - 1) / LARGE * LARGE - more;
}

/* Zeroed memory. With the default allocator calloc() is used, which leaves fresh pages untouched:
 * large masks and columns of which little is written cost little. */
void *alcore__calloc(alcore_ctx *ctx, size_t count, size_t bytes) {
    size_t total;
    if (__builtin_mul_overflow(count, bytes, &total) || total > PTRDIFF_MAX - HEADER) return NULL;
    if (allocator_of(ctx)->allocate == default_allocate) {
        void *block = calloc(1, total + HEADER);
        if (block) prefer_large_pages(block, total + HEADER);
        return begin_block(block, total + HEADER);
    }
    void *memory = alcore__alloc(ctx, total);
    if (memory) memset(memory, 0, total);
    return memory;
}

/* Resizes a block by the allocator's function, which is told its old size from the header; a NULL
 * memory is a new block. After a failure (NULL) the block is as it was. */
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

/* *out is written by memcpy(), as it is a pointer to the caller's type and not a void pointer. */
alcore_status alcore__new_array(alcore_ctx *ctx, size_t count, size_t bytes, void *out) {
    size_t total;
    void *memory = alcore__calloc(ctx, count, bytes);
    memcpy(out, &memory, sizeof memory);
    if (memory) return ALCORE_OK;
    return alcore__fail_memory(__builtin_mul_overflow(count, bytes, &total) ? SIZE_MAX : total);
}

/* The block has LINE bytes more than the array, so that the array can begin at a multiple of LINE.
 */
alcore_status alcore__new_lines(alcore_ctx *ctx, size_t count, size_t bytes, void **block,
                                void *out) {
    enum { LINE = 64 };
    void *memory = NULL;
    size_t total;
    *block = NULL;
    memcpy(out, &memory, sizeof memory);
    if (__builtin_mul_overflow(count, bytes, &total) || total > SIZE_MAX - LINE)
        return alcore__fail_memory(SIZE_MAX);
    ALCORE__TRY(alcore__new_array(ctx, total + LINE, 1, block));
    memory = (char *)*block + (LINE - (uintptr_t)*block % LINE) % LINE;
    memcpy(out, &memory, sizeof memory);
    return ALCORE_OK;
}

/* Reallocates the array whose pointer is at `array` when it has memory for less than `need`
 * elements of `bytes` bytes: to half as many again plus 8, or to `need`. */
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

/* Of 0 elements nothing is given back, as allocators hand out no empty blocks. */
alcore_status alcore__trim(alcore_ctx *ctx, void *array, size_t count, size_t bytes) {
    void *memory;
    memcpy(&memory, array, sizeof memory);
    if (!memory || count == 0 || block_bytes(memory) - HEADER <= count * bytes) return ALCORE_OK;
    void *trimmed = alcore__realloc(ctx, memory, count * bytes);
    if (!trimmed) return alcore__fail_memory(count * bytes);
    memcpy(array, &trimmed, sizeof trimmed);
    return ALCORE_OK;
}
