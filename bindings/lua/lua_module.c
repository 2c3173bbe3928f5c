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

EXPORT int luaopen_alcore(lua_State *L);

int luaopen_alcore(lua_State *L) {
    static const al_kind *const kinds[] = {
        &al_context_kind,     &al_pool_kind,     &al_column_writer_kind, &al_request_kind,
        &al_selection_kind,   &al_strategy_kind, &al_scorer_kind,        &al_model_kind,
        &al_lm_kind,          &al_aligner_kind,  &al_links_kind,         &al_overlap_kind,
        &al_annotations_kind, &al_mix_kind,      &al_tokenizer_kind,     &al_tokens_kind};
    int running = running_version();
    if (running != LUA_VERSION_NUM) return refuse(L, running);
    if (alcore_abi() != ALCORE_ABI)
        return luaL_error(L,
                          "this alcore module was built for ABI %d of libalcore and found ABI %d",
                          ALCORE_ABI, (int)alcore_abi());
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) al_register_kind(L, kinds[i]);
    al_array_register(L);
    al_view_register(L);
    lua_newtable(L);
    al_set_functions(L, al_context_functions);
    al_set_functions(L, al_pool_functions);
    al_set_functions(L, al_array_functions);
    al_set_functions(L, al_search_functions);
    al_set_functions(L, al_logits_functions);
    al_set_functions(L, al_request_functions);
    al_set_functions(L, al_strategy_functions);
    al_set_functions(L, al_model_functions);
    al_set_functions(L, al_lm_functions);
    al_set_functions(L, al_align_functions);
    al_set_functions(L, al_overlap_functions);
    al_set_functions(L, al_phrase_functions);
    al_set_functions(L, al_mix_functions);
    al_set_functions(L, al_tokenizer_functions);
    al_set_functions(L, al_registry_functions);
    al_push_metrics(L);
    lua_setfield(L, -2, "metrics");
    al_push_plots(L);
    lua_setfield(L, -2, "plots");
    al_push_analysis(L);
    lua_setfield(L, -2, "analysis");
    al_push_stop(L);
    lua_setfield(L, -2, "stop");
    /*** Version of the library.
     * @field alcore.version */
    lua_pushstring(L, alcore_version());
    lua_setfield(L, -2, "version");
    return 1;
}
