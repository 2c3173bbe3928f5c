/* SPDX-License-Identifier: Apache-2.0 */
/* Margin ratios of a row with its nearest others, and a bound for all that are farther
 * (margin_bound.h). */
#include "search/margin_bound.h"

#include <math.h>

double alcore__margin_half(const int64_t *near, const double *cosine, int64_t k) {
    int64_t found = 0;
    double sum = 0.0;
    for (; found < k && near[found] >= 0; found++) sum += cosine[found];
    return found > 0 ? sum / (2.0 * (double)found) : 0.0;
}

/* A divisor that is not above 1e-9 is too small to mean anything, negative ones included. */
double alcore__margin_ratio(double cosine, double row_half, double other_half) {
    double sum = row_half + other_half;
    return sum <= 1e-9 ? 0.0 : cosine / sum;
}

/* Any other beyond the neighbors has at most the cosine of the k-th neighbor, `last`, and at least
 * min_half, so that last / (h(x) + min_half) bounds its ratio where last >= 0 and the sum is above
 * 1e-9. A bound that equals the ratio leaves the row open, since a lower other may tie. A row whose
 * neighbors are all of the others is not open. */
bool alcore__margin_from_neighbors(const int64_t *near, const double *cosine, int64_t k,
                                   double row_half, const double *other_half, double min_half,
                                   double *ratio, int64_t *other) {
    *ratio = -HUGE_VAL;
    *other = -1;
    for (int64_t p = 0; p < k && near[p] >= 0; p++) {
        double one = alcore__margin_ratio(cosine[p], row_half, other_half[near[p]]);
        if (one < *ratio || (one == *ratio && near[p] > *other)) continue;
        *ratio = one;
        *other = near[p];
    }
    double sum = row_half + min_half, last = cosine[k - 1];
    bool all = near[k - 1] < 0;
    return !all && !(sum > 1e-9 && last >= 0.0 && last / sum < *ratio);
}
