/* SPDX-License-Identifier: Apache-2.0 */
/* NNLL, the uncertainty of HUDS (spec 3.1): the mean over the tokens of an item of minus their
 * log-probabilities, each at least FLOOR; from ragged columns (a list of values, the tokens, for
 * each row, the item) and from arrays of tokens with labels. Running sums in token order, in
 * double, without exp or log, so that every engine has the same bytes. Cost: one pass over the
 * values. */
#include <math.h>

#include "engines/cpu/cpu_call.h"
#include "engines/cpu/cpu_engine.h"
#include "engines/cpu/cpu_rows.h"

/* Log-probabilities below FLOOR count as FLOOR; those above 0 and up to SLACK are rounding errors
 * and count as 0 (spec 1.1). */
#define FLOOR (-100.0)
#define SLACK 1e-6

/* Tokens that are widened at a time. */
#define CHUNK 256

/* The sum over the tokens of one item so far. */
typedef struct token_sum {
    double sum;      /* of the log-probabilities, floored */
    int64_t floored; /* how many were below FLOOR */
    int bad;         /* 1: one was NaN or above SLACK */
} token_sum;

/* Adds value [count], natural logarithms of probabilities, to the sum, each floored at FLOOR and
 * capped at 0; stops at a bad one, a NaN or a value above SLACK. */
static void add_tokens(token_sum *sum, const double *value, int64_t count) {
    for (int64_t t = 0; t < count; t++) {
        double lp = value[t];
        if (!(lp <= SLACK)) { /* true for NaN */
            sum->bad = 1;
            return;
        }
        if (lp < FLOOR) {
            lp = FLOOR;
            sum->floored++;
        } else if (lp > 0.0) {
            lp = 0.0;
        }
        sum->sum += lp;
    }
}

/* Tokens are widened CHUNK at a time; the first bad one ends its item. */
alcore_status CPU(ragged_nnll)(const alcore_sys_work *work, const alcore_sys_ragged *items,
                               const uint8_t *mask, double *out, int64_t *floored, int64_t *bad) {
    *floored = 0;
    *bad = -1;
    if (items->classes != 1 || items->count < 0) {
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "token log-probabilities must have one value a token");
    }
    if (items->dtype < ALCORE_FLOAT16 || items->dtype > ALCORE_FLOAT64) {
        return alcore__cpu_fail(work, ALCORE_E_SHAPE,
                                "kernels read float16, bfloat16, float32 and float64 only");
    }
    const char *values = items->values;
    int64_t bytes = (int64_t)alcore_sys_dtype_bytes(items->dtype), spent = 0;
    for (int64_t i = 0; i < items->count; i++) {
        if (mask && !mask[i]) continue;
        int64_t begin = items->offsets[i] - items->offsets[0],
                end = items->offsets[i + 1] - items->offsets[0];
        token_sum sum = {0}; /* no token yet */
        for (int64_t t = begin; t < end && !sum.bad; t += CHUNK) {
            double wide[CHUNK];
            int64_t count = end - t < CHUNK ? end - t : CHUNK;
            CPU(widen_row)(values + t * bytes, count, items->dtype, wide);
            add_tokens(&sum, wide, count);
            alcore_status status = alcore__cpu_poll(work, &spent, count);
            if (status) return status;
        }
        *floored += sum.floored;
        if (sum.bad && *bad < 0) *bad = items->first + i;
        /* 0 - x: +0.0 when every token has probability 1. */
        out[i] = sum.bad || end <= begin ? (double)NAN : 0.0 - sum.sum / (double)(end - begin);
    }
    return ALCORE_OK;
}

/* A NaN among the values makes the NNLL NaN: comparisons with NaN are false, and the sum keeps it.
 * Values are not capped at 0: they come from logit_stats or hidden_stats, which give none above it.
 * */
alcore_status CPU(sequence_nnll)(const alcore_sys_work *work, const double *logprob,
                                 const int64_t *labels, int64_t ignore, const int64_t *offsets,
                                 const int64_t *rows, int64_t count, double *out,
                                 int64_t *floored) {
    int64_t spent = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t begin = offsets[i] - offsets[0], end = offsets[i + 1] - offsets[0], tokens = 0;
        double sum = 0.0;
        for (int64_t t = begin; t < end; t++) {
            if (labels && labels[t] == ignore) continue;
            tokens++;
            *floored += logprob[t] < FLOOR;
            sum += logprob[t] < FLOOR ? FLOOR : logprob[t];
        }
        out[rows ? rows[i] : i] = tokens > 0 ? 0.0 - sum / (double)tokens : (double)NAN;
        alcore_status status = alcore__cpu_poll(work, &spent, end - begin + 1);
        if (status) return status;
    }
    return ALCORE_OK;
}
