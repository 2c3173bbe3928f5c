/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Contexts: threads, seed, log, progress, cancelling.
 * @section contexts */
#include <stdlib.h>

#include "lua_binding.h"

/* Names in Lua's registry: the weak table al_context * -> table of its functions, and the module's
 * own context. */
static const char CONTEXTS[] = "alcore.contexts", MODULE_CONTEXT[] = "alcore.module context";

void al_context_release(al_context *context) {
    if (--context->users > 0) return;
    alcore_ctx_unref(context->ctx);
    free(context);
}

void al_push_functions(lua_State *L, const al_context *context) {
    al_push_weak(L, CONTEXTS);
    lua_pushlightuserdata(L, (void *)(uintptr_t)context);
    lua_rawget(L, -2);
    lua_remove(L, -2);
}

/* Makes the table of a new context's functions. The table is new because the weak table may still
 * have that of an earlier context at the same address; the objects of the context keep it alive. */
static void begin_functions(lua_State *L, al_context *context) {
    al_push_weak(L, CONTEXTS);
    lua_pushlightuserdata(L, context);
    lua_newtable(L);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

/* Raises unless the value at index is a function or nil. */
static void check_function(lua_State *L, int index, const char *name) {
    if (!lua_isnil(L, index) && !lua_isfunction(L, index))
        luaL_error(L, "%s: a function expected, got %s", name, luaL_typename(L, index));
}

/* The field of the options becomes the context's function of the same name. Index 0: no options. */
static void set_option_function(lua_State *L, int options, const al_context *context,
                                const char *name) {
    if (options == 0) return;
    lua_getfield(L, options, name);
    check_function(L, -1, name);
    al_push_functions(L, context);
    lua_insert(L, -2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

/* Pushes a new context with the options of the table (index 0: none); 0, or the number of results
 * of a failure. */
static int make(lua_State *L, int table) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    al_read_struct(L, table, al_ctx_options, &options);
    al_object *object = al_new(L, &al_context_kind, NULL);
    al_context *context = calloc(1, sizeof *context);
    if (!context) return luaL_error(L, "out of memory");
    object->context = context; /* the collector frees it from here on */
    context->users = 1;
    begin_functions(L, context);
    al_join(L, object, context);
    context->users = 1;
    options.log = al_log;
    options.progress = al_progress;
    options.log_user = options.progress_user = context;
    alcore_status status = alcore_ctx_new(&options, &context->ctx);
    if (status != ALCORE_OK) return al_fail(L, status);
    object->handle = alcore_ctx_ref(context->ctx);
    set_option_function(L, table, context, "log");
    set_option_function(L, table, context, "progress");
    return 0;
}

al_context *al_context_of(lua_State *L, int table) {
    if (table != 0) {
        al_object *given = al_has(L, table, "context") ? al_check(L, -1, &al_context_kind) : NULL;
        lua_pop(L, 1);
        if (given) return given->context;
    }
    lua_getfield(L, LUA_REGISTRYINDEX, MODULE_CONTEXT);
    al_object *module_context = al_test(L, -1, &al_context_kind);
    lua_pop(L, 1);
    if (module_context) return module_context->context;
    if (make(L, 0) != 0) luaL_error(L, "%s", lua_tostring(L, -2));
    module_context = lua_touserdata(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, MODULE_CONTEXT);
    return module_context->context;
}

/*** Makes a context: its threads, seed, log and progress are those of everything made with it.
 * Without one the module uses a context of its own.
 * @function alcore.context
 * @tparam[opt] table options threads, seed, module_dir, torch_dir, log, progress
 * @return a context; or nil, message, code */
int l_alcore_context(lua_State *L) {
    static const char *const others[] = {"log", "progress", NULL};
    int failed = make(L, al_options(L, 1, "context", al_ctx_options, others, NULL));
    return failed ? failed : 1;
}

/* context:on_progress() and context:on_log(). */
static int set_function(lua_State *L, const char *name) {
    al_object *self = al_check(L, 1, &al_context_kind);
    lua_settop(L, 2);
    check_function(L, 2, name);
    al_push_functions(L, self->context);
    lua_insert(L, 2);
    lua_setfield(L, 2, name);
    lua_settop(L, 1);
    return 1;
}

/*** Sets the function(stage, done, total) of running calls; false as its answer stops the call.
 * @function context:on_progress
 * @tparam[opt] function progress none if nil
 * @treturn context itself */
int l_context_on_progress(lua_State *L) {
    return set_function(L, "progress");
}

/*** Sets the function(level, component, message, fields) that gets the log; fields is a JSON
 * object.
 * @function context:on_log
 * @tparam[opt] function log none if nil
 * @treturn context itself */
int l_context_on_log(lua_State *L) {
    return set_function(L, "log");
}
