/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "check_suite.h"
#include "fault_allocator.h"

typedef struct lines {
    alcore_ctx *ctx;
    pthread_t entering;
    int count, elsewhere;
    int seen[100];
    int32_t level;
    char component[32], message[64], fields[64];
    bool chatter; /* the log function makes the library log again */
} lines;

static void note_line(void *user, int32_t level, const char *component, const char *message,
                      const char *fields) {
    lines *all = user;
    int index = -1;
    if (!pthread_equal(pthread_self(), all->entering)) all->elsewhere++;
    all->count++;
    all->level = level;
    snprintf(all->component, sizeof all->component, "%s", component);
    snprintf(all->message, sizeof all->message, "%s", message);
    snprintf(all->fields, sizeof all->fields, "%s", fields ? fields : "NULL");
    if (sscanf(message, "task %d", &index) == 1 && index >= 0 && index < 100) all->seen[index]++;
    if (all->chatter) {
        all->chatter = false;
        alcore__log(all->ctx, ALCORE_LOG_DEBUG, "test", NULL, "from inside");
    }
}

static alcore_ctx *logging(lines *all, fault_allocator *fault) {
    alcore_allocator table = fault_table(fault);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.allocator = &table;
    options.log = note_line;
    options.log_user = all;
    options.threads = 3;
    all->entering = pthread_self();
    ck_assert_int_eq(alcore_ctx_new(&options, &all->ctx), ALCORE_OK);
    return all->ctx;
}

static alcore_status say(void *data, int64_t index, int32_t worker) {
    lines *all = data;
    (void)worker;
    alcore__log(all->ctx, ALCORE_LOG_INFO, "test", "{\"n\":1}", "task %d", (int)index);
    return ALCORE_OK;
}

START_TEST(lines_of_workers_arrive_on_the_entering_thread) {
    fault_allocator fault = {0};
    lines all = {0};
    alcore_ctx *ctx = logging(&all, &fault);
    ck_assert_int_eq(alcore__enter(ctx), ALCORE_OK);
    alcore_status status = alcore__parallel(ctx, "saying", 100, say, &all);
    ck_assert_int_eq(all.count, 100); /* all of them before the call goes on */
    ck_assert_int_eq(alcore__leave(ctx, status), ALCORE_OK);
    ck_assert_int_eq(all.elsewhere, 0);
    for (int i = 0; i < 100; i++) ck_assert_int_eq(all.seen[i], 1);
    ck_assert_int_eq(all.level, ALCORE_LOG_INFO);
    ck_assert_str_eq(all.component, "test");
    ck_assert_str_eq(all.fields, "{\"n\":1}");
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
}
END_TEST

START_TEST(lines_of_the_entering_thread_are_spoken_at_once) {
    fault_allocator fault = {0};
    lines all = {0};
    alcore_ctx *ctx = logging(&all, &fault);
    ck_assert_int_eq(alcore__enter(ctx), ALCORE_OK);
    alcore__log(ctx, ALCORE_LOG_WARN, "pool", NULL, "%d rows", 3);
    ck_assert_int_eq(all.count, 1);
    ck_assert_str_eq(all.message, "3 rows");
    ck_assert_str_eq(all.fields, "NULL");
    alcore__log(ctx, ALCORE_LOG_WARN, "pool", NULL, "%s is read", "a\nb\r\tc.txt");
    ck_assert_str_eq(all.message, "a b  c.txt is read"); /* one line */
    all.count = 1;
    all.chatter = true;
    alcore__log(ctx, ALCORE_LOG_WARN, "pool", NULL, "outer");
    ck_assert_int_eq(all.count, 2);
    ck_assert_int_eq(alcore__leave(ctx, ALCORE_OK), ALCORE_OK);
    ck_assert_int_eq(all.count, 3);
    ck_assert_str_eq(all.message, "from inside");
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
}
END_TEST

static void *say_outside(void *data) {
    lines *all = data;
    alcore__log(all->ctx, ALCORE_LOG_INFO, "test", NULL, "task %d", 5);
    return NULL;
}

START_TEST(lines_of_foreign_threads_wait_for_the_next_call) {
    fault_allocator fault = {0};
    lines all = {0};
    pthread_t thread;
    alcore_ctx *ctx = logging(&all, &fault);
    ck_assert_int_eq(pthread_create(&thread, NULL, say_outside, &all), 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq(all.count, 0);
    ck_assert_int_eq(alcore_device_check(ctx, "cpu"), ALCORE_OK);
    ck_assert_int_eq(all.seen[5], 1);
    ck_assert_int_eq(pthread_create(&thread, NULL, say_outside, &all), 0);
    pthread_join(thread, NULL);
    alcore_ctx_unref(ctx); /* the line that nobody waited for goes with the context */
    ck_assert_int_eq(all.count, 1);
    ck_assert_int_eq(fault.live_bytes, 0);
}
END_TEST

START_TEST(a_line_without_memory_is_lost_and_nothing_else) {
    fault_allocator fault = {0};
    lines all = {0};
    alcore_ctx *ctx = logging(&all, &fault);
    ck_assert_int_eq(alcore__enter(ctx), ALCORE_OK);
    ck_assert_int_eq(alcore__parallel(ctx, "saying", 1, say, &all), ALCORE_OK);
    fault_arm(&fault, 1, 1);
    alcore_status status = alcore__parallel(ctx, "saying", 100, say, &all);
    ck_assert_int_eq(alcore__leave(ctx, status), ALCORE_OK);
    ck_assert_int_eq(all.count, 1);
    ck_assert_int_eq(fault.failures, 100);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
}
END_TEST

START_TEST(silent_by_default) {
    alcore_ctx *ctx;
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    alcore__log(ctx, ALCORE_LOG_ERROR, "test", NULL, "nobody listens");
    alcore__log(NULL, ALCORE_LOG_ERROR, "test", NULL, "nobody at all");
    ck_assert_str_eq(alcore_last_error(), "");
    alcore_ctx_unref(ctx);
}
END_TEST

static int dropped; /* bits: 1 the log's user, 2 the progress function's */

static void drop_log(void *user) {
    dropped |= *(int *)user;
}

static void drop_progress(void *user) {
    dropped |= *(int *)user;
}

static void ignore_line(void *user, int32_t level, const char *component, const char *message,
                        const char *fields) {
    (void)user, (void)level, (void)component, (void)message, (void)fields;
}

/* Log and progress each have their own user and destroy; a context that was not made owns none. */
START_TEST(users_are_released_with_the_context) {
    int one = 1, two = 2;
    alcore_ctx *ctx = (alcore_ctx *)&ctx;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.log = ignore_line;
    options.log_user = &one;
    options.log_destroy = drop_log;
    options.progress_user = &two;
    options.progress_destroy = drop_progress;
    options.threads = -1;
    dropped = 0;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_E_INVALID);
    ck_assert_ptr_null(ctx);
    ck_assert_int_eq(dropped, 0);
    options.threads = 1;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    alcore_ctx *second = alcore_ctx_ref(ctx);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(dropped, 0);
    alcore_ctx_unref(second);
    ck_assert_int_eq(dropped, 3);
}
END_TEST

CHECK_SUITE("log", users_are_released_with_the_context,
            lines_of_workers_arrive_on_the_entering_thread,
            lines_of_the_entering_thread_are_spoken_at_once,
            lines_of_foreign_threads_wait_for_the_next_call,
            a_line_without_memory_is_lost_and_nothing_else, silent_by_default);
