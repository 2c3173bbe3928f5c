/* SPDX-License-Identifier: Apache-2.0 */
/* What a walk needs before it begins: the program ends where that cannot be made. */
#ifndef MUST_H
#define MUST_H

#include <stdio.h>
#include <stdlib.h>

#include "alcore/status.h"

static inline void must(alcore_status status, const char *what) {
    if (status == ALCORE_OK) return;
    printf("Bail out! %s: %s (%s)\n", what, alcore_last_error(), alcore_status_name(status));
    exit(1);
}
#define MUST(expression) must(expression, #expression)

#endif
