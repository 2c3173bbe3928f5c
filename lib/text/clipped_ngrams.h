/* SPDX-License-Identifier: Apache-2.0 */
/* Clipped n-gram matches of one text against others, the count that BLEU and chrF share:
 *
 *     matches_n = sum over n-grams g of the hypothesis of min(h(g), max over references of r(g))
 *
 * A text is a sequence of units, 32-bit numbers: code points, or numbers of words that
 * alcore__ngram_counter_intern() gives. An n-gram of order n is the number of its first n - 1 units
 * and its last unit, an exact 64-bit key, so that no two n-grams are ever taken for one.
 *
 * One table is used for every order and every segment; its entries carry an epoch, so that nothing
 * is cleared between them. Memory: 28 bytes for a unit of the largest segment. Time: one probe a
 * unit and order. */
#ifndef ALCORE__CLIPPED_NGRAMS_H
#define ALCORE__CLIPPED_NGRAMS_H

#include "base/base.h"

enum { ALCORE__NGRAM_ORDERS = 8 }; /* largest number of orders of one call */

typedef struct alcore__ngram_entry {
    uint64_t key;
    uint32_t epoch;  /* the entry is free unless this is the counter's */
    uint32_t number; /* of the n-gram within its order and segment, from 0 */
} alcore__ngram_entry;

/* The workspace of one call. A zeroed struct with ctx set is empty; release it with
 * alcore__ngram_counter_clear(). */
typedef struct alcore__ngram_counter {
    alcore_ctx *ctx;
    int32_t *units;   /* [unit_count] units of all parts of the segment, part after part */
    size_t *part_end; /* [part_count] index in units after the last unit of each part */
    size_t unit_count, part_count;
    alcore__ngram_entry *entry; /* [slots] open addressing; slots is a power of two or 0 */
    size_t slots;
    uint32_t epoch;
    uint32_t *number; /* [unit_count] n-gram (its number) of the present order that begins at
                       * that unit */
    uint32_t *counts; /* [unit_count][3] occurrences of each n-gram: in the hypothesis, in the
                       * reference with most of them so far, in the present reference */
    size_t unit_capacity, part_capacity, number_capacity, count_capacity;
    int32_t *points;    /* [point_count] code points of the distinct words, word after word */
    size_t *word_begin; /* [word_count] index in points of the first code point of each word */
    size_t *word_end;   /* [word_count] index in points after the last one */
    size_t point_count, word_count;
    size_t point_capacity, word_begin_capacity, word_end_capacity;
} alcore__ngram_counter;

/* Matches of part 0, the hypothesis, and n-grams of both sides, for orders 1 .. orders.
 * reference_totals are those of part 1. */
typedef struct alcore__ngram_matches {
    int64_t matches[ALCORE__NGRAM_ORDERS];
    int64_t totals[ALCORE__NGRAM_ORDERS];
    int64_t reference_totals[ALCORE__NGRAM_ORDERS];
} alcore__ngram_matches;

/* Begins a segment: what was added before is dropped, the memory is kept. */
void alcore__ngram_counter_begin(alcore__ngram_counter *counter);
/* Adds a unit to the present part. */
alcore_status alcore__ngram_counter_unit(alcore__ngram_counter *counter, int32_t unit);
/* Ends the present part; the next unit begins the next part. */
alcore_status alcore__ngram_counter_end_part(alcore__ngram_counter *counter);
/* Adds a word, code points [length], as one unit: the number of the first equal word of the
 * segment. Words and bare units are not mixed within one segment. */
alcore_status alcore__ngram_counter_intern(alcore__ngram_counter *counter, const int32_t *points,
                                           size_t length);
/* Counts the n-grams of orders 1 .. orders of part 0, the hypothesis, against those of all other
 * parts, its references. */
alcore_status alcore__ngram_counter_match(alcore__ngram_counter *counter, int32_t orders,
                                          alcore__ngram_matches *out);
void alcore__ngram_counter_clear(alcore__ngram_counter *counter);

#endif
