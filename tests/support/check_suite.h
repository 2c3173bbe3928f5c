/* SPDX-License-Identifier: Apache-2.0 */
/* The main() of every Check test: CHECK_SUITE("name", test_one, test_two). */
#ifndef CHECK_SUITE_H
#define CHECK_SUITE_H

#include <check.h>
#include <stdlib.h>

#define CHECK_SUITE(name, ...)                                                                     \
    int main(void) {                                                                               \
        const TTest *const tests[] = {__VA_ARGS__};                                                \
        Suite *suite = suite_create(name);                                                         \
        TCase *tests_case = tcase_create(name);                                                    \
        tcase_set_timeout(tests_case, 120);                                                        \
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)                                  \
            tcase_add_test(tests_case, tests[i]);                                                  \
        suite_add_tcase(suite, tests_case);                                                        \
        SRunner *runner = srunner_create(suite);                                                   \
        srunner_run_all(runner, CK_ENV);                                                           \
        int failed = srunner_ntests_failed(runner);                                                \
        srunner_free(runner);                                                                      \
        return failed ? EXIT_FAILURE : EXIT_SUCCESS;                                               \
    }                                                                                              \
    _Static_assert(sizeof name > 1, "a suite has a name")

#endif
