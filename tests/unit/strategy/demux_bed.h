/* SPDX-License-Identifier: Apache-2.0 */
/* Beds of the vectors of DeMuX (tests/vectors/multilingual.json): points in the plane with an
 * uncertainty, and a target. */
#ifndef DEMUX_BED_H
#define DEMUX_BED_H

#include "strategy_bed.h"
#include "vectors.h"

/* Opens a bed with the points, the uncertainty and the target of a vector; returns the number of
 * target rows. */
int64_t demux_bed_open(bed *bed, const vector_case *one);
/* The picks are those that the vector expects, and no more. */
void demux_bed_expect_picks(const bed *bed, const vector_case *one);
/* Runs uncertainty-knn with `params` and those of each case of a vector, and expects its picks. */
void demux_bed_uncertainty_knn(bed *bed, const char *vector, const char *params,
                               void (*open)(const vector_case *one));

#endif
