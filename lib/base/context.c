/* SPDX-License-Identifier: Apache-2.0 */
/* Making, counting and freeing contexts (alcore/context.h); the members are in state.h. */
#include <string.h>
#include <unistd.h>

#include "base/state.h"

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "alcore_ctx_cancel() is called from signal handlers");

/* Largest number of threads; a larger one is a mistake in the caller's arithmetic. */
#define MAX_THREADS 4096

/* Copies and checks the caller's allocator; NULL: the default one. */
static alcore_status read_allocator(const alcore_allocator *theirs, alcore_allocator *out) {
    ALCORE__TRY(alcore__struct_read(out, sizeof *out, ALCORE__FIRST_SIZE(alcore_allocator, release),
                                    theirs, "alcore_allocator"));
    if (!theirs) *out = alcore__default_allocator;
    if (!out->allocate || !out->reallocate || !out->release)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_allocator: allocate, reallocate and release must all be given");
    return ALCORE_OK;
}

/* A copy of the name of a folder; NULL stays NULL. */
static alcore_status copy_folder(alcore_ctx *ctx, const char *folder, char **out) {
    if (!folder) return ALCORE_OK;
    *out = alcore__strndup(ctx, folder, strlen(folder));
    return *out ? ALCORE_OK : alcore__fail_memory(strlen(folder) + 1);
}

/* alcore_ctx_new() within a call: checks all options before anything is allocated. */
static alcore_status new_context(const alcore_ctx_options *theirs, alcore_ctx **out) {
    alcore_ctx_options options;
    alcore_allocator allocator;
    alcore_files files;
    if (!out) return alcore__fail(ALCORE_E_INVALID, "out is NULL");
    *out = NULL;
    ALCORE__TRY(alcore__struct_read(&options, sizeof options,
                                    ALCORE__FIRST_SIZE(alcore_ctx_options, reserved), theirs,
                                    "alcore_ctx_options"));
    ALCORE__TRY(read_allocator(options.allocator, &allocator));
    ALCORE__TRY(alcore__struct_read(&files, sizeof files, ALCORE__FIRST_SIZE(alcore_files, remove),
                                    options.files, "alcore_files"));
    if (options.threads < 0 || options.threads > MAX_THREADS)
        return alcore__fail(ALCORE_E_INVALID, "threads is %d, not from 0 to %d", options.threads,
                            MAX_THREADS);
    ALCORE__TRY(alcore__struct_reserved(options.reserved, "alcore_ctx_options"));

    alcore_ctx *ctx = allocator.allocate(allocator.user, sizeof *ctx);
    if (!ctx) return alcore__fail_memory(sizeof *ctx);
    memset(ctx, 0, sizeof *ctx);
    ctx->allocator = allocator;
    alcore_status status = copy_folder(ctx, options.module_dir, &ctx->module_dir);
    if (status == ALCORE_OK) status = copy_folder(ctx, options.torch_dir, &ctx->torch_dir);
    if (status != ALCORE_OK) {
        alcore__free(ctx, ctx->module_dir);
        allocator.release(allocator.user, ctx, sizeof *ctx);
        return status;
    }
    atomic_init(&ctx->references, 1);
    ctx->pid = getpid();
    ctx->threads = options.threads ? options.threads : alcore__affinity_threads();
    ctx->seed = options.seed;
    ctx->files = files;
    if (!options.files) alcore__file_system(ctx, &ctx->files);
    ctx->log = options.log;
    ctx->log_user = options.log_user;
    ctx->log_destroy = options.log_destroy;
    ctx->control.progress = options.progress;
    ctx->control.progress_user = options.progress_user;
    ctx->control.progress_destroy = options.progress_destroy;
    alcore__log_queue_begin(&ctx->lines);
    pthread_mutex_init(&ctx->pool_lock, NULL);
    pthread_mutex_init(&ctx->module_lock, NULL);
    *out = ctx;
    return ALCORE_OK;
}

alcore_status alcore_ctx_new(const alcore_ctx_options *options, alcore_ctx **out) {
    ALCORE__TRY(alcore__enter(NULL));
    return alcore__leave(NULL, new_context(options, out));
}

alcore_ctx *alcore_ctx_ref(alcore_ctx *ctx) {
    if (ctx) atomic_fetch_add_explicit(&ctx->references, 1, memory_order_relaxed);
    return ctx;
}

/* Drops a reference; the last one ends the threads, frees the records of the modules, which stay
 * loaded, and calls the host's destroy functions. In a forked child only memory is released: the
 * host's objects are the parent's, and a mutex may be held by a thread that the child does not
 * have. Log lines that nobody drained are dropped. */
void alcore_ctx_unref(alcore_ctx *ctx) {
    if (!ctx || atomic_fetch_sub_explicit(&ctx->references, 1, memory_order_acq_rel) != 1) return;
    bool forked = alcore__forked(ctx);
    alcore__pool_end(ctx);
    alcore__modules_end(ctx);
    if (!forked) {
        if (ctx->files.destroy) ctx->files.destroy(ctx->files.user);
        alcore__control_end(&ctx->control);
        if (ctx->log_destroy) ctx->log_destroy(ctx->log_user);
        pthread_mutex_destroy(&ctx->module_lock);
        pthread_mutex_destroy(&ctx->pool_lock);
    }
    alcore__log_queue_end(ctx, &ctx->lines);
    alcore__free(ctx, ctx->module_dir);
    alcore__free(ctx, ctx->torch_dir);
    alcore_allocator allocator = ctx->allocator;
    allocator.release(allocator.user, ctx, sizeof *ctx);
}

void alcore_ctx_cancel(alcore_ctx *ctx) {
    if (ctx) alcore__control_cancel(&ctx->control);
}

void alcore_ctx_cancel_clear(alcore_ctx *ctx) {
    if (ctx) alcore__control_clear(&ctx->control);
}

/* The number of threads that the options asked for, or that of the processors. Fewer may run, where
 * the system could not start as many. */
int32_t alcore_ctx_threads(const alcore_ctx *ctx) {
    return ctx ? ctx->threads : 0;
}

uint64_t alcore__ctx_seed(const alcore_ctx *ctx) {
    return ctx->seed;
}
