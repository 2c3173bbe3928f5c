/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Models: functions of your own, the built-in n-gram model, folders of columns.
 * @section models */
#include <math.h>
#include <string.h>

#include "lua_binding.h"

/* ---- models of the library ---- */

/*** The built-in n-gram model.
 * @function alcore.ngram
 * @tparam[opt] table options labeled (a pool), order, dims, seed, context
 * @return a model; or nil, message, code */
int l_alcore_ngram(lua_State *L) {
    static const char *const others[] = {"labeled", "context", NULL};
    alcore_ngram_options options = ALCORE_NGRAM_OPTIONS_INIT;
    lua_settop(L, 1);
    if (lua_isnil(L, 1)) {
        lua_newtable(L);
        lua_replace(L, 1);
    }
    (void)al_options(L, 1, "ngram", al_ngram_options, others, NULL);
    al_read_struct(L, 1, al_ngram_options, &options);
    lua_getfield(L, 1, "labeled");
    al_object *labeled = lua_isnil(L, 2) ? NULL : al_check(L, 2, &al_pool_kind);
    al_context *context = labeled ? labeled->context : al_context_of(L, 1);
    al_object *object = al_new(L, &al_model_kind, context);
    return AL_TOP(L, context,
                  alcore_model_new_ngram(context->ctx, labeled ? labeled->pool : NULL, &options,
                                         &object->model));
}

/* The settings of a model folder from the table of options. Only four dtypes are allowed, so that
 * field is read here. Strings stay on the stack. */
static void read_model_options(lua_State *L, int table, alcore_model_options *options) {
    static const al_constant dtypes[] = {{"float32", ALCORE_FLOAT32},
                                         {"bfloat16", ALCORE_BFLOAT16},
                                         {"float16", ALCORE_FLOAT16},
                                         {"int8", ALCORE_INT8},
                                         {NULL, 0}};
    options->dtype = al_field_constant(L, table, "dtype", dtypes);
    al_read_struct(L, table, al_model_options, options);
}

/* Sets the verbalizer of a model to the list of labels at an index; how AL_CALL() ended. */
static int set_labels(lua_State *L, const al_object *self, int index) {
    size_t *lengths = NULL;
    int64_t count = 0;
    const char **labels = al_strings(L, index, "labels", 0, &lengths, &count);
    return AL_CALL(L, self->context, alcore_model_set_verbalizer(self->model, labels, count));
}

/*** Lets a language model that was opened with a prompt with {text} classify: a label, a word or
 * several, for each class. The column "probs" has the probabilities of the labels behind the
 * prompt, which sum to 1.
 * @function model:set_verbalizer
 * @tparam[opt] table labels a list of texts; nil: no classes
 * @return itself; or nil, message, code */
int l_model_set_verbalizer(lua_State *L) {
    al_object *self = al_check(L, 1, &al_model_kind);
    lua_settop(L, 2);
    if (lua_isnil(L, 2))
        return AL_SELF(L, self->context, alcore_model_set_verbalizer(self->model, NULL, 0));
    return al_result(L, set_labels(L, self, 2), 1);
}

/*** Lets a language model that was opened with a prompt with {text} or {source} read it as the turn
 * of a user, written by the chat template of its folder.
 * @function model:set_chat
 * @tparam boolean on false: the model reads the prompt as it stands, which is how it is opened
 * @tparam[opt] string system the text of a system turn; nil: no such turn
 * @return itself; or nil, message, code */
int l_model_set_chat(lua_State *L) {
    al_object *self = al_check(L, 1, &al_model_kind);
    lua_settop(L, 3);
    const int on = lua_toboolean(L, 2);
    const char *system = luaL_optstring(L, 3, NULL);
    return AL_SELF(L, self->context, alcore_model_set_chat(self->model, on, system));
}

/*** Opens a model folder: a Hugging Face model, or a folder of ready columns. The settings are
 * those of a model that computes; a folder of ready columns refuses them.
 * @function alcore.open
 * @tparam string path
 * @tparam[opt] table options device, dtype ("float32", "bfloat16", "float16", "int8"), pooling
 * ("auto", "mean", "first", "pooler", "words", "max"), layer (k: block k; 0: what
 * enters the first; -1: the last), normalize ("auto", "unit", "none"),
 * max_tokens, batch_tokens, stride, language (as by model:set_language()), prompt (a text in front
 * of every text that the model reads, "" for none), prompt_name (of a prompt of the folder),
 * verbalizer (as by model:set_verbalizer()), context
 * @return a model; or nil, message, code */
int l_alcore_open(lua_State *L) {
    static const char *const others[] = {"dtype", "language", "verbalizer", "context", NULL};
    const char *path = luaL_checkstring(L, 1);
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    lua_settop(L, 2);
    int table = al_options(L, 2, "open", al_model_options, others, NULL);
    if (table) read_model_options(L, table, &options);
    al_context *context = al_context_of(L, table);
    const char *language = table ? al_field_string(L, table, "language") : NULL;
    al_object *object = al_new(L, &al_model_kind, context);
    const int index = lua_gettop(L);
    int failed =
        AL_CALL(L, context, alcore_model_open(context->ctx, path, &options, &object->model));
    if (!failed && language)
        failed = AL_CALL(L, context, alcore_model_set_language(object->model, language));
    if (!failed && table) {
        lua_getfield(L, table, "verbalizer");
        if (!lua_isnil(L, -1)) failed = set_labels(L, object, lua_gettop(L));
    }
    return al_result(L, failed, index);
}

/*** Whether the model can make a column.
 * @function model:can
 * @tparam string column
 * @treturn boolean */
int l_model_can(lua_State *L) {
    al_object *self = al_check(L, 1, &al_model_kind);
    const char *column = luaL_checkstring(L, 2);
    int32_t found = 0;
    const int failed =
        AL_CALL(L, self->context,
                (found = alcore_model_can(self->model, column), (alcore_status)ALCORE_OK));
    if (failed) return failed;
    lua_pushboolean(L, found != 0);
    return 1;
}

/*** Computes columns of a pool, in one pass where the model can.
 * @function model:run
 * @tparam pool pool
 * @tparam string column
 * @tparam[opt] string ... further columns
 * @return the pool; or nil, message, code */
int l_model_run(lua_State *L) {
    al_object *self = al_check(L, 1, &al_model_kind);
    al_object *pool = al_check(L, 2, &al_pool_kind);
    const int count = lua_gettop(L) - 2;
    (void)luaL_checkstring(L, 3);
    if (self->context != pool->context)
        return luaL_error(L, "run: the model and the pool belong to different contexts");
    const char **columns = al_buffer(L, count, sizeof *columns);
    for (int i = 0; i < count; i++) columns[i] = luaL_checkstring(L, 3 + i);
    return al_result(L,
                     AL_CALL(L, self->context,
                             alcore_model_run_columns(self->model, pool->pool, columns, count)),
                     2);
}

/*** Leaves dropout on, by draws of a seed, in what the model scores after this call: the
 * log-probabilities of model:score() and the column "mlm_losses". The variance over passes with
 * several seeds tells how sure the model is.
 * @function model:set_dropout
 * @tparam[opt] integer seed nil: off, as at first
 * @return itself; or nil, message, code */
int l_model_set_dropout(lua_State *L) {
    al_object *self = al_check(L, 1, &al_model_kind);
    lua_settop(L, 2);
    const int on = !lua_isnil(L, 2);
    const uint64_t seed = on ? (uint64_t)al_integer(L, 2, "seed") : 0;
    return AL_SELF(L, self->context, alcore_model_set_dropout(self->model, on, seed));
}
