/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of Arrow columns (arrow_list.h). The buffers of an array of lists, behind the validity
 * bits:
 *
 *   lists            [offset + length + 1] offsets: list i has the values from offset i to i + 1
 *   list views       [offset + length] offsets, and in another buffer as many lengths
 *   fixed-size lists none: list i has the n values from n i on
 *
 * Offsets count the values of the child from the child's own offset on. */
#include "pool/arrow_list.h"

#include <string.h>

#include "base/number.h"

/* The level of lists that a format says; kind 0: it says none. */
static alcore__arrow_list list_of(const char *format) {
    static const struct {
        const char *format;
        char kind;
    } kinds[] = {{"+l", 'l'}, {"+L", 'L'}, {"+vl", 'v'}, {"+vL", 'V'}};
    alcore__arrow_list found = {0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(format, kinds[i].format) == 0) found.kind = kinds[i].kind;
    if (strncmp(format, "+w:", 3) == 0 &&
        alcore__parse_int(format + 3, strlen(format + 3), &found.length) && found.length >= 0)
        found.kind = 'w';
    return found;
}

/* Whether the values of a schema, behind its dictionary, are strings. */
static bool has_texts(const struct ArrowSchema *schema) {
    const char *format = schema->dictionary ? schema->dictionary->format : schema->format;
    return format &&
           (strcmp(format, "u") == 0 || strcmp(format, "U") == 0 || strcmp(format, "vu") == 0);
}

/* Fails for a type of lists that is not read: lists of lists of lists, lists of texts. */
static alcore_status fail_lists(const char *name, const char *what) {
    return alcore__fail(ALCORE_E_UNSUPPORTED,
                        "Arrow column \"%s\" has %s; expected numbers, lists of numbers, lists of "
                        "lists of numbers, or texts",
                        name, what);
}

alcore_status alcore__arrow_shape_read(alcore__arrow_shape *out, const struct ArrowSchema *schema,
                                       const char *name) {
    *out = (alcore__arrow_shape){.name = name};
    for (;;) {
        const alcore__arrow_list list = list_of(schema->format ? schema->format : "?");
        if (list.kind == 0 || alcore__arrow_is_extension(schema)) break;
        if (schema->n_children != 1 || !schema->children || !schema->children[0])
            return fail_lists(name, "lists without a type of their values");
        if (out->depth == ALCORE__ARROW_DEPTH) return fail_lists(name, "lists more than two deep");
        out->lists[out->depth++] = list;
        schema = schema->children[0];
    }
    out->texts = has_texts(schema);
    if (out->texts && out->depth > 0) return fail_lists(name, "lists of texts");
    struct ArrowSchema values = *schema;
    values.name = name; /* that of the values of a list is "item" */
    return alcore__arrow_type_read(&out->values, &values,
                                   out->texts ? ALCORE__ARROW_TEXT : ALCORE__ARROW_NUMBER);
}

/* Whether an array of lists has its buffers and its child. */
static bool list_fits(const alcore__arrow_list *list, const struct ArrowArray *array) {
    int64_t end, needed;
    if (!array || array->length < 0 || array->offset < 0 || array->n_children != 1 ||
        !array->children || !array->children[0] || array->children[0]->length < 0 ||
        __builtin_add_overflow(array->offset, array->length, &end))
        return false;
    if (list->kind == 'w')
        return array->n_buffers == 1 && !__builtin_mul_overflow(end, list->length, &needed) &&
               needed <= array->children[0]->length;
    const bool views = list->kind == 'v' || list->kind == 'V';
    if (array->n_buffers != (views ? 3 : 2)) return false;
    return array->length == 0 ||
           (array->buffers && array->buffers[1] && (!views || array->buffers[2]));
}

alcore_status alcore__arrow_shape_check(const alcore__arrow_shape *shape,
                                        const struct ArrowArray *array) {
    for (int32_t level = 0; level < shape->depth; level++) {
        if (!list_fits(&shape->lists[level], array))
            return alcore__fail(ALCORE_E_DATA, "Arrow column \"%s\" is malformed", shape->name);
        array = array->children[0];
    }
    if (array->length < 0)
        return alcore__fail(ALCORE_E_DATA, "Arrow column \"%s\" is malformed", shape->name);
    return alcore__arrow_check(&shape->values, array, array->length);
}

/* The number at an index of a buffer of offsets or lengths, of 64 bits or of 32. */
static int64_t place_at(const void *buffer, bool wide, int64_t index) {
    return wide ? ((const int64_t *)buffer)[index] : ((const int32_t *)buffer)[index];
}

alcore_status alcore__arrow_list_at(const alcore__arrow_shape *shape, int32_t level,
                                    const struct ArrowArray *array, int64_t row, int64_t *out_first,
                                    int64_t *out_count) {
    const alcore__arrow_list *list = &shape->lists[level];
    const bool wide = list->kind == 'L' || list->kind == 'V';
    const int64_t index = array->offset + row;
    *out_first = -1;
    *out_count = 0;
    if (!alcore__arrow_valid(array, index)) return ALCORE_OK;
    if (list->kind == 'w') {
        *out_first = index * list->length;
        *out_count = list->length;
        return ALCORE_OK;
    }
    const bool views = list->kind == 'v' || list->kind == 'V';
    const int64_t first = place_at(array->buffers[1], wide, index);
    int64_t count = views ? place_at(array->buffers[2], wide, index)
                          : place_at(array->buffers[1], wide, index + 1);
    if (!views) count = first >= 0 && count >= first ? count - first : -1;
    const int64_t values = array->children[0]->length;
    if (first < 0 || count < 0 || first > values || count > values - first)
        return alcore__fail(ALCORE_E_DATA, "the list of the Arrow array lies outside its values");
    *out_first = first;
    *out_count = count;
    return ALCORE_OK;
}
