/* SPDX-License-Identifier: Apache-2.0 */
/* project.sqlite: opened with the settings that survive a crash, its schema compared with ours, and
 * short calls for prepared statements. store_schema.c has the tables.
 *
 * Every statement is a constant; values are only ever bound. A letter stands for each: i for an
 * int64_t, d for a double (NaN is stored as NULL), t for a const char * (NULL is stored as NULL).
 */
#ifndef ALCORE__PROJECT_STORE_H
#define ALCORE__PROJECT_STORE_H

#include <sqlite3.h>

#include "base/base.h"

/* The form of project.sqlite that this library writes: its user_version. */
#define STORE_FORM 1
#define STORE_APPLICATION 1634496626 /* "alpr", the letters from the highest byte on */

/* A number that has a name, a macro, as text within a constant statement. */
#define IN_SQL(number) NUMBER_TEXT(number)
#define NUMBER_TEXT(number) #number

/* An open project.sqlite. */
typedef struct alcore__store {
    alcore_ctx *ctx;
    sqlite3 *database;      /* owned; NULL: closed */
    sqlite3_stmt *rollback; /* undoes a transaction, owned */
    char *path;             /* of the file, owned: for messages */
    int64_t busy_until;     /* up to when a lock is waited for, as alcore__now_ns() tells it */
} alcore__store;

/* Opens or, with create, makes the file at path. ALCORE_E_NOT_FOUND: it is not there, or a process
 * was killed while it made it; ALCORE_E_DATA, _UNSUPPORTED: see alcore_project_open(). After a
 * failure nothing is open. */
alcore_status alcore__store_open(alcore_ctx *ctx, const char *path, bool create,
                                 alcore__store *out);
void alcore__store_close(
    alcore__store *store); /* in a forked child the file is the parent's, and stays open */

/* Lets long statements report progress and be cancelled from now on, or not: as it is at first. */
void alcore__store_poll(alcore__store *store, bool polls);

/* ALCORE_E_IO: the store has tables, of a project or of anything else. */
alcore_status alcore__store_check_blank(alcore__store *store);
/* Makes the tables of a store that has none, in the transaction of the caller. */
alcore_status alcore__store_make_tables(alcore__store *store);

/* Begins a transaction that may write: ALCORE_E_BUSY at once where another process has one. */
alcore_status alcore__store_begin(alcore__store *store);
/* Begins one that only reads, in which everything is of one moment. */
alcore_status alcore__store_begin_reading(alcore__store *store);
/* Commits when status is ALCORE_OK, else undoes all; returns the status of both together, and keeps
 * the error text of a failure that came before. */
alcore_status alcore__store_end(alcore__store *store, alcore_status status);

/* Prepares a statement, which the caller gives to sqlite3_finalize(), and binds values by letters;
 * *out is NULL after a failure. */
alcore_status alcore__store_prepare(alcore__store *store, sqlite3_stmt **out, const char *sql,
                                    const char *letters, ...);
/* Resets a statement and binds values anew. */
alcore_status alcore__store_bind(alcore__store *store, sqlite3_stmt *statement, const char *letters,
                                 ...);
/* Advances a statement: *row tells whether it has another row. */
alcore_status alcore__store_step(alcore__store *store, sqlite3_stmt *statement, bool *row);
/* Runs a statement that has no rows to its end. */
alcore_status alcore__store_run(alcore__store *store, const char *sql, const char *letters, ...);
alcore_status alcore__store_run_bound(alcore__store *store, sqlite3_stmt *statement,
                                      const char *letters, ...);
/* The first column of the first row, an integer; 0 where there is no row, or NULL. */
alcore_status alcore__store_integer(alcore__store *store, int64_t *out, const char *sql,
                                    const char *letters, ...);

/* A column of the present row: a text that is never NULL, one that is NULL for NULL, a number that
 * is NaN for NULL. Views until the next step. */
const char *alcore__store_text(sqlite3_stmt *statement, int column);
const char *alcore__store_text_or_null(sqlite3_stmt *statement, int column);
double alcore__store_number(sqlite3_stmt *statement, int column);

/* The error of SQLite's last call on this store, as one of ours, naming the file. */
alcore_status alcore__store_fail(alcore__store *store);
/* An error of ours about the content of the file: ALCORE_E_DATA. */
alcore_status alcore__store_damaged(const alcore__store *store, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* store_schema.c: the statements that make the tables, in order; ends with a NULL. */
extern const char *const alcore__store_statements[];

#endif
