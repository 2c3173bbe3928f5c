/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ALCORE__STRATEGY_HANDLE_H
#define ALCORE__STRATEGY_HANDLE_H

#include "strategy/strategies.h"

struct alcore_strategy {
    alcore__object object;
    const alcore__strategy_def *def;
    alcore__values values;
    char *owner; /* "strategy NAME", for messages; NAME of a host strategy is the caller's */
    alcore_strategy_host host;
    char **host_needs; /* [host_need_count + 1] NULL-terminated, owned */
    int64_t host_need_count;
};

#endif
