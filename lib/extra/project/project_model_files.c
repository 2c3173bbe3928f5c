/* SPDX-License-Identifier: Apache-2.0 */
/* What models of a project are called, and the digest of one: that of a file, or of a list of the
 * files of a folder. */
#include <dirent.h>
#include <errno.h>
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
