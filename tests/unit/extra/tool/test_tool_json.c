/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of tools that are JSON: what goes out is, byte for byte, what lies in files/, which the
 * tools' own packages read (tests/engines/current/make_*.py). ALCORE_RENEW_TOOL_FILES=1 writes the
 * files that go out anew. */
#include "check_suite.h"

#include <math.h>
#include <stdbool.h>

#include "tool_listing.h"

static const char *in_folder(const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* A whole file; the result is the caller's. */
static char *get(const char *name) {
    FILE *file = fopen(name, "rb");
    char *text = calloc(1, 1 << 16);
    ck_assert_msg(file != NULL, "%s is not there", name);
    text[fread(text, 1, (1 << 16) - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* ---- out ---- */

/* What holds in every text: characters beyond the basic plane before the words, markup, quotes. */
static const char *const ids[] = {"s:1", "s:2", "s:3"};
static const char *const texts[] = {"\xF0\x9F\x98\x80 Anna Li lives in Paris",
                                    "<b>\"Stop\" & go</b>\nnow",
                                    "\xF0\x9D\x95\x8F\xF0\x9D\x95\x8F K\xC3\xB6ln"};
static const char *const contexts[] = {"She said: \xF0\x9F\x98\x80 Anna Li lives in Paris.", NULL,
                                       "Dom of \xF0\x9D\x95\x8F\xF0\x9D\x95\x8F K\xC3\xB6ln"};
static const char *const reasons[] = {"far from all others", NULL, NULL};
static const double scores[] = {0.875, 0.5, (double)NAN}, costs[] = {5, 3, 2};
static const char *const labels[] = {"PER", "LOC & \"GPE\""};
static const char *const drafts[][3] = {
    {"\xF0\x9F\x98\x80 Anna Li wohnt in \xE2\x80\x9EParis\"", NULL, NULL},
    {"PER\tLOC & \"GPE\"", NULL, "LOC & \"GPE\""},
    {"[[2,9,\"PER\"],[19,24,\"LOC & \\\"GPE\\\"\"]]", "[]", "[[3,7,\"LOC & \\\"GPE\\\"\"]]"},
    {"O PER PER O O LOC", NULL, "O LOC"}};

/* Compares a file that was written with the one that is kept. */
static void compare(const char *written, const char *kept) {
    char place[512];
    snprintf(place, sizeof place, TOOL_FILES "/%s", kept);
    char *text = get(written);
    if (getenv("ALCORE_RENEW_TOOL_FILES")) {
        FILE *file = fopen(place, "wb");
        ck_assert_ptr_nonnull(file);
        fputs(text, file);
        fclose(file);
    }
    char *wanted = get(place);
    ck_assert_msg(strcmp(text, wanted) == 0, "%s is now:\n%s", kept, text);
    free(wanted);
    free(text);
}

/* Writes the items for a task and compares the file, and the settings beside it. */
static void check_out(const char *tool, int32_t task, const char *name, const char *suffix,
                      const char *settings) {
    const char *const words[] = {"PER", "LOC"};
    const bool tags = task == ALCORE_TASK_TAGS;
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    char file[64], kept[96];
    items.count = 3;
    items.ids = ids;
    items.texts = texts;
    items.contexts = contexts;
    items.reasons = reasons;
    items.scores = scores;
    items.costs = costs;
    items.drafts = drafts[task - ALCORE_TASK_TRANSLATION];
    snprintf(file, sizeof file, "%s%s", name, suffix);
    ck_assert_ok(alcore_tool_write(ctx, tool, in_folder(file), &items,
                                   OPTIONS(.task = task, .labels = tags ? words : labels,
                                           .label_count = 2, .batch = "round 3",
                                           .source_language = "en", .target_language = "de")));
    snprintf(kept, sizeof kept, "%s-%s", tool, file);
    compare(path, kept);
    if (!settings) return;
    snprintf(file, sizeof file, "%s%s", name, settings);
    snprintf(kept, sizeof kept, "%s-%s", tool, file);
    compare(in_folder(file), kept);
}

/* A question about a passage; one without a passage cannot be asked. */
START_TEST(test_out_squad) {
    static const char *const questions[] = {"Where does Anna live?", "Who lives in Paris?"};
    static const char *const passages[] = {FACE " Anna Li lives in Paris.", FACE " Anna Li."};
    static const char *const answers[] = {"Paris", NULL}, *const groups[] = {"Anna", NULL};
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    items.count = 2;
    items.ids = ids;
    items.texts = questions;
    items.contexts = passages;
    items.drafts = answers;
    items.groups = groups;
    items.scores = scores;
    ck_assert_ok(alcore_tool_write(ctx, "squad", in_folder("translation.json"), &items,
                                   OPTIONS(.batch = "round 3")));
    compare(path, "squad-translation.json");
    items.contexts = contexts;
    ck_assert_fails(alcore_tool_write(ctx, "squad", in_folder("x.json"), &items, NULL),
                    ALCORE_E_DATA, "item 2 (s:2): squad asks about a context, and it has none");
    ck_assert_ptr_null(fopen(in_folder("x.json"), "rb"));
}
END_TEST

/* Words and tags: labels without spaces. */
START_TEST(test_out_conll) {
    static const char *const words[] = {"PER", "LOC"};
    static const char *const tags[] = {"[[19,24,\"LOC\"],[2,9,\"PER\"]]", NULL, "[[1,4,\"LOC\"]]"};
    static const char *const names[] = {"spans.conll", "tags.conll"};
    static const char *const some[] = {FACE " Anna Li lives in Paris", "<b>\"Stop\" & go</b>\nnow",
                                       "\xE4\xB8\x80\xE4\xBA\x8C\xE4\xB8\x89 (x)."};
    for (int i = 0; i < 2; i++) {
        alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
        char kept[64];
        items.count = 3;
        items.ids = ids;
        items.texts = some;
        items.contexts = contexts;
        items.scores = scores;
        items.drafts = i == 0 ? tags : drafts[3];
        ck_assert_ok(alcore_tool_write(ctx, "conll", in_folder(names[i]), &items,
                                       OPTIONS(.task = ALCORE_TASK_SPANS + i, .labels = words,
                                               .label_count = 2, .batch = "round 3")));
        snprintf(kept, sizeof kept, "conll-%s", names[i]);
        compare(path, kept);
    }
}
END_TEST

/* One document, whose offsets count UTF-16 code units; a draft is not written. */
START_TEST(test_out_inception) {
    static const char *const some[] = {FACE " Anna Li lives in Paris",
                                       "<b>\"Stop\" & go</b>\n\tnow\\",
                                       "\xE4\xB8\x80\xE4\xBA\x8C\xE4\xB8\x89 (x)."};
    static const char *const names[] = {"spans.tsv", "tags.tsv"}, *const space[] = {" x"};
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    for (int i = 0; i < 2; i++) {
        char kept[64];
        items.count = 3;
        items.ids = ids;
        items.texts = some;
        items.drafts = drafts[3];
        ck_assert_ok(alcore_tool_write(ctx, "inception", in_folder(names[i]), &items,
                                       OPTIONS(.task = ALCORE_TASK_SPANS + i)));
        snprintf(kept, sizeof kept, "inception-%s", names[i]);
        compare(path, kept);
    }
    items.count = 1;
    items.texts = space;
    ck_assert_fails(alcore_tool_write(ctx, "inception", in_folder("x.tsv"), &items,
                                      OPTIONS(.task = ALCORE_TASK_SPANS)),
                    ALCORE_E_DATA, "item 1 (s:1): a sentence of WebAnno TSV begins with a word");
}
END_TEST

/* The file and the settings beside it, for each of the tasks up to one. */
static void check_tasks(const char *tool, int32_t last, const char *suffix, const char *settings) {
    static const char *const names[] = {"translation", "classes", "spans", "tags"};
    for (int32_t task = ALCORE_TASK_TRANSLATION; task <= last; task++)
        check_out(tool, task, names[task - ALCORE_TASK_TRANSLATION], suffix, settings);
}

START_TEST(test_out) {
    check_tasks("label-studio", ALCORE_TASK_TAGS, ".json", ".config.xml");
    check_tasks("doccano", ALCORE_TASK_TAGS, ".jsonl", NULL);
    check_tasks("argilla", ALCORE_TASK_TAGS, ".json", ".settings.json");
    check_tasks("prodigy", ALCORE_TASK_TAGS, ".jsonl", NULL);
    check_tasks("potato", ALCORE_TASK_SPANS, ".jsonl", ".yaml");
    check_tasks("translations", ALCORE_TASK_TRANSLATION, ".jsonl", NULL);
}
END_TEST

/* A tool whose settings list the labels needs some, for any task but translation. */
START_TEST(test_labels) {
    static const char *const needing[] = {"label-studio", "argilla", "potato"};
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    char wanted[96];
    items.count = 1;
    items.ids = ids;
    items.texts = texts;
    for (size_t i = 0; i < sizeof needing / sizeof *needing; i++) {
        snprintf(wanted, sizeof wanted, "%s lists its labels: the task classes needs labels",
                 needing[i]);
        ck_assert_fails(alcore_tool_write(ctx, needing[i], in_folder("x"), &items,
                                          OPTIONS(.task = ALCORE_TASK_CLASSES)),
                        ALCORE_E_PARAM, wanted);
        ck_assert_ok(alcore_tool_write(ctx, needing[i], in_folder("x"), &items, NULL));
    }
    ck_assert_ok(alcore_tool_write(ctx, "doccano", in_folder("x"), &items,
                                   OPTIONS(.task = ALCORE_TASK_CLASSES)));
}
END_TEST

CHECK_SUITE_WITH("tool_json", setup, teardown, test_out, test_labels, test_out_squad,
                 test_out_conll, test_out_inception);
