/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers found by a 64-bit hash: open addressing, linear probing. The index finds the numbers
 * whose hash may be the one that is looked for; what a number stands for (a row, a name) and
 * whether its content is equal is up to the caller. A pool has one for duplicates, ids, languages
 * and groups. */
#ifndef ALCORE__HASH_INDEX_H
#define ALCORE__HASH_INDEX_H

#include "base/base.h"

/* A zeroed struct is empty. Reading is thread-safe. A slot is 8 bytes, as small as possible,
 * because every new text reads one that is not in the cache: number + 1 in the low number_bits bits
 * (0: the slot is free), and above them as many low bits of the hash as fit. */
typedef struct alcore__hash_index {
    uint64_t *slots; /* [capacity], owned */
    size_t capacity; /* a power of two, or 0 */
    size_t count;    /* slots in use */
    int number_bits; /* bits of a slot for the number; the other 64 - number_bits are of the hash */
    int spread; /* the home slots are 2^spread apart where a slot keeps fewer bits of the hash than
                   number the slots; else 0 */
} alcore__hash_index;

/* Allocates slots for `more` further numbers; `numbers` is above all of them. Where the index has
 * to grow, and memory allows, it grows for `expected` numbers after these at once, but to no more
 * than 16 times what is needed, since that is an estimate. A failure leaves the index as it was. */
alcore_status alcore__index_reserve(alcore_ctx *ctx, alcore__hash_index *index, size_t more,
                                    size_t expected, int64_t numbers);
/* Removes the numbers from `first` on; needs no memory. */
void alcore__index_drop(alcore__hash_index *index, int64_t first);
/* Frees the slots and leaves an empty index. */
void alcore__index_clear(alcore_ctx *ctx, alcore__hash_index *index);

/* The home slot of a hash, at which the search for it begins: chosen by its low bits, which are
 * those that a slot keeps. */
static inline size_t alcore__index_home(const alcore__hash_index *index, uint64_t hash) {
    return (size_t)(hash << index->spread) & (index->capacity - 1);
}

/* The number in a slot that is in use. */
static inline int64_t alcore__index_number(const alcore__hash_index *index, size_t slot) {
    return (int64_t)(index->slots[slot] & ((UINT64_C(1) << index->number_bits) - 1)) - 1;
}

/* Returns the next number that may have this hash, from *slot on, and moves *slot behind it.
 * Returns -1 when there is none; *slot is then the free slot where a number of this hash belongs.
 * The caller begins with alcore__index_home(); at least one slot is free. */
static inline int64_t alcore__index_next(const alcore__hash_index *index, uint64_t hash,
                                         size_t *slot) {
    for (;;) {
        const size_t probe = *slot;
        const uint64_t entry = index->slots[probe];
        if (entry == 0) return -1;
        *slot = (probe + 1) & (index->capacity - 1);
        if ((entry ^ hash << index->number_bits) >> index->number_bits == 0)
            return alcore__index_number(index, probe);
    }
}

/* Puts a number into the free slot that alcore__index_next() found. */
static inline void alcore__index_put(alcore__hash_index *index, size_t slot, uint64_t hash,
                                     int64_t number) {
    index->slots[slot] = hash << index->number_bits | ((uint64_t)number + 1);
    index->count++;
}

#endif
