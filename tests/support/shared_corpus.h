/* SPDX-License-Identifier: Apache-2.0 */
/* The corpus en-de/general.tsv.xz for tests of whole corpora. It is no part of the project: without
 * ../shared/data beside it (or $ALCORE_SHARED_DATA) such a test is skipped, which
 * tests/expected-skips lists. */
#ifndef SHARED_CORPUS_H
#define SHARED_CORPUS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_suite.h"
#include "formats/line_reader.h"

enum { CORPUS_ENGLISH = 3, CORPUS_GERMAN = 4 }; /* its columns: id split group en de */

static char shared_corpus_path[4096];

/* One column of a line of length bytes. */
static inline const char *shared_corpus_column(const char *line, size_t length, int number,
                                               size_t *out_length) {
    const char *end = line + length;
    for (int i = 0; i < number; i++) {
        line = memchr(line, '\t', (size_t)(end - line));
        ck_assert_ptr_nonnull(line);
        line++;
    }
    const char *stop = memchr(line, '\t', (size_t)(end - line));
    *out_length = (size_t)((!stop ? end : stop) - line);
    return line;
}

/* Calls visit for each of the first rows, without the header. */
static inline void shared_corpus_read(alcore_ctx *ctx, int64_t rows,
                                      void (*visit)(void *user, int64_t row, const char *line,
                                                    size_t length),
                                      void *user) {
    alcore__line_reader lines;
    ck_assert_int_eq(alcore__lines_open(&lines, ctx, shared_corpus_path, 0), ALCORE_OK);
    for (int64_t row = -1; row < rows;) { /* row -1 is the header */
        char *line = NULL;
        size_t length = 0;
        ck_assert_int_eq(alcore__lines_next(&lines, &line, &length), ALCORE_OK);
        if (!line) {
            bool more = false;
            ck_assert_int_eq(alcore__lines_fill(&lines, &more), ALCORE_OK);
            ck_assert(more);
            continue;
        }
        if (row >= 0) visit(user, row, line, length);
        row++;
    }
    alcore__lines_close(&lines);
}

/* main() of such a test; its first argument is the root of the project. */
static inline int shared_corpus_main(int argc, char **argv, const char *name,
                                     const TTest *const *tests, size_t count) {
    const char *shared = getenv("ALCORE_SHARED_DATA");
    snprintf(shared_corpus_path, sizeof shared_corpus_path, "%s%s/en-de/general.tsv.xz",
             shared     ? shared
             : argc > 1 ? argv[1]
                        : ".",
             shared ? "" : "/../shared/data");
    if (access(shared_corpus_path, R_OK) != 0) {
        puts("1..0 # SKIP no ../shared/data beside the project");
        return 0;
    }
    TCase *cases = tcase_create("general");
    for (size_t i = 0; i < count; i++) tcase_add_test(cases, tests[i]);
    tcase_set_timeout(cases, 120);
    return check_suite_run(name, cases);
}

#endif
