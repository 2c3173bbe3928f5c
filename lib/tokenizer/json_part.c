/* SPDX-License-Identifier: Apache-2.0 */
/* Members of the parts of tokenizer.json (json_part.h). */
#include "tokenizer/json_part.h"

#include <string.h>

#include "base/number.h"

bool alcore__name_is(alcore__name name, const char *text) {
    return name.length == strlen(text) && memcmp(name.text, text, name.length) == 0;
}

/* Nesting of objects and arrays that is read: deeper than in any real file. */
enum { MAX_DEPTH = 32 };

/* Puts "PATH: SECTION", or the path alone, in front of the formatted text. */
alcore_status alcore__part_fail(const alcore__part *part, alcore_status status, const char *format,
                                ...) {
    va_list args;
    va_start(args, format);
    (void)alcore__fail_v(status, format, args);
    va_end(args);
    if (!part->section) return alcore__fail_within(status, "%s", part->path);
    return alcore__fail_within(status, "%s: %s", part->path, part->section);
}

alcore_status alcore__part_unknown(const alcore__part *part, alcore__name type) {
    return alcore__part_fail(part, ALCORE_E_UNSUPPORTED, "the type \"%.*s\" is not supported",
                             type.length > 64 ? 64 : (int)type.length, type.text);
}

/* Fails with the error of the scanner, if it found one, else with "NAME is not EXPECTED". */
static alcore_status fail_value(const alcore__part *part, const char *name, const char *expected) {
    const alcore__json *json = &part->value;
    if (json->error)
        return alcore__part_fail(part, ALCORE_E_DATA, "byte %zu: %s",
                                 (size_t)(json->next - json->begin), json->error);
    return alcore__part_fail(part, ALCORE_E_DATA, "%s is not %s", name, expected);
}

/* alcore__json_enter() records the error of a text that is no object. */
alcore_status alcore__part_open(alcore_ctx *ctx, alcore__arena *arena, const alcore__buffer *text,
                                const char *path, alcore__part *out) {
    *out = (alcore__part){ctx, arena, path, NULL, {0}};
    alcore__json_begin(&out->value, text->data, text->length, MAX_DEPTH);
    alcore__part whole = *out;
    if (alcore__json_kind(&whole.value) == '{')
        (void)(alcore__json_skip(&whole.value) && alcore__json_end(&whole.value));
    else
        (void)alcore__json_enter(&whole.value, '{');
    return alcore__part_leave(&whole);
}

/* The first byte is enough to tell null, as the syntax was checked before. */
bool alcore__part_member(const alcore__part *object, const char *name, alcore__part *out) {
    *out = *object;
    return alcore__json_find(&object->value, name, &out->value) &&
           alcore__json_kind(&out->value) != 'n';
}

alcore_status alcore__part_flag(const alcore__part *object, const char *name, bool *out) {
    alcore__part member;
    if (!alcore__part_member(object, name, &member)) return ALCORE_OK;
    const char kind = alcore__json_kind(&member.value);
    if ((kind != 't' && kind != 'f') || !alcore__json_skip(&member.value))
        return fail_value(&member, name, "true or false");
    *out = kind == 't';
    return ALCORE_OK;
}

alcore_status alcore__part_number(const alcore__part *part, int64_t *out) {
    alcore__json value = part->value;
    char *text;
    size_t length;
    if (alcore__json_kind(&value) != '0' || !alcore__json_number(&value, &text, &length) ||
        !alcore__parse_int(text, length, out))
        return fail_value(part, "a number", "an integer");
    return ALCORE_OK;
}

alcore_status alcore__part_integer(const alcore__part *object, const char *name, int64_t *out) {
    alcore__part member;
    if (!alcore__part_member(object, name, &member)) return ALCORE_OK;
    return alcore__part_number(&member, out);
}

/* Copies a string to the arena with its quotes, and decodes it there in place, in which escapes
 * become shorter: the text of the file is only read. name: for messages. */
static alcore_status copy_string(const alcore__part *part, const char *name, alcore__name *out) {
    alcore__json value = part->value;
    const char kind = alcore__json_kind(&value);
    const char *begin = value.next;
    if (kind != '"' || !alcore__json_skip(&value)) {
        alcore__part at = *part;
        at.value = value;
        return fail_value(&at, name, "a string");
    }
    const size_t bytes = (size_t)(value.next - begin);
    char *copy = alcore__arena_alloc(part->ctx, part->arena, bytes, 1), *text;
    if (!copy) return alcore__fail_memory(bytes);
    memcpy(copy, begin, bytes);
    alcore__json scan;
    alcore__json_begin(&scan, copy, bytes, 1);
    if (!alcore__json_string(&scan, &text, &out->length)) return fail_value(part, name, "a string");
    text[out->length] = '\0'; /* over the closing quote, or before it */
    out->text = text;
    return ALCORE_OK;
}

alcore_status alcore__part_string(const alcore__part *part, alcore__name *out) {
    return copy_string(part, "a value", out);
}

alcore_status alcore__part_text(const alcore__part *object, const char *name, alcore__name *out) {
    alcore__part member;
    if (!alcore__part_member(object, name, &member)) return ALCORE_OK;
    return copy_string(&member, name, out);
}

alcore_status alcore__part_type(const alcore__part *object, alcore__name *out) {
    alcore__json value = object->value;
    if (alcore__json_kind(&value) != '{') return fail_value(object, "the part", "an object");
    *out = (alcore__name){0};
    ALCORE__TRY(alcore__part_text(object, "type", out));
    if (!out->text) return alcore__part_fail(object, ALCORE_E_DATA, "a part has no type");
    return ALCORE_OK;
}

void alcore__part_enter(alcore__part *array) {
    (void)alcore__json_enter(&array->value, '[');
}

void alcore__part_enter_object(alcore__part *object) {
    (void)alcore__json_enter(&object->value, '{');
}

bool alcore__part_next(alcore__part *array, alcore__part *item) {
    if (!alcore__json_item(&array->value)) return false;
    *item = *array;
    return alcore__json_skip(&array->value);
}

bool alcore__part_next_member(alcore__part *object, alcore__part *item) {
    const char *key;
    size_t bytes;
    if (!alcore__json_skip_key(&object->value, &key, &bytes)) return false;
    *item = *object;
    return alcore__json_skip(&object->value);
}

alcore_status alcore__part_next_pair(alcore__part *object, alcore__name *key, alcore__part *item,
                                     bool *found) {
    const char *raw;
    size_t bytes;
    *found = alcore__json_skip_key(&object->value, &raw, &bytes);
    if (!*found) return ALCORE_OK;
    *item = *object;
    /* The key with its quotes is a string too. */
    item->value.next = item->value.begin + (raw - 1 - item->value.begin);
    item->value.fresh = true;
    ALCORE__TRY(alcore__part_string(item, key));
    *item = *object;
    *found = alcore__json_skip(&object->value);
    return ALCORE_OK;
}

alcore_status alcore__part_leave(const alcore__part *part) {
    return part->value.error ? fail_value(part, "", "") : ALCORE_OK;
}
