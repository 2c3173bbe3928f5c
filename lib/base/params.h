/* SPDX-License-Identifier: Apache-2.0 */
/* Named parameters of scorers, strategies and requests: a table of rows describes them, and a set
 * of values has the present value of each, which is the default until it is set. */
#ifndef ALCORE__PARAMS_H
#define ALCORE__PARAMS_H

#include <stddef.h>

#include "alcore/param.h"
#include "base/base.h"

/* The numbers of a parameter that is a list: a view, until it is set again. */
typedef struct alcore__numbers {
    const double *values; /* [count]; NULL for a word that stands in their place */
    int64_t count;
} alcore__numbers;

/* The member of a struct that a parameter is bound to: alcore__values_bind() writes the value
 * there. A member that is misspelt, or of another type than those below, does not compile. */
typedef struct alcore__member {
    int32_t of;   /* which struct, from 1: a table may be bound to several; 0: to none */
    int32_t type; /* ALCORE__IS_* */
    size_t offset;
} alcore__member;
enum {
    ALCORE__IS_BOOL, /* flags, and choices of two words: whether it is the second one */
    ALCORE__IS_INT32,
    ALCORE__IS_INT64, /* integers, choices by their index */
    ALCORE__IS_DOUBLE,
    ALCORE__IS_TEXT, /* const char *, a view until the parameter is set again */
    ALCORE__IS_NUMBERS
};
#define ALCORE__BY_NAME                                                                            \
    { 0, 0, 0 }
#define ALCORE__MEMBER_TYPE(member)                                                                \
    _Generic((member), bool                                                                        \
             : ALCORE__IS_BOOL, int32_t                                                            \
             : ALCORE__IS_INT32, int64_t                                                           \
             : ALCORE__IS_INT64, double                                                            \
             : ALCORE__IS_DOUBLE, const char *                                                     \
             : ALCORE__IS_TEXT, alcore__numbers                                                    \
             : ALCORE__IS_NUMBERS)
#define ALCORE__MEMBER(number, type, member)                                                       \
    { (number), ALCORE__MEMBER_TYPE(((type *)0)->member), offsetof(type, member) }

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
    alcore__member member;   /* where the value goes; ALCORE__BY_NAME: nowhere */
} alcore__param;

/* A row that several tables share, written as a call. */
#define ALCORE__PARAM(name, type, initial, minimum, maximum, choices, help, ...)                   \
    { name, ALCORE_PARAM_##type, initial, minimum, maximum, choices, help, __VA_ARGS__ }

typedef struct alcore__param_table {
    const alcore__param *rows; /* [count] static */
    int32_t count;
} alcore__param_table;
#define ALCORE__PARAM_TABLE(rows)                                                                  \
    { rows, (int32_t)(sizeof(rows) / sizeof(rows[0])) }
/* The same in the place where it is named, outside of functions: its address. */
#define ALCORE__PARAMS(rows) (&(const alcore__param_table)ALCORE__PARAM_TABLE(rows))

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
/* Writes the values of all parameters that are bound to struct number `of` to the members of *out;
 * other members stay. values may be NULL. */
void alcore__values_bind(const alcore__values *values, int32_t of, void *out);
/* The number of a list for a round, counted from 1; rounds after the end of the list have its last
 * number. NaN for an empty list. */
double alcore__number_of_round(alcore__numbers numbers, int64_t round);
/* A value by the name of its parameter, for flags and choices too; 0 for one that is not there. */
int64_t alcore__values_integer(const alcore__values *values, const char *name);

/* Body of the public alcore_x_param(): ALCORE_E_NOT_FOUND past the last. */
alcore_status alcore__param_info(const alcore__param_table *table, int64_t index,
                                 alcore_param_info *out);

#endif
