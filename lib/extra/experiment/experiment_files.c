/* SPDX-License-Identifier: Apache-2.0 */
/* Paths and locks of an experiment's folder.
 *
 * A lock is flock() on a file that stays: the kernel drops it when the process ends, however that
 * happens, and no file that is removed and made again can be locked twice. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "extra/experiment/experiment_run.h"

enum { OPEN_FOLDERS = 16, WAIT_NS = 20000000 };

alcore_status alcore__experiment_path(alcore_ctx *ctx, alcore__buffer *out, const char *format,
                                      ...) {
    char text[ALCORE__PATH_BYTES];
    va_list args;
    va_start(args, format);
    const int length = alcore__format_v(text, sizeof text, format, args);
    va_end(args);
    out->length = 0;
    if (length < 0 || (size_t)length >= sizeof text)
        return alcore__fail(ALCORE_E_IO, "a path of the experiment is longer than %d bytes",
                            ALCORE__PATH_BYTES);
    return alcore__buffer_append(ctx, out, text, (size_t)length);
}

alcore_status alcore__experiment_absolute(const alcore__experiment *self, const char *path,
                                          alcore__buffer *out) {
    if (*path == '/') return alcore__experiment_path(self->ctx, out, "%s", path);
    return alcore__experiment_path(self->ctx, out, "%s/%s", self->base.data, path);
}

bool alcore__experiment_exists(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

alcore_status alcore__experiment_make_folders(alcore_ctx *ctx, const char *path) {
    alcore__buffer part = {0};
    alcore_status status = alcore__buffer_append(ctx, &part, path, strlen(path));
    for (char *slash = part.data; status == ALCORE_OK && slash;) {
        slash = strchr(slash + 1, '/');
        if (slash) *slash = '\0';
        status = alcore__make_folder(ctx, part.data);
        if (slash) *slash = '/';
    }
    alcore__buffer_clear(ctx, &part);
    return status;
}

alcore_status alcore__experiment_read_text(alcore_ctx *ctx, const char *path, size_t most,
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

alcore_status alcore__experiment_lock(alcore_ctx *ctx, const char *path, bool wait, int *out) {
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

/* Brings the names in the folder of a path to the disk. */
static alcore_status sync_folder(alcore_ctx *ctx, const char *path) {
    alcore__buffer folder = {0};
    const char *slash = strrchr(path, '/');
    ALCORE__TRY(alcore__buffer_append(ctx, &folder, path, (size_t)(slash - path)));
    const int file = open(folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int error = file < 0 || fsync(file) != 0 ? errno : 0;
    if (file >= 0) close(file);
    alcore__buffer_clear(ctx, &folder);
    return error ? alcore__fail_system(error, "write", path) : ALCORE_OK;
}

alcore_status alcore__experiment_appear(alcore_ctx *ctx, const char *temporary, const char *path) {
    const int error = nftw(temporary, sync_entry, OPEN_FOLDERS, FTW_PHYS | FTW_DEPTH);
    if (error) return alcore__fail_system(error > 0 ? error : errno, "write", temporary);
    if (rename(temporary, path) != 0) return alcore__fail_system(errno, "make", path);
    return sync_folder(ctx, path);
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

void alcore__experiment_remove(const char *path) {
    nftw(path, remove_entry, OPEN_FOLDERS, FTW_PHYS | FTW_DEPTH);
}

/* For nftw(): removes a model that is not whole, and leftovers of files of a folder. A folder comes
 * after what is in it: musl tells of one before it opens it, and where it is gone ends the walk. */
static _Thread_local alcore_ctx *cleaning;

static int clean_entry(const char *path, const struct stat *info, int kind, struct FTW *place) {
    char folder[ALCORE__PATH_BYTES];
    (void)info;
    if (strncmp(path + place->base, "model.part-", 11) == 0) alcore__experiment_remove(path);
    if (kind == FTW_DP && strlen(path) + 2 <= sizeof folder) {
        alcore__format(folder, sizeof folder, "%s/", path);
        alcore__remove_leftovers(cleaning, folder);
    }
    return 0;
}

void alcore__experiment_clean(alcore_ctx *ctx, const char *folder) {
    cleaning = ctx;
    nftw(folder, clean_entry, OPEN_FOLDERS, FTW_PHYS | FTW_DEPTH);
}
