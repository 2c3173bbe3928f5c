/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of the uncertainty of DeMuX (spec 7.4): what is measured, by which columns.
 *
 *   class probabilities   mode=auto, margin, ..., entropy, paper, code    (score_classes.c)
 *   answers               mode=sum-prob, or windows=1: SUM-PROB of the start and the end of an
 *                         answer, with windows=1 over several windows a row (score_sum_prob.c)
 *
 * Strategies that also accept ready scores or token log-probabilities take these where the
 * parameters do not ask for answers (score.c). */
#include "scorer/uncertainty_modes.h"

#include "scorer/class_distributions.h"

const char *const alcore__uncertainty_needs[] = {"margins|probs|token_probs", NULL};
const char *const alcore__hybrid_needs[] = {"scores|margins|probs|token_probs|logprobs",
                                            "embeddings", NULL};

/* ---- the parameters ---- */

/* Whether the parameter "mode" is code: the definition of the public code of DeMuX. */
bool alcore__mode_is_code(const alcore__score_params *params) {
    return params->mode == MODE_CODE;
}

/* Whether the parameter "mode" is paper or code, which name the source of a definition and not what
 * is measured. */
static bool names_source(const alcore__score_params *params) {
    return alcore__mode_is_code(params) || params->mode == MODE_PAPER;
}

bool alcore__uncertainty_has_mode(const alcore__score_params *params, bool but_sources) {
    const bool allowed = but_sources && names_source(params);
    return (params->mode != MODE_AUTO && !allowed) || params->log_margin;
}

/* Whether the uncertainty is that of answers: mode=sum-prob or windows=1. */
bool alcore__uncertainty_is_of_answers(const alcore__score_params *params) {
    return params->windows || params->mode == MODE_SUM_PROB;
}

int64_t alcore__uncertainty_mode(const alcore__score_params *params) {
    return names_source(params) ? MODE_AUTO : params->mode;
}

bool alcore__uncertainty_is_entropy(const alcore__score_params *params) {
    return !alcore__uncertainty_is_of_answers(params) &&
           alcore__uncertainty_mode(params) == MODE_ENTROPY;
}

bool alcore__mode_is_of_tokens(int64_t mode) {
    return mode == MODE_MARGIN_MIN || mode == MODE_MARGIN_MEAN || mode == MODE_MNLP;
}

bool alcore__uncertainty_log_margin(const alcore__score_params *params) {
    return params->log_margin || alcore__mode_is_code(params);
}

/* Called for every block of rows, as a score has no other place for it; a parameter that has no
 * part in what is measured is refused, because the caller believes that it has. */
alcore_status alcore__uncertainty_check(const alcore__score_params *params) {
    const bool answers = alcore__uncertainty_is_of_answers(params);
    const int64_t mode = params->mode;
    if (answers && mode != MODE_AUTO && mode != MODE_SUM_PROB && !names_source(params))
        return alcore__fail(ALCORE_E_PARAM,
                            "windows=1 measures the answers of windows (sum-prob), so that a mode "
                            "of class probabilities has no part in it");
    if (answers && params->log_margin)
        return alcore__fail(ALCORE_E_PARAM,
                            "the uncertainty of answers (sum-prob) has no margins, so that "
                            "margin=log has no part in it");
    if (answers) ALCORE__TRY(alcore__labels_check(params, NULL /* no classes */));
    if (params->log_margin && mode == MODE_PAPER)
        return alcore__fail(ALCORE_E_PARAM,
                            "the margins of mode=paper are those of probabilities, so that "
                            "margin=log has no part in it");
    return ALCORE_OK;
}

/* ---- the columns ---- */

/* The columns that a mode reads: alone: as a score; hybrid: in a strategy that also accepts ready
 * scores or token log-probabilities, and reads embeddings. Both end with NULL. Each text is one
 * need; of the columns a|b one is enough, and the first that is there is read. */
typedef struct mode_needs {
    const char *const alone[4], *const hybrid[5];
} mode_needs;
#define MODE_NEEDS(columns)                                                                        \
    {                                                                                              \
        {columns, NULL}, {                                                                         \
            "scores|" columns "|logprobs", "embeddings", NULL                                      \
        }                                                                                          \
    }

/* The needs with the present values of the parameters, in static memory. A column of margins of
 * logarithms does not exist, so those are computed from distributions. */
static const mode_needs *needs_of_mode(const alcore__score_params *params) {
    static const mode_needs automatic = MODE_NEEDS("margins|probs|token_probs");
    static const mode_needs wide = MODE_NEEDS("probs|token_probs");
    static const mode_needs wide_tokens = MODE_NEEDS("token_probs");
    static const mode_needs margins = MODE_NEEDS("margins|token_probs");
    static const mode_needs mnlp = MODE_NEEDS("confidences|token_probs");
    static const mode_needs lc = MODE_NEEDS("confidences|probs|token_probs");
    static const mode_needs entropy = MODE_NEEDS("entropies|probs|token_probs");
    static const mode_needs answers = {{"qa_start", "qa_end", NULL},
                                       {"qa_start", "qa_end", "embeddings", NULL}};
    static const mode_needs windows = {{"qa_start", "qa_end", "qa_windows", NULL},
                                       {"qa_start", "qa_end", "qa_windows", "embeddings", NULL}};
    const int64_t mode = alcore__uncertainty_mode(params);
    const bool log_margin = alcore__uncertainty_log_margin(params);
    if (alcore__uncertainty_is_of_answers(params)) return params->windows ? &windows : &answers;
    if (mode == MODE_MNLP) return &mnlp;
    if (mode == MODE_LC) return &lc;
    if (mode == MODE_ENTROPY) return &entropy;
    if (alcore__mode_is_of_tokens(mode)) return log_margin ? &wide_tokens : &margins;
    return log_margin ? &wide : &automatic;
}

/* The columns that the uncertainty of DeMuX reads with these parameters
 * (alcore__score.needs_of). */
const char *const *alcore__uncertainty_needs_of(const alcore__score_params *params) {
    return needs_of_mode(params)->alone;
}

/* The same for a strategy that also accepts ready scores or token log-probabilities, and reads
 * embeddings. */
const char *const *alcore__hybrid_needs_of(const alcore__score_params *params) {
    return needs_of_mode(params)->hybrid;
}
