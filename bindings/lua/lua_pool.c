/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Pools: rows of text, their states and columns.
 * @section pools */
#include <string.h>

#include "lua_binding.h"

/* ---- making and filling ---- */

/* The records of the list of texts at an index and of the lists beside it: the fields ids,
 * references, languages, groups and cost of the options (index 0: none). Pushes what owns the
 * arrays, so that they live until the method returns. */
static void read_records(lua_State *L, int texts, int options, alcore_records *records) {
    static const char *const fields[] = {"ids", "references", "languages", "groups"};
    size_t *lengths[4] = {NULL, NULL, NULL, NULL};
    const char **lists[4] = {NULL, NULL, NULL, NULL};
    size_t *text_lengths;
    luaL_checkstack(L, AL_STACK + 16, "records");
    records->texts = al_strings(L, texts, "texts", 0, &text_lengths, &records->count);
    records->text_lengths = text_lengths;
    if (options == 0) return;
    for (int i = 0; i < 4; i++) {
        lua_getfield(L, options, fields[i]);
        if (!lua_isnil(L, -1) && !lua_istable(L, -1))
            luaL_error(L, "%s: a list of strings expected, got %s", fields[i],
                       luaL_typename(L, -1));
        if (lua_istable(L, -1) && al_length(L, -1) > records->count)
            luaL_error(L, "%s: %d entries for %d texts", fields[i], (int)al_length(L, -1),
                       (int)records->count);
        int64_t count = records->count;
        lists[i] = al_strings(L, -1, fields[i], 1, &lengths[i], &count);
    }
    records->ids = lists[0];
    records->id_lengths = lengths[0];
    records->references = lists[1];
    records->reference_lengths = lengths[1];
    records->languages = lists[2];
    records->groups = lists[3];
    if (!al_has(L, options, "cost")) return;
    int64_t count;
    records->costs = al_numbers(L, -1, "cost", &count);
    if (count != records->count)
        luaL_error(L, "cost: %d entries for %d texts", (int)count, (int)records->count);
}

/* Adds the records to a pool. */
static int add_records(lua_State *L, al_object *pool, int texts, int options) {
    alcore_records records = ALCORE_RECORDS_INIT;
    read_records(L, texts, options, &records);
    return AL_CALL(L, pool->context, alcore_pool_add_records(pool->pool, &records, NULL));
}

int al_pool_make(lua_State *L, int texts, int options, al_context *context, al_object **out) {
    alcore_pool_options given = ALCORE_POOL_OPTIONS_INIT;
    al_object *source = NULL;
    if (options != 0) {
        al_read_struct(L, options, al_pool_options, &given);
        if (al_has(L, options, "source")) source = al_check(L, lua_gettop(L), &al_pool_kind);
    }
    if (source) context = source->context;
    al_object *pool = al_new(L, &al_pool_kind, context);
    int top = lua_gettop(L);
    int failed = AL_CALL(L, context,
                         source ? alcore_pool_new_derived(source->pool, &given, &pool->pool)
                                : alcore_pool_new(context->ctx, &given, &pool->pool));
    if (!failed && texts != 0) failed = add_records(L, pool, texts, options);
    if (failed) return failed;
    lua_settop(L, top);
    *out = pool;
    return 0;
}

void al_push_pool(lua_State *L, alcore_pool *pool, al_context *context) {
    if (!pool) {
        lua_pushnil(L);
        return;
    }
    al_object *object = al_new(L, &al_pool_kind, context);
    object->pool = alcore_pool_ref(pool);
}

/*** Makes a pool.
 * @function alcore.pool
 * @tparam[opt] table texts a list of strings
 * @tparam[opt] table options ids, references, languages, groups, cost: lists as long as texts;
 * dedup, utf8, max_text_bytes, repeated_ids (unique, per_call, any), context; source: the pool
 * that the rows come from
 * @return a pool; or nil, message, code */
int l_alcore_pool(lua_State *L) {
    static const char *const others[] = {"ids",  "references", "languages", "groups",
                                         "cost", "source",     "context",   NULL};
    lua_settop(L, 2);
    int options = al_options(L, 2, "pool", al_pool_options, others, NULL);
    int texts = lua_isnil(L, 1) ? 0 : 1;
    al_object *pool;
    int failed = al_pool_make(L, texts, options, al_context_of(L, options), &pool);
    return failed ? failed : 1;
}

/*** Adds texts at the end.
 * @function pool:add
 * @tparam table texts a list of strings
 * @tparam[opt] table options ids, references, languages, groups, cost
 * @return the pool; or nil, message, code */
int l_pool_add(lua_State *L) {
    static const char *const lists[] = {"ids", "references", "languages", "groups", "cost", NULL};
    al_object *self = al_check(L, 1, &al_pool_kind);
    lua_settop(L, 3);
    luaL_checktype(L, 2, LUA_TTABLE);
    int options = al_options(L, 3, "pool:add", NULL, lists, NULL);
    return al_result(L, add_records(L, self, 2, options), 1);
}

/* ---- rows ---- */

/* The row, from 0, of the index that is argument 2. */
static int64_t row_argument(lua_State *L) {
    return al_integer(L, 2, "index") - 1;
}

/* ---- states ---- */

/* Sets or clears states (ALCORE_ROW_* bits) of the rows in the list at an index. */
static int change_states(lua_State *L, int rows_index, uint32_t bits, int set) {
    al_object *self = al_check(L, 1, &al_pool_kind);
    int64_t count_of_rows;
    int failed;
    int64_t *rows = al_rows(L, rows_index, self, &count_of_rows, &failed);
    if (failed) return failed;
    return AL_SELF(L, self->context,
                   set ? alcore_pool_mark(self->pool, bits, rows, count_of_rows)
                       : alcore_pool_unmark(self->pool, bits, rows, count_of_rows));
}

/* The bit of the state that is named at an index. */
static uint32_t state_argument(lua_State *L, int index) {
    luaL_checktype(L, index, LUA_TSTRING);
    return (uint32_t)al_constant_check(L, index, al_words_row_state, "state", 0);
}

/*** Marks rows whose labels came back.
 * @function pool:mark_labeled
 * @param rows a selection, or a list of indices and ids
 * @return the pool; or nil, message, code */
int l_pool_mark_labeled(lua_State *L) {
    return change_states(L, 2, ALCORE_ROW_LABELED, 1);
}

/*** Whether a row is in a state; without one, the names of its states.
 * @function pool:state
 * @tparam number index
 * @tparam[opt] string state
 * @return a boolean, or a list of names */
int l_pool_state(lua_State *L) {
    al_object *self = al_check(L, 1, &al_pool_kind);
    int64_t row = row_argument(L);
    if (row < 0 || row >= alcore_pool_row_count(self->pool)) return 0;
    uint32_t bits = alcore_pool_states(self->pool)[row];
    if (!lua_isnoneornil(L, 3)) {
        lua_pushboolean(L, (bits & state_argument(L, 3)) != 0);
        return 1;
    }
    lua_newtable(L);
    for (const al_constant *entry = al_words_row_state; entry->name; entry++) {
        if ((bits & (uint32_t)entry->value) == 0) continue;
        lua_pushstring(L, entry->name);
        lua_rawseti(L, -2, (int)lua_rawlen(L, -2) + 1);
    }
    return 1;
}

/* ---- columns ---- */

/* Type and width of a column. */
static int column_info(lua_State *L, al_object *self, const char *name, alcore_column_info *info) {
    *info = (alcore_column_info)ALCORE_COLUMN_INFO_INIT;
    return AL_CALL(L, self->context, alcore_pool_get_column_info(self->pool, name, info));
}

/* Pushes the list of the texts that a column has for some rows [count_of_rows], or, when rows is
 * NULL, for the first ones; false where a row has none, so that the list has no holes. Returns 1.
 */
static int push_texts(lua_State *L, al_object *self, const char *name, const int64_t *rows,
                      int64_t count_of_rows) {
    lua_newtable(L);
    for (int64_t i = 0; i < count_of_rows; i++) {
        size_t length = 0;
        const char *found = alcore_pool_column_text(self->pool, name, rows ? rows[i] : i, &length);
        if (found)
            lua_pushlstring(L, found, length);
        else
            lua_pushboolean(L, 0);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

/* Whether the value at an index is a list whose first entry is a string. */
static int is_texts(lua_State *L, int index) {
    if (lua_type(L, index) != LUA_TTABLE) return 0;
    lua_rawgeti(L, index, 1);
    int found = lua_type(L, -1) == LUA_TSTRING;
    lua_pop(L, 1);
    return found;
}

/* Gives the pool a column of the list of texts at an index. */
static int set_texts(lua_State *L, al_object *self, const char *name, int texts) {
    int64_t count_of_texts;
    size_t *lengths;
    const char **strings = al_strings(L, texts, name, 0, &lengths, &count_of_texts);
    return AL_CALL(
        L, self->context,
        alcore_pool_set_text_column(self->pool, name, strings, lengths, count_of_texts, NULL));
}

int al_give_column(lua_State *L, al_object *pool, const char *name, int index, int32_t meaning) {
    if (is_texts(L, index)) return set_texts(L, pool, name, index);
    const int of_samples = lua_istable(L, index) && strcmp(name, "sample_probs") == 0;
    al_array meant = of_samples ? *al_samples_from(L, index, name)
                                : *al_array_from(L, index, name, al_usual_ragged(name));
    if (meaning != 0) meant.options.meaning = meaning;
    return al_set_column(L, pool, name, &meant);
}

/*** Gives the pool a column.
 * @function pool:set_column
 * @tparam string name
 * @param array a list of numbers or of strings, or an array of @{alcore.matrix}, @{alcore.ragged}
 * or @{alcore.file}
 * @return the pool; or nil, message, code */
int l_pool_set_column(lua_State *L) {
    al_object *self = al_check(L, 1, &al_pool_kind);
    const char *name = luaL_checkstring(L, 2);
    luaL_checkany(L, 3);
    int failed = al_give_column(L, self, name, 3, 0 /* that of the array */);
    if (failed) return failed;
    lua_settop(L, 1);
    return 1;
}

/*** The values of a column that is in memory.
 * @function pool:get_column
 * @tparam string name
 * @return a list, or a list of lists; or nil, message, code */
int l_pool_get_column(lua_State *L) {
    al_object *self = al_check(L, 1, &al_pool_kind);
    const char *name = luaL_checkstring(L, 2);
    alcore_column_info info;
    int missing = column_info(L, self, name, &info);
    if (missing) return missing;
    if (info.dtype == ALCORE_TEXT)
        return push_texts(L, self, name, NULL, alcore_pool_row_count(self->pool));
    alcore_tensor values, offsets;
    int failed =
        AL_CALL(L, self->context, alcore_pool_get_column(self->pool, name, &values, &offsets));
    return al_tensor_result(L, failed, &values, &offsets);
}

/* Pushes the tokens of rows [count] of a ragged column, a list for each row. */
static int push_tokens(lua_State *L, al_object *self, const char *name, const int64_t *rows,
                       int64_t count, int64_t width) {
    int64_t *offsets = al_buffer(L, count + 1, sizeof *offsets);
    int failed =
        AL_CALL(L, self->context,
                alcore_pool_get_column_tokens(self->pool, name, rows, count, offsets, NULL));
    if (failed) return failed;
    double *numbers = al_buffer(L, offsets[count] * width, sizeof *numbers);
    int64_t shape[2] = {offsets[count], width}, offset_shape[1] = {count + 1};
    alcore_tensor values, starts;
    al_tensor(L, &values, numbers, ALCORE_FLOAT64, shape, width > 1 ? 2 : 1);
    al_tensor(L, &starts, offsets, ALCORE_INT64, offset_shape, 1);
    failed =
        AL_CALL(L, self->context,
                alcore_pool_get_column_tokens(self->pool, name, rows, count, offsets, &values));
    return al_tensor_result(L, failed, &values, &starts);
}

/*** Rows of a column wherever it lives.
 * @function pool:column_rows
 * @tparam string name
 * @param rows a list of indices and ids, or a selection
 * @return a list, or a list of lists, as of a ragged column; or nil, message, code */
int l_pool_column_rows(lua_State *L) {
    al_object *self = al_check(L, 1, &al_pool_kind);
    const char *name = luaL_checkstring(L, 2);
    int64_t count_of_rows;
    int failed;
    int64_t *rows = al_rows(L, 3, self, &count_of_rows, &failed);
    if (failed) return failed;
    alcore_column_info info;
    failed = column_info(L, self, name, &info);
    if (failed) return failed;
    if (info.dtype == ALCORE_TEXT) return push_texts(L, self, name, rows, count_of_rows);
    if (info.shape == ALCORE_COLUMN_RAGGED || info.shape == ALCORE_COLUMN_RAGGED_DENSE)
        return push_tokens(L, self, name, rows, count_of_rows, info.width);
    double *numbers = al_buffer(L, count_of_rows * info.width, sizeof *numbers);
    int64_t shape[2] = {count_of_rows, info.width};
    alcore_tensor out;
    al_tensor(L, &out, numbers, ALCORE_FLOAT64, shape, info.width > 1 ? 2 : 1);
    failed = AL_CALL(L, self->context,
                     alcore_pool_get_column_rows(self->pool, name, rows, count_of_rows, &out));
    return al_tensor_result(L, failed, &out, NULL);
}
