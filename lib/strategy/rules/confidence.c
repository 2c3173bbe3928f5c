/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking by the class probabilities p of a row, p_1 and p_2 the two largest (spec 4.9):
 *
 *   lc = 1 - p_1,   entropy = - sum over classes of p log p,   margin = 1 - (p_1 - p_2)
 *
 * (log is the natural logarithm) and by the uncertainty of DeMuX (spec 7.4), which is the margin of
 * a row or that of its words, or SUM-PROB of an answer. The largest score is picked first.
 * lib/scorer computes the scores, rank_by_score.c ranks by them; the definitions here only name
 * which. */
#include "scorer/score_table.h"
#include "strategy/strategies.h"

static const alcore__param PLAIN_ROWS[] = {ALCORE__LABELS_PARAM, ALCORE__CANDIDATE_PARAMS};
static const alcore__param MARGIN_ROWS[] = {ALCORE__MARGIN_PARAM, ALCORE__LABELS_PARAM,
                                            ALCORE__CANDIDATE_PARAMS};
static const alcore__param UNCERTAINTY_ROWS[] = {ALCORE__UNCERTAINTY_PARAMS,
                                                 ALCORE__CANDIDATE_PARAMS};

/* score_rows of the definitions: fill score, raw and rank of the rows of a call, as score.h
 * describes them. */
static alcore_status uncertainty(alcore__score_call *call) {
    return alcore__score_class_uncertainty.rows(call);
}
static alcore_status lc(alcore__score_call *call) {
    return alcore__score_lc.rows(call);
}
static alcore_status entropy(alcore__score_call *call) {
    return alcore__score_entropy.rows(call);
}
/* alcore__strategy_def.reads_all_classes of entropy: always. */
static bool reads_all_classes(const alcore__score_params *params) {
    (void)params;
    return true;
}
static alcore_status margin(alcore__score_call *call) {
    return alcore__score_margin.rows(call);
}

const alcore__strategy_def alcore__strategy_uncertainty = {
    .name = "uncertainty",
    .summary = "The smallest margin between the two likeliest classes, of a row or of its words "
               "(DeMuX)",
    .measure = "uncertainty",
    .params = ALCORE__PARAMS(UNCERTAINTY_ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__uncertainty_needs},
    .candidate_needs = alcore__uncertainty_needs_of,
    .score_rows = uncertainty,
    .reads_all_classes = alcore__uncertainty_is_entropy,
    .raw_name = "raw",
    ALCORE__RANK_BY_SCORE,
};

const alcore__strategy_def alcore__strategy_lc = {
    .name = "lc",
    .summary = "Least confidence: the smallest probability of the likeliest class",
    .measure = "least confidence",
    .params = ALCORE__PARAMS(PLAIN_ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__lc_needs},
    .score_rows = lc,
    .raw_name = "confidence",
    ALCORE__RANK_BY_SCORE,
};

const alcore__strategy_def alcore__strategy_entropy = {
    .name = "entropy",
    .summary = "The largest entropy of the class probabilities",
    .measure = "entropy",
    .params = ALCORE__PARAMS(PLAIN_ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__entropy_needs},
    .score_rows = entropy,
    .reads_all_classes = reads_all_classes,
    .raw_name = "entropy",
    ALCORE__RANK_BY_SCORE,
};

const alcore__strategy_def alcore__strategy_margin = {
    .name = "margin",
    .summary = "The smallest margin between the two likeliest classes (DeMuX)",
    .measure = "smallness of the margin",
    .params = ALCORE__PARAMS(MARGIN_ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__margin_needs},
    .candidate_needs = alcore__margin_needs_of,
    .score_rows = margin,
    .raw_name = "margin",
    ALCORE__RANK_BY_SCORE,
};
