/* SPDX-License-Identifier: Apache-2.0 */
/* Fresh memory on all threads. The system clears a page, and on a virtual machine its host finds
 * one, when the page is first written. One thread that fills hundreds of megabytes waits for that
 * longer than for its own work, while the others have none. */
#include <string.h>

#include "base/state.h"

/* What a task writes to: a large page, where memory.c asked for such. */
#define PIECE ((size_t)2 << 20)
/* At most as large as a page of the system. */
#define PAGE ((size_t)4096)

typedef struct fresh {
    char *begin; /* in the first piece; the others begin at multiples of PIECE */
    char *end;
} fresh;

/* Writes a zero to each page of a piece (alcore__task). */
static alcore_status touch_piece(void *data, int64_t index, int32_t worker) {
    const fresh *self = data;
    char *base = self->begin - (uintptr_t)self->begin % PIECE + (size_t)index * PIECE;
    char *end = (size_t)(self->end - base) < PIECE ? self->end : base + PIECE;
    (void)worker;
    for (char *page = index == 0 ? self->begin : base; page < end; page += PAGE)
        *(volatile char *)page = 0;
    return ALCORE_OK;
}

alcore_status alcore__touch(alcore_ctx *ctx, void *memory, size_t bytes) {
    fresh self = {.begin = memory, .end = (char *)memory + bytes};
    const size_t pieces = ((uintptr_t)memory % PIECE + bytes + PIECE - 1) / PIECE;
    if (alcore_ctx_threads(ctx) < 2 || pieces < 2 || alcore__this.loop) return ALCORE_OK;
    return alcore__parallel(ctx, NULL, (int64_t)pieces, touch_piece, &self);
}
