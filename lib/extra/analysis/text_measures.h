/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths and repeats of some texts, such as the picks of a selection or of a round. */
#ifndef ALCORE__TEXT_MEASURES_H
#define ALCORE__TEXT_MEASURES_H

#include "alcore/pool.h"
#include "base/base.h"

/* The first quartile, the median and the third quartile of numbers, which are sorted; NaN of none.
 */
alcore_status alcore__quartiles(alcore_ctx *ctx, int64_t *numbers, int64_t count, double out[3]);
/* *out: percent of `count` rows of the pool, those with mask 1, that have nearly the words of
 * another of them; NaN of none. mask [rows of the pool]: those rows are 0 afterwards. */
alcore_status alcore__near_duplicates(alcore_ctx *ctx, const alcore_pool *pool, uint8_t *mask,
                                      int64_t count, double *out);

#endif
