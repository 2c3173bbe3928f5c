/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Word alignment: which word of a sentence translates which word of its translation. Words count
 * from 1.
 * @section word_alignment */
#include <string.h>

#include "lua_binding.h"

/* The texts are copied into two lists, which keep the strings alive: a progress function could
 * change the caller's list while the library reads them. */
void al_read_sides(lua_State *L, int index, al_pairs *out) {
    luaL_checktype(L, index, LUA_TTABLE);
    const int64_t count = al_length(L, index);
    al_push_list(L, count);
    al_push_list(L, count);
    for (int64_t i = 1; i <= count; i++) {
        lua_rawgeti(L, index, (int)i);
        if (lua_type(L, -1) != LUA_TTABLE)
            luaL_error(L, "pairs[%d]: a pair {source, target} expected, got %s", (int)i,
                       luaL_typename(L, -1));
        lua_rawgeti(L, -1, 1);
        lua_rawseti(L, -4, (int)i);
        lua_rawgeti(L, -1, 2);
        lua_rawseti(L, -3, (int)i);
        lua_pop(L, 1);
    }
    /* A text that is missing ends its list early or is nil in it. */
    const int targets = lua_gettop(L), lists[2] = {targets - 1, targets};
    for (int side = 0; side < 2; side++)
        for (int64_t i = 1; i <= count; i++) {
            lua_rawgeti(L, lists[side], (int)i);
            if (lua_type(L, -1) != LUA_TSTRING)
                luaL_error(L, "pairs[%d]: the %s is to be a string, got %s", (int)i,
                           side == 0 ? "source" : "target", luaL_typename(L, -1));
            lua_pop(L, 1);
        }
    out->sources = al_strings(L, lists[0], "sources", 0, &out->source_lengths, &out->count);
    out->targets = al_strings(L, lists[1], "targets", 0, &out->target_lengths, &out->count);
}

/* ---- aligners ---- */

/*** Aligns sentence pairs: trains an aligner in each direction and symmetrizes their links.
 * @function alcore.align
 * @tparam table pairs a list of {source, target}
 * @tparam[opt] table options symmetrization ("grow-diag-final-and", "grow-diag-final",
 * "grow-diag", "intersection", "union", "forward", "reverse"), context, and the options of
 * @{alcore.aligner} but direction
 * @return links; or nil, message, code */
int l_alcore_align(lua_State *L) {
    static const char *const others[] = {"symmetrization", "context", NULL};
    alcore_aligner_options options = ALCORE_ALIGNER_OPTIONS_INIT;
    al_pairs pairs;
    lua_settop(L, 2);
    int table = al_options(L, 2, "align", al_aligner_options, others, &options);
    const char *name = table == 0 ? NULL : al_field_string(L, table, "symmetrization");
    al_context *context = al_context_of(L, table);
    al_read_sides(L, 1, &pairs);
    al_object *object = al_new(L, &al_links_kind, context);
    return AL_TOP(L, context,
                  alcore_align(context->ctx, pairs.sources, pairs.source_lengths, pairs.targets,
                               pairs.target_lengths, pairs.count, name, &options, NULL,
                               &object->links));
}

/* ---- links ---- */

/* The word position from 0 of entry `number` (1: source, 2: target) of the link on top of the
 * stack. */
static int32_t position(lua_State *L, int64_t pair, int number) {
    lua_rawgeti(L, -1, number);
    int64_t value = lua_type(L, -1) == LUA_TNUMBER ? al_integer(L, -1, "a word") : 0;
    lua_pop(L, 1);
    if (value < 1 || value > INT32_MAX)
        luaL_error(L, "pairs[%d]: a link {source word, target word} expected, words from 1",
                   (int)pair);
    return (int32_t)(value - 1);
}

/* Counts the links of the pairs of the list at index into offsets [pairs + 1]. */
static void count_links(lua_State *L, int index, int64_t *offsets, int64_t pairs) {
    offsets[0] = 0;
    for (int64_t i = 1; i <= pairs; i++) {
        lua_rawgeti(L, index, (int)i);
        if (lua_type(L, -1) != LUA_TTABLE)
            luaL_error(L, "pairs[%d]: a list of links expected, got %s", (int)i,
                       luaL_typename(L, -1));
        offsets[i] = offsets[i - 1] + al_length(L, -1);
        lua_pop(L, 1);
    }
}

/*** Links of sentence pairs from lists, of another aligner for instance.
 * @function alcore.links
 * @tparam table pairs a list with a list of {source word, target word} for each pair, words from 1,
 * in ascending order
 * @tparam[opt] table options context
 * @return links; or nil, message, code */
int l_alcore_links(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    al_context *context = al_context_of(L, al_options(L, 2, "links", NULL, al_context_only, NULL));
    int64_t bounds = al_length(L, 1) + 1, *offsets = al_buffer(L, bounds, sizeof *offsets);
    count_links(L, 1, offsets, bounds - 1);
    int64_t shape[2] = {offsets[bounds - 1], 2};
    int32_t *words = al_buffer(L, 2 * shape[0], sizeof *words), *next = words;
    for (int64_t pair = 1; pair < bounds; pair++) {
        lua_rawgeti(L, 1, (int)pair);
        for (int64_t i = 1; i <= offsets[pair] - offsets[pair - 1]; i++) {
            lua_rawgeti(L, -1, (int)i);
            if (lua_type(L, -1) != LUA_TTABLE)
                luaL_error(L, "pairs[%d]: a link {source word, target word} expected, got %s",
                           (int)pair, luaL_typename(L, -1));
            *next++ = position(L, pair, 1);
            *next++ = position(L, pair, 2);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    alcore_tensor begin, values;
    al_tensor(L, &begin, offsets, ALCORE_INT64, &bounds, 1);
    al_tensor(L, &values, words, ALCORE_INT32, shape, 2);
    al_object *object = al_new(L, &al_links_kind, context);
    return AL_TOP(L, context, alcore_links_new(context->ctx, &begin, &values, &object->links));
}

/*** Reads links in Pharaoh's notation, a line a sentence pair.
 * @function alcore.read_links
 * @tparam string path
 * @tparam[opt] table options pairs (how many lines the file is to have), context
 * @return links; or nil, message, code */
int l_alcore_read_links(lua_State *L) {
    static const char *const names[] = {"pairs", "context", NULL};
    const char *path = luaL_checkstring(L, 1);
    lua_settop(L, 2);
    int table = al_options(L, 2, "read_links", NULL, names, NULL);
    int64_t pairs = -1;
    if (table != 0) {
        if (al_has(L, table, "pairs")) pairs = al_integer(L, -1, "pairs");
        lua_pop(L, 1);
    }
    al_context *context = al_context_of(L, table);
    al_object *object = al_new(L, &al_links_kind, context);
    return AL_TOP(L, context, alcore_links_open(context->ctx, path, pairs, &object->links));
}

/*** The links of one sentence pair.
 * @function links:get
 * @tparam number pair from 1
 * @return a list of {source word, target word}, words from 1; or nil, message, code */
int l_links_get(lua_State *L) {
    al_object *self = al_check(L, 1, &al_links_kind);
    int64_t pair = al_integer(L, 2, "pair");
    alcore_tensor offsets, links;
    int failed = AL_CALL(L, self->context, alcore_links_get(self->links, &offsets, &links));
    if (failed) return failed;
    if (pair < 1 || pair >= offsets.shape[0])
        return luaL_error(L, "pair %d: there are %d pairs", (int)pair, (int)(offsets.shape[0] - 1));
    const int64_t *begin = (const int64_t *)offsets.data + pair - 1;
    const int32_t *words = links.data;
    al_push_list(L, begin[1] - begin[0]);
    for (int64_t i = begin[0]; i < begin[1]; i++) {
        lua_createtable(L, 2, 0);
        for (int side = 0; side < 2; side++) {
            lua_pushinteger(L, words[2 * i + side] + 1);
            lua_rawseti(L, -2, side + 1);
        }
        lua_rawseti(L, -2, (int)(i - begin[0] + 1));
    }
    return 1;
}

/*** Number of sentence pairs; `#links` is the same.
 * @field links.count */
int l_links_count(lua_State *L) {
    al_object *self = al_check(L, 1, &al_links_kind);
    alcore_tensor offsets, links;
    int failed = AL_CALL(L, self->context, alcore_links_get(self->links, &offsets, &links));
    if (failed) return failed;
    lua_pushinteger(L, (lua_Integer)(offsets.shape[0] - 1));
    return 1;
}
