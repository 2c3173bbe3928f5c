/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that are arrays, in memory or in a file: what their makers share. */
#ifndef ALCORE__COLUMN_ARRAY_H
#define ALCORE__COLUMN_ARRAY_H

#include "pool/number_type.h"
#include "pool/pool_state.h"
#include "pool/row_map.h"

/* Reads the options, checks them and gives the number of entries that a column of this pool has
 * under them. */
alcore_status alcore__column_options_read(const alcore_pool *pool,
                                          const alcore_column_options *theirs,
                                          alcore_column_options *ours, int64_t *out_entries);

/* A column of the pool with its name, map, meaning and base, without numbers yet. */
alcore_status alcore__column_new(alcore_pool *pool, const char *name, const char *origin,
                                 const alcore_column_options *options, alcore__column **out);

/* A caller's tensor for a column, in host memory; error texts name the column. */
alcore_status alcore__column_tensor(const char *name, const alcore_tensor *tensor,
                                    alcore__array *out);
bool alcore__is_float(int32_t dtype);
alcore_status alcore__column_check_dtype(const char *name, int32_t dtype);

/* The column of a name, ALCORE_E_NOT_FOUND with the nearest name when there is none. */
alcore_status alcore__pool_get_column(const alcore_pool *pool, const char *name,
                                      const alcore__column **out);

/* Numbers in memory: entry i lies at values + i * stride numbers. */
typedef struct alcore__memory_array {
    const char *values;
    int64_t stride;                        /* numbers from an entry (or token) to the next */
    const int64_t *offsets;                /* [entries + 1] of a ragged column, else NULL */
    void *owned_values, *owned_offsets;    /* what to free */
    struct alcore__dlpack_tensor *managed; /* what to give back */
    int64_t shape[2], strides[2], offsets_shape[1]; /* for views */
} alcore__memory_array;
/* Makes column one in memory; on success the column owns array's content. entries: of values
 * (tokens for a ragged one). */
alcore_status alcore__column_set_memory(alcore__column *column, const alcore__memory_array *array,
                                        int64_t entries);
/* The array of a column in memory, NULL for any other column. */
const alcore__memory_array *alcore__column_memory(const alcore__column *column);
void alcore__memory_array_clear(alcore_ctx *ctx, alcore__memory_array *array);

/* Copies entries (or tokens) entry .. entry + count - 1 to `to`, without room between them. */
typedef alcore_status (*alcore__fetch)(const alcore__column *column, int64_t entry, int64_t count,
                                       char *to);
/* Body of alcore__column_ops for entries that lie apart; rows without a value come as NaN, or
 * without tokens. */
alcore_status alcore__gather_rows(const alcore__column *column, int64_t first, int64_t count,
                                  alcore__fetch fetch, alcore__scratch *scratch,
                                  alcore_sys_rows *out);
alcore_status alcore__gather_ragged(const alcore__column *column, int64_t first, int64_t count,
                                    const int64_t *offsets, alcore__fetch fetch,
                                    alcore__scratch *scratch, alcore_sys_ragged *out);

/* Makes column one in a file, whose numbers begin at byte start; on success the column owns file
 * and offsets (int64 [entries + 1] from alcore__alloc; NULL: one entry per row). */
alcore_status alcore__column_set_file(alcore__column *column, alcore__file *file, int64_t start,
                                      int64_t *offsets);

/* Checks offsets of entries rows into tokens tokens: 0 first, rising, tokens last. */
alcore_status alcore__offsets_check(const char *name, const int64_t *offsets, int64_t entries,
                                    int64_t tokens);

/* Makes *memory hold count * bytes bytes; what was in it is lost. */
alcore_status alcore__scratch_room(alcore_ctx *ctx, void **memory, size_t *have, int64_t count,
                                   size_t bytes);

#endif
