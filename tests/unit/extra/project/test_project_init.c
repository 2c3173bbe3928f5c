/* SPDX-License-Identifier: Apache-2.0 */
/* Making a project: with settings, and what is left by each kind of failure: nothing. */
#include "project_bed.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault_allocator.h"

/* Whether something of that name is in the bed. */
static bool is_there(const char *name) {
    struct stat info;
    return lstat(in_bed(name), &info) == 0;
}

/* Entries of a folder in the bed. */
static int entries_of(const char *name) {
    int count = 0;
    DIR *listing = opendir(in_bed(name));
    ck_assert_ptr_nonnull(listing);
    for (const struct dirent *entry; (entry = readdir(listing));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(listing);
    return count;
}

/* Makes "p" with one setting; the project is closed. */
static alcore_status init_one(alcore_ctx *own, const char *name, const char *value) {
    alcore_project *project;
    const alcore_status status = alcore_project_init(own, in_bed("p"), &name, &value, 1, &project);
    if (status != ALCORE_OK) ck_assert_ptr_null(project);
    alcore_project_unref(project);
    return status;
}

static void check_verifies(void) {
    alcore_project *project;
    ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &project));
    ck_assert_ok(alcore_project_verify(project));
    alcore_project_unref(project);
}

/* The strategy is set before its parameters, wherever it stands. */
START_TEST(with_settings) {
    static const char *const names[] = {"lambda", "budget", "strategy", "tie"};
    static const char *const values[] = {"0.25", "7w", "huds", NULL};
    alcore_project *project;
    const char *value, *document;
    ck_assert_ok(alcore_project_init(ctx, in_bed("p"), names, values, 4, &project));
    ck_assert_ok(alcore_project_get(project, "lambda", &value));
    ck_assert_str_eq(value, "0.25");
    ck_assert_ok(alcore_project_get(project, "budget", &value));
    ck_assert_str_eq(value, "7w");
    ck_assert_ok(alcore_project_get(project, "tie", &value));
    ck_assert_str_eq(value, "index");
    ck_assert_ok(alcore_project_document(project, &document));
    const char *const log = strstr(document, "\"steps\"");
    const char *const first = strstr(log, "\"init\""), *const second = strstr(log, "\"huds\"");
    ck_assert(first && second && first < second && second < strstr(log, "\"0.25\""));
    alcore_project_unref(project);
    ck_assert_ok(alcore_project_init(ctx, in_bed("q"), NULL, NULL, 0, &project));
    alcore_project_unref(project);
    ck_assert_fails(alcore_project_init(ctx, in_bed("r"), NULL, values, 1, &project),
                    ALCORE_E_INVALID, "names and values");
    ck_assert_fails(alcore_project_init(ctx, in_bed("r"), names, values, -1, &project),
                    ALCORE_E_INVALID, "names and values");
    ck_assert_fails(alcore_project_init(ctx, in_bed("r"), values + 3, values, 1, &project),
                    ALCORE_E_INVALID, "setting 0 is NULL");
    ck_assert(!is_there("r"));
}
END_TEST

/* A folder that was not there is not there again; one that was there is as empty as it was. */
START_TEST(refused_settings) {
    static const struct {
        const char *name, *value, *says;
    } refused[] = {{"budget", "few", "few"},
                   {"budgte", "3", "did you mean 'budget'"},
                   {"lambda", "x", "lambda"},
                   {"strategy", "none such", "none such"},
                   {"sticky", "1", "sticky"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ck_assert_fails(init_one(ctx, refused[i].name, refused[i].value), ALCORE_E_PARAM,
                        refused[i].says);
        ck_assert(!is_there("p"));
    }
    ck_assert_int_eq(mkdir(in_bed("p"), 0777), 0);
    ck_assert_fails(init_one(ctx, "budget", "few"), ALCORE_E_PARAM, "few");
    ck_assert_int_eq(entries_of("p"), 0);
    ck_assert_ok(init_one(ctx, "budget", "5"));
    check_verifies();
}
END_TEST

/* What a killed process left is taken over, or removed with the rest. */
START_TEST(after_a_kill) {
    for (int fails = 1; fails >= 0; fails--) {
        if (!is_there("p")) ck_assert_int_eq(mkdir(in_bed("p"), 0777), 0);
        ck_assert_int_eq(mkdir(in_bed("p/blobs"), 0777), 0);
        bed_put("p/project.sqlite", "");
        bed_put("p/project.sqlite-journal", "");
        if (!fails) break;
        ck_assert_fails(init_one(ctx, "budget", "few"), ALCORE_E_PARAM, "few");
        ck_assert_int_eq(entries_of("p"), 0);
    }
    ck_assert_ok(init_one(ctx, "budget", "5"));
    check_verifies();
}
END_TEST

/* A project that is there, and what is none of ours, stay as they are. */
START_TEST(what_was_there) {
    ck_assert_ok(init_one(ctx, "budget", "5"));
    ck_assert_fails(init_one(ctx, "budget", "few"), ALCORE_E_IO, "already");
    check_verifies();
    ck_assert_int_eq(mkdir(in_bed("q"), 0777), 0);
    bed_put("q/mine.txt", "x");
    alcore_project *project;
    ck_assert_fails(alcore_project_init(ctx, in_bed("q"), NULL, NULL, 0, &project), ALCORE_E_IO,
                    "mine.txt");
    ck_assert_int_eq(entries_of("q"), 1);
    ck_assert_int_eq(unlink(in_bed("q/mine.txt")), 0);
    bed_put("q/project.sqlite", "this is another file, which somebody may still want to have");
    ck_assert_fails(alcore_project_init(ctx, in_bed("q"), NULL, NULL, 0, &project), ALCORE_E_DATA,
                    "not a database");
    ck_assert_int_eq(entries_of("q"), 1);
    bed_put("file", "x");
    ck_assert_fails(alcore_project_init(ctx, in_bed("file"), NULL, NULL, 0, &project), ALCORE_E_IO,
                    "file");
    ck_assert(is_there("file"));
}
END_TEST

/* Files may not grow beyond a size. */
START_TEST(no_room) {
    struct rlimit before, limit;
    alcore_status status = ALCORE_E_IO;
    int failures = 0;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    for (limit.rlim_cur = 0; status != ALCORE_OK; limit.rlim_cur += 1500) {
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        status = init_one(ctx, "budget", "5");
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
        if (status == ALCORE_OK) break;
        ck_assert_int_eq(status, ALCORE_E_IO);
        ck_assert(!is_there("p"));
        failures++;
    }
    ck_assert_int_gt(failures, 5);
    check_verifies();
}
END_TEST

/* Each allocation fails once. */
START_TEST(no_memory) {
    fault_allocator fault = {0};
    int failures = 0;
    alcore_ctx *own = fault_context(&fault, 0);
    for (long long call = 1;; call++) {
        fault_arm(&fault, call, 0);
        const alcore_status status = init_one(own, "budget", "5");
        const long long failed = atomic_load(&fault.failures);
        fault_arm(&fault, 0, 0);
        if (failed == 0) {
            ck_assert_ok(status);
            break;
        }
        if (status == ALCORE_OK) { /* it could do without */
            test_folder_remove(in_bed("p"));
            continue;
        }
        ck_assert_int_eq(status, ALCORE_E_NOMEM);
        ck_assert(!is_there("p"));
        failures++;
    }
    ck_assert_int_gt(failures, 10);
    check_verifies();
    alcore_ctx_unref(own);
    ck_assert_int_eq(atomic_load(&fault.live_blocks), 0);
}
END_TEST

/* While another process makes a project there, the folder is its. */
START_TEST(another_process) {
    ck_assert_int_eq(mkdir(in_bed("p"), 0777), 0);
    const int folder = open(in_bed("p"), O_RDONLY | O_DIRECTORY);
    ck_assert_int_eq(flock(folder, LOCK_EX), 0);
    bed_put("p/project.sqlite", "");
    ck_assert_fails(init_one(ctx, "budget", "few"), ALCORE_E_BUSY, "another process makes");
    ck_assert_int_eq(entries_of("p"), 1);
    close(folder);
    ck_assert_ok(init_one(ctx, "budget", "5"));
}
END_TEST

/* One that fails and one that does not, at once: what the second one made stays. */
START_TEST(two_at_once) {
    enum { TIMES = 30 };
    for (int i = 0; i < TIMES; i++) {
        pid_t children[2];
        int ends[2], made = 0;
        for (int k = 0; k < 2; k++) {
            children[k] = fork();
            if (children[k] != 0) continue;
            alcore_ctx *own;
            if (alcore_ctx_new(NULL, &own) != ALCORE_OK) _exit(99);
            const alcore_status status = init_one(own, "budget", k ? "5" : "few");
            _exit(status == ALCORE_OK        ? 0
                  : status == ALCORE_E_PARAM ? 1
                  : status == ALCORE_E_BUSY  ? 2
                  : status == ALCORE_E_IO    ? 3
                                             : 4);
        }
        for (int k = 0; k < 2; k++) {
            ck_assert_int_eq(waitpid(children[k], &ends[k], 0), children[k]);
            ends[k] = WEXITSTATUS(ends[k]);
            made += ends[k] == 0;
        }
        ck_assert_msg(ends[0] == 1 || ends[0] == 2 || (ends[0] == 3 && made), "%d", ends[0]);
        ck_assert_msg(ends[1] == 0 || ends[1] == 2, "%d", ends[1]);
        if (made) check_verifies();
        ck_assert_int_eq(is_there("p"), made);
        if (made) test_folder_remove(in_bed("p"));
    }
}
END_TEST

CHECK_SUITE_WITH("project_init", bed_setup, bed_teardown, with_settings, refused_settings,
                 after_a_kill, what_was_there, no_room, no_memory, another_process, two_at_once);
