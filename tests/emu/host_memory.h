/* SPDX-License-Identifier: Apache-2.0 */
/* For tests with one context: its memory, which is counted and can be made to fail or to cancel a
 * call, and the last warning of its log. */
#ifndef HOST_MEMORY_H
#define HOST_MEMORY_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "alcore/extra.h"
#include "check_status.h"

static long long live, peak; /* bytes that the context has now, and the most that it had */
static int64_t fail_at;      /* n: the n-th allocation from now on fails; 0: none */
/* A block of at least that many bytes cancels the context and lasts until progress is due, which
 * then ends the call that asked for it: a call that saves or sets is ended by that alone. */
static size_t cancel_at;
static bool stop;        /* what the progress function answers, once */
static char logged[400]; /* the last warning */

/* user: the address of the context's handle. */
static inline void *host_allocate(void *user, size_t bytes) {
    if (fail_at > 0 && --fail_at == 0) return NULL;
    if (bytes >= cancel_at) {
        alcore_ctx_cancel(*(alcore_ctx **)user);
        nanosleep(&(struct timespec){.tv_nsec = 120000000}, NULL);
        stop = true;
    }
    live += (long long)bytes;
    if (live > peak) peak = live;
    return malloc(bytes);
}

static inline void *host_reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    (void)user;
    if (fail_at > 0 && --fail_at == 0) return NULL;
    live += (long long)new_bytes - (long long)old_bytes;
    if (live > peak) peak = live;
    return realloc(memory, new_bytes);
}

static inline void host_release(void *user, void *memory, size_t bytes) {
    (void)user;
    live -= (long long)bytes;
    free(memory);
}

static inline void host_keep_warning(void *user, int32_t level, const char *component,
                                     const char *message, const char *fields) {
    (void)user, (void)component, (void)fields;
    if (level == ALCORE_LOG_WARN) snprintf(logged, sizeof logged, "%s", message);
}

static inline int32_t host_progress(void *user, const char *stage, int64_t done, int64_t total) {
    const bool answer = stop;
    (void)user, (void)stage, (void)done, (void)total;
    stop = false;
    return answer;
}

/* Makes the context, with nothing counted, failing or logged yet. ctx stays where it is. */
static inline void open_context(alcore_ctx **ctx) {
    alcore_allocator allocator = ALCORE_ALLOCATOR_INIT;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    allocator.allocate = host_allocate;
    allocator.reallocate = host_reallocate;
    allocator.release = host_release;
    allocator.user = ctx;
    options.allocator = &allocator;
    options.log = host_keep_warning;
    options.progress = host_progress;
    live = peak = fail_at = 0;
    cancel_at = SIZE_MAX;
    stop = false;
    logged[0] = '\0';
    ck_assert_ok(alcore_ctx_new(&options, ctx));
}

#endif
