/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Selections: picks as lists and as an iterator, the strategy's record, reports.
 * @section selections */
#include <string.h>

#include "lua_binding.h"

static alcore_selection *check_selection(lua_State *L) {
    return al_check(L, 1, &al_selection_kind)->selection;
}

/* Pushes the list of that name, which `push` makes the first time and the object then keeps: a
 * selection never changes. */
static int kept(lua_State *L, const char *name,
                void (*push)(lua_State *L, alcore_selection *selection)) {
    alcore_selection *selection = check_selection(L);
    al_push_anchor(L, 1, name);
    if (!lua_isnil(L, -1)) return 1;
    lua_pop(L, 1);
    push(L, selection);
    al_anchor(L, 1, -1, name);
    return 1;
}

static void push_indices(lua_State *L, alcore_selection *selection) {
    al_push_integers(L, alcore_selection_rows(selection), alcore_selection_count(selection), 1);
}

static void push_rows0(lua_State *L, alcore_selection *selection) {
    al_push_integers(L, alcore_selection_rows(selection), alcore_selection_count(selection), 0);
}

static void push_scores(lua_State *L, alcore_selection *selection) {
    al_push_doubles(L, alcore_selection_scores(selection), alcore_selection_count(selection));
}

static void push_costs(lua_State *L, alcore_selection *selection) {
    al_push_doubles(L, alcore_selection_costs(selection), alcore_selection_count(selection));
}

static void push_text(lua_State *L, alcore_selection *selection, int64_t rank) {
    size_t length = 0;
    const char *text = alcore_pool_text(alcore_selection_pool(selection),
                                        alcore_selection_rows(selection)[rank], &length);
    lua_pushlstring(L, text, length);
}

static void push_id(lua_State *L, alcore_selection *selection, int64_t rank) {
    lua_pushstring(L, alcore_pool_row_id(alcore_selection_pool(selection),
                                         alcore_selection_rows(selection)[rank]));
}

static void push_reason(lua_State *L, alcore_selection *selection, int64_t rank) {
    lua_pushstring(L, alcore_selection_reason(selection, rank));
}

static void push_each(lua_State *L, alcore_selection *selection,
                      void (*push)(lua_State *L, alcore_selection *selection, int64_t rank)) {
    int64_t picks = alcore_selection_count(selection);
    al_push_list(L, picks);
    for (int64_t rank = 0; rank < picks; rank++) {
        push(L, selection, rank);
        lua_rawseti(L, -2, (int)rank + 1);
    }
}

static void push_texts(lua_State *L, alcore_selection *selection) {
    al_push_pool_texts(L, alcore_selection_pool(selection), alcore_selection_rows(selection),
                       alcore_selection_count(selection));
}

static void push_ids(lua_State *L, alcore_selection *selection) {
    push_each(L, selection, push_id);
}

static void push_reasons(lua_State *L, alcore_selection *selection) {
    push_each(L, selection, push_reason);
}

static void push_column(lua_State *L, alcore_selection *selection, int32_t scope,
                        const char *name) {
    alcore_tensor values;
    if (alcore_selection_get_column(selection, scope, name, &values) != ALCORE_OK)
        luaL_error(L, "%s", alcore_last_error());
    al_push_tensor(L, &values, NULL);
}

static void push_records(lua_State *L, alcore_selection *selection) {
    const char *name;
    lua_newtable(L);
    for (int32_t i = 0; (name = alcore_selection_column_name(selection, ALCORE_SCOPE_PICKS, i));
         i++) {
        push_column(L, selection, ALCORE_SCOPE_PICKS, name);
        lua_setfield(L, -2, name);
    }
}

/* A getter of a list that is made once. */
#define KEPT(name)                                                                                 \
    int l_selection_##name(lua_State *L) {                                                         \
        return kept(L, #name, push_##name);                                                        \
    }
/*** Indices of the picks in their order.
 * @field selection.indices */
KEPT(indices)
/*** The same counted from 0, as the C library, the command line and Python count.
 * @field selection.rows0 */
KEPT(rows0)
/*** Scores of the picks.
 * @field selection.scores */
KEPT(scores)
/*** Costs of the picks in the budget's unit.
 * @field selection.costs */
KEPT(costs)
/*** Texts of the picks.
 * @field selection.texts */
KEPT(texts)
/*** Ids of the picks.
 * @field selection.ids */
KEPT(ids)
/*** Why each was picked.
 * @field selection.reasons */
KEPT(reasons)
/*** What the strategy knows of its picks: lists by their names.
 * @field selection.records */
KEPT(records)

/*** Whether the rows that the strategy offered ended before the budget was spent.
 * @field selection.short */
int l_selection_short(lua_State *L) {
    lua_pushboolean(L, (alcore_selection_flags(check_selection(L)) & ALCORE_SELECTION_SHORT) != 0);
    return 1;
}

/*** The summary for people: several lines, the last of them hints.
 * @field selection.summary */
int l_selection_summary(lua_State *L) {
    alcore_selection *self = check_selection(L);
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    lua_pushstring(L, alcore_selection_summary(self));
    for (int64_t i = 0; alcore_selection_remedy(self, i, &remedy) == ALCORE_OK; i++) {
        lua_pushliteral(L, "hint: ");
        al_push_remedy(L, &remedy);
        lua_pushliteral(L, "\n");
        lua_concat(L, 4);
    }
    return 1;
}

/*** What labeling one unit costs by the option price: a table {amount, currency, unit}, without
 * currency where none was named; nil without a price.
 * @field selection.unit_price */
int l_selection_unit_price(lua_State *L) {
    alcore_price price = ALCORE_PRICE_INIT;
    const alcore_status status = alcore_selection_get_price(check_selection(L), &price);
    if (status == ALCORE_E_NOT_FOUND) return 0;
    if (status != ALCORE_OK) return al_fail(L, status);
    lua_createtable(L, 0, 3);
    al_set_number(L, "amount", price.amount);
    al_set_string(L, "currency", price.currency);
    al_push_word(L, al_words_unit, price.unit);
    lua_setfield(L, -2, "unit");
    return 1;
}

/*** The selections of all budgets of the request, in the order given; the first is this one.
 * @field selection.by_budget */
int l_selection_by_budget(lua_State *L) {
    al_object *self = al_check(L, 1, &al_selection_kind);
    int64_t count = alcore_selection_budget_count(self->selection);
    lua_createtable(L, (int)count, 0);
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, 1);
    for (int64_t i = 1; i < count; i++) {
        al_object *other = al_new(L, &al_selection_kind, self->context);
        other->selection = alcore_selection_ref(alcore_selection_of_budget(self->selection, i));
        al_push_anchor(L, 1, "pool");
        al_anchor(L, lua_gettop(L) - 1, -1, "pool");
        lua_pop(L, 1);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

/*** The pool of the picks: the one that was selected from, or, of a strategy that buys phrases,
 * that of the phrases of its texts.
 * @field selection.pool */
int l_selection_pool(lua_State *L) {
    al_object *self = al_check(L, 1, &al_selection_kind);
    al_push_anchor(L, 1, "pool");
    al_object *pool = al_test(L, -1, &al_pool_kind);
    if (pool && pool->pool == alcore_selection_pool(self->selection)) return 1;
    al_push_pool(L, alcore_selection_pool(self->selection), self->context);
    return 1;
}

static int next_pick(lua_State *L) {
    al_object *self = al_check(L, 1, &al_selection_kind);
    int64_t rank = al_integer(L, 2, "rank");
    if (rank < 0 || rank >= alcore_selection_count(self->selection)) return 0;
    lua_pushinteger(L, (lua_Integer)rank + 1);
    lua_createtable(L, 0, 7);
    int64_t row = alcore_selection_rows(self->selection)[rank];
    al_set_integer(L, "index", row + 1);
    al_set_integer(L, "row0", row);
    push_id(L, self->selection, rank);
    lua_setfield(L, -2, "id");
    push_text(L, self->selection, rank);
    lua_setfield(L, -2, "text");
    al_set_number(L, "score", alcore_selection_scores(self->selection)[rank]);
    al_set_number(L, "cost", alcore_selection_costs(self->selection)[rank]);
    push_reason(L, self->selection, rank);
    lua_setfield(L, -2, "reason");
    return 2;
}

/*** Iterates: for rank, pick in selection:each() do print(pick.index, pick.text) end. A pick has
 * index, row0 (the number the C library, the command line and Python use), id, text, score, cost,
 * reason.
 * @function selection:each
 * @return an iterator */
int l_selection_each(lua_State *L) {
    al_check(L, 1, &al_selection_kind);
    lua_pushcfunction(L, next_pick);
    lua_pushvalue(L, 1);
    lua_pushinteger(L, 0);
    return 3;
}
