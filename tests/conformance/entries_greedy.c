/* SPDX-License-Identifier: Apache-2.0 */
/* Conformance of the steps of greedy strategies: idds_update, idds_scores, arg_max, the D^2 weights
 * with speculative centroids and totals, update_min, draw, run_totals, draw_rows, best_row, upload,
 * release, store and download. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/sys/dtype.h"
#include "kernel_entry.h"
#include "kernel_oracle.h"

static int64_t count_rows(const kernel_case *c) {
    return c->rows.count;
}
static int64_t count_three(const kernel_case *c) {
    return 3 * c->rows.count;
}

static alcore_sys_idds some_idds(const kernel_case *c) {
    return (alcore_sys_idds){.alpha = 0.67,
                             .unlabeled = 1 + c->rows.dims % 7,
                             .labeled = c->pattern,
                             .include_self = c->packed};
}

/* First without scores, then with them. */
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
    memset(out->numbers + 2 * count, 0, (size_t)count * sizeof *norms);
    const alcore_sys_idds idds = some_idds(c);
    alcore_status status =
        t->idds_update(&conformance_work, &c->rows, c->mask, norms, c->vector, sqrt(picked),
                       out->numbers, out->numbers + count, NULL, NULL, NULL);
    if (!status) {
        status = t->idds_update(&conformance_work, &c->rows, c->mask, NULL, c->vector, 0.0,
                                out->numbers, out->numbers + count, &idds, c->scalars + 2 * count,
                                out->numbers + 2 * count);
    }
    free(norms);
    return status;
}

static alcore_status call_idds_scores(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count;
    const alcore_sys_idds idds = some_idds(c);
    return t->idds_scores(&conformance_work, count, c->mask, &idds, c->scalars, c->scalars + count,
                          c->scalars + 2 * count, out->numbers);
}

static double *some_values(const kernel_case *c) {
    double *values = malloc((size_t)(c->rows.count + 1) * sizeof *values);
    if (!values) abort();
    memcpy(values, c->scalars, (size_t)c->rows.count * sizeof *values);
    for (int64_t i = 0; i < c->rows.count; i++) {
        if (c->pattern == PATTERN_SPECIAL && i % 3 == 0) values[i] = (double)NAN;
        if (c->pattern == PATTERN_HUGE) values[i] = -HUGE_VAL;
        if (c->pattern == PATTERN_ZEROS) values[i] = i % 2 ? 0.0 : -0.0;
        /* The best of a large case are a hundred in the midst. */
        if (c->rows.count > CASE_ROWS && i / 100 == c->rows.count / 200) values[i] += 3.0;
    }
    return values;
}

static alcore_status call_arg_max(table *t, const kernel_case *c, output *out) {
    double *values = some_values(c), best;
    alcore_status status =
        t->arg_max(&conformance_work, c->rows.count, c->mask, values, &out->integers[0], &best);
    /* Zeros of both signs are equal; which one comes back is the sign of the item that was taken.
     */
    if (c->rows.count > 0) out->numbers[0] = best == 0.0 ? 0.0 : best;
    free(values);
    return status;
}

/* Row `item` of the case as doubles; zeros for -1. */
static alcore_status widen_item(table *t, const kernel_case *c, int64_t item, double *out) {
    alcore_sys_rows row = c->rows;
    memset(out, 0, (size_t)row.dims * sizeof *out);
    if (item < 0) return ALCORE_OK;
    row.data =
        (const char *)row.data + alcore_sys_dtype_bytes(row.dtype) * (size_t)(item * row.stride);
    row.count = 1;
    return t->widen(&conformance_work, &row, NULL, out);
}

/* The item, its value and its row. */
static int64_t count_best(const kernel_case *c) {
    return 2 + c->rows.dims;
}
static alcore_status call_best_row(table *t, const kernel_case *c, output *out) {
    double *values = some_values(c), best, *vector = out->numbers + 2;
    int64_t item;
    alcore_status status;
    if (t->best_row) {
        status = t->best_row(&conformance_work, &c->rows, c->mask, values, &item, &best, vector);
    } else {
        status = t->arg_max(&conformance_work, c->rows.count, c->mask, values, &item, &best);
        if (!status) status = widen_item(t, c, item, vector);
    }
    out->numbers[0] = (double)item;
    out->numbers[1] = best == 0.0 ? 0.0 : best;
    free(values);
    return status;
}

enum { TOGETHER = 17, TOTALS = 4 };
static int64_t count_sq_dists(const kernel_case *c) {
    return (3 + (TOGETHER - 1) + 2) * c->rows.count + TOTALS;
}
static int64_t count_badge(const kernel_case *c) {
    return (2 + 2) * c->rows.count + 2;
}

/* Minima one unit in the last place above the weight, where filters are tempted to leave it out. */
static void raise_minima(double *minimum, int64_t count) {
    for (int64_t i = 0; i < count; i++) minimum[i] = nextafter(minimum[i], HUGE_VAL);
}

/* A row in the midst, as a centroid of the rows' own numbers. */
static double *some_centroid(const kernel_case *c) {
    alcore_sys_rows none = {
        .data = c->vector, .count = 1, .dims = c->rows.dims, .dtype = ALCORE_FLOAT64};
    return c->rows.count ? oracle_row(&c->rows, c->rows.count / 2) : oracle_row(&none, 0);
}

/* Two of three rows, for totals. */
static uint8_t *some_rows(int64_t count) {
    uint8_t *some = malloc((size_t)count + 1);
    if (!some) abort();
    for (int64_t i = 0; i < count; i++) some[i] = i % 3 != 1;
    return some;
}

/* Three centroids, two of them guessed; the last centroids, which are many: all of them, the first
 * one, and all but the first as guesses. */
static alcore_status call_min_sq_dists(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count, dims = c->rows.dims;
    double *own = malloc((size_t)(count + 1) * sizeof *own), dots[TOGETHER];
    uint8_t *some = some_rows(count);
    if (!own) abort();
    const double *few = c->centroids + 8 * dims,
                 *many = c->centroids + (CASE_CENTROIDS - TOGETHER) * dims;
    double *total = out->numbers, *minimum = total + TOTALS, *plain = minimum + count,
           *each = plain + count;
    alcore_sys_rows all = {
        .data = many, .count = TOGETHER, .dims = dims, .stride = dims, .dtype = ALCORE_FLOAT64};
    kernel_oracle.self_dots(&conformance_work, &c->rows, NULL, own);
    kernel_oracle.self_dots(&conformance_work, &all, NULL, dots);
    for (int64_t i = 0; i < 2 * count; i++) minimum[i] = HUGE_VAL;
    alcore_sys_weights guessing = {.minimum = plain,
                                   .speculative = each + (TOGETHER - 1) * count,
                                   .speculative_count = 2,
                                   .total = total};
    alcore_status status =
        t->min_sq_dists(&conformance_work, &c->rows, c->mask, few, 3, NULL, NULL, 0, &guessing);
    alcore_sys_weights taking = {.minimum = plain, .total_mask = some, .total = total + 1};
    if (!status)
        status = t->min_sq_dists(&conformance_work, &c->rows, c->mask, many, TOGETHER, NULL, NULL,
                                 0, &taking);
    alcore_sys_weights first = {.minimum = minimum, .total = total + 2};
    if (!status)
        status =
            t->min_sq_dists(&conformance_work, &c->rows, c->mask, many, 1, dots, own, 1, &first);
    alcore_sys_weights rest = {.minimum = minimum,
                               .speculative = each,
                               .speculative_count = TOGETHER - 1,
                               .total = total + 3};
    if (!status)
        status = t->min_sq_dists(&conformance_work, &c->rows, c->mask, many, TOGETHER, dots, own, 1,
                                 &rest);
    double *near = each + (TOGETHER + 1) * count, *centroid = some_centroid(c);
    alcore_sys_weights nearest = {.minimum = near};
    for (int64_t i = 0; i < count; i++) near[i] = HUGE_VAL;
    kernel_oracle.min_sq_dists(&conformance_work, &c->rows, c->mask, centroid, 1, NULL, NULL, 0,
                               &nearest);
    raise_minima(near, count);
    if (!status)
        status = t->min_sq_dists(&conformance_work, &c->rows, c->mask, centroid, 1, NULL, NULL, 0,
                                 &nearest);
    free(centroid);
    free(some);
    free(own);
    return status;
}

/* a: a few columns of the rows; h: the rows. */
static alcore_status call_min_badge(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count, dims = c->rows.dims;
    alcore_sys_rows a = c->rows;
    a.dims = dims < 4 ? dims : 4;
    size_t numbers = (size_t)(3 * count + 12) * sizeof(double);
    double *squares = malloc(numbers), centroids_a[12] = {0}, dots_a[3], dots_h[3];
    if (!squares) abort();
    double *own_a = squares + count, *own_h = own_a + count;
    const double *centroids = c->centroids + 29 * dims;
    for (int64_t k = 0; k < 3; k++) {
        for (int64_t j = 0; j < a.dims; j++) centroids_a[k * a.dims + j] = centroids[k * dims + j];
    }
    alcore_sys_rows three = {
        .data = centroids, .count = 3, .dims = dims, .stride = dims, .dtype = ALCORE_FLOAT64};
    kernel_oracle.self_dots(&conformance_work, &a, NULL, own_a);
    kernel_oracle.self_dots(&conformance_work, &c->rows, NULL, own_h);
    kernel_oracle.self_dots(&conformance_work, &three, NULL, dots_h);
    three.data = centroids_a;
    three.dims = three.stride = a.dims;
    kernel_oracle.self_dots(&conformance_work, &three, NULL, dots_a);
    for (int64_t i = 0; i < count; i++) squares[i] = own_a[i] * own_h[i];
    for (int k = 0; k < 3; k++) dots_a[k] *= dots_h[k];
    double *total = out->numbers, *minimum = total + 2, *each = minimum + count;
    for (int64_t i = 0; i < count; i++) minimum[i] = HUGE_VAL;
    uint8_t *some = some_rows(count);
    alcore_sys_weights one = {.minimum = minimum, .total_mask = some, .total = total};
    alcore_status status = t->min_badge(&conformance_work, &a, &c->rows, c->mask, centroids_a,
                                        centroids, 1, dots_a, squares, &one);
    alcore_sys_weights guessing = {
        .minimum = minimum, .speculative = each, .speculative_count = 2, .total = total + 1};
    if (!status)
        status = t->min_badge(&conformance_work, &a, &c->rows, c->mask, centroids_a, centroids, 3,
                              dots_a, squares, &guessing);
    alcore_sys_weights two = {.minimum = minimum};
    if (!status)
        status = t->min_badge(&conformance_work, &a, &c->rows, c->mask, centroids_a + a.dims,
                              centroids + dims, 2, dots_a + 1, squares, &two);
    double *near = each + 2 * count, *centroid = some_centroid(c);
    double square = oracle_dot(centroid, centroid, dims) * oracle_dot(centroid, centroid, a.dims);
    alcore_sys_weights nearest = {.minimum = near};
    for (int64_t i = 0; i < count; i++) near[i] = HUGE_VAL;
    kernel_oracle.min_badge(&conformance_work, &a, &c->rows, c->mask, centroid, centroid, 1,
                            &square, squares, &nearest);
    raise_minima(near, count);
    if (!status)
        status = t->min_badge(&conformance_work, &a, &c->rows, c->mask, centroid, centroid, 1,
                              &square, squares, &nearest);
    free(centroid);
    free(some);
    free(squares);
    return status;
}

static int64_t count_update_min(const kernel_case *c) {
    return c->rows.count + 2;
}

static alcore_status call_update_min(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count;
    double *minimum = out->numbers + 2;
    uint8_t *some = some_rows(count);
    memcpy(minimum, c->scalars + count, (size_t)count * sizeof *minimum);
    alcore_sys_weights weights = {.minimum = minimum, .total = out->numbers};
    alcore_status status = t->update_min(&conformance_work, count, c->mask, c->scalars, &weights);
    weights.total_mask = some;
    weights.total = out->numbers + 1;
    if (!status) status = t->update_min(&conformance_work, count, c->mask, NULL, &weights);
    weights.total = NULL;
    if (!status)
        status = t->update_min(&conformance_work, count, c->mask, c->scalars + 2 * count, &weights);
    free(some);
    return status;
}

/* At the borders of a row's share, in front of all, in the midst, and behind all. */
static alcore_status call_draw(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count;
    double *values = malloc((size_t)(count + 1) * sizeof *values), before = 0.25, total = 0.0;
    if (!values) abort();
    for (int64_t i = 0; i < count; i++) {
        values[i] = c->pattern == PATTERN_ZEROS || c->scalars[i] < 0.0 ? 0.0 : c->scalars[i];
        if (!c->mask || c->mask[i]) total += values[i];
        if (i == count / 2) out->numbers[0] = before + total;
    }
    const double targets[] = {-1.0, before, count ? out->numbers[0] : 0.0, before + total / 3.0,
                              HUGE_VAL};
    alcore_status status = ALCORE_OK;
    for (int k = 0; k < 5 && !status; k++)
        status = t->draw(&conformance_work, count, c->mask, values, before, targets[k],
                         &out->integers[k]);
    free(values);
    return status;
}

static int64_t count_one(const kernel_case *c) {
    return c->rows.count ? 1 : 0;
}

static int64_t count_numbers(const kernel_case *c) {
    return c->rows.count * c->rows.dims;
}

/* What is held is what was taken, with the mask and without one, and comes back as it went. */
static alcore_status call_hold(table *t, const kernel_case *c, output *out) {
    alcore_sys_held held = {0};
    int64_t dims = c->rows.dims;
    alcore_status status =
        t->upload ? t->upload(&conformance_work, &c->rows, c->mask, &held) : ALCORE_OK;
    if (held.memory && !status) {
        out->integers[0] = held.rows.count;
        status = t->widen(&conformance_work, &held.rows, NULL, out->numbers);
        t->release(&conformance_work, &held);
        return status;
    }
    out->integers[0] = 0;
    for (int64_t i = 0; i < c->rows.count && !status; i++) {
        if (c->mask && !c->mask[i]) continue;
        alcore_sys_rows row = c->rows;
        row.count = 1;
        row.data =
            (const char *)row.data + i * row.stride * (int64_t)alcore_sys_dtype_bytes(row.dtype);
        status = t->widen(&conformance_work, &row, NULL, out->numbers + out->integers[0]++ * dims);
    }
    return status;
}

/* Rows that are held come back byte for byte, and so do rows in host memory, with gaps or without.
 */
static alcore_status call_download(table *t, const kernel_case *c, output *out) {
    const size_t component = alcore_sys_dtype_bytes(c->rows.dtype);
    const size_t row_bytes = component * (size_t)c->rows.dims;
    char *copy = malloc(row_bytes * (size_t)c->rows.count + 1);
    char *held_copy = malloc(row_bytes * (size_t)c->rows.count + 1);
    alcore_sys_held held = {0};
    if (!copy || !held_copy) abort();
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; !t->download && i < c->rows.count; i++)
        memcpy(copy + (size_t)i * row_bytes,
               (const char *)c->rows.data + (size_t)(i * c->rows.stride) * component, row_bytes);
    if (t->download) status = t->download(&conformance_work, &c->rows, copy);
    if (t->download && t->upload && !status)
        status = t->upload(&conformance_work, &c->rows, NULL, &held);
    out->integers[0] = 0; /* bytes that differ */
    if (held.memory && !status) {
        status = t->download(&conformance_work, &held.rows, held_copy);
        out->integers[0] = memcmp(copy, held_copy, row_bytes * (size_t)c->rows.count) != 0;
        t->release(&conformance_work, &held);
    }
    alcore_sys_rows packed = c->rows;
    packed.data = copy;
    packed.stride = packed.dims;
    if (!status) status = t->widen(&conformance_work, &packed, NULL, out->numbers);
    free(copy);
    free(held_copy);
    return status;
}

/* Rows with gaps or without, and a part of them again, are stored over other rows that are held. */
static alcore_status call_store(table *t, const kernel_case *c, output *out) {
    const size_t component = alcore_sys_dtype_bytes(c->rows.dtype);
    const size_t row_bytes = component * (size_t)c->rows.dims;
    int64_t half = c->rows.count / 2;
    char *copy = calloc(row_bytes * (size_t)c->rows.count + 1, 1);
    alcore_sys_held held = {0};
    if (!copy) abort();
    alcore_sys_rows packed = c->rows, last = c->rows;
    packed.data = copy;
    packed.stride = packed.dims;
    last.count -= half;
    last.data = (const char *)c->rows.data + (size_t)(half * c->rows.stride) * component;
    alcore_status status = ALCORE_OK;
    if (t->store && t->upload) status = t->upload(&conformance_work, &packed, NULL, &held);
    for (int64_t i = 0; !held.memory && i < c->rows.count; i++)
        memcpy(copy + (size_t)i * row_bytes,
               (const char *)c->rows.data + (size_t)(i * c->rows.stride) * component, row_bytes);
    if (held.memory && !status) status = t->store(&conformance_work, &c->rows, held.memory);
    if (held.memory && !status)
        status = t->store(&conformance_work, &last, (char *)held.memory + (size_t)half * row_bytes);
    if (held.memory && !status) status = t->download(&conformance_work, &held.rows, copy);
    if (held.memory) t->release(&conformance_work, &held);
    if (!status) status = t->widen(&conformance_work, &packed, NULL, out->numbers);
    free(copy);
    return status;
}

/* Runs of a third of the items, of none, and of the others, which begin behind the first item: the
 * totals, again without the running sums, and these. */
enum { RUNS = 3 };
static int64_t count_runs(const kernel_case *c) {
    return 2 * RUNS + c->rows.count;
}
static alcore_status make_run_totals(table *t, const kernel_case *c, const int64_t *starts,
                                     const double *values, double *sums, double *totals) {
    if (t->run_totals)
        return t->run_totals(&conformance_work, RUNS, starts, c->mask, values, sums, totals);
    for (int b = 0; b < RUNS; b++) {
        double sum = 0.0;
        for (int64_t i = starts[b]; i < starts[b + 1]; i++) {
            if (c->mask && !c->mask[i]) continue;
            sum += values[i];
            if (sums) sums[i] = sum;
        }
        totals[b] = sum;
    }
    return ALCORE_OK;
}
static alcore_status call_run_totals(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count, third = count / 3, first = count > 3;
    const int64_t starts[RUNS + 1] = {first, first + third, first + third, count};
    double *sums = out->numbers + 2 * RUNS;
    memset(sums, 0, (size_t)count * sizeof *sums);
    alcore_status status = make_run_totals(t, c, starts, c->scalars, NULL, out->numbers);
    if (!status) status = make_run_totals(t, c, starts, c->scalars, sums, out->numbers + RUNS);
    return status;
}

/* Draws among four blocks, of which two calls have a half each, as a pool in two parts has; blocks
 * of a third of the items, of none, of one, and of the others. u: at both ends, and between them;
 * for an engine without the kernel by specification 1.7. What is taken is the weight of the item
 * and its row. */
enum { BLOCKS = 4, HALF = BLOCKS / 2, MATRICES = 2 };
static int64_t count_draws(const kernel_case *c) {
    return ALCORE_SYS_DRAWS * (3 + c->rows.dims);
}

/* Draw by draw: the block by the totals, and the item by `draw` in it. */
static alcore_status draw_alone(table *t, const kernel_case *c, const int64_t *starts,
                                const double *totals, const double *values, double u,
                                alcore_sys_drawn *found) {
    double total = 0.0, before = 0.0, target;
    int64_t block = -1;
    for (int64_t b = 0; b < BLOCKS; b++) total += totals[b];
    target = u * total;
    for (int64_t b = 0; b < BLOCKS && block < 0; b++) {
        if (before + totals[b] > target) block = b;
        if (block < 0) before += totals[b];
    }
    for (int64_t b = BLOCKS - 1; b >= 0 && block < 0; b--) {
        before = -HUGE_VAL;
        if (totals[b] > 0.0) block = b;
    }
    *found = (alcore_sys_drawn){-1, -1};
    if (block < 0) return ALCORE_OK;
    found->block = block;
    const int64_t first = starts[block];
    const alcore_status status =
        t->draw(&conformance_work, starts[block + 1] - first, c->mask ? c->mask + first : NULL,
                values + first, before, target, &found->item);
    found->item += found->item < 0 ? 0 : first;
    return status;
}

static alcore_status call_draw_rows(table *t, const kernel_case *c, output *out) {
    const int64_t count = c->rows.count, dims = c->rows.dims, third = count / 3;
    const int64_t starts[BLOCKS + 1] = {0, third, third, third + (count > third), count};
    const double u[ALCORE_SYS_DRAWS] = {0.0, 0.25, 0.75, 1.0};
    double *values = calloc((size_t)count + 1, 2 * sizeof *values), *sums, totals[BLOCKS] = {0};
    double *taken = calloc((size_t)(ALCORE_SYS_DRAWS * (1 + dims)), sizeof *taken);
    alcore_sys_drawn found[ALCORE_SYS_DRAWS];
    alcore_status status = ALCORE_OK;
    if (!values || !taken) abort();
    sums = values + count + 1;
    for (int64_t i = 0; i < count; i++)
        if (c->pattern != PATTERN_ZEROS && c->scalars[i] > 0.0) values[i] = c->scalars[i];
    for (int64_t i = 0, b = 0; i < count; i++) { /* as run_totals */
        while (i >= starts[b + 1]) b++;
        if (!c->mask || c->mask[i]) sums[i] = totals[b] += values[i];
    }
    const alcore_sys_rows matrices[MATRICES] = {
        {.data = values, .count = count, .dims = 1, .stride = 1, .dtype = ALCORE_FLOAT64}, c->rows};
    for (int64_t half = 0; t->draw_rows && half < 2 && !status; half++) {
        const alcore_sys_draws draws = {.count = ALCORE_SYS_DRAWS,
                                        .u = u,
                                        .blocks = BLOCKS,
                                        .totals = totals,
                                        .first = half * HALF,
                                        .own = HALF,
                                        .starts = starts + half * HALF};
        status = t->draw_rows(&conformance_work, &draws, c->mask, values, sums, MATRICES, matrices,
                              found, taken);
    }
    for (int d = 0; d < ALCORE_SYS_DRAWS && !t->draw_rows && !status; d++) {
        double *row = taken + d * (1 + dims);
        status = draw_alone(t, c, starts, totals, values, u[d], &found[d]);
        row[0] = found[d].item < 0 ? 0.0 : values[found[d].item];
        if (!status) status = widen_item(t, c, found[d].item, row + 1);
    }
    for (int d = 0; d < ALCORE_SYS_DRAWS && !status; d++) {
        double *next = out->numbers + d * (3 + dims);
        next[0] = (double)found[d].block;
        next[1] = (double)found[d].item;
        memcpy(next + 2, taken + d * (1 + dims), (size_t)(1 + dims) * sizeof *next);
    }
    free(values);
    free(taken);
    return status;
}

/* Rows by number, from host memory and from what is held: the last, none and the middle one. */
enum { TAKEN = 3 };
static int64_t count_gathered(const kernel_case *c) {
    return 2 * TAKEN * c->rows.dims;
}
static alcore_status call_gather(table *t, const kernel_case *c, output *out) {
    const int64_t count = c->rows.count, dims = c->rows.dims;
    const int64_t items[TAKEN] = {count - 1, -1, count / 2 - (count == 0)};
    alcore_sys_held held[2] = {{{0}, NULL}, {{0}, NULL}};
    alcore_sys_rows three = c->rows;
    alcore_status status = ALCORE_OK;
    three.count = TAKEN;
    three.unit = 0;
    memset(out->numbers, 0, (size_t)(2 * TAKEN * dims) * sizeof *out->numbers);
    if (t->gather) {
        status = t->hold(&conformance_work, &three, &held[0]);
        if (!status) status = t->upload(&conformance_work, &c->rows, NULL, &held[1]);
    }
    out->integers[0] = 0; /* bytes of the row that is none which are not all ones */
    for (int place = 0; place < 2 && !status; place++) {
        const alcore_sys_rows *rows = place && held[1].memory ? &held[1].rows : &c->rows;
        double *numbers = out->numbers + place * TAKEN * dims;
        for (int i = 0; i < TAKEN && !held[0].memory && !status; i++) {
            alcore_sys_rows row = c->rows;
            if (items[i] < 0) continue;
            row.data = (const char *)row.data +
                       alcore_sys_dtype_bytes(row.dtype) * (size_t)(items[i] * row.stride);
            row.count = 1;
            row.unit = 0;
            status = t->widen(&conformance_work, &row, NULL, numbers + i * dims);
        }
        if (!held[0].memory) continue;
        const size_t bytes = alcore_sys_dtype_bytes(three.dtype) * (size_t)(TAKEN * dims);
        unsigned char *copy = malloc(bytes);
        if (!copy) abort();
        status = t->gather(&conformance_work, rows, TAKEN, items, held[0].memory);
        if (!status) status = t->widen(&conformance_work, &held[0].rows, NULL, numbers);
        if (!status) status = t->download(&conformance_work, &held[0].rows, copy);
        for (int i = 0; i < TAKEN && !status; i++) {
            for (size_t b = 0; items[i] < 0 && b < bytes / TAKEN; b++)
                out->integers[0] += copy[(size_t)i * (bytes / TAKEN) + b] != 0xff;
            if (items[i] < 0) memset(numbers + i * dims, 0, (size_t)dims * sizeof *numbers);
        }
        free(copy);
    }
    for (int i = 0; i < 2; i++) {
        if (held[i].memory) t->release(&conformance_work, &held[i]);
    }
    return status;
}

const entry entries_greedy[] = {
    {TABLE_ENTRY(idds_update), call_idds_update, count_three, 0, 0},
    {TABLE_ENTRY(idds_scores), call_idds_scores, count_rows, 0, 0},
    {TABLE_ENTRY(arg_max), call_arg_max, count_rows, 0, 0},
    {TABLE_ENTRY(min_sq_dists), call_min_sq_dists, count_sq_dists, 0, 1},
    {TABLE_ENTRY(min_badge), call_min_badge, count_badge, 0, 1},
    {TABLE_ENTRY(update_min), call_update_min, count_update_min, 0, 0},
    {TABLE_ENTRY(draw), call_draw, count_one, 0, 0},
    {TABLE_ENTRY(upload), call_hold, count_numbers, 0, 0},
    {TABLE_ENTRY(release), call_hold, count_numbers, 0, 0},
    {TABLE_ENTRY(download), call_download, count_numbers, 0, 0},
    {TABLE_ENTRY(store), call_store, count_numbers, 0, 0},
    {TABLE_ENTRY(run_totals), call_run_totals, count_runs, 0, 0},
    {TABLE_ENTRY(draw_rows), call_draw_rows, count_draws, 0, 0},
    {TABLE_ENTRY(hold), call_gather, count_gathered, 0, 0},
    {TABLE_ENTRY(gather), call_gather, count_gathered, 0, 0},
    {TABLE_ENTRY(best_row), call_best_row, count_best, 0, 0},
};
const int entries_greedy_count = sizeof entries_greedy / sizeof entries_greedy[0];
