/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Labeling projects in a folder, resumable at any instant (docs/projects.md).
 * @section projects */
#include "lua_binding.h"

/*** Opens a project, or makes one.
 * @function alcore.project
 * @tparam string folder
 * @tparam[opt] table options init (true: the project is made, of a folder that is empty or not
 * there), context
 * @return a project; or nil, message, code */
int l_alcore_project(lua_State *L) {
    static const char *const names[] = {"init", "context", NULL};
    const char *folder = luaL_checkstring(L, 1);
    int init = 0;
    lua_settop(L, 2);
    const int table = al_options(L, 2, "project", NULL, names, NULL);
    if (table != 0) {
        lua_getfield(L, table, "init");
        init = lua_toboolean(L, -1);
        lua_pop(L, 1);
    }
    al_context *context = al_context_of(L, table);
    al_object *made = al_new(L, &al_project_kind, context);
    return AL_TOP(L, context,
                  init ? alcore_project_init(context->ctx, folder, &made->project)
                       : alcore_project_open(context->ctx, folder, &made->project));
}
