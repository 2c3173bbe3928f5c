/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Labeling projects in a folder, resumable at any instant (docs/projects.md).
 * @section projects */
#include "lua_binding.h"

/* Settings that are given together. */
typedef struct settings {
    const char **names, **values; /* [count] in buffers of Lua */
    int64_t count;
} settings;

/* Reads the table of settings at an index, or nil; what they are made of stays on the stack. */
static settings read_settings(lua_State *L, int index, const char *function) {
    settings out = {NULL, NULL, 0};
    if (lua_isnoneornil(L, index)) return out;
    index = al_absolute(L, index);
    if (!lua_istable(L, index))
        luaL_error(L, "%s: a table of settings expected, got %s", function,
                   luaL_typename(L, index));
    luaL_checkstack(L, AL_STACK, function);
    lua_newtable(L);
    lua_newtable(L);
    const int names = lua_gettop(L) - 1, values = names + 1;
    lua_pushnil(L);
    for (int i = 1; lua_next(L, index) != 0; i++) {
        const int value = lua_gettop(L), name = value - 1;
        if (lua_type(L, name) != LUA_TSTRING) luaL_error(L, "%s: settings have names", function);
        al_push_text(L, value, lua_tostring(L, name));
        lua_rawseti(L, values, i);
        lua_pushvalue(L, name);
        lua_rawseti(L, names, i);
        lua_settop(L, name);
    }
    out.names = al_strings(L, names, function, 0, NULL, &out.count);
    out.values = al_strings(L, values, function, 0, NULL, &out.count);
    return out;
}

/*** Opens a project, or makes one; a project that cannot be made leaves nothing behind.
 * @function alcore.project
 * @tparam string folder
 * @tparam[opt] table options init (true: the project is made, of a folder that is empty or not
 * there), settings (with init: a table of them), context
 * @return a project; or nil, message, code */
int l_alcore_project(lua_State *L) {
    static const char *const names[] = {"init", "settings", "context", NULL};
    const char *folder = luaL_checkstring(L, 1);
    settings given = {NULL, NULL, 0};
    int init = 0;
    lua_settop(L, 2);
    const int table = al_options(L, 2, "project", NULL, names, NULL);
    if (table != 0) {
        lua_getfield(L, table, "init");
        init = lua_toboolean(L, -1);
        lua_pop(L, 1);
        lua_getfield(L, table, "settings");
        if (!init && !lua_isnil(L, -1))
            return luaL_error(L, "project: settings are given with init; project:set() sets them");
        given = read_settings(L, -1, "project");
    }
    al_context *context = al_context_of(L, table);
    al_object *made = al_new(L, &al_project_kind, context);
    return AL_TOP(L, context,
                  init ? alcore_project_init_with(context->ctx, folder, given.names, given.values,
                                                  given.count, &made->project)
                       : alcore_project_open(context->ctx, folder, &made->project));
}

/*** Selects the next round by the settings, of the candidates that no round has taken.
 * @function project:next
 * @tparam[opt] model model in place of that of the settings
 * @tparam[opt] table settings of this round alone, in place of those of the project
 * @return a selection; or nil, message, code */
int l_project_next(lua_State *L) {
    al_object *self = al_check(L, 1, &al_project_kind);
    al_object *model = lua_isnoneornil(L, 2) ? NULL : al_check(L, 2, &al_model_kind);
    lua_settop(L, 3);
    settings given = read_settings(L, 3, "project:next");
    al_object *made = al_new(L, &al_selection_kind, self->context);
    return AL_TOP(L, self->context,
                  alcore_project_next_with(self->project, model ? model->model : NULL, given.names,
                                           given.values, given.count, &made->selection));
}
