/* SPDX-License-Identifier: Apache-2.0 */
/* The data of the vectors TV-BLOCK (spec 1.8): a pool of BLOCK_POOL rows, of which those that are 3
 * modulo 97 are labeled, and ten queries behind it. */
#ifndef BLOCK_DATA_H
#define BLOCK_DATA_H

#include "alcore/sys/kernel.h"

enum {
    BLOCK_POOL = 20000,  /* rows of the pool */
    BLOCK_ROWS = 20010,  /* rows of the pool and queries */
    BLOCK_LABELED = 207, /* labeled rows of the pool */
    BLOCK_STRATA = 3
};

typedef struct block_data {
    int64_t dims;
    float *x;         /* [BLOCK_ROWS, dims] the vectors, those of the queries last */
    double *u;        /* [BLOCK_POOL] uncertainty */
    uint8_t *mask;    /* [BLOCK_POOL] 1: a candidate; 0: a labeled row */
    int32_t *stratum; /* [BLOCK_POOL] stratum of u, -1 for labeled rows */
} block_data;

/* Allocates and fills *out; aborts when there is no memory. */
void block_data_make(block_data *out, int64_t dims);
void block_data_free(block_data *data);

/* The rows of a block of the pool, from 0, as kernels read them; unit: they are to be normalized.
 */
alcore_sys_rows block_rows(const block_data *data, int64_t block, int32_t unit);

#endif
