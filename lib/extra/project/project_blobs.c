/* SPDX-License-Identifier: Apache-2.0 */
/* Files in blobs/. A blob is written under a temporary name, synced, named by what is in it, and
 * its folder is synced, before project.sqlite names it: a name there always leads to the bytes. The
 * same bytes twice are one blob. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "extra/project/project_internal.h"

enum { DIGEST_DIGITS = ALCORE__HASH_TEXT_BYTES - 1, SUFFIX_BYTES = 12 };

/* ---- names ---- */

/* Letters that a suffix keeps; the name of a blob is used as a path. */
static size_t suffix_span(const char *text) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const size_t span = strspn(text, letters);
    return span > 0 && span < SUFFIX_BYTES ? span : 0;
}

/* The end of a path by which its format is known, ".tsv.gz"; "": it has none that can be kept. */
static const char *kept_suffix(const char *path) {
    static const char *const compressed[] = {".gz", ".xz", ".zst"};
    const char *const slash = strrchr(path, '/');
    const char *const last = strrchr(slash ? slash : path, '.');
    if (!last || !suffix_span(last + 1) || last[1 + suffix_span(last + 1)]) return "";
    for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++)
        if (strcmp(last, compressed[i]) == 0)
            for (const char *at = last; at > path && at[-1] != '/';)
                if (*--at == '.') return suffix_span(at + 1) ? at : last;
    return last;
}

/* Whether a text is HASH or HASH.SUFFIX or HASH.SUFFIX.SUFFIX, and nothing that leaves blobs/. */
static bool is_blob_name(const char *name) {
    if (strspn(name, "0123456789abcdef") != DIGEST_DIGITS) return false;
    const char *rest = name + DIGEST_DIGITS;
    for (int suffixes = 0; suffixes < 2 && *rest == '.' && suffix_span(rest + 1); suffixes++)
        rest += 1 + suffix_span(rest + 1);
    return !*rest;
}

alcore_status alcore__project_blob_path(alcore_project *project, const char *name,
                                        alcore__buffer *out) {
    if (!is_blob_name(name))
        return alcore__store_damaged(&project->store, "'%.80s' is no name of a file in blobs/",
                                     name);
    return alcore__buffer_format(project->object.ctx, out, "%s/blobs/%s", project->folder, name);
}

/* ---- writing ---- */

/* Copies an open file to the writer and names the writer's file by what was in it. */
static alcore_status copy(alcore_project *project, alcore__file *file, const char *path,
                          alcore__writer *writer, char name[BLOB_NAME_BYTES], int64_t *bytes) {
    alcore__buffer target = {0};
    char digits[ALCORE__HASH_TEXT_BYTES];
    alcore_status status = alcore__file_digest(project->object.ctx, file, writer, digits, bytes);
    alcore__format(name, BLOB_NAME_BYTES, "%s%s", digits, kept_suffix(path));
    if (status == ALCORE_OK) status = alcore__project_blob_path(project, name, &target);
    if (status == ALCORE_OK) status = alcore__writer_name(writer, target.data);
    alcore__buffer_clear(project->object.ctx, &target);
    return status;
}

alcore_status alcore__project_blob_copy(alcore_project *project, const char *path,
                                        char name[BLOB_NAME_BYTES], int64_t *bytes) {
    alcore__buffer target = {0};
    alcore__file *file;
    alcore__writer *writer = NULL;
    alcore_ctx *ctx = project->object.ctx;
    ALCORE__TRY(alcore__file_open(ctx, path, &file));
    alcore_status status = alcore__buffer_format(ctx, &target, "%s/blobs/new", project->folder);
    if (status == ALCORE_OK) status = alcore__writer_open(ctx, target.data, &writer);
    if (status == ALCORE_OK) status = copy(project, file, path, writer, name, bytes);
    if (status == ALCORE_OK)
        status = alcore__writer_commit(writer);
    else
        alcore__writer_abort(writer);
    alcore__file_close(file);
    alcore__buffer_clear(ctx, &target);
    return status;
}

alcore_status alcore__project_blob_verify(alcore_project *project, const char *name,
                                          int64_t length) {
    alcore_ctx *ctx = project->object.ctx;
    alcore__buffer path = {0};
    char digest[ALCORE__HASH_TEXT_BYTES];
    int64_t bytes = 0;
    alcore_status status = alcore__project_blob_path(project, name, &path);
    if (status == ALCORE_OK && access(path.data, F_OK) != 0 && errno == ENOENT)
        status = alcore__fail(ALCORE_E_DATA, "'%s' is missing", path.data);
    if (status == ALCORE_OK) status = alcore__path_digest(ctx, path.data, digest, &bytes);
    if (status == ALCORE_OK && (bytes != length || strncmp(digest, name, strlen(digest)) != 0))
        status =
            alcore__fail(ALCORE_E_DATA, "'%s' is damaged: it is not what was written", path.data);
    alcore__buffer_clear(ctx, &path);
    return status;
}
