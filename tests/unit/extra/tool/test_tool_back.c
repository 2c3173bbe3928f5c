/* SPDX-License-Identifier: Apache-2.0 */
/* What people did in tools of JSON comes back as answers: exports that the tools' packages wrote of
 * the files of test_tool_json.c (tests/engines/current), and records that cannot be used. */
#include "check_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/extra/tool.h"
#include "check_status.h"
#include "options_with.h"
#include "test_folder.h"

#define OPTIONS(...) OPTIONS_WITH(alcore_tool_options, __VA_ARGS__)
#define FACE "\xF0\x9F\x98\x80"
#define ANNOTATOR_1 "00000000-0000-0000-0000-000000000001"
#define ANNOTATOR_2 "00000000-0000-0000-0000-000000000002"

static alcore_ctx *ctx;
static char folder[TEST_PATH_BYTES], path[TEST_PATH_BYTES + 64], listing[8192];

static void setup(void) {
    test_folder_make(folder, "tools");
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
    test_folder_remove(folder);
}

static const char *put(const char *name, const char *text) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static const char *kept(const char *name) {
    snprintf(path, sizeof path, TOOL_FILES "/%s", name);
    return path;
}

static void append(const char *text) {
    const size_t used = strlen(listing);
    snprintf(listing + used, sizeof listing - used, "%s", text ? text : "-");
}

/* All answers, a line each: "ID STATUS VALUE / ANNOTATOR", seconds and comment where there are
 * any; then why others could not be used, without the path. */
static const char *answers_of(const char *tool, const char *file,
                              const alcore_tool_options *options) {
    alcore_tool_answers *answers = NULL;
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    ck_assert_ok(alcore_tool_read(ctx, tool, file, options, &answers));
    listing[0] = '\0';
    for (int64_t i = 0; alcore_tool_answers_get(answers, i, &answer) == ALCORE_OK; i++) {
        char seconds[32] = "";
        if (answer.seconds == answer.seconds) snprintf(seconds, 32, ", %g s", answer.seconds);
        append(answer.id), append(" "), append(answer.status), append(" "), append(answer.value);
        append(" / "), append(answer.annotator), append(seconds);
        if (answer.comment) append(", "), append(answer.comment);
        append("\n");
    }
    const char *messages = alcore_tool_answers_messages(answers);
    ck_assert_int_eq(alcore_tool_answers_unusable(answers) > 0, *messages != '\0');
    while (*messages) {
        ck_assert_int_eq(strncmp(messages, file, strlen(file)), 0);
        const size_t used = strlen(listing), line = strcspn(messages, "\n") + 1;
        snprintf(listing + used, sizeof listing - used, "%.*s", (int)(line - strlen(file) - 1),
                 messages + strlen(file) + 1);
        messages += line;
    }
    alcore_tool_answers_unref(answers);
    return listing;
}

#define CLASSES OPTIONS(.task = ALCORE_TASK_CLASSES)
#define SPANS OPTIONS(.task = ALCORE_TASK_SPANS)
#define TAGS OPTIONS(.task = ALCORE_TASK_TAGS)

/* Spans and tags as both exports of Label Studio and of Argilla, doccano and potato have them: the
 * first text has a character beyond the basic plane before the names, the third two. */
#define SPANS_1 "[[2,9,\"PER\"],[19,24,\"LOC & \\\"GPE\\\"\"]]"
#define BOTH "LOC & \"GPE\"\tPER"

START_TEST(test_label_studio) {
    static const char *const exports[] = {"full", "min"};
    static const char skipped[] = "s:3 skip - / annotator2@example.org, 1 s\n";
    char name[64], wanted[256];
    ck_assert_str_eq(answers_of("label-studio", kept("label-studio-translation.full.json"), NULL),
                     "s:1 ok " FACE " Anna Li lebt in Paris / 1, 12.5 s\n"
                     "s:1 ok " FACE " Anna Li wohnt in \xE2\x80\x9EParis\" / "
                     "annotator2@example.org, 30 s\n"
                     "s:2 skip - / 1, 3.25 s\n"
                     "s:3 draft K\xC3\xB6ln? / annotator1@example.org, 2.5 s\n");
    ck_assert_str_eq(answers_of("label-studio", kept("label-studio-translation.min.json"), NULL),
                     "s:1 ok " FACE " Anna Li wohnt in \xE2\x80\x9EParis\" / "
                     "annotator2@example.org, 30 s\n"
                     "s:1 ok " FACE " Anna Li lebt in Paris / 1, 12.5 s\n");
    for (int i = 0; i < 2; i++) { /* JSON_MIN leaves out what is skipped */
        snprintf(name, sizeof name, "label-studio-classes.%s.json", exports[i]);
        snprintf(wanted, sizeof wanted, "s:1 ok PER / 1, 2.5 s\ns:2 ok " BOTH " / 1, 4 s\n%s",
                 i == 0 ? skipped : "");
        ck_assert_str_eq(answers_of("label-studio", kept(name), CLASSES), wanted);
        snprintf(name, sizeof name, "label-studio-spans.%s.json", exports[i]);
        ck_assert_str_eq(answers_of("label-studio", kept(name), SPANS),
                         "s:1 ok " SPANS_1 " / 1, 9 s\ns:2 ok [] / 1, 2 s\n"
                         "s:3 ok [[0,2,\"PER\"]] / 1, 3 s\n");
        snprintf(name, sizeof name, "label-studio-tags.%s.json", exports[i]);
        ck_assert_str_eq(answers_of("label-studio", kept(name), TAGS),
                         "s:1 ok O PER PER O O LOC / 1, 9 s\n"
                         "s:2 ok O O O O / annotator2@example.org, 2 s\n");
    }
}
END_TEST

/* An example without a label may be one that nobody looked at. */
START_TEST(test_doccano) {
    ck_assert_str_eq(answers_of("doccano", kept("doccano-translation.back.jsonl"), NULL),
                     "s:1 ok " FACE " Anna Li lebt in Paris / -, sure?\n"
                     "s:3 ok \xF0\x9D\x95\x8F\xF0\x9D\x95\x8F Cologne / -\n");
    ck_assert_str_eq(answers_of("doccano", kept("doccano-classes.back.jsonl"), CLASSES),
                     "s:1 ok PER / -, sure?\ns:2 ok " BOTH " / -\n");
    ck_assert_str_eq(answers_of("doccano", kept("doccano-spans.back.jsonl"), SPANS),
                     "s:1 ok " SPANS_1 " / -, sure?\ns:3 ok [[0,2,\"PER\"]] / -\n");
    ck_assert_str_eq(answers_of("doccano", kept("doccano-relations.back.jsonl"), SPANS),
                     "s:1 ok " SPANS_1 " / -, sure?\ns:3 ok [[0,2,\"PER\"]] / -\n");
    ck_assert_str_eq(answers_of("doccano", kept("doccano-tags.back.jsonl"), TAGS),
                     "s:1 ok O PER PER O O LOC / -, sure?\n");
    /* Two people translated it in a project that they share; a draft that came back is none. */
    ck_assert_str_eq(answers_of("doccano",
                                put("d.jsonl", "{\"al_id\":\"a\",\"label\":[\"x\",\"y\"]}\n\n"
                                               "{\"al_id\":\"b\",\"label\":[],\"draft\":\"z\"}\n"),
                                NULL),
                     "a ok x / 1\na ok y / 2\n");
}
END_TEST

START_TEST(test_argilla) {
    ck_assert_str_eq(answers_of("argilla", kept("argilla-translation.flat.json"), NULL),
                     "s:1 ok " FACE " Anna Li lebt in Paris / " ANNOTATOR_1 "\n"
                     "s:1 draft " FACE " Anna / " ANNOTATOR_2 "\n"
                     "s:2 skip - / " ANNOTATOR_1 "\n"
                     "s:3 draft K\xC3\xB6ln / " ANNOTATOR_2 "\n");
    ck_assert_str_eq(answers_of("argilla", kept("argilla-translation.nested.json"), NULL),
                     "s:3 draft K\xC3\xB6ln / " ANNOTATOR_2 "\n"
                     "1: item s:1 has several responses, and which of them are drafts is not said: "
                     "export to_list(flatten=True)\n");
    ck_assert_str_eq(answers_of("argilla", kept("argilla-classes.flat.json"), CLASSES),
                     "s:1 ok PER / " ANNOTATOR_1 "\ns:2 ok " BOTH " / " ANNOTATOR_1
                     "\ns:3 skip - / " ANNOTATOR_1 "\n");
    ck_assert_str_eq(answers_of("argilla", kept("argilla-classes.nested.json"), CLASSES),
                     "s:1 ok PER / " ANNOTATOR_1 "\ns:2 ok " BOTH " / " ANNOTATOR_1
                     "\ns:3 draft PER / " ANNOTATOR_1 "\n");
    static const char *const exports[] = {"argilla-spans.flat.json", "argilla-spans.nested.json"};
    for (int i = 0; i < 2; i++)
        ck_assert_str_eq(answers_of("argilla", kept(exports[i]), SPANS),
                         "s:1 ok " SPANS_1 " / " ANNOTATOR_1 "\ns:2 ok [] / " ANNOTATOR_1
                         "\ns:3 ok [[0,2,\"PER\"]] / " ANNOTATOR_2 "\n");
    ck_assert_str_eq(answers_of("argilla", kept("argilla-tags.flat.json"), TAGS),
                     "s:1 ok O PER PER O O LOC / " ANNOTATOR_1 "\n");
    ck_assert_str_eq(answers_of("argilla", kept("argilla-tags.nested.json"), TAGS),
                     "s:1 ok O PER PER O O LOC / " ANNOTATOR_1 "\n");
}
END_TEST

START_TEST(test_potato) {
    ck_assert_str_eq(answers_of("potato", kept("potato-translation.back.jsonl"), NULL),
                     "s:1 ok " FACE " Anna Li lebt in Paris / anna\n"
                     "s:1 ok " FACE " Anna Li wohnt in Paris / ben\n");
    ck_assert_str_eq(answers_of("potato", kept("potato-classes.back.jsonl"), CLASSES),
                     "s:1 ok PER / anna\ns:2 ok LOC & \"GPE\" / anna\n");
    ck_assert_str_eq(answers_of("potato", kept("potato-spans.back.jsonl"), SPANS),
                     "s:1 ok " SPANS_1 " / anna\ns:3 ok [[0,2,\"PER\"]] / anna\n");
}
END_TEST

CHECK_SUITE_WITH("tool_back", setup, teardown, test_label_studio, test_doccano, test_argilla,
                 test_potato);
