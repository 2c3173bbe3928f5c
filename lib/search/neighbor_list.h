/* SPDX-License-Identifier: Apache-2.0 */
/* A list of neighbors in order, two of them merged, and lists of more neighbors than the kernel
 * keeps.
 *
 * A list has `width` entries, each a row and its value by the metric, the best first: the nearer,
 * and of equal values the lower row. Free entries, with row -1, come last. Searches of a context's
 * data (knn.c) and passes of strategies (strategy/rules/neighbor_lists.h) have their lists here. */
#ifndef ALCORE__NEIGHBOR_LIST_H
#define ALCORE__NEIGHBOR_LIST_H

#include "alcore/sys/kernel.h"
#include "base/base.h"

/* KERNEL_NEIGHBORS: the most entries of a list that the kernel keeps (alcore_sys_best.k).
 * LONG_QUERIES: how many queries are searched for at a time where lists are longer; the kernel's
 * lists for them are 1 MiB. */
enum { ALCORE__KERNEL_NEIGHBORS = 1024, ALCORE__LONG_QUERIES = 64 };

/* Whether the neighbor (value, row) comes before (other, other_row) in a list. Of two free entries
 * neither comes before the other. */
static inline bool alcore__neighbor_precedes(int32_t metric, double value, int64_t row,
                                             double other, int64_t other_row) {
    if (row < 0 || other_row < 0) return other_row < 0 && row >= 0;
    if (value != other) return metric == ALCORE_SYS_L2 ? value < other : value > other;
    return row < other_row;
}

/* Merges the list from_row and from_value [from_width] into the list row and value [width], which
 * keeps the best `width` entries of both. No row is in both lists. */
void alcore__neighbor_merge(int32_t metric, int64_t width, int64_t *row, double *value,
                            int64_t from_width, const int64_t *from_row, const double *from_value);

/* Joins rows to the lists of queries, as the kernel knn does, for lists of any length above
 * ALCORE__KERNEL_NEIGHBORS: best [queries->count, best->k]. Rows and queries may come in any order
 * and number of calls. mask [rows->count], query_mask [queries->count]: 1 takes part; NULL: all do.
 * row, value [ALCORE__LONG_QUERIES, ALCORE__KERNEL_NEIGHBORS]: workspace. Asks for cancellation at
 * each call of the kernel, which has at most LONG_QUERIES x KERNEL_NEIGHBORS pairs. */
alcore_status alcore__neighbor_join_long(alcore_ctx *ctx, const alcore_sys_kernels *kernels,
                                         const alcore_sys_work *work, const alcore_sys_rows *rows,
                                         const uint8_t *mask, const alcore_sys_rows *queries,
                                         const uint8_t *query_mask, const alcore_sys_search *search,
                                         const alcore_sys_best *best, int64_t *row, double *value);

#endif
