/* SPDX-License-Identifier: Apache-2.0 */
/* Round trips, the comparisons of phrase-level active learning (spec 5.7; Hu and Neubig 2021): a
 * sentence that a translation and its translation back do not reproduce is hard to translate, and
 * should be labeled.
 *
 *   rttl      minus the mean log-probability of the sentence given its translation
 *   rtt-bleu  1 - BLEU of the round trip with the sentence / 100
 *
 * The largest score is picked first. lib/scorer computes the scores, rank_by_score.c ranks by them.
 * What both read is given by the caller: the library calls no translation models for it. */
#include "scorer/score_table.h"
#include "strategy/strategies.h"

static const alcore__param RTTL_ROWS[] = {ALCORE__RTTL_PARAMS, ALCORE__CANDIDATE_PARAMS};
static const alcore__param BLEU_ROWS[] = {ALCORE__CANDIDATE_PARAMS};
static const char *const LOGPROBS[] = {"logprobs", NULL};
static const char *const ROUND_TRIPS[] = {"roundtrip", NULL};
static const char *const RTTL_EXAMPLES[] = {"norm=none", "sign=literal", NULL};

/* score_rows of both definitions: score, raw and rank of the rows of a call, as score.h describes
 * them. raw is the sum of the log-probabilities for rttl, BLEU for rtt-bleu: it becomes the record
 * column raw_name. */
static alcore_status score_rttl(alcore__score_call *call) {
    return alcore__score_rttl.rows(call);
}
static alcore_status score_rtt_bleu(alcore__score_call *call) {
    return alcore__score_rtt_bleu.rows(call);
}

const alcore__strategy_def alcore__strategy_rttl = {
    .name = "rttl",
    .summary = "The sentences that a round trip finds least likely, by the log-probabilities of "
               "translating back (RTTL of phrase-level active learning)",
    .examples = RTTL_EXAMPLES,
    .measure = "unlikeliness of the round trip",
    .params = ALCORE__PARAMS(RTTL_ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = LOGPROBS},
    .needs_are_given = true,
    .score_rows = score_rttl,
    .raw_name = "loglikelihood",
    ALCORE__RANK_BY_SCORE,
};

const alcore__strategy_def alcore__strategy_rtt_bleu = {
    .name = "rtt-bleu",
    .summary = "The sentences that a round trip does not bring back, by BLEU (Haffari et al. 2009)",
    .measure = "loss of the round trip",
    .params = ALCORE__PARAMS(BLEU_ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = ROUND_TRIPS},
    .needs_are_given = true,
    .score_rows = score_rtt_bleu,
    .raw_name = "bleu",
    ALCORE__RANK_BY_SCORE,
};
