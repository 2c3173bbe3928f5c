/* SPDX-License-Identifier: Apache-2.0 */
/* D^2 weights against several centres while the rows pass once. */
#include <math.h>

#include "cpu/cpu_call.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_rows.h"

/* The duplicate rule of spec 1.8: what is at most this share of both squared norms is rounding. */
#define DUPLICATE 1e-12

typedef struct minimum_call {
    const alcore_sys_rows *rows;
    const double *centres, *centre_dots, *row_dots;
    int zero_duplicates;
    double *minimum, *each;
} minimum_call;

/* Weight w of row i against centre c. */
static void put_weight(const minimum_call *call, int64_t i, int64_t c, double w) {
    if (!call->each) {
        if (w < call->minimum[i]) call->minimum[i] = w;
    } else if (w < call->minimum[i]) {
        call->each[c * call->rows->count + i] = w;
    }
}

/* What the sqd may be without changing anything is above this. */
static double limit_of(const minimum_call *call, int64_t i, int64_t c, double *duplicate) {
    *duplicate =
        call->zero_duplicates ? DUPLICATE * (call->row_dots[i] + call->centre_dots[c]) : -1.0;
    return call->minimum[i] > *duplicate ? call->minimum[i] : *duplicate;
}

static void weigh(const minimum_call *call, const char *row, int64_t i, int64_t c) {
    int64_t dims = call->rows->dims;
    double duplicate, limit = limit_of(call, i, c, &duplicate);
    double w =
        CPU(sqd_within)(row, call->centres + c * dims, dims, cpu_row_dtype(call->rows), limit);
    put_weight(call, i, c, w <= duplicate ? 0.0 : w);
}

/* each: infinity for the rows that take part. */
static void clear_each(int64_t rows, int64_t centres, const uint8_t *take, double *each) {
    for (int64_t c = 0; c < centres; c++) {
        for (int64_t i = 0; i < rows; i++) {
            if (!take || take[i]) each[c * rows + i] = HUGE_VAL;
        }
    }
}

alcore_status CPU(min_sqds)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                            const uint8_t *take, const double *centres, int64_t count,
                            const double *centre_dots, const double *row_dots,
                            int32_t zero_duplicates, double *minimum, double *each) {
    alcore_status status = alcore__cpu_check(work, rows);
    if (status) return status;
    if (count < 0)
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "a kernel was called with a negative shape");
    minimum_call call = {.rows = rows,
                         .centres = centres,
                         .centre_dots = centre_dots,
                         .row_dots = row_dots,
                         .zero_duplicates = zero_duplicates,
                         .minimum = minimum,
                         .each = each};
    double *unit = NULL;
    if (rows->unit) status = alcore__cpu_new(work, rows->dims, sizeof *unit, &unit);
    if (!status && each) clear_each(rows->count, count, take, each);
    int64_t spent = 0;
    for (int64_t i = 0; i < rows->count && !status; i++) {
        if (take && !take[i]) continue;
        const char *row = cpu_row(rows, i, unit);
        for (int64_t c = 0; c < count; c++) weigh(&call, row, i, c);
        status = alcore__cpu_poll(work, &spent, count * rows->dims);
    }
    alcore__cpu_free(work, unit, rows->dims, sizeof *unit);
    return status;
}

/* ---- BADGE ---- */

alcore_status CPU(min_badge)(const alcore_sys_work *work, const alcore_sys_rows *a,
                             const alcore_sys_rows *h, const uint8_t *take, const double *centres_a,
                             const double *centres_h, int64_t count, const double *centre_squares,
                             const double *squares, double *minimum, double *each) {
    alcore_status status = alcore__cpu_check(work, a);
    if (!status) status = alcore__cpu_check(work, h);
    if (status) return status;
    if (count < 0 || a->count != h->count)
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "a kernel was called with factors of different shapes");
    minimum_call call = {.rows = h, .minimum = minimum, .each = each};
    double *unit_a = NULL, *unit_h = NULL;
    if (a->unit) status = alcore__cpu_new(work, a->dims, sizeof *unit_a, &unit_a);
    if (!status && h->unit) status = alcore__cpu_new(work, h->dims, sizeof *unit_h, &unit_h);
    if (!status && each) clear_each(h->count, count, take, each);
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
    alcore__cpu_free(work, unit_h, h->dims, sizeof *unit_h);
    alcore__cpu_free(work, unit_a, a->dims, sizeof *unit_a);
    return status;
}
