/* SPDX-License-Identifier: Apache-2.0 */
/* A log function of a context that keeps the last warning. */
#ifndef TEST_LAST_WARNING_H
#define TEST_LAST_WARNING_H

#include <stdint.h>
#include <stdio.h>

#include "alcore/alcore.h"

static char logged[256]; /* the last warning */

static void keep_line(void *user, int32_t level, const char *component, const char *message,
                      const char *fields) {
    (void)user;
    (void)component;
    (void)fields;
    if (level == ALCORE_LOG_WARN) snprintf(logged, sizeof logged, "%s", message);
}

#endif
