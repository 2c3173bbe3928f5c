/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of neighbors, as neighbor_list.h describes them.
 *
 * Long lists, of k > K = 1024 entries, are made by a kernel that keeps K. A list is split into its
 * head, the best k - K entries, and its tail, the other K:
 *
 *     1. the kernel joins a run of at most K rows to the tail;
 *     2. the new tail is merged with the head.
 *
 * This gives the k best of the list and the run. At most K entries of the run can come before an
 * entry of the head, whose last one has rank k - K, so that every entry of the head stays within
 * rank k; the other K of the new list are the K best of tail and run together. As the last entry of
 * the tail is the k-th best of all rows so far, the kernel rules out pairs by it as in a short
 * list.
 *
 * Cost beside the kernel's: up to k + K moves of entries for each query and run of K rows. */
#include "search/neighbor_list.h"

#include <string.h>

#include "alcore/sys/dtype.h"

enum { TAIL = ALCORE__KERNEL_NEIGHBORS };

/* The number of entries before the first free one, by bisection, as free entries come last. */
static int64_t count_filled(int64_t width, const int64_t *row) {
    int64_t low = 0, high = width;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (row[middle] >= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The last entries are dropped until both lists together have `width`, and the others are placed
 * from the last to the first, so that none is overwritten before it is read. */
void alcore__neighbor_merge(int32_t metric, int64_t width, int64_t *row, double *value,
                            int64_t from_width, const int64_t *from_row, const double *from_value) {
    int64_t kept = count_filled(width, row), added = count_filled(from_width, from_row);
    while (added > 0 && kept + added > width) {
        if (kept == 0 || alcore__neighbor_precedes(metric, value[kept - 1], row[kept - 1],
                                                   from_value[added - 1], from_row[added - 1]))
            added--;
        else
            kept--;
    }
    while (added > 0) {
        const int64_t to = kept + added - 1;
        if (kept > 0 &&
            alcore__neighbor_precedes(metric, from_value[added - 1], from_row[added - 1],
                                      value[kept - 1], row[kept - 1])) {
            kept--;
            row[to] = row[kept];
            value[to] = value[kept];
        } else {
            added--;
            row[to] = from_row[added];
            value[to] = from_value[added];
        }
    }
}

/* The rows from .. from + count - 1 of a run of rows, or fewer where it ends. */
static alcore_sys_rows slice(const alcore_sys_rows *rows, int64_t from, int64_t count) {
    alcore_sys_rows out = *rows;
    out.data = (const char *)rows->data +
               (size_t)(from * rows->stride) * alcore_sys_dtype_bytes(rows->dtype);
    out.first = rows->first + from;
    out.count = rows->count - from < count ? rows->count - from : count;
    return out;
}

/* Joins one run of rows, of at most TAIL, to the lists of `queries`, of at most
 * ALCORE__LONG_QUERIES, whose first list is entry 0 of row and value [queries->count, k]. tails
 * [queries->count, TAIL]: workspace. */
static alcore_status join_run(const alcore_sys_kernels *kernels, const alcore_sys_work *work,
                              const alcore_sys_rows *rows, const uint8_t *mask,
                              const alcore_sys_rows *queries, const uint8_t *query_mask,
                              const alcore_sys_search *search, int64_t k, int64_t *row,
                              double *value, const alcore_sys_best *tails) {
    const int64_t head = k - TAIL;
    for (int64_t q = 0; q < queries->count; q++) {
        memcpy(tails->row + q * TAIL, row + q * k + head, TAIL * sizeof *row);
        memcpy(tails->value + q * TAIL, value + q * k + head, TAIL * sizeof *value);
    }
    ALCORE__TRY(kernels->knn(work, rows, mask, queries, query_mask, search, tails,
                             NULL /* no lists of the rows */));
    for (int64_t q = 0; q < queries->count; q++) {
        /* Entries of the old tail are in the new one, or were dropped from it. */
        for (int64_t i = head; i < k; i++) row[q * k + i] = -1;
        alcore__neighbor_merge(search->metric, k, row + q * k, value + q * k, TAIL,
                               tails->row + q * TAIL, tails->value + q * TAIL);
    }
    return ALCORE_OK;
}

/* The queries come in groups, and each group meets all rows in runs. */
alcore_status alcore__neighbor_join_long(alcore_ctx *ctx, const alcore_sys_kernels *kernels,
                                         const alcore_sys_work *work, const alcore_sys_rows *rows,
                                         const uint8_t *mask, const alcore_sys_rows *queries,
                                         const uint8_t *query_mask, const alcore_sys_search *search,
                                         const alcore_sys_best *best, int64_t *row, double *value) {
    const alcore_sys_best tails = {.k = TAIL, .row = row, .value = value};
    for (int64_t q = 0; q < queries->count; q += ALCORE__LONG_QUERIES) {
        const alcore_sys_rows group = slice(queries, q, ALCORE__LONG_QUERIES);
        for (int64_t r = 0; r < rows->count; r += TAIL) {
            const alcore_sys_rows run = slice(rows, r, TAIL);
            ALCORE__TRY(join_run(kernels, work, &run, mask ? mask + r : NULL, &group,
                                 query_mask ? query_mask + q : NULL, search, best->k,
                                 best->row + q * best->k, best->value + q * best->k, &tails));
            ALCORE__TRY(alcore__tick(ctx, NULL /* the stage stays */, 0, 0));
        }
    }
    return ALCORE_OK;
}
