/* SPDX-License-Identifier: Apache-2.0 */
/* page_tool write PAGE   writes an annotation page of the JSON on standard input: {"batch", "task",
 *                        "source", "target", "labels": [], "items": [{"id", "text", "context",
 *                        "draft", "reason", "group", "language", "score"}]}
 * page_tool read FILE TASK   prints the answers of a file that the page saved, a line of JSON each,
 *                        then a line with the batch and what could not be used */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/extra/tool.h"

static const struct {
    const char *name;
    int32_t task;
} tasks[] = {{"translation", ALCORE_TASK_TRANSLATION},
             {"classes", ALCORE_TASK_CLASSES},
             {"spans", ALCORE_TASK_SPANS},
             {"tags", ALCORE_TASK_TAGS}};

static int32_t task_of(const char *name) {
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        if (name && strcmp(tasks[i].name, name) == 0) return tasks[i].task;
    return 0;
}

static const char *string_of(const json_t *object, const char *name) {
    return json_string_value(json_object_get(object, name));
}

static int fail(const char *what) {
    fprintf(stderr, "page_tool: %s\n", what);
    return 1;
}

/* One array of the members of a name of all items. */
static const char **column(const json_t *list, const char *name) {
    const size_t count = json_array_size(list);
    const char **out = calloc(count + 1, sizeof *out);
    for (size_t i = 0; out && i < count; i++)
        out[i] = name ? string_of(json_array_get(list, i), name)
                      : json_string_value(json_array_get(list, i));
    return out;
}

static int write_page(alcore_ctx *ctx, const char *path) {
    json_t *asked = json_loadf(stdin, 0, NULL);
    const json_t *list = json_object_get(asked, "items");
    const json_t *labels = json_object_get(asked, "labels");
    if (!asked) return fail("standard input is not JSON");
    static const char *const names[] = {"id",     "text",  "context", "draft",
                                        "reason", "group", "language"};
    const char **columns[7], **label_names = column(labels, NULL);
    double *scores = calloc(json_array_size(list) + 1, sizeof *scores);
    for (int i = 0; i < 7; i++) columns[i] = column(list, names[i]);
    for (size_t i = 0; scores && i < json_array_size(list); i++) {
        const json_t *score = json_object_get(json_array_get(list, i), "score");
        scores[i] = score ? json_number_value(score) : (double)NAN;
    }
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    alcore_tool_options options = ALCORE_TOOL_OPTIONS_INIT;
    items.count = (int64_t)json_array_size(list);
    items.ids = columns[0];
    items.texts = columns[1];
    items.contexts = columns[2];
    items.drafts = columns[3];
    items.reasons = columns[4];
    items.groups = columns[5];
    items.languages = columns[6];
    items.scores = scores;
    options.task = task_of(string_of(asked, "task"));
    options.batch = string_of(asked, "batch");
    options.source_language = string_of(asked, "source");
    options.target_language = string_of(asked, "target");
    options.labels = label_names;
    options.label_count = (int64_t)json_array_size(labels);
    const alcore_status status = alcore_tool_write(ctx, "page", path, &items, &options);
    for (int i = 0; i < 7; i++) free(columns[i]);
    free(label_names);
    free(scores);
    json_decref(asked);
    return status == ALCORE_OK ? 0 : fail(alcore_last_error());
}

static json_t *text_or_null(const char *text) {
    return text ? json_string(text) : json_null();
}

static void print_line(json_t *object) {
    char *text = json_dumps(object, JSON_COMPACT);
    puts(text ? text : "");
    free(text);
    json_decref(object);
}

static int read_answers(alcore_ctx *ctx, const char *path, const char *task) {
    alcore_tool_options options = ALCORE_TOOL_OPTIONS_INIT;
    alcore_tool_answers *answers = NULL;
    alcore_tool_answer one = ALCORE_TOOL_ANSWER_INIT;
    options.task = task_of(task);
    if (alcore_tool_read(ctx, "page", path, &options, &answers) != ALCORE_OK)
        return fail(alcore_last_error());
    for (int64_t i = 0; alcore_tool_answers_get(answers, i, &one) == ALCORE_OK; i++) {
        json_t *line = json_object();
        json_object_set_new(line, "id", text_or_null(one.id));
        json_object_set_new(line, "text", text_or_null(one.text));
        json_object_set_new(line, "status", text_or_null(one.status));
        json_object_set_new(line, "value", text_or_null(one.value));
        json_object_set_new(line, "annotator", text_or_null(one.annotator));
        json_object_set_new(line, "time", text_or_null(one.time));
        json_object_set_new(line, "comment", text_or_null(one.comment));
        json_object_set_new(line, "seconds", json_real(one.seconds));
        print_line(line);
    }
    json_t *last = json_object();
    json_object_set_new(last, "batch", text_or_null(alcore_tool_answers_batch(answers)));
    json_object_set_new(last, "messages", text_or_null(alcore_tool_answers_messages(answers)));
    print_line(last);
    alcore_tool_answers_unref(answers);
    return 0;
}

int main(int argc, char **argv) {
    alcore_ctx *ctx = NULL;
    if (argc < 3 || alcore_ctx_new(NULL, &ctx) != ALCORE_OK) return fail("no arguments");
    const int code = strcmp(argv[1], "write") == 0
                         ? write_page(ctx, argv[2])
                         : read_answers(ctx, argv[2], argc > 3 ? argv[3] : NULL);
    alcore_ctx_unref(ctx);
    return code;
}
