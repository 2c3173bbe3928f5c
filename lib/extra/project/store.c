/* SPDX-License-Identifier: Apache-2.0 */
/* Statements and transactions of project.sqlite, and SQLite's errors as ours. */
#include "extra/project/store.h"

#include <math.h>
#include <string.h>

/* How long the short locks of other processes are waited for: of a commit, by those that read, and
 * of reading, by a commit. The lock of a whole step is never waited for. */
#define WAIT_NS INT64_C(20000000000)

/* Waits a little for a lock, until busy_until; SQLite asks again as long as this is not 0. */
static int wait_for_lock(void *user, int times) {
    const alcore__store *const self = user;
    if (alcore__now_ns() >= self->busy_until || alcore__cancelled(self->ctx)) return 0;
    sqlite3_sleep(times < 10 ? 1 : 10);
    return 1;
}

/* Lets locks be waited for from now on, or not at all. */
static void set_waiting(alcore__store *self, bool waits) {
    self->busy_until = waits ? alcore__now_ns() + WAIT_NS : 0;
    sqlite3_busy_handler(self->database, wait_for_lock, self);
}

/* Polled by SQLite within long statements. */
static int stop_asked(void *user) {
    return alcore__tick(user, NULL, 0, -1) != ALCORE_OK;
}

void alcore__store_poll(alcore__store *self, bool polls) {
    enum { STEPS_BETWEEN_POLLS = 100000 };
    sqlite3_progress_handler(self->database, STEPS_BETWEEN_POLLS, polls ? stop_asked : NULL,
                             self->ctx);
}

/* ---- errors ---- */

alcore_status alcore__store_fail(alcore__store *self) {
    const int code = sqlite3_extended_errcode(self->database);
    const char *const path = self->path;
    if (code == SQLITE_IOERR_DATA)
        return alcore__fail(ALCORE_E_DATA, "'%s' is damaged: a page is not what was written there",
                            path);
    if (code == SQLITE_IOERR_NOMEM)
        return alcore__fail(ALCORE_E_NOMEM, "'%s': out of memory", path);
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return alcore__fail(ALCORE_E_BUSY, "'%s': another process changes the project", path);
    case SQLITE_NOMEM:
        return alcore__fail(ALCORE_E_NOMEM, "'%s': out of memory", path);
    case SQLITE_FULL:
        return alcore__fail(ALCORE_E_IO, "'%s': the disk is full", path);
    case SQLITE_INTERRUPT:
        return alcore__fail_cancelled();
    case SQLITE_ERROR: /* statements are constants of tables that were compared: it is the file */
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_CONSTRAINT:
    case SQLITE_FORMAT:
    case SQLITE_TOOBIG:
        return alcore__fail(ALCORE_E_DATA, "'%s' is damaged: %s", path,
                            sqlite3_errmsg(self->database));
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return alcore__fail(ALCORE_E_IO, "cannot write '%s': %s", path,
                            sqlite3_errmsg(self->database));
    case SQLITE_IOERR:
        return alcore__fail(ALCORE_E_IO, "'%s': %s (%s)", path, sqlite3_errmsg(self->database),
                            strerror_l(sqlite3_system_errno(self->database), alcore__c_locale()));
    default:
        return alcore__fail(ALCORE_E_INTERNAL, "'%s': %s", path, sqlite3_errmsg(self->database));
    }
}

alcore_status alcore__store_damaged(const alcore__store *self, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const alcore_status status = alcore__fail_v(ALCORE_E_DATA, format, args);
    va_end(args);
    return alcore__fail_within(status, "'%s' is damaged", self->path);
}

/* ---- statements ---- */

static alcore_status bind_v(alcore__store *self, sqlite3_stmt *statement, const char *letters,
                            va_list args) {
    for (int i = 1; *letters; letters++, i++) {
        int code = SQLITE_OK;
        if (*letters == 'i')
            code = sqlite3_bind_int64(statement, i, va_arg(args, int64_t));
        else if (*letters == 'd')
            code = sqlite3_bind_double(statement, i, va_arg(args, double));
        else
            code =
                sqlite3_bind_text(statement, i, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
        if (code != SQLITE_OK) return alcore__store_fail(self);
    }
    return ALCORE_OK;
}

static alcore_status prepare_v(alcore__store *self, sqlite3_stmt **out, const char *sql,
                               const char *letters, va_list args) {
    *out = NULL;
    if (sqlite3_prepare_v2(self->database, sql, -1, out, NULL) != SQLITE_OK)
        return alcore__store_fail(self);
    const alcore_status status = bind_v(self, *out, letters, args);
    if (status == ALCORE_OK) return ALCORE_OK;
    sqlite3_finalize(*out);
    *out = NULL;
    return status;
}

alcore_status alcore__store_prepare(alcore__store *self, sqlite3_stmt **out, const char *sql,
                                    const char *letters, ...) {
    va_list args;
    va_start(args, letters);
    const alcore_status status = prepare_v(self, out, sql, letters, args);
    va_end(args);
    return status;
}

alcore_status alcore__store_bind(alcore__store *self, sqlite3_stmt *statement, const char *letters,
                                 ...) {
    va_list args;
    sqlite3_reset(statement);
    va_start(args, letters);
    const alcore_status status = bind_v(self, statement, letters, args);
    va_end(args);
    return status;
}

alcore_status alcore__store_step(alcore__store *self, sqlite3_stmt *statement, bool *row) {
    const int code = sqlite3_step(statement);
    *row = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? ALCORE_OK : alcore__store_fail(self);
}

/* Runs a statement to its end and makes it ready for the next time. */
static alcore_status run_to_end(alcore__store *self, sqlite3_stmt *statement) {
    bool row = true;
    alcore_status status = ALCORE_OK;
    while (status == ALCORE_OK && row) status = alcore__store_step(self, statement, &row);
    sqlite3_reset(statement);
    return status;
}

alcore_status alcore__store_run(alcore__store *self, const char *sql, const char *letters, ...) {
    sqlite3_stmt *statement;
    va_list args;
    va_start(args, letters);
    alcore_status status = prepare_v(self, &statement, sql, letters, args);
    va_end(args);
    if (status == ALCORE_OK) status = run_to_end(self, statement);
    sqlite3_finalize(statement);
    return status;
}

alcore_status alcore__store_run_bound(alcore__store *self, sqlite3_stmt *statement,
                                      const char *letters, ...) {
    va_list args;
    sqlite3_reset(statement);
    va_start(args, letters);
    const alcore_status status = bind_v(self, statement, letters, args);
    va_end(args);
    return status == ALCORE_OK ? run_to_end(self, statement) : status;
}

alcore_status alcore__store_integer(alcore__store *self, int64_t *out, const char *sql,
                                    const char *letters, ...) {
    sqlite3_stmt *statement;
    bool row = false;
    va_list args;
    *out = 0;
    va_start(args, letters);
    alcore_status status = prepare_v(self, &statement, sql, letters, args);
    va_end(args);
    if (status == ALCORE_OK) status = alcore__store_step(self, statement, &row);
    if (status == ALCORE_OK && row) *out = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

const char *alcore__store_text(sqlite3_stmt *statement, int column) {
    const char *const text = alcore__store_text_or_null(statement, column);
    return text ? text : "";
}

const char *alcore__store_text_or_null(sqlite3_stmt *statement, int column) {
    return (const char *)sqlite3_column_text(statement, column);
}

double alcore__store_number(sqlite3_stmt *statement, int column) {
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? (double)NAN
               : sqlite3_column_double(statement, column);
}

/* ---- transactions ---- */

alcore_status alcore__store_begin(alcore__store *self) {
    if (sqlite3_db_readonly(self->database, "main") == 1)
        return alcore__fail(ALCORE_E_IO, "'%s' may be read only, by this user or here", self->path);
    set_waiting(self, false);
    const alcore_status status = alcore__store_run(self, "BEGIN IMMEDIATE", "");
    set_waiting(self, true);
    return status;
}

/* The first SELECT takes the lock of a reader: BEGIN alone takes none. */
alcore_status alcore__store_begin_reading(alcore__store *self) {
    int64_t rows;
    set_waiting(self, true);
    ALCORE__TRY(alcore__store_run(self, "BEGIN", ""));
    const alcore_status status =
        alcore__store_integer(self, &rows, "SELECT 1 FROM sqlite_schema", "");
    return status == ALCORE_OK ? ALCORE_OK : alcore__store_end(self, status);
}

/* A statement that failed may have undone everything already: then SQLite is in no transaction. The
 * statement was prepared when the file was opened, as nothing may fail here, and says nothing, so
 * that the error that led here stays. */
static void undo(alcore__store *self) {
    if (sqlite3_get_autocommit(self->database)) return;
    sqlite3_step(self->rollback);
    sqlite3_reset(self->rollback);
}

alcore_status alcore__store_end(alcore__store *self, alcore_status status) {
    if (status == ALCORE_OK) {
        set_waiting(self, true);
        status = alcore__store_run(self, "COMMIT", "");
    }
    if (status != ALCORE_OK) undo(self);
    return status;
}
