/* SPDX-License-Identifier: Apache-2.0 */
/* Cancellation from another thread and from a signal handler, with the time it takes to act. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "check_suite.h"

static alcore_ctx *shared;
static double cancelled_at;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void nap(long milliseconds) {
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

/* A task as the rules want it: it polls inside its loop. */
static alcore_status poll_for_ever(void *data, int64_t index, int32_t worker) {
    (void)data;
    (void)index;
    (void)worker;
    while (!alcore__cancelled(shared)) nap(1);
    return alcore__fail(ALCORE_E_CANCELLED, "the call was cancelled");
}

/* Short tasks that know nothing of cancellation, without end. */
static alcore_status nap_once(void *data, int64_t index, int32_t worker) {
    (void)data;
    (void)index;
    (void)worker;
    nap(1);
    return ALCORE_OK;
}

static alcore_status tick_for_ever(void) {
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; status == ALCORE_OK; i++) status = alcore__tick(shared, "ticking", i, -1);
    return status;
}

static void *cancel_soon(void *unused) {
    (void)unused;
    nap(150);
    cancelled_at = seconds();
    alcore_ctx_cancel(shared);
    return NULL;
}

static void cancel_now(int number) {
    (void)number;
    alcore_ctx_cancel(shared);
}

enum { TICKS, POLLING_TASKS, SHORT_TASKS, KINDS };

static alcore_status long_call(int kind) {
    alcore_status status = alcore__enter_long(shared);
    if (status != ALCORE_OK) return status;
    if (kind == TICKS)
        status = tick_for_ever();
    else if (kind == POLLING_TASKS)
        status = alcore__parallel(shared, "polling", 4, poll_for_ever, NULL);
    else
        status = alcore__parallel(shared, "short", INT64_MAX, nap_once, NULL);
    return alcore__leave(shared, status);
}

START_TEST(from_another_thread) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &shared), ALCORE_OK);
    for (int kind = 0; kind < KINDS; kind++) {
        pthread_t thread;
        ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, NULL), 0);
        ck_assert_int_eq(long_call(kind), ALCORE_E_CANCELLED);
        double ended = seconds();
        pthread_join(thread, NULL);
        printf("# kind %d: cancelled after %.1f ms\n", kind, (ended - cancelled_at) * 1e3);
        ck_assert(ended - cancelled_at <
                  1.0); /* 0.1 s is the promise; a loaded machine gets slack */
        ck_assert_str_ne(alcore_last_error(), "");
        /* It stays until it is cleared, and refuses long calls only. */
        ck_assert_int_eq(alcore_ctx_is_cancelled(shared), 1);
        ck_assert_int_eq(alcore__enter_long(shared), ALCORE_E_CANCELLED);
        ck_assert_int_eq(alcore_device_check(shared, "cpu"), ALCORE_OK);
        alcore_ctx_cancel_clear(shared);
        ck_assert_int_eq(alcore_ctx_is_cancelled(shared), 0);
    }
    alcore_ctx_unref(shared);
}
END_TEST

START_TEST(from_a_signal_handler) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &shared), ALCORE_OK);
    signal(SIGALRM, cancel_now);
    for (int kind = 0; kind < KINDS; kind++) {
        double began = seconds();
        setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 150000}}, NULL);
        ck_assert_int_eq(long_call(kind), ALCORE_E_CANCELLED);
        printf("# kind %d: ended %.1f ms after the signal was due\n", kind,
               (seconds() - began - 0.15) * 1e3);
        ck_assert(seconds() - began < 1.15);
        alcore_ctx_cancel_clear(shared);
    }
    alcore_ctx_unref(shared);
}
END_TEST

START_TEST(while_a_stream_is_silent) {
    int ends[2];
    alcore__file *file;
    pthread_t thread;
    char byte;
    size_t got;
    ck_assert_int_eq(alcore_ctx_new(NULL, &shared), ALCORE_OK);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    ck_assert_int_eq(alcore__file_open(shared, "-", &file), ALCORE_OK);
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, NULL), 0);
    ck_assert_int_eq(alcore__file_read(file, 0, &byte, 1, &got), ALCORE_E_CANCELLED);
    double ended = seconds();
    pthread_join(thread, NULL);
    ck_assert(ended - cancelled_at < 1.0);
    alcore__file_close(file);
    alcore_ctx_unref(shared);
}
END_TEST

static void *ask_elsewhere(void *out) {
    int *answers = out;
    answers[0] = alcore_ctx_is_cancelled(shared);
    answers[1] = alcore_ctx_poll(shared, "elsewhere", 0, 1);
    return NULL;
}

/* A cancel that is cleared while a call runs ends that call, and no later one. Another thread is
 * told of the context. */
START_TEST(cleared_while_it_runs) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &shared), ALCORE_OK);
    ck_assert_int_eq(alcore__enter_long(shared), ALCORE_OK);
    ck_assert_int_eq(alcore__tick(shared, "first", 0, 2), ALCORE_OK);
    alcore_ctx_cancel(shared);
    alcore_ctx_cancel_clear(shared);
    ck_assert_int_eq(alcore__tick(shared, "second", 1, 2), ALCORE_E_CANCELLED);
    ck_assert_int_eq(alcore_ctx_is_cancelled(shared), 1); /* the call that runs */
    ck_assert_int_eq(alcore_ctx_poll(shared, NULL, 0, 0), ALCORE_E_CANCELLED);
    pthread_t thread;
    int answers[2] = {9, 9};
    ck_assert_int_eq(pthread_create(&thread, NULL, ask_elsewhere, answers), 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq(answers[0], 0);
    ck_assert_int_eq(answers[1], ALCORE_OK);
    alcore__leave(shared, ALCORE_E_CANCELLED);
    ck_assert_int_eq(alcore_ctx_is_cancelled(shared), 0);
    ck_assert_int_eq(alcore_ctx_poll(shared, NULL, 0, 0), ALCORE_OK);
    ck_assert_int_eq(alcore__enter_long(shared), ALCORE_OK);
    ck_assert_int_eq(alcore__tick(shared, "again", 0, 1), ALCORE_OK);
    alcore__leave(shared, ALCORE_OK);
    alcore_ctx_unref(shared);
}
END_TEST

/* Every cancel that was not cleared counts, however many were cleared before. */
START_TEST(counts_do_not_mix) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &shared), ALCORE_OK);
    for (int i = 0; i < 3; i++) alcore_ctx_cancel(shared);
    alcore_ctx_cancel_clear(shared);
    alcore_ctx_cancel_clear(shared);
    ck_assert_int_eq(alcore__enter_long(shared), ALCORE_OK);
    alcore__leave(shared, ALCORE_OK);
    alcore_ctx_cancel(shared);
    ck_assert_int_eq(alcore__enter_long(shared), ALCORE_E_CANCELLED);
    alcore_ctx_unref(shared);
}
END_TEST

/* A call that saves goes on in a cancelled context, also from within a long call that was ended,
 * and leaves that call ended. */
START_TEST(a_call_within_a_call) {
    alcore_ctx *other;
    ck_assert_int_eq(alcore_ctx_new(NULL, &shared), ALCORE_OK);
    ck_assert_int_eq(alcore_ctx_new(NULL, &other), ALCORE_OK);
    ck_assert_int_eq(alcore__enter_long(shared), ALCORE_OK);
    alcore_ctx_cancel(shared);
    alcore_ctx_cancel_clear(shared);
    ck_assert_int_eq(alcore__enter(shared), ALCORE_OK);
    ck_assert_int_eq(alcore__tick(shared, "saving", 0, 1), ALCORE_OK);
    alcore__leave(shared, ALCORE_OK);
    ck_assert_int_eq(alcore__enter_long(shared), ALCORE_E_CANCELLED);
    ck_assert_int_eq(alcore__enter_long(other), ALCORE_OK);
    ck_assert_int_eq(alcore__tick(other, "elsewhere", 0, 1), ALCORE_OK);
    alcore_ctx_cancel(other);
    alcore_ctx_cancel_clear(other);
    ck_assert_int_eq(alcore__tick(other, "elsewhere", 0, 1), ALCORE_E_CANCELLED);
    alcore__leave(other, ALCORE_OK);
    ck_assert_int_eq(alcore__tick(shared, "first", 0, 1), ALCORE_E_CANCELLED);
    alcore__leave(shared, ALCORE_OK);
    /* A long call in a callback of one that saves is refused as any other. */
    ck_assert_int_eq(alcore__enter(shared), ALCORE_OK);
    alcore_ctx_cancel(shared);
    ck_assert_int_eq(alcore__enter_long(shared), ALCORE_E_CANCELLED);
    alcore__leave(shared, ALCORE_OK);
    alcore_ctx_unref(other);
    alcore_ctx_unref(shared);
}
END_TEST

/* Callbacks that call without end are refused before the thread has no place to note a call. */
START_TEST(calls_are_not_endless) {
    int depth = 0;
    ck_assert_int_eq(alcore_ctx_new(NULL, &shared), ALCORE_OK);
    while (alcore__enter(shared) == ALCORE_OK) depth++;
    ck_assert_int_gt(depth, 16);
    ck_assert_int_lt(depth, 100);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "within each other"));
    while (depth-- > 0) alcore__leave(shared, ALCORE_OK);
    ck_assert_int_eq(alcore_device_check(shared, "cpu"), ALCORE_OK);
    alcore_ctx_unref(shared);
}
END_TEST

START_TEST(null_is_allowed) {
    ck_assert_int_eq(alcore_ctx_is_cancelled(NULL), 0);
    ck_assert_int_eq(alcore_ctx_poll(NULL, NULL, 0, 0), ALCORE_E_INVALID);
    alcore_ctx_cancel(NULL);
    alcore_ctx_cancel_clear(NULL);
    ck_assert(!alcore__cancelled(NULL));
    ck_assert_int_eq(alcore__tick(NULL, "none", 0, 0), ALCORE_OK);
}
END_TEST

CHECK_SUITE("cancel", from_another_thread, from_a_signal_handler, while_a_stream_is_silent,
            cleared_while_it_runs, counts_do_not_mix, a_call_within_a_call, calls_are_not_endless,
            null_is_allowed);
