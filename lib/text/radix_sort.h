/* SPDX-License-Identifier: Apache-2.0 */
/* Stable sort of numbers by a 64-bit key, for the suffix sorts of the phrase index. */
#ifndef ALCORE__RADIX_SORT_H
#define ALCORE__RADIX_SORT_H

#include "base/base.h"

typedef struct alcore__keyed {
    uint64_t key;
    uint32_t value;
} alcore__keyed;

/* Sorts records [count] by rising key; records of equal keys keep their order. spare [count] is
 * overwritten. Polls cancellation every few thousand records: ALCORE_E_CANCELLED leaves both arrays
 * in no defined order. Allocates nothing; any thread. */
alcore_status alcore__radix_sort(alcore_ctx *ctx, alcore__keyed *records, alcore__keyed *spare,
                                 size_t count);

#endif
