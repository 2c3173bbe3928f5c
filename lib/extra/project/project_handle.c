/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of a project: making a folder into one, opening one, begin and end of calls. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alcore/version.h"
#include "extra/project/project_internal.h"

/* The destructor of the handle, also of one whose making failed. */
static void release(void *object) {
    alcore_project *project = object;
    alcore_ctx *ctx = project->object.ctx;
    alcore__store_close(&project->store);
    alcore__buffer_clear(ctx, &project->view);
    alcore__buffer_clear(ctx, &project->messages);
    alcore__free(ctx, project->folder);
}

static alcore_status new_project(alcore_ctx *ctx, const char *folder, alcore_project **out) {
    alcore_project *project;
    ALCORE__TRY(alcore__object_new(ctx, sizeof *project, release, &project));
    project->folder = alcore__strndup(ctx, folder, strlen(folder));
    if (!project->folder) {
        alcore__object_unref(project);
        return alcore__fail_memory(strlen(folder) + 1);
    }
    *out = project;
    return ALCORE_OK;
}

/* Opens FOLDER/project.sqlite. */
static alcore_status open_store(alcore_project *project, bool create) {
    alcore__buffer path = {0};
    alcore_ctx *ctx = project->object.ctx;
    alcore_status status = alcore__buffer_format(ctx, &path, "%s/project.sqlite", project->folder);
    if (status == ALCORE_OK) status = alcore__store_open(ctx, path.data, create, &project->store);
    alcore__buffer_clear(ctx, &path);
    return status;
}

/* ---- making one ---- */

/* Whether a name may be in a folder that becomes a project: what is left where a process was killed
 * while it made one. */
static bool is_ours(const char *name) {
    static const char *const names[] = {".", "..", "blobs", "project.sqlite",
                                        "project.sqlite-journal"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* Makes the folder and what is in it, or finds it empty. */
static alcore_status make_folders(const char *folder, const char *blobs) {
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return alcore__fail_system(errno, "make the folder", folder);
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
    if (status == ALCORE_OK && mkdir(blobs, 0777) != 0 && errno != EEXIST)
        status = alcore__fail_system(errno, "make the folder", blobs);
    return status;
}

/* Brings the name of a folder to the disk by syncing the folder that it is in. */
static alcore_status sync_parent(const char *folder) {
    char above[4096];
    alcore__format(above, sizeof above, "%s/..", folder);
    const int file = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return ALCORE_OK; /* it may be searched, not read */
    const bool failed = fsync(file) != 0 && errno == EIO;
    close(file);
    return failed ? alcore__fail_system(EIO, "sync the folder above", folder) : ALCORE_OK;
}

/* The tables, and the first line of the log. */
static alcore_status make_tables(alcore_project *project) {
    alcore__json_out arguments = {.ctx = project->object.ctx}, result = arguments;
    ALCORE__TRY(alcore__store_begin(&project->store));
    alcore_status status = alcore__store_make_tables(&project->store);
    alcore__json_open(&arguments, NULL, '{');
    alcore__json_put_string(&arguments, "version", alcore_version());
    alcore__json_close(&arguments, '}');
    if (status == ALCORE_OK) status = alcore__project_log(project, "init", &arguments, &result);
    alcore__buffer_clear(project->object.ctx, &arguments.text);
    alcore__buffer_clear(project->object.ctx, &result.text);
    return alcore__store_end(&project->store, status);
}

static alcore_status init(alcore_ctx *ctx, const char *folder, alcore_project **out) {
    alcore_project *project;
    alcore__buffer blobs = {0};
    ALCORE__TRY(new_project(ctx, folder, &project));
    alcore_status status = alcore__buffer_format(ctx, &blobs, "%s/blobs", folder);
    if (status == ALCORE_OK) status = make_folders(folder, blobs.data);
    if (status == ALCORE_OK) status = sync_parent(folder);
    if (status == ALCORE_OK) status = sync_parent(blobs.data);
    if (status == ALCORE_OK) status = open_store(project, true);
    if (status == ALCORE_OK) status = make_tables(project);
    alcore__buffer_clear(ctx, &blobs);
    return alcore__object_made(status, project, out);
}

alcore_status alcore_project_init(alcore_ctx *ctx, const char *folder, alcore_project **out) {
    if (out) *out = NULL;
    if (!ctx || !folder || !*folder || !out)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_project_init: ctx, a folder and out are needed");
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, init(ctx, folder, out));
}

/* ---- opening one ---- */

static alcore_status open_project(alcore_ctx *ctx, const char *folder, alcore_project **out) {
    alcore_project *project;
    ALCORE__TRY(new_project(ctx, folder, &project));
    return alcore__object_made(open_store(project, false), project, out);
}

alcore_status alcore_project_open(alcore_ctx *ctx, const char *folder, alcore_project **out) {
    if (out) *out = NULL;
    if (!ctx || !folder || !*folder || !out)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_project_open: ctx, a folder and out are needed");
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, open_project(ctx, folder, out));
}

alcore_project *alcore_project_ref(alcore_project *project) {
    return alcore__object_ref(project);
}

void alcore_project_unref(alcore_project *project) {
    alcore__object_unref(project);
}

/* ---- calls ---- */

alcore_status alcore__project_enter(alcore_project *project, const char *call,
                                    alcore__project_call kind) {
    if (!project) return alcore__fail(ALCORE_E_INVALID, "%s: a project is needed", call);
    alcore_ctx *ctx = project->object.ctx;
    ALCORE__TRY(kind == CALL_LONG ? alcore__enter_long(ctx) : alcore__enter(ctx));
    const alcore_status status = alcore__write_begin(project, "project");
    if (status != ALCORE_OK) return alcore__leave(ctx, status);
    alcore__store_poll(&project->store, kind != CALL_SHORT);
    return ALCORE_OK;
}

alcore_status alcore__project_leave(alcore_project *project, alcore_status status) {
    alcore__write_end(project);
    return alcore__leave(project->object.ctx, status);
}
