/* SPDX-License-Identifier: Apache-2.0 */
/* Named parameters: a table of rows says what there is, a set of values holds what was asked for.
 * Shared by scorers, strategies and requests; it stands in the lowest of the three folders. */
#ifndef ALCORE__PARAMS_H
#define ALCORE__PARAMS_H

#include "alcore/param.h"
#include "base/base.h"

/* One row of a table. choices: the words of ALCORE_PARAM_CHOICE ("a|b|c"); for an integer or a
 * number the words that may stand in its place ("all"): they read as 0 for an integer, NaN for a
 * number, an empty list for numbers. */
typedef struct alcore__param {
    const char *name;
    int32_t type; /* ALCORE_PARAM_* */
    const char *initial;
    double minimum, maximum; /* of integers and numbers, both allowed */
    const char *choices;
    const char *help;
} alcore__param;

typedef struct alcore__param_table {
    const alcore__param *rows;
    int32_t count;
} alcore__param_table;
#define ALCORE__PARAM_TABLE(rows)                                                                  \
    { rows, (int32_t)(sizeof(rows) / sizeof(rows[0])) }

typedef struct alcore__value {
    char *text; /* as it is reported: the default or what was set, owned */
    double number;
    int64_t integer; /* flags: 0 or 1; choices: index among them */
    double *numbers; /* ALCORE_PARAM_NUMBERS, owned */
    int64_t number_count;
} alcore__value;

/* Values of a table; all-zero is empty. */
typedef struct alcore__values {
    const alcore__param_table *table;
    alcore__value *values; /* [table->count] */
} alcore__values;

/* Begins with every default. */
alcore_status alcore__values_new(alcore_ctx *ctx, const alcore__param_table *table,
                                 alcore__values *out);
void alcore__values_clear(alcore_ctx *ctx, alcore__values *values);
/* ALCORE_E_PARAM names `owner` ("strategy huds"), the nearest name or the bounds; the old value
 * stays on failure. */
alcore_status alcore__values_set(alcore_ctx *ctx, alcore__values *values, const char *owner,
                                 const char *name, const char *text);
/* The present text of a parameter, a view until it is set again; ALCORE_E_PARAM names the nearest
 * name for one that is not there. */
alcore_status alcore__values_get(const alcore__values *values, const char *owner, const char *name,
                                 const char **out_text);
/* Whether the table has the parameter. The functions below give 0, NaN or "" for one that is not
 * there. */
bool alcore__values_has(const alcore__values *values, const char *name);
int64_t alcore__values_integer(const alcore__values *values,
                               const char *name); /* flags and choices too */
double alcore__values_number(const alcore__values *values, const char *name);
double alcore__values_of_round(const alcore__values *values, const char *name,
                               int64_t round); /* from 1; the last stays */
/* All of a list: none for a word that stands in its place. */
const double *alcore__values_numbers(const alcore__values *values, const char *name,
                                     int64_t *count);
const char *alcore__values_text(const alcore__values *values, const char *name);

/* Body of the public alcore_x_param(): ALCORE_E_NOT_FOUND past the last. */
alcore_status alcore__param_info(const alcore__param_table *table, int32_t index,
                                 alcore_param_info *out);

#endif
