/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "kernel_oracle.h"

static void lower(double w, double duplicate, double *minimum, double *each) {
    if (w <= duplicate) w = 0.0;
    if (each) {
        *each = w < *minimum ? w : HUGE_VAL;
    } else if (w < *minimum) {
        *minimum = w;
    }
}

alcore_status oracle_min_sqds(const alcore_sys_work *work, const alcore_sys_rows *rows,
                              const uint8_t *take, const double *centres, int64_t count,
                              const double *centre_dots, const double *row_dots,
                              int32_t zero_duplicates, double *minimum, double *each) {
    (void)work;
    for (int64_t i = 0; i < rows->count; i++) {
        if (take && !take[i]) continue;
        double *row = oracle_row(rows, i);
        for (int64_t c = 0; c < count; c++) {
            double w = oracle_sqd(row, centres + c * rows->dims, rows->dims);
            double duplicate = zero_duplicates ? 1e-12 * (row_dots[i] + centre_dots[c]) : -1.0;
            lower(w, duplicate, &minimum[i], each ? &each[c * rows->count + i] : NULL);
        }
        free(row);
    }
    return ALCORE_OK;
}

alcore_status oracle_min_badge(const alcore_sys_work *work, const alcore_sys_rows *a,
                               const alcore_sys_rows *h, const uint8_t *take,
                               const double *centres_a, const double *centres_h, int64_t count,
                               const double *centre_squares, const double *squares, double *minimum,
                               double *each) {
    (void)work;
    for (int64_t i = 0; i < h->count; i++) {
        if (take && !take[i]) continue;
        double *row_a = oracle_row(a, i), *row_h = oracle_row(h, i);
        for (int64_t c = 0; c < count; c++) {
            double in_a = oracle_dot(row_a, centres_a + c * a->dims, a->dims);
            double in_h = oracle_dot(row_h, centres_h + c * h->dims, h->dims);
            double sum = squares[i] + centre_squares[c];
            lower(sum - 2.0 * (in_a * in_h), 1e-12 * sum, &minimum[i],
                  each ? &each[c * h->count + i] : NULL);
        }
        free(row_a);
        free(row_h);
    }
    return ALCORE_OK;
}
