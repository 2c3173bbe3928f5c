/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of each base function fails in turn, once and from there on: ALCORE_E_NOMEM, the
 * outputs NULL, the context still usable, and no byte lost (reliability goal R1). */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/rng.h"
#include "check_suite.h"
#include "fault_allocator.h"
#include "test_folder.h"

static char path[TEST_PATH_BYTES];

static alcore_status no_task(void *data, int64_t index, int32_t worker) {
    (void)data;
    (void)index;
    (void)worker;
    return ALCORE_OK;
}

static alcore_status do_parallel(alcore_ctx *ctx) {
    return alcore__parallel(ctx, "testing", 10, no_task, NULL);
}

static alcore_status do_object(alcore_ctx *ctx) {
    alcore__object *object;
    alcore_status status = alcore__object_new(ctx, 100, NULL, &object);
    ck_assert((status == ALCORE_OK) == (object != NULL));
    alcore__object_unref(object);
    return status;
}

static alcore_status do_write(alcore_ctx *ctx) {
    alcore__writer *writer;
    alcore_status status = alcore__writer_open(ctx, path, &writer);
    ck_assert((status == ALCORE_OK) == (writer != NULL));
    ALCORE__TRY(status);
    ck_assert_int_eq(alcore__writer_put(writer, "text", 4), ALCORE_OK);
    return alcore__writer_commit(writer);
}

static alcore_status do_read(alcore_ctx *ctx) {
    char data[4];
    alcore__file *file;
    alcore_status status = alcore__file_open(ctx, path, &file);
    ck_assert((status == ALCORE_OK) == (file != NULL));
    ALCORE__TRY(status);
    status = alcore__file_read_all(file, 0, data, sizeof data);
    alcore__file_close(file);
    return status;
}

static alcore_status do_arena(alcore_ctx *ctx) {
    alcore__arena arena = {0};
    size_t taken = 0;
    for (; taken < 50 && alcore__arena_alloc(ctx, &arena, 1000, 8); taken++) continue;
    alcore__arena_clear(ctx, &arena);
    return taken == 50 ? ALCORE_OK : ALCORE_E_NOMEM;
}

static alcore_status do_buffer(alcore_ctx *ctx) {
    alcore__buffer buffer = {0};
    alcore_status status = ALCORE_OK;
    for (int i = 0; i < 100 && status == ALCORE_OK; i++)
        status = alcore__buffer_format(ctx, &buffer, "%d %0300d", i, i);
    alcore__buffer_clear(ctx, &buffer);
    return status;
}

static alcore_status do_sample(alcore_ctx *ctx) {
    alcore__rng rng;
    int64_t out[5];
    alcore__rng_seed(&rng, 1);
    return alcore__rng_sample(ctx, &rng, 1000000, 5, out);
}

static alcore_status do_device(alcore_ctx *ctx) {
    alcore_status status = alcore_device_check(ctx, "cuda");
    return status == ALCORE_E_MODULE ? ALCORE_OK : status; /* no such module here */
}

static alcore_ctx *context(fault_allocator *fault) {
    alcore_allocator table = fault_table(fault);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    options.allocator = &table;
    options.module_dir = "/nowhere";
    options.threads = 2;
    alcore_status status = alcore_ctx_new(&options, &ctx);
    ck_assert_int_eq(status, ctx ? ALCORE_OK : ALCORE_E_NOMEM);
    return ctx;
}

static void sweep(alcore_status (*function)(alcore_ctx *), int from_on) {
    for (int64_t attempt = 1;; attempt++) {
        fault_allocator fault = {0};
        alcore_ctx *ctx = context(&fault);
        fault_arm(&fault, attempt, from_on);
        alcore_status status = function(ctx);
        bool failed = fault.failures > 0;
        fault_arm(&fault, 0, 0);
        if (failed) {
            ck_assert_int_ne(attempt, 1000);
            ck_assert_int_eq(status, ALCORE_E_NOMEM);
            ck_assert_int_eq(function(ctx), ALCORE_OK);
        } else {
            ck_assert_int_eq(status, ALCORE_OK);
        }
        alcore_ctx_unref(ctx);
        ck_assert_int_eq(fault.live_bytes, 0);
        ck_assert_int_eq(fault.live_blocks, 0);
        if (!failed) {
            ck_assert_int_gt(attempt, 1);
            break;
        }
    }
}

START_TEST(each_function_survives) {
    static alcore_status (*const functions[])(alcore_ctx *) = {
        do_parallel, do_object, do_write, do_read, do_arena, do_buffer, do_sample, do_device};
    test_file_make(path, "oom", "", "text");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (int from_on = 0; from_on < 2; from_on++) sweep(functions[i], from_on);
    ck_assert_int_eq(remove(path), 0);
}
END_TEST

START_TEST(a_new_context_survives) {
    for (int64_t attempt = 1;; attempt++) {
        fault_allocator fault = {0};
        fault_arm(&fault, attempt, 0);
        alcore_ctx *ctx = context(&fault);
        bool failed = fault.failures > 0;
        ck_assert(failed == (ctx == NULL));
        alcore_ctx_unref(ctx);
        ck_assert_int_eq(fault.live_bytes, 0);
        if (!failed) {
            ck_assert_int_eq(attempt, 3); /* the context and the copy of module_dir */
            break;
        }
    }
}
END_TEST

CHECK_SUITE("out of memory", each_function_survives, a_new_context_survives);
