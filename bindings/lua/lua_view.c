/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** The view: what a strategy or scorer of your own sees of the candidates, of what is labeled and
 * of the target. It can be used while the function runs that it was given to.
 * @section views */
#include <string.h>

#include "lua_binding.h"

static const char VIEW[] = "alcore.view";

/* Userdata of a view. The library's view exists only during the callback, and Lua may keep the
 * userdata longer; so it has no pointer to it but a number, by which the frame of the running call
 * is found. */
typedef struct lua_view {
    al_context *context; /* one share */
    uint64_t number;     /* al_frame.view_number */
} lua_view;

const al_frame *al_view_frame(lua_State *L, int index) {
    const lua_view *self = luaL_checkudata(L, index, VIEW);
    for (const al_frame *frame = self->context ? self->context->frame : NULL; frame;
         frame = frame->outer)
        if (frame->view && frame->view_number == self->number) return frame;
    luaL_error(
        L, "this view has expired: it can be used while the function runs that it was given to");
    return NULL;
}

static const alcore_view *view_of(lua_State *L) {
    return al_view_frame(L, 1)->view;
}

void al_push_view(lua_State *L, al_context *context) {
    lua_view *self = lua_newuserdata(L, sizeof *self);
    self->context = NULL;
    luaL_getmetatable(L, VIEW);
    lua_setmetatable(L, -2);
    self->context = context;
    self->number = context->frame->view_number;
    context->users++;
}

int64_t al_view_size(lua_State *L, int index) {
    return alcore_view_row_count(al_view_frame(L, index)->view, ALCORE_ROLE_CANDIDATES);
}

/* __gc: gives the share of the context back. */
static int collect(lua_State *L) {
    lua_view *self = lua_touserdata(L, 1);
    al_context *context = self->context;
    self->context = NULL;
    if (context) al_context_release(context);
    return 0;
}

/* The argument at index: the name of a role, "candidates" when it is nil. */
static int32_t role_at(lua_State *L, int index) {
    return al_constant_check(L, index, al_words_role, "role", ALCORE_ROLE_CANDIDATES);
}

/* #view; Lua gives the view as the second argument too. */
static int length(lua_State *L) {
    const alcore_view *view = view_of(L);
    lua_pushinteger(L, (lua_Integer)alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES));
    return 1;
}

/*** Indices of the rows of a role in their pool, ascending.
 * @function view:indices
 * @tparam[opt="candidates"] string role
 * @treturn table */
int l_view_indices(lua_State *L) {
    const alcore_view *view = view_of(L);
    int32_t role = role_at(L, 2);
    al_push_integers(L, alcore_view_rows(view, role), alcore_view_row_count(view, role), 1);
    return 1;
}

/*** Texts of the rows of a role.
 * @function view:texts
 * @tparam[opt="candidates"] string role
 * @treturn table */
int l_view_texts(lua_State *L) {
    const alcore_view *view = view_of(L);
    int32_t role = role_at(L, 2);
    al_push_pool_texts(L, alcore_view_pool(view, role), alcore_view_rows(view, role),
                       alcore_view_row_count(view, role));
    return 1;
}

/*** A column that was named in the needs of its role, or a part of it, so that a pool that is
 * larger than memory can pass through in blocks.
 * @function view:column
 * @tparam string name
 * @tparam[opt="candidates"] string role
 * @tparam[opt=1] number first position of the first row among the rows of the role
 * @tparam[opt] number count rows; all from first on
 * @return numbers of the rows in their order, lists of numbers for matrices and ragged columns */
int l_view_column(lua_State *L) {
    const al_frame *frame = al_view_frame(L, 1);
    const alcore_view *view = frame->view;
    const char *name = luaL_checkstring(L, 2);
    int32_t role = role_at(L, 3);
    int64_t first = lua_isnoneornil(L, 4) ? 0 : al_integer(L, 4, "first") - 1;
    int64_t rows_count = lua_isnoneornil(L, 5) ? alcore_view_row_count(view, role) - first
                                               : al_integer(L, 5, "count");
    alcore_tensor values, offsets;
    if (AL_CALL(L, frame->context,
                alcore_view_get_column(view, role, name, first, rows_count, &values, &offsets)))
        return luaL_error(L, "%s", lua_tostring(L, -2));
    al_push_tensor(L, &values, &offsets);
    return 1;
}

/*** Costs of the candidates in the budget's unit.
 * @function view:costs
 * @treturn table */
int l_view_costs(lua_State *L) {
    const alcore_view *view = view_of(L);
    al_push_doubles(L, alcore_view_costs(view),
                    alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES));
    return 1;
}

/*** A number in [0, 1): the same for the same seed, round and counter.
 * @function view:random
 * @tparam number counter
 * @treturn number */
int l_view_random(lua_State *L) {
    const alcore_view *view = view_of(L);
    uint64_t bits = alcore_view_random(view, (uint64_t)al_integer(L, 2, "counter"));
    lua_pushnumber(L, (lua_Number)((double)(bits >> 11) * 0x1p-53));
    return 1;
}

void al_view_register(lua_State *L) {
    luaL_newmetatable(L, VIEW);
    lua_newtable(L);
    al_set_functions(L, al_view_methods);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, length);
    lua_setfield(L, -2, "__len");
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "__gc");
    al_set_string(L, "__metatable", VIEW);
    al_set_string(L, "__name", VIEW);
    lua_pop(L, 1);
}
