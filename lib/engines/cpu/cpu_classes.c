/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of stored class scores: top two probabilities, their logarithms floored at -100, and
 * entropy (spec 1.1, 4.9, 7.4): the uncertainties of least confidence, entropy, margin and DeMuX.
 *
 * Decisions are made from them, so every engine calls the exp and log of libm on the CPU and adds
 * the entropy in class order. Negations are written 0.0 - x, so that a certain row has +0.0 and not
 * -0.0. A row is widened to doubles in a buffer [classes] and read two to four times. Cost: one
 * log (probabilities), one exp (log-probabilities) or two exp (logits) a class. */
#include <math.h>

#include "engines/cpu/cpu_call.h"
#include "engines/cpu/cpu_engine.h"
#include "engines/cpu/cpu_rows.h"

/* Logarithms below FLOOR count as FLOOR; probabilities outside [0, 1], and log-probabilities above
 * 0, by up to SLACK are rounding (spec 1.1). */
#define FLOOR (-100.0)
#define SLACK 1e-6

/* A natural logarithm, raised to FLOOR; a NaN stays NaN. */
static double floored(double logarithm) {
    return logarithm < FLOOR ? FLOOR : logarithm;
}

/* The classes of the two largest of value [classes], 1 or more and no NaN, the lower class first
 * among equals; *second is -1 with one class. */
static void top_two(const double *value, int64_t classes, int64_t *first, int64_t *second) {
    *first = 0;
    *second = -1;
    for (int64_t c = 1; c < classes; c++) {
        if (value[c] > value[*first]) {
            *second = *first;
            *first = c;
        } else if (*second < 0 || value[c] > value[*second]) {
            *second = c;
        }
    }
}

/* Writes the statistics of p [classes], probabilities, which are clamped in place to [0, 1]; that
 * they add up to 1 is not checked. Entropy in nats: minus the sum of p log p. Returns 1, or 0 for a
 * bad row, whose statistics the caller writes: a NaN or a value outside [0, 1] by more than SLACK.
 */
static int probs_stats(double *p, int64_t classes, alcore_sys_class_stats *out) {
    double sum = 0.0;
    for (int64_t c = 0; c < classes; c++) {
        if (!(p[c] >= -SLACK && p[c] <= 1.0 + SLACK)) return 0;
        p[c] = p[c] > 1.0 ? 1.0 : p[c] > 0.0 ? p[c] : 0.0;
        if (p[c] > 0.0) sum += p[c] * log(p[c]);
    }
    int64_t first, second;
    top_two(p, classes, &first, &second);
    out->top1 = p[first];
    out->top2 = second < 0 ? 0.0 : p[second];
    out->log_top1 = floored(log(out->top1));
    out->log_top2 = floored(log(out->top2));
    out->entropy = 0.0 - sum;
    return 1;
}

/* Writes the statistics of lp [classes], natural logarithms of probabilities, which are clamped in
 * place to at most 0; minus infinity is probability 0. Returns 1, or 0 for a bad row, whose
 * statistics the caller writes: a NaN or a value above SLACK. */
static int logprobs_stats(double *lp, int64_t classes, alcore_sys_class_stats *out) {
    double sum = 0.0;
    for (int64_t c = 0; c < classes; c++) {
        if (!(lp[c] <= SLACK)) return 0;
        if (lp[c] >= 0.0) lp[c] = 0.0;
        double p = exp(lp[c]);
        if (p > 0.0) sum += p * lp[c];
    }
    int64_t first, second;
    top_two(lp, classes, &first, &second);
    out->top1 = exp(lp[first]);
    out->top2 = second < 0 ? 0.0 : exp(lp[second]);
    out->log_top1 = floored(lp[first]);
    out->log_top2 = second < 0 ? FLOOR : floored(lp[second]);
    out->entropy = 0.0 - sum;
    return 1;
}

/* Writes the statistics of softmax(z), z [classes]: logits. Four loops: the check, the maximum, the
 * sum of exp(z - max), the entropy; p = e / S and log p = (z - max) - log S, so that no exponential
 * overflows; minus infinity is probability 0. Returns 1, or 0 for a bad row, whose statistics the
 * caller writes: a NaN, plus infinity, or no finite logit. */
static int logits_stats(double *z, int64_t classes, alcore_sys_class_stats *out) {
    int64_t first, second;
    for (int64_t c = 0; c < classes; c++) {
        if (!(z[c] < HUGE_VAL)) return 0;
    }
    top_two(z, classes, &first, &second);
    double max = z[first], total = 0.0;
    if (!(max > -HUGE_VAL)) return 0;
    for (int64_t c = 0; c < classes; c++) total += exp(z[c] - max);
    double log_total = log(total), sum = 0.0;
    for (int64_t c = 0; c < classes; c++) {
        double p = exp(z[c] - max) / total;
        if (p > 0.0) sum += p * (z[c] - max - log_total);
    }
    out->top1 = 1.0 / total;
    out->top2 = second < 0 ? 0.0 : exp(z[second] - max) / total;
    out->log_top1 = floored(0.0 - log_total);
    out->log_top2 = second < 0 ? FLOOR : floored(z[second] - max - log_total);
    out->entropy = 0.0 - sum;
    return 1;
}

/* Writes the statistics of one row, value [classes], which may be overwritten, by what its values
 * are (kind: ALCORE_CLASSES_*, checked by the caller). Returns 0 for a bad row, one without classes
 * included; *out may then be written in part. */
static int row_stats(double *value, int64_t classes, int32_t kind, alcore_sys_class_stats *out) {
    if (classes < 1) return 0;
    if (kind == ALCORE_CLASSES_PROBS) return probs_stats(value, classes, out);
    if (kind == ALCORE_CLASSES_LOGPROBS) return logprobs_stats(value, classes, out);
    return logits_stats(value, classes, out);
}

/* Rows are widened one by one; class scores are never read as unit vectors. */
alcore_status CPU(class_stats)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                               const uint8_t *mask, int32_t kind, alcore_sys_class_stats *out,
                               int64_t *bad) {
    *bad = -1;
    alcore_status status = alcore__cpu_check(work, rows);
    if (status) return status;
    if (kind < ALCORE_CLASSES_PROBS || kind > ALCORE_CLASSES_LOGITS) {
        return alcore__cpu_fail(
            work, ALCORE_E_INVALID,
            "class scores are neither probabilities, log-probabilities nor logits");
    }
    double *value;
    status = alcore__cpu_new(work, rows->dims, sizeof *value, &value);
    int64_t spent = 0;
    alcore_sys_rows plain_rows = *rows;
    plain_rows.unit = 0; /* class scores are never read as unit vectors */
    for (int64_t i = 0; i < rows->count && !status; i++) {
        if (mask && !mask[i]) continue;
        CPU(widen_row)(cpu_row(&plain_rows, i, NULL), plain_rows.dims, plain_rows.dtype, value);
        if (!row_stats(value, rows->dims, kind, &out[i])) {
            double none = (double)NAN;
            out[i] = (alcore_sys_class_stats){
                .top1 = none, .top2 = none, .log_top1 = none, .log_top2 = none, .entropy = none};
            if (*bad < 0) *bad = rows->first + i;
        }
        /* exp and log cost as much as some 16 multiplications. */
        status = alcore__cpu_poll(work, &spent, 16 * rows->dims);
    }
    alcore__cpu_free(work, value, rows->dims, sizeof *value);
    return status;
}
