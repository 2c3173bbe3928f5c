/* SPDX-License-Identifier: Apache-2.0 */
/* Values of Arrow columns (arrow_value.h). A dictionary column has its indices in the array and the
 * values in array->dictionary; every value is found by following the index first. */
#include "pool/arrow_value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "pool/number_type.h"

__extension__ typedef __int128 wide_int;
__extension__ typedef unsigned __int128 wide_uint;

static const char INTEGERS[] = "cCsSiIlL", FLOATS[] = "efg";

/* Whether an Arrow format is one of these single letters. */
static bool is_letter(const char *format, const char *letters) {
    return format[0] != '\0' && format[1] == '\0' && strchr(letters, format[0]);
}

/* The name of an extension type, not terminated, and its length; NULL for a plain type. Metadata is
 * the number of pairs, then the length and the bytes of each key and value; numbers are int32. */
static const char *extension_name(const struct ArrowSchema *schema, int32_t *out_length) {
    static const char key[] = "ARROW:extension:name";
    const char *at = schema->metadata;
    int32_t pairs, lengths[2];
    if (!at) return NULL;
    memcpy(&pairs, at, sizeof pairs);
    at += sizeof pairs;
    for (int32_t pair = 0; pair < pairs; pair++) {
        const char *parts[2];
        for (int32_t k = 0; k < 2; k++) {
            memcpy(&lengths[k], at, sizeof lengths[k]);
            parts[k] = at + sizeof lengths[k];
            at = parts[k] + lengths[k];
        }
        if (lengths[0] == sizeof key - 1 && memcmp(parts[0], key, sizeof key - 1) == 0) {
            *out_length = lengths[1];
            return parts[1];
        }
    }
    return NULL;
}

bool alcore__arrow_is_extension(const struct ArrowSchema *schema) {
    int32_t length;
    return extension_name(schema, &length);
}

static alcore_status fail_type(const char *column, const char *type, size_t length,
                               alcore__arrow_use use) {
    static const char *const expected[] = {
        "string, large string or string view: cast it to utf8",
        "string, large string, string view or an integer: cast it to utf8",
        "an integer, floating-point or decimal number"};
    return alcore__fail(ALCORE_E_UNSUPPORTED, "Arrow column \"%s\" has the type %.*s; expected %s",
                        column, (int)length, type, expected[use]);
}

/* Reads "d:PRECISION,SCALE" with the bits behind a third comma where they are not 128. */
static bool read_decimal(const char *format, alcore__arrow_type *out) {
    int64_t numbers[3] = {0, 0, 128};
    int count = 0;
    if (strncmp(format, "d:", 2) != 0) return false;
    for (const char *next = format + 1; *next && count < 3; count++) {
        const size_t length = strcspn(++next, ",");
        if (!alcore__parse_int(next, length, &numbers[count])) return false;
        next += length;
    }
    const int64_t scale = numbers[1], bits = numbers[2];
    if (count < 2 || scale < INT32_MIN || scale > INT32_MAX) return false;
    if (bits != 32 && bits != 64 && bits != 128) return false;
    out->format = 'd';
    out->width = (int32_t)(bits / 8);
    out->scale = (int32_t)scale;
    return true;
}

/* Reads the type of the values, behind a dictionary those of the dictionary. */
static bool read_values(const char *format, alcore__arrow_use use, alcore__arrow_type *out) {
    out->format = strcmp(format, "vu") == 0 ? 'v' : format[0];
    if (strcmp(format, "n") == 0) return true;
    if (use == ALCORE__ARROW_NUMBER)
        return is_letter(format, INTEGERS) || is_letter(format, FLOATS) ||
               read_decimal(format, out);
    if (is_letter(format, "uU") || strcmp(format, "vu") == 0) return true;
    return use == ALCORE__ARROW_LABEL &&
           (is_letter(format, INTEGERS) || (read_decimal(format, out) && out->scale == 0));
}

alcore_status alcore__arrow_type_read(alcore__arrow_type *out, const struct ArrowSchema *schema,
                                      alcore__arrow_use use) {
    const struct ArrowSchema *values = schema->dictionary ? schema->dictionary : schema;
    const char *format = values->format ? values->format : "?";
    int32_t length = 0;
    *out = (alcore__arrow_type){.name = schema->name};
    const char *extension = extension_name(schema, &length);
    if (!extension) extension = extension_name(values, &length);
    if (extension) return fail_type(schema->name, extension, (size_t)length, use);
    if (values->dictionary || !read_values(format, use, out))
        return fail_type(schema->name, format, strlen(format), use);
    if (!schema->dictionary) return ALCORE_OK;
    if (!schema->format || !is_letter(schema->format, INTEGERS))
        return fail_type(schema->name, "dictionary", strlen("dictionary"), use);
    out->index = schema->format[0];
    return ALCORE_OK;
}

bool alcore__arrow_valid(const struct ArrowArray *array, int64_t index) {
    /* Bit 1 is valid, the lowest bit first; without the buffer all are. */
    const uint8_t *bits = array->n_buffers > 0 && array->buffers ? array->buffers[0] : NULL;
    if (!bits || array->null_count == 0) return true;
    return (bits[index / 8] >> (index % 8) & 1) != 0;
}

/* Checks the length, the offset and the buffers of an array of one format. */
static bool fits(const struct ArrowArray *array, char format, int64_t rows) {
    int64_t end;
    if (!array || array->length < rows || array->offset < 0 ||
        __builtin_add_overflow(array->offset, array->length, &end))
        return false;
    /* -1: the nulls were not counted. */
    if (array->null_count < -1 || array->null_count > array->length || array->n_children != 0)
        return false;
    if (format == 'n') return true;
    const bool has_bits = array->n_buffers > 0 && array->buffers && array->buffers[0];
    if (array->null_count > 0 && !has_bits) return false;
    const int64_t buffers = strchr("uU", format) ? 3 : 2;
    if (format == 'v' ? array->n_buffers < 3 : array->n_buffers != buffers) return false;
    return rows == 0 || (array->buffers && array->buffers[1]);
}

alcore_status alcore__arrow_check(const alcore__arrow_type *type, const struct ArrowArray *array,
                                  int64_t rows) {
    bool good = fits(array, type->index ? type->index : type->format, rows) &&
                (type->index || !array->dictionary);
    if (good && type->index && rows > 0)
        good =
            array->dictionary && fits(array->dictionary, type->format, array->dictionary->length);
    return good ? ALCORE_OK
                : alcore__fail(ALCORE_E_DATA, "Arrow column \"%s\" is malformed", type->name);
}

/* The integer at an index of a buffer, by the letter of its type (c s i l: signed, of 8 to 64 bits,
 * capitals: unsigned). */
static int64_t integer_at(const void *data, char format, int64_t i) {
    switch (format) {
    case 'c':
        return ((const int8_t *)data)[i];
    case 'C':
        return ((const uint8_t *)data)[i];
    case 's':
        return ((const int16_t *)data)[i];
    case 'S':
        return ((const uint16_t *)data)[i];
    case 'i':
        return ((const int32_t *)data)[i];
    case 'I':
        return ((const uint32_t *)data)[i];
    default:
        return ((const int64_t *)data)[i];
    }
}

/* Follows the index of a dictionary. *array and *index (the array's offset included) become those
 * of the value; *array is NULL for a null. */
static alcore_status find_value(const alcore__arrow_type *type, int64_t row,
                                const struct ArrowArray **array, int64_t *index) {
    *index = (*array)->offset + row;
    if (type->index ? !alcore__arrow_valid(*array, *index) : false) {
        *array = NULL;
        return ALCORE_OK;
    }
    if (type->index) {
        const int64_t code = integer_at((*array)->buffers[1], type->index, *index);
        *array = (*array)->dictionary;
        if (code < 0 || code >= (*array)->length)
            return alcore__fail(ALCORE_E_DATA,
                                "Arrow column \"%s\" has an index outside its dictionary at row "
                                "%" PRId64,
                                type->name, row);
        *index = (*array)->offset + code;
    }
    if (type->format == 'n' || !alcore__arrow_valid(*array, *index)) *array = NULL;
    return ALCORE_OK;
}

/* Reads one string view of 16 bytes: its length, then up to 12 bytes of text, or else the first 4
 * of them, the number of a data buffer and the offset in it. The last buffer of the array has the
 * sizes of the data buffers. index: of the value in the array; row and name: for the message. */
static alcore_status view_at(const struct ArrowArray *array, int64_t index, int64_t row,
                             const char *name, const char **out, size_t *out_length) {
    const char *view = (const char *)array->buffers[1] + index * 16;
    const int64_t data_buffers = array->n_buffers - 3;
    int32_t view_words[4]; /* length, first 4 bytes, data buffer, offset */
    memcpy(view_words, view, sizeof view_words);
    if (view_words[0] >= 0 && view_words[0] <= 12) {
        *out = view + 4;
        *out_length = (size_t)view_words[0];
        return ALCORE_OK;
    }
    const int64_t *sizes = array->buffers[array->n_buffers - 1];
    if (view_words[0] < 0 || view_words[2] < 0 || view_words[2] >= data_buffers ||
        view_words[3] < 0 || !sizes ||
        (int64_t)view_words[3] + view_words[0] > sizes[view_words[2]] ||
        !array->buffers[2 + view_words[2]])
        return alcore__fail(ALCORE_E_DATA,
                            "Arrow column \"%s\" has a malformed view at row %" PRId64, name, row);
    *out = (const char *)array->buffers[2 + view_words[2]] + view_words[3];
    *out_length = (size_t)view_words[0];
    return ALCORE_OK;
}

/* Reads the string at an index of an array with offsets of 32 ('u') or 64 bits ('U'). */
static alcore_status string_at(const struct ArrowArray *array, char format, int64_t index,
                               int64_t row, const char *name, const char **out,
                               size_t *out_length) {
    int64_t start, end;
    if (format == 'u') {
        start = ((const int32_t *)array->buffers[1])[index];
        end = ((const int32_t *)array->buffers[1])[index + 1];
    } else {
        start = ((const int64_t *)array->buffers[1])[index];
        end = ((const int64_t *)array->buffers[1])[index + 1];
    }
    if (start < 0 || end < start || (end > start && !array->buffers[2]))
        return alcore__fail(ALCORE_E_DATA,
                            "Arrow column \"%s\" has malformed offsets at row %" PRId64, name, row);
    *out = end > start ? (const char *)array->buffers[2] + start : "";
    *out_length = (size_t)(end - start);
    return ALCORE_OK;
}

/* Writes the digits of a decimal without its point: a little-endian integer of `width` bytes in
 * two's complement. Returns their number. */
static size_t decimal_digits(const char *value, int32_t width, char *out) {
    char reversed[ALCORE__ARROW_DIGITS];
    wide_int wide = 0;
    memcpy(&wide, value, (size_t)width);
    if (width == 4) wide = (int32_t)wide; /* its sign */
    if (width == 8) wide = (int64_t)wide;
    wide_uint rest = wide < 0 ? -(wide_uint)wide : (wide_uint)wide;
    size_t count = 0, length = 0;
    do {
        reversed[count++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest > 0);
    if (wide < 0) out[length++] = '-';
    while (count > 0) out[length++] = reversed[--count];
    out[length] = '\0';
    return length;
}

alcore_status alcore__arrow_text(const alcore__arrow_type *type, const struct ArrowArray *array,
                                 int64_t row, char *digits, const char **out, size_t *out_length) {
    int64_t index;
    *out = NULL;
    *out_length = 0;
    ALCORE__TRY(find_value(type, row, &array, &index));
    if (!array) return ALCORE_OK;
    if (type->format == 'v') return view_at(array, index, row, type->name, out, out_length);
    if (type->format == 'u' || type->format == 'U')
        return string_at(array, type->format, index, row, type->name, out, out_length);
    const void *data = array->buffers[1];
    *out = digits;
    if (type->format == 'd')
        *out_length = decimal_digits((const char *)data + index * type->width, type->width, digits);
    else if (type->format == 'L')
        *out_length = (size_t)snprintf(digits, ALCORE__ARROW_DIGITS, "%" PRIu64,
                                       ((const uint64_t *)data)[index]);
    else
        *out_length = (size_t)snprintf(digits, ALCORE__ARROW_DIGITS, "%" PRId64,
                                       integer_at(data, type->format, index));
    return ALCORE_OK;
}

/* A decimal as the nearest double: its digits are read as a number with an exponent. */
static double decimal_at(const alcore__arrow_type *type, const void *data, int64_t index) {
    char text[ALCORE__ARROW_DIGITS + 16];
    double value;
    size_t length = decimal_digits((const char *)data + index * type->width, type->width, text);
    length += (size_t)snprintf(text + length, 16, "e%d", -type->scale);
    return alcore__parse_double(text, length, &value) ? value : INFINITY;
}

/* The value at an index of a buffer of numbers, as a double. */
static double number_at(const alcore__arrow_type *type, const void *data, int64_t i) {
    switch (type->format) {
    case 'd':
        return decimal_at(type, data, i);
    case 'L':
        return (double)((const uint64_t *)data)[i];
    case 'e':
        return (double)alcore__widen_half(((const uint16_t *)data)[i]);
    case 'f':
        return ((const float *)data)[i];
    case 'g':
        return ((const double *)data)[i];
    default:
        return (double)integer_at(data, type->format, i);
    }
}

alcore_status alcore__arrow_null(const alcore__arrow_type *type, const struct ArrowArray *array,
                                 int64_t row, bool *out) {
    int64_t index;
    ALCORE__TRY(find_value(type, row, &array, &index));
    *out = !array;
    return ALCORE_OK;
}

alcore_status alcore__arrow_number(const alcore__arrow_type *type, const struct ArrowArray *array,
                                   int64_t row, double *out) {
    int64_t index;
    *out = NAN;
    ALCORE__TRY(find_value(type, row, &array, &index));
    if (!array) return ALCORE_OK;
    *out = number_at(type, array->buffers[1], index);
    return ALCORE_OK;
}

bool alcore__arrow_is_integer(const alcore__arrow_type *type) {
    return strchr(INTEGERS, type->format);
}

alcore_status alcore__arrow_integer(const alcore__arrow_type *type, const struct ArrowArray *array,
                                    int64_t row, int64_t *out) {
    int64_t index;
    *out = INT64_MIN;
    ALCORE__TRY(find_value(type, row, &array, &index));
    if (!array) return ALCORE_OK;
    *out = integer_at(array->buffers[1], type->format, index);
    if (type->format == 'L' && *out < 0)
        return alcore__fail(ALCORE_E_DATA, "%" PRIu64 " is no int64",
                            ((const uint64_t *)array->buffers[1])[index]);
    return ALCORE_OK;
}
