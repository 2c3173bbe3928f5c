/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of options: every field must be one that the function knows, so that a misspelled option
 * is an error instead of being ignored, which would leave its default in force. The names that a
 * function knows are the members of the library's struct (lua_tables.c) and those that it reads
 * itself.
 *
 * The error names the nearest name by the rule that the library has for parameters: the fewest
 * edits, at most one and a quarter of the longer name. The library's own function for it is not
 * exported, and this module sees the public headers only. */
#include <string.h>

#include "lua_binding.h"

const char *const al_context_only[] = {"context", NULL};

/* Names longer than this are not compared. */
enum { LONGEST_NAME = 63 };

/* The smallest number of edits (insert, delete, replace a character, swap two neighbors) that turn
 * a into b; both have at most LONGEST_NAME bytes. rows [3]: the row for the first i characters of a
 * is rows[i % 3]; its column j is for the first j characters of b. */
static size_t edit_distance(const char *a, const char *b) {
    size_t rows[3][LONGEST_NAME + 1];
    size_t a_length = strlen(a), b_length = strlen(b);
    for (size_t j = 0; j <= b_length; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *previous = rows[(i + 2) % 3], *second_previous = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t edits = previous[j - 1] + (a[i - 1] != b[j - 1]);
            if (previous[j] + 1 < edits) edits = previous[j] + 1;
            if (row[j - 1] + 1 < edits) edits = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                second_previous[j - 2] + 1 < edits)
                edits = second_previous[j - 2] + 1;
            row[j] = edits;
        }
    }
    return rows[a_length % 3][b_length];
}

/* Name `index` of all that a function knows: first the members, then the other names. NULL after
 * the last one. Either list may be NULL. */
static const char *known_name(const al_member *members, const char *const *others, size_t index) {
    for (; members && members->name; members++)
        if (index-- == 0) return members->name;
    for (; others && *others; others++)
        if (index-- == 0) return *others;
    return NULL;
}

/* The known name that is nearest to one that is not known; NULL when none is near. */
static const char *nearest_name(const char *name, const al_member *members,
                                const char *const *others) {
    const char *candidate, *nearest = NULL;
    size_t length = strlen(name), nearest_distance = SIZE_MAX;
    if (length > LONGEST_NAME) return NULL;
    for (size_t i = 0; (candidate = known_name(members, others, i)); i++) {
        size_t candidate_length = strlen(candidate);
        if (candidate_length > LONGEST_NAME) continue;
        size_t longer = length > candidate_length ? length : candidate_length;
        size_t distance = edit_distance(name, candidate);
        if (distance < nearest_distance && distance <= 1 + longer / 4 && distance < longer) {
            nearest = candidate;
            nearest_distance = distance;
        }
    }
    return nearest;
}

/* Raises the error for a field that the function does not know. */
static void refuse_field(lua_State *L, const char *function, const char *name,
                         const al_member *members, const char *const *others) {
    const char *known, *nearest = nearest_name(name, members, others);
    const char *hint = alcore_hint(ALCORE_HINT_OPTION | ALCORE_HINT_METRIC, name);
    if (hint) luaL_error(L, "%s: there is no option \"%s\"; %s", function, name, hint);
    if (nearest)
        luaL_error(L, "%s: there is no option \"%s\"; did you mean %s?", function, name, nearest);
    luaL_checkstack(L, AL_STACK, "options");
    lua_pushliteral(L, "");
    for (size_t i = 0; (known = known_name(members, others, i)); i++) {
        lua_pushfstring(L, "%s%s", i > 0 ? ", " : "", known);
        lua_concat(L, 2);
    }
    luaL_error(L, "%s: there is no option \"%s\"; the options are %s", function, name,
               lua_tostring(L, -1));
}

void al_check_fields(lua_State *L, int table, const char *function, const al_member *members,
                     const char *const *others) {
    luaL_checkstack(L, AL_STACK, "options");
    lua_pushnil(L);
    while (lua_next(L, table) != 0) {
        /* lua_tostring() would turn a number into a string, which confuses lua_next(). */
        if (lua_type(L, -2) != LUA_TSTRING)
            luaL_error(L, "%s: options have names, this one is a %s", function,
                       luaL_typename(L, -2));
        const char *name = lua_tostring(L, -2), *known;
        size_t i = 0;
        while ((known = known_name(members, others, i)) && strcmp(known, name) != 0) i++;
        if (!known) refuse_field(L, function, name, members, others);
        lua_pop(L, 1);
    }
}

int al_options(lua_State *L, int index, const char *function, const al_member *members,
               const char *const *others, void *out) {
    if (lua_isnoneornil(L, index)) return 0;
    luaL_checktype(L, index, LUA_TTABLE);
    al_check_fields(L, index, function, members, others);
    if (out) al_read_struct(L, index, members, out);
    return index;
}
