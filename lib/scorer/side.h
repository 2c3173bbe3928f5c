/* SPDX-License-Identifier: Apache-2.0 */
/* A table of rows with columns by name: the pool or the labeled side, as scorers and strategies
 * see it. */
#ifndef ALCORE__SIDE_H
#define ALCORE__SIDE_H

#include "base/base.h"
#include "pool/column.h"

enum { ALCORE__SIDE_COLUMNS = 8 };

typedef struct alcore__side {
    alcore_pool *pool;   /* for the views of host functions; NULL: none */
    int64_t rows;        /* rows of the table; 0: there is no such side */
    const uint8_t *take; /* [rows] 1: the row takes part; NULL: all */
    int32_t column_count;
    struct {
        const char *name; /* borrowed */
        const alcore__column *column;
    } columns[ALCORE__SIDE_COLUMNS];
} alcore__side;

/* NULL: the side has none of that name. */
const alcore__column *alcore__side_find(const alcore__side *side, const char *name);
/* Puts a column in; ALCORE_E_INTERNAL when the side is full. name is kept as a pointer. */
alcore_status alcore__side_add(alcore__side *side, const char *name, const alcore__column *column);

#endif
