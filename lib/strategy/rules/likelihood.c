/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking by the log-probabilities l of a row's T tokens: NNLL (spec 3.1), u = - (1/T) sum l, and
 * NSP (spec 4.2), 1 - exp(-u). l is a natural logarithm. Both order the rows in the same way, the
 * largest first. Scores are computed by lib/scorer and ranked by rank_by_score.c. A score call has
 * three outputs for each row: rank, what rows are ordered by; score, what is reported; raw, the
 * quantity of the paper, here u. */
#include "scorer/score_table.h"
#include "strategy/strategies.h"

static const char *const NEEDS[] = {"scores|logprobs", NULL};
static const alcore__param ROWS[] = {ALCORE__CANDIDATE_PARAMS};

static const alcore__term TERMS[] = {
    {.name = "uncertainty", .column = "u", .alone = "nnll", .is_score = true}, {0}};

const alcore__strategy_def alcore__strategy_nnll = {
    .name = "nnll",
    .summary = "The most uncertain rows by the mean of minus their token log-probabilities (HUDS)",
    .measure = "uncertainty",
    .terms = TERMS,
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = NEEDS},
    .score_rows = alcore__score_uncertainty,
    .raw_name = "u",
    ALCORE__RANK_BY_SCORE,
};

/* Computes NNLL and reports it as NSP (the score; rank and raw stay NNLL): candidates are ordered
 * by NNLL, as NSP rounds to 1 where NNLL is large and would tie there. */
static alcore_status score_nsp(alcore__score_call *call) {
    ALCORE__TRY(alcore__score_uncertainty(call));
    alcore__score_as_nsp(call);
    return ALCORE_OK;
}

const alcore__strategy_def alcore__strategy_nsp = {
    .name = "nsp",
    .summary = "The rows of the smallest geometric mean of token probabilities (HUDS)",
    .measure = "uncertainty",
    .terms = TERMS,
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = NEEDS},
    .score_rows = score_nsp,
    .raw_name = "u",
    ALCORE__RANK_BY_SCORE,
};
