/* SPDX-License-Identifier: Apache-2.0 */
/* What runs the cases of a source, in a program of one or of all sources of a room (test_files.c):
 * CHECK_SUITE("name", test_one, test_two), or with functions that are called before and after each
 * test CHECK_SUITE_WITH("name", setup, teardown, test_one, ...); where cases are added otherwise,
 *     TEST_FILE() {
 *         ...
 *         return check_suite_run("name", cases);
 *     } */
#ifndef CHECK_SUITE_H
#define CHECK_SUITE_H

#include <check.h>
#include <stdlib.h>

/* Runs the tests of a case, which it frees, as the only ones of a suite: what main() returns. fork:
 * whether each test is a process of its own. */
static inline int check_suite_run_as(const char *name, TCase *tests, enum fork_status fork) {
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, fork);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* The same, each test in a process of its own unless CK_FORK=no is set. */
static inline int check_suite_run(const char *name, TCase *tests) {
    return check_suite_run_as(name, tests, CK_FORK_GETENV);
}

/* Adds the variants 0 to count - 1 of a test that takes long. Where the address sanitizer runs,
 * without $ALCORE_TEST_FULL, only one of `every`, from one on that $ALCORE_TEST_SEED chooses: the
 * plain build runs all. */
static inline void check_suite_add_sample(TCase *to, const TTest *test, int count, int every) {
#ifdef __SANITIZE_ADDRESS__
    const char *seed = getenv("ALCORE_TEST_SEED");
    if (getenv("ALCORE_TEST_FULL")) every = 1;
    const int first = seed ? atoi(seed) % every : 0;
#else
    const int first = 0;
    every = 1;
#endif
    for (int i = first; i < count; i += every) tcase_add_loop_test(to, test, i, i + 1);
}

/* A source with cases: its path, and what runs them with the arguments after its name. */
typedef struct check_source check_source;
struct check_source {
    const char *path;
    int (*run)(int argc, char **argv);
    check_source *next;
};

/* Adds a source to those of the program; before main(). */
void check_source_add(check_source *source);

#define TEST_FILE()                                                                                \
    static int test_file_run(int argc, char **argv);                                               \
    __attribute__((constructor)) static void test_file_of_the_program(void) {                      \
        static check_source this_source = {__FILE__, test_file_run, NULL};                         \
        check_source_add(&this_source);                                                            \
    }                                                                                              \
    static int test_file_run(__attribute__((unused)) int argc, __attribute__((unused)) char **argv)

#define CHECK_SUITE_WITH(name, setup, teardown, ...)                                               \
    TEST_FILE() {                                                                                  \
        const TTest *const tests[] = {__VA_ARGS__};                                                \
        TCase *tests_case = tcase_create(name);                                                    \
        tcase_set_timeout(tests_case, 120);                                                        \
        tcase_add_checked_fixture(tests_case, setup, teardown);                                    \
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)                                  \
            tcase_add_test(tests_case, tests[i]);                                                  \
        return check_suite_run(name, tests_case);                                                  \
    }                                                                                              \
    _Static_assert(sizeof name > 1, "a suite has a name")
#define CHECK_SUITE(name, ...) CHECK_SUITE_WITH(name, NULL, NULL, __VA_ARGS__)

#endif
