/* SPDX-License-Identifier: Apache-2.0 */
/* Wilcoxon's signed-rank test over integers, apart from the public call so that a test can ask for
 * either p. */
#ifndef ALCORE__WILCOXON_H
#define ALCORE__WILCOXON_H

#include <stdbool.h>

#include "alcore/extra/metric.h"

enum { ALCORE__WILCOXON_MOST_EXACT = 50 }; /* differences of which p is exact */

/* differences: [count], none 0; sorted by magnitude on return. exact: count is at most
 * ALCORE__WILCOXON_MOST_EXACT. Sorting needs as much memory again, and polls cancellation. */
alcore_status alcore__wilcoxon(alcore_ctx *ctx, int64_t *differences, int64_t count, bool exact,
                               alcore_wilcoxon_result *result);

#endif
