/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking by how much the samples of a model, or the members of a committee, disagree about the
 * class of a row (docs/spec/scores.md 4.20). With p_s the distribution of sample s, m their mean
 * and H the entropy:
 *
 *   bald      H(m) - mean of H(p_s): the mutual information between the class and the model
 *             (Houlsby et al. 2011; Gal, Islam and Ghahramani 2017)
 *   variance  of the probabilities over the samples, the mean over the classes
 *   qbc       query by committee (Seung, Opper and Sompolinsky 1992): the disagreement that the
 *             parameter `measure` names
 *
 * The largest score is picked first. lib/scorer/score_samples.c computes the scores,
 * rank_by_score.c ranks by them; the definitions here only name which. */
#include "scorer/score_table.h"
#include "strategy/strategies.h"

static const alcore__param PLAIN_ROWS[] = {ALCORE__CANDIDATE_PARAMS};
static const alcore__param COMMITTEE_ROWS[] = {ALCORE__COMMITTEE_PARAM, ALCORE__CANDIDATE_PARAMS};
static const char *const EXAMPLES[] = {"measure=consensus-entropy", "measure=variation-ratio",
                                       "measure=kl", "measure=kl-max", NULL};

/* score_rows of the definitions: fill score, raw and rank of the rows of a call, as score.h
 * describes them. */
static alcore_status bald(alcore__score_call *call) {
    return alcore__score_bald.rows(call);
}
static alcore_status variance(alcore__score_call *call) {
    return alcore__score_variance.rows(call);
}
static alcore_status qbc(alcore__score_call *call) {
    return alcore__score_qbc.rows(call);
}
/* alcore__strategy_def.reads_all_classes: always, as means of samples are made of them. */
static bool reads_all_classes(const alcore__score_params *params) {
    (void)params;
    return true;
}

const alcore__strategy_def alcore__strategy_bald = {
    .name = "bald",
    .summary = "The largest mutual information between the class and the samples of a model (BALD, "
               "Houlsby et al. 2011)",
    .measure = "mutual information",
    .params = ALCORE__PARAMS(PLAIN_ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__sample_needs},
    .score_rows = bald,
    .reads_all_classes = reads_all_classes,
    .raw_name = "mutual_information",
    ALCORE__RANK_BY_SCORE,
};

const alcore__strategy_def alcore__strategy_variance = {
    .name = "variance",
    .summary = "The largest variance of the class probabilities over the samples of a model",
    .measure = "predictive variance",
    .params = ALCORE__PARAMS(PLAIN_ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__sample_needs},
    .score_rows = variance,
    .reads_all_classes = reads_all_classes,
    .raw_name = "variance",
    ALCORE__RANK_BY_SCORE,
};

const alcore__strategy_def alcore__strategy_qbc = {
    .name = "qbc",
    .summary = "Query by committee: the largest disagreement of several models about the class "
               "(Seung et al. 1992)",
    .examples = EXAMPLES,
    .measure = "disagreement",
    .params = ALCORE__PARAMS(COMMITTEE_ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__sample_needs},
    .score_rows = qbc,
    .reads_all_classes = reads_all_classes,
    .raw_name = "disagreement",
    ALCORE__RANK_BY_SCORE,
};
