/* SPDX-License-Identifier: Apache-2.0 */
/* What a loadable module gets of the library (alcore/sys/host.h): functions of base.h under the
 * types of the system tier. `user` is the alcore_ctx that the library passes to the module, as
 * host_user of a kernel's first argument for example; NULL: none. */
#include "base/base.h"

static void *host_allocate(void *user, size_t bytes) {
    return alcore__alloc(user, bytes);
}

static void host_release(void *user, void *memory, size_t bytes) {
    (void)bytes; /* the block knows */
    alcore__free(user, memory);
}

static void host_log(void *user, int32_t level, const char *component, const char *message) {
    alcore__log(user, level, component, NULL, "%s", message);
}

static int32_t host_poll_cancel(void *user) {
    return alcore__cancelled(user);
}

static alcore_status
host_parallel_for(void *user, const char *stage, int64_t count,
                  alcore_status (*task)(void *data, int64_t index, int32_t worker), void *data) {
    if (!user) return alcore__fail(ALCORE_E_INVALID, "parallel_for: user is NULL");
    return alcore__parallel(user, stage, count, task, data);
}

static int32_t host_threads(void *user) {
    return alcore_ctx_threads(user);
}

static alcore_status host_progress(void *user, const char *stage, int64_t done, int64_t total) {
    return alcore__tick(user, stage, done, total);
}

/* The files of the system tier are those of base.h under opaque names. */
static alcore_status host_file_open(void *user, const char *path, alcore_sys_file **out) {
    return alcore__file_open(user, path, (alcore__file **)out);
}

static alcore_status host_file_length(alcore_sys_file *file, int64_t *out) {
    return alcore__file_length((alcore__file *)file, out);
}

static alcore_status host_file_read(alcore_sys_file *file, int64_t offset, void *data,
                                    size_t bytes) {
    return alcore__file_read_all((alcore__file *)file, offset, data, bytes);
}

static void host_file_close(alcore_sys_file *file) {
    alcore__file_close((alcore__file *)file);
}

/* Modules write states of gigabytes, of which a killed training leaves a part. */
static alcore_status host_writer_open(void *user, const char *path, alcore_sys_writer **out) {
    if (path) alcore__remove_leftovers(user, path);
    return alcore__writer_open(user, path, (alcore__writer **)out);
}

static alcore_status host_writer_put(alcore_sys_writer *writer, const void *data, size_t bytes) {
    return alcore__writer_put((alcore__writer *)writer, data, bytes);
}

static alcore_status host_writer_commit(alcore_sys_writer *writer) {
    return alcore__writer_commit((alcore__writer *)writer);
}

static void host_writer_abort(alcore_sys_writer *writer) {
    alcore__writer_abort((alcore__writer *)writer);
}

static alcore_status host_folder_make(void *user, const char *path) {
    return alcore__make_folder(user, path);
}

/* The table of functions that a module is given at its entry point. */
const alcore_sys_host *alcore__sys_host(void) {
    static const alcore_sys_host host = {.size = sizeof host,
                                         .allocate = host_allocate,
                                         .release = host_release,
                                         .log = host_log,
                                         .set_error = alcore_error_set,
                                         .poll_cancel = host_poll_cancel,
                                         .parallel_for = host_parallel_for,
                                         .threads = host_threads,
                                         .progress = host_progress,
                                         .file_open = host_file_open,
                                         .file_length = host_file_length,
                                         .file_read = host_file_read,
                                         .file_close = host_file_close,
                                         .writer_open = host_writer_open,
                                         .writer_put = host_writer_put,
                                         .writer_commit = host_writer_commit,
                                         .writer_abort = host_writer_abort,
                                         .folder_make = host_folder_make};
    return &host;
}
