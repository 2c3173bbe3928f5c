/* SPDX-License-Identifier: Apache-2.0 */
/* Models in PROJECT/models that the log names, with their digests: comparing them, putting one back
 * that a killed training had moved away, and removing what such trainings left.
 *
 * A training moves the earlier model of its round to round-N.old, gives the new one its name and
 * commits. Where it was killed before the commit the log still names the bytes of round-N.old. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "extra/project/project_work.h"

/* What a training came to; one that made no model there has none. */
#define RESULT(member) "CASE WHEN json_valid(result) THEN json_extract(result, '$." member "') END"

/* Whether a text is round-N and then the suffix. */
static bool is_model_name(const char *name, const char *suffix) {
    static const char begin[] = "round-";
    if (strncmp(name, begin, sizeof begin - 1) != 0) return false;
    const char *const digits = name + sizeof begin - 1;
    const size_t count = strspn(digits, "0123456789");
    return count > 0 && strcmp(digits + count, suffix) == 0;
}

/* Whether something is there that has the digest. */
static alcore_status has_digest(alcore_ctx *ctx, const char *path, const char *wanted, bool *out) {
    char digest[ALCORE__HASH_TEXT_BYTES];
    *out = false;
    if (!alcore__path_exists(path)) return ALCORE_OK;
    ALCORE__TRY(alcore__project_model_digest(ctx, path, digest));
    *out = strcmp(digest, wanted) == 0;
    return ALCORE_OK;
}

/* ---- mending ---- */

/* The digest that the log has last of the model of a path; "": none. */
static alcore_status find_digest(alcore_project *project, const char *path,
                                 char digest[ALCORE__HASH_TEXT_BYTES]) {
    sqlite3_stmt *rows;
    bool row;
    digest[0] = '\0';
    ALCORE__TRY(alcore__store_prepare(
        &project->store, &rows,
        "SELECT " RESULT("digest") " FROM steps WHERE what = 'train' AND " RESULT(
            "made") " = ? ORDER BY step DESC LIMIT 1",
        "t", strrchr(path, '/') + 1));
    const alcore_status status = alcore__store_step(&project->store, rows, &row);
    if (status == ALCORE_OK && row)
        alcore__format(digest, ALCORE__HASH_TEXT_BYTES, "%s", alcore__store_text(rows, 0));
    sqlite3_finalize(rows);
    return status;
}

static alcore_status put_back(const char *old, const char *path, int64_t *bytes) {
    *bytes += alcore__path_remove(path);
    return rename(old, path) == 0 ? ALCORE_OK : alcore__fail_system(errno, "put back", path);
}

static alcore_status mend(alcore_project *project, const char *old, const char *path,
                          int64_t *bytes) {
    char digest[ALCORE__HASH_TEXT_BYTES];
    bool is_new, is_old;
    if (!alcore__path_exists(old)) return ALCORE_OK;
    if (!alcore__path_exists(path)) return put_back(old, path, bytes);
    ALCORE__TRY(find_digest(project, path, digest));
    ALCORE__TRY(has_digest(project->object.ctx, path, digest, &is_new));
    if (is_new || !digest[0]) {
        *bytes += alcore__path_remove(old);
        return ALCORE_OK;
    }
    ALCORE__TRY(has_digest(project->object.ctx, old, digest, &is_old));
    return is_old ? put_back(old, path, bytes) : ALCORE_OK; /* both are damaged: for verify */
}

alcore_status alcore__project_model_mend(alcore_project *project, const char *path,
                                         int64_t *bytes) {
    alcore__buffer old = {0};
    alcore_ctx *const ctx = project->object.ctx;
    alcore_status status = alcore__project_model_beside(ctx, path, ".old", &old);
    if (status == ALCORE_OK) status = mend(project, old.data, path, bytes);
    alcore__buffer_clear(ctx, &old);
    return status;
}

/* ---- comparing ---- */

static alcore_status verify_model(alcore_project *project, const char *name, const char *digest) {
    alcore__buffer path = {0}, old = {0};
    alcore_ctx *const ctx = project->object.ctx;
    bool kept = false;
    if (!is_model_name(name, ""))
        return alcore__store_damaged(&project->store, "'%.80s' is no name of a model", name);
    alcore_status status = alcore__buffer_format(ctx, &path, "%s/models/%s", project->folder, name);
    if (status == ALCORE_OK) status = alcore__project_model_beside(ctx, path.data, ".old", &old);
    if (status == ALCORE_OK) status = has_digest(ctx, path.data, digest, &kept);
    if (status == ALCORE_OK && !kept) status = has_digest(ctx, old.data, digest, &kept);
    if (status == ALCORE_OK && !kept)
        status =
            alcore__path_exists(path.data)
                ? alcore__fail(ALCORE_E_DATA, "'%s' is damaged: it is not what was made", path.data)
                : alcore__fail(ALCORE_E_DATA, "'%s' is missing", path.data);
    alcore__buffer_clear(ctx, &path);
    alcore__buffer_clear(ctx, &old);
    return status;
}

alcore_status alcore__project_models_verify(alcore_project *project) {
    sqlite3_stmt *rows;
    bool row;
    alcore_status status;
    /* Beside max() the columns are those of its row. */
    ALCORE__TRY(alcore__store_prepare(
        &project->store, &rows,
        "SELECT made, digest, max(step) FROM (SELECT step, " RESULT("made") " AS made, " RESULT(
            "digest") " AS digest FROM steps WHERE what = 'train') WHERE made IS NOT NULL "
                      "GROUP BY made",
        ""));
    while ((status = alcore__store_step(&project->store, rows, &row)) == ALCORE_OK && row)
        if ((status = verify_model(project, alcore__store_text(rows, 0),
                                   alcore__store_text(rows, 1))) != ALCORE_OK)
            break;
    sqlite3_finalize(rows);
    return status;
}

/* ---- removing ---- */

/* Removes one entry of a folder if a killed training left it. */
static alcore_status collect(alcore_project *project, const char *folder, const char *name,
                             int64_t *bytes) {
    alcore__buffer path = {0};
    alcore_ctx *const ctx = project->object.ctx;
    const bool is_part = is_model_name(name, ".part");
    if (!is_part && !is_model_name(name, ".old")) return ALCORE_OK;
    alcore_status status = alcore__buffer_format(ctx, &path, "%s/%s", folder, name);
    if (status == ALCORE_OK && is_part) {
        *bytes += alcore__path_remove(path.data);
        if (alcore__path_exists(path.data))
            status = alcore__fail(ALCORE_E_IO, "cannot remove '%s'", path.data);
    } else if (status == ALCORE_OK) {
        *strrchr(path.data, '.') = '\0';
        status = alcore__project_model_mend(project, path.data, bytes);
    }
    alcore__buffer_clear(ctx, &path);
    return status;
}

static alcore_status collect_all(alcore_project *project, DIR *listing, const char *folder,
                                 int64_t *bytes) {
    int lock;
    alcore_status status = alcore__project_work_lock(project, &lock);
    if (lock < 0) return status; /* what is there may be what a training makes */
    for (const struct dirent *entry; status == ALCORE_OK && (entry = readdir(listing));)
        status = collect(project, folder, entry->d_name, bytes);
    close(lock);
    return status;
}

alcore_status alcore__project_models_collect(alcore_project *project, int64_t *bytes) {
    alcore__buffer folder = {0};
    alcore_ctx *const ctx = project->object.ctx;
    alcore_status status = alcore__buffer_format(ctx, &folder, "%s/models", project->folder);
    DIR *const listing = status == ALCORE_OK ? opendir(folder.data) : NULL;
    if (status == ALCORE_OK && !listing && errno != ENOENT)
        status = alcore__fail_system(errno, "read the folder", folder.data);
    if (listing) {
        status = collect_all(project, listing, folder.data, bytes);
        closedir(listing);
    }
    alcore__buffer_clear(ctx, &folder);
    return status;
}
