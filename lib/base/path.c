/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders of the file system as a whole (path.h). */
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { OPEN_FOLDERS = 16, WAIT_NS = 20000000 };

bool alcore__path_exists(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

/* Takes the lock. Other processes are asked for it again and again, so that a
 * cancellation ends the wait. */
static alcore_status take(alcore_ctx *ctx, int file, bool wait, bool *taken) {
    const struct timespec pause = {0, WAIT_NS};
    while (flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return alcore__fail(ALCORE_E_IO, "cannot lock: %s",
                                strerror_l(errno, alcore__c_locale()));
        if (!wait) return ALCORE_OK;
        ALCORE__TRY(alcore__tick(ctx, "waiting for another process", 0, -1));
        nanosleep(&pause, NULL);
    }
    *taken = true;
    return ALCORE_OK;
}

alcore_status alcore__path_lock(alcore_ctx *ctx, const char *path, bool wait, int *out) {
    bool taken = false;
    *out = -1;
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return alcore__fail_system(errno, "open", path);
    alcore_status status = take(ctx, file, wait, &taken);
    if (status == ALCORE_E_IO) alcore__fail_within(status, "%s", path);
    if (taken)
        *out = file;
    else
        close(file);
    return status;
}

/* For nftw(): brings a file or a folder to the disk. */
static int sync_entry(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)place;
    if (kind == FTW_SL || !(S_ISREG(info->st_mode) || S_ISDIR(info->st_mode))) return 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno;
    const int error = fsync(file) == 0 ? 0 : errno;
    close(file);
    return error;
}

alcore_status alcore__path_sync_name(alcore_ctx *ctx, const char *path) {
    alcore__buffer folder = {0};
    const char *slash = strrchr(path, '/');
    ALCORE__TRY(alcore__buffer_append(ctx, &folder, path, (size_t)(slash - path)));
    const int file = open(folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int error = file < 0 || fsync(file) != 0 ? errno : 0;
    if (file >= 0) close(file);
    alcore__buffer_clear(ctx, &folder);
    return error ? alcore__fail_system(error, "write", path) : ALCORE_OK;
}

alcore_status alcore__path_appear(alcore_ctx *ctx, const char *temporary, const char *path) {
    const int error = nftw(temporary, sync_entry, OPEN_FOLDERS, FTW_PHYS | FTW_DEPTH);
    if (error) return alcore__fail_system(error > 0 ? error : errno, "write", temporary);
    if (rename(temporary, path) != 0) return alcore__fail_system(errno, "make", path);
    return alcore__path_sync_name(ctx, path);
}

static _Thread_local int64_t removed; /* bytes: nftw() hands no pointer through */

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)kind;
    (void)place;
    if (remove(path) == 0 && S_ISREG(info->st_mode)) removed += info->st_size;
    return 0;
}

int64_t alcore__path_remove(const char *path) {
    removed = 0;
    nftw(path, remove_entry, OPEN_FOLDERS, FTW_PHYS | FTW_DEPTH);
    return removed;
}

alcore_status alcore__read_text(alcore_ctx *ctx, const char *path, size_t most,
                                alcore__buffer *out) {
    enum { BLOCK = 65536 };
    alcore__file *file;
    size_t got = BLOCK;
    out->length = 0;
    ALCORE__TRY(alcore__file_open(ctx, path, &file));
    alcore_status status = ALCORE_OK;
    while (status == ALCORE_OK && got == BLOCK) {
        status = alcore__buffer_reserve(ctx, out, BLOCK);
        if (status == ALCORE_OK)
            status =
                alcore__file_read(file, (int64_t)out->length, out->data + out->length, BLOCK, &got);
        if (status == ALCORE_OK) out->length += got;
        if (status == ALCORE_OK && out->length > most)
            status = alcore__fail(ALCORE_E_DATA, "%s: more than %zu bytes", path, most);
    }
    if (status == ALCORE_OK) out->data[out->length] = '\0';
    alcore__file_close(file);
    return status;
}
