/* SPDX-License-Identifier: Apache-2.0 */
/* Token statistics from logits [tokens, classes]: log-probability of the label, top two, entropy,
 * log-sum-exp, argmax (formulas: alcore_sys_token_stats). The rows are read from memory once,
 * CPU_LOGITS classes at a time, which are then read twice from the first-level cache (cpu_stats.h).
 * Cost: one exp a logit; for float16 the memory bandwidth. */
#include "engines/cpu/cpu_call.h"
#include "engines/cpu/cpu_engine.h"
#include "engines/cpu/cpu_rows.h"
#include "engines/cpu/cpu_stats.h"

/* Logit j of a token's row, of any dtype, as double. */
static double logit_at(const char *row, int64_t j, int32_t dtype) {
    float rounded;
    if (dtype == ALCORE_FLOAT64) {
        double z;
        __builtin_memcpy(&z, row + j * 8, sizeof z);
        return z;
    }
    CPU(float_row)(row + j * (int64_t)alcore_sys_dtype_bytes(dtype), 1, dtype, &rounded);
    return (double)rounded;
}

/* A label outside the classes (-2 from cpu_label()) makes a token bad without its logits being
 * read; -1: there are no labels, and no log-probability is wanted. */
alcore_status CPU(logit_stats)(const alcore_sys_work *work, const alcore_sys_rows *logits,
                               const int64_t *labels, int64_t ignore,
                               const alcore_sys_token_stats *out, int64_t *bad) {
    *bad = -1;
    alcore_status status = alcore__cpu_check(work, logits);
    if (!status) status = alcore__cpu_check_stats(work, logits->dims, labels, out);
    int64_t classes = logits->dims, bytes = (int64_t)alcore_sys_dtype_bytes(logits->dtype),
            spent = 0;
    for (int64_t i = 0; i < logits->count && !status; i++) {
        int64_t label;
        if (!cpu_label(labels, ignore, classes, i, &label)) continue;
        const char *row = (const char *)logits->data + i * logits->stride * bytes;
        cpu_stats stats = CPU_STATS_NONE;
        for (int64_t c = 0; c < classes && label > -2; c += CPU_LOGITS) {
            CPU(add_logits)
            (&stats, row + c * bytes, classes - c < CPU_LOGITS ? classes - c : CPU_LOGITS,
             logits->dtype, c);
        }
        if (label >= 0) stats.label = logit_at(row, label, logits->dtype);
        if (!CPU(write_stats)(&stats, label, out, i) && *bad < 0) *bad = logits->first + i;
        /* exp costs as much as some 8 multiplications. */
        status = alcore__cpu_poll(work, &spent, 8 * classes);
    }
    return status;
}
