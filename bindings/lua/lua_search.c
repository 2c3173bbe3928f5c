/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Exact search: the nearest rows of a matrix or of a pool's column, and margin ratios. The
 * answers are the same on every machine.
 * @section search */
#include "lua_binding.h"

int64_t al_search_data(lua_State *L, int index, const char *what, alcore_search_data *out,
                       int64_t *dims) {
    alcore_search_data data = ALCORE_SEARCH_DATA_INIT;
    al_object *pool = al_test(L, index, &al_pool_kind);
    if (!pool && lua_istable(L, index)) { /* {pool, column} */
        /* Both stay on the stack: a progress function could take them out of the caller's table. */
        lua_rawgeti(L, index, 1);
        pool = al_test(L, lua_gettop(L), &al_pool_kind);
        if (pool) {
            lua_rawgeti(L, index, 2);
            if (lua_type(L, -1) != LUA_TSTRING)
                luaL_error(L, "%s: {pool, the name of a column} expected", what);
            data.column = lua_tostring(L, -1);
        } else {
            lua_pop(L, 1);
        }
    }
    *dims = 0;
    if (pool) {
        data.pool = pool->pool;
        *out = data;
        return alcore_pool_row_count(pool->pool);
    }
    al_array *array = al_array_from(L, index, what, 0);
    if (array->path || array->offsets.data || array->values.ndim != 2)
        luaL_error(L, "%s: a matrix in memory, a pool or {pool, column} expected", what);
    data.matrix = &array->values;
    *dims = array->shape[1];
    *out = data;
    return array->shape[0];
}

/* What a search returns: row numbers and values, both [rows, k]. */
typedef struct neighbors {
    alcore_tensor index_tensor, value_tensor;
    int64_t *indices; /* from 0 as the library fills it */
    int64_t shape[2];
} neighbors;

/* Pushes the two arrays of *out, which has to stay where it is. */
static void push_arrays(lua_State *L, int64_t rows, int64_t k, neighbors *out) {
    out->shape[0] = rows;
    out->shape[1] = k;
    out->indices = al_buffer(L, rows * k, sizeof *out->indices);
    double *values = al_buffer(L, rows * k, sizeof *values);
    al_tensor(L, &out->index_tensor, out->indices, ALCORE_INT64, out->shape, 2);
    al_tensor(L, &out->value_tensor, values, ALCORE_FLOAT64, out->shape, 2);
}

/* Pushes a table with the fields indices, from 1 and 0 for none, and values. */
static void push_neighbors(lua_State *L, neighbors *found) {
    for (int64_t i = 0; i < found->shape[0] * found->shape[1]; i++) found->indices[i]++;
    lua_createtable(L, 0, 2);
    al_push_tensor(L, &found->index_tensor, NULL);
    lua_setfield(L, -2, "indices");
    al_push_tensor(L, &found->value_tensor, NULL);
    lua_setfield(L, -2, "values");
}

/* Reads the mask in a field of the options: a list of booleans, false leaves a row out. Pushes what
 * the operand then points to. */
static void read_mask(lua_State *L, int table, const char *field, alcore_search_data *data) {
    if (table == 0) return;
    if (!al_has(L, table, field)) return;
    const int list = lua_gettop(L);
    if (lua_type(L, list) != LUA_TTABLE)
        luaL_error(L, "%s: a list of booleans expected, got %s", field, luaL_typename(L, list));
    const int64_t count = al_length(L, list);
    uint8_t *mask = al_buffer(L, count, sizeof *mask);
    for (int64_t i = 0; i < count; i++) {
        lua_rawgeti(L, list, (int)i + 1);
        if (!lua_isboolean(L, -1))
            luaL_error(L, "%s[%d]: a boolean expected, got %s", field, (int)i + 1,
                       luaL_typename(L, -1));
        mask[i] = (uint8_t)lua_toboolean(L, -1);
        lua_pop(L, 1);
    }
    data->mask = mask;
    data->mask_count = count;
}

/* The field `k` of the options, or its default. */
static int64_t read_k(lua_State *L, int table, int64_t absent) {
    if (table == 0) return absent;
    lua_getfield(L, table, "k");
    const int64_t k = lua_isnil(L, -1) ? absent : al_integer(L, -1, "k");
    lua_pop(L, 1);
    return k;
}

/* A field of the options that is true or false; absent: false. */
static int read_flag(lua_State *L, int table, const char *field) {
    if (table == 0) return 0;
    lua_getfield(L, table, field);
    if (!lua_isnil(L, -1) && !lua_isboolean(L, -1))
        luaL_error(L, "%s: a boolean expected, got %s", field, luaL_typename(L, -1));
    const int flag = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return flag;
}

/*** The k nearest rows of each query, exact. The nearest first; of equal values the lower index.
 * @function alcore.knn
 * @param rows a matrix, a pool (its embeddings) or {pool, column}
 * @param queries a matrix, a pool or {pool, column}
 * @tparam[opt] table options k (default 10), metric ("l2": squared distances, "dot", "cosine"),
 * both (true: the k nearest queries of each row too), mask and query_mask (a boolean for each row:
 * false leaves it out), unit (true: each row is divided by its norm first), device, context
 * @return a table with indices and values, a list of k numbers for each query; index 0 and value
 * NaN where there is no neighbor. With both a second such table, with lists for each row. Or nil,
 * message, code */
int l_alcore_knn(lua_State *L) {
    static const char *const others[] = {"k",    "both",    "mask", "query_mask",
                                         "unit", "context", NULL};
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    alcore_search_data rows, queries;
    neighbors of_queries, of_rows;
    int64_t dims;
    lua_settop(L, 3);
    const int table = al_options(L, 3, "knn", al_search_options, others, &options);
    const int64_t k = read_k(L, table, 10), row_count = al_search_data(L, 1, "rows", &rows, &dims),
                  query_count = al_search_data(L, 2, "queries", &queries, &dims);
    read_mask(L, table, "mask", &rows);
    read_mask(L, table, "query_mask", &queries);
    rows.normalize = queries.normalize = read_flag(L, table, "unit");
    const int both = read_flag(L, table, "both");
    /* The library refuses any other k before it writes. */
    const int64_t width = k < 1 ? 1 : k > ALCORE_KNN_MAX ? ALCORE_KNN_MAX : k;
    push_arrays(L, query_count, width, &of_queries);
    if (both) push_arrays(L, row_count, width, &of_rows);
    al_context *context = al_context_of(L, table);
    const int failed = AL_CALL(L, context,
                               alcore_search_knn(context->ctx, &rows, &queries, k, &options,
                                                 &of_queries.index_tensor, &of_queries.value_tensor,
                                                 both ? &of_rows.index_tensor : NULL,
                                                 both ? &of_rows.value_tensor : NULL));
    if (failed) return failed;
    push_neighbors(L, &of_queries);
    if (both) push_neighbors(L, &of_rows);
    return 1 + both;
}

/*** The largest margin ratio of each row over the others (Artetxe and Schwenk 2019), and which
 * other has it.
 * @function alcore.margin_ratios
 * @param rows a matrix, a pool (its embeddings) or {pool, column}
 * @param others a matrix, a pool or {pool, column}
 * @tparam[opt] table options k (neighbors whose cosines are averaged, default 4), mask and
 * other_mask (a boolean for each row: false leaves it out), device, context
 * @return a list of ratios and a list of indices of others; NaN and 0 for a row that is left out.
 * Or nil, message, code */
int l_alcore_margin_ratios(lua_State *L) {
    static const char *const names[] = {"k", "mask", "other_mask", "device", "context", NULL};
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    alcore_search_data rows, others;
    alcore_tensor ratio_tensor, found_tensor;
    int64_t dims;
    lua_settop(L, 3);
    const int table = al_options(L, 3, "margin_ratios", NULL, names, NULL);
    const int64_t k = read_k(L, table, 4);
    if (table != 0) options.device = al_field_string(L, table, "device");
    int64_t count = al_search_data(L, 1, "rows", &rows, &dims);
    al_search_data(L, 2, "others", &others, &dims);
    read_mask(L, table, "mask", &rows);
    read_mask(L, table, "other_mask", &others);
    double *ratios = al_buffer(L, count, sizeof *ratios);
    int64_t *found = al_buffer(L, count, sizeof *found);
    al_tensor(L, &ratio_tensor, ratios, ALCORE_FLOAT64, &count, 1);
    al_tensor(L, &found_tensor, found, ALCORE_INT64, &count, 1);
    al_context *context = al_context_of(L, table);
    const int failed = AL_CALL(L, context,
                               alcore_search_margin_ratios(context->ctx, &rows, &others, k,
                                                           &options, &ratio_tensor, &found_tensor));
    if (failed) return failed;
    al_push_doubles(L, ratios, count);
    al_push_integers(L, found, count, 1);
    return 2;
}
