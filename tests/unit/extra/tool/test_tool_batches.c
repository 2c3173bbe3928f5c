/* SPDX-License-Identifier: Apache-2.0 */
/* A batch that nobody has answered, read as the file of each other tool: it is named. */
#include "check_suite.h"

#include <stdbool.h>

#include "tool_files.h"

enum { MOST_TOOLS = 32 };

/* The tools that this build writes and reads. */
static int64_t find_tools(alcore_tool_info *tools) {
    int64_t count = 0;
    for (int64_t i = 0; i < MOST_TOOLS; i++) {
        tools[count] = (alcore_tool_info)ALCORE_TOOL_INFO_INIT;
        if (alcore_tool_builtin(i, &tools[count]) != ALCORE_OK) break;
        if (!tools[count].lacks) count++;
    }
    return count;
}

/* A task that the tool takes: translation, or else spans. */
static alcore_tool_options options_for(const alcore_tool_info *tool) {
    static const char *const labels[] = {"X"};
    alcore_tool_options options = ALCORE_TOOL_OPTIONS_INIT;
    options.source_language = "en";
    options.target_language = "de";
    options.labels = labels;
    options.label_count = 1;
    if (!strstr(tool->tasks, "translation")) options.task = ALCORE_TASK_SPANS;
    return options;
}

/* Writes a batch with contexts, which a form may need, or with all that an annotator is shown. */
static void write_batch(const alcore_tool_info *tool, const char *path, bool full) {
    static const char *const ids[] = {"a", "b"}, *const contexts[] = {"one \"id\": two", "more"},
                             *const texts[] = {"one two", "a \"label\":[ and \"data\":{"};
    alcore_tool_items items = tool_items(ids, texts, NULL, 2);
    const alcore_tool_options options = options_for(tool);
    items.contexts = contexts;
    if (full) items.reasons = items.groups = contexts;
    ck_assert_ok(alcore_tool_write(ctx, tool->name, path, &items, &options));
}

/* Whether a reading names the tool that wrote the batch, in one of the ways there are. */
static bool names(const char *said, const char *writer, const char *reader) {
    char wanted[3][128];
    snprintf(wanted[0], sizeof wanted[0], "this is a batch of %s, not of %s", writer, reader);
    snprintf(wanted[1], sizeof wanted[1], "it looks like a record of %s, not of %s", writer,
             reader);
    snprintf(wanted[2], sizeof wanted[2], "read it with the tool %s", writer);
    return strstr(said, wanted[0]) || strstr(said, wanted[1]) || strstr(said, wanted[2]);
}

static void check_pair(const alcore_tool_info *writer, const alcore_tool_info *reader,
                       const char *path) {
    const alcore_tool_options options = options_for(reader);
    alcore_tool_answers *answers = NULL;
    const alcore_status status = alcore_tool_read(ctx, reader->name, path, &options, &answers);
    const char *const said =
        status == ALCORE_OK ? alcore_tool_answers_messages(answers) : alcore_last_error();
    if (writer == reader)
        ck_assert_msg(!strstr(said, "batch of") && !strstr(said, ", not of "), "%s: %.300s",
                      reader->name, said);
    else
        ck_assert_msg(names(said, writer->name, reader->name) &&
                          strncmp(said, path, strlen(path)) == 0 &&
                          alcore_tool_answers_count(answers) == 0,
                      "%s reads %s: %s: %.300s", reader->name, writer->name,
                      alcore_status_name(status), said);
    alcore_tool_answers_unref(answers);
}

START_TEST(every_pair) {
    alcore_tool_info tools[MOST_TOOLS];
    const int64_t count = find_tools(tools);
    ck_assert_int_ge(count, 12);
    for (int64_t w = 0; w < count; w++)
        for (int full = 0; full < 2; full++) {
            char name[64], path[TEST_PATH_BYTES + 64];
            /* A path with words of our messages decides nothing. */
            snprintf(name, sizeof name, "it looks like a record of read it with the tool%s",
                     tools[w].suffix);
            snprintf(path, sizeof path, "%s", in_folder(name));
            write_batch(&tools[w], path, full);
            for (int64_t r = 0; r < count; r++) check_pair(&tools[w], &tools[r], path);
        }
}
END_TEST

/* What says nothing of a tool is not named: an empty list, an object of somebody else, a text. */
START_TEST(no_batch) {
    ck_assert_str_eq(
        answers_of("doccano", "x.jsonl", "{\"al_id\":\"a\",\"text\":\"b\",\"label\":[]}\n"), "");
    ck_assert_str_eq(answers_of("prodigy", "x.jsonl", "{\"al_id\":\"a\",\"text\":\"b\"}\n"), "");
    ck_assert_ptr_null(strstr(error_of("label-studio", "x.json", "nothing"), "batch"));
    ck_assert_ptr_null(strstr(error_of("xliff", "x.xlf", "<other/>"), "batch"));
}
END_TEST

CHECK_SUITE_WITH("tool_batches", tool_setup, tool_teardown, every_pair, no_batch);
