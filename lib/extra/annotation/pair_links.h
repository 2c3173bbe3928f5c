/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of pools that are pairs of a text and its reference, and their links: aligned in both
 * directions with the default aligner and symmetrized by grow-diag-final-and
 * (docs/spec/aligner.md). The simulated oracle and switched pairs use these links where none are
 * given. */
#ifndef ALCORE__PAIR_LINKS_H
#define ALCORE__PAIR_LINKS_H

#include "alcore/pool.h"
#include "text/word_links.h"

/* Whether a row is a pair: it has words on both sides, and no state but those of `allowed`. */
bool alcore__is_pair(const alcore_pool *pool, int64_t row, uint32_t allowed);

/* The pairs of a pool. */
typedef struct alcore__pool_pairs {
    const alcore_pool *pool;
    const uint8_t *is_pair; /* [rows] 1: the row is a pair that takes part */
} alcore__pool_pairs;

/* Aligns the pairs of two pools together; the pool of `second` may be NULL. *out has the rows of
 * the first pool, then those of the second; rows that take no part have no links. The caller clears
 * *out. */
alcore_status alcore__pairs_align(alcore_ctx *ctx, alcore__pool_pairs first,
                                  alcore__pool_pairs second, alcore__links *out);

#endif
