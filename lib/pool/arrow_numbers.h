/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of Arrow arrays as the values of a column: copied in the type that the column has, or
 * used where they lie. */
#ifndef ALCORE__ARROW_NUMBERS_H
#define ALCORE__ARROW_NUMBERS_H

#include "pool/arrow_list.h"

/* How the lists of a column are read. */
typedef enum alcore__arrow_lists {
    ALCORE__LISTS_VECTORS, /* one vector a row; all have one length */
    ALCORE__LISTS_TOKENS   /* any number of tokens a row; of lists of lists each is a vector */
} alcore__arrow_lists;

/* The values of a column, and the memory that they are in. A struct of zeros is empty. */
typedef struct alcore__arrow_numbers {
    int32_t dtype;         /* ALCORE_FLOAT32, ... */
    int64_t rows;          /* entries */
    int64_t count;         /* values of all */
    int64_t width;         /* values of a row, or of a token */
    bool vectors;          /* a row, or a token, is a vector, also one of width 1 */
    const void *values;    /* [count] in buffer, or in an array */
    alcore__buffer buffer; /* owned */
    bool in_place;         /* values are in the only array, which has to live as long */
    int64_t *offsets;      /* [rows + 1] owned: where the tokens of a row begin; NULL: not ragged */
} alcore__arrow_numbers;

/* Reads all rows of arrays [count] that were checked by alcore__arrow_shape_check(). lists: how
 * lists are read; floats: integers become float64; in_place: values may stay where they are. What
 * *out owns is the caller's to clear, also after a failure. */
alcore_status alcore__arrow_numbers_read(alcore_ctx *ctx, const alcore__arrow_shape *shape,
                                         const struct ArrowArray *const *arrays, int64_t count,
                                         alcore__arrow_lists lists, bool floats, bool in_place,
                                         alcore__arrow_numbers *out);
void alcore__arrow_numbers_clear(alcore_ctx *ctx, alcore__arrow_numbers *numbers);

#endif
