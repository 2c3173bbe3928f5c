/* SPDX-License-Identifier: Apache-2.0 */
/* The answers that a file of a tool has, as a text to compare; for the tests of tools. */
#ifndef TOOL_LISTING_H
#define TOOL_LISTING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/extra/tool.h"
#include "check_status.h"
#include "options_with.h"
#include "test_folder.h"

#define OPTIONS(...) OPTIONS_WITH(alcore_tool_options, __VA_ARGS__)

#define FACE "\xF0\x9F\x98\x80"

static alcore_ctx *ctx;
static char folder[TEST_PATH_BYTES], path[TEST_PATH_BYTES + 64], listing[8192];

static inline void setup(void) {
    test_folder_make(folder, "tools");
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
}

static inline void teardown(void) {
    alcore_ctx_unref(ctx);
    test_folder_remove(folder);
}

static inline const char *put(const char *name, const char *text) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static inline const char *kept(const char *name) {
    snprintf(path, sizeof path, TOOL_FILES "/%s", name);
    return path;
}

static inline void append(const char *text) {
    const size_t used = strlen(listing);
    snprintf(listing + used, sizeof listing - used, "%s", text ? text : "-");
}

/* All answers, a line each: "ID STATUS VALUE / ANNOTATOR", seconds and comment where there are
 * any; then why others could not be used, without the path. */
static inline const char *answers_of(const char *tool, const char *file,
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

#endif
