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

const alcore__entry *alcore__this_entry(void) {
    const alcore__thread *self = &alcore__this;
    if (self->loop) return alcore__loop_entry(self->loop);
    return self->depth > 0 ? &self->entries[self->depth - 1] : NULL;
}

/* What the outermost call of a thread resets. */
static void begin_thread(alcore__thread *self) {
    alcore__error_clear();
    self->call.reported_ns = alcore__now_ns();
    self->call.stage = "working";
    self->call.done = 0;
    self->call.total = -1;
}

static alcore_status fail_forked(void) {
    return alcore__fail(ALCORE_E_FORKED, "the context belongs to the parent of this process; "
                                         "make a new one after fork()");
}

/* Whether a long call that begins now is refused: a cancel was not cleared, or the call in whose
 * callback it is made is to stop. The counts of the entry were read before. */
static bool is_refused(const alcore__entry *entry) {
    return alcore__control_refuses(&entry->ctx->control, entry->cancels) ||
           (entry->request && alcore__control_refuses(entry->request, entry->request_cancels)) ||
           alcore__entry_cancelled(entry->caller, entry->ctx);
}

/* Begins a public call: the outermost one of a thread resets what is told of its calls. */
static alcore_status enter(alcore_ctx *ctx, bool is_long, const alcore__control *request) {
    alcore__thread *self = &alcore__this;
    if (self->depth == 0) begin_thread(self);
    if (alcore__forked(ctx)) return fail_forked();
    if (self->depth == ALCORE__DEPTH_MAX)
        return alcore__fail(ALCORE_E_INVALID, "%d calls are within each other, by callbacks",
                            ALCORE__DEPTH_MAX);
    alcore__entry *entry = &self->entries[self->depth];
    entry->caller = alcore__this_entry();
    entry->ctx = ctx;
    entry->request = request;
    entry->cancels = ctx ? alcore__control_count(&ctx->control) : 0;
    entry->request_cancels = request ? alcore__control_count(request) : 0;
    entry->is_long = is_long;
    atomic_store_explicit(&entry->stopped, false, memory_order_relaxed);
    if (ctx && is_long && is_refused(entry)) return alcore__fail_cancelled();
    self->depth++;
    return ALCORE_OK;
}

alcore_status alcore__enter(alcore_ctx *ctx) {
    return enter(ctx, false /* not long */, NULL /* no request */);
}

alcore_status alcore__enter_long(alcore_ctx *ctx) {
    return enter(ctx, true, NULL /* no request */);
}

alcore_status alcore__enter_request(alcore_ctx *ctx, const alcore__control *request) {
    return enter(ctx, true, request);
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

/* Looks at the calls on the context from the innermost outwards: a long one stops with the call
 * that it was made for, any other only by itself. Without one, as on a thread of the host's or a
 * module's own, the answer is whether calls are refused. */
bool alcore__entry_cancelled(const alcore__entry *entry, const alcore_ctx *ctx) {
    bool any = false;
    for (; entry; entry = entry->caller) {
        if (entry->ctx != ctx) continue;
        any = true;
        if (atomic_load_explicit(&entry->stopped, memory_order_relaxed)) return true;
        if (!entry->is_long) return false;
        if (alcore__control_count(&ctx->control) != entry->cancels) return true;
        if (entry->request && alcore__control_count(entry->request) != entry->request_cancels)
            return true;
    }
    return !any && alcore__control_refuses(&ctx->control, alcore__control_count(&ctx->control));
}

bool alcore__cancelled(const alcore_ctx *ctx) {
    return ctx && alcore__entry_cancelled(alcore__this_entry(), ctx);
}

/* The progress of a call goes to the innermost request that is answered and has a function, else to
 * the context. */
static const alcore__control *find_progress(const alcore_ctx *ctx) {
    for (const alcore__entry *entry = alcore__this_entry(); entry; entry = entry->caller)
        if (entry->ctx == ctx && entry->request && entry->request->progress) return entry->request;
    return &ctx->control;
}

/* An answer of the progress function ends all calls of this thread on the context: the innermost,
 * and those in whose callbacks it was made. */
static void stop_calls(alcore__thread *self, const alcore_ctx *ctx) {
    for (int32_t i = 0; i < self->depth; i++)
        if (self->entries[i].ctx == ctx)
            atomic_store_explicit(&self->entries[i].stopped, true, memory_order_relaxed);
}

/* Calls progress if ALCORE__PROGRESS_NS have passed since the last time, after the queued log
 * lines. The entering thread only; not from within the progress function itself. */
void alcore__report(alcore_ctx *ctx, const char *stage, int64_t done, int64_t total) {
    alcore__call *call = &alcore__this.call;
    int64_t now = alcore__now_ns();
    if (now - call->reported_ns < ALCORE__PROGRESS_NS || call->reporting) return;
    call->reported_ns = now;
    alcore__log_drain(ctx, &ctx->lines);
    const alcore__control *control = find_progress(ctx);
    if (!control->progress) return;
    call->reporting = true;
    if (control->progress(control->progress_user, stage, done, total) != 0)
        stop_calls(&alcore__this, ctx);
    call->reporting = false;
}

/* Reports on the entering thread, where it remembers what it was told; on a worker (self->loop is
 * set) it only polls cancellation. */
alcore_status alcore__tick(alcore_ctx *ctx, const char *stage, int64_t done, int64_t total) {
    alcore__thread *self = &alcore__this;
    if (!ctx) return ALCORE_OK;
    if (!self->loop) {
        if (stage) {
            self->call.stage = stage;
            self->call.done = done;
            self->call.total = total;
        }
        alcore__report(ctx, self->call.stage, self->call.done, self->call.total);
    }
    return alcore__cancelled(ctx) ? alcore__fail_cancelled() : ALCORE_OK;
}

/* ---- what callbacks ask ---- */

int32_t alcore_ctx_is_cancelled(const alcore_ctx *ctx) {
    return alcore__cancelled(ctx);
}

/* Within a callback the call is that of the callback, so none is entered; what the host says is not
 * remembered, as its stage lives during this call only. */
alcore_status alcore_ctx_poll(alcore_ctx *ctx, const char *stage, int64_t done, int64_t total) {
    if (alcore__this.depth == 0) alcore__error_clear();
    if (!ctx) return alcore__fail(ALCORE_E_INVALID, "alcore_ctx_poll: ctx is needed");
    if (alcore__forked(ctx)) return fail_forked();
    const alcore__call *call = &alcore__this.call;
    if (alcore__this.depth > 0 && stage)
        alcore__report(ctx, stage, done, total);
    else if (alcore__this.depth > 0)
        alcore__report(ctx, call->stage, call->done, call->total);
    return alcore__cancelled(ctx) ? alcore__fail_cancelled() : ALCORE_OK;
}
