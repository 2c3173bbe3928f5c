/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the data of TV-BLOCK as tests/reference/block.py does: vectors and uncertainties from the
 * library's random numbers, every thousandth row a copy of the row 500 before it. */
#include "block_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

static void *new_memory(int64_t count, size_t bytes) {
    void *memory = calloc((size_t)count, bytes);
    if (!memory) abort();
    return memory;
}

/* Cuts u into BLOCK_STRATA intervals of equal width over the candidates (spec 3.2). */
static void make_strata(block_data *data) {
    double min_u = HUGE_VAL, max_u = -HUGE_VAL;
    for (int64_t i = 0; i < BLOCK_POOL; i++) {
        if (!data->mask[i]) continue;
        min_u = fmin(min_u, data->u[i]);
        max_u = fmax(max_u, data->u[i]);
    }
    for (int64_t i = 0; i < BLOCK_POOL; i++) {
        double stratum = floor((data->u[i] - min_u) / (max_u - min_u) * BLOCK_STRATA);
        data->stratum[i] = stratum >= BLOCK_STRATA ? BLOCK_STRATA - 1 : (int32_t)stratum;
        if (!data->mask[i]) data->stratum[i] = -1;
    }
}

void block_data_make(block_data *out, int64_t dims) {
    alcore__rng rng;
    out->dims = dims;
    out->x = new_memory(BLOCK_ROWS * dims, sizeof *out->x);
    out->u = new_memory(BLOCK_POOL, sizeof *out->u);
    out->mask = new_memory(BLOCK_POOL, 1);
    out->stratum = new_memory(BLOCK_POOL, sizeof *out->stratum);
    alcore__rng_seed(&rng, (uint64_t)dims);
    for (int64_t v = 0; v < BLOCK_ROWS * dims; v++) {
        out->x[v] = (float)(alcore__rng_f64(&rng) - 0.5);
    }
    alcore__rng_seed(&rng, 1);
    for (int64_t i = 0; i < BLOCK_POOL; i++) out->u[i] = alcore__rng_f64(&rng);
    for (int64_t i = 999; i < BLOCK_POOL; i += 1000) {
        memcpy(out->x + i * dims, out->x + (i - 500) * dims, (size_t)dims * sizeof *out->x);
        out->u[i] = out->u[i - 500];
    }
    for (int64_t i = 0; i < BLOCK_POOL; i++) out->mask[i] = i % 97 != 3;
    make_strata(out);
}

void block_data_free(block_data *data) {
    free(data->x);
    free(data->u);
    free(data->mask);
    free(data->stratum);
}

alcore_sys_rows block_rows(const block_data *data, int64_t block, int32_t unit) {
    int64_t first = block * ALCORE_BLOCK_ROWS;
    int64_t count = BLOCK_POOL - first < ALCORE_BLOCK_ROWS ? BLOCK_POOL - first : ALCORE_BLOCK_ROWS;
    return (alcore_sys_rows){.data = data->x + first * data->dims,
                             .first = first,
                             .count = count,
                             .dims = data->dims,
                             .stride = data->dims,
                             .dtype = ALCORE_FLOAT32,
                             .unit = unit};
}
