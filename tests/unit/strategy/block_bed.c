/* SPDX-License-Identifier: Apache-2.0 */
#include "block_bed.h"

vector_case block_vector(int width) {
    test_vector known =
        width == 0 ? vector_find("block", "TV-BLOCK") : vector_find("block-wide", "TV-BLOCK-WIDE");
    return vector_case_named(known, "rows");
}

int64_t block_dims(int width) {
    vector_case one = block_vector(width);
    return vector_integer(vector_input(&one, "dims"));
}

void block_bed_open(block_bed *block, int64_t dims, int32_t threads) {
    block_data_make(&block->data, dims);
    block->labeled = malloc(BLOCK_POOL);
    bed_open(&block->bed, BLOCK_POOL, threads, NULL);
    for (int64_t i = 0; i < BLOCK_POOL; i++) {
        block->labeled[i] = !block->data.mask[i];
        block->bed.mask[i] = block->data.mask[i];
    }
    block->bed.input.labeled_rows = block->labeled;
    bed_column(&block->bed, &block->bed.input.candidates, "scores", block->data.u, BLOCK_POOL, 1,
               ALCORE_FLOAT64);
    bed_column(&block->bed, &block->bed.input.candidates, "embeddings", block->data.x, BLOCK_POOL,
               dims, ALCORE_FLOAT32);
}

void block_bed_close(block_bed *block) {
    bed_close(&block->bed);
    block_data_free(&block->data);
    free(block->labeled);
}
