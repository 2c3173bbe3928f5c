/* SPDX-License-Identifier: Apache-2.0 */
/* The diversity of HUDS alone (spec 4.3), inside strata of uncertainty or over all candidates. */
#include "strategy/rules/huds/huds.h"

static const alcore__param DIVERSITY_ROWS[] = {ALCORE__STRATA_PARAMS, ALCORE__CENTROID_PARAMS,
                                               ALCORE__CANDIDATE_PARAMS};
static const alcore__param GLOBAL_ROWS[] = {ALCORE__CENTROID_PARAMS, ALCORE__CANDIDATE_PARAMS};

static const char *const BOTH[] = {"scores|logprobs", "embeddings", NULL};

const alcore__strategy_def alcore__strategy_diversity = {
    .name = "diversity",
    .summary = "Diversity alone: the distance of a row from the centroid of its stratum of "
               "uncertainty (HUDS with lambda 1)",
    .terms = alcore__huds_terms,
    .params = ALCORE__PARAMS(DIVERSITY_ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = BOTH},
    .score_rows = alcore__score_uncertainty,
    ALCORE__HUDS_RUN,
};

const alcore__strategy_def alcore__strategy_diversity_global = {
    .name = "diversity-global",
    .summary = "The distance from the centroid of all rows (HUDS)",
    .terms = alcore__huds_terms,
    .params = ALCORE__PARAMS(GLOBAL_ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__needs_embeddings},
    ALCORE__HUDS_RUN,
};
