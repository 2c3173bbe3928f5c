/* SPDX-License-Identifier: Apache-2.0 */
/* Stopping criteria of the loop (docs/spec/loop.md 9.6). Each compares one number with a threshold:
 *
 *     plateau       rounds since the metric last rose by more than least_gain >= patience
 *     uncertainty   mean or largest of the values                            <= threshold
 *     agreement     mean of the last kappas                                  >= threshold
 *
 * A number that cannot be measured yet is NaN, which compares false: the loop goes on. Every call
 * is one pass over its numbers and allocates nothing. */
#include "alcore/extra/stop.h"

#include <math.h>

#include "alcore/sys/kernel.h"
#include "base/base.h"

enum { DEFAULT_PATIENCE = 3, DEFAULT_WINDOW = 3, TEXT_BYTES = 200 };
#define DEFAULT_KAPPA 0.99 /* the threshold of Bloodgood and Vijay-Shanker 2009 */

/* A decision in which nothing was measured yet. */
static alcore_stop_decision no_decision(int32_t criterion) {
    return (alcore_stop_decision){
        .criterion = criterion, .best = (double)NAN, .value = (double)NAN};
}

/* Checks what all three calls have in common: numbers [count] and out. */
static alcore_status check_numbers(const double *numbers, int64_t count,
                                   const alcore_stop_decision *out) {
    if (out && count >= 0 && (count == 0 || numbers)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID, "out or the numbers are NULL, or count is negative");
}

/* Checks the length of a window of rounds, which is 0 for the default; name: of the option, what:
 * of what it counts. */
static alcore_status check_length(const char *name, int64_t length, const char *what) {
    if (length >= 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID, "%s is %lld; expected %s, from 1", name,
                        (long long)length, what);
}

/* Copies the decision to the struct of the caller. */
static alcore_status write_decision(const alcore_stop_decision *decision,
                                    alcore_stop_decision *out) {
    return alcore__struct_write(out, decision, sizeof *decision,
                                ALCORE__FIRST_SIZE(alcore_stop_decision, threshold),
                                "alcore_stop_decision");
}

/* ---- plateau ---- */

/* Gains are compared in units of 1e-9, so that 0.4 - 0.3 is no more than 0.1, as it is in
 * doubles: metrics are decimal numbers. */
static bool exceeds(double gain, double least_gain) {
    return rint(1e9 * gain) > rint(1e9 * least_gain);
}

/* Finds the last round that improved the metric [count] and the largest gain since. sign: 1, or -1
 * where lower is better. */
static void find_best_round(const double *metric, int64_t count, double sign, double least_gain,
                            alcore_stop_decision *decision) {
    for (int64_t i = 0; i < count; i++) {
        const double gain = sign * metric[i] - sign * decision->best;
        if (i == 0 || exceeds(gain, least_gain)) {
            decision->best_round = i + 1;
            decision->best = metric[i];
            decision->value = (double)NAN;
        } else {
            decision->value = fmax(decision->value, gain); /* NaN: there was no gain before */
        }
    }
}

/* alcore_stop_check_plateau() between enter and leave. */
static alcore_status check_plateau(const double *metric, int64_t count,
                                   const alcore_plateau_options *theirs,
                                   alcore_stop_decision *out) {
    alcore_plateau_options options;
    alcore_stop_decision decision = no_decision(ALCORE_STOP_PLATEAU);
    ALCORE__TRY(alcore__struct_read(&options, sizeof options,
                                    ALCORE__FIRST_SIZE(alcore_plateau_options, reserved), theirs,
                                    "alcore_plateau_options"));
    ALCORE__TRY(alcore__struct_reserved(options.reserved, "alcore_plateau_options"));
    ALCORE__TRY(check_numbers(metric, count, out));
    ALCORE__TRY(check_length("patience", options.patience, "rounds"));
    if (!isfinite(options.least_gain) || options.least_gain < 0)
        return alcore__fail(ALCORE_E_INVALID, "least_gain is %g; expected a number from 0",
                            options.least_gain);
    if (options.lower_is_better != 0 && options.lower_is_better != 1)
        return alcore__fail(ALCORE_E_INVALID, "lower_is_better is %d, not 0 or 1",
                            options.lower_is_better);
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(metric[i]))
            return alcore__fail(ALCORE_E_DATA, "the metric of round %lld is %g; a number is needed",
                                (long long)i + 1, metric[i]);
    decision.numbers = count;
    decision.window = options.patience > 0 ? options.patience : DEFAULT_PATIENCE;
    decision.threshold = options.least_gain;
    find_best_round(metric, count, options.lower_is_better ? -1 : 1, options.least_gain, &decision);
    decision.stop = count > 0 && count - decision.best_round >= decision.window;
    return write_decision(&decision, out);
}

alcore_status alcore_stop_check_plateau(const double *metric, int64_t count,
                                        const alcore_plateau_options *options,
                                        alcore_stop_decision *out) {
    ALCORE__TRY(alcore__enter(NULL));
    return alcore__leave(NULL, check_plateau(metric, count, options, out));
}

/* ---- uncertainty ---- */

/* Measures values [count], of which those that are NaN are left out: the mean, summed by blocks
 * (spec 1.8), or the largest. */
static alcore_status measure(const double *values, int64_t count, alcore_stop_decision *decision) {
    double sum = 0, block = 0, largest = -(double)INFINITY;
    for (int64_t i = 0; i < count; i++) {
        if (isinf(values[i]))
            return alcore__fail(ALCORE_E_DATA, "uncertainty %lld is infinite", (long long)i + 1);
        if (isnan(values[i])) {
            decision->left_out++;
        } else {
            decision->numbers++;
            block += values[i];
            largest = fmax(largest, values[i]);
        }
        if ((i + 1) % ALCORE_BLOCK_ROWS == 0 || i + 1 == count) {
            sum += block;
            block = 0;
        }
    }
    if (decision->numbers > 0)
        decision->value = decision->criterion == ALCORE_STOP_MAX_UNCERTAINTY
                              ? largest
                              : sum / (double)decision->numbers;
    return ALCORE_OK;
}

/* alcore_stop_check_uncertainty() between enter and leave. */
static alcore_status check_uncertainty(const double *values, int64_t count, double threshold,
                                       const alcore_uncertainty_options *theirs,
                                       alcore_stop_decision *out) {
    alcore_uncertainty_options options;
    ALCORE__TRY(alcore__struct_read(&options, sizeof options,
                                    ALCORE__FIRST_SIZE(alcore_uncertainty_options, reserved),
                                    theirs, "alcore_uncertainty_options"));
    ALCORE__TRY(alcore__struct_reserved(options.reserved, "alcore_uncertainty_options"));
    if (options.criterion == 0) options.criterion = ALCORE_STOP_MEAN_UNCERTAINTY;
    if (options.criterion != ALCORE_STOP_MEAN_UNCERTAINTY &&
        options.criterion != ALCORE_STOP_MAX_UNCERTAINTY)
        return alcore__fail(ALCORE_E_INVALID,
                            "criterion is %d; ALCORE_STOP_MEAN_UNCERTAINTY or _MAX_UNCERTAINTY is "
                            "expected",
                            options.criterion);
    alcore_stop_decision decision = no_decision(options.criterion);
    ALCORE__TRY(check_numbers(values, count, out));
    if (!isfinite(threshold))
        return alcore__fail(ALCORE_E_INVALID, "threshold is %g; a number is needed", threshold);
    decision.threshold = threshold;
    ALCORE__TRY(measure(values, count, &decision));
    decision.stop = decision.value <= threshold;
    return write_decision(&decision, out);
}

alcore_status alcore_stop_check_uncertainty(const double *uncertainty, int64_t count,
                                            double threshold,
                                            const alcore_uncertainty_options *options,
                                            alcore_stop_decision *out) {
    ALCORE__TRY(alcore__enter(NULL));
    return alcore__leave(NULL, check_uncertainty(uncertainty, count, threshold, options, out));
}

/* ---- agreement ---- */

/* alcore_stop_check_agreement() between enter and leave. A kappa that is NaN passes the check of
 * its range and makes the mean NaN: the loop goes on. */
static alcore_status check_agreement(const double *kappas, int64_t count,
                                     const alcore_agreement_options *theirs,
                                     alcore_stop_decision *out) {
    alcore_agreement_options options;
    alcore_stop_decision decision = no_decision(ALCORE_STOP_AGREEMENT);
    options = (alcore_agreement_options)ALCORE_AGREEMENT_OPTIONS_INIT;
    ALCORE__TRY(alcore__struct_read_over(&options, sizeof options,
                                         ALCORE__FIRST_SIZE(alcore_agreement_options, threshold),
                                         theirs, "alcore_agreement_options"));
    ALCORE__TRY(check_numbers(kappas, count, out));
    ALCORE__TRY(check_length("window", options.window, "kappas"));
    options.threshold = alcore__or_unset(options.threshold, DEFAULT_KAPPA);
    if (!(options.threshold >= 0 && options.threshold <= 1))
        return alcore__fail(ALCORE_E_INVALID, "threshold is %g; expected a kappa from 0 to 1",
                            options.threshold);
    decision.numbers = count;
    decision.window = options.window > 0 ? options.window : DEFAULT_WINDOW;
    decision.threshold = options.threshold;
    if (count >= decision.window) {
        double sum = 0;
        for (int64_t i = count - decision.window; i < count; i++) {
            if (kappas[i] < -1 || kappas[i] > 1)
                return alcore__fail(ALCORE_E_DATA, "kappa %lld is %g; expected -1 to 1",
                                    (long long)i + 1, kappas[i]);
            sum += kappas[i];
        }
        decision.value = sum / (double)decision.window;
    }
    decision.stop = decision.value >= decision.threshold;
    return write_decision(&decision, out);
}

alcore_status alcore_stop_check_agreement(const double *kappas, int64_t count,
                                          const alcore_agreement_options *options,
                                          alcore_stop_decision *out) {
    ALCORE__TRY(alcore__enter(NULL));
    return alcore__leave(NULL, check_agreement(kappas, count, options, out));
}

/* ---- text ----
 *
 * Each function writes the reason of a decision to buffer [TEXT_BYTES]. verb: "stop" or "go on". */

static void plateau_text(const alcore_stop_decision *decision, const char *verb, char *buffer) {
    const long long since = (long long)(decision->numbers - decision->best_round);
    if (decision->numbers == 0)
        alcore__format(buffer, TEXT_BYTES, "%s: no round was measured yet", verb);
    else
        alcore__format(buffer, TEXT_BYTES,
                       "%s: %lld of %lld rounds without a gain above %.6g over round %lld (%.6g)",
                       verb, since, (long long)decision->window, decision->threshold,
                       (long long)decision->best_round, decision->best);
}

static void uncertainty_text(const alcore_stop_decision *decision, const char *verb, char *buffer) {
    const char *statistic = decision->criterion == ALCORE_STOP_MAX_UNCERTAINTY ? "largest" : "mean";
    if (decision->numbers == 0)
        alcore__format(buffer, TEXT_BYTES, "%s: there is no uncertainty to measure", verb);
    else
        alcore__format(buffer, TEXT_BYTES, "%s: %s uncertainty %.6g of %lld rows is %s %.6g", verb,
                       statistic, decision->value, (long long)decision->numbers,
                       decision->stop ? "at most" : "above", decision->threshold);
}

static void agreement_text(const alcore_stop_decision *decision, const char *verb, char *buffer) {
    const long long window = (long long)decision->window;
    if (decision->numbers < decision->window)
        alcore__format(buffer, TEXT_BYTES, "%s: %lld of the %lld kappas that are averaged", verb,
                       (long long)decision->numbers, window);
    else if (isnan(decision->value))
        alcore__format(buffer, TEXT_BYTES,
                       "%s: one of the last %lld kappas is undefined: both models predict one and "
                       "the same class",
                       verb, window);
    else
        alcore__format(buffer, TEXT_BYTES, "%s: mean %.6g of the last %lld kappas is %s %.6g", verb,
                       decision->value, window, decision->stop ? "at least" : "below",
                       decision->threshold);
}

const char *alcore_stop_text(const alcore_stop_decision *decision, char buffer[200]) {
    alcore_stop_decision read;
    if (!decision || !buffer ||
        alcore__struct_read(&read, sizeof read, ALCORE__FIRST_SIZE(alcore_stop_decision, threshold),
                            decision, "alcore_stop_decision") != ALCORE_OK)
        return NULL;
    const char *verb = read.stop ? "stop" : "go on";
    switch (read.criterion) {
    case ALCORE_STOP_PLATEAU:
        plateau_text(&read, verb, buffer);
        return buffer;
    case ALCORE_STOP_MEAN_UNCERTAINTY:
    case ALCORE_STOP_MAX_UNCERTAINTY:
        uncertainty_text(&read, verb, buffer);
        return buffer;
    case ALCORE_STOP_AGREEMENT:
        agreement_text(&read, verb, buffer);
        return buffer;
    default:
        return NULL;
    }
}
