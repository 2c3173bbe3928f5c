/* SPDX-License-Identifier: Apache-2.0 */
/* Handles as userdata, and calls into the library.
 *
 * The metatable of a kind has __index, a lookup first among the methods, then among the getters;
 * __gc and __close, which give the handle back; __len where there is a getter `count`. */
/*** @module alcore */
/*** Handles.
 * @section handles */
#include <string.h>

#include "lua_binding.h"

/* ---- calls ---- */

void al_enter(lua_State *L, al_context *context, al_frame *frame) {
    /* Callbacks run on this part of the stack and cannot raise the error of growing it. */
    luaL_checkstack(L, AL_STACK, "a call of alcore");
    frame->context = context;
    frame->outer = context->frame;
    frame->L = L;
    frame->view = NULL;
    frame->raised = 0;
    frame->captured = 0;
    context->frame = frame;
}

/* Copies the library's last error text, cut to fit, and its remedy, whose strings live for ever. */
static void copy_error(al_frame *frame) {
    const char *text = alcore_last_error();
    size_t length = strlen(text);
    if (length >= sizeof frame->text) length = sizeof frame->text - 1;
    memcpy(frame->text, text, length);
    frame->text[length] = '\0';
    frame->remedy = (alcore_remedy)ALCORE_REMEDY_INIT;
    alcore_last_remedy(&frame->remedy);
    frame->captured = 1;
}

void al_capture(al_frame *frame, alcore_status status) {
    if (status != ALCORE_OK && !frame->captured) copy_error(frame);
}

void al_push_remedy(lua_State *L, const alcore_remedy *remedy) {
    const char *name = remedy->name, *value = remedy->value, *suffix = "";
    if (remedy->kind == ALCORE_REMEDY_TORCH) {
        lua_pushfstring(L, "torch_dir = \"DIR\", the folder of libtorch of a torch %s, %s", name,
                        remedy->effect);
        return;
    }
    if (remedy->kind == ALCORE_REMEDY_STRATEGY || remedy->kind == ALCORE_REMEDY_MODEL) {
        name = remedy->kind == ALCORE_REMEDY_MODEL ? "model" : "strategy";
        value = remedy->name;
    } else if (remedy->kind == ALCORE_REMEDY_MEANING) {
        suffix = "_are";
    } else if (remedy->kind == ALCORE_REMEDY_POOL && strcmp(name, "candidates") == 0) {
        name = "texts";
    } else if (remedy->kind == ALCORE_REMEDY_POOL && strcmp(name, "target") == 0) {
        name = "targets";
    }
    if (remedy->kind == ALCORE_REMEDY_MODEL && remedy->value)
        lua_pushfstring(L, "model = {%s = \"%s\"} %s", remedy->value, remedy->name, remedy->effect);
    else if (value)
        lua_pushfstring(L, "%s%s = \"%s\" %s", name, suffix, value, remedy->effect);
    else
        lua_pushfstring(L, "%s%s = ... %s", name, suffix, remedy->effect);
}

/* Pushes nil, message and code of the error that a frame holds; returns 3. */
static int push_failure(lua_State *L, alcore_status status, const al_frame *frame) {
    const char *code = alcore_status_name(status);
    lua_pushnil(L);
    lua_pushstring(L, frame->text[0] != '\0' ? frame->text : code);
    if (frame->remedy.kind != 0) {
        lua_pushliteral(L, "; ");
        al_push_remedy(L, &frame->remedy);
        lua_concat(L, 3);
    }
    lua_pushstring(L, code);
    return 3;
}

int al_leave(lua_State *L, al_context *context, alcore_status status) {
    al_frame *frame = context->frame;
    /* Before anything is pushed: a push may run Lua's collector, whose finalizers may call the
     * library, which clears the error text. */
    al_capture(frame, status);
    context->frame = frame->outer;
    if (frame->raised != 0) {
        lua_pushvalue(L, frame->raised);
        return lua_error(L);
    }
    return status == ALCORE_OK ? 0 : push_failure(L, status, frame);
}

int al_result(lua_State *L, int failed, int index) {
    if (failed) return failed;
    lua_settop(L, index);
    return 1;
}

int al_fail(lua_State *L, alcore_status status) {
    al_frame frame;
    copy_error(&frame);
    return push_failure(L, status, &frame);
}

/* ---- objects ---- */

void al_push_weak(lua_State *L, const char *name) {
    lua_getfield(L, LUA_REGISTRYINDEX, name);
    if (lua_istable(L, -1)) return;
    lua_pop(L, 1);
    lua_newtable(L);
    lua_newtable(L);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, name);
}

void al_set_functions(lua_State *L, const al_method *functions) {
    for (; functions && functions->name; functions++) {
        lua_pushcfunction(L, functions->function);
        lua_setfield(L, -2, functions->name);
    }
}

/* Gives the handle and the share of the context back; the object is closed from here on. The fields
 * are cleared first, because unref may run callbacks that reach the object. */
static void drop(al_object *object, const al_kind *kind) {
    void *handle = object->handle;
    al_context *context = object->context;
    object->handle = NULL;
    object->context = NULL;
    if (handle) kind->unref(handle);
    if (context) al_context_release(context);
}

/* The kind that a function of a metatable was made for (upvalue 1). */
static const al_kind *upvalue_kind(lua_State *L) {
    return lua_touserdata(L, lua_upvalueindex(1));
}

static int collect(lua_State *L) {
    drop(lua_touserdata(L, 1), upvalue_kind(L));
    return 0;
}

/* The object at index, open or closed; NULL for a value of another kind. */
static al_object *test(lua_State *L, int index, const al_kind *kind) {
    al_object *object = lua_touserdata(L, index);
    if (!object || !lua_getmetatable(L, index)) return NULL;
    luaL_getmetatable(L, kind->name);
    int same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return same ? object : NULL;
}

/*** Gives the memory of a context, pool, column writer, selection, strategy, scorer, model,
 * language model, aligner, links, annotations or training set back now; without it the collector
 * does so later. To close twice is no error. In Lua 5.4 a variable that is <close> is closed at the
 * end of its block.
 * @function handle:close */
static int close_object(lua_State *L) {
    const al_kind *kind = upvalue_kind(L);
    al_object *object = test(L, 1, kind);
    if (!object) return luaL_error(L, "close: %s expected", kind->name);
    if (object->context && object->context->frame)
        return luaL_error(L, "close: a call on the context of this %s is under way", kind->name);
    drop(object, kind);
    return 0;
}

/* __tostring: "alcore.pool: 0x...", or "alcore.pool (closed)". */
static int to_string(lua_State *L) {
    const al_kind *kind = upvalue_kind(L);
    al_object *object = test(L, 1, kind);
    if (!object) return luaL_error(L, "%s expected", kind->name);
    lua_pushfstring(L, object->handle ? "%s: %p" : "%s (closed)", kind->name, object->handle);
    return 1;
}

/* __index with the tables of methods and getters as upvalues 2 and 3. */
static int look_up(lua_State *L) {
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(2));
    if (!lua_isnil(L, -1)) return 1;
    lua_pop(L, 1);
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(3));
    if (lua_isnil(L, -1)) {
        const al_kind *kind = upvalue_kind(L);
        if (lua_type(L, 2) != LUA_TSTRING) return luaL_error(L, "%s has named fields", kind->name);
        return luaL_error(L, "%s has no field '%s'", kind->name, lua_tostring(L, 2));
    }
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

/* Pushes a function of a metatable, with the kind as its upvalue. */
static void push_closure(lua_State *L, const al_kind *kind, lua_CFunction function) {
    lua_pushlightuserdata(L, (void *)(uintptr_t)kind);
    lua_pushcclosure(L, function, 1);
}

void al_register_kind(lua_State *L, const al_kind *kind) {
    luaL_newmetatable(L, kind->name);
    lua_pushlightuserdata(L, (void *)(uintptr_t)kind);
    lua_newtable(L);
    al_set_functions(L, kind->methods);
    push_closure(L, kind, close_object);
    lua_setfield(L, -2, "close");
    lua_newtable(L);
    al_set_functions(L, kind->getters);
    lua_pushcclosure(L, look_up, 3);
    lua_setfield(L, -2, "__index");
    push_closure(L, kind, collect);
    lua_setfield(L, -2, "__gc");
    push_closure(L, kind, close_object);
    lua_setfield(L, -2, "__close");
    push_closure(L, kind, to_string);
    lua_setfield(L, -2, "__tostring");
    al_set_string(L, "__metatable", kind->name);
    al_set_string(L, "__name", kind->name);
    for (const al_method *method = kind->getters; method && method->name; method++) {
        if (strcmp(method->name, "count") != 0) continue;
        lua_pushcfunction(L, method->function);
        lua_setfield(L, -2, "__len");
    }
    lua_pop(L, 1);
}

al_object *al_new(lua_State *L, const al_kind *kind, al_context *context) {
    luaL_checkstack(L, AL_STACK, "an object of alcore");
    al_object *object = lua_newuserdata(L, sizeof *object);
    object->handle = NULL;
    object->context = NULL;
    luaL_getmetatable(L, kind->name);
    lua_setmetatable(L, -2);
    lua_createtable(L, 1, 0);
    lua_setuservalue(L, -2);
    if (context) al_join(L, object, context);
    return object;
}

void al_join(lua_State *L, al_object *object, al_context *context) {
    object->context = context;
    context->users++;
    lua_getuservalue(L, -1);
    al_push_functions(L, context);
    lua_rawseti(L, -2, 1);
    lua_pop(L, 1);
}

al_object *al_test(lua_State *L, int index, const al_kind *kind) {
    al_object *object = test(L, index, kind);
    return object && object->handle ? object : NULL;
}

al_object *al_check(lua_State *L, int index, const al_kind *kind) {
    al_object *object = luaL_checkudata(L, index, kind->name);
    if (!object->handle) luaL_error(L, "this %s is closed", kind->name);
    return object;
}

void al_anchor(lua_State *L, int owner, int index, const char *name) {
    index = al_absolute(L, index);
    lua_getuservalue(L, owner);
    lua_pushvalue(L, index);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

void al_push_anchor(lua_State *L, int owner, const char *name) {
    lua_getuservalue(L, owner);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}
