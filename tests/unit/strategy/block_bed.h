/* SPDX-License-Identifier: Apache-2.0 */
/* The data of TV-BLOCK (spec 1.8) in a bed. */
#ifndef BLOCK_BED_H
#define BLOCK_BED_H

#include "block_data.h"
#include "strategy_bed.h"

typedef struct block_bed {
    block_data data;
    uint8_t *labeled; /* [BLOCK_POOL] */
    bed bed;
} block_bed;

void block_bed_open(block_bed *block, int64_t dims, int32_t threads);
void block_bed_close(block_bed *block);

#endif
