/* SPDX-License-Identifier: Apache-2.0 */
/* Conformance of knn, both ways in two runs of rows, and of margin_ratios, against insertion into
 * sorted lists: all metrics, more slots than rows, masks, halves that cancel; and of convert, whose
 * result knn and nearest_centroid read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/sys/dtype.h"
#include "kernel_entry.h"

/* LARGE_QUERIES: of a large case, as the oracle computes each pair. */
enum { METRICS = 3, LARGE_QUERIES = 24 };

/* The case's rows, and some of the same rows as queries: copies, neighbors and themselves. */
static alcore_sys_rows queries_of(const kernel_case *c) {
    alcore_sys_rows queries = c->rows;
    int64_t bytes = c->rows.dtype == ALCORE_FLOAT64 ? 8 : c->rows.dtype == ALCORE_FLOAT32 ? 4 : 2;
    int64_t skipped = c->rows.count / 4;
    queries.first = 11;
    queries.count -= skipped;
    if (c->rows.count > CASE_ROWS) queries.count = LARGE_QUERIES;
    queries.data = (const char *)c->rows.data + skipped * c->rows.stride * bytes;
    return queries;
}

/* More places than rows now and then. */
static int64_t slots_of(const kernel_case *c, int side) {
    return c->rows.dims % 3 == 0 ? 70 + side : 1 + (c->rows.dims + 2 * side + c->pattern) % 5;
}

static int64_t count_best(const kernel_case *c) {
    return METRICS * c->rows.count * (slots_of(c, 0) + slots_of(c, 1));
}
static int64_t count_rows(const kernel_case *c) {
    return c->rows.count;
}

/* One metric: both ways in two runs of rows, the later one first; or one way. */
static alcore_status search_case(table *t, const kernel_case *c, const alcore_sys_search *search,
                                 const alcore_sys_best *query_best,
                                 const alcore_sys_best *row_best) {
    alcore_sys_rows queries = queries_of(c), upper = c->rows, lower = c->rows;
    const uint8_t *query_mask = c->pattern % 3 == 1 ? c->mask : NULL;
    int64_t half = c->rows.count / 2;
    int64_t bytes = c->rows.dtype == ALCORE_FLOAT64 ? 8 : c->rows.dtype == ALCORE_FLOAT32 ? 4 : 2;
    alcore_sys_best of_upper = *row_best;
    of_upper.row += half * row_best->k;
    of_upper.value += half * row_best->k;
    lower.count = half;
    upper.count -= half;
    upper.first += half;
    upper.data = (const char *)upper.data + half * upper.stride * bytes;
    int way = (c->pattern + c->packed) % 3; /* both, queries only, rows only */
    alcore_status status =
        t->knn(&conformance_work, &upper, c->mask ? c->mask + half : NULL, &queries, query_mask,
               search, way == 2 ? NULL : query_best, way == 1 ? NULL : &of_upper);
    if (!status) {
        status = t->knn(&conformance_work, &lower, c->mask, &queries, query_mask, search,
                        way == 2 ? NULL : query_best, way == 1 ? NULL : row_best);
    }
    return status;
}

static alcore_status call_knn(table *t, const kernel_case *c, output *out) {
    int64_t numbers = count_best(c), used = 0;
    int64_t *rows = malloc((size_t)(numbers + 1) * sizeof *rows);
    if (!rows) abort();
    for (int64_t i = 0; i < numbers; i++) rows[i] = -1;
    alcore_status status = ALCORE_OK;
    for (int32_t metric = 0; metric < METRICS && !status; metric++) {
        alcore_sys_search search = {.size = sizeof search, .metric = metric};
        alcore_sys_best best[2];
        for (int side = 0; side < 2; side++) {
            int64_t k = slots_of(c, side);
            best[side] =
                (alcore_sys_best){.k = k, .row = rows + used, .value = out->numbers + used};
            used += c->rows.count * k;
        }
        status = search_case(t, c, &search, &best[0], &best[1]);
    }
    for (int64_t i = 0; i < numbers; i++) out->indices[i] = (int32_t)rows[i];
    free(rows);
    return status;
}

/* Halves that cancel now and then, so that divisors are at or about the least one. */
static double half_of(const kernel_case *c, int64_t i) {
    double half = c->scalars[i % (c->rows.count * 3)];
    if (c->pattern == PATTERN_ULP && i % 7 == 0) half = -half;
    if (c->pattern == PATTERN_ZEROS) half = half < 0.5 ? 0.0 : 5e-10;
    if (c->pattern == PATTERN_SPECIAL && i % 50 == 3) half = i % 100 == 3 ? (double)NAN : HUGE_VAL;
    return half;
}

static alcore_status call_margin_ratios(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count;
    alcore_sys_rows others = queries_of(c);
    alcore_sys_search search = {.size = sizeof search, .metric = ALCORE_SYS_COSINE};
    double *halves = malloc((size_t)(2 * count + 1) * sizeof *halves);
    int64_t *other = malloc((size_t)(count + 1) * sizeof *other);
    if (!halves || !other) abort();
    for (int64_t i = 0; i < 2 * count; i++) halves[i] = half_of(c, i);
    for (int64_t i = 0; i < count; i++) {
        out->numbers[i] = -HUGE_VAL;
        other[i] = -1;
    }
    alcore_status status = t->margin_ratios(&conformance_work, &c->rows, c->mask, &others,
                                            c->pattern % 3 == 1 ? c->mask : NULL, &search, halves,
                                            halves + count, out->numbers, other);
    for (int64_t i = 0; i < count; i++) out->indices[i] = (int32_t)other[i];
    free(halves);
    free(other);
    return status;
}

/* The nearest centroids and the nearest rows, from rows that the engine holds and has converted, in
 * two runs of them, the later one first. */
static int64_t count_converted(const kernel_case *c) {
    return 2 * c->rows.count;
}
static alcore_status call_convert(table *t, const kernel_case *c, output *out) {
    const alcore_sys_search search = {.size = sizeof search, .metric = ALCORE_SYS_L2};
    const alcore_sys_rows queries = queries_of(c);
    const int64_t count = c->rows.count, half = count / 2;
    alcore_sys_work work = conformance_work;
    alcore_sys_held held = {0};
    alcore_sys_converted converted = {0};
    alcore_status status = ALCORE_OK;
    int64_t *found = malloc((size_t)(count + 1) * sizeof *found);
    if (!found) abort();
    for (int64_t i = 0; i < count; i++) found[i] = -1;
    for (int64_t i = 0; i < 2 * count; i++) out->indices[i] = -9;
    for (int64_t i = 0; i < 2 * count; i++) out->numbers[i] = -9.0;
    if (t->upload) status = t->upload(&work, &c->rows, NULL, &held);
    const alcore_sys_rows all = held.memory ? held.rows : c->rows;
    if (t->convert && !status)
        status = t->convert(&work, &all, ALCORE_SYS_L2, queries.count, &converted);
    work.converted = &converted;
    for (int run = 1; run >= 0 && !status; run--) {
        const int64_t first = run ? half : 0;
        alcore_sys_rows rows = all;
        rows.first += first;
        rows.count = run ? count - half : half;
        rows.data = (const char *)all.data +
                    first * all.stride * (int64_t)alcore_sys_dtype_bytes(all.dtype);
        const alcore_sys_best best = {
            .k = 1, .row = found + first, .value = out->numbers + count + first};
        status = t->nearest_centroid(&work, &rows, c->group + first, CASE_GROUPS, c->starts,
                                     c->centroids, out->indices + first, out->numbers + first, NULL,
                                     NULL);
        if (!status)
            status = t->knn(&work, &rows, c->mask ? c->mask + first : NULL, &queries, NULL, &search,
                            NULL, &best);
    }
    for (int64_t i = 0; i < count; i++) out->indices[count + i] = (int32_t)found[i];
    if (t->release) t->release(&work, &converted.held);
    if (t->release) t->release(&work, &held);
    free(found);
    return status;
}

const entry entries_search[] = {
    {TABLE_ENTRY(knn), call_knn, count_best, 0, 1},
    {TABLE_ENTRY(margin_ratios), call_margin_ratios, count_rows, 0, 1},
    {TABLE_ENTRY(convert), call_convert, count_converted, 0, 1},
};
const int entries_search_count = sizeof entries_search / sizeof entries_search[0];
