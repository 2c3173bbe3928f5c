/* SPDX-License-Identifier: Apache-2.0 */
/* A column that is built row by row, in any order: the storage of column writers and of columns
 * read from text.
 *
 * Values are appended in the order in which they are put; `entry` finds those of a row. Finishing
 * sorts the entries by row, in place where all rows have the same number of values. Floats are
 * stored as float32 until the first float64 is put, then all are widened; integers are stored as
 * int64.
 *
 * Values that are given on a CUDA device can be kept in memory of that device instead, in the type
 * that they have, as long as all that is put is on the same device and of the same type
 * (column_builder_device.c). */
#ifndef ALCORE__COLUMN_BUILDER_H
#define ALCORE__COLUMN_BUILDER_H

#include "pool/column_array.h"

/* Not thread-safe. */
typedef struct alcore__column_builder {
    alcore_ctx *ctx;
    int64_t pool_rows;
    int32_t shape;    /* ALCORE_COLUMN_* */
    int32_t dtype;    /* ALCORE_FLOAT32 or ALCORE_FLOAT64 (see above), or ALCORE_INT64; on a device
                         the type of what was put */
    int64_t dims;     /* values of a row or token; 0: not known yet */
    int64_t *entry;   /* [pool_rows] entry of a row, plus 1; 0: the row was not put */
    int64_t *rows;    /* [count] pool row of each entry */
    int64_t *offsets; /* [count + 1] first token of each entry; NULL unless ragged */
    char *values;     /* [stored, dims] of dtype; stored: tokens, or entries; on a device NULL */
    /* Memory of the device of engine for held.rows.count rows of dims values of dtype, of which
     * `stored` have values; held.memory NULL: the values are on the host. */
    alcore__engine engine;
    alcore_sys_held held;
    size_t rows_capacity, offsets_capacity; /* of the arrays, in entries */
    size_t values_capacity;                 /* in bytes */
    int64_t count;                          /* entries */
    int64_t repeats; /* values that were put for a row which had some, and were dropped */
} alcore__column_builder;

/* Values to put: the rows of a matrix [value_rows, dims], of which rows[i] gets the next lengths[i]
 * (or, unless ragged, the next one). */
typedef struct alcore__builder_input {
    const int64_t *rows; /* [count] pool rows */
    int64_t count;
    const char *values; /* [value_rows, dims], borrowed; not looked at with fetch */
    int64_t strides[2]; /* bytes from a row of the matrix to the next, from a value to the next */
    int64_t value_rows, dims; /* value_rows: the sum of lengths, or count */
    int32_t dtype;            /* a float or integer type */
    const int64_t *lengths;   /* [count] tokens of each row; NULL unless ragged */
    /* Values that are not in host memory: sets *out to rows first .. first + count - 1 of the
     * matrix, in host memory until the next call, with the strides above; count is fetch_rows, 1 or
     * more, or what is left. NULL: values is the matrix. */
    alcore_status (*fetch)(void *user, int64_t first, int64_t count, const char **out);
    void *fetch_user;
    int64_t fetch_rows;
} alcore__builder_input;

/* An array on a device as input of a builder: the host reads it in blocks of at most 1 MiB, or one
 * row. */
typedef struct alcore__device_input {
    alcore__engine engine; /* of its device; the array was ready when it was opened */
    alcore__array array;   /* [value_rows, dims], adjacent numbers in a row */
    void *block;           /* [fetch_rows, dims] on the host, which the caller frees */
} alcore__device_input;
/* Describes the array in *input, but for rows, count and lengths, and allocates the block; *self is
 * to stay where it is while the input is used. */
alcore_status alcore__device_input_open(alcore__device_input *self, alcore_ctx *ctx,
                                        alcore__builder_input *input);

/* Begins an empty column of the given shape (ALCORE_COLUMN_*); free what a builder owns. */
alcore_status alcore__builder_init(alcore__column_builder *builder, alcore_ctx *ctx,
                                   int64_t pool_rows, int32_t shape);
void alcore__builder_clear(alcore__column_builder *builder);
static inline bool alcore__builder_ragged(const alcore__column_builder *builder) {
    return builder->offsets;
}
/* Number of tokens (of entries, unless ragged) that are stored: the rows of values. */
static inline int64_t alcore__builder_stored(const alcore__column_builder *builder) {
    return builder->offsets ? builder->offsets[builder->count] : builder->count;
}
/* Allocates for `entries` entries more, with value_rows rows of dims values of this type; putting
 * them cannot fail afterwards. */
alcore_status alcore__builder_reserve(alcore__column_builder *builder, int64_t entries,
                                      int64_t value_rows, int64_t dims, int32_t dtype);
/* Puts all of the input or, on failure, nothing. Values on a device come to the host first. */
alcore_status alcore__builder_put(alcore__column_builder *builder,
                                  const alcore__builder_input *input);
/* The same for values [rows, columns] on the device of engine, which are copied to memory of it
 * that the builder owns. *out_put is false, and nothing was put, where they have to go through the
 * host: what was put before is there, on another device or of another type, the values are
 * integers, or the device has too little memory, which is logged. name: of the column. Of the input
 * values, strides and fetch are not looked at. */
alcore_status alcore__builder_put_there(alcore__column_builder *builder, const char *name,
                                        const alcore__builder_input *input,
                                        const alcore__array *values, const alcore__engine *engine,
                                        bool *out_put);
/* Moves values that are on a device to the host; nothing is lost after a failure. */
alcore_status alcore__builder_bring(alcore__column_builder *builder);
/* Gives the entries to the pool as a column. After a success the builder is empty; after a failure
 * it has the same entries, perhaps in another order. */
alcore_status alcore__builder_finish(alcore__column_builder *builder, alcore_pool *pool,
                                     const char *name, const char *origin,
                                     const alcore_column_options *options);

#endif
