/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Models: functions of your own, the built-in n-gram model, folders of columns.
 * @section models */
#include <math.h>
#include <string.h>

#include "lua_binding.h"

/* ---- functions of the caller's ---- */

/* One call of a caller's function while it runs. */
typedef struct host_call {
    const al_host *host;
    const char *function;      /* its field in the table of functions */
    const alcore_batch *batch; /* what the library asks for */
    alcore_column_writer *out; /* where the rows go */
    int ragged;                /* 1: the function returns rows of tokens, 0: a matrix */
    alcore_status status;      /* out */
} host_call;

/* Pushes the table {count, indices, texts, languages} of a batch. */
static void push_batch(lua_State *L, const alcore_batch *batch) {
    lua_createtable(L, 0, 4);
    lua_pushinteger(L, (lua_Integer)batch->count);
    lua_setfield(L, -2, "count");
    al_push_integers(L, batch->rows, batch->count, 1);
    lua_setfield(L, -2, "indices");
    lua_createtable(L, (int)batch->count, 0);
    lua_createtable(L, (int)batch->count, 0);
    for (int64_t i = 0; i < batch->count; i++) {
        lua_pushlstring(L, batch->texts[i], batch->lengths[i]);
        lua_rawseti(L, -3, (int)i + 1);
        lua_pushstring(L, batch->languages[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_setfield(L, -3, "languages");
    lua_setfield(L, -2, "texts");
}

/* Calls the caller's function with the batch and puts the rows that it returns into the column;
 * runs protected, with the call as light userdata at index 1. */
static int run_model(lua_State *L) {
    host_call *call = lua_touserdata(L, 1);
    int first = lua_gettop(L) + 1;
    al_push_host_function(L, call->host, call->function);
    push_batch(L, call->batch);
    lua_call(L, 1, 3);
    call->status = al_answer(L, first, call->function);
    if (call->status != ALCORE_OK) return 0;
    const al_array *array = al_array_from(L, first, call->function, call->ragged);
    if (array->path)
        return luaL_error(L, "%s: numbers in memory expected, got a file", call->function);
    if (call->ragged && !array->lengths)
        return luaL_error(L, "%s: an array of alcore.ragged() or a list of lists expected",
                          call->function);
    int64_t rows = call->ragged ? array->lengths_count : array->shape[0];
    if (rows != call->batch->count)
        return luaL_error(L, "%s: gave %d rows for %d texts", call->function, (int)rows,
                          (int)call->batch->count);
    /* A frame of its own: the put may call the progress function, and an error that this raises is
     * a value of this function's stack. */
    AL_CALL(L, call->host->context,
            call->status = alcore_column_writer_put(call->out, call->batch->rows,
                                                    call->ragged ? array->lengths : NULL,
                                                    call->batch->count, &array->values));
    return 0;
}

/* The library's callbacks come here. */
static alcore_status answer(void *user, const char *function, int ragged, const alcore_batch *batch,
                            alcore_column_writer *out) {
    host_call call = {user, function, batch, out, ragged, ALCORE_OK};
    alcore_status status = al_call_back(call.host->context, run_model, &call);
    return status == ALCORE_OK ? call.status : status;
}

#define FUNCTION(name, ragged)                                                                     \
    static alcore_status name(void *user, const alcore_batch *batch, alcore_column_writer *out) {  \
        return answer(user, #name, ragged, batch, out);                                            \
    }
FUNCTION(embed, 0)
FUNCTION(class_probs, 0)
FUNCTION(token_logprobs, 1)
FUNCTION(token_probs, 1)

/* One question for the version of a model. */
typedef struct version_call {
    const al_host *host;
    uint64_t version; /* out; 0 after an error */
} version_call;

/* Reads the field "version" of the caller's table, a number or a function that returns one; runs
 * protected, with the call as light userdata at index 1. */
static int run_version(lua_State *L) {
    version_call *call = lua_touserdata(L, 1);
    al_push_host_function(L, call->host, "version");
    if (lua_isfunction(L, -1)) lua_call(L, 0, 1);
    call->version = (uint64_t)al_integer(L, -1, "version");
    return 0;
}

/* The library's callback. An error in the function does not reach the library; al_leave() raises it
 * when the outer call has returned. */
static uint64_t version(void *user) {
    version_call call = {user, 0};
    (void)al_call_back(call.host->context, run_version, &call);
    return call.version;
}

/* Whether the field of the table is a function; raises when it is something else. */
static int has_function(lua_State *L, int table, const char *name) {
    lua_getfield(L, table, name);
    if (!lua_isnil(L, -1) && !lua_isfunction(L, -1))
        luaL_error(L, "%s: a function expected, got %s", name, luaL_typename(L, -1));
    int found = lua_isfunction(L, -1);
    lua_pop(L, 1);
    return found;
}

/*** A model of functions of your own. Each gets a batch {count, indices, texts, languages} and
 * returns one row of numbers per text; token functions return a list of lists or an array of
 * @{alcore.ragged}.
 * @function alcore.model
 * @tparam table functions embed, token_logprobs, class_probs, token_probs, and name, version (an
 * integer, or a function that returns one: columns that a model of another version made are
 * computed again), batch_rows, context
 * @return a model; or nil, message, code */
static int new_model(lua_State *L) {
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    al_context *context = al_context_of(L, 1);
#define SET_FUNCTION(function)                                                                     \
    if (has_function(L, 1, #function)) host.function = function
    SET_FUNCTION(embed);
    SET_FUNCTION(class_probs);
    SET_FUNCTION(token_logprobs);
    SET_FUNCTION(token_probs);
#undef SET_FUNCTION
    lua_getfield(L, 1, "version");
    if (!lua_isnil(L, -1)) host.version = version;
    lua_pop(L, 1);
    host.batch_rows = al_field_integer(L, 1, "batch_rows");
    al_object *object = al_new(L, &al_model_kind, context);
    int top = lua_gettop(L);
    host.name = al_field_string(L, 1, "name");
    host.destroy = al_host_destroy;
    host.user = al_host_new(L, top, 1, context);
    int failed = AL_CALL(
        L, context,
        al_host_given(host.user, alcore_model_new_host(context->ctx, &host, &object->model)));
    if (failed) return failed;
    lua_pushvalue(L, top);
    return 1;
}

/* ---- models of the library ---- */

/*** The built-in n-gram model.
 * @function alcore.ngram
 * @tparam[opt] table options labeled (a pool), order, dims, seed, context
 * @return a model; or nil, message, code */
static int ngram(lua_State *L) {
    static const char *const others[] = {"labeled", "context", NULL};
    alcore_ngram_options options = ALCORE_NGRAM_OPTIONS_INIT;
    lua_settop(L, 1);
    if (lua_isnil(L, 1)) {
        lua_newtable(L);
        lua_replace(L, 1);
    }
    (void)al_options(L, 1, "ngram", al_ngram_options, others);
    al_read_struct(L, 1, al_ngram_options, &options);
    lua_getfield(L, 1, "labeled");
    al_object *labeled = lua_isnil(L, 2) ? NULL : al_check(L, 2, &al_pool_kind);
    al_context *context = labeled ? labeled->context : al_context_of(L, 1);
    al_object *object = al_new(L, &al_model_kind, context);
    return AL_TOP(L, context,
                  alcore_model_new_ngram(context->ctx, labeled ? labeled->pool : NULL, &options,
                                         &object->model));
}

/*** A model that computes the log-probabilities of a language model.
 * @function alcore.lm_model
 * @tparam lm lm a language model
 * @return a model; or nil, message, code */
static int lm_model(lua_State *L) {
    al_object *lm = al_check(L, 1, &al_lm_kind);
    al_object *object = al_new(L, &al_model_kind, lm->context);
    return AL_TOP(L, lm->context, alcore_model_new_lm(lm->context->ctx, lm->lm, &object->model));
}

/* The settings of a model folder from the table of options. Only three dtypes are allowed, so that
 * field is read here. Strings stay on the stack. */
static void read_model_options(lua_State *L, int table, alcore_model_options *options) {
    static const al_constant dtypes[] = {{"float32", ALCORE_FLOAT32},
                                         {"bfloat16", ALCORE_BFLOAT16},
                                         {"float16", ALCORE_FLOAT16},
                                         {NULL, 0}};
    options->dtype = al_field_constant(L, table, "dtype", dtypes);
    al_read_struct(L, table, al_model_options, options);
}

/*** Opens a model folder: a Hugging Face model, or a folder of ready columns. The settings are
 * those of a model that computes; a folder of ready columns refuses them.
 * @function alcore.open
 * @tparam string path
 * @tparam[opt] table options device, dtype ("float32", "bfloat16", "float16"), pooling ("auto",
 * "mean", "first", "pooler", "words", "max"), layer, normalize ("auto", "unit", "none"),
 * max_tokens, batch_tokens, stride, language (as by model:set_language()), prompt (a text in front
 * of every text that the model reads, "" for none), prompt_name (of a prompt of the folder),
 * context
 * @return a model; or nil, message, code */
static int open_model(lua_State *L) {
    static const char *const others[] = {"dtype", "language", "context", NULL};
    const char *path = luaL_checkstring(L, 1);
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    lua_settop(L, 2);
    int table = al_options(L, 2, "open", al_model_options, others);
    if (table) read_model_options(L, table, &options);
    al_context *context = al_context_of(L, table);
    const char *language = table ? al_field_string(L, table, "language") : NULL;
    al_object *object = al_new(L, &al_model_kind, context);
    const int index = lua_gettop(L);
    int failed =
        AL_CALL(L, context, alcore_model_open(context->ctx, path, &options, &object->model));
    if (!failed && language)
        failed = AL_CALL(L, context, alcore_model_set_language(object->model, language));
    return al_result(L, failed, index);
}

/*** Name of the model.
 * @field model.name */
static int name(lua_State *L) {
    lua_pushstring(L, alcore_model_name(al_check(L, 1, &al_model_kind)->model));
    return 1;
}

/*** Whether the model can make a column.
 * @function model:can
 * @tparam string column
 * @treturn boolean */
static int can(lua_State *L) {
    al_object *self = al_check(L, 1, &al_model_kind);
    lua_pushboolean(L, alcore_model_can(self->model, luaL_checkstring(L, 2)) != 0);
    return 1;
}

/*** Computes a column of a pool.
 * @function model:run
 * @tparam pool pool
 * @tparam string column
 * @return the pool; or nil, message, code */
static int run(lua_State *L) {
    al_object *self = al_check(L, 1, &al_model_kind);
    al_object *pool = al_check(L, 2, &al_pool_kind);
    const char *column = luaL_checkstring(L, 3);
    if (self->context != pool->context)
        return luaL_error(L, "run: the model and the pool belong to different contexts");
    return al_result(
        L, AL_CALL(L, self->context, alcore_model_run(self->model, pool->pool, column)), 2);
}

/*** Keeps what the model computes in a folder for later runs, as the field `cache` of
 * @{alcore.select} does, also where no selection is made.
 * @function model:set_cache
 * @tparam[opt] string folder nil: nothing is kept any more
 * @tparam[opt] number max_age seconds after which it is computed again
 * @return itself; or nil, message, code */
static int set_cache(lua_State *L) {
    al_object *self = al_check(L, 1, &al_model_kind);
    lua_settop(L, 3);
    const char *folder = luaL_optstring(L, 2, NULL);
    const double max_age = luaL_optnumber(L, 3, (lua_Number)INFINITY);
    return AL_SELF(L, self->context, alcore_model_set_cache(self->model, folder, max_age));
}

/*** Sets the language of the outputs of a model of several, for the calls after this one: of the
 * outputs whose log-probabilities are the column "logprobs", of the references that model:score()
 * scores and model:train() learns, and of translations of calls that name none.
 * @function model:set_language
 * @tparam[opt] string language "de_DE" of mBART, "de" of M2M100, "deu_Latn" of NLLB; nil: what the
 * folder says
 * @return itself; or nil, message, code */
static int set_language(lua_State *L) {
    al_object *self = al_check(L, 1, &al_model_kind);
    lua_settop(L, 2);
    const char *language = luaL_optstring(L, 2, NULL);
    return AL_SELF(L, self->context, alcore_model_set_language(self->model, language));
}

/*** Leaves dropout on, by draws of a seed, in what the model scores after this call: the
 * log-probabilities of model:score() and the column "mlm_losses". The variance over passes with
 * several seeds tells how sure the model is.
 * @function model:set_dropout
 * @tparam[opt] integer seed nil: off, as at first
 * @return itself; or nil, message, code */
static int set_dropout(lua_State *L) {
    al_object *self = al_check(L, 1, &al_model_kind);
    lua_settop(L, 2);
    const int on = !lua_isnil(L, 2);
    const uint64_t seed = on ? (uint64_t)al_integer(L, 2, "seed") : 0;
    return AL_SELF(L, self->context, alcore_model_set_dropout(self->model, on, seed));
}

static const al_method methods[] = {{"can", can},
                                    {"embed", al_model_embed},
                                    {"run", run},
                                    {"save", al_model_save},
                                    {"score", al_model_score},
                                    {"set_cache", set_cache},
                                    {"set_dropout", set_dropout},
                                    {"set_language", set_language},
                                    {"train", al_model_train},
                                    {"translate", al_model_translate},
                                    {NULL, NULL}};
static const al_method getters[] = {{"info", al_model_info_field}, {"name", name}, {NULL, NULL}};
AL_KIND(model, alcore_model_unref, methods, getters);
const al_method al_model_functions[] = {{"model", new_model},
                                        {"ngram", ngram},
                                        {"lm_model", lm_model},
                                        {"open", open_model},
                                        {NULL, NULL}};
