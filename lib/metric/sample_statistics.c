/* SPDX-License-Identifier: Apache-2.0 */
/* Mean, deviation, standard error and Pearson's correlation (docs/spec/analyses.md 8.1, 8.5), each
 * in two passes: first the means, then sums of deviations from them.
 *
 * p of a correlation is the two-sided tail of Student's t with n - 2 degrees of freedom at
 * t = r sqrt((n - 2) / (1 - r^2)), which is the regularized incomplete beta function
 * I_x(a, b) at x = 1 - r^2, a = (n - 2) / 2, b = 1/2; own code, because the C library has none. */
#include <float.h>
#include <math.h>

#include "alcore/metric.h"
#include "base/base.h"

/* The arithmetic mean of values [count]; NaN without values. */
static double mean_of(const double *values, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += values[i];
    return count > 0 ? sum / (double)count : (double)NAN;
}

alcore_status alcore_metric_compute_mean(const double *values, int64_t count,
                                         alcore_mean_result *out) {
    alcore_mean_result result = {0};
    ALCORE__TRY(alcore__enter(NULL));
    if (!out || count < 0 || (count > 0 && !values))
        return alcore__leave(
            NULL, alcore__fail(ALCORE_E_INVALID, "out or values is NULL, or count is negative"));
    double squares = 0;
    result.mean = mean_of(values, count);
    for (int64_t i = 0; i < count; i++)
        squares += (values[i] - result.mean) * (values[i] - result.mean);
    result.standard_deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : (double)NAN;
    result.standard_error = result.standard_deviation / sqrt((double)count);
    return alcore__leave(
        NULL, alcore__struct_write(out, &result, sizeof result,
                                   ALCORE__FIRST_SIZE(alcore_mean_result, standard_error),
                                   "alcore_mean_result"));
}

/* The continued fraction of the incomplete beta function (DLMF 8.17.22), evaluated from the front
 * by Lentz's method as modified by Thompson and Barnett: value is the fraction so far, c and d the
 * ratios of its numerators and of its denominators, kept away from 0 by DBL_MIN. Each m adds two
 * terms; it ends when a term changes nothing. It converges fast for x < (a + 1) / (a + b + 2); the
 * limit of 100000 is not reached then. */
static double beta_fraction(double x, double a, double b) {
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
    double value = d;
    for (int m = 1; m <= 100000; m++) {
        for (int odd = 0; odd <= 1; odd++) {
            const double term = odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                                    : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 + term * d;
            d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
            c = 1 + term / c;
            if (fabs(c) < DBL_MIN) c = DBL_MIN;
            value *= c * d;
        }
        if (fabs(c * d - 1) < 4 * DBL_EPSILON) break;
    }
    return value;
}

/* The regularized I_x(a, b), 0 <= x <= 1; rest is 1 - x, given apart to keep its digits. */
static double incomplete_beta(double x, double rest, double a, double b) {
    if (x <= 0) return 0;
    if (rest <= 0) return 1;
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(rest, b, a) / b;
}

/* Fills rho and the two-sided p of *result for the pairs (x[i], y[i]), i < count; both are NaN with
 * fewer than 2 pairs or a side without variance. rest is 1 - rho^2, computed without cancellation.
 * With 2 pairs rho is 1 or -1 and p is 1, as there are no degrees of freedom. */
static void correlate(const double *x, const double *y, int64_t count,
                      alcore_pearson_result *result) {
    const double mean_x = mean_of(x, count), mean_y = mean_of(y, count);
    double xx = 0, yy = 0, xy = 0;
    for (int64_t i = 0; i < count; i++) {
        const double dx = x[i] - mean_x, dy = y[i] - mean_y;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    result->rho = result->p = NAN;
    if (count < 2 || !(xx > 0) || !(yy > 0)) return;
    result->rho = fmax(-1, fmin(1, xy / (sqrt(xx) * sqrt(yy))));
    const double square = result->rho * result->rho;
    const double rest = (1 - fabs(result->rho)) * (1 + fabs(result->rho));
    result->p = count == 2 ? 1 : incomplete_beta(rest, square, (double)(count - 2) / 2, 0.5);
}

alcore_status alcore_metric_compute_pearson(const double *x, int64_t x_count, const double *y,
                                            int64_t y_count, alcore_pearson_result *out) {
    alcore_pearson_result result = {0};
    ALCORE__TRY(alcore__enter(NULL));
    if (!out || x_count < 0 || y_count < 0 || (x_count > 0 && (!x || !y)))
        return alcore__leave(
            NULL, alcore__fail(ALCORE_E_INVALID, "out, x or y is NULL, or a count is negative"));
    if (x_count != y_count)
        return alcore__leave(NULL, alcore__fail(ALCORE_E_SHAPE,
                                                "x has %lld numbers, y has %lld; they are pairs",
                                                (long long)x_count, (long long)y_count));
    correlate(x, y, x_count, &result);
    return alcore__leave(NULL, alcore__struct_write(out, &result, sizeof result,
                                                    ALCORE__FIRST_SIZE(alcore_pearson_result, p),
                                                    "alcore_pearson_result"));
}
