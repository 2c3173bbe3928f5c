/* SPDX-License-Identifier: Apache-2.0 */
/* project.sqlite that is damaged, hostile, of a later release or in use, folders that cannot be
 * written, and what verify and gc do. */
#include "project_bed.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "options_with.h"

/* A project with a round, an answer and files of two roles, closed. */
static void make(void) {
    alcore_project *project = bed_project();
    char ids[1024];
    ck_assert_ok(alcore_project_add(project, ALCORE_ROLE_LABELED, bed_put("l.txt", "one\n"), NULL));
    bed_next(project, ids);
    alcore_project_unref(project);
}

static alcore_status open_it(void) {
    alcore_project *project;
    const alcore_status status = alcore_project_open(ctx, in_bed("p"), &project);
    alcore_project_unref(project);
    return status;
}

/* Opens the project, verifies it and closes it. */
static alcore_status verify(void) {
    alcore_project *project;
    alcore_status status = alcore_project_open(ctx, in_bed("p"), &project);
    if (status == ALCORE_OK) status = alcore_project_verify(project);
    alcore_project_unref(project);
    return status;
}

static void run_sql(const char *path, const char *sql) {
    sqlite3 *database;
    ck_assert_int_eq(sqlite3_open(path, &database), SQLITE_OK);
    ck_assert_msg(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK, "%s: %s", sql,
                  sqlite3_errmsg(database));
    sqlite3_close(database);
}

static char *read_file(const char *path, long *bytes) {
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    fseek(file, 0, SEEK_END);
    *bytes = ftell(file);
    rewind(file);
    char *data = malloc((size_t)*bytes);
    ck_assert_uint_eq(fread(data, 1, (size_t)*bytes, file), (size_t)*bytes);
    fclose(file);
    return data;
}

static void write_file(const char *path, const char *data, long bytes) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, (size_t)bytes, file), (size_t)bytes);
    fclose(file);
}

/* Runs SQL on the project's file with the digests of its pages made anew, by the file system that
 * an open project has registered; returns how many rows were changed. */
static int change_sealed(const char *sql) {
    sqlite3 *database;
    ck_assert_int_eq(sqlite3_open_v2(in_bed("p/project.sqlite"), &database, SQLITE_OPEN_READWRITE,
                                     "alcore-checked-pages"),
                     SQLITE_OK);
    ck_assert_msg(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK, "%s: %s", sql,
                  sqlite3_errmsg(database));
    const int changes = sqlite3_changes(database);
    sqlite3_close(database);
    return changes;
}

/* The same with SQL that is to change rows. */
static void run_sealed(const char *sql) {
    ck_assert_msg(change_sealed(sql) > 0, "%s", sql);
}

/* ---- hostile files ---- */

START_TEST(other_files) {
    make();
    bed_put("p/project.sqlite", "this is no database, but long enough to be looked at: "
                                "0123456789012345678901234567890123456789012345678901234567890");
    ck_assert_fails(open_it(), ALCORE_E_DATA, "no SQLite database");
    bed_put("p/project.sqlite", "SQLite format 3");
    ck_assert_int_eq(open_it(), ALCORE_E_NOT_FOUND);
    ck_assert_int_eq(unlink(in_bed("p/project.sqlite")), 0);
    run_sql(in_bed("p/project.sqlite"), "CREATE TABLE settings(a); INSERT INTO settings VALUES(1)");
    ck_assert_fails(open_it(), ALCORE_E_DATA, "another program");
    run_sql(in_bed("p/project.sqlite"), "PRAGMA application_id=1634496626");
    ck_assert_fails(open_it(), ALCORE_E_DATA, "damaged");
    run_sql(in_bed("p/project.sqlite"), "PRAGMA user_version=7");
    ck_assert_fails(open_it(), ALCORE_E_UNSUPPORTED, "form 7");
    ck_assert_int_eq(unlink(in_bed("p/project.sqlite")), 0);
    ck_assert_int_eq(mkdir(in_bed("p/project.sqlite"), 0777), 0);
    ck_assert_int_eq(open_it(), ALCORE_E_IO);
}
END_TEST

/* Another program has changed the schema: its pages do not have the digests of ours. */
START_TEST(changed_elsewhere) {
    make();
    run_sql(in_bed("p/project.sqlite"),
            "CREATE TRIGGER t AFTER INSERT ON steps BEGIN DELETE FROM answers; END");
    ck_assert_fails(open_it(), ALCORE_E_DATA, "is not what was written");
}
END_TEST

/* The same with pages that have digests: the schema itself is compared. */
static void check_schema(const char *sql, const char *part) {
    long bytes;
    alcore_project *project;
    char *const copy = read_file(in_bed("p/project.sqlite"), &bytes);
    ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &project));
    alcore_project_unref(project);
    change_sealed(sql);
    ck_assert_fails(open_it(), ALCORE_E_DATA, part);
    write_file(in_bed("p/project.sqlite"), copy, bytes);
    free(copy);
}

START_TEST(other_schema) {
    make();
    check_schema("CREATE TRIGGER t AFTER INSERT ON steps BEGIN DELETE FROM answers; END",
                 "trigger 't'");
    check_schema("CREATE VIEW v AS SELECT * FROM items", "view 'v'");
    check_schema("CREATE TABLE more(a)", "table 'more'");
    check_schema("CREATE INDEX i ON items(text)", "index 'i'");
    check_schema("DROP TABLE metrics", "table 'steps'");
    check_schema("DROP TABLE steps", "'CREATE TABLE steps");
    check_schema("ALTER TABLE metrics ADD COLUMN more TEXT", "table 'metrics'");
    check_schema("DROP TABLE settings; CREATE VIRTUAL TABLE settings USING fts5(name, value)",
                 "not one of a project");
    ck_assert_ok(verify());
}
END_TEST

/* Names of blobs lead nowhere else. */
START_TEST(other_blobs) {
    make();
    static const char *const names[] = {"../../etc/passwd", "/etc/passwd",
                                        "0123456789abcdef0123456789abcdef/../x", "x", ""};
    long bytes;
    char *const copy = read_file(in_bed("p/project.sqlite"), &bytes);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char sql[256];
        alcore_project *project;
        ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &project));
        snprintf(sql, sizeof sql, "UPDATE files SET blob = '%s' WHERE file = 1", names[i]);
        run_sealed(sql);
        ck_assert_fails(alcore_project_next(project, NULL, NULL, NULL, 0, NULL), ALCORE_E_DATA,
                        "no name of a file");
        ck_assert_fails(alcore_project_verify(project), ALCORE_E_DATA, "no name of a file");
        alcore_project_unref(project);
        write_file(in_bed("p/project.sqlite"), copy, bytes);
    }
    free(copy);
}
END_TEST

/* Counts that no round has are no lengths of memory. */
START_TEST(other_counts) {
    make();
    static const char *const counts[] = {"-1", "0", "9223372036854775807"};
    long bytes;
    char *const copy = read_file(in_bed("p/project.sqlite"), &bytes);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char sql[256];
        alcore_project *project;
        ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &project));
        snprintf(sql, sizeof sql, "UPDATE counts SET items = %s", counts[i]);
        run_sealed(sql);
        const alcore_status status = alcore_project_write_report(project, in_bed("r.html"));
        ck_assert_int_eq(status, i < 2 ? ALCORE_OK : ALCORE_E_NOMEM);
        ck_assert_fails(alcore_project_verify(project), ALCORE_E_DATA, "counts of round 1");
        alcore_project_unref(project);
        write_file(in_bed("p/project.sqlite"), copy, bytes);
    }
    free(copy);
}
END_TEST

/* A project with answers of two people to the first round: one item is agreed on, after an
 * older answer and a draft that change nothing, on one they differ, and one was skipped. */
static void make_answered(void) {
    alcore_project *project = bed_project();
    char ids[1024], one[16], two[16], three[16], rows[1024];
    bed_next(project, ids);
    ck_assert_int_eq(sscanf(ids, "%15s %15s %15s", one, two, three), 3);
    bed_next(project, ids);
    snprintf(rows, sizeof rows,
             "id,translation,status,annotator,time\n%s,a,,Ana,2026-03-02T10:00:00Z\n"
             "%s,b,,Ana,2026-03-01T10:00:00Z\n%s,c,draft,Ana,\n%s,a,draft,Ben,\n%s,a,,Ben,\n"
             "%s,d,,Ana,\n%s,e,,Ana,\n%s,f,,Ben,\n%s,,skip,Ana,\n",
             one, one, one, one, one, two, two, two, three);
    ck_assert_ok(alcore_project_import(project, "csv", bed_put("in.csv", rows), NULL, NULL));
    alcore_project_unref(project);
}

/* What is derived from answers is derived anew, whatever the setting, and each difference found. */
START_TEST(other_derived) {
    static const char *const fine[] = {"agree", "latest", "majority"};
    static const struct {
        const char *sql, *says;
    } changes[] = {
        {"UPDATE latest SET answer = 2 WHERE answer = 1", "latest answer of an annotator"},
        {"UPDATE latest SET answer = 7 WHERE answer = 1", "latest answer to item 1 is none of it"},
        {"UPDATE latest SET answer = 99 WHERE answer = 1", "latest answer to item 1 is none"},
        {"DELETE FROM latest WHERE answer = 9", "latest answer of an annotator to item 3"},
        {"INSERT INTO latest VALUES(4, 1, 1)", "latest answer to item 4 is none of it"},
        {"UPDATE decisions SET state = 2 WHERE item = 1", "decision on item 1"},
        {"UPDATE decisions SET answer = 5 WHERE item = 1", "decision on item 1"},
        {"UPDATE decisions SET disagreeing = 0 WHERE item = 2", "decision on item 2"},
        {"DELETE FROM decisions WHERE item = 3", "decision on item 3"},
        {"INSERT INTO decisions VALUES(4, 1, 0, 1)", "item 4 is decided without an answer"},
        {"UPDATE settings SET value = 'latest' WHERE name = 'several'", "decision on item 2"},
        {"UPDATE counts SET answers = 8 WHERE round = 1", "counts of round 1"},
        {"UPDATE counts SET answers = 1 WHERE round = 2", "counts of round 2"},
        {"UPDATE counts SET cost = cost + 1 WHERE round = 2", "counts of round 2"},
        {"UPDATE counts SET refunded = 0 WHERE round = 1", "counts of round 1"},
        {"UPDATE counts SET refunded = 1 WHERE round = 2", "counts of round 2"},
    };
    alcore_project *project;
    long bytes;
    make_answered();
    ck_assert_ok(verify());
    ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &project));
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        ck_assert_ok(alcore_project_set(project, "several", fine[i]));
        ck_assert_ok(alcore_project_verify(project));
    }
    ck_assert(bed_status(project).refunded == 1);
    alcore_project_unref(project);
    char *const copy = read_file(in_bed("p/project.sqlite"), &bytes);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        run_sealed(changes[i].sql);
        const alcore_status status = verify();
        ck_assert_msg(status == ALCORE_E_DATA && strstr(alcore_last_error(), changes[i].says),
                      "%s: %s: %s", changes[i].sql, alcore_status_name(status),
                      alcore_last_error());
        write_file(in_bed("p/project.sqlite"), copy, bytes);
    }
    free(copy);
}
END_TEST

/* A number that is no unit has no name. */
START_TEST(other_unit) {
    static const char *const changes[] = {"UPDATE rounds SET unit = 7",
                                          "UPDATE rounds SET unit = 4294969798"};
    alcore_project *project;
    alcore_project_status status = ALCORE_PROJECT_STATUS_INIT;
    const char *document;
    make();
    ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &project));
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        run_sealed(changes[i]);
        ck_assert_fails(alcore_project_get_status(project, &status), ALCORE_E_DATA, "no unit");
        ck_assert_fails(alcore_project_document(project, &document), ALCORE_E_DATA, "no unit");
        ck_assert_fails(alcore_project_next(project, NULL, NULL, NULL, 0, NULL), ALCORE_E_DATA,
                        "no unit");
    }
    alcore_project_unref(project);
}
END_TEST

/* ---- long statements ---- */

static int32_t stop_at_once(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user, (void)stage, (void)done, (void)total;
    return 1;
}

/* Progress is told ten times a second: the next allocation lets a call be old enough. */
static bool naps;
static void nap(void) {
    if (naps) usleep(150000);
    naps = false;
}
static void *slow_allocate(void *user, size_t bytes) {
    (void)user;
    nap();
    return malloc(bytes);
}
static void *slow_reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    (void)user, (void)old_bytes;
    nap();
    return realloc(memory, new_bytes);
}
static void slow_release(void *user, void *memory, size_t bytes) {
    (void)user, (void)bytes;
    free(memory);
}

/* What progress returns ends the calls that say so, and no other one, though files that are many
 * make its statements long. */
START_TEST(cancelled) {
    alcore_ctx *impatient;
    alcore_allocator allocator = ALCORE_ALLOCATOR_INIT;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_project *project;
    int64_t bytes;
    make_answered();
    run_sealed("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) "
               "INSERT INTO files(file, role, blob, bytes, path, first, rows, format, bad_lines, "
               "escapes, by_what) SELECT i + 9, 4, 'x', 0, '', 0, 0, 0, 0, 0, 0 FROM n");
    bed_put("p/blobs/new.alcore-1-2", "12345");
    allocator.allocate = slow_allocate;
    allocator.reallocate = slow_reallocate;
    allocator.release = slow_release;
    options.allocator = &allocator;
    options.progress = stop_at_once;
    ck_assert_ok(alcore_ctx_new(&options, &impatient));
    ck_assert_ok(alcore_project_open(impatient, in_bed("p"), &project));
    naps = true;
    ck_assert_int_eq(alcore_project_verify(project), ALCORE_E_CANCELLED);
    naps = true;
    ck_assert_int_eq(alcore_project_set(project, "several", "latest"), ALCORE_E_CANCELLED);
    ck_assert_int_eq(bed_status(project).disagreeing, 1);
    naps = true;
    ck_assert_ok(alcore_project_gc(project, &bytes));
    ck_assert(!naps);
    ck_assert_int_eq(bytes, 5);
    alcore_project_unref(project);
    alcore_ctx_unref(impatient);
}
END_TEST

/* ---- damage ---- */

/* Any byte that changes is found, when the project is opened or verified; bytes are thinned. */
START_TEST(flipped_bytes) {
    make();
    long bytes;
    char *const copy = read_file(in_bed("p/project.sqlite"), &bytes);
    ck_assert_ok(verify());
    for (long at = 0; at < bytes; at += at < 128 ? 1 : 251) {
        const int file = open(in_bed("p/project.sqlite"), O_WRONLY);
        const char flipped = (char)(copy[at] ^ 0x20);
        ck_assert_int_eq(pwrite(file, &flipped, 1, at), 1);
        const alcore_status status = verify();
        ck_assert_msg(status == ALCORE_E_DATA || status == ALCORE_E_UNSUPPORTED, "byte %ld: %s: %s",
                      at, alcore_status_name(status), alcore_last_error());
        ck_assert_int_eq(pwrite(file, &copy[at], 1, at), 1);
        close(file);
    }
    ck_assert_ok(verify());
    free(copy);
}
END_TEST

START_TEST(truncated) {
    make();
    long bytes;
    char *const copy = read_file(in_bed("p/project.sqlite"), &bytes);
    for (long length = bytes - 1; length > 0; length -= 1777) {
        ck_assert_int_eq(truncate(in_bed("p/project.sqlite"), length), 0);
        const alcore_status status = verify();
        ck_assert_msg(status == ALCORE_E_DATA || (length < 100 && status == ALCORE_E_NOT_FOUND),
                      "%ld bytes: %s: %s", length, alcore_status_name(status), alcore_last_error());
        write_file(in_bed("p/project.sqlite"), copy, bytes);
    }
    FILE *file = fopen(in_bed("p/project.sqlite"), "ab");
    for (int i = 0; i < 4096; i++) fputc(0, file);
    fclose(file);
    ck_assert_fails(verify(), ALCORE_E_DATA, "damaged");
    free(copy);
}
END_TEST

/* The path of a blob whose name ends so; valid until the next call. */
static const char *a_blob(const char *end) {
    static char path[TEST_PATH_BYTES + 400];
    DIR *listing = opendir(in_bed("p/blobs"));
    const struct dirent *entry;
    while ((entry = readdir(listing)) && (entry->d_name[0] == '.' || !strstr(entry->d_name, end))) {
    }
    ck_assert_ptr_nonnull(entry);
    snprintf(path, sizeof path, "%s/p/blobs/%s", bed_folder, entry->d_name);
    closedir(listing);
    return path;
}

/* Selects a round, which reads the texts. */
static alcore_status select_another(void) {
    alcore_project *project;
    ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &project));
    const alcore_status status = alcore_project_next(project, NULL, NULL, NULL, 0, NULL);
    alcore_project_unref(project);
    return status;
}

START_TEST(damaged_blobs) {
    make();
    const char *const path = a_blob("");
    long bytes;
    char *const copy = read_file(path, &bytes);
    copy[bytes / 2] ^= 1;
    write_file(path, copy, bytes);
    ck_assert_fails(verify(), ALCORE_E_DATA, path);
    ck_assert_fails(select_another(), ALCORE_E_DATA, "it is not what was written");
    copy[bytes / 2] ^= 1;
    write_file(path, copy, bytes);
    ck_assert_ok(verify());
    ck_assert_ok(select_another());
    ck_assert_int_eq(truncate(path, bytes - 1), 0);
    ck_assert_fails(verify(), ALCORE_E_DATA, "damaged");
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_fails(verify(), ALCORE_E_DATA, "missing");
    free(copy);
}
END_TEST

/* An index that lacks a row, in pages that have their digests: SQLite finds what no page tells. */
START_TEST(damaged_index) {
    alcore_project *project;
    make_answered();
    run_sealed("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql || ' WHERE 0' "
               "WHERE name = 'answers_of_item'");
    run_sealed("UPDATE answers SET digest = 'x' WHERE answer = 1");
    run_sealed("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = "
               "replace(sql, ' WHERE 0', '') WHERE name = 'answers_of_item'");
    ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &project));
    ck_assert_fails(alcore_project_verify(project), ALCORE_E_DATA, "answers_of_item");
    alcore_project_unref(project);
}
END_TEST

/* A file of references is kept, and damage to it found, as that of texts. */
START_TEST(references) {
    alcore_project *project = bed_project();
    char path[sizeof bed_path], texts[sizeof bed_path];
    long bytes;
    int64_t freed = -1;
    strcpy(texts, bed_put("more.txt", "one\ntwo\n"));
    strcpy(path, bed_put("more.de", "eins\nzwei\n"));
    ck_assert_ok(alcore_project_add(project, ALCORE_ROLE_LABELED, texts,
                                    OPTIONS_WITH(alcore_read_options, .references = path)));
    ck_assert_ok(alcore_project_gc(project, &freed));
    ck_assert_int_eq(freed, 0);
    ck_assert_ok(alcore_project_verify(project));
    alcore_project_unref(project);
    const char *const blob = a_blob(".de");
    char *const copy = read_file(blob, &bytes);
    copy[0] ^= 1;
    write_file(blob, copy, bytes);
    ck_assert_fails(verify(), ALCORE_E_DATA, blob);
    ck_assert_int_eq(unlink(blob), 0);
    ck_assert_fails(verify(), ALCORE_E_DATA, "missing");
    free(copy);
}
END_TEST

/* ---- several processes ---- */

/* Another process holds the lock of a writer: changes are refused at once, reading goes on. */
START_TEST(two_processes) {
    make();
    alcore_project *project;
    int ready[2], done[2];
    char byte = 0;
    ck_assert_int_eq(pipe(ready) | pipe(done), 0);
    const pid_t child = fork();
    if (child == 0) {
        sqlite3 *database;
        int code =
            sqlite3_open_v2(in_bed("p/project.sqlite"), &database, SQLITE_OPEN_READWRITE, NULL);
        if (code == SQLITE_OK) code = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
        if (write(ready[1], &byte, 1) != 1 || read(done[0], &byte, 1) != 1) _exit(3);
        _exit(code != SQLITE_OK);
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &project));
    ck_assert_int_eq(bed_status(project).items, 3);
    ck_assert_ok(alcore_project_verify(project));
    ck_assert_fails(alcore_project_next(project, NULL, NULL, NULL, 0, NULL), ALCORE_E_BUSY,
                    "another process");
    ck_assert_fails(alcore_project_set(project, "seed", "1"), ALCORE_E_BUSY, "another process");
    ck_assert_fails(alcore_project_add(project, ALCORE_ROLE_TARGET, in_bed("pool.tsv"), NULL),
                    ALCORE_E_BUSY, "another process");
    ck_assert_fails(alcore_project_import(project, "csv", in_bed("pool.tsv"), NULL, NULL),
                    ALCORE_E_BUSY, "another process");
    ck_assert_fails(alcore_project_export(project, "csv", in_bed("x.csv"), 0), ALCORE_E_BUSY,
                    "another process");
    ck_assert_fails(alcore_project_put_metric(project, 1, "x", 1), ALCORE_E_BUSY,
                    "another process");
    ck_assert_fails(alcore_project_gc(project, NULL), ALCORE_E_BUSY, "another process");
    int status;
    ck_assert_int_eq(write(done[1], &byte, 1), 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_ok(alcore_project_set(project, "seed", "1"));
    alcore_project_unref(project);
}
END_TEST

/* A killed process leaves a journal; the next one undoes what it had begun. */
START_TEST(hot_journal) {
    make();
    const pid_t child = fork();
    if (child == 0) {
        sqlite3 *database;
        alcore_ctx *own;
        alcore_project *project;
        /* A small cache: pages of the transaction are written before it commits. */
        if (alcore_ctx_new(NULL, &own) != ALCORE_OK ||
            alcore_project_open(own, in_bed("p"), &project) != ALCORE_OK ||
            sqlite3_open_v2(in_bed("p/project.sqlite"), &database, SQLITE_OPEN_READWRITE,
                            "alcore-checked-pages") != SQLITE_OK)
            _exit(1);
        sqlite3_exec(database,
                     "PRAGMA journal_mode=TRUNCATE; PRAGMA cache_size=2; BEGIN IMMEDIATE; "
                     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) "
                     "INSERT INTO settings SELECT 'x' || i, 'y' FROM n; "
                     "DELETE FROM items; DELETE FROM rounds",
                     NULL, NULL, NULL);
        _exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    struct stat info;
    ck_assert_int_eq(stat(in_bed("p/project.sqlite-journal"), &info), 0);
    ck_assert_int_gt(info.st_size, 0);
    ck_assert_ok(verify());
    alcore_project *project;
    ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &project));
    ck_assert_int_eq(bed_status(project).items, 3);
    alcore_project_unref(project);
}
END_TEST

/* ---- what cannot be written ---- */

/* Somebody who may read the project only can ask for all of it, and change nothing. */
START_TEST(read_only) {
    alcore_project *project;
    make();
    ck_assert_int_eq(chmod(bed_folder, 0755), 0);
    const uid_t user = geteuid();
    if (user == 0) ck_assert_int_eq(seteuid(65534), 0);
    if (user != 0) ck_assert_int_eq(chmod(in_bed("p"), 0555) | chmod(in_bed("p/blobs"), 0555), 0);
    if (user != 0) ck_assert_int_eq(chmod(in_bed("p/project.sqlite"), 0444), 0);
    ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &project));
    ck_assert_int_eq(bed_status(project).items, 3);
    ck_assert_ok(alcore_project_verify(project));
    ck_assert_fails(alcore_project_set(project, "seed", "1"), ALCORE_E_IO, "project.sqlite");
    ck_assert_fails(alcore_project_next(project, NULL, NULL, NULL, 0, NULL), ALCORE_E_IO,
                    "project.sqlite");
    ck_assert_fails(alcore_project_gc(project, NULL), ALCORE_E_IO, "project.sqlite");
    ck_assert_int_eq(bed_status(project).rounds, 1);
    alcore_project_unref(project);
    ck_assert_fails(alcore_project_init(ctx, in_bed("new"), NULL, NULL, 0, &project), ALCORE_E_IO,
                    "new");
    if (user == 0) ck_assert_int_eq(seteuid(0), 0);
    if (user != 0) ck_assert_int_eq(chmod(in_bed("p"), 0755) | chmod(in_bed("p/blobs"), 0755), 0);
}
END_TEST

/* Files may not grow beyond a size: a step has happened whole or not at all, and is made again
 * where there is room, with the same picks. */
START_TEST(no_room) {
    alcore_project *project;
    struct rlimit before, limit;
    char ids[1024];
    make();
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &project));
    limit = before;
    for (limit.rlim_cur = 512; limit.rlim_cur < 80000; limit.rlim_cur += 9999) {
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const alcore_status status = alcore_project_next(project, NULL, NULL, NULL, 0, NULL);
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
        if (status == ALCORE_OK) break;
        ck_assert_msg(status == ALCORE_E_IO && strstr(alcore_last_error(), "project.sqlite"),
                      "%s: %s", alcore_status_name(status), alcore_last_error());
        ck_assert_int_eq(bed_status(project).rounds, 1);
        ck_assert_ok(alcore_project_verify(project));
    }
    ck_assert_uint_gt(limit.rlim_cur, 512);
    if (limit.rlim_cur >= 80000) bed_next(project, ids);
    ck_assert_int_eq(bed_status(project).rounds, 2);
    limit.rlim_cur = 3;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const alcore_status status =
        alcore_project_add(project, ALCORE_ROLE_TARGET, in_bed("pool.tsv"), NULL);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert_int_eq(status, ALCORE_E_IO);
    ck_assert_ok(alcore_project_verify(project));
    alcore_project_unref(project);
}
END_TEST

/* ---- gc ---- */

START_TEST(gc) {
    make();
    alcore_project *project;
    int64_t bytes = -1;
    ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &project));
    ck_assert_ok(alcore_project_gc(project, &bytes));
    ck_assert_int_eq(bytes, 0);
    bed_put("p/blobs/new.alcore-1-2", "12345");
    bed_put("p/blobs/0123456789abcdef0123456789abcdef.txt", "123");
    ck_assert_ok(alcore_project_gc(project, &bytes));
    ck_assert_int_eq(bytes, 8);
    ck_assert_ok(alcore_project_verify(project));
    ck_assert_ok(alcore_project_gc(project, NULL));
    ck_assert_fails(alcore_project_gc(NULL, &bytes), ALCORE_E_INVALID, "project");
    ck_assert_fails(alcore_project_verify(NULL), ALCORE_E_INVALID, "project");
    alcore_project_unref(project);
}
END_TEST

CHECK_SUITE_WITH("project_store", bed_setup, bed_teardown, other_files, changed_elsewhere,
                 other_schema, other_blobs, other_counts, other_derived, other_unit, cancelled,
                 flipped_bytes, truncated, damaged_blobs, damaged_index, references, two_processes,
                 hot_journal, read_only, no_room, gc);
