/* SPDX-License-Identifier: Apache-2.0 */
/* Named parameters (params.h): looking up rows and values by name, reading a text as a value of a
 * row's type, and the error texts, which name the bounds or the nearest name. Tables are short, so
 * look-ups compare one row after the other. */
#include "base/params.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alternatives.h"
#include "base/number.h"

/* The most numbers that a list (ALCORE_PARAM_NUMBERS) may have. */
enum { MAX_NUMBERS = 100000 };

/* The row of a parameter, and its index in the table; NULL for an unknown name. table may be NULL.
 */
static const alcore__param *find_row(const alcore__param_table *table, const char *name,
                                     int32_t *index) {
    for (int32_t i = 0; table && i < table->count; i++) {
        if (!strcmp(table->rows[i].name, name)) {
            *index = i;
            return &table->rows[i];
        }
    }
    return NULL;
}

/* The index of a word among choices "a|b|c", which may be NULL; -1 when it is none of them. */
static int64_t choice_index(const char *choices, const char *word) {
    const char *choice;
    size_t length;
    for (int64_t i = 0; choices && alcore__alternatives_next(&choices, &choice, &length); i++)
        if (alcore__alternative_is(choice, length, word)) return i;
    return -1;
}

/* The error for a text that is no value of the row: says what the values are. owner: whose
 * parameter it is, such as "strategy huds". */
static alcore_status fail_value(const alcore__param *row, const char *owner, const char *text) {
    switch (row->type) {
    case ALCORE_PARAM_FLAG:
        return alcore__fail(ALCORE_E_PARAM, "%s: %s is 0 or 1, not \"%s\"", owner, row->name, text);
    case ALCORE_PARAM_CHOICE:
        return alcore__fail(ALCORE_E_PARAM, "%s: %s is one of %s, not \"%s\"", owner, row->name,
                            row->choices, text);
    default: {
        const char *kind = row->type == ALCORE_PARAM_INTEGER ? "an integer" : "a number";
        const char *many =
            row->type == ALCORE_PARAM_NUMBERS ? ", or several separated by commas" : "";
        const char *join = row->choices ? " or " : "", *words = row->choices ? row->choices : "";
        if (isfinite(row->minimum) && isfinite(row->maximum)) {
            return alcore__fail(ALCORE_E_PARAM, "%s: %s is %s from %g to %g%s%s%s, not \"%s\"",
                                owner, row->name, kind, row->minimum, row->maximum, many, join,
                                words, text);
        }
        if (isfinite(row->minimum)) {
            return alcore__fail(ALCORE_E_PARAM, "%s: %s is %s of at least %g%s%s%s, not \"%s\"",
                                owner, row->name, kind, row->minimum, many, join, words, text);
        }
        return alcore__fail(ALCORE_E_PARAM, "%s: %s is %s%s%s%s, not \"%s\"", owner, row->name,
                            kind, many, join, words, text);
    }
    }
}

/* Reads a finite number within the row's bounds. */
static bool read_number(const alcore__param *row, const char *text, size_t length, double *out) {
    return alcore__parse_double(text, length, out) && isfinite(*out) && *out >= row->minimum &&
           *out <= row->maximum;
}

/* Reads "number,number,..." into value->numbers; a word that may stand in place of the list leaves
 * the list empty and the number NaN. The caller frees the list, also after a failure. */
static alcore_status read_numbers(alcore_ctx *ctx, const alcore__param *row, const char *owner,
                                  const char *text, alcore__value *value) {
    int64_t count = 1;
    if (choice_index(row->choices, text) >= 0) {
        value->number = (double)NAN;
        return ALCORE_OK;
    }
    for (const char *c = text; *c; c++) count += *c == ',';
    if (count > MAX_NUMBERS) return fail_value(row, owner, "a longer list than any use has");
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof(double), &value->numbers));
    value->number_count = count;
    const char *next = text;
    for (int64_t i = 0; i < count; i++) {
        size_t length = strcspn(next, ",");
        if (!read_number(row, next, length, &value->numbers[i]))
            return fail_value(row, owner, text);
        next += length + 1;
    }
    value->number = value->numbers[0];
    return ALCORE_OK;
}

/* Reads an integer written with digits alone, exactly: a seed may have more digits than a double
 * holds. A row whose maximum is beyond int64_t keeps the 64 bits of an unsigned integer. false for
 * other ways of writing one, such as 1e3. */
static bool read_digits(const alcore__param *row, const char *text, int64_t *out) {
    uint64_t bits;
    if (row->maximum <= 0x1p63) return alcore__parse_int(text, strlen(text), out);
    if (!alcore__parse_uint(text, strlen(text), &bits)) return false;
    *out = (int64_t)bits;
    return true;
}

/* Reads a text as a value of the row's type into *value, which is all zeros before: members that
 * the type does not use stay so. The caller sets text, and clears *value after a failure. */
static alcore_status read_value(alcore_ctx *ctx, const alcore__param *row, const char *owner,
                                const char *text, alcore__value *value) {
    switch (row->type) {
    case ALCORE_PARAM_FLAG:
        if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0) return fail_value(row, owner, text);
        value->integer = text[0] == '1';
        value->number = (double)value->integer;
        return ALCORE_OK;
    case ALCORE_PARAM_CHOICE:
        value->integer = choice_index(row->choices, text);
        return value->integer < 0 ? fail_value(row, owner, text) : ALCORE_OK;
    case ALCORE_PARAM_INTEGER:
    case ALCORE_PARAM_NUMBER:
        if (choice_index(row->choices, text) >= 0) {
            value->number = row->type == ALCORE_PARAM_NUMBER ? (double)NAN : 0.0;
            return ALCORE_OK;
        }
        if (!read_number(row, text, strlen(text), &value->number))
            return fail_value(row, owner, text);
        if (row->type == ALCORE_PARAM_INTEGER && !read_digits(row, text, &value->integer)) {
            /* Beyond 2^53 a double no longer holds every integer. */
            if (value->number != floor(value->number) || fabs(value->number) > 0x1p53) {
                return fail_value(row, owner, text);
            }
            value->integer = (int64_t)value->number;
        }
        return ALCORE_OK;
    case ALCORE_PARAM_NUMBERS:
        return read_numbers(ctx, row, owner, text, value);
    default: /* ALCORE_PARAM_TEXT: any text is a value */
        return ALCORE_OK;
    }
}

/* Frees what a value owns; it is all zeros then. */
static void clear_value(alcore_ctx *ctx, alcore__value *value) {
    alcore__free(ctx, value->text);
    alcore__free(ctx, value->numbers);
    memset(value, 0, sizeof *value);
}

/* *out: the value of a text, with a copy of the text; *out is unchanged after a failure. */
static alcore_status make_value(alcore_ctx *ctx, const alcore__param *row, const char *owner,
                                const char *text, alcore__value *out) {
    alcore__value value = {0};
    alcore_status status = read_value(ctx, row, owner, text, &value);
    if (status == ALCORE_OK) {
        value.text = alcore__strndup(ctx, text, strlen(text));
        if (!value.text) status = alcore__fail_memory(strlen(text) + 1);
    }
    if (status != ALCORE_OK) {
        clear_value(ctx, &value);
        return status;
    }
    *out = value;
    return ALCORE_OK;
}

/* Makes the values of a table, each its row's default; *out is all zeros after a failure. */
alcore_status alcore__values_new(alcore_ctx *ctx, const alcore__param_table *table,
                                 alcore__values *out) {
    memset(out, 0, sizeof *out);
    alcore__values values = {table, NULL};
    int32_t count = table ? table->count : 0;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof(alcore__value), &values.values));
    for (int32_t i = 0; i < count; i++) {
        alcore_status status =
            make_value(ctx, &table->rows[i], "default", table->rows[i].initial, &values.values[i]);
        if (status != ALCORE_OK) {
            alcore__values_clear(ctx, &values);
            return status;
        }
    }
    *out = values;
    return ALCORE_OK;
}

void alcore__values_clear(alcore_ctx *ctx, alcore__values *values) {
    const int32_t count = values->table ? values->table->count : 0;
    for (int32_t i = 0; values->values && i < count; i++) clear_value(ctx, &values->values[i]);
    alcore__free(ctx, values->values);
    memset(values, 0, sizeof *values);
}

/* The error for an unknown name, with the nearest name of the table. */
static alcore_status fail_name(const alcore__param_table *table, const char *owner,
                               const char *name) {
    const char *names[64];
    size_t count = 0;
    for (int32_t i = 0; table && i < table->count && count < 64; i++)
        names[count++] = table->rows[i].name;
    const char *hint = alcore_hint(ALCORE_HINT_OPTION, name);
    if (hint)
        return alcore__fail(ALCORE_E_PARAM, "%s has no parameter \"%s\"; %s", owner, name, hint);
    if (!count) return alcore__fail(ALCORE_E_PARAM, "%s has no parameters", owner);
    const char *near = alcore__nearest_name(name, names, count);
    if (near) {
        return alcore__fail(ALCORE_E_PARAM, "%s has no parameter \"%s\"; did you mean %s?", owner,
                            name, near);
    }
    return alcore__fail(ALCORE_E_PARAM, "%s has no parameter \"%s\"", owner, name);
}

/* Replaces the value of a parameter by that of a text; after a failure the old one stays. */
alcore_status alcore__values_set(alcore_ctx *ctx, alcore__values *values, const char *owner,
                                 const char *name, const char *text) {
    int32_t index = 0;
    const alcore__param *row = find_row(values->table, name, &index);
    if (!row) return fail_name(values->table, owner, name);
    alcore__value value;
    ALCORE__TRY(make_value(ctx, row, owner, text, &value));
    clear_value(ctx, &values->values[index]);
    values->values[index] = value;
    return ALCORE_OK;
}

/* *out_text: the text of the present value, a view that the next set of the parameter frees. */
alcore_status alcore__values_get(const alcore__values *values, const char *owner, const char *name,
                                 const char **out_text) {
    int32_t index = 0;
    if (!values->table) return alcore__fail(ALCORE_E_PARAM, "the %s has no parameters", owner);
    if (!find_row(values->table, name, &index)) return fail_name(values->table, owner, name);
    *out_text = values->values[index].text;
    return ALCORE_OK;
}

alcore_status alcore__values_list(const alcore__values *values, const char *owner, const char *name,
                                  alcore__value **out) {
    const char *text;
    int32_t index = 0;
    ALCORE__TRY(alcore__values_get(values, owner, name, &text));
    if (find_row(values->table, name, &index)->type != ALCORE_PARAM_NUMBERS)
        return alcore__fail(ALCORE_E_PARAM, "%s: %s is no list of numbers", owner, name);
    *out = &values->values[index];
    return ALCORE_OK;
}

/* Writes a value to a member of the type that the row's has. */
static void write_member(const alcore__value *value, int32_t type, void *member) {
    switch (type) {
    case ALCORE__IS_BOOL:
        *(bool *)member = value->integer != 0;
        return;
    case ALCORE__IS_INT32:
        *(int32_t *)member = (int32_t)value->integer;
        return;
    case ALCORE__IS_INT64:
        *(int64_t *)member = value->integer;
        return;
    case ALCORE__IS_DOUBLE:
        *(double *)member = value->number;
        return;
    case ALCORE__IS_TEXT:
        *(const char **)member = value->text;
        return;
    default:
        *(alcore__numbers *)member = (alcore__numbers){value->numbers, value->number_count};
    }
}

void alcore__values_bind(const alcore__values *values, int32_t of, void *out) {
    const int32_t count = values && values->table ? values->table->count : 0;
    for (int32_t i = 0; i < count; i++) {
        const alcore__member *member = &values->table->rows[i].member;
        if (member->of == of)
            write_member(&values->values[i], member->type, (char *)out + member->offset);
    }
}

/* Rounds below 1 have the first number. */
double alcore__number_of_round(alcore__numbers numbers, int64_t round) {
    if (numbers.count < 1) return (double)NAN;
    if (round < 1) round = 1;
    return numbers.values[(round > numbers.count ? numbers.count : round) - 1];
}

int64_t alcore__values_integer(const alcore__values *values, const char *name) {
    int32_t index = 0;
    return values && find_row(values->table, name, &index) ? values->values[index].integer : 0;
}

/* Describes row `index` of a table in the caller's struct, in the size that it has. */
alcore_status alcore__param_info(const alcore__param_table *table, int64_t index,
                                 alcore_param_info *out) {
    if (!out) return alcore__fail(ALCORE_E_INVALID, "out is NULL");
    if (!table || index < 0 || index >= table->count) {
        return alcore__fail(ALCORE_E_NOT_FOUND, "there is no parameter %" PRId64, index);
    }
    const alcore__param *row = &table->rows[index];
    alcore_param_info info = {sizeof info,  row->name,    row->help,
                              row->initial, row->choices, row->minimum,
                              row->maximum, row->type,    0};
    return alcore__struct_write(out, &info, sizeof info,
                                ALCORE__FIRST_SIZE(alcore_param_info, reserved),
                                "alcore_param_info");
}
