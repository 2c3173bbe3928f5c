/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in strategies, declared from the rows of registry_rows.h, and their registry. */
#ifndef ALCORE__STRATEGIES_H
#define ALCORE__STRATEGIES_H

#include "strategy/strategy_def.h"

#define ALCORE__STRATEGY_ROW(symbol, file)                                                         \
    extern const alcore__strategy_def alcore__strategy_##symbol;
#include "strategy/registry_rows.h"
#undef ALCORE__STRATEGY_ROW

/* A caller's strategy (alcore_strategy_new_host); not in the registry. */
extern const alcore__strategy_def alcore__strategy_of_host;

const alcore__strategy_def *alcore__strategy_at(int64_t index);      /* NULL past the last */
const alcore__strategy_def *alcore__strategy_find(const char *name); /* NULL: no such strategy */
/* Fails with ALCORE_E_PARAM and the strategy of the most similar name; name may be NULL. */
alcore_status alcore__strategy_unknown(const char *name);

#endif
