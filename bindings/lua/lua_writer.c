/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** The column writer: a column whose rows a loop of your own puts, in any order.
 * @section column_writers */
#include "lua_binding.h"

/*** Begins a column, which appears in the pool when the writer is finished.
 * @function pool:column
 * @tparam string name
 * @tparam[opt] string shape "scalar", "dense", "ragged" or "ragged_dense"; the usual columns know
 * theirs
 * @return a column writer; or nil, message, code */
int l_pool_column(lua_State *L) {
    al_object *pool = al_check(L, 1, &al_pool_kind);
    const char *name = luaL_checkstring(L, 2);
    int32_t shape = al_constant_check(L, 3, al_words_column_shape, "shape", al_usual_shape(name));
    if (shape < 0)
        return luaL_error(
            L, "column: the shape of '%s' is needed: scalar, dense, ragged or ragged_dense", name);
    al_object *writer = al_new(L, &al_column_writer_kind, pool->context);
    int top = lua_gettop(L);
    lua_pushboolean(L, shape >= ALCORE_COLUMN_RAGGED);
    al_anchor(L, top, -1, "ragged");
    return al_result(
        L,
        AL_CALL(L, pool->context,
                alcore_column_writer_new(pool->pool, name, shape, NULL, &writer->column_writer)),
        top);
}

/*** Gives the values of some rows: writer:put({3, 1}, {{0.1, 0.2}, {0.3, 0.4}}).
 * @function writer:put
 * @tparam table rows a list of indices
 * @param values a list or an array; for a ragged column an array of @{alcore.ragged}, or all
 * values in a row and the lengths
 * @tparam[opt] table lengths
 * @return the writer; or nil, message, code */
int l_writer_put(lua_State *L) {
    al_object *self = al_check(L, 1, &al_column_writer_kind);
    int64_t rows_count, lengths_count;
    int failed;
    lua_settop(L, 4);
    int64_t *rows = al_rows(L, 2, NULL, &rows_count, &failed);
    al_push_anchor(L, 1, "ragged");
    al_array *array = al_array_from(L, 3, "values", lua_toboolean(L, -1) && lua_isnil(L, 4));
    if (array->path) return luaL_error(L, "put: values in memory expected, got a file");
    int64_t *lengths = array->lengths;
    lengths_count = array->lengths_count;
    if (!lua_isnil(L, 4)) {
        double *numbers = al_numbers(L, 4, "lengths", &lengths_count);
        lengths = al_buffer(L, lengths_count, sizeof *lengths);
        for (int64_t i = 0; i < lengths_count; i++) lengths[i] = (int64_t)numbers[i];
    }
    if (lengths && lengths_count != rows_count)
        return luaL_error(L, "put: %d rows and %d lengths", (int)rows_count, (int)lengths_count);
    return AL_SELF(
        L, self->context,
        alcore_column_writer_put(self->column_writer, rows, lengths, rows_count, &array->values));
}

/*** Indices of the rows that were not given yet.
 * @function writer:missing
 * @return a list of indices; or nil, message, code */
int l_writer_missing(lua_State *L) {
    al_object *self = al_check(L, 1, &al_column_writer_kind);
    int64_t count = alcore_column_writer_missing_count(self->column_writer);
    int64_t *rows = al_buffer(L, count, sizeof *rows);
    alcore_tensor out;
    al_tensor(L, &out, rows, ALCORE_INT64, &count, 1);
    if (count > 0) {
        int failed =
            AL_CALL(L, self->context, alcore_column_writer_missing(self->column_writer, &out));
        if (failed) return failed;
    }
    al_push_integers(L, rows, count, 1);
    return 1;
}
