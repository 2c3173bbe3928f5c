/* SPDX-License-Identifier: Apache-2.0 */
/* Where a handler of the host runs while a model is trained: on the thread of the call, and on the
 * stack of that thread. Some of oneDNN's products use memory of the heap as their stack, where the
 * frame of a handler would be written over somebody's data. This handler has a stack of its own, so
 * that it harms nothing, and looks where the stack of what it interrupted was. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* registers by name, the stack of a thread */
#endif
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

#include "check_suite.h"
#include "torch_training.h"

/* Texts whose tokens make products of shapes in which oneDNN was seen to do that. */
enum { TEXTS = 3, LONG = 11, WORDS = 6000, DIMS = 192, UPDATES = 60, MICROSECONDS = 300 };

static pthread_t caller;
static uintptr_t lowest, highest;                        /* of the caller's stack */
static volatile sig_atomic_t handled, elsewhere, astray; /* on another thread; on no stack */

static uintptr_t stack_pointer(const ucontext_t *interrupted) {
#if defined(__x86_64__)
    return (uintptr_t)interrupted->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return (uintptr_t)interrupted->uc_mcontext.sp;
#else
    (void)interrupted;
    return lowest;
#endif
}

static void look(int number, siginfo_t *info, void *interrupted) {
    (void)number, (void)info;
    const uintptr_t at = stack_pointer(interrupted);
    handled++;
    if (!pthread_equal(pthread_self(), caller))
        elsewhere++;
    else if (at < lowest || at >= highest)
        astray++;
}

/* Calls the handler every MICROSECONDS from now on; 0: no longer. */
static void interrupt_every(int microseconds) {
    const struct itimerval every = {{0, microseconds}, {0, microseconds}};
    ck_assert_int_eq(setitimer(ITIMER_REAL, &every, NULL), 0);
}

static void watch_this_thread(stack_t *own) {
    pthread_attr_t attributes;
    void *stack = NULL;
    size_t bytes = 0;
    const struct sigaction action = {.sa_sigaction = look,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    ck_assert_int_eq(pthread_getattr_np(pthread_self(), &attributes), 0);
    ck_assert_int_eq(pthread_attr_getstack(&attributes, &stack, &bytes), 0);
    pthread_attr_destroy(&attributes);
    caller = pthread_self();
    lowest = (uintptr_t)stack;
    highest = lowest + bytes;
    *own = (stack_t){.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    ck_assert_int_eq(sigaltstack(own, NULL), 0);
    ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
}

/* ---- threads of torch that are there before ---- */

typedef void parallel_call(void (*function)(void *), void *data, unsigned threads, unsigned flags);

static int find_openmp(struct dl_phdr_info *library, size_t size, void *out) {
    (void)size;
    if (!strstr(library->dlpi_name, "libgomp")) return 0;
    *(const char **)out = library->dlpi_name;
    return 1;
}

static void nothing(void *unused) {
    (void)unused;
}

/* Has torch's OpenMP start its threads while signals may reach them, as a host does that computed
 * by torch before; those that a call of the module starts inherit that signals are held. */
static void start_threads_of_torch(unsigned threads) {
    const char *path = NULL;
    parallel_call *parallel = NULL;
    dl_iterate_phdr(find_openmp, &path);
    ck_assert_msg(path != NULL, "torch has brought no libgomp");
    void *openmp = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    ck_assert_ptr_nonnull(openmp);
    *(void **)&parallel = dlsym(openmp, "GOMP_parallel");
    ck_assert_ptr_nonnull(parallel);
    parallel(nothing, NULL, threads, 0);
    dlclose(openmp);
}

/* Trains with so many threads, interrupted all the time. */
static void train_interrupted(int32_t threads) {
    static int64_t ids[TEXTS * LONG], offsets[TEXTS + 1];
    for (int i = 0; i < TEXTS * LONG; i++) ids[i] = 3 + i * 37 % (WORDS - 3);
    for (int i = 0; i <= TEXTS; i++) offsets[i] = (int64_t)i * LONG;
    const alcore_sys_model_texts texts = {
        .size = sizeof texts, .count = TEXTS, .ids = ids, .offsets = offsets};
    const plain_model plain = {WORDS, DIMS, 1, 6, 4 * DIMS, 4 * LONG, "\"random_seed\": 1"};
    const alcore_sys_model_training how = {
        .size = sizeof how, .sources = &texts, .targets = &texts, .updates = UPDATES};
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    stack_t own;

    begin();
    start_threads_of_torch((unsigned)threads);
    alcore_ctx_unref(ctx);
    options.threads = threads;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    make_plain(&plain);
    alcore_sys_model *model = open_folder(scratch, 0, 0, 16384);
    watch_this_thread(&own);
    handled = elsewhere = astray = 0;
    interrupt_every(MICROSECONDS);
    const alcore_status status = engine->train(model, &how, NULL);
    interrupt_every(0);
    signal(SIGALRM, SIG_IGN);
    own.ss_flags = SS_DISABLE;
    ck_assert_int_eq(sigaltstack(&own, NULL), 0);
    free(own.ss_sp);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    ck_assert_int_gt(handled, UPDATES / 2);
    ck_assert_int_eq(elsewhere, 0);
    ck_assert_int_eq(astray, 0);
    engine->close(model);
    remove_scratch();
    alcore_ctx_unref(ctx);
}

START_TEST(a_handler_runs_on_the_stack_of_its_thread) {
    train_interrupted(1);
}
END_TEST

START_TEST(a_handler_runs_on_no_thread_of_torch) {
    train_interrupted(2);
}
END_TEST

CHECK_SUITE("torch signals", a_handler_runs_on_the_stack_of_its_thread,
            a_handler_runs_on_no_thread_of_torch);
