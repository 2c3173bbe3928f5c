/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/kmeans/d2_sampling.h"

#include <math.h>
#include <string.h>

/* ---- draws ---- */

const alcore__draw alcore__draw_nothing = {-1, -1, 0.0, 0.0};

bool alcore__draw_by_weight(const double *mass, int64_t stride, int64_t blocks, double u,
                            alcore__draw *out) {
    double total = 0.0, before = 0.0;
    int64_t last = -1;
    *out = alcore__draw_nothing;
    for (int64_t b = 0; b < blocks; b++) {
        if (mass[b * stride] > 0.0) last = b;
        total += mass[b * stride];
    }
    if (last < 0) return false;
    out->target = u * total;
    for (int64_t b = 0; b < blocks; b++) {
        out->before = before;
        before += mass[b * stride];
        if (!(before > out->target)) continue;
        out->block = b;
        return true;
    }
    /* Rounding left none: the last row with a weight. */
    out->block = last;
    out->before = -HUGE_VAL;
    return true;
}

bool alcore__draw_is_in(const alcore__draw *draw, const alcore__block *block) {
    int64_t member = draw->position - block->start;
    if (draw->position < 0) return draw->block == block->number;
    return member >= 0 && member < block->count;
}

alcore_status alcore__draw_member(const alcore__draw *draw, const alcore__matrix *matrix,
                                  const uint8_t *take, const double *weights, int64_t *member) {
    const alcore__run *run = matrix->block->run;
    alcore_sys_work work = alcore__run_work(run);
    int64_t item;
    *member = draw->position - matrix->block->start;
    if (draw->position >= 0) return ALCORE_OK;
    ALCORE__TRY(run->input->engine.kernels->draw(&work, matrix->rows.count, take, weights,
                                                 draw->before, draw->target, &item));
    *member = item < 0 ? -1 : alcore__matrix_member(matrix, item);
    return ALCORE_OK;
}

/* ---- guesses ---- */

/* Rates from which one guess and two pay. */
#define WORTH_ONE 0.25
#define WORTH_TWO 0.5
/* The rate is the mean over about so many passes; a pass in so many looks whether it got better. */
enum { MEMORY = 8, RETRY = 16 };

/* This many bytes are in no cache of a CPU. */
enum { FROM_MEMORY = 8 << 20 };

/* A device has its rows from memory at many times the cost of a centroid. For a CPU a centroid is a
 * quarter of a pass or two fifths where rows come from memory and its filter in float32 takes them,
 * so that a second guess, which comes true less often, pays no more; else it is a whole one. */
static int32_t most_guesses(const alcore__run *run, bool unit) {
    const alcore__column *column = alcore__dataset_find(&run->input->candidates, "embeddings");
    double bytes = (double)run->members[0].count * (double)column->dims * sizeof(float);
    if (run->input->engine.kernels->upload) return ALCORE__GUESSES;
    return column->dtype == ALCORE_FLOAT32 && !unit && bytes >= FROM_MEMORY;
}

void alcore__sampler_begin(const alcore__run *run, bool unit, alcore__sampler *sampler) {
    memset(sampler, 0, sizeof *sampler);
    for (int k = 0; k < ALCORE__AHEAD; k++) {
        sampler->draw[k] = alcore__draw_nothing;
        sampler->found[k] = -1;
    }
    for (int k = 0; k < ALCORE__GUESSES; k++) sampler->measured[k] = -1;
    sampler->known = -1;
    sampler->most = most_guesses(run, unit);
    sampler->rate = WORTH_TWO;
}

int32_t alcore__sampler_guesses(const alcore__run *run, const alcore__sampler *sampler) {
    if (run->input->guesses) return run->input->guesses - 1;
    int32_t worth = sampler->rate >= WORTH_TWO ? 2 : sampler->rate >= WORTH_ONE;
    if (!worth && sampler->idle >= RETRY) worth = 1;
    return worth < sampler->most ? worth : sampler->most;
}

void alcore__sampler_settle(alcore__sampler *sampler) {
    int64_t pick = sampler->found[0], guess[ALCORE__GUESSES];
    sampler->known = -1;
    for (int32_t k = 0; k < ALCORE__GUESSES; k++) {
        if (sampler->measured[k] == pick) sampler->known = k;
    }
    if (sampler->fresh && sampler->measured[0] >= 0)
        sampler->rate += ((sampler->known >= 0) - sampler->rate) / MEMORY;
    sampler->fresh = false;
    sampler->guessed = 0;
    /* What the last pass measured stays good: minima only fall. */
    if (sampler->known >= 0) return;
    for (int32_t k = 1; k < ALCORE__AHEAD; k++) {
        bool again = sampler->found[k] < 0 || sampler->found[k] == pick;
        for (int32_t g = 0; g < sampler->guessed; g++) again |= guess[g] == sampler->found[k];
        if (again) continue;
        guess[sampler->guessed] = sampler->found[k];
        sampler->slot[sampler->guessed++] = k;
    }
    for (int32_t k = 0; k < ALCORE__GUESSES; k++)
        sampler->measured[k] = k < sampler->guessed ? guess[k] : -1;
    sampler->fresh = true;
    sampler->idle = sampler->guessed ? 0 : sampler->idle + 1;
}

void alcore__sampler_pack(const alcore__sampler *sampler, double *ahead, int64_t size) {
    for (int32_t k = 0; k < sampler->guessed; k++) {
        if (sampler->slot[k] != 1 + k)
            memcpy(ahead + (1 + k) * size, ahead + sampler->slot[k] * size,
                   (size_t)size * sizeof *ahead);
    }
}
