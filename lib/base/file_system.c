/* SPDX-License-Identifier: Apache-2.0 */
/* The default file table: the file system, with "-" for standard input and output. The functions
 * are those of alcore_files (alcore/context.h); `user` is the context. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "base/state.h"

/* An open file. Pipes and terminals cannot seek: they are streams, which are read with ascending
 * offsets, by one reader at a time. */
typedef struct system_file {
    int descriptor;
    bool stream;          /* read() in order, else pread() at any offset */
    pthread_mutex_t lock; /* held while a stream is read; guards position */
    int64_t position;     /* of a stream: bytes read so far */
    char path[];
} system_file;

alcore_status alcore__fail_system(int error, const char *what, const char *path) {
    const char *reason = strerror_l(error, alcore__c_locale());
    if (strcmp(path, "-") == 0)
        return alcore__fail(ALCORE_E_IO, "cannot %s standard %s: %s", what,
                            strcmp(what, "read") == 0 ? "input" : "output", reason);
    return alcore__fail(error == ENOMEM ? ALCORE_E_NOMEM : ALCORE_E_IO, "cannot %s '%s': %s", what,
                        path, reason);
}

/* Opens a path for reading, creates it (ALCORE_FILE_CREATE), ALCORE_E_EXISTS when it exists, or
 * opens a device or pipe for writing (ALCORE__FILE_STREAM). "-" is a duplicate of the standard
 * descriptor, so that closing it leaves that one open. */
static alcore_status open_descriptor(const char *path, int32_t mode, int *out) {
    const int flags = mode == ALCORE_FILE_CREATE    ? O_WRONLY | O_CREAT | O_EXCL
                      : mode == ALCORE__FILE_STREAM ? O_WRONLY
                                                    : O_RDONLY;
    if (strcmp(path, "-") == 0) {
        int standard = mode == ALCORE_FILE_READ ? STDIN_FILENO : STDOUT_FILENO;
        *out = fcntl(standard, F_DUPFD_CLOEXEC, 3);
    } else {
        do {
            *out = open(path, flags | O_CLOEXEC, 0666);
        } while (*out < 0 && errno == EINTR);
    }
    if (*out >= 0) return ALCORE_OK;
    if (errno == EEXIST) return alcore__fail(ALCORE_E_EXISTS, "'%s' exists already", path);
    return alcore__fail_system(errno, "open", path);
}

/* open of the file table. *out_file is a system_file; a folder is refused here, since Linux would
 * only fail at the first read. */
static alcore_status system_open(void *user, const char *path, int32_t mode, void **out_file) {
    struct stat info;
    int descriptor;
    *out_file = NULL;
    size_t bytes = strlen(path) + 1;
    system_file *file = alcore__calloc(user, 1, sizeof *file + bytes);
    if (!file) return alcore__fail_memory(sizeof *file + bytes);
    memcpy(file->path, path, bytes);
    alcore_status status = open_descriptor(path, mode, &descriptor);
    if (status == ALCORE_OK) {
        if (fstat(descriptor, &info) != 0)
            status = alcore__fail_system(errno, "open", path);
        else if (S_ISDIR(info.st_mode))
            status = alcore__fail_system(EISDIR, "open", path);
        if (status != ALCORE_OK) close(descriptor);
    }
    if (status != ALCORE_OK) {
        alcore__free(user, file);
        return status;
    }
    if (mode == ALCORE_FILE_CREATE) (void)flock(descriptor, LOCK_SH); /* see is_leftover() */
    file->descriptor = descriptor;
    file->stream = mode == ALCORE_FILE_READ && lseek(descriptor, 0, SEEK_CUR) < 0;
    /* Standard input may be a file that somebody read a part of: what is left of it is the file. */
    if (mode == ALCORE_FILE_READ && strcmp(path, "-") == 0) file->stream = true;
    pthread_mutex_init(&file->lock, NULL);
    *out_file = file;
    return ALCORE_OK;
}

/* Waits for a stream in short steps, so that cancellation acts while nobody types. */
static alcore_status await_stream(alcore_ctx *ctx, const system_file *file) {
    struct pollfd wait = {.fd = file->descriptor, .events = POLLIN};
    for (;;) {
        int ready = poll(&wait, 1, 50);
        if (ready > 0) return ALCORE_OK;
        if (ready < 0 && errno != EINTR) return alcore__fail_system(errno, "read", file->path);
        ALCORE__TRY(alcore__tick(ctx, NULL, 0, -1));
    }
}

/* Reads once, some of the bytes: a stream from where it stands, any other file at offset.
 * *out_bytes is 0 at the end of the file. */
static alcore_status read_some(alcore_ctx *ctx, system_file *file, int64_t offset, void *buffer,
                               size_t bytes, size_t *out_bytes) {
    ssize_t got;
    do {
        if (file->stream) ALCORE__TRY(await_stream(ctx, file));
        got = file->stream ? read(file->descriptor, buffer, bytes)
                           : pread(file->descriptor, buffer, bytes, (off_t)offset);
    } while (got < 0 && (errno == EINTR || (file->stream && errno == EAGAIN)));
    if (got < 0) return alcore__fail_system(errno, "read", file->path);
    *out_bytes = (size_t)got;
    return ALCORE_OK;
}

/* Reads a stream at an offset: what stands before it is read and dropped; an offset that was passed
 * already is an error. The caller has the lock. */
static alcore_status read_stream(alcore_ctx *ctx, system_file *file, int64_t offset, void *buffer,
                                 size_t bytes, size_t *out_bytes) {
    if (offset < file->position)
        return alcore__fail(ALCORE_E_IO, "cannot go back in '%s': it is a stream", file->path);
    while (file->position < offset) {
        char dropped[4096];
        int64_t left = offset - file->position;
        size_t got = 0;
        ALCORE__TRY(read_some(ctx, file, 0, dropped,
                              left < (int64_t)sizeof dropped ? (size_t)left : sizeof dropped,
                              &got));
        if (got == 0) return ALCORE_OK;
        file->position += (int64_t)got;
    }
    ALCORE__TRY(read_some(ctx, file, 0, buffer, bytes, out_bytes));
    file->position += (int64_t)*out_bytes;
    return ALCORE_OK;
}

/* read of the file table: any part of a file from any thread, a stream under its lock. */
static alcore_status system_read(void *user, void *handle, int64_t offset, void *buffer,
                                 size_t bytes, size_t *out_bytes) {
    system_file *file = handle;
    *out_bytes = 0;
    if (!file->stream) return read_some(user, file, offset, buffer, bytes, out_bytes);
    pthread_mutex_lock(&file->lock);
    alcore_status status = read_stream(user, file, offset, buffer, bytes, out_bytes);
    pthread_mutex_unlock(&file->lock);
    return status;
}

/* write of the file table: all bytes, also when the system writes some of them. A pipe may be full
 * for long; a signal then lets the progress function end the call. */
static alcore_status system_write(void *user, void *handle, const void *data, size_t bytes) {
    const system_file *file = handle;
    const char *next = data;
    while (bytes > 0) {
        ssize_t put = write(file->descriptor, next, bytes);
        if (put < 0 && errno != EINTR) return alcore__fail_system(errno, "write", file->path);
        if (put < 0) {
            ALCORE__TRY(alcore__tick(user, NULL, 0, -1));
            continue;
        }
        next += put;
        bytes -= (size_t)put;
    }
    return ALCORE_OK;
}

/* length of the file table: -1 for streams, and for what has no size, such as a device. */
static alcore_status system_length(void *user, void *handle, int64_t *out_bytes) {
    const system_file *file = handle;
    struct stat info;
    (void)user;
    *out_bytes = -1;
    if (fstat(file->descriptor, &info) != 0)
        return alcore__fail_system(errno, "measure", file->path);
    if (!file->stream && S_ISREG(info.st_mode)) *out_bytes = info.st_size;
    return ALCORE_OK;
}

/* sync of the file table: waits until the bytes of the file are on the disk. */
static alcore_status system_sync(void *user, void *handle) {
    const system_file *file = handle;
    (void)user;
    /* Never repeated: after a failure the kernel may have dropped the pages and report success. */
    return fsync(file->descriptor) == 0 ? ALCORE_OK
                                        : alcore__fail_system(errno, "sync", file->path);
}

/* close of the file table; frees the file in any case. */
static alcore_status system_close(void *user, void *handle) {
    system_file *file = handle;
    alcore_status status = ALCORE_OK;
    /* On Linux the descriptor is gone even after EINTR. */
    if (close(file->descriptor) != 0 && errno != EINTR)
        status = alcore__fail_system(errno, "close", file->path);
    pthread_mutex_destroy(&file->lock);
    alcore__free(user, file);
    return status;
}

/* The folder of path, opened to be synced and for the caller to close; -1: it cannot be opened. A
 * path without a slash is in ".", and the slash of "/NAME" is the folder. Allocates nothing: a lack
 * of memory could else fail the second of two renames that belong together
 * (alcore__writer_commit_both) after the first was made. */
static int open_folder(const char *path) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const size_t bytes = slash ? (size_t)(slash - path) + (slash == path) : 1;
    if (bytes >= sizeof folder) return -1;
    memcpy(folder, slash ? path : ".", bytes);
    folder[bytes] = 0;
    return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* rename of the file table: replaces path by the temporary file and brings the new name to the disk
 * by syncing the folder. File systems that cannot sync a folder say so by EINVAL, which is no
 * failure. */
static alcore_status system_rename(void *user, const char *temporary, const char *path) {
    (void)user;
    struct stat info;
    /* A rename onto a device such as /dev/null would replace it. */
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return S_ISDIR(info.st_mode)
                   ? alcore__fail_system(EISDIR, "write", path)
                   : alcore__fail(ALCORE_E_IO, "cannot write '%s': not a regular file", path);
    if (rename(temporary, path) != 0) return alcore__fail_system(errno, "write", path);
    const int folder = open_folder(path);
    if (folder < 0) return ALCORE_OK;
    const bool failed = fsync(folder) != 0 && errno == EIO;
    close(folder);
    return failed ? alcore__fail_system(EIO, "sync the folder of", path) : ALCORE_OK;
}

static alcore_status system_remove(void *user, const char *path) {
    (void)user;
    return unlink(path) == 0 ? ALCORE_OK : alcore__fail_system(errno, "remove", path);
}

/* Fills a file table with the functions of this file, for a context whose host gave none. */
void alcore__file_system(alcore_ctx *ctx, alcore_files *out) {
    *out = (alcore_files){.size = sizeof *out,
                          .user = ctx,
                          .open = system_open,
                          .read = system_read,
                          .write = system_write,
                          .length = system_length,
                          .sync = system_sync,
                          .close = system_close,
                          .rename = system_rename,
                          .remove = system_remove};
}

int alcore__file_descriptor(const void *handle) {
    return ((const system_file *)handle)->descriptor;
}

/* Seconds after which a temporary file to which nothing is written belongs to no process. */
enum { LEFTOVER_AGE = 3600 };

/* Whether a temporary file, `suffix` of whose name is ".alcore-PROCESS-NUMBER", is nobody's: the
 * process is gone, which says little where a container has numbers of its own, and no process has
 * the lock that a writer holds; or nothing was written to it for long. */
static bool is_leftover(int folder, const char *name, const char *suffix) {
    struct stat info;
    struct timespec now;
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode))
        return false;
    clock_gettime(CLOCK_REALTIME, &now);
    if (now.tv_sec - info.st_mtim.tv_sec > LEFTOVER_AGE) return true;
    const char *number = suffix + strlen(".alcore-");
    int64_t process;
    if (!alcore__parse_int(number, strcspn(number, "-"), &process) || process <= 0) return false;
    if (kill((pid_t)process, 0) == 0 || errno != ESRCH) return false;
    const int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
    const bool unlocked = file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0;
    if (file >= 0) close(file);
    return unlocked;
}

/* Whether a name is that of a temporary file: of the file `of`, or of any where of is "". Returns
 * its suffix, or NULL. */
static const char *temporary_suffix(const char *name, const char *of) {
    const char *suffix = NULL;
    if (*of) {
        const size_t length = strlen(of);
        return strncmp(name, of, length) == 0 &&
                       strncmp(name + length, ".alcore-", strlen(".alcore-")) == 0
                   ? name + length
                   : NULL;
    }
    for (const char *next = name; (next = strstr(next, ".alcore-")); next++) suffix = next;
    return suffix;
}

void alcore__remove_leftovers(alcore_ctx *ctx, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const int folder = alcore__is_file_system(&ctx->files) ? open_folder(path) : -1;
    DIR *listing = folder >= 0 ? fdopendir(folder) : NULL;
    if (!listing && folder >= 0) close(folder);
    if (!listing) return;
    for (const struct dirent *entry; (entry = readdir(listing));) {
        const char *suffix = temporary_suffix(entry->d_name, name);
        if (suffix && is_leftover(folder, entry->d_name, suffix))
            unlinkat(folder, entry->d_name, 0);
    }
    closedir(listing);
}

/* Whether a table is the one of this file: it has its open function. */
bool alcore__is_file_system(const alcore_files *files) {
    return files->open == system_open;
}

/* Does nothing where the path exists, be it a folder or not, or where the host has a file table. */
alcore_status alcore__make_folder(alcore_ctx *ctx, const char *path) {
    if (!alcore__is_file_system(&ctx->files) || mkdir(path, 0777) == 0 || errno == EEXIST)
        return ALCORE_OK;
    return alcore__fail_system(errno, "make the folder", path);
}
