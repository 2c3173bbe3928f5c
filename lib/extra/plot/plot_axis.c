/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges and ticks of axes. A step is the smallest of 1, 2, 5 times a power of ten with which at
 * most `wanted` + 1 ticks fit. */
#include "extra/plot/plot_axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

#define ROOM 0.04 /* share of the range that is left free at each end */
/* Values closer than that count as equal: steps between them would be too small for doubles. */
#define SMALLEST 1e-290

/* The smallest of 1, 2, 5 times a power of ten that is at least `value`, which is above 0. */
static double round_step(double value) {
    const double power = pow(10, floor(log10(value)));
    const double times[] = {1, 2, 5, 10};
    for (int i = 0; i < 3; i++)
        if (value <= times[i] * power * (1 + 1e-9)) return times[i] * power;
    return 10 * power;
}

alcore__plot_axis alcore__plot_axis_make(double low, double high, int32_t wanted) {
    alcore__plot_axis axis;
    if (!(high / 2 - low / 2 > SMALLEST)) {
        const double half = fabs(low) > 2 * SMALLEST ? fabs(low) / 2 : 0.5;
        high = low + half;
        low -= half;
    }
    const double room = (high / 2 - low / 2) * 2 * ROOM; /* halves: the difference may overflow */
    axis.low = low - room;
    axis.high = high + room;
    axis.step = round_step(axis.high / wanted - axis.low / wanted);
    for (;; axis.step = round_step(axis.step * 0.4)) { /* 5 to 2, 2 to 1, 1 to 0.5 */
        axis.first = (int64_t)ceil(axis.low / axis.step - 1e-9);
        axis.ticks = (int32_t)(floor(axis.high / axis.step + 1e-9) - (double)axis.first) + 1;
        if (axis.ticks > 0) break; /* rounding may leave none where the step is all of the range */
    }
    return axis;
}

/* Puts a comma before each group of three digits of the integer at the start of text. */
static void group_digits(char text[40]) {
    const size_t sign = text[0] == '-', digits = strspn(text + sign, "0123456789");
    for (size_t left = digits; left > 3; left -= 3) {
        char *at = text + sign + left - 3;
        memmove(at + 1, at, strlen(at) + 1);
        *at = ',';
    }
}

/* Writes the label of tick i in the fewest digits that tell the ticks apart, and returns its length
 * of at most 23 bytes. Fixed point with commas; with an exponent where an end of the axis is 1e7 or
 * more, or the step below 1e-5. */
int alcore__plot_axis_label(const alcore__plot_axis *axis, int32_t i, char out[40]) {
    const double value = (double)(axis->first + i) * axis->step;
    const double largest = fmax(fabs(axis->low), fabs(axis->high));
    if (largest >= 1e7 || axis->step < 1e-5) {
        /* As many digits as tell two ticks apart: 1.20e+09 and 1.25e+09 need two decimals. */
        int decimals = (int)(floor(log10(largest)) - floor(log10(axis->step) + 1e-9));
        if (decimals > 15) decimals = 15;
        return alcore__format(out, 40, value == 0 ? "0" : "%.*e", decimals, value);
    }
    const int decimals = axis->step < 1 ? (int)-floor(log10(axis->step) + 1e-9) : 0;
    alcore__format(out, 40, "%.*f", decimals, value == 0 ? 0.0 : value);
    group_digits(out);
    return (int)strlen(out);
}
