/* SPDX-License-Identifier: Apache-2.0 */
#include "pool/hash_index.h"

static int bits_of(uint64_t value) {
    return 64 - __builtin_clzll(value | 1);
}

static void fill(alcore__hash_index *larger, const alcore__hash_index *index) {
    for (size_t i = 0; i < index->capacity; i++) {
        if (index->slots[i] == 0) continue;
        const uint64_t hash = index->slots[i] >> index->number_bits;
        size_t at = alcore__index_home(larger, hash);
        while (larger->slots[at] != 0) at = (at + 1) & (larger->capacity - 1);
        alcore__index_put(larger, at, hash, alcore__index_number(index, i));
    }
}

/* At most five eighths full: a text that is new, as most are, then looks at 4 slots (half a line of
 * the cache) on average, at three quarters it would be 8. 10 million texts take 128 MiB. Returns 0
 * when no memory is that large. */
static size_t capacity_for(size_t numbers, size_t least) {
    size_t capacity = least;
    while (capacity / 8 * 5 < numbers) {
        if (capacity > SIZE_MAX / 2 / sizeof(uint64_t)) return 0;
        capacity *= 2;
    }
    return capacity;
}

/* Moves the entries into so many slots. */
static alcore_status resize(alcore_ctx *ctx, alcore__hash_index *index, size_t capacity,
                            int64_t numbers) {
    /* Never fewer bits: what was cut off a hash is gone. As many as the slots could number, so that
     * they change with the capacity. */
    const int address = bits_of(capacity - 1);
    int number_bits = bits_of((uint64_t)numbers);
    if (number_bits < index->number_bits) number_bits = index->number_bits;
    if (number_bits < address) number_bits = address;
    if (capacity == index->capacity && number_bits == index->number_bits) return ALCORE_OK;
    alcore__hash_index larger = {.capacity = capacity, .number_bits = number_bits};
    if (address + number_bits > 64) larger.spread = address + number_bits - 64;
    const size_t bytes = alcore__alloc_size(capacity * sizeof *larger.slots);
    larger.slots = alcore__calloc(ctx, 1, bytes);
    if (larger.slots == NULL) return alcore__fail_memory(bytes);
    fill(&larger, index);
    alcore__free(ctx, index->slots);
    *index = larger;
    return ALCORE_OK;
}

alcore_status alcore__index_reserve(alcore_ctx *ctx, alcore__hash_index *index, size_t more,
                                    size_t coming, int64_t numbers) {
    const size_t need = index->count + more;
    const size_t least =
        need < more ? 0 : capacity_for(need, index->capacity > 0 ? index->capacity : 16);
    if (least == 0) return alcore__fail_memory(SIZE_MAX);
    if (least > index->capacity && coming > 0) {
        const size_t most = need > SIZE_MAX / 16 ? SIZE_MAX : need * 16;
        const size_t wanted = coming < most - need ? need + coming : most;
        const size_t larger = capacity_for(wanted, least);
        if (larger > least && resize(ctx, index, larger, numbers) == ALCORE_OK) return ALCORE_OK;
    }
    return resize(ctx, index, least, numbers);
}

/* Entries behind the hole move up into it unless their home lies behind it, so that no probe meets
 * a gap. */
static void empty_slot(alcore__hash_index *index, size_t hole) {
    const size_t last = index->capacity - 1;
    for (size_t at = (hole + 1) & last; index->slots[at] != 0; at = (at + 1) & last) {
        const size_t home = alcore__index_home(index, index->slots[at] >> index->number_bits);
        if (((at - home) & last) < ((at - hole) & last)) continue;
        index->slots[hole] = index->slots[at];
        hole = at;
    }
    index->slots[hole] = 0;
    index->count--;
}

void alcore__index_drop(alcore__hash_index *index, int64_t first) {
    for (size_t at = 0; at < index->capacity;) {
        if (index->slots[at] != 0 && alcore__index_number(index, at) >= first)
            empty_slot(index, at); /* another may be in it now */
        else
            at++;
    }
}

void alcore__index_clear(alcore_ctx *ctx, alcore__hash_index *index) {
    alcore__free(ctx, index->slots);
    *index = (alcore__hash_index){0};
}
