/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers found by a 64-bit hash: open addressing, linear probing. What the numbers stand for, and
 * whether two of them are really equal, is the caller's business. */
#ifndef ALCORE__HASH_INDEX_H
#define ALCORE__HASH_INDEX_H

#include "base/base.h"

typedef struct alcore__hash_slot {
    uint64_t hash;
    int64_t number; /* number + 1; 0: free */
} alcore__hash_slot;

/* All-zero is empty. Reading is thread-safe. */
typedef struct alcore__hash_index {
    alcore__hash_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
} alcore__hash_index;

/* Makes room for `more` numbers. A failure leaves the index as it was. */
alcore_status alcore__index_reserve(alcore_ctx *ctx, alcore__hash_index *index, size_t more);
/* Takes a number out again; needs no memory. */
void alcore__index_remove(alcore__hash_index *index, uint64_t hash, int64_t number);
void alcore__index_clear(alcore_ctx *ctx, alcore__hash_index *index);

/* Where looking for a hash begins. The low bits of the hash choose the slot. */
static inline size_t alcore__index_home(const alcore__hash_index *index, uint64_t hash) {
    return (size_t)hash & (index->capacity - 1);
}

/* The next number with this hash from *at on, and moves *at behind it; -1 when there is none, *at
 * then is the free slot where it belongs. The index has room. */
static inline int64_t alcore__index_next(const alcore__hash_index *index, uint64_t hash,
                                         size_t *at) {
    for (;;) {
        const alcore__hash_slot *slot = &index->slots[*at];
        if (slot->number == 0) return -1;
        *at = (*at + 1) & (index->capacity - 1);
        if (slot->hash == hash) return slot->number - 1;
    }
}

/* Puts a number into the free slot that alcore__index_next() found. */
static inline void alcore__index_put(alcore__hash_index *index, size_t at, uint64_t hash,
                                     int64_t number) {
    index->slots[at] = (alcore__hash_slot){hash, number + 1};
    index->count++;
}

#endif
