/* SPDX-License-Identifier: Apache-2.0 */
/* The data of TV-BLOCK (spec 1.8). */
#ifndef BLOCK_DATA_H
#define BLOCK_DATA_H

#include "strategy_bed.h"

enum { BLOCK_ROWS = 20000 };

typedef struct block_data {
    float *x; /* [20010, dims] */
    double *u;
    uint8_t *labeled;
    bed bed;
} block_data;

/* Rows, scores and labelled rows, in a bed. */
void block_data_open(block_data *data, int64_t dims, int32_t threads);
void block_data_close(block_data *data);

#endif
