/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what an evaluation printed. Each line says something that is known, or is an error: a score
 * in a form that is not understood would be missing from a curve, or an old one would stay in its
 * place, and nobody would see it.
 *
 *   NAME VALUE       a measure; blanks or a TAB between
 *   signature TEXT   how the measures were computed, as `alcore eval` says it: no measure
 *   # TEXT           a remark of the program; so is an empty line
 *
 * or one object of JSON, whose members are numbers, lists of numbers, which become NAME_1, NAME_2,
 * ... as `alcore eval` prints them, and texts called "signature". */
#include "extra/metric/measure_lines.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "formats/json_scan.h"

enum { SHOWN_NAME = 80, SHOWN_VALUE = 40, JSON_DEPTH = 4 };

/* Where a measure stands, for errors: in a line, from 1, or as a member of JSON. */
typedef struct place {
    int64_t line; /* 0: in JSON */
} place;

static alcore_status fail_at(place at, const char *name, size_t length, const char *what,
                             const char *value, size_t value_length) {
    const int shown = (int)(length < SHOWN_NAME ? length : SHOWN_NAME);
    const int shown_value = (int)(value_length < SHOWN_VALUE ? value_length : SHOWN_VALUE);
    const alcore_status status =
        value ? alcore__fail(ALCORE_E_DATA, "%.*s: %s, got '%.*s'%s", shown, name, what,
                             shown_value, value, alcore__number_fault(value, value_length))
              : alcore__fail(ALCORE_E_DATA, "'%.*s'%s", shown, name, what);
    return at.line ? alcore__fail_within(status, "line %lld of the evaluation", (long long)at.line)
                   : alcore__fail_within(status, "the evaluation's JSON");
}

/* Whether a text can be the name of a column and of a file. */
static bool is_name(const char *text, size_t length) {
    static const char others[] = "._+-@";
    if (length == 0 || length >= ALCORE__MEASURE_NAME_BYTES || *text == '.') return false;
    for (size_t i = 0; i < length; i++)
        if (!((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z') ||
              (text[i] >= '0' && text[i] <= '9') || (text[i] && strchr(others, text[i]))))
            return false;
    return true;
}

static bool is_signature(const char *name, size_t length) {
    return length == strlen("signature") && memcmp(name, "signature", length) == 0;
}

static alcore_status add(alcore__measures *self, place at, const char *name, size_t length,
                         const char *value, size_t value_length) {
    double number;
    if (!is_name(name, length))
        return fail_at(at, name, length,
                       " is no name of a measure: up to 64 ASCII letters, digits and ._+-@", NULL,
                       0);
    if (!alcore__parse_double(value, value_length, &number) || !isfinite(number))
        return fail_at(at, name, length, "a finite number is needed", value, value_length);
    for (int i = 0; i < self->count; i++)
        if (strlen(self->names[i]) == length && memcmp(self->names[i], name, length) == 0)
            return fail_at(at, name, length, " is a measure that is there twice", NULL, 0);
    if (self->count == ALCORE__MOST_MEASURES)
        return fail_at(at, name, length, " is one more than 64 measures", NULL, 0);
    memcpy(self->names[self->count], name, length);
    self->names[self->count][length] = '\0';
    self->values[self->count++] = number;
    return ALCORE_OK;
}

/* ---- lines ---- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static alcore_status read_line(alcore__measures *self, place at, const char *line,
                               const char *end) {
    while (line < end && is_blank(*line)) line++;
    while (end > line && is_blank(end[-1])) end--;
    if (line == end || *line == '#') return ALCORE_OK;
    const char *name_end = line;
    while (name_end < end && !is_blank(*name_end)) name_end++;
    const char *value = name_end;
    while (value < end && is_blank(*value)) value++;
    if (value == end)
        return fail_at(at, line, (size_t)(end - line),
                       " is no measure: a line has a name, blanks or a TAB, and a number; what "
                       "else a program says belongs on standard error, or behind a #",
                       NULL, 0);
    if (is_signature(line, (size_t)(name_end - line))) return ALCORE_OK;
    return add(self, at, line, (size_t)(name_end - line), value, (size_t)(end - value));
}

static alcore_status read_lines(alcore__measures *self, const char *text, size_t length) {
    const char *const end = text + length;
    for (place at = {1}; text < end; at.line++) {
        const char *next = memchr(text, '\n', (size_t)(end - text));
        ALCORE__TRY(read_line(self, at, text, next ? next : end));
        text = next ? next + 1 : end;
    }
    return ALCORE_OK;
}

/* ---- JSON ---- */

/* A list of numbers: NAME_1, NAME_2, ... */
static alcore_status read_list(alcore__measures *self, alcore__json *json, const char *key,
                               size_t bytes) {
    char name[ALCORE__MEASURE_NAME_BYTES + 24], *number;
    size_t digits;
    if (bytes >= ALCORE__MEASURE_NAME_BYTES) return add(self, (place){0}, key, bytes, "", 0);
    if (!alcore__json_enter(json, '[')) return ALCORE_OK;
    for (int64_t entry = 1; alcore__json_item(json); entry++) {
        const int length =
            alcore__format(name, sizeof name, "%.*s_%lld", (int)bytes, key, (long long)entry);
        if (alcore__json_kind(json) != '0')
            return fail_at((place){0}, name, (size_t)length, ": a number is needed", NULL, 0);
        if (alcore__json_number(json, &number, &digits))
            ALCORE__TRY(add(self, (place){0}, name, (size_t)length, number, digits));
    }
    return ALCORE_OK;
}

static alcore_status read_member(alcore__measures *self, alcore__json *json, const char *key,
                                 size_t bytes) {
    char *number;
    size_t digits;
    const char kind = alcore__json_kind(json);
    if (kind == '[') return read_list(self, json, key, bytes);
    if (kind == '"' && is_signature(key, bytes)) {
        alcore__json_skip(json);
        return ALCORE_OK;
    }
    if (kind == 0) return ALCORE_OK; /* the error of the text */
    if (kind != '0') return fail_at((place){0}, key, bytes, ": a number is needed", NULL, 0);
    if (!alcore__json_number(json, &number, &digits)) return ALCORE_OK;
    return add(self, (place){0}, key, bytes, number, digits);
}

static alcore_status read_json(alcore__measures *self, char *text, size_t length) {
    alcore__json json;
    char *key;
    size_t bytes;
    alcore__json_begin(&json, text, length, JSON_DEPTH);
    if (alcore__json_enter(&json, '{'))
        while (alcore__json_key(&json, &key, &bytes))
            ALCORE__TRY(read_member(self, &json, key, bytes));
    if (alcore__json_end(&json)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "the evaluation's JSON, byte %lld: %s",
                        (long long)(json.next - text) + 1, json.error);
}

alcore_status alcore__measures_read(alcore__measures *self, char *text, size_t length) {
    const int before = self->count;
    size_t begin = 0;
    while (begin < length && (is_blank(text[begin]) || text[begin] == '\n')) begin++;
    ALCORE__TRY(begin < length && text[begin] == '{' ? read_json(self, text, length)
                                                     : read_lines(self, text, length));
    if (self->count > before) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "the evaluation has no measure: a line for each is needed, "
                                       "its name and its number, such as `chrf 41.5`");
}
