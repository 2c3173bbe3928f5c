/* SPDX-License-Identifier: Apache-2.0 */
/* Rows one by one, and by group. */
#include "kernel_entry.h"

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
    return t->widen(&conformance_work, &c->rows, c->take, out->numbers);
}

static alcore_status call_dots(table *t, const kernel_case *c, output *out) {
    return t->dots(&conformance_work, &c->rows, c->take, c->vector, out->numbers);
}

static alcore_status call_self_dots(table *t, const kernel_case *c, output *out) {
    return t->self_dots(&conformance_work, &c->rows, c->take, out->numbers);
}

static alcore_status call_sqds(table *t, const kernel_case *c, output *out) {
    return t->sqds(&conformance_work, &c->rows, c->take, c->vector, out->numbers);
}

static alcore_status call_group_sums(table *t, const kernel_case *c, output *out) {
    return t->group_sums(&conformance_work, &c->rows, c->group, CASE_GROUPS, out->numbers,
                         out->whole);
}

static alcore_status call_group_cosine(table *t, const kernel_case *c, output *out) {
    return t->group_cosine(&conformance_work, &c->rows, c->group, CASE_GROUPS, c->centres,
                           out->numbers);
}

static alcore_status call_group_sqds(table *t, const kernel_case *c, output *out) {
    return t->group_sqds(&conformance_work, &c->rows, c->group, CASE_GROUPS, c->centres,
                         out->numbers);
}

static alcore_status call_nearest(table *t, const kernel_case *c, output *out) {
    return t->nearest_centre(&conformance_work, &c->rows, c->group, CASE_GROUPS, c->starts,
                             c->centres, out->places, out->numbers);
}

const entry entries_rows[] = {
    {PLACE(widen), call_widen, count_matrix, 0},
    {PLACE(dots), call_dots, count_rows, 0},
    {PLACE(self_dots), call_self_dots, count_rows, 0},
    {PLACE(sqds), call_sqds, count_rows, 0},
    {PLACE(group_sums), call_group_sums, count_sums, 0},
    {PLACE(group_cosine), call_group_cosine, count_rows, 0},
    {PLACE(group_sqds), call_group_sqds, count_rows, 0},
    {PLACE(nearest_centre), call_nearest, count_rows, 0},
};
const int entries_rows_count = sizeof entries_rows / sizeof entries_rows[0];
