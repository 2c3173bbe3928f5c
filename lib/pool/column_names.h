/* SPDX-License-Identifier: Apache-2.0 */
/* The columns whose names have a meaning, with their shapes and the kind of their values. The table
 * in column_names.c is the only list of them; bindings/gen reads it for the bindings. */
#ifndef ALCORE__COLUMN_NAMES_H
#define ALCORE__COLUMN_NAMES_H

#include <stdbool.h>

#include "alcore/pool_column.h"

/* Who gives a column of such a name. */
enum {
    ALCORE__COLUMN_INPUT = 0,  /* users and models, as input of strategies and scorers */
    ALCORE__COLUMN_DERIVED = 1 /* the maker of a derived pool: where its rows came from */
};

/* What its values are. */
enum {
    ALCORE__COLUMN_FLOATS = 0,
    ALCORE__COLUMN_INTEGERS = 1,
    ALCORE__COLUMN_TEXTS = 2,
    ALCORE__COLUMN_NUMBERS =
        3 /* integers, as integers or as floats, which lists of numbers become */
};

/* In place of a shape: one number a row or one a token, as the array that is given has it; or a
 * text a row. */
enum { ALCORE__COLUMN_ANY_SHAPE = -1 };

typedef struct alcore__column_name {
    const char *name;
    int32_t shape;  /* ALCORE_COLUMN_*, the usual one, or ALCORE__COLUMN_ANY_SHAPE; set_column also
                      takes others */
    int32_t role;   /* ALCORE__COLUMN_INPUT or _DERIVED */
    int32_t values; /* ALCORE__COLUMN_FLOATS, _INTEGERS (int32 or int64), _TEXTS or _NUMBERS */
    bool is_row;    /* the values are row numbers of the derived pool's source */
} alcore__column_name;

/* Columns with the role ALCORE__COLUMN_INPUT; a test counts them. */
enum { ALCORE__COLUMN_INPUTS = 16 };

/* The entry of an input, index from 0 to ALCORE__COLUMN_INPUTS - 1. */
const alcore__column_name *alcore__column_name_input(int32_t index);

/* The entry of a name; NULL for a name without a meaning, whose values may be of any kind. */
const alcore__column_name *alcore__column_name_find(const char *name);

/* ALCORE_E_SHAPE when a column of this name cannot hold values of this dtype (ALCORE_TEXT
 * included); `context` names the array in the message: "column \"scores\"", or a path. */
alcore_status alcore__column_check_dtype(const char *context, const char *name, int32_t dtype);

/* ALCORE_E_INVALID when the numbers of a column of this name cannot mean that (ALCORE_MEANS_*), or
 * are no logarithms whose base can be said (0: it is not said): a strategy would read them as
 * something else without a word. Any meaning and base go with a name that has none itself. */
alcore_status alcore__column_check_meaning(const char *name, int32_t meaning, double log_base);

/* Whether the usual shape of the name has one entry per token. */
bool alcore__column_name_is_ragged(const char *name);

#endif
