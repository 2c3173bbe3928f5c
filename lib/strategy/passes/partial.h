/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of partials: what blocks contributed in a pass, as bytes that may travel between processes.
 * Merging is associative and commutative, so sets of any parts of the pool merge in any order. */
#ifndef ALCORE__PARTIAL_H
#define ALCORE__PARTIAL_H

#include "base/base.h"

/* What one block contributed in one pass. */
typedef struct alcore__partial {
    int64_t pass, block; /* numbers of both, from 0: passes of the run, blocks of the pool */
    size_t bytes;
    void *data; /* [bytes], owned; NULL: the block contributes nothing */
} alcore__partial;

/* A set of partials. A zeroed struct is an empty set. */
typedef struct alcore__partials {
    alcore__partial *entries; /* [count], owned */
    size_t count, capacity;
} alcore__partials;

/* Adds a partial to the set, which owns data from then on; on failure data is freed. */
alcore_status alcore__partials_add(alcore_ctx *ctx, alcore__partials *partials, int64_t pass,
                                   int64_t block, void *data, size_t bytes);
/* Moves all entries of `added` into `partials`, sorted by (pass, block). A block that both have is
 * kept once when the bytes agree (its part was computed twice); where they do not agree the call
 * fails with ALCORE_E_CORRUPT, and either of them is kept. `added` is empty afterwards, unless
 * memory was short. */
alcore_status alcore__partials_merge(alcore_ctx *ctx, alcore__partials *partials,
                                     alcore__partials *added);
/* Frees all entries and leaves an empty set. */
void alcore__partials_clear(alcore_ctx *ctx, alcore__partials *partials);

/* ALCORE_E_CORRUPT unless an index that a partial names is from 0 to count - 1: the partial may
 * come from another process. For the reduce functions of passes. */
alcore_status alcore__partial_check_index(int64_t index, int64_t count);

#endif
