/* SPDX-License-Identifier: Apache-2.0 */
/* Scratch memory of one worker thread: a stack of arrays in chunks that never move. The runner
 * empties it after every block and frees it with the run, so a strategy allocates nothing per block
 * once the chunks are there. Under AddressSanitizer, memory between and above the arrays is
 * poisoned.
 *
 * Members of alcore__worker_memory (runner.h): chunks [ALCORE__SCRATCH_CHUNKS], `bytes` NULL until
 * the chunk is allocated; top, the place of the next array: a chunk and the bytes that are used of
 * it; scores and embeddings, the buffers of the thread's column readers, which are no part of the
 * stack. */
#include <string.h>

#include "strategy/passes/runner.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define POISON(memory, bytes) __asan_poison_memory_region(memory, bytes)
#define UNPOISON(memory, bytes) __asan_unpoison_memory_region(memory, bytes)
#else
#define POISON(memory, bytes) ((void)(memory), (void)(bytes))
#define UNPOISON(memory, bytes) ((void)(memory), (void)(bytes))
#endif

/* A chunk has memory for 16 arrays of a double for each row of a block, which is enough for most
 * passes. Arrays begin at multiples of ALIGNMENT bytes from the begin of their chunk, the length of
 * a cache line. */
enum { CHUNK_BYTES = 16 * ALCORE_BLOCK_ROWS * (int)sizeof(double), ALIGNMENT = 64 };

/* Allocates chunk `index` of the stack with at least `bytes` and at least CHUNK_BYTES. All of it is
 * poisoned until arrays are pushed on it. */
static alcore_status new_chunk(alcore__worker_memory *worker, size_t index, size_t bytes) {
    size_t capacity = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    char *memory = alcore__alloc(worker->ctx, capacity);
    if (!memory) return alcore__fail_memory(capacity);
    POISON(memory, capacity);
    worker->chunks[index].bytes = memory;
    worker->chunks[index].capacity = capacity;
    return ALCORE_OK;
}

/* Frees chunk `index`, which was allocated, and leaves it as one that was not. The memory is
 * unpoisoned first, as the allocator may use it again. */
static void free_chunk(alcore__worker_memory *worker, size_t index) {
    UNPOISON(worker->chunks[index].bytes, worker->chunks[index].capacity);
    alcore__free(worker->ctx, worker->chunks[index].bytes);
    worker->chunks[index].bytes = NULL;
    worker->chunks[index].capacity = 0;
}

/* Arrays never move, so the rest of a chunk stays unused when the next array does not fit there. A
 * gap follows each array, in which AddressSanitizer finds overruns. An array of 0 entries has an
 * address too. A count that no memory can hold, as a negative one is after the cast, fails as out
 * of memory. */
alcore_status alcore__scratch_push(alcore__block *block, int64_t count, size_t entry_bytes,
                                   void *out) {
    alcore__worker_memory *worker = block->worker;
    *(void **)out = NULL;
    size_t bytes;
    if (__builtin_mul_overflow((size_t)count, entry_bytes, &bytes) || bytes > SIZE_MAX / 2)
        return alcore__fail_memory(SIZE_MAX);
    size_t reserved = (bytes / ALIGNMENT + 1) * ALIGNMENT; /* with the gap: 1 to 64 bytes */
    alcore__scratch_mark top = worker->top;
    while (top.chunk < ALCORE__SCRATCH_CHUNKS &&
           worker->chunks[top.chunk].capacity - top.used < reserved) {
        /* No array lies on an empty chunk: where it is missing or too small, one that fits replaces
         * it. */
        if (top.used == 0) {
            if (worker->chunks[top.chunk].bytes) free_chunk(worker, top.chunk);
            ALCORE__TRY(new_chunk(worker, top.chunk, reserved));
            break;
        }
        top = (alcore__scratch_mark){.chunk = top.chunk + 1, .used = 0};
    }
    if (top.chunk == ALCORE__SCRATCH_CHUNKS)
        return alcore__fail(ALCORE_E_INTERNAL, "the scratch stack has no chunk left");
    char *memory = worker->chunks[top.chunk].bytes + top.used;
    UNPOISON(memory, bytes);
    worker->top = (alcore__scratch_mark){.chunk = top.chunk, .used = top.used + reserved};
    *(void **)out = memory;
    return ALCORE_OK;
}

alcore__scratch_mark alcore__scratch_get_mark(const alcore__block *block) {
    return block->worker->top;
}

/* Poisons what was popped. The chunks stay allocated for the next block. */
void alcore__scratch_release(alcore__block *block, alcore__scratch_mark mark) {
    alcore__worker_memory *worker = block->worker;
    for (size_t c = mark.chunk; c <= worker->top.chunk && c < ALCORE__SCRATCH_CHUNKS; c++) {
        size_t first_byte = c == mark.chunk ? mark.used : 0;
        if (worker->chunks[c].bytes)
            POISON(worker->chunks[c].bytes + first_byte, worker->chunks[c].capacity - first_byte);
    }
    worker->top = mark;
}

/* Frees the chunks of a thread and the buffers of its column readers. */
void alcore__worker_memory_free(alcore_ctx *ctx, alcore__worker_memory *worker) {
    if (!worker) return;
    alcore__scratch_clear(ctx, &worker->scores);
    for (int32_t s = 0; s < ALCORE__SOURCES; s++)
        alcore__scratch_clear(ctx, &worker->embeddings[s]);
    for (size_t c = 0; c < ALCORE__SCRATCH_CHUNKS; c++) {
        if (worker->chunks[c].bytes) free_chunk(worker, c);
    }
    alcore__free(ctx, worker->rows);
    alcore__free(ctx, worker);
}
