/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** What the library has: strategies, scorers, parameters, needs, devices.
 * @section what_there_is */
#include "lua_binding.h"

/* Pushes the table that describes one parameter. */
static void push_info(lua_State *L, const alcore_param_info *info) {
    lua_createtable(L, 0, 7);
    al_set_string(L, "name", info->name);
    al_set_string(L, "help", info->help);
    al_set_string(L, "default", info->initial);
    al_set_string(L, "choices", info->choices);
    al_set_number(L, "minimum", info->minimum);
    al_set_number(L, "maximum", info->maximum);
    al_push_word(L, al_words_param_type, info->type);
    lua_setfield(L, -2, "type");
}

/* alcore_request_builtin_param() with the signature of those of strategies and scorers. */
static alcore_status request_param(const char *name, int64_t index, alcore_param_info *out) {
    (void)name;
    return alcore_request_builtin_param(index, out);
}

/* Pushes the list of the parameters of a strategy, a scorer or a request. */
static int push_params(lua_State *L, const char *name,
                       alcore_status (*param)(const char *name, int64_t index,
                                              alcore_param_info *out)) {
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;
    alcore_status status;
    lua_newtable(L);
    for (int32_t i = 0; (status = param(name, i, &info)) == ALCORE_OK; i++) {
        push_info(L, &info);
        lua_rawseti(L, -2, i + 1);
    }
    return status == ALCORE_E_NOT_FOUND ? 1 : al_fail(L, status);
}

/*** Parameters of a strategy; without a name, the options of a request.
 * @function alcore.params
 * @tparam[opt] string strategy
 * @return a list of {name, help, default, choices, minimum, maximum, type}; or nil, message, code
 */
int l_alcore_params(lua_State *L) {
    if (lua_isnoneornil(L, 1)) return push_params(L, NULL, request_param);
    return push_params(L, luaL_checkstring(L, 1), alcore_strategy_builtin_param);
}

/*** Parameters of a scorer.
 * @function alcore.scorer_params
 * @tparam string scorer
 * @return a list as that of @{alcore.params}; or nil, message, code */
int l_alcore_scorer_params(lua_State *L) {
    return push_params(L, luaL_checkstring(L, 1), alcore_scorer_builtin_param);
}

/*** One line about a strategy or scorer.
 * @function alcore.about
 * @tparam string name
 * @return a string; nil for a name that the library does not know */
int l_alcore_about(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    const char *text = alcore_strategy_builtin_summary(name);
    lua_pushstring(L, text ? text : alcore_scorer_builtin_summary(name));
    return 1;
}

/*** Whether an optional part was built in.
 * @function alcore.feature
 * @tparam string name
 * @return a boolean; nil for a name that the library does not know */
int l_alcore_feature(lua_State *L) {
    int32_t built_in = alcore_feature(luaL_checkstring(L, 1));
    if (built_in < 0) return 0;
    lua_pushboolean(L, built_in);
    return 1;
}
