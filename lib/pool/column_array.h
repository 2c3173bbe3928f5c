/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that are arrays, in memory or in a file: what the files of this folder that make them
 * share. */
#ifndef ALCORE__COLUMN_ARRAY_H
#define ALCORE__COLUMN_ARRAY_H

#include "pool/column_names.h"
#include "pool/number_type.h"
#include "pool/pool_state.h"
#include "pool/row_map.h"

/* Copies and checks the caller's options. *out_entries is the number of entries that a column of
 * this pool has under them: the rows of options, or all rows of the pool. */
alcore_status alcore__column_options_read(const alcore_pool *pool,
                                          const alcore_column_options *theirs,
                                          alcore_column_options *ours, int64_t *out_entries);

/* A column of the pool with its name, map, meaning and base, without values yet. */
alcore_status alcore__column_new(alcore_pool *pool, const char *name, const char *origin,
                                 const alcore_column_options *options, alcore__column **out);

/* Checks a caller's tensor for a column: host memory, 1 or 2 dimensions. Error texts name the
 * column. */
alcore_status alcore__column_tensor(const char *name, const alcore_tensor *tensor,
                                    alcore__array *out);

/* For the columns "first_row" and "source_rows" of a derived pool: ALCORE_E_NOT_FOUND when one of
 * the integers values[0 .. count - 1] is no row of the source pool. Other columns and other pools
 * pass. */
alcore_status alcore__column_check_source_rows(const alcore_pool *pool, const char *name,
                                               int32_t dtype, const char *values, int64_t count);

/* Values in memory: entry (or token) i begins at values + i * stride * sizeof(value). */
typedef struct alcore__memory_array {
    const char *values;
    int64_t stride;                     /* values from an entry (or token) to the next */
    const int64_t *offsets;             /* [entries + 1] of a ragged column, else NULL */
    void *owned_values, *owned_offsets; /* what to free; NULL: the caller's arrays are used */
    void (*release)(void *user);        /* of the caller, called when the array goes; or NULL */
    void *release_user;
    int64_t shape[2], strides[2], offsets_shape[1]; /* what views of the column point to */
} alcore__memory_array;
/* Makes column one in memory. On success the column owns the array's content. entries: of values
 * (tokens for a ragged column). */
alcore_status alcore__column_set_memory(alcore__column *column, const alcore__memory_array *array,
                                        int64_t entries);
/* The array of a column in memory, NULL for any other column. */
alcore__memory_array *alcore__column_memory(const alcore__column *column);
/* Frees what the array owns and calls release. */
void alcore__memory_array_clear(alcore_ctx *ctx, alcore__memory_array *array);

/* Copies entries (or tokens) entry .. entry + count - 1 to destination, without gaps. */
typedef alcore_status (*alcore__fetch)(const alcore__column *column, int64_t entry, int64_t count,
                                       char *destination);
/* Bodies of alcore__column_ops for columns whose entries of consecutive rows do not follow one
 * another: the block is put together in scratch, run by run. */
alcore_status alcore__gather_rows(const alcore__column *column, int64_t first, int64_t count,
                                  alcore__fetch fetch, alcore__scratch *scratch,
                                  alcore_sys_rows *out);
alcore_status alcore__gather_ragged(const alcore__column *column, int64_t first, int64_t count,
                                    const int64_t *offsets, alcore__fetch fetch,
                                    alcore__scratch *scratch, alcore_sys_ragged *out);

/* Makes column one in a file, whose values begin at byte `start`. On success the column owns file
 * and offsets (int64 [entries + 1] from alcore__alloc; NULL: one entry per row). */
alcore_status alcore__column_set_file(alcore__column *column, alcore__file *file, int64_t start,
                                      int64_t *offsets);

/* Checks the offsets of `entries` rows into `tokens` tokens: the first is 0, none is less than the
 * one before it, the last is `tokens`. */
alcore_status alcore__offsets_check(const char *name, const int64_t *offsets, int64_t entries,
                                    int64_t tokens);

/* Grows one of the two blocks of scratch to count * bytes bytes; its content is lost. *capacity is
 * its size. */
alcore_status alcore__scratch_reserve(alcore_ctx *ctx, void **memory, size_t *capacity,
                                      int64_t count, size_t bytes);

#endif
