/* SPDX-License-Identifier: Apache-2.0 */
/* The strategies of this folder, one a file; registry.c lists them. */
#ifndef ALCORE__STRATEGIES_H
#define ALCORE__STRATEGIES_H

#include "strategy/strategy.h"

extern const alcore__strategy_def alcore__strategy_random, alcore__strategy_nnll,
    alcore__strategy_nsp, alcore__strategy_uncertainty, alcore__strategy_diversity,
    alcore__strategy_diversity_global, alcore__strategy_huds, alcore__strategy_idds,
    alcore__strategy_kcenter, alcore__strategy_average_dist, alcore__strategy_badge,
    alcore__strategy_lc, alcore__strategy_entropy, alcore__strategy_margin;

/* A caller's strategy (alcore_strategy_new_host); not in the registry. */
extern const alcore__strategy_def alcore__strategy_of_host;

const alcore__strategy_def *alcore__strategy_at(int32_t index); /* NULL past the last */
const alcore__strategy_def *alcore__strategy_find(const char *name);
/* ALCORE_E_PARAM that names the nearest. */
alcore_status alcore__strategy_unknown(const char *name);

#endif
