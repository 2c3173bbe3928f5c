/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: files of annotators' tools. */
#include <string.h>

#include "options_with.h"
#include "sweep.h"

/* Two items with everything that an item has. */
static alcore_status write_file(world *w, const char *tool, const char *name) {
    static const char *const ids[] = {"1", "2"}, *const texts[] = {"one", "two words"};
    static const char *const drafts[] = {"eins", NULL}, *const more[] = {"a", "b"};
    static const double numbers[] = {0.5, 2};
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    items.count = 2;
    items.ids = ids;
    items.texts = texts;
    items.drafts = drafts;
    items.contexts = items.reasons = items.groups = items.languages = more;
    items.scores = items.costs = numbers;
    return alcore_tool_write(w->ctx, tool, world_file(name), &items, NULL);
}

/* What comes back of a file that was just written: the draft. */
static alcore_tool_answers *answers_of(world *w) {
    alcore_tool_answers *out = NULL;
    sweep_pause(w);
    if (write_file(w, "po", "written.po") != ALCORE_OK ||
        alcore_tool_read(w->ctx, "po", world_file("written.po"), NULL, &out) != ALCORE_OK)
        abort();
    sweep_resume(w);
    return out;
}

NEVER(alcore_tool_builtin, 0) {
    alcore_tool_info info = ALCORE_TOOL_INFO_INIT;
    HOLDS(alcore_tool_builtin(0, &info) == ALCORE_OK && info.name);
}
NEVER(alcore_tool_find, 0) {
    alcore_tool_info info = ALCORE_TOOL_INFO_INIT;
    HOLDS(alcore_tool_find("csv", &info) == ALCORE_OK && !strcmp(info.suffix, ".csv"));
}
ALLOCATES(alcore_tool_write, 0) {
    const alcore_status status = write_file(w, "csv", "written.csv");
    return status ? status : write_file(w, "po", "written.po");
}
ALLOCATES(alcore_tool_read, 0) {
    alcore_tool_answers *out = NULL;
    alcore_tool_answers_unref(answers_of(w));
    const alcore_status status =
        alcore_tool_read(w->ctx, "po", world_file("written.po"), NULL, &out);
    MADE(alcore_tool_answers_unref, status, out);
}
NEVER(alcore_tool_answers_ref, 0) {
    alcore_tool_answers *answers = answers_of(w);
    const bool same = alcore_tool_answers_ref(answers) == answers && !alcore_tool_answers_ref(NULL);
    alcore_tool_answers_unref(answers);
    alcore_tool_answers_unref(answers);
    HOLDS(same);
}
NEVER(alcore_tool_answers_unref, 0) {
    alcore_tool_answers_unref(answers_of(w));
    alcore_tool_answers_unref(NULL);
    HOLDS(true);
}
NEVER(alcore_tool_answers_count, 0) {
    alcore_tool_answers *answers = answers_of(w);
    const int64_t count = alcore_tool_answers_count(answers);
    alcore_tool_answers_unref(answers);
    HOLDS(count == 1);
}
NEVER(alcore_tool_answers_get, 0) {
    alcore_tool_answers *answers = answers_of(w);
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    const alcore_status status = alcore_tool_answers_get(answers, 0, &answer);
    const bool same = status == ALCORE_OK && !strcmp(answer.value, "eins");
    alcore_tool_answers_unref(answers);
    HOLDS(same);
}
NEVER(alcore_tool_answers_batch, 0) {
    alcore_tool_answers *answers = answers_of(w);
    const bool same = !strcmp(alcore_tool_answers_batch(answers), "alcore");
    alcore_tool_answers_unref(answers);
    HOLDS(same);
}
NEVER(alcore_tool_answers_unusable, 0) {
    HOLDS(alcore_tool_answers_unusable(NULL) == 0);
}
NEVER(alcore_tool_answers_messages, 0) {
    HOLDS(!strcmp(alcore_tool_answers_messages(NULL), ""));
}

/* ---- annotations ---- */

/* The items of a selection of the world. */
static alcore_annotations *items_of(world *w) {
    alcore_annotations *out = NULL;
    sweep_pause(w);
    if (alcore_annotations_new(w->pool, &out) != ALCORE_OK ||
        alcore_annotations_read_selection(out, world_file("selection.tsv")) != ALCORE_OK)
        abort();
    sweep_resume(w);
    return out;
}
ALLOCATES(alcore_tool_write_requests, 0) {
    alcore_annotations *items = items_of(w);
    const alcore_status status =
        alcore_tool_write_requests(items, "po", world_file("written.po"), NULL, NULL);
    sweep_keep_error(w);
    alcore_annotations_unref(items);
    return status;
}
ALLOCATES(alcore_tool_read_answers, 0) {
    alcore_annotations *items = items_of(w);
    sweep_pause(w);
    world_file_write("back.csv", "id,translation\n1,eins\n", 22);
    sweep_resume(w);
    const alcore_status status =
        alcore_tool_read_answers(items, "csv", world_file("back.csv"), NULL);
    sweep_keep_error(w);
    const bool answered = alcore_annotations_translation(items, 0, NULL) != NULL;
    alcore_annotations_unref(items);
    return answered == (status == ALCORE_OK) ? status : ALCORE_E_INTERNAL;
}
