/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ALCORE__WEIGHTED_H
#define ALCORE__WEIGHTED_H

#include <stdint.h>

/* weighted(w, u) of docs/spec/arithmetic.md, 1.7: returns a row of the pool, drawn in proportion to
 * its weight by one random number, uniform in [0, 1). weights [count], by pool row: not negative, 0
 * for rows that take no part. -1 when all are 0. */
int64_t alcore__weighted(const double *weights, int64_t count, double uniform);

#endif
