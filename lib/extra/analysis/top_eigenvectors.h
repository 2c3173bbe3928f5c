/* SPDX-License-Identifier: Apache-2.0 */
/* The largest eigenvalues of a symmetric matrix and the eigenvectors that belong to them. */
#ifndef ALCORE__TOP_EIGENVECTORS_H
#define ALCORE__TOP_EIGENVECTORS_H

#include "base/base.h"

enum { ALCORE__TOP_EIGENVECTORS = 2 }; /* most that can be asked for */

/* matrix: [dims, dims], symmetric and positive semidefinite. count: eigenvectors, at most dims and
 * ALCORE__TOP_EIGENVECTORS. values: [count], falling, never below 0; vectors: [count, dims], of
 * unit length and orthogonal, of either sign. Calls alcore__tick(). */
alcore_status alcore__top_eigenvectors(alcore_ctx *ctx, const double *matrix, int64_t dims,
                                       int32_t count, double *values, double *vectors);

#endif
