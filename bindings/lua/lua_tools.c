/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Files of annotators' tools: what is to be translated or labeled goes out, and what people did
 * comes back. Code points of texts count from 1.
 * @section tools */
#include <math.h>
#include <string.h>

#include "lua_binding.h"

/*** The annotators' tools whose files are written and read.
 * @function alcore.tools
 * @return a list of tables: name, title, suffix, tasks (with a space between), span_unit (what
 * offsets count, "code_points", "utf16" or "bytes"; nil: it has no spans) and lacks (what this
 * build would need for it; nil: it has it) */
int l_alcore_tools(lua_State *L) {
    alcore_tool_info info = ALCORE_TOOL_INFO_INIT;
    lua_newtable(L);
    for (int64_t i = 0; alcore_tool_builtin(i, &info) == ALCORE_OK; i++) {
        al_push_struct(L, al_tool_info, &info);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

/* Sets the labels of the options from the field; pushes what they lie in. */
static void read_labels(lua_State *L, int table, alcore_tool_options *options) {
    if (!al_has(L, table, "labels")) return;
    luaL_checktype(L, -1, LUA_TTABLE);
    options->labels = al_strings(L, lua_gettop(L), "labels", 0, NULL, &options->label_count);
}

/* Pushes the array that it returns: the texts of a field, count of them; NULL for nil. */
static const char **texts_of(lua_State *L, int table, const char *field, int64_t count) {
    int64_t given = count;
    if (!al_has(L, table, field)) return NULL;
    luaL_checktype(L, -1, LUA_TTABLE);
    const char **texts = al_strings(L, lua_gettop(L), field, 1, NULL, &given);
    if (given != count)
        luaL_error(L, "%s: %d were given for %d texts", field, (int)given, (int)count);
    return texts;
}

/* The same of numbers. */
static const double *numbers_of(lua_State *L, int table, const char *field, int64_t count) {
    int64_t given;
    if (!al_has(L, table, field)) return NULL;
    luaL_checktype(L, -1, LUA_TTABLE);
    const double *numbers = al_numbers(L, lua_gettop(L), field, &given);
    if (given != count)
        luaL_error(L, "%s: %d were given for %d texts", field, (int)given, (int)count);
    return numbers;
}

/*** Writes items for a tool, the best first.
 * @function alcore.write_tool
 * @tparam string tool its name, of @{alcore.tools}
 * @tparam string path
 * @tparam table ids a list of strings
 * @tparam table texts a list of strings
 * @tparam[opt] table options lists with an entry for each text: contexts, drafts, reasons, groups,
 * languages (false where there is none), scores, costs; task ("translation", "classes", "spans" or
 * "tags"), labels (a list), span_unit ("code_points", "utf16" or "bytes"), source_language,
 * target_language, batch, context
 * @return true; or nil, message, code */
int l_alcore_write_tool(lua_State *L) {
    static const char *const others[] = {"contexts", "drafts", "reasons", "groups",  "languages",
                                         "scores",   "costs",  "labels",  "context", NULL};
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    alcore_tool_options options = ALCORE_TOOL_OPTIONS_INIT;
    size_t *lengths;
    int64_t ids;
    lua_settop(L, 5);
    const char *tool = luaL_checkstring(L, 1), *path = luaL_checkstring(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    luaL_checktype(L, 4, LUA_TTABLE);
    const int table = al_options(L, 5, "write_tool", al_tool_options, others, &options);
    al_context *context = al_context_of(L, table);
    items.ids = al_strings(L, 3, "ids", 0, NULL, &ids);
    items.texts = al_strings(L, 4, "texts", 0, &lengths, &items.count);
    items.text_lengths = lengths;
    if (ids != items.count)
        return luaL_error(L, "ids: %d were given for %d texts", (int)ids, (int)items.count);
    items.contexts = texts_of(L, table, "contexts", items.count);
    items.drafts = texts_of(L, table, "drafts", items.count);
    items.reasons = texts_of(L, table, "reasons", items.count);
    items.groups = texts_of(L, table, "groups", items.count);
    items.languages = texts_of(L, table, "languages", items.count);
    items.scores = numbers_of(L, table, "scores", items.count);
    items.costs = numbers_of(L, table, "costs", items.count);
    read_labels(L, table, &options);
    const int failed =
        AL_CALL(L, context, alcore_tool_write(context->ctx, tool, path, &items, &options));
    if (failed) return failed;
    lua_pushboolean(L, 1);
    return 1;
}

/*** Reads what people did from a file of a tool.
 * @function alcore.read_tool
 * @tparam string tool its name, of @{alcore.tools}
 * @tparam string path
 * @tparam[opt] table options task, labels, span_unit, source_language and target_language as for
 * @{alcore.write_tool}, context
 * @return tool answers; or nil, message, code */
int l_alcore_read_tool(lua_State *L) {
    static const char *const others[] = {"labels", "context", NULL};
    alcore_tool_options options = ALCORE_TOOL_OPTIONS_INIT;
    lua_settop(L, 3);
    const char *tool = luaL_checkstring(L, 1), *path = luaL_checkstring(L, 2);
    const int table = al_options(L, 3, "read_tool", al_tool_options, others, &options);
    al_context *context = al_context_of(L, table);
    read_labels(L, table, &options);
    al_object *object = al_new(L, &al_tool_answers_kind, context);
    return AL_TOP(L, context,
                  alcore_tool_read(context->ctx, tool, path, &options, &object->tool_answers));
}

/* Sets the field spans of the table on top of the stack. */
static void set_spans(lua_State *L, const alcore_tool_answer *answer) {
    if (answer->span_count == 0) return;
    al_push_list(L, answer->span_count);
    for (int64_t i = 0; i < answer->span_count; i++) {
        lua_createtable(L, 0, 3);
        al_set_integer(L, "first", answer->spans[i].begin + 1);
        al_set_integer(L, "last", answer->spans[i].end);
        al_set_string(L, "label", answer->spans[i].label);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_setfield(L, -2, "spans");
}

/*** One answer.
 * @function tool_answers:get
 * @tparam number answer from 1, in the order of the file
 * @return a table: id, status ("ok", "draft", "skip", "reject" or "untranslatable"), value (the
 * translation, labels with a TAB between them, spans as JSON, tags with a space between them),
 * line, and where the file has them text, spans (a list of first, last and label, code points from
 * 1), annotator, time, comment and seconds */
int l_tool_answers_get(lua_State *L) {
    al_object *self = al_check(L, 1, &al_tool_answers_kind);
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    const int64_t index = al_integer(L, 2, "answer");
    const int failed =
        AL_CALL(L, self->context, alcore_tool_answers_get(self->tool_answers, index - 1, &answer));
    if (failed) return failed;
    lua_createtable(L, 0, 10);
    al_set_string(L, "id", answer.id);
    al_set_string(L, "status", answer.status);
    al_set_string(L, "value", answer.value);
    al_set_string(L, "text", answer.text);
    al_set_string(L, "annotator", answer.annotator);
    al_set_string(L, "time", answer.time);
    al_set_string(L, "comment", answer.comment);
    al_set_integer(L, "line", answer.line);
    if (!isnan(answer.seconds)) al_set_number(L, "seconds", answer.seconds);
    set_spans(L, &answer);
    return 1;
}

/*** Writes the open items as requests for a tool.
 * @function annotations:write_tool
 * @tparam string tool its name, of @{alcore.tools}
 * @tparam string path
 * @tparam[opt] table options drafts (a file of suggestions: text with a line for each row of the
 * pool, or texts with their references), and those of @{alcore.write_tool} that are no lists of
 * texts or numbers
 * @return itself; or nil, message, code */
int l_annotations_write_tool(lua_State *L) {
    static const char *const others[] = {"drafts", "labels", NULL};
    al_object *self = al_check(L, 1, &al_annotations_kind);
    alcore_tool_options options = ALCORE_TOOL_OPTIONS_INIT;
    lua_settop(L, 4);
    const char *tool = luaL_checkstring(L, 2), *path = luaL_checkstring(L, 3);
    const int table = al_options(L, 4, "write_tool", al_tool_options, others, &options);
    const char *drafts = table != 0 ? al_field_string(L, table, "drafts") : NULL;
    read_labels(L, table, &options);
    return AL_SELF(L, self->context,
                   alcore_tool_write_requests(self->annotations, tool, path, drafts, &options));
}

/*** Reads the answers to items from a file of a tool, by the rules of annotations:read_answers();
 * annotations:answer_report() tells what was found.
 * @function annotations:read_tool
 * @tparam string tool its name, of @{alcore.tools}
 * @tparam string path
 * @tparam[opt] table options as for @{alcore.read_tool}, without context
 * @return itself; or nil, message, code */
int l_annotations_read_tool(lua_State *L) {
    static const char *const others[] = {"labels", NULL};
    al_object *self = al_check(L, 1, &al_annotations_kind);
    alcore_tool_options options = ALCORE_TOOL_OPTIONS_INIT;
    lua_settop(L, 4);
    const char *tool = luaL_checkstring(L, 2), *path = luaL_checkstring(L, 3);
    const int table = al_options(L, 4, "read_tool", al_tool_options, others, &options);
    read_labels(L, table, &options);
    return AL_SELF(L, self->context,
                   alcore_tool_read_answers(self->annotations, tool, path, &options));
}
