/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of scores: a new one needs a file and a row here. */
#include <string.h>

#include "scorer/class_distributions.h"
#include "scorer/score_table.h"

static const alcore__score *const SCORES[] = {
    &alcore__score_nnll,     &alcore__score_nsp,      &alcore__score_class_uncertainty,
    &alcore__score_lc,       &alcore__score_entropy,  &alcore__score_margin,
    &alcore__score_sum_prob, &alcore__score_rttl,     &alcore__score_rtt_bleu,
    &alcore__score_bald,     &alcore__score_variance, &alcore__score_qbc,
};

/* The score at an index of the registry, from 0; NULL past the last and below 0. */
const alcore__score *alcore__score_at(int64_t index) {
    int32_t count = (int32_t)(sizeof SCORES / sizeof SCORES[0]);
    return index >= 0 && index < count ? SCORES[index] : NULL;
}

/* The score of that name; NULL: there is none. */
const alcore__score *alcore__score_find(const char *name) {
    for (int32_t i = 0; alcore__score_at(i); i++) {
        if (!strcmp(SCORES[i]->name, name)) return SCORES[i];
    }
    return NULL;
}

alcore__score_params alcore__score_params_of(const alcore__values *values) {
    alcore__score_params params = {0};
    alcore__values_bind(values, ALCORE__TO_SCORE, &params);
    return params;
}

/* Fills score, raw and rank of the call's rows (larger = more worth labeling): SUM-PROB where the
 * parameters ask for answers; else from the column "scores" if the dataset has it, else as the
 * score "uncertainty" from the first of the columns of classes below, else NNLL of "logprobs". The
 * two hybrids of DeMuX rank by it (lib/strategy/rules/knn_uncertainty.c and uncertainty_knn.c). */
alcore_status alcore__score_given_or_class(alcore__score_call *call) {
    static const char *const of_classes[] = {"margins", "confidences", "entropies", "probs",
                                             "token_probs"};
    bool has_classes = false;
    if (alcore__uncertainty_is_of_answers(call->params))
        return alcore__score_class_uncertainty.rows(call);
    for (size_t i = 0; i < sizeof of_classes / sizeof *of_classes; i++)
        if (alcore__dataset_find(call->dataset, of_classes[i])) has_classes = true;
    if (alcore__dataset_find(call->dataset, "scores") || !has_classes) {
        ALCORE__TRY(alcore__labels_check(call->params, NULL /* ready scores */));
        return alcore__score_uncertainty(call);
    }
    return alcore__score_class_uncertainty.rows(call);
}
