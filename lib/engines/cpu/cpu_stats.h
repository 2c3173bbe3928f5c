/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of the distribution softmax(z) of one token, accumulated over pieces of its logits z
 * in one pass (online softmax, Milakov and Gimelshein 2018): with m the largest logit so far, the
 * sums of exp(z - m) and of (z - m) exp(z - m) are rescaled whenever m grows. logit_stats and
 * hidden_stats share it, and how they read labels and write statistics. */
#ifndef ALCORE__CPU_STATS_H
#define ALCORE__CPU_STATS_H

#include <math.h>

#include "engines/cpu/cpu_vector.h"

/* The statistics over the classes added so far. */
typedef struct cpu_stats {
    double max, second; /* the two largest logits, equal in a tie; minus infinity: none yet.
                            max is plus infinity after such a logit, which makes the token bad */
    double sum;         /* of exp(z - max) */
    double weighted;    /* of (z - max) exp(z - max); NaN when a logit was NaN (a bad token) */
    double label;       /* logit of the label, set by the caller */
    int32_t argmax;     /* class of max, the lowest one in a tie */
} cpu_stats;

/* No classes added yet. */
#define CPU_STATS_NONE                                                                             \
    (cpu_stats) {                                                                                  \
        .max = -HUGE_VAL, .second = -HUGE_VAL, .argmax = -1                                        \
    }

/* The most logits of a call of CPU(add_logits): they are read twice and stay in the first-level
 * cache. */
#define CPU_LOGITS 2048

/* Adds the logits [count], of type dtype, of the classes first .. first + count - 1; count is at
 * most CPU_LOGITS, and first ascends from call to call. */
void CPU(add_logits)(cpu_stats *stats, const char *logits, int64_t count, int32_t dtype,
                     int64_t first);

/* Writes the wanted statistics of token i to the arrays of out and returns 1; for a bad token (a
 * NaN, plus infinity, no finite logit, a label outside the classes) writes NaN and argmax -1 and
 * returns 0. label: as cpu_label() gives it. */
int CPU(write_stats)(const cpu_stats *stats, int64_t label, const alcore_sys_token_stats *out,
                     int64_t i);

/* Returns 0 for a token whose label is `ignore`: it takes no part. Else 1, and *label is the label
 * of token i, -1 when labels is NULL, or -2 when the label is outside the classes. */
CPU_INLINE int cpu_label(const int64_t *labels, int64_t ignore, int64_t classes, int64_t i,
                         int64_t *label) {
    *label = -1;
    if (!labels) return 1;
    if (labels[i] == ignore) return 0;
    *label = labels[i] >= 0 && labels[i] < classes ? labels[i] : -2;
    return 1;
}

#endif
