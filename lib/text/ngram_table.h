/* SPDX-License-Identifier: Apache-2.0 */
/* The n-grams of one order as numbers 0, 1, 2, ... for the language model (lm_internal.h has one
 * table per order from 2 on; order 1 is the vocabulary). An n-gram is stored as the number of its
 * first n - 1 words in the table of the order below, and its last word: an exact 64-bit key, so
 * that no two n-grams are ever merged. It also stores the number of its last n - 1 words, which
 * every step of backing off needs. */
#ifndef ALCORE__NGRAM_TABLE_H
#define ALCORE__NGRAM_TABLE_H

#include "base/base.h"

#define ALCORE__NGRAM_NONE UINT32_MAX

typedef struct alcore__ngram {
    uint32_t context; /* number of its first n - 1 words in the order below (order 2: the word) */
    uint32_t word;    /* number of its last word in the vocabulary */
    uint32_t suffix;  /* number of its last n - 1 words in the order below (order 2: the word) */
} alcore__ngram;

/* It owns its arrays. A struct of zeros has no n-grams. Any number of threads may read it while
 * none adds. */
typedef struct alcore__ngram_table {
    alcore__ngram *ngram; /* [count] in the order in which they were first seen */
    uint32_t *slot;       /* [slots] number + 1 of an n-gram, 0 where free; open addressing with
                             linear probing from the hash's high bits */
    size_t capacity;      /* entries that ngram has memory for */
    size_t slots;         /* a power of two, at most half of it used; or 0 */
    uint32_t count;       /* n-grams; the next new one gets this number */
} alcore__ngram_table;

/* The hash of an n-gram's key: two rounds of multiply and shift. It never leaves the process. */
static inline uint64_t alcore__ngram_hash(uint32_t context, uint32_t word) {
    uint64_t hash = ((uint64_t)context << 32 | word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    return hash * 0xD6E8FEB86659FD93u;
}

/* The slot where the search for a hash begins; the table has slots. */
static inline size_t alcore__ngram_home(const alcore__ngram_table *table, uint64_t hash) {
    return (size_t)(hash >> (64 - __builtin_ctzll(table->slots)));
}

/* The slot of an n-gram, or the free one where it belongs; the table has slots. */
static inline size_t alcore__ngram_probe(const alcore__ngram_table *table, uint64_t hash,
                                         uint32_t context, uint32_t word) {
    size_t slot = alcore__ngram_home(table, hash);
    for (;; slot = (slot + 1) & (table->slots - 1)) {
        const uint32_t found = table->slot[slot];
        if (found == 0) return slot;
        const alcore__ngram *ngram = &table->ngram[found - 1];
        if (ngram->context == context && ngram->word == word) return slot;
    }
}

/* The number of an n-gram, ALCORE__NGRAM_NONE when there is none. */
static inline uint32_t alcore__ngram_find(const alcore__ngram_table *table, uint32_t context,
                                          uint32_t word) {
    if (table->slots == 0) return ALCORE__NGRAM_NONE;
    const size_t slot =
        alcore__ngram_probe(table, alcore__ngram_hash(context, word), context, word);
    return table->slot[slot] - 1; /* a free slot wraps to NONE */
}

/* Adds an n-gram at the free slot that alcore__ngram_probe() returned for it, and returns its
 * number. The caller has called alcore__ngram_reserve() for it. */
static inline uint32_t alcore__ngram_put(alcore__ngram_table *table, size_t slot, uint32_t context,
                                         uint32_t word, uint32_t suffix) {
    const uint32_t number = table->count++;
    table->ngram[number] = (alcore__ngram){context, word, suffix};
    table->slot[slot] = number + 1;
    return number;
}

/* Gets memory for `more` n-grams beside those of the table, in ngram and in slots: then as many
 * alcore__ngram_put() cannot fail. A failure leaves the table as it was. */
alcore_status alcore__ngram_reserve(alcore_ctx *ctx, alcore__ngram_table *table, size_t more);
void alcore__ngram_clear(alcore_ctx *ctx, alcore__ngram_table *table);

#endif
