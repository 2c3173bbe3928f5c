/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of candidates (spec 1.3). */
#ifndef ALCORE__RANK_H
#define ALCORE__RANK_H

#include "base/base.h"

/* Positions 0..count-1 by (key descending, row ascending), or with tie=random by (key descending,
 * derive(seed, TIE, row, 0) ascending, row ascending). Only the first `best` are ordered and
 * written to out [min(best, count)]. rows: [count] pool rows, ascending; keys: NaN comes last. */
alcore_status alcore__rank(alcore_ctx *ctx, const double *keys, const int64_t *rows, int64_t count,
                           int32_t tie, uint64_t seed, int64_t best, int64_t *out);

/* The rank of each value, out [count], from 1 for the smallest; equal values share the mean of
 * their ranks (spec 3.4, rescale=rank). values [count]: no NaN. */
alcore_status alcore__average_ranks(alcore_ctx *ctx, const double *values, int64_t count,
                                    double *out);

#endif
