/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of greedy IDDS (HUDS, eq. 5) and arg-max. For every row v, a (A_v) is the sum of its
 * similarities to the unlabeled rows and b (B_v) that to the labeled ones. A pick moves from the
 * first set to the second: idds_update moves its similarity from a to b, idds_scores makes scores
 * from both, and arg_max finds the next pick, the lowest row in a tie. Each is one pass over rows
 * or sums. Cost of a pick: one dot a row, then three doubles a row. */
#include "engines/cpu/cpu_call.h"
#include "engines/cpu/cpu_engine.h"
#include "engines/cpu/cpu_rows.h"

/* Without norms f is the dot product, and without idds no scores are made. */
alcore_status CPU(idds_update)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                               const uint8_t *mask, const double *norms, const double *picked,
                               double picked_norm, double *a, double *b,
                               const alcore_sys_idds *idds, const double *s, double *scores) {
    alcore_status status = alcore__cpu_check(work, rows);
    if (status) return status;
    double *unit = NULL;
    if (rows->unit) status = alcore__cpu_new(work, rows->dims, sizeof *unit, &unit);
    int64_t spent = 0;
    for (int64_t i = 0; i < rows->count && !status; i++) {
        if (mask && !mask[i]) continue;
        double f = CPU(dot)(cpu_row(rows, i, unit), picked, rows->dims, cpu_row_dtype(rows));
        if (norms) f = cpu_cosine(f, norms[i], picked_norm);
        a[i] -= f;
        b[i] += f;
        status = alcore__cpu_poll(work, &spent, rows->dims);
    }
    alcore__cpu_free(work, unit, rows->dims, sizeof *unit);
    if (status || !idds) return status;
    return CPU(idds_scores)(work, rows->count, mask, idds, a, b, s, scores);
}

/* A divisor of 0 makes its term 0. */
alcore_status CPU(idds_scores)(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                               const alcore_sys_idds *idds, const double *a, const double *b,
                               const double *s, double *out) {
    if (count < 0)
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "a kernel was called with a negative shape");
    double alpha = idds->alpha, rest = 1.0 - alpha;
    double unlabeled = (double)(idds->include_self ? idds->unlabeled : idds->unlabeled - 1);
    double labeled = (double)idds->labeled;
    for (int64_t i = 0; i < count; i++) {
        if (mask && !mask[i]) continue;
        double similarity = idds->include_self ? a[i] : a[i] - s[i];
        double first = unlabeled > 0.0 ? similarity / unlabeled : 0.0;
        double second = labeled > 0.0 ? b[i] / labeled : 0.0;
        out[i] = alpha * first - rest * second;
    }
    return ALCORE_OK;
}

/* A strict comparison keeps the first of equal values and is false for NaN; minus infinity is found
 * only while nothing else was (best < 0). */
alcore_status CPU(arg_max)(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                           const double *values, int64_t *item, double *value) {
    if (count < 0)
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "a kernel was called with a negative shape");
    int64_t best = -1;
    double max = -HUGE_VAL;
    for (int64_t i = 0; i < count; i++) {
        if (mask && !mask[i]) continue;
        if (values[i] > max || (best < 0 && values[i] == max)) {
            max = values[i];
            best = i;
        }
    }
    *item = best;
    *value = max;
    return ALCORE_OK;
}
