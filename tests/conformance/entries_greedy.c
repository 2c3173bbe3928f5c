/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of greedy strategies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_entry.h"
#include "kernel_oracle.h"

static int64_t count_rows(const kernel_case *c) {
    return c->rows.count;
}
static int64_t count_two(const kernel_case *c) {
    return 2 * c->rows.count;
}

static alcore_status call_idds_update(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count;
    double *norms = malloc((size_t)(count + 1) * sizeof *norms), picked;
    if (!norms) abort();
    kernel_oracle.self_dots(&conformance_work, &c->rows, NULL, norms);
    for (int64_t i = 0; i < count; i++) norms[i] = sqrt(norms[i]);
    alcore_sys_rows one = {.data = c->vector,
                           .count = 1,
                           .dims = c->rows.dims,
                           .stride = c->rows.dims,
                           .dtype = ALCORE_FLOAT64};
    kernel_oracle.self_dots(&conformance_work, &one, NULL, &picked);
    memcpy(out->numbers, c->scalars, (size_t)(2 * count) * sizeof *norms);
    alcore_status status = t->idds_update(&conformance_work, &c->rows, c->take, norms, c->vector,
                                          sqrt(picked), out->numbers, out->numbers + count);
    if (!status) {
        status = t->idds_update(&conformance_work, &c->rows, c->take, NULL, c->vector, 0.0,
                                out->numbers, out->numbers + count);
    }
    free(norms);
    return status;
}

static alcore_status call_idds_scores(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count;
    alcore_sys_idds idds = {.alpha = 0.67,
                            .unlabelled = 1 + c->rows.dims % 7,
                            .labelled = c->pattern,
                            .include_self = c->packed};
    return t->idds_scores(&conformance_work, count, c->take, &idds, c->scalars, c->scalars + count,
                          c->scalars + 2 * count, out->numbers);
}

static alcore_status call_arg_max(table *t, const kernel_case *c, output *out) {
    double *values = malloc((size_t)(c->rows.count + 1) * sizeof *values), best;
    if (!values) abort();
    memcpy(values, c->scalars, (size_t)c->rows.count * sizeof *values);
    for (int64_t i = 0; i < c->rows.count; i++) {
        if (c->pattern == PATTERN_SPECIAL && i % 3 == 0) values[i] = (double)NAN;
        if (c->pattern == PATTERN_HUGE) values[i] = -HUGE_VAL;
        if (c->pattern == PATTERN_ZEROS) values[i] = i % 2 ? 0.0 : -0.0;
    }
    alcore_status status =
        t->arg_max(&conformance_work, c->rows.count, c->take, values, &out->whole[0], &best);
    /* Zeros of both signs are equal; which one comes back is the sign of the item that was taken.
     */
    if (c->rows.count > 0) out->numbers[0] = best == 0.0 ? 0.0 : best;
    free(values);
    return status;
}

enum { TOGETHER = 17 };
static int64_t count_each(const kernel_case *c) {
    return (2 + TOGETHER + 3) * c->rows.count;
}
static int64_t count_badge(const kernel_case *c) {
    return (1 + 3) * c->rows.count;
}

/* The last centres, which are many, twice: each by itself against minima that some rows have
 * already, and all of them; then three, which no filter is worth. */
static alcore_status call_min_sqds(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count, dims = c->rows.dims;
    double *own = malloc((size_t)(count + 1) * sizeof *own), dots[TOGETHER];
    if (!own) abort();
    const double *centres = c->centres + (CASE_CENTRES - TOGETHER) * dims;
    double *minimum = out->numbers, *plain = minimum + count, *each = plain + count;
    alcore_sys_rows all = {
        .data = centres, .count = TOGETHER, .dims = dims, .stride = dims, .dtype = ALCORE_FLOAT64};
    kernel_oracle.self_dots(&conformance_work, &c->rows, NULL, own);
    kernel_oracle.self_dots(&conformance_work, &all, NULL, dots);
    for (int64_t i = 0; i < 2 * count; i++) out->numbers[i] = HUGE_VAL;
    alcore_status status = t->min_sqds(&conformance_work, &c->rows, c->take, c->centres + 8 * dims,
                                       3, dots, NULL, 0, plain, each + TOGETHER * count);
    if (!status)
        status = t->min_sqds(&conformance_work, &c->rows, c->take, c->centres + 8 * dims, 3, dots,
                             NULL, 0, plain, NULL);
    if (!status)
        status = t->min_sqds(&conformance_work, &c->rows, c->take, centres, TOGETHER, dots, NULL, 0,
                             plain, NULL);
    if (!status)
        status = t->min_sqds(&conformance_work, &c->rows, c->take, centres, 1, dots, own, 1,
                             minimum, NULL);
    if (!status)
        status = t->min_sqds(&conformance_work, &c->rows, c->take, centres, TOGETHER, dots, own, 1,
                             minimum, each);
    free(own);
    return status;
}

/* a: a few columns of the rows; h: the rows. */
static alcore_status call_min_badge(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count, dims = c->rows.dims;
    alcore_sys_rows a = c->rows;
    a.dims = dims < 4 ? dims : 4;
    size_t numbers = (size_t)(3 * count + 12) * sizeof(double);
    double *squares = malloc(numbers), centres_a[12] = {0}, dots_a[3], dots_h[3];
    if (!squares) abort();
    double *own_a = squares + count, *own_h = own_a + count;
    const double *centres = c->centres + 29 * dims;
    for (int64_t k = 0; k < 3; k++) {
        for (int64_t j = 0; j < a.dims; j++) centres_a[k * a.dims + j] = centres[k * dims + j];
    }
    alcore_sys_rows three = {
        .data = centres, .count = 3, .dims = dims, .stride = dims, .dtype = ALCORE_FLOAT64};
    kernel_oracle.self_dots(&conformance_work, &a, NULL, own_a);
    kernel_oracle.self_dots(&conformance_work, &c->rows, NULL, own_h);
    kernel_oracle.self_dots(&conformance_work, &three, NULL, dots_h);
    three.data = centres_a;
    three.dims = three.stride = a.dims;
    kernel_oracle.self_dots(&conformance_work, &three, NULL, dots_a);
    for (int64_t i = 0; i < count; i++) squares[i] = own_a[i] * own_h[i];
    for (int k = 0; k < 3; k++) dots_a[k] *= dots_h[k];
    for (int64_t i = 0; i < count; i++) out->numbers[i] = HUGE_VAL;
    alcore_status status = t->min_badge(&conformance_work, &a, &c->rows, c->take, centres_a,
                                        centres, 1, dots_a, squares, out->numbers, NULL);
    if (!status)
        status = t->min_badge(&conformance_work, &a, &c->rows, c->take, centres_a, centres, 3,
                              dots_a, squares, out->numbers, out->numbers + count);
    if (!status)
        status = t->min_badge(&conformance_work, &a, &c->rows, c->take, centres_a + a.dims,
                              centres + dims, 2, dots_a + 1, squares, out->numbers, NULL);
    free(squares);
    return status;
}

const entry entries_greedy[] = {
    {PLACE(idds_update), call_idds_update, count_two, 0},
    {PLACE(idds_scores), call_idds_scores, count_rows, 0},
    {PLACE(arg_max), call_arg_max, count_rows, 0},
    {PLACE(min_sqds), call_min_sqds, count_each, 0},
    {PLACE(min_badge), call_min_badge, count_badge, 0},
};
const int entries_greedy_count = sizeof entries_greedy / sizeof entries_greedy[0];
