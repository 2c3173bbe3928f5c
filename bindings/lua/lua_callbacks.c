/* SPDX-License-Identifier: Apache-2.0 */
/* Calls from the library into Lua: the log, progress, and the functions of the caller's strategies,
 * scorers and models.
 *
 * An error of Lua must not jump over the library's frames, which would never be unwound. So every
 * body runs protected (al_call_back()); the first error value stays on the Lua stack, the library
 * gets ALCORE_E_CALLBACK, and when it has returned al_leave() raises the error again. */
#include <stdlib.h>
#include <string.h>

#include "lua_binding.h"

/* Name of the weak table al_host * -> table of the caller's functions. */
static const char HOSTS[] = "alcore.hosts";

alcore_status al_call_back(al_context *context, lua_CFunction body, void *data) {
    static const char outside[] = "a Lua function was called back outside of a call from Lua";
    static const char raised[] = "an error in a Lua function";
    al_frame *frame = context->frame;
    if (!frame) return alcore_error_set(ALCORE_E_CALLBACK, outside, sizeof outside - 1);
    lua_State *L = frame->L;
    if (al_protected_call(L, body, data) == 0) return ALCORE_OK;
    size_t length = sizeof raised - 1;
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : raised;
    alcore_status status = alcore_error_set(ALCORE_E_CALLBACK, text, length);
    if (frame->raised == 0)
        frame->raised = lua_gettop(L);
    else
        lua_pop(L, 1);
    return status;
}

/* ---- results of functions ---- */

/* The status whose name a function returned as its code; ALCORE_E_CALLBACK for NULL and for any
 * other text. Statuses are the numbers from -1 down. */
static alcore_status status_of(const char *code) {
    for (alcore_status status = -1; code && status > -200; status--)
        if (strcmp(alcore_status_name(status), code) == 0) return status;
    return ALCORE_E_CALLBACK;
}

alcore_status al_answer(lua_State *L, int first, const char *what) {
    if (lua_gettop(L) >= first && !lua_isnil(L, first)) return ALCORE_OK;
    size_t length = 0;
    const char *code = lua_type(L, first + 2) == LUA_TSTRING ? lua_tostring(L, first + 2) : NULL;
    if (lua_type(L, first + 1) != LUA_TSTRING) luaL_error(L, "%s returned nothing", what);
    const char *text = lua_tolstring(L, first + 1, &length);
    return alcore_error_set(status_of(code), text, length);
}

/* ---- log and progress ---- */

/* One line of the log on its way to run_log(); the texts live as long as the library's call. */
typedef struct log_line {
    al_context *context;
    int32_t level;
    const char *component, *message, *fields;
} log_line;

/* Pushes a function of the context; returns 0 when there is none (and has pushed something else).
 */
static int push_context_function(lua_State *L, const al_context *context, const char *name) {
    al_push_functions(L, context);
    if (!lua_istable(L, -1)) return 0;
    lua_getfield(L, -1, name);
    return lua_isfunction(L, -1);
}

/* Calls the context's log function; runs protected, with the line at index 1. */
static int run_log(lua_State *L) {
    const log_line *line = lua_touserdata(L, 1);
    if (!push_context_function(L, line->context, "log")) return 0;
    lua_pushinteger(L, line->level);
    lua_pushstring(L, line->component);
    lua_pushstring(L, line->message);
    lua_pushstring(L, line->fields);
    lua_call(L, 4, 0);
    return 0;
}

void al_log(void *user, int32_t level, const char *component, const char *message,
            const char *fields) {
    al_context *context = user;
    log_line line = {context, level, component, message, fields};
    if (context->frame) (void)al_call_back(context, run_log, &line);
}

/* One call of the progress function. */
typedef struct progress_tick {
    al_context *context;
    const char *stage;
    int64_t done, total; /* total -1: not known, nil in Lua */
    int32_t stop;        /* out, 1: the function returned false */
} progress_tick;

/* Calls the progress function of the running select, or else that of the context; runs protected,
 * with the tick at index 1. */
static int run_progress(lua_State *L) {
    progress_tick *tick = lua_touserdata(L, 1);
    /* Without a function an empty chunk runs: the stand-alone interpreter sets a count hook at
     * Ctrl-C, and hooks only fire while Lua code runs. */
    if (!push_context_function(L, tick->context, "call_progress") &&
        !push_context_function(L, tick->context, "progress")) {
        if (luaL_loadstring(L, "return") != 0) return lua_error(L);
        lua_call(L, 0, 0);
        return 0;
    }
    lua_pushstring(L, tick->stage);
    lua_pushnumber(L, (lua_Number)tick->done);
    if (tick->total < 0)
        lua_pushnil(L);
    else
        lua_pushnumber(L, (lua_Number)tick->total);
    lua_call(L, 3, 1);
    tick->stop = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
    return 0;
}

int32_t al_progress(void *user, const char *stage, int64_t done, int64_t total) {
    al_context *context = user;
    progress_tick tick = {context, stage, done, total, 0};
    if (!context->frame) return 0;
    /* An error in this function, or before it in the log function, ends the call. */
    if (al_call_back(context, run_progress, &tick) != ALCORE_OK || context->frame->raised != 0)
        return 1;
    return tick.stop;
}

/* ---- functions of hosts ---- */

al_host *al_host_new(lua_State *L, int owner, int functions, al_context *context) {
    functions = al_absolute(L, functions);
    owner = al_absolute(L, owner);
    al_anchor(L, owner, functions, "functions");
    al_push_weak(L, HOSTS);
    al_host *host = malloc(sizeof *host);
    if (!host) luaL_error(L, "out of memory");
    host->context = context;
    lua_pushlightuserdata(L, host);
    lua_pushvalue(L, functions);
    lua_rawset(L, -3);
    lua_pop(L, 1);
    return host;
}

void al_host_destroy(void *user) {
    free(user);
}

alcore_status al_host_given(al_host *host, alcore_status status) {
    if (status != ALCORE_OK) al_host_destroy(host);
    return status;
}

void al_push_host_function(lua_State *L, const al_host *host, const char *name) {
    al_push_weak(L, HOSTS);
    lua_pushlightuserdata(L, (void *)(uintptr_t)host);
    lua_rawget(L, -2);
    lua_remove(L, -2);
    if (!lua_istable(L, -1)) luaL_error(L, "the function '%s' was collected", name);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}
