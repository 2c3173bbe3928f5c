/* SPDX-License-Identifier: Apache-2.0 */
/* Scales that make the terms of a score comparable (spec 3.4). */
#ifndef ALCORE__RESCALE_H
#define ALCORE__RESCALE_H

#include <math.h>

#include "strategy/strategy_def.h"

enum { ALCORE__RESCALE_NONE, ALCORE__RESCALE_MINMAX, ALCORE__RESCALE_ZSCORE, ALCORE__RESCALE_RANK };

/* What a value of a term becomes on a scale: (value / 2^exponent - shift) / width, and 0 where all
 * values are equal, which width 0 says. */
typedef struct alcore__scale {
    int exponent; /* not 0 where squares of the values, or their range, would overflow or vanish: no
                     digit changes, and what is rescaled does not depend on the unit */
    double shift, width;
} alcore__scale;
/* minmax, by the smallest and the largest value of all candidates. For zscore the mean and the
 * deviation of the values / 2^exponent take the place of shift and width, if width is not 0. */
alcore__scale alcore__scale_of_range(double low, double high);
static inline double alcore__moved_exponent(const alcore__scale *scale, double value) {
    return scale->exponent == 0 ? value : ldexp(value, -scale->exponent);
}
static inline double alcore__scaled(const alcore__scale *scale, double value) {
    if (scale->width == 0.0) return 0.0;
    return (alcore__moved_exponent(scale, value) - scale->shift) / scale->width;
}

/* The scale that a word of the parameter "rescale" names: strategies differ in which words they
 * have. Any other word, and NULL of a strategy without the parameter, names none. */
int64_t alcore__rescale_named(const char *word);
/* Rescales values [candidates], without NaN, in place; scale: ALCORE__RESCALE_*. */
alcore_status alcore__rescale(const alcore__run *run, int64_t scale, double *values);

#endif
