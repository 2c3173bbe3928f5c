/* SPDX-License-Identifier: Apache-2.0 */
/* Models that trainings made: PROJECT/models/round-N, a file or a folder. One is made as
 * round-N.part; an earlier one of the round is round-N.old until the log has the new one. Only who
 * holds the lock of trainings changes anything here. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "extra/project/project_work.h"

alcore_status alcore__project_model_path(const alcore_project *project, int64_t round,
                                         alcore__buffer *out) {
    return alcore__buffer_format(project->object.ctx, out, "%s/models/round-%lld", project->folder,
                                 (long long)round);
}

alcore_status alcore__project_model_beside(alcore_ctx *ctx, const char *path, const char *suffix,
                                           alcore__buffer *out) {
    out->length = 0;
    return alcore__buffer_format(ctx, out, "%s%s", path, suffix);
}

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

/* ---- the digest ---- */

static int by_name(const struct dirent **one, const struct dirent **other) {
    return strcmp((*one)->d_name, (*other)->d_name);
}

static int is_entry(const struct dirent *entry) {
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static alcore_status list_path(alcore_ctx *ctx, const char *path, const char *name,
                               alcore__buffer *lines);

/* Lists what is in a folder; name: of the folder, in the lines. */
static alcore_status list_folder(alcore_ctx *ctx, const char *path, const char *name,
                                 alcore__buffer *lines) {
    struct dirent **entries = NULL;
    alcore__buffer inner = {0}, inner_name = {0};
    const int count = scandir(path, &entries, is_entry, by_name);
    alcore_status status =
        count < 0 ? alcore__fail_system(errno, "read the folder", path) : ALCORE_OK;
    for (int i = 0; i < count; i++) {
        inner.length = inner_name.length = 0;
        if (status == ALCORE_OK)
            status = alcore__buffer_format(ctx, &inner, "%s/%s", path, entries[i]->d_name);
        if (status == ALCORE_OK)
            status = alcore__buffer_format(ctx, &inner_name, "%s/%s", name, entries[i]->d_name);
        if (status == ALCORE_OK) status = list_path(ctx, inner.data, inner_name.data, lines);
        free(entries[i]);
    }
    free(entries);
    alcore__buffer_clear(ctx, &inner);
    alcore__buffer_clear(ctx, &inner_name);
    return status;
}

/* Adds a line "DIGEST NAME" for a file, or for each file of a folder. */
static alcore_status list_path(alcore_ctx *ctx, const char *path, const char *name,
                               alcore__buffer *lines) {
    struct stat info;
    char digest[ALCORE__HASH_TEXT_BYTES];
    int64_t bytes;
    if (stat(path, &info) != 0) return alcore__fail_system(errno, "read", path);
    if (S_ISDIR(info.st_mode)) return list_folder(ctx, path, name, lines);
    ALCORE__TRY(alcore__path_digest(ctx, path, digest, &bytes));
    return alcore__buffer_format(ctx, lines, "%s %s\n", digest, name);
}

alcore_status alcore__project_model_digest(alcore_ctx *ctx, const char *path,
                                           char digest[ALCORE__HASH_TEXT_BYTES]) {
    alcore__buffer lines = {0};
    const alcore_status status = list_path(ctx, path, "", &lines);
    alcore__hash_print(alcore__hash128(lines.data ? lines.data : "", lines.length), digest);
    alcore__buffer_clear(ctx, &lines);
    return status;
}
