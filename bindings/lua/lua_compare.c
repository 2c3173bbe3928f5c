/* SPDX-License-Identifier: Apache-2.0 */
/* ablate{...} and compare{...}: the request of a table (lua_selecting.h) is answered several times,
 * and the answers are compared. */
/*** @module alcore */
/*** Comparing.
 * @section comparing */
#include "lua_selecting.h"

/* Fields that ablate{...} has beside those of select{...}. */
static const char *const ablation_fields[] = {"parameter", "test", "values", NULL};
/* Those that compare{...} has. */
static const char *const comparison_fields[] = {"strategies", "test", NULL};

/* ---- ablate ---- */

/* Pushes what the field `test` says: an overlap with the texts of a list, or of a file by its path;
 * *out stays NULL without it. */
static int read_test(selecting *self, int32_t max_order, alcore_overlap **out) {
    lua_State *L = self->L;
    alcore_overlap_options options = ALCORE_OVERLAP_OPTIONS_INIT;
    options.max_order = max_order;
    lua_getfield(L, self->fields, "test");
    const int test = lua_gettop(L);
    if (lua_isnil(L, test)) return 0;
    al_object *overlap = al_new(L, &al_overlap_kind, self->context);
    int failed = AL_CALL(L, self->context,
                         alcore_overlap_new(self->context->ctx, &options, &overlap->overlap));
    if (failed) return failed;
    *out = overlap->overlap;
    if (lua_type(L, test) == LUA_TSTRING)
        return AL_CALL(L, self->context,
                       alcore_overlap_read(*out, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE,
                                           lua_tostring(L, test), NULL, NULL));
    size_t *lengths;
    int64_t count;
    const char **texts = al_strings(L, test, "test", 0, &lengths, &count);
    return AL_CALL(
        L, self->context,
        alcore_overlap_add(*out, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE, texts, lengths, count));
}

/* The numbers [*count] of the field `values`, else those of Table 7 of the paper. What it pushes
 * keeps them alive. */
static const double *read_values(selecting *self, int64_t *count) {
    static const double usual[] = {0, 0.1, 0.3, 0.5, 0.7, 0.9, 1};
    lua_getfield(self->L, self->fields, "values");
    *count = sizeof usual / sizeof *usual;
    if (lua_isnil(self->L, -1)) return usual;
    return al_numbers(self->L, lua_gettop(self->L), "values", count);
}

/* Runs the request with each value; the one result is the list of rows, whose selections are made
 * before the call so that none is lost when memory ends. */
static int run_ablation(selecting *self) {
    lua_State *L = self->L;
    alcore_overlap *test = NULL;
    int64_t count;
    int failed = al_selecting_limit(self);
    if (!failed) failed = read_test(self, 1, &test);
    if (failed) return failed;
    lua_getfield(L, self->fields, "parameter");
    const char *parameter = luaL_optstring(L, -1, NULL);
    const double *values = read_values(self, &count);
    alcore_ablation *rows = al_buffer(L, count + 1, sizeof *rows);
    alcore_selection **picked = al_buffer(L, count + 1, sizeof *picked);
    al_object **objects = al_buffer(L, count + 1, sizeof *objects);
    al_push_list(L, count);
    const int list = lua_gettop(L);
    for (int64_t i = 0; i < count; i++) {
        rows[i] = (alcore_ablation)ALCORE_ABLATION_INIT;
        objects[i] = al_selecting_push(self);
        lua_rawseti(L, list, (int)i + 1);
    }
    const int functions = al_selecting_begin(self);
    failed = AL_CALL(L, self->context,
                     al_selecting_end(self, functions,
                                      alcore_request_ablate(self->request->request, parameter,
                                                            values, count, test, rows, picked)));
    if (failed) return failed;
    for (int64_t i = 0; i < count; i++) objects[i]->selection = picked[i];
    for (int64_t i = 0; i < count; i++) { /* a row with its selection takes the selection's place */
        al_push_struct(L, al_ablation, &rows[i]);
        lua_rawgeti(L, list, (int)i + 1);
        lua_setfield(L, -2, "selection");
        lua_rawseti(L, list, (int)i + 1);
    }
    return al_result(L, 0, list);
}

/*** What one parameter of the strategy changes: a selection with each of several values, compared.
 * @function alcore.ablate
 * @tparam table what the fields of @{alcore.select}; strategy (one that has the parameter),
 * parameter (default "lambda", of the strategy hybrid "ratio"), values (a list of numbers from 0 to
 * 1; default 0, 0.1, 0.3, 0.5, 0.7, 0.9, 1), test (a list of texts, or the path of a file)
 * @return a list of tables with value, items, phrases (-1 but of a hybrid), words, overlap (percent
 * of the word types of `test` that the picks have; NaN without it), share_of_0 and share_of_1 (of
 * the picks that the values 0 and 1 select too) and selection; or nil, message, code */
int l_alcore_ablate(lua_State *L) {
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkstack(L, 4 * AL_STACK, "ablate");
    selecting self = {
        .L = L, .fields = 1, .more_fields = ablation_fields, .context = al_selecting_context(L, 1)};
    const int failed = al_selecting_build(&self);
    return failed ? failed : run_ablation(&self);
}

/* ---- compare ---- */

/* Pushes the strategies of the field `strategies`, a list, and an array of their handles, *out
 * [*count]. */
static int read_strategies(selecting *self, alcore_strategy ***out, int64_t *count) {
    lua_State *L = self->L;
    lua_getfield(L, self->fields, "strategies");
    const int list = lua_gettop(L);
    luaL_checktype(L, list, LUA_TTABLE);
    *count = al_length(L, list);
    luaL_checkstack(L, 4 * AL_STACK + 4 * (int)(*count < 1024 ? *count : 1024), "compare");
    if (*count > ALCORE_COMPARISON_MAX)
        return luaL_error(L, "strategies: %d at most", ALCORE_COMPARISON_MAX);
    *out = al_buffer(L, *count + 1, sizeof **out);
    for (int64_t i = 0; i < *count; i++) {
        al_object *made;
        lua_rawgeti(L, list, (int)i + 1);
        const int failed = al_strategy_from(L, lua_gettop(L), self->context, &made);
        if (failed) return failed;
        al_selecting_check(self, made, "strategy");
        (*out)[i] = made->strategy;
    }
    return 0;
}

/* Runs the request with each strategy; the one result is the comparison. */
static int run_comparison(selecting *self) {
    lua_State *L = self->L;
    alcore_overlap *test = NULL;
    alcore_strategy **strategies = NULL;
    int64_t count;
    int failed = al_selecting_limit(self);
    if (!failed) failed = read_test(self, 3, &test);
    if (!failed) failed = read_strategies(self, &strategies, &count);
    if (failed) return failed;
    al_object *result = al_new(L, &al_comparison_kind, self->context);
    const int top = lua_gettop(L);
    al_anchor(L, top, self->pool_index, "pool");
    const int functions = al_selecting_begin(self);
    failed =
        AL_CALL(L, self->context,
                al_selecting_end(self, functions,
                                 alcore_request_compare(self->request->request, strategies, NULL,
                                                        count, test, &result->comparison)));
    return al_result(L, failed, top);
}

/*** What several strategies would buy with one budget, before anything is paid. The strategy random
 * is added as the floor where it is not among them.
 * @function alcore.compare
 * @tparam table what the fields of @{alcore.select} but for strategy and the parameters of one;
 * strategies (a list of names and strategies), test (a list of texts, or the path of a file)
 * @return a comparison; or nil, message, code */
int l_alcore_compare(lua_State *L) {
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkstack(L, 4 * AL_STACK, "compare");
    if (al_has(L, 1, "strategy")) return luaL_error(L, "compare: strategies is a list");
    lua_settop(L, 1);
    selecting self = {.L = L,
                      .fields = 1,
                      .more_fields = comparison_fields,
                      .compares = 1,
                      .context = al_selecting_context(L, 1)};
    const int failed = al_selecting_build(&self);
    return failed ? failed : run_comparison(&self);
}

/*** What one of the strategies picked.
 * @function comparison:selection
 * @tparam number index from 1, in the order given; one that was added is the last
 * @return a selection; nil past the last */
int l_comparison_selection(lua_State *L) {
    const al_object *self = al_check(L, 1, &al_comparison_kind);
    const int64_t index = (int64_t)luaL_checknumber(L, 2) - 1;
    lua_settop(L, 2);
    al_object *made = al_new(L, &al_selection_kind, self->context);
    made->selection = alcore_selection_ref(alcore_comparison_selection(self->comparison, index));
    if (!made->selection) return 0;
    al_push_anchor(L, 1, "pool");
    al_anchor(L, 3, -1, "pool");
    lua_settop(L, 3);
    return 1;
}
