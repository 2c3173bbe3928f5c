/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest centroid of each row among those of its group (k-means within strata, spec 3.4), with
 * bounds of its distance and of that to the second nearest for the caller's Hamerly test.
 *
 * Group by group, PRODUCT_ROWS rows of a group at a time: the filter (cpu_centroids.h) keeps the
 * centroids that can be the nearest, and those are compared in double, lowest index first, so that
 * ties go to the lower centroid. F(c) = |c|^2 - 2 x.c, in float32 or from int16 products, is what
 * the filter ranks: the squared distance less |x|^2. The bound of the second nearest uses the F of
 * those not kept. Groups with fewer than FILTER_MIN_CENTROIDS = 5 centroids or FILTER_MIN_ROWS = 32
 * rows skip the filter. sq_dist is the squared distance; bounds that the caller gets are of
 * distances, not squared. Cost: rows x centroids x dims multiply-adds in float32, or half of that
 * time in integers, and one or two sq_dists in double a row. */
#include <string.h>

#include "engines/cpu/cpu_call.h"
#include "engines/cpu/cpu_centroids.h"
#include "engines/cpu/cpu_engine.h"
#include "engines/cpu/cpu_rows.h"

/* One call and its memory. */
typedef struct nearest_call {
    const alcore_sys_work *work;
    const alcore_sys_rows *rows;
    const double *centroids; /* [all centroids, dims] group by group */
    int32_t *nearest;   /* [rows] the caller's: centroid within the group; -1: the group has none */
    double *distance;   /* [rows] the caller's: sq_dist to it; NULL: not wanted */
    double *low, *high; /* [rows] the caller's: the distance to every other centroid is at least
                           low, that to the nearest at most high; both NULL: no bounds wanted */
    int64_t spent;      /* multiplications since the last poll */
    int64_t *order;     /* [rows] matrix rows by group, ascending within one */
    int64_t *starts; /* [groups + 1] the rows of group g are order[starts[g]] .. order[starts[g + 1]
                        - 1] (one entry more is allocated for the counting) */
    double *unit;    /* [PRODUCT_ROWS, dims] unit vectors; NULL: rows are read as they are */
    float *panel;    /* [dims, PRODUCT_ROWS] packed rows */
    float *products; /* [PRODUCT_ROWS, padded] of the packed rows with the group's centroids */
    int32_t *kept;   /* [padded] centroids that the filter keeps for one row */
    centroids_filter filter; /* the centroids of the present group */
    cpu_arrays arrays;       /* all of the above that are allocated */
} nearest_call;

/* The nearest centroid of a row among those compared so far. */
typedef struct nearest_found {
    int32_t best;        /* index within the group; -1: none compared yet */
    double best_sq_dist; /* its sq_dist */
    double second; /* lower bound of the sq_dist of the others; infinity: there are no others */
} nearest_found;

/* Before the first comparison. */
#define NEAREST_NONE                                                                               \
    (nearest_found) {                                                                              \
        .best = -1, .best_sq_dist = HUGE_VAL, .second = HUGE_VAL                                   \
    }

/* Compares a row, of type dtype, with centroid c of its group, centroids [count, dims], in double,
 * and updates what was found. Called in ascending order of c, so that the lower of two equal ones
 * stays. The sq_dist may stop early above `limit`: with bounds wanted (bounds 1), above the second
 * smallest, else above the smallest. A NaN of the first centroid stays the best, as no comparison
 * with NaN is true, and write_bounds() then gives no bounds. A NaN of a later one never becomes the
 * best; it makes the bound of the others useless: minus infinity, which no later distance replaces.
 */
CPU_INLINE void compare_centroid(nearest_found *found, const char *row, const double *centroids,
                                 int64_t c, int64_t dims, int32_t dtype, int bounds) {
    double limit =
        bounds && found->second > found->best_sq_dist ? found->second : found->best_sq_dist;
    double sq_dist = CPU(sq_dist_within)(row, centroids + c * dims, dims, dtype, limit);
    double other = sq_dist; /* the larger of this sq_dist and the best one */
    int first = found->best < 0;
    if (first || sq_dist < found->best_sq_dist) {
        other = found->best_sq_dist;
        found->best = (int32_t)c;
        found->best_sq_dist = sq_dist;
        if (first) return;
    }
    if (other != other) found->second = -HUGE_VAL;
    /* Infinity is reserved for "no other centroid"; this sq_dist only overflowed. */
    if (other > DBL_MAX) other = DBL_MAX;
    if (other < found->second) found->second = other;
}

/* Writes low[i] and high[i], when they are wanted, from bounds of squared distances that are right
 * but for a relative error of 1e-9: nearest_square from above for the nearest centroid,
 * other_square from below for all others (infinity: there are none). FILTER_UP = 1 + 1e-9 rounds
 * outwards. Squares below double's range are covered by 1e-150. Where nothing is known low is 0 and
 * high infinity. */
static void write_bounds(nearest_call *call, int64_t i, double nearest_square,
                         double other_square) {
    if (!call->high) return;
    call->high[i] = HUGE_VAL;
    call->low[i] = 0.0;
    if (!(nearest_square <= DBL_MAX)) return;
    call->high[i] = sqrt(nearest_square > 0.0 ? nearest_square : 0.0) * FILTER_UP + 1e-150;
    if (other_square > 0.0) {
        double low = sqrt(other_square) * (2.0 - FILTER_UP) - 1e-150;
        call->low[i] = low > 0.0 ? low : 0.0;
    }
}

/* Writes the outputs of matrix row i: found is its best among the centroids compared in double,
 * rest a lower bound of the squared distance to those that were not; infinity: all were. */
static void write_found(nearest_call *call, int64_t i, const nearest_found *found, double rest) {
    call->nearest[i] = found->best;
    if (call->distance) call->distance[i] = found->best_sq_dist;
    write_bounds(call, i, found->best_sq_dist, found->second < rest ? found->second : rest);
}

/* Matrix row i without the filter: compares row, its components of type dtype, with all centroids
 * [count, dims] of its group. */
static void nearest_of_all(nearest_call *call, int64_t i, const char *row, const double *centroids,
                           int64_t count, int32_t dtype) {
    nearest_found found = NEAREST_NONE;
    for (int64_t c = 0; c < count; c++)
        compare_centroid(&found, row, centroids, c, call->rows->dims, dtype, call->high != NULL);
    write_found(call, i, &found, HUGE_VAL);
}

/* Matrix row i with the filter: products [padded], overwritten by F, are those with the centroids
 * of its group; measured: what the filter found of the row, |x|^2 (self) with its error (slip) and
 * more. The filter keeps the centroids whose F is within bound, T in cpu_filter.h, of the smallest,
 * so always that of the smallest; a negative bound means that the row cannot be filtered. One kept
 * centroid without a wanted distance needs no sq_dist at all: its F gives the upper bound of the
 * distance. */
static void nearest_of_filtered(nearest_call *call, int64_t i, const char *row,
                                const double *centroids, float *products,
                                const centroids_row *measured, int32_t dtype) {
    const centroids_filter *filter = &call->filter;
    int64_t dims = call->rows->dims;
    double bound = centroids_bound(filter, measured, dims);
    if (bound < 0.0) {
        nearest_of_all(call, i, row, centroids, filter->base.count, dtype);
        return;
    }
    double min_f = (double)centroids_rank(filter, measured, products), rest;
    int64_t kept_count = centroids_keep(filter, products, min_f + bound, call->kept, &rest);
    /* |x - c|^2 = |x|^2 + F(c). T / 2 bounds the error of a single F, slip that of |x|^2. rest was
     * the smallest F that is not kept; from here on it bounds the squared distance from below. */
    double off = bound / 2.0 + measured->slip;
    rest += measured->self - off;
    if (kept_count == 1 && !call->distance) {
        call->nearest[i] = call->kept[0];
        write_bounds(call, i, measured->self + min_f + off, rest);
        return;
    }
    nearest_found found = NEAREST_NONE;
    for (int64_t k = 0; k < kept_count; k++)
        compare_centroid(&found, row, centroids, call->kept[k], dims, dtype, call->high != NULL);
    write_found(call, i, &found, rest);
}

/* Prefetches the rows of the next tile, the first PRODUCT_ROWS of order [count], the matrix rows of
 * the group that are left: rows of a group lie apart in memory, and the present tile's products run
 * long enough to load them. */
static void fetch_ahead(const alcore_sys_rows *rows, const int64_t *order, int64_t count) {
    for (int64_t r = 0; r < count && r < PRODUCT_ROWS; r++) cpu_fetch_row(rows, order[r]);
}

/* Up to PRODUCT_ROWS rows of one group, with the filter: order [count], matrix rows; centroids
 * [count of the group, dims], packed in call->filter already; dtype: of rows as cpu_row() gives
 * them. */
static void nearest_tile(nearest_call *call, const int64_t *order, int count,
                         const double *centroids, int32_t dtype) {
    int64_t dims = call->rows->dims, padded = call->filter.base.padded;
    const char *row[PRODUCT_ROWS];
    centroids_row measured[PRODUCT_ROWS];
    for (int r = 0; r < count; r++) {
        row[r] = cpu_row(call->rows, order[r], call->unit ? call->unit + r * dims : NULL);
    }
    centroids_products(&call->filter, row, count, dims, dtype, call->panel, call->products,
                       measured);
    for (int r = 0; r < count; r++) {
        float *products = call->products + r * padded;
        nearest_of_filtered(call, order[r], row[r], centroids, products, &measured[r], dtype);
    }
}

/* All rows of one group, order [rows] (matrix rows), against its centroids [count, dims]: tiles of
 * PRODUCT_ROWS rows with the filter where it pays, else row by row. dtype: of rows as cpu_row()
 * gives them. */
static alcore_status nearest_group(nearest_call *call, const int64_t *order, int64_t rows,
                                   const double *centroids, int64_t count, int32_t dtype) {
    int64_t dims = call->rows->dims;
    int filtered =
        count >= FILTER_MIN_CENTROIDS && rows >= FILTER_MIN_ROWS && dims <= FILTER_MAX_DIMS;
    if (filtered) centroids_prepare(&call->filter, centroids, count, dims);
    int step = filtered ? PRODUCT_ROWS : 1;
    for (int64_t begin = 0; begin < rows; begin += step) {
        int together = rows - begin < step ? (int)(rows - begin) : step;
        if (filtered) {
            fetch_ahead(call->rows, order + begin + together, rows - begin - together);
            nearest_tile(call, order + begin, together, centroids, dtype);
        } else {
            int64_t i = order[begin];
            const char *row = cpu_row(call->rows, i, call->unit);
            nearest_of_all(call, i, row, centroids, count, dtype);
        }
        alcore_status status = alcore__cpu_poll(call->work, &call->spent, together * count * dims);
        if (status) return status;
    }
    return ALCORE_OK;
}

/* Counting sort of the rows by group (group [rows], negative: none) into order and starts. next is
 * one entry ahead of starts: after the second loop next[g] is where group g begins, after the third
 * where it ends, which is where g + 1 begins. */
static void order_rows(nearest_call *call, const int32_t *group, int64_t groups) {
    int64_t *next = call->starts + 1;
    memset(call->starts, 0, (size_t)(groups + 2) * sizeof *next);
    for (int64_t i = 0; i < call->rows->count; i++) {
        if (group[i] >= 0) next[group[i] + 1]++;
    }
    for (int64_t g = 0; g < groups; g++) next[g + 1] += next[g];
    for (int64_t i = 0; i < call->rows->count; i++) {
        if (group[i] >= 0) call->order[next[group[i]]++] = i;
    }
}

/* Allocates the arrays of the call; those of the filter for the largest group of centroids (starts
 * [groups + 1]: the caller's first centroid of each group), and none when every group is too small
 * to be filtered. capacity: at least the centroids of a group rounded up to whole panels. */
static alcore_status new_memory(nearest_call *call, int64_t groups, const int64_t *starts) {
    int64_t dims = call->rows->dims, max_centroids = 0;
    for (int64_t g = 0; g < groups; g++) {
        if (starts[g + 1] - starts[g] > max_centroids) max_centroids = starts[g + 1] - starts[g];
    }
    const int64_t capacity = max_centroids + PRODUCT_COLUMNS;
    centroids_filter *filter = &call->filter;
    cpu_arrays *arrays = &call->arrays;
    arrays->work = call->work;
    alcore__cpu_add(arrays, call->rows->count, sizeof *call->order, &call->order);
    alcore__cpu_add(arrays, groups + 2, sizeof *call->starts, &call->starts);
    if (call->rows->unit)
        alcore__cpu_add(arrays, dims, PRODUCT_ROWS * sizeof *call->unit, &call->unit);
    if (max_centroids < FILTER_MIN_CENTROIDS) return arrays->status;
    alcore__cpu_add(arrays, dims, PRODUCT_ROWS * sizeof *call->panel, &call->panel);
    alcore__cpu_add(arrays, capacity, PRODUCT_ROWS * sizeof *call->products, &call->products);
    alcore__cpu_add(arrays, capacity, sizeof *call->kept, &call->kept);
    alcore__cpu_add(arrays, capacity, sizeof *filter->squares, &filter->squares);
    alcore__cpu_add(arrays, dims, CENTROIDS_STAGED * sizeof *filter->staged, &filter->staged);
    alcore__cpu_add(arrays, capacity, sizeof *filter->base.squares, &filter->base.squares);
    alcore__cpu_add(arrays, capacity, (size_t)dims * sizeof *filter->base.panels,
                    &filter->base.panels);
    return arrays->status;
}

/* One group after the other, so that the centroids of a group are packed once. */
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
        int64_t group_rows = call.starts[g + 1] - call.starts[g], count = starts[g + 1] - starts[g];
        const double *group_centroids = centroids + starts[g] * rows->dims;
        status =
            nearest_group(&call, order, group_rows, group_centroids, count, cpu_row_dtype(rows));
    }
    alcore__cpu_release(&call.arrays);
    return status;
}
