/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of stored class scores: top two probabilities, their logarithms floored at -100, and
 * entropy (spec 1.1, 4.9, 7.4): the uncertainties of least confidence, entropy, margin and DeMuX.
 *
 * Decisions are made of them, so exp and log are those of the host's libm on every engine, and
 * entropy is added in class order. A row is widened to doubles in a buffer [classes] and passes
 * once or twice. Cost: one log (probabilities) or exp (the others) a class. */
#include <math.h>

#include "cpu/cpu_call.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_rows.h"

#define FLOOR (-100.0)
#define SLACK 1e-6

static double floored(double logarithm) {
    return logarithm < FLOOR ? FLOOR : logarithm;
}

/* The places of the two largest values, the lower one first among equals; second is -1 with one
 * class. */
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

/* Each of these gets the classes as doubles and returns 0 for a bad row. */
static int stats_of_probs(double *p, int64_t classes, alcore_sys_class_stats *out) {
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

/* lp [classes]: natural logarithms, clamped in place to at most 0. Returns 0 for a bad row. */
static int stats_of_logprobs(double *lp, int64_t classes, alcore_sys_class_stats *out) {
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

/* z [classes]: logits. Three loops: the maximum, the sum of exp(z - max), the entropy; p = e / S
 * and log p = (z - max) - log S, so that no exponential overflows. Returns 0 for a bad row. */
static int stats_of_logits(double *z, int64_t classes, alcore_sys_class_stats *out) {
    int64_t first, second;
    for (int64_t c = 0; c < classes; c++) {
        if (!(z[c] < HUGE_VAL)) return 0;
    }
    top_two(z, classes, &first, &second);
    double most = z[first], total = 0.0;
    if (!(most > -HUGE_VAL)) return 0;
    for (int64_t c = 0; c < classes; c++) total += exp(z[c] - most);
    double log_total = log(total), sum = 0.0;
    for (int64_t c = 0; c < classes; c++) {
        double p = exp(z[c] - most) / total;
        if (p > 0.0) sum += p * (z[c] - most - log_total);
    }
    out->top1 = 1.0 / total;
    out->top2 = second < 0 ? 0.0 : exp(z[second] - most) / total;
    out->log_top1 = floored(0.0 - log_total);
    out->log_top2 = second < 0 ? FLOOR : floored(z[second] - most - log_total);
    out->entropy = 0.0 - sum;
    return 1;
}

static int facts_of(double *value, int64_t classes, int32_t kind, alcore_sys_class_stats *out) {
    if (classes < 1) return 0;
    if (kind == ALCORE_CLASSES_PROBS) return stats_of_probs(value, classes, out);
    if (kind == ALCORE_CLASSES_LOGPROBS) return stats_of_logprobs(value, classes, out);
    return stats_of_logits(value, classes, out);
}

/* Rows one by one through a buffer [dims] of doubles; a bad row gets NaN and the first one is
 * named. */
alcore_status CPU(class_stats)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                               const uint8_t *mask, int32_t kind, alcore_sys_class_stats *out,
                               int64_t *bad) {
    *bad = -1;
    alcore_status status = alcore__cpu_check(work, rows);
    if (status) return status;
    if (kind < ALCORE_CLASSES_PROBS || kind > ALCORE_CLASSES_LOGITS) {
        return alcore__cpu_fail(work, ALCORE_E_INVALID, "class scores are of no known kind");
    }
    double *value;
    status = alcore__cpu_new(work, rows->dims, sizeof *value, &value);
    int64_t spent = 0;
    alcore_sys_rows given = *rows;
    given.unit = 0; /* means nothing for classes */
    for (int64_t i = 0; i < rows->count && !status; i++) {
        if (mask && !mask[i]) continue;
        CPU(widen_row)(cpu_row(&given, i, NULL), given.dims, given.dtype, value);
        if (!facts_of(value, rows->dims, kind, &out[i])) {
            out[i] = (alcore_sys_class_stats){(double)NAN, (double)NAN, (double)NAN, (double)NAN,
                                              (double)NAN};
            if (*bad < 0) *bad = rows->first + i;
        }
        /* exp and log cost as much as some 16 multiplications. */
        status = alcore__cpu_poll(work, &spent, 16 * rows->dims);
    }
    alcore__cpu_free(work, value, rows->dims, sizeof *value);
    return status;
}
