/* SPDX-License-Identifier: Apache-2.0 */
/* Opening project.sqlite. The file may come from anywhere, so SQLite is told to trust nothing in
 * it, and nothing in it is used before its schema was compared with ours, text by text: a view, a
 * trigger or a table that is not ours is refused. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "extra/project/checked_pages.h"
#include "extra/project/store.h"

/* One of the settings of a connection, and whether it can be made. */
static alcore_status configure(alcore__store *self, const char *sql) {
    sqlite3_stmt *statement;
    bool row = true;
    ALCORE__TRY(alcore__store_prepare(self, &statement, sql, ""));
    alcore_status status = ALCORE_OK;
    while (status == ALCORE_OK && row) status = alcore__store_step(self, statement, &row);
    sqlite3_finalize(statement);
    return status;
}

/* Up to 32 MiB of pages stay in memory, so that a step of a hundred thousand rows does not write
 * the same pages over and over before it commits. */
#define CACHE "PRAGMA cache_size=-32768"

/* Settings that hold for a connection. synchronous=EXTRA also brings to the disk that a journal is
 * gone; a rollback journal is what survives in each of SQLite's releases, where a write-ahead log
 * has lost data with several processes. */
static alcore_status harden(alcore__store *self) {
    static const char *const settings[] = {"PRAGMA mmap_size=0",
                                           "PRAGMA synchronous=EXTRA",
                                           "PRAGMA temp_store=MEMORY",
                                           "PRAGMA cell_size_check=ON",
                                           "PRAGMA trusted_schema=OFF",
                                           "PRAGMA foreign_keys=OFF",
                                           CACHE};
    sqlite3_db_config(self->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(self->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(self->database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(self->database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        ALCORE__TRY(configure(self, settings[i]));
    return ALCORE_OK;
}

/* A number of four bytes of the header of the file, the highest first. */
static uint32_t header_number(const unsigned char *header, int offset) {
    uint32_t number = 0;
    for (int i = 0; i < 4; i++) number = number << 8 | header[offset + i];
    return number;
}

/* Looks at the first bytes of the file (https://www.sqlite.org/fileformat.html, 1.3), before SQLite
 * reads the page that they are in: of a file that is no project it would find damage only. */
static alcore_status check_header(alcore__store *self) {
    enum { MAGIC = 16, USER_VERSION = 60, APPLICATION = 68, BYTES = 100 };
    unsigned char header[BYTES];
    const int code = alcore__checked_pages_peek(self->database, header, BYTES);
    if (code == SQLITE_IOERR_SHORT_READ)
        return alcore__fail(ALCORE_E_NOT_FOUND,
                            "'%s' is empty: no project was made there; make one", self->path);
    if (code != SQLITE_OK)
        return alcore__fail(ALCORE_E_IO, "cannot read '%s': %s", self->path, sqlite3_errstr(code));
    if (memcmp(header, "SQLite format 3", MAGIC) != 0)
        return alcore__store_damaged(self, "it is no SQLite database");
    if (header_number(header, APPLICATION) != STORE_APPLICATION)
        return alcore__fail(ALCORE_E_DATA, "'%s' is the database of another program", self->path);
    if (header_number(header, USER_VERSION) > STORE_FORM)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "'%s' has form %u, of a later release; this one reads forms up to %d",
                            self->path, header_number(header, USER_VERSION), STORE_FORM);
    return ALCORE_OK;
}

/* Compares the statements of the schema with ours, in their order. Indexes without a text are those
 * of the tables' own constraints. */
static alcore_status check_schema(alcore__store *self) {
    sqlite3_stmt *statement;
    bool row = true;
    int place = 0;
    ALCORE__TRY(alcore__store_prepare(
        self, &statement, "SELECT type, name, sql FROM sqlite_schema ORDER BY rowid", ""));
    alcore_status status = ALCORE_OK;
    while ((status = alcore__store_step(self, statement, &row)) == ALCORE_OK && row) {
        const char *const type = alcore__store_text(statement, 0), *const name = alcore__store_text(
                                                                       statement, 1);
        const char *const sql = alcore__store_text_or_null(statement, 2);
        if (!sql && strcmp(type, "index") == 0 && strncmp(name, "sqlite_autoindex_", 17) == 0)
            continue;
        if (sql && alcore__store_statements[place] &&
            strcmp(sql, alcore__store_statements[place]) == 0) {
            place++;
            continue;
        }
        status = alcore__store_damaged(self, "its %s '%s' is not one of a project", type, name);
        break;
    }
    sqlite3_finalize(statement);
    if (status == ALCORE_OK && alcore__store_statements[place])
        return alcore__store_damaged(self, "'%.40s...' is missing in it",
                                     alcore__store_statements[place]);
    return status;
}

/* Compares a file that is there with what a project has. What a killed process left in the journal
 * is undone by the first reading, and only then the header means something. */
static alcore_status check_file(alcore__store *self) {
    ALCORE__TRY(alcore__store_begin_reading(self));
    alcore_status status = check_header(self);
    if (status == ALCORE_OK) status = check_schema(self);
    return alcore__store_end(self, status);
}

/* Everything after the file was opened. Where SQLite finds damage the header may say why. */
static alcore_status prepare(alcore__store *self, bool create) {
    int reserved = PAGE_DIGEST_BYTES;
    ALCORE__TRY(alcore__store_prepare(self, &self->rollback, "ROLLBACK", ""));
    if (create) sqlite3_file_control(self->database, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
    alcore_status status = harden(self);
    if (status == ALCORE_OK && !create) status = check_file(self);
    if (status == ALCORE_E_DATA && !create) {
        const alcore_status reason = check_header(self);
        return reason == ALCORE_OK ? status : reason;
    }
    ALCORE__TRY(status);
    if (create) ALCORE__TRY(configure(self, "PRAGMA page_size=4096"));
    return configure(self, "PRAGMA journal_mode=TRUNCATE");
}

alcore_status alcore__store_open(alcore_ctx *ctx, const char *path, bool create,
                                 alcore__store *out) {
    *out = (alcore__store){.ctx = ctx};
    if (!create && access(path, F_OK) != 0 && errno == ENOENT)
        return alcore__fail(ALCORE_E_NOT_FOUND, "there is no project: '%s' does not exist", path);
    const char *const files = alcore__checked_pages_register();
    out->path = alcore__strndup(ctx, path, strlen(path));
    if (!files || !out->path) {
        alcore__store_close(out);
        return alcore__fail_memory(strlen(path));
    }
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
    const int code = sqlite3_open_v2(path, &out->database, flags, files);
    alcore_status status = ALCORE_OK;
    if (!out->database)
        status = alcore__fail_memory(strlen(path));
    else if (code != SQLITE_OK)
        status = alcore__store_fail(out);
    if (status == ALCORE_OK) status = prepare(out, create);
    if (status != ALCORE_OK) alcore__store_close(out);
    return status;
}

void alcore__store_close(alcore__store *self) {
    if (self->database && !alcore__forked(self->ctx)) {
        sqlite3_finalize(self->rollback);
        sqlite3_close(self->database);
    }
    alcore__free(self->ctx, self->path);
    *self = (alcore__store){0};
}

alcore_status alcore__store_check_blank(alcore__store *self) {
    int64_t tables;
    ALCORE__TRY(alcore__store_integer(self, &tables, "SELECT count(*) FROM sqlite_schema", ""));
    return tables == 0 ? ALCORE_OK : alcore__fail(ALCORE_E_IO, "'%s' is there already", self->path);
}

alcore_status alcore__store_make_tables(alcore__store *self) {
    for (const char *const *sql = alcore__store_statements; *sql; sql++)
        ALCORE__TRY(alcore__store_run(self, *sql, ""));
    ALCORE__TRY(configure(self, "PRAGMA application_id=" IN_SQL(STORE_APPLICATION)));
    return configure(self, "PRAGMA user_version=" IN_SQL(STORE_FORM));
}
