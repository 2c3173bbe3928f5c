/* SPDX-License-Identifier: Apache-2.0 */
/* The module loader. This program is linked with the static library: there is one core, its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "check_suite.h"
#include "fault_allocator.h"
#include "module/example_module.h"
#include "test_folder.h"

typedef struct heard {
    int lines;
    char message[64];
} heard;

static void listen(void *user, int32_t level, const char *component, const char *message,
                   const char *fields) {
    heard *all = user;
    (void)fields;
    all->lines += level == ALCORE_LOG_INFO && strcmp(component, "example") == 0;
    snprintf(all->message, sizeof all->message, "%s", message);
}

static fault_allocator fault;
static heard log_lines;

static alcore_ctx *context(const char *module_dir) {
    alcore_allocator table = fault_table(&fault);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    options.allocator = &table;
    options.log = listen;
    options.log_user = &log_lines;
    options.module_dir = module_dir;
    options.threads = 2;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    return ctx;
}

static void end(alcore_ctx *ctx) {
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
}

static const char *folder_of(const char *module) {
    const char *folder = getenv(module);
    ck_assert_ptr_nonnull(folder);
    return folder;
}

static alcore_status sum_up(alcore_ctx *ctx, int64_t count, int64_t fail_at, int64_t *out) {
    const void *table;
    ALCORE__TRY(alcore__enter(ctx));
    alcore_status status = alcore__module_load(ctx, "example", &table);
    if (status == ALCORE_OK)
        status = ((const example_table *)table)->sum_up(ctx, count, fail_at, out);
    return alcore__leave(ctx, status);
}

START_TEST(a_module_uses_the_core_of_its_host) {
    alcore_ctx *ctx = context(folder_of("EXAMPLE_MODULE"));
    const void *table;
    int64_t total = 0;
    ck_assert_int_eq(sum_up(ctx, 1000, -1, &total), ALCORE_OK);
    ck_assert_int_eq(total, 499500);
    ck_assert_int_eq(log_lines.lines, 1);
    ck_assert_str_eq(log_lines.message, "adding");
    /* Its error reaches this thread: there is one core. */
    ck_assert_int_eq(sum_up(ctx, 1000, 7, &total), ALCORE_E_DATA);
    ck_assert_str_eq(alcore_last_error(), "example: index 7 is bad");
    ck_assert_int_eq(alcore__module_load(ctx, "example", &table), ALCORE_OK);
    const example_table *example = table;
    ck_assert_ptr_eq(*example->host, alcore__sys_host());
    ck_assert_uint_eq((*example->host)->size, sizeof(alcore_sys_host));
    ck_assert_str_eq(alcore__module_reason(ctx, "example"), "");
    ck_assert_int_eq(example->cancelled(ctx), 0);
    alcore_ctx_cancel(ctx);
    ck_assert_int_ne(example->cancelled(ctx), 0);
    alcore_ctx_cancel_clear(ctx);
    /* Out of memory inside the module. */
    fault_arm(&fault, 1, 0);
    ck_assert_int_eq(sum_up(ctx, 1000, -1, &total), ALCORE_E_NOMEM);
    ck_assert_str_eq(alcore_last_error(), "example: no memory");
    fault_arm(&fault, 0, 0);
    ck_assert_int_eq((*example->host)->parallel_for(NULL, "none", 1, NULL, NULL), ALCORE_E_INVALID);
    end(ctx);
}
END_TEST

START_TEST(a_module_of_another_abi_is_refused) {
    const char *folder = folder_of("WRONG_ABI_MODULE");
    alcore_ctx *ctx = context(folder);
    const void *table = folder;
    char expected[1000];
    ck_assert_int_eq(alcore__module_load(ctx, "example", &table), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_null(table);
    snprintf(expected, sizeof expected, "%s/libalcore-example.so: built for another libalcore",
             folder);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), expected));
    ck_assert_ptr_nonnull(strstr(alcore__module_reason(ctx, "example"), expected));
    /* The next folder may have a right one. */
    end(ctx);
    ck_assert_int_eq(setenv("ALCORE_MODULE_DIR", folder_of("EXAMPLE_MODULE"), 1), 0);
    ctx = context(folder);
    ck_assert_int_eq(alcore__module_load(ctx, "example", &table), ALCORE_OK);
    ck_assert_str_eq(alcore__module_reason(ctx, "example"), "");
    end(ctx);
}
END_TEST

START_TEST(every_place_is_listed) {
    alcore_ctx *ctx = context("/nowhere/explicit");
    const void *table;
    ck_assert_int_eq(setenv("ALCORE_MODULE_DIR", "/nowhere/environment", 1), 0);
    ck_assert_int_eq(alcore__module_load(ctx, "missing", &table), ALCORE_E_MODULE);
    const char *reason = alcore__module_reason(ctx, "missing");
    ck_assert_ptr_nonnull(strstr(reason, "/nowhere/explicit/libalcore-missing.so: not there"));
    ck_assert_ptr_nonnull(strstr(reason, "/nowhere/environment/libalcore-missing.so: not there"));
    char own[1000];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    ck_assert_int_gt(length, 0);
    own[length] = 0;
    strcpy(strrchr(own, '/'), "/libalcore-missing.so: not there");
    ck_assert_ptr_nonnull(strstr(reason, own));
    /* Where a build folder has it: in a folder named after the engine. */
    strcpy(strrchr(own, '/'), "/engines/missing/libalcore-missing.so: not there");
    ck_assert_ptr_nonnull(strstr(reason, own));
    ck_assert_ptr_eq(alcore__module_reason(ctx, "missing"), reason); /* kept */
    end(ctx);
}
END_TEST

START_TEST(the_folder_of_the_caller_is_the_last) {
    const void *table;
    alcore_ctx *ctx = context(folder_of("WRONG_ABI_MODULE"));
    unsetenv("ALCORE_MODULE_DIR");
    ck_assert(!alcore__module_found(ctx, "missing", NULL));
    ck_assert_int_eq(
        alcore__module_load_beside(ctx, "example", folder_of("EXAMPLE_MODULE"), &table), ALCORE_OK);
    ck_assert(alcore__module_found(ctx, "example", NULL));
    end(ctx);
    ctx = context(folder_of("EXAMPLE_MODULE"));
    ck_assert_int_eq(alcore__module_load_beside(ctx, "example", "/nowhere", &table), ALCORE_OK);
    ck_assert_int_eq(alcore__module_load_beside(ctx, "missing", "/nowhere", &table),
                     ALCORE_E_MODULE);
    ck_assert_ptr_nonnull(
        strstr(alcore_last_error(), "; /nowhere/libalcore-missing.so: not there"));
    end(ctx);
}
END_TEST

START_TEST(what_is_no_module_is_refused) {
    alcore_ctx *ctx = context(folder_of("EMPTY_MODULE"));
    const void *table;
    ck_assert_int_eq(alcore__module_load(ctx, "empty", &table), ALCORE_E_MODULE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "has no alcore_empty_entry()"));
    ck_assert_int_eq(alcore__module_load(ctx, "../evil", &table), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore__module_load(ctx, "", &table), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore__module_load(ctx, NULL, &table), ALCORE_E_INVALID);
    ck_assert_str_eq(alcore__module_reason(ctx, "../evil"), "this is no engine's name");
    ck_assert_str_eq(alcore__module_reason(ctx, NULL), "this is no engine's name");
    end(ctx);
    char folder[TEST_PATH_BYTES], path[100];
    test_folder_make(folder, "module");
    snprintf(path, sizeof path, "%s/libalcore-text.so", folder);
    FILE *file = fopen(path, "w");
    fputs("no shared object", file);
    fclose(file);
    ctx = context(folder);
    ck_assert_int_eq(alcore__module_load(ctx, "text", &table), ALCORE_E_MODULE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), path));
    ck_assert(alcore__module_found(ctx, "text", NULL));
    end(ctx);
    test_folder_remove(folder);
}
END_TEST

START_TEST(without_memory_the_next_question_tries_again) {
    const void *table;
    int64_t attempts = 1;
    for (;; attempts++) {
        alcore_ctx *ctx = context(folder_of("EXAMPLE_MODULE"));
        fault_arm(&fault, attempts, 0);
        alcore_status status = alcore__module_load(ctx, "example", &table);
        bool failed = fault.failures > 0;
        fault_arm(&fault, 0, 0);
        ck_assert_int_eq(status, failed ? ALCORE_E_NOMEM : ALCORE_OK);
        ck_assert(failed == (table == NULL));
        ck_assert_int_eq(alcore__module_load(ctx, "example", &table), ALCORE_OK);
        end(ctx);
        if (!failed) break;
    }
    ck_assert_int_gt(attempts, 2);
}
END_TEST

/* A table that is shorter than the library's is read with zeros behind it; the copy is made once
 * and goes with the context. */
START_TEST(a_shorter_table_gets_zeros) {
    fault = (fault_allocator){0};
    alcore_allocator table = fault_table(&fault);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    const void *own, *extended, *again;
    options.allocator = &table;
    options.module_dir = getenv("EXAMPLE_MODULE");
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    ck_assert_int_eq(alcore__enter(ctx), ALCORE_OK);
    ck_assert_int_eq(alcore__module_load(ctx, "example", &own), ALCORE_OK);
    size_t size = *(const size_t *)own;
    ck_assert_int_eq(alcore__module_table(ctx, "example", size, &again), ALCORE_OK);
    ck_assert_ptr_eq(again, own);
    fault_arm(&fault, 1, 0);
    ck_assert_int_eq(alcore__module_table(ctx, "example", size + 64, &extended), ALCORE_E_NOMEM);
    ck_assert_ptr_null(extended);
    fault_arm(&fault, 0, 0);
    ck_assert_int_eq(alcore__module_table(ctx, "example", size + 64, &extended), ALCORE_OK);
    ck_assert_ptr_ne(extended, own);
    ck_assert_mem_eq(extended, own, size);
    for (size_t i = size; i < size + 64; i++)
        ck_assert_int_eq(((const unsigned char *)extended)[i], 0);
    ck_assert_int_eq(alcore__module_table(ctx, "example", size + 64, &again), ALCORE_OK);
    ck_assert_ptr_eq(again, extended);
    alcore__leave(ctx, ALCORE_OK);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
}
END_TEST

START_TEST(devices) {
    alcore_ctx *ctx = context("/nowhere");
    ck_assert_str_eq(alcore_device_builtin_name(0), "cpu");
    ck_assert_str_eq(alcore_device_builtin_name(1), "cuda");
    ck_assert_ptr_null(alcore_device_builtin_name(2));
    ck_assert_ptr_null(alcore_device_builtin_name(-1));
    ck_assert_int_eq(alcore_device_check(ctx, "cpu"), ALCORE_OK);
    ck_assert_str_eq(alcore_last_error(), "");
    ck_assert_int_eq(alcore_device_check(ctx, "tpu"), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "tpu"));
    ck_assert_int_eq(alcore_device_check(ctx, NULL), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_device_check(NULL, "cpu"), ALCORE_E_INVALID);
    /* No CUDA module beside this program, nor in the folder that was named. */
    ck_assert_int_eq(alcore_device_check(ctx, "cuda"), ALCORE_E_MODULE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "/nowhere/libalcore-cuda.so"));
    end(ctx);
}
END_TEST

CHECK_SUITE("module", a_shorter_table_gets_zeros, a_module_uses_the_core_of_its_host,
            a_module_of_another_abi_is_refused, every_place_is_listed,
            the_folder_of_the_caller_is_the_last, what_is_no_module_is_refused,
            without_memory_the_next_question_tries_again, devices);
