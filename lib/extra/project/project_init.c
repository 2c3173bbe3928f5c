/* SPDX-License-Identifier: Apache-2.0 */
/* Making a project of a folder: all of it, or nothing.
 *
 * The tables, the settings and the first lines of the log are one transaction, and a failure
 * removes what was made for it. Of a process that was killed a project.sqlite without tables and an
 * empty blobs/ may be left, which are no project for anybody and which the next call takes over.
 *
 * Two processes may make the same project. The folder is locked by flock() meanwhile, so that the
 * one that fails does not remove what the other one has made. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alcore/version.h"
#include "extra/project/project_internal.h"

/* One call on its way. */
typedef struct making {
    alcore_project *project;
    int folder;        /* its descriptor, which has the lock; -1: it is not open */
    bool made_folder;  /* by this call */
    bool removes_rest; /* there is no project but for what this call makes */
} making;

/* ---- the folder ---- */

/* Whether a name may be in a folder that becomes a project: what is left where a process was killed
 * while it made one. */
static bool is_ours(const char *name) {
    static const char *const names[] = {".", "..", "blobs", "project.sqlite",
                                        "project.sqlite-journal"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static alcore_status check_empty(const char *folder) {
    DIR *listing = opendir(folder);
    if (!listing) return alcore__fail_system(errno, "read the folder", folder);
    const struct dirent *entry;
    while ((entry = readdir(listing)) && is_ours(entry->d_name)) {
    }
    alcore_status status = ALCORE_OK;
    if (entry)
        status = alcore__fail(ALCORE_E_IO,
                              "the folder '%s' is not empty: '%s' is in it; a project is made in "
                              "an empty one",
                              folder, entry->d_name);
    closedir(listing);
    return status;
}

static alcore_status fail_busy(const char *folder) {
    return alcore__fail(ALCORE_E_BUSY, "'%s': another process makes a project there", folder);
}

/* Opens the folder and locks it. Another process that fails may remove it before. The one that made
 * the folder waits for the lock, as nobody else would remove it. Where the file system has no such
 * lock two processes are not kept apart. */
static alcore_status lock_folder(making *self, const char *folder) {
    struct stat info;
    self->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (self->folder < 0)
        return errno == ENOENT ? fail_busy(folder)
                               : alcore__fail_system(errno, "read the folder", folder);
    while (flock(self->folder, self->made_folder ? LOCK_EX : LOCK_EX | LOCK_NB) != 0)
        if (errno == EWOULDBLOCK)
            return fail_busy(folder);
        else if (errno != EINTR)
            break;
    return fstat(self->folder, &info) == 0 && info.st_nlink > 0 ? ALCORE_OK : fail_busy(folder);
}

/* Makes the folder, or finds it empty, and locks it. */
static alcore_status enter_folder(making *self) {
    const char *const folder = self->project->folder;
    self->made_folder = mkdir(folder, 0777) == 0;
    if (!self->made_folder && errno != EEXIST)
        return alcore__fail_system(errno, "make the folder", folder);
    ALCORE__TRY(lock_folder(self, folder));
    self->removes_rest = faccessat(self->folder, "project.sqlite", F_OK, 0) != 0;
    return check_empty(folder);
}

/* Makes blobs/, and brings the names of both folders to the disk: that of the folder by syncing the
 * one that it is in, which may be searched, not read. */
static alcore_status make_blobs(const making *self) {
    const char *const folder = self->project->folder;
    if (mkdirat(self->folder, "blobs", 0777) != 0 && errno != EEXIST)
        return alcore__fail_system(errno, "make the folder 'blobs' in", folder);
    const int above = openat(self->folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool failed = above >= 0 && fsync(above) != 0 && errno == EIO;
    if (above >= 0) close(above);
    failed |= fsync(self->folder) != 0 && errno == EIO;
    return failed ? alcore__fail_system(EIO, "sync the folder", folder) : ALCORE_OK;
}

/* Removes what this call has made. A folder that has anything else in it stays. */
static void remove_made(const making *self) {
    if (self->folder >= 0 && self->removes_rest) {
        (void)unlinkat(self->folder, "project.sqlite", 0);
        (void)unlinkat(self->folder, "project.sqlite-journal", 0);
        (void)unlinkat(self->folder, "blobs", AT_REMOVEDIR);
    }
    if (self->made_folder) (void)rmdir(self->project->folder);
}

/* ---- project.sqlite ---- */

/* The tables, the first line of the log and the settings. */
static alcore_status write_all(making *self, const alcore__project_given *given) {
    alcore_project *const project = self->project;
    alcore__json_out arguments = {.ctx = project->object.ctx}, result = arguments;
    ALCORE__TRY(alcore__store_check_blank(&project->store));
    self->removes_rest = true;
    ALCORE__TRY(make_blobs(self));
    alcore_status status = alcore__store_make_tables(&project->store);
    alcore__json_open(&arguments, NULL, '{');
    alcore__json_put_string(&arguments, "version", alcore_version());
    alcore__json_close(&arguments, '}');
    if (status == ALCORE_OK) status = alcore__project_log(project, "init", &arguments, &result);
    if (status == ALCORE_OK) status = alcore__project_set_all(project, given);
    alcore__buffer_clear(project->object.ctx, &arguments.text);
    alcore__buffer_clear(project->object.ctx, &result.text);
    return status;
}

static alcore_status make(making *self, const alcore__project_given *given) {
    alcore__store *const store = &self->project->store;
    ALCORE__TRY(enter_folder(self));
    ALCORE__TRY(alcore__project_open_store(self->project, true));
    ALCORE__TRY(alcore__store_begin(store));
    return alcore__store_end(store, write_all(self, given));
}

static alcore_status init(alcore_ctx *ctx, const char *folder, const alcore__project_given *given,
                          alcore_project **out) {
    making self = {.folder = -1};
    ALCORE__TRY(alcore__project_new(ctx, folder, &self.project));
    const alcore_status status = make(&self, given);
    if (status != ALCORE_OK) {
        alcore__store_close(&self.project->store);
        remove_made(&self);
    }
    if (self.folder >= 0) close(self.folder);
    return alcore__object_made(status, self.project, out);
}

alcore_status alcore_project_init(alcore_ctx *ctx, const char *folder, const char *const *names,
                                  const char *const *values, int64_t count, alcore_project **out) {
    const alcore__project_given given = {names, values, count};
    if (out) *out = NULL;
    if (!ctx || !folder || !*folder || !out)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_project_init: ctx, a folder and out are needed");
    ALCORE__TRY(alcore__project_given_check(&given, "alcore_project_init"));
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, init(ctx, folder, &given, out));
}
