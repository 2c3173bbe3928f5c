/* SPDX-License-Identifier: Apache-2.0 */
/* D^2 weights against several centres while the rows pass once, and draws by them. */
#include <math.h>
#include <string.h>

#include "cpu/cpu_call.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_filter.h"
#include "cpu/cpu_rows.h"

/* The duplicate rule of spec 1.8: what is at most this share of both squared norms is rounding. */
#define DUPLICATE 1e-12

/* One call and its memory. */
typedef struct minimum_call {
    const alcore_sys_work *work;
    const alcore_sys_rows *rows;
    const double *centres, *centre_dots, *row_dots;
    int64_t count, spent;
    int zero_duplicates;
    const alcore_sys_weights *weights;
    double *unit;    /* [PRODUCT_ROWS, dims]; NULL: rows are as given */
    float *panel;    /* [dims, PRODUCT_ROWS] */
    float *products; /* [PRODUCT_ROWS, padded] */
    filter_centres filter;
} minimum_call;

/* Weight w of row i against centre c. The guessed centres come last, when the row's minimum is the
 * one that the others leave. */
static void put_weight(const minimum_call *call, int64_t i, int64_t c, double w) {
    const alcore_sys_weights *weights = call->weights;
    int64_t guess = c - (call->count - weights->guessed);
    if (!(w < weights->minimum[i])) return;
    if (guess < 0) {
        weights->minimum[i] = w;
    } else {
        weights->each[guess * call->rows->count + i] = w;
    }
}

/* What the sqd may be without changing anything is above this. */
static double limit_of(const minimum_call *call, int64_t i, int64_t c, double *duplicate) {
    *duplicate =
        call->zero_duplicates ? DUPLICATE * (call->row_dots[i] + call->centre_dots[c]) : -1.0;
    double minimum = call->weights->minimum[i];
    return minimum > *duplicate ? minimum : *duplicate;
}

static void weigh(const minimum_call *call, const char *row, int64_t i, int64_t c) {
    int64_t dims = call->rows->dims;
    double duplicate, limit = limit_of(call, i, c, &duplicate);
    double w =
        CPU(sqd_within)(row, call->centres + c * dims, dims, cpu_row_dtype(call->rows), limit);
    put_weight(call, i, c, w <= duplicate ? 0.0 : w);
}

/* The rows item[0 .. count - 1], at most PRODUCT_ROWS: float32 products tell which centres may
 * lower a minimum. */
static void weigh_tile(minimum_call *call, const int64_t *item, int count) {
    int64_t dims = call->rows->dims, padded = call->filter.padded;
    int32_t dtype = cpu_row_dtype(call->rows);
    const char *row[PRODUCT_ROWS];
    for (int r = 0; r < count; r++) {
        row[r] = cpu_row(call->rows, item[r], call->unit ? call->unit + r * dims : NULL);
    }
    CPU(pack_panel)(row, count, PRODUCT_ROWS, dims, dtype, call->panel);
    CPU(products)
    (call->panel, 1, call->filter.panels, padded / PRODUCT_COLUMNS, dims, call->products, padded);
    for (int r = 0; r < count; r++) {
        int64_t i = item[r];
        double dot = call->row_dots ? call->row_dots[i] : CPU(self_dot)(row[r], dims, dtype),
               duplicate;
        double bound = filter_bound(&call->filter, sqrt(dot) * FILTER_UP, dims);
        const float *products = call->products + r * padded;
        for (int64_t c = 0; c < call->count; c++) {
            double f = dot + call->filter.squares[c] - 2.0 * (double)products[c];
            if (bound >= 0.0 && f > limit_of(call, i, c, &duplicate) + bound) continue;
            weigh(call, row[r], i, c);
        }
    }
}

static alcore_status weigh_rows(minimum_call *call, const uint8_t *take, int filtered) {
    int64_t dims = call->rows->dims, item[PRODUCT_ROWS];
    int waiting = 0, step = filtered ? PRODUCT_ROWS : 1;
    for (int64_t i = 0; i < call->rows->count; i++) {
        if (!take || take[i]) item[waiting++] = i;
        if (!waiting || (waiting < step && i + 1 < call->rows->count)) continue;
        if (filtered) {
            weigh_tile(call, item, waiting);
        } else {
            const char *row = cpu_row(call->rows, i, call->unit);
            for (int64_t c = 0; c < call->count; c++) weigh(call, row, i, c);
        }
        alcore_status status =
            alcore__cpu_poll(call->work, &call->spent, waiting * call->count * dims);
        if (status) return status;
        waiting = 0;
    }
    return ALCORE_OK;
}

/* each: infinity for the rows that take part. */
static void clear_each(const alcore_sys_weights *weights, int64_t rows, const uint8_t *take) {
    for (int64_t c = 0; c < weights->guessed; c++) {
        for (int64_t i = 0; i < rows; i++) {
            if (!take || take[i]) weights->each[c * rows + i] = HUGE_VAL;
        }
    }
}

static void add_total(const alcore_sys_weights *weights, int64_t rows, const uint8_t *take) {
    const uint8_t *weigh = weights->weigh ? weights->weigh : take;
    double total = 0.0;
    if (!weights->total) return;
    for (int64_t i = 0; i < rows; i++) {
        if (!weigh || weigh[i]) total += weights->minimum[i];
    }
    *weights->total = total;
}

alcore_status CPU(min_sqds)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                            const uint8_t *take, const double *centres, int64_t count,
                            const double *centre_dots, const double *row_dots,
                            int32_t zero_duplicates, const alcore_sys_weights *weights) {
    alcore_status status = alcore__cpu_check(work, rows);
    if (status) return status;
    if (count < weights->guessed || weights->guessed < 0)
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "a kernel was called with a negative shape");
    minimum_call call = {.work = work,
                         .rows = rows,
                         .centres = centres,
                         .centre_dots = centre_dots,
                         .row_dots = row_dots,
                         .count = count,
                         .zero_duplicates = zero_duplicates,
                         .weights = weights};
    int64_t dims = rows->dims, capacity = count + PRODUCT_COLUMNS;
    int filtered =
        count >= FILTER_MIN_CENTRES && rows->count >= FILTER_MIN_ROWS && dims <= FILTER_MAX_DIMS;
    size_t tile = PRODUCT_ROWS * sizeof(float), column = (size_t)dims * sizeof(float);
    if (rows->unit) status = alcore__cpu_new(work, dims, PRODUCT_ROWS * sizeof(double), &call.unit);
    if (!status && filtered) status = alcore__cpu_new(work, dims, tile, &call.panel);
    if (!status && filtered) status = alcore__cpu_new(work, capacity, tile, &call.products);
    if (!status && filtered)
        status = alcore__cpu_new(work, capacity, sizeof(double), &call.filter.squares);
    if (!status && filtered) status = alcore__cpu_new(work, capacity, column, &call.filter.panels);
    if (!status && filtered) filter_prepare(&call.filter, centres, count, dims);
    if (!status) clear_each(weights, rows->count, take);
    if (!status) status = weigh_rows(&call, take, filtered);
    if (!status) add_total(weights, rows->count, take);
    alcore__cpu_free(work, call.filter.panels, capacity, column);
    alcore__cpu_free(work, call.filter.squares, capacity, sizeof(double));
    alcore__cpu_free(work, call.products, capacity, tile);
    alcore__cpu_free(work, call.panel, dims, tile);
    alcore__cpu_free(work, call.unit, dims, PRODUCT_ROWS * sizeof(double));
    return status;
}

/* ---- BADGE ---- */

alcore_status CPU(min_badge)(const alcore_sys_work *work, const alcore_sys_rows *a,
                             const alcore_sys_rows *h, const uint8_t *take, const double *centres_a,
                             const double *centres_h, int64_t count, const double *centre_squares,
                             const double *squares, const alcore_sys_weights *weights) {
    alcore_status status = alcore__cpu_check(work, a);
    if (!status) status = alcore__cpu_check(work, h);
    if (status) return status;
    if (count < weights->guessed || weights->guessed < 0 || a->count != h->count)
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "a kernel was called with factors of different shapes");
    minimum_call call = {.rows = h, .count = count, .weights = weights};
    double *unit_a = NULL, *unit_h = NULL;
    if (a->unit) status = alcore__cpu_new(work, a->dims, sizeof *unit_a, &unit_a);
    if (!status && h->unit) status = alcore__cpu_new(work, h->dims, sizeof *unit_h, &unit_h);
    if (!status) clear_each(weights, h->count, take);
    int64_t spent = 0;
    for (int64_t i = 0; i < h->count && !status; i++) {
        if (take && !take[i]) continue;
        const char *row_a = cpu_row(a, i, unit_a), *row_h = cpu_row(h, i, unit_h);
        for (int64_t c = 0; c < count; c++) {
            double in_a = CPU(dot)(row_a, centres_a + c * a->dims, a->dims, cpu_row_dtype(a));
            double in_h = CPU(dot)(row_h, centres_h + c * h->dims, h->dims, cpu_row_dtype(h));
            double sum = squares[i] + centre_squares[c];
            double w = sum - 2.0 * (in_a * in_h);
            put_weight(&call, i, c, w <= DUPLICATE * sum ? 0.0 : w);
        }
        status = alcore__cpu_poll(work, &spent, count * (a->dims + h->dims));
    }
    if (!status) add_total(weights, h->count, take);
    alcore__cpu_free(work, unit_h, h->dims, sizeof *unit_h);
    alcore__cpu_free(work, unit_a, a->dims, sizeof *unit_a);
    return status;
}

/* ---- draws ---- */

alcore_status CPU(lower)(const alcore_sys_work *work, int64_t count, const uint8_t *take,
                         const double *values, const alcore_sys_weights *weights) {
    if (count < 0)
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "a kernel was called with a negative shape");
    for (int64_t i = 0; values && i < count; i++) {
        if (take && !take[i]) continue;
        if (values[i] < weights->minimum[i]) weights->minimum[i] = values[i];
    }
    add_total(weights, count, take);
    return ALCORE_OK;
}

alcore_status CPU(draw)(const alcore_sys_work *work, int64_t count, const uint8_t *take,
                        const double *values, double before, double target, int64_t *item) {
    if (count < 0)
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "a kernel was called with a negative shape");
    double run = 0.0;
    *item = -1;
    for (int64_t i = 0; i < count; i++) {
        if (take && !take[i]) continue;
        run += values[i];
        if (!(values[i] > 0.0)) continue;
        *item = i;
        if (before + run > target) break;
    }
    return ALCORE_OK;
}
