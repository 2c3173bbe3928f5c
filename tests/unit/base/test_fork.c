/* SPDX-License-Identifier: Apache-2.0 */
/* A context in a forked child: refused everywhere, and released without a deadlock or a callback.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "alcore/request.h"
#include "base/base.h"
#include "check_suite.h"
#include "fault_allocator.h"

typedef struct thing {
    alcore__object object;
    void *owned;
} thing;

static int destroyed;

static void release_thing(void *object) {
    thing *self = object;
    alcore__free(self->object.ctx, self->owned);
}

static void destroy_files(void *user) {
    ++*(int *)user;
}

enum { THREADS = 3 };

/* Ends when every thread has such a task: none is still being started when the process forks, which
 * the sanitizer's own locks would not survive. */
static alcore_status meet(void *data, int64_t index, int32_t worker) {
    int *arrived = data;
    (void)index;
    (void)worker;
    __atomic_add_fetch(arrived, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(arrived, __ATOMIC_SEQ_CST) < THREADS)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return ALCORE_OK;
}

static alcore_ctx *context(fault_allocator *fault) {
    alcore_allocator table = fault_table(fault);
    alcore_files files = ALCORE_FILES_INIT;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    files.user = &destroyed;
    files.destroy = destroy_files;
    options.allocator = &table;
    options.files = &files;
    options.threads = THREADS;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    return ctx;
}

static alcore_status use(alcore_ctx *ctx) {
    int arrived = 0;
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, alcore__parallel(ctx, "testing", THREADS, meet, &arrived));
}

/* Runs in the child; the number of the first wrong thing, 0 when all is right. */
static int child(alcore_ctx *ctx, thing *one, fault_allocator *fault) {
    if (use(ctx) != ALCORE_E_FORKED) return 1;
    if (!strstr(alcore_last_error(), "parent")) return 2;
    if (alcore_device_check(ctx, "cuda") != ALCORE_E_FORKED) return 3;
    if (!strstr(alcore_last_error(), "parent")) return 4;
    if (!alcore__forked(ctx)) return 5;
    if (alcore_ctx_poll(ctx, NULL, 0, 0) != ALCORE_E_FORKED) return 10;
    alcore_ctx_cancel(ctx);
    alcore__object_unref(one);
    alcore_ctx_unref(ctx);
    if (fault->live_bytes != 0) return 6;
    if (destroyed) return 7;
    /* A child may well have a context of its own. */
    alcore_ctx *own = context(fault);
    if (use(own) != ALCORE_OK) return 8;
    alcore_ctx_unref(own);
    return fault->live_bytes != 0 || destroyed != 1 ? 9 : 0;
}

static int child_result(pid_t pid) {
    int status = 0;
    for (int i = 0; i < 3000; i++) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return 99;
}

START_TEST(a_child_is_refused_and_can_let_go) {
    fault_allocator fault = {0};
    alcore_ctx *ctx = context(&fault);
    thing *one;
    ck_assert_int_eq(alcore__object_new(ctx, sizeof *one, release_thing, &one), ALCORE_OK);
    one->owned = alcore__alloc(ctx, 1000);
    destroyed = 0;
    for (int with_threads = 0; with_threads < 2; with_threads++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) _exit(child(ctx, one, &fault));
        ck_assert_int_gt(pid, 0);
        ck_assert_int_eq(child_result(pid), 0);
        ck_assert_int_eq(use(ctx), ALCORE_OK); /* the parent goes on */
    }
    alcore__object_unref(one);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
    ck_assert_int_eq(destroyed, 1);
}
END_TEST

static int32_t tell_nothing(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user, (void)stage, (void)done, (void)total;
    return 0;
}

/* A child does not destroy what belongs to the parent's functions; neither does it set others. */
static int child_of_request(alcore_request *request) {
    if (alcore_request_set_progress(request, NULL, NULL, NULL) != ALCORE_E_FORKED) return 1;
    if (alcore_request_set(request, "round", "2") != ALCORE_E_FORKED) return 2;
    alcore_request_unref(request);
    return destroyed != 0 ? 3 : 0;
}

START_TEST(a_child_destroys_no_progress_of_a_request) {
    alcore_ctx *ctx;
    alcore_request *request;
    destroyed = 0;
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    ck_assert_int_eq(alcore_request_new(ctx, &request), ALCORE_OK);
    ck_assert_int_eq(alcore_request_set_progress(request, tell_nothing, &destroyed, destroy_files),
                     ALCORE_OK);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) _exit(child_of_request(request));
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(child_result(pid), 0);
    ck_assert_int_eq(destroyed, 0);
    alcore_request_unref(request);
    ck_assert_int_eq(destroyed, 1);
    alcore_ctx_unref(ctx);
}
END_TEST

static int forked_result = -1;

static int32_t fork_in_progress(void *user, const char *stage, int64_t done, int64_t total) {
    alcore_ctx *ctx = *(alcore_ctx **)user;
    (void)stage;
    (void)done;
    (void)total;
    if (forked_result >= 0) return 0;
    pid_t pid = fork();
    if (pid == 0) {
        /* In the midst of a parallel call: its workers do not exist here. */
        _exit(alcore__enter(ctx) == ALCORE_E_FORKED ? 0 : 1);
    }
    forked_result = child_result(pid);
    return 0;
}

static alcore_status nap_task(void *data, int64_t index, int32_t worker) {
    (void)data;
    (void)index;
    (void)worker;
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return ALCORE_OK;
}

START_TEST(a_fork_in_a_callback_leaves_the_parent_alone) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    options.progress = fork_in_progress;
    options.progress_user = &ctx;
    options.threads = 2;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    ck_assert_int_eq(alcore__enter(ctx), ALCORE_OK);
    alcore_status status = alcore__parallel(ctx, "testing", 60, nap_task, NULL);
    ck_assert_int_eq(alcore__leave(ctx, status), ALCORE_OK);
    ck_assert_int_eq(forked_result, 0);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("fork", a_child_is_refused_and_can_let_go, a_child_destroys_no_progress_of_a_request,
            a_fork_in_a_callback_leaves_the_parent_alone);
