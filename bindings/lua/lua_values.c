/* SPDX-License-Identifier: Apache-2.0 */
/* Values from Lua to C and back: integers, numbers as text, fields of tables of options, lists,
 * rows. An error message begins with the name of the argument or field. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "lua_binding.h"

/* 2^53: below it every integer is a double. The double 2^53 itself may have been 2^53 + 1 in the
 * source of the program, so it is refused too. */
#define EXACT 9007199254740992.0

/* ---- single values ---- */

int64_t al_integer(lua_State *L, int index, const char *what) {
    if (lua_type(L, index) != LUA_TNUMBER)
        luaL_error(L, "%s: an integer expected, got %s", what, luaL_typename(L, index));
    double value = (double)lua_tonumber(L, index);
    if (!(value > -EXACT && value < EXACT) || value != floor(value))
        luaL_error(L, "%s: an integer below 2^53 expected", what);
    return (int64_t)value;
}

/* A whole number as an integer; raises where Lua may have rounded it. */
static int64_t exact_integer(lua_State *L, double value, const char *what) {
    if (fabs(value) >= EXACT)
        luaL_error(L, "%s: Lua does not hold integers from 2^53 on exactly; give a string", what);
    return (int64_t)value;
}

/* Pushes the entries of a list as texts with commas between them. */
static void push_list_text(lua_State *L, int index, const char *what) {
    int64_t count = al_length(L, index);
    lua_pushliteral(L, "");
    for (int64_t i = 1; i <= count; i++) {
        if (i > 1) {
            lua_pushliteral(L, ",");
            lua_concat(L, 2);
        }
        lua_rawgeti(L, index, (int)i);
        if (lua_type(L, -1) == LUA_TTABLE)
            luaL_error(L, "%s: a list of single values expected", what);
        al_push_text(L, -1, what);
        lua_remove(L, -2);
        lua_concat(L, 2);
    }
}

const char *al_push_text(lua_State *L, int index, const char *what) {
    index = al_absolute(L, index);
    switch (lua_type(L, index)) {
    case LUA_TSTRING:
        lua_pushvalue(L, index);
        break;
    case LUA_TBOOLEAN:
        lua_pushstring(L, lua_toboolean(L, index) ? "1" : "0");
        break;
    case LUA_TTABLE:
        push_list_text(L, index, what);
        break;
    case LUA_TNUMBER: {
        char text[64];
        double value = (double)lua_tonumber(L, index);
        if (value == floor(value) && !isinf(value))
            snprintf(text, sizeof text, "%" PRId64, exact_integer(L, value, what));
        else
            alcore__print_double(value, text);
        lua_pushstring(L, text);
        break;
    }
    default:
        luaL_error(L, "%s: a string, number, boolean or list expected, got %s", what,
                   luaL_typename(L, index));
    }
    return lua_tostring(L, -1);
}

int al_set_value(lua_State *L, al_context *context, const al_setters *setters, void *handle,
                 const char *name, int value) {
    if (lua_isboolean(L, value) && strcmp(name, "budget") == 0)
        luaL_error(L, "budget: a number, or a text such as \"1000w\", expected, got boolean");
    if (lua_type(L, value) != LUA_TNUMBER) {
        const char *text = al_push_text(L, value, name);
        return AL_CALL(L, context, setters->set(handle, name, text));
    }
    double number = (double)lua_tonumber(L, value);
    if (number != floor(number) || isinf(number))
        return AL_CALL(L, context, setters->set_number(handle, name, number));
    int64_t integer = exact_integer(L, number, name);
    return AL_CALL(L, context, setters->set_int(handle, name, integer));
}

int32_t al_constant_check(lua_State *L, int index, const al_constant *list, const char *what,
                          int32_t absent) {
    if (lua_isnoneornil(L, index)) return absent;
    const char *name = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : NULL;
    for (const al_constant *entry = list; name && entry->name; entry++)
        if (strcmp(entry->name, name) == 0) return entry->value;
    luaL_checkstack(L, AL_STACK, what);
    lua_pushfstring(L, "%s: one of", what);
    for (const al_constant *entry = list; entry->name; entry++) {
        lua_pushfstring(L, " %s", entry->name);
        lua_concat(L, 2);
    }
    lua_pushfstring(L, " expected, got %s", name ? name : luaL_typename(L, index));
    lua_concat(L, 2);
    lua_error(L);
    return absent;
}

void al_push_word(lua_State *L, const al_constant *list, int32_t value) {
    while (list->name && list->value != value) list++;
    lua_pushstring(L, list->name);
}

int32_t al_usual_shape(const char *column) {
    for (const al_constant *entry = al_usual_columns; entry->name; entry++)
        if (strcmp(entry->name, column) == 0) return entry->value;
    return -1;
}

/* ---- what a call returns ---- */

int al_struct_result(lua_State *L, int failed, const al_member *members, const void *from) {
    if (failed) return failed;
    al_push_struct(L, members, from);
    return 1;
}

int al_tensor_result(lua_State *L, int failed, const alcore_tensor *values,
                     const alcore_tensor *offsets) {
    if (failed) return failed;
    al_push_tensor(L, values, offsets);
    return 1;
}

void al_set_integer(lua_State *L, const char *field, int64_t value) {
    lua_pushinteger(L, (lua_Integer)value);
    lua_setfield(L, -2, field);
}

void al_set_number(lua_State *L, const char *field, double value) {
    lua_pushnumber(L, (lua_Number)value);
    lua_setfield(L, -2, field);
}

void al_set_string(lua_State *L, const char *field, const char *value) {
    lua_pushstring(L, value);
    lua_setfield(L, -2, field);
}

void al_push_bytes(lua_State *L, const char *text, size_t length) {
    if (text)
        lua_pushlstring(L, text, length);
    else
        lua_pushnil(L);
}

void al_push_number_or_nil(lua_State *L, double value) {
    if (isnan(value))
        lua_pushnil(L);
    else
        lua_pushnumber(L, (lua_Number)value);
}

void al_push_integer_or_nil(lua_State *L, int64_t value) {
    if (value < 0)
        lua_pushnil(L);
    else
        lua_pushinteger(L, (lua_Integer)value);
}

void al_push_hash(lua_State *L, uint64_t hash) {
    char digits[24];
    snprintf(digits, sizeof digits, "%016" PRIx64, hash);
    lua_pushstring(L, digits);
}

/* ---- fields of tables ---- */

int al_has(lua_State *L, int table, const char *field) {
    if (table == 0)
        lua_pushnil(L);
    else
        lua_getfield(L, table, field);
    return !lua_isnil(L, -1);
}

int32_t al_field_constant(lua_State *L, int table, const char *field, const al_constant *list) {
    lua_getfield(L, table, field);
    int32_t value = al_constant_check(L, -1, list, field, 0);
    lua_pop(L, 1);
    return value;
}

int64_t al_field_integer(lua_State *L, int table, const char *field) {
    lua_getfield(L, table, field);
    int64_t value = lua_isnil(L, -1) ? 0 : al_integer(L, -1, field);
    lua_pop(L, 1);
    return value;
}

int32_t al_field_int32(lua_State *L, int table, const char *field) {
    int64_t value = al_field_integer(L, table, field);
    if (value < INT32_MIN || value > INT32_MAX)
        luaL_error(L, "%s: an integer of at most 31 bits expected", field);
    return (int32_t)value;
}

double al_field_number(lua_State *L, int table, const char *field) {
    lua_getfield(L, table, field);
    if (!lua_isnil(L, -1) && lua_type(L, -1) != LUA_TNUMBER)
        luaL_error(L, "%s: a number expected, got %s", field, luaL_typename(L, -1));
    double value = (double)lua_tonumber(L, -1);
    lua_pop(L, 1);
    return value;
}

uint64_t al_field_seed(lua_State *L, int table, const char *field) {
    if (!al_has(L, table, field)) {
        lua_pop(L, 1);
        return 0;
    }
    const char *text = al_push_text(L, -1, field);
    uint64_t value = 0;
    const char *digits = text;
    for (; *digits >= '0' && *digits <= '9'; digits++) {
        uint64_t digit = (uint64_t)(*digits - '0');
        if (value > (UINT64_MAX - digit) / 10) break;
        value = value * 10 + digit;
    }
    if (digits == text || *digits != '\0')
        luaL_error(L, "%s: an integer from 0 to 2^64 - 1 expected, got %s", field, text);
    lua_pop(L, 2);
    return value;
}

const char *al_field_string(lua_State *L, int table, const char *field) {
    if (!al_has(L, table, field)) return NULL;
    if (lua_type(L, -1) != LUA_TSTRING)
        luaL_error(L, "%s: a string expected, got %s", field, luaL_typename(L, -1));
    return lua_tostring(L, -1);
}

/* ---- lists ---- */

void *al_buffer(lua_State *L, int64_t count, size_t bytes) {
    if (count < 0 || (uint64_t)count > (SIZE_MAX / 4) / bytes) luaL_error(L, "out of memory");
    return lua_newuserdata(L, count == 0 ? bytes : (size_t)count * bytes);
}

int64_t al_length(lua_State *L, int index) {
    return (int64_t)lua_rawlen(L, index);
}

int64_t *al_integers(lua_State *L, int list, const char *what, int64_t count, int64_t first) {
    int64_t *integers = al_buffer(L, count, sizeof *integers);
    for (int64_t i = 0; i < count; i++) {
        lua_rawgeti(L, list, (int)(i + 1));
        integers[i] = al_integer(L, -1, what) - first;
        lua_pop(L, 1);
    }
    return integers;
}

void al_copy_list(lua_State *L, int index) {
    lua_createtable(L, (int)al_length(L, index), 0);
    for (int64_t i = 1; i <= al_length(L, index); i++) {
        lua_rawgeti(L, index, (int)i);
        lua_rawseti(L, -2, (int)i);
    }
}

/* Length of the list at index; raises for anything else, `entries` names what a list has. */
static int64_t check_list(lua_State *L, int index, const char *what, const char *entries) {
    if (lua_type(L, index) != LUA_TTABLE)
        luaL_error(L, "%s: a list of %s expected, got %s", what, entries, luaL_typename(L, index));
    return al_length(L, index);
}

const char **al_strings(lua_State *L, int index, const char *what, int optional, size_t **lengths,
                        int64_t *count) {
    index = al_absolute(L, index);
    if (lua_isnoneornil(L, index)) return NULL;
    int64_t length = check_list(L, index, what, "strings");
    /* A list with holes is as long as the texts it goes with. */
    if (optional) length = *count;
    const char **strings = al_buffer(L, length, sizeof *strings);
    if (lengths) *lengths = al_buffer(L, length, sizeof **lengths);
    for (int64_t i = 0; i < length; i++) {
        lua_rawgeti(L, index, (int)(i + 1));
        size_t bytes = 0;
        int type = lua_type(L, -1);
        if (type == LUA_TSTRING)
            strings[i] = lua_tolstring(L, -1, &bytes);
        else if (optional && (type == LUA_TNIL || (type == LUA_TBOOLEAN && !lua_toboolean(L, -1))))
            strings[i] = NULL;
        else
            luaL_error(L, "%s[%d]: a string expected, got %s", what, (int)(i + 1),
                       luaL_typename(L, -1));
        if (lengths) (*lengths)[i] = bytes;
        lua_pop(L, 1); /* the list holds the string */
    }
    *count = length;
    return strings;
}

double *al_numbers(lua_State *L, int index, const char *what, int64_t *count) {
    index = al_absolute(L, index);
    *count = check_list(L, index, what, "numbers");
    double *numbers = al_buffer(L, *count, sizeof *numbers);
    for (int64_t i = 0; i < *count; i++) {
        lua_rawgeti(L, index, (int)(i + 1));
        if (lua_type(L, -1) != LUA_TNUMBER)
            luaL_error(L, "%s[%d]: a number expected, got %s", what, (int)(i + 1),
                       luaL_typename(L, -1));
        numbers[i] = (double)lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    return numbers;
}

/* The row, from 0, of the index or (with a pool) id on top of the stack. It is entry `number`, from
 * 1, of the list, for messages. *failed is set only for an id that the pool lacks. */
static int64_t row_of(lua_State *L, const al_object *pool, int64_t number, int *failed) {
    if (lua_type(L, -1) == LUA_TSTRING && pool) {
        size_t length;
        const char *id = lua_tolstring(L, -1, &length);
        int64_t row;
        alcore_status status = alcore_pool_find(pool->pool, id, length, &row);
        if (status != ALCORE_OK) *failed = al_fail(L, status);
        return row;
    }
    if (lua_type(L, -1) != LUA_TNUMBER)
        luaL_error(L, "rows[%d]: an index%s expected, got %s", (int)number, pool ? " or id" : "",
                   luaL_typename(L, -1));
    int64_t index = al_integer(L, -1, "an index");
    if (index < 1) luaL_error(L, "rows[%d]: indices count from 1", (int)number);
    return index - 1;
}

int64_t *al_rows(lua_State *L, int index, const al_object *pool, int64_t *count, int *failed) {
    index = al_absolute(L, index);
    *failed = 0;
    const al_object *selection = al_test(L, index, &al_selection_kind);
    if (selection) {
        const alcore_pool *picked = alcore_selection_pool(selection->selection);
        if (pool && picked != pool->pool && alcore_pool_source(picked))
            luaL_error(L, "rows: the rows of the selection are those of its own pool, which was "
                          "derived from the texts; its record first_row has rows of these, from 0");
        *count = alcore_selection_count(selection->selection);
        int64_t *rows = al_buffer(L, *count, sizeof *rows);
        if (*count > 0)
            memcpy(rows, alcore_selection_rows(selection->selection),
                   (size_t)*count * sizeof *rows);
        return rows;
    }
    *count = check_list(L, index, "rows", pool ? "indices or ids" : "indices");
    int64_t *rows = al_buffer(L, *count, sizeof *rows);
    for (int64_t i = 0; i < *count; i++) {
        lua_rawgeti(L, index, (int)(i + 1));
        rows[i] = row_of(L, pool, i + 1, failed);
        if (*failed) return NULL;
        lua_pop(L, 1);
    }
    return rows;
}

/* ---- to Lua ---- */

void al_push_list(lua_State *L, int64_t count) {
    lua_createtable(L, (int)(count < 1 << 20 ? count : 1 << 20), 0);
}

int al_append(lua_State *L, int64_t index, const char *text) {
    if (!text) return 0;
    lua_pushstring(L, text);
    lua_rawseti(L, -2, (int)index + 1);
    return 1;
}

void al_push_integers(lua_State *L, const int64_t *values, int64_t count, int64_t plus) {
    al_push_list(L, count);
    for (int64_t i = 0; i < count; i++) {
        lua_pushinteger(L, (lua_Integer)(values[i] + plus));
        lua_rawseti(L, -2, (int)(i + 1));
    }
}

void al_push_doubles(lua_State *L, const double *values, int64_t count) {
    al_push_list(L, count);
    for (int64_t i = 0; i < count; i++) {
        lua_pushnumber(L, (lua_Number)values[i]);
        lua_rawseti(L, -2, (int)(i + 1));
    }
}

void al_push_texts(lua_State *L, const char *const *texts, const size_t *lengths, int64_t count) {
    al_push_list(L, count);
    for (int64_t i = 0; i < count; i++) {
        if (!texts[i])
            lua_pushboolean(L, 0);
        else if (lengths)
            lua_pushlstring(L, texts[i], lengths[i]);
        else
            lua_pushstring(L, texts[i]);
        lua_rawseti(L, -2, (int)(i + 1));
    }
}

void al_push_pool_texts(lua_State *L, const alcore_pool *pool, const int64_t *rows, int64_t count) {
    al_push_list(L, count);
    for (int64_t i = 0; i < count; i++) {
        size_t length = 0;
        const char *text = alcore_pool_text(pool, rows ? rows[i] : i, &length);
        lua_pushlstring(L, text, length);
        lua_rawseti(L, -2, (int)(i + 1));
    }
}

/* Pushes a list of values first to first + count - 1 of a tensor whose values are adjacent; the
 * library's are float64, float32 or int64. */
static void push_run(lua_State *L, const alcore_tensor *tensor, int64_t first, int64_t count) {
    const char *data = (const char *)tensor->data + tensor->byte_offset;
    al_push_list(L, count);
    for (int64_t i = 0; i < count; i++) {
        const char *value = data + (size_t)(first + i) * (tensor->dtype.bits / 8u);
        double number = 0;
        float single;
        int64_t integer;
        if (tensor->dtype.code == ALCORE_KIND_INT && tensor->dtype.bits == 64) {
            memcpy(&integer, value, sizeof integer);
            lua_pushinteger(L, (lua_Integer)integer);
        } else {
            if (tensor->dtype.code != ALCORE_KIND_FLOAT || tensor->dtype.bits < 32)
                luaL_error(L, "this column holds numbers of %d bits; Lua reads float32 and float64",
                           (int)tensor->dtype.bits);
            if (tensor->dtype.bits == 64) memcpy(&number, value, sizeof number);
            if (tensor->dtype.bits == 32) {
                memcpy(&single, value, sizeof single);
                number = (double)single;
            }
            lua_pushnumber(L, (lua_Number)number);
        }
        lua_rawseti(L, -2, (int)(i + 1));
    }
}

/* Pushes rows first to first + rows - 1 of a vector or matrix: a list of numbers, or of lists. */
static void push_rows(lua_State *L, const alcore_tensor *values, int64_t first, int64_t rows) {
    int64_t stride = values->strides ? values->strides[0] : 0;
    if (values->ndim < 2) {
        push_run(L, values, first, rows);
        return;
    }
    if (stride == 0) stride = values->shape[1];
    al_push_list(L, rows);
    for (int64_t i = 0; i < rows; i++) {
        push_run(L, values, (first + i) * stride, values->shape[1]);
        lua_rawseti(L, -2, (int)(i + 1));
    }
}

void al_push_tensor(lua_State *L, const alcore_tensor *values, const alcore_tensor *offsets) {
    luaL_checkstack(L, AL_STACK, "an array");
    if (!offsets || !offsets->data) {
        push_rows(L, values, 0, values->shape[0]);
        return;
    }
    const int64_t *begin = offsets->data;
    int64_t rows = offsets->shape[0] - 1;
    al_push_list(L, rows);
    for (int64_t i = 0; i < rows; i++) {
        push_rows(L, values, begin[i], begin[i + 1] - begin[i]);
        lua_rawseti(L, -2, (int)(i + 1));
    }
}
