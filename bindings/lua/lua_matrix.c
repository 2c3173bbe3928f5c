/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Arrays: the values of columns from tables, packed strings, memory of LuaJIT or of another
 * module, and files.
 * @section arrays */
#include <stdint.h>
#include <string.h>

#include "lua_binding.h"

static const char ARRAY[] = "alcore.array";

static const al_constant dtypes[] = {
    {"float16", ALCORE_FLOAT16}, {"bfloat16", ALCORE_BFLOAT16}, {"float32", ALCORE_FLOAT32},
    {"float64", ALCORE_FLOAT64}, {"int32", ALCORE_INT32},       {"int64", ALCORE_INT64},
    {"uint64", ALCORE_UINT64},   {"uint8", ALCORE_UINT8},       {NULL, 0}};

/* Pushes an array without values. */
static al_array *new_array(lua_State *L) {
    luaL_checkstack(L, AL_STACK, "an array");
    al_array *array = lua_newuserdata(L, sizeof *array);
    memset(array, 0, sizeof *array);
    array->options = (alcore_column_options)ALCORE_COLUMN_OPTIONS_INIT;
    luaL_getmetatable(L, ARRAY);
    lua_setmetatable(L, -2);
    lua_newtable(L);
    lua_setuservalue(L, -2);
    return array;
}

int al_array_is(lua_State *L, int index) {
    if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return 0;
    luaL_getmetatable(L, ARRAY);
    int same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return same;
}

void al_tensor(lua_State *L, alcore_tensor *out, void *data, int32_t dtype, int64_t *shape,
               int32_t ndim) {
    if (alcore_tensor_init(out, data, dtype, shape, ndim) != ALCORE_OK)
        luaL_error(L, "%s", alcore_last_error());
}

/* Sets the values of an array to a tensor over data, whose shape is that of the array. */
static void set_values(lua_State *L, al_array *array, void *data, int32_t dtype, int32_t ndim) {
    al_tensor(L, &array->values, data, dtype, array->shape, ndim);
}

/* ---- tables ---- */

/* An array of numbers while it is filled from lists. */
typedef struct filler {
    double *values;         /* [capacity] */
    int64_t used, capacity; /* in numbers */
    int64_t width;          /* numbers of each row of a matrix; 0: rows are single numbers */
    const char *what;       /* name of the argument, for messages */
} filler;

/* Appends the numbers of a list. */
static void put_numbers(lua_State *L, int list, filler *fill) {
    int64_t count = al_length(L, list);
    for (int64_t i = 1; i <= count; i++) {
        lua_rawgeti(L, list, (int)i);
        if (lua_type(L, -1) != LUA_TNUMBER)
            luaL_error(L, "%s: a number expected, got %s", fill->what, luaL_typename(L, -1));
        /* The lists were counted before. They can have grown since only when a finalizer of the
         * program changed them. */
        if (fill->used == fill->capacity) luaL_error(L, "%s: the list changed", fill->what);
        fill->values[fill->used++] = (double)lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
}

/* Length of entry i, from 1, of a list of lists; raises when the entry is no list. */
static int64_t entry_length(lua_State *L, int list, int64_t i, const char *what) {
    lua_rawgeti(L, list, (int)i);
    if (lua_type(L, -1) != LUA_TTABLE)
        luaL_error(L, "%s[%d]: a list expected, got %s", what, (int)i, luaL_typename(L, -1));
    int64_t length = al_length(L, -1);
    lua_pop(L, 1);
    return length;
}

/* Whether the first entry of a list is a list. */
static int is_nested(lua_State *L, int list) {
    lua_rawgeti(L, list, 1);
    int nested = lua_istable(L, -1);
    lua_pop(L, 1);
    return nested;
}

/* Appends the numbers of a list of `count` lists; raises unless each is fill->width long. */
static void put_matrix(lua_State *L, int list, int64_t count, filler *fill) {
    for (int64_t i = 1; i <= count; i++) {
        int64_t width = entry_length(L, list, i, fill->what);
        if (width != fill->width)
            luaL_error(L,
                       "%s: row %d has %d numbers, the first one has %d (alcore.ragged() takes "
                       "rows of different lengths)",
                       fill->what, (int)i, (int)width, (int)fill->width);
        lua_rawgeti(L, list, (int)i);
        put_numbers(L, lua_gettop(L), fill);
        lua_pop(L, 1);
    }
}

/* Fills the array (at stack index owner) from a list of numbers [count], or from a list of lists of
 * the same length [count, width]. */
static void from_table(lua_State *L, al_array *array, int owner, int list, const char *what) {
    int64_t count = al_length(L, list);
    filler fill = {.what = what};
    int nested = is_nested(L, list);
    fill.width = nested ? entry_length(L, list, 1, what) : 0;
    fill.capacity = count * (nested ? fill.width : 1);
    fill.values = al_buffer(L, fill.capacity, sizeof *fill.values);
    al_anchor(L, owner, -1, "values");
    lua_pop(L, 1);
    if (nested)
        put_matrix(L, list, count, &fill);
    else
        put_numbers(L, list, &fill);
    array->shape[0] = count;
    array->shape[1] = fill.width;
    set_values(L, array, fill.values, ALCORE_FLOAT64, nested ? 2 : 1);
}

/* Makes the offsets [rows + 1] of a ragged array from the lengths of its rows, whose sum must be
 * the number of tokens. */
static void set_offsets(lua_State *L, al_array *array, int owner, const int64_t *lengths,
                        int64_t rows, int64_t tokens) {
    int64_t *offsets = al_buffer(L, rows + 1, sizeof *offsets);
    al_anchor(L, owner, -1, "offsets");
    lua_pop(L, 1);
    offsets[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        if (lengths[i] < 0 || lengths[i] > tokens - offsets[i])
            luaL_error(L, "lengths: %d is below 0 or more than is left of the %d values",
                       (int)lengths[i], (int)tokens);
        offsets[i + 1] = offsets[i] + lengths[i];
    }
    if (offsets[rows] != tokens)
        luaL_error(L, "lengths: they sum to %d and there are %d values", (int)offsets[rows],
                   (int)tokens);
    array->offsets_shape[0] = rows + 1;
    al_tensor(L, &array->offsets, offsets, ALCORE_INT64, array->offsets_shape, 1);
}

/* Gives the array memory for the lengths of its rows. */
static int64_t *new_lengths(lua_State *L, al_array *array, int owner, int64_t rows) {
    array->lengths = al_buffer(L, rows, sizeof *array->lengths);
    al_anchor(L, owner, -1, "lengths");
    lua_pop(L, 1);
    array->lengths_count = rows;
    return array->lengths;
}

/* Numbers of each token of a list of rows of tokens, as the first token says; 0: tokens are single
 * numbers. */
static int64_t token_width(lua_State *L, int list, int64_t rows, const char *what) {
    for (int64_t i = 1; i <= rows; i++) {
        lua_rawgeti(L, list, (int)i);
        if (lua_type(L, -1) != LUA_TTABLE)
            luaL_error(L, "%s[%d]: a list expected, got %s", what, (int)i, luaL_typename(L, -1));
        int64_t tokens = al_length(L, -1), width = 0;
        if (tokens > 0 && is_nested(L, lua_gettop(L)))
            width = entry_length(L, lua_gettop(L), 1, what);
        lua_pop(L, 1);
        if (tokens > 0) return width;
    }
    return 0;
}

/* Fills the array (at stack index owner) from a list of rows: each a list of tokens, each token a
 * number or a list of numbers. Values are [tokens] or [tokens, width]. */
static void ragged_table(lua_State *L, al_array *array, int owner, int list, const char *what) {
    int64_t rows = al_length(L, list), tokens = 0;
    filler fill = {.what = what};
    fill.width = token_width(L, list, rows, what);
    int64_t *lengths = new_lengths(L, array, owner, rows);
    for (int64_t i = 0; i < rows; i++) tokens += lengths[i] = entry_length(L, list, i + 1, what);
    fill.capacity = tokens * (fill.width > 0 ? fill.width : 1);
    fill.values = al_buffer(L, fill.capacity, sizeof *fill.values);
    al_anchor(L, owner, -1, "values");
    lua_pop(L, 1);
    for (int64_t i = 0; i < rows; i++) {
        lua_rawgeti(L, list, (int)(i + 1));
        if (fill.width > 0)
            put_matrix(L, lua_gettop(L), lengths[i], &fill);
        else
            put_numbers(L, lua_gettop(L), &fill);
        lua_pop(L, 1);
    }
    array->shape[0] = tokens;
    array->shape[1] = fill.width;
    set_values(L, array, fill.values, ALCORE_FLOAT64, fill.width > 0 ? 2 : 1);
    set_offsets(L, array, owner, lengths, rows, tokens);
}

al_array *al_samples_from(lua_State *L, int index, const char *what) {
    index = al_absolute(L, index);
    const int64_t samples = al_length(L, index);
    const int64_t rows = samples > 0 ? entry_length(L, index, 1, what) : 0;
    al_array *array = new_array(L);
    const int owner = lua_gettop(L);
    filler fill = {.what = what};
    lua_rawgeti(L, index, 1);
    if (rows > 0) fill.width = entry_length(L, lua_gettop(L), 1, what);
    lua_pop(L, 1);
    fill.capacity = samples * rows * fill.width;
    fill.values = al_buffer(L, fill.capacity, sizeof *fill.values);
    al_anchor(L, owner, -1, "values");
    lua_pop(L, 1);
    for (int64_t s = 1; s <= samples; s++) {
        if (entry_length(L, index, s, what) != rows)
            luaL_error(L, "%s: sample %d has %d rows, the first one has %d", what, (int)s,
                       (int)entry_length(L, index, s, what), (int)rows);
        lua_rawgeti(L, index, (int)s);
        put_matrix(L, lua_gettop(L), rows, &fill);
        lua_pop(L, 1);
    }
    array->shape[0] = samples;
    array->shape[1] = rows;
    array->shape[2] = fill.width;
    set_values(L, array, fill.values, ALCORE_FLOAT64, 3);
    return array;
}

al_array *al_array_from(lua_State *L, int index, const char *what, int ragged) {
    index = al_absolute(L, index);
    if (al_array_is(L, index)) {
        lua_pushvalue(L, index);
        return lua_touserdata(L, -1);
    }
    if (lua_type(L, index) != LUA_TTABLE)
        luaL_error(L,
                   "%s: a list of numbers or an array of alcore.matrix(), ragged() or file() "
                   "expected, got %s",
                   what, luaL_typename(L, index));
    al_array *array = new_array(L);
    if (ragged)
        ragged_table(L, array, lua_gettop(L), index, what);
    else
        from_table(L, array, lua_gettop(L), index, what);
    return array;
}

/* ---- memory ---- */

/* A chunk of LuaJIT that gets cdata and returns its address, its size in bytes (nil for a pointer)
 * and the dtype of its numbers (nil for others than float and double). */
static const char DESCRIBE_CDATA[] =
    "local ffi, data = require('ffi'), ...\n"
    "local kind = tostring(ffi.typeof(data))\n"
    "local address = tonumber(ffi.cast('uintptr_t', ffi.cast('const void *', data)))\n"
    "local number = kind:match('^ctype<(.-) *[%[&*(]')\n"
    "return address, kind:find('%[') and ffi.sizeof(data) or nil,\n"
    "    ({float = 'float32', double = 'float64'})[(number or ''):gsub('const ', '')]";

/* Runs that chunk with the value at index; a size that is not element is SIZE_MAX. */
static void from_cdata(lua_State *L, int index, uintptr_t *address, size_t *size,
                       const char **dtype) {
    if (luaL_loadstring(L, DESCRIBE_CDATA) != 0) lua_error(L);
    lua_pushvalue(L, index);
    lua_call(L, 1, 3);
    *address = (uintptr_t)lua_tonumber(L, -3);
    *size = lua_isnil(L, -2) ? SIZE_MAX : (size_t)lua_tonumber(L, -2);
    *dtype = lua_tostring(L, -1); /* the text stays on the stack */
}

/* The shape {rows} or {rows, numbers} at index. */
static void read_shape(lua_State *L, int index, al_array *array, int32_t *ndim) {
    luaL_checktype(L, index, LUA_TTABLE);
    int64_t dims = al_length(L, index);
    if (dims < 1 || dims > 2) luaL_error(L, "shape: {rows} or {rows, numbers} expected");
    *ndim = (int32_t)dims;
    for (int i = 0; i < (int)dims; i++) {
        lua_rawgeti(L, index, i + 1);
        array->shape[i] = al_integer(L, -1, "shape");
        if (array->shape[i] < 0) luaL_error(L, "shape: 0 or more expected");
        lua_pop(L, 1);
    }
}

/* The options of a column at index, for the function of that name; the array, at stack index owner,
 * keeps alive what they point to. */
static void read_options(lua_State *L, int index, const char *function, int owner,
                         al_array *array) {
    static const char *const names[] = {"meaning", "log_base", "offsets", "format", "rows", NULL};
    alcore_column_options *options = &array->options;
    int failed;
    if (al_options(L, index, function, NULL, names, NULL) == 0) return;
    options->meaning = al_field_constant(L, index, "meaning", al_words_meaning);
    if (al_has(L, index, "log_base")) options->log_base = al_field_number(L, index, "log_base");
    lua_pop(L, 1);
    options->offsets = al_field_string(L, index, "offsets");
    al_anchor(L, owner, -1, "offsets path");
    options->format = al_field_string(L, index, "format");
    al_anchor(L, owner, -1, "format");
    if (!al_has(L, index, "rows")) return;
    options->rows = al_rows(L, -1, NULL, &options->row_count, &failed);
    al_anchor(L, owner, -1, "rows");
}

/* Fills the array (at stack index owner) from memory: the arguments of alcore.matrix() are at stack
 * indices 1 (data), 2 (dtype) and 3 (shape). Memory that is not aligned is copied. */
static void from_memory(lua_State *L, al_array *array, int owner) {
    uintptr_t address = 0;
    size_t size = SIZE_MAX;
    const char *element = NULL; /* dtype of the numbers of cdata, when the ffi knows it */
    int type = lua_type(L, 1);
    if (type == LUA_TSTRING)
        address = (uintptr_t)lua_tolstring(L, 1, &size);
    else if (type == LUA_TLIGHTUSERDATA)
        address = (uintptr_t)lua_touserdata(L, 1);
    else if (type == LUA_TNUMBER)
        address = (uintptr_t)al_integer(L, 1, "an address");
    else if (strcmp(lua_typename(L, type), "cdata") == 0)
        from_cdata(L, 1, &address, &size, &element);
    else
        luaL_error(
            L, "matrix: a table, packed string, cdata, light userdata or address expected, got %s",
            luaL_typename(L, 1));
    int32_t ndim, dtype = al_constant_check(L, 2, dtypes, "dtype", 0);
    if (dtype == 0 && element) {
        lua_pushstring(L, element);
        dtype = al_constant_check(L, -1, dtypes, "dtype", 0);
    } else if (dtype != 0 && element) {
        lua_pushstring(L, element);
        if (al_constant_check(L, -1, dtypes, "dtype", 0) != dtype)
            luaL_error(L, "matrix: the memory holds %s, not %s", element, lua_tostring(L, 2));
    }
    if (dtype == 0) luaL_error(L, "matrix: a dtype such as 'float32' expected");
    read_shape(L, 3, array, &ndim);
    set_values(L, array, array, dtype, ndim); /* only for the size of a number */
    size_t bytes = array->values.dtype.bits / 8u;
    for (int i = 0; i < ndim; i++) {
        if (array->shape[i] != 0 && bytes > (SIZE_MAX / 2) / (uint64_t)array->shape[i])
            luaL_error(L, "shape: too large");
        bytes *= (size_t)array->shape[i];
    }
    if (type == LUA_TSTRING ? size != bytes : size < bytes)
        luaL_error(L, "matrix: the shape takes %f bytes, the memory has %f", (lua_Number)bytes,
                   (lua_Number)size);
    if (address == 0 && bytes > 0) luaL_error(L, "matrix: a null address");
    void *data = (void *)address;
    if (address % 8 != 0) { /* a packed string may begin anywhere */
        data = al_buffer(L, (int64_t)bytes, 1);
        if (bytes > 0) memcpy(data, (const void *)address, bytes);
        al_anchor(L, owner, -1, "values");
    } else {
        al_anchor(L, owner, 1, "values");
    }
    set_values(L, array, data, dtype, ndim);
}

/*** An array from numbers in memory. The memory is read when the array is used, not now.
 * @function alcore.matrix
 * @param data a table, or a packed string, cdata, light userdata or address with dtype and shape
 * @tparam[opt] string dtype "float32", ... not needed for cdata arrays of float and double
 * @tparam[opt] table shape {rows} or {rows, numbers}
 * @tparam[opt] table options meaning, log_base, rows
 * @return an array */
int l_alcore_matrix(lua_State *L) {
    int table = lua_istable(L, 1);
    lua_settop(L, table ? 2 : 4);
    al_array *array = new_array(L);
    int owner = lua_gettop(L);
    if (table)
        from_table(L, array, owner, 1, "matrix");
    else
        from_memory(L, array, owner);
    read_options(L, table ? 2 : 4, "matrix", owner, array);
    lua_pushvalue(L, owner);
    return 1;
}

/*** A ragged array: rows of different lengths.
 * @function alcore.ragged
 * @param values a list of lists; or all values in a row, with lengths
 * @tparam[opt] table lengths how many values each row has
 * @tparam[opt] table options meaning, log_base, rows
 * @return an array */
int l_alcore_ragged(lua_State *L) {
    /* Lengths are a list of numbers, options have names. */
    int has_lengths = al_array_is(L, 1) || (lua_istable(L, 2) && al_length(L, 2) > 0);
    lua_settop(L, has_lengths ? 3 : 2);
    al_array *array;
    if (has_lengths) {
        int64_t rows, *lengths;
        al_array *given = al_array_from(L, 1, "ragged", 0);
        array = new_array(L);
        int owner = lua_gettop(L);
        if (given->path || given->offsets.data)
            luaL_error(L, "ragged: values without lengths of their own expected");
        array->values = given->values;
        array->options = given->options;
        memcpy(array->shape, given->shape, sizeof array->shape);
        array->values.shape = array->shape;
        al_anchor(L, owner, owner - 1, "given");
        double *numbers = al_numbers(L, 2, "lengths", &rows);
        lengths = new_lengths(L, array, owner, rows);
        for (int64_t i = 0; i < rows; i++) {
            if (!(numbers[i] >= 0 && numbers[i] <= 9e15))
                luaL_error(L, "lengths: 0 or more expected");
            lengths[i] = (int64_t)numbers[i];
        }
        set_offsets(L, array, owner, lengths, rows, array->shape[0]);
        lua_settop(L, owner);
    } else {
        luaL_checktype(L, 1, LUA_TTABLE);
        array = new_array(L);
        ragged_table(L, array, lua_gettop(L), 1, "ragged");
    }
    int owner = lua_gettop(L);
    read_options(L, has_lengths ? 3 : 2, "ragged", owner, array);
    lua_pushvalue(L, owner);
    return 1;
}

/*** An array that stays in a file: .npy, FILE:tensor of a .safetensors, or a text form.
 * @function alcore.file
 * @tparam string path
 * @tparam[opt] table options offsets, format, meaning, log_base, rows
 * @return an array */
int l_alcore_file(lua_State *L) {
    luaL_checktype(L, 1, LUA_TSTRING);
    lua_settop(L, 2);
    al_array *array = new_array(L);
    array->path = lua_tostring(L, 1);
    al_anchor(L, 3, 1, "path");
    read_options(L, 2, "file", 3, array);
    lua_pushvalue(L, 3);
    return 1;
}

/* __tostring: the path, or the shape. */
static int to_string(lua_State *L) {
    if (!al_array_is(L, 1)) return luaL_error(L, "alcore.array expected");
    const al_array *array = lua_touserdata(L, 1);
    if (array->path)
        lua_pushfstring(L, "alcore.array: %s", array->path);
    else if (array->offsets.data)
        lua_pushfstring(L, "alcore.array: ragged, %d rows, %d values", (int)array->lengths_count,
                        (int)array->shape[0]);
    else if (array->values.ndim == 2)
        lua_pushfstring(L, "alcore.array: %d x %d", (int)array->shape[0], (int)array->shape[1]);
    else
        lua_pushfstring(L, "alcore.array: %d", (int)array->shape[0]);
    return 1;
}

void al_array_register(lua_State *L) {
    luaL_newmetatable(L, ARRAY);
    lua_pushcfunction(L, to_string);
    lua_setfield(L, -2, "__tostring");
    al_set_string(L, "__metatable", ARRAY);
    al_set_string(L, "__name", ARRAY);
    lua_pop(L, 1);
}

int al_set_column(lua_State *L, al_object *pool, const char *name, al_array *array) {
    if (array->path)
        return AL_CALL(L, pool->context,
                       alcore_pool_read_column(pool->pool, name, array->path, &array->options));
    const alcore_tensor *offsets = array->offsets.data ? &array->offsets : NULL;
    return AL_CALL(
        L, pool->context,
        alcore_pool_set_column(pool->pool, name, &array->values, offsets, &array->options));
}
