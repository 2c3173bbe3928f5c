/* SPDX-License-Identifier: Apache-2.0 */
/* Wilcoxon's signed-rank test (Wilcoxon 1945; docs/spec/analyses.md 8.5).
 *
 * The differences become integers, llround(1e9 d), because decimal scores would otherwise break
 * ties by rounding errors; zeros are dropped; equal magnitudes share the mean of their ranks. Ranks
 * are doubled, so that they are integers too.
 *
 * Exact p: under the null hypothesis every rank has either sign with probability 1/2. The table
 * ways[s], the probability that the doubled ranks with a plus add up to s, is built one rank at a
 * time (at most 50 * 51 + 1 sums). Above 50 differences: the normal distribution with variance
 * n (n + 1) (2 n + 1) / 24 - sum of (t^3 - t) / 48 over groups of t ties, continuity 1/2.
 * Time: a sort, and n * n^2 for the exact p. Sorting doubles the 8 bytes a pair of memory. */
#include "extra/metric/wilcoxon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* The largest doubled sum of ranks of an exact test: 50 * 51. */
#define MOST_SUM (ALCORE__WILCOXON_MOST_EXACT * (ALCORE__WILCOXON_MOST_EXACT + 1))

/* Pairs between two polls of cancellation. */
enum { POLL_PAIRS = 4096 };

/* For alcore__sort(): ascending by absolute value. */
static int by_magnitude(const void *a, const void *b) {
    const int64_t x = llabs(*(const int64_t *)a), y = llabs(*(const int64_t *)b);
    return (x > y) - (x < y);
}

/* The index behind the group of equal magnitudes that begins at `first`, in differences [count]
 * sorted by magnitude. The group has the ranks first + 1 .. end, whose doubled mean is
 * first + 1 + end. */
static int64_t group_end(const int64_t *differences, int64_t count, int64_t first) {
    int64_t end = first + 1;
    while (end < count && llabs(differences[end]) == llabs(differences[first])) end++;
    return end;
}

/* Two-sided p, 0 to 1, from the table of all sums; differences [count] sorted by magnitude, count
 * at most 50; plus: the doubled sum of the ranks of positive differences. `most` is the largest sum
 * of the ranks so far; the table is updated from above, so that each rank counts once. */
static double exact_p(const int64_t *differences, int64_t count, int64_t plus) {
    double ways[MOST_SUM + 1] = {1};
    int64_t most = 0;
    for (int64_t first = 0; first < count;) {
        const int64_t end = group_end(differences, count, first);
        const int64_t rank = first + 1 + end; /* doubled mean of the ranks first + 1 .. end */
        for (int64_t i = first; i < end; i++) {
            most += rank;
            for (int64_t sum = most; sum >= 0; sum--)
                ways[sum] = (ways[sum] + (sum >= rank ? ways[sum - rank] : 0)) / 2;
        }
        first = end;
    }
    double below = 0, above = 0; /* P(W+ <= plus), P(W+ >= plus) */
    for (int64_t sum = 0; sum <= plus; sum++) below += ways[sum];
    for (int64_t sum = plus; sum <= most; sum++) above += ways[sum];
    return fmin(1, 2 * fmin(below, above));
}

/* One pass over differences [count], sorted by magnitude: *plus gets the doubled sum of the ranks
 * of positive differences, *variance that of the normal distribution (see the top), which is above
 * 0 even where all magnitudes are equal. The rank of a group of ties is known at its end. */
static alcore_status sum_ranks(alcore_ctx *ctx, const int64_t *differences, int64_t count,
                               int64_t *plus, double *variance) {
    const double n = (double)count;
    *plus = 0;
    *variance = n * (n + 1) * (2 * n + 1) / 24;
    for (int64_t first = 0, end = 0; first < count; first = end) {
        int64_t positive = 0;
        do {
            if (end % POLL_PAIRS == 0) ALCORE__TRY(alcore__tick(ctx, "ranks", end, count));
            positive += differences[end++] > 0;
        } while (end < count && llabs(differences[end]) == llabs(differences[first]));
        const double ties = (double)(end - first);
        *plus += positive * (first + 1 + end);
        *variance -= (ties * ties * ties - ties) / 48;
    }
    return ALCORE_OK;
}

/* Two-sided p, 0 to 1, by the normal distribution; w_plus: the sum (not doubled) of the ranks of
 * positive differences, of `count` ones. */
static double normal_p(int64_t count, double variance, double w_plus) {
    const double n = (double)count, mean = n * (n + 1) / 4;
    const double distance = fmax(0, fabs(w_plus - mean) - 0.5);
    return fmin(1, erfc(distance / sqrt(2 * variance)));
}

/* Sorts differences [count], none 0, in place, ranks them and fills all of *result; without
 * differences p is 1 and both sums are 0. The doubled ranks add up to count (count + 1). */
alcore_status alcore__wilcoxon(alcore_ctx *ctx, int64_t *differences, int64_t count, bool exact,
                               alcore_wilcoxon_result *result) {
    int64_t plus;
    double variance;
    result->pairs = count;
    result->exact = exact;
    result->w_plus = result->w_minus = 0;
    result->p = 1;
    if (count == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__sort(ctx, differences, (size_t)count, sizeof *differences, by_magnitude));
    ALCORE__TRY(sum_ranks(ctx, differences, count, &plus, &variance));
    result->w_plus = (double)plus / 2;
    result->w_minus = (double)(count * (count + 1) - plus) / 2;
    result->p =
        exact ? exact_p(differences, count, plus) : normal_p(count, variance, result->w_plus);
    return ALCORE_OK;
}

/* Writes x[i] - y[i] (y NULL: x[i]) of all pairs, in units of 1e-9, to differences [count], leaving
 * out those that are 0; *used: how many are left. Up to 9e9, so that they fit into 64 bits. */
static alcore_status read_differences(alcore_ctx *ctx, const double *x, const double *y,
                                      int64_t count, int64_t *differences, int64_t *used) {
    *used = 0;
    for (int64_t i = 0; i < count; i++) {
        if (i % POLL_PAIRS == 0) ALCORE__TRY(alcore__tick(ctx, "differences", i, count));
        const double difference = y ? x[i] - y[i] : x[i];
        if (!(fabs(difference) <= 9e9))
            return alcore__fail(ALCORE_E_DATA,
                                "pair %lld: its difference is not a number from -9e9 to 9e9",
                                (long long)i + 1);
        const int64_t rounded = llround(1e9 * difference);
        if (rounded != 0) differences[(*used)++] = rounded;
    }
    return ALCORE_OK;
}

/* Body of the public call. y_count 0: x has the differences already. p is exact for at most 50
 * differences that are not 0. */
static alcore_status test_pairs(alcore_ctx *ctx, const double *x, int64_t x_count, const double *y,
                                int64_t y_count, const alcore_wilcoxon_options *options,
                                alcore_wilcoxon_result *out) {
    alcore_wilcoxon_result result = {0};
    int64_t *differences = NULL, used = 0;
    if (!ctx || !out || x_count < 0 || y_count < 0 || (x_count > 0 && !x) || (y_count > 0 && !y))
        return alcore__fail(ALCORE_E_INVALID, "ctx, out, x or y is NULL, or a count is negative");
    ALCORE__TRY(alcore__struct_empty(options, "alcore_wilcoxon_options"));
    if (y_count != 0 && y_count != x_count)
        return alcore__fail(ALCORE_E_SHAPE, "x has %lld numbers, y has %lld; they are pairs",
                            (long long)x_count, (long long)y_count);
    if (x_count > (int64_t)1 << 30)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "more than 2^30 pairs");
    ALCORE__TRY(alcore__new_array(ctx, (size_t)x_count, sizeof *differences, &differences));
    alcore_status status =
        read_differences(ctx, x, y_count > 0 ? y : NULL, x_count, differences, &used);
    if (status == ALCORE_OK)
        status =
            alcore__wilcoxon(ctx, differences, used, used <= ALCORE__WILCOXON_MOST_EXACT, &result);
    if (status == ALCORE_OK)
        status = alcore__struct_write(out, &result, sizeof result,
                                      ALCORE__FIRST_SIZE(alcore_wilcoxon_result, reserved),
                                      "alcore_wilcoxon_result");
    alcore__free(ctx, differences);
    return status;
}

alcore_status alcore_metric_compute_wilcoxon(alcore_ctx *ctx, const double *x, int64_t x_count,
                                             const double *y, int64_t y_count,
                                             const alcore_wilcoxon_options *options,
                                             alcore_wilcoxon_result *out) {
    ALCORE__TRY(alcore__enter_long(ctx));
    return alcore__leave(ctx, test_pairs(ctx, x, x_count, y, y_count, options, out));
}
