/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Stopping criteria: whether a loop of rounds may end before its budget is spent, because a metric
 * no longer rises, because the model is sure of what is left, or because successive models agree
 * (docs/spec/loop.md 9.6). Each call decides about one criterion and says on which numbers; a loop
 * ends when one of those that it asks holds. The kappa of two models is
 * alcore_metric_compute_kappa() of metric_labels.h. */
#ifndef ALCORE_EXTRA_STOP_H
#define ALCORE_EXTRA_STOP_H

#include "alcore/context.h"

ALCORE_BEGIN

/** Stopping criteria. */
enum alcore_stop_criterion {
    ALCORE_STOP_PLATEAU = 6601,          /**< a metric has not risen for some rounds */
    ALCORE_STOP_MEAN_UNCERTAINTY = 6602, /**< the mean uncertainty is low */
    ALCORE_STOP_MAX_UNCERTAINTY = 6603,  /**< even the largest uncertainty is low */
    ALCORE_STOP_AGREEMENT = 6604         /**< models of successive rounds predict the same */
};

/** Settings of a plateau. Zero means default everywhere. */
typedef struct alcore_plateau_options {
    size_t size;      /**< sizeof(alcore_plateau_options) */
    int64_t patience; /**< rounds without an improvement that end the loop; 0: 3 */
    /** A round improves the metric when it exceeds the best one so far by more than this, both
     * rounded to 1e-9; from 0 */
    double least_gain;
    /** 1: the metric falls as models get better, as a loss or TER does; 0: it rises */
    int32_t lower_is_better;
    int32_t reserved; /**< pads: 0, checked */
} alcore_plateau_options;
/** An alcore_plateau_options with its size set and everything else 0. */
#define ALCORE_PLATEAU_OPTIONS_INIT ALCORE_INIT(alcore_plateau_options)

/** Settings of an uncertainty. Zero means default everywhere. */
typedef struct alcore_uncertainty_options {
    size_t size;       /**< sizeof(alcore_uncertainty_options) */
    int32_t criterion; /**< ALCORE_STOP_MEAN_UNCERTAINTY, the default, or _MAX_UNCERTAINTY */
    int32_t reserved;  /**< pads: 0, checked */
} alcore_uncertainty_options;
/** An alcore_uncertainty_options with its size set and everything else 0. */
#define ALCORE_UNCERTAINTY_OPTIONS_INIT ALCORE_INIT(alcore_uncertainty_options)

/** Settings of the agreement of successive models. What is 0 or unset means the default. */
typedef struct alcore_agreement_options {
    size_t size;      /**< sizeof(alcore_agreement_options) */
    int64_t window;   /**< kappas whose mean counts, the last ones; 0: 3 */
    double threshold; /**< least mean that ends the loop, 0 to 1; unset: 0.99 */
} alcore_agreement_options;
/** An alcore_agreement_options with its size set, threshold unset and everything else 0. */
#define ALCORE_AGREEMENT_OPTIONS_INIT                                                              \
    ALCORE_INIT_1(alcore_agreement_options, threshold, ALCORE_UNSET)

/** What a criterion decided, and the numbers that it decided by. */
typedef struct alcore_stop_decision {
    size_t size;       /**< sizeof(alcore_stop_decision) */
    int32_t criterion; /**< ALCORE_STOP_* */
    int32_t stop;      /**< 1: it holds, the loop may end; 0: it does not */
    /** Numbers that were read: rounds of the metric, uncertainties that are not NaN, kappas */
    int64_t numbers;
    int64_t left_out; /**< uncertainties that are NaN */
    /** The patience in rounds; the kappas of the mean; 0 for an uncertainty */
    int64_t window;
    int64_t best_round; /**< plateau: the last round that improved the metric, from 1; else 0 */
    double best;        /**< plateau: the metric of that round; else NaN */
    /** What was measured. Plateau: the largest gain over `best` since; uncertainty: the mean or the
     * largest one; agreement: the mean of the last kappas. NaN where there is too little to measure
     */
    double value;
    double threshold; /**< what it was compared with: the least gain, or the threshold */
} alcore_stop_decision;
/** An alcore_stop_decision with its size set and everything else 0. */
#define ALCORE_STOP_DECISION_INIT ALCORE_INIT(alcore_stop_decision)

/** Whether a metric has reached a plateau: the last `patience` rounds did not improve it.
 * Source: docs/spec/loop.md 9.6 (early stopping, Prechelt 1998).
 * @param[in] metric borrowed: float64 [count], one value a round, the first round first; NULL only
 *   if count is 0
 * @param[in] count rounds
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @return ALCORE_OK, ALCORE_E_INVALID (an option out of range), ALCORE_E_DATA (a value that is not
 *   finite: names the round), ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_stop_check_plateau(const double *metric, int64_t count,
                                                   const alcore_plateau_options *options,
                                                   alcore_stop_decision *out);

/** Whether the mean or the largest uncertainty, of the unlabeled pool or of a selection, is at most
 * a threshold. Which rows it is about is up to the numbers that are given.
 * Source: docs/spec/loop.md 9.6 (Zhu, Wang and Hovy 2008).
 * @param[in] uncertainty borrowed: float64 [count]; NaN: a row without a score, which is left out;
 *   NULL only if count is 0
 * @param[in] count numbers
 * @param[in] threshold finite
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @return ALCORE_OK, ALCORE_E_INVALID (another criterion, a threshold that is not finite),
 *   ALCORE_E_DATA (an infinite uncertainty: names it), ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_stop_check_uncertainty(const double *uncertainty, int64_t count,
                                                       double threshold,
                                                       const alcore_uncertainty_options *options,
                                                       alcore_stop_decision *out);

/** Whether the models of the last rounds agree on a stop set: the mean of the last kappas, each of
 * two successive models, is at least a threshold. It is not while one of them is NaN, which means
 * that both models predicted one and the same class for everything.
 * Source: docs/spec/loop.md 9.6 (stabilizing predictions, Bloodgood and Vijay-Shanker 2009).
 * @param[in] kappas borrowed: float64 [count], what alcore_metric_compute_kappa() gave for rounds 1
 *   and 2, 2 and 3, ...; those before the last `window` are not read; NULL only if count is 0
 * @param[in] count kappas
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @return ALCORE_OK, ALCORE_E_INVALID (an option out of range), ALCORE_E_DATA (a number that is no
 *   kappa, below -1 or above 1: names it), ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_stop_check_agreement(const double *kappas, int64_t count,
                                                     const alcore_agreement_options *options,
                                                     alcore_stop_decision *out);

/** A decision as a sentence, for logs: "stop: mean 0.995 of the last 3 kappas is at least 0.99".
 * Numbers are rounded to six digits.
 * @param[in] decision borrowed: what a call of this header filled
 * @param[out] buffer where the text is written
 * @return view: buffer; NULL for another criterion, without a decision or without a buffer
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_stop_text(const alcore_stop_decision *decision, char buffer[200]);

ALCORE_END

#endif
