/* SPDX-License-Identifier: Apache-2.0 */
#include "base/weighted.h"

#include "alcore/sys/kernel.h"

static int64_t block_end(int64_t start, int64_t count) {
    return count - start < ALCORE_BLOCK_ROWS ? count : start + ALCORE_BLOCK_ROWS;
}

/* Running sum, from +0.0, of one block. */
static double block_total(const double *weights, int64_t start, int64_t end) {
    double run = 0.0;
    for (int64_t i = start; i < end; i++) run += weights[i];
    return run;
}

int64_t alcore__weighted(const double *weights, int64_t count, double uniform) {
    double total = 0.0, before = 0.0;
    for (int64_t start = 0; start < count; start = block_end(start, count))
        total += block_total(weights, start, block_end(start, count));
    double threshold = uniform * total;
    for (int64_t start = 0; start < count; start = block_end(start, count)) {
        int64_t end = block_end(start, count);
        double after = before + block_total(weights, start, end);
        if (after > threshold) {
            double run = 0.0;
            for (int64_t i = start; i < end; i++) {
                run += weights[i];
                if (before + run > threshold && weights[i] > 0.0) return i;
            }
        }
        before = after;
    }
    /* Rounding left no row: the last that takes part (spec 1.7). */
    for (int64_t i = count - 1; i >= 0; i--)
        if (weights[i] > 0.0) return i;
    return -1;
}
