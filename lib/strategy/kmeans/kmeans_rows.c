/* SPDX-License-Identifier: Apache-2.0 */
/* What k-means keeps with each block between its passes: bounds and assignments in host memory, by
 * active row; self dots and D^2 weights in the engine's memory, by matrix row; and, where they fit,
 * the sums of each cluster. Active rows are the candidates of the block; matrix rows are what
 * kernels see, rows between them that are no candidates included. The engine's memory is a device's
 * where kernels run there. */
#include "strategy/kmeans/kmeans_rows.h"

#include <math.h>
#include <string.h>

/* Arrays of doubles [matrix rows] in the engine's memory: self dots, weights, and the squared
 * distances to each speculative row, one that is measured in advance (d2_sampling.h); on a device
 * the running sums of the weights behind them. */
enum { ENGINE_ARRAYS = 2 + ALCORE__MAX_SPECULATIVE };

/* ---- host memory: upper, lower, assigned, then the sums ---- */

/* Bytes of the arrays by active row; a multiple of 8, so that what follows is aligned. */
static size_t row_bytes(int64_t count) {
    size_t padded = ((size_t)count + 1) / 2 * 2; /* an even number of 4-byte entries */
    return (size_t)count * 2 * sizeof(double) + padded * sizeof(int32_t);
}

/* Number of sums of a visited block, which a wide one has for each of its blocks and each cluster.
 */
static int64_t sum_count(const alcore__kmeans *means, const alcore__block *block) {
    return block->blocks * means->centroid_starts[means->groups];
}

/* Bytes of all arrays of a block. */
static size_t local_bytes(const alcore__kmeans *means, const alcore__block *block) {
    size_t count = (size_t)sum_count(means, block);
    /* sums_valid [1], counts [count] and sums [count, dims], 8 bytes an entry */
    size_t sums = (1 + count + count * (size_t)means->dims) * 8;
    return row_bytes(block->count) + (means->keeps_sums ? sums : 0);
}

/* Cuts the host memory of a block, `local`, into its arrays; engine arrays stay NULL. */
static alcore__kmeans_rows lay_out(const alcore__kmeans *means, const alcore__block *block,
                                   void *local) {
    double *upper = local, *lower = upper + block->count;
    alcore__kmeans_rows rows = {
        .upper = upper, .lower = lower, .assigned = (int32_t *)(void *)(lower + block->count)};
    if (!means->keeps_sums) return rows;
    rows.sums_valid = (int64_t *)(void *)((char *)local + row_bytes(block->count));
    rows.counts = rows.sums_valid + 1;
    rows.sums = (double *)(void *)(rows.counts + sum_count(means, block));
    return rows;
}

bool alcore__kmeans_find_rows(const alcore__kmeans *means, const alcore__block *block,
                              alcore__kmeans_rows *out) {
    void *local = alcore__block_find_local(block);
    if (!local) return false;
    *out = lay_out(means, block, local);
    return true;
}

const int32_t *alcore__kmeans_assigned(const alcore__block *block) {
    /* keeps_sums is false: `assigned` lies at the same place with kept sums and without. */
    static const alcore__kmeans NO_SUMS = {0};
    return lay_out(&NO_SUMS, block, alcore__block_find_local(block)).assigned;
}

/* ---- the engine's memory ---- */

/* The self dots, which are finite; all other arrays are infinite. */
static alcore_status fill_engine_arrays(const alcore__matrix *matrix, double *values, void *count) {
    for (int64_t i = matrix->rows.count; i < *(const int64_t *)count; i++) values[i] = HUGE_VAL;
    return alcore__matrix_checked_dots(matrix, values);
}

/* Makes the doubles of a block; the running sums of weights are kept on a device only. */
static alcore_status make_engine_arrays(alcore__block *block, const alcore__matrix *matrix) {
    const bool sums = alcore__run_kernels(block->run)->upload != NULL;
    int64_t count = (ENGINE_ARRAYS + sums) * matrix->rows.count;
    return alcore__block_fill(matrix, count, fill_engine_arrays, &count);
}

/* The matrix of a block has the same rows in every pass, as whether the block keeps a copy of its
 * embeddings is decided at the first visit (block_memory.c). */
alcore_status alcore__kmeans_open_block(const alcore__kmeans *means, alcore__block *block,
                                        alcore__matrix *matrix, alcore__kmeans_rows *out) {
    void *local;
    ALCORE__TRY(alcore__block_matrix(block, means->unit, matrix));
    bool first_visit = !alcore__block_doubles(block);
    if (first_visit) ALCORE__TRY(make_engine_arrays(block, matrix));
    ALCORE__TRY(alcore__block_local(block, local_bytes(means, block), &local));
    *out = lay_out(means, block, local);
    out->self_dots = alcore__block_doubles(block);
    out->weights = out->self_dots + matrix->rows.count;
    out->speculative_weights = out->weights + matrix->rows.count;
    out->weight_sums = out->self_dots + ENGINE_ARRAYS * matrix->rows.count;
    if (first_visit) /* -1: of no cluster */
        memset(out->assigned, 0xff, (size_t)block->count * sizeof *out->assigned);
    return ALCORE_OK;
}

/* ---- centroids ---- */

/* The shift is rounded up, because the bounds of the rows rely on it. */
void alcore__kmeans_move_centroid(alcore__kmeans *means, int64_t cluster, const double *to) {
    double *centroid = means->centroids + cluster * means->dims, square = 0.0;
    for (int64_t j = 0; j < means->dims; j++) {
        double t = to[j] - centroid[j];
        square += t * t;
        centroid[j] = to[j];
    }
    /* An upper bound of the exact length: the factor covers the rounding of the sum (an ulp for
     * each component), the term 1e-150 squares that are below the range of double. */
    double slack = 1e-9 + (double)means->dims * 0x1p-52;
    means->shift[cluster] = sqrt(square) * (1.0 + slack) + 1e-150;
}
