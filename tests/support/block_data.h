/* SPDX-License-Identifier: Apache-2.0 */
/* The data of TV-BLOCK (spec 1.8). */
#ifndef BLOCK_DATA_H
#define BLOCK_DATA_H

#include "alcore/sys/kernel.h"

enum { BLOCK_POOL = 20000, BLOCK_ROWS = 20010, BLOCK_LABELLED = 207, BLOCK_STRATA = 3 };

typedef struct block_data {
    int64_t dims;
    float *x;         /* [BLOCK_ROWS, dims], the queries last */
    double *u;        /* [BLOCK_POOL] */
    uint8_t *mask;    /* [BLOCK_POOL]: candidates */
    int32_t *stratum; /* [BLOCK_POOL]: of u in 3 strata, -1 for labeled rows */
} block_data;

void block_data_make(block_data *out, int64_t dims);
void block_data_free(block_data *data);

/* Pool rows of block b, blocks counted from 0. */
alcore_sys_rows block_rows(const block_data *data, int64_t block, int32_t unit);

#endif
