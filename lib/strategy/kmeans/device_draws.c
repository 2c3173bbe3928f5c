/* SPDX-License-Identifier: Apache-2.0 */
/* Draws by weight on the engine (device_draws.h): two passes, of which the first queues kernels
 * that make weights and their totals in every visit, and the second those that draw. A draw needs
 * the totals of all visits, and finds its row in one of them. */
#include "strategy/kmeans/device_draws.h"

#include <string.h>

_Static_assert(sizeof(alcore_sys_drawn) == 2 * sizeof(double), "it lies among numbers of 8 bytes");
_Static_assert(ALCORE__MAX_DRAWS <= ALCORE_SYS_DRAWS, "a call makes all draws of a sampler");

/* Length of the second part of the memory, what the draws found, in numbers of 8 bytes: for each
 * draw an alcore_sys_drawn, which takes two, and a vector. */
static int64_t found_count(const alcore__device_draws *draws) {
    return draws->sequences * ALCORE__MAX_DRAWS * (2 + draws->dims);
}

/* Length of the first part of the memory, the totals. */
static int64_t total_count(const alcore__device_draws *draws) {
    return draws->sequences * draws->blocks;
}

/* The vectors of a sequence, behind the alcore_sys_drawn of all sequences. found: where the second
 * part of the memory begins, on the engine or on the host. */
static double *vectors_of(const alcore__device_draws *draws, double *found, int64_t sequence) {
    return found + ALCORE__MAX_DRAWS * (2 * draws->sequences + sequence * draws->dims);
}

/* The totals are 0 at first. Blocks without a row of a sequence are not added up and keep that 0.
 */
alcore_status alcore__device_draws_open(const alcore__run *run, int64_t sequences, int64_t dims,
                                        alcore__device_draws *draws) {
    double *numbers;
    draws->sequences = sequences;
    if (draws->memory.data || !run->stream) return ALCORE_OK;
    draws->dims = dims;
    draws->blocks = run->active[ALCORE__OVER_CANDIDATES].blocks;
    const int64_t count = total_count(draws) + found_count(draws);
    ALCORE__TRY(alcore__run_defer(run, alcore__vectors_free, &draws->memory));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &draws->host));
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)count, sizeof *numbers, &numbers));
    return alcore__vectors_adopt(run, &draws->memory, numbers, 1, count);
}

alcore_status alcore__device_draws_add(const alcore__device_draws *draws,
                                       const alcore__matrix *matrix, int64_t sequence,
                                       const uint8_t *mask, const double *weights, double *sums) {
    double *totals = draws->memory.data + sequence * draws->blocks + matrix->block->number;
    return alcore__matrix_totals(matrix, mask, weights, sums, totals);
}

/* Called when the pass has visited all blocks, as only then it is known which of them are in the
 * engine's memory. The engine draws only where what is found is there too: all visits write to it
 * at the same time, and to host memory the engine would copy it with a wait in each of them. */
alcore_status alcore__device_draws_decide(const alcore__run *run, alcore__device_draws *draws,
                                          double *block_weights) {
    draws->by_engine = draws->memory.held.memory && alcore__wide_visits(run) > 0;
    if (!draws->memory.data || draws->by_engine) return ALCORE_OK;
    ALCORE__TRY(alcore__read_back(run, draws->memory.data, total_count(draws), draws->host));
    for (int64_t s = 0; s < draws->sequences; s++) {
        for (int64_t b = 0; b < draws->blocks; b++)
            block_weights[b * draws->sequences + s] = draws->host[s * draws->blocks + b];
    }
    return ALCORE_OK;
}

bool alcore__device_draws_draw(const alcore__run *run, const alcore__device_draws *draws,
                               const double *block_weights, int64_t sequence, double u,
                               alcore__draw *out) {
    if (!draws->by_engine)
        return alcore__draw_by_weight(block_weights + sequence, draws->sequences,
                                      run->active[ALCORE__OVER_CANDIDATES].blocks, u, out);
    *out = alcore__no_draw;
    out->by_engine = true;
    out->u = u;
    return true;
}

alcore_status alcore__device_draws_find(const alcore__device_draws *draws,
                                        const alcore__matrix *matrix, int64_t sequence,
                                        const alcore__sampler *sampler, const uint8_t *mask,
                                        const double *weights, const double *sums, int64_t matrices,
                                        const alcore_sys_rows *rows) {
    alcore__block *block = matrix->block;
    alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    double u[ALCORE__MAX_DRAWS], *found = draws->memory.data + total_count(draws);
    int64_t *starts;
    alcore_sys_draws given = {.u = u,
                              .blocks = draws->blocks,
                              .totals = draws->memory.data + sequence * draws->blocks,
                              .first = block->number,
                              .own = block->blocks};
    while (given.count < ALCORE__MAX_DRAWS && sampler->draw[given.count].by_engine) {
        u[given.count] = sampler->draw[given.count].u;
        given.count++;
    }
    ALCORE__TRY(alcore__matrix_block_starts(matrix, &starts));
    given.starts = starts;
    ALCORE__TRY(ALCORE__KERNEL(block->run, draw_rows, &given, mask, weights, sums, matrices, rows,
                               (alcore_sys_drawn *)(void *)found + sequence * ALCORE__MAX_DRAWS,
                               vectors_of(draws, found, sequence)));
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}

alcore_status alcore__device_draws_read(const alcore__run *run, const alcore__device_draws *draws) {
    const int64_t totals = total_count(draws);
    return alcore__read_back(run, draws->memory.data + totals, found_count(draws),
                             draws->host + totals);
}

const double *alcore__device_draws_found(const alcore__run *run, const alcore__device_draws *draws,
                                         int64_t sequence, int32_t draw, int64_t *position) {
    double *found = draws->host + total_count(draws);
    alcore_sys_drawn drawn;
    memcpy(&drawn, found + 2 * (sequence * ALCORE__MAX_DRAWS + draw), sizeof drawn);
    if (drawn.item < 0) return NULL;
    *position = alcore__wide_position(run, alcore__wide_visit(run, drawn.block), drawn.item);
    return vectors_of(draws, found, sequence) + draw * draws->dims;
}
