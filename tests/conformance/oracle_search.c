/* SPDX-License-Identifier: Apache-2.0 */
/* knn and margin_ratios of the oracle in plain loops: the value of every pair in double (spec 1.8),
 * inserted into the sorted list of the k best of each item. */
#include "oracle_search.h"

#include <math.h>
#include <stdlib.h>

#include "kernel_oracle.h"

/* Every row as doubles, with its norm; rows that are left out are NULL. */
typedef struct wide_rows {
    double **row, *norm;
    int64_t count;
} wide_rows;

static wide_rows widen_all(const alcore_sys_rows *rows, const uint8_t *mask) {
    wide_rows all = {.count = rows->count};
    all.row = calloc((size_t)rows->count + 1, sizeof *all.row);
    all.norm = calloc((size_t)rows->count + 1, sizeof *all.norm);
    if (!all.row || !all.norm) abort();
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        all.row[i] = oracle_row(rows, i);
        all.norm[i] = sqrt(oracle_dot(all.row[i], all.row[i], rows->dims));
    }
    return all;
}

static void free_all(wide_rows *all) {
    for (int64_t i = 0; i < all->count; i++) free(all->row[i]);
    free(all->row);
    free(all->norm);
}

/* The value of the pair (row i of a, row j of b) by the metric. */
static double value_of(const wide_rows *a, int64_t i, const wide_rows *b, int64_t j, int64_t dims,
                       int32_t metric) {
    if (metric == ALCORE_SYS_L2) return oracle_sq_dist(a->row[i], b->row[j], dims);
    double dot = oracle_dot(a->row[i], b->row[j], dims);
    return metric == ALCORE_SYS_DOT ? dot : oracle_cosine(dot, a->norm[i], b->norm[j]);
}

/* Inserts a neighbor into the k best of an item by value, then by the lower row; unused slots (row
 * -1) come last. NaN is not inserted. */
static void insert(const alcore_sys_best *best, int64_t item, double value, int64_t row,
                   int32_t metric) {
    double *values = best->value + item * best->k;
    int64_t *rows = best->row + item * best->k, slot = best->k;
    if (isnan(value)) return;
    while (slot > 0) {
        double other = values[slot - 1];
        int closer = metric == ALCORE_SYS_L2 ? value < other : value > other;
        if (rows[slot - 1] >= 0 && !closer && !(value == other && row < rows[slot - 1])) break;
        slot--;
        if (slot + 1 < best->k) {
            values[slot + 1] = values[slot];
            rows[slot + 1] = rows[slot];
        }
    }
    if (slot == best->k) return;
    values[slot] = value;
    rows[slot] = row;
}

alcore_status oracle_knn(const alcore_sys_work *work, const alcore_sys_rows *rows,
                         const uint8_t *mask, const alcore_sys_rows *queries,
                         const uint8_t *query_mask, const alcore_sys_search *search,
                         const alcore_sys_best *query_best, const alcore_sys_best *row_best) {
    (void)work;
    wide_rows a = widen_all(rows, mask), b = widen_all(queries, query_mask);
    for (int64_t i = 0; i < rows->count; i++) {
        for (int64_t q = 0; q < queries->count; q++) {
            if (!a.row[i] || !b.row[q]) continue;
            double value = value_of(&a, i, &b, q, rows->dims, search->metric);
            if (query_best) insert(query_best, q, value, rows->first + i, search->metric);
            if (row_best) insert(row_best, i, value, queries->first + q, search->metric);
        }
    }
    free_all(&a);
    free_all(&b);
    return ALCORE_OK;
}

alcore_status oracle_margin_ratios(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                   const uint8_t *mask, const alcore_sys_rows *others,
                                   const uint8_t *other_mask, const alcore_sys_search *search,
                                   const double *row_half, const double *other_half, double *ratio,
                                   int64_t *other) {
    (void)work;
    (void)search;
    wide_rows a = widen_all(rows, mask), b = widen_all(others, other_mask);
    for (int64_t i = 0; i < rows->count; i++) {
        for (int64_t j = 0; j < others->count; j++) {
            if (!a.row[i] || !b.row[j]) continue;
            double sum = row_half[i] + other_half[j];
            double r =
                sum <= 1e-9 ? 0.0 : value_of(&a, i, &b, j, rows->dims, ALCORE_SYS_COSINE) / sum;
            if (isnan(r)) continue;
            if (other[i] >= 0 && r < ratio[i]) continue;
            if (other[i] >= 0 && r == ratio[i] && others->first + j > other[i]) continue;
            ratio[i] = r;
            other[i] = others->first + j;
        }
    }
    free_all(&a);
    free_all(&b);
    return ALCORE_OK;
}
