/* SPDX-License-Identifier: Apache-2.0 */
#include "pool/hash_index.h"

#include "base/huge_pages.h"

alcore_status alcore__index_reserve(alcore_ctx *ctx, alcore__hash_index *index, size_t more) {
    /* At most five eighths full: a text that is new, as most are, then looks at 4 slots (one line
     * of the cache) on average, at three quarters it would be 8. 10 million texts take 256 MiB. */
    size_t need = index->count + more, capacity = index->capacity > 0 ? index->capacity : 16;
    if (need < more) return alcore__fail_memory(SIZE_MAX);
    while (capacity / 8 * 5 < need) {
        if (capacity > SIZE_MAX / 2 / sizeof(alcore__hash_slot))
            return alcore__fail_memory(SIZE_MAX);
        capacity *= 2;
    }
    if (capacity == index->capacity) return ALCORE_OK;
    alcore__hash_index larger = {.capacity = capacity, .count = index->count};
    ALCORE__TRY(alcore__new_array(ctx, capacity, sizeof(alcore__hash_slot), &larger.slots));
    alcore__prefer_huge_pages(larger.slots, capacity * sizeof *larger.slots);
    for (size_t i = 0; i < index->capacity; i++) {
        const alcore__hash_slot *slot = &index->slots[i];
        if (slot->number == 0) continue;
        size_t at = alcore__index_home(&larger, slot->hash);
        while (larger.slots[at].number != 0) at = (at + 1) & (capacity - 1);
        larger.slots[at] = *slot;
    }
    alcore__free(ctx, index->slots);
    *index = larger;
    return ALCORE_OK;
}

void alcore__index_remove(alcore__hash_index *index, uint64_t hash, int64_t number) {
    if (index->capacity == 0) return;
    const size_t last = index->capacity - 1;
    size_t hole = alcore__index_home(index, hash);
    while (index->slots[hole].number != number + 1 || index->slots[hole].hash != hash) {
        if (index->slots[hole].number == 0) return;
        hole = (hole + 1) & last;
    }
    /* Entries behind the hole move up into it unless their home lies behind it, so that no probe
     * meets a gap. */
    for (size_t at = (hole + 1) & last; index->slots[at].number != 0; at = (at + 1) & last) {
        size_t home = alcore__index_home(index, index->slots[at].hash);
        if (((at - home) & last) < ((at - hole) & last)) continue;
        index->slots[hole] = index->slots[at];
        hole = at;
    }
    index->slots[hole] = (alcore__hash_slot){0};
    index->count--;
}

void alcore__index_clear(alcore_ctx *ctx, alcore__hash_index *index) {
    alcore__free(ctx, index->slots);
    *index = (alcore__hash_index){0};
}
