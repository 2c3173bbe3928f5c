/* SPDX-License-Identifier: Apache-2.0 */
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "check_suite.h"

static void nap(long milliseconds) {
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

static alcore_ctx *context(int32_t threads) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    options.threads = threads;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    return ctx;
}

static alcore_status call(alcore_ctx *ctx, int64_t count, alcore__task task, void *data) {
    alcore_status status = alcore__enter(ctx);
    if (status == ALCORE_OK)
        status = alcore__leave(ctx, alcore__parallel(ctx, "testing", count, task, data));
    return status;
}

typedef struct squares {
    alcore_ctx *ctx;
    int64_t values[10000];
    atomic_int wrong_worker;
    pthread_t entering;
} squares;

static alcore_status square(void *data, int64_t index, int32_t worker) {
    squares *all = data;
    if (worker < 0 || worker >= alcore_ctx_threads(all->ctx) ||
        pthread_equal(pthread_self(), all->entering))
        all->wrong_worker++;
    all->values[index] = index * index;
    return ALCORE_OK;
}

START_TEST(every_task_runs_once) {
    static squares all;
    all.entering = pthread_self();
    for (int32_t threads = 1; threads <= 8; threads++) {
        all.ctx = context(threads);
        memset(all.values, 0xFF, sizeof all.values);
        ck_assert_int_eq(alcore_ctx_threads(all.ctx), threads);
        ck_assert_int_eq(call(all.ctx, 10000, square, &all), ALCORE_OK);
        int64_t right = 0;
        while (right < 10000 && all.values[right] == right * right) right++;
        ck_assert_int_eq(right, 10000);
        ck_assert_int_eq(call(all.ctx, 0, square, &all), ALCORE_OK);
        ck_assert_int_eq(call(all.ctx, 1, square, &all), ALCORE_OK);
        alcore_ctx_unref(all.ctx);
    }
    ck_assert_int_eq(all.wrong_worker, 0);
}
END_TEST

START_TEST(threads_follow_the_affinity_mask) {
    cpu_set_t set;
    ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
    alcore_ctx *ctx = context(0);
    ck_assert_int_eq(alcore_ctx_threads(ctx), CPU_COUNT(&set));
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(alcore_ctx_threads(NULL), 0);
}
END_TEST

typedef struct failing {
    int64_t first; /* from here on tasks fail */
    atomic_llong ran;
    atomic_int executed[200];
} failing;

static alcore_status fail_late(void *data, int64_t index, int32_t worker) {
    failing *all = data;
    (void)worker;
    all->ran++;
    all->executed[index] = 1;
    if (index < all->first) return ALCORE_OK;
    if (index == all->first) nap(5); /* the higher ones fail first */
    return alcore__fail(ALCORE_E_DATA, "row %lld", (long long)index);
}

START_TEST(the_lowest_failure_wins) {
    for (int32_t threads = 1; threads <= 4; threads++) {
        alcore_ctx *ctx = context(threads);
        for (int64_t first = 0; first < 200; first += 33) {
            failing all = {.first = first};
            char expected[32];
            snprintf(expected, sizeof expected, "row %lld", (long long)first);
            ck_assert_int_eq(call(ctx, 200, fail_late, &all), ALCORE_E_DATA);
            ck_assert_str_eq(alcore_last_error(), expected);
            for (int64_t i = 0; i <= first; i++) ck_assert_int_eq(all.executed[i], 1);
            ck_assert_int_le(all.ran, first + 1 + 2 * threads);
        }
        alcore_ctx_unref(ctx);
    }
}
END_TEST

typedef struct nested {
    alcore_ctx *ctx;
    atomic_llong inner;
    atomic_int moved;
} nested;

typedef struct nested_task {
    nested *all;
    pthread_t thread;
    int32_t worker;
} nested_task;

static alcore_status inner_task(void *data, int64_t index, int32_t worker) {
    nested_task *task = data;
    if (!pthread_equal(pthread_self(), task->thread) || worker != task->worker) task->all->moved++;
    task->all->inner++;
    return index == 7 ? alcore__fail(ALCORE_E_DATA, "inner 7") : ALCORE_OK;
}

static alcore_status outer_task(void *data, int64_t index, int32_t worker) {
    nested_task task = {.all = data, .thread = pthread_self(), .worker = worker};
    return alcore__parallel(task.all->ctx, "inner", index == 30 ? 10 : 5, inner_task, &task);
}

START_TEST(a_nested_call_runs_on_its_worker) {
    nested all = {.ctx = context(3)};
    ck_assert_int_eq(call(all.ctx, 20, outer_task, &all), ALCORE_OK);
    ck_assert_int_eq(all.inner, 100);
    ck_assert_int_eq(call(all.ctx, 31, outer_task, &all), ALCORE_E_DATA);
    ck_assert_str_eq(alcore_last_error(), "inner 7");
    ck_assert_int_eq(all.moved, 0);
    alcore_ctx_unref(all.ctx);
}
END_TEST

typedef struct caller {
    alcore_ctx *ctx;
    int64_t number;
    atomic_llong sum;
    alcore_status status;
    char text[64];
} caller;

static alcore_status add_up(void *data, int64_t index, int32_t worker) {
    caller *mine = data;
    (void)worker;
    mine->sum += index;
    if (index == 500 + mine->number)
        return alcore__fail(ALCORE_E_DATA, "of caller %lld", (long long)mine->number);
    return ALCORE_OK;
}

static void *call_from_thread(void *argument) {
    caller *mine = argument;
    for (int round = 0; round < 50; round++) {
        mine->sum = 0;
        if (call(mine->ctx, 100, add_up, mine) != ALCORE_OK || mine->sum != 4950) mine->number = -1;
    }
    mine->status = call(mine->ctx, 1000, add_up, mine);
    snprintf(mine->text, sizeof mine->text, "%s", alcore_last_error());
    return NULL;
}

START_TEST(callers_share_one_context) {
    alcore_ctx *ctx = context(2);
    caller callers[3];
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        callers[i] = (caller){.ctx = ctx, .number = i};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, call_from_thread, &callers[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        char expected[64];
        pthread_join(threads[i], NULL);
        snprintf(expected, sizeof expected, "of caller %d", i);
        ck_assert_int_eq(callers[i].status, ALCORE_E_DATA);
        ck_assert_str_eq(callers[i].text, expected);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

typedef struct long_task {
    atomic_int started, enough;
} long_task;

static alcore_status wait_for_the_end(void *data, int64_t index, int32_t worker) {
    long_task *shared = data;
    (void)index;
    (void)worker;
    shared->started++;
    for (int i = 0; i < 30000 && !shared->enough; i++) nap(1);
    return ALCORE_OK;
}

static void *long_caller(void *argument) {
    void **parts = argument;
    call(parts[0], 100, wait_for_the_end, parts[1]);
    return NULL;
}

START_TEST(a_short_call_is_served_beside_a_long_one) {
    static squares all;
    long_task shared = {0};
    all.ctx = context(1);
    all.entering = pthread_self();
    void *parts[] = {all.ctx, &shared};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, long_caller, parts), 0);
    while (!shared.started) nap(1);
    /* The only worker is inside one of the long tasks; the next one it takes is ours. */
    pthread_t helper;
    void *again[] = {all.ctx, &shared};
    ck_assert_int_eq(pthread_create(&helper, NULL, long_caller, again), 0);
    shared.enough = 1;
    ck_assert_int_eq(call(all.ctx, 100, square, &all), ALCORE_OK);
    pthread_join(thread, NULL);
    pthread_join(helper, NULL);
    alcore_ctx_unref(all.ctx);
}
END_TEST

typedef struct progress_log {
    pthread_t entering;
    atomic_int calls, elsewhere, stop_at;
    int64_t last_done, total;
    char stage[32];
} progress_log;

static int32_t note_progress(void *user, const char *stage, int64_t done, int64_t total) {
    progress_log *log = user;
    if (!pthread_equal(pthread_self(), log->entering)) log->elsewhere++;
    snprintf(log->stage, sizeof log->stage, "%s", stage);
    log->last_done = done;
    log->total = total;
    return ++log->calls == log->stop_at;
}

static alcore_status nap_task(void *data, int64_t index, int32_t worker) {
    (void)data;
    (void)index;
    (void)worker;
    nap(10);
    return ALCORE_OK;
}

static alcore_ctx *with_progress(progress_log *log) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    options.progress = note_progress;
    options.progress_user = log;
    options.threads = 2;
    log->entering = pthread_self();
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    return ctx;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

START_TEST(progress_comes_on_the_entering_thread) {
    progress_log log = {0};
    alcore_ctx *ctx = with_progress(&log);
    double began = seconds();
    ck_assert_int_eq(call(ctx, 160, nap_task, NULL), ALCORE_OK); /* about 0.8 s */
    double took = seconds() - began;
    printf("# %d progress calls in %.2f s\n", log.calls, took);
    ck_assert_int_ge(log.calls, 4);
    ck_assert_int_le(log.calls, (int)(took * 10) + 1);
    ck_assert_int_eq(log.elsewhere, 0);
    ck_assert_str_eq(log.stage, "testing");
    ck_assert_int_eq(log.total, 160);
    ck_assert_int_gt(log.last_done, 80);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(progress_of_a_part_counts_what_is_done) {
    progress_log log = {0};
    alcore_ctx *ctx = with_progress(&log);
    ck_assert_int_eq(alcore__enter(ctx), ALCORE_OK);
    /* Tasks 500 .. 539 of 1000, about 0.2 s. */
    ck_assert_int_eq(
        alcore__leave(ctx, alcore__parallel_part(ctx, "testing", 500, 1000, 40, nap_task, NULL)),
        ALCORE_OK);
    ck_assert_int_ge(log.calls, 1);
    ck_assert_int_eq(log.total, 1000);
    ck_assert_int_gt(log.last_done, 500);
    ck_assert_int_le(log.last_done, 540);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(progress_cancels_its_call_only) {
    progress_log log = {.stop_at = 2};
    alcore_ctx *ctx = with_progress(&log);
    double began = seconds();
    ck_assert_int_eq(call(ctx, 100000, nap_task, NULL), ALCORE_E_CANCELLED);
    ck_assert(seconds() - began < 5);
    ck_assert_str_ne(alcore_last_error(), "");
    ck_assert_int_eq(call(ctx, 10, nap_task, NULL), ALCORE_OK);
    /* The same by ticks on the entering thread. */
    log.calls = 0;
    ck_assert_int_eq(alcore__enter(ctx), ALCORE_OK);
    alcore_status status = ALCORE_OK;
    began = seconds();
    while (status == ALCORE_OK && seconds() - began < 30)
        status = alcore__tick(ctx, "ticking", 1, 2);
    ck_assert_int_eq(alcore__leave(ctx, status), ALCORE_E_CANCELLED);
    ck_assert_int_eq(log.calls, 2);
    ck_assert_str_eq(log.stage, "ticking");
    alcore_ctx_unref(ctx);
}
END_TEST

static atomic_int handled_on_worker;
static pthread_t main_thread;

static void on_signal(int number) {
    (void)number;
    if (!pthread_equal(pthread_self(), main_thread)) handled_on_worker++;
}

static alcore_status look_at_signals(void *data, int64_t index, int32_t worker) {
    sigset_t blocked;
    (void)index;
    (void)worker;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (!sigismember(&blocked, SIGUSR1) || !sigismember(&blocked, SIGINT) ||
        sigismember(&blocked, SIGSEGV))
        ++*(atomic_int *)data;
    nap(1);
    return ALCORE_OK;
}

static void *send_signals(void *stop) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    while (!*(atomic_int *)stop) {
        kill(getpid(), SIGUSR1);
        nap(1);
    }
    return NULL;
}

START_TEST(host_signals_never_run_on_workers) {
    alcore_ctx *ctx = context(3);
    atomic_int wrong = 0, stop = 0;
    pthread_t sender;
    main_thread = pthread_self();
    signal(SIGUSR1, on_signal);
    ck_assert_int_eq(pthread_create(&sender, NULL, send_signals, &stop), 0);
    ck_assert_int_eq(call(ctx, 200, look_at_signals, &wrong), ALCORE_OK);
    stop = 1;
    pthread_join(sender, NULL);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(handled_on_worker, 0);
    alcore_ctx_unref(ctx);
}
END_TEST

static alcore_status look_at_rounding(void *data, int64_t index, int32_t worker) {
    (void)index;
    (void)worker;
    if (fegetround() != FE_TONEAREST) ++*(atomic_int *)data;
    return ALCORE_OK;
}

START_TEST(workers_round_to_nearest) {
    alcore_ctx *ctx = context(2);
    atomic_int wrong = 0;
    ck_assert_int_eq(fesetround(FE_UPWARD), 0);
    alcore_status status = call(ctx, 10, look_at_rounding, &wrong);
    fesetround(FE_TONEAREST);
    ck_assert_int_eq(status, ALCORE_OK);
    ck_assert_int_eq(wrong, 0);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("threads", every_task_runs_once, threads_follow_the_affinity_mask,
            the_lowest_failure_wins, a_nested_call_runs_on_its_worker, callers_share_one_context,
            a_short_call_is_served_beside_a_long_one, progress_comes_on_the_entering_thread,
            progress_of_a_part_counts_what_is_done, progress_cancels_its_call_only,
            host_signals_never_run_on_workers, workers_round_to_nearest);
