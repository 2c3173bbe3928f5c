/* SPDX-License-Identifier: Apache-2.0 */
/* Partial states: what parts of the pool have found out in a pass. */
#ifndef ALCORE__PARTIAL_H
#define ALCORE__PARTIAL_H

#include "base/base.h"

typedef struct alcore__payload {
    int64_t pass, block;
    size_t bytes;
    void *data;
} alcore__payload;

/* A set of payloads by (pass, block); all-zero is empty. Nothing in it points into a pool. */
typedef struct alcore__partial {
    alcore__payload *payloads;
    size_t count, capacity;
} alcore__partial;

/* Takes data over, also on failure. */
alcore_status alcore__partial_put(alcore_ctx *ctx, alcore__partial *partial, int64_t pass,
                                  int64_t block, void *data, size_t bytes);
/* into = into and from, from becomes empty. Associative and commutative. A block that stands in
 * both is taken once when the bytes agree (a part that ran twice), and is ALCORE_E_CORRUPT when
 * they do not. */
alcore_status alcore__partial_fold(alcore_ctx *ctx, alcore__partial *into, alcore__partial *from);
/* Payloads by (pass, block). */
void alcore__partial_sort(alcore__partial *partial);
void alcore__partial_clear(alcore_ctx *ctx, alcore__partial *partial);

#endif
