/* SPDX-License-Identifier: Apache-2.0 */
/* Draws by D^2 weight and the decision what to measure in advance (d2_sampling.h explains both). */
#include "strategy/kmeans/d2_sampling.h"

#include <math.h>
#include <string.h>

/* ---- draws ---- */

const alcore__draw alcore__no_draw = {.position = -1, .block = -1, .number = -1};

/* The row drawn is the first whose running sum, begun with out->before, is above out->target, which
 * alcore__draw_find() finds. */
bool alcore__draw_by_weight(const double *block_weights, int64_t stride, int64_t blocks, double u,
                            alcore__draw *out) {
    double total = 0.0, before = 0.0;
    int64_t last = -1; /* the last block with a weight */
    *out = alcore__no_draw;
    for (int64_t b = 0; b < blocks; b++) {
        if (block_weights[b * stride] > 0.0) last = b;
        total += block_weights[b * stride];
    }
    if (last < 0) return false;
    out->target = u * total;
    for (int64_t b = 0; b < blocks; b++) {
        out->before = before;
        before += block_weights[b * stride];
        if (!(before > out->target)) continue;
        out->block = b;
        return true;
    }
    /* No block was found, because the sums were rounded: the last row with a weight is drawn (spec
     * 1.7). The kernel returns that row where no running sum is above the target, as in sums that
     * begin with minus infinity. */
    out->block = last;
    out->before = -HUGE_VAL;
    return true;
}

/* alcore__no_draw is in none, nor is one that the engine finds. */
bool alcore__draw_is_in(const alcore__draw *draw, const alcore__block *block) {
    if (draw->position < 0)
        return draw->block >= block->number && draw->block < block->number + block->blocks;
    int64_t index = draw->position - block->start;
    return index >= 0 && index < block->count;
}

/* Of a wide block only the rows of the block that was drawn are looked at. */
alcore_status alcore__draw_find(const alcore__draw *draw, const alcore__matrix *matrix,
                                const uint8_t *mask, const double *weights, int64_t *index) {
    const alcore__run *run = matrix->block->run;
    int64_t row; /* counted from `first` */
    *index = draw->position - matrix->block->start;
    if (draw->position >= 0) return ALCORE_OK;
    const int64_t number = draw->block - matrix->block->number,
                  first = alcore__matrix_block_start(matrix, number),
                  end = alcore__matrix_block_start(matrix, number + 1);
    ALCORE__TRY(ALCORE__KERNEL(run, draw, end - first, mask + first, weights + first, draw->before,
                               draw->target, &row));
    *index = row < 0 ? -1 : alcore__matrix_index_of(matrix, first + row);
    return ALCORE_OK;
}

/* ---- speculation ---- */

/* Measuring a speculative row costs a part of a pass; if a later draw hits the row, a whole pass is
 * saved. Speculation pays only where draws hit often: on CPUs it was measured to be faster at these
 * hit rates and above. */
#define MIN_HIT_RATE_ONE 0.25 /* for one speculative row */
#define MIN_HIT_RATE_TWO 0.5  /* for a second */
/* The hit rate is an exponential mean over about HIT_WINDOW passes. Where it is too low to measure
 * any speculative row, one pass in PROBE_INTERVAL measures one all the same: without it the rate
 * would stay low for ever, even if draws would hit again. */
enum { HIT_WINDOW = 8, PROBE_INTERVAL = 16 };

/* A matrix of this size is read from memory, not from a cache of the CPU. */
enum { MEMORY_BOUND_BYTES = 8 << 20 }; /* 8 MiB */

/* The most speculative rows that can be worth measuring: 0, 1 or 2. unit: rows are read as unit
 * vectors. A device takes much longer to read its rows from memory than to measure them from one
 * more vector. On a CPU one more vector costs a quarter to two fifths of a pass where rows come
 * from memory and the float32 filter takes them, so that a second speculative row, which hits less
 * often, is not worth it; elsewhere one more vector costs as much as a pass. */
static int32_t max_speculative_rows(const alcore__run *run, bool unit) {
    const alcore__column *column = alcore__candidate_embeddings(run);
    double bytes = (double)alcore__active_in_all(run, ALCORE__OVER_CANDIDATES) *
                   (double)column->dims * (double)sizeof(float);
    if (alcore__run_kernels(run)->upload) return ALCORE__MAX_SPECULATIVE;
    bool one_pays = column->dtype == ALCORE_FLOAT32 && !unit && bytes >= MEMORY_BOUND_BYTES;
    return one_pays ? 1 : 0;
}

void alcore__sampler_clear_draws(alcore__sampler *sampler) {
    for (int32_t k = 0; k < ALCORE__MAX_DRAWS; k++) {
        sampler->draw[k] = alcore__no_draw;
        sampler->found[k] = -1;
    }
}

/* No row was drawn or measured yet. The hit rate starts at the limit for two speculative rows, so
 * that both are tried first. */
void alcore__sampler_begin(const alcore__run *run, bool unit, alcore__sampler *sampler) {
    memset(sampler, 0, sizeof *sampler);
    alcore__sampler_clear_draws(sampler);
    for (int32_t k = 0; k < ALCORE__MAX_SPECULATIVE; k++) sampler->measured[k] = -1;
    sampler->hit = -1; /* none */
    sampler->max_speculative = max_speculative_rows(run, unit);
    sampler->hit_rate = MIN_HIT_RATE_TWO;
}

int32_t alcore__sampler_speculative_draws(const alcore__sampler *sampler) {
    int32_t paying = sampler->hit_rate >= MIN_HIT_RATE_TWO   ? 2
                     : sampler->hit_rate >= MIN_HIT_RATE_ONE ? 1
                                                             : 0;
    if (!paying && sampler->idle_passes >= PROBE_INTERVAL) paying = 1;
    return paying < sampler->max_speculative ? paying : sampler->max_speculative;
}

/* Which of the found rows the next pass measures in advance: each once, and not the new row,
 * found[0]. Sets measured, their places, and slot, their entries of found; speculative, which
 * the caller has set to 0, counts them. */
static void choose_speculative(alcore__sampler *sampler) {
    for (int32_t k = 1; k < ALCORE__MAX_DRAWS; k++) {
        int64_t place = sampler->found[k];
        bool repeated = place < 0 || place == sampler->found[0];
        for (int32_t s = 0; s < sampler->speculative; s++)
            repeated |= sampler->measured[s] == place;
        if (repeated) continue;
        sampler->measured[sampler->speculative] = place;
        sampler->slot[sampler->speculative++] = k;
    }
    for (int32_t s = sampler->speculative; s < ALCORE__MAX_SPECULATIVE; s++)
        sampler->measured[s] = -1;
}

/* Updates the hit rate; after a miss chooses the speculative rows of the next pass. */
void alcore__sampler_accept(alcore__sampler *sampler) {
    sampler->hit = -1;
    for (int32_t s = 0; s < ALCORE__MAX_SPECULATIVE; s++) {
        if (sampler->measured[s] == sampler->found[0]) sampler->hit = s;
    }
    /* Only the first draw after a pass that measured rows in advance tells how often they hit. */
    if (sampler->first_draw && sampler->measured[0] >= 0)
        sampler->hit_rate += ((sampler->hit >= 0 ? 1.0 : 0.0) - sampler->hit_rate) / HIT_WINDOW;
    sampler->first_draw = false;
    sampler->speculative = 0;
    /* After a hit nothing is measured, and the distances to the other speculative row of the last
     * pass stay good for the draw after this one: the kernel wrote infinity in place of those that
     * did not lower the weight of that time, and weights only fall, so the minimum is the same. */
    if (sampler->hit >= 0) return;
    choose_speculative(sampler);
    sampler->first_draw = true;
    sampler->idle_passes = sampler->speculative ? 0 : sampler->idle_passes + 1;
}

/* Kernels measure from adjacent vectors. */
void alcore__sampler_pack(const alcore__sampler *sampler, double *vectors, int64_t size) {
    for (int32_t s = 0; s < sampler->speculative; s++) {
        /* slot[s] >= 1 + s, so nothing that is still needed is overwritten. */
        if (sampler->slot[s] != 1 + s)
            memcpy(vectors + (1 + s) * size, vectors + sampler->slot[s] * size,
                   (size_t)size * sizeof *vectors);
    }
}
