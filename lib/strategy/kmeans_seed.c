/* SPDX-License-Identifier: Apache-2.0 */
/* The first centres of k-means: D^2 sampling (spec 3.3). */
#include <math.h>
#include <string.h>

#include "strategy/kmeans_phases.h"

/* The member of a block that a draw means; -1: it is in another block. */
static int64_t drawn_member(const alcore__kmeans_group *each, int64_t g, const int32_t *group,
                            const alcore__block *block) {
    if (each->draw_position >= 0) {
        int64_t member = each->draw_position - block->start;
        return member >= 0 && member < block->count ? member : -1;
    }
    if (each->draw_block != block->number) return -1;
    const double *weight = alcore__kmeans_rows_of(block).minimum;
    double run = 0.0;
    int64_t last = -1;
    for (int64_t i = 0; i < block->count; i++) {
        if (group[i] != g) continue;
        run += weight[i];
        if (!(weight[i] > 0.0)) continue;
        last = i;
        if (each->draw_before + run > each->draw_target) return i;
    }
    return last;
}

static bool wants_draw(const alcore__kmeans_group *each) {
    return each->active && each->chosen < each->clusters;
}

alcore_status alcore__kmeans_pick_block(const alcore__kmeans *means, alcore__block *block) {
    const int32_t *group = means->group + block->start;
    int64_t found = 0;
    for (int64_t g = 0; g < means->groups; g++) {
        found += wants_draw(&means->each[g]) && drawn_member(&means->each[g], g, group, block) >= 0;
    }
    if (!found) return ALCORE_OK;
    alcore__matrix matrix;
    alcore__kmeans_rows state;
    char *out;
    ALCORE__TRY(alcore__kmeans_touch(means, block, &matrix, &state));
    ALCORE__TRY(
        alcore__block_payload(block, (size_t)found * alcore__kmeans_found_bytes(means), &out));
    for (int64_t g = 0; g < means->groups; g++) {
        if (!wants_draw(&means->each[g])) continue;
        int64_t member = drawn_member(&means->each[g], g, group, block);
        if (member < 0) continue;
        *(alcore__kmeans_found *)(void *)out =
            (alcore__kmeans_found){g, block->start + member, state.dots[member]};
        ALCORE__TRY(alcore__matrix_row(&matrix, member,
                                       (double *)(void *)(out + sizeof(alcore__kmeans_found))));
        out += alcore__kmeans_found_bytes(means);
    }
    return ALCORE_OK;
}

void alcore__kmeans_take_pick(alcore__kmeans *means, const char *payload) {
    const alcore__kmeans_found *found = (const void *)payload;
    alcore__kmeans_group *each = &means->each[found->group];
    int64_t cluster = means->starts[found->group] + each->chosen;
    memcpy(means->centres + cluster * means->dims, payload + sizeof *found,
           (size_t)means->dims * sizeof(double));
    means->initial[cluster] = found->position;
    means->chosen[found->position] = 1;
    each->centre_dot = found->value;
}

/* D^2 against the newest centre of each group; payload: the total of each group. */
alcore_status alcore__kmeans_mass_block(const alcore__kmeans *means, alcore__block *block) {
    alcore__matrix matrix;
    alcore__kmeans_rows state;
    double *mass;
    uint8_t *which;
    const int32_t *group = means->group + block->start;
    ALCORE__TRY(alcore__kmeans_touch(means, block, &matrix, &state));
    ALCORE__TRY(alcore__block_payload(block, (size_t)means->groups * sizeof *mass, &mass));
    ALCORE__TRY(alcore__new_array(block->run->ctx, (size_t)block->count, 1, &which));
    alcore_status status = ALCORE_OK;
    for (int64_t g = 0; g < means->groups && status == ALCORE_OK; g++) {
        const alcore__kmeans_group *each = &means->each[g];
        if (!wants_draw(each)) continue;
        int64_t members = 0;
        for (int64_t i = 0; i < block->count; i++) members += which[i] = group[i] == g;
        if (!members) continue;
        const double *centre = means->centres + (means->starts[g] + each->chosen - 1) * means->dims;
        status = alcore__matrix_min_sqd(&matrix, which, centre, each->centre_dot, state.dots, true,
                                        state.minimum);
        for (int64_t i = 0; i < block->count; i++) {
            if (which[i]) mass[g] += state.minimum[i];
        }
    }
    alcore__free(block->run->ctx, which);
    return status;
}

/* weighted(D^2, f64()) of spec 1.7 as far as the blocks' totals tell. */
static void draw_next(alcore__run *run, alcore__kmeans *means, int64_t g) {
    alcore__kmeans_group *each = &means->each[g];
    double total = 0.0, before = 0.0, u = alcore_rng_f64(&each->rng);
    int64_t last = -1;
    for (int64_t b = 0; b < means->blocks; b++) {
        double mass = means->mass[b * means->groups + g];
        if (mass > 0.0) last = b;
        total += mass;
    }
    each->draw_position = each->draw_block = -1;
    if (last < 0) {
        /* Only duplicates are left: the first row that is no centre yet. */
        int64_t i = 0;
        while (i < run->outcome.count && (means->group[i] != g || means->chosen[i])) i++;
        each->draw_position = i;
        return;
    }
    each->draw_target = u * total;
    for (int64_t b = 0; b < means->blocks; b++) {
        double mass = means->mass[b * means->groups + g];
        if (before + mass > each->draw_target) {
            each->draw_block = b;
            each->draw_before = before;
            return;
        }
        before += mass;
    }
    /* Rounding left none: the last row with a weight. */
    each->draw_block = last;
    each->draw_before = -HUGE_VAL;
}

void alcore__kmeans_next_centres(alcore__run *run, alcore__kmeans *means) {
    bool more = false;
    for (int64_t g = 0; g < means->groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        if (!each->active) continue;
        if (means->phase == ALCORE__KMEANS_PICK) {
            if (wants_draw(each)) each->chosen++;
            more |= wants_draw(each);
            if (means->given && wants_draw(each)) {
                each->draw_position = means->initial[means->starts[g] + each->chosen];
            }
        } else if (wants_draw(each)) {
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
