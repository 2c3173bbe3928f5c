/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into a program (LD_PRELOAD): sees each call that changes a file below a folder, keeps
 * it in a log, and kills the program, or lets the call fail, before one of them. crash.py reads the
 * log. What is seen is what the program and its libraries call by name; crash.py compares the files
 * that the log makes with those that are there, so that a way around it does not stay unnoticed.
 *
 *   CRASH_ROOT    the folder, an absolute path without links
 *   CRASH_LOG     the file that each call is appended to, after it succeeded
 *   CRASH_COUNT   a file of 16 bytes 0 where the program and the commands that it runs count their
 *                 calls together; where one is killed all are. Without it each counts its own
 *   CRASH_KILL    N: SIGKILL before the N-th call, from 1
 *   CRASH_FULL    N: no space (ENOSPC) for the N-th call and all that follow
 *   CRASH_REMOVES 1: names can be removed all the same
 *   CRASH_TIME    seconds since 1970: the time of day, which stands still
 *   CRASH_NO_SYNC 1: fsync() and fdatasync() do nothing and are not seen: a program that does not
 *                 sync, for the test of the test
 *
 * A record: "<BQqQHH": kind (one of the letters below), inode, offset or length, bytes of data,
 * bytes of the path, bytes of the second path; then the paths, relative to the folder, and the
 * data. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#undef _FILE_OFFSET_BITS /* open() and open64() are two functions here */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Kinds of records. */
enum {
    CREATE = 'c',     /* path, inode */
    WRITE = 'w',      /* inode, offset, data */
    TRUNCATE = 't',   /* inode, length */
    SYNC = 's',       /* inode */
    SYNC_NAMES = 'n', /* path of a folder */
    RENAME = 'r',     /* path, second path */
    LINK = 'l',       /* path, second path */
    UNLINK = 'u',     /* path */
    MAKE_FOLDER = 'm',
    REMOVE_FOLDER = 'd'
};

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int log_file = -1;

/* What CRASH_COUNT has. */
typedef struct count {
    int64_t calls; /* that change a file, so far */
    int64_t first; /* the process that made the first one: the program */
} count;

/* The rest of a path below the folder; NULL: it is not below it. */
static const char *below(const char *path) {
    const char *root = getenv("CRASH_ROOT");
    const size_t length = root ? strlen(root) : 0;
    if (!root || strncmp(path, root, length) != 0) return NULL;
    if (!path[length]) return ".";
    return path[length] == '/' ? path + length + 1 : NULL;
}

/* The same of any path, whose folder is followed through links, relative to a folder's descriptor.
 * out: PATH_MAX bytes, in which the result lies. */
static const char *find(int folder, const char *path, char *out) {
    char parent[PATH_MAX], base[PATH_MAX] = ".", real[PATH_MAX];
    if (!getenv("CRASH_ROOT") || strlen(path) >= PATH_MAX / 2) return NULL;
    if (path[0] != '/' && folder != AT_FDCWD) {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        const ssize_t got = readlink(link, base, sizeof base - 1);
        if (got < 0) return NULL;
        base[got] = 0;
    }
    if (path[0] == '/')
        snprintf(parent, sizeof parent, "%s", path);
    else if ((size_t)snprintf(parent, sizeof parent, "%s/%s", base, path) >= sizeof parent)
        return NULL;
    for (size_t end = strlen(parent); end > 1 && parent[end - 1] == '/';) parent[--end] = 0;
    char *slash = strrchr(parent, '/');
    *slash = 0;
    if (!realpath(*parent ? parent : "/", real)) return NULL;
    if ((size_t)snprintf(out, PATH_MAX, "%s/%s", real, slash + 1) >= PATH_MAX) return NULL;
    return below(out);
}

/* The same of a descriptor. */
static const char *find_open(int descriptor, char *out) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t got = readlink(link, out, PATH_MAX - 1);
    if (got < 0) return NULL;
    out[got] = 0;
    return below(out);
}

static uint64_t inode_of(int descriptor) {
    struct stat info;
    return fstat(descriptor, &info) == 0 ? info.st_ino : 0;
}

static long number(const char *name) {
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

static count *counted(void) {
    static count *shared;
    if (shared) return shared;
    const char *path = getenv("CRASH_COUNT");
    const int file = path ? REAL(open)(path, O_RDWR | O_CLOEXEC) : -1;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  path ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, file, 0);
    if (shared == MAP_FAILED) abort();
    if (path) close(file);
    if (!shared->first) shared->first = getpid();
    return shared;
}

/* Before a call that changes a file, of that kind of record: counts it, and ends the program here
 * if it is its turn. False: the call has to fail, errno is set. */
static bool begin(int kind) {
    const long calls = (long)++counted()->calls;
    if (number("CRASH_KILL") && calls >= number("CRASH_KILL")) {
        kill((pid_t)counted()->first, SIGKILL);
        kill(getpid(), SIGKILL);
        pause();
    }
    const bool removes = kind == UNLINK || kind == REMOVE_FOLDER;
    if (!number("CRASH_FULL") || calls < number("CRASH_FULL")) return true;
    if (removes && number("CRASH_REMOVES")) return true;
    errno = ENOSPC;
    return false;
}

static void put(int file, const void *data, size_t bytes) {
    if (REAL(write)(file, data, bytes) != (ssize_t)bytes) abort();
}

static void record(int kind, uint64_t inode, int64_t offset, const char *path, const char *other,
                   const void *data, size_t bytes) {
    const char *log = getenv("CRASH_LOG");
    unsigned char head[29];
    const uint64_t written = bytes;
    const uint16_t first = (uint16_t)strlen(path), second = (uint16_t)strlen(other);
    if (!log) return;
    if (log_file < 0) log_file = REAL(open)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    head[0] = (unsigned char)kind;
    memcpy(head + 1, &inode, 8);
    memcpy(head + 9, &offset, 8);
    memcpy(head + 17, &written, 8);
    memcpy(head + 25, &first, 2);
    memcpy(head + 27, &second, 2);
    put(log_file, head, sizeof head);
    put(log_file, path, first);
    put(log_file, other, second);
    put(log_file, data, bytes);
}

/* ---- names ---- */

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    char name[PATH_MAX];
    const char *found = flags & (O_CREAT | O_TRUNC) ? find(folder, path, name) : NULL;
    if (!found) return REAL(openat)(folder, path, flags, mode);
    pthread_mutex_lock(&lock);
    const bool is_new = faccessat(folder, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
    /* To open a file that is there changes nothing. */
    const bool changes = is_new || (flags & O_TRUNC);
    int file = changes && !begin(CREATE) ? -1 : REAL(openat)(folder, path, flags, mode);
    const int error = errno;
    if (file >= 0 && is_new) record(CREATE, inode_of(file), 0, found, "", "", 0);
    if (file >= 0 && !is_new && (flags & O_TRUNC))
        record(TRUNCATE, inode_of(file), 0, "", "", "", 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return file;
}

/* The mode that follows the flags where a file may be made. */
#define OPEN_MODE(flags)                                                                           \
    mode_t mode = 0;                                                                               \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                       \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode = va_arg(rest, mode_t);                                                               \
        va_end(rest);                                                                              \
    }

int open(const char *path, int flags, ...) {
    OPEN_MODE(flags)
    return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    OPEN_MODE(flags)
    return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    OPEN_MODE(flags)
    return open_at(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    OPEN_MODE(flags)
    return open_at(folder, path, flags, mode);
}

int creat(const char *path, mode_t mode) {
    return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

/* A call with one or two names: counted, done, and recorded. */
#define WITH_NAMES(kind, folder, path, other_folder, other, call)                                  \
    do {                                                                                           \
        char one_[PATH_MAX], two_[PATH_MAX];                                                       \
        const char *first_ = find(folder, path, one_);                                             \
        const char *second_ = *(other) ? find(other_folder, other, two_) : "";                     \
        if (!first_ || !second_) return call;                                                      \
        pthread_mutex_lock(&lock);                                                                 \
        const int done_ = begin(kind) ? call : -1;                                                 \
        const int error_ = errno;                                                                  \
        if (done_ == 0) record(kind, 0, 0, first_, second_, "", 0);                                \
        pthread_mutex_unlock(&lock);                                                               \
        errno = error_;                                                                            \
        return done_;                                                                              \
    } while (0)

int rename(const char *path, const char *other) {
    WITH_NAMES(RENAME, AT_FDCWD, path, AT_FDCWD, other, REAL(rename)(path, other));
}

int renameat(int folder, const char *path, int other_folder, const char *other) {
    WITH_NAMES(RENAME, folder, path, other_folder, other,
               REAL(renameat)(folder, path, other_folder, other));
}

int link(const char *path, const char *other) {
    WITH_NAMES(LINK, AT_FDCWD, path, AT_FDCWD, other, REAL(link)(path, other));
}

int linkat(int folder, const char *path, int other_folder, const char *other, int flags) {
    WITH_NAMES(LINK, folder, path, other_folder, other,
               REAL(linkat)(folder, path, other_folder, other, flags));
}

int unlink(const char *path) {
    WITH_NAMES(UNLINK, AT_FDCWD, path, 0, "", REAL(unlink)(path));
}

int unlinkat(int folder, const char *path, int flags) {
    const int kind = flags & AT_REMOVEDIR ? REMOVE_FOLDER : UNLINK;
    WITH_NAMES(kind, folder, path, 0, "", REAL(unlinkat)(folder, path, flags));
}

int remove(const char *path) {
    struct stat info;
    const bool folder = lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
    return unlinkat(AT_FDCWD, path, folder ? AT_REMOVEDIR : 0);
}

int mkdir(const char *path, mode_t mode) {
    WITH_NAMES(MAKE_FOLDER, AT_FDCWD, path, 0, "", REAL(mkdir)(path, mode));
}

int mkdirat(int folder, const char *path, mode_t mode) {
    WITH_NAMES(MAKE_FOLDER, folder, path, 0, "", REAL(mkdirat)(folder, path, mode));
}

int rmdir(const char *path) {
    WITH_NAMES(REMOVE_FOLDER, AT_FDCWD, path, 0, "", REAL(rmdir)(path));
}

/* ---- bytes ---- */

/* A write at an offset; -1: where the file stands. */
static ssize_t write_at(int file, const void *data, size_t bytes, off_t offset) {
    char name[PATH_MAX];
    if (!find_open(file, name))
        return offset < 0 ? REAL(write)(file, data, bytes)
                          : REAL(pwrite)(file, data, bytes, offset);
    pthread_mutex_lock(&lock);
    const bool appends = fcntl(file, F_GETFL) & O_APPEND;
    const off_t at = offset >= 0 ? offset : lseek(file, 0, appends ? SEEK_END : SEEK_CUR);
    ssize_t done = -1;
    if (begin(WRITE))
        done =
            offset < 0 ? REAL(write)(file, data, bytes) : REAL(pwrite)(file, data, bytes, offset);
    const int error = errno;
    if (done > 0) record(WRITE, inode_of(file), at, "", "", data, (size_t)done);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}

ssize_t write(int file, const void *data, size_t bytes) {
    return write_at(file, data, bytes, -1);
}

ssize_t pwrite(int file, const void *data, size_t bytes, off_t offset) {
    return write_at(file, data, bytes, offset);
}

ssize_t pwrite64(int file, const void *data, size_t bytes, off_t offset) {
    return write_at(file, data, bytes, offset);
}

int ftruncate(int file, off_t length) {
    char name[PATH_MAX];
    if (!find_open(file, name)) return REAL(ftruncate)(file, length);
    pthread_mutex_lock(&lock);
    const int done = begin(TRUNCATE) ? REAL(ftruncate)(file, length) : -1;
    const int error = errno;
    if (done == 0) record(TRUNCATE, inode_of(file), length, "", "", "", 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}

int ftruncate64(int file, off_t length) {
    return ftruncate(file, length);
}

static int sync_file(int file, int (*real)(int)) {
    char name[PATH_MAX];
    struct stat info;
    const char *found = find_open(file, name);
    if (!found) return real(file);
    if (number("CRASH_NO_SYNC")) return 0;
    pthread_mutex_lock(&lock);
    const int done = begin(SYNC) ? real(file) : -1;
    const int error = errno;
    const bool folder = fstat(file, &info) == 0 && S_ISDIR(info.st_mode);
    if (done == 0 && folder) record(SYNC_NAMES, 0, 0, found, "", "", 0);
    if (done == 0 && !folder) record(SYNC, info.st_ino, 0, "", "", "", 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}

int fsync(int file) {
    return sync_file(file, REAL(fsync));
}

int fdatasync(int file) {
    return sync_file(file, REAL(fdatasync));
}

/* ---- the time of day ---- */

int clock_gettime(clockid_t clock, struct timespec *out) {
    if (!getenv("CRASH_TIME") || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE))
        return REAL(clock_gettime)(clock, out);
    *out = (struct timespec){.tv_sec = number("CRASH_TIME")};
    return 0;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    if (!getenv("CRASH_TIME")) return REAL(gettimeofday)(out, zone);
    *out = (struct timeval){.tv_sec = number("CRASH_TIME")};
    return 0;
}

time_t time(time_t *out) {
    const time_t now = getenv("CRASH_TIME") ? number("CRASH_TIME") : REAL(time)(NULL);
    if (out) *out = now;
    return now;
}
