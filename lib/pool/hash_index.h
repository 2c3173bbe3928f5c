/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers found by a 64-bit hash: open addressing, linear probing. What the numbers stand for, and
 * whether two of them are really equal, is the caller's business. */
#ifndef ALCORE__HASH_INDEX_H
#define ALCORE__HASH_INDEX_H

#include "base/base.h"

/* All-zero is empty. Reading is thread-safe. A slot is as small as can be, for every new text comes
 * to one that is not in the cache: number + 1 in the low number_bits (0: free), and as many low
 * bits of the hash as have room above. */
typedef struct alcore__hash_index {
    uint64_t *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
    int number_bits;
    int spread; /* 2^spread slots share a home where the bits of the hash are too few */
} alcore__hash_index;

/* Makes room for `more` numbers, all of them below `numbers`; where it has to grow, and memory
 * allows, for `coming` more of them, but no more than 16 times what is needed: it is a guess. A
 * failure leaves the index as it was. */
alcore_status alcore__index_reserve(alcore_ctx *ctx, alcore__hash_index *index, size_t more,
                                    size_t coming, int64_t numbers);
/* Takes the numbers from `first` on out again; needs no memory. */
void alcore__index_drop(alcore__hash_index *index, int64_t first);
void alcore__index_clear(alcore_ctx *ctx, alcore__hash_index *index);

/* Where looking for a hash begins. The low bits of the hash choose the slot. */
static inline size_t alcore__index_home(const alcore__hash_index *index, uint64_t hash) {
    return (size_t)(hash << index->spread) & (index->capacity - 1);
}

static inline int64_t alcore__index_number(const alcore__hash_index *index, size_t at) {
    return (int64_t)(index->slots[at] & ((UINT64_C(1) << index->number_bits) - 1)) - 1;
}

/* The next number that may have this hash from *at on, and moves *at behind it; -1 when there is
 * none, *at then is the free slot where it belongs. The index has room. */
static inline int64_t alcore__index_next(const alcore__hash_index *index, uint64_t hash,
                                         size_t *at) {
    for (;;) {
        const size_t here = *at;
        const uint64_t slot = index->slots[here];
        if (slot == 0) return -1;
        *at = (here + 1) & (index->capacity - 1);
        if ((slot ^ hash << index->number_bits) >> index->number_bits == 0)
            return alcore__index_number(index, here);
    }
}

/* Puts a number into the free slot that alcore__index_next() found. */
static inline void alcore__index_put(alcore__hash_index *index, size_t at, uint64_t hash,
                                     int64_t number) {
    index->slots[at] = hash << index->number_bits | ((uint64_t)number + 1);
    index->count++;
}

#endif
