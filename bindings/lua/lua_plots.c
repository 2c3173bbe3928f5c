/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Plots as SVG, or as tables of what would be drawn.
 * @section plots */
#include "lua_binding.h"

/* Either function of alcore/extra/plot.h. */
typedef alcore_status (*plot_function)(alcore_ctx *, const char *const *, const size_t *,
                                       const int64_t *, const double *, const double *, int64_t,
                                       const char *, const alcore_plot_options *);

/* Pushes the array that it returns: the field of the table at index 2, a list of `count`
 * numbers. */
static const double *numbers_of(lua_State *L, const char *field, int64_t count) {
    int64_t found;
    lua_getfield(L, 2, field);
    const double *numbers = al_numbers(L, lua_gettop(L), field, &found);
    if (found != count)
        luaL_error(L, "%s: %d numbers expected, as many as series", field, (int)count);
    return numbers;
}

/* Pushes the arrays of the columns of options: entries {name, numbers} of the field "columns" of
 * the table at index 2. */
static void read_columns(lua_State *L, int64_t count, alcore_plot_options *options) {
    if (!al_has(L, 2, "columns")) return;
    const int list = lua_gettop(L);
    luaL_checktype(L, list, LUA_TTABLE);
    options->column_count = al_length(L, list);
    const char **names = al_buffer(L, options->column_count, sizeof *names);
    const double **columns = al_buffer(L, options->column_count, sizeof *columns);
    luaL_checkstack(L, 2 * (int)options->column_count + AL_STACK, "columns");
    for (int64_t c = 0; c < options->column_count; c++) {
        int64_t found = 0;
        lua_rawgeti(L, list, (int)c + 1);
        if (!lua_istable(L, -1)) luaL_error(L, "columns[%d]: {name, numbers} expected", (int)c + 1);
        const int entry = lua_gettop(L);
        lua_rawgeti(L, entry, 1);
        names[c] = luaL_checkstring(L, -1); /* the caller's list owns it */
        lua_rawgeti(L, entry, 2);
        columns[c] = al_numbers(L, lua_gettop(L), names[c], &found);
        if (found != count)
            luaL_error(L, "%s: %d numbers expected, as many as series", names[c], (int)count);
    }
    options->column_names = names;
    options->columns = columns;
}

/* Reads path, data and options, and writes the plot. */
static int write_plot(lua_State *L, const char *name, plot_function write) {
    static const char *const fields[] = {"series", "rounds", "x", "y", "columns", NULL};
    alcore_plot_options options = ALCORE_PLOT_OPTIONS_INIT;
    const char *path = luaL_checkstring(L, 1);
    size_t *lengths;
    int64_t count, *rounds = NULL;
    lua_settop(L, 3);
    luaL_checktype(L, 2, LUA_TTABLE);
    al_check_fields(L, 2, name, NULL, fields);
    const int table = al_options(L, 3, name, al_plot_options, al_context_only, NULL);
    al_read_struct(L, table, al_plot_options, &options);
    lua_getfield(L, 2, "series");
    if (!lua_istable(L, -1)) luaL_error(L, "series: a list of strings expected");
    const char **series = al_strings(L, lua_gettop(L), "series", 0, &lengths, &count);
    const double *x = numbers_of(L, "x", count), *y = numbers_of(L, "y", count);
    if (al_has(L, 2, "rounds")) {
        const double *given = numbers_of(L, "rounds", count);
        rounds = al_buffer(L, count, sizeof *rounds);
        for (int64_t i = 0; i < count; i++) {
            if (!(given[i] >= -9e15 && given[i] <= 9e15))
                luaL_error(L, "rounds[%d]: an integer expected", (int)i + 1);
            rounds[i] = (int64_t)given[i];
        }
    }
    read_columns(L, count, &options);
    al_context *context = al_context_of(L, table);
    const int failed = AL_CALL(
        L, context, write(context->ctx, series, lengths, rounds, x, y, count, path, &options));
    if (failed) return failed;
    lua_pushvalue(L, 1);
    return 1;
}

/*** Learning curves: a metric against a budget, with a band over seeds.
 * @function plots.curves
 * @tparam string path .svg draws, .tsv and .csv write the table
 * @tparam table data series (names), x, y and, where x differs between seeds, rounds: lists as long
 * as each other, an entry for each observation
 * @tparam[opt] table options title, x_label, y_label, width, height, band ("se", "sd", "none"),
 * context
 * @return the path; or nil, message, code */
int l_plots_curves(lua_State *L) {
    return write_plot(L, "plots.curves", alcore_plot_write_curves);
}

/*** Points: picks of strategies by round, over a background of round 0.
 * @function plots.points
 * @tparam string path .svg draws, .tsv and .csv write the table
 * @tparam table data series, x, y and, by default all 1, rounds; columns, a list of further columns
 * of the table: {name, numbers}, where 0/0 is an empty cell
 * @tparam[opt] table options title, x_label, y_label, width, height, equal_scales, context
 * @return the path; or nil, message, code */
int l_plots_points(lua_State *L) {
    return write_plot(L, "plots.points", alcore_plot_write_points);
}
