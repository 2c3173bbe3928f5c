/* SPDX-License-Identifier: Apache-2.0 */
/* chrF of pairs of texts that a caller has one by one (chrf.c, with its default options). */
#ifndef ALCORE__CHRF_COUNT_H
#define ALCORE__CHRF_COUNT_H

#include "extra/metric/corpus_metric.h"

enum { ALCORE__CHRF_WIDTH = 24 }; /* statistics of a segment */

/* Adds the statistics of both texts, each as the hypothesis of which the other one is the
 * reference, to sums [ALCORE__CHRF_WIDTH]: texts of which neither is the right one. */
alcore_status alcore__chrf_add_both(alcore__metric_workspace *work, const char *const texts[2],
                                    const size_t lengths[2], int64_t *sums);
/* chrF of sums, 0 to 100. */
double alcore__chrf_of(const int64_t *sums);

#endif
