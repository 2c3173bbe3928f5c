/* SPDX-License-Identifier: Apache-2.0 */
/* Assertions about what a call of the library returned. */
#ifndef CHECK_STATUS_H
#define CHECK_STATUS_H

#include <check.h>
#include <string.h>

#include "alcore/status.h"

/* The call succeeds. */
#define ck_assert_ok(expression)                                                                   \
    do {                                                                                           \
        alcore_status status_ = (expression);                                                      \
        ck_assert_msg(status_ == ALCORE_OK, "%s: %s: %s", #expression,                             \
                      alcore_status_name(status_), alcore_last_error());                           \
    } while (0)

/* The call fails with this code and a text that holds `part`. */
#define ck_assert_fails(expression, code, part)                                                    \
    do {                                                                                           \
        alcore_status status_ = (expression);                                                      \
        ck_assert_msg(status_ == (code), "%s: %s: %s", #expression, alcore_status_name(status_),   \
                      alcore_last_error());                                                        \
        ck_assert_msg(strstr(alcore_last_error(), (part)), "\"%s\" is not in \"%s\"", (part),      \
                      alcore_last_error());                                                        \
    } while (0)

#endif
