/* SPDX-License-Identifier: Apache-2.0 */
/* The stats of one token's distribution, gathered while its logits pass once (online softmax,
 * Milakov and Gimelshein 2018), and how logit_stats and hidden_stats read labels and write stats.
 */
#ifndef ALCORE__CPU_STATS_H
#define ALCORE__CPU_STATS_H

#include <math.h>

#include "cpu/cpu_vector.h"

/* What is known after some of the classes. */
typedef struct cpu_stats {
    double most, second; /* the two largest logits, equal in a tie; minus infinity: none */
    double sum;          /* of exp(z - most) */
    double weighted;     /* of (z - most) exp(z - most); NaN when a logit was NaN */
    double label;        /* logit of the label */
    int32_t argmax;      /* class of `most`, the lowest one */
} cpu_stats;

/* Nothing yet. */
#define CPU_STATS_NONE                                                                             \
    (cpu_stats) {                                                                                  \
        .most = -HUGE_VAL, .second = -HUGE_VAL, .argmax = -1                                       \
    }

/* Logits that CPU(add_logits) takes at a time: they stay in the first level of cache while they
 * pass twice. */
#define CPU_LOGITS 2048

/* Adds the logits of the classes first .. first + count - 1, at most CPU_LOGITS. */
void CPU(add_logits)(cpu_stats *stats, const char *logits, int64_t count, int32_t dtype,
                     int64_t first);

/* Writes the stats of row i, or NaN and -1 and returns 0 for a bad row: one with a NaN, with plus
 * infinity or without a finite logit. label < 0: none. */
int CPU(write_stats)(const cpu_stats *stats, int64_t label, const alcore_sys_token_stats *out,
                     int64_t i);

/* 1 when row i is to be looked at; *label is then its label, or -1: none is given, -2: it is
 * outside the classes. */
CPU_INLINE int cpu_label(const int64_t *labels, int64_t ignore, int64_t classes, int64_t i,
                         int64_t *label) {
    *label = -1;
    if (!labels) return 1;
    if (labels[i] == ignore) return 0;
    *label = labels[i] >= 0 && labels[i] < classes ? labels[i] : -2;
    return 1;
}

#endif
