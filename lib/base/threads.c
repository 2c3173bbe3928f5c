/* SPDX-License-Identifier: Apache-2.0 */
/* The context's threads. They start at the first parallel call, block the host's signals and never
 * call back into the host: lines and errors of a task travel in its job to the thread that entered
 * the call. */
#include <fenv.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/state.h"

#define NONE_FAILED INT64_MAX

typedef struct alcore__job {
    alcore__task task;
    void *data;
    int64_t count;
    alcore_ctx *ctx;
    alcore__call *call;      /* of the thread that entered */
    _Atomic int64_t next;    /* the index to hand out */
    _Atomic int64_t done;    /* tasks ended */
    _Atomic int64_t failed;  /* the lowest index that failed */
    alcore__log_queue lines; /* of its tasks */
    /* Guarded by the lock of the pool: */
    int32_t workers; /* inside a task */
    struct alcore__job *next_job;
    alcore_status status; /* of the failed index */
    char text[ALCORE__TEXT_BYTES];
} alcore__job;

typedef struct alcore__worker {
    struct alcore__pool *pool;
    pthread_t thread;
    int32_t number;
} alcore__worker;

typedef struct alcore__pool {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    alcore__job *jobs;    /* in the order of service */
    atomic_int job_count; /* so that a worker serves all jobs in turn */
    bool stop;
    int32_t count;
    alcore__worker workers[];
} alcore__pool;

alcore__call *alcore__job_call(alcore__job *job) {
    return job->call;
}

alcore__log_queue *alcore__job_lines(alcore__job *job) {
    return &job->lines;
}

int32_t alcore__affinity_threads(void) {
    cpu_set_t set[64]; /* 65,536 processors: the kernel refuses a mask shorter than its own */
    if (sched_getaffinity(0, sizeof set, set) != 0) return 1;
    int count = CPU_COUNT_S(sizeof set, set);
    return count > 0 ? count : 1;
}

/* Nothing more is to be handed out. Indices rise, so every index below a failed one was handed out
 * before it. */
static bool exhausted(alcore__job *job) {
    return atomic_load(&job->next) >= job->count || atomic_load(&job->failed) != NONE_FAILED ||
           alcore__cancelled(job->ctx) || atomic_load(&job->call->stopped) == job->ctx;
}

static void keep_failure(alcore__pool *pool, alcore__job *job, int64_t index,
                         alcore_status status) {
    pthread_mutex_lock(&pool->lock);
    if (index < atomic_load(&job->failed)) {
        job->status = status;
        strcpy(job->text, alcore__error_text());
        atomic_store(&job->failed, index);
    }
    pthread_mutex_unlock(&pool->lock);
}

static void run_tasks(alcore__pool *pool, alcore__job *job) {
    alcore__thread *self = &alcore__this;
    self->job = job;
    do {
        int64_t index = exhausted(job) ? job->count : atomic_fetch_add(&job->next, 1);
        if (index >= job->count) break;
        alcore__error_clear();
        alcore_status status = job->task(job->data, index, self->worker);
        if (status != ALCORE_OK) keep_failure(pool, job, index, status);
        atomic_fetch_add(&job->done, 1);
    } while (atomic_load_explicit(&pool->job_count, memory_order_relaxed) == 1);
    self->job = NULL;
}

/* The next job with tasks left goes to the end of the list. */
static alcore__job *choose_job(alcore__pool *pool) {
    alcore__job **link = &pool->jobs;
    while (*link && exhausted(*link)) link = &(*link)->next_job;
    alcore__job *job = *link;
    if (!job || !job->next_job) return job;
    *link = job->next_job;
    while (*link) link = &(*link)->next_job;
    *link = job;
    job->next_job = NULL;
    return job;
}

static void *worker_main(void *argument) {
    alcore__worker *worker = argument;
    alcore__pool *pool = worker->pool;
    /* A host that flushes subnormals or rounds otherwise must not change decisions (spec 1.8). */
    fesetenv(FE_DFL_ENV);
    alcore__this.worker = worker->number;
    pthread_mutex_lock(&pool->lock);
    while (!pool->stop) {
        alcore__job *job = choose_job(pool);
        if (!job) {
            pthread_cond_wait(&pool->work, &pool->lock);
            continue;
        }
        job->workers++;
        pthread_mutex_unlock(&pool->lock);
        run_tasks(pool, job);
        pthread_mutex_lock(&pool->lock);
        if (--job->workers == 0 && exhausted(job)) pthread_cond_broadcast(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Host signal handlers never run on a worker; signals that a thread raises itself keep their
 * meaning. */
static void block_signals(sigset_t *before) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

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

static alcore_status pool_of(alcore_ctx *ctx, alcore__pool **out) {
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

void alcore__pool_end(alcore_ctx *ctx) {
    alcore__pool *pool = ctx->pool;
    if (!pool) return;
    if (!alcore__forked(ctx)) { /* a child has no workers, and locks may be held for ever */
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

/* The tasks on this very thread: nested calls, and machines that give no thread. */
static alcore_status run_here(alcore_ctx *ctx, const char *stage, int64_t count, alcore__task task,
                              void *data) {
    int32_t worker = alcore__this.job ? alcore__this.worker : 0;
    for (int64_t i = 0; i < count; i++) {
        ALCORE__TRY(alcore__tick(ctx, stage, i, count));
        ALCORE__TRY(task(data, i, worker));
    }
    return ALCORE_OK;
}

static void add_job(alcore__pool *pool, alcore__job *job) {
    alcore__job **link = &pool->jobs;
    while (*link) link = &(*link)->next_job;
    *link = job;
    atomic_fetch_add(&pool->job_count, 1);
    pthread_cond_broadcast(&pool->work);
}

static void remove_job(alcore__pool *pool, alcore__job *job) {
    alcore__job **link = &pool->jobs;
    while (*link != job) link = &(*link)->next_job;
    *link = job->next_job;
    atomic_fetch_sub(&pool->job_count, 1);
}

/* Sleeps until a job ends, half a progress period at the longest. */
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

static void report_job(alcore__job *job, const char *stage) {
    const alcore__call *call = job->call;
    alcore__log_drain(job->ctx, &job->lines);
    if (stage)
        alcore__report(job->ctx, stage, atomic_load(&job->done), job->count);
    else
        alcore__report(job->ctx, call->stage, call->done, call->total);
}

static alcore_status end_of(alcore__job *job) {
    if (job->failed != NONE_FAILED)
        return alcore_error_set(job->status, job->text, strlen(job->text));
    /* Tasks that were not handed out tell of a cancellation that somebody cleared meanwhile. */
    if (job->next < job->count || alcore__cancelled(job->ctx)) return alcore__fail_cancelled();
    return ALCORE_OK;
}

alcore_status alcore__parallel(alcore_ctx *ctx, const char *stage, int64_t count, alcore__task task,
                               void *data) {
    alcore__pool *pool;
    if (alcore__this.job) return run_here(ctx, stage, count, task, data);
    if (alcore__cancelled(ctx)) return alcore__fail_cancelled();
    if (count <= 0) return ALCORE_OK;
    ALCORE__TRY(pool_of(ctx, &pool));
    if (pool->count == 0) return run_here(ctx, stage, count, task, data);
    alcore__job job = {.task = task,
                       .data = data,
                       .count = count,
                       .ctx = ctx,
                       .call = &alcore__this.call,
                       .failed = NONE_FAILED};
    alcore__log_queue_begin(&job.lines);
    pthread_mutex_lock(&pool->lock);
    add_job(pool, &job);
    while (job.workers > 0 || !exhausted(&job)) {
        wait_a_little(pool);
        pthread_mutex_unlock(&pool->lock);
        report_job(&job, stage);
        pthread_mutex_lock(&pool->lock);
    }
    remove_job(pool, &job);
    pthread_mutex_unlock(&pool->lock);
    alcore__log_drain(ctx, &job.lines);
    alcore__log_queue_end(ctx, &job.lines);
    return end_of(&job);
}
