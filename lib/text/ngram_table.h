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
/* Slots of a cache line. */
enum { ALCORE__NGRAM_LINE = 8 };

typedef struct alcore__ngram {
    uint32_t context; /* number of its first n - 1 words in the order below (order 2: the word) */
    uint32_t word;    /* number of its last word in the vocabulary */
    uint32_t suffix;  /* number of its last n - 1 words in the order below (order 2: the word) */
} alcore__ngram;

/* A slot of the hash table. An n-gram lies far away in memory, so a search reads it only where the
 * tag is that of its hash: a search that finds nothing hardly ever reads one. */
typedef struct alcore__ngram_slot {
    uint32_t tag;    /* the high half of the n-gram's hash */
    uint32_t number; /* number + 1 of the n-gram; 0: free */
} alcore__ngram_slot;

/* It owns its arrays. A struct of zeros has no n-grams. Any number of threads may read it while
 * none adds. */
typedef struct alcore__ngram_table {
    alcore__ngram *ngram;     /* [count] in the order in which they were first seen; NULL after
                                 alcore__ngram_keep_slots() */
    alcore__ngram_slot *slot; /* [slots] open addressing from the tag's high bits on: the slots of
                                 its cache line of LINE slots in turn, then those of the next */
    void *slot_block;         /* of slot, for alcore__free() */
    size_t capacity;          /* entries that ngram has memory for */
    size_t slots;             /* a power of two up to 2^32, at most two thirds of it used; or 0 */
    uint32_t count;           /* n-grams; the next new one gets this number */
} alcore__ngram_table;

/* The tag of an n-gram's key: the high half of two rounds of multiply and shift. It never leaves
 * the process. */
static inline uint32_t alcore__ngram_tag(uint32_t context, uint32_t word) {
    uint64_t hash = ((uint64_t)context << 32 | word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    return (uint32_t)(hash * 0xD6E8FEB86659FD93u >> 32);
}

/* The slot where the search for a tag begins; the table has slots. */
static inline size_t alcore__ngram_home(const alcore__ngram_table *table, uint32_t tag) {
    return (size_t)((uint64_t)tag << 32 >> (64 - __builtin_ctzll(table->slots)));
}

/* The slot after `slot` in the search for a tag that begins at `home`: the next one of the cache
 * line, around its end; after the last of these the slot of the next line that lies as home does in
 * its own. */
static inline size_t alcore__ngram_next(const alcore__ngram_table *table, size_t slot,
                                        size_t home) {
    const size_t last = ALCORE__NGRAM_LINE - 1;
    const size_t next = (slot & ~last) | ((slot + 1) & last);
    return ((next ^ home) & last) != 0 ? next : (next + ALCORE__NGRAM_LINE) & (table->slots - 1);
}

/* The first slot, from `slot` on, that has the tag or is free; the table has slots. */
static inline size_t alcore__ngram_candidate(const alcore__ngram_table *table, size_t slot,
                                             uint32_t tag) {
    while (table->slot[slot].number != 0 && table->slot[slot].tag != tag)
        slot = alcore__ngram_next(table, slot, alcore__ngram_home(table, tag));
    return slot;
}

/* The slot of an n-gram, or the free one where it belongs, looked for from a slot on: its home or a
 * candidate. The table has slots. */
static inline size_t alcore__ngram_probe(const alcore__ngram_table *table, size_t slot,
                                         uint32_t tag, uint32_t context, uint32_t word) {
    for (;; slot = alcore__ngram_next(table, slot, alcore__ngram_home(table, tag))) {
        slot = alcore__ngram_candidate(table, slot, tag);
        if (table->slot[slot].number == 0) return slot;
        const alcore__ngram *ngram = &table->ngram[table->slot[slot].number - 1];
        if (ngram->context == context && ngram->word == word) return slot;
    }
}

/* The number of an n-gram, ALCORE__NGRAM_NONE when there is none. */
static inline uint32_t alcore__ngram_find(const alcore__ngram_table *table, uint32_t context,
                                          uint32_t word) {
    if (table->slots == 0) return ALCORE__NGRAM_NONE;
    const uint32_t tag = alcore__ngram_tag(context, word);
    const size_t home = alcore__ngram_home(table, tag);
    /* a free slot wraps to NONE */
    return table->slot[alcore__ngram_probe(table, home, tag, context, word)].number - 1;
}

/* Adds an n-gram at the free slot that alcore__ngram_probe() returned for it, and returns its
 * number. The caller has called alcore__ngram_reserve() for it. */
static inline uint32_t alcore__ngram_put(alcore__ngram_table *table, size_t slot, uint32_t tag,
                                         uint32_t context, uint32_t word, uint32_t suffix) {
    const uint32_t number = table->count++;
    table->ngram[number] = (alcore__ngram){context, word, suffix};
    table->slot[slot] = (alcore__ngram_slot){tag, number + 1};
    return number;
}

/* Gets memory for `more` n-grams beside those of the table, in ngram and in slots: then as many
 * alcore__ngram_put() cannot fail. A failure leaves the table as it was. */
alcore_status alcore__ngram_reserve(alcore_ctx *ctx, alcore__ngram_table *table, size_t more);
/* Frees the n-grams and keeps slots and count, for a caller that has the n-grams elsewhere by their
 * numbers: only alcore__ngram_tag(), _home() and _candidate() may be used from then on. */
void alcore__ngram_keep_slots(alcore_ctx *ctx, alcore__ngram_table *table);
void alcore__ngram_clear(alcore_ctx *ctx, alcore__ngram_table *table);

#endif
