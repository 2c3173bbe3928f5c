/* SPDX-License-Identifier: Apache-2.0 */
/* Models that trainings made: PROJECT/models/round-N, a file or a folder. One is made as
 * round-N.part; an earlier one of the round is round-N.old until the log has the new one. Only who
 * holds the lock of trainings changes anything here. */
#include <errno.h>
#include <stdio.h>

#include "extra/project/project_work.h"

static alcore_status make_folder(alcore_project *project) {
    alcore__buffer folder = {0};
    alcore_ctx *ctx = project->object.ctx;
    alcore_status status = alcore__buffer_format(ctx, &folder, "%s/models", project->folder);
    if (status == ALCORE_OK) status = alcore__make_folder(ctx, folder.data);
    if (status == ALCORE_OK) status = alcore__path_sync_name(ctx, folder.data);
    alcore__buffer_clear(ctx, &folder);
    return status;
}

alcore_status alcore__project_model_prepare(alcore_project *project, const char *path,
                                            alcore__buffer *out) {
    int64_t bytes = 0;
    ALCORE__TRY(make_folder(project));
    ALCORE__TRY(alcore__project_model_mend(project, path, &bytes));
    ALCORE__TRY(alcore__project_model_beside(project->object.ctx, path, ".part", out));
    alcore__path_remove(out->data);
    return ALCORE_OK;
}

alcore_status alcore__project_model_replace(alcore_project *project, const char *made,
                                            const char *path) {
    alcore_ctx *ctx = project->object.ctx;
    alcore__buffer old = {0};
    alcore_status status = ALCORE_OK;
    if (alcore__path_exists(path)) {
        status = alcore__project_model_beside(ctx, path, ".old", &old);
        if (status == ALCORE_OK) alcore__path_remove(old.data);
        if (status == ALCORE_OK && rename(path, old.data) != 0)
            status = alcore__fail_system(errno, "replace", path);
        /* A loss of power may not keep the second rename alone. */
        if (status == ALCORE_OK) status = alcore__path_sync_name(ctx, path);
    }
    if (status == ALCORE_OK) status = alcore__path_appear(ctx, made, path);
    alcore__buffer_clear(ctx, &old);
    return status;
}
