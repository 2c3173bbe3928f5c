/* SPDX-License-Identifier: Apache-2.0 */
/* Records as one JSON object per line (docs/formats.md). Keys with a role fill the record, all
 * others are passed over; blank lines are no records. The scanner works in the line, so the
 * record's values are views of it. */
#include <string.h>

#include "formats/json_keys.h"
#include "formats/json_scan.h"
#include "formats/record_format.h"

#define MAX_DEPTH 64 /* of nested objects and arrays in a line */

typedef struct jsonl_state {
    alcore__json_keys keys; /* of the present object; kept between lines for its memory */
} jsonl_state;

/* Whether a number as text has neither a point nor an exponent. */
static bool is_integer(const char *text, size_t length) {
    return !memchr(text, '.', length) && !memchr(text, 'e', length) && !memchr(text, 'E', length);
}

static alcore_status wrong_type(const alcore__line_reader *lines, const char *key, size_t length,
                                const char *expected) {
    return alcore__lines_fail(lines, "\"%.*s\" must be %s", (int)length, key, expected);
}

/* Reads the value of a key that has a role and sets it in the record if it wins over the keys of
 * that role so far; null counts as absent. A value of a wrong type is an error; malformed JSON sets
 * json->error and returns ALCORE_OK, which read_line() turns into an error. */
static alcore_status read_value(alcore__json *json, int32_t role, const char *key,
                                size_t key_length, alcore__record *record, bool wins,
                                const alcore__line_reader *lines) {
    char *value = NULL;
    size_t length = 0;
    char kind = alcore__json_kind(json);
    if (kind == 'n') {
        alcore__json_skip(json);
        return ALCORE_OK;
    }
    if (kind == '0') {
        if (!alcore__json_number(json, &value, &length)) return ALCORE_OK;
        bool fits =
            role == ALCORE__ROLE_COST || (role == ALCORE__ROLE_ID && is_integer(value, length));
        if (!fits)
            return wrong_type(lines, key, key_length,
                              role == ALCORE__ROLE_ID ? "a string or an integer" : "a string");
    } else if (kind == '"') {
        if (role == ALCORE__ROLE_COST) return wrong_type(lines, key, key_length, "a number");
        alcore__json_string(json, &value, &length);
    } else if (kind != 0) {
        return wrong_type(lines, key, key_length,
                          role == ALCORE__ROLE_COST ? "a number"
                          : role == ALCORE__ROLE_ID ? "a string or an integer"
                                                    : "a string");
    } else {
        alcore__json_skip(json); /* sets the error */
    }
    if (json->error || !wins) return ALCORE_OK;
    return alcore__record_set(record, role, value, length, lines);
}

/* Reads the object of a line into *record. Malformed JSON sets json->error and returns ALCORE_OK;
 * wrong data is a failure. ranks [roles]: rank of the key that filled each role, 0: none so far. */
static alcore_status read_object(jsonl_state *state, const alcore_read_options *options,
                                 const alcore__line_reader *lines, alcore__json *json,
                                 alcore__record *record) {
    int32_t ranks[ALCORE__ROLES] = {0};
    char *key;
    size_t length;
    alcore__json_keys_reset(&state->keys);
    if (!alcore__json_enter(json, '{')) return ALCORE_OK;
    while (alcore__json_key(json, &key, &length)) {
        ALCORE__TRY(alcore__json_keys_add(lines->ctx, &state->keys, key, length));
        int32_t rank, role = alcore__record_role(options, key, length, &rank);
        if (role == ALCORE__ROLE_NONE) {
            if (!alcore__json_skip(json)) return ALCORE_OK;
            continue;
        }
        bool present = alcore__json_kind(json) != 'n';
        bool wins = present && (ranks[role] == 0 || rank < ranks[role]);
        if (wins) ranks[role] = rank;
        ALCORE__TRY(read_value(json, role, key, length, record, wins, lines));
    }
    if (!alcore__json_end(json)) return ALCORE_OK;
    if (alcore__json_keys_repeat(&state->keys))
        return alcore__lines_fail(lines, "a key stands twice");
    if (ranks[ALCORE__ROLE_TEXT] > 0) return ALCORE_OK;
    if (options && options->text_column)
        return alcore__lines_fail(lines, "no key \"%s\"", options->text_column);
    return alcore__lines_fail(lines, "no text: none of the keys text, source and src");
}

/* line of the format: turns one line into *record; a blank line is no record. */
static alcore_status read_line(void *data, const alcore_read_options *options,
                               const alcore__line_reader *lines, char *text, size_t length,
                               alcore__record *record, bool *out_skip) {
    size_t blank = 0;
    while (blank < length && (text[blank] == ' ' || text[blank] == '\t')) blank++;
    if (blank == length) {
        *out_skip = true;
        return ALCORE_OK;
    }
    alcore__json json;
    alcore__json_begin(&json, text, length, MAX_DEPTH);
    ALCORE__TRY(read_object(data, options, lines, &json, record));
    if (json.error)
        return alcore__lines_fail(lines, "byte %lld of the line: %s",
                                  (long long)(json.next - json.begin + 1), json.error);
    return ALCORE_OK;
}

static void clear(void *data, alcore_ctx *ctx) {
    jsonl_state *state = data;
    alcore__json_keys_clear(ctx, &state->keys);
}

const alcore__record_format alcore__jsonl_format = {"jsonl",   false, sizeof(jsonl_state),
                                                    read_line, NULL,  clear};
