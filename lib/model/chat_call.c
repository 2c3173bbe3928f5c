/* SPDX-License-Identifier: Apache-2.0 */
/* What is called in the expressions of a chat template (chat_template.h): filters, tests, methods
 * of texts and mappings, and functions. White space of a text is what str.strip() of Python takes
 * away. */
#include <string.h>

#include "model/chat_template.h"
#include "text/utf8.h"

static alcore_status refuse(const alcore__chat *chat, const char *what, alcore__name name) {
    return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED, "the %s '%.*s' is not read here", what,
                             name.length > 40 ? 40 : (int)name.length, name.text);
}

/* ---- parts of texts ---- */

enum { LEFT = 1, RIGHT = 2 };

/* Whether str.strip() takes a character away: white space, or one of `characters`. */
static bool strips(int32_t code, const alcore__name *characters) {
    if (!characters) return alcore__utf8_is_space(code) || (code >= 0x1C && code <= 0x1F);
    for (size_t next = 0; next < characters->length;)
        if (alcore__utf8_next(characters->text, characters->length, &next) == code) return true;
    return false;
}

static alcore__name stripped(alcore__name text, int sides, const alcore__name *characters) {
    size_t begin = 0, end = 0, next = 0;
    bool inside = !(sides & LEFT);
    while (next < text.length) {
        const size_t at = next;
        if (strips(alcore__utf8_next(text.text, text.length, &next), characters)) continue;
        if (!inside) begin = at;
        inside = true;
        end = next;
    }
    if (!(sides & RIGHT)) end = text.length;
    if (!inside) begin = end;
    return (alcore__name){text.text + begin, end - begin};
}

/* The parts of a text between a separator. */
static alcore_status split(alcore__chat *chat, alcore__name text, alcore__name separator,
                           alcore__chat_value *out) {
    size_t count = 1;
    const char *at = text.text, *end = text.text + text.length, *found;
    for (; (found = memmem(at, (size_t)(end - at), separator.text, separator.length)); count++)
        at = found + separator.length;
    alcore__chat_value *items = alcore__arena_alloc(chat->ctx, &chat->arena, count * sizeof *items,
                                                    _Alignof(alcore__chat_value));
    if (!items) return alcore__fail_memory(count * sizeof *items);
    at = text.text;
    for (size_t i = 0; i < count; i++) {
        found = memmem(at, (size_t)(end - at), separator.text, separator.length);
        items[i] = alcore__chat_view(at, (size_t)((found ? found : end) - at));
        at = found ? found + separator.length : end;
    }
    *out =
        (alcore__chat_value){.kind = ALCORE__CHAT_LIST, .number = (int64_t)count, .items = items};
    return ALCORE_OK;
}

static alcore_status replace(alcore__chat *chat, alcore__name text, alcore__name old,
                             alcore__name replacement, alcore__chat_value *out) {
    alcore__buffer made = {0};
    const char *at = text.text, *end = text.text + text.length, *found;
    alcore_status status = alcore__buffer_append(chat->ctx, &made, "", 0);
    while (status == ALCORE_OK) {
        found = memmem(at, (size_t)(end - at), old.text, old.length);
        status = alcore__buffer_append(chat->ctx, &made, at, (size_t)((found ? found : end) - at));
        if (!found) break;
        if (status == ALCORE_OK)
            status = alcore__buffer_append(chat->ctx, &made, replacement.text, replacement.length);
        at = found + old.length;
    }
    if (status == ALCORE_OK) status = alcore__chat_text(chat, made.data, made.length, out);
    alcore__buffer_clear(chat->ctx, &made);
    return status;
}

/* Whether there are `least` to `most` arguments, all of them strings that are given by place. */
static bool are_texts(const alcore__chat_arguments *arguments, int least, int most) {
    if (arguments->count < least || arguments->count > most) return false;
    for (int i = 0; i < arguments->count; i++)
        if (arguments->values[i].kind != ALCORE__CHAT_TEXT || arguments->names[i].text)
            return false;
    return true;
}

/* ---- what templates call ---- */

static int64_t length_of(const alcore__chat_value *value) {
    if (value->kind == ALCORE__CHAT_TEXT)
        return alcore__utf8_count(value->text.text, value->text.length);
    if (value->kind != ALCORE__CHAT_DICT) return value->number;
    int64_t count = 0;
    for (const alcore__chat_entry *entry = *value->entries; entry; entry = entry->next) count++;
    return count;
}

alcore_status alcore__chat_filter(alcore__chat *chat, alcore__name name,
                                  const alcore__chat_arguments *arguments,
                                  alcore__chat_value *value) {
    const bool alone = arguments->count == 0, text = value->kind == ALCORE__CHAT_TEXT;
    if (alcore__name_is(name, "trim") && alone && text) {
        value->text = stripped(value->text, LEFT | RIGHT, NULL);
        return ALCORE_OK;
    }
    if ((alcore__name_is(name, "length") || alcore__name_is(name, "count")) && alone &&
        value->kind >= ALCORE__CHAT_TEXT) {
        *value = alcore__chat_integer(length_of(value));
        return ALCORE_OK;
    }
    if ((alcore__name_is(name, "first") || alcore__name_is(name, "last")) && alone &&
        value->kind == ALCORE__CHAT_LIST) {
        const int64_t at = alcore__name_is(name, "first") ? 0 : value->number - 1;
        *value = value->number > 0 ? value->items[at] : (alcore__chat_value){0};
        return ALCORE_OK;
    }
    if (alcore__name_is(name, "string") && alone) {
        alcore__name written;
        ALCORE__TRY(alcore__chat_write(chat, value, &written));
        *value = alcore__chat_view(written.text, written.length);
        return ALCORE_OK;
    }
    if (alcore__name_is(name, "default") && arguments->count == 1 && !arguments->names[0].text) {
        if (value->kind == ALCORE__CHAT_UNDEFINED) *value = arguments->values[0];
        return ALCORE_OK;
    }
    if (alcore__name_is(name, "replace") && text && are_texts(arguments, 2, 2) &&
        arguments->values[0].text.length > 0)
        return replace(chat, value->text, arguments->values[0].text, arguments->values[1].text,
                       value);
    return refuse(chat, "filter", name);
}

alcore_status alcore__chat_test(alcore__chat *chat, alcore__name name,
                                const alcore__chat_value *value, bool *out) {
    const alcore__chat_kind kind = value->kind;
    const bool listed = kind >= ALCORE__CHAT_TEXT;
    if (alcore__name_is(name, "defined"))
        *out = kind != ALCORE__CHAT_UNDEFINED;
    else if (alcore__name_is(name, "undefined"))
        *out = kind == ALCORE__CHAT_UNDEFINED;
    else if (alcore__name_is(name, "none"))
        *out = kind == ALCORE__CHAT_NONE;
    else if (alcore__name_is(name, "string"))
        *out = kind == ALCORE__CHAT_TEXT;
    else if (alcore__name_is(name, "mapping"))
        *out = kind == ALCORE__CHAT_DICT;
    else if (alcore__name_is(name, "iterable") || alcore__name_is(name, "sequence"))
        *out = listed;
    else if (alcore__name_is(name, "number"))
        *out = kind == ALCORE__CHAT_INTEGER || kind == ALCORE__CHAT_BOOL;
    else if (alcore__name_is(name, "boolean"))
        *out = kind == ALCORE__CHAT_BOOL;
    else if (alcore__name_is(name, "true") || alcore__name_is(name, "false"))
        *out = kind == ALCORE__CHAT_BOOL && (value->number != 0) == alcore__name_is(name, "true");
    else
        return refuse(chat, "test", name);
    return ALCORE_OK;
}

/* The methods of a text. */
static alcore_status call_text(alcore__chat *chat, alcore__name name,
                               const alcore__chat_arguments *arguments, alcore__chat_value *value) {
    const alcore__name text = value->text;
    const alcore__name *first = arguments->count > 0 ? &arguments->values[0].text : NULL;
    const int sides = alcore__name_is(name, "strip")    ? LEFT | RIGHT
                      : alcore__name_is(name, "lstrip") ? LEFT
                      : alcore__name_is(name, "rstrip") ? RIGHT
                                                        : 0;
    if (sides && are_texts(arguments, 0, 1)) {
        value->text = stripped(text, sides, first);
        return ALCORE_OK;
    }
    if (alcore__name_is(name, "split") && are_texts(arguments, 1, 1) && first->length > 0)
        return split(chat, text, *first, value);
    if (alcore__name_is(name, "replace") && are_texts(arguments, 2, 2) && first->length > 0)
        return replace(chat, text, *first, arguments->values[1].text, value);
    const bool start = alcore__name_is(name, "startswith");
    if ((start || alcore__name_is(name, "endswith")) && are_texts(arguments, 1, 1)) {
        const size_t length = first->length;
        *value = alcore__chat_bool(
            text.length >= length &&
            memcmp(text.text + (start ? 0 : text.length - length), first->text, length) == 0);
        return ALCORE_OK;
    }
    return refuse(chat, "method", name);
}

alcore_status alcore__chat_method(alcore__chat *chat, alcore__name name,
                                  const alcore__chat_arguments *arguments,
                                  alcore__chat_value *value) {
    if (value->kind == ALCORE__CHAT_TEXT) return call_text(chat, name, arguments, value);
    if (value->kind != ALCORE__CHAT_DICT || !alcore__name_is(name, "get") || arguments->count < 1 ||
        arguments->count > 2 || arguments->values[0].kind != ALCORE__CHAT_TEXT)
        return refuse(chat, "method", name);
    const alcore__chat_entry *found =
        alcore__chat_find(*value->entries, NULL, arguments->values[0].text);
    *value = found                   ? found->value
             : arguments->count == 2 ? arguments->values[1]
                                     : (alcore__chat_value){.kind = ALCORE__CHAT_NONE};
    return ALCORE_OK;
}

alcore_status alcore__chat_function(alcore__chat *chat, alcore__name name,
                                    const alcore__chat_arguments *arguments,
                                    alcore__chat_value *out) {
    if (alcore__name_is(name, "raise_exception") && are_texts(arguments, 1, 1)) {
        const alcore__name text = arguments->values[0].text;
        return alcore__chat_fail(chat, ALCORE_E_DATA, "it raises \"%.*s\"",
                                 text.length > 150 ? 150 : (int)text.length, text.text);
    }
    if (!alcore__name_is(name, "namespace")) return refuse(chat, "function", name);
    ALCORE__TRY(alcore__chat_dict(chat, out));
    for (int i = 0; i < arguments->count; i++) {
        if (!arguments->names[i].text) return refuse(chat, "function", name);
        ALCORE__TRY(
            alcore__chat_put(chat, out->entries, arguments->names[i], &arguments->values[i]));
    }
    return ALCORE_OK;
}
