/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest centroid of each row among those of its own group (k-means within strata, spec 3.4),
 * with bounds of its distance and of the second nearest for the caller's Hamerly test.
 *
 * Rows are taken by group (order, starts), PRODUCT_ROWS at a time; the filter (cpu_centroids.h)
 * keeps the centroids that can be nearest, or second nearest when bounds are wanted, and those are
 * compared in double, lowest index first, so that ties go to the lower centroid. Groups with few
 * centroids skip the filter. Cost: see cpu_centroids.h. */
#include <string.h>

#include "cpu/cpu_call.h"
#include "cpu/cpu_centroids.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_rows.h"

/* One call and its memory. */
typedef struct nearest_call {
    const alcore_sys_work *work;
    const alcore_sys_rows *rows;
    const double *centroids;
    int32_t *nearest;
    double *distance;   /* may be NULL */
    double *low, *high; /* may be NULL, both */
    int64_t spent;
    int64_t *order;  /* [count]: rows by group, in row order within one */
    int64_t *starts; /* [groups + 1]: where a group's rows start in order */
    double *unit;    /* [PRODUCT_ROWS, dims]; NULL: rows are as given */
    float *panel;    /* [dims, PRODUCT_ROWS] */
    float *products; /* [PRODUCT_ROWS, padded] */
    int32_t *kept;   /* [padded] */
    centroids_filter filter;
    int64_t capacity; /* centroids that panels, squares, products and kept have room for */
} nearest_call;

/* A row's nearest centroid among those looked at. */
typedef struct nearest_found {
    int32_t best;
    double least;  /* its sq_dist */
    double second; /* no sq_dist of the others is less; infinity: there are no others */
} nearest_found;

#define NEAREST_NONE                                                                               \
    (nearest_found) {                                                                              \
        .best = -1, .least = HUGE_VAL, .second = HUGE_VAL                                          \
    }

/* bounds: the second is wanted, too. */
CPU_INLINE void look_at(nearest_found *found, const char *row, const double *centroids, int64_t c,
                        int64_t dims, int32_t dtype, int bounds) {
    double limit = bounds && found->second > found->least ? found->second : found->least;
    double sq_dist = CPU(sq_dist_within)(row, centroids + c * dims, dims, dtype, limit),
           other = sq_dist;
    int first = found->best < 0;
    if (first || sq_dist < found->least) {
        other = found->least;
        found->best = (int32_t)c;
        found->least = sq_dist;
        if (first) return;
    }
    if (other != other) found->second = -HUGE_VAL;
    /* Infinity is for absent centroids: this one's square only left the range of double. */
    if (other > DBL_MAX) other = DBL_MAX;
    if (other < found->second) found->second = other;
}

/* What is known of row i: in exact arithmetic the squared distance to its nearest centroid is at
 * most own (1 + 1e-9), those to the others at least other (1 - 1e-9). */
static void write_bounds(nearest_call *call, int64_t i, double own, double other) {
    if (!call->high) return;
    call->high[i] = HUGE_VAL;
    call->low[i] = 0.0;
    if (!(own <= DBL_MAX)) return;
    /* Numbers whose squares are below double's range add less than 1e-150. */
    call->high[i] = sqrt(own > 0.0 ? own : 0.0) * FILTER_UP + 1e-150;
    if (other > 0.0) {
        double low = sqrt(other) * (2.0 - FILTER_UP) - 1e-150;
        call->low[i] = low > 0.0 ? low : 0.0;
    }
}

static void write_found(nearest_call *call, int64_t i, const nearest_found *found, double rest) {
    call->nearest[i] = found->best;
    if (call->distance) call->distance[i] = found->least;
    write_bounds(call, i, found->least, found->second < rest ? found->second : rest);
}

/* Of centroids [count, dims] the nearest by sq_dist, the lowest among equals. */
static void nearest_of_all(nearest_call *call, int64_t i, const char *row, const double *centroids,
                           int64_t count, int32_t dtype) {
    nearest_found found = NEAREST_NONE;
    for (int64_t c = 0; c < count; c++)
        look_at(&found, row, centroids, c, call->rows->dims, dtype, call->high != NULL);
    write_found(call, i, &found, HUGE_VAL);
}

/* The same by way of the products of the row with the group's centroids. */
static void nearest_of_filtered(nearest_call *call, int64_t i, const char *row,
                                const double *centroids, float *products,
                                const centroids_row *stats, int32_t dtype) {
    const centroids_filter *filter = &call->filter;
    int64_t dims = call->rows->dims;
    double bound = centroids_bound(filter, stats, dims);
    if (bound < 0.0) {
        nearest_of_all(call, i, row, centroids, filter->base.count, dtype);
        return;
    }
    double least = (double)centroids_rank(filter, stats, products), rest;
    int64_t count = centroids_keep(filter, products, least + bound, call->kept, &rest);
    /* A half of T covers what one F may be off by. */
    double off = bound / 2.0 + stats->slip;
    rest += stats->self - off;
    if (count == 1 && !call->distance) {
        call->nearest[i] = call->kept[0];
        write_bounds(call, i, stats->self + least + off, rest);
        return;
    }
    nearest_found found = NEAREST_NONE;
    for (int64_t k = 0; k < count; k++)
        look_at(&found, row, centroids, call->kept[k], dims, dtype, call->high != NULL);
    write_found(call, i, &found, rest);
}

/* Rows that will be read next: the tile before is some time at its products. */
static void fetch_ahead(const alcore_sys_rows *rows, const int64_t *order, int64_t count) {
    size_t bytes = cpu_bytes(rows->dtype), length = (size_t)rows->dims * bytes;
    for (int64_t r = 0; r < count && r < PRODUCT_ROWS; r++) {
        const char *row = (const char *)rows->data + order[r] * rows->stride * (int64_t)bytes;
        for (size_t at = 0; at < length; at += 64) __builtin_prefetch(row + at);
    }
}

/* rows order[0..count-1], at most PRODUCT_ROWS, of one group. */
static void nearest_tile(nearest_call *call, const int64_t *order, int count,
                         const double *centroids, int32_t dtype) {
    int64_t dims = call->rows->dims, padded = call->filter.base.padded;
    const char *row[PRODUCT_ROWS];
    centroids_row stats[PRODUCT_ROWS];
    for (int r = 0; r < count; r++) {
        row[r] = cpu_row(call->rows, order[r], call->unit ? call->unit + r * dims : NULL);
    }
    centroids_products(&call->filter, row, count, dims, dtype, call->panel, call->products, stats);
    for (int r = 0; r < count; r++) {
        float *products = call->products + r * padded;
        nearest_of_filtered(call, order[r], row[r], centroids, products, &stats[r], dtype);
    }
}

/* The rows order[0..rows-1] of a group with `count` centroids. dtype: of rows as they are read,
 * float64 for unit rows. */
static alcore_status nearest_group(nearest_call *call, const int64_t *order, int64_t rows,
                                   const double *centroids, int64_t count, int32_t dtype) {
    int64_t dims = call->rows->dims;
    int filtered =
        count >= FILTER_MIN_CENTROIDS && rows >= FILTER_MIN_ROWS && dims <= FILTER_MAX_DIMS;
    if (filtered) centroids_prepare(&call->filter, centroids, count, dims);
    int step = filtered ? PRODUCT_ROWS : 1;
    for (int64_t at = 0; at < rows; at += step) {
        int together = rows - at < step ? (int)(rows - at) : step;
        if (filtered) {
            fetch_ahead(call->rows, order + at + together, rows - at - together);
            nearest_tile(call, order + at, together, centroids, dtype);
        } else {
            int64_t i = order[at];
            const char *row = cpu_row(call->rows, i, call->unit);
            nearest_of_all(call, i, row, centroids, count, dtype);
        }
        alcore_status status = alcore__cpu_poll(call->work, &call->spent, together * count * dims);
        if (status) return status;
    }
    return ALCORE_OK;
}

/* Rows by group, in row order within each. */
static void order_rows(nearest_call *call, const int32_t *group, int64_t groups) {
    int64_t *next = call->starts + 1; /* becomes the end of each group */
    memset(call->starts, 0, (size_t)(groups + 2) * sizeof *next);
    for (int64_t i = 0; i < call->rows->count; i++) {
        if (group[i] >= 0) next[group[i] + 1]++;
    }
    for (int64_t g = 0; g < groups; g++) next[g + 1] += next[g];
    for (int64_t i = 0; i < call->rows->count; i++) {
        if (group[i] >= 0) call->order[next[group[i]]++] = i;
    }
}

/* order [count] and starts [groups + 1] list the rows by group; the filter's panels, squares and
 * products have room for the largest group of centroids. */
static alcore_status new_memory(nearest_call *call, int64_t groups, const int64_t *starts) {
    int64_t dims = call->rows->dims, most = 0;
    for (int64_t g = 0; g < groups; g++) {
        if (starts[g + 1] - starts[g] > most) most = starts[g + 1] - starts[g];
    }
    call->capacity = most + PRODUCT_COLUMNS;
    alcore_status status =
        alcore__cpu_new(call->work, call->rows->count, sizeof *call->order, &call->order);
    if (!status)
        status = alcore__cpu_new(call->work, groups + 2, sizeof *call->starts, &call->starts);
    if (!status && call->rows->unit) {
        status = alcore__cpu_new(call->work, dims, PRODUCT_ROWS * sizeof *call->unit, &call->unit);
    }
    if (status || most < FILTER_MIN_CENTROIDS) return status;
    status = alcore__cpu_new(call->work, dims, PRODUCT_ROWS * sizeof *call->panel, &call->panel);
    if (!status) {
        status = alcore__cpu_new(call->work, call->capacity, PRODUCT_ROWS * sizeof *call->products,
                                 &call->products);
    }
    if (!status)
        status = alcore__cpu_new(call->work, call->capacity, sizeof *call->kept, &call->kept);
    if (!status) {
        status = alcore__cpu_new(call->work, call->capacity, sizeof *call->filter.squares,
                                 &call->filter.squares);
    }
    if (!status) {
        status = alcore__cpu_new(call->work, dims, CENTROIDS_STAGED * sizeof *call->filter.staged,
                                 &call->filter.staged);
    }
    if (!status) {
        status = alcore__cpu_new(call->work, call->capacity, sizeof *call->filter.base.squares,
                                 &call->filter.base.squares);
    }
    if (!status) {
        status = alcore__cpu_new(call->work, call->capacity,
                                 (size_t)dims * sizeof *call->filter.base.panels,
                                 &call->filter.base.panels);
    }
    return status;
}

static void free_memory(nearest_call *call, int64_t groups) {
    int64_t dims = call->rows->dims;
    alcore__cpu_free(call->work, call->filter.base.panels, call->capacity,
                     (size_t)dims * sizeof *call->filter.base.panels);
    alcore__cpu_free(call->work, call->filter.base.squares, call->capacity,
                     sizeof *call->filter.base.squares);
    alcore__cpu_free(call->work, call->filter.squares, call->capacity,
                     sizeof *call->filter.squares);
    alcore__cpu_free(call->work, call->filter.staged, dims,
                     CENTROIDS_STAGED * sizeof *call->filter.staged);
    alcore__cpu_free(call->work, call->kept, call->capacity, sizeof *call->kept);
    alcore__cpu_free(call->work, call->products, call->capacity,
                     PRODUCT_ROWS * sizeof *call->products);
    alcore__cpu_free(call->work, call->panel, dims, PRODUCT_ROWS * sizeof *call->panel);
    alcore__cpu_free(call->work, call->unit, dims, PRODUCT_ROWS * sizeof *call->unit);
    alcore__cpu_free(call->work, call->starts, groups + 2, sizeof *call->starts);
    alcore__cpu_free(call->work, call->order, call->rows->count, sizeof *call->order);
}

/* Groups one after the other: their centroids are packed once, and only for groups that have rows.
 */
alcore_status CPU(nearest_centroid)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                    const int32_t *group, int64_t groups, const int64_t *starts,
                                    const double *centroids, int32_t *nearest, double *distance,
                                    double *low, double *high) {
    alcore_status status = alcore__cpu_check_groups(work, rows, group, groups);
    if (status) return status;
    nearest_call call = {.work = work,
                         .rows = rows,
                         .centroids = centroids,
                         .nearest = nearest,
                         .distance = distance,
                         .low = low,
                         .high = high};
    status = new_memory(&call, groups, starts);
    if (!status) order_rows(&call, group, groups);
    for (int64_t g = 0; g < groups && !status; g++) {
        const int64_t *order = call.order + call.starts[g];
        int64_t count = call.starts[g + 1] - call.starts[g], own = starts[g + 1] - starts[g];
        const double *first = centroids + starts[g] * rows->dims;
        status = nearest_group(&call, order, count, first, own, cpu_row_dtype(rows));
    }
    free_memory(&call, groups);
    return status;
}
