/* SPDX-License-Identifier: Apache-2.0 */
/* SUM-PROB for extractive question answering (DeMuX; spec 7.4), from the probabilities that each
 * token position is the start or the end of the answer:
 *
 *     score = - (log of the largest start probability + log of the largest end probability)
 *
 * Both maxima are independent, as in the paper: the end may come before the start. Logarithms are
 * at least -100. With windows=1 the positions of a row are those of several windows of its context,
 * one window after another, each with distributions of its own; the row has the smallest score of
 * its windows, that of the most confident one. A pool row without an entry has no position or
 * window. Cost: one pass over the values. Memory: 24 bytes a window of the block. */
#include <math.h>
#include <string.h>

#include "alcore/sys/dtype.h"
#include "base/tensor_view.h"
#include "kernel/kernels.h"
#include "scorer/class_distributions.h"
#include "scorer/score_table.h"

static const char *const NEEDS[] = {"qa_start", "qa_end", NULL};
static const char *const WINDOW_NEEDS[] = {"qa_start", "qa_end", "qa_windows", NULL};
/* Name, type, default, smallest and largest value (0, 0: none), choices, help. */
static const alcore__param ROWS[] = {
    {"windows", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: contexts were cut into windows, of which the column qa_windows has the numbers of "
     "positions; the most confident window counts",
     ALCORE__TO_SCORES(windows)},
};

/* The windows of a block of rows; both arrays are owned. */
typedef struct window_list {
    int64_t *starts; /* [rows + 1] row i has windows starts[i] .. starts[i + 1] - 1 of the block */
    int64_t *counts; /* [starts[rows]] positions of each window; NULL: each row is one window */
} window_list;

/* alcore__score.needs_of: the columns that are read with these parameters. */
static const char *const *needs_of(const alcore__score_params *params) {
    return params->windows ? WINDOW_NEEDS : NEEDS;
}

/* The column of a name when it is ragged (a list of values a row) with one value a position or a
 * window; NULL when the dataset lacks it or it has another shape. */
static const alcore__column *find_list(const alcore__score_call *call, const char *name) {
    const alcore__column *column = alcore__dataset_find(call->dataset, name);
    return column && column->ragged && column->dims == 1 ? column : NULL;
}

/* Reads numbers of positions that are given as floats, as lists of numbers become: counts [count];
 * 0 for what is no integer from 1 on that a double counts exactly, which the caller refuses. */
static alcore_status read_floats(alcore__score_call *call, const alcore_sys_ragged *items,
                                 size_t count, int64_t *counts) {
    const alcore_sys_work work = alcore__engine_work(&call->engine);
    const alcore_sys_rows numbers = {.data = items->values,
                                     .count = (int64_t)count,
                                     .dims = 1,
                                     .stride = 1,
                                     .dtype = items->dtype};
    double *values;
    ALCORE__TRY(alcore__new_array(call->ctx, count, sizeof *values, &values));
    alcore_status status =
        alcore__kernels_cpu()->widen(&work, &numbers, NULL /* no mask */, values);
    for (size_t w = 0; w < count && status == ALCORE_OK; w++) {
        const bool is_count =
            values[w] >= 1 && values[w] <= 0x1p53 && values[w] == floor(values[w]);
        counts[w] = is_count ? (int64_t)values[w] : 0;
    }
    alcore__free(call->ctx, values);
    return status;
}

/* Reads the windows of the block; with windows=0 each row is one, and out->counts stays NULL. A
 * column of integers is int32 or int64. The caller frees both arrays, also after a failure. */
static alcore_status read_windows(alcore__score_call *call, window_list *out) {
    alcore_sys_ragged items;
    ALCORE__TRY(
        alcore__new_array(call->ctx, (size_t)call->count + 1, sizeof *out->starts, &out->starts));
    if (!call->params->windows) {
        for (int64_t i = 0; i <= call->count; i++) out->starts[i] = i;
        return ALCORE_OK;
    }
    const alcore__column *column = find_list(call, "qa_windows");
    if (!column)
        return alcore__fail(ALCORE_E_MISSING,
                            "the column \"qa_windows\" is needed, with the number of positions of "
                            "each window and offsets");
    ALCORE__TRY(column->ops->ragged(column, call->first, call->count, call->scratch, &items));
    for (int64_t i = 0; i <= call->count; i++) out->starts[i] = items.offsets[i] - items.offsets[0];
    const size_t count = (size_t)out->starts[call->count];
    ALCORE__TRY(alcore__new_array(call->ctx, count, sizeof *out->counts, &out->counts));
    if (alcore__dtype_is_float(items.dtype)) return read_floats(call, &items, count, out->counts);
    for (size_t w = 0; w < count; w++)
        out->counts[w] = items.dtype == ALCORE_INT32 ? ((const int32_t *)items.values)[w]
                                                     : ((const int64_t *)items.values)[w];
    return ALCORE_OK;
}

/* Checks that the windows of row i of the block have a position or more each, and together those
 * that column `name` has for the row. */
static alcore_status check_windows(const alcore__score_call *call, const window_list *windows,
                                   int64_t i, const char *name, int64_t positions) {
    int64_t row = call->first + i, left = positions;
    for (int64_t w = windows->starts[i]; w < windows->starts[i + 1]; w++) {
        if (windows->counts[w] < 1)
            return alcore__fail(
                ALCORE_E_DATA,
                "row %lld: window %lld of column \"qa_windows\" is not a number of positions",
                (long long)row, (long long)(w - windows->starts[i]));
        /* Compared before it is subtracted: a count may be any integer. */
        if (windows->counts[w] > left) left = -1;
        if (left >= 0) left -= windows->counts[w];
        if (left < 0) break;
    }
    if (left == 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA,
                        "row %lld: the windows of column \"qa_windows\" have %s than the %lld "
                        "positions of column \"%s\"",
                        (long long)row, left < 0 ? "more" : "fewer", (long long)positions, name);
}

/* Checks that the probabilities of the positions in `rows`, one row, add up to no more than 1
 * within the rounding of their type: positions without an answer may have been left out of a
 * distribution. log_top: the largest of logarithms. */
static alcore_status check_sum(alcore_ctx *ctx, const char *name, int32_t kind,
                               const alcore_sys_rows *rows, double log_top) {
    const alcore__engine cpu = alcore__engine_cpu(ctx);
    double sum = 0.0;
    if (kind == ALCORE_CLASSES_LOGITS) return ALCORE_OK;
    ALCORE__TRY(alcore__class_sums(&cpu, rows, NULL /* no mask */,
                                   kind == ALCORE_CLASSES_LOGPROBS ? &log_top : NULL, &sum));
    if (sum <= 1.0 + alcore__class_sum_slack(rows->dtype)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA,
                        "row %lld: the probabilities of the positions in column \"%s\" add up to "
                        "%.6g, which is more than 1",
                        (long long)rows->first, name, sum);
}

/* The natural logarithm of the largest probability among `count` positions of a row, at least -100,
 * as *best; values: the first of them. NaN with nan=exclude, else an error, where one is a NaN or
 * no probability. row: the pool row. */
static alcore_status max_log(const alcore__score_call *call, const char *name, int32_t kind,
                             const void *values, int32_t dtype, int64_t count, int64_t row,
                             double *best) {
    const alcore__engine cpu = alcore__engine_cpu(call->ctx);
    const alcore_sys_work work = alcore__engine_work(&cpu);
    const alcore_sys_rows rows = {
        .data = values, .first = row, .count = 1, .dims = count, .stride = count, .dtype = dtype};
    alcore_sys_class_stats stats = {.log_top1 = (double)NAN};
    int64_t bad = -1; /* the kernel sets it to the pool row of a bad distribution */
    ALCORE__TRY(cpu.kernels->class_stats(&work, &rows, NULL /* mask */, kind, &stats, &bad));
    if (bad >= 0 && !call->nan_exclude)
        return alcore__fail_nan("row %lld: no probability in column \"%s\"", (long long)row, name);
    *best = bad >= 0 ? (double)NAN : stats.log_top1;
    return bad >= 0 ? ALCORE_OK : check_sum(call->ctx, name, kind, &rows, stats.log_top1);
}

/* Adds to sums [windows of the block] the logarithm of the largest probability in column `name` of
 * each window of the rows of the mask: called for the starts and for the ends. The values are
 * probabilities, log-probabilities or logits by the column's meaning; those of a window are read as
 * one distribution over its positions. A row without a position adds NaN with nan=exclude, else it
 * is an error; windows must have all positions of their row (check_windows()). */
static alcore_status add_max_logs(alcore__score_call *call, const char *name,
                                  const window_list *windows, double *sums) {
    const alcore__column *column = find_list(call, name);
    if (!column)
        return alcore__fail(ALCORE_E_MISSING,
                            "the column \"%s\" is needed, with one probability per position and "
                            "offsets",
                            name);
    const int32_t kind = alcore__class_kind(column);
    alcore_sys_ragged items;
    ALCORE__TRY(column->ops->ragged(column, call->first, call->count, call->scratch, &items));
    const size_t bytes = alcore_sys_dtype_bytes(items.dtype);
    for (int64_t i = 0; i < call->count; i++) {
        if (call->mask && !call->mask[i]) continue;
        const char *values =
            (const char *)items.values + (size_t)(items.offsets[i] - items.offsets[0]) * bytes;
        const int64_t positions = items.offsets[i + 1] - items.offsets[i], row = call->first + i;
        if (positions == 0 && !call->nan_exclude)
            return alcore__fail_nan("row %lld: no position in column \"%s\"", (long long)row, name);
        if (windows->counts) ALCORE__TRY(check_windows(call, windows, i, name, positions));
        for (int64_t w = windows->starts[i]; w < windows->starts[i + 1]; w++) {
            const int64_t count = windows->counts ? windows->counts[w] : positions;
            double best = (double)NAN;
            if (count > 0)
                ALCORE__TRY(max_log(call, name, kind, values, items.dtype, count, row, &best));
            sums[w] += best;
            values += (size_t)count * bytes;
        }
    }
    return ALCORE_OK;
}

/* The largest of sums [count], those of the windows of one row; NaN where one is NaN or the row has
 * no window. */
static double largest_of(const double *sums, int64_t count) {
    double largest = count > 0 ? sums[0] : (double)NAN;
    for (int64_t w = 1; w < count; w++) {
        if (isnan(sums[w]) || sums[w] > largest) largest = sums[w];
        if (isnan(largest)) break;
    }
    return largest;
}

/* Scores the block from its windows: fills raw, score and rank of the rows of the mask. sums
 * [windows of the block]: zeroed workspace. A certain answer, raw 0, has the score +0.0. */
static alcore_status score_windows(alcore__score_call *call, const window_list *windows,
                                   double *sums) {
    ALCORE__TRY(add_max_logs(call, "qa_start", windows, sums));
    ALCORE__TRY(add_max_logs(call, "qa_end", windows, sums));
    for (int64_t i = 0; i < call->count; i++) {
        if (call->mask && !call->mask[i]) continue;
        const int64_t first = windows->starts[i];
        call->raw[i] = largest_of(sums + first, windows->starts[i + 1] - first);
        call->score[i] = call->rank[i] = 0.0 - call->raw[i];
    }
    return ALCORE_OK;
}

/* The score "sum-prob": raw is the sum of both logarithms, 0 for certain answers and down to -200,
 * the largest of the row's windows; score and rank are its negative, larger = less sure. All
 * [count] by row - call->first; rows outside the mask (mask NULL: there are none) are not
 * written. */
static alcore_status sum_prob_rows(alcore__score_call *call) {
    window_list found = {0};
    double *sums = NULL;
    alcore_status status = read_windows(call, &found);
    if (status == ALCORE_OK)
        status =
            alcore__new_array(call->ctx, (size_t)found.starts[call->count], sizeof *sums, &sums);
    if (status == ALCORE_OK) status = score_windows(call, &found, sums);
    alcore__free(call->ctx, found.starts);
    alcore__free(call->ctx, found.counts);
    alcore__free(call->ctx, sums);
    return status;
}

const alcore__score alcore__score_sum_prob = {
    .name = "sum-prob",
    .summary = "Minus the logs of the likeliest start and end of an answer, summed (DeMuX)",
    .params = ALCORE__PARAMS(ROWS),
    .raw_name = "sum_prob",
    .needs = NEEDS,
    .needs_of = needs_of,
    .rows = sum_prob_rows,
};
