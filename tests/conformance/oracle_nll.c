/* SPDX-License-Identifier: Apache-2.0 */
/* Token stats in double, three passes over all logits of a row. */
#include <math.h>
#include <stdlib.h>

#include "kernel_oracle.h"

static void put(double *array, int64_t i, double value) {
    if (array) array[i] = value;
}

/* The stats of row i; 0 for a bad row. */
static int stats_of(const double *z, int64_t classes, int labeled, int64_t label,
                    const alcore_sys_token_stats *out, int64_t i) {
    int64_t first = 0, second = -1;
    double sum = 0.0, entropy = 0.0;
    int good = classes > 0 && (!labeled || (label >= 0 && label < classes));
    for (int64_t c = 0; c < classes; c++) {
        if (isnan(z[c]) || (isinf(z[c]) && z[c] > 0.0)) good = 0;
    }
    for (int64_t c = 1; c < classes && good; c++) {
        if (z[c] > z[first]) first = c;
    }
    for (int64_t c = 0; c < classes && good; c++) {
        if (c != first && (second < 0 || z[c] > z[second])) second = c;
    }
    if (good && isinf(z[first])) good = 0;
    for (int64_t c = 0; c < classes && good; c++) sum += exp(z[c] - z[first]);
    double log_sum = log(sum), none = (double)NAN;
    for (int64_t c = 0; c < classes && good; c++) {
        double lp = z[c] - z[first] - log_sum;
        if (lp > -700.0) entropy -= exp(lp) * lp;
    }
    double top1 = -log_sum,
           top2 = second < 0 ? -HUGE_VAL : z[good ? second : 0] - z[first] - log_sum;
    if (labeled) put(out->logprob, i, good ? z[label] - z[first] - log_sum : none);
    put(out->top1, i, good ? top1 : none);
    put(out->top2, i, good ? top2 : none);
    put(out->margin, i, good ? exp(top1) - exp(top2) : none);
    put(out->entropy, i, good ? entropy : none);
    put(out->logsumexp, i, good ? z[first] + log_sum : none);
    if (out->argmax) out->argmax[i] = good ? (int32_t)first : -1;
    return good;
}

alcore_status oracle_logit_stats(const alcore_sys_work *work, const alcore_sys_rows *logits,
                                 const int64_t *labels, int64_t ignore,
                                 const alcore_sys_token_stats *out, int64_t *bad) {
    (void)work;
    *bad = -1;
    for (int64_t i = logits->count - 1; i >= 0; i--) {
        if (labels && labels[i] == ignore) continue;
        double *z = oracle_row(logits, i);
        if (!stats_of(z, logits->dims, labels != NULL, labels ? labels[i] : 0, out, i))
            *bad = logits->first + i;
        free(z);
    }
    return ALCORE_OK;
}

alcore_status oracle_hidden_stats(const alcore_sys_work *work, const alcore_sys_rows *hidden,
                                  const alcore_sys_rows *output, const float *bias,
                                  const int64_t *labels, int64_t ignore,
                                  const alcore_sys_token_stats *out, int64_t *bad) {
    int64_t classes = output->count, count = hidden->count;
    double *logits = calloc((size_t)(count * classes) + 1, sizeof *logits);
    if (!logits) abort();
    for (int64_t c = 0; c < classes; c++) {
        double *weights = oracle_row(output, c);
        for (int64_t i = 0; i < count; i++) {
            double z = 0.0;
            for (int64_t j = 0; j < hidden->dims; j++)
                z += oracle_number(hidden, i, j) * weights[j];
            logits[i * classes + c] = bias ? z + (double)bias[c] : z;
        }
        free(weights);
    }
    alcore_sys_rows rows = {.data = logits,
                            .first = hidden->first,
                            .count = count,
                            .dims = classes,
                            .stride = classes,
                            .dtype = ALCORE_FLOAT64};
    alcore_status status = oracle_logit_stats(work, &rows, labels, ignore, out, bad);
    free(logits);
    return status;
}

alcore_status oracle_sequence_nnll(const alcore_sys_work *work, const double *logprob,
                                   const int64_t *labels, int64_t ignore, const int64_t *offsets,
                                   const int64_t *rows, int64_t count, double *out,
                                   int64_t *floored) {
    (void)work;
    for (int64_t i = 0; i < count; i++) {
        double sum = 0.0, tokens = 0.0;
        for (int64_t t = offsets[i] - offsets[0]; t < offsets[i + 1] - offsets[0]; t++) {
            if (labels && labels[t] == ignore) continue;
            if (logprob[t] < -100.0) ++*floored;
            sum -= logprob[t] < -100.0 ? -100.0 : logprob[t];
            tokens += 1.0;
        }
        out[rows ? rows[i] : i] = tokens > 0.0 ? sum / tokens : (double)NAN;
    }
    return ALCORE_OK;
}
