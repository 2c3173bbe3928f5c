/* SPDX-License-Identifier: Apache-2.0 */
/* Pearson's correlation, apart from the public call so that other analyses use it too. */
#ifndef ALCORE__CORRELATION_H
#define ALCORE__CORRELATION_H

#include "alcore/extra/metric.h"

/* Sets rho and the two-sided p of *result for the pairs (x[i], y[i]), i < count. Both are NaN with
 * fewer than 2 pairs or a side without variance. */
void alcore__correlate(const double *x, const double *y, int64_t count,
                       alcore_pearson_result *result);

#endif
