/* SPDX-License-Identifier: Apache-2.0 */
/* Running statistics of a softmax (cpu_stats.h) over pieces of logits. A piece of at most
 * CPU_LOGITS = 2048 classes is read twice: for its maximum, then for exp of the differences to it.
 * Sums run in float32 for CHAIN values a lane and then in double: log-sum-exp stays within 1e-6 for
 * any number of classes, even where all but one of them are tiny. Cost: one vector exp
 * (cpu_floats.h) a logit.
 *
 * cpu_stats is what is known of a token so far: max and second, its two largest logits; argmax, the
 * class of max; sum and weighted, those of exp(z - max) and of (z - max) exp(z - max) over its
 * logits z; label, the logit of its label. A cpu_floats is a vector of CPU_FLOATS floats, its
 * lanes; cpu_larger() and cpu_smaller() return their second argument where either is NaN. */
#include "engines/cpu/cpu_stats.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "engines/cpu/cpu_floats.h"
#include "engines/cpu/cpu_rows.h"

/* Differences to the maximum are raised to at least this: below CPU_EXP_MIN, so that exp gives 0,
 * and finite, so that the difference times 0 is 0 (minus infinity times 0 would be NaN). */
#define EXP_BELOW (CPU_EXP_MIN - 1.0f)

/* BESIDE vectors are processed side by side, to hide latency; a lane adds CHAIN values in float32
 * before its sum is added to a double one. */
#define BESIDE 4
#define CHAIN 8

/* The last count logits of a piece, fewer than a vector, filled up with minus infinity, which
 * changes neither maximum nor sums. */
CPU_INLINE cpu_floats load_tail(const float *z, int64_t count) {
    float padded[CPU_FLOATS];
    cpu_store_floats(padded, cpu_all_floats(-HUGE_VALF));
    memcpy(padded, z, (size_t)count * sizeof *z);
    return cpu_load_floats(padded);
}

/* Updates max and second (the second largest, equal to max in a tie) of the stats by the two
 * largest of z [count], a piece of the logits. argmax is left to the caller. A NaN never becomes
 * max, though second may be wrong after it: add_sums() records it, and the token is bad. Each lane
 * has its two largest, which are merged at the end. */
static void update_max(const float *z, int64_t count, cpu_stats *stats) {
    cpu_floats max[BESIDE], second[BESIDE];
    for (int v = 0; v < BESIDE; v++) max[v] = second[v] = cpu_all_floats(-HUGE_VALF);
    int64_t j = 0;
    for (; j + BESIDE * CPU_FLOATS <= count; j += BESIDE * CPU_FLOATS) {
#pragma GCC unroll 4
        for (int v = 0; v < BESIDE; v++) {
            cpu_floats x = cpu_load_floats(z + j + v * CPU_FLOATS);
            second[v] = cpu_larger(cpu_smaller(x, max[v]), second[v]);
            max[v] = cpu_larger(x, max[v]);
        }
    }
    for (; j < count; j += CPU_FLOATS) {
        cpu_floats x =
            count - j < CPU_FLOATS ? load_tail(z + j, count - j) : cpu_load_floats(z + j);
        second[0] = cpu_larger(cpu_smaller(x, max[0]), second[0]);
        max[0] = cpu_larger(x, max[0]);
    }
    for (int v = 1; v < BESIDE; v++) {
        cpu_floats other = cpu_larger(second[v], second[0]);
        second[0] = cpu_larger(cpu_smaller(max[v], max[0]), other);
        max[0] = cpu_larger(max[v], max[0]);
    }
    /* Most later pieces have nothing above the second largest. */
    if (!cpu_any(max[0] > cpu_all_floats((float)stats->second))) return;
    for (int i = 0; i < CPU_FLOATS; i++) {
        double first = (double)max[0][i], next = (double)second[0][i];
        if (first > stats->max) {
            stats->second = next > stats->max ? next : stats->max;
            stats->max = first;
        } else if (first > stats->second) {
            stats->second = first;
        }
    }
}

/* Index of the first of z [count] that is at least max; there is one, the maximum that update_max()
 * found in this piece, so the search needs no end. */
static int64_t find_max(const float *z, int64_t count, float max) {
    int64_t j = 0;
    while (j + CPU_FLOATS <= count && !cpu_any(cpu_load_floats(z + j) >= cpu_all_floats(max))) {
        j += CPU_FLOATS;
    }
    while (!(z[j] >= max)) j++;
    return j;
}

/* The CPU_FLOATS lanes of a float vector, widened and added up to CPU_WIDTH lanes of doubles. */
CPU_INLINE cpu_vector widen_sum(cpu_floats sum) {
    char floats[sizeof sum];
    __builtin_memcpy(floats, &sum, sizeof sum);
    cpu_vector wide = cpu_load(floats, 0, ALCORE_FLOAT32);
    for (int i = CPU_WIDTH; i < CPU_FLOATS; i += CPU_WIDTH) {
        wide += cpu_load(floats, i, ALCORE_FLOAT32);
    }
    return wide;
}

/* The sum of the lanes, added by halves. */
CPU_INLINE double total(cpu_vector sum) {
    for (int w = CPU_WIDTH / 2; w >= 1; w /= 2) {
        for (int i = 0; i < w; i++) sum[i] += sum[i + w];
    }
    return sum[0];
}

/* Adds to stats->sum and ->weighted the sums of e = exp(z - base) and of (z - base) e over z
 * [count]. base: the maximum so far, so that no z is above it (float64 logits: z is the difference
 * already, base 0). Differences are raised to at least EXP_BELOW, where e is 0. A NaN logit makes
 * weighted NaN. */
static void add_sums(const float *z, int64_t count, float base, cpu_stats *stats) {
    cpu_vector all = {0}, all_weighted = {0};
    for (int64_t j = 0; j < count;) {
        cpu_floats sum[BESIDE] = {{0}}, weighted[BESIDE] = {{0}};
        for (int k = 0; k < CHAIN && j + BESIDE * CPU_FLOATS <= count; k++) {
#pragma GCC unroll 4
            for (int v = 0; v < BESIDE; v++) {
                cpu_floats x = cpu_load_floats(z + j + v * CPU_FLOATS) - base;
                x = cpu_at_least(x, EXP_BELOW);
                cpu_floats e = cpu_exp(x);
                sum[v] += e;
                weighted[v] = cpu_add_product(x, e, weighted[v]);
            }
            j += BESIDE * CPU_FLOATS;
        }
        for (; j < count && count - j < BESIDE * CPU_FLOATS; j += CPU_FLOATS) {
            cpu_floats x =
                count - j < CPU_FLOATS ? load_tail(z + j, count - j) : cpu_load_floats(z + j);
            x = cpu_at_least(x - base, EXP_BELOW);
            cpu_floats e = cpu_exp(x);
            sum[0] += e;
            weighted[0] = cpu_add_product(x, e, weighted[0]);
        }
        for (int v = 0; v < BESIDE; v++) {
            all += widen_sum(sum[v]);
            all_weighted += widen_sum(weighted[v]);
        }
    }
    stats->sum += total(all);
    stats->weighted += total(all_weighted);
}

/* Rescales both sums from the old maximum `before` to stats->max, the larger one that a piece
 * brought: with d = before - max, exp(z - max) = exp(z - before) exp(d), and z - max = (z - before)
 * + d. A sum of 0 (no piece yet) has nothing to rescale. */
static void rescale_sums(cpu_stats *stats, double before) {
    if (!(stats->sum > 0.0)) return;
    double d = before - stats->max, factor = exp(d);
    stats->weighted = factor > 0.0 ? factor * (stats->weighted + d * stats->sum)
                                   : 0.0 * stats->weighted; /* 0, or NaN that was there */
    stats->sum *= factor;
}

/* Adds a piece of float64 logits (count of them, at most CPU_LOGITS, of the classes from `first`
 * on; unaligned): maximum and differences are computed in double, and only the differences are
 * rounded to float32. As long as every logit so far is minus infinity, the base is -DBL_MAX, so
 * that differences are not NaN; CPU(write_stats) refuses such a token. */
static void add_doubles(cpu_stats *stats, const char *logits, int64_t count, int64_t first) {
    double before = stats->max, z;
    for (int64_t j = 0; j < count; j++) {
        memcpy(&z, logits + j * 8, sizeof z);
        if (z > stats->max) {
            stats->second = stats->max;
            stats->max = z;
            stats->argmax = (int32_t)(first + j);
        } else if (z > stats->second) {
            stats->second = z;
        }
    }
    if (stats->max == HUGE_VAL) return;
    if (stats->max > before) rescale_sums(stats, before);
    double base = stats->max > -HUGE_VAL ? stats->max : -DBL_MAX;
    float floats[CPU_LOGITS];
    for (int64_t j = 0; j < count; j++) {
        memcpy(&z, logits + j * 8, sizeof z);
        floats[j] = (float)(z - base);
    }
    add_sums(floats, count, 0.0f, stats);
}

/* The maximum is updated first, so that the sums of earlier pieces can be rescaled to it; then the
 * sums relative to it are added. Plus infinity makes max infinite, after which nothing more is
 * added; a NaN makes weighted NaN. write_stats() refuses both. */
void CPU(add_logits)(cpu_stats *stats, const char *logits, int64_t count, int32_t dtype,
                     int64_t first) {
    if (stats->max == HUGE_VAL) return; /* a bad row */
    if (dtype == ALCORE_FLOAT64) {
        add_doubles(stats, logits, count, first);
        return;
    }
    float floats[CPU_LOGITS];
    const float *z = floats;
    if (dtype == ALCORE_FLOAT32 && (uintptr_t)logits % sizeof *z == 0) {
        z = (const float *)(const void *)logits;
    } else {
        CPU(float_row)(logits, count, dtype, floats);
    }
    double before = stats->max;
    update_max(z, count, stats);
    if (stats->max == HUGE_VAL) return;
    if (stats->max > before) {
        stats->argmax = (int32_t)(first + find_max(z, count, (float)stats->max));
        rescale_sums(stats, before);
    }
    add_sums(z, count, stats->max > -HUGE_VAL ? (float)stats->max : -FLT_MAX, stats);
}

/* With S the sum, the log-probability of class c is (z_c - max) - log S (natural logarithms;
 * entropy in nats). label: -1 without labels, -2 outside the classes; its logit is stats->label,
 * which the caller set. An array of out that is NULL is not wanted. */
int CPU(write_stats)(const cpu_stats *stats, int64_t label, const alcore_sys_token_stats *out,
                     int64_t i) {
    int good = label > -2 && stats->max < HUGE_VAL && stats->max > -HUGE_VAL &&
               stats->weighted == stats->weighted;
    double none = (double)NAN, log_sum = good ? log(stats->sum) : none;
    double top1 = 0.0 - log_sum, top2 = (stats->second - stats->max) - log_sum;
    if (out->logprob && label != -1)
        out->logprob[i] = good ? (stats->label - stats->max) - log_sum : none;
    if (out->top1) out->top1[i] = good ? top1 : none;
    if (out->top2) out->top2[i] = good ? top2 : none;
    if (out->margin) out->margin[i] = good ? exp(top1) - exp(top2) : none;
    if (out->entropy) out->entropy[i] = good ? log_sum - stats->weighted / stats->sum : none;
    if (out->logsumexp) out->logsumexp[i] = good ? stats->max + log_sum : none;
    if (out->argmax) out->argmax[i] = good ? stats->argmax : -1;
    return good;
}
