/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Language models: train, read and write ARPA, score.
 * @section language_models */
#include <stdio.h>

#include "lua_binding.h"

/*** Trains a language model of words.
 * @function alcore.lm
 * @tparam table texts a list of strings
 * @tparam[opt] table options order, discounts (D(1), D(2) and D(3+) of every order, or those of
 * order 1, then of order 2, ..., in place of those that the counts give), context
 * @return a language model; or nil, message, code */
int l_alcore_lm(lua_State *L) {
    static const char *const fields[] = {"context", "discounts", NULL};
    alcore_lm_options options = ALCORE_LM_OPTIONS_INIT;
    size_t *lengths = NULL;
    int64_t count = 0;
    lua_settop(L, 2);
    luaL_checktype(L, 1, LUA_TTABLE);
    int table = al_options(L, 2, "lm", al_lm_options, fields, &options);
    if (table != 0) {
        if (al_has(L, table, "discounts"))
            options.discounts = al_numbers(L, lua_gettop(L), "discounts", &options.discount_count);
    }
    al_context *context = al_context_of(L, table);
    al_copy_list(L, 1);
    const char **texts = al_strings(L, -1, "texts", 0, &lengths, &count);
    al_object *object = al_new(L, &al_lm_kind, context);
    return AL_TOP(
        L, context,
        alcore_lm_new_trained(context->ctx, texts, lengths, count, &options, &object->lm));
}

/* The text or list of texts that is argument 2: pointers and lengths in bytes, [*count]; pushes
 * what owns the arrays. Returns whether it was a list. */
static int texts_at(lua_State *L, const char ***texts, size_t **lengths, int64_t *count) {
    int list = lua_istable(L, 2);
    if (!list) {
        luaL_checkstring(L, 2);
        lua_createtable(L, 1, 0);
        lua_pushvalue(L, 2);
        lua_rawseti(L, -2, 1);
        lua_replace(L, 2);
    }
    *texts = al_strings(L, 2, "texts", 0, lengths, count);
    return list;
}

/*** Log10 probability of a text with its end, or of each text of a list.
 * @function lm:score
 * @tparam string|table texts
 * @return a number, or a list of numbers; or nil, message, code */
int l_lm_score(lua_State *L) {
    al_object *self = al_check(L, 1, &al_lm_kind);
    const char **texts;
    size_t *lengths;
    int64_t count;
    lua_settop(L, 2);
    int list = texts_at(L, &texts, &lengths, &count);
    double *totals = al_buffer(L, count, sizeof *totals);
    alcore_tensor out;
    al_tensor(L, &out, totals, ALCORE_FLOAT64, &count, 1);
    int failed = AL_CALL(L, self->context, alcore_lm_score(self->lm, texts, lengths, count, &out));
    if (failed) return failed;
    if (list)
        al_push_doubles(L, totals, count);
    else
        lua_pushnumber(L, (lua_Number)totals[0]);
    return 1;
}

/*** Natural log-probabilities of the words of a text and of its end, or a list of such lists.
 * @function lm:tokens
 * @tparam string|table texts
 * @return a list, or a list of lists; or nil, message, code */
int l_lm_tokens(lua_State *L) {
    al_object *self = al_check(L, 1, &al_lm_kind);
    const char **texts;
    size_t *lengths;
    int64_t count;
    lua_settop(L, 2);
    int list = texts_at(L, &texts, &lengths, &count);
    int64_t bounds = count + 1, *offsets = al_buffer(L, bounds, sizeof *offsets);
    alcore_tensor out_offsets, out_values;
    al_tensor(L, &out_offsets, offsets, ALCORE_INT64, &bounds, 1);
    int failed =
        AL_CALL(L, self->context,
                alcore_lm_token_logprobs(self->lm, texts, lengths, count, &out_offsets, NULL));
    if (failed) return failed;
    float *values = al_buffer(L, offsets[count], sizeof *values);
    al_tensor(L, &out_values, values, ALCORE_FLOAT32, &offsets[count], 1);
    failed = AL_CALL(
        L, self->context,
        alcore_lm_token_logprobs(self->lm, texts, lengths, count, &out_offsets, &out_values));
    return al_tensor_result(L, failed, &out_values, list ? &out_offsets : NULL);
}

/*** Number of n-grams of one order; the unigrams include <s> and <unk>.
 * @function lm:ngrams
 * @tparam number order words of an n-gram
 * @return a number, 0 where the model has no such order; or nil, message, code */
int l_lm_ngrams(lua_State *L) {
    al_object *self = al_check(L, 1, &al_lm_kind);
    alcore_lm_order_info info = ALCORE_LM_ORDER_INFO_INIT;
    const int64_t wanted = al_integer(L, 2, "order");
    if (wanted >= 1 && wanted <= alcore_lm_order(self->lm)) {
        const int failed =
            AL_CALL(L, self->context, alcore_lm_order_get(self->lm, (int32_t)wanted, &info));
        if (failed) return failed;
    }
    lua_pushinteger(L, (lua_Integer)info.ngrams);
    return 1;
}
