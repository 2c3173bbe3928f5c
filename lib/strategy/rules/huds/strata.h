/* SPDX-License-Identifier: Apache-2.0 */
/* Strata of scores (spec 3.2). */
#ifndef ALCORE__STRATA_H
#define ALCORE__STRATA_H

#include "base/base.h"

/* Cut scores [count], count 1 or more and no NaN, into strata of equal width or of equal count.
 * stratum [count]: the stratum of each score, from 0; edges [strata + 1]: the bounds of the strata,
 * ascending. */
void alcore__strata_equal(const double *scores, int64_t count, int64_t strata, int32_t *stratum,
                          double *edges);
alcore_status alcore__strata_quantile(alcore_ctx *ctx, const double *scores, int64_t count,
                                      int64_t strata, int32_t *stratum, double *edges);

#endif
