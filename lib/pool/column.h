/* SPDX-License-Identifier: Apache-2.0 */
/* A column of a pool as the layers above see it: blocks of rows, wherever the numbers live. */
#ifndef ALCORE__COLUMN_H
#define ALCORE__COLUMN_H

#include "alcore/pool.h"
#include "alcore/sys/kernel.h"

/* Memory a reader of blocks keeps between calls; one per thread; all-zero is empty. */
typedef struct alcore__scratch {
    void *values, *offsets;
    size_t values_bytes, offsets_bytes;
    void *user; /* of a generated column: its own per-thread state */
    void (*user_free)(alcore_ctx *ctx, void *user);
} alcore__scratch;
void alcore__scratch_clear(alcore_ctx *ctx, alcore__scratch *scratch);

typedef struct alcore__column alcore__column;

/* How a column reads a run of pool rows. Thread-safe; results live in the column or in scratch,
 * until scratch is used again. */
typedef struct alcore__column_ops {
    /* Dense columns and scalars (dims = 1). Rows without a value (see alcore__column_mapped) come
     * as NaN. */
    alcore_status (*rows)(const alcore__column *column, int64_t first, int64_t count,
                          alcore__scratch *scratch, alcore_sys_rows *out);
    /* Ragged columns. offsets of out are absolute or relative, as alcore_sys_ragged says. */
    alcore_status (*ragged)(const alcore__column *column, int64_t first, int64_t count,
                            alcore__scratch *scratch, alcore_sys_ragged *out);
    void (*release)(alcore__column *column); /* frees what data points to */
} alcore__column_ops;

struct alcore__column {
    const alcore__column_ops *ops;
    alcore_ctx *ctx; /* not counted: the pool holds it */
    char *name;
    char *origin;       /* who made it: "given", a path, "model ngram ..." */
    const char *engine; /* that ran the model which made it, valid for ever; NULL: no model did */
    int64_t row_count;  /* entries: the pool's rows when it was set */
    int64_t dims;       /* numbers of a row, or of a token */
    int32_t dtype;      /* ALCORE_FLOAT32, ... */
    int32_t meaning;    /* ALCORE_MEANS_* */
    double log_scale;   /* multiply stored log-probabilities by this: log(base), 1 for natural */
    bool ragged;
    bool in_file;                /* blocks are read from a file */
    void *data;                  /* of ops */
    struct alcore__row_map *map; /* which entry is a row's; owned; NULL: entry i is row i's */
};

/* Releases a column that no pool owns (yet): its data, map, strings and itself. NULL-safe. */
void alcore__column_free(alcore__column *column);
/* NULL when the pool has none of that name. */
const alcore__column *alcore__pool_find_column(const alcore_pool *pool, const char *name);
/* Puts a column made by the caller (a generated one, a finished writer's) into the pool, replacing
 * one of that name; on success the pool owns column (allocated with alcore__alloc) and will release
 * it. */
alcore_status alcore__pool_put_column(alcore_pool *pool, alcore__column *column);
/* Hash of the values with their shape and meaning; of more than 64 blocks, 64 spread evenly. */
alcore_status alcore__column_fingerprint(const alcore__column *column, uint64_t *out);
/* Whether the row has a value: false for rows outside alcore_column_options.rows, and for rows
 * added after the column was set. */
bool alcore__column_has(const alcore__column *column, int64_t row);

#endif
