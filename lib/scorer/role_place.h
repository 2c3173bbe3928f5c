/* SPDX-License-Identifier: Apache-2.0 */
/* Roles (ALCORE_ROLE_*) as places in arrays: the values of an enum are consecutive, in a hundred of
 * their own. */
#ifndef ALCORE__ROLE_PLACE_H
#define ALCORE__ROLE_PLACE_H

#include "alcore/view.h"

/* The place of a role, such as ALCORE__ROLE(LABELED) of ALCORE_ROLE_LABELED. */
#define ALCORE__ROLE(name) (ALCORE_ROLE_##name - ALCORE_ROLE_CANDIDATES)
/* The roles whose columns a strategy can name: candidates, labeled and target. */
enum { ALCORE__NEED_ROLES = ALCORE__ROLE(TARGET) + 1 };

static inline int32_t alcore__role_place(int32_t role) {
    return role - ALCORE_ROLE_CANDIDATES;
}

/* What messages add to the name of a column of a role; static. */
static inline const char *alcore__role_owner(int32_t role) {
    return role == ALCORE_ROLE_LABELED  ? " of the labeled pool"
           : role == ALCORE_ROLE_TARGET ? " of the target"
                                        : "";
}

#endif
