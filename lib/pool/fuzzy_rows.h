/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzy matches (text/fuzzy_match.h) of the rows of a pool in the rows of another one, on all
 * threads. */
#ifndef ALCORE__FUZZY_ROWS_H
#define ALCORE__FUZZY_ROWS_H

#include "alcore/pool.h"
#include "base/base.h"

/* out [rows of pool]: percent of the best match of each row with mask 1 in the rows of memory with
 * mask 1, 0 where there is none of `least` or more, and for the others. A mask may be NULL: all
 * rows. enough: as in alcore__fuzzy_best(). Both pools are locked for reading. */
alcore_status alcore__pool_fuzzy_matches(alcore_ctx *ctx, const alcore_pool *pool,
                                         const uint8_t *mask, const alcore_pool *memory,
                                         const uint8_t *memory_mask, double least, double enough,
                                         double *out);

#endif
