/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Strategies and scorers: by name with parameters, or a function of the caller's.
 * @section strategies_and_scorers */
#include <stdlib.h>
#include <string.h>

#include "lua_binding.h"

static void unref_strategy(void *handle) {
    alcore_strategy_unref(handle);
}

static void unref_scorer(void *handle) {
    alcore_scorer_unref(handle);
}

/* ---- parameters ---- */

typedef alcore_status (*set_function)(void *handle, const char *name, const char *value);

static alcore_status set_strategy(void *handle, const char *name, const char *value) {
    return alcore_strategy_set(handle, name, value);
}

static alcore_status set_scorer(void *handle, const char *name, const char *value) {
    return alcore_scorer_set(handle, name, value);
}

/* Sets the parameter with the name and value at two indices. */
static int set_one(lua_State *L, al_object *object, set_function set, int name, int value) {
    if (lua_type(L, name) != LUA_TSTRING) return luaL_error(L, "parameters have names");
    const char *text = al_push_text(L, value, lua_tostring(L, name));
    al_frame frame;
    al_enter(L, object->home, &frame);
    frame.status = set(object->handle, lua_tostring(L, name), text);
    return al_leave(L, &frame);
}

static int set_all(lua_State *L, al_object *object, set_function set, int table) {
    if (lua_isnoneornil(L, table)) return 0;
    luaL_checktype(L, table, LUA_TTABLE);
    lua_pushnil(L);
    while (lua_next(L, table) != 0) {
        int place = lua_gettop(L);
        int failed = set_one(L, object, set, place - 1, place);
        if (failed) return failed;
        lua_settop(L, place - 1);
    }
    return 0;
}

static int set_method(lua_State *L, al_object *object, set_function set) {
    lua_settop(L, 3);
    luaL_checkstring(L, 2);
    int failed = set_one(L, object, set, 2, 3);
    if (failed) return failed;
    lua_settop(L, 1);
    return 1;
}

/* ---- functions of the caller's ---- */

typedef struct asked {
    const al_host *host;
    alcore_choice *choice; /* of a strategy */
    double *scores;        /* of a scorer */
    alcore_status status;
} asked;

static int run_choose(lua_State *L) {
    asked *call = lua_touserdata(L, 1);
    al_home *home = call->host->home;
    int first = lua_gettop(L) + 1;
    al_push_host_function(L, call->host, "choose");
    al_push_view(L, home);
    lua_call(L, 1, 3);
    call->status = al_answer(L, first, "the strategy's function");
    if (call->status != ALCORE_OK) return 0;
    int64_t count;
    int failed;
    if (lua_type(L, first + 1) == LUA_TSTRING && strcmp(lua_tostring(L, first + 1), "order") == 0) {
        int64_t *rows = al_rows(L, first, NULL, &count, &failed);
        call->status = alcore_choice_order(call->choice, rows, count);
    } else {
        double *scores = al_numbers(L, first, "the strategy's answer", &count);
        call->status = alcore_choice_scores(call->choice, scores, count);
    }
    return 0;
}

static int run_score(lua_State *L) {
    asked *call = lua_touserdata(L, 1);
    al_home *home = call->host->home;
    int first = lua_gettop(L) + 1;
    al_push_host_function(L, call->host, "score");
    al_push_view(L, home);
    int64_t expected = al_view_size(L, -1), count;
    lua_call(L, 1, 3);
    call->status = al_answer(L, first, "the scorer's function");
    if (call->status != ALCORE_OK) return 0;
    double *scores = al_numbers(L, first, "the scorer's answer", &count);
    if (count != expected)
        return luaL_error(L, "the scorer's function gave %d numbers for %d candidates", (int)count,
                          (int)expected);
    if (count > 0) memcpy(call->scores, scores, (size_t)count * sizeof *scores);
    return 0;
}

/* Shows a view to a body for as long as it runs. */
static alcore_status show(asked *call, const alcore_view *view, lua_CFunction body) {
    al_home *home = call->host->home;
    al_frame *frame = home->frame;
    if (frame != NULL) {
        frame->view = view;
        frame->view_number = ++home->views;
    }
    alcore_status status = al_call_back(home, body, call);
    if (frame != NULL) frame->view = NULL;
    return status == ALCORE_OK ? call->status : status;
}

static alcore_status choose(void *user, const alcore_view *view, alcore_choice *out) {
    asked call = {.host = user, .choice = out};
    return show(&call, view, run_choose);
}

static alcore_status score(void *user, const alcore_view *view, double *scores) {
    asked call = {.host = user, .scores = scores};
    return show(&call, view, run_score);
}

/* The NULL-terminated list of the field needs. Stays on the stack. */
static const char *const *read_needs(lua_State *L, int table) {
    int64_t count = 0;
    lua_getfield(L, table, "needs");
    if (lua_isnil(L, -1)) return NULL;
    const char **given = al_strings(L, -1, "needs", 0, NULL, &count);
    const char **needs = al_buffer(L, count + 1, sizeof *needs);
    if (count > 0) memcpy(needs, given, (size_t)count * sizeof *needs);
    needs[count] = NULL;
    return needs;
}

static void check_field(lua_State *L, int table, const char *name) {
    lua_getfield(L, table, name);
    if (!lua_isfunction(L, -1))
        luaL_error(L, "%s: a function expected, got %s", name, luaL_typename(L, -1));
    lua_pop(L, 1);
}

/* Pushes the table {name = function at index}. */
static void push_table_of(lua_State *L, int index, const char *name) {
    index = al_absolute(L, index);
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, index);
    lua_setfield(L, -2, name);
}

/* Strategy of the table of functions at index. */
static int strategy_of_functions(lua_State *L, int table, al_home *home, al_object **out) {
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    check_field(L, table, "choose");
    al_object *object = al_new(L, &al_strategy_kind, home);
    int place = lua_gettop(L);
    host.name = al_field_string(L, table, "name");
    host.needs = read_needs(L, table);
    host.choose = choose;
    host.destroy = al_host_destroy;
    host.user = al_host_new(L, place, table, home);
    alcore_strategy *handle = NULL;
    al_frame frame;
    al_enter(L, home, &frame);
    frame.status = alcore_strategy_new_host(home->ctx, &host, &handle);
    object->handle = handle;
    if (frame.status != ALCORE_OK) al_host_destroy(host.user);
    int failed = al_leave(L, &frame);
    if (failed) return failed;
    lua_pushvalue(L, place);
    *out = object;
    return 0;
}

static int strategy_of_name(lua_State *L, int name, al_home *home, al_object **out) {
    al_object *object = al_new(L, &al_strategy_kind, home);
    al_anchor(L, -1, name, "name"); /* of its parameters */
    alcore_strategy *handle = NULL;
    al_frame frame;
    al_enter(L, home, &frame);
    frame.status = alcore_strategy_new(home->ctx, lua_tostring(L, name), &handle);
    object->handle = handle;
    *out = object;
    return al_leave(L, &frame);
}

int al_strategy_from(lua_State *L, int index, al_home *home, al_object **out) {
    index = al_absolute(L, index);
    switch (lua_type(L, index)) {
    case LUA_TSTRING:
        return strategy_of_name(L, index, home, out);
    case LUA_TFUNCTION:
        push_table_of(L, index, "choose");
        return strategy_of_functions(L, lua_gettop(L), home, out);
    case LUA_TTABLE:
        return strategy_of_functions(L, index, home, out);
    default:
        *out = al_check(L, index, &al_strategy_kind);
        lua_pushvalue(L, index);
        return 0;
    }
}

/*** A strategy by name with parameters, or made of a function.
 * @function alcore.strategy
 * @param what a name; a function of a view; or a table with choose, needs and name
 * @tparam[opt] table parameters
 * @tparam[opt] context context
 * @return a strategy; or nil, message, code */
static int new_strategy(lua_State *L) {
    lua_settop(L, 3);
    al_home *home = lua_isnil(L, 3) ? al_home_of(L, 0) : al_check(L, 3, &al_context_kind)->home;
    al_object *object;
    int failed = al_strategy_from(L, 1, home, &object);
    if (failed) return failed;
    int place = lua_gettop(L);
    failed = set_all(L, object, set_strategy, 2);
    if (failed) return failed;
    lua_pushvalue(L, place);
    return 1;
}

/*** Sets a parameter.
 * @function strategy:set
 * @tparam string name
 * @param value a string, number, boolean or list
 * @return the strategy; or nil, message, code */
static int strategy_set(lua_State *L) {
    return set_method(L, al_check(L, 1, &al_strategy_kind), set_strategy);
}

/*** The present value of a parameter: what was set, or its default.
 * @function strategy:get
 * @tparam string name
 * @treturn string; or nil, message, code */
static int strategy_get(lua_State *L) {
    al_object *self = al_check(L, 1, &al_strategy_kind);
    const char *text = NULL;
    alcore_status status = alcore_strategy_get(self->handle, luaL_checkstring(L, 2), &text);
    if (status != ALCORE_OK) return al_fail(L, status);
    lua_pushstring(L, text);
    return 1;
}

/* ---- scorers ---- */

static int scorer_of_functions(lua_State *L, int table, al_home *home, al_object **out) {
    alcore_scorer_host host = ALCORE_SCORER_HOST_INIT;
    check_field(L, table, "score");
    al_object *object = al_new(L, &al_scorer_kind, home);
    int place = lua_gettop(L);
    host.name = al_field_string(L, table, "name");
    host.needs = read_needs(L, table);
    host.score = score;
    host.destroy = al_host_destroy;
    host.user = al_host_new(L, place, table, home);
    alcore_scorer *handle = NULL;
    al_frame frame;
    al_enter(L, home, &frame);
    frame.status = alcore_scorer_new_host(home->ctx, &host, &handle);
    object->handle = handle;
    if (frame.status != ALCORE_OK) al_host_destroy(host.user);
    int failed = al_leave(L, &frame);
    if (failed) return failed;
    lua_pushvalue(L, place);
    *out = object;
    return 0;
}

static int scorer_of_name(lua_State *L, int name, al_home *home, al_object **out) {
    al_object *object = al_new(L, &al_scorer_kind, home);
    alcore_scorer *handle = NULL;
    al_frame frame;
    al_enter(L, home, &frame);
    frame.status = alcore_scorer_new(home->ctx, luaL_checkstring(L, name), &handle);
    object->handle = handle;
    *out = object;
    return al_leave(L, &frame);
}

/*** A scorer by name with parameters, or made of a function.
 * @function alcore.scorer
 * @param what a name; a function of a view; or a table with score, needs and name
 * @tparam[opt] table parameters
 * @tparam[opt] context context
 * @return a scorer; or nil, message, code */
static int new_scorer(lua_State *L) {
    lua_settop(L, 3);
    al_home *home = lua_isnil(L, 3) ? al_home_of(L, 0) : al_check(L, 3, &al_context_kind)->home;
    al_object *object = NULL;
    int failed;
    if (lua_isfunction(L, 1)) {
        push_table_of(L, 1, "score");
        failed = scorer_of_functions(L, lua_gettop(L), home, &object);
    } else if (lua_istable(L, 1)) {
        failed = scorer_of_functions(L, 1, home, &object);
    } else {
        luaL_checktype(L, 1, LUA_TSTRING);
        failed = scorer_of_name(L, 1, home, &object);
    }
    if (failed) return failed;
    int place = lua_gettop(L);
    failed = set_all(L, object, set_scorer, 2);
    if (failed) return failed;
    lua_pushvalue(L, place);
    return 1;
}

/*** Sets a parameter.
 * @function scorer:set
 * @tparam string name
 * @param value a string, number, boolean or list
 * @return the scorer; or nil, message, code */
static int scorer_set(lua_State *L) {
    return set_method(L, al_check(L, 1, &al_scorer_kind), set_scorer);
}

/*** The present value of a parameter: what was set, or its default.
 * @function scorer:get
 * @tparam string name
 * @treturn string; or nil, message, code */
static int scorer_get(lua_State *L) {
    al_object *self = al_check(L, 1, &al_scorer_kind);
    const char *text = NULL;
    alcore_status status = alcore_scorer_get(self->handle, luaL_checkstring(L, 2), &text);
    if (status != ALCORE_OK) return al_fail(L, status);
    lua_pushstring(L, text);
    return 1;
}

/*** Scores a pool, which gets the result as a column.
 * @function scorer:run
 * @tparam pool pool
 * @tparam[opt] model model makes the columns that are missing
 * @return the pool; or nil, message, code */
static int scorer_run(lua_State *L) {
    al_object *self = al_check(L, 1, &al_scorer_kind);
    al_object *pool = al_check(L, 2, &al_pool_kind);
    al_object *model = lua_isnoneornil(L, 3) ? NULL : al_check(L, 3, &al_model_kind);
    if (self->home != pool->home || (model != NULL && model->home != pool->home))
        return luaL_error(L, "run: the scorer, pool and model belong to different contexts");
    al_frame frame;
    al_enter(L, pool->home, &frame);
    frame.status =
        alcore_scorer_run(self->handle, pool->handle, model != NULL ? model->handle : NULL);
    int failed = al_leave(L, &frame);
    if (failed) return failed;
    lua_pushvalue(L, 2);
    return 1;
}

static const al_method strategy_methods[] = {
    {"get", strategy_get}, {"set", strategy_set}, {NULL, NULL}};
static const al_method scorer_methods[] = {
    {"get", scorer_get}, {"run", scorer_run}, {"set", scorer_set}, {NULL, NULL}};
const al_kind al_strategy_kind = {"alcore.strategy", unref_strategy, strategy_methods, NULL};
const al_kind al_scorer_kind = {"alcore.scorer", unref_scorer, scorer_methods, NULL};
const al_method al_strategy_functions[] = {
    {"strategy", new_strategy}, {"scorer", new_scorer}, {NULL, NULL}};
