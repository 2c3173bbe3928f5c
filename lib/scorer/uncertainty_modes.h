/* SPDX-License-Identifier: Apache-2.0 */
/* What the uncertainty of DeMuX is measured of (spec 7.4): the parameters of
 * ALCORE__UNCERTAINTY_PARAMS, read in one place for the score "uncertainty", which the strategies
 * uncertainty, knn-uncertainty and uncertainty-knn rank by. */
#ifndef ALCORE__UNCERTAINTY_MODES_H
#define ALCORE__UNCERTAINTY_MODES_H

#include "scorer/score_table.h"

/* The values of the parameter "mode", in the order of ALCORE__UNCERTAINTY_PARAMS. */
enum {
    MODE_AUTO,
    MODE_MARGIN,
    MODE_MARGIN_MIN,
    MODE_MARGIN_MEAN,
    MODE_MNLP,
    MODE_LC,
    MODE_ENTROPY,
    MODE_SUM_PROB, /* of answers, not of classes */
    MODE_PAPER,    /* alcore__uncertainty_mode() makes auto of this and of the next */
    MODE_CODE      /* margins of logarithms; tokens whose margin is 0 are left out */
};

/* What is measured of class probabilities: MODE_AUTO to MODE_ENTROPY. The definitions of the paper
 * and of its public code are auto. Has no meaning where answers are measured. */
int64_t alcore__uncertainty_mode(const alcore__score_params *params);
/* Whether a mode is defined for one distribution a token only. */
bool alcore__mode_is_of_tokens(int64_t mode);
/* Whether the uncertainty is from margins of logarithms: margin=log, or mode=code. */
bool alcore__uncertainty_log_margin(const alcore__score_params *params);
/* ALCORE_E_PARAM for values of mode, margin and windows that contradict each other. */
alcore_status alcore__uncertainty_check(const alcore__score_params *params);

#endif
