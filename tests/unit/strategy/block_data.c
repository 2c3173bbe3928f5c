/* SPDX-License-Identifier: Apache-2.0 */
#include "block_data.h"

#include <string.h>

void block_data_open(block_data *data, int64_t dims, int32_t threads) {
    const int64_t rows = BLOCK_ROWS + 10;
    alcore_rng rng;
    data->x = malloc((size_t)(rows * dims) * sizeof *data->x);
    data->u = malloc(BLOCK_ROWS * sizeof *data->u);
    data->labeled = malloc(BLOCK_ROWS);
    alcore_rng_seed(&rng, (uint64_t)dims);
    for (int64_t i = 0; i < rows * dims; i++) data->x[i] = (float)(alcore_rng_f64(&rng) - 0.5);
    alcore_rng_seed(&rng, 1);
    for (int64_t i = 0; i < BLOCK_ROWS; i++) data->u[i] = alcore_rng_f64(&rng);
    for (int64_t i = 999; i < BLOCK_ROWS; i += 1000) {
        memcpy(data->x + i * dims, data->x + (i - 500) * dims, (size_t)dims * sizeof *data->x);
        data->u[i] = data->u[i - 500];
    }
    bed_open(&data->bed, BLOCK_ROWS, threads, NULL);
    for (int64_t i = 0; i < BLOCK_ROWS; i++) {
        data->labeled[i] = i % 97 == 3;
        data->bed.take[i] = !data->labeled[i];
    }
    data->bed.input.labeled_rows = data->labeled;
    bed_column(&data->bed, &data->bed.input.candidates, "scores", data->u, BLOCK_ROWS, 1,
               ALCORE_FLOAT64);
    bed_column(&data->bed, &data->bed.input.candidates, "embeddings", data->x, BLOCK_ROWS, dims,
               ALCORE_FLOAT32);
}

void block_data_close(block_data *data) {
    bed_close(&data->bed);
    free(data->x);
    free(data->u);
    free(data->labeled);
}
