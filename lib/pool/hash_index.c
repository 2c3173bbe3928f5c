/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers found by a 64-bit hash (hash_index.h): open addressing with linear probing. A slot is 64
 * bits: number + 1 in the low number_bits bits (0: the slot is free), above them as many low bits
 * of the hash as fit. The home slot of a hash, from which it is looked for, depends on those bits.
 */
#include "pool/hash_index.h"

/* The number of bits that value needs; 1 for 0. */
static int bits_of(uint64_t value) {
    return 64 - __builtin_clzll(value | 1);
}

/* Copies every entry of index into larger, which is empty and has enough slots. Only the bits of
 * the hash that the slots kept are known, and larger keeps no more of them. */
static void fill(alcore__hash_index *larger, const alcore__hash_index *index) {
    for (size_t i = 0; i < index->capacity; i++) {
        if (index->slots[i] == 0) continue;
        const uint64_t hash = index->slots[i] >> index->number_bits;
        size_t slot = alcore__index_home(larger, hash);
        while (larger->slots[slot] != 0) slot = (slot + 1) & (larger->capacity - 1);
        alcore__index_put(larger, slot, hash, alcore__index_number(index, i));
    }
}

/* The capacity for `numbers` entries: min_capacity, doubled until the index is at most five eighths
 * full. A text that is new, as most are, then probes 4 slots (half a line of the cache) on average;
 * at three quarters it would be 8. 10 million texts take 128 MiB. Returns 0 when no memory is that
 * large. */
static size_t capacity_for(size_t numbers, size_t min_capacity) {
    size_t capacity = min_capacity;
    while (capacity / 8 * 5 < numbers) {
        if (capacity > SIZE_MAX / 2 / sizeof(uint64_t)) return 0;
        capacity *= 2;
    }
    return capacity;
}

/* Moves the entries into an array of `capacity` slots; `numbers` is an upper bound of all numbers.
 * number_bits never shrinks, because the bits of the hashes that it has displaced from the slots
 * are lost. It is at least the number of bits that number the slots, so that it grows together with
 * the capacity. A failure leaves the index as it was. */
static alcore_status resize(alcore_ctx *ctx, alcore__hash_index *index, size_t capacity,
                            int64_t numbers) {
    const int address = bits_of(capacity - 1);
    int number_bits = bits_of((uint64_t)numbers);
    if (number_bits < index->number_bits) number_bits = index->number_bits;
    if (number_bits < address) number_bits = address;
    if (capacity == index->capacity && number_bits == index->number_bits) return ALCORE_OK;
    alcore__hash_index larger = {.capacity = capacity, .number_bits = number_bits};
    if (address + number_bits > 64) larger.spread = address + number_bits - 64;
    const size_t bytes = alcore__alloc_size(capacity * sizeof *larger.slots);
    larger.slots = alcore__calloc(ctx, 1, bytes);
    if (!larger.slots) return alcore__fail_memory(bytes);
    const alcore_status status = alcore__touch(ctx, larger.slots, bytes);
    if (status != ALCORE_OK) {
        alcore__free(ctx, larger.slots);
        return status;
    }
    fill(&larger, index);
    alcore__free(ctx, index->slots);
    *index = larger;
    return ALCORE_OK;
}

/* Called before numbers are put: makes capacity for `more` of them, all below `numbers`. Growing to
 * what is expected after these at once (at most 16 times what is needed, as it is an estimate; 0:
 * not known) saves the copies of growing step by step; where memory does not allow that, the index
 * grows to what is needed. A failure leaves it as it was. */
alcore_status alcore__index_reserve(alcore_ctx *ctx, alcore__hash_index *index, size_t more,
                                    size_t expected, int64_t numbers) {
    const size_t needed = index->count + more;
    const size_t min_capacity =
        needed < more ? 0 : capacity_for(needed, index->capacity > 0 ? index->capacity : 16);
    if (min_capacity == 0) return alcore__fail_memory(SIZE_MAX);
    if (min_capacity > index->capacity && expected > 0) {
        const size_t limit = needed > SIZE_MAX / 16 ? SIZE_MAX : needed * 16;
        const size_t wanted = expected < limit - needed ? needed + expected : limit;
        const size_t larger = capacity_for(wanted, min_capacity);
        if (larger > min_capacity && resize(ctx, index, larger, numbers) == ALCORE_OK)
            return ALCORE_OK;
    }
    return resize(ctx, index, min_capacity, numbers);
}

/* Empties the slot `hole` of a linear-probing table: entries behind it move up into the hole,
 * unless their home slot lies behind it, so that no probe ends early at a gap. Stops at the next
 * free slot. */
static void empty_slot(alcore__hash_index *index, size_t hole) {
    const size_t last = index->capacity - 1;
    for (size_t slot = (hole + 1) & last; index->slots[slot] != 0; slot = (slot + 1) & last) {
        const size_t home = alcore__index_home(index, index->slots[slot] >> index->number_bits);
        if (((slot - home) & last) < ((slot - hole) & last)) continue;
        index->slots[hole] = index->slots[slot];
        hole = slot;
    }
    index->slots[hole] = 0;
    index->count--;
}

/* Removes all numbers from `first` on. Called when an addition is rolled back. A slot that was
 * emptied is looked at again, as another entry may have moved into it. */
void alcore__index_drop(alcore__hash_index *index, int64_t first) {
    for (size_t slot = 0; slot < index->capacity;) {
        if (index->slots[slot] != 0 && alcore__index_number(index, slot) >= first)
            empty_slot(index, slot);
        else
            slot++;
    }
}

void alcore__index_clear(alcore_ctx *ctx, alcore__hash_index *index) {
    alcore__free(ctx, index->slots);
    *index = (alcore__hash_index){0};
}
