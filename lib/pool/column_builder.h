/* SPDX-License-Identifier: Apache-2.0 */
/* A column that is put together row by row, in any order: the storage of column writers and of
 * columns read from text. */
#ifndef ALCORE__COLUMN_BUILDER_H
#define ALCORE__COLUMN_BUILDER_H

#include "pool/column_array.h"

/* Entries stand in the order in which they came. Not thread-safe. */
typedef struct alcore__column_builder {
    alcore_ctx *ctx;
    int64_t pool_rows;
    int32_t shape;    /* ALCORE_COLUMN_* */
    int32_t dtype;    /* ALCORE_FLOAT32, or ALCORE_FLOAT64 once a float64 came */
    int64_t dims;     /* numbers of a row or token; 0: not known yet */
    int64_t *entry;   /* [pool_rows] entry of a row + 1; 0: none yet */
    int64_t *rows;    /* [count] pool row of each entry */
    int64_t *offsets; /* [count + 1] where the tokens of each entry begin; NULL unless ragged */
    char *values;
    size_t rows_capacity, offsets_capacity, values_capacity;
    int64_t count;
    int64_t repeats; /* rows that came again; their first value stays */
} alcore__column_builder;

/* Numbers to put: lengths[i] (or one) rows of the array for rows[i], in order. */
typedef struct alcore__builder_input {
    const int64_t *rows;
    int64_t count;
    const char *values;
    int64_t strides[2]; /* bytes from a row of the array to the next, from a number to the next */
    int64_t value_rows, dims;
    int32_t dtype;
    const int64_t *lengths; /* NULL unless ragged */
} alcore__builder_input;

alcore_status alcore__builder_init(alcore__column_builder *builder, alcore_ctx *ctx,
                                   int64_t pool_rows, int32_t shape);
void alcore__builder_clear(alcore__column_builder *builder);
static inline bool alcore__builder_ragged(const alcore__column_builder *builder) {
    return builder->offsets != NULL;
}
/* Tokens (or entries) stored. */
static inline int64_t alcore__builder_stored(const alcore__column_builder *builder) {
    return builder->offsets != NULL ? builder->offsets[builder->count] : builder->count;
}
/* Makes room for entries with value_rows rows of numbers of dims, of this type or wider; after that
 * putting them cannot fail. */
alcore_status alcore__builder_reserve(alcore__column_builder *builder, int64_t entries,
                                      int64_t value_rows, int64_t dims, int32_t dtype);
/* Puts all of the input or, on failure, nothing. */
alcore_status alcore__builder_put(alcore__column_builder *builder,
                                  const alcore__builder_input *input);
/* Sorts the entries by row. */
alcore_status alcore__builder_sort(alcore__column_builder *builder);
/* Gives the entries to the pool as a column; on success the builder is empty, on failure unchanged.
 */
alcore_status alcore__builder_finish(alcore__column_builder *builder, alcore_pool *pool,
                                     const char *name, const char *origin,
                                     const alcore_column_options *options);

#endif
