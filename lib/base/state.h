/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of lib/base share and nobody else sees: the members of the context and the state
 * of a thread.
 *
 * A call: a public status call, from alcore__enter() to alcore__leave(). The entering thread: the
 * one that made it. A loop: one alcore__parallel() in it (threads.c), whose tasks run on
 * workers. */
#ifndef ALCORE__STATE_H
#define ALCORE__STATE_H

#include <pthread.h>
#include <sys/types.h>

#include "alcore/remedy.h"
#include "base/base.h"
#include "base/control.h"

/* Nanoseconds between two calls of progress; the entering thread sleeps half as long at most. */
#define ALCORE__PROGRESS_NS INT64_C(100000000)

/* Log lines that wait for the entering thread, the oldest first. */
typedef struct alcore__log_queue {
    pthread_mutex_t lock; /* guards the list */
    struct alcore__log_line *first, *last;
} alcore__log_queue;

/* What is told of the calls of a thread; reset by the outermost one. */
typedef struct alcore__call {
    int64_t reported_ns; /* alcore__now_ns() when progress was called last, or the call began */
    const char *stage;   /* what alcore__tick() was told last, for calls that tell nothing */
    int64_t done, total; /* of that stage; total -1: unknown */
    bool reporting;      /* inside the progress function: it is not called again from there */
    bool logging;        /* inside the log function: lines logged from there are queued */
} alcore__call;

/* One call that a thread has entered and not left. Beside `stopped` nothing changes while it runs,
 * so that workers may read it without a lock. */
typedef struct alcore__entry {
    const alcore_ctx *ctx;              /* NULL: a call without one */
    const alcore__control *request;     /* of the request that is answered; NULL: none */
    unsigned cancels, request_cancels;  /* counts of both when the call began */
    bool is_long;                       /* cancels end it; any other call ends as it wants */
    atomic_bool stopped;                /* an answer of the progress function ended it */
    const struct alcore__entry *caller; /* the call in whose callback, or for which, it was made */
} alcore__entry;

/* Calls of one thread within each other: a callback may make calls that call back. */
enum { ALCORE__DEPTH_MAX = 32 };

struct alcore__loop;

/* The state of a thread. */
typedef struct alcore__thread {
    int32_t depth; /* entries in use: status calls entered and not left */
    alcore__entry entries[ALCORE__DEPTH_MAX]; /* the outermost call first */
    int32_t worker;                           /* number of this worker, while loop is set */
    struct alcore__loop *loop;       /* the loop whose task runs on this thread; NULL: none */
    alcore__call call;               /* unused while loop is set: the loop has its caller's */
    alcore_status status;            /* the status that the error text belongs to */
    char text[ALCORE__TEXT_BYTES];   /* of the last error; "": none */
    alcore_remedy remedy;            /* for that error; kind 0: there is none */
    const char *log_path, *log_name; /* of alcore__log_rename(); NULL: none */
} alcore__thread;

/* The one state that is not in a context: it is thread-local, so that setting an error allocates
 * nothing. */
extern _Thread_local alcore__thread alcore__this;

struct alcore_ctx {
    atomic_int references;
    pid_t pid;       /* of the process that made it */
    int32_t threads; /* workers that the pool starts */
    uint64_t seed;
    alcore__control control;    /* cancels, and the progress of calls whose request has none */
    alcore_allocator allocator; /* the host's, or alcore__default_allocator */
    alcore_files files;         /* the host's, or the file system */
    alcore_log_function log;
    void *log_user;
    void (*log_destroy)(void *log_user);
    char *module_dir;          /* folder in which modules are looked for first; NULL: none */
    char *torch_dir;           /* folder with libtorch for models; NULL: none was named */
    alcore__log_queue lines;   /* lines logged outside of calls, or from within the log function */
    pthread_mutex_t pool_lock; /* guards pool */
    struct alcore__pool *pool; /* NULL before the first parallel call */
    pthread_mutex_t module_lock;    /* guards modules */
    struct alcore__module *modules; /* list of the engines that were asked for */
};

/* error.c */
void alcore__error_clear(void);
const char *alcore__error_text(void);

/* call.c */
/* The innermost call that this thread has entered, or whose task it runs as a worker; NULL: none.
 * */
const alcore__entry *alcore__this_entry(void);
/* Whether a call, or one that it was made for, is to stop; NULL: whether calls are refused. */
bool alcore__entry_cancelled(const alcore__entry *entry, const alcore_ctx *ctx);
/* Calls progress when it is due and the log function for queued lines; the entering thread only. */
void alcore__report(alcore_ctx *ctx, const char *stage, int64_t done, int64_t total);

/* log.c: begin and end make and free a queue; drain passes its lines to the log function, on the
 * entering thread. */
void alcore__log_queue_begin(alcore__log_queue *queue);
void alcore__log_drain(alcore_ctx *ctx, alcore__log_queue *queue);
void alcore__log_queue_end(alcore_ctx *ctx, alcore__log_queue *queue);

/* memory.c */
extern const alcore_allocator alcore__default_allocator;

/* threads.c */
int32_t alcore__affinity_threads(void);
/* The call that a loop belongs to, and the queue for log lines of its tasks. */
const alcore__entry *alcore__loop_entry(const struct alcore__loop *loop);
alcore__log_queue *alcore__loop_lines(struct alcore__loop *loop);
void alcore__pool_end(alcore_ctx *ctx);

/* file_system.c: the default file table, and whether a table is that one. */
void alcore__file_system(alcore_ctx *ctx, alcore_files *out);
bool alcore__is_file_system(const alcore_files *files);
/* The descriptor of a file that the default table has opened. */
int alcore__file_descriptor(const void *handle);
/* files.c: the descriptor of an open file; -1: it is one of the host's file table. */
int alcore__file_descriptor_of(const alcore__file *file);
/* A mode of its open function beside those of the public header: a device or a pipe, for writing.
 */
enum { ALCORE__FILE_STREAM = 3 };

/* module.c */
void alcore__modules_end(alcore_ctx *ctx);

#endif
