/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays, types and streams of the Arrow C data interface that the library hands out.
 *
 * A table has fields, one a column, each with a function that makes the array of some rows. Its
 * stream makes a batch of ALCORE__ARROW_BATCH rows whenever the consumer asks for one, with the
 * pool locked for reading. Whatever is handed out has a reference to the context, whose allocator
 * frees it, and is released on its own, as the interface demands. */
#ifndef ALCORE__ARROW_OUT_H
#define ALCORE__ARROW_OUT_H

#include "alcore/arrow.h"
#include "base/base.h"

enum {
    ALCORE__ARROW_BATCH = 32768, /* rows of a batch */
    ALCORE__ARROW_LEVELS = 3     /* a list of fixed-size lists of numbers */
};

typedef struct alcore__arrow_field alcore__arrow_field;

/* What a stream is made of. */
typedef struct alcore__arrow_table {
    void *owner;                 /* the handle that fields read; the stream has a reference */
    alcore_pool *pool;           /* the owner, or one that it keeps: locked while a batch is made */
    int64_t rows;                /* of the whole table */
    alcore__arrow_field *fields; /* [count] owned */
    size_t capacity;
    int64_t count;
} alcore__arrow_table;

/* A column. */
struct alcore__arrow_field {
    char *name; /* owned */
    /* Types from the outside: the column's, that of the values of a list, ... [levels] */
    char formats[ALCORE__ARROW_LEVELS][24];
    int32_t levels;
    /* Makes the array of rows first .. first + count - 1. After a failure *out is released, or was
     * never made. */
    alcore_status (*fill)(const alcore__arrow_table *table, const alcore__arrow_field *field,
                          int64_t first, int64_t count, struct ArrowArray *out);
    int64_t number; /* which column of several with one function it is */
};

/* Adds a field with the formats [levels]; the name is copied. */
alcore_status alcore__arrow_table_add(alcore_ctx *ctx, alcore__arrow_table *table, const char *name,
                                      const alcore__arrow_field *field);
/* Makes *out the stream of a table, which is cleared whether it succeeds or not. The fields are
 * those that the options name, in their order. */
alcore_status alcore__arrow_table_open(alcore_ctx *ctx, alcore__arrow_table *table,
                                       const alcore_table_options *options,
                                       struct ArrowArrayStream *out);
void alcore__arrow_table_clear(alcore_ctx *ctx, alcore__arrow_table *table);

/* ---- arrays (arrow_array.c) ---- */

/* Makes *out an array without values yet: buffers are NULL, children are zeroed, to be filled in.
 * It is to be released, also where what follows fails. */
alcore_status alcore__arrow_array_new(alcore_ctx *ctx, int64_t length, int32_t buffers,
                                      int32_t children, struct ArrowArray *out);
/* *out: memory for a buffer of the array, which is not set. */
alcore_status alcore__arrow_array_buffer(struct ArrowArray *array, int32_t index, int64_t count,
                                         size_t bytes, void *out);
/* Makes memory of alcore__alloc() a buffer of the array, which then owns it. */
void alcore__arrow_array_give(struct ArrowArray *array, int32_t index, void *memory);
/* Makes value i a null. */
alcore_status alcore__arrow_array_null(struct ArrowArray *array, int64_t i);

/* The text of row i, counted from the first of a batch; NULL: null. It is read before the next
 * call. */
typedef const char *(*alcore__arrow_text_at)(void *user, int64_t i, size_t *out_length);
/* Makes *out an array of large strings. The function is called twice for each row. */
alcore_status alcore__arrow_texts(alcore_ctx *ctx, int64_t count, alcore__arrow_text_at text_at,
                                  void *user, struct ArrowArray *out);
/* Makes *out an array of int64, float64, ... without nulls; *out_values: their memory, for the
 * caller to fill. */
alcore_status alcore__arrow_values(alcore_ctx *ctx, int64_t count, size_t bytes,
                                   struct ArrowArray *out, void *out_values);

#endif
