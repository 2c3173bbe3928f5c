/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of many rows in memory, as gathered_rows.h describes them. */
#include "strategy/rules/gathered_rows.h"

#include <math.h>
#include <string.h>

alcore_status alcore__gathered_begin(alcore__run *run, alcore__gathered *gathered, int64_t count,
                                     const int64_t *slots) {
    const int64_t dims = alcore__embedding_dims(run);
    const double bytes = (double)count * (double)dims * (double)sizeof(double);
    if (bytes > (double)ALCORE__GATHERED_BYTES)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s compares candidates in memory: %lld of %lld components would need "
                            "%.0f GiB, and %lld GiB are the most; candidates=N draws N of them",
                            run->def->name, (long long)count, (long long)dims,
                            bytes / (double)(1 << 30),
                            (long long)(ALCORE__GATHERED_BYTES / (1 << 30)));
    gathered->count = count;
    gathered->dims = dims;
    gathered->slots = slots;
    return ALCORE__RUN_ARRAY(run, count * dims, &gathered->vectors);
}

size_t alcore__gather_bytes(const alcore__block *block) {
    return (size_t)(block->count * alcore__embedding_dims(block->run)) * sizeof(double);
}

alcore_status alcore__gather_block(alcore__block *block, void *partial) {
    alcore__matrix matrix;
    int64_t *indices;
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *indices, &indices));
    for (int64_t i = 0; i < block->count; i++) indices[i] = i;
    ALCORE__TRY(alcore__block_matrix(block, true /* unit vectors */, &matrix));
    return alcore__matrix_copy_rows(&matrix, indices, block->count, partial);
}

/* A component of a unit vector is rounded to no more than this. */
#define MOST_COMPONENT (1.0 + 0x1p-20)

alcore_status alcore__gather_check(const alcore__block_partial *partial) {
    const double *vectors = partial->extra;
    for (size_t i = 0; i < partial->extra_bytes / sizeof *vectors; i++)
        if (!(fabs(vectors[i]) <= MOST_COMPONENT))
            return alcore__fail(ALCORE_E_CORRUPT,
                                "a partial has a vector of block %lld that is no unit vector",
                                (long long)partial->block);
    return ALCORE_OK;
}

alcore_status alcore__gather_store(alcore__run *run, const alcore__block_partial *partial) {
    alcore__gathered *gathered = partial->into;
    const double *vectors = partial->extra;
    const int64_t dims = gathered->dims;
    (void)run;
    ALCORE__TRY(alcore__gather_check(partial));
    for (int64_t i = 0; i < partial->count; i++) {
        const int64_t row = partial->start + i, slot = gathered->slots ? gathered->slots[row] : row;
        memcpy(gathered->vectors + slot * dims, vectors + i * dims, (size_t)dims * sizeof *vectors);
    }
    return ALCORE_OK;
}

alcore_sys_rows alcore__gathered_rows(const alcore__gathered *gathered, int64_t first,
                                      int64_t count) {
    return alcore__rows_of(gathered->vectors + first * gathered->dims, count, gathered->dims);
}
