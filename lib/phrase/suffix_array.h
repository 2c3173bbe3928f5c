/* SPDX-License-Identifier: Apache-2.0 */
/* The positions of a corpus sorted by the words that follow, up to a number of words or up to the
 * end of the row. All n-grams of all orders can be read off it: the occurrences of an n-gram stand
 * next to each other, and the length of the longest common prefix of neighbors says where each
 * n-gram begins and ends.
 *
 * Example, two rows "a b c" and "a b", without a limit on the length:
 *
 *   entry      0        1        2       3       4
 *   suffix     a b      a b c    b       b c     c
 *   lcp        0        2        0       1       0        words in common with the entry before
 *
 * "a b" is entries 0 to 1 (all neighbors inside share 2 words): it occurs 2 times.
 *
 * The array is cut into buckets between first words, so that every n-gram lies within one bucket
 * and buckets can be sorted and read by different threads. Memory: 8 bytes a word. */
#ifndef ALCORE__SUFFIX_ARRAY_H
#define ALCORE__SUFFIX_ARRAY_H

#include "text/corpus.h"

#define ALCORE__SUFFIX_UNLIMITED UINT32_MAX

typedef struct alcore__suffix_array {
    uint32_t depth;     /* words that are compared; ALCORE__SUFFIX_UNLIMITED: to the row's end */
    uint32_t count;     /* entries: the words of the corpus, boundaries left out */
    uint32_t *position; /* [count] corpus positions, sorted by the first `depth` words, then by
                           position */
    uint32_t *lcp;      /* [count] words that the suffix of an entry shares with that of the entry
                           before it, at most depth; 0 for the first entry of a bucket */
    uint32_t *bucket;   /* [buckets + 1] first entry of each bucket; the last one is count */
    int64_t buckets;
} alcore__suffix_array;

/* Sorts the positions of all words of the corpus, labeled rows included, on the context's threads.
 * Words are compared by their symbols, which depend on the timing of the threads that read the
 * corpus: so does the order of different n-grams in the array, and nothing else. The caller clears
 * *out; after a failure it is empty. */
alcore_status alcore__suffix_array_new(const alcore__corpus *corpus, uint32_t depth,
                                       alcore__suffix_array *out);
void alcore__suffix_array_clear(alcore_ctx *ctx, alcore__suffix_array *array);

/* The second half of a sort without a limit (suffix_doubling.c), called by the first: array is
 * sorted by ALCORE__SUFFIX_START words and becomes sorted to the end of each row. */
#define ALCORE__SUFFIX_START 8u
alcore_status alcore__suffix_array_extend(const alcore__corpus *corpus,
                                          alcore__suffix_array *array);

#endif
