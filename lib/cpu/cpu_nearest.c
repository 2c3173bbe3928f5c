/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest centre of each row. */
#include <string.h>

#include "cpu/cpu_call.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_filter.h"
#include "cpu/cpu_rows.h"

/* One call and its memory. */
typedef struct nearest_call {
    const alcore_sys_work *work;
    const alcore_sys_rows *rows;
    const double *centres;
    int32_t *nearest;
    double *distance;
    int64_t spent;
    int64_t *order;  /* [count]: rows by group, in row order within one */
    int64_t *starts; /* [groups + 1]: where a group's rows start in order */
    double *unit;    /* [PRODUCT_ROWS, dims]; NULL: rows are as given */
    float *panel;    /* [dims, PRODUCT_ROWS] */
    float *products; /* [PRODUCT_ROWS, padded] */
    filter_centres filter;
    int64_t capacity; /* centres that panels, squares and products have room for */
} nearest_call;

/* Of centres [count, dims] the nearest by sqd, the lowest among equals. */
static void nearest_of_all(const char *row, const double *centres, int64_t count, int64_t dims,
                           int32_t dtype, int32_t *nearest, double *distance) {
    int32_t best = -1;
    double least = HUGE_VAL;
    for (int64_t c = 0; c < count; c++) {
        double sqd = CPU(sqd_within)(row, centres + c * dims, dims, dtype, least);
        if (c == 0 || sqd < least) {
            best = (int32_t)c;
            least = sqd;
        }
    }
    *nearest = best;
    *distance = least;
}

/* The same among the centres whose F is at most `most`. */
static void nearest_of_kept(const char *row, const double *centres, const filter_centres *filter,
                            const float *products, double most, int64_t dims, int32_t dtype,
                            int32_t *nearest, double *distance) {
    int32_t best = -1;
    double least = HUGE_VAL;
    for (int64_t c = 0; c < filter->count; c++) {
        if (filter->squares[c] - 2.0 * (double)products[c] > most) continue;
        double sqd = CPU(sqd_within)(row, centres + c * dims, dims, dtype, least);
        if (best < 0 || sqd < least) {
            best = (int32_t)c;
            least = sqd;
        }
    }
    *nearest = best;
    *distance = least;
}

/* rows order[0..count-1], at most PRODUCT_ROWS, of one group. */
static void nearest_tile(nearest_call *call, const int64_t *order, int count, const double *centres,
                         int32_t dtype) {
    int64_t dims = call->rows->dims, padded = call->filter.padded;
    const char *row[PRODUCT_ROWS];
    for (int r = 0; r < count; r++) {
        row[r] = cpu_row(call->rows, order[r], call->unit ? call->unit + r * dims : NULL);
    }
    CPU(pack_panel)(row, count, PRODUCT_ROWS, dims, dtype, call->panel);
    CPU(products)
    (call->panel, 1, call->filter.panels, padded / PRODUCT_COLUMNS, dims, call->products, padded);
    for (int r = 0; r < count; r++) {
        const float *products = call->products + r * padded;
        double norm = sqrt(CPU(self_dot)(row[r], dims, dtype)) * FILTER_UP;
        double bound = filter_bound(&call->filter, norm, dims);
        int32_t *nearest = &call->nearest[order[r]];
        double *distance = &call->distance[order[r]];
        if (bound < 0.0) {
            nearest_of_all(row[r], centres, call->filter.count, dims, dtype, nearest, distance);
        } else {
            nearest_of_kept(row[r], centres, &call->filter, products,
                            filter_least(&call->filter, products) + bound, dims, dtype, nearest,
                            distance);
        }
    }
}

/* The rows order[0..rows-1] of a group with `count` centres. dtype: of rows as they are read,
 * float64 for unit rows. */
static alcore_status nearest_group(nearest_call *call, const int64_t *order, int64_t rows,
                                   const double *centres, int64_t count, int32_t dtype) {
    int64_t dims = call->rows->dims;
    int filtered =
        count >= FILTER_MIN_CENTRES && rows >= FILTER_MIN_ROWS && dims <= FILTER_MAX_DIMS;
    if (filtered) filter_prepare(&call->filter, centres, count, dims);
    int step = filtered ? PRODUCT_ROWS : 1;
    for (int64_t at = 0; at < rows; at += step) {
        int together = rows - at < step ? (int)(rows - at) : step;
        if (filtered) {
            nearest_tile(call, order + at, together, centres, dtype);
        } else {
            int64_t i = order[at];
            const char *row = cpu_row(call->rows, i, call->unit);
            nearest_of_all(row, centres, count, dims, dtype, &call->nearest[i], &call->distance[i]);
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
    if (status || most < FILTER_MIN_CENTRES) return status;
    status = alcore__cpu_new(call->work, dims, PRODUCT_ROWS * sizeof *call->panel, &call->panel);
    if (!status) {
        status = alcore__cpu_new(call->work, call->capacity, PRODUCT_ROWS * sizeof *call->products,
                                 &call->products);
    }
    if (!status) {
        status = alcore__cpu_new(call->work, call->capacity, sizeof *call->filter.squares,
                                 &call->filter.squares);
    }
    if (!status) {
        status = alcore__cpu_new(call->work, call->capacity,
                                 (size_t)dims * sizeof *call->filter.panels, &call->filter.panels);
    }
    return status;
}

static void free_memory(nearest_call *call, int64_t groups) {
    int64_t dims = call->rows->dims;
    alcore__cpu_free(call->work, call->filter.panels, call->capacity,
                     (size_t)dims * sizeof *call->filter.panels);
    alcore__cpu_free(call->work, call->filter.squares, call->capacity,
                     sizeof *call->filter.squares);
    alcore__cpu_free(call->work, call->products, call->capacity,
                     PRODUCT_ROWS * sizeof *call->products);
    alcore__cpu_free(call->work, call->panel, dims, PRODUCT_ROWS * sizeof *call->panel);
    alcore__cpu_free(call->work, call->unit, dims, PRODUCT_ROWS * sizeof *call->unit);
    alcore__cpu_free(call->work, call->starts, groups + 2, sizeof *call->starts);
    alcore__cpu_free(call->work, call->order, call->rows->count, sizeof *call->order);
}

alcore_status CPU(nearest_centre)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                  const int32_t *group, int64_t groups, const int64_t *starts,
                                  const double *centres, int32_t *nearest, double *distance) {
    alcore_status status = alcore__cpu_check_groups(work, rows, group, groups);
    if (status) return status;
    nearest_call call = {
        .work = work, .rows = rows, .centres = centres, .nearest = nearest, .distance = distance};
    status = new_memory(&call, groups, starts);
    if (!status) order_rows(&call, group, groups);
    for (int64_t g = 0; g < groups && !status; g++) {
        const int64_t *order = call.order + call.starts[g];
        int64_t count = call.starts[g + 1] - call.starts[g], own = starts[g + 1] - starts[g];
        const double *first = centres + starts[g] * rows->dims;
        status = nearest_group(&call, order, count, first, own, cpu_row_dtype(rows));
    }
    free_memory(&call, groups);
    return status;
}
