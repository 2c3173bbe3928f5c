/* SPDX-License-Identifier: Apache-2.0 */
/* The annotation page of a selection (select_page.h): the picks become annotations, whose open
 * items go out as the file of the tool `page`. */
#include "select_page.h"

#include <string.h>

#include "tool_options.h"

bool select_page_is(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && !strcmp(dot, ".html");
}

int select_page_check(const arguments *args) {
    static const option_id of_pages[] = {OPTION_DRAFTS, OPTION_TASK, OPTION_LABELS, OPTION_BATCH};
    if (select_page_is(option_value(args, OPTION_OUT, "-"))) return EXIT_DONE;
    for (size_t i = 0; i < sizeof of_pages / sizeof *of_pages; i++)
        if (option_given(args, of_pages[i]))
            return complain(EXIT_USAGE, "--%s is read with --out NAME.html only",
                            option_table[of_pages[i]].name);
    return EXIT_DONE;
}

int select_page_write(const arguments *args, const inputs *in, const alcore_selection *picked,
                      const char *path) {
    alcore_annotations *annotations = NULL;
    alcore_tool_options options = ALCORE_TOOL_OPTIONS_INIT;
    int code = tool_read(args, &options);
    if (code == EXIT_DONE) code = outcome(alcore_annotations_new(in->candidates, &annotations));
    if (code == EXIT_DONE) code = outcome(alcore_annotations_add_selection(annotations, picked));
    if (code == EXIT_DONE)
        code = outcome(alcore_tool_write_requests(
            annotations, "page", path, option_value(args, OPTION_DRAFTS, NULL), &options));
    alcore_annotations_unref(annotations);
    tool_clear(&options);
    return code;
}
