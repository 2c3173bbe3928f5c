/* SPDX-License-Identifier: Apache-2.0 */
/* Mean, deviation, standard error and Pearson's correlation (docs/spec/analyses.md 8.1, 8.5), each
 * in two passes: first the means, then sums of deviations from them.
 *
 * p of a correlation is the two-sided tail of Student's t with n - 2 degrees of freedom at
 * t = r sqrt((n - 2) / (1 - r^2)), which is the regularized incomplete beta function
 * I_x(a, b) at x = 1 - r^2, a = (n - 2) / 2, b = 1/2; own code, because the C library has none. */
#include <float.h>
#include <math.h>

#include "alcore/sys/kernel.h"
#include "base/base.h"
#include "extra/metric/correlation.h"

/* The power of two by which values [count] are multiplied so that neither their squares nor their
 * sums overflow or vanish; 1 for every usual magnitude, and where a value is not finite. */
static double scale_of(const double *values, int64_t count) {
    double largest = 0;
    for (int64_t i = 0; i < count; i++) largest = fmax(largest, fabs(values[i]));
    if (!(largest > 0) || isinf(largest) || (largest > 1e-100 && largest < 1e100)) return 1;
    return ldexp(1, largest < 1 ? (int)fmin(1000, -ilogb(largest))
                                : (int)fmax(-1000, -ilogb(largest)));
}

/* The arithmetic mean of scale * values [count], summed by blocks of rows (spec 1.8); NaN without
 * values. */
static double mean_of(const double *values, double scale, int64_t count) {
    double sum = 0;
    for (int64_t first = 0; first < count; first += ALCORE_BLOCK_ROWS) {
        const int64_t end = count - first < ALCORE_BLOCK_ROWS ? count : first + ALCORE_BLOCK_ROWS;
        double block = 0;
        for (int64_t i = first; i < end; i++) block += scale * values[i];
        sum += block;
    }
    return count > 0 ? sum / (double)count : (double)NAN;
}

/* alcore_metric_compute_mean() between enter and leave. */
static alcore_status compute_mean(alcore_ctx *ctx, const double *values, int64_t count,
                                  const alcore_mean_options *options, alcore_mean_result *out) {
    alcore_mean_result result = {0};
    if (!ctx || !out || count < 0 || (count > 0 && !values))
        return alcore__fail(ALCORE_E_INVALID,
                            "ctx, out or values is NULL, or value_count is negative");
    ALCORE__TRY(alcore__struct_empty(options, "alcore_mean_options"));
    const double scale = scale_of(values, count), mean = mean_of(values, scale, count);
    double squares = 0;
    for (int64_t i = 0; i < count; i++)
        squares += (scale * values[i] - mean) * (scale * values[i] - mean);
    result.mean = mean / scale;
    result.standard_deviation =
        count > 1 ? sqrt(squares / (double)(count - 1)) / scale : (double)NAN;
    result.standard_error = result.standard_deviation / sqrt((double)count);
    return alcore__struct_write(out, &result, sizeof result,
                                ALCORE__FIRST_SIZE(alcore_mean_result, standard_error),
                                "alcore_mean_result");
}

alcore_status alcore_metric_compute_mean(alcore_ctx *ctx, const double *values, int64_t value_count,
                                         const alcore_mean_options *options,
                                         alcore_mean_result *out) {
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, compute_mean(ctx, values, value_count, options, out));
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

/* One side of a correlation: numbers [count], the power of two that they are multiplied by, and
 * their mean. */
typedef struct side {
    const double *values;
    double scale, mean;
} side;

static side side_of(const double *values, int64_t count) {
    const double scale = scale_of(values, count);
    return (side){values, scale, mean_of(values, scale, count)};
}

/* Sum over i < count of the products of the deviations of x and y from their means, by blocks of
 * rows (spec 1.8). */
static double product_sum(side x, side y, int64_t count) {
    double sum = 0;
    for (int64_t first = 0; first < count; first += ALCORE_BLOCK_ROWS) {
        const int64_t end = count - first < ALCORE_BLOCK_ROWS ? count : first + ALCORE_BLOCK_ROWS;
        double block = 0;
        for (int64_t i = first; i < end; i++)
            block += (x.scale * x.values[i] - x.mean) * (y.scale * y.values[i] - y.mean);
        sum += block;
    }
    return sum;
}

/* rest is 1 - rho^2, computed without cancellation. With 2 pairs rho is 1 or -1 and p is 1, as
 * there are no degrees of freedom. */
void alcore__correlate(const double *x, const double *y, int64_t count,
                       alcore_pearson_result *result) {
    const side first = side_of(x, count), second = side_of(y, count);
    const double xx = product_sum(first, first, count), yy = product_sum(second, second, count);
    result->rho = result->p = NAN;
    if (count < 2 || !(xx > 0) || !(yy > 0)) return;
    const double xy = product_sum(first, second, count);
    result->rho = fmax(-1, fmin(1, xy / (sqrt(xx) * sqrt(yy))));
    const double square = result->rho * result->rho;
    const double rest = (1 - fabs(result->rho)) * (1 + fabs(result->rho));
    result->p = count == 2 ? 1 : incomplete_beta(rest, square, (double)(count - 2) / 2, 0.5);
}

/* alcore_metric_compute_pearson() between enter and leave. */
static alcore_status compute_pearson(alcore_ctx *ctx, const double *x, int64_t x_count,
                                     const double *y, int64_t y_count,
                                     const alcore_pearson_options *options,
                                     alcore_pearson_result *out) {
    alcore_pearson_result result = {0};
    if (!ctx || !out || x_count < 0 || y_count < 0 || (x_count > 0 && (!x || !y)))
        return alcore__fail(ALCORE_E_INVALID, "ctx, out, x or y is NULL, or a count is negative");
    ALCORE__TRY(alcore__struct_empty(options, "alcore_pearson_options"));
    if (x_count != y_count)
        return alcore__fail(ALCORE_E_SHAPE, "x has %lld numbers, y has %lld; they are pairs",
                            (long long)x_count, (long long)y_count);
    alcore__correlate(x, y, x_count, &result);
    return alcore__struct_write(out, &result, sizeof result,
                                ALCORE__FIRST_SIZE(alcore_pearson_result, p),
                                "alcore_pearson_result");
}

alcore_status alcore_metric_compute_pearson(alcore_ctx *ctx, const double *x, int64_t x_count,
                                            const double *y, int64_t y_count,
                                            const alcore_pearson_options *options,
                                            alcore_pearson_result *out) {
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, compute_pearson(ctx, x, x_count, y, y_count, options, out));
}
