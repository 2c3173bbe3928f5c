/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of partials: what blocks contributed in a pass, as bytes that may travel between processes.
 * Merging is associative and commutative, so sets of any parts of the pool merge in any order. */
#ifndef ALCORE__PARTIAL_H
#define ALCORE__PARTIAL_H

#include "base/base.h"

typedef struct alcore__partial {
    int64_t pass, block;
    size_t bytes;
    void *data; /* [bytes], owned; NULL: the block contributes nothing */
} alcore__partial;

/* All-zero is empty. */
typedef struct alcore__partials {
    alcore__partial *entries; /* [count] */
    size_t count, capacity;
} alcore__partials;

/* Adds one; takes data over, also on failure. */
alcore_status alcore__partials_add(alcore_ctx *ctx, alcore__partials *partials, int64_t pass,
                                   int64_t block, void *data, size_t bytes);
/* Moves all of `from` into `into`, sorted by (pass, block). A block in both is kept once when the
 * bytes agree (a part that ran twice), and is ALCORE_E_CORRUPT when they do not. */
alcore_status alcore__partials_merge(alcore_ctx *ctx, alcore__partials *into,
                                     alcore__partials *from);
void alcore__partials_clear(alcore_ctx *ctx, alcore__partials *partials);

#endif
