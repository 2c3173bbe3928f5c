/* SPDX-License-Identifier: Apache-2.0 */
/* What panels of a sweep (cpu_sweep.h) hold: float32, int16 or, for a caller that computes full
 * products of what passes (cpu_coarse.h), int8. Decided on a sample in double, before the sweep. */
#ifndef ALCORE__CPU_CHOOSE_H
#define ALCORE__CPU_CHOOSE_H

#include "engines/cpu/cpu_sweep.h"

/* sweep_choose() compares a sample of SWEEP_SAMPLE_ROWS rows with SWEEP_SAMPLE_COLUMNS columns in
 * double. Above a share SWEEP_MAX_INTEGER_ONLY of pairs that integers would have to keep and
 * float32 would not, computing those pairs again costs as much as integer products save. */
#define SWEEP_SAMPLE_ROWS 128
#define SWEEP_SAMPLE_COLUMNS 32
#define SWEEP_MAX_INTEGER_ONLY 0.02

#if CPU_INT16
/* Counts the pairs of one sampled item that integer products could not drop but float32 ones could
 * (integer_only). values [count]: the scores (larger is better) of the sampled items of the other
 * operand for item i (matrix row) of `operand`; they are reordered. With float32 products the pairs
 * are dropped whose score is below the k-th best, whose rank is scaled down to the sample, minus
 * twice the error; with int16 products those that are below this by more than twice int16's
 * additional error; with int8 products once, as these are compared with limits of full products. A
 * sample that has no score of that rank says nothing: 0. */
static int64_t sweep_integer_only(const sweep_operand *operand, const sweep_operand *other,
                                  int64_t i, const sweep_call *call, float *values, int64_t count) {
    int64_t rank = operand->k * count / other->search.ordered, integer_only = 0;
    double norm = sweep_norm(operand, i, call->metric), limit = other->search.limit;
    double error = CPU(search_error)(norm, limit, call->dims, call->metric);
    double excess = int16_error(norm, limit, operand->residual, other->residual);
    if (rank >= count) return 0;
    double float_limit = (double)CPU(search_select)(values, count, rank) - 2.0 * error;
    double integer_limit = float_limit - (call->coarse ? 1.0 : 2.0) * excess;
    for (int64_t v = 0; v < count; v++)
        integer_only += (double)values[v] < float_limit && (double)values[v] >= integer_limit;
    return integer_only;
}

/* Whether at most SWEEP_MAX_INTEGER_ONLY of the pairs of a sample (m rows and n columns, evenly
 * spaced in `order`, at most an eighth of each) are ones that only integers would keep. values
 * [columns, rows]: scores of the sampled pairs, computed in double; for L2 minus half the sq_dist,
 * so that larger is better as in the sweep. */
static int sweep_is_precise(sweep_call *call) {
    const sweep_operand *rows = call->rows, *columns = call->columns;
    float values[SWEEP_SAMPLE_COLUMNS][SWEEP_SAMPLE_ROWS], row_values[SWEEP_SAMPLE_COLUMNS];
    int64_t row_count = rows->search.ordered, column_count = columns->search.ordered;
    int64_t m = row_count / 8 < SWEEP_SAMPLE_ROWS ? row_count / 8 : SWEEP_SAMPLE_ROWS;
    int64_t n = column_count / 8 < SWEEP_SAMPLE_COLUMNS ? column_count / 8 : SWEEP_SAMPLE_COLUMNS;
    int64_t integer_only = 0;
    if (m == 0 || n == 0) return 1;
    for (int64_t c = 0; c < n; c++) {
        int64_t j = columns->search.order[column_count / n * c];
        sweep_widen(call, &columns->search, j);
        for (int64_t r = 0; r < m; r++) {
            int64_t i = rows->search.order[row_count / m * r];
            double value = sweep_value(call, &columns->search, j, &rows->search, i, HUGE_VAL);
            values[c][r] = (float)(call->metric == ALCORE_SYS_L2 ? -0.5 * value : value);
        }
    }
    for (int64_t r = 0; r < m && rows->k > 0; r++) {
        for (int64_t c = 0; c < n; c++) row_values[c] = values[c][r];
        int64_t i = rows->search.order[row_count / m * r];
        integer_only += sweep_integer_only(rows, columns, i, call, row_values, n);
    }
    for (int64_t c = 0; c < n && columns->k > 0; c++) {
        int64_t j = columns->search.order[column_count / n * c];
        integer_only += sweep_integer_only(columns, rows, j, call, values[c], m);
    }
    return (double)integer_only <= SWEEP_MAX_INTEGER_ONLY * (double)(m * n);
}
#endif

#if CPU_INT8
/* An estimate of the residuals of an operand as int8: the largest of some items, evenly spaced. */
static double sweep_int8_residual(sweep_call *call, const sweep_operand *operand) {
    const search_operand *search = &operand->search;
    double most = 0.0;
    for (int64_t s = 0; s < SWEEP_SAMPLE_COLUMNS && search->ordered > 0; s++) {
        int64_t i = search->order[search->ordered * s / SWEEP_SAMPLE_COLUMNS];
        const char *row = cpu_row(search->rows, i, call->unit);
        int8_item item =
            CPU(int8_row)(row, call->dims, cpu_row_dtype(search->rows), /*offset=*/0, call->staged);
        if (call->metric == ALCORE_SYS_COSINE && search->norm[i] >= CPU_ZERO_NORM)
            item.residual /= search->norm[i];
        if (item.residual > most) most = item.residual;
    }
    return most;
}
#endif

/* Decides whether the items of both operands are packed as int8, where the caller allows it
 * (coarse), as int16 or as float32, and sets the scale and residual of int16: scale 0, as the
 * caller initialized it, means another form for both. Engines without integer products always stay
 * with float32. */
static void sweep_choose(sweep_call *call) {
#if CPU_INT16
    sweep_operand *operands[] = {call->rows, call->columns};
#if CPU_INT8
    for (int v = 0; v < 2 && call->coarse; v++)
        operands[v]->residual = sweep_int8_residual(call, operands[v]);
    if (call->coarse && sweep_is_precise(call)) return;
#endif
    call->coarse = 0;
    for (int v = 0; v < 2 && call->dims > 0; v++) {
        operands[v]->scale = int16_scale(operands[v]->search.limit);
        operands[v]->residual = int16_residual(operands[v]->scale, call->dims);
    }
    if (!sweep_is_precise(call)) call->rows->scale = call->columns->scale = 0.0f;
#endif
    (void)call;
}

/* Before the sweep: measures both operands, chooses the form of panels and compares the far items,
 * for whose pairs it calls `pair`. */
static alcore_status sweep_begin(sweep_call *call, sweep_pair pair, void *user) {
    CPU(search_measure)(&call->rows->search, call->metric, call->unit, call->sorted);
    CPU(search_measure)(&call->columns->search, call->metric, call->unit, call->sorted);
    if (!call->always_floats) sweep_choose(call);
    alcore_status status = sweep_far(call, /*by_row=*/1, pair, user);
    return status ? status : sweep_far(call, /*by_row=*/0, pair, user);
}

#endif
