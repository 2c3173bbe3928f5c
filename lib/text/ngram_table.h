/* SPDX-License-Identifier: Apache-2.0 */
/* The n-grams of one order as numbers. An n-gram is the number of its first n - 1 words in the
 * table of the order below, and its last word: an exact 64-bit key, so that no two n-grams are ever
 * merged. It also knows the number of its last n - 1 words, which every step of backing off needs.
 */
#ifndef ALCORE__NGRAM_TABLE_H
#define ALCORE__NGRAM_TABLE_H

#include "base/base.h"

#define ALCORE__NGRAM_NONE UINT32_MAX

typedef struct alcore__ngram {
    uint32_t context; /* its first n - 1 words, in the order below (order 2: the word) */
    uint32_t word;    /* its last word */
    uint32_t suffix;  /* its last n - 1 words, in the order below */
} alcore__ngram;

/* All-zero is empty. Reading is thread-safe. */
typedef struct alcore__ngram_table {
    alcore__ngram *ngram; /* [count], in the order in which they were first seen */
    uint32_t *slot;       /* open addressing by the hash's high bits: number + 1, 0 is free */
    size_t capacity;      /* of ngram */
    size_t slots;         /* a power of two, or 0 */
    uint32_t count;
} alcore__ngram_table;

static inline uint64_t alcore__ngram_hash(uint32_t context, uint32_t word) {
    uint64_t hash = ((uint64_t)context << 32 | word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    return hash * 0xD6E8FEB86659FD93u;
}

static inline size_t alcore__ngram_home(const alcore__ngram_table *table, uint64_t hash) {
    return (size_t)(hash >> (64 - __builtin_ctzll(table->slots)));
}

/* The slot of an n-gram, or the free one where it belongs; the table has slots. */
static inline size_t alcore__ngram_probe(const alcore__ngram_table *table, uint64_t hash,
                                         uint32_t context, uint32_t word) {
    size_t at = alcore__ngram_home(table, hash);
    for (;; at = (at + 1) & (table->slots - 1)) {
        const uint32_t found = table->slot[at];
        if (found == 0) return at;
        const alcore__ngram *ngram = &table->ngram[found - 1];
        if (ngram->context == context && ngram->word == word) return at;
    }
}

/* The number of an n-gram, ALCORE__NGRAM_NONE when there is none. */
static inline uint32_t alcore__ngram_find(const alcore__ngram_table *table, uint32_t context,
                                          uint32_t word) {
    if (table->slots == 0) return ALCORE__NGRAM_NONE;
    const size_t at = alcore__ngram_probe(table, alcore__ngram_hash(context, word), context, word);
    return table->slot[at] - 1; /* a free slot wraps to NONE */
}

/* Adds an n-gram at the free slot where it belongs; there is room (alcore__ngram_reserve). */
static inline uint32_t alcore__ngram_put(alcore__ngram_table *table, size_t at, uint32_t context,
                                         uint32_t word, uint32_t suffix) {
    const uint32_t number = table->count++;
    table->ngram[number] = (alcore__ngram){context, word, suffix};
    table->slot[at] = number + 1;
    return number;
}

/* Makes room for `more` n-grams. A failure leaves the table as it was. */
alcore_status alcore__ngram_reserve(alcore_ctx *ctx, alcore__ngram_table *table, size_t more);
void alcore__ngram_clear(alcore_ctx *ctx, alcore__ngram_table *table);

#endif
