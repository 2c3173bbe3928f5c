/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of one operand of a search: a matrix, or a column of a pool. */
#ifndef ALCORE__SEARCH_DATA_H
#define ALCORE__SEARCH_DATA_H

#include "alcore/search.h"
#include "base/base.h"
#include "base/tensor_view.h"
/* alcore__placement: where the arrays of a call are, added one by one; two on different devices are
 *     an error. alcore__engine_open_at() opens the engine of that device. */
#include "kernel/kernel_engine.h"
#include "pool/column.h"

/* One operand. Either pool and column are set, or matrix is. */
typedef struct alcore__search_data {
    alcore_ctx *ctx;
    const char *name;             /* for messages: "rows", "queries", "source", ... */
    const alcore_pool *pool;      /* locked for reading until the search ends; NULL: a matrix */
    const alcore__column *column; /* of the pool; NULL: a matrix */
    alcore__array matrix;         /* [count, dims] the caller's, borrowed, on any device */
    int32_t device;               /* CUDA device that the values are on; -1: the host, or a file */
    void *stream;                 /* the caller's; NULL: the default stream */
    int64_t count, dims;          /* rows, and components of each */
    int32_t normalize;            /* 1: rows are compared as unit vectors */
    const uint8_t *mask;          /* [count] 1: the row is compared; NULL: all are */
    uint8_t *owned_mask;          /* [count] of a pool, 1: no state but perhaps labeled, and not
                                     left out by the caller's mask; NULL: a matrix */
} alcore__search_data;

/* Checks and reads an operand of the caller, who ends it with alcore__search_data_end(), also after
 * a failure. */
alcore_status alcore__search_data_begin(alcore_ctx *ctx, const alcore_search_data *given,
                                        const char *name, alcore__search_data *out);
void alcore__search_data_end(alcore__search_data *data);

/* Opens the engine that `device` names (alcore_search_options.device), or the one of the device
 * that the operands are on; others NULL: there is one operand. ALCORE_E_INVALID where they are on
 * two devices or on another one than that of the name. */
alcore_status alcore__search_data_engine(const alcore__search_data *rows,
                                         const alcore__search_data *others, const char *device,
                                         alcore__engine *out);

/* Sets out to rows first .. first + count - 1, [count, dims], for kernels of the engine that
 * alcore__search_data_engine() opened; they are readable until scratch is used again. */
alcore_status alcore__search_data_rows(const alcore__search_data *data,
                                       const alcore__engine *engine, int64_t first, int64_t count,
                                       alcore__scratch *scratch, alcore_sys_rows *out);

/* Whether the engine reads the rows where they are, however many: they are in memory, not in a
 * file, and need not be put together. Those of a device then are in the memory of the engine's. */
bool alcore__search_data_in_place(const alcore__search_data *data, const alcore__engine *engine);

/* Fails for the first unmasked row with a value that is not finite (spec 1.4). dots [rows->count]:
 * workspace. */
alcore_status alcore__search_data_check(const alcore__search_data *data,
                                        const alcore__engine *engine, const alcore_sys_rows *rows,
                                        double *dots);

/* The mask of the rows from `first` on; NULL: all take part. */
static inline const uint8_t *alcore__search_data_mask(const alcore__search_data *data,
                                                      int64_t first) {
    return data->mask ? data->mask + first : NULL;
}

#endif
