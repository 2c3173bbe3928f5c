/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Phrases: sequences of words within one row, as rows of a pool of their own.
 * @section phrases */
#include "lua_binding.h"

/* Pushes the pool that the value at index means: a pool, or a list of texts. The new pool of a list
 * belongs to context. Returns 0, or the number of results of a failure. */
static int pool_from(lua_State *L, int index, const char *what, al_context *context,
                     al_object **out) {
    index = al_absolute(L, index);
    *out = al_test(L, index, &al_pool_kind);
    if (!*out && lua_istable(L, index)) return al_pool_make(L, index, 0, context, out);
    if (!*out)
        return luaL_error(L, "%s: a pool or a list of strings expected, got %s", what,
                          luaL_typename(L, index));
    lua_pushvalue(L, index);
    return 0;
}

/*** The phrases of texts as a pool of their own, those that occur most often first. Its columns are
 * occurrences, length, first_row, first_position, known and semi_maximal.
 * @function alcore.phrases
 * @param texts a pool, or a list of strings
 * @tparam[opt] table options labeled (a pool or a list of strings), max_words (4; -1: any
 * length, with semi_maximal), min_count, semi_maximal, beyond_limit, unknown, with_letters, context
 * @return a pool; or nil, message, code */
int l_alcore_phrases(lua_State *L) {
    static const char *const others[] = {"labeled", "context", NULL};
    alcore_phrase_options options = ALCORE_PHRASE_OPTIONS_INIT;
    al_object *source, *labeled = NULL;
    lua_settop(L, 2);
    int table = al_options(L, 2, "phrases", al_phrase_options, others, &options);
    int failed = pool_from(L, 1, "texts", al_context_of(L, table), &source);
    if (failed) return failed;
    if (table != 0) {
        if (al_has(L, table, "labeled"))
            failed = pool_from(L, -1, "labeled", source->context, &labeled);
        if (failed) return failed;
    }
    if (labeled && labeled->context != source->context)
        return luaL_error(L, "phrases: 'labeled' belongs to another context");
    al_object *object = al_new(L, &al_pool_kind, source->context);
    return AL_TOP(L, source->context,
                  alcore_pool_derive_phrases(source->pool, labeled ? labeled->pool : NULL, &options,
                                             &object->pool));
}
