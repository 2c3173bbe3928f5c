/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Strategies and scorers: by name with parameters, or a function of the caller's.
 * @section strategies_and_scorers */
/* Strategies and scorers are made, set and called back alike; what differs is said by a `part`. */
#include <string.h>

#include "lua_binding.h"

/* Names of the columns that a caller's function reads of the pool in each role: NULL-terminated
 * lists; NULL: none. */
typedef struct column_needs {
    const char *const *candidates, *const *labeled, *const *target;
} column_needs;

/* A kind of object that is made by name or of a Lua function. The three calls are those of the
 * library with a handle of any kind. */
typedef struct part_calls {
    const al_kind *kind;
    const char *function; /* field with the caller's function in a table of functions */
    const char *called;   /* that function in messages */
    const char *answer;   /* what it returns in messages */
    /* Makes the object's handle: of the built-in part of that name, or of the caller's functions.
     */
    alcore_status (*new_named)(al_context *context, const char *name, al_object *out);
    alcore_status (*new_host)(al_context *context, const char *name, const column_needs *needs,
                              al_host *host, al_object *out);
    const al_setters *setters;
    alcore_status (*get)(void *handle, const char *name, const char **out);
} part_calls;

/* ---- functions of the caller's ---- */

/* One call of a caller's function while it runs. */
typedef struct host_call {
    const al_host *host;
    const part_calls *part;
    alcore_choice *choice; /* out of a strategy, else NULL */
    double *scores;        /* out of a scorer: [candidates], else NULL */
    alcore_status status;
} host_call;

/* Gives the library what the function of a strategy returned from stack index first on: indices
 * and the word "order", or one score for each candidate. */
static alcore_status put_choice(lua_State *L, host_call *call, int first) {
    int64_t count;
    int failed;
    if (lua_type(L, first + 1) == LUA_TSTRING && strcmp(lua_tostring(L, first + 1), "order") == 0) {
        int64_t *rows = al_rows(L, first, NULL, &count, &failed);
        return alcore_choice_order(call->choice, rows, count);
    }
    double *scores = al_numbers(L, first, call->part->answer, &count);
    return alcore_choice_scores(call->choice, scores, count);
}

/* The same of a scorer: one score for each of the expected candidates. */
static void put_scores(lua_State *L, host_call *call, int first, int64_t expected) {
    int64_t count;
    double *scores = al_numbers(L, first, call->part->answer, &count);
    if (count != expected)
        luaL_error(L, "%s gave %d numbers for %d candidates", call->part->called, (int)count,
                   (int)expected);
    if (count > 0) memcpy(call->scores, scores, (size_t)count * sizeof *scores);
}

/* Calls the caller's function with the view; runs protected, with the call as light userdata 1. */
static int run_part(lua_State *L) {
    host_call *call = lua_touserdata(L, 1);
    int first = lua_gettop(L) + 1;
    al_push_host_function(L, call->host, call->part->function);
    al_push_view(L, call->host->context);
    int64_t expected = al_view_size(L, -1);
    lua_call(L, 1, 3);
    call->status = al_answer(L, first, call->part->called);
    if (call->status != ALCORE_OK) return 0;
    if (call->choice)
        call->status = put_choice(L, call, first);
    else
        put_scores(L, call, first, expected);
    return 0;
}

/* The library's callbacks come here. The view can be used while the caller's function runs: the
 * frame of the outer call names it. */
static alcore_status show(host_call *call, const alcore_view *view) {
    al_context *context = call->host->context;
    al_frame *frame = context->frame;
    if (frame) {
        frame->view = view;
        frame->view_number = ++context->views;
    }
    alcore_status status = al_call_back(context, run_part, call);
    if (frame) frame->view = NULL;
    return status == ALCORE_OK ? call->status : status;
}

/* ---- the two parts ---- */

AL_DEFINE_SETTERS(strategy, alcore_strategy_set, alcore_strategy_set_int,
                  alcore_strategy_set_number);
AL_DEFINE_SETTERS(scorer, alcore_scorer_set, alcore_scorer_set_int, alcore_scorer_set_number);

static const part_calls strategy_part, scorer_part;

static alcore_status choose(void *user, const alcore_view *view, alcore_choice *out) {
    host_call call = {.host = user, .part = &strategy_part, .choice = out};
    return show(&call, view);
}

static alcore_status score(void *user, const alcore_view *view, double *scores) {
    host_call call = {.host = user, .part = &scorer_part, .scores = scores};
    return show(&call, view);
}

/* The description of the part that objects of the noun are, from three calls of the library; the
 * callback, which its struct of host functions has too, is the field of a table of functions. More
 * arguments are members of that struct that only one of the two has. */
#define DEFINE_PART(noun, callback, host_struct, make, make_host, get_call, ...)                   \
    static alcore_status noun##_named(al_context *context, const char *name, al_object *out) {     \
        return make(context->ctx, name, &out->noun);                                               \
    }                                                                                              \
    static alcore_status noun##_host(al_context *context, const char *name,                        \
                                     const column_needs *needs, al_host *host, al_object *out) {   \
        host_struct functions = {.size = sizeof functions,                                         \
                                 .name = name,                                                     \
                                 .needs = needs->candidates,                                       \
                                 .callback = callback,                                             \
                                 .destroy = al_host_destroy,                                       \
                                 .user = host,                                                     \
                                 __VA_ARGS__};                                                     \
        return make_host(context->ctx, &functions, &out->noun);                                    \
    }                                                                                              \
    static alcore_status get_##noun(void *handle, const char *name, const char **out) {            \
        return get_call(handle, name, out);                                                        \
    }                                                                                              \
    static const part_calls noun##_part = {                                                        \
        &al_##noun##_kind, #callback,   "the " #noun "'s function", "the " #noun "'s answer",      \
        noun##_named,      noun##_host, &al_##noun##_setters,       get_##noun}
DEFINE_PART(strategy, choose, alcore_strategy_host, alcore_strategy_new, alcore_strategy_new_host,
            alcore_strategy_get, .labeled_needs = needs->labeled, .target_needs = needs->target);
DEFINE_PART(scorer, score, alcore_scorer_host, alcore_scorer_new, alcore_scorer_new_host,
            alcore_scorer_get, );

/* ---- making ---- */

/* The NULL-terminated list of names in a field; NULL without one. Stays on the stack. */
static const char *const *read_needs(lua_State *L, int table, const char *field) {
    int64_t count = 0;
    if (!al_has(L, table, field)) return NULL;
    const char **given = al_strings(L, -1, field, 0, NULL, &count);
    const char **needs = al_buffer(L, count + 1, sizeof *needs);
    if (count > 0) memcpy(needs, given, (size_t)count * sizeof *needs);
    needs[count] = NULL;
    return needs;
}

/* Pushes the object that calls the functions of the table at an index back. */
static int part_of_functions(lua_State *L, const part_calls *part, int table, al_context *context,
                             al_object **out) {
    lua_getfield(L, table, part->function);
    if (!lua_isfunction(L, -1))
        return luaL_error(L, "%s: a function expected, got %s", part->function,
                          luaL_typename(L, -1));
    lua_pop(L, 1);
    *out = al_new(L, part->kind, context);
    int top = lua_gettop(L);
    const char *name = al_field_string(L, table, "name");
    column_needs needs = {.candidates = read_needs(L, table, "needs"),
                          .labeled = read_needs(L, table, "labeled_needs"),
                          .target = read_needs(L, table, "target_needs")};
    al_host *host = al_host_new(L, top, table, context);
    int failed =
        AL_CALL(L, context, al_host_given(host, part->new_host(context, name, &needs, host, *out)));
    if (!failed) lua_pushvalue(L, top);
    return failed;
}

/* Pushes the built-in part whose name is at an index; the name is kept for its parameters. */
static int part_of_name(lua_State *L, const part_calls *part, int index, al_context *context,
                        al_object **out) {
    const char *name = luaL_checkstring(L, index);
    *out = al_new(L, part->kind, context);
    al_anchor(L, -1, index, "name");
    return AL_CALL(L, context, part->new_named(context, name, *out));
}

/* Pushes the part that the value at an index means: a function, a table of functions, or a name. */
static int part_from(lua_State *L, const part_calls *part, int index, al_context *context,
                     al_object **out) {
    index = al_absolute(L, index);
    if (lua_istable(L, index)) return part_of_functions(L, part, index, context, out);
    if (!lua_isfunction(L, index)) return part_of_name(L, part, index, context, out);
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, index);
    lua_setfield(L, -2, part->function);
    return part_of_functions(L, part, lua_gettop(L), context, out);
}

int al_strategy_from(lua_State *L, int index, al_context *context, al_object **out) {
    index = al_absolute(L, index);
    int type = lua_type(L, index);
    if (type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE)
        return part_from(L, &strategy_part, index, context, out);
    *out = al_check(L, index, &al_strategy_kind);
    lua_pushvalue(L, index);
    return 0;
}

/* ---- parameters ---- */

/* Sets the parameter whose name and value are at two indices. */
static int set_one(lua_State *L, const part_calls *part, al_object *object, int name, int value) {
    if (lua_type(L, name) != LUA_TSTRING) return luaL_error(L, "parameters have names");
    return al_set_value(L, object->context, part->setters, object->handle, lua_tostring(L, name),
                        value);
}

static int set_all(lua_State *L, const part_calls *part, al_object *object, int table) {
    if (lua_isnoneornil(L, table)) return 0;
    luaL_checktype(L, table, LUA_TTABLE);
    lua_pushnil(L);
    while (lua_next(L, table) != 0) {
        int top = lua_gettop(L);
        int failed = set_one(L, part, object, top - 1, top);
        if (failed) return failed;
        lua_settop(L, top - 1);
    }
    return 0;
}

static al_context *context_argument(lua_State *L, int index) {
    return lua_isnil(L, index) ? al_context_of(L, 0)
                               : al_check(L, index, &al_context_kind)->context;
}

/* A new object on top of the stack gets the parameters of the table at index 2. */
static int with_parameters(lua_State *L, const part_calls *part, al_object *object, int failed) {
    int top = lua_gettop(L);
    if (!failed) failed = set_all(L, part, object, 2);
    return al_result(L, failed, top);
}

static int set_method(lua_State *L, const part_calls *part) {
    al_object *self = al_check(L, 1, part->kind);
    lua_settop(L, 3);
    luaL_checkstring(L, 2);
    return al_result(L, set_one(L, part, self, 2, 3), 1);
}

static int get_method(lua_State *L, const part_calls *part) {
    al_object *self = al_check(L, 1, part->kind);
    const char *text = NULL;
    alcore_status status = part->get(self->handle, luaL_checkstring(L, 2), &text);
    if (status != ALCORE_OK) return al_fail(L, status);
    lua_pushstring(L, text);
    return 1;
}

/* ---- strategies ---- */

/*** A strategy by name with parameters, or made of a function.
 * @function alcore.strategy
 * @param what a name; a function of a view; or a table with choose and, for its columns of the
 * candidates, the labeled pool and the target, needs, labeled_needs and target_needs; and name
 * @tparam[opt] table parameters
 * @tparam[opt] context context
 * @return a strategy; or nil, message, code */
int l_alcore_strategy(lua_State *L) {
    al_object *object = NULL;
    lua_settop(L, 3);
    int failed = al_strategy_from(L, 1, context_argument(L, 3), &object);
    return with_parameters(L, &strategy_part, object, failed);
}

/*** Sets a parameter.
 * @function strategy:set
 * @tparam string name
 * @param value a string, number, boolean or list
 * @return the strategy; or nil, message, code */
int l_strategy_set(lua_State *L) {
    return set_method(L, &strategy_part);
}

/*** The present value of a parameter: what was set, or its default.
 * @function strategy:get
 * @tparam string name
 * @treturn string; or nil, message, code */
int l_strategy_get(lua_State *L) {
    return get_method(L, &strategy_part);
}

/* ---- scorers ---- */

/*** A scorer by name with parameters, or made of a function.
 * @function alcore.scorer
 * @param what a name; a function of a view; or a table with score, needs and name
 * @tparam[opt] table parameters
 * @tparam[opt] context context
 * @return a scorer; or nil, message, code */
int l_alcore_scorer(lua_State *L) {
    al_object *object = NULL;
    lua_settop(L, 3);
    al_context *context = context_argument(L, 3);
    if (!lua_isfunction(L, 1) && !lua_istable(L, 1)) luaL_checktype(L, 1, LUA_TSTRING);
    return with_parameters(L, &scorer_part, object,
                           part_from(L, &scorer_part, 1, context, &object));
}

/*** Sets a parameter.
 * @function scorer:set
 * @tparam string name
 * @param value a string, number, boolean or list
 * @return the scorer; or nil, message, code */
int l_scorer_set(lua_State *L) {
    return set_method(L, &scorer_part);
}

/*** The present value of a parameter: what was set, or its default.
 * @function scorer:get
 * @tparam string name
 * @treturn string; or nil, message, code */
int l_scorer_get(lua_State *L) {
    return get_method(L, &scorer_part);
}

/*** Scores a pool, which gets the result as a column.
 * @function scorer:run
 * @tparam pool pool
 * @tparam[opt] model model makes the columns that are missing
 * @return the pool; or nil, message, code */
int l_scorer_run(lua_State *L) {
    al_object *self = al_check(L, 1, &al_scorer_kind);
    al_object *pool = al_check(L, 2, &al_pool_kind);
    al_object *model = lua_isnoneornil(L, 3) ? NULL : al_check(L, 3, &al_model_kind);
    if (self->context != pool->context || (model && model->context != pool->context))
        return luaL_error(L, "run: the scorer, pool and model belong to different contexts");
    int failed = AL_CALL(L, pool->context,
                         alcore_scorer_run(self->scorer, pool->pool, model ? model->model : NULL));
    return al_result(L, failed, 2);
}
