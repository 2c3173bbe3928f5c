/* SPDX-License-Identifier: Apache-2.0 */
/* Named parameters of scorers, strategies and requests: a table of rows describes them, and a set
 * of values has the present value of each, which is the default until it is set. */
#ifndef ALCORE__PARAMS_H
#define ALCORE__PARAMS_H

#include "alcore/param.h"
#include "base/base.h"

/* One row of a table. choices: the words of ALCORE_PARAM_CHOICE ("a|b|c"); for an integer or a
 * number the words that may stand in its place ("all"): they read as 0 for an integer, NaN for a
 * number, an empty list for numbers. */
typedef struct alcore__param {
    const char *name;
    int32_t type;            /* ALCORE_PARAM_* */
    const char *initial;     /* the default, as a text */
    double minimum, maximum; /* bounds of integers and numbers, inclusive; infinite: no bound */
    const char *choices;     /* words; see above; NULL: none */
    const char *help;        /* one line for the user */
} alcore__param;

typedef struct alcore__param_table {
    const alcore__param *rows; /* [count] static */
    int32_t count;
} alcore__param_table;
#define ALCORE__PARAM_TABLE(rows)                                                                  \
    { rows, (int32_t)(sizeof(rows) / sizeof(rows[0])) }

/* The value of one parameter. */
typedef struct alcore__value {
    char *text;      /* as it is reported: the default or what was set, owned */
    double number;   /* numbers and integers; of a list the first; NaN for a word in their place */
    int64_t integer; /* integers; flags: 0 or 1; choices: index among them */
    double *numbers; /* [number_count] ALCORE_PARAM_NUMBERS, owned; NULL for a word in its place */
    int64_t number_count;
} alcore__value;

/* The values of a table. A struct of zeros has no table and no values. */
typedef struct alcore__values {
    const alcore__param_table *table;
    alcore__value *values; /* [table->count] */
} alcore__values;

/* Gives every parameter of a table its default; table may be NULL. */
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
/* *out: the value of a parameter that is a list of numbers, a view until it is set again;
 * ALCORE_E_PARAM for another type and as alcore__values_get(). */
alcore_status alcore__values_list(const alcore__values *values, const char *owner, const char *name,
                                  alcore__value **out);
/* Whether the table has the parameter. The functions below give 0, NaN or "" for one that is not
 * there. */
bool alcore__values_has(const alcore__values *values, const char *name);
int64_t alcore__values_integer(const alcore__values *values,
                               const char *name); /* flags and choices too */
double alcore__values_number(const alcore__values *values, const char *name);
/* The number of a list for a round, counted from 1; rounds after the end of the list have its last
 * number. */
double alcore__values_of_round(const alcore__values *values, const char *name, int64_t round);
/* A view of all numbers of a list, [*count]; NULL and 0 for a word that stands in its place. */
const double *alcore__values_numbers(const alcore__values *values, const char *name,
                                     int64_t *count);
const char *alcore__values_text(const alcore__values *values, const char *name);

/* Body of the public alcore_x_param(): ALCORE_E_NOT_FOUND past the last. */
alcore_status alcore__param_info(const alcore__param_table *table, int64_t index,
                                 alcore_param_info *out);

#endif
