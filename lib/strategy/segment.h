/* SPDX-License-Identifier: Apache-2.0 */
/* Strata of rows in memory, one after another (spec 3.3 with k = 1). */
#ifndef ALCORE__SEGMENT_H
#define ALCORE__SEGMENT_H

#include "strategy/strategy_def.h"

typedef struct alcore__segment {
    const int32_t *stratum; /* [candidates] */
    const int64_t *counts;  /* [strata] */
    int64_t strata;
    bool unit;
    double *distance; /* [candidates] out: cosine distance to the mean of the row's stratum */
} alcore__segment;

/* Reads each row once from memory: a stratum that fits the cache is summed and then, while it is
 * still there, measured. *done is false when the run is cut into parts, threads are too few or a
 * stratum is too large for that to pay, the matrix does not lie in memory in one piece, or a sum is
 * not finite; two passes over the blocks give the same bytes then. */
alcore_status alcore__segment_strata(alcore__run *run, const alcore__segment *segment, bool *done);

#endif
