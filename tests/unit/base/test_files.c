/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "check_suite.h"
#include "fault_allocator.h"
#include "test_folder.h"

static char folder[TEST_PATH_BYTES];

static const char *in_folder(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static fault_allocator fault;

static alcore_ctx *context(const alcore_files *files) {
    alcore_allocator table = fault_table(&fault);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    test_folder_make(folder, "files");
    options.allocator = &table;
    options.files = files;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    return ctx;
}

static int entries(void) {
    DIR *open_folder = opendir(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(open_folder));)
        if (entry->d_name[0] != '.') count++;
    closedir(open_folder);
    return count;
}

static void end(alcore_ctx *ctx) {
    test_folder_remove(folder);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
}

static void expect_text(const char *expected) {
    ck_assert_str_eq(alcore_last_error(), expected);
}

static void put_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

START_TEST(a_file_is_read_at_any_offset) {
    alcore_ctx *ctx = context(NULL);
    char data[16], expected[600];
    const char *path = in_folder("a.txt");
    alcore__file *file;
    int64_t length;
    size_t got;
    put_file(path, "0123456789");
    ck_assert_int_eq(alcore__file_open(ctx, path, &file), ALCORE_OK);
    ck_assert_str_eq(alcore__file_path(file), path);
    ck_assert_int_eq(alcore__file_length(file, &length), ALCORE_OK);
    ck_assert_int_eq(length, 10);
    ck_assert_int_eq(alcore__file_read(file, 7, data, 16, &got), ALCORE_OK);
    ck_assert_uint_eq(got, 3);
    ck_assert_mem_eq(data, "789", 3);
    ck_assert_int_eq(alcore__file_read_all(file, 2, data, 4), ALCORE_OK);
    ck_assert_mem_eq(data, "2345", 4);
    ck_assert_int_eq(alcore__file_read(file, 99, data, 16, &got), ALCORE_OK);
    ck_assert_uint_eq(got, 0);
    ck_assert_int_eq(alcore__file_read_all(file, 8, data, 4), ALCORE_E_DATA);
    snprintf(expected, sizeof expected, "'%s' ends at byte 10, 2 bytes too early", path);
    expect_text(expected);
    alcore__file_close(file);
    alcore__file_close(NULL);
    end(ctx);
}
END_TEST

START_TEST(what_cannot_be_opened_is_named) {
    alcore_ctx *ctx = context(NULL);
    char expected[600];
    alcore__file *file = (alcore__file *)&file;
    ck_assert_int_eq(alcore__file_open(ctx, in_folder("none"), &file), ALCORE_E_IO);
    ck_assert_ptr_null(file);
    snprintf(expected, sizeof expected, "cannot open '%s/none': No such file or directory", folder);
    expect_text(expected);
    ck_assert_int_eq(alcore__file_open(ctx, folder, &file), ALCORE_E_IO);
    snprintf(expected, sizeof expected, "cannot open '%s': Is a directory", folder);
    expect_text(expected);
    ck_assert_int_eq(alcore__file_open(ctx, NULL, &file), ALCORE_E_INVALID);
    end(ctx);
}
END_TEST

START_TEST(descriptors_are_not_inherited) {
    alcore_ctx *ctx = context(NULL);
    alcore__file *file;
    int lowest = dup(0);
    close(lowest); /* the next descriptor that is opened */
    put_file(in_folder("a"), "a");
    ck_assert_int_eq(alcore__file_open(ctx, in_folder("a"), &file), ALCORE_OK);
    ck_assert_int_eq(fcntl(lowest, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    alcore__file_close(file);
    ck_assert_int_eq(fcntl(lowest, F_GETFD), -1);
    end(ctx);
}
END_TEST

START_TEST(a_stream_is_read_with_rising_offsets) {
    alcore_ctx *ctx = context(NULL);
    int ends[2];
    char data[16];
    alcore__file *file;
    int64_t length;
    size_t got;
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    ck_assert_int_eq(write(ends[1], "0123456789", 10), 10);
    ck_assert_int_eq(alcore__file_open(ctx, "-", &file), ALCORE_OK);
    ck_assert_int_eq(alcore__file_length(file, &length), ALCORE_OK);
    ck_assert_int_eq(length, -1);
    ck_assert_int_eq(alcore__file_read_all(file, 0, data, 3), ALCORE_OK);
    ck_assert_mem_eq(data, "012", 3);
    ck_assert_int_eq(alcore__file_read_all(file, 5, data, 2), ALCORE_OK);
    ck_assert_mem_eq(data, "56", 2);
    ck_assert_int_eq(alcore__file_read_all(file, 1, data, 2), ALCORE_E_IO);
    expect_text("cannot go back in '-': it is a stream");
    close(ends[1]);
    ck_assert_int_eq(alcore__file_read(file, 7, data, 16, &got), ALCORE_OK);
    ck_assert_uint_eq(got, 3);
    ck_assert_int_eq(alcore__file_read(file, 50, data, 16, &got), ALCORE_OK);
    ck_assert_uint_eq(got, 0);
    alcore__file_close(file);
    ck_assert_int_ne(fcntl(STDIN_FILENO, F_GETFD), -1); /* standard input stays open */
    end(ctx);
}
END_TEST

START_TEST(a_written_file_appears_whole) {
    alcore_ctx *ctx = context(NULL);
    enum { LINES = 60000 };
    const char *path = in_folder("out.txt");
    alcore__writer *writer;
    char line[16];
    struct stat facts;
    put_file(path, "old");
    ck_assert_int_eq(alcore__writer_open(ctx, path, &writer), ALCORE_OK);
    for (int i = 0; i < LINES; i++) {
        snprintf(line, sizeof line, "%09d\n", i);
        ck_assert_int_eq(alcore__writer_put(writer, line, 10), ALCORE_OK);
    }
    static char large[700000];
    memset(large, 'x', sizeof large);
    ck_assert_int_eq(alcore__writer_put(writer, large, sizeof large), ALCORE_OK);
    ck_assert_int_eq(alcore__writer_put(writer, "end", 3), ALCORE_OK);
    ck_assert_int_eq(stat(path, &facts), 0);
    ck_assert_int_eq(facts.st_size, 3); /* the old one until the commit */
    ck_assert_int_eq(entries(), 2);
    ck_assert_int_eq(alcore__writer_commit(writer), ALCORE_OK);
    ck_assert_int_eq(entries(), 1);
    FILE *file = fopen(path, "r");
    for (int i = 0; i < LINES; i++) {
        ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
        ck_assert_int_eq(atoi(line), i);
    }
    ck_assert_int_eq(fseek(file, -4, SEEK_END), 0);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    ck_assert_str_eq(line, "xend");
    fclose(file);
    ck_assert_int_eq(stat(path, &facts), 0);
    ck_assert_int_eq(facts.st_size, LINES * 10 + 700000 + 3);
    end(ctx);
}
END_TEST

START_TEST(an_aborted_file_never_was) {
    alcore_ctx *ctx = context(NULL);
    alcore__writer *writer;
    put_file(in_folder("out.txt"), "old");
    ck_assert_int_eq(alcore__writer_open(ctx, in_folder("out.txt"), &writer), ALCORE_OK);
    ck_assert_int_eq(alcore__writer_put(writer, "new", 3), ALCORE_OK);
    alcore__fail(ALCORE_E_DATA, "why it was aborted");
    alcore__writer_abort(writer);
    expect_text("why it was aborted");
    alcore__writer_abort(NULL);
    ck_assert_int_eq(entries(), 1);
    char data[4] = "";
    alcore__file *file;
    ck_assert_int_eq(alcore__file_open(ctx, in_folder("out.txt"), &file), ALCORE_OK);
    ck_assert_int_eq(alcore__file_read_all(file, 0, data, 3), ALCORE_OK);
    ck_assert_str_eq(data, "old");
    alcore__file_close(file);
    end(ctx);
}
END_TEST

START_TEST(what_cannot_be_written_is_named) {
    alcore_ctx *ctx = context(NULL);
    alcore__writer *writer;
    char expected[600];
    ck_assert_int_eq(alcore__writer_open(ctx, in_folder("no/out.txt"), &writer), ALCORE_E_IO);
    ck_assert_ptr_null(writer);
    snprintf(expected, sizeof expected, "cannot open '%s/no/out.txt': No such file or directory",
             folder);
    expect_text(expected);
    ck_assert_int_eq(alcore__writer_open(ctx, folder, &writer), ALCORE_E_IO);
    snprintf(expected, sizeof expected, "cannot write '%s': Is a directory", folder);
    expect_text(expected);
    ck_assert_int_eq(alcore__writer_open(ctx, "", &writer), ALCORE_E_INVALID);
    end(ctx);
}
END_TEST

START_TEST(a_device_is_written_as_it_is) {
    alcore_ctx *ctx = context(NULL);
    alcore__writer *writer;
    struct stat facts;
    ck_assert_int_eq(alcore__writer_open(ctx, "/dev/null", &writer), ALCORE_OK);
    ck_assert_int_eq(alcore__writer_put(writer, "lost", 4), ALCORE_OK);
    ck_assert_int_eq(alcore__writer_commit(writer), ALCORE_OK);
    ck_assert_int_eq(alcore__writer_open(ctx, "/dev/null", &writer), ALCORE_OK);
    alcore__writer_abort(writer);
    ck_assert_int_eq(stat("/dev/null", &facts), 0);
    ck_assert(S_ISCHR(facts.st_mode));
    ck_assert_int_eq(entries(), 0);
    end(ctx);
}
END_TEST

/* A link stays where it is, what it leads to is replaced, and has the mode that it had. */
START_TEST(links_and_modes_stay) {
    alcore_ctx *ctx = context(NULL);
    alcore__writer *writer;
    struct stat facts;
    char data[4] = "";
    alcore__file *file;
    put_file(in_folder("target"), "old");
    ck_assert_int_eq(chmod(in_folder("target"), 0604), 0);
    ck_assert_int_eq(symlink("target", in_folder("link")), 0);
    ck_assert_int_eq(alcore__writer_open(ctx, in_folder("link"), &writer), ALCORE_OK);
    ck_assert_int_eq(alcore__writer_put(writer, "new", 3), ALCORE_OK);
    ck_assert_int_eq(alcore__writer_commit(writer), ALCORE_OK);
    ck_assert_int_eq(lstat(in_folder("link"), &facts), 0);
    ck_assert(S_ISLNK(facts.st_mode));
    ck_assert_int_eq(lstat(in_folder("target"), &facts), 0);
    ck_assert_uint_eq(facts.st_mode & 07777, 0604);
    ck_assert_int_eq(alcore__file_open(ctx, in_folder("target"), &file), ALCORE_OK);
    ck_assert_int_eq(alcore__file_read_all(file, 0, data, 3), ALCORE_OK);
    ck_assert_str_eq(data, "new");
    alcore__file_close(file);
    ck_assert_int_eq(entries(), 2);
    end(ctx);
}
END_TEST

START_TEST(names_of_others_are_passed_over) {
    alcore_ctx *ctx = context(NULL);
    alcore__writer *writer;
    char taken[200], longest[256];
    for (int i = 0; i < 3; i++) { /* left by a killed process of the same number */
        snprintf(taken, sizeof taken, "out.alcore-%d-%d", (int)getpid(), i);
        put_file(in_folder(taken), "foreign");
    }
    ck_assert_int_eq(alcore__writer_open(ctx, in_folder("out"), &writer), ALCORE_OK);
    ck_assert_int_eq(alcore__writer_commit(writer), ALCORE_OK);
    ck_assert_int_eq(entries(), 4);
    memset(longest, 'n', 255);
    longest[255] = 0;
    ck_assert_int_eq(alcore__writer_open(ctx, in_folder(longest), &writer), ALCORE_OK);
    ck_assert_int_eq(alcore__writer_commit(writer), ALCORE_OK);
    ck_assert_int_eq(entries(), 5);
    end(ctx);
}
END_TEST

START_TEST(a_full_disk_is_reported) {
    alcore_ctx *ctx = context(NULL);
    static char large[1 << 20];
    alcore__writer *writer;
    char expected[600];
    const char *path = in_folder("full");
    snprintf(expected, sizeof expected, "cannot write '%s': File too large", path);
    /* A limit on the size of files stands in for the disk. */
    ck_assert_int_eq(alcore__writer_open(ctx, path, &writer), ALCORE_OK);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {.rlim_cur = 4096, .rlim_max = RLIM_INFINITY}, before;
    getrlimit(RLIMIT_FSIZE, &before);
    limit.rlim_max = before.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
    alcore_status status = alcore__writer_put(writer, large, sizeof large);
    char text[600];
    snprintf(text, sizeof text, "%s", alcore_last_error());
    alcore_status after = alcore__writer_commit(writer);
    setrlimit(RLIMIT_FSIZE, &before);
    ck_assert_int_eq(status, ALCORE_E_IO);
    ck_assert_str_eq(text, expected);
    ck_assert_int_eq(after, ALCORE_E_IO);
    ck_assert_int_eq(entries(), 0);
    end(ctx);
}
END_TEST

/* A table that fails at a chosen function: what else is called afterwards is counted. */
typedef struct broken {
    const char *fails;
    int opens, writes, syncs, closes, renames, removes, destroys;
} broken;

static alcore_status result(const broken *table, const char *function) {
    return strcmp(table->fails, function) == 0 ? -7777 : ALCORE_OK;
}

static alcore_status broken_open(void *user, const char *path, int32_t mode, void **out) {
    broken *table = user;
    (void)path;
    (void)mode;
    table->opens++;
    *out = table;
    if (strcmp(table->fails, "exists") == 0 && table->opens <= 2) return ALCORE_E_EXISTS;
    return result(table, "open");
}

static alcore_status broken_read(void *user, void *file, int64_t offset, void *buffer, size_t bytes,
                                 size_t *out) {
    broken *table = user;
    (void)file;
    memset(buffer, 'r', bytes < 3 ? bytes : 3);
    *out = strcmp(table->fails, "too much") == 0 ? bytes + 1
           : offset >= 9                         ? 0
           : bytes < 3                           ? bytes
                                                 : 3;
    return result(table, "read");
}

static alcore_status broken_write(void *user, void *file, const void *data, size_t bytes) {
    broken *table = user;
    (void)file;
    (void)data;
    (void)bytes;
    table->writes++;
    return result(table, "write");
}

static alcore_status broken_sync(void *user, void *file) {
    broken *table = user;
    (void)file;
    table->syncs++;
    return result(table, "sync");
}

static alcore_status broken_close(void *user, void *file) {
    broken *table = user;
    (void)file;
    table->closes++;
    return result(table, "close");
}

static alcore_status broken_rename(void *user, const char *from, const char *to) {
    broken *table = user;
    (void)from;
    (void)to;
    table->renames++;
    return result(table, "rename");
}

static alcore_status broken_remove(void *user, const char *path) {
    (void)path;
    ((broken *)user)->removes++;
    return ALCORE_OK;
}

static void broken_destroy(void *user) {
    ((broken *)user)->destroys++;
}

static alcore_files broken_files(broken *table) {
    alcore_files files = ALCORE_FILES_INIT;
    files.user = table;
    files.destroy = broken_destroy;
    files.open = broken_open;
    files.read = broken_read;
    files.write = broken_write;
    files.sync = broken_sync;
    files.close = broken_close;
    files.rename = broken_rename;
    files.remove = broken_remove;
    return files;
}

START_TEST(each_failing_function_of_a_table_is_survived) {
    static const struct {
        const char *fails;
        int writes, syncs, renames, removes;
    } cases[] = {{"open", 0, 0, 0, 0},  {"write", 1, 0, 0, 1},  {"sync", 1, 1, 0, 1},
                 {"close", 1, 1, 0, 1}, {"rename", 1, 1, 1, 1}, {"nothing", 1, 1, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        broken table = {.fails = cases[i].fails};
        alcore_files files = broken_files(&table);
        alcore_ctx *ctx = context(&files);
        alcore__writer *writer = NULL;
        alcore_status status = alcore__writer_open(ctx, "virtual.txt", &writer);
        if (status == ALCORE_OK) {
            ck_assert_int_eq(alcore__writer_put(writer, "text", 4), ALCORE_OK);
            status = alcore__writer_commit(writer);
        }
        if (strcmp(cases[i].fails, "nothing") == 0) {
            ck_assert_int_eq(status, ALCORE_OK);
        } else {
            ck_assert_int_eq(status, -7777);
            ck_assert_ptr_nonnull(strstr(alcore_last_error(), "virtual.txt"));
            ck_assert_ptr_null(strstr(alcore_last_error(), ".alcore-"));
        }
        ck_assert_int_eq(table.opens, 1);
        ck_assert_int_eq(table.writes, cases[i].writes);
        ck_assert_int_eq(table.syncs, cases[i].syncs); /* never twice */
        ck_assert_int_eq(table.renames, cases[i].renames);
        ck_assert_int_eq(table.removes, cases[i].removes);
        ck_assert_int_eq(table.closes, strcmp(cases[i].fails, "open") != 0);
        end(ctx);
        ck_assert_int_eq(table.destroys, 1);
    }
}
END_TEST

START_TEST(a_table_may_read_short_but_not_too_much) {
    broken table = {.fails = "nothing"};
    alcore_files files = broken_files(&table);
    alcore_ctx *ctx = context(&files);
    alcore__file *file;
    int64_t length;
    size_t got;
    char data[20];
    ck_assert_int_eq(alcore__file_open(ctx, "virtual", &file), ALCORE_OK);
    ck_assert_int_eq(alcore__file_read(file, 0, data, sizeof data, &got), ALCORE_OK);
    ck_assert_uint_eq(got, 9);
    ck_assert_int_eq(alcore__file_length(file, &length), ALCORE_OK);
    ck_assert_int_eq(length, -1);
    table.fails = "too much";
    ck_assert_int_eq(alcore__file_read(file, 0, data, 5, &got), ALCORE_E_CALLBACK);
    table.fails = "read";
    ck_assert_int_eq(alcore__file_read(file, 0, data, 5, &got), -7777);
    expect_text("'virtual': reading a file failed");
    alcore__file_close(file);
    end(ctx);
}
END_TEST

START_TEST(a_missing_function_is_unsupported) {
    static const struct {
        const char *name;
        size_t offset;
        bool reads, writes;
    } cases[] = {{"open", offsetof(alcore_files, open), true, true},
                 {"close", offsetof(alcore_files, close), true, true},
                 {"read", offsetof(alcore_files, read), true, false},
                 {"write", offsetof(alcore_files, write), false, true},
                 {"rename", offsetof(alcore_files, rename), false, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        broken table = {.fails = "nothing"};
        alcore_files files = broken_files(&table);
        char text[80];
        memset((char *)&files + cases[i].offset, 0, sizeof(void *));
        alcore_ctx *ctx = context(&files);
        alcore__file *file = NULL;
        alcore__writer *writer = NULL;
        snprintf(text, sizeof text, "the context's file table has no '%s'", cases[i].name);
        ck_assert_int_eq(alcore__file_open(ctx, "virtual", &file),
                         cases[i].reads ? ALCORE_E_UNSUPPORTED : ALCORE_OK);
        if (cases[i].reads) expect_text(text);
        ck_assert_int_eq(alcore__writer_open(ctx, "virtual", &writer),
                         cases[i].writes ? ALCORE_E_UNSUPPORTED : ALCORE_OK);
        if (cases[i].writes) expect_text(text);
        alcore__file_close(file);
        alcore__writer_abort(writer);
        end(ctx);
    }
}
END_TEST

/* Without sync and remove a file is written all the same, and one that failed is left. */
START_TEST(what_a_table_may_lack) {
    broken table = {.fails = "nothing"};
    alcore_files files = broken_files(&table);
    files.sync = NULL;
    files.remove = NULL;
    alcore_ctx *ctx = context(&files);
    for (int i = 0; i < 2; i++) {
        alcore__writer *writer;
        ck_assert_int_eq(alcore__writer_open(ctx, "virtual", &writer), ALCORE_OK);
        ck_assert_int_eq(alcore__writer_put(writer, "text", 4), ALCORE_OK);
        ck_assert_int_eq(alcore__writer_commit(writer), i == 0 ? ALCORE_OK : -7777);
        table.fails = "close";
    }
    ck_assert_int_eq(table.renames, 1);
    /* A name that is taken is passed over; the age of a file has no function, and no folder is
     * made. */
    alcore__writer *writer;
    double time;
    table = (broken){.fails = "exists"};
    ck_assert_int_eq(alcore__writer_open(ctx, "virtual", &writer), ALCORE_OK);
    ck_assert_int_eq(table.opens, 3);
    alcore__writer_abort(writer);
    ck_assert_int_eq(alcore__file_time(ctx, "virtual", &time), ALCORE_E_UNSUPPORTED);
    ck_assert_int_eq(alcore__make_folder(ctx, in_folder("virtual")), ALCORE_OK);
    ck_assert_int_eq(access(in_folder("virtual"), F_OK), -1);
    end(ctx);
}
END_TEST

/* Known by every program that has XXH3 (xxh128sum), in one block and in several, with what was read
 * copied beside it. */
START_TEST(digests_are_of_the_bytes) {
    enum { MOST = (2 << 20) + 1 };
    static char bytes[MOST], copied[MOST + 1];
    static const size_t sizes[] = {0, 3, 1 << 20, (1 << 20) + 1, MOST};
    alcore_ctx *ctx = context(NULL);
    char digest[ALCORE__HASH_TEXT_BYTES], expected[ALCORE__HASH_TEXT_BYTES];
    int64_t length;
    for (size_t i = 0; i < MOST; i++) bytes[i] = (char)(i * 7 + i / 251);
    memcpy(bytes, "abc", 3);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        alcore__file *file;
        alcore__writer *copy;
        FILE *out = fopen(in_folder("digested"), "wb");
        ck_assert_uint_eq(fwrite(bytes, 1, sizes[i], out), sizes[i]);
        fclose(out);
        alcore__hash_print(alcore__hash128(bytes, sizes[i]), expected);
        ck_assert_int_eq(alcore__path_digest(ctx, in_folder("digested"), digest, &length),
                         ALCORE_OK);
        ck_assert_int_eq(length, (int64_t)sizes[i]);
        ck_assert_str_eq(digest, expected);
        if (i == 1) ck_assert_str_eq(digest, "06b05ab6733a618578af5f94892f3950");
        ck_assert_int_eq(alcore__file_open(ctx, in_folder("digested"), &file), ALCORE_OK);
        ck_assert_int_eq(alcore__writer_open(ctx, in_folder("copied"), &copy), ALCORE_OK);
        ck_assert_int_eq(alcore__file_digest(ctx, file, copy, digest, &length), ALCORE_OK);
        ck_assert_int_eq(alcore__writer_commit(copy), ALCORE_OK);
        alcore__file_close(file);
        ck_assert_str_eq(digest, expected);
        out = fopen(in_folder("copied"), "rb");
        ck_assert_uint_eq(fread(copied, 1, sizeof copied, out), sizes[i]);
        fclose(out);
        ck_assert_int_eq(memcmp(copied, bytes, sizes[i]), 0);
    }
    ck_assert_int_eq(alcore__path_digest(ctx, in_folder("absent"), digest, &length), ALCORE_E_IO);
    ck_assert_str_eq(digest, "");
    end(ctx);
}
END_TEST

CHECK_SUITE("files", digests_are_of_the_bytes, a_file_is_read_at_any_offset,
            what_cannot_be_opened_is_named, descriptors_are_not_inherited,
            a_stream_is_read_with_rising_offsets, a_written_file_appears_whole,
            an_aborted_file_never_was, what_cannot_be_written_is_named,
            a_device_is_written_as_it_is, links_and_modes_stay, names_of_others_are_passed_over,
            a_full_disk_is_reported, each_failing_function_of_a_table_is_survived,
            a_table_may_read_short_but_not_too_much, a_missing_function_is_unsupported,
            what_a_table_may_lack);
