/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing every byte of a project with what it was: each page of project.sqlite with its digest,
 * its structure by SQLite, the counts with what they count, and each blob with its name. And
 * removing files in blobs/ that nothing refers to. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "extra/project/checked_pages.h"
#include "extra/project/project_internal.h"

/* ---- project.sqlite ---- */

/* Polled between pages. */
static int poll_pages(void *user) {
    return alcore__tick(user, "comparing", 0, -1) == ALCORE_OK ? SQLITE_OK : SQLITE_INTERRUPT;
}

static alcore_status verify_pages(alcore_project *project) {
    alcore__store *const store = &project->store;
    int64_t pages, page = 0;
    ALCORE__TRY(alcore__store_integer(store, &pages, "PRAGMA page_count", ""));
    const int code = alcore__checked_pages_verify(store->database, pages, poll_pages,
                                                  project->object.ctx, &page);
    if (code == SQLITE_OK) return ALCORE_OK;
    if (code == SQLITE_INTERRUPT) return alcore__fail_cancelled();
    if (code == SQLITE_IOERR_DATA)
        return alcore__store_damaged(store, "page %lld is not what was written there",
                                     (long long)page);
    return alcore__fail(ALCORE_E_IO, "cannot read '%s': %s", store->path, sqlite3_errstr(code));
}

/* What SQLite finds wrong with its tables and indexes. */
static alcore_status verify_structure(alcore_project *project) {
    sqlite3_stmt *statement;
    bool row;
    ALCORE__TRY(
        alcore__store_prepare(&project->store, &statement, "PRAGMA integrity_check(1)", ""));
    alcore_status status = alcore__store_step(&project->store, statement, &row);
    if (status == ALCORE_OK && row && strcmp(alcore__store_text(statement, 0), "ok") != 0)
        status = alcore__store_damaged(&project->store, "%s", alcore__store_text(statement, 0));
    sqlite3_finalize(statement);
    return status;
}

/* Rounds of which a count is not what is there. */
static alcore_status verify_counts(alcore_project *project) {
    int64_t round;
    ALCORE__TRY(alcore__store_integer(
        &project->store, &round,
        "SELECT round FROM rounds LEFT JOIN counts USING (round) LEFT JOIN "
        "(SELECT round, count(*) AS n, count(*) FILTER (WHERE state = 1) AS yes, "
        "count(*) FILTER (WHERE state = 2) AS no, count(*) FILTER (WHERE ifnull(state, 0) = 0) "
        "AS unanswered, count(*) FILTER (WHERE disagreeing = 1) AS differing "
        "FROM items LEFT JOIN decisions USING (item) GROUP BY round) USING (round) "
        "WHERE items IS NOT n OR answered IS NOT yes OR without IS NOT no "
        "OR open IS NOT unanswered OR disagreeing IS NOT differing LIMIT 1",
        ""));
    if (round == 0) return ALCORE_OK;
    return alcore__store_damaged(&project->store, "the counts of round %lld are not those of it",
                                 (long long)round);
}

/* ---- blobs ---- */

static alcore_status verify_blobs(alcore_project *project) {
    sqlite3_stmt *rows;
    bool row;
    alcore_status status;
    ALCORE__TRY(alcore__store_prepare(
        &project->store, &rows,
        "SELECT blob, bytes FROM files UNION SELECT reference_blob, reference_bytes FROM files "
        "WHERE reference_blob IS NOT NULL",
        ""));
    while ((status = alcore__store_step(&project->store, rows, &row)) == ALCORE_OK && row)
        if ((status = alcore__project_blob_verify(project, alcore__store_text(rows, 0),
                                                  sqlite3_column_int64(rows, 1))) != ALCORE_OK)
            break;
    sqlite3_finalize(rows);
    return status;
}

static alcore_status verify(alcore_project *project) {
    ALCORE__TRY(verify_pages(project));
    ALCORE__TRY(verify_structure(project));
    ALCORE__TRY(verify_counts(project));
    return verify_blobs(project);
}

alcore_status alcore_project_verify(alcore_project *project) {
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_verify", false));
    alcore_status status = alcore__store_begin_reading(&project->store);
    if (status == ALCORE_OK) status = alcore__store_end(&project->store, verify(project));
    return alcore__project_leave(project, status);
}

/* ---- what nothing refers to ---- */

/* Removes one entry of blobs/ unless a file of the project is it. No other process is adding one:
 * it would have the lock that this call has. */
static alcore_status collect(alcore_project *project, int folder, const char *name,
                             int64_t *out_bytes) {
    struct stat info;
    int64_t uses;
    ALCORE__TRY(alcore__store_integer(
        &project->store, &uses, "SELECT count(*) FROM files WHERE blob = ?1 OR reference_blob = ?1",
        "t", name));
    if (uses > 0 || fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(info.st_mode))
        return ALCORE_OK;
    if (unlinkat(folder, name, 0) != 0)
        return alcore__fail(ALCORE_E_IO, "cannot remove '%s/blobs/%s': %s", project->folder, name,
                            strerror_l(errno, alcore__c_locale()));
    *out_bytes += info.st_size;
    return ALCORE_OK;
}

static alcore_status collect_all(alcore_project *project, int64_t *out_bytes) {
    alcore__buffer path = {0};
    alcore_ctx *ctx = project->object.ctx;
    alcore_status status = alcore__buffer_format(ctx, &path, "%s/blobs", project->folder);
    DIR *const listing = status == ALCORE_OK ? opendir(path.data) : NULL;
    if (status == ALCORE_OK && !listing && errno != ENOENT)
        status = alcore__fail_system(errno, "read the folder", path.data);
    for (const struct dirent *entry; status == ALCORE_OK && listing && (entry = readdir(listing));)
        status = collect(project, dirfd(listing), entry->d_name, out_bytes);
    if (listing) closedir(listing);
    alcore__buffer_clear(ctx, &path);
    return status;
}

alcore_status alcore_project_gc(alcore_project *project, int64_t *out_bytes) {
    int64_t bytes = 0;
    if (out_bytes) *out_bytes = 0;
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_gc", false));
    alcore_status status = alcore__store_begin(&project->store);
    if (status == ALCORE_OK)
        status = alcore__store_end(&project->store, collect_all(project, &bytes));
    if (out_bytes) *out_bytes = bytes;
    return alcore__project_leave(project, status);
}
