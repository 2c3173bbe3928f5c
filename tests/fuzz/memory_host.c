/* SPDX-License-Identifier: Apache-2.0 */
#include "memory_host.h"

#include <stdlib.h>
#include <string.h>

int64_t fuzz_accepted;

static bool refused(memory_host *host, size_t more) {
    int64_t call = host->calls++;
    return (host->fail_from >= 0 && call >= host->fail_from) ||
           (host->limit > 0 && host->live + more > host->limit);
}

static void count(memory_host *host, size_t before, size_t after) {
    host->live += after - before;
    if (host->live > host->peak) host->peak = host->live;
}

static void *allocate(void *user, size_t bytes) {
    if (refused(user, bytes)) return NULL;
    void *memory = malloc(bytes);
    if (memory) count(user, 0, bytes);
    return memory;
}

static void *reallocate(void *user, void *memory, size_t before, size_t after) {
    if (refused(user, after > before ? after - before : 0)) return NULL;
    void *other = realloc(memory, after);
    if (other) count(user, before, after);
    return other;
}

static void release(void *user, void *memory, size_t bytes) {
    count(user, bytes, 0);
    free(memory);
}

/* The host itself is the handle of the file that every path opens to. */
static alcore_status open_file(void *user, const char *path, int32_t mode, void **out_file) {
    memory_host *host = user;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (host->files) {
        for (size_t i = 0; i < host->file_count; i++) {
            if (strcmp(host->files[i].name, name) != 0) continue;
            *out_file = (void *)&host->files[i];
            return ALCORE_OK;
        }
        return ALCORE_E_IO;
    }
    if (mode == ALCORE_FILE_CREATE) host->written_bytes = 0;
    *out_file = host;
    return ALCORE_OK;
}

static alcore_status read_file(void *user, void *file, int64_t offset, void *buffer, size_t bytes,
                               size_t *out_bytes) {
    const memory_host *host = user;
    const memory_file whole = {"", host->data, host->bytes};
    const memory_file *from = file == user ? &whole : file;
    size_t at = (size_t)offset < from->bytes ? (size_t)offset : from->bytes;
    size_t got = from->bytes - at < bytes ? from->bytes - at : bytes;
    if (got > 0) memcpy(buffer, (const char *)from->data + at, got);
    *out_bytes = got;
    return ALCORE_OK;
}

static alcore_status write_file(void *user, void *file, const void *data, size_t bytes) {
    memory_host *host = user;
    (void)file;
    char *more = realloc(host->written, host->written_bytes + bytes + 1);
    if (!more) return ALCORE_E_NOMEM;
    memcpy(more + host->written_bytes, data, bytes);
    host->written = more;
    host->written_bytes += bytes;
    return ALCORE_OK;
}

static alcore_status length_file(void *user, void *file, int64_t *out_bytes) {
    *out_bytes =
        file == user ? ((memory_host *)user)->length : (int64_t)((const memory_file *)file)->bytes;
    return ALCORE_OK;
}

static alcore_status sync_file(void *user, void *file) {
    (void)user, (void)file;
    return ALCORE_OK;
}

static alcore_status rename_file(void *user, const char *from, const char *to) {
    memory_host *host = user;
    (void)from, (void)to;
    memory_host_file(host, host->written, host->written_bytes);
    return ALCORE_OK;
}

static alcore_status remove_file(void *user, const char *path) {
    (void)user, (void)path;
    return ALCORE_OK;
}

static void take_log(void *user, int32_t level, const char *component, const char *message,
                     const char *fields) {
    memory_host *host = user;
    (void)level, (void)component, (void)fields;
    host->warnings++;
    strncpy(host->last_log, message, sizeof host->last_log - 1);
}

void memory_host_open(memory_host *host) {
    memset(host, 0, sizeof *host);
    host->fail_from = -1;
    alcore_allocator allocator = ALCORE_ALLOCATOR_INIT;
    allocator.user = host;
    allocator.allocate = allocate;
    allocator.reallocate = reallocate;
    allocator.release = release;
    alcore_files files = ALCORE_FILES_INIT;
    files.user = host;
    files.open = open_file;
    files.read = read_file;
    files.write = write_file;
    files.length = length_file;
    files.sync = sync_file;
    files.close = sync_file;
    files.rename = rename_file;
    files.remove = remove_file;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.allocator = &allocator;
    options.files = &files;
    options.log = take_log;
    options.log_user = host;
    options.threads = 1;
    if (alcore_ctx_new(&options, &host->ctx) != ALCORE_OK) abort();
}

void memory_host_file(memory_host *host, const void *data, size_t bytes) {
    host->data = data;
    host->bytes = bytes;
    host->length = (int64_t)bytes;
}

void memory_host_files(memory_host *host, const memory_file *files, size_t count) {
    host->files = files;
    host->file_count = count;
}

size_t memory_host_close(memory_host *host) {
    alcore_ctx_unref(host->ctx);
    free(host->written);
    return host->live;
}
