/* SPDX-License-Identifier: Apache-2.0 */
/* The first centroids of k-means: D^2 sampling (spec 3.3). */
#include <math.h>
#include <string.h>

#include "strategy/kmeans/kmeans_phases.h"

static bool wants_draw(const alcore__kmeans_group *each) {
    return each->active && each->chosen < each->clusters;
}

/* The newest centroid of a group with the guessed ones behind it. */
static double *ahead_of(const alcore__kmeans *means, int64_t g) {
    return means->ahead + means->each[g].number * ALCORE__AHEAD * means->dims;
}

/* The mask of a group's members by place of the matrix; false: it has none here. */
static bool mask_group(const alcore__kmeans *means, const alcore__matrix *matrix, int64_t g) {
    const alcore__block *block = matrix->block;
    const int32_t *group = means->group + block->start;
    uint8_t *mask = block->bench->mask;
    bool any = false;
    memset(mask, 0, (size_t)matrix->rows.count);
    for (int64_t i = 0; i < block->count; i++) {
        if (group[i] != g) continue;
        mask[alcore__matrix_place(matrix, i)] = 1;
        any = true;
    }
    return any;
}

/* Payload of a row that was found. */
static alcore_status put_found(const alcore__matrix *matrix, const alcore__kmeans_rows *state,
                               alcore__kmeans_found found, char *out) {
    int64_t member = found.position - matrix->block->start;
    ALCORE__TRY(alcore__numbers_read(
        matrix->block->run, state->dots + alcore__matrix_place(matrix, member), 1, &found.value));
    memcpy(out, &found, sizeof found);
    return alcore__matrix_row(matrix, member, (double *)(void *)(out + sizeof found));
}

/* Draws that are looked for in the block. */
static int64_t count_draws(const alcore__kmeans *means, const alcore__block *block) {
    int64_t count = 0;
    for (int64_t g = 0; g < means->groups; g++) {
        if (!wants_draw(&means->each[g])) continue;
        for (int k = 0; k < ALCORE__AHEAD; k++)
            count += alcore__draw_is_in(&means->each[g].sampler.draw[k], block);
    }
    return count;
}

alcore_status alcore__kmeans_pick_block(const alcore__kmeans *means, alcore__block *block) {
    int64_t count = count_draws(means, block);
    if (!count) return ALCORE_OK;
    alcore__matrix matrix;
    alcore__kmeans_rows state;
    char *out;
    ALCORE__TRY(alcore__kmeans_touch(means, block, &matrix, &state));
    ALCORE__TRY(
        alcore__block_payload(block, (size_t)count * alcore__kmeans_found_bytes(means), &out));
    for (int64_t g = 0; g < means->groups; g++) {
        if (!wants_draw(&means->each[g])) continue;
        bool masked = false;
        for (int k = 0; k < ALCORE__AHEAD; k++) {
            const alcore__draw *draw = &means->each[g].sampler.draw[k];
            int64_t member;
            if (!alcore__draw_is_in(draw, block)) continue;
            if (!masked) mask_group(means, &matrix, g);
            masked = true;
            ALCORE__TRY(
                alcore__draw_member(draw, &matrix, block->bench->mask, state.minimum, &member));
            ALCORE__TRY(put_found(&matrix, &state,
                                  (alcore__kmeans_found){g, block->start + member, k, 0.0}, out));
            out += alcore__kmeans_found_bytes(means);
        }
    }
    return ALCORE_OK;
}

void alcore__kmeans_take_pick(alcore__kmeans *means, const char *payload) {
    alcore__kmeans_found found;
    memcpy(&found, payload, sizeof found);
    alcore__kmeans_group *each = &means->each[found.group];
    size_t bytes = (size_t)means->dims * sizeof(double);
    memcpy(ahead_of(means, found.group) + found.draw * means->dims, payload + sizeof found, bytes);
    each->dots[found.draw] = found.value;
    each->sampler.found[found.draw] = found.position;
    if (found.draw) return;
    int64_t cluster = means->starts[found.group] + each->chosen;
    memcpy(means->centroids + cluster * means->dims, payload + sizeof found, bytes);
    means->initial[cluster] = found.position;
    means->chosen[found.position] = 1;
}

/* D^2 against the newest centroid of each group; payload: the total of each group. */
alcore_status alcore__kmeans_mass_block(const alcore__kmeans *means, alcore__block *block) {
    alcore__matrix matrix;
    alcore__kmeans_rows state;
    double *mass;
    const alcore_sys_kernels *kernels = block->run->input->engine.kernels;
    alcore_sys_work work = alcore__run_work(block->run);
    ALCORE__TRY(alcore__kmeans_touch(means, block, &matrix, &state));
    ALCORE__TRY(alcore__block_payload(block, (size_t)means->groups * sizeof *mass, &mass));
    const uint8_t *mask = block->bench->mask;
    int64_t rows = matrix.rows.count;
    for (int64_t g = 0; g < means->groups; g++) {
        const alcore__kmeans_group *each = &means->each[g];
        const alcore__sampler *sampler = &each->sampler;
        if (!wants_draw(each) || !mask_group(means, &matrix, g)) continue;
        alcore_sys_weights weights = {.minimum = state.minimum,
                                      .speculative = state.each,
                                      .speculative_count = sampler->guessed,
                                      .total = &mass[g]};
        if (sampler->known >= 0) {
            ALCORE__TRY(kernels->update_min(&work, rows, mask, state.each + sampler->known * rows,
                                            &weights));
        } else {
            ALCORE__TRY(kernels->min_sq_dists(&work, &matrix.rows, mask, ahead_of(means, g),
                                              1 + sampler->guessed, each->dots, state.dots, 1,
                                              &weights));
        }
    }
    return ALCORE_OK;
}

/* The next centroid, weighted(D^2, f64()), and guesses of those that follow. */
static void draw_next(alcore__run *run, alcore__kmeans *means, int64_t g) {
    alcore__kmeans_group *each = &means->each[g];
    alcore__sampler *sampler = &each->sampler;
    const double *mass = means->mass + g;
    if (!alcore__draw_by_weight(mass, means->groups, means->blocks, alcore_rng_f64(&each->rng),
                                &sampler->draw[0])) {
        /* Only duplicates are left: the first row that is no centroid yet. */
        int64_t i = 0;
        while (i < run->outcome.count && (means->group[i] != g || means->chosen[i])) i++;
        sampler->draw[0].position = i;
    }
    alcore_rng ahead = each->rng;
    int64_t left = each->clusters - each->chosen - 2; /* centroids after the next one that weigh */
    int32_t guesses = alcore__sampler_guesses(run, sampler);
    for (int32_t k = 1; k < ALCORE__AHEAD; k++) {
        sampler->draw[k] = alcore__draw_nothing;
        if (k <= guesses && k <= left)
            alcore__draw_by_weight(mass, means->groups, means->blocks, alcore_rng_f64(&ahead),
                                   &sampler->draw[k]);
    }
}

/* The draws of a pass were found: there is one centroid more. */
static void settle(alcore__kmeans *means, int64_t g) {
    alcore__kmeans_group *each = &means->each[g];
    alcore__sampler *sampler = &each->sampler;
    each->chosen++;
    alcore__sampler_settle(sampler);
    alcore__sampler_pack(sampler, ahead_of(means, g), means->dims);
    alcore__sampler_pack(sampler, each->dots, 1);
    for (int k = 0; k < ALCORE__AHEAD; k++) {
        sampler->draw[k] = alcore__draw_nothing;
        sampler->found[k] = -1;
    }
    if (means->given && wants_draw(each))
        sampler->draw[0].position = means->initial[means->starts[g] + each->chosen];
}

void alcore__kmeans_next_centroids(alcore__run *run, alcore__kmeans *means) {
    bool more = false;
    for (int64_t g = 0; g < means->groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        if (!wants_draw(each)) continue;
        if (means->phase == ALCORE__KMEANS_PICK) {
            settle(means, g);
            more |= wants_draw(each);
        } else {
            draw_next(run, means, g);
        }
    }
    if (means->phase == ALCORE__KMEANS_MASS) {
        means->phase = ALCORE__KMEANS_PICK;
    } else if (!more) {
        means->phase = ALCORE__KMEANS_ASSIGN;
    } else if (!means->given) {
        means->phase = ALCORE__KMEANS_MASS;
    }
}
