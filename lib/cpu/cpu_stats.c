/* SPDX-License-Identifier: Apache-2.0 */
/* Running statistics of a softmax (cpu_stats.h) over pieces of logits. A piece of at most
 * CPU_LOGITS classes passes twice: its maximum first, then exp of the differences. Sums run in
 * float32 for a few values a lane and then in double: log-sum-exp stays within 1e-6 for any number
 * of classes, also where all but one of them are tiny. Cost: one vector exp (cpu_floats.h) a logit.
 */
#include "cpu/cpu_stats.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu/cpu_floats.h"
#include "cpu/cpu_rows.h"

/* Below CPU_EXP_MIN, so that exp gives 0, and finite, so that it times 0 is 0. */
#define EXP_BELOW (CPU_EXP_MIN - 1.0f)

/* Vectors that are processed together, to hide latency, and numbers that a lane adds in float32
 * before they go to a double sum. */
#define BESIDE 4
#define CHAIN 8

/* The last vector of a run, filled up with logits that change nothing. */
CPU_INLINE cpu_floats load_tail(const float *z, int64_t count) {
    float padded[CPU_FLOATS];
    cpu_store_floats(padded, cpu_all_floats(-HUGE_VALF));
    memcpy(padded, z, (size_t)count * sizeof *z);
    return cpu_load_floats(padded);
}

/* Updates most and second of the stats by the two largest of z [count]; NaN is skipped here. */
static void add_most(const float *z, int64_t count, cpu_stats *stats) {
    cpu_floats most[BESIDE], second[BESIDE];
    for (int v = 0; v < BESIDE; v++) most[v] = second[v] = cpu_all_floats(-HUGE_VALF);
    int64_t j = 0;
    for (; j + BESIDE * CPU_FLOATS <= count; j += BESIDE * CPU_FLOATS) {
#pragma GCC unroll 4
        for (int v = 0; v < BESIDE; v++) {
            cpu_floats x = cpu_load_floats(z + j + v * CPU_FLOATS);
            second[v] = cpu_larger(cpu_smaller(x, most[v]), second[v]);
            most[v] = cpu_larger(x, most[v]);
        }
    }
    for (; j < count; j += CPU_FLOATS) {
        cpu_floats x =
            count - j < CPU_FLOATS ? load_tail(z + j, count - j) : cpu_load_floats(z + j);
        second[0] = cpu_larger(cpu_smaller(x, most[0]), second[0]);
        most[0] = cpu_larger(x, most[0]);
    }
    for (int v = 1; v < BESIDE; v++) {
        cpu_floats other = cpu_larger(second[v], second[0]);
        second[0] = cpu_larger(cpu_smaller(most[v], most[0]), other);
        most[0] = cpu_larger(most[v], most[0]);
    }
    /* Late in a row nothing is new. */
    if (!cpu_any(most[0] > cpu_all_floats((float)stats->second))) return;
    for (int i = 0; i < CPU_FLOATS; i++) {
        double first = (double)most[0][i], next = (double)second[0][i];
        if (first > stats->most) {
            stats->second = next > stats->most ? next : stats->most;
            stats->most = first;
        } else if (first > stats->second) {
            stats->second = first;
        }
    }
}

/* The first of the numbers that is at least `most`; there is one. */
static int64_t find_most(const float *z, int64_t count, float most) {
    int64_t j = 0;
    while (j + CPU_FLOATS <= count && !cpu_any(cpu_load_floats(z + j) >= cpu_all_floats(most))) {
        j += CPU_FLOATS;
    }
    while (!(z[j] >= most)) j++;
    return j;
}

/* The lanes in double, CPU_WIDTH of them. */
CPU_INLINE cpu_vector widen_sum(cpu_floats sum) {
    char floats[sizeof sum];
    __builtin_memcpy(floats, &sum, sizeof sum);
    cpu_vector wide = cpu_load(floats, 0, ALCORE_FLOAT32);
    for (int i = CPU_WIDTH; i < CPU_FLOATS; i += CPU_WIDTH) {
        wide += cpu_load(floats, i, ALCORE_FLOAT32);
    }
    return wide;
}

CPU_INLINE double total(cpu_vector sum) {
    for (int w = CPU_WIDTH / 2; w >= 1; w /= 2) {
        for (int i = 0; i < w; i++) sum[i] += sum[i + w];
    }
    return sum[0];
}

/* Sums of e = exp(z - base) and (z - base) e; z <= base. */
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

/* Makes the sums those of a larger `most`. */
static void raise_most(cpu_stats *stats, double before) {
    if (!(stats->sum > 0.0)) return;
    double step = before - stats->most, factor = exp(step);
    stats->weighted = factor > 0.0 ? factor * (stats->weighted + step * stats->sum)
                                   : 0.0 * stats->weighted; /* 0, or NaN that was there */
    stats->sum *= factor;
}

/* float64 logits: their differences are taken in double. */
static void add_doubles(cpu_stats *stats, const char *logits, int64_t count, int64_t first) {
    double before = stats->most, z;
    for (int64_t j = 0; j < count; j++) {
        memcpy(&z, logits + j * 8, sizeof z);
        if (z > stats->most) {
            stats->second = stats->most;
            stats->most = z;
            stats->argmax = (int32_t)(first + j);
        } else if (z > stats->second) {
            stats->second = z;
        }
    }
    if (stats->most == HUGE_VAL) return;
    if (stats->most > before) raise_most(stats, before);
    double base = stats->most > -HUGE_VAL ? stats->most : -DBL_MAX;
    float floats[CPU_LOGITS];
    for (int64_t j = 0; j < count; j++) {
        memcpy(&z, logits + j * 8, sizeof z);
        floats[j] = (float)(z - base);
    }
    add_sums(floats, count, 0.0f, stats);
}

/* Adds a piece of a token's logits to its statistics: the maximum first, so that the sums of
 * earlier pieces can be rescaled to it, then the sums relative to it. A NaN or +inf makes the token
 * bad: most is infinite from then on. */
void CPU(add_logits)(cpu_stats *stats, const char *logits, int64_t count, int32_t dtype,
                     int64_t first) {
    if (stats->most == HUGE_VAL) return; /* a bad row */
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
    double before = stats->most;
    add_most(z, count, stats);
    if (stats->most == HUGE_VAL) return;
    if (stats->most > before) {
        stats->argmax = (int32_t)(first + find_most(z, count, (float)stats->most));
        raise_most(stats, before);
    }
    add_sums(z, count, stats->most > -HUGE_VAL ? (float)stats->most : -FLT_MAX, stats);
}

/* Writes the wanted statistics of token i from the finished sums; label: class of the token, -1
 * without one, -2 outside the classes (bad). Returns 0 for a bad token. */
int CPU(write_stats)(const cpu_stats *stats, int64_t label, const alcore_sys_token_stats *out,
                     int64_t i) {
    int good = label > -2 && stats->most < HUGE_VAL && stats->most > -HUGE_VAL &&
               stats->weighted == stats->weighted;
    double none = (double)NAN, log_sum = good ? log(stats->sum) : none;
    double top1 = 0.0 - log_sum, top2 = (stats->second - stats->most) - log_sum;
    if (out->logprob && label != -1)
        out->logprob[i] = good ? (stats->label - stats->most) - log_sum : none;
    if (out->top1) out->top1[i] = good ? top1 : none;
    if (out->top2) out->top2[i] = good ? top2 : none;
    if (out->margin) out->margin[i] = good ? exp(top1) - exp(top2) : none;
    if (out->entropy) out->entropy[i] = good ? log_sum - stats->weighted / stats->sum : none;
    if (out->logsumexp) out->logsumexp[i] = good ? stats->most + log_sum : none;
    if (out->argmax) out->argmax[i] = good ? stats->argmax : -1;
    return good;
}
