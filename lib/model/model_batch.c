/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of pool rows for models: which rows need a value of a column (alcore__model_wants), and
 * views of their texts and languages, in row order. */
#include "model/model_internal.h"

/* Allocates the arrays of a zeroed batch, [capacity] each; freed by alcore__model_batch_clear(). */
alcore_status alcore__model_batch_init(alcore_ctx *ctx, int64_t capacity,
                                       alcore__model_batch *batch) {
    size_t count = (size_t)capacity;
    batch->capacity = capacity;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *batch->rows, &batch->rows));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *batch->texts, &batch->texts));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *batch->lengths, &batch->lengths));
    return alcore__new_array(ctx, count, sizeof *batch->languages, &batch->languages);
}

/* Fills the batch, [count] of capacity, with the next rows from *row on that a model computes the
 * column for, and moves *row behind the last row looked at. Called again and again with the same
 * *row until it has reached the end; a batch may be empty then, where the last rows need no value.
 * The texts are views: the caller holds the read lock of the pool while they are used. */
void alcore__model_batch_fill(const alcore_pool *pool, const char *column,
                              const alcore__wanted *wanted, int64_t *row,
                              alcore__model_batch *batch) {
    const uint32_t *states = alcore_pool_states(pool);
    int64_t rows = alcore_pool_row_count(pool);
    batch->count = 0;
    for (; *row < rows && batch->count < batch->capacity; ++*row) {
        if (!alcore__model_wants(wanted, *row, states[*row], column)) continue;
        batch->rows[batch->count] = *row;
        batch->texts[batch->count] = alcore_pool_text(pool, *row, &batch->lengths[batch->count]);
        batch->languages[batch->count] = alcore_pool_language(pool, *row);
        batch->count++;
    }
}

/* Frees the arrays (not the texts, which are the pool's) and empties the batch. */
void alcore__model_batch_clear(alcore_ctx *ctx, alcore__model_batch *batch) {
    alcore__free(ctx, batch->rows);
    alcore__free(ctx, (void *)batch->texts);
    alcore__free(ctx, batch->lengths);
    alcore__free(ctx, (void *)batch->languages);
    *batch = (alcore__model_batch){0};
}
