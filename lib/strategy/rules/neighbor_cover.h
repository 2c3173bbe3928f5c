/* SPDX-License-Identifier: Apache-2.0 */
/* Similarities of candidates to the nearest ones only, for covers (similarity_cover.h) of many
 * candidates: s(i, j) is 0 but where j is i or one of the K candidates that are nearest to i, of
 * equally near ones the lower. */
#ifndef ALCORE__NEIGHBOR_COVER_H
#define ALCORE__NEIGHBOR_COVER_H

#include "strategy/rules/gathered_rows.h"

/* The most neighbors, as a kernel finds 1,024 with the row itself. */
#define ALCORE__COVER_NEIGHBORS 1023
/* What s is of a distance d, for values [count], in place; cover: the argument of the build. */
typedef void (*alcore__similarity)(const void *cover, double *values, int64_t count);

/* The pairs of which s is not 0 by definition, by j. A zeroed struct, a member of the strategy's
 * state, has none; the arrays belong to the run. */
typedef struct alcore__cover_graph {
    int64_t *starts;      /* [candidates + 1] where the pairs of each j begin, and the last end */
    int32_t *covers;      /* [pairs] i, ascending for each j */
    double *similarities; /* [pairs] */
} alcore__cover_graph;

/* Searches the nearest `neighbors` of each of the gathered rows, or all where there are fewer, on
 * all threads. Cost: rows^2 x dims multiply-adds in float32. Memory: 16 bytes for each neighbor
 * while it is made, and 12 then. */
alcore_status alcore__cover_graph_build(alcore__run *run, const alcore__gathered *gathered,
                                        int64_t neighbors, alcore__similarity similarity,
                                        const void *cover, alcore__cover_graph *graph);
/* The sum over i of max(0, s(i, j) - covered[i]), in the order of the sums of all pairs. */
double alcore__cover_graph_gain(const alcore__cover_graph *graph, const double *covered, int64_t j);
/* Raises covered[i] to s(i, j). */
void alcore__cover_graph_pick(const alcore__cover_graph *graph, int64_t j, double *covered);

#endif
