/* SPDX-License-Identifier: Apache-2.0 */
/* The first centroids of k-means: k-means++ (spec 3.3; Arthur and Vassilvitskii 2007), all groups
 * side by side, each a sequence of draws (draw_passes.h). When the caller gave the seed rows, they
 * are only found, one after another.
 *
 * Cost: one pass over the embeddings a centroid, less what speculative rows save. */
#include <string.h>

#include "strategy/kmeans/kmeans_rows.h"

/* Sets whether a group with candidates lacks one of its first centroids. A speculative row is not
 * worth measuring for the last draw, as no weights are needed after it. */
static void set_wanted(const alcore__kmeans *means, int64_t g) {
    const alcore__kmeans_group *each = &means->each[g];
    alcore__sequence *sequence = &means->draws.sequence[g];
    sequence->wanted = each->active && each->seeded < each->clusters;
    sequence->draws_left = each->clusters - each->seeded - 2;
}

/* The vectors of a group's newest centroid and, behind it, of its speculative rows:
 * [ALCORE__MAX_DRAWS, dims] of the state. The group has candidates. */
static double *vectors_of(const alcore__kmeans *means, int64_t g) {
    return means->seed_vectors + means->each[g].seed_slot * ALCORE__MAX_DRAWS * means->dims;
}

/* Of a drawn row its self dot and its vector are taken. */
static alcore_status open_block(const alcore__draws *draws, alcore__block *block,
                                alcore__draw_block *out) {
    alcore__kmeans_rows rows;
    ALCORE__TRY(alcore__kmeans_open_block(draws->owner, block, &out->matrix, &rows));
    out->weights = rows.weights;
    out->speculative_weights = rows.speculative_weights;
    out->sums = rows.weight_sums;
    out->taken[0] = alcore__rows_of(rows.self_dots, out->matrix.rows.count, 1);
    out->taken[1] = out->matrix.rows;
    out->taken_count = 2;
    return ALCORE_OK;
}

/* The mask of the active rows of group g. */
static alcore_status mask_group(const alcore__draws *draws, const alcore__draw_block *rows,
                                int64_t g, const uint8_t **mask) {
    const alcore__kmeans *means = draws->owner;
    alcore__block *block = rows->matrix.block;
    const int32_t *group = means->group + block->start;
    const int64_t count = rows->matrix.rows.count;
    uint8_t *own; /* [matrix rows] */
    bool any = false;
    *mask = NULL;
    ALCORE__TRY(alcore__scratch_push(block, count, sizeof *own, &own));
    memset(own, 0, (size_t)count);
    for (int64_t i = 0; i < block->count; i++) {
        if (group[i] != g) continue;
        own[alcore__matrix_row_of(&rows->matrix, i)] = 1;
        any = true;
    }
    return any ? alcore__block_store_mask(block, (int32_t)g, own, count, mask) : ALCORE_OK;
}

/* alcore__draw_rule.has. */
static bool has_row(const alcore__draws *draws, int64_t g, int64_t place) {
    const alcore__kmeans *means = draws->owner;
    if (means->left) return means->left[place / ALCORE_BLOCK_ROWS * means->groups + g] > 0;
    return means->group[place] == g;
}

/* alcore__draw_rule.numbered. */
static int64_t numbered_row(const alcore__draws *draws, const alcore__block *block, int64_t g,
                            int64_t number) {
    return alcore__kmeans_left_row(draws->owner, block, g, number);
}

/* alcore__draw_rule.measure: from the seed row that was taken last, and the speculative ones behind
 * it. */
static alcore_status measure(const alcore__draws *draws, const alcore__draw_block *rows, int64_t g,
                             const uint8_t *mask, const alcore_sys_weights *weights) {
    const alcore__kmeans *means = draws->owner;
    return ALCORE__KERNEL(draws->run, min_sq_dists, &rows->matrix.rows, mask, vectors_of(means, g),
                          1 + weights->speculative_count, means->each[g].seed_dots,
                          rows->taken[0].data, 1 /* duplicates weigh 0 */, weights);
}

/* Copies a found row into the state: its vector to seed_vectors and its self dot to seed_dots, each
 * by its draw. Draw 0 becomes the next centroid of its group too, and its row cannot be a seed row
 * again. */
static void store_seed(alcore__draws *draws, int64_t g, int64_t draw, int64_t place,
                       const double *taken) {
    alcore__kmeans *means = draws->owner;
    alcore__kmeans_group *each = &means->each[g];
    const size_t bytes = (size_t)means->dims * sizeof(double);
    memcpy(vectors_of(means, g) + draw * means->dims, taken + 1, bytes);
    each->seed_dots[draw] = taken[0];
    if (draw > 0) return; /* a speculative row */
    int64_t cluster = means->centroid_starts[g] + each->seeded;
    memcpy(means->centroids + cluster * means->dims, taken + 1, bytes);
    means->seed_positions[cluster] = place;
    if (means->left)
        alcore__kmeans_take_row(draws->run, means, g, place);
    else
        means->is_seed[place] = 1;
}

/* Each group has one centroid more. The sampler notes whether it was a hit and which speculative
 * rows are measured next, whose vectors and self dots are moved right behind those of the new
 * centroid. Given seeds are drawn in their order. Another process may have left out a row. */
static alcore_status accept_seeds(alcore__run *run, alcore__draws *draws) {
    alcore__kmeans *means = draws->owner;
    (void)run;
    for (int64_t g = 0; g < means->groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        alcore__sampler *sampler = &draws->sequence[g].sampler;
        if (!draws->sequence[g].wanted) continue;
        if (sampler->found[0] < 0) return alcore__fail_draw();
        each->seeded++;
        set_wanted(means, g);
        alcore__sampler_accept(sampler);
        alcore__sampler_pack(sampler, vectors_of(means, g), means->dims);
        alcore__sampler_pack(sampler, each->seed_dots, 1 /* double each */);
        alcore__sampler_clear_draws(sampler);
        if (!draws->weighs && draws->sequence[g].wanted)
            sampler->draw[0].position =
                means->seed_positions[means->centroid_starts[g] + each->seeded];
    }
    return ALCORE_OK;
}

/* Draws the n-th candidate, from 0, of those of a group that are no seed rows yet; there is one, as
 * a group has at least as many rows as clusters. */
static void draw_unseeded(const alcore__kmeans *means, int64_t g, int64_t n, alcore__draw *out) {
    int64_t position = 0;
    if (means->left) {
        alcore__kmeans_draw_left(means, g, n, out);
        return;
    }
    while (means->group[position] != g || means->is_seed[position] || n-- > 0) position++;
    out->position = position;
}

/* alcore__draw_rule.first. */
static void draw_first_unseeded(const alcore__draws *draws, int64_t g, alcore__draw *out) {
    draw_unseeded(draws->owner, g, 0, out);
}

static const alcore__draw_rule RULE = {.open = open_block,
                                       .mask = mask_group,
                                       .has = has_row,
                                       .numbered = numbered_row,
                                       .measure = measure,
                                       .store = store_seed,
                                       .accept = accept_seeds,
                                       .first = draw_first_unseeded};

/* Each group has a generator of its own, so its result does not depend on the others. The first
 * seed row is drawn uniformly, also where it is given: the draws that follow stay the same. */
alcore_status alcore__kmeans_begin_seeds(alcore__run *run, alcore__kmeans *means,
                                         const int64_t *seeds) {
    ALCORE__TRY(
        alcore__draws_begin(run, &RULE, means, means->groups, 1 + means->dims, &means->draws));
    means->draws.weighs = !seeds;
    if (seeds)
        memcpy(means->seed_positions, seeds,
               (size_t)means->centroid_starts[means->groups] * sizeof *seeds);
    for (int64_t g = 0; g < means->groups; g++) {
        const alcore__kmeans_group *each = &means->each[g];
        alcore__sequence *sequence = &means->draws.sequence[g];
        alcore__rng_seed(&sequence->rng,
                         alcore__rng_derive(run->input->seed, ALCORE__TAG_KMEANS,
                                            (uint64_t)run->input->round, (uint64_t)g));
        alcore__sampler_begin(run, means->unit, &sequence->sampler);
        set_wanted(means, g);
        if (!each->size) continue;
        int64_t n = (int64_t)alcore__rng_below(&sequence->rng, (uint64_t)each->size);
        if (seeds)
            sequence->sampler.draw[0].position = seeds[means->centroid_starts[g]];
        else
            draw_unseeded(means, g, n, &sequence->sampler.draw[0]);
    }
    return ALCORE_OK;
}
