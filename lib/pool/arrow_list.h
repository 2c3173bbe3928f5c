/* SPDX-License-Identifier: Apache-2.0 */
/* The types of Arrow columns that become columns of a pool: numbers or texts, or lists of numbers
 * up to two deep, with the place of each list among the values of its child. */
#ifndef ALCORE__ARROW_LIST_H
#define ALCORE__ARROW_LIST_H

#include "pool/arrow_value.h"

enum { ALCORE__ARROW_DEPTH = 2 /* lists in lists that are read */ };

/* One level of lists. */
typedef struct alcore__arrow_list {
    char kind;      /* 'l' and 'L' lists with 32-bit and 64-bit offsets, 'v' and 'V' list views with
                       such, 'w' lists of one size */
    int64_t length; /* values of a list of kind 'w' */
} alcore__arrow_list;

/* The type of a column. */
typedef struct alcore__arrow_shape {
    const char *name;                              /* of the column, for messages */
    int32_t depth;                                 /* levels of lists */
    alcore__arrow_list lists[ALCORE__ARROW_DEPTH]; /* [depth] from the outside */
    alcore__arrow_type values;                     /* of the innermost values */
    bool texts;                                    /* these are texts; depth is 0 */
} alcore__arrow_shape;

/* Fills *out from the schema of a column, which has to live as long. name: of the column in
 * messages. A type that is not read is ALCORE_E_UNSUPPORTED, and named. */
alcore_status alcore__arrow_shape_read(alcore__arrow_shape *out, const struct ArrowSchema *schema,
                                       const char *name);

/* Checks that an array fits the shape: its buffers, children and lengths. Places of lists are
 * checked by alcore__arrow_list_at(). */
alcore_status alcore__arrow_shape_check(const alcore__arrow_shape *shape,
                                        const struct ArrowArray *array);

/* *out_first and *out_count: the values of list `row` of an array of level `level`, counted as the
 * array counts rows, from its offset on. *out_first is -1 for a null list. ALCORE_E_DATA: outside
 * the values that there are. */
alcore_status alcore__arrow_list_at(const alcore__arrow_shape *shape, int32_t level,
                                    const struct ArrowArray *array, int64_t row, int64_t *out_first,
                                    int64_t *out_count);

#endif
