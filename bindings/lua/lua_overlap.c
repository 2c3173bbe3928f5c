/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Overlap of the n-grams of a test set with data.
 * @section overlap */
#include "lua_binding.h"

/* The bits of the roles in the field `kept`, a list of words; 0 for nil. */
static int32_t kept_roles(lua_State *L, int table) {
    int32_t kept = 0;
    if (table == 0) return 0;
    if (al_has(L, table, "kept")) {
        luaL_checktype(L, -1, LUA_TTABLE);
        for (int64_t i = 1; i <= al_length(L, -1); i++) {
            lua_rawgeti(L, -1, (int)i);
            kept |= al_constant_check(L, lua_gettop(L), al_words_overlap_role, "kept", 0);
            lua_pop(L, 1);
        }
    }
    lua_pop(L, 1);
    return kept;
}

/*** Counts the n-grams of texts by role: "test", "selected", "outside" (data outside the domain).
 * @function alcore.overlap
 * @tparam[opt] table options max_order (4), kept (a list of roles whose n-grams are kept in memory,
 * {"test"}; texts of others are only looked up in them and come after), tagged (true: n-grams of
 * the source and of the target side differ), context
 * @return an overlap; or nil, message, code */
int l_alcore_overlap(lua_State *L) {
    static const char *const others[] = {"kept", "context", NULL};
    alcore_overlap_options options = ALCORE_OVERLAP_OPTIONS_INIT;
    lua_settop(L, 1);
    int table = al_options(L, 1, "overlap", al_overlap_options, others, &options);
    options.kept = kept_roles(L, table);
    al_context *context = al_context_of(L, table);
    al_object *object = al_new(L, &al_overlap_kind, context);
    return AL_TOP(L, context, alcore_overlap_new(context->ctx, &options, &object->overlap));
}

/*** Adds the texts of a file, which is read in blocks.
 * @function overlap:read
 * @tparam string role "test", "selected" or "outside"
 * @tparam string path
 * @tparam[opt] table options side, format, text_column, bad_lines, escapes, and of a
 *   test set translator, system and domain
 * @return itself; or nil, message, code */
int l_overlap_read(lua_State *L) {
    static const char *const others[] = {"side", NULL};
    al_object *self = al_check(L, 1, &al_overlap_kind);
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    lua_settop(L, 4);
    int32_t role = al_constant_check(L, 2, al_words_overlap_role, "role", 0);
    const char *path = luaL_checkstring(L, 3);
    int table = al_options(L, 4, "overlap:read", al_read_options, others, &options);
    options.side = NULL; /* the options' side is that of the overlap */
    int32_t side = table != 0 ? al_field_constant(L, table, "side", al_words_side) : 0;
    if (side == 0) side = ALCORE_SIDE_SOURCE;
    return AL_SELF(L, self->context,
                   alcore_overlap_read(self->overlap, role, side, path, &options, NULL));
}

/*** Overlap of the n-grams of one length; shares are percentages.
 * @function overlap:score
 * @tparam number order words of an n-gram
 * @tparam[opt] string data "selected", "outside" or "both"
 * @return a table with coverage, token_coverage, precision, jaccard, test_types, test_tokens,
 * data_types, shared_types, shared_tokens; or nil, message, code */
int l_overlap_score(lua_State *L) {
    al_object *self = al_check(L, 1, &al_overlap_kind);
    alcore_coverage_result result = ALCORE_COVERAGE_RESULT_INIT;
    int64_t order = al_integer(L, 2, "order");
    lua_settop(L, 3);
    alcore_coverage_options options = ALCORE_COVERAGE_OPTIONS_INIT;
    options.data = al_constant_check(L, 3, al_words_overlap_role, "data", ALCORE_OVERLAP_SELECTED);
    if (order < 1 || order > ALCORE_NGRAM_ORDER_MAX) order = 0; /* which the library refuses */
    int failed =
        AL_CALL(L, self->context,
                alcore_overlap_compute_coverage(self->overlap, (int32_t)order, &options, &result));
    return al_struct_result(L, failed, al_coverage_result, &result);
}
