/* SPDX-License-Identifier: Apache-2.0 */
/* The context's threads, and alcore__parallel(), which runs tasks on them (base.h).
 *
 * A context has one pool of worker threads, which start at its first parallel call and live as long
 * as the context. A call of alcore__parallel() is a loop: it stands in the pool's list, workers
 * draw indices from it, and the thread that made the call sleeps in short steps, in which it calls
 * progress and drains the log. Several threads may have loops at once; workers then serve them in
 * turn, one task each.
 *
 *   lock of the pool      guards the list of loops and the members of a loop that say so
 *   atomics of a loop     next, done, failed: read and changed by workers without the lock
 *   end of a loop         no index is left to hand out and no worker is inside a task
 *
 * Workers block the host's signals and never call back into the host: log lines and errors of a
 * task travel in its loop to the thread that made the call. */
#include <fenv.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/state.h"

/* In loop->failed: no task has failed. */
#define NONE_FAILED INT64_MAX

/* One call of alcore__parallel(); lives on the stack of the thread that made it. */
typedef struct alcore__loop {
    alcore__task task;
    void *data;
    int64_t count;         /* tasks are task(data, 0) .. task(data, count - 1) */
    int64_t before, total; /* for the progress: tasks that were done before the loop, and all */
    alcore_ctx *ctx;
    const alcore__entry *entry; /* the public call that the tasks belong to; NULL: none */
    _Atomic int64_t next;       /* the next index to hand out; may exceed count */
    _Atomic int64_t done;       /* tasks that have ended, for the progress */
    _Atomic int64_t failed;     /* the lowest index that failed so far, or NONE_FAILED */
    alcore__log_queue lines;    /* log lines of its tasks, for the calling thread */
    /* Guarded by the lock of the pool: */
    int32_t workers;                /* workers that may be inside a task of it */
    struct alcore__loop *next_loop; /* in the list of the pool */
    alcore_status status;           /* of the index `failed` */
    char text[ALCORE__TEXT_BYTES];  /* error text of that index */
    alcore_remedy remedy;           /* remedy of that error; kind 0: none */
} alcore__loop;

/* One thread of a pool. */
typedef struct alcore__worker {
    struct alcore__pool *pool;
    pthread_t thread;
    int32_t number; /* 0 .. pool->count - 1: what tasks get as `worker` */
} alcore__worker;

typedef struct alcore__pool {
    pthread_mutex_t lock;
    pthread_cond_t work; /* signaled when a loop is added and when the workers are to stop */
    pthread_cond_t done; /* signaled when the last worker leaves a loop without tasks left */
    alcore__loop *loops; /* list in the order in which they are served next */
    atomic_int
        loop_count; /* loops in the list; with more than one a worker changes after each task */
    bool stop;      /* the context ends: workers return */
    int32_t count;  /* threads that run; fewer than asked for where the system refused */
    alcore__worker workers[]; /* [ctx->threads] */
} alcore__pool;

/* For call.c and log.c, which do not know the members of a loop (state.h). */
const alcore__entry *alcore__loop_entry(const alcore__loop *loop) {
    return loop->entry;
}

alcore__log_queue *alcore__loop_lines(alcore__loop *loop) {
    return &loop->lines;
}

/* The number of processors this process may run on, 1 where the system does not tell. */
int32_t alcore__affinity_threads(void) {
    cpu_set_t set[64]; /* 65,536 processors: the kernel refuses a mask shorter than its own */
    if (sched_getaffinity(0, sizeof set, set) != 0) return 1;
    int count = CPU_COUNT_S(sizeof set, set);
    return count > 0 ? count : 1;
}

/* Whether no task of the loop is to be handed out any more: none is left, one failed, or the call
 * is cancelled. Indices rise, so every index below a failed one was handed out before it. The call
 * is that of the loop, as a worker that chooses a loop works for none yet. */
static bool exhausted(alcore__loop *loop) {
    return atomic_load(&loop->next) >= loop->count || atomic_load(&loop->failed) != NONE_FAILED ||
           alcore__entry_cancelled(loop->entry, loop->ctx);
}

/* Keeps the status, the error text and the remedy of a failed task if its index is the lowest so
 * far, so that what the call returns does not depend on which worker was faster. */
static void keep_failure(alcore__pool *pool, alcore__loop *loop, int64_t index,
                         alcore_status status) {
    pthread_mutex_lock(&pool->lock);
    if (index < atomic_load(&loop->failed)) {
        loop->status = status;
        strcpy(loop->text, alcore__error_text());
        loop->remedy = alcore__this.remedy;
        atomic_store(&loop->failed, index);
    }
    pthread_mutex_unlock(&pool->lock);
}

/* A worker's run on one loop: draws indices and runs tasks until the loop is exhausted; after one
 * task if the pool has several loops. The caller counts the worker in loop->workers and does not
 * have the lock. */
static void run_tasks(alcore__pool *pool, alcore__loop *loop) {
    alcore__thread *self = &alcore__this;
    self->loop = loop;
    do {
        int64_t index = exhausted(loop) ? loop->count : atomic_fetch_add(&loop->next, 1);
        if (index >= loop->count) break;
        alcore__error_clear();
        alcore_status status = loop->task(loop->data, index, self->worker);
        if (status != ALCORE_OK) keep_failure(pool, loop, index, status);
        atomic_fetch_add(&loop->done, 1);
    } while (atomic_load_explicit(&pool->loop_count, memory_order_relaxed) == 1);
    self->loop = NULL;
}

/* The first loop with tasks left, NULL without one; it moves to the end of the list, so that loops
 * are served in turn. The caller has the lock. */
static alcore__loop *choose_loop(alcore__pool *pool) {
    alcore__loop **link = &pool->loops;
    while (*link && exhausted(*link)) link = &(*link)->next_loop;
    alcore__loop *loop = *link;
    if (!loop || !loop->next_loop) return loop;
    *link = loop->next_loop;
    while (*link) link = &(*link)->next_loop;
    *link = loop;
    loop->next_loop = NULL;
    return loop;
}

/* The main function of a worker thread: sleeps until there is a loop, runs tasks of it, and signals
 * the end of a loop when it is the last to leave it. */
static void *worker_main(void *argument) {
    alcore__worker *worker = argument;
    alcore__pool *pool = worker->pool;
    /* A host that flushes subnormals or rounds otherwise must not change decisions
     * (docs/spec/arithmetic.md, 1.8). */
    fesetenv(FE_DFL_ENV);
    alcore__this.worker = worker->number;
    pthread_mutex_lock(&pool->lock);
    while (!pool->stop) {
        alcore__loop *loop = choose_loop(pool);
        if (!loop) {
            pthread_cond_wait(&pool->work, &pool->lock);
            continue;
        }
        loop->workers++;
        pthread_mutex_unlock(&pool->lock);
        run_tasks(pool, loop);
        pthread_mutex_lock(&pool->lock);
        if (--loop->workers == 0 && exhausted(loop)) pthread_cond_broadcast(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Blocks all signals on this thread, and returns the mask before in *before, so that threads that
 * are created now inherit it: a host's signal handler never runs on a worker. Signals that a thread
 * raises itself, such as SIGSEGV, keep their meaning. */
static void block_signals(sigset_t *before) {
    static const int synchronous[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof synchronous / sizeof *synchronous; i++)
        sigdelset(&all, synchronous[i]);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

/* Starts threads until there are `wanted`, or until the system gives no more: a pool without any
 * runs all tasks on the calling thread. */
static void start_workers(alcore__pool *pool, int32_t wanted) {
    sigset_t before;
    block_signals(&before);
    while (pool->count < wanted) {
        alcore__worker *worker = &pool->workers[pool->count];
        *worker = (alcore__worker){.pool = pool, .number = pool->count};
        if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0) break;
        char name[16];
        alcore__format(name, sizeof name, "alcore-%d", pool->count);
        pthread_setname_np(worker->thread, name);
        pool->count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* *out: the pool of a context, made at the first call. Any thread. `done` runs by the monotonic
 * clock, by which wait_a_little() waits, so that a change of the time of day delays nothing. */
static alcore_status find_pool(alcore_ctx *ctx, alcore__pool **out) {
    alcore_status status = ALCORE_OK;
    pthread_mutex_lock(&ctx->pool_lock);
    if (!ctx->pool) {
        size_t bytes = sizeof(alcore__pool) + (size_t)ctx->threads * sizeof(alcore__worker);
        alcore__pool *pool = alcore__calloc(ctx, 1, bytes);
        if (pool) {
            pthread_condattr_t monotonic;
            pthread_condattr_init(&monotonic);
            pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
            pthread_mutex_init(&pool->lock, NULL);
            pthread_cond_init(&pool->work, NULL);
            pthread_cond_init(&pool->done, &monotonic);
            pthread_condattr_destroy(&monotonic);
            start_workers(pool, ctx->threads);
            ctx->pool = pool;
        } else {
            status = alcore__fail_memory(bytes);
        }
    }
    *out = ctx->pool;
    pthread_mutex_unlock(&ctx->pool_lock);
    return status;
}

/* Ends and frees the pool when its context is freed. A forked child has no workers, and locks may
 * be held for ever there: it frees the memory and touches nothing else. */
void alcore__pool_end(alcore_ctx *ctx) {
    alcore__pool *pool = ctx->pool;
    if (!pool) return;
    if (!alcore__forked(ctx)) {
        pthread_mutex_lock(&pool->lock);
        pool->stop = true;
        pthread_cond_broadcast(&pool->work);
        pthread_mutex_unlock(&pool->lock);
        for (int32_t i = 0; i < pool->count; i++) pthread_join(pool->workers[i].thread, NULL);
        pthread_cond_destroy(&pool->done);
        pthread_cond_destroy(&pool->work);
        pthread_mutex_destroy(&pool->lock);
    }
    alcore__free(ctx, pool);
}

/* Runs all tasks on the calling thread: for a call from within a task (as the worker of that task),
 * and where no thread could be started. */
static alcore_status run_here(alcore_ctx *ctx, const char *stage, int64_t before, int64_t total,
                              int64_t count, alcore__task task, void *data) {
    int32_t worker = alcore__this.loop ? alcore__this.worker : 0;
    for (int64_t i = 0; i < count; i++) {
        ALCORE__TRY(alcore__tick(ctx, stage, before + i, total));
        ALCORE__TRY(task(data, i, worker));
    }
    return ALCORE_OK;
}

/* Puts a loop at the end of the list and wakes the workers. The caller has the lock. */
static void add_loop(alcore__pool *pool, alcore__loop *loop) {
    alcore__loop **link = &pool->loops;
    while (*link) link = &(*link)->next_loop;
    *link = loop;
    atomic_fetch_add(&pool->loop_count, 1);
    pthread_cond_broadcast(&pool->work);
}

/* Takes a loop out of the list. The caller has the lock. */
static void remove_loop(alcore__pool *pool, alcore__loop *loop) {
    alcore__loop **link = &pool->loops;
    while (*link != loop) link = &(*link)->next_loop;
    *link = loop->next_loop;
    atomic_fetch_sub(&pool->loop_count, 1);
}

/* Sleeps until a loop ends, for half a progress period at the longest, less if progress is due
 * earlier. The caller has the lock, which is released meanwhile. */
static void wait_a_little(alcore__pool *pool) {
    int64_t period = ALCORE__PROGRESS_NS / 2;
    int64_t due = alcore__this.call.reported_ns + ALCORE__PROGRESS_NS - alcore__now_ns();
    if (due > 0 && due < period) period = due;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += period;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&pool->done, &pool->lock, &until);
}

/* Drains the log lines of the loop's tasks and calls progress when it is due: with the tasks done
 * so far, or without a stage with what alcore__tick() was told last. */
static void report_loop(alcore__loop *loop, const char *stage) {
    const alcore__call *call = &alcore__this.call;
    alcore__log_drain(loop->ctx, &loop->lines);
    if (stage)
        alcore__report(loop->ctx, stage, loop->before + atomic_load(&loop->done), loop->total);
    else
        alcore__report(loop->ctx, call->stage, call->done, call->total);
}

/* The status of a loop that has ended, with the error text and the remedy set on this thread. */
static alcore_status loop_status(alcore__loop *loop) {
    if (loop->failed != NONE_FAILED) {
        alcore_error_set(loop->status, loop->text, strlen(loop->text));
        alcore__this.remedy = loop->remedy;
        return loop->status;
    }
    if (loop->next < loop->count || alcore__cancelled(loop->ctx)) return alcore__fail_cancelled();
    return ALCORE_OK;
}

/* Runs the tasks 0 .. count - 1: adds a loop to the pool, sleeps and reports until it is exhausted
 * and no worker is inside a task, then removes it. From within a task, or without threads, the
 * tasks run right here. The loop lives on this stack, so it must be out of the list before the
 * return. */
alcore_status alcore__parallel_part(alcore_ctx *ctx, const char *stage, int64_t before,
                                    int64_t total, int64_t count, alcore__task task, void *data) {
    alcore__pool *pool;
    if (alcore__this.loop) return run_here(ctx, stage, before, total, count, task, data);
    if (alcore__cancelled(ctx)) return alcore__fail_cancelled();
    if (count <= 0) return ALCORE_OK;
    ALCORE__TRY(find_pool(ctx, &pool));
    if (pool->count == 0) return run_here(ctx, stage, before, total, count, task, data);
    alcore__loop loop = {.task = task,
                         .data = data,
                         .count = count,
                         .before = before,
                         .total = total,
                         .ctx = ctx,
                         .entry = alcore__this_entry(),
                         .failed = NONE_FAILED};
    alcore__log_queue_begin(&loop.lines);
    pthread_mutex_lock(&pool->lock);
    add_loop(pool, &loop);
    while (loop.workers > 0 || !exhausted(&loop)) {
        wait_a_little(pool);
        pthread_mutex_unlock(&pool->lock);
        report_loop(&loop, stage);
        pthread_mutex_lock(&pool->lock);
    }
    remove_loop(pool, &loop);
    pthread_mutex_unlock(&pool->lock);
    alcore__log_drain(ctx, &loop.lines);
    alcore__log_queue_end(ctx, &loop.lines);
    return loop_status(&loop);
}

alcore_status alcore__parallel(alcore_ctx *ctx, const char *stage, int64_t count, alcore__task task,
                               void *data) {
    return alcore__parallel_part(ctx, stage, 0 /* before */, count, count, task, data);
}
