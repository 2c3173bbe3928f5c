/* SPDX-License-Identifier: Apache-2.0 */
/* What the two hybrids of uncertainty and nearness to a target share (spec 7.5, 7.6): the
 * uncertainty of every candidate, and the check of the target's embeddings. */
#ifndef ALCORE__TARGET_HYBRID_H
#define ALCORE__TARGET_HYBRID_H

#include "scorer/score_table.h"
#include "strategy/block.h"
#include "strategy/budget/fill.h"

/* The state of either strategy begins with this. */
typedef struct alcore__hybrid {
    alcore__filler filler;
} alcore__hybrid;

/* Begins the filler. ALCORE_E_PARAM for mode= or margin= where the
 * uncertainty does not come from class probabilities. names_source: mode=paper and mode=code are
 * allowed even so, as the strategy does something else by them too. */
alcore_status alcore__hybrid_begin(alcore__run *run, bool names_source);

/* The pass "uncertainty", with the members of its partial, whose values fill an array of all
 * candidates: larger = more uncertain. */
alcore_status alcore__hybrid_score_block(alcore__block *block, void *partial);
#define ALCORE__UNCERTAINTY_PASS(...)                                                              \
    .name = "uncertainty", .scores = true, .block = alcore__hybrid_score_block,                    \
    .partial = {__VA_ARGS__}

/* Which candidate of a block a row is that another process may have told: *index. ALCORE_E_CORRUPT:
 * none. */
alcore_status alcore__hybrid_candidate(const alcore__block *block, int64_t row, int64_t *index);

/* A pass that fails for a target row with a NaN or an infinity. Distances to such a row are NaN or
 * infinite; no later pass would notice that. */
alcore_status alcore__hybrid_check_target(alcore__block *block, void *partial);
#define ALCORE__CHECK_TARGET_PASS                                                                  \
    .name = "target", .source = ALCORE__OVER_TARGET, .block = alcore__hybrid_check_target

#endif
