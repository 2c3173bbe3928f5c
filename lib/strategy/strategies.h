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

/* The needs of strategies that read embeddings only. */
static const char *const alcore__needs_embeddings[] = {"embeddings", NULL};

const alcore__strategy_def *alcore__strategy_at(int64_t index); /* NULL past the last */
/* The definition of a name; of NULL and of "recommended" that of the recommended strategy; NULL for
 * a name that no strategy has. */
const alcore__strategy_def *alcore__strategy_find(const char *name);
/* Whether a name, or NULL, stands for the recommended strategy, whichever that is. */
bool alcore__strategy_name_recommends(const char *name);
/* Why the recommended strategy is recommended: half a sentence, static. */
const char *alcore__strategy_recommended_because(void);
/* Fails with ALCORE_E_PARAM and the strategy of the most similar name. */
alcore_status alcore__strategy_unknown(const char *name);

#endif
