/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing every byte of a project with what it was: each page of project.sqlite with its digest,
 * its structure by SQLite, what is derived with what it is derived from, each blob with its name,
 * and each model with its digest in the log. And removing files that nothing refers to. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "extra/project/checked_pages.h"
#include "extra/project/project_decisions.h"
#include "extra/project/project_work.h"

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

/* An annotator's answers to an item, on the way through all of them in their order. */
typedef struct own_answers {
    int64_t item, annotator, present, kept; /* kept: what `latest` has; 0: nothing */
    alcore__buffer status, time;            /* of the present one; owned */
    bool timed;
} own_answers;

/* Takes the next answer of the rows. */
static alcore_status take_answer(alcore_ctx *ctx, sqlite3_stmt *rows, own_answers *own) {
    const char *const status = alcore__store_text(rows, 3);
    const char *const time = alcore__store_text_or_null(rows, 4);
    if (own->present && !alcore__project_replaces(status, time, own->status.data,
                                                  own->timed ? own->time.data : NULL))
        return ALCORE_OK;
    own->present = sqlite3_column_int64(rows, 2);
    own->timed = time != NULL;
    own->status.length = own->time.length = 0;
    ALCORE__TRY(alcore__buffer_append(ctx, &own->status, status, strlen(status)));
    return time ? alcore__buffer_append(ctx, &own->time, time, strlen(time)) : ALCORE_OK;
}

static alcore_status check_latest(alcore_project *project, const own_answers *own) {
    if (own->present == own->kept) return ALCORE_OK;
    return alcore__store_damaged(&project->store,
                                 "the latest answer of an annotator to item %lld is another one",
                                 (long long)own->item);
}

/* Goes through all answers, those of an annotator to an item one after the other. */
static alcore_status compare_latest(alcore_project *project, sqlite3_stmt *rows, own_answers *own) {
    enum { POLL_ANSWERS = 1024 };
    bool row;
    int64_t done = 0;
    alcore_status status;
    while ((status = alcore__store_step(&project->store, rows, &row)) == ALCORE_OK && row) {
        const int64_t item = sqlite3_column_int64(rows, 0);
        const int64_t annotator = sqlite3_column_int64(rows, 1);
        if (item != own->item || annotator != own->annotator) {
            ALCORE__TRY(check_latest(project, own));
            own->item = item;
            own->annotator = annotator;
            own->present = 0;
            own->kept = sqlite3_column_int64(rows, 5);
        }
        ALCORE__TRY(take_answer(project->object.ctx, rows, own));
        if (done++ % POLL_ANSWERS == 0)
            ALCORE__TRY(alcore__tick(project->object.ctx, "comparing", done, -1));
    }
    ALCORE__TRY(status);
    return check_latest(project, own);
}

/* Latest answers that are not what importing the answers in their order makes of them. */
static alcore_status verify_latest(alcore_project *project) {
    alcore__store *const store = &project->store;
    own_answers own = {0};
    sqlite3_stmt *rows;
    int64_t item;
    ALCORE__TRY(alcore__store_integer(
        store, &item,
        "SELECT latest.item FROM latest LEFT JOIN answers USING (answer) WHERE "
        "answers.item IS NOT latest.item OR answers.annotator IS NOT latest.annotator LIMIT 1",
        ""));
    if (item)
        return alcore__store_damaged(store, "the latest answer to item %lld is none of it",
                                     (long long)item);
    ALCORE__TRY(alcore__store_prepare(
        store, &rows,
        "SELECT answers.item, answers.annotator, answers.answer, status, time, latest.answer "
        "FROM answers LEFT JOIN latest USING (item, annotator) "
        "ORDER BY answers.item, answers.annotator, answers.answer",
        ""));
    const alcore_status status = compare_latest(project, rows, &own);
    sqlite3_finalize(rows);
    alcore__buffer_clear(project->object.ctx, &own.status);
    alcore__buffer_clear(project->object.ctx, &own.time);
    return status;
}

static alcore_status verify_decisions(alcore_project *project) {
    alcore__project_settings settings;
    ALCORE__TRY(alcore__project_settings_read(project, &settings));
    const alcore_status status =
        alcore__project_decisions_verify(project, alcore__project_setting(&settings, "several"));
    alcore__project_settings_clear(project, &settings);
    return status;
}

/* Rounds of which a count is not what is there. The refunded cost is a sum, which another order of
 * adding rounds in another way. */
static alcore_status verify_counts(alcore_project *project) {
    int64_t round;
    ALCORE__TRY(alcore__store_integer(
        &project->store, &round,
        "SELECT round FROM rounds LEFT JOIN counts USING (round) LEFT JOIN "
        "(SELECT round, count(*) AS n, count(*) FILTER (WHERE " IS_ANSWERED ") AS yes, "
        "count(*) FILTER (WHERE " IS_WITHOUT ") AS no, count(*) FILTER (WHERE " IS_OPEN ") "
        "AS unanswered, count(*) FILTER (WHERE disagreeing = 1) AS differing, "
        "total(CASE WHEN " IS_WITHOUT " THEN cost END) AS back "
        "FROM items LEFT JOIN decisions USING (item) GROUP BY round) USING (round) LEFT JOIN "
        "(SELECT round, count(*) AS given FROM items JOIN answers USING (item) GROUP BY round) "
        "USING (round) WHERE items IS NOT n OR answered IS NOT yes OR without IS NOT no "
        "OR open IS NOT unanswered OR disagreeing IS NOT differing "
        "OR answers IS NOT ifnull(given, 0) OR cost IS NOT spent "
        "OR NOT ifnull(abs(refunded - back) <= 1e-9 * (1 + abs(back)), 0) LIMIT 1",
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
    ALCORE__TRY(verify_latest(project));
    ALCORE__TRY(verify_decisions(project));
    ALCORE__TRY(verify_counts(project));
    ALCORE__TRY(verify_blobs(project));
    return alcore__project_models_verify(project);
}

alcore_status alcore_project_verify(alcore_project *project) {
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_verify", CALL_SAVING));
    alcore_status status = alcore__store_begin_reading(&project->store);
    if (status == ALCORE_OK) status = alcore__store_end(&project->store, verify(project));
    return alcore__project_leave(project, status);
}

/* ---- what nothing refers to ---- */

/* Removes one entry of blobs/ unless a file of the project is it. No other process is adding one:
 * it would have the lock that this call has. */
static alcore_status collect_blob(alcore_project *project, int folder, const char *name,
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

static alcore_status collect_blobs(alcore_project *project, int64_t *out_bytes) {
    alcore__buffer path = {0};
    alcore_ctx *ctx = project->object.ctx;
    alcore_status status = alcore__buffer_format(ctx, &path, "%s/blobs", project->folder);
    DIR *const listing = status == ALCORE_OK ? opendir(path.data) : NULL;
    if (status == ALCORE_OK && !listing && errno != ENOENT)
        status = alcore__fail_system(errno, "read the folder", path.data);
    for (const struct dirent *entry; status == ALCORE_OK && listing && (entry = readdir(listing));)
        status = collect_blob(project, dirfd(listing), entry->d_name, out_bytes);
    if (listing) closedir(listing);
    alcore__buffer_clear(ctx, &path);
    return status;
}

static alcore_status collect(alcore_project *project, int64_t *out_bytes) {
    ALCORE__TRY(collect_blobs(project, out_bytes));
    return alcore__project_models_collect(project, out_bytes);
}

alcore_status alcore_project_gc(alcore_project *project, int64_t *out_bytes) {
    int64_t bytes = 0;
    if (out_bytes) *out_bytes = 0;
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_gc", CALL_SHORT));
    alcore_status status = alcore__store_begin(&project->store);
    if (status == ALCORE_OK) status = alcore__store_end(&project->store, collect(project, &bytes));
    if (out_bytes) *out_bytes = bytes;
    return alcore__project_leave(project, status);
}
