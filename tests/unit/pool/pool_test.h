/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the pool share. */
#ifndef POOL_TEST_H
#define POOL_TEST_H

#include <check.h>
#include <stdbool.h>
#include <string.h>

#include "alcore/pool_column.h"
#include "check_status.h"
#include "check_suite.h"
#include "column_rows.h"

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof *(array)))

/* A pool of these texts. */
alcore_pool *test_pool(alcore_ctx *ctx, const char *const *texts, int64_t count);
/* A pool of `rows` different texts: "text 0", ... */
alcore_pool *test_pool_of(alcore_ctx *ctx, int64_t rows);
alcore_ctx *test_ctx(void);

/* A path in the folder of the test, which is removed when its process ends; it lives until the next
 * eight calls. test_file() writes bytes to a new file there. */
const char *test_file(const char *name, const void *data, size_t bytes);
const char *test_path(const char *name);

/* An allocator that counts and, from allocation `fail_at` (1-based) on, fails once or for good. */
typedef struct test_allocator {
    alcore_allocator table;
    int64_t calls, fail_at, live;
    bool for_good;
} test_allocator;
void test_allocator_init(test_allocator *allocator);

/* Runs the tests that add() puts into the case; for main(). */
int test_run(const char *name, void (*add)(TCase *tests));

#endif
