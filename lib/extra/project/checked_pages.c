/* SPDX-License-Identifier: Apache-2.0 */
/* The virtual file system of checked_pages.h: a shim around the default one of the process, which
 * is looked up whenever a file is opened, as a host or a test may have replaced it. */
#include "extra/project/checked_pages.h"

#include <string.h>

#include "base/base.h"
#include "base/rng.h"

/* An open file: ours, which SQLite has allocated, and the one below it. */
typedef struct checked_file {
    sqlite3_file base;
    sqlite3_file *below; /* owned */
    int is_main;         /* 1: a main database, whose pages have digests */
} checked_file;

static sqlite3_vfs *below(void) {
    return sqlite3_vfs_find(NULL);
}

static sqlite3_file *file_below(sqlite3_file *file) {
    return ((checked_file *)file)->below;
}

/* Writes the digest of a page to out [PAGE_DIGEST_BYTES]. */
static void page_digest(const void *page, sqlite3_int64 offset, unsigned char *out) {
    const alcore__hash hash = alcore__hash128(page, PAGE_BYTES - PAGE_DIGEST_BYTES);
    const uint64_t number = alcore__scramble((uint64_t)(offset / PAGE_BYTES) + 1);
    const uint64_t halves[2] = {hash.low ^ number, hash.high};
    for (int i = 0; i < PAGE_DIGEST_BYTES; i++)
        out[i] = (unsigned char)(halves[i / 8] >> (8 * (i % 8)));
}

/* Whether what is read or written is a whole page of a main database. Anything else is the header
 * of the file, of which SQLite reads parts before it reads the page. */
static int is_page(const sqlite3_file *file, int bytes, sqlite3_int64 offset) {
    return ((const checked_file *)file)->is_main && bytes == PAGE_BYTES && offset % PAGE_BYTES == 0;
}

static int checked_close(sqlite3_file *file) {
    sqlite3_file *const real = file_below(file);
    const int code = real->pMethods ? real->pMethods->xClose(real) : SQLITE_OK;
    sqlite3_free(real);
    return code;
}

static int checked_read(sqlite3_file *file, void *data, int bytes, sqlite3_int64 offset) {
    sqlite3_file *const real = file_below(file);
    const int code = real->pMethods->xRead(real, data, bytes, offset);
    if (code != SQLITE_OK || !is_page(file, bytes, offset)) return code;
    unsigned char digest[PAGE_DIGEST_BYTES];
    page_digest(data, offset, digest);
    return memcmp((char *)data + PAGE_BYTES - PAGE_DIGEST_BYTES, digest, sizeof digest) == 0
               ? SQLITE_OK
               : SQLITE_IOERR_DATA;
}

/* SQLite's buffer is its page, of which the last bytes are ours to write. */
static int checked_write(sqlite3_file *file, const void *data, int bytes, sqlite3_int64 offset) {
    sqlite3_file *const real = file_below(file);
    if (is_page(file, bytes, offset))
        page_digest(data, offset, (unsigned char *)data + PAGE_BYTES - PAGE_DIGEST_BYTES);
    return real->pMethods->xWrite(real, data, bytes, offset);
}

/* The other functions of a file pass through. */
static int checked_truncate(sqlite3_file *file, sqlite3_int64 bytes) {
    sqlite3_file *const real = file_below(file);
    return real->pMethods->xTruncate(real, bytes);
}
static int checked_sync(sqlite3_file *file, int flags) {
    sqlite3_file *const real = file_below(file);
    return real->pMethods->xSync(real, flags);
}
static int checked_size(sqlite3_file *file, sqlite3_int64 *bytes) {
    sqlite3_file *const real = file_below(file);
    return real->pMethods->xFileSize(real, bytes);
}
static int checked_lock(sqlite3_file *file, int lock) {
    sqlite3_file *const real = file_below(file);
    return real->pMethods->xLock(real, lock);
}
static int checked_unlock(sqlite3_file *file, int lock) {
    sqlite3_file *const real = file_below(file);
    return real->pMethods->xUnlock(real, lock);
}
static int checked_reserved(sqlite3_file *file, int *out) {
    sqlite3_file *const real = file_below(file);
    return real->pMethods->xCheckReservedLock(real, out);
}
static int checked_control(sqlite3_file *file, int operation, void *argument) {
    sqlite3_file *const real = file_below(file);
    return real->pMethods->xFileControl(real, operation, argument);
}
static int checked_sector(sqlite3_file *file) {
    sqlite3_file *const real = file_below(file);
    return real->pMethods->xSectorSize(real);
}
static int checked_traits(sqlite3_file *file) {
    sqlite3_file *const real = file_below(file);
    return real->pMethods->xDeviceCharacteristics(real);
}

/* Version 1 has neither shared memory nor mapped pages, which would not pass through here. */
static const sqlite3_io_methods checked_methods = {
    .iVersion = 1,
    .xClose = checked_close,
    .xRead = checked_read,
    .xWrite = checked_write,
    .xTruncate = checked_truncate,
    .xSync = checked_sync,
    .xFileSize = checked_size,
    .xLock = checked_lock,
    .xUnlock = checked_unlock,
    .xCheckReservedLock = checked_reserved,
    .xFileControl = checked_control,
    .xSectorSize = checked_sector,
    .xDeviceCharacteristics = checked_traits,
};

static int checked_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                        int *out_flags) {
    (void)vfs;
    checked_file *const ours = (checked_file *)file;
    sqlite3_vfs *const real = below();
    file->pMethods = NULL;
    ours->below = sqlite3_malloc(real->szOsFile);
    if (!ours->below) return SQLITE_NOMEM;
    memset(ours->below, 0, (size_t)real->szOsFile);
    ours->is_main = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    const int code = real->xOpen(real, name, ours->below, flags, out_flags);
    if (code == SQLITE_OK)
        file->pMethods = &checked_methods;
    else
        checked_close(file);
    return code;
}

/* The other functions of the file system pass through. */
static int checked_delete(sqlite3_vfs *vfs, const char *name, int sync) {
    (void)vfs;
    return below()->xDelete(below(), name, sync);
}
static int checked_access(sqlite3_vfs *vfs, const char *name, int flags, int *out) {
    (void)vfs;
    return below()->xAccess(below(), name, flags, out);
}
static int checked_path(sqlite3_vfs *vfs, const char *name, int bytes, char *out) {
    (void)vfs;
    return below()->xFullPathname(below(), name, bytes, out);
}
static int checked_random(sqlite3_vfs *vfs, int bytes, char *out) {
    (void)vfs;
    return below()->xRandomness(below(), bytes, out);
}
static int checked_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return below()->xSleep(below(), microseconds);
}
static int checked_time(sqlite3_vfs *vfs, double *out) {
    (void)vfs;
    return below()->xCurrentTime(below(), out);
}
static int checked_error(sqlite3_vfs *vfs, int bytes, char *out) {
    (void)vfs;
    return below()->xGetLastError ? below()->xGetLastError(below(), bytes, out) : 0;
}

/* Registered for the process: SQLite has no other place for a file system. */
static sqlite3_vfs checked_pages = {
    .iVersion = 1,
    .szOsFile = sizeof(checked_file),
    .mxPathname = 4096,
    .zName = "alcore-checked-pages",
    .xOpen = checked_open,
    .xDelete = checked_delete,
    .xAccess = checked_access,
    .xFullPathname = checked_path,
    .xRandomness = checked_random,
    .xSleep = checked_sleep,
    .xCurrentTime = checked_time,
    .xGetLastError = checked_error,
};

const char *alcore__checked_pages_register(void) {
    if (sqlite3_initialize() != SQLITE_OK || !below()) return NULL;
    /* A second library of ours in the process registers the same functions under the same name. */
    if (!sqlite3_vfs_find(checked_pages.zName) &&
        sqlite3_vfs_register(&checked_pages, 0) != SQLITE_OK)
        return NULL;
    return checked_pages.zName;
}

/* SQLite would go on to read the name of a file system whose library was unloaded. */
__attribute__((destructor)) static void unregister(void) {
    sqlite3_vfs_unregister(&checked_pages);
}

/* The file of the main database. */
static sqlite3_file *main_file(sqlite3 *database) {
    sqlite3_file *file = NULL;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file && file->pMethods ? file : NULL;
}

int alcore__checked_pages_verify(sqlite3 *database, int64_t pages, int (*poll)(void *user),
                                 void *user, int64_t *page) {
    sqlite3_file *const file = main_file(database);
    sqlite3_int64 bytes = 0;
    char data[PAGE_BYTES];
    if (!file) return SQLITE_CANTOPEN;
    int code = file->pMethods->xFileSize(file, &bytes);
    const int64_t whole = bytes / PAGE_BYTES;
    for (int64_t i = 0; code == SQLITE_OK && i < whole; i++) {
        *page = i + 1;
        code = file->pMethods->xRead(file, data, PAGE_BYTES, i * PAGE_BYTES);
        if (code == SQLITE_OK && i % 256 == 0) code = poll(user);
    }
    if (code != SQLITE_OK || bytes == pages * PAGE_BYTES) return code;
    *page = (whole < pages ? whole : pages) + 1;
    return SQLITE_IOERR_DATA;
}

int alcore__checked_pages_peek(sqlite3 *database, void *data, int bytes) {
    sqlite3_file *const file = main_file(database);
    return file ? file->pMethods->xRead(file, data, bytes, 0) : SQLITE_CANTOPEN;
}
