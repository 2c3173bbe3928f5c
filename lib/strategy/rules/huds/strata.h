/* SPDX-License-Identifier: Apache-2.0 */
/* Strata of scores (spec 3.2). */
#ifndef ALCORE__STRATA_H
#define ALCORE__STRATA_H

#include <math.h>

#include "base/base.h"

/* The stratum of a score between low and high, of `strata` of equal width. The order of the
 * operations is that of spec 3.2, since rounding decides for a score on an edge. */
static inline int32_t alcore__stratum_of(double score, double low, double high, int64_t strata) {
    const double range = high - low, n = (double)strata;
    const double interval = range == 0.0 ? 0.0 : floor(((score - low) / range) * n);
    if (interval < 0.0) return 0; /* bounds from another process that lie */
    return interval < n - 1.0 ? (int32_t)interval : (int32_t)(strata - 1);
}

/* Cut scores [count], no NaN, into strata of equal width, between the smallest and the largest
 * score of all, or of equal count, count 1 or more. stratum [count]: the stratum of each score,
 * from 0; edges [strata + 1]: the bounds of the strata, ascending. */
void alcore__strata_equal(const double *scores, int64_t count, double low, double high,
                          int64_t strata, int32_t *stratum, double *edges);
alcore_status alcore__strata_quantile(alcore_ctx *ctx, const double *scores, int64_t count,
                                      int64_t strata, int32_t *stratum, double *edges);

#endif
