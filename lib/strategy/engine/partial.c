/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/engine/partial.h"

#include <stdlib.h>
#include <string.h>

alcore_status alcore__partial_put(alcore_ctx *ctx, alcore__partial *partial, int64_t pass,
                                  int64_t block, void *data, size_t bytes) {
    alcore_status status = alcore__grow(ctx, &partial->payloads, &partial->capacity,
                                        partial->count + 1, sizeof *partial->payloads);
    if (status != ALCORE_OK) {
        alcore__free(ctx, data);
        return status;
    }
    partial->payloads[partial->count++] = (alcore__payload){pass, block, bytes, data};
    return ALCORE_OK;
}

static int by_place(const void *left, const void *right) {
    const alcore__payload *a = left, *b = right;
    if (a->pass != b->pass) return a->pass < b->pass ? -1 : 1;
    return (a->block > b->block) - (a->block < b->block);
}

void alcore__partial_sort(alcore__partial *partial) {
    if (partial->count > 1) {
        qsort(partial->payloads, partial->count, sizeof *partial->payloads, by_place);
    }
}

static bool same_place(const alcore__payload *a, const alcore__payload *b) {
    return a->pass == b->pass && a->block == b->block;
}

/* Removes repeats of a sorted set. */
static alcore_status drop_repeats(alcore_ctx *ctx, alcore__partial *partial) {
    alcore_status status = ALCORE_OK;
    size_t kept = 0;
    for (size_t i = 0; i < partial->count; i++) {
        alcore__payload *payload = &partial->payloads[i];
        if (kept && same_place(&partial->payloads[kept - 1], payload)) {
            const alcore__payload *first = &partial->payloads[kept - 1];
            if (first->bytes != payload->bytes ||
                (first->bytes && memcmp(first->data, payload->data, first->bytes) != 0)) {
                status = alcore__fail(ALCORE_E_CORRUPT, "two parts disagree about block %lld",
                                      (long long)payload->block);
            }
            alcore__free(ctx, payload->data);
            continue;
        }
        partial->payloads[kept++] = *payload;
    }
    partial->count = kept;
    return status;
}

alcore_status alcore__partial_fold(alcore_ctx *ctx, alcore__partial *into, alcore__partial *from) {
    ALCORE__TRY(alcore__grow(ctx, &into->payloads, &into->capacity, into->count + from->count,
                             sizeof *into->payloads));
    if (from->count) {
        memcpy(into->payloads + into->count, from->payloads, from->count * sizeof *from->payloads);
    }
    into->count += from->count;
    from->count = 0;
    alcore__partial_sort(into);
    return drop_repeats(ctx, into);
}

void alcore__partial_clear(alcore_ctx *ctx, alcore__partial *partial) {
    for (size_t i = 0; i < partial->count; i++) alcore__free(ctx, partial->payloads[i].data);
    alcore__free(ctx, partial->payloads);
    memset(partial, 0, sizeof *partial);
}
