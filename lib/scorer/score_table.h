/* SPDX-License-Identifier: Apache-2.0 */
/* The scores of this folder and what they share. */
#ifndef ALCORE__SCORE_TABLE_H
#define ALCORE__SCORE_TABLE_H

#include "scorer/score.h"

extern const alcore__score alcore__score_nnll, alcore__score_nsp, alcore__score_sum_prob;
extern const alcore__score alcore__score_rttl, alcore__score_rtt_bleu;
extern const alcore__score alcore__score_class_uncertainty, alcore__score_lc, alcore__score_entropy,
    alcore__score_margin;
extern const alcore__score alcore__score_bald, alcore__score_variance, alcore__score_qbc;

/* What the scores of classes need: with the default parameters, and with the given ones. A strategy
 * that ranks by such a score needs the same. */
extern const char *const alcore__lc_needs[], *const alcore__entropy_needs[];
extern const char *const alcore__margin_needs[], *const alcore__uncertainty_needs[];
extern const char *const alcore__sample_needs[];
const char *const *alcore__margin_needs_of(const alcore__score_params *params);
const char *const *alcore__uncertainty_needs_of(const alcore__score_params *params);
/* What a strategy needs that ranks by alcore__score_given_or_class() and reads embeddings: with the
 * default parameters, and with the given ones. */
extern const char *const alcore__hybrid_needs[];
const char *const *alcore__hybrid_needs_of(const alcore__score_params *params);

/* Parameters that the scores share with the strategies that rank by them. */
#define ALCORE__TO_SCORES(member) ALCORE__MEMBER(ALCORE__TO_SCORE, alcore__score_params, member)
#define ALCORE__MARGIN_PARAM                                                                       \
    ALCORE__PARAM("margin", CHOICE, "prob", 0, 0, "prob|log",                                      \
                  "margins of probabilities, or of their logarithms (from probabilities only)",    \
                  ALCORE__TO_SCORES(log_margin))
/* more: a string that is added to the help, for what else mode=code does in a strategy. */
#define ALCORE__UNCERTAINTY_MODE_PARAM_AND(more)                                                   \
    ALCORE__PARAM(                                                                                 \
        "mode", CHOICE, "auto", 0, 0,                                                              \
        "auto|margin|margin-min|margin-mean|mnlp|lc|entropy|sum-prob|paper|code",                  \
        "what is measured; auto: margin for a distribution a row, margin-min for one a token. "    \
        "Read from the column margins, for lc and mnlp confidences, for entropy entropies, else "  \
        "from probs or token_probs. paper: auto, as DeMuX prints it; code: as its public code "    \
        "does, auto with margins of logarithms, without tokens whose margin is 0" more             \
        ". sum-prob: answers, from qa_start and qa_end",                                           \
        ALCORE__TO_SCORES(mode))
#define ALCORE__WINDOWS_PARAM                                                                      \
    ALCORE__PARAM("windows", FLAG, "0", 0, 1, NULL,                                                \
                  "1: question answering, sum-prob over windows of contexts, of which the column " \
                  "qa_windows has the numbers of positions; the most confident window counts",     \
                  ALCORE__TO_SCORES(windows))
#define ALCORE__LABELS_PARAM                                                                       \
    ALCORE__PARAM("labels", CHOICE, "mean", 0, 0, "mean|max",                                      \
                  "of the probabilities of independent labels (multilabel): the mean of the "      \
                  "labels' scores, or the score of the most uncertain label",                      \
                  ALCORE__TO_SCORES(labels_max))
#define ALCORE__COMMITTEE_PARAM                                                                    \
    ALCORE__PARAM("measure", CHOICE, "vote-entropy", 0, 0,                                         \
                  "vote-entropy|consensus-entropy|variation-ratio|kl|kl-max",                      \
                  "how disagreement is measured: entropy of the votes, or of the mean of the "     \
                  "probabilities; share of the votes against the winner; mean or largest "         \
                  "Kullback-Leibler divergence of a member from that mean",                        \
                  ALCORE__TO_SCORES(committee))
/* The parameters of the uncertainty of DeMuX, which its score and its strategies have. */
#define ALCORE__UNCERTAINTY_PARAMS_AND(more)                                                       \
    ALCORE__UNCERTAINTY_MODE_PARAM_AND(more), ALCORE__MARGIN_PARAM, ALCORE__WINDOWS_PARAM,         \
        ALCORE__LABELS_PARAM
#define ALCORE__UNCERTAINTY_PARAMS ALCORE__UNCERTAINTY_PARAMS_AND("")
/* Whether mode or margin is set, that is not its default; with but_sources a mode that names a
 * source does not count. */
bool alcore__uncertainty_has_mode(const alcore__score_params *params, bool but_sources);
/* Whether the parameters ask for the entropy of class probabilities. */
bool alcore__uncertainty_is_entropy(const alcore__score_params *params);
bool alcore__mode_is_code(const alcore__score_params *params);
/* Whether the parameters ask for the uncertainty of answers: mode=sum-prob or windows=1. */
bool alcore__uncertainty_is_of_answers(const alcore__score_params *params);

#define ALCORE__RTTL_PARAMS                                                                        \
    ALCORE__PARAM("norm", CHOICE, "mean", 0, 0, "mean|none",                                       \
                  "mean over the tokens, or their sum, which favors long texts",                   \
                  ALCORE__TO_SCORES(sums)),                                                        \
        ALCORE__PARAM("sign", CHOICE, "minus", 0, 0, "minus|literal",                              \
                      "literal: the likelihood itself, the largest first, as the paper prints "    \
                      "it; norm is not used then",                                                 \
                      ALCORE__TO_SCORES(literal))

/* Uncertainty from whatever a model gives: SUM-PROB where the parameters ask for answers, else the
 * column "scores" in its meaning, else the score of DeMuX from class probabilities or what was
 * computed of them (spec 7.4), else NNLL of "logprobs". Needs the parameters of
 * ALCORE__UNCERTAINTY_PARAMS. */
alcore_status alcore__score_given_or_class(alcore__score_call *call);

/* Computes score and raw of NSP from rank [count], which holds the NNLL. */
void alcore__score_as_nsp(alcore__score_call *call);

#endif
