/* SPDX-License-Identifier: Apache-2.0 */
/* The data of TV-BLOCK (spec 1.8) in a bed. */
#ifndef BLOCK_BED_H
#define BLOCK_BED_H

#include "block_data.h"
#include "strategy_bed.h"
#include "vectors.h"

typedef struct block_bed {
    block_data data;
    uint8_t *labeled; /* [BLOCK_POOL] */
    bed bed;
} block_bed;

/* What TV-BLOCK expects of its rows: width 0 with 5 dimensions, width 1 with 70. */
enum { BLOCK_WIDTHS = 2 };
vector_case block_vector(int width);
int64_t block_dims(int width);

void block_bed_open(block_bed *block, int64_t dims, int32_t threads);
void block_bed_close(block_bed *block);

#endif
