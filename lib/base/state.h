/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of lib/base share and nobody else sees: the context's members and the state of a
 * thread. */
#ifndef ALCORE__STATE_H
#define ALCORE__STATE_H

#include <pthread.h>
#include <sys/types.h>

#include "alcore/remedy.h"
#include "base/base.h"

#define ALCORE__TEXT_BYTES 1024
/* Progress is due this often; the entering thread never sleeps longer than half of it. */
#define ALCORE__PROGRESS_NS INT64_C(100000000)

/* Lines that wait for the entering thread. */
typedef struct alcore__log_queue {
    pthread_mutex_t lock;
    struct alcore__log_line *first, *last;
} alcore__log_queue;

/* What a thread's outermost call knows. */
typedef struct alcore__call {
    _Atomic(const alcore_ctx *) stopped; /* the context whose progress function ended the call */
    int64_t reported_ns;                 /* when progress was called last, or the call began */
    const char *stage;                   /* what alcore__tick() was told last */
    int64_t done, total;
    bool reporting; /* inside the progress function: it is not called again from there */
    bool logging;   /* inside the log function: its own lines wait */
} alcore__call;

struct alcore__job;

typedef struct alcore__thread {
    int32_t depth;           /* status calls entered and not left */
    int32_t worker;          /* number of this worker, while job is set */
    struct alcore__job *job; /* the job whose task runs on this thread */
    alcore__call call;
    alcore_status status; /* that the text belongs to */
    char text[ALCORE__TEXT_BYTES];
    alcore_remedy remedy; /* for the error of the text; kind 0: there is none */
} alcore__thread;

/* Thread-local, the one thing that is not in a context: errors must not allocate. */
extern _Thread_local alcore__thread alcore__this;

struct alcore_ctx {
    atomic_int references;
    atomic_int cancel; /* lock-free, set from signal handlers */
    pid_t pid;         /* of the process that made it */
    int32_t threads;
    uint64_t seed;
    alcore_allocator allocator;
    alcore_files files;
    alcore_log_function log;
    void *log_user;
    void (*log_destroy)(void *log_user);
    alcore_progress_function progress;
    void *progress_user;
    void (*progress_destroy)(void *progress_user);
    char *module_dir;
    atomic_uint temporaries; /* numbers the names of temporary files */
    alcore__log_queue lines; /* of threads that are neither workers nor inside a call */
    pthread_mutex_t pool_lock;
    struct alcore__pool *pool; /* NULL before the first use */
    pthread_mutex_t module_lock;
    struct alcore__module *modules;
};

/* error.c */
void alcore__error_clear(void);
const char *alcore__error_text(void);
/* Writes `to` for `from` in the present text: a temporary name must not reach the user. Returns
 * status. */
alcore_status alcore__fail_renamed(alcore_status status, const char *from, const char *to);

/* call.c */
int64_t alcore__now_ns(void);
/* Calls progress when it is due and the log function for queued lines; the entering thread only. */
void alcore__report(alcore_ctx *ctx, const char *stage, int64_t done, int64_t total);
alcore_status alcore__fail_cancelled(void);

/* log.c */
void alcore__log_queue_begin(alcore__log_queue *queue);
void alcore__log_drain(alcore_ctx *ctx, alcore__log_queue *queue);
void alcore__log_queue_end(alcore_ctx *ctx, alcore__log_queue *queue);

/* memory.c */
extern const alcore_allocator alcore__default_allocator;

/* threads.c */
int32_t alcore__affinity_threads(void);
alcore__call *alcore__job_call(struct alcore__job *job);
alcore__log_queue *alcore__job_lines(struct alcore__job *job);
void alcore__pool_end(alcore_ctx *ctx);

/* file_system.c */
void alcore__file_system(alcore_ctx *ctx, alcore_files *out);
bool alcore__is_file_system(const alcore_files *files);

/* module.c */
void alcore__modules_end(alcore_ctx *ctx);

#endif
