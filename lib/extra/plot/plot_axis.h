/* SPDX-License-Identifier: Apache-2.0 */
/* One axis of a plot: its range, and round ticks on it. */
#ifndef ALCORE__PLOT_AXIS_H
#define ALCORE__PLOT_AXIS_H

#include <stdint.h>

/* low < high: the ends of the axis. Ticks are multiples of step: first * step, (first + 1) * step,
 * ..., ticks of them, all within the range. */
typedef struct alcore__plot_axis {
    double low, high;
    double step;   /* 1, 2 or 5 times a power of ten */
    int64_t first; /* tick 0 is at first * step */
    int32_t ticks; /* 1 to wanted + 1, more only where rounding left none */
} alcore__plot_axis;

/* An axis for finite values from low to high, with 4 % of room at both ends and about `wanted`
 * ticks. Where low is not below high, the range is made as wide as the value, or 1 for 0. */
alcore__plot_axis alcore__plot_axis_make(double low, double high, int32_t wanted);

/* The label of tick i in the fewest digits that tell the ticks of the axis apart: "0.05",
 * "20,000", "1e+09". Returns its length. */
int alcore__plot_axis_label(const alcore__plot_axis *axis, int32_t i, char out[40]);

/* Where a value lies on an axis drawn from pixel `from` to pixel `to`. */
static inline double alcore__plot_axis_place(const alcore__plot_axis *axis, double value,
                                             double from, double to) {
    return from + (value - axis->low) / (axis->high - axis->low) * (to - from);
}

#endif
