/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of this folder share. */
#ifndef FORMAT_TEST_H
#define FORMAT_TEST_H

#include "check_suite.h"
#include <string.h>

#include "memory_host.h"

/* The call fails with that status and a text that holds these words. */
#define ck_fails(expression, expected, words)                                                      \
    do {                                                                                           \
        ck_assert_int_eq(alcore__enter(NULL), ALCORE_OK);                                          \
        alcore_status status_ = (expression);                                                      \
        alcore__leave(NULL, status_);                                                              \
        ck_assert_msg(status_ == (expected), "status %d, text %s", status_, alcore_last_error());  \
        ck_assert_msg(strstr(alcore_last_error(), (words)), "\"%s\" lacks \"%s\"",                 \
                      alcore_last_error(), (words));                                               \
    } while (0)
#define ck_works(expression)                                                                       \
    do {                                                                                           \
        ck_assert_int_eq(alcore__enter(NULL), ALCORE_OK);                                          \
        alcore_status status_ = alcore__leave(NULL, (expression));                                 \
        ck_assert_msg(status_ == ALCORE_OK, "status %d, text %s", status_, alcore_last_error());   \
    } while (0)

/* Runs one case on its own; the exit status of the test program. */
static inline int run_case(const char *name, const TTest *const *tests, size_t count) {
    TCase *cases = tcase_create(name);
    tcase_set_timeout(cases, 120);
    for (size_t i = 0; i < count; i++) tcase_add_test(cases, tests[i]);
    return check_suite_run_as(name, cases, CK_NOFORK); /* the host outlives the tests */
}

#endif
