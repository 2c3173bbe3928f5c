/* SPDX-License-Identifier: Apache-2.0 */
/* Conformance of widen, dots, self_dots, sq_dists and of the entries by group. nearest_centroid is
 * compared with plain loops, and its bounds with distances in long double. */
#include <math.h>
#include <stdlib.h>

#include "kernel_entry.h"
#include "kernel_oracle.h"

static int64_t count_rows(const kernel_case *c) {
    return c->rows.count;
}
static int64_t count_matrix(const kernel_case *c) {
    return c->rows.count * c->rows.dims;
}
static int64_t count_sums(const kernel_case *c) {
    return CASE_GROUPS * c->rows.dims;
}

static alcore_status call_widen(table *t, const kernel_case *c, output *out) {
    return t->widen(&conformance_work, &c->rows, c->mask, out->numbers);
}

static alcore_status call_dots(table *t, const kernel_case *c, output *out) {
    return t->dots(&conformance_work, &c->rows, c->mask, c->vector, out->numbers);
}

static alcore_status call_self_dots(table *t, const kernel_case *c, output *out) {
    return t->self_dots(&conformance_work, &c->rows, c->mask, out->numbers);
}

static alcore_status call_sq_dists(table *t, const kernel_case *c, output *out) {
    return t->sq_dists(&conformance_work, &c->rows, c->mask, c->vector, out->numbers);
}

static alcore_status call_group_sums(table *t, const kernel_case *c, output *out) {
    return t->group_sums(&conformance_work, &c->rows, c->group, CASE_GROUPS, out->numbers,
                         out->integers);
}

static alcore_status call_group_cosine(table *t, const kernel_case *c, output *out) {
    return t->group_cosine(&conformance_work, &c->rows, c->group, CASE_GROUPS, c->centroids,
                           out->numbers);
}

static int64_t count_nearest(const kernel_case *c) {
    return 3 * c->rows.count;
}

/* The L2 distance as exactly as this machine has it; long double does not overflow. */
static long double distance_to(const double *row, const double *centroid, int64_t dims) {
    long double sum = 0.0L;
    for (int64_t j = 0; j < dims; j++) {
        long double t = (long double)row[j] - (long double)centroid[j];
        sum += t * t;
    }
    return sqrtl(sum);
}

/* Whether the bounds of row i hold, and are narrow where a row is plain. */
static void check_bounds(const kernel_case *c, int64_t i, int32_t nearest, double low, double high,
                         double *holds, double *narrow) {
    double *row = oracle_row(&c->rows, i);
    long double norm = sqrtl((long double)oracle_dot(row, row, c->rows.dims));
    long double own = 0.0L, others = HUGE_VALL;
    int32_t g = c->group[i];
    *holds = *narrow = 1.0;
    for (int64_t k = c->starts[g]; k < c->starts[g + 1]; k++) {
        long double d = distance_to(row, c->centroids + k * c->rows.dims, c->rows.dims);
        if (k - c->starts[g] == nearest) {
            own = d;
        } else if (!(others <= d)) {
            others = d;
        }
        if (d != d) own = others = d;
    }
    free(row);
    if (isnan(own) || nearest < 0) return;
    if (isnan(others)) others = 0.0L;
    *holds = own <= (long double)high && (long double)low <= others;
    if (c->pattern != PATTERN_RANDOM) return;
    /* A distance that is small beside the row is known from products of a few digits. */
    *narrow = (long double)high <= own * 1.02L + 0.1L * norm + 0.01L &&
              (others == HUGE_VALL ? isinf(low)
                                   : (long double)low >= 0.95L * others - 0.1L * norm - 0.01L);
}

/* With everything wanted, then with the centroids alone. */
static alcore_status call_nearest(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count;
    size_t some = (size_t)count + 1;
    double *bounds = malloc(2 * some * sizeof *bounds), *low = bounds, *high = bounds + some;
    int32_t *again = malloc(some * sizeof *again);
    if (!bounds || !again) abort();
    alcore_status status =
        t->nearest_centroid(&conformance_work, &c->rows, c->group, CASE_GROUPS, c->starts,
                            c->centroids, out->indices, out->numbers, low, high);
    for (int round = 0; round < 2 && !status; round++) {
        for (int64_t i = 0; i < count; i++) {
            if (c->group[i] < 0) continue;
            double holds = 1.0, narrow = 1.0;
            if (t != &kernel_oracle)
                check_bounds(c, i, out->indices[i], low[i], high[i], &holds, &narrow);
            if (round && again[i] != out->indices[i]) holds = 0.0;
            if (!round || holds == 0.0) out->numbers[count + i] = holds;
            if (!round || narrow == 0.0) out->numbers[2 * count + i] = narrow;
        }
        if (round) break;
        status = t->nearest_centroid(&conformance_work, &c->rows, c->group, CASE_GROUPS, c->starts,
                                     c->centroids, again, NULL, low, high);
    }
    free(bounds);
    free(again);
    return status;
}

const entry entries_rows[] = {
    {TABLE_ENTRY(widen), call_widen, count_matrix, 0, 0},
    {TABLE_ENTRY(dots), call_dots, count_rows, 0, 0},
    {TABLE_ENTRY(self_dots), call_self_dots, count_rows, 0, 0},
    {TABLE_ENTRY(sq_dists), call_sq_dists, count_rows, 0, 0},
    {TABLE_ENTRY(group_sums), call_group_sums, count_sums, 0, 0},
    {TABLE_ENTRY(group_cosine), call_group_cosine, count_rows, 0, 0},
    {TABLE_ENTRY(nearest_centroid), call_nearest, count_nearest, 0, 1},
};
const int entries_rows_count = sizeof entries_rows / sizeof entries_rows[0];
