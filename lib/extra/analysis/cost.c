/* SPDX-License-Identifier: Apache-2.0 */
/* What the translation of words costs (docs/spec/analyses.md 8.8), in USD, by one of three models.
 * The linear model and the power model are the curves of their kind through two prices that the
 * paper on phrases reports. */
#include <math.h>

#include "alcore/extra/analysis.h"
#include "base/base.h"

/* Footnote 5 of the paper: these words cost that much, in USD. */
static const double known_words[2] = {2500, 40000};
static const double known_usd[2] = {491, 7092};
#define DEFAULT_RATE 0.1773 /* USD a word: 7,092 / 40,000, rounded to four decimals */

/* The price of `words` words in USD by options->model, which was checked. */
static double price_of(double words, const alcore_cost_options *options) {
    if (options->model == ALCORE_COST_LINEAR) {
        const double slope = (known_usd[1] - known_usd[0]) / (known_words[1] - known_words[0]);
        return known_usd[0] - known_words[0] * slope + slope * words;
    }
    if (options->model == ALCORE_COST_POWER) {
        const double power =
            log(known_usd[1] / known_usd[0]) / log(known_words[1] / known_words[0]);
        return known_usd[0] / pow(known_words[0], power) * pow(words, power);
    }
    return options->rate * words;
}

/* alcore_analysis_compute_cost() between enter and leave. */
static alcore_status compute_cost(double words, const alcore_cost_options *theirs,
                                  alcore_cost_result *out) {
    alcore_cost_options options;
    options = (alcore_cost_options)ALCORE_COST_OPTIONS_INIT;
    ALCORE__TRY(alcore__struct_read_over(&options, sizeof options,
                                         ALCORE__FIRST_SIZE(alcore_cost_options, in_domain_types),
                                         theirs, "alcore_cost_options"));
    ALCORE__TRY(alcore__struct_reserved(options.reserved, "alcore_cost_options"));
    if (!out) return alcore__fail(ALCORE_E_INVALID, "out is NULL");
    if (!isfinite(words) || words < 0)
        return alcore__fail(ALCORE_E_INVALID, "words is %g; expected a number from 0", words);
    options.model = alcore__or_default(options.model, ALCORE_COST_RATE);
    if (options.model < ALCORE_COST_RATE || options.model > ALCORE_COST_POWER)
        return alcore__fail(ALCORE_E_INVALID, "model %d is none of ALCORE_COST_*", options.model);
    options.rate = alcore__or_unset(options.rate, DEFAULT_RATE);
    if (!isfinite(options.rate) || options.rate < 0)
        return alcore__fail(ALCORE_E_INVALID, "rate is %g; expected USD a word, from 0",
                            options.rate);
    if (!isfinite(options.bleu_gain) || !isfinite(options.in_domain_types) ||
        options.in_domain_types < 0)
        return alcore__fail(ALCORE_E_INVALID,
                            "bleu_gain or in_domain_types is not finite, or there are fewer than 0 "
                            "in-domain types");
    alcore_cost_result result = {.usd = price_of(words, &options)};
    result.usd_per_bleu = options.bleu_gain > 0 ? result.usd / options.bleu_gain : (double)NAN;
    result.usd_per_type =
        options.in_domain_types > 0 ? result.usd / options.in_domain_types : (double)NAN;
    return alcore__struct_write(out, &result, sizeof result,
                                ALCORE__FIRST_SIZE(alcore_cost_result, usd_per_type),
                                "alcore_cost_result");
}

alcore_status alcore_analysis_compute_cost(double words, const alcore_cost_options *options,
                                           alcore_cost_result *out) {
    ALCORE__TRY(alcore__enter(NULL));
    return alcore__leave(NULL, compute_cost(words, options, out));
}
