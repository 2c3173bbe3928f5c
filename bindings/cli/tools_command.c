/* SPDX-License-Identifier: Apache-2.0 */
/* alcore tools: lists the annotators' tools whose files are written and read. */
#include <string.h>

#include "commands.h"
#include "extra/tool/tool_choices.h"
#include "text_output.h"

/* As --span-unit takes it; NULL: the tool has no spans, or a newer library has another unit. */
static const char *unit_name(int32_t unit) {
    static const char *const names[] = ALCORE__WORDS(ALCORE__SPAN_UNIT_LIST);
    const size_t index = (size_t)(unit - ALCORE_SPAN_CODE_POINTS);
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static json_t *tool_json(const alcore_tool_info *info) {
    json_t *tasks = json_array();
    for (const char *at = info->tasks; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        json_array_append_new(tasks, json_stringn(at, length));
        at += length;
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:s?, s:s?}", "name", info->name, "title", info->title,
                     "suffix", info->suffix, "tasks", tasks, "span_unit",
                     unit_name(info->span_unit), "lacks", info->lacks);
}

static void print_tool(const alcore_tool_info *info) {
    printf("%s: %s\n  suffix %s\n  tasks %s\n", info->name, info->title, info->suffix, info->tasks);
    if (info->span_unit) printf("  offsets in %s\n", unit_name(info->span_unit));
    if (info->lacks) printf("  not in this build: it lacks %s\n", info->lacks);
}

/* One tool, in words or as JSON. */
static int show_tool(const char *name, bool as_json) {
    alcore_tool_info info = ALCORE_TOOL_INFO_INIT;
    if (alcore_tool_find(name, &info) != ALCORE_OK)
        return complain(EXIT_USAGE, "%s", alcore_last_error());
    if (as_json) return print_json_object(tool_json(&info));
    print_tool(&info);
    return EXIT_DONE;
}

int command_tools(const arguments *args) {
    alcore_tool_info info = ALCORE_TOOL_INFO_INIT;
    const bool as_json = option_given(args, OPTION_JSON);
    if (args->operand_count) return show_tool(args->operands[0], as_json);
    json_t *all = as_json ? json_array() : NULL;
    for (int64_t i = 0; alcore_tool_builtin(i, &info) == ALCORE_OK; i++) {
        if (as_json)
            json_array_append_new(all, tool_json(&info));
        else
            printf("%-13s %-7s %s%s%s%s\n", info.name, info.suffix, info.title,
                   info.lacks ? " (not in this build: it lacks " : "", info.lacks ? info.lacks : "",
                   info.lacks ? ")" : "");
    }
    return as_json ? print_json_object(all) : EXIT_DONE;
}
