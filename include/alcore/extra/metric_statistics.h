/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Statistics of numbers, such as the scores of several seeds: mean, correlation, significance
 * (docs/spec/analyses.md). metric_common.h describes the shape of every metric. */
#ifndef ALCORE_EXTRA_METRIC_STATISTICS_H
#define ALCORE_EXTRA_METRIC_STATISTICS_H

#include "alcore/context.h"

ALCORE_BEGIN

/** Settings of a mean: none yet. */
typedef struct alcore_mean_options {
    size_t size; /**< sizeof(alcore_mean_options) */
} alcore_mean_options;
/** An alcore_mean_options with its size set and everything else 0. */
#define ALCORE_MEAN_OPTIONS_INIT ALCORE_INIT(alcore_mean_options)

/** Mean, standard deviation and standard error of numbers. */
typedef struct alcore_mean_result {
    size_t size;               /**< sizeof(alcore_mean_result) */
    double mean;               /**< NaN without numbers; not finite where one is not */
    double standard_deviation; /**< of a sample: n - 1; NaN for fewer than two numbers,
                                * and where one is not finite */
    double standard_error;     /**< the deviation divided by sqrt(n); NaN like it */
} alcore_mean_result;
/** An alcore_mean_result with its size set and everything else 0. */
#define ALCORE_MEAN_RESULT_INIT ALCORE_INIT(alcore_mean_result)

/** Settings of Pearson's correlation: none yet. */
typedef struct alcore_pearson_options {
    size_t size; /**< sizeof(alcore_pearson_options) */
} alcore_pearson_options;
/** An alcore_pearson_options with its size set and everything else 0. */
#define ALCORE_PEARSON_OPTIONS_INIT ALCORE_INIT(alcore_pearson_options)

/** Pearson's correlation. */
typedef struct alcore_pearson_result {
    size_t size; /**< sizeof(alcore_pearson_result) */
    double rho;  /**< -1 to 1; NaN for fewer than two pairs, or where x or y has no variance or a
                  * number that is not finite */
    double p;    /**< two-sided, Student's t with n - 2 degrees of freedom; 1 for two pairs; NaN
                  * where rho is */
} alcore_pearson_result;
/** An alcore_pearson_result with its size set and everything else 0. */
#define ALCORE_PEARSON_RESULT_INIT ALCORE_INIT(alcore_pearson_result)

/** Settings of Wilcoxon's test: none yet. */
typedef struct alcore_wilcoxon_options {
    size_t size; /**< sizeof(alcore_wilcoxon_options) */
} alcore_wilcoxon_options;
/** An alcore_wilcoxon_options with its size set and everything else 0. */
#define ALCORE_WILCOXON_OPTIONS_INIT ALCORE_INIT(alcore_wilcoxon_options)

/** Wilcoxon's signed-rank test. */
typedef struct alcore_wilcoxon_result {
    size_t size;      /**< sizeof(alcore_wilcoxon_result) */
    int64_t pairs;    /**< pairs whose difference is not 0 */
    double w_plus;    /**< sum of the ranks of positive differences */
    double w_minus;   /**< sum of the ranks of negative differences */
    double p;         /**< two-sided; 1 without pairs */
    int32_t exact;    /**< 1: p is exact; 0: by the normal distribution */
    int32_t reserved; /**< pads: 0 */
} alcore_wilcoxon_result;
/** An alcore_wilcoxon_result with its size set and everything else 0. */
#define ALCORE_WILCOXON_RESULT_INIT ALCORE_INIT(alcore_wilcoxon_result)

/** Mean, standard deviation of a sample and standard error.
 * @param[in] ctx borrowed
 * @param[in] values borrowed: float64 [value_count]; NULL only if the count is 0
 * @param[in] value_count numbers
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_compute_mean(alcore_ctx *ctx, const double *values,
                                                    int64_t value_count,
                                                    const alcore_mean_options *options,
                                                    alcore_mean_result *out);

/** Pearson's correlation of pairs, computed in two passes, and the probability of a correlation at
 * least as strong between independent values.
 * @param[in] ctx borrowed
 * @param[in] x borrowed: float64 [x_count]; NULL only if x_count is 0
 * @param[in] x_count numbers
 * @param[in] y borrowed: float64 [y_count]
 * @param[in] y_count x_count
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_SHAPE (counts differ), ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_compute_pearson(alcore_ctx *ctx, const double *x,
                                                       int64_t x_count, const double *y,
                                                       int64_t y_count,
                                                       const alcore_pearson_options *options,
                                                       alcore_pearson_result *out);

/** Wilcoxon's signed-rank test of pairs: the differences x - y in units of 1e-9, zeros dropped,
 * mean ranks in ties. p is exact for at most 50 differences; above, it comes from the normal
 * distribution with corrections for ties and continuity.
 * @param[in] ctx borrowed
 * @param[in] x borrowed: float64 [x_count]; NULL only if x_count is 0
 * @param[in] x_count numbers, at most 2^30
 * @param[in] y borrowed: float64 [y_count]; NULL if y_count is 0
 * @param[in] y_count x_count, or 0: x are the differences
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_SHAPE (counts differ), ALCORE_E_DATA (a difference
 *   that is not finite or above 9e9), ALCORE_E_UNSUPPORTED, ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_compute_wilcoxon(alcore_ctx *ctx, const double *x,
                                                        int64_t x_count, const double *y,
                                                        int64_t y_count,
                                                        const alcore_wilcoxon_options *options,
                                                        alcore_wilcoxon_result *out);

ALCORE_END

#endif
