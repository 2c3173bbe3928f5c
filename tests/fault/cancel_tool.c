/* SPDX-License-Identifier: Apache-2.0 */
/* The long calls on files of annotators' tools, with the texts of the pool. */
#include <stdio.h>
#include <stdlib.h>

#include "cancel_calls.h"
#include "cancel_parts.h"

/* Writes all texts with drafts for a tool. */
static alcore_status write_batch(const char *tool, const char *name) {
    enum { ID_BYTES = 12 };
    const char **texts = texts_of_pool(), **ids = malloc(sizeof *ids * (size_t)row_count);
    char *names = malloc(ID_BYTES * (size_t)row_count);
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    for (int64_t i = 0; i < row_count; i++) {
        ids[i] = names + i * ID_BYTES;
        snprintf(names + i * ID_BYTES, ID_BYTES, "%d", (int)i);
    }
    items.count = row_count;
    items.ids = ids;
    items.texts = items.contexts = items.drafts = texts;
    const alcore_status status =
        SAVING(alcore_tool_write(ctx, tool, in_folder(name), &items, NULL));
    free(names);
    free(ids);
    free(texts);
    return status;
}
alcore_status make_batches(void) {
    const alcore_status status = write_batch("po", "batch.po");
    return status == ALCORE_OK ? write_batch("xliff", "batch.xlf") : status;
}
alcore_status call_tool_write(void) {
    return write_batch("po", "written.po");
}

static alcore_status read_batch(const char *tool, const char *name) {
    alcore_tool_answers *answers;
    const alcore_status status = alcore_tool_read(ctx, tool, in_folder(name), NULL, &answers);
    alcore_tool_answers_unref(answers);
    return status;
}
alcore_status call_tool_read(void) {
    return read_batch("po", "batch.po");
}
alcore_status call_tool_read_xml(void) {
    return read_batch("xliff", "batch.xlf");
}

static alcore_status write_requests(alcore_annotations *items, const char *path) {
    return SAVING(alcore_tool_write_requests(items, "po", path, NULL, NULL));
}
alcore_status call_tool_write_requests(void) {
    return with_items(write_requests, "written.po");
}
static alcore_status read_answers(alcore_annotations *items, const char *path) {
    return alcore_tool_read_answers(items, "csv", path, NULL);
}
alcore_status call_tool_read_answers(void) {
    return with_items(read_answers, "answers.tsv");
}
