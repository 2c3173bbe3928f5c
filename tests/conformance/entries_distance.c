/* SPDX-License-Identifier: Apache-2.0 */
/* Conformance of distance_sums (bytes) and distance_bounds (the intervals hold the sums, and are
 * narrow on plain data) against the targets that are a case's last centroids. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_entry.h"
#include "kernel_oracle.h"

enum { TARGETS = 45, TARGET_GROUPS = 3 };

static int64_t count_sums(const kernel_case *c) {
    return (1 + TARGET_GROUPS) * c->rows.count;
}
static int64_t count_bounds(const kernel_case *c) {
    return 2 * c->rows.count;
}

/* The targets of a case: its last centroids, which are rows, near rows and between rows, in the
 * case's number type; unit where the rows are. */
typedef struct target_set {
    alcore_sys_rows rows;
    char *memory;
    int32_t group[TARGETS];
} target_set;

static void make_targets(const kernel_case *c, target_set *out) {
    int64_t dims = c->rows.dims;
    int64_t count = c->rows.count == 2 ? 1 : TARGETS;
    out->memory = malloc((size_t)(TARGETS * (dims + 1)) * 8 + 8);
    if (!out->memory) abort();
    for (int64_t t = 0; t < TARGETS; t++) {
        const double *centroid = c->centroids + (CASE_CENTROIDS - TARGETS + t) * dims;
        for (int64_t j = 0; j <= dims; j++) {
            double x = j < dims ? centroid[j] : 0.5;
            case_put(out->memory, t * (dims + 1) + j, c->rows.dtype, x);
        }
        out->group[t] = (int32_t)(t % (TARGET_GROUPS + 1)) - (t % 8 == 3 ? 1 : 0);
        if (out->group[t] == TARGET_GROUPS) out->group[t] = -1;
    }
    out->rows = (alcore_sys_rows){.data = out->memory,
                                  .count = count,
                                  .dims = dims,
                                  .stride = dims + 1,
                                  .dtype = c->rows.dtype,
                                  .unit = c->rows.unit};
}

static alcore_status call_sums(table *t, const kernel_case *c, output *out) {
    target_set targets;
    make_targets(c, &targets);
    alcore_status status = t->distance_sums(&conformance_work, &c->rows, c->mask, &targets.rows,
                                            targets.group, TARGET_GROUPS, out->numbers);
    if (!status)
        status = t->distance_sums(&conformance_work, &c->rows, c->mask, &targets.rows, NULL, 1,
                                  out->numbers + TARGET_GROUPS * c->rows.count);
    free(targets.memory);
    return status;
}

/* How many numbers a float32 holds exactly enough for a narrow interval. */
static int is_plain(const kernel_case *c) {
    return c->pattern == PATTERN_RANDOM && c->rows.count > 2;
}

/* Per row: whether the intervals hold the sums, and whether they are narrow where the numbers are
 * plain. Without a sum (NaN) there is nothing to hold. */
static alcore_status call_bounds(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count;
    size_t bytes = (size_t)(TARGET_GROUPS * count + 1) * sizeof(double);
    double *sums = malloc(bytes), *low = malloc(bytes), *high = malloc(bytes);
    if (!sums || !low || !high) abort();
    target_set targets;
    make_targets(c, &targets);
    kernel_oracle.distance_sums(&conformance_work, &c->rows, c->mask, &targets.rows, targets.group,
                                TARGET_GROUPS, sums);
    alcore_status status = t->distance_bounds(&conformance_work, &c->rows, c->mask, &targets.rows,
                                              targets.group, TARGET_GROUPS, low, high);
    for (int64_t i = 0; i < count && !status; i++) {
        if (c->mask && !c->mask[i]) continue;
        int holds = 1, narrow = 1;
        for (int g = 0; g < TARGET_GROUPS; g++) {
            int64_t at = i * TARGET_GROUPS + g;
            if (isnan(sums[at])) continue;
            if (!(low[at] <= sums[at] && sums[at] <= high[at])) holds = 0;
            /* A copy of a target adds twice the root of what its square may be off. */
            if (is_plain(c) && !(high[at] - low[at] <= 0.05 * sums[at] + 0.1)) narrow = 0;
        }
        out->numbers[i] = holds;
        out->numbers[count + i] = narrow;
    }
    free(targets.memory);
    free(sums);
    free(low);
    free(high);
    return status;
}

const entry entries_distance[] = {
    {TABLE_ENTRY(distance_sums), call_sums, count_sums, 0, 1},
    {TABLE_ENTRY(distance_bounds), call_bounds, count_bounds, 0, 1},
};
const int entries_distance_count = sizeof entries_distance / sizeof entries_distance[0];
