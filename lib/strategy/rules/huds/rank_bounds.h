/* SPDX-License-Identifier: Apache-2.0 */
/* Strata of equal numbers of rows over all shards, none of which has the scores of all rows
 * (spec 3.2). Rows are ordered by score, then by row, and a stratum begins with the row of a given
 * rank. In each pass every shard counts its own rows in parts of intervals of this order, and the
 * intervals shrink, until each stratum's first row is known, or a place between two rows.
 *
 * Words of this file:
 *
 *     key       a row's place in the order, an integer: its score as an ordered integer, less that
 *               of the smallest score, and behind these bits the number of the row
 *     bound     of a stratum: rows with a key below it are in earlier strata
 *     open      of a bound: it is not exact yet
 *     interval  2^shift keys, among which is an open bound
 *     bins      2^digits parts of an interval, of equal numbers of keys */
#ifndef ALCORE__RANK_BOUNDS_H
#define ALCORE__RANK_BOUNDS_H

#include "strategy/block.h"

__extension__ typedef unsigned __int128 alcore__rank_key;

typedef struct alcore__rank_bounds {
    int64_t strata;
    alcore__rank_key *bounds; /* [strata - 1] of the strata 1 .. strata - 1, ascending; of an open
                                 one the smallest key of its interval */
    int64_t *ranks; /* [strata - 1] how many rows of the interval are before the bound; 0: it is
                       exact */
    alcore__rank_key *intervals; /* [interval_count] the smallest keys of the intervals, ascending
                                  */
    int64_t interval_count;
    int32_t shift, digits; /* of the present pass */
    int32_t row_bits;
    uint64_t smallest; /* the smallest score as an ordered integer, from which keys count */
    int64_t *counts;   /* [interval_count, 2^digits] rows in each bin of the present pass */
} alcore__rank_bounds;

/* Called when the smallest and the largest score of all candidates are known. */
alcore_status alcore__rank_bounds_begin(const alcore__run *run, alcore__rank_bounds *self,
                                        int64_t strata, double low, double high);
/* Whether there is another pass. */
bool alcore__rank_bounds_open(const alcore__rank_bounds *self);
/* The functions of the pass. _bytes: the size of a partial, int64 [interval_count, 2^digits];
 * _count: adds the rows of a block, with scores [active rows], to a partial; _add: adds a partial
 * to the counts of all; _narrow: makes the intervals smaller, at the end of the pass. */
size_t alcore__rank_bounds_bytes(const alcore__rank_bounds *self);
void alcore__rank_bounds_count(const alcore__rank_bounds *self, const alcore__block *block,
                               const double *scores, int64_t *counts);
alcore_status alcore__rank_bounds_add(const alcore__run *run, alcore__rank_bounds *self,
                                      const int64_t *counts);
alcore_status alcore__rank_bounds_narrow(alcore__rank_bounds *self);
/* The stratum of a row, once no bound is open. */
int32_t alcore__rank_bounds_stratum(const alcore__rank_bounds *self, double score, int64_t row);

#endif
