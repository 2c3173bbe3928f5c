/* SPDX-License-Identifier: Apache-2.0 */
/* Writing and reading the files of tools where memory or the disk ends, or the
 * caller says stop: nothing leaks, and no half of a file stays. */
#include "check_suite.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "alcore/extra/tool.h"
#include "check_status.h"
#include "fault_allocator.h"
#include "options_with.h"
#include "test_folder.h"

#define OPTIONS(...) OPTIONS_WITH(alcore_tool_options, __VA_ARGS__)

static const char *const ids[] = {"a", "b"}, *const texts[] = {"Anna in Paris.", "x y z"};
static const char *const contexts[] = {"Anna in Paris. x", "x y z"}, *const labels[] = {"P", "L"};
static const char *const drafts[][2] = {
    {"Anna", NULL}, {"P\tL", NULL}, {"[[0,4,\"P\"],[8,13,\"L\"]]", NULL}, {"P O L", NULL}};

/* The tools, the last task of each, and what came back of the tasks, in files/. */
static const struct {
    const char *tool, *suffix;
    int32_t first, last;
    const char *back[4];
} forms[] = {
    {"page",
     ".html",
     ALCORE_TASK_TRANSLATION,
     ALCORE_TASK_TAGS,
     {"page-translation.back.json", "page-classes.back.json", "page-spans.back.json",
      "page-tags.back.json"}},
    {"label-studio",
     ".json",
     ALCORE_TASK_TRANSLATION,
     ALCORE_TASK_TAGS,
     {"label-studio-translation.full.json", "label-studio-classes.min.json",
      "label-studio-spans.full.json", "label-studio-tags.min.json"}},
    {"doccano",
     ".jsonl",
     ALCORE_TASK_TRANSLATION,
     ALCORE_TASK_TAGS,
     {"doccano-translation.back.jsonl", "doccano-classes.back.jsonl", "doccano-spans.back.jsonl",
      "doccano-tags.back.jsonl"}},
    {"argilla",
     ".json",
     ALCORE_TASK_TRANSLATION,
     ALCORE_TASK_TAGS,
     {"argilla-translation.flat.json", "argilla-classes.nested.json", "argilla-spans.flat.json",
      "argilla-tags.nested.json"}},
    {"prodigy",
     ".jsonl",
     ALCORE_TASK_TRANSLATION,
     ALCORE_TASK_TAGS,
     {"prodigy-translation.jsonl", "prodigy-classes.jsonl", "prodigy-spans.back.jsonl",
      "prodigy-spans.back.jsonl"}},
    {"potato",
     ".jsonl",
     ALCORE_TASK_TRANSLATION,
     ALCORE_TASK_SPANS,
     {"potato-translation.back.jsonl", "potato-classes.back.jsonl", "potato-spans.back.jsonl",
      NULL}},
    {"squad",
     ".json",
     ALCORE_TASK_TRANSLATION,
     ALCORE_TASK_TRANSLATION,
     {"squad-translation.back.json", NULL, NULL, NULL}},
    {"translations",
     ".jsonl",
     ALCORE_TASK_TRANSLATION,
     ALCORE_TASK_TRANSLATION,
     {"translations-translation.back.jsonl", NULL, NULL, NULL}},
    {"conll",
     ".conll",
     ALCORE_TASK_SPANS,
     ALCORE_TASK_TAGS,
     {NULL, NULL, "conll-spans.conll", "conll-tags.conll"}},
    {"inception",
     ".tsv",
     ALCORE_TASK_SPANS,
     ALCORE_TASK_TAGS,
     {NULL, NULL, "inception-spans.back.tsv", "inception-tags.tsv"}},
#define TRANSLATORS(tool, suffix, back)                                                            \
    {                                                                                              \
        tool, suffix, ALCORE_TASK_TRANSLATION, ALCORE_TASK_TRANSLATION, {                          \
            back                                                                                   \
        }                                                                                          \
    }
    TRANSLATORS("po", ".po", "translators.toolkit.po"),
    TRANSLATORS("csv", ".csv", "translators.libreoffice.csv"),
#ifdef ALCORE_HAVE_EXPAT
    TRANSLATORS("xliff", ".xlf", "translators.toolkit.xlf"),
    TRANSLATORS("xliff2", ".xlf", "translators2.toolkit.xlf"),
    TRANSLATORS("tmx", ".tmx", "translators.toolkit.tmx"),
#if defined ALCORE_HAVE_XLSXWRITER && defined ALCORE_HAVE_ZLIB
    TRANSLATORS("xlsx", ".xlsx", "translators.libreoffice.xlsx"),
#endif
#endif
};
enum { FORMS = sizeof forms / sizeof *forms };

static fault_allocator fault;
static alcore_ctx *ctx;
static char folder[TEST_PATH_BYTES], path[TEST_PATH_BYTES + 64];
static int32_t stop; /* what progress answers */

static int32_t answer_progress(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user, (void)stage, (void)done, (void)total;
    return stop;
}

static void setup(void) {
    alcore_allocator table = fault_table(&fault);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.allocator = &table;
    options.threads = 1;
    options.progress = answer_progress;
    test_folder_make(folder, "tools");
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(atomic_load(&fault.live_blocks), 0);
    test_folder_remove(folder);
}

/* Files in the folder. */
static int files(void) {
    DIR *listed = opendir(folder);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(listed));) count += entry->d_name[0] != '.';
    closedir(listed);
    return count;
}

/* Writes two items as form f for a task, as NUMBER.SUFFIX. */
static alcore_status write_items(int f, int32_t task, int number) {
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    items.count = 2;
    items.ids = ids;
    items.texts = texts;
    items.contexts = contexts;
    items.drafts = drafts[task - ALCORE_TASK_TRANSLATION];
    snprintf(path, sizeof path, "%s/%d%s", folder, number, forms[f].suffix);
    return alcore_tool_write(ctx, forms[f].tool, path, &items,
                             OPTIONS(.task = task, .labels = labels, .label_count = 2,
                                     .source_language = "en", .target_language = "de"));
}

START_TEST(test_memory_of_writing) {
    for (int32_t task = forms[_i].first; task <= forms[_i].last; task++)
        for (long long call = 1;; call++) {
            ck_assert_int_eq(files(), 0);
            fault_arm(&fault, call, 0);
            const alcore_status status = write_items(_i, task, 1);
            const bool failed = atomic_load(&fault.failures) > 0;
            fault_arm(&fault, 0, 0);
            ck_assert_int_eq(status, failed ? ALCORE_E_NOMEM : ALCORE_OK);
            if (failed) continue;
            ck_assert_int_gt(call, 3);
            ck_assert_int_gt(files(), 0);
            test_folder_remove(folder);
            test_folder_make(folder, "tools");
            break;
        }
}
END_TEST

START_TEST(test_memory_of_reading) {
    for (int32_t task = forms[_i].first; task <= forms[_i].last; task++) {
        const long long blocks = atomic_load(&fault.live_blocks);
        snprintf(path, sizeof path, TOOL_FILES "/%s",
                 forms[_i].back[task - ALCORE_TASK_TRANSLATION]);
        for (long long call = 1;; call++) {
            alcore_tool_answers *answers = (alcore_tool_answers *)path;
            fault_arm(&fault, call, 0);
            const alcore_status status =
                alcore_tool_read(ctx, forms[_i].tool, path,
                                 OPTIONS(.task = task, .source_language = "en"), &answers);
            const bool failed = atomic_load(&fault.failures) > 0;
            fault_arm(&fault, 0, 0);
            ck_assert_int_eq(status, failed ? ALCORE_E_NOMEM : ALCORE_OK);
            ck_assert_int_eq(answers == NULL, failed);
            alcore_tool_answers_unref(answers);
            ck_assert_int_eq(atomic_load(&fault.live_blocks), blocks);
            if (failed) continue;
            ck_assert_int_gt(call, 5);
            break;
        }
    }
}
END_TEST

/* A file cannot grow: neither the file nor the settings beside it appear. */
START_TEST(test_full_disk) {
    const struct rlimit few = {64, RLIM_INFINITY}, no_limit = {RLIM_INFINITY, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &few), 0);
    const alcore_status status = write_items(_i, forms[_i].first, 1);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &no_limit), 0);
    ck_assert_int_eq(status, ALCORE_E_IO);
    ck_assert_int_eq(files(), 0);
}
END_TEST

/* Many items: progress is asked, and its answer ends both ways. */
START_TEST(test_cancel) {
    enum { MANY = 400000 };
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    alcore_tool_answers *answers;
    char(*names)[12] = malloc(MANY * sizeof *names);
    const char **id_list = malloc(MANY * sizeof *id_list);
    const char **text_list = malloc(MANY * sizeof *text_list);
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof *names, "%d", i);
        id_list[i] = names[i];
        text_list[i] = "some words of a text that is as long as a sentence";
    }
    items.count = MANY;
    items.ids = id_list;
    items.texts = text_list;
    snprintf(path, sizeof path, "%s/many.jsonl", folder);
    stop = 1;
    ck_assert_int_eq(alcore_tool_write(ctx, "doccano", path, &items, NULL), ALCORE_E_CANCELLED);
    ck_assert_int_eq(files(), 0);
    stop = 0;
    ck_assert_ok(alcore_tool_write(ctx, "doccano", path, &items, NULL));
    stop = 1;
    ck_assert_int_eq(alcore_tool_read(ctx, "doccano", path, NULL, &answers), ALCORE_E_CANCELLED);
    stop = 0;
    ck_assert_ok(alcore_tool_read(ctx, "doccano", path, NULL, &answers));
    ck_assert_int_eq(alcore_tool_answers_count(answers), 0);
    alcore_tool_answers_unref(answers);
    free(names), free(id_list), free(text_list);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("tool_faults");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, test_memory_of_writing, 0, FORMS);
    tcase_add_loop_test(tests, test_memory_of_reading, 0, FORMS);
    tcase_add_loop_test(tests, test_full_disk, 0, FORMS);
    tcase_add_test(tests, test_cancel);
    return check_suite_run("tool_faults", tests);
}
