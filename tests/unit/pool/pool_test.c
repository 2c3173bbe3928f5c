/* SPDX-License-Identifier: Apache-2.0 */
#include "pool_test.h"
#include "check_suite.h"
#include "test_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

alcore_ctx *test_ctx(void) {
    alcore_ctx *ctx;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    return ctx;
}

alcore_pool *test_pool(alcore_ctx *ctx, const char *const *texts, int64_t count) {
    alcore_pool *pool;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, count, NULL));
    return pool;
}

alcore_pool *test_pool_of(alcore_ctx *ctx, int64_t rows) {
    alcore_pool *pool;
    char text[64];
    const char *texts[] = {text};
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    for (int64_t row = 0; row < rows; row++) {
        snprintf(text, sizeof text, "text %lld", (long long)row);
        ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
    }
    return pool;
}

/* The folder of the process that made it, 0: there is none. Without a process for each test
 * (CK_FORK=no) all tests of a program have the same. */
static char folder[TEST_PATH_BYTES];
static pid_t owner;

static void remove_folder(void) {
    if (owner != getpid()) return;
    test_folder_remove(folder);
    owner = 0;
}

const char *test_path(const char *name) {
    static char paths[8][512];
    static int next;
    char *path = paths[next++ % 8];
    if (owner != getpid()) {
        test_folder_make(folder, "pool");
        owner = getpid();
        ck_assert_int_eq(atexit(remove_folder), 0);
    }
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

const char *test_file(const char *name, const void *data, size_t bytes) {
    const char *path = test_path(name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, bytes, file), bytes);
    ck_assert_int_eq(fclose(file), 0);
    return path;
}

static bool fails(test_allocator *allocator) {
    const int64_t call = ++allocator->calls;
    return allocator->fail_at > 0 &&
           (allocator->for_good ? call >= allocator->fail_at : call == allocator->fail_at);
}

static void *allocate(void *user, size_t bytes) {
    test_allocator *allocator = user;
    void *memory = fails(allocator) ? NULL : malloc(bytes);
    if (memory) allocator->live += (int64_t)bytes;
    return memory;
}

static void *reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    test_allocator *allocator = user;
    void *grown = fails(allocator) ? NULL : realloc(memory, new_bytes);
    if (grown) allocator->live += (int64_t)new_bytes - (int64_t)old_bytes;
    return grown;
}

static void release(void *user, void *memory, size_t bytes) {
    test_allocator *allocator = user;
    allocator->live -= (int64_t)bytes;
    free(memory);
}

void test_allocator_init(test_allocator *allocator) {
    *allocator = (test_allocator){.table = {.size = sizeof(alcore_allocator),
                                            .user = allocator,
                                            .allocate = allocate,
                                            .reallocate = reallocate,
                                            .release = release}};
}

int test_run(const char *name, void (*add)(TCase *tests)) {
    TCase *group = tcase_create(name);
    tcase_set_timeout(group, 60);
    add(group);
    return check_suite_run(name, group);
}
