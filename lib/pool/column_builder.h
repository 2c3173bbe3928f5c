/* SPDX-License-Identifier: Apache-2.0 */
/* A column that is built row by row, in any order: the storage of column writers and of columns
 * read from text.
 *
 * Values are appended in the order in which they are put; `entry` finds those of a row. Finishing
 * sorts the entries by row, in place where all rows have the same number of values. Floats are
 * stored as float32 until the first float64 is put, then all are widened; integers are stored as
 * int64. */
#ifndef ALCORE__COLUMN_BUILDER_H
#define ALCORE__COLUMN_BUILDER_H

#include "pool/column_array.h"

/* Not thread-safe. */
typedef struct alcore__column_builder {
    alcore_ctx *ctx;
    int64_t pool_rows;
    int32_t shape;    /* ALCORE_COLUMN_* */
    int32_t dtype;    /* ALCORE_FLOAT32 or ALCORE_FLOAT64 (see above), or ALCORE_INT64 */
    int64_t dims;     /* values of a row or token; 0: not known yet */
    int64_t *entry;   /* [pool_rows] entry of a row, plus 1; 0: the row was not put */
    int64_t *rows;    /* [count] pool row of each entry */
    int64_t *offsets; /* [count + 1] first token of each entry; NULL unless ragged */
    char *values;     /* [stored, dims] of dtype; stored: tokens, or entries */
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
/* Puts all of the input or, on failure, nothing. */
alcore_status alcore__builder_put(alcore__column_builder *builder,
                                  const alcore__builder_input *input);
/* Sorts the entries by row; a cancelled call loses nothing and can be repeated. */
alcore_status alcore__builder_sort(alcore__column_builder *builder);
/* Gives the entries to the pool as a column. After a success the builder is empty; after a failure
 * it has the same entries, perhaps in another order. */
alcore_status alcore__builder_finish(alcore__column_builder *builder, alcore_pool *pool,
                                     const char *name, const char *origin,
                                     const alcore_column_options *options);

#endif
