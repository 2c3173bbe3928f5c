/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Analyses of an experiment: costs, uncertainty of neighbors, what a selection consists of, and a
 * projection of embeddings to two dimensions. Results are tables.
 * @section analysis */
#include <math.h>

#include "lua_binding.h"

/* Pushes a matrix of doubles and describes it: out, float64 [shape[0], shape[1]]; shape has to
 * outlive it. */
static double *push_matrix(lua_State *L, int64_t *shape, alcore_tensor *out) {
    double *values = al_buffer(L, shape[0] * shape[1], sizeof *values);
    al_tensor(L, out, values, ALCORE_FLOAT64, shape, 2);
    return values;
}

/* Pushes the array that it returns, [*count]: the field `k` of the options, a number or a list; by
 * default the powers of two up to the number of source rows and ALCORE_NEIGHBORHOOD_MAX. */
static int64_t *read_neighbors(lua_State *L, int table, int64_t rows, int64_t *count) {
    if (table != 0)
        lua_getfield(L, table, "k");
    else
        lua_pushnil(L);
    if (lua_isnil(L, -1)) {
        enum { POWERS = 14 }; /* 2^0 .. 2^13 */
        _Static_assert(1 << (POWERS - 1) == ALCORE_NEIGHBORHOOD_MAX, "another largest k");
        int64_t *powers = al_buffer(L, POWERS, sizeof *powers);
        *count = 0;
        for (int64_t k = 1; k <= ALCORE_NEIGHBORHOOD_MAX && (k == 1 || k <= rows); k *= 2)
            powers[(*count)++] = k;
        return powers;
    }
    if (lua_type(L, -1) == LUA_TNUMBER) { /* one number: a list of it */
        lua_createtable(L, 1, 0);
        lua_insert(L, -2);
        lua_rawseti(L, -2, 1);
    }
    double *numbers = al_numbers(L, lua_gettop(L), "k", count);
    int64_t *k = al_buffer(L, *count, sizeof *k);
    for (int64_t i = 0; i < *count; i++) {
        if (!(numbers[i] >= 1 && numbers[i] <= ALCORE_NEIGHBORHOOD_MAX &&
              numbers[i] == floor(numbers[i])))
            luaL_error(L, "k[%d]: an integer from 1 to %d expected", (int)i + 1,
                       ALCORE_NEIGHBORHOOD_MAX);
        k[i] = (int64_t)numbers[i];
    }
    return k;
}

/*** Correlation, over target rows, of their uncertainty with the mean uncertainty of their k
 * nearest source rows.
 * @function analysis.neighborhood
 * @param source a pool (its embeddings), {pool, column} or a matrix
 * @param target a pool or a matrix
 * @tparam table source_uncertainty a number for each row
 * @tparam table target_uncertainty a number for each row
 * @tparam[opt] table options k (a number or a list, each up to 8192; default 1, 2, 4, ...
 * up to the number of source rows and 8192), context
 * @return a list of tables with k, rho and p; or nil, message, code */
int l_analysis_neighborhood(lua_State *L) {
    static const char *const others[] = {"k", "context", NULL};
    alcore_search_data source, target;
    alcore_tensor out;
    int64_t dims, source_count, target_count, k_count, shape[2];
    lua_settop(L, 5);
    const int table = al_options(L, 5, "analysis.neighborhood", NULL, others, NULL);
    const int64_t rows = al_search_data(L, 1, "source", &source, &dims);
    al_search_data(L, 2, "target", &target, &dims);
    const double *source_u = al_numbers(L, 3, "source_uncertainty", &source_count);
    const double *target_u = al_numbers(L, 4, "target_uncertainty", &target_count);
    const int64_t *k = read_neighbors(L, table, rows, &k_count);
    al_context *context = al_context_of(L, table);
    shape[0] = k_count;
    shape[1] = 2;
    const double *found = push_matrix(L, shape, &out);
    const int failed = AL_CALL(
        L, context,
        alcore_analysis_compute_neighborhood(context->ctx, &source, source_u, source_count, &target,
                                             target_u, target_count, k, k_count, NULL, &out));
    if (failed) return failed;
    al_push_list(L, k_count);
    for (int64_t i = 0; i < k_count; i++) {
        lua_createtable(L, 0, 3);
        al_set_integer(L, "k", k[i]);
        al_set_number(L, "rho", found[2 * i]);
        al_set_number(L, "p", found[2 * i + 1]);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

/*** How many of the rows have each language of the pool.
 * @function analysis.languages
 * @param pool a pool
 * @tparam table rows indices, ids, or a selection
 * @return a table of counts by language tag; or nil, message, code */
int l_analysis_languages(lua_State *L) {
    al_object *pool = al_check(L, 1, &al_pool_kind);
    alcore_tensor out;
    int64_t row_count, shape[1] = {0};
    int failed = 0;
    lua_settop(L, 2);
    const int64_t *rows = al_rows(L, 2, pool, &row_count, &failed);
    if (failed) return failed;
    while (alcore_pool_distinct_language(pool->pool, shape[0])) shape[0]++;
    int64_t *counts = al_buffer(L, shape[0], sizeof *counts);
    al_tensor(L, &out, counts, ALCORE_INT64, shape, 1);
    const alcore_status status = alcore_analysis_count_languages(pool->pool, rows, row_count, &out);
    if (status != ALCORE_OK) return al_fail(L, status);
    lua_createtable(L, 0, (int)shape[0]);
    for (int64_t i = 0; i < shape[0]; i++) {
        lua_pushinteger(L, (lua_Integer)counts[i]);
        lua_setfield(L, -2, alcore_pool_distinct_language(pool->pool, i));
    }
    return 1;
}

/*** What a selection, or several rounds of it together, consists of.
 * @function analysis.composition
 * @param pool a pool
 * @tparam table rows indices, ids, or a selection
 * @tparam[opt] table options uncertainty (a number for each row of the pool), target (a pool or a
 * matrix: the pool's embeddings are compared with it; the languages of a pool are the target
 * languages), other (another selection or its rows), neighbors (default 10)
 * @return a table with rows, target_language_rows, mean_uncertainty, median_uncertainty,
 * mean_distance, targets, targets_reached, jaccard; NaN and -1 for what was not given; or nil,
 * message, code */
int l_analysis_composition(lua_State *L) {
    static const char *const others[] = {"uncertainty", "target", "other", NULL};
    al_object *pool = al_check(L, 1, &al_pool_kind);
    alcore_composition_options options = ALCORE_COMPOSITION_OPTIONS_INIT;
    alcore_composition_result result = ALCORE_COMPOSITION_RESULT_INIT;
    alcore_search_data source = ALCORE_SEARCH_DATA_INIT, target;
    int64_t row_count, dims;
    int failed = 0;
    lua_settop(L, 3);
    const int table =
        al_options(L, 3, "analysis.composition", al_composition_options, others, &options);
    const int64_t *rows = al_rows(L, 2, pool, &row_count, &failed);
    if (failed) return failed;
    if (table != 0) {
        if (al_has(L, table, "uncertainty"))
            options.uncertainty =
                al_numbers(L, lua_gettop(L), "uncertainty", &options.uncertainty_count);
        if (al_has(L, table, "target")) {
            const al_object *languages_of = al_test(L, lua_gettop(L), &al_pool_kind);
            if (languages_of) options.target_pool = languages_of->pool;
            al_search_data(L, lua_gettop(L), "target", &target, &dims);
            source.pool = pool->pool;
            options.source = &source;
            options.target = &target;
        }
        if (al_has(L, table, "other"))
            options.other_rows = al_rows(L, lua_gettop(L), pool, &options.other_count, &failed);
        if (failed) return failed;
    }
    failed = AL_CALL(L, pool->context,
                     alcore_analysis_compute_composition(pool->context->ctx, pool->pool, rows,
                                                         row_count, &options, &result));
    return al_struct_result(L, failed, al_composition_result, &result);
}

/*** What a translation memory saves of rows of a pool, as translators' tools count it.
 * @function analysis.leverage
 * @param pool a pool
 * @tparam table rows indices, ids, or a selection
 * @param memory another pool, such as that of a .tmx
 * @return a table with rows and words, lists by the band of the match: repetitions, 100 percent, 95
 * to 99, 85 to 94, 75 to 84, 50 to 74, none; or nil, message, code */
int l_analysis_leverage(lua_State *L) {
    al_object *pool = al_check(L, 1, &al_pool_kind), *memory = al_check(L, 3, &al_pool_kind);
    alcore_leverage_result result = ALCORE_LEVERAGE_RESULT_INIT;
    int64_t row_count;
    int failed = 0;
    const int64_t *rows = al_rows(L, 2, pool, &row_count, &failed);
    if (failed) return failed;
    failed = AL_CALL(
        L, pool->context,
        alcore_analysis_compute_leverage(pool->pool, rows, row_count, memory->pool, NULL, &result));
    return al_struct_result(L, failed, al_leverage_result, &result);
}

/*** Rows, and others beside them, on the two principal components of the rows.
 * @function analysis.projection
 * @param rows a pool (its embeddings), {pool, column} or a matrix
 * @param[opt] others a pool or a matrix
 * @tparam[opt] table options context
 * @return a table with points and other_points (lists of pairs), components (of a matrix),
 * eigenvalues, shares, rows; or nil, message, code */
int l_analysis_projection(lua_State *L) {
    alcore_search_data rows, others;
    alcore_tensor points, other_points, components;
    alcore_projection_result result = ALCORE_PROJECTION_RESULT_INIT;
    int64_t dims, other_dims, shape[2], other_shape[2] = {0, 2}, component_shape[2];
    lua_settop(L, 3);
    const int table = al_options(L, 3, "analysis.projection", NULL, al_context_only, NULL);
    const int two = !lua_isnil(L, 2);
    shape[0] = al_search_data(L, 1, "rows", &rows, &dims);
    shape[1] = component_shape[0] = 2;
    component_shape[1] = dims;
    if (two) other_shape[0] = al_search_data(L, 2, "others", &others, &other_dims);
    push_matrix(L, shape, &points);
    push_matrix(L, other_shape, &other_points);
    push_matrix(L, component_shape, &components);
    al_context *context = al_context_of(L, table);
    const int failed =
        AL_CALL(L, context,
                alcore_analysis_compute_projection(context->ctx, &rows, two ? &others : NULL, NULL,
                                                   &points, two ? &other_points : NULL,
                                                   dims > 0 ? &components : NULL, &result));
    if (failed) return failed;
    al_push_struct(L, al_projection_result, &result);
    al_push_tensor(L, &points, NULL);
    lua_setfield(L, -2, "points");
    if (two) {
        al_push_tensor(L, &other_points, NULL);
        lua_setfield(L, -2, "other_points");
    }
    if (dims > 0) {
        al_push_tensor(L, &components, NULL);
        lua_setfield(L, -2, "components");
    }
    return 1;
}
