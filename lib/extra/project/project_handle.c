/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of a project: opening one, begin and end of calls. */
#include <string.h>

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

alcore_status alcore__project_new(alcore_ctx *ctx, const char *folder, alcore_project **out) {
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

alcore_status alcore__project_open_store(alcore_project *project, bool create) {
    alcore__buffer path = {0};
    alcore_ctx *ctx = project->object.ctx;
    alcore_status status = alcore__buffer_format(ctx, &path, "%s/project.sqlite", project->folder);
    if (status == ALCORE_OK) status = alcore__store_open(ctx, path.data, create, &project->store);
    alcore__buffer_clear(ctx, &path);
    return status;
}

/* ---- opening one ---- */

static alcore_status open_project(alcore_ctx *ctx, const char *folder, alcore_project **out) {
    alcore_project *project;
    ALCORE__TRY(alcore__project_new(ctx, folder, &project));
    return alcore__object_made(alcore__project_open_store(project, false), project, out);
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
