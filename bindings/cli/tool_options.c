/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a tool's file (tool_options.h). */
#include "tool_options.h"

#include <stdlib.h>
#include <string.h>

#include "extra/tool/tool_choices.h"

/* Prints the tools that have the suffix of a path, with " or --tool " between them; "": none. */
static void list_tools(const char *path, char out[256]) {
    alcore_tool_info info = ALCORE_TOOL_INFO_INIT;
    const char *dot = strrchr(path, '.');
    size_t length = 0;
    out[0] = '\0';
    for (int64_t i = 0; dot && alcore_tool_builtin(i, &info) == ALCORE_OK; i++) {
        const size_t more = strlen(info.name) + sizeof " or --tool ";
        if (strcmp(info.suffix, dot) != 0 || length + more > 256) continue;
        length += (size_t)snprintf(out + length, 256 - length, "%s--tool %s", length ? " or " : "",
                                   info.name);
    }
}

/* A suffix that tables have too says nothing. */
static int suggest_tool(const arguments *args, option_id id) {
    const char *path;
    for (int i = 0; (path = option_repeat(args, id, i)); i++) {
        char tools[256];
        list_tools(path, tools);
        if (*tools && !table_of_path(path))
            return complain(EXIT_USAGE, "--%s %s: this is the file of a tool: %s",
                            option_table[id].name, path, tools);
    }
    return EXIT_DONE;
}

int tool_check(const arguments *args, option_id id) {
    static const option_id of_tools[] = {OPTION_DRAFTS,    OPTION_TASK,  OPTION_LABELS,
                                         OPTION_SPAN_UNIT, OPTION_BATCH, OPTION_TO};
    alcore_tool_info info = ALCORE_TOOL_INFO_INIT;
    const char *tool = option_value(args, OPTION_TOOL, NULL);
    if (tool)
        return alcore_tool_find(tool, &info) == ALCORE_OK
                   ? EXIT_DONE
                   : complain(EXIT_USAGE, "--tool %s: %s", tool, alcore_last_error());
    for (size_t i = 0; i < sizeof of_tools / sizeof *of_tools; i++)
        if (option_given(args, of_tools[i]))
            return complain(EXIT_USAGE, "--%s is read with --tool only",
                            option_table[of_tools[i]].name);
    return suggest_tool(args, id);
}

/* Copies a label without the spaces around it to `to`; returns what is behind its NUL. */
static char *copy_label(const char *label, size_t length, char *to) {
    for (; length && *label == ' '; length--) label++;
    while (length && label[length - 1] == ' ') length--;
    memmove(to, label, length);
    to[length] = '\0';
    return to + length + 1;
}

/* Cuts "a, b" into labels, which lie in one copy of it, the first of them at its beginning. */
static int read_labels(const char *list, alcore_tool_options *options) {
    int64_t count = 1;
    for (const char *at = list; (at = strchr(at, ',')); at++) count++;
    const char **labels = calloc((size_t)count, sizeof *labels);
    char *copy = malloc(strlen(list) + 1);
    if (!labels || !copy) {
        free(labels);
        free(copy);
        return complain(EXIT_MEMORY, "out of memory");
    }
    for (int64_t i = 0; i < count; i++) {
        const size_t length = strcspn(list, ",");
        labels[i] = copy;
        copy = copy_label(list, length, copy);
        list += length + 1;
    }
    options->labels = labels;
    options->label_count = count;
    return EXIT_DONE;
}

int tool_read(const arguments *args, alcore_tool_options *options) {
    const char *labels = option_value(args, OPTION_LABELS, NULL);
    *options = (alcore_tool_options)ALCORE_TOOL_OPTIONS_INIT;
    TRY(option_enum(args, OPTION_TASK, ALCORE__CHOICES(ALCORE__TASK_LIST), ALCORE_TASK_TRANSLATION,
                    &options->task));
    TRY(option_enum(args, OPTION_SPAN_UNIT, ALCORE__CHOICES(ALCORE__SPAN_UNIT_LIST),
                    ALCORE_SPAN_CODE_POINTS, &options->span_unit));
    options->source_language = option_value(args, OPTION_LANGUAGE, NULL);
    options->target_language = option_value(args, OPTION_TO, NULL);
    options->batch = option_value(args, OPTION_BATCH, NULL);
    return labels ? read_labels(labels, options) : EXIT_DONE;
}

void tool_clear(alcore_tool_options *options) {
    if (options->labels) free((void *)(uintptr_t)options->labels[0]);
    free((void *)(uintptr_t)options->labels);
}
