/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing through the context's file table (alcore_files), which is the file system or
 * functions of the host.
 *
 * Reading: alcore__file, any number of blocks at any offset, from any thread. Writing:
 * alcore__writer collects small pieces in a buffer and writes to a temporary file beside the path,
 * which is renamed to the path when all is written: the file appears whole or not at all. Error
 * texts always name the path that the caller gave. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output_path.h"
#include "base/state.h"

#define WRITE_BUFFER ((size_t)256 * 1024) /* bytes */
/* Bytes of the file's name that the temporary name keeps, so that its suffix fits into the usual
 * limit of 255 bytes. */
#define MAX_KEPT_NAME 200

/* Turns the status that a function of the table returned into the call's: keeps its error text and
 * adds the path where it does not name it. what: the action, for a function that set no text. */
static alcore_status failed(alcore_status status, const char *what, const char *path) {
    status = alcore__fail_callback(status, what);
    if (!strstr(alcore__error_text(), path)) alcore__fail_within(status, "'%s'", path);
    return status;
}

/* The error for a file table without a function that is needed. */
static alcore_status missing(const char *function) {
    return alcore__fail(ALCORE_E_UNSUPPORTED, "the context's file table has no '%s'", function);
}

struct alcore__file {
    alcore_ctx *ctx; /* a reference */
    void *handle;    /* the file table's */
    char path[];     /* as the caller gave it */
};

/* Checks that the file table has what reading needs, and opens path. The file has a reference to
 * the context, so that it may outlive the caller's. */
alcore_status alcore__file_open(alcore_ctx *ctx, const char *path, alcore__file **out) {
    const alcore_files *files = &ctx->files;
    *out = NULL;
    if (!path) return alcore__fail(ALCORE_E_INVALID, "the path is NULL");
    if (!files->open || !files->close) return missing(files->open ? "close" : "open");
    if (!files->read) return missing("read");
    size_t bytes = strlen(path) + 1;
    alcore__file *file = alcore__alloc(ctx, sizeof *file + bytes);
    if (!file) return alcore__fail_memory(sizeof *file + bytes);
    file->handle = NULL;
    memcpy(file->path, path, bytes);
    alcore_status status = files->open(files->user, path, ALCORE_FILE_READ, &file->handle);
    if (status != ALCORE_OK) {
        status = failed(status, "opening a file", path);
        alcore__free(ctx, file);
        return status;
    }
    file->ctx = alcore_ctx_ref(ctx);
    *out = file;
    return ALCORE_OK;
}

const char *alcore__file_path(const alcore__file *file) {
    return file->path;
}

/* *out: bytes of the file, as the table's length function says; -1 where the table has none, for a
 * stream, and after a failure. */
alcore_status alcore__file_length(alcore__file *file, int64_t *out) {
    const alcore_files *files = &file->ctx->files;
    *out = -1;
    if (!files->length) return ALCORE_OK;
    alcore_status status = files->length(files->user, file->handle, out);
    if (status == ALCORE_OK) return ALCORE_OK;
    *out = -1;
    return failed(status, "measuring a file", file->path);
}

/* Calls the table's read until `bytes` bytes are read or it returns 0 at the end of the file. A
 * count above what was asked for is the host's error. */
alcore_status alcore__file_read(alcore__file *file, int64_t offset, void *data, size_t bytes,
                                size_t *out_bytes) {
    const alcore_files *files = &file->ctx->files;
    size_t total = 0;
    *out_bytes = 0;
    while (total < bytes) {
        size_t got = 0;
        alcore_status status = files->read(files->user, file->handle, offset + (int64_t)total,
                                           (char *)data + total, bytes - total, &got);
        if (status != ALCORE_OK) return failed(status, "reading a file", file->path);
        if (got > bytes - total)
            return alcore__fail(ALCORE_E_CALLBACK, "'%s': read gave %zu bytes of %zu asked for",
                                file->path, got, bytes - total);
        if (got == 0) break;
        total += got;
    }
    *out_bytes = total;
    return ALCORE_OK;
}

/* Reads exactly `bytes` bytes; a file that ends before is ALCORE_E_DATA. */
alcore_status alcore__file_read_all(alcore__file *file, int64_t offset, void *data, size_t bytes) {
    size_t got;
    ALCORE__TRY(alcore__file_read(file, offset, data, bytes, &got));
    if (got < bytes)
        return alcore__fail(ALCORE_E_DATA, "'%s' ends at byte %lld, %zu bytes too early",
                            file->path, (long long)(offset + (int64_t)got), bytes - got);
    return ALCORE_OK;
}

static void read_state(const struct stat *info, alcore__file_state *out) {
    *out = (alcore__file_state){.known = true,
                                .device = (uint64_t)info->st_dev,
                                .inode = (uint64_t)info->st_ino,
                                .bytes = (int64_t)info->st_size,
                                .seconds = (int64_t)info->st_mtim.tv_sec,
                                .nanoseconds = (int64_t)info->st_mtim.tv_nsec};
}

void alcore__path_state(alcore_ctx *ctx, const char *path, alcore__file_state *out) {
    struct stat info;
    *out = (alcore__file_state){0};
    if (alcore__is_file_system(&ctx->files) && stat(path, &info) == 0) read_state(&info, out);
}

int alcore__file_descriptor_of(const alcore__file *file) {
    return alcore__is_file_system(&file->ctx->files) ? alcore__file_descriptor(file->handle) : -1;
}

void alcore__file_state_of(const alcore__file *file, alcore__file_state *out) {
    struct stat info;
    const int descriptor = alcore__file_descriptor_of(file);
    *out = (alcore__file_state){0};
    if (descriptor >= 0 && fstat(descriptor, &info) == 0) read_state(&info, out);
}

bool alcore__file_state_equal(const alcore__file_state *one, const alcore__file_state *other) {
    return one->known == other->known && one->device == other->device &&
           one->inode == other->inode && one->bytes == other->bytes &&
           one->seconds == other->seconds && one->nanoseconds == other->nanoseconds;
}

/* *out: when the file was last written, in seconds since 1970; NaN where stat() fails, which is no
 * error here. The file table has no such function, so a host's table is ALCORE_E_UNSUPPORTED. */
alcore_status alcore__file_time(alcore_ctx *ctx, const char *path, double *out) {
    struct stat info;
    *out = (double)NAN;
    if (!alcore__is_file_system(&ctx->files))
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "'%s': the context's file table does not tell when a file was written",
                            path);
    if (stat(path, &info) == 0)
        *out = (double)info.st_mtim.tv_sec + 1e-9 * (double)info.st_mtim.tv_nsec;
    return ALCORE_OK;
}

/* Sets that time. floor() makes the nanoseconds positive also for times before 1970. */
void alcore__file_set_time(alcore_ctx *ctx, const char *path, double time) {
    double whole = floor(time);
    const struct timespec stamp = {.tv_sec = (time_t)whole,
                                   .tv_nsec = (long)(1e9 * (time - whole))};
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, stamp}; /* read (kept), written */
    if (alcore__is_file_system(&ctx->files)) utimensat(AT_FDCWD, path, times, 0);
}

/* Closes and frees. Nothing was written, so a failure to close loses nothing and is ignored. A
 * forked child closes its own descriptor but calls nothing of the host. */
void alcore__file_close(alcore__file *file) {
    if (!file) return;
    alcore_ctx *ctx = file->ctx;
    if (alcore__is_file_system(&ctx->files) || !alcore__forked(ctx))
        ctx->files.close(ctx->files.user, file->handle);
    alcore__free(ctx, file);
    alcore_ctx_unref(ctx);
}

struct alcore__writer {
    alcore_ctx *ctx; /* a reference */
    void *handle;    /* the file table's; NULL when closed */
    char *temporary; /* name of the file being written; NULL: the output is written directly */
    char *target;    /* the name that it gets: the path behind all symbolic links; NULL: the path */
    char *buffer;    /* [WRITE_BUFFER] */
    size_t length;   /* bytes in buffer that are not written yet */
    bool broken;     /* a write failed: what the file contains is unknown */
    char path[];     /* as the caller gave it */
};

/* Frees the memory of a writer, whose file is closed, and its reference to the context. */
static void free_writer(alcore__writer *writer) {
    alcore_ctx *ctx = writer->ctx;
    alcore__free(ctx, writer->temporary);
    alcore__free(ctx, writer->target);
    alcore__free(ctx, writer->buffer);
    alcore__free(ctx, writer);
    alcore_ctx_unref(ctx);
}

/* Opens an output that has no name to appear under and is written directly: "-", or a device or
 * pipe (mode ALCORE__FILE_STREAM). */
static alcore_status open_directly(alcore__writer *writer, const char *path, int32_t mode) {
    const alcore_files *files = &writer->ctx->files;
    alcore_status status = files->open(files->user, path, mode, &writer->handle);
    if (status == ALCORE_OK) return ALCORE_OK;
    writer->handle = NULL;
    return failed(alcore__fail_callback(status, "opening a file"), "opening a file", writer->path);
}

/* Creates a file beside `target` under a name that no file has: TARGET.alcore-PROCESS-NUMBER, with
 * another random number while the name exists, 100 times at most. */
static alcore_status create_temporary(alcore__writer *writer, const char *target) {
    const alcore_files *files = &writer->ctx->files;
    const char *slash = strrchr(target, '/');
    size_t folder = slash ? (size_t)(slash - target) + 1 : 0, name = strlen(target) - folder;
    if (name > MAX_KEPT_NAME) name = MAX_KEPT_NAME;
    char suffix[40];
    size_t bytes = folder + name + sizeof suffix;
    writer->temporary = alcore__alloc(writer->ctx, bytes);
    if (!writer->temporary) return alcore__fail_memory(bytes);
    alcore_status status = ALCORE_E_EXISTS;
    for (int attempt = 0; status == ALCORE_E_EXISTS && attempt < 100; attempt++) {
        alcore__output_suffix(suffix);
        alcore__format(writer->temporary, bytes, "%.*s%s", (int)(folder + name), target, suffix);
        status = files->open(files->user, writer->temporary, ALCORE_FILE_CREATE, &writer->handle);
    }
    if (status == ALCORE_OK) return ALCORE_OK;
    writer->handle = NULL;
    status = alcore__fail_callback(status, "creating a file");
    alcore__fail_renamed(status, writer->temporary, writer->path);
    return failed(status, "creating a file", writer->path);
}

/* Opens what the path names in the file system: a device or pipe directly, for a file, which may
 * lie behind links, a temporary one beside it that has its mode and owner. */
static alcore_status open_path(alcore__writer *writer) {
    alcore_ctx *ctx = writer->ctx;
    alcore__output output;
    if (!alcore__is_file_system(&ctx->files)) return create_temporary(writer, writer->path);
    const int error = alcore__output_find(writer->path, &output);
    if (error) return alcore__fail_system(error, "write", writer->path);
    if (output.kind == ALCORE__OUTPUT_STANDARD)
        return open_directly(writer, "-", ALCORE_FILE_CREATE);
    if (output.kind == ALCORE__OUTPUT_STREAM)
        return open_directly(writer, writer->path, ALCORE__FILE_STREAM);
    writer->target = alcore__strndup(ctx, output.path, strlen(output.path));
    if (!writer->target) return alcore__fail_memory(strlen(output.path) + 1);
    ALCORE__TRY(create_temporary(writer, writer->target));
    alcore__output_keep(&output, writer->temporary);
    return ALCORE_OK;
}

/* Checks that the file table has what writing needs and that path can be replaced, then opens a
 * temporary file, or "-" or a device directly. */
alcore_status alcore__writer_open(alcore_ctx *ctx, const char *path, alcore__writer **out) {
    const alcore_files *files = &ctx->files;
    *out = NULL;
    if (!path || !*path) return alcore__fail(ALCORE_E_INVALID, "the path is empty");
    if (!files->open || !files->close) return missing(files->open ? "close" : "open");
    if (!files->write) return missing("write");
    if (!files->rename) return missing("rename");
    size_t bytes = strlen(path) + 1;
    alcore__writer *writer = alcore__calloc(ctx, 1, sizeof *writer + bytes);
    if (!writer) return alcore__fail_memory(sizeof *writer + bytes);
    memcpy(writer->path, path, bytes);
    writer->ctx = alcore_ctx_ref(ctx);
    writer->buffer = alcore__alloc(ctx, WRITE_BUFFER);
    alcore_status status = !writer->buffer ? alcore__fail_memory(WRITE_BUFFER)
                           : strcmp(path, "-") == 0
                               ? open_directly(writer, path, ALCORE_FILE_CREATE)
                               : open_path(writer);
    if (status != ALCORE_OK) {
        free_writer(writer);
        return status;
    }
    *out = writer;
    return ALCORE_OK;
}

/* A function of the table failed while writing: the text names the path that the user gave. */
static alcore_status writing_failed(alcore__writer *writer, alcore_status status) {
    status = alcore__fail_callback(status, "writing a file");
    if (writer->temporary) alcore__fail_renamed(status, writer->temporary, writer->path);
    writer->broken = true;
    return failed(status, "writing a file", writer->path);
}

/* Writes bytes to the file at once; after a failed write nothing more is written. */
static alcore_status put(alcore__writer *writer, const void *data, size_t bytes) {
    const alcore_files *files = &writer->ctx->files;
    if (writer->broken)
        return alcore__fail(ALCORE_E_IO, "'%s': an earlier write failed", writer->path);
    if (bytes == 0) return ALCORE_OK;
    alcore_status status = files->write(files->user, writer->handle, data, bytes);
    return status == ALCORE_OK ? ALCORE_OK : writing_failed(writer, status);
}

/* Writes the buffer and empties it. */
static alcore_status flush(alcore__writer *writer) {
    size_t length = writer->length;
    writer->length = 0;
    return put(writer, writer->buffer, length);
}

/* Appends bytes to the buffer, which is written when they do not fit; pieces larger than the buffer
 * are written directly. */
alcore_status alcore__writer_put(alcore__writer *writer, const void *data, size_t bytes) {
    if (bytes > WRITE_BUFFER - writer->length) ALCORE__TRY(flush(writer));
    if (bytes > WRITE_BUFFER) return put(writer, data, bytes);
    if (bytes) memcpy(writer->buffer + writer->length, data, bytes);
    writer->length += bytes;
    return ALCORE_OK;
}

/* Closes the file; a failure to close may mean that data was lost. */
static alcore_status close_handle(alcore__writer *writer) {
    const alcore_files *files = &writer->ctx->files;
    void *handle = writer->handle;
    writer->handle = NULL;
    alcore_status status = files->close(files->user, handle);
    return status == ALCORE_OK ? ALCORE_OK : writing_failed(writer, status);
}

/* Brings everything to the disk, under the temporary name; frees nothing. */
static alcore_status store(alcore__writer *writer) {
    const alcore_files *files = &writer->ctx->files;
    alcore_status status;
    ALCORE__TRY(flush(writer));
    if (writer->temporary && files->sync &&
        (status = files->sync(files->user, writer->handle)) != ALCORE_OK)
        return writing_failed(writer, status);
    return close_handle(writer);
}

/* Gives the stored file its name. */
static alcore_status publish(alcore__writer *writer) {
    const alcore_files *files = &writer->ctx->files;
    if (!writer->temporary) return ALCORE_OK; /* it was written directly */
    alcore_status status = files->rename(files->user, writer->temporary,
                                         writer->target ? writer->target : writer->path);
    return status == ALCORE_OK ? ALCORE_OK : writing_failed(writer, status);
}

/* Closes and removes the file, which has the name `path` (NULL: none, it is standard output), and
 * frees the writer, keeping the error text of the failure that led here. In a forked child the file
 * is the parent's and stays. */
static void abandon(alcore__writer *writer, const char *path) {
    const alcore_files *files = &writer->ctx->files;
    char text[ALCORE__TEXT_BYTES]; /* of the failure that led here */
    strcpy(text, alcore__error_text());
    alcore_status status = alcore__this.status;
    if (!alcore__forked(writer->ctx)) {
        if (writer->handle) files->close(files->user, writer->handle);
        if (files->remove && path) files->remove(files->user, path);
    } else if (writer->handle && alcore__is_file_system(files)) {
        files->close(files->user, writer->handle);
    }
    alcore_error_set(status, text, strlen(text));
    free_writer(writer);
}

/* Gives up a file that was not named yet: removes the temporary one and frees the writer. */
void alcore__writer_abort(alcore__writer *writer) {
    if (writer) abandon(writer, writer->temporary);
}

/* The temporary file stays where it is, in the folder of both names. */
alcore_status alcore__writer_name(alcore__writer *writer, const char *path) {
    char *const target = alcore__strndup(writer->ctx, path, strlen(path));
    if (!target) return alcore__fail_memory(strlen(path) + 1);
    alcore__free(writer->ctx, writer->target);
    writer->target = target;
    return ALCORE_OK;
}

/* Stores the file under its name; frees the writer, also after a failure, which removes the
 * temporary file. */
alcore_status alcore__writer_commit(alcore__writer *writer) {
    alcore_status status = store(writer);
    if (status == ALCORE_OK) status = publish(writer);
    if (status != ALCORE_OK)
        alcore__writer_abort(writer);
    else
        free_writer(writer);
    return status;
}

/* The names are given when both files are stored. Where the second name cannot be given the first
 * file, which has its own, is removed. */
alcore_status alcore__writer_commit_both(alcore__writer *first, alcore__writer *second) {
    bool named = false;
    alcore_status status = store(first);
    if (status == ALCORE_OK) status = store(second);
    if (status == ALCORE_OK) {
        status = publish(first);
        named = status == ALCORE_OK && first->temporary;
    }
    if (status == ALCORE_OK) status = publish(second);
    if (status != ALCORE_OK) {
        alcore__writer_abort(second);
        abandon(first, !named ? first->temporary : first->target ? first->target : first->path);
    } else {
        free_writer(second);
        free_writer(first);
    }
    return status;
}

alcore_status alcore__write_text(alcore_ctx *ctx, const char *path, const alcore__buffer *text) {
    alcore__writer *writer = NULL;
    ALCORE__TRY(alcore__writer_open(ctx, path, &writer));
    const alcore_status status = alcore__writer_put(writer, text->data, text->length);
    if (status == ALCORE_OK) return alcore__writer_commit(writer);
    alcore__writer_abort(writer);
    return status;
}
