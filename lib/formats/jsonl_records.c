/* SPDX-License-Identifier: Apache-2.0 */
/* Records as one JSON object per line (docs/formats.md). Keys with a role fill the record, all
 * others are passed over; blank lines are no records. The scanner works in the line, so the
 * record's values are views of it.
 *
 * The data sets of translations of Hugging Face have an object of texts by language in each line,
 * {"translation": {"en": "...", "de": "..."}}. The columns that the options name are looked for in
 * it, too. Its own keys have no other meaning: "id" is a language there. */
#include <string.h>

#include "alcore/remedy.h"
#include "formats/json_keys.h"
#include "formats/json_scan.h"
#include "formats/line_schema.h"
#include "formats/record_format.h"
#include "text/words.h"

#define MAX_DEPTH 64 /* of nested objects and arrays in a line */

typedef struct jsonl_state {
    alcore__json_keys keys; /* of the present object; kept between lines for its memory */
    char languages[160];    /* keys of its object "translation", for messages; "": it has none */
    char passed_over[160];  /* keys without a meaning before the text, for messages */
    size_t passed_length;   /* bytes of passed_over */
    bool has_reference;     /* the key was there that the options name for references */
    bool null_text;         /* a key of texts was there, whose value is null */
} jsonl_state;

/* Ranks of keys: alcore__record_role() gives keys of a record 1 to 3, so these win over the keys in
 * an object "translation". */
enum { RANK_IN_TRANSLATION = 4 };

/* Whether a number as text has neither a point nor an exponent. */
static bool is_integer(const char *text, size_t length) {
    return !memchr(text, '.', length) && !memchr(text, 'e', length) && !memchr(text, 'E', length);
}

/* The error for a value that is not of the `expected` type, such as "a string". */
static alcore_status wrong_type(const alcore__line_reader *lines, const char *key, size_t length,
                                const char *expected) {
    return alcore__lines_fail(lines, "\"%.*s\" must be %s", (int)length, key, expected);
}

/* Whether a token is a word: not empty, and without white space. */
static bool is_word(const char *token, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (alcore__is_word_space(token[i])) return false;
    return length > 0;
}

/* Reads a list of tokens, or of the whole numbers or names of their classes, as one text with a
 * space between them. The text is written over the list, which is longer. Items of several words,
 * such as the references of a translation, are refused. */
static alcore_status read_list(alcore__json *json, const char *key, size_t key_length,
                               char **out_value, size_t *out_length,
                               const alcore__line_reader *lines) {
    char *out = *out_value = json->next, *token = NULL;
    size_t length = 0;
    if (!alcore__json_enter(json, '[')) return ALCORE_OK;
    for (int64_t number = 1; alcore__json_item(json); number++) {
        const char kind = alcore__json_kind(json);
        const bool known = kind == '"' || kind == '0';
        if (!known) alcore__json_skip(json); /* sets the error of what is no value */
        if (kind == '"' ? !alcore__json_string(json, &token, &length)
                        : kind == '0' && !alcore__json_number(json, &token, &length))
            return ALCORE_OK;
        if (json->error) return ALCORE_OK;
        if (!known || (kind == '0' && !is_integer(token, length)) || !is_word(token, length))
            return alcore__lines_fail(lines,
                                      "\"%.*s\": item %lld is not a word or an integer; a list has "
                                      "the tokens of a text or their classes",
                                      (int)key_length, key, (long long)number);
        if (number > 1) *out++ = ' ';
        memmove(out, token, length);
        out += length;
    }
    *out_length = (size_t)(out - *out_value);
    return ALCORE_OK;
}

/* What a key takes beside a string: a whole number, which is an id or a class, and a list. */
enum { TAKES_INTEGER = 1, TAKES_LIST = 2 };

/* What a key of a record takes. Classes are in references, and classes and tokens in the columns
 * that the options name: a list under another key may be anything. */
static int takes(int32_t role, bool named) {
    const bool integer = role == ALCORE__ROLE_ID || role == ALCORE__ROLE_REFERENCE || named;
    return (integer ? TAKES_INTEGER : 0) | (named ? TAKES_LIST : 0);
}

/* Reads the value of a key that has a role and sets it in the record if it wins over the keys of
 * that role so far; taken: TAKES_*; null counts as absent. A value of a wrong type is an error;
 * malformed JSON sets json->error and returns ALCORE_OK, which read_line() turns into an error. */
static alcore_status read_value(alcore__json *json, int32_t role, const char *key,
                                size_t key_length, int taken, alcore__record *record, bool wins,
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
            role == ALCORE__ROLE_COST || ((taken & TAKES_INTEGER) && is_integer(value, length));
        if (!fits)
            return wrong_type(lines, key, key_length,
                              taken & TAKES_INTEGER ? "a string or an integer" : "a string");
    } else if (kind == '"') {
        if (role == ALCORE__ROLE_COST) return wrong_type(lines, key, key_length, "a number");
        alcore__json_string(json, &value, &length);
    } else if (kind == '[' && (taken & TAKES_LIST)) {
        ALCORE__TRY(read_list(json, key, key_length, &value, &length, lines));
    } else if (kind != 0) {
        return wrong_type(lines, key, key_length,
                          role == ALCORE__ROLE_COST ? "a number"
                          : taken & TAKES_INTEGER   ? "a string or an integer"
                                                    : "a string");
    } else {
        alcore__json_skip(json); /* sets the error */
    }
    if (json->error || !wins) return ALCORE_OK;
    return alcore__record_set(record, role, value, length, lines);
}

/* Adds a key of "translation" to the list for messages: "en", "de". A long list is cut. */
static void list_language(jsonl_state *state, const char *key, size_t length) {
    const size_t used = strlen(state->languages);
    alcore__format(state->languages + used, sizeof state->languages - used, "%s\"%.*s\"",
                   used ? ", " : "", (int)(length < 20 ? length : 20), key);
}

/* Reads the object "translation": the values of the languages that the options name as text and as
 * reference, sides 0 and 1 of the arrays [2] within; a key that is neither (side 2) is skipped.
 * Failures and ranks [roles] as in read_object(). */
static alcore_status read_translation(jsonl_state *state, const alcore_read_options *options,
                                      const alcore__line_reader *lines, alcore__json *json,
                                      alcore__record *record, int32_t *ranks) {
    static const int32_t roles[2] = {ALCORE__ROLE_TEXT, ALCORE__ROLE_REFERENCE};
    const char *requested[2] = {options ? options->text_column : NULL,
                                options ? options->reference_column : NULL};
    bool seen[2] = {false, false};
    char *key;
    size_t length;
    if (!alcore__json_enter(json, '{')) return ALCORE_OK;
    while (alcore__json_key(json, &key, &length)) {
        list_language(state, key, length);
        int side = 0;
        while (side < 2 && !alcore__is_column(requested[side], key, length)) side++;
        if (side == 2) {
            if (!alcore__json_skip(json)) return ALCORE_OK;
            continue;
        }
        if (seen[side])
            return alcore__lines_fail(lines, "\"translation\" has the key \"%s\" twice",
                                      requested[side]);
        seen[side] = true;
        state->has_reference = state->has_reference || side == 1;
        const bool wins = alcore__json_kind(json) != 'n' && ranks[roles[side]] == 0;
        if (wins) ranks[roles[side]] = RANK_IN_TRANSLATION;
        ALCORE__TRY(read_value(json, roles[side], key, length, 0, record, wins, lines));
    }
    return ALCORE_OK;
}

/* Notes a key that is passed over, as long as there is room. Runs for most keys of a file. */
static void note_passed(jsonl_state *state, const char *key, size_t length) {
    const size_t used = state->passed_length;
    if (used + length + 5 > sizeof state->passed_over) return;
    char *out = state->passed_over + used;
    if (used > 0) memcpy(out, ", ", 2), out += 2;
    *out++ = '"';
    memcpy(out, key, length);
    out[length] = '"';
    state->passed_length = (size_t)(out + length + 1 - state->passed_over);
}

/* The error of a record without the key that the options name for texts or references; NULL: they
 * name none, and the record has no text. */
static alcore_status no_value(const jsonl_state *state, const char *option, const char *requested,
                              const alcore__line_reader *lines) {
    if (state->null_text)
        return alcore__lines_fail(lines, "the text is null; \"\" is an empty one");
    if (requested && *state->languages)
        return alcore__lines_fail(lines, "\"translation\" has %s and no text in \"%s\"",
                                  state->languages, requested);
    if (requested)
        return alcore__fail_remedy(alcore__lines_fail(lines, "no key \"%s\"", requested),
                                   ALCORE_REMEDY_OPTION, option, "NAME", "names another");
    if (*state->languages)
        return alcore__fail_remedy(
            alcore__lines_fail(lines,
                               "\"translation\" has %s, and which one is the text is not said",
                               state->languages),
            ALCORE_REMEDY_OPTION, "text_column", "LANGUAGE", "names the language of the texts");
    return alcore__fail_remedy(
        alcore__lines_fail(lines, "no text: none of the keys text, source and src%s%.*s",
                           state->passed_length > 0 ? ", but " : "", (int)state->passed_length,
                           state->passed_over),
        ALCORE_REMEDY_OPTION, "text_column", "NAME", "names the key of the texts");
}

/* Reads the object of a line into *record. Malformed JSON sets json->error and returns ALCORE_OK;
 * wrong data is a failure. ranks [roles]: rank of the key that filled each role, 0: none so far. */
static alcore_status read_object(jsonl_state *state, const alcore_read_options *options,
                                 const alcore__line_reader *lines, alcore__json *json,
                                 alcore__record *record) {
    int32_t ranks[ALCORE__ROLES] = {0};
    const char *text = options ? options->text_column : NULL;
    const char *reference = options ? options->reference_column : NULL;
    char *key;
    size_t length;
    alcore__json_keys_reset(&state->keys);
    state->languages[0] = '\0';
    state->passed_length = 0;
    state->has_reference = state->null_text = false;
    if (!alcore__json_enter(json, '{')) return ALCORE_OK;
    while (alcore__json_key(json, &key, &length)) {
        ALCORE__TRY(alcore__json_keys_add(lines->ctx, &state->keys, key, length));
        int32_t rank, role = alcore__record_role(options, key, length, &rank);
        const bool named_reference = alcore__is_column(reference, key, length);
        state->has_reference = state->has_reference || named_reference;
        if (alcore__is_column("translation", key, length) && alcore__json_kind(json) == '{' &&
            !named_reference && !alcore__is_column(text, key, length)) {
            ALCORE__TRY(read_translation(state, options, lines, json, record, ranks));
            continue;
        }
        if (role == ALCORE__ROLE_NONE && alcore__is_line_schema(key, length)) {
            ALCORE__TRY(alcore__line_schema_check(json, lines));
            continue;
        }
        if (role == ALCORE__ROLE_NONE) {
            if (ranks[ALCORE__ROLE_TEXT] == 0) note_passed(state, key, length);
            if (!alcore__json_skip(json)) return ALCORE_OK;
            continue;
        }
        bool present = alcore__json_kind(json) != 'n';
        state->null_text |= role == ALCORE__ROLE_TEXT && !present;
        bool wins = present && (ranks[role] == 0 || rank < ranks[role]);
        if (wins) ranks[role] = rank;
        const bool named = named_reference || alcore__is_column(text, key, length);
        ALCORE__TRY(read_value(json, role, key, length, takes(role, named), record, wins, lines));
    }
    if (!alcore__json_end(json)) return ALCORE_OK;
    if (alcore__json_keys_repeat(&state->keys))
        return alcore__lines_fail(lines, "a key stands twice");
    if (ranks[ALCORE__ROLE_TEXT] == 0) return no_value(state, "text_column", text, lines);
    state->null_text = false; /* another key has the text */
    if (reference && !state->has_reference)
        return no_value(state, "reference_column", reference, lines);
    return ALCORE_OK;
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
    if (!json.error) return ALCORE_OK;
    const char *next = json.next;
    const bool constant = next < json.end && (*next == 'N' || *next == 'I'); /* as Python writes */
    const bool list = text[blank] == '[', cut = next == json.end; /* JSON over several lines */
    return alcore__lines_fail(lines, "byte %lld of the line: %s%s",
                              (long long)(json.next - json.begin + 1), json.error,
                              constant ? "; JSON has no NaN and no Infinity"
                              : list   ? "; each line has one object: jq -c '.[]' writes a list so"
                              : cut    ? "; each line has one object: jq -c . writes objects so"
                                       : "");
}

static void clear(void *data, alcore_ctx *ctx) {
    jsonl_state *state = data;
    alcore__json_keys_clear(ctx, &state->keys);
}

const alcore__record_format alcore__jsonl_format = {
    .name = "jsonl", .state_bytes = sizeof(jsonl_state), .line = read_line, .clear = clear};
