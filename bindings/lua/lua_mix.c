/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Annotations of a selection, the oracles that give them, and training sets made of them. Items,
 * rows and words count from 1.
 * @section training_sets */
#include <string.h>

#include "lua_binding.h"

/* ---- annotations ---- */

/* Pushes the array that it returns: the rows of the field "rows", from 0, count of them; -1 where
 * the list has 0. NULL for nil. */
static const int64_t *rows_of(lua_State *L, int table, int64_t count) {
    if (!al_has(L, table, "rows")) return NULL;
    luaL_checktype(L, -1, LUA_TTABLE);
    const int list = lua_gettop(L);
    if (al_length(L, list) != count)
        luaL_error(L, "rows: %d were given for %d texts", (int)al_length(L, list), (int)count);
    return al_integers(L, list, "rows", count, 1);
}

/* Pushes the array that it returns: the texts of a field, count of them, one for each `noun`; NULL
 * for nil. */
static const char **texts_of(lua_State *L, int table, const char *field, int optional,
                             size_t **lengths, int64_t count, const char *noun) {
    int64_t given = count;
    lua_getfield(L, table, field);
    const char **texts = al_strings(L, lua_gettop(L), field, optional, lengths, &given);
    if (texts && given != count)
        luaL_error(L, "%s: %d were given for %d %s", field, (int)given, (int)count, noun);
    return texts;
}

/*** Adds items behind those that are there.
 * @function annotations:add
 * @tparam table texts a list of strings
 * @tparam[opt] table fields lists with an entry for each text: kinds ("sent", which is the default,
 * or "phrase"), ids, rows (of the pool; 0: unknown), costs (the words if not given), translations
 * (nil or false: open)
 * @return itself; or nil, message, code */
int l_annotations_add(lua_State *L) {
    static const char *const names[] = {"kinds", "ids", "rows", "costs", "translations", NULL};
    al_object *self = al_check(L, 1, &al_annotations_kind);
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    size_t *lengths = NULL, *translation_lengths = NULL;
    lua_settop(L, 3);
    luaL_checktype(L, 2, LUA_TTABLE);
    int table = al_options(L, 3, "add", NULL, names, NULL);
    records.texts = al_strings(L, 2, "texts", 0, &lengths, &records.count);
    records.text_lengths = lengths;
    if (table != 0) {
        int64_t costs = 0;
        records.kinds = texts_of(L, table, "kinds", 0, NULL, records.count, "texts");
        records.ids = texts_of(L, table, "ids", 0, NULL, records.count, "texts");
        records.translations =
            texts_of(L, table, "translations", 1, &translation_lengths, records.count, "texts");
        records.translation_lengths = translation_lengths;
        records.rows = rows_of(L, table, records.count);
        if (al_has(L, table, "costs"))
            records.costs = al_numbers(L, lua_gettop(L), "costs", &costs);
        if (records.costs && costs != records.count)
            return luaL_error(L, "costs: %d were given for %d texts", (int)costs,
                              (int)records.count);
    }
    return AL_SELF(L, self->context, alcore_annotations_add(self->annotations, &records));
}

/* Says which items the answers are of: the field items, else ids, else all items in order. */
static void set_items(lua_State *L, int table, const al_object *self,
                      alcore_annotation_answers *answers) {
    if (table != 0) {
        if (al_has(L, table, "items")) {
            luaL_checktype(L, -1, LUA_TTABLE);
            const int list = lua_gettop(L);
            if (al_length(L, list) != answers->count)
                luaL_error(L, "items: %d were given for %d answers", (int)al_length(L, list),
                           (int)answers->count);
            answers->items = al_integers(L, list, "items", answers->count, 1);
        }
        answers->ids = texts_of(L, table, "ids", 0, NULL, answers->count, "answers");
        answers->texts = texts_of(L, table, "texts", 1, NULL, answers->count, "answers");
        answers->statuses = texts_of(L, table, "statuses", 1, NULL, answers->count, "answers");
    }
    if (answers->items || answers->ids) return;
    const int64_t count = alcore_annotations_count(self->annotations);
    if (answers->count != count)
        luaL_error(L,
                   "translations: %d were given for %d items; say which ones they are of by "
                   "items or ids",
                   (int)answers->count, (int)count);
    int64_t *items = al_buffer(L, count, sizeof *items);
    for (int64_t i = 0; i < count; i++) items[i] = i;
    answers->items = items;
}

/*** Answers items from a list, by the rules of annotations:read_answers();
 * annotations:answer_report() tells what was found.
 * @function annotations:answer
 * @tparam table translations a list of strings; false where an answer has none
 * @tparam[opt] table fields lists with an entry for each answer: items (numbers of the items), or
 * ids with texts where several items have one id; by default the answers are those of all items in
 * their order. statuses: "ok", "skip", "reject", "untranslatable", ... or false
 * @return itself; or nil, message, code */
int l_annotations_answer(lua_State *L) {
    static const char *const names[] = {"items", "ids", "texts", "statuses", NULL};
    al_object *self = al_check(L, 1, &al_annotations_kind);
    alcore_annotation_answers answers = ALCORE_ANNOTATION_ANSWERS_INIT;
    size_t *lengths = NULL;
    lua_settop(L, 3);
    luaL_checktype(L, 2, LUA_TTABLE);
    int table = al_options(L, 3, "answer", NULL, names, NULL);
    answers.count = al_length(L, 2);
    answers.translations = al_strings(L, 2, "translations", 1, &lengths, &answers.count);
    answers.translation_lengths = lengths;
    set_items(L, table, self, &answers);
    return AL_SELF(L, self->context, alcore_annotations_answer(self->annotations, &answers));
}

/* Sets a field of the table on top of the stack; nothing for NULL. */
static void set_text(lua_State *L, const char *field, const char *text, size_t length) {
    if (!text) return;
    lua_pushlstring(L, text, length);
    lua_setfield(L, -2, field);
}

/* The index from 0 of the number at stack index 2; raises when there are fewer than count. */
static int64_t index_at(lua_State *L, const char *what, int64_t count) {
    const int64_t index = al_integer(L, 2, what);
    if (index < 1 || index > count)
        luaL_error(L, "%s %d: there are %d", what, (int)index, (int)count);
    return index - 1;
}

/*** One item.
 * @function annotations:get
 * @tparam number item from 1, in order of selection
 * @return a table: id, kind ("sent", "phrase"), text, translation (nil: none), status ("open",
 * "ok", "loose", "untranslatable"), row (nil: unknown) */
int l_annotations_get(lua_State *L) {
    const alcore_annotations *self = al_check(L, 1, &al_annotations_kind)->annotations;
    const int64_t i = index_at(L, "item", alcore_annotations_count(self));
    size_t length;
    lua_createtable(L, 0, 6);
    al_set_string(L, "id", alcore_annotations_id(self, i));
    al_set_string(L, "kind", alcore_annotations_kind(self, i));
    al_set_string(L, "status", alcore_annotations_status(self, i));
    const char *text = alcore_annotations_text(self, i, &length);
    set_text(L, "text", text, length);
    text = alcore_annotations_translation(self, i, &length);
    set_text(L, "translation", text, length);
    if (alcore_annotations_row(self, i) >= 0) {
        al_set_integer(L, "row", alcore_annotations_row(self, i) + 1);
    }
    return 1;
}

/* ---- training sets ---- */

/* Pushes the object of a kind that a field holds; NULL for nil. */
static al_object *object_of(lua_State *L, int table, const char *field, const al_kind *kind,
                            const al_context *context) {
    if (!al_has(L, table, field)) return NULL;
    al_object *object = al_check(L, lua_gettop(L), kind);
    if (object->context != context) luaL_error(L, "mix: '%s' belongs to another context", field);
    return object;
}

void al_read_mix(lua_State *L, int table, al_context *context, alcore_mix_options *options) {
    al_read_struct(L, table, al_mix_options, options);
    al_object *lm = object_of(L, table, "lm", &al_lm_kind, context);
    al_object *links = object_of(L, table, "links", &al_links_kind, context);
    al_object *model = object_of(L, table, "model", &al_model_kind, context);
    options->lm = lm ? lm->lm : NULL;
    options->links = links ? links->links : NULL;
    options->model = model ? model->model : NULL;
}

/*** The training set of a round: the annotated sentences and phrases, and pairs made of labeled
 * data.
 * @function alcore.mix
 * @tparam table options labeled (a pool with references), pool (of unlabeled sentences),
 * annotations, kind ("none", "random", "retrieved", "switched", "contextualized", or several with
 * "+" between them), count (pairs of each kind; as many as the phrases that the
 * annotated words would buy if not given), span ("consistent", "minmax", "literal"), seed, round,
 * k, subset, unique, norm, upsample_phrase, device; lm (of the pool), links (of labeled) and model
 * (that embeds), each made if not given; context
 * @return a training set; or nil, message, code */
int l_alcore_mix(lua_State *L) {
    static const char *const others[] = {"labeled", "pool",  "annotations", "lm",
                                         "links",   "model", "context",     NULL};
    alcore_mix_options options = ALCORE_MIX_OPTIONS_INIT;
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    int table = al_options(L, 1, "mix", al_mix_options, others, NULL);
    al_context *context;
    al_object *annotations =
        al_has(L, table, "annotations") ? al_check(L, lua_gettop(L), &al_annotations_kind) : NULL;
    context = annotations ? annotations->context : al_context_of(L, table);
    al_read_mix(L, table, context, &options);
    al_object *labeled = object_of(L, table, "labeled", &al_pool_kind, context);
    al_object *pool = object_of(L, table, "pool", &al_pool_kind, context);
    al_object *object = al_new(L, &al_mix_kind, context);
    return AL_TOP(
        L, context,
        alcore_mix_new(context->ctx, labeled ? labeled->pool : NULL, pool ? pool->pool : NULL,
                       annotations ? annotations->annotations : NULL, &options, &object->mix));
}

/*** One pair.
 * @function training_set:get
 * @tparam number pair from 1
 * @return a table: kind, source, target */
int l_training_set_get(lua_State *L) {
    const alcore_mix *self = al_check(L, 1, &al_mix_kind)->mix;
    const int64_t i = index_at(L, "pair", alcore_mix_count(self));
    size_t length;
    lua_createtable(L, 0, 3);
    al_set_string(L, "kind", alcore_mix_kind(self, i));
    const char *text = alcore_mix_source(self, i, &length);
    set_text(L, "source", text, length);
    text = alcore_mix_target(self, i, &length);
    set_text(L, "target", text, length);
    return 1;
}

/*** Where each pair comes from.
 * @function training_set:column
 * @tparam string name labeled_row, pool_row, item, word, target_first, target_end (behind the last)
 * or score
 * @return a list of numbers from 1, 0 for a pair without such a thing; the score is NaN then; or
 * nil, message, code */
int l_training_set_column(lua_State *L) {
    al_object *self = al_check(L, 1, &al_mix_kind);
    alcore_tensor out;
    int failed =
        AL_CALL(L, self->context, alcore_mix_column(self->mix, luaL_checkstring(L, 2), &out));
    if (failed) return failed;
    if (out.dtype.code == ALCORE_KIND_FLOAT)
        al_push_doubles(L, out.data, out.shape[0]);
    else
        al_push_integers(L, out.data, out.shape[0], 1);
    return 1;
}
