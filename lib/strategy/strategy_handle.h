/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a strategy handle: the public type alcore_strategy is opaque. */
#ifndef ALCORE__STRATEGY_HANDLE_H
#define ALCORE__STRATEGY_HANDLE_H

#include "scorer/role_place.h"
#include "strategy/strategies.h"

enum { ALCORE__STRATEGY_PARTS = 2 };

struct alcore_strategy {
    alcore__object object; /* reference count and context; first, as every handle has it */
    const alcore__strategy_def *def;
    bool is_recommended;   /* it was made as the recommended one, not by its name */
    alcore__values values; /* of the parameters in def->params */
    char *owner; /* "strategy NAME", owned: what error messages call it. The host program gives the
                    NAME of its own strategy */
    /* Of a hybrid strategy, owned: what buys rows and what buys phrases; else NULL. */
    struct alcore_strategy *parts[ALCORE__STRATEGY_PARTS];
    alcore_strategy_host host; /* callbacks of a host program; zeroed for a built-in strategy */
    /* Columns that the callbacks read, by ALCORE__ROLE(): [count + 1] NULL-terminated, owned. */
    char **host_needs[ALCORE__NEED_ROLES];
};

#endif
