/* SPDX-License-Identifier: Apache-2.0 */
/* One side of a search: runs of rows of a matrix or of a pool's column. */
#ifndef ALCORE__SEARCH_SIDE_H
#define ALCORE__SEARCH_SIDE_H

#include "alcore/search.h"
#include "base/base.h"
#include "base/tensor_view.h"
#include "kernel/kernel_engine.h"
#include "pool/column.h"

typedef struct alcore__search_side {
    alcore_ctx *ctx;
    const char *name;  /* "rows", "queries", "others" */
    alcore_pool *pool; /* being read; NULL: a matrix */
    const alcore__column *column;
    alcore__array matrix;
    int64_t count, dims;
    int32_t unit;
    const uint8_t *take; /* NULL: no row is left out */
    uint8_t *own_take;
} alcore__search_side;

/* Takes what the caller gave; alcore__search_side_end() in any case. */
alcore_status alcore__search_side_begin(alcore_ctx *ctx, const alcore_search_side *given,
                                        const char *name, alcore__search_side *out);
void alcore__search_side_end(alcore__search_side *side);

/* Rows first .. first + count - 1, in memory until scratch is used again. */
alcore_status alcore__search_side_rows(const alcore__search_side *side, int64_t first,
                                       int64_t count, alcore__scratch *scratch,
                                       alcore_sys_rows *out);

/* Refuses rows with a number that is not finite (spec 1.4). dots: [rows->count], room. */
alcore_status alcore__search_side_check(const alcore__search_side *side,
                                        const alcore__engine *engine, const alcore_sys_rows *rows,
                                        double *dots);

static inline const uint8_t *alcore__search_side_take(const alcore__search_side *side,
                                                      int64_t first) {
    return side->take ? side->take + first : NULL;
}

#endif
