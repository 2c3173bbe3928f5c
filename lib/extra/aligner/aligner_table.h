/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of the word aligner (aligner_model.h): t(f | e) and the expected counts of all
 * pairs of a source word e and a target word f that occur together in some sentence pair.
 *
 * Words are the symbols of two corpora (text/corpus.h); e = 0 is the null word, which occurs with
 * every target word. Each e has a row: a hash table of its own with open addressing, three quarters
 * full. All rows lie in two arrays, so a look-up costs two cache misses, and the address of both is
 * known before the first is read:
 *
 *   key  | row of e = 0 | row of e = 1 | ...     target symbols, 0 where free
 *   cell | row of e = 0 | row of e = 1 | ...     t and count of that pair
 *
 * Counts are integers in units of 2^-shift. The sum of integers does not depend on the order, so
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
    uint64_t *row_begin;        /* [source_symbols + 1] first slot of the row of each e; the last
                                   entry is the number of slots */
    uint32_t *row_pairs;        /* [source_symbols] used slots of the row of each e */
    uint32_t *key;              /* [slots] target symbol, 0 where the slot is free */
    alcore__aligner_cell *cell; /* [slots] t and count of (e, key); zero where the slot is free */
    int32_t shift;              /* counts are in units of 2^-shift */
    bool shared;                /* more than one thread adds counts, so additions are atomic */
} alcore__aligner_table;

/* Builds the table of the pairs of words that occur in the same row of the two corpora; every t is
 * start, every count 0. null_word: e = 0 has a row with all target words. The caller clears *out;
 * after a failure it is empty. */
alcore_status alcore__aligner_table_build(alcore_ctx *ctx, const alcore__corpus *source,
                                          const alcore__corpus *target, bool null_word,
                                          double start, alcore__aligner_table *out);
/* The same for a table of which source_symbols and row_pairs are set: makes the empty rows, into
 * which each pair is put once. The target is not 0 and not in the row of source yet. */
alcore_status alcore__aligner_table_lay_out(alcore_ctx *ctx, alcore__aligner_table *table);
void alcore__aligner_table_put(alcore__aligner_table *table, uint32_t source, uint32_t target,
                               double t);
/* The M-step: computes every t from the counts and sets the counts to 0 for the next E-step. alpha
 * > 0: variational Bayes; alpha = 0: t = count / total of the row. */
alcore_status alcore__aligner_table_maximize(alcore_ctx *ctx, alcore__aligner_table *table,
                                             double alpha);
void alcore__aligner_table_clear(alcore_ctx *ctx, alcore__aligner_table *table);

/* The slot where the search for (source, target) begins; the row of source is not empty. The
 * multiplicative hash (2^32 divided by the golden ratio) times the row's number of slots, shifted
 * by 32 bits, spreads the symbols over the row without a division. */
static inline uint64_t alcore__aligner_home(const alcore__aligner_table *table, uint32_t source,
                                            uint32_t target) {
    const uint64_t begin = table->row_begin[source];
    const uint64_t slots = table->row_begin[source + 1] - begin;
    return begin + ((uint64_t)(target * UINT32_C(2654435769)) * slots >> 32);
}

/* The slot of a pair that is in the table; home is the pair's alcore__aligner_home(). Linear
 * probing that wraps around at the end of the row; for a pair that is not in the table it never
 * ends. */
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
