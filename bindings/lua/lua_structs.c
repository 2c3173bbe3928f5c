/* SPDX-License-Identifier: Apache-2.0 */
/* Structs of the library as Lua tables: a field of the table is the member of the same name. Which
 * members a struct has, of which type and at which offset, is said by the tables of lua_tables.c,
 * which are made from the headers; a member that a header gains appears in Lua by itself. */
#include <string.h>

#include "lua_binding.h"

/* The value of a field as the member that `into` points to. Members that are arrays are only
 * results and are never read. */
static void read_member(lua_State *L, int table, const al_member *member, void *into) {
    switch (member->type) {
    case AL_INT32:
        *(int32_t *)into = al_field_int32(L, table, member->name);
        break;
    case AL_INT64:
        *(int64_t *)into = al_field_integer(L, table, member->name);
        break;
    case AL_UINT64:
        *(uint64_t *)into = al_field_seed(L, table, member->name);
        break;
    case AL_DOUBLE:
        *(double *)into = al_field_number(L, table, member->name);
        /* The library takes a NaN for a number that is not set. */
        if (*(double *)into != *(double *)into)
            luaL_error(L, "%s: a number expected, got nan", member->name);
        break;
    case AL_TEXT:
        *(const char **)into = al_field_string(L, table, member->name);
        break;
    case AL_WORD:
        *(int32_t *)into = al_field_constant(L, table, member->name, member->words);
        break;
    case AL_WRITER:
        lua_getfield(L, table, member->name);
        *(alcore_column_writer **)into = al_check(L, -1, &al_column_writer_kind)->column_writer;
        break;
    case AL_FLAG:
        lua_getfield(L, table, member->name);
        if (!lua_isboolean(L, -1))
            luaL_error(L, "%s: a boolean expected, got %s", member->name, luaL_typename(L, -1));
        *(int32_t *)into = lua_toboolean(L, -1);
        lua_pop(L, 1);
        break;
    }
}

void al_read_struct(lua_State *L, int table, const al_member *members, void *out) {
    if (table == 0) return;
    luaL_checkstack(L, AL_STACK, "options");
    for (const al_member *member = members; member->name; member++) {
        lua_getfield(L, table, member->name);
        int given = !lua_isnil(L, -1);
        lua_pop(L, 1);
        if (given) read_member(L, table, member, (char *)out + member->offset);
    }
}

/* Pushes entry `index` of the member at `from`. */
static void push_member(lua_State *L, const al_member *member, const void *from, int32_t index) {
    switch (member->type) {
    case AL_INT32:
        lua_pushinteger(L, ((const int32_t *)from)[index]);
        break;
    case AL_INT64:
        lua_pushinteger(L, (lua_Integer)((const int64_t *)from)[index]);
        break;
    case AL_UINT64:
        lua_pushnumber(L, (lua_Number)((const uint64_t *)from)[index]);
        break;
    case AL_DOUBLE:
        lua_pushnumber(L, (lua_Number)((const double *)from)[index]);
        break;
    case AL_TEXT:
        lua_pushstring(L, ((const char *const *)from)[index]);
        break;
    case AL_FLAG:
        lua_pushboolean(L, ((const int32_t *)from)[index]);
        break;
    case AL_WORD:
        al_push_word(L, member->words, ((const int32_t *)from)[index]);
        break;
    case AL_WRITER:
        break;
    }
}

void al_push_struct(lua_State *L, const al_member *members, const void *from) {
    luaL_checkstack(L, AL_STACK, "a result");
    lua_newtable(L);
    for (const al_member *member = members; member->name; member++) {
        const char *first = (const char *)from + member->offset;
        if (member->count == 1) {
            push_member(L, member, first, 0);
        } else {
            al_push_list(L, member->count);
            for (int32_t i = 0; i < member->count; i++) {
                push_member(L, member, first, i);
                lua_rawseti(L, -2, i + 1);
            }
        }
        lua_setfield(L, -2, member->name);
    }
}
