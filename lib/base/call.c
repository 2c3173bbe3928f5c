/* SPDX-License-Identifier: Apache-2.0 */
/* Entering and leaving calls, progress and cancellation. */
#include <time.h>
#include <unistd.h>

#include "base/state.h"

int64_t alcore__now_ns(void) {
    /* The coarse clock costs a few nanoseconds and moves every few milliseconds: enough for
     * progress. */
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

alcore_status alcore__fail_cancelled(void) {
    return alcore__fail(ALCORE_E_CANCELLED, "the call was cancelled");
}

/* Whether another process, a parent of this one, made the context. */
bool alcore__forked(const alcore_ctx *ctx) {
    return ctx && ctx->pid != getpid();
}

/* Begins a public call. The outermost call of a thread resets the error text and the state of
 * progress; then, with a context, a forked child and a cancelled context are refused. depth counts
 * nested calls, such as those from a callback. */
alcore_status alcore__enter(alcore_ctx *ctx) {
    alcore__thread *self = &alcore__this;
    if (self->depth == 0) {
        alcore__error_clear();
        atomic_store_explicit(&self->call.stopped, NULL, memory_order_relaxed);
        self->call.reported_ns = alcore__now_ns();
        self->call.stage = "working";
        self->call.done = 0;
        self->call.total = -1;
    }
    if (ctx) {
        if (alcore__forked(ctx))
            return alcore__fail(ALCORE_E_FORKED,
                                "the context belongs to the parent of this process; "
                                "make a new one after fork()");
        if (alcore__cancelled(ctx)) return alcore__fail_cancelled();
    }
    self->depth++;
    return ALCORE_OK;
}

/* Ends a public call. Only the end of the outermost one passes on the lines that were logged
 * outside of calls, and clears the text of an error that was handled inside a call that succeeded.
 */
alcore_status alcore__leave(alcore_ctx *ctx, alcore_status status) {
    alcore__thread *self = &alcore__this;
    if (--self->depth > 0) return status;
    if (ctx) alcore__log_drain(ctx, &ctx->lines);
    if (status == ALCORE_OK) alcore__error_clear();
    return status;
}

/* Whether the context was cancelled (alcore_ctx_cancel), or the progress function ended the call
 * that this thread works for: its own call, or on a worker the call whose job it runs. */
bool alcore__cancelled(const alcore_ctx *ctx) {
    alcore__thread *self = &alcore__this;
    if (!ctx) return false;
    if (atomic_load_explicit(&ctx->cancel, memory_order_relaxed)) return true;
    alcore__call *call = self->job ? alcore__job_call(self->job) : &self->call;
    return atomic_load_explicit(&call->stopped, memory_order_relaxed) == ctx;
}

/* Calls progress if ALCORE__PROGRESS_NS have passed since the last time, after the queued log
 * lines. A result other than 0 cancels the call. The entering thread only; not from within the
 * progress function itself. */
void alcore__report(alcore_ctx *ctx, const char *stage, int64_t done, int64_t total) {
    alcore__call *call = &alcore__this.call;
    int64_t now = alcore__now_ns();
    if (now - call->reported_ns < ALCORE__PROGRESS_NS || call->reporting) return;
    call->reported_ns = now;
    alcore__log_drain(ctx, &ctx->lines);
    if (!ctx->progress) return;
    call->reporting = true;
    if (ctx->progress(ctx->progress_user, stage, done, total) != 0)
        atomic_store_explicit(&call->stopped, ctx, memory_order_relaxed);
    call->reporting = false;
}

/* Reports on the entering thread, where it remembers what it was told; on a worker (self->job is
 * set) it only polls cancellation. */
alcore_status alcore__tick(alcore_ctx *ctx, const char *stage, int64_t done, int64_t total) {
    alcore__thread *self = &alcore__this;
    if (!ctx) return ALCORE_OK;
    if (!self->job) {
        if (stage) {
            self->call.stage = stage;
            self->call.done = done;
            self->call.total = total;
        }
        alcore__report(ctx, self->call.stage, self->call.done, self->call.total);
    }
    return alcore__cancelled(ctx) ? alcore__fail_cancelled() : ALCORE_OK;
}
