/* SPDX-License-Identifier: Apache-2.0 */
/* Strata of scores (spec 3.2). */
#ifndef ALCORE__STRATA_H
#define ALCORE__STRATA_H

#include "base/base.h"

/* stratum [count] and edges [strata + 1] of equal-width or equal-count strata. count is 1 or more.
 */
void alcore__strata_equal(const double *scores, int64_t count, int64_t strata, int32_t *stratum,
                          double *edges);
alcore_status alcore__strata_quantile(alcore_ctx *ctx, const double *scores, int64_t count,
                                      int64_t strata, int32_t *stratum, double *edges);

#endif
