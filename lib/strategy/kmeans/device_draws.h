/* SPDX-License-Identifier: Apache-2.0 */
/* Draws by weight in runs with wide blocks. The totals of all blocks stay in the engine's memory.
 * Where the whole pool is there too (alcore__wide_visits()), the engine draws by itself: the host
 * gives the random numbers only, and reads at once what the draws of all visits have found, so that
 * it waits once for the rows of a pass, however many are drawn. Else it reads the totals, and
 * draws. Several sequences of draws may go on side by side, such as those of the groups of k-means.
 */
#ifndef ALCORE__DEVICE_DRAWS_H
#define ALCORE__DEVICE_DRAWS_H

#include "strategy/kmeans/d2_sampling.h"
#include "strategy/passes/engine_vectors.h"

/* Zeroed: not open, totals are made in each visit, and draws on the host. */
typedef struct alcore__device_draws {
    int64_t sequences, dims,
        blocks; /* dims: numbers that are taken of a row; blocks: of the pool */
    /* In the engine's memory, numbers of 8 bytes: totals [sequences, blocks], then what was found:
     * alcore_sys_drawn [sequences, ALCORE__MAX_DRAWS] and vectors [sequences, ALCORE__MAX_DRAWS,
     * dims]. */
    alcore__vectors memory;
    double *host;   /* the same in host memory, owned; read in parts */
    bool by_engine; /* the engine makes the next draws */
} alcore__device_draws;

/* `start` of the pass that makes the weights: opens them, once, where the run has wide blocks. */
alcore_status alcore__device_draws_open(const alcore__run *run, int64_t sequences, int64_t dims,
                                        alcore__device_draws *draws);
static inline bool alcore__device_draws_are_open(const alcore__device_draws *draws) {
    return draws->memory.data != NULL;
}

/* Queues the totals of the blocks of a visit: mask, weights and sums [matrix rows] as
 * alcore__matrix_totals() has them, the last two in the engine's memory. */
alcore_status alcore__device_draws_add(const alcore__device_draws *draws,
                                       const alcore__matrix *matrix, int64_t sequence,
                                       const uint8_t *mask, const double *weights, double *sums);
/* `end` of that pass: sets by_engine. block_weights [blocks, sequences]: the totals, where the host
 * has to draw; else they are left as they are. */
alcore_status alcore__device_draws_decide(const alcore__run *run, alcore__device_draws *draws,
                                          double *block_weights);
/* Draws with the random number u by the engine, or as alcore__draw_by_weight() by the weights of
 * `sequence` in block_weights; true also where the engine is yet to find that no row has a weight.
 */
bool alcore__device_draws_draw(const alcore__run *run, const alcore__device_draws *draws,
                               const double *block_weights, int64_t sequence, double u,
                               alcore__draw *out);
/* Queues the draws of a sampler by the engine in a visit, once the totals of all visits are queued.
 * mask, weights and sums are those of the totals. rows [matrices]: of which the rows that are drawn
 * are taken, `dims` numbers in all. */
alcore_status alcore__device_draws_find(const alcore__device_draws *draws,
                                        const alcore__matrix *matrix, int64_t sequence,
                                        const alcore__sampler *sampler, const uint8_t *mask,
                                        const double *weights, const double *sums, int64_t matrices,
                                        const alcore_sys_rows *rows);
/* `end` of that pass: reads what was found. */
alcore_status alcore__device_draws_read(const alcore__run *run, const alcore__device_draws *draws);
/* The numbers [dims] that were taken of the row that a draw of the engine has found, a view until
 * the next alcore__device_draws_read(), behind which it is asked; NULL: no row has a weight (item
 * -1; else the item is the row's number in the matrix of its visit). *position: of the row among
 * the candidates. */
const double *alcore__device_draws_found(const alcore__run *run, const alcore__device_draws *draws,
                                         int64_t sequence, int32_t draw, int64_t *position);

#endif
