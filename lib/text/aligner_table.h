/* SPDX-License-Identifier: Apache-2.0 */
/* t(f | e) and the expected counts of all pairs of a source word e and a target word f that occur
 * together in some sentence pair.
 *
 * Words are the symbols of two corpora (text/corpus.h); e = 0 is the null word, which occurs with
 * every target word. Each e has a row: a hash table of its own with open addressing, three quarters
 * full. All rows lie in two arrays, so a look-up costs two cache misses, and the address of both is
 * known before the first is read:
 *
 *   key  | row of e = 0 | row of e = 1 | ...     target symbols, 0 where free
 *   cell | row of e = 0 | row of e = 1 | ...     t and count of that pair
 *
 * Counts are whole numbers of 2^-shift. Adding whole numbers gives the same sum in every order, so
 * threads add to the same cells in whatever order they run and the result is still the same. The
 * posteriors of one target word add up to 1, so no count exceeds the frequency of the most frequent
 * target word, and shift is the largest with which that fits: 59 for a handful of sentences, 41 for
 * a million. */
#ifndef ALCORE__ALIGNER_TABLE_H
#define ALCORE__ALIGNER_TABLE_H

#include "text/corpus.h"

typedef struct alcore__aligner_cell {
    double t;               /* t(f | e) */
    _Atomic uint64_t count; /* expected count of (e, f) in this iteration, in 2^-shift */
} alcore__aligner_cell;

typedef struct alcore__aligner_table {
    uint32_t source_symbols;    /* source symbols are 0 .. source_symbols - 1 */
    uint64_t *row_begin;        /* [source_symbols + 1] first slot of each row */
    uint32_t *row_pairs;        /* [source_symbols] used slots of each row */
    uint32_t *key;              /* [slots] */
    alcore__aligner_cell *cell; /* [slots] */
    int32_t shift;
    bool shared; /* more than one thread adds counts */
} alcore__aligner_table;

/* Collects the pairs of words of two corpora with the same rows; every t is start. */
alcore_status alcore__aligner_table_build(alcore_ctx *ctx, const alcore__corpus *source,
                                          const alcore__corpus *target, bool null_word,
                                          double start, alcore__aligner_table *out);
/* The M-step: t from the counts, which become 0. alpha > 0: variational Bayes; 0: count / total. */
alcore_status alcore__aligner_table_maximize(alcore_ctx *ctx, alcore__aligner_table *table,
                                             double alpha);
void alcore__aligner_table_clear(alcore_ctx *ctx, alcore__aligner_table *table);

/* The slot where the search for (source, target) begins; source has a row that is not empty. The
 * product spreads the symbols over the row without a division. */
static inline uint64_t alcore__aligner_home(const alcore__aligner_table *table, uint32_t source,
                                            uint32_t target) {
    const uint64_t begin = table->row_begin[source];
    const uint64_t slots = table->row_begin[source + 1] - begin;
    return begin + ((uint64_t)(target * UINT32_C(2654435769)) * slots >> 32);
}

/* The slot of a pair that is in the table. home: alcore__aligner_home() of it. */
static inline uint64_t alcore__aligner_slot(const alcore__aligner_table *table, uint32_t source,
                                            uint32_t target, uint64_t home) {
    uint64_t slot = home;
    while (table->key[slot] != target)
        if (++slot == table->row_begin[source + 1]) slot = table->row_begin[source];
    return slot;
}

/* The cell of any two symbols, NULL when they never occurred together. */
const alcore__aligner_cell *alcore__aligner_cell_find(const alcore__aligner_table *table,
                                                      uint32_t source, uint32_t target);

#endif
