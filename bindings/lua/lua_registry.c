/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** What the library has: strategies, scorers, parameters, needs, devices.
 * @section what_there_is */
#include "lua_binding.h"

/* Pushes the list of the names in a registry. */
static void push_names(lua_State *L, const char *(*name_of)(int64_t index)) {
    lua_newtable(L);
    for (int32_t i = 0; al_append(L, i, name_of(i)); i++) {
    }
}

/*** Names of the built-in strategies.
 * @function alcore.strategies
 * @treturn table */
static int strategies(lua_State *L) {
    push_names(L, alcore_strategy_builtin_name);
    return 1;
}

/*** Name of the recommended strategy, which a call that names none selects with; a minor release
 * may recommend another one. "recommended" stands for it wherever a strategy is named.
 * @function alcore.recommended_strategy
 * @treturn string */
static int recommended_strategy(lua_State *L) {
    lua_pushstring(L, alcore_strategy_recommended());
    return 1;
}

/*** Names of the built-in scorers.
 * @function alcore.scorers
 * @treturn table */
static int scorers(lua_State *L) {
    push_names(L, alcore_scorer_builtin_name);
    return 1;
}

/*** Names of the devices this build knows.
 * @function alcore.devices
 * @treturn table */
static int devices(lua_State *L) {
    push_names(L, alcore_device_builtin_name);
    return 1;
}

/* Pushes the table that describes one parameter. */
static void push_info(lua_State *L, const alcore_param_info *info) {
    const al_constant *type = al_param_types;
    while (type->name && type->value != info->type) type++;
    lua_createtable(L, 0, 7);
    lua_pushstring(L, info->name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, info->help);
    lua_setfield(L, -2, "help");
    lua_pushstring(L, info->initial);
    lua_setfield(L, -2, "default");
    lua_pushstring(L, info->choices);
    lua_setfield(L, -2, "choices");
    lua_pushnumber(L, (lua_Number)info->minimum);
    lua_setfield(L, -2, "minimum");
    lua_pushnumber(L, (lua_Number)info->maximum);
    lua_setfield(L, -2, "maximum");
    lua_pushstring(L, type->name ? type->name : "");
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
static int params(lua_State *L) {
    if (lua_isnoneornil(L, 1)) return push_params(L, NULL, request_param);
    return push_params(L, luaL_checkstring(L, 1), alcore_strategy_builtin_param);
}

/*** Parameters of a scorer.
 * @function alcore.scorer_params
 * @tparam string scorer
 * @return a list as that of @{alcore.params}; or nil, message, code */
static int scorer_params(lua_State *L) {
    return push_params(L, luaL_checkstring(L, 1), alcore_scorer_builtin_param);
}

/*** Columns a strategy needs.
 * @function alcore.needs
 * @tparam string strategy
 * @tparam[opt="candidates"] string role "candidates", "labeled" or "target"
 * @treturn table */
static int needs(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    int32_t role = al_constant_check(L, 2, al_roles, "role", ALCORE_ROLE_CANDIDATES);
    lua_newtable(L);
    for (int32_t i = 0; al_append(L, i, alcore_strategy_builtin_needs(name, role, i)); i++) {
    }
    return 1;
}

/*** Columns a scorer needs.
 * @function alcore.scorer_needs
 * @tparam string scorer
 * @treturn table */
static int scorer_needs(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    lua_newtable(L);
    for (int32_t i = 0; al_append(L, i, alcore_scorer_builtin_needs(name, i)); i++) {
    }
    return 1;
}

/*** One line about a strategy or scorer.
 * @function alcore.about
 * @tparam string name
 * @return a string; nil for a name that the library does not know */
static int about(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    const char *text = alcore_strategy_builtin_summary(name);
    lua_pushstring(L, text ? text : alcore_scorer_builtin_summary(name));
    return 1;
}

/*** Whether an optional part was built in.
 * @function alcore.feature
 * @tparam string name
 * @return a boolean; nil for a name that the library does not know */
static int feature(lua_State *L) {
    int32_t built_in = alcore_feature(luaL_checkstring(L, 1));
    if (built_in < 0) return 0;
    lua_pushboolean(L, built_in);
    return 1;
}

/*** Compiler, features and dependencies of the library.
 * @function alcore.build_info
 * @return a JSON object as a string */
static int build_info(lua_State *L) {
    lua_pushstring(L, alcore_build_info());
    return 1;
}

const al_method al_registry_functions[] = {{"about", about},
                                           {"build_info", build_info},
                                           {"devices", devices},
                                           {"feature", feature},
                                           {"needs", needs},
                                           {"params", params},
                                           {"recommended_strategy", recommended_strategy},
                                           {"scorer_needs", scorer_needs},
                                           {"scorer_params", scorer_params},
                                           {"scorers", scorers},
                                           {"strategies", strategies},
                                           {NULL, NULL}};
