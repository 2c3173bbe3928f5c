/* SPDX-License-Identifier: Apache-2.0 */
/* Values of an Arrow column one at a time, by the Arrow C data interface: texts, whole numbers as
 * their digits, and numbers, behind a dictionary too. */
#ifndef ALCORE__ARROW_VALUE_H
#define ALCORE__ARROW_VALUE_H

#include <stdbool.h>

#include "alcore/arrow.h"
#include "base/base.h"

/* What a column is read as. */
typedef enum alcore__arrow_use {
    ALCORE__ARROW_TEXT,  /* strings only */
    ALCORE__ARROW_LABEL, /* strings, and whole numbers as their digits: ids, groups, references */
    ALCORE__ARROW_NUMBER /* any number */
} alcore__arrow_use;

/* The type of a column, from its schema. */
typedef struct alcore__arrow_type {
    const char *name; /* of the column; lives as long as the schema */
    char format; /* of its values: 'u' strings with 32-bit offsets, 'U' with 64-bit ones, 'v' views,
                         'd' decimals, 'n' nulls only, or the letter of a number's type */
    char index;  /* of a dictionary's indices, the letter of an integer's type; 0: no dictionary */
    int32_t width; /* bytes of a decimal */
    int32_t scale; /* of a decimal: digits behind the point */
} alcore__arrow_type;

enum { ALCORE__ARROW_DIGITS = 48 /* bytes for the digits of any whole number here, and a NUL */ };

/* Whether a schema names an extension type. */
bool alcore__arrow_is_extension(const struct ArrowSchema *schema);

/* Fills *out from the schema of a column. Types that cannot be read for the use, and extension
 * types, are ALCORE_E_UNSUPPORTED, and named. */
alcore_status alcore__arrow_type_read(alcore__arrow_type *out, const struct ArrowSchema *schema,
                                      alcore__arrow_use use);

/* Checks that an array has at least `rows` values behind its offset, and the buffers and the
 * dictionary that its type has. */
alcore_status alcore__arrow_check(const alcore__arrow_type *type, const struct ArrowArray *array,
                                  int64_t rows);

/* Whether the value at an index (the array's offset included) is not null, by the array's own
 * validity bits. */
bool alcore__arrow_valid(const struct ArrowArray *array, int64_t index);

/* Reads the text of a row, counted from the array's offset on; *out is NULL for a null. It is a
 * view of the array, or of `digits` [ALCORE__ARROW_DIGITS] for a number. */
alcore_status alcore__arrow_text(const alcore__arrow_type *type, const struct ArrowArray *array,
                                 int64_t row, char *digits, const char **out, size_t *out_length);

/* *out: whether the value of a row is null, behind its dictionary too. */
alcore_status alcore__arrow_null(const alcore__arrow_type *type, const struct ArrowArray *array,
                                 int64_t row, bool *out);

/* *out: the number of a row, counted from the array's offset on; NaN for a null. */
alcore_status alcore__arrow_number(const alcore__arrow_type *type, const struct ArrowArray *array,
                                   int64_t row, double *out);

/* Whether the values are integers of 8 to 64 bits. */
bool alcore__arrow_is_integer(const alcore__arrow_type *type);
/* *out: the integer of a row; INT64_MIN for a null. ALCORE_E_DATA: int64 does not hold it. */
alcore_status alcore__arrow_integer(const alcore__arrow_type *type, const struct ArrowArray *array,
                                    int64_t row, int64_t *out);

#endif
