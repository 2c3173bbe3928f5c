/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers, which grow and may move, and arenas, whose texts never move (base.h). */
#include <string.h>

#include "base/base.h"

/* Makes sure that `bytes` more bytes and a NUL fit. */
alcore_status alcore__buffer_reserve(alcore_ctx *ctx, alcore__buffer *buffer, size_t bytes) {
    size_t need;
    if (__builtin_add_overflow(buffer->length, bytes, &need) || need == SIZE_MAX)
        return alcore__fail_memory(SIZE_MAX);
    return alcore__grow(ctx, &buffer->data, &buffer->capacity, need + 1, 1);
}

/* Appends bytes, with a NUL behind them that `length` does not count. data may be NULL for 0. */
alcore_status alcore__buffer_append(alcore_ctx *ctx, alcore__buffer *buffer, const void *data,
                                    size_t bytes) {
    ALCORE__TRY(alcore__buffer_reserve(ctx, buffer, bytes));
    if (bytes) memcpy(buffer->data + buffer->length, data, bytes);
    buffer->length += bytes;
    buffer->data[buffer->length] = 0;
    return ALCORE_OK;
}

/* Appends formatted text: short texts through an array on the stack, longer ones directly into the
 * buffer once their length is known, which needs the arguments twice. */
alcore_status alcore__buffer_format(alcore_ctx *ctx, alcore__buffer *buffer, const char *format,
                                    ...) {
    char text[256];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = alcore__format_v(text, sizeof text, format, args);
    alcore_status status = ALCORE_OK;
    if (length < 0) {
        status = alcore__fail(ALCORE_E_INTERNAL, "cannot format \"%s\"", format);
    } else if ((size_t)length < sizeof text) {
        status = alcore__buffer_append(ctx, buffer, text, (size_t)length);
    } else if ((status = alcore__buffer_reserve(ctx, buffer, (size_t)length)) == ALCORE_OK) {
        alcore__format_v(buffer->data + buffer->length, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
    va_end(args);
    return status;
}

void alcore__buffer_clear(alcore_ctx *ctx, alcore__buffer *buffer) {
    alcore__free(ctx, buffer->data);
    *buffer = (alcore__buffer){0};
}

/* The bytes of an arena's chunks double from the first to the last of these, so that small arenas
 * stay small. */
#define FIRST_CHUNK ((size_t)4096)
#define LAST_CHUNK ((size_t)1 << 20)

struct alcore__arena_chunk {
    struct alcore__arena_chunk *before; /* an older chunk; NULL: none */
    size_t used, capacity;              /* bytes after this head: handed out, and all */
};

/* Aligned bytes of a chunk; NULL when they do not fit. gap: bytes up to the next multiple of align,
 * a power of two. */
static void *chunk_alloc(struct alcore__arena_chunk *chunk, size_t bytes, size_t align) {
    char *start = (char *)(chunk + 1);
    size_t gap = (size_t)(-(uintptr_t)(start + chunk->used)) & (align - 1);
    size_t left = chunk->capacity - chunk->used;
    if (gap > left || bytes > left - gap) return NULL;
    void *memory = start + chunk->used + gap;
    chunk->used += gap + bytes;
    return memory;
}

/* Memory from the present chunk, or from a new one. A text of more than a quarter of a chunk gets a
 * chunk of its own behind the present one, whose free bytes go on serving small texts. */
void *alcore__arena_alloc(alcore_ctx *ctx, alcore__arena *arena, size_t bytes, size_t align) {
    void *memory = arena->chunk ? chunk_alloc(arena->chunk, bytes, align) : NULL;
    if (memory) return memory;
    size_t capacity = arena->chunk ? arena->chunk->capacity * 2 : FIRST_CHUNK;
    if (capacity > LAST_CHUNK) capacity = LAST_CHUNK;
    if (bytes > SIZE_MAX / 4 || align > SIZE_MAX / 4) return NULL;
    bool own_chunk = bytes + align > capacity / 4;
    if (own_chunk) capacity = bytes + align;
    struct alcore__arena_chunk *chunk = alcore__alloc(ctx, sizeof *chunk + capacity);
    if (!chunk) return NULL;
    *chunk = (struct alcore__arena_chunk){.capacity = capacity};
    arena->bytes += sizeof *chunk + capacity;
    if (own_chunk && arena->chunk) {
        chunk->before = arena->chunk->before;
        arena->chunk->before = chunk;
    } else {
        chunk->before = arena->chunk;
        arena->chunk = chunk;
    }
    return chunk_alloc(chunk, bytes, align);
}

alcore_status alcore__arena_text(alcore_ctx *ctx, alcore__arena *arena, const char *text,
                                 size_t bytes, void *out) {
    char *copy = alcore__arena_alloc(ctx, arena, bytes + 1, 1);
    if (!copy) return alcore__fail_memory(bytes + 1);
    if (bytes > 0) memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    *(char **)out = copy;
    return ALCORE_OK;
}

void alcore__arena_clear(alcore_ctx *ctx, alcore__arena *arena) {
    for (struct alcore__arena_chunk *chunk = arena->chunk, *before; chunk; chunk = before) {
        before = chunk->before;
        alcore__free(ctx, chunk);
    }
    *arena = (alcore__arena){0};
}
