/* SPDX-License-Identifier: Apache-2.0 */
/* The words and values of a chat template (chat_template.h), with what follows a value: a member,
 * an entry or a part, a call, a filter, a test. chat_operators.c joins them. */
#include "model/chat_template.h"

#include <string.h>

/* ---- words ---- */

static bool is_word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The character at a distance from where the run is; NUL behind the end. */
static char peek(const alcore__chat *chat, size_t distance) {
    return chat->at + distance < chat->program.length ? chat->program.text[chat->at + distance]
                                                      : '\0';
}

void alcore__chat_space(alcore__chat *chat) {
    while (peek(chat, 0) == ' ' || (peek(chat, 0) >= '\t' && peek(chat, 0) <= '\r')) chat->at++;
}

bool alcore__chat_take(alcore__chat *chat, const char *text) {
    const size_t length = strlen(text);
    alcore__chat_space(chat);
    if (chat->program.length - chat->at < length ||
        memcmp(chat->program.text + chat->at, text, length) != 0)
        return false;
    chat->at += length;
    return true;
}

bool alcore__chat_take_word(alcore__chat *chat, const char *word) {
    const size_t before = chat->at;
    if (alcore__chat_take(chat, word) && !is_word_character(peek(chat, 0))) return true;
    chat->at = before;
    return false;
}

alcore__name alcore__chat_name(alcore__chat *chat) {
    alcore__chat_space(chat);
    const size_t begin = chat->at;
    if (peek(chat, 0) >= '0' && peek(chat, 0) <= '9') return (alcore__name){0};
    while (is_word_character(peek(chat, 0))) chat->at++;
    return (alcore__name){chat->program.text + begin, chat->at - begin};
}

/* ---- values that stand in the program ---- */

/* A text in quotes, of which the first was passed. */
static alcore_status read_text(alcore__chat *chat, char quote, alcore__chat_value *out) {
    static const char escapes[] = "n\nt\tr\r\\\\'\'\"\"";
    alcore__buffer text = {0};
    alcore_status status = ALCORE_OK;
    while (status == ALCORE_OK && chat->at < chat->program.length && peek(chat, 0) != quote) {
        char c = peek(chat, 0);
        if (c == '\\') {
            const char *found = strchr(escapes, peek(chat, 1));
            if (!peek(chat, 1) || !found || (found - escapes) % 2 != 0)
                status =
                    alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED,
                                      "the escape \\%c of a text is not read here", peek(chat, 1));
            else
                c = found[1];
            chat->at++;
        }
        chat->at++;
        if (status == ALCORE_OK) status = alcore__buffer_append(chat->ctx, &text, &c, 1);
    }
    if (status == ALCORE_OK && peek(chat, 0) != quote)
        status = alcore__chat_fail(chat, ALCORE_E_DATA, "a text does not end");
    if (status == ALCORE_OK) {
        chat->at++;
        status = alcore__chat_text(chat, text.data, text.length, out);
    }
    alcore__buffer_clear(chat->ctx, &text);
    return status;
}

static alcore_status read_number(alcore__chat *chat, alcore__chat_value *out) {
    int64_t number = 0;
    for (; peek(chat, 0) >= '0' && peek(chat, 0) <= '9'; chat->at++) {
        if (number > 100000000)
            return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED, "a number is too large");
        number = number * 10 + (peek(chat, 0) - '0');
    }
    *out = alcore__chat_integer(number);
    return peek(chat, 0) != '.' ? ALCORE_OK
                                : alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED,
                                                    "numbers with a point are not read here");
}

/* The entries of a list up to its end; a text of one character. */
static alcore_status read_list(alcore__chat *chat, const char *end, alcore__chat_value *out) {
    enum { MOST = 32 };
    alcore__chat_value entries[MOST];
    int64_t count = 0;
    while (!alcore__chat_take(chat, end)) {
        if (count == MOST)
            return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED, "a list is too long");
        ALCORE__TRY(chat->expression(chat, &entries[count++]));
        if (alcore__chat_take(chat, ",")) continue;
        if (!alcore__chat_take(chat, end))
            return alcore__chat_fail(chat, ALCORE_E_DATA, "a list does not end");
        break;
    }
    const size_t bytes = (size_t)count * sizeof *entries;
    alcore__chat_value *items = alcore__arena_alloc(chat->ctx, &chat->arena, bytes ? bytes : 1,
                                                    _Alignof(alcore__chat_value));
    if (!items) return alcore__fail_memory(bytes);
    memcpy(items, entries, bytes);
    *out = (alcore__chat_value){.kind = ALCORE__CHAT_LIST, .number = count, .items = items};
    return ALCORE_OK;
}

/* The arguments of a call, whose bracket was passed. */
static alcore_status read_arguments(alcore__chat *chat, alcore__chat_arguments *out) {
    out->count = 0;
    while (!alcore__chat_take(chat, ")")) {
        if (out->count == ALCORE__CHAT_ARGUMENTS)
            return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED, "a call has too many arguments");
        const size_t before = chat->at;
        const alcore__name name = alcore__chat_name(chat);
        out->names[out->count] = (alcore__name){0};
        if (name.length && alcore__chat_take(chat, "=") && peek(chat, 0) != '=')
            out->names[out->count] = name;
        else
            chat->at = before;
        ALCORE__TRY(chat->expression(chat, &out->values[out->count++]));
        if (alcore__chat_take(chat, ",")) continue;
        if (!alcore__chat_take(chat, ")"))
            return alcore__chat_fail(chat, ALCORE_E_DATA, "a call does not end");
        break;
    }
    return ALCORE_OK;
}

/* A name: a constant, a call, or a variable. */
static alcore_status read_name(alcore__chat *chat, alcore__chat_value *out) {
    static const struct {
        const char *word;
        alcore__chat_value value;
    } constants[] = {{"true", {.kind = ALCORE__CHAT_BOOL, .number = 1}},
                     {"True", {.kind = ALCORE__CHAT_BOOL, .number = 1}},
                     {"false", {.kind = ALCORE__CHAT_BOOL}},
                     {"False", {.kind = ALCORE__CHAT_BOOL}},
                     {"none", {.kind = ALCORE__CHAT_NONE}},
                     {"None", {.kind = ALCORE__CHAT_NONE}}};
    const alcore__name name = alcore__chat_name(chat);
    if (!name.length) {
        const size_t left = chat->program.length - chat->at;
        const char *here = chat->program.text + chat->at;
        if (left < 2 || memcmp(here, "}}", 2) == 0 || memcmp(here, "%}", 2) == 0)
            return alcore__chat_fail(chat, ALCORE_E_DATA, "an expression is missing");
        return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED, "\"%.*s\" is not read here",
                                 left > 20 ? 20 : (int)left, here);
    }
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (strlen(constants[i].word) == name.length &&
            memcmp(constants[i].word, name.text, name.length) == 0) {
            *out = constants[i].value;
            return ALCORE_OK;
        }
    if (alcore__chat_take(chat, "(")) {
        alcore__chat_arguments arguments;
        ALCORE__TRY(read_arguments(chat, &arguments));
        return chat->dead ? ALCORE_OK : alcore__chat_function(chat, name, &arguments, out);
    }
    const alcore__chat_entry *found = alcore__chat_find(chat->variables, NULL, name);
    if (found) *out = found->value;
    return found || chat->dead ? ALCORE_OK : alcore__chat_check_token(chat, name);
}

static alcore_status read_primary(alcore__chat *chat, alcore__chat_value *out) {
    alcore__chat_space(chat);
    const char c = peek(chat, 0);
    *out = (alcore__chat_value){0};
    if (c == '"' || c == '\'') {
        chat->at++;
        return read_text(chat, c, out);
    }
    if (c >= '0' && c <= '9') return read_number(chat, out);
    if (alcore__chat_take(chat, "[")) return read_list(chat, "]", out);
    if (!alcore__chat_take(chat, "(")) return read_name(chat, out);
    ALCORE__TRY(chat->expression(chat, out));
    return alcore__chat_take(chat, ")")
               ? ALCORE_OK
               : alcore__chat_fail(chat, ALCORE_E_DATA, "a bracket does not end");
}

/* ---- what follows a value ---- */

/* value.name or value["name"]. */
static alcore_status take_member(alcore__chat *chat, alcore__name name, alcore__chat_value *value) {
    if (value->kind == ALCORE__CHAT_UNDEFINED)
        return alcore__chat_fail(chat, ALCORE_E_DATA, "%.*s of what is undefined",
                                 name.length > 40 ? 40 : (int)name.length, name.text);
    const alcore__chat_entry *found =
        value->kind == ALCORE__CHAT_DICT ? alcore__chat_find(*value->entries, NULL, name) : NULL;
    *value = found ? found->value : (alcore__chat_value){0};
    return ALCORE_OK;
}

/* value[number] of a list; from the end where it is negative. */
static alcore_status take_item(alcore__chat *chat, int64_t number, alcore__chat_value *value) {
    if (value->kind != ALCORE__CHAT_LIST)
        return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED,
                                 "a number behind what is no list is not read here");
    if (number < 0) number += value->number;
    *value = number >= 0 && number < value->number ? value->items[number] : (alcore__chat_value){0};
    return ALCORE_OK;
}

/* value[first:last:step] of a list; step 1 or, of a whole list, -1. */
static alcore_status take_slice(alcore__chat *chat, const int64_t bounds[3],
                                alcore__chat_value *value) {
    if (value->kind != ALCORE__CHAT_LIST)
        return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED,
                                 "a part of what is no list is not read here");
    const int64_t count = value->number;
    int64_t first = bounds[0], last = bounds[1];
    if (bounds[2] == -1) {
        if (first != 0 || last != INT64_MAX)
            return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED,
                                     "a part of a list from behind is not read here");
        alcore__chat_value *items =
            alcore__arena_alloc(chat->ctx, &chat->arena, (size_t)(count + 1) * sizeof *items,
                                _Alignof(alcore__chat_value));
        if (!items) return alcore__fail_memory((size_t)count * sizeof *items);
        for (int64_t i = 0; i < count; i++) items[i] = value->items[count - 1 - i];
        value->items = items;
        return ALCORE_OK;
    }
    if (bounds[2] != 1)
        return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED, "such a step is not read here");
    if (first < 0) first = first + count < 0 ? 0 : first + count;
    if (last < 0) last += count;
    if (last > count) last = count;
    if (first > last) first = last < 0 ? (last = 0) : last;
    value->items += first;
    value->number = last - first;
    return ALCORE_OK;
}

/* Behind "[": an entry, or a part. */
static alcore_status read_subscript(alcore__chat *chat, alcore__chat_value *value) {
    int64_t bounds[3] = {0, INT64_MAX, 1};
    alcore__chat_value key = {0};
    int part = 0;
    while (!alcore__chat_take(chat, "]")) {
        if (alcore__chat_take(chat, ":")) {
            if (++part > 2) return alcore__chat_fail(chat, ALCORE_E_DATA, "a part with 3 colons");
            continue;
        }
        ALCORE__TRY(chat->expression(chat, &key));
        if (key.kind == ALCORE__CHAT_INTEGER) bounds[part] = key.number;
        if (peek(chat, 0) == '\0')
            return alcore__chat_fail(chat, ALCORE_E_DATA, "a bracket does not end");
    }
    if (chat->dead) return ALCORE_OK;
    if (part > 0) return take_slice(chat, bounds, value);
    if (key.kind == ALCORE__CHAT_INTEGER) return take_item(chat, key.number, value);
    if (key.kind == ALCORE__CHAT_TEXT) return take_member(chat, key.text, value);
    return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED, "such a key is not read here");
}

/* Behind ".": a member, or a call. */
static alcore_status read_member(alcore__chat *chat, alcore__chat_value *value) {
    const alcore__name name = alcore__chat_name(chat);
    if (!alcore__chat_take(chat, "("))
        return chat->dead ? ALCORE_OK : take_member(chat, name, value);
    alcore__chat_arguments arguments;
    ALCORE__TRY(read_arguments(chat, &arguments));
    return chat->dead ? ALCORE_OK : alcore__chat_method(chat, name, &arguments, value);
}

/* Behind "|". */
static alcore_status read_filter(alcore__chat *chat, alcore__chat_value *value) {
    const alcore__name name = alcore__chat_name(chat);
    alcore__chat_arguments arguments = {.count = 0};
    if (alcore__chat_take(chat, "(")) ALCORE__TRY(read_arguments(chat, &arguments));
    return chat->dead ? ALCORE_OK : alcore__chat_filter(chat, name, &arguments, value);
}

/* Behind "is". */
static alcore_status read_test(alcore__chat *chat, alcore__chat_value *value) {
    const bool negated = alcore__chat_take_word(chat, "not");
    const alcore__name name = alcore__chat_name(chat);
    bool found = false;
    if (chat->dead) return ALCORE_OK;
    ALCORE__TRY(alcore__chat_test(chat, name, value, &found));
    *value = alcore__chat_bool(found != negated);
    return ALCORE_OK;
}

alcore_status alcore__chat_postfix(alcore__chat *chat, alcore__chat_value *out) {
    ALCORE__TRY(read_primary(chat, out));
    for (;;) {
        if (alcore__chat_take(chat, ".")) {
            ALCORE__TRY(read_member(chat, out));
        } else if (alcore__chat_take(chat, "[")) {
            ALCORE__TRY(read_subscript(chat, out));
        } else if (alcore__chat_take(chat, "|")) {
            ALCORE__TRY(read_filter(chat, out));
        } else if (alcore__chat_take_word(chat, "is")) {
            ALCORE__TRY(read_test(chat, out));
        } else {
            return ALCORE_OK;
        }
    }
}
