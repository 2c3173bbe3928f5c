/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of margin ratios (Artetxe and Schwenk 2019; spec 5.6), which the search and the
 * strategy mrs share. A row x is compared with others y:
 *
 *   ratio(x, y) = cos(x, y) / (h(x) + h(y)),   0 where the divisor is at most 1e-9
 *   h           = half the mean cosine to the k nearest of the other operand
 *
 * A list of neighbors has k entries, the largest cosine first; -1 is a free entry, and free entries
 * come last. */
#ifndef ALCORE__MARGIN_BOUND_H
#define ALCORE__MARGIN_BOUND_H

#include "base/base.h"

/* h of one item from its list of neighbors, near and cosine [k]: the cosines that there are, added
 * from the largest down, divided by twice their number; 0 without neighbors. */
double alcore__margin_half(const int64_t *near, const double *cosine, int64_t k);
/* The ratio of a pair with this cosine, from h of both. */
double alcore__margin_ratio(double cosine, double row_half, double other_half);
/* Sets *ratio and *other to the largest ratio of a row with one of its neighbors, near and cosine
 * [k] (the lower other in a tie; minus infinity and -1 without neighbors). row_half: h of the row;
 * other_half [others]: h of each other; min_half: the smallest of them. Returns whether an other
 * beyond the neighbors may have a larger ratio, or the same one and a lower number. */
bool alcore__margin_from_neighbors(const int64_t *near, const double *cosine, int64_t k,
                                   double row_half, const double *other_half, double min_half,
                                   double *ratio, int64_t *other);

#endif
