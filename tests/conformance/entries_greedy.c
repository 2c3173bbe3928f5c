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

/* Three picks, the first against an infinite minimum, the last a row itself. */
static alcore_status call_min_sqd(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count, dims = c->rows.dims;
    double *own = malloc((size_t)(count + 1) * sizeof *own);
    if (!own) abort();
    alcore_status status = kernel_oracle.self_dots(&conformance_work, &c->rows, NULL, own);
    for (int64_t i = 0; i < 2 * count; i++) out->numbers[i] = HUGE_VAL;
    for (int pick = 0; pick < 3 && !status; pick++) {
        const double *centre = pick == 2 ? c->vector : c->centres + (pick + 20) * dims;
        double centre_dot;
        alcore_sys_rows one = {
            .data = centre, .count = 1, .dims = dims, .stride = dims, .dtype = ALCORE_FLOAT64};
        kernel_oracle.self_dots(&conformance_work, &one, NULL, &centre_dot);
        status = t->min_sqd(&conformance_work, &c->rows, c->take, centre, centre_dot, own, 1,
                            out->numbers);
        if (!status)
            status = t->min_sqd(&conformance_work, &c->rows, c->take, centre, 0.0, NULL, 0,
                                out->numbers + count);
    }
    free(own);
    return status;
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

const entry entries_greedy[] = {
    {PLACE(min_sqd), call_min_sqd, count_two, 0},
    {PLACE(idds_update), call_idds_update, count_two, 0},
    {PLACE(idds_scores), call_idds_scores, count_rows, 0},
    {PLACE(arg_max), call_arg_max, count_rows, 0},
    {PLACE(min_sqds), NULL, NULL, 0},
    {PLACE(min_badge), NULL, NULL, 0},
};
const int entries_greedy_count = sizeof entries_greedy / sizeof entries_greedy[0];
