/* SPDX-License-Identifier: Apache-2.0 */
/* One C API out of those of Lua 5.1 to 5.4 and LuaJIT.
 *
 * Lua's functions are weak here: a module that was built for another Lua then still loads, and can
 * say so in words (lua_module.c) instead of crashing later or failing on a symbol. */
#ifndef ALCORE_LUA_COMPAT_H
#define ALCORE_LUA_COMPAT_H

#include <luaconf.h>
#undef LUA_API
#define LUA_API extern __attribute__((weak))
#include <lauxlib.h>
#include <lua.h>

#if LUA_VERSION_NUM == 501
#define lua_rawlen lua_objlen
#define lua_setuservalue lua_setfenv
#define lua_getuservalue lua_getfenv
#endif

/* Values that a function of this module may push without asking for more; Lua itself grants 20. */
#define AL_STACK 24

/* The positive form of a stack index, which stays the same when values are pushed. */
static inline int al_absolute(lua_State *L, int index) {
    return index > 0 || index <= LUA_REGISTRYINDEX ? index : lua_gettop(L) + index + 1;
}

/* Calls body(L) protected, with data as light userdata at index 1. Returns 0, or after an error its
 * code with the error value on the stack. Allocates nothing outside of the protection. */
static inline int al_protected_call(lua_State *L, lua_CFunction body, void *data) {
#if LUA_VERSION_NUM == 501
    return lua_cpcall(L, body, data);
#else
    lua_pushcfunction(L, body);
    lua_pushlightuserdata(L, data);
    return lua_pcall(L, 1, 0, 0);
#endif
}

#endif
