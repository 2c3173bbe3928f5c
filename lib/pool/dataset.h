/* SPDX-License-Identifier: Apache-2.0 */
/* A dataset: the rows of one role of a request (candidates, labeled, target) as scorers and
 * strategies read them: how many rows, which of them take part, and the columns by name. A dataset
 * borrows all of it; the request that fills it outlives every user. */
#ifndef ALCORE__DATASET_H
#define ALCORE__DATASET_H

#include "base/base.h"
#include "pool/column.h"

/* Capacity of a dataset; the registry test checks that no strategy or scorer needs more. */
enum { ALCORE__DATASET_COLUMNS = 16 };

struct alcore__kept_tokens;

typedef struct alcore__dataset {
    alcore_pool *pool;   /* for the views of host functions; NULL: the rows belong to no pool */
    int64_t rows;        /* rows of the pool; 0: the request has no pool in this role */
    const uint8_t *mask; /* [rows] 1: the row takes part; NULL: every row does */
    struct alcore__kept_tokens
        *tokens; /* of some of its texts, which a reader may drop; NULL: of none */
    int32_t column_count;
    struct {
        const char *name; /* borrowed, lives as long as the dataset */
        const alcore__column *column;
    } columns[ALCORE__DATASET_COLUMNS];
} alcore__dataset;

/* The column of a name, NULL when the dataset has none. */
const alcore__column *alcore__dataset_find(const alcore__dataset *dataset, const char *name);

/* Whether a need, "a" or "a|b|c" for any one of three columns, names the column. */
bool alcore__need_names(const char *need, const char *name);

/* Capacity for the name of a column in a need, NUL included. */
enum { ALCORE__NEED_BYTES = 32 };
/* *out: a copy of the needs of a host's function, a list that ends with NULL (NULL: none), which
 * the caller frees, also after a failure. ALCORE_E_INVALID for a need with a longer name. */
alcore_status alcore__needs_copy(alcore_ctx *ctx, const char *const *needs, char ***out);
void alcore__needs_free(alcore_ctx *ctx, char **needs);

/* Adds a column; the name is kept as a pointer. ALCORE_E_INTERNAL when the dataset is full. */
alcore_status alcore__dataset_add(alcore__dataset *dataset, const char *name,
                                  const alcore__column *column);

#endif
