/* SPDX-License-Identifier: Apache-2.0 */
/* Margin ratios of a row with its nearest others, and a bound for all that are farther
 * (margin_bound.h):
 *
 *   ratio(x, y) = cos(x, y) / (h(x) + h(y)),   h = half the mean cosine to the k nearest
 *
 * A list of neighbors is near [k], numbers of the other operand's rows from 0, and cosine [k], the
 * largest first; -1 in near is a free entry, whose cosine is not read, and free entries come
 * last. */
#include "search/margin_bound.h"

#include <math.h>

/* h of one item from its list: the cosines that there are, added from the largest down, divided by
 * twice their number, which is less than k where there are fewer neighbors; 0 without neighbors. */
double alcore__margin_half(const int64_t *near, const double *cosine, int64_t k) {
    int64_t found = 0;
    double sum = 0.0;
    for (; found < k && near[found] >= 0; found++) sum += cosine[found];
    return found > 0 ? sum / (2.0 * (double)found) : 0.0;
}

/* The ratio of a pair with this cosine from h of both; 0 where their sum, the divisor, is not above
 * 1e-9: it is too small to mean anything, negative ones included. */
double alcore__margin_ratio(double cosine, double row_half, double other_half) {
    double sum = row_half + other_half;
    return sum <= 1e-9 ? 0.0 : cosine / sum;
}

/* Sets *ratio to the largest ratio of a row with its neighbors and *other to the one that has it,
 * the lower one in a tie (minus infinity and -1 without neighbors). row_half: h of the row;
 * other_half [others]: h of each other; min_half: the smallest of them. Returns whether the row is
 * open: an other beyond its neighbors may have a larger ratio, or the same one and a lower number.
 *
 * Such an other has at most the cosine of the k-th neighbor, `last`, and an h of min_half or more,
 * so that last / (h(x) + min_half) bounds its ratio where last >= 0 and the sum is above 1e-9. A
 * bound that equals the ratio leaves the row open, since a lower other may tie. A row whose list
 * has a free entry has all others as neighbors and is not open. */
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
