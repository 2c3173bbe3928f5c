/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "kernel_oracle.h"

/* Weight w of row i against centroid c of `count`. */
static void put(const alcore_sys_weights *weights, int64_t rows, int64_t count, int64_t i,
                int64_t c, double w, double duplicate) {
    int64_t guess = c - (count - weights->speculative_count);
    if (w <= duplicate) w = 0.0;
    if (guess >= 0) {
        weights->speculative[guess * rows + i] = w < weights->minimum[i] ? w : HUGE_VAL;
    } else if (w < weights->minimum[i]) {
        weights->minimum[i] = w;
    }
}

static void add_up(const alcore_sys_weights *weights, int64_t rows, const uint8_t *mask) {
    if (!weights->total) return;
    *weights->total = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        if (weights->total_mask ? weights->total_mask[i] : !mask || mask[i])
            *weights->total += weights->minimum[i];
    }
}

alcore_status oracle_min_sq_dists(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                  const uint8_t *mask, const double *centroids, int64_t count,
                                  const double *centroid_dots, const double *row_dots,
                                  int32_t zero_duplicates, const alcore_sys_weights *weights) {
    (void)work;
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        double *row = oracle_row(rows, i);
        for (int64_t c = 0; c < count; c++) {
            double w = oracle_sq_dist(row, centroids + c * rows->dims, rows->dims);
            double duplicate = zero_duplicates ? 1e-12 * (row_dots[i] + centroid_dots[c]) : -1.0;
            put(weights, rows->count, count, i, c, w, duplicate);
        }
        free(row);
    }
    add_up(weights, rows->count, mask);
    return ALCORE_OK;
}

alcore_status oracle_min_badge(const alcore_sys_work *work, const alcore_sys_rows *a,
                               const alcore_sys_rows *h, const uint8_t *mask,
                               const double *centroids_a, const double *centroids_h, int64_t count,
                               const double *centroid_squares, const double *squares,
                               const alcore_sys_weights *weights) {
    (void)work;
    for (int64_t i = 0; i < h->count; i++) {
        if (mask && !mask[i]) continue;
        double *row_a = oracle_row(a, i), *row_h = oracle_row(h, i);
        for (int64_t c = 0; c < count; c++) {
            double in_a = oracle_dot(row_a, centroids_a + c * a->dims, a->dims);
            double in_h = oracle_dot(row_h, centroids_h + c * h->dims, h->dims);
            double sum = squares[i] + centroid_squares[c];
            put(weights, h->count, count, i, c, sum - 2.0 * (in_a * in_h), 1e-12 * sum);
        }
        free(row_a);
        free(row_h);
    }
    add_up(weights, h->count, mask);
    return ALCORE_OK;
}

alcore_status oracle_update_min(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                                const double *values, const alcore_sys_weights *weights) {
    (void)work;
    for (int64_t i = 0; i < count; i++) {
        if (values && (!mask || mask[i]) && values[i] < weights->minimum[i])
            weights->minimum[i] = values[i];
    }
    add_up(weights, count, mask);
    return ALCORE_OK;
}

/* Spec 1.7 as it is written: all sums first. */
alcore_status oracle_draw(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                          const double *values, double before, double target, int64_t *item) {
    (void)work;
    double *run = malloc((size_t)(count + 1) * sizeof *run), sum = 0.0;
    if (!run) abort();
    *item = -1;
    for (int64_t i = 0; i < count; i++) run[i] = sum += !mask || mask[i] ? values[i] : 0.0;
    for (int64_t i = 0; i < count; i++) {
        if ((!mask || mask[i]) && values[i] > 0.0) *item = i;
    }
    for (int64_t i = count - 1; i >= 0; i--) {
        if ((!mask || mask[i]) && before + run[i] > target && values[i] > 0.0) *item = i;
    }
    free(run);
    return ALCORE_OK;
}
