/* SPDX-License-Identifier: Apache-2.0 */
/* A weighted draw (weighted.h). Weights are summed block by block of ALCORE_BLOCK_ROWS rows, then
 * over the blocks, the order of docs/spec/arithmetic.md: the drawn row is the first whose running
 * sum in that order exceeds uniform * total. Two passes over the weights. */
#include "base/weighted.h"

#include "alcore/sys/kernel.h"

/* The row after the last one of the block that begins at row start. */
static int64_t block_end(int64_t start, int64_t count) {
    return count - start < ALCORE_BLOCK_ROWS ? count : start + ALCORE_BLOCK_ROWS;
}

/* The sum, from +0.0 and in row order, of the weights of the rows start .. end - 1. */
static double block_total(const double *weights, int64_t start, int64_t end) {
    double running_sum = 0.0;
    for (int64_t i = start; i < end; i++) running_sum += weights[i];
    return running_sum;
}

/* Draws a row: the first pass sums all blocks, the second looks for the block in which the running
 * sum first exceeds uniform * total, and for the row inside it. -1 when all weights are 0. */
int64_t alcore__weighted(const double *weights, int64_t count, double uniform) {
    double total = 0.0, before = 0.0;
    for (int64_t start = 0; start < count; start = block_end(start, count))
        total += block_total(weights, start, block_end(start, count));
    double threshold = uniform * total;
    for (int64_t start = 0; start < count; start = block_end(start, count)) {
        int64_t end = block_end(start, count);
        double after = before + block_total(weights, start, end);
        if (after > threshold) {
            double running_sum = 0.0;
            for (int64_t i = start; i < end; i++) {
                running_sum += weights[i];
                if (before + running_sum > threshold && weights[i] > 0.0) return i;
            }
        }
        before = after;
    }
    /* Rounding left no row: the last row with a weight (docs/spec/arithmetic.md, 1.7). */
    for (int64_t i = count - 1; i >= 0; i--)
        if (weights[i] > 0.0) return i;
    return -1;
}
