/* SPDX-License-Identifier: Apache-2.0 */
/* Cancelling a request, and its progress: from other threads, from signal handlers, within
 * callbacks, one of two requests over one pool. A strategy of the host's is where the tests know
 * that a call runs. */
#include "alcore/extra/analysis.h"
#include "alcore/extra/comparison.h"
#include "column_functions.h"
#include "request_test.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#ifdef __SANITIZE_THREAD__
enum { TRIES = 300 };
#else
enum { TRIES = 3000 };
#endif

/* Cancels, and clears what was cancelled. */
typedef void (*action)(alcore_request *request);

static void cancel_request(alcore_request *request) {
    alcore_request_cancel(request);
    alcore_request_cancel_clear(request);
}

static alcore_ctx *shared;

static void cancel_context(alcore_request *request) {
    (void)request;
    alcore_ctx_cancel(shared);
    alcore_ctx_cancel_clear(shared);
}

/* What a strategy does while it runs: it is called with its `user` and the view. */
typedef struct script {
    alcore_status (*run)(struct script *self, const alcore_view *view);
    alcore_request *request; /* that it is the strategy of */
    alcore_request *other;   /* for scripts about two requests */
    alcore_selection *saved; /* for the script that saves */
    action act;
    atomic_int runs, met; /* calls that began; calls that another thread has seen and cancelled */
    alcore_status answer; /* what a call or a poll within it answered */
    int asked;            /* what alcore_ctx_is_cancelled() answered */
} script;

static alcore_status choose(void *user, const alcore_view *view, alcore_choice *out) {
    static const double zeros[64];
    script *self = user;
    const int64_t count = alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES);
    ck_assert_int_le(count, 64);
    const alcore_status status = self->run(self, view);
    return status == ALCORE_OK ? alcore_choice_scores(out, zeros, count) : status;
}

static alcore_pool *texts;

/* A request over `texts` whose strategy runs the script. */
static void make(script *self, alcore_status (*run)(script *, const alcore_view *)) {
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    alcore_strategy *strategy;
    self->run = run;
    host.user = self;
    host.choose = choose;
    ck_assert_ok(alcore_strategy_new_host(shared, &host, &strategy));
    self->request = request_for(shared, texts, "random", "2");
    ck_assert_ok(alcore_request_set_strategy(self->request, strategy));
    alcore_strategy_unref(strategy);
}

static void setup(void) {
    ck_assert_ok(alcore_ctx_new(NULL, &shared));
    texts = numbered_pool(shared, 6);
}

static void teardown(void) {
    alcore_pool_unref(texts);
    alcore_ctx_unref(shared);
}

static alcore_status answer(script *self) {
    alcore_selection *selection;
    const alcore_status status = alcore_select(self->request, &selection);
    ck_assert((status == ALCORE_OK) == (selection != NULL));
    alcore_selection_unref(selection);
    return status;
}

/* ---- none is lost ---- */

/* Waits until the other thread has cancelled and cleared. */
static alcore_status wait_to_be_met(script *self, const alcore_view *view) {
    (void)view;
    const int run = ++self->runs;
    while (self->met < run) sched_yield();
    return ALCORE_OK;
}

static void *meet_all(void *data) {
    script *self = data;
    for (int run = 1; run <= TRIES; run++) {
        while (self->runs < run) sched_yield();
        self->act(self->request);
        self->met = run;
    }
    return NULL;
}

/* Cancelled and cleared while the strategy runs, thousands of times: no call succeeds. */
static void lose_none(action act) {
    script self = {.act = act};
    pthread_t thread;
    make(&self, wait_to_be_met);
    ck_assert_int_eq(pthread_create(&thread, NULL, meet_all, &self), 0);
    for (int i = 0; i < TRIES; i++) ck_assert_int_eq(answer(&self), ALCORE_E_CANCELLED);
    pthread_join(thread, NULL);
    self.met = TRIES + 1;
    ck_assert_int_eq(answer(&self), ALCORE_OK);
    alcore_request_unref(self.request);
}

START_TEST(none_of_a_request_is_lost) {
    lose_none(cancel_request);
}
END_TEST

START_TEST(none_of_a_context_is_lost) {
    lose_none(cancel_context);
}
END_TEST

static alcore_request *in_handler;
static action handler_act;

static void handle(int number) {
    (void)number;
    handler_act(in_handler);
}

static alcore_status raise_signal(script *self, const alcore_view *view) {
    (void)self;
    (void)view;
    raise(SIGUSR1);
    return ALCORE_OK;
}

START_TEST(none_of_a_signal_handler_is_lost) {
    static const action ACTIONS[] = {cancel_request, cancel_context};
    script self = {0};
    make(&self, raise_signal);
    in_handler = self.request;
    signal(SIGUSR1, handle);
    for (int a = 0; a < 2; a++) {
        handler_act = ACTIONS[a];
        for (int i = 0; i < TRIES; i++) ck_assert_int_eq(answer(&self), ALCORE_E_CANCELLED);
    }
    signal(SIGUSR1, SIG_IGN);
    ck_assert_int_eq(answer(&self), ALCORE_OK);
    alcore_request_unref(self.request);
}
END_TEST

/* A thread that cancels at any moment, waits until a call was ended, and clears. */
typedef struct at_random {
    script *self;
    atomic_int ended; /* calls that were cancelled */
    atomic_bool stop;
} at_random;

static void *cancel_at_random(void *data) {
    at_random *all = data;
    unsigned state = 1;
    for (int i = 0; i < TRIES; i++) {
        const int before = all->ended;
        for (unsigned spin = (state = state * 1103515245 + 12345) >> 22; spin > 0; spin--)
            atomic_load(&all->ended);
        if (i % 2)
            alcore_request_cancel(all->self->request);
        else
            alcore_ctx_cancel(shared);
        while (all->ended == before) sched_yield();
        alcore_request_cancel_clear(all->self->request);
        alcore_ctx_cancel_clear(shared);
    }
    all->stop = true;
    return NULL;
}

static alcore_status do_nothing(script *self, const alcore_view *view) {
    (void)self;
    (void)view;
    return ALCORE_OK;
}

/* Wherever a cancel comes, within a call or between two, a call ends with it; after the clear calls
 * succeed again. */
START_TEST(at_any_moment) {
    script self = {0};
    at_random all = {.self = &self};
    pthread_t thread;
    make(&self, do_nothing);
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_at_random, &all), 0);
    while (!all.stop) {
        const alcore_status status = answer(&self);
        ck_assert(status == ALCORE_OK || status == ALCORE_E_CANCELLED);
        if (status == ALCORE_E_CANCELLED) all.ended++;
    }
    pthread_join(thread, NULL);
    ck_assert_int_ge(all.ended, TRIES);
    ck_assert_int_eq(answer(&self), ALCORE_OK);
    alcore_request_unref(self.request);
}
END_TEST

/* An allocator that cancels and clears the request at one allocation. */
typedef struct cancelling_memory {
    alcore_request *request; /* NULL: not yet */
    int64_t at, calls;       /* allocations that were made while there is a request */
} cancelling_memory;

static void *allocate_or_cancel(void *user, size_t bytes) {
    cancelling_memory *self = user;
    if (self->request && ++self->calls == self->at) cancel_request(self->request);
    return malloc(bytes);
}

static void *reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    (void)user, (void)old_bytes;
    return realloc(memory, new_bytes);
}

static void release(void *user, void *memory, size_t bytes) {
    (void)user, (void)bytes;
    free(memory);
}

/* Whichever allocation of a call the cancel comes at, up to the last one, the call ends with it. */
START_TEST(in_every_step) {
    cancelling_memory memory = {0};
    const alcore_allocator allocator = {sizeof allocator, &memory, allocate_or_cancel, reallocate,
                                        release};
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    script self = {0};
    teardown();
    options.allocator = &allocator;
    options.threads = 1;
    ck_assert_ok(alcore_ctx_new(&options, &shared));
    texts = numbered_pool(shared, 6);
    make(&self, do_nothing);
    ck_assert_int_eq(answer(&self), ALCORE_OK);
    memory.request = self.request;
    ck_assert_int_eq(answer(&self), ALCORE_OK);
    const int64_t all = memory.calls;
    ck_assert_int_gt(all, 10);
    for (memory.at = 1; memory.at <= all; memory.at++) {
        memory.calls = 0;
        ck_assert_int_eq(answer(&self), ALCORE_E_CANCELLED);
    }
    memory.request = NULL;
    alcore_request_unref(self.request);
}
END_TEST

START_TEST(between_two_calls) {
    script self = {0}, other = {0};
    alcore_tensor rows;
    alcore_strategy *strategy;
    alcore_comparison *comparison;
    alcore_ablation ablation = ALCORE_ABLATION_INIT;
    make(&self, do_nothing);
    make(&other, do_nothing);
    ck_assert_ok(alcore_strategy_new(shared, "random", &strategy));
    alcore_request_cancel(self.request);
    ck_assert_int_eq(answer(&self), ALCORE_E_CANCELLED);
    ck_assert_int_eq(answer(&self), ALCORE_E_CANCELLED); /* sticky */
    ck_assert_int_eq(alcore_request_candidates(self.request, 2, &rows), ALCORE_E_CANCELLED);
    ck_assert_int_eq(alcore_request_read_rows(self.request, ALCORE_ROWS_EXCLUDED, "/no/file.txt"),
                     ALCORE_E_CANCELLED);
    ck_assert_int_eq(
        alcore_request_ablate(self.request, "lambda", &(double){1}, 1, NULL, &ablation, NULL),
        ALCORE_E_CANCELLED);
    ck_assert_int_eq(alcore_request_compare(self.request, &strategy, NULL, 1, NULL, &comparison),
                     ALCORE_E_CANCELLED);
    alcore_strategy_unref(strategy);
    ck_assert_int_eq(answer(&other), ALCORE_OK);
    ck_assert_int_eq(alcore_ctx_is_cancelled(shared), 0);
    /* Setters are not refused. */
    ck_assert_ok(alcore_request_set(self.request, "round", "2"));
    ck_assert_ok(alcore_request_set_progress(self.request, NULL, NULL, NULL));
    alcore_request_cancel_clear(self.request);
    ck_assert_int_eq(answer(&self), ALCORE_OK);
    alcore_request_cancel(NULL);
    alcore_request_cancel_clear(NULL);
    alcore_request_unref(self.request);
    alcore_request_unref(other.request);
}
END_TEST

/* ---- two requests ---- */

/* Runs until it is cancelled, as the view says, or the other thread says that it has seen enough.
 */
static alcore_status poll_until(script *self, const alcore_view *view) {
    self->runs++;
    while (!self->met) {
        self->answer = alcore_view_poll(view, "waiting", 1, 2);
        if (self->answer != ALCORE_OK) return self->answer;
        sched_yield();
    }
    return ALCORE_OK;
}

static void *answer_on_a_thread(void *data) {
    script *self = data;
    return answer(self) == ALCORE_OK ? NULL : self;
}

START_TEST(one_of_two_over_one_pool) {
    script both[2] = {{0}, {0}};
    pthread_t threads[2];
    void *failed;
    for (int i = 0; i < 2; i++) make(&both[i], poll_until);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, answer_on_a_thread, &both[i]), 0);
    for (int i = 0; i < 2; i++)
        while (both[i].runs == 0) sched_yield();
    in_handler = both[0].request;
    handler_act = cancel_request;
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    pthread_join(threads[0], &failed);
    ck_assert_ptr_eq(failed, &both[0]);
    ck_assert_int_eq(both[0].answer, ALCORE_E_CANCELLED);
    both[1].met = 1;
    pthread_join(threads[1], &failed);
    ck_assert_ptr_null(failed);
    ck_assert_ok(both[1].answer);
    for (int i = 0; i < 2; i++) alcore_request_unref(both[i].request);
}
END_TEST

/* Answers the other request and goes on, whatever that answers. */
static alcore_status answer_other(script *self, const alcore_view *view) {
    alcore_selection *selection;
    (void)view;
    if (self->act) self->act(self->request);
    self->answer = alcore_select(self->other, &selection);
    alcore_selection_unref(selection);
    self->asked = alcore_ctx_is_cancelled(shared);
    return ALCORE_OK;
}

static alcore_status cancel_outer(script *self, const alcore_view *view) {
    (void)view;
    cancel_request(self->other);
    return ALCORE_OK;
}

/* A request that is answered within a callback of another ends with it, but not the other way
 * round. */
START_TEST(one_within_the_other) {
    script outer = {0}, inner = {0};
    make(&outer, answer_other);
    make(&inner, raise_signal);
    outer.other = inner.request;
    inner.other = outer.request;
    in_handler = inner.request;
    handler_act = cancel_request;
    signal(SIGUSR1, handle);
    ck_assert_int_eq(answer(&outer), ALCORE_OK);
    ck_assert_int_eq(outer.answer, ALCORE_E_CANCELLED);
    ck_assert_int_eq(outer.asked, 0);
    inner.run = cancel_outer;
    ck_assert_int_eq(answer(&outer), ALCORE_E_CANCELLED);
    ck_assert_int_eq(outer.answer, ALCORE_E_CANCELLED);
    ck_assert_int_eq(outer.asked, 1);
    inner.run = do_nothing;
    outer.act = cancel_request; /* before the inner one begins, and cleared */
    ck_assert_int_eq(answer(&outer), ALCORE_E_CANCELLED);
    ck_assert_int_eq(outer.answer, ALCORE_E_CANCELLED);
    outer.act = NULL;
    ck_assert_int_eq(answer(&outer), ALCORE_OK);
    ck_assert_ok(outer.answer);
    alcore_request_unref(outer.request);
    alcore_request_unref(inner.request);
}
END_TEST

/* ---- saving ---- */

/* Once it is cancelled, the callback saves what is there. */
static alcore_status save_when_cancelled(script *self, const alcore_view *view) {
    self->act(self->request);
    if (alcore_view_poll(view, NULL, 0, 0) == ALCORE_OK) return ALCORE_OK;
    self->answer = alcore_selection_write(self->saved, "request_cancel.tsv", NULL);
    return ALCORE_E_CANCELLED;
}

START_TEST(what_is_there_is_saved) {
    static const action ACTIONS[] = {cancel_request, cancel_context};
    script self = {0};
    alcore_selection *selection;
    make(&self, do_nothing);
    ck_assert_ok(alcore_select(self.request, &selection));
    alcore_ctx_cancel(shared);
    ck_assert_ok(alcore_selection_write(selection, "request_cancel.tsv", NULL));
    ck_assert_ptr_nonnull(strstr(file_text("request_cancel.tsv"), "sentence number"));
    alcore_ctx_cancel_clear(shared);
    remove("request_cancel.tsv");
    self.saved = selection;
    self.run = save_when_cancelled;
    for (int a = 0; a < 2; a++) {
        self.act = ACTIONS[a];
        ck_assert_int_eq(answer(&self), ALCORE_E_CANCELLED);
        ck_assert_ok(self.answer);
        ck_assert_ptr_nonnull(strstr(file_text("request_cancel.tsv"), "sentence number"));
        remove("request_cancel.tsv");
    }
    alcore_selection_unref(selection);
    alcore_request_unref(self.request);
}
END_TEST

/* ---- progress ---- */

typedef struct listener {
    int calls, destroyed;
    char stage[32];
    int64_t done, total;
    int32_t answer;
} listener;

static int32_t listen_to(void *user, const char *stage, int64_t done, int64_t total) {
    listener *self = user;
    self->calls++;
    snprintf(self->stage, sizeof self->stage, "%s", stage);
    self->done = done;
    self->total = total;
    return self->answer;
}

static void end_listening(void *user) {
    ((listener *)user)->destroyed++;
}

/* Longer than two periods of progress, in which the stage of the host is told. */
static alcore_status poll_for_a_while(script *self, const alcore_view *view) {
    self->answer = ALCORE_OK;
    for (int i = 0; i < 25 && self->answer == ALCORE_OK; i++) {
        char stage[8] = "scoring"; /* the library keeps no pointer to it */
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        self->answer = alcore_view_poll(view, stage, 7, 9);
        memset(stage, 'x', sizeof stage - 1);
    }
    return self->answer;
}

START_TEST(progress_of_two_requests) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    listener ofs[2] = {{0}, {0}}, of_context = {0};
    script both[2] = {{0}, {0}};
    teardown();
    options.progress = listen_to;
    options.progress_user = &of_context;
    ck_assert_ok(alcore_ctx_new(&options, &shared));
    texts = numbered_pool(shared, 6);
    for (int i = 0; i < 2; i++) {
        make(&both[i], poll_for_a_while);
        ck_assert_ok(
            alcore_request_set_progress(both[i].request, listen_to, &ofs[i], end_listening));
    }
    ck_assert_int_eq(answer(&both[0]), ALCORE_OK);
    ck_assert_int_ge(ofs[0].calls, 2);
    ck_assert_str_eq(ofs[0].stage, "scoring");
    ck_assert_int_eq(ofs[0].done, 7);
    ck_assert_int_eq(ofs[0].total, 9);
    ck_assert_int_eq(ofs[1].calls, 0);
    /* An answer ends this call, and no other. */
    ofs[1].answer = 1;
    ck_assert_int_eq(answer(&both[1]), ALCORE_E_CANCELLED);
    ck_assert_int_eq(both[1].answer, ALCORE_E_CANCELLED);
    ck_assert_int_eq(ofs[1].calls, 1);
    ck_assert_int_eq(of_context.calls, 0);
    ck_assert_int_eq(answer(&both[0]), ALCORE_OK);
    /* Without a function it is that of the context. */
    ck_assert_int_eq(ofs[1].destroyed, 0);
    ck_assert_ok(alcore_request_set_progress(both[1].request, NULL, NULL, NULL));
    ck_assert_int_eq(ofs[1].destroyed, 1);
    ck_assert_int_eq(answer(&both[1]), ALCORE_OK);
    ck_assert_int_ge(of_context.calls, 2);
    ck_assert_int_eq(ofs[1].calls, 1);
    ck_assert_int_eq(ofs[0].destroyed, 0);
    for (int i = 0; i < 2; i++) alcore_request_unref(both[i].request);
    ck_assert_int_eq(ofs[0].destroyed, 1);
    ck_assert_int_eq(ofs[1].destroyed, 1);
}
END_TEST

/* What the library says next does not read the stage of the host, which is gone by then. */
static alcore_status poll_twice(script *self, const alcore_view *view) {
    char stage[8] = "scoring";
    for (int i = 0; i < 2; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 120000000}, NULL);
        self->answer = alcore_view_poll(view, i == 0 ? stage : NULL, 7, 9);
        memset(stage, 'x', sizeof stage - 1);
    }
    return self->answer;
}

START_TEST(a_stage_is_not_kept) {
    script self = {0};
    listener of = {0};
    make(&self, poll_twice);
    ck_assert_ok(alcore_request_set_progress(self.request, listen_to, &of, NULL));
    ck_assert_int_eq(answer(&self), ALCORE_OK);
    ck_assert_int_ge(of.calls, 2);
    ck_assert_str_ne(of.stage, "xxxxxxx");
    ck_assert_str_ne(of.stage, "scoring");
    alcore_request_unref(self.request);
}
END_TEST

/* An answer that ends a call within another ends the other too, which is not asked again. */
START_TEST(an_answer_ends_the_outer_call) {
    script outer = {0}, inner = {0};
    listener of = {.answer = 1};
    make(&outer, answer_other);
    make(&inner, poll_for_a_while);
    outer.other = inner.request;
    ck_assert_ok(alcore_request_set_progress(outer.request, listen_to, &of, NULL));
    ck_assert_int_eq(answer(&outer), ALCORE_E_CANCELLED);
    ck_assert_int_eq(outer.answer, ALCORE_E_CANCELLED);
    ck_assert_int_eq(outer.asked, 1);
    ck_assert_int_eq(of.calls, 1);
    alcore_request_unref(outer.request);
    alcore_request_unref(inner.request);
}
END_TEST

/* Cannot be changed while the request is answered: after a failure nothing is destroyed. */
static alcore_status set_progress_within(script *self, const alcore_view *view) {
    listener late = {0};
    (void)view;
    self->answer = alcore_request_set_progress(self->request, listen_to, &late, end_listening);
    ck_assert_int_eq(late.destroyed, 0);
    return ALCORE_OK;
}

START_TEST(progress_is_the_callers_after_a_failure) {
    script self = {0};
    listener of = {0};
    make(&self, set_progress_within);
    ck_assert_int_eq(answer(&self), ALCORE_OK);
    ck_assert_int_eq(self.answer, ALCORE_E_BUSY);
    ck_assert_int_eq(alcore_request_set_progress(NULL, listen_to, &of, end_listening),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(of.destroyed, 0);
    ck_assert_int_eq(alcore_view_poll(NULL, NULL, 0, 0), ALCORE_E_INVALID);
    alcore_request_unref(self.request);
}
END_TEST

/* ---- files that take long ---- */

typedef struct slow_files {
    alcore_ctx *ctx;
    int writes, renamed, removed;
} slow_files;

static alcore_status slow_open(void *user, const char *path, int32_t mode, void **out_file) {
    (void)path;
    *out_file = user;
    return mode == ALCORE_FILE_CREATE ? ALCORE_OK : ALCORE_E_IO;
}

/* Progress is due behind the first write, in which the context is cancelled. */
static alcore_status slow_write(void *user, void *file, const void *data, size_t bytes) {
    slow_files *self = user;
    (void)file, (void)data, (void)bytes;
    alcore_ctx_cancel(self->ctx);
    if (self->writes++ == 0) nanosleep(&(struct timespec){.tv_nsec = 120000000}, NULL);
    return ALCORE_OK;
}

static alcore_status slow_end(void *user, void *file) {
    (void)user, (void)file;
    return ALCORE_OK;
}

static alcore_status slow_rename(void *user, const char *from, const char *to) {
    (void)from, (void)to;
    ((slow_files *)user)->renamed++;
    return ALCORE_OK;
}

static alcore_status slow_remove(void *user, const char *path) {
    (void)path;
    ((slow_files *)user)->removed++;
    return ALCORE_OK;
}

/* A save goes on however often its context is cancelled, and ends when progress says so: then no
 * file appears. */
START_TEST(progress_alone_ends_a_save) {
    enum { ROWS = 20000 };
    static int64_t rows[ROWS];
    slow_files disk = {0};
    const alcore_files files = {.size = sizeof files,
                                .user = &disk,
                                .open = slow_open,
                                .write = slow_write,
                                .sync = slow_end,
                                .close = slow_end,
                                .rename = slow_rename,
                                .remove = slow_remove};
    listener of = {.answer = 1};
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.files = &files;
    options.progress = listen_to;
    options.progress_user = &of;
    ck_assert_ok(alcore_ctx_new(&options, &disk.ctx));
    alcore_pool *pool = numbered_pool(disk.ctx, ROWS);
    for (int64_t i = 0; i < ROWS; i++) rows[i] = i;
    of.calls = 0;
    ck_assert_int_eq(alcore_pool_write(pool, rows, ROWS, "slow.tsv", NULL), ALCORE_E_CANCELLED);
    ck_assert_int_eq(of.calls, 1);
    ck_assert_int_eq(disk.renamed, 0);
    ck_assert_int_eq(disk.removed, 1);
    of.answer = disk.writes = 0;
    ck_assert_ok(alcore_pool_write(pool, rows, ROWS, "slow.tsv", NULL));
    ck_assert_int_ge(of.calls, 2);
    ck_assert_int_gt(disk.writes, 1);
    ck_assert_int_eq(disk.renamed, 1);
    alcore_pool_unref(pool);
    alcore_ctx_unref(disk.ctx);
}
END_TEST

/* ---- a model of the host's ---- */

typedef struct slow_model {
    alcore_request *request;
    int batches;
    alcore_status answer;
} slow_model;

/* Cancels the request in its second batch, and asks the context whether to go on. */
static alcore_status embed(void *user, const alcore_batch *batch, alcore_column_writer *out) {
    slow_model *self = user;
    double value = 1;
    int64_t shape[2] = {1, 1};
    alcore_tensor tensor;
    if (++self->batches == 2) cancel_request(self->request);
    self->answer = alcore_ctx_poll(shared, "embedding", self->batches, 6);
    if (self->answer != ALCORE_OK) return self->answer;
    ck_assert_int_eq(batch->count, 1);
    ck_assert_ok(alcore_tensor_init(&tensor, &value, ALCORE_FLOAT64, shape, 2));
    return alcore_column_writer_put(out, batch->rows, NULL, 1, &tensor);
}

TEST_COLUMN_FUNCTIONS({"embeddings", embed});

START_TEST(a_model_asks) {
    slow_model self = {0};
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    alcore_model *model;
    alcore_selection *selection;
    host.user = &self;
    host.batch_rows = 1;
    host.can = test_can;
    host.compute = test_compute;
    ck_assert_ok(alcore_model_new_host(shared, &host, &model));
    self.request = request_for(shared, texts, "kcenter", "2");
    ck_assert_ok(alcore_request_set_model(self.request, model));
    ck_assert_int_eq(alcore_select(self.request, &selection), ALCORE_E_CANCELLED);
    ck_assert_int_eq(self.batches, 2);
    ck_assert_int_eq(self.answer, ALCORE_E_CANCELLED);
    ck_assert_ok(alcore_select(self.request, &selection));
    alcore_selection_unref(selection);
    alcore_request_unref(self.request);
    alcore_model_unref(model);
}
END_TEST

CHECK_SUITE_WITH("request-cancel", setup, teardown, none_of_a_request_is_lost,
                 none_of_a_context_is_lost, none_of_a_signal_handler_is_lost, at_any_moment,
                 in_every_step, between_two_calls, one_of_two_over_one_pool, one_within_the_other,
                 what_is_there_is_saved, progress_of_two_requests,
                 progress_is_the_callers_after_a_failure, a_stage_is_not_kept,
                 an_answer_ends_the_outer_call, progress_alone_ends_a_save, a_model_asks);
