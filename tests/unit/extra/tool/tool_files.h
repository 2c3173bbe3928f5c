/* SPDX-License-Identifier: Apache-2.0 */
/* Files of tools in a folder of the test: written from a string or from items, read into lines
 * "ID STATUS VALUE". */
#ifndef TOOL_FILES_H
#define TOOL_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/extra/tool.h"
#include "check_status.h"
#include "file_text.h"
#include "options_with.h"
#include "test_folder.h"

static alcore_ctx *ctx;
static char tool_folder[TEST_PATH_BYTES], tool_path[TEST_PATH_BYTES + 64];

static inline void tool_setup(void) {
    test_folder_make(tool_folder, "tool");
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
}

static inline void tool_teardown(void) {
    alcore_ctx_unref(ctx);
    test_folder_remove(tool_folder);
}

static inline const char *in_folder(const char *name) {
    snprintf(tool_path, sizeof tool_path, "%s/%s", tool_folder, name);
    return tool_path;
}

static inline const char *put_bytes(const char *name, const void *bytes, size_t length) {
    FILE *file = fopen(in_folder(name), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
    return tool_path;
}

static inline const char *put(const char *name, const char *text) {
    return put_bytes(name, text, strlen(text));
}

/* Items with ids, texts and drafts [count]; drafts may be NULL. */
static inline alcore_tool_items tool_items(const char *const *ids, const char *const *texts,
                                           const char *const *drafts, int64_t count) {
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    items.ids = ids;
    items.texts = texts;
    items.drafts = drafts;
    items.count = count;
    return items;
}

/* The answers of a file, a line "ID STATUS VALUE" each and behind them the messages, in which FILE
 * stands for the path; valid until the next call. */
static inline const char *answers_of_file(const char *tool, const char *path,
                                          const alcore_tool_options *options) {
    static char lines[1 << 16];
    size_t length = 0;
    alcore_tool_answers *answers = NULL;
    ck_assert_ok(alcore_tool_read(ctx, tool, path, options, &answers));
    lines[0] = '\0';
    for (int64_t i = 0; i < alcore_tool_answers_count(answers); i++) {
        alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
        ck_assert_ok(alcore_tool_answers_get(answers, i, &answer));
        length += (size_t)snprintf(lines + length, sizeof lines - length, "%s %s %s\n", answer.id,
                                   answer.status, answer.value ? answer.value : "-");
    }
    const char *messages = alcore_tool_answers_messages(answers), *at;
    const size_t bytes = strlen(path);
    for (; (at = strstr(messages, path)); messages = at + bytes)
        length += (size_t)snprintf(lines + length, sizeof lines - length, "%.*sFILE",
                                   (int)(at - messages), messages);
    snprintf(lines + length, sizeof lines - length, "%s", messages);
    alcore_tool_answers_unref(answers);
    return lines;
}

/* The same of a text that is put into a file of that name first. */
static inline const char *answers_of(const char *tool, const char *name, const char *text) {
    return answers_of_file(tool, put(name, text), NULL);
}

/* A unit of a file of XLIFF, with what stands before and behind it, has these answers. */
static inline void expect_unit(const char *tool, const char *begin, const char *unit,
                               const char *end, const char *expected) {
    char file[2048];
    snprintf(file, sizeof file, "%s%s%s", begin, unit, end);
    const char *found = answers_of(tool, "x.xlf", file);
    ck_assert_msg(strcmp(found, expected) == 0, "%s: %s, not %s", unit, found, expected);
}

/* The error of a text that is no file of a tool; in front of it FILE stands for the path. */
static inline const char *error_of(const char *tool, const char *name, const char *text) {
    static char error[1024];
    alcore_tool_answers *answers = (alcore_tool_answers *)error;
    const alcore_status status = alcore_tool_read(ctx, tool, put(name, text), NULL, &answers);
    const char *said = alcore_last_error();
    ck_assert_ptr_null(answers);
    if (strncmp(said, tool_path, strlen(tool_path)) == 0)
        snprintf(error, sizeof error, "%s FILE%s", alcore_status_name(status),
                 said + strlen(tool_path));
    else
        snprintf(error, sizeof error, "%s %s", alcore_status_name(status), said);
    return error;
}

#endif
