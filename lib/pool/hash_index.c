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

alcore_status alcore__index_reserve(alcore_ctx *ctx, alcore__hash_index *index, size_t more,
                                    int64_t numbers) {
    /* At most five eighths full: a text that is new, as most are, then looks at 4 slots (half a
     * line of the cache) on average, at three quarters it would be 8. 10 million texts take
     * 128 MiB. */
    size_t need = index->count + more, capacity = index->capacity > 0 ? index->capacity : 16;
    if (need < more) return alcore__fail_memory(SIZE_MAX);
    while (capacity / 8 * 5 < need) {
        if (capacity > SIZE_MAX / 2 / sizeof *index->slots) return alcore__fail_memory(SIZE_MAX);
        capacity *= 2;
    }
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
