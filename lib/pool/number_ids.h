/* SPDX-License-Identifier: Apache-2.0 */
/* The ids of rows that were given none: the digits of their numbers from 1, as texts that live as
 * long as the pool. They are made when they are asked for, a segment of rows at a time, by any
 * thread and without a lock. */
#ifndef ALCORE__NUMBER_IDS_H
#define ALCORE__NUMBER_IDS_H

#include "base/base.h"

enum { ALCORE__NUMBER_ID_LEVELS = 54 /* one for each power of two that a segment number has */ };

/* A zeroed struct is empty. Segment s, from 1, is entry s - 2^k of level k, the logarithm of s: a
 * level is allocated whole, so that nothing ever moves. */
typedef struct alcore__number_ids {
    _Atomic(void *) levels[ALCORE__NUMBER_ID_LEVELS]; /* arrays [2^k] of _Atomic(void *), or NULL */
} alcore__number_ids;

/* The text of row + 1; NULL when out of memory. */
const char *alcore__number_id(alcore_ctx *ctx, alcore__number_ids *ids, int64_t row);
void alcore__number_ids_clear(alcore_ctx *ctx, alcore__number_ids *ids);

#endif
