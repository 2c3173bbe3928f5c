/* SPDX-License-Identifier: Apache-2.0 */
/* Several columns of a pool that a model makes in one pass over its rows. */
#ifndef ALCORE__MODEL_PASS_H
#define ALCORE__MODEL_PASS_H

#include "model/model_cache.h"

/* A column that is made. */
typedef struct alcore__pass_column {
    const char *name;
    const alcore__wanted *missing; /* rows that it lacks, as alcore__model_wants() takes them */
    alcore_column_writer *writer;  /* takes the values */
    alcore__cached_run *cached;    /* keeps them in a file; NULL: nothing does */
} alcore__pass_column;

/* Columns of a pass, as which columns a row lacks is a set of bits. */
enum { ALCORE__PASS_COLUMNS = 32 };

/* What a model is asked for: alcore__model_table.fill. The model has its write lock and no lock of
 * the pool. */
struct alcore__pass {
    alcore_pool *pool;
    alcore__pass_column columns[ALCORE__PASS_COLUMNS];
    int32_t count;
};

/* Called after each batch: lets the cache keep what was put, when it is time. */
alcore_status alcore__pass_keep(const alcore__pass *pass);

#endif
