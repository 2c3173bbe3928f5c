/* SPDX-License-Identifier: Apache-2.0 */
/* Every long call is cancelled half-way, from another thread and from a signal handler, and stops
 * within 100 ms. Calls that save or set run to their end, however often they are cancelled.
 *
 * How long a call takes is measured first; then it runs again and is cancelled after half of that
 * time. It may end before that: then it is tried with half the delay until it has been met, and a
 * call that is never met fails.
 *
 * The 100 ms are processor time, not elapsed time, from the cancelling to the return. On a machine
 * with other programs a call that returns at once can still take seconds of elapsed time until it
 * is scheduled again, so that a limit of elapsed time would either fail at random or be too wide to
 * see anything; nothing but the call itself lengthens its processor time. Two clocks are read: that
 * of the entering thread may advance by 100 ms, and that of the process, which sees the workers
 * that the entering thread waits for, by 100 ms for each thread of the context.
 *
 * A call that waits instead of computing uses no processor time: a pool is therefore read once more
 * through a file table whose reads take 20 ms each, the third of them cancels, and at most four
 * more may follow within 100 ms. What is not seen: a wait for anything but a file, such as a lock,
 * and a single worker that goes on for more than 100 ms but less than 100 ms for each thread. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "cancel_calls.h"
#include "tap.h"

enum { ATTEMPTS = 64 };
#define LONG_CALL 0.2 /* seconds; of a longer call only this much is run */
#define LIMIT 0.100   /* seconds */
/* Seconds for which a call is made again and again until it is cancelled: one of a millisecond
 * would be over before a busy machine lets the cancelling thread run. */
#define REPEATED 0.05
/* Sanitized code is several times slower than what users run. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOWER 10
#else
#define SLOWER 1
#endif

static double clock_seconds(clockid_t which) {
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Processor time of the thread that enters the calls. */
static clockid_t entering;
/* When the running call was cancelled: seconds of the entering thread's clock (0: not yet) and of
 * the clock of the whole process. */
static _Atomic double cancelled_at, process_at;

static void cancel_now(void) {
    process_at = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    cancelled_at = clock_seconds(entering);
    alcore_ctx_cancel(ctx);
}

/* A thread that cancels the call `delay` seconds after `started` was set. */
typedef struct canceller {
    double delay;
    atomic_bool ready;      /* the thread runs: starting one can take longer than a short call */
    _Atomic double started; /* CLOCK_MONOTONIC at the beginning of the call; 0: not yet */
} canceller;

/* Sleeps through all but the last 2 ms of the delay and watches the clock from then on: a short
 * call would be over before the thread had woken. */
static void *cancel_from_thread(void *argument) {
    canceller *self = argument;
    self->ready = true;
    while (self->started == 0) sched_yield();
    double moment = self->started + self->delay;
    double left = moment - clock_seconds(CLOCK_MONOTONIC) - 0.002;
    if (left > 0) {
        struct timespec nap = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
        nanosleep(&nap, NULL);
    }
    while (clock_seconds(CLOCK_MONOTONIC) < moment) continue;
    cancel_now();
    return NULL;
}

static void cancel_from_handler(int number) {
    (void)number;
    cancel_now();
}

typedef struct outcome {
    alcore_status status;
    bool met;    /* the call was running when it was cancelled */
    double took; /* seconds of the call by the wall clock */
    double late; /* processor seconds of the entering thread from the cancelling to the return */
    double late_all; /* the same of all threads of the process */
} outcome;

/* Runs the call, again and again for `repeated` seconds, and cancels it after `delay` seconds. */
static outcome cancelled_call(alcore_status (*call)(void), bool from_handler, double delay,
                              double repeated) {
    outcome result = {0};
    canceller from_thread = {.delay = delay};
    pthread_t thread;
    cancelled_at = 0;
    if (from_handler) {
        struct itimerval timer = {
            .it_value = {.tv_sec = (time_t)delay,
                         .tv_usec = (suseconds_t)(delay * 1e6) % 1000000 + 1}};
        setitimer(ITIMER_REAL, &timer, NULL);
    } else {
        if (pthread_create(&thread, NULL, cancel_from_thread, &from_thread) != 0) exit(2);
        while (!from_thread.ready) sched_yield();
    }
    double started = clock_seconds(CLOCK_MONOTONIC);
    from_thread.started = started;
    do {
        result.status = call();
        result.took = clock_seconds(CLOCK_MONOTONIC) - started;
    } while (result.status == ALCORE_OK && cancelled_at == 0 && result.took < repeated);
    double end = clock_seconds(entering), begun = cancelled_at;
    double end_all = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (from_handler)
        setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    else
        pthread_join(thread, NULL);
    result.met = begun > 0;
    result.late = result.met ? end - begun : 0;
    result.late_all = result.met ? end_all - process_at : 0;
    alcore_ctx_cancel_clear(ctx);
    return result;
}

static void walk(const char *name, alcore_status (*call)(void)) {
    char title[200], detail[200] = "";
    alcore_ctx_cancel(ctx);
    alcore_status status = call();
    alcore_ctx_cancel_clear(ctx);
    snprintf(title, sizeof title, "%s, cancelled beforehand", name);
    tap_ok(status == ALCORE_E_CANCELLED, title, alcore_status_name(status));

    /* The call by itself, or so much of it as is needed here. */
    outcome first = cancelled_call(call, false, LONG_CALL, 0);
    snprintf(title, sizeof title, "%s, not cancelled", name);
    tap_ok(first.met || first.status == ALCORE_OK, title, alcore_last_error());

    for (int from_handler = 0; from_handler < 2; from_handler++) {
        outcome result = {0};
        /* Later tries come earlier, as far as 1/256 of the first call, then begin anew: the first
         * call may have taken much longer than those after it. */
        for (int attempt = 0; attempt < ATTEMPTS && !result.met; attempt++)
            result = cancelled_call(call, from_handler, first.took / (2 << attempt % 8), REPEATED);
        /* A call that was in its last steps may come to its end all the same. */
        bool stopped = result.status == ALCORE_E_CANCELLED || result.status == ALCORE_OK;
        snprintf(
            detail, sizeof detail,
            "%s of a call of %.0f ms, after %.0f ms of processor time, %.0f ms of all threads: %s",
            result.met ? alcore_status_name(result.status) : "never met half-way", first.took * 1e3,
            result.late * 1e3, result.late_all * 1e3,
            result.status == ALCORE_OK ? "" : alcore_last_error());
        snprintf(title, sizeof title, "%s, cancelled from %s", name,
                 from_handler ? "a signal handler" : "a thread");
        const bool soon = result.late <= LIMIT * SLOWER &&
                          result.late_all <= LIMIT * SLOWER * alcore_ctx_threads(ctx);
        tap_ok(result.met && stopped && soon, title, detail);
        printf("#   %s\n", detail);
    }
}

/* ---- calls that save ---- */

static atomic_bool saving, saved;

/* Cancels the context before a call that saves, and clears it behind it. */
static void cancel_around(bool begins) {
    saving = begins;
    if (begins)
        alcore_ctx_cancel(ctx);
    else
        alcore_ctx_cancel_clear(ctx);
    if (begins) saved = true;
}

/* Cancels again and again while a call saves, and clears now and then, until `data` is set. */
static void *cancel_and_clear(void *data) {
    atomic_bool *ended = data;
    for (unsigned i = 0; !*ended; i++) {
        if (saving) alcore_ctx_cancel(ctx);
        if (saving && i % 3 == 0) alcore_ctx_cancel_clear(ctx);
        sched_yield();
    }
    return NULL;
}

/* Neither a cancel before nor one while it runs refuses or ends a call that saves. What the case
 * computes before it saves is not cancelled, but a clear of the thread may come late. */
static void walk_saving(const char *name, alcore_status (*call)(void)) {
    atomic_bool ended = false;
    char title[200];
    pthread_t thread;
    saved = false;
    if (pthread_create(&thread, NULL, cancel_and_clear, &ended) != 0) exit(2);
    around_saving = cancel_around;
    alcore_status status = call();
    around_saving = NULL;
    ended = true;
    pthread_join(thread, NULL);
    alcore_ctx_cancel_clear(ctx);
    snprintf(title, sizeof title, "%s, in a context that is cancelled", name);
    tap_ok(status == ALCORE_OK && saved, title, alcore_last_error());
}

/* ---- slow files ---- */

enum { SLOW_BYTES = 40 << 20, READ_MS = 20, CANCELLING_READ = 3 };

static alcore_ctx *slow_ctx;
static int slow_reads;

static alcore_status slow_open(void *user, const char *path, int32_t mode, void **out_file) {
    (void)path;
    *out_file = user;
    return mode == ALCORE_FILE_READ ? ALCORE_OK : ALCORE_E_IO;
}

/* The same line of four bytes again and again. The read that cancels answers as the others do. */
static alcore_status slow_read(void *user, void *file, int64_t offset, void *buffer, size_t bytes,
                               size_t *out_bytes) {
    char *text = buffer;
    (void)user;
    (void)file;
    nanosleep(&(struct timespec){.tv_nsec = READ_MS * 1000000L}, NULL);
    if (++slow_reads == CANCELLING_READ) alcore_ctx_cancel(slow_ctx);
    if ((int64_t)bytes > SLOW_BYTES - offset) bytes = (size_t)(SLOW_BYTES - offset);
    for (size_t i = 0; i < bytes; i++) text[i] = "abc\n"[(offset + (int64_t)i) % 4];
    *out_bytes = bytes;
    return ALCORE_OK;
}

static alcore_status slow_length(void *user, void *file, int64_t *out_bytes) {
    (void)user;
    (void)file;
    *out_bytes = SLOW_BYTES;
    return ALCORE_OK;
}

static alcore_status slow_close(void *user, void *file) {
    (void)user;
    (void)file;
    return ALCORE_OK;
}

/* Cancels the reading of a pool in the middle of a read that waits. */
static void walk_slow_files(void) {
    static char nothing;
    const alcore_files files = {.size = sizeof files,
                                .user = &nothing,
                                .open = slow_open,
                                .read = slow_read,
                                .length = slow_length,
                                .close = slow_close};
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_pool *fresh = NULL;
    char detail[100];
    options.files = &files;
    alcore_status status = alcore_ctx_new(&options, &slow_ctx);
    if (status == ALCORE_OK) status = alcore_pool_new(slow_ctx, NULL, &fresh);
    if (status == ALCORE_OK) status = alcore_pool_read(fresh, "slow.txt", NULL);
    int later = slow_reads - CANCELLING_READ;
    snprintf(detail, sizeof detail, "%s, %d reads later", alcore_status_name(status), later);
    tap_ok(status == ALCORE_E_CANCELLED && later >= 0 && later * READ_MS < 100,
           "alcore_pool_read of a slow file, cancelled in a read", detail);
    printf("#   %s\n", detail);
    alcore_pool_unref(fresh);
    alcore_ctx_unref(slow_ctx);
}

int main(void) {
    char name[100];
    const char *full = getenv("ALCORE_TEST_FULL");
    struct sigaction action = {.sa_handler = cancel_from_handler};
    sigaction(SIGALRM, &action, NULL);
    if (pthread_getcpuclockid(pthread_self(), &entering) != 0) return 2;
    cancel_world_make((full && *full == '1' ? 1000000 : 60000) / SLOWER);
    for (const cancel_call *entry = CALLS; entry->function; entry++) {
        if (entry->variant) {
            snprintf(name, sizeof name, "%s %s", entry->function, entry->variant);
            walk(name, entry->call);
            continue;
        }
        for (int32_t i = 0; (strategy_name = alcore_strategy_builtin_name(i)); i++) {
            snprintf(name, sizeof name, "%s %s", entry->function, strategy_name);
            walk(name, entry->call);
        }
    }
    for (const cancel_call *entry = SAVING_CALLS; entry->function; entry++) {
        snprintf(name, sizeof name, "%s %s", entry->function, entry->variant);
        walk_saving(name, entry->call);
    }
    walk_slow_files();
    tap_ok(cancel_world_works(), "the handles work afterwards", alcore_last_error());
    tap_ok(cancel_world_end(), "no other file is left", "the folder is not empty");
    return tap_end();
}
