/* SPDX-License-Identifier: Apache-2.0 */
/* Conformance of ragged_nnll, class_stats and class_tops: log-probabilities and class scores of a
 * case's shape, with values at the floor, within the slack, infinite and NaN. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_entry.h"
#include "kernel_oracle.h"

static int64_t count_rows(const kernel_case *c) {
    return c->rows.count;
}
static int64_t count_stats(const kernel_case *c) {
    return 15 * c->rows.count;
}

static alcore_status call_nnll(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count, total = count * c->rows.dims;
    uint64_t state = (uint64_t)total + (uint64_t)c->pattern;
    char *values = malloc((size_t)total * 8 + 8);
    int64_t *offsets = malloc((size_t)(count + 1) * sizeof *offsets);
    if (!values || !offsets) abort();
    for (int64_t v = 0; v < total; v++) {
        uint64_t kind = case_random(&state) % 64;
        double lp = -8.0 * case_uniform(&state);
        if (kind == 0) lp = -HUGE_VAL;
        if (kind == 1) lp = -101.0;
        if (kind == 2) lp = 9e-7; /* within the slack; float16 rounds it to a number below */
        if (kind == 3 && c->pattern == PATTERN_SPECIAL && v % 8 == 0)
            lp = v % 2 ? (double)NAN : 0.25;
        if (c->pattern == PATTERN_ZEROS) lp = v % 2 ? 0.0 : -0.0;
        case_put(values, v, c->rows.dtype, lp);
    }
    int64_t at = 0;
    for (int64_t i = 0; i <= count; i++) {
        offsets[i] = 1000 + at;
        if (i % 5 != 4) at += c->rows.dims;
    }
    alcore_sys_ragged items = {.values = values,
                               .offsets = offsets,
                               .first = c->rows.first,
                               .count = count,
                               .classes = 1,
                               .dtype = c->rows.dtype};
    alcore_status status = t->ragged_nnll(&conformance_work, &items, c->mask, out->numbers,
                                          &out->integers[0], &out->integers[1]);
    free(values);
    free(offsets);
    return status;
}

/* Class scores of a kind, [rows, dims] without gaps, made from the case's shape and in its type;
 * free_class_rows() frees them. */
static alcore_sys_rows class_rows(const kernel_case *c, int32_t kind) {
    int64_t count = c->rows.count, dims = c->rows.dims;
    uint64_t state = (uint64_t)(count * 31 + dims) * 3 + (uint64_t)(c->pattern * 97 + kind);
    char *values = malloc((size_t)(count * dims) * 8 + 8);
    if (!values) abort();
    for (int64_t v = 0; v < count * dims; v++) {
        double x = case_uniform(&state);
        if (kind == ALCORE_CLASSES_LOGPROBS) x *= -120.0;
        if (kind == ALCORE_CLASSES_LOGITS) x = 300.0 * x - 150.0;
        if (c->pattern == PATTERN_EQUAL)
            x = kind == ALCORE_CLASSES_PROBS ? 1.0 / (double)dims : -1.0;
        if (c->pattern == PATTERN_ZEROS)
            x = kind == ALCORE_CLASSES_PROBS ? (double)(v % 2) : v % 2 ? 0.0 : -HUGE_VAL;
        if (c->pattern == PATTERN_ULP) x = kind == ALCORE_CLASSES_PROBS ? 1.0 + 5e-7 : 5e-7;
        if (c->pattern == PATTERN_SPECIAL && case_random(&state) % 99 == 0) {
            x = v % 3 == 0 ? (double)NAN : v % 3 == 1 ? HUGE_VAL : -HUGE_VAL;
        }
        case_put(values, v, c->rows.dtype, x);
    }
    return (alcore_sys_rows){.data = values,
                             .first = c->rows.first,
                             .count = count,
                             .dims = dims,
                             .stride = dims,
                             .dtype = c->rows.dtype};
}
static void free_class_rows(const alcore_sys_rows *rows) {
    free((void *)(uintptr_t)rows->data);
}

/* The three kinds of class scores. */
static alcore_status call_class_stats(table *t, const kernel_case *c, output *out) {
    const int64_t count = c->rows.count;
    alcore_status status = ALCORE_OK;
    for (int32_t kind = ALCORE_CLASSES_PROBS; kind <= ALCORE_CLASSES_LOGITS && !status; kind++) {
        const alcore_sys_rows rows = class_rows(c, kind);
        alcore_sys_class_stats *stats = malloc((size_t)(count + 1) * sizeof *stats);
        if (!stats) abort();
        for (int64_t i = 0; i < count; i++)
            stats[i] = (alcore_sys_class_stats){7.0, 7.0, 7.0, 7.0, 7.0};
        status =
            t->class_stats(&conformance_work, &rows, c->mask, kind, stats, &out->integers[kind]);
        memcpy(out->numbers + (int64_t)kind * 5 * count, stats, (size_t)count * sizeof *stats);
        free(stats);
        free_class_rows(&rows);
    }
    return status;
}

/* Whether row i of the rows has a NaN. */
static bool has_nan(const alcore_sys_rows *rows, int64_t i) {
    bool found = false;
    for (int64_t j = 0; j < rows->dims; j++) found |= isnan(oracle_number(rows, i, j));
    return found;
}

/* Four statistics of each row from its two largest values, and 0, or 1 for a row with a NaN and 2
 * for another bad one. */
static alcore_status call_class_tops(table *t, const kernel_case *c, output *out) {
    const int64_t count = c->rows.count, dims = c->rows.dims;
    alcore_sys_class_stats *stats = calloc((size_t)count + 1, sizeof *stats);
    double *tops = calloc((size_t)count + 1, 2 * sizeof *tops);
    alcore_status status = ALCORE_OK;
    if (!stats || !tops) abort();
    for (int32_t kind = ALCORE_CLASSES_PROBS; kind <= ALCORE_CLASSES_LOGPROBS && !status; kind++) {
        const alcore_sys_rows rows = class_rows(c, kind);
        const alcore_sys_rows largest = {.data = tops,
                                         .first = c->rows.first,
                                         .count = count,
                                         .dims = dims < 2 ? dims : 2,
                                         .stride = 2,
                                         .dtype = ALCORE_FLOAT64};
        if (t->class_tops) status = t->class_tops(&conformance_work, &rows, c->mask, kind, tops);
        if (!status)
            status = (t->class_stats ? t : &kernel_oracle)
                         ->class_stats(&conformance_work, t->class_tops ? &largest : &rows, c->mask,
                                       kind, stats, &out->integers[kind]);
        for (int64_t i = 0; i < count && !status; i++) {
            double *numbers = out->numbers + 5 * (kind * count + i);
            if (c->mask && !c->mask[i]) {
                memset(numbers, 0, 5 * sizeof *numbers);
                continue;
            }
            const bool bad = isnan(stats[i].top1);
            const bool nan = t->class_tops ? isnan(tops[2 * i]) : bad && has_nan(&rows, i);
            memcpy(numbers, &stats[i], 4 * sizeof *numbers);
            numbers[4] = nan ? 1.0 : bad ? 2.0 : 0.0;
        }
        free_class_rows(&rows);
    }
    free(tops);
    free(stats);
    return status;
}
static int64_t count_tops(const kernel_case *c) {
    return 2 * 5 * c->rows.count;
}

const entry entries_columns[] = {
    {TABLE_ENTRY(ragged_nnll), call_nnll, count_rows, 0, 0},
    {TABLE_ENTRY(class_stats), call_class_stats, count_stats, 0, 0},
    {TABLE_ENTRY(class_tops), call_class_tops, count_tops, 0, 0},
};
const int entries_columns_count = sizeof entries_columns / sizeof entries_columns[0];
