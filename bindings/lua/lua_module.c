/* SPDX-License-Identifier: Apache-2.0 */
/*** Decides what to label next.
 *
 * A failure that a correct program may meet (a file that is missing, a name that is not known)
 * gives nil, a message and a code such as "ALCORE_E_PARAM"; misuse raises an error. Indices count
 * from 1.
 * @module alcore */
/* The entry point: refuses a Lua or a library other than those that the module was built for, and
 * fills the table `alcore`. */
#include "lua_binding.h"

#define EXPORT __attribute__((visibility("default")))

/* The version of the Lua that runs is told by the functions that it has. lua_version() cannot be
 * asked: its type changed between versions. */
#define PROBE(symbol) extern __attribute__((weak)) void al_has_##symbol(void) __asm__(#symbol)
PROBE(lua_newuserdatauv); /* 5.4 */
PROBE(lua_isinteger);     /* 5.3 and later */
PROBE(lua_callk);         /* 5.2 and later */
PROBE(lua_setfenv);       /* 5.1 and LuaJIT */

/* LUA_VERSION_NUM of the Lua that runs; 0 for none that the module supports. */
static int running_version(void) {
    if (al_has_lua_newuserdatauv) return 504;
    if (al_has_lua_isinteger) return 503;
    if (al_has_lua_callk) return 502;
    return al_has_lua_setfenv ? 501 : 0;
}

/* Raises the error of the wrong Lua, by a function that is the same in every version. */
static int refuse(lua_State *L, int running) {
    return luaL_error(L,
                      "this alcore module was built for Lua %d.%d and this is Lua %d.%d: put the "
                      "module of Lua %d.%d on package.cpath",
                      LUA_VERSION_NUM / 100, LUA_VERSION_NUM % 100, running / 100, running % 100,
                      running / 100, running % 100);
}

/* Sets a field of the table on top of the stack to a table of functions. */
static void push_table(lua_State *L, const char *name, const al_method *functions) {
    lua_newtable(L);
    al_set_functions(L, functions);
    lua_setfield(L, -2, name);
}

EXPORT int luaopen_alcore(lua_State *L);

int luaopen_alcore(lua_State *L) {
    int running = running_version();
    if (running != LUA_VERSION_NUM) return refuse(L, running);
    if (alcore_abi() != ALCORE_ABI)
        return luaL_error(L,
                          "this alcore module was built for ABI %d of libalcore and found ABI %d",
                          ALCORE_ABI, (int)alcore_abi());
    for (const al_kind *const *kind = al_kinds; *kind; kind++) al_register_kind(L, *kind);
    al_array_register(L);
    al_view_register(L);
    lua_newtable(L);
    al_set_functions(L, al_alcore_methods);
    al_push_metrics(L);
    lua_setfield(L, -2, "metrics");
    push_table(L, "plots", al_plots_methods);
    push_table(L, "analysis", al_analysis_methods);
    push_table(L, "stop", al_stop_methods);
    /*** Version of the library.
     * @field alcore.version */
    al_set_string(L, "version", alcore_version());
    return 1;
}
