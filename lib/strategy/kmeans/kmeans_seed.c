/* SPDX-License-Identifier: Apache-2.0 */
/* The first centroids of k-means: k-means++ (spec 3.3; Arthur and Vassilvitskii 2007), all groups
 * side by side.
 *
 * Two passes alternate until every group has its clusters. "Seed rows" finds, in the block that
 * holds each, the rows that were drawn: the next centroid of every group and its speculative rows
 * (d2_sampling.h); where the engine draws by itself (device_draws.h), "drawn rows" takes its place.
 * "D^2 weights" measures the candidates of each group from its newest centroid,
 * unless that was a hit, and from the speculative rows; the total weight of each block is what the
 * next draw needs. When the caller gave the seed rows, only the first pass is made.
 *
 * The D^2 weight of a row is its smallest squared distance to the centroids of its group so far. A
 * speculative row is one that a later draw would hit under the present weights: it is measured in
 * advance. If that draw does choose it (a hit), its distances are known already.
 *
 * Cost: one pass over the embeddings a centroid, less what hits save. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "strategy/kmeans/kmeans_rows.h"

/* Whether a group with candidates lacks one of its first centroids. */
static bool needs_seed(const alcore__kmeans_group *each) {
    return each->active && each->seeded < each->clusters;
}

/* Whether a group lacks a centroid, so that both passes are made again. */
bool alcore__kmeans_needs_seeds(const alcore__run *run) {
    const alcore__kmeans *means = run->state;
    for (int64_t g = 0; g < means->groups; g++) {
        if (needs_seed(&means->each[g])) return true;
    }
    return false;
}

/* Whether weights are needed for another draw; given seeds are not drawn. */
bool alcore__kmeans_needs_weights(const alcore__run *run) {
    return !((const alcore__kmeans *)run->state)->seeds_given && alcore__kmeans_needs_seeds(run);
}

/* The vectors of a group's newest centroid and, behind it, of its speculative rows:
 * [ALCORE__MAX_DRAWS, dims] of the state. The group has candidates. */
static double *vectors_of(const alcore__kmeans *means, int64_t g) {
    return means->seed_vectors + means->each[g].seed_slot * ALCORE__MAX_DRAWS * means->dims;
}

/* Sets mask [matrix rows, in host memory] to 1 for the active rows of group g, else 0; false: the
 * block has none. */
static bool mask_group(const alcore__kmeans *means, const alcore__matrix *matrix, int64_t g,
                       uint8_t *mask) {
    const alcore__block *block = matrix->block;
    const int32_t *group = means->group + block->start;
    bool any = false;
    memset(mask, 0, (size_t)matrix->rows.count);
    for (int64_t i = 0; i < block->count; i++) {
        if (group[i] != g) continue;
        mask[alcore__matrix_row_of(matrix, i)] = 1;
        any = true;
    }
    return any;
}

/* *mask: the rows of a group, as the engine has them; NULL: the block has none. group_mask [matrix
 * rows]: where it is made. */
static alcore_status store_group_mask(const alcore__kmeans *means, const alcore__matrix *matrix,
                                      int64_t g, uint8_t *group_mask, const uint8_t **mask) {
    *mask = NULL;
    if (!mask_group(means, matrix, g, group_mask)) return ALCORE_OK;
    return alcore__block_store_mask(matrix->block, (int32_t)g, group_mask, matrix->rows.count,
                                    mask);
}

/* ---- pass "drawn rows", where the engine draws ---- */

/* `start` of the pass "D^2 weights". */
alcore_status alcore__kmeans_open_draws(alcore__run *run) {
    alcore__kmeans *means = run->state;
    return alcore__device_draws_open(run, means->groups, 1 + means->dims, &means->device_draws);
}

/* Whether the next seed row of a group is drawn by the engine. */
static bool draws_on_engine(const alcore__kmeans_group *each) {
    return needs_seed(each) && each->sampler.draw[0].by_engine;
}

/* Condition of the pass: the engine draws the next seed row of some group. */
bool alcore__kmeans_has_device_draws(const alcore__run *run) {
    const alcore__kmeans *means = run->state;
    for (int64_t g = 0; g < means->groups; g++) {
        if (draws_on_engine(&means->each[g])) return true;
    }
    return false;
}

/* Queues the draws of all groups that have rows in the block: kernels find the drawn row by the
 * running sums of its weights and copy its self dot and its vector, and nothing is waited for.
 * alcore__kmeans_read_draws(), the end of the pass, reads what they found. No partial. */
alcore_status alcore__kmeans_queue_draws(alcore__block *block, void *partial) {
    const alcore__kmeans *means = block->run->state;
    alcore__matrix matrix;
    alcore__kmeans_rows rows;
    uint8_t *group_mask;
    (void)partial;
    ALCORE__TRY(alcore__kmeans_open_block(means, block, &matrix, &rows));
    ALCORE__TRY(alcore__scratch_push(block, matrix.rows.count, sizeof *group_mask, &group_mask));
    const alcore_sys_rows taken[] = {alcore__rows_of(rows.self_dots, matrix.rows.count, 1),
                                     matrix.rows};
    for (int64_t g = 0; g < means->groups; g++) {
        const uint8_t *mask;
        if (!draws_on_engine(&means->each[g])) continue;
        ALCORE__TRY(store_group_mask(means, &matrix, g, group_mask, &mask));
        if (!mask) continue;
        ALCORE__TRY(alcore__device_draws_find(&means->device_draws, &matrix, g,
                                              &means->each[g].sampler, mask, rows.weights,
                                              rows.weight_sums, 2 /* matrices */, taken));
    }
    return ALCORE_OK;
}

/* ---- pass "seed rows" ---- */

/* Condition of the pass: some group has a draw that is found by its position, or in a block. */
bool alcore__kmeans_has_draws(const alcore__run *run) {
    const alcore__kmeans *means = run->state;
    for (int64_t g = 0; g < means->groups; g++) {
        const alcore__draw *draw = &means->each[g].sampler.draw[0];
        if (needs_seed(&means->each[g]) && (draw->position >= 0 || draw->block >= 0)) return true;
    }
    return false;
}

/* Size of the partial: an alcore__kmeans_found and a vector for every drawn row of the block. */
size_t alcore__kmeans_seeds_bytes(const alcore__block *block) {
    const alcore__kmeans *means = block->run->state;
    size_t count = 0;
    for (int64_t g = 0; g < means->groups; g++) {
        if (!needs_seed(&means->each[g])) continue;
        for (int32_t k = 0; k < ALCORE__MAX_DRAWS; k++)
            count += alcore__draw_is_in(&means->each[g].sampler.draw[k], block);
    }
    return count * alcore__kmeans_found_bytes(means);
}

/* Writes the entry of the row at an index of the block to out: found with its position and its self
 * dot, which is read back from the engine's memory, then its vector, double [dims]. The caller has
 * set group and draw of found. out is aligned for doubles, as entries are multiples of 8 bytes. */
static alcore_status write_found(const alcore__matrix *matrix, const alcore__kmeans_rows *rows,
                                 int64_t index, alcore__kmeans_found found, char *out) {
    const double *self_dot = rows->self_dots + alcore__matrix_row_of(matrix, index);
    found.position = matrix->block->start + index;
    ALCORE__TRY(alcore__download(matrix->block->run, self_dot, 1 /* double */, &found.self_dot));
    memcpy(out, &found, sizeof found);
    return alcore__matrix_copy_row(matrix, index, (double *)(void *)(out + sizeof found));
}

/* Visits a block that holds a drawn row; others have no bytes and are not visited. Writes an entry
 * for each drawn row that lies in this block, by group and draw (0: the next centroid, others:
 * speculative rows). The mask of a group is made once for all of its draws. The index is never -1:
 * a draw by weight chose the block only where a row of the group has a weight. */
alcore_status alcore__kmeans_find_seeds(alcore__block *block, void *partial) {
    const alcore__kmeans *means = block->run->state;
    alcore__matrix matrix;
    alcore__kmeans_rows rows;
    uint8_t *group_mask;
    char *out = partial;
    ALCORE__TRY(alcore__kmeans_open_block(means, block, &matrix, &rows));
    ALCORE__TRY(alcore__scratch_push(block, matrix.rows.count, sizeof *group_mask, &group_mask));
    for (int64_t g = 0; g < means->groups; g++) {
        const uint8_t *mask = NULL;
        for (int32_t k = 0; needs_seed(&means->each[g]) && k < ALCORE__MAX_DRAWS; k++) {
            const alcore__draw *draw = &means->each[g].sampler.draw[k];
            int64_t index;
            if (!alcore__draw_is_in(draw, block)) continue;
            if (!mask) ALCORE__TRY(store_group_mask(means, &matrix, g, group_mask, &mask));
            ALCORE__TRY(alcore__draw_find(draw, &matrix, mask, rows.weights, &index));
            alcore__kmeans_found found = {.group = g, .draw = k};
            ALCORE__TRY(write_found(&matrix, &rows, index, found, out));
            out += alcore__kmeans_found_bytes(means);
        }
    }
    return ALCORE_OK;
}

/* Copies a found row into the state: its vector [dims] to seed_vectors, its self dot to seed_dots
 * and its position to the sampler, each by its draw. Draw 0 becomes the next centroid of its group
 * too, and its row cannot be a seed row again. */
static void store_seed(alcore__kmeans *means, const alcore__kmeans_found *found,
                       const void *vector) {
    alcore__kmeans_group *each = &means->each[found->group];
    size_t bytes = (size_t)means->dims * sizeof(double);
    memcpy(vectors_of(means, found->group) + found->draw * means->dims, vector, bytes);
    each->seed_dots[found->draw] = found->self_dot;
    each->sampler.found[found->draw] = found->position;
    if (found->draw > 0) return; /* a speculative row */
    int64_t cluster = means->centroid_starts[found->group] + each->seeded;
    memcpy(means->centroids + cluster * means->dims, vector, bytes);
    means->seed_positions[cluster] = found->position;
    means->is_seed[found->position] = 1;
}

/* Reduces the partial of one block: its entries lie one behind the other. */
alcore_status alcore__kmeans_store_seeds(alcore__run *run, const alcore__block_partial *partial) {
    alcore__kmeans *means = run->state;
    size_t entry_bytes = alcore__kmeans_found_bytes(means);
    for (size_t offset = 0; offset < partial->extra_bytes; offset += entry_bytes) {
        const char *entry = (const char *)partial->extra + offset;
        alcore__kmeans_found found;
        memcpy(&found, entry, sizeof found);
        store_seed(means, &found, entry + sizeof found);
    }
    return ALCORE_OK;
}

/* End of "seed rows". The drawn rows of all groups were found: each group has one centroid more.
 * The sampler notes whether it was a hit and which speculative rows are measured next, whose
 * vectors and self dots are moved right behind those of the new centroid. Given seeds are drawn in
 * their order. */
alcore_status alcore__kmeans_accept_seeds(alcore__run *run) {
    alcore__kmeans *means = run->state;
    for (int64_t g = 0; g < means->groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        alcore__sampler *sampler = &each->sampler;
        if (!needs_seed(each)) continue;
        each->seeded++;
        alcore__sampler_accept(sampler);
        alcore__sampler_pack(sampler, vectors_of(means, g), means->dims);
        alcore__sampler_pack(sampler, each->seed_dots, 1 /* double each */);
        alcore__sampler_clear_draws(sampler); /* alcore__kmeans_draw_seeds() makes the next ones */
        if (means->seeds_given && needs_seed(each))
            sampler->draw[0].position =
                means->seed_positions[means->centroid_starts[g] + each->seeded];
    }
    return ALCORE_OK;
}

/* ---- pass "D^2 weights" ---- */

/* Size of the partial: the total weight of each group in the block, or in each block of a wide one,
 * double [blocks, groups]. */
size_t alcore__kmeans_weights_bytes(const alcore__block *block) {
    const alcore__kmeans *means = block->run->state;
    return (size_t)(block->blocks * means->groups) * sizeof(double);
}

/* Replaces the D^2 weight of each row of the block by its squared distance to the newest centroid
 * of its group where that is smaller, and adds the weights up: totals [blocks, groups], the
 * partial, in which a group without rows in the block, or with all its centroids, stays 0. weights
 * and self_dots [matrix rows] and speculative_weights [ALCORE__MAX_SPECULATIVE, matrix rows] of
 * `rows` are kept with the block. After a hit the distances to the new centroid are there already,
 * in its row of speculative_weights, and the rows of the group are not measured. */
alcore_status alcore__kmeans_weigh_rows(alcore__block *block, void *partial) {
    const alcore__kmeans *means = block->run->state;
    const alcore_sys_kernels *kernels = alcore__run_kernels(block->run);
    alcore_sys_work work = alcore__run_work(block->run);
    alcore__matrix matrix;
    alcore__kmeans_rows rows;
    uint8_t *group_mask;
    double *totals = partial;
    /* A call has one total, but a wide block one for each of its blocks. */
    bool wide = alcore__device_draws_are_open(&means->device_draws);
    ALCORE__TRY(alcore__kmeans_open_block(means, block, &matrix, &rows));
    ALCORE__TRY(alcore__scratch_push(block, matrix.rows.count, sizeof *group_mask, &group_mask));
    int64_t count = matrix.rows.count;
    for (int64_t g = 0; g < means->groups; g++) {
        const alcore__kmeans_group *each = &means->each[g];
        const alcore__sampler *sampler = &each->sampler;
        const uint8_t *mask;
        if (!needs_seed(each)) continue;
        ALCORE__TRY(store_group_mask(means, &matrix, g, group_mask, &mask));
        if (!mask) continue;
        alcore_sys_weights weights = {.minimum = rows.weights,
                                      .speculative = rows.speculative_weights,
                                      .speculative_count = sampler->speculative,
                                      .total = wide ? NULL : &totals[g]};
        if (sampler->hit >= 0) {
            ALCORE__TRY(kernels->update_min(
                &work, count, mask, rows.speculative_weights + sampler->hit * count, &weights));
        } else {
            ALCORE__TRY(kernels->min_sq_dists(
                &work, &matrix.rows, mask, vectors_of(means, g), 1 + sampler->speculative,
                each->seed_dots, rows.self_dots, 1 /* duplicates weigh 0 */, &weights));
        }
        if (wide)
            ALCORE__TRY(alcore__device_draws_add(&means->device_draws, &matrix, g, mask,
                                                 rows.weights, rows.weight_sums));
    }
    return ALCORE_OK;
}

/* Reduces the partial of one block: its total weights, by group, are the block's line of
 * block_weights [blocks, groups], or the lines of the blocks of a wide one. */
alcore_status alcore__kmeans_store_weights(alcore__run *run, const alcore__block_partial *partial) {
    alcore__kmeans *means = run->state;
    memcpy(means->block_weights + partial->block * means->groups, partial->extra,
           partial->extra_bytes);
    return ALCORE_OK;
}

/* The position of the lowest row of a group that is no seed row yet. There is one, as a group has
 * at least as many rows as clusters. */
static int64_t first_unseeded(const alcore__kmeans *means, int64_t g, int64_t candidates) {
    int64_t position = 0;
    while (position < candidates && (means->group[position] != g || means->is_seed[position]))
        position++;
    return position;
}

/* Draws the next seed row of group g with a probability proportional to the D^2 weights, and the
 * speculative rows after it. Where the host draws, only the block and the target of the running
 * weight are known here; the block finds the row in the next pass "seed rows". */
static void draw_next(alcore__run *run, alcore__kmeans *means, int64_t g) {
    alcore__kmeans_group *each = &means->each[g];
    alcore__sampler *sampler = &each->sampler;
    /* When only duplicates of seed rows are left, no row has a weight. */
    if (!alcore__device_draws_draw(run, &means->device_draws, means->block_weights, g,
                                   alcore__rng_f64(&each->rng), &sampler->draw[0]))
        sampler->draw[0].position = first_unseeded(means, g, run->outcome.count);
    /* Speculative draws use the numbers that the generator will return next, from a copy of it.
     * clusters - seeded draws are left, the present one included. A row is not worth measuring in
     * advance for the last of them, as no weights are needed after it; so draws_left of the draws
     * after the present one can use a speculative row. */
    alcore__rng ahead = each->rng;
    int64_t draws_left = each->clusters - each->seeded - 2;
    int32_t speculative = alcore__sampler_speculative_draws(sampler);
    for (int32_t k = 1; k < ALCORE__MAX_DRAWS; k++) {
        sampler->draw[k] = alcore__no_draw; /* nothing is to be found */
        if (k <= speculative && k <= draws_left)
            alcore__device_draws_draw(run, &means->device_draws, means->block_weights, g,
                                      alcore__rng_f64(&ahead), &sampler->draw[k]);
    }
}

/* Stores what the engine has found for a group. Without a weight no row is found, and the first one
 * that is no seed row becomes the next. */
static void store_drawn(alcore__run *run, alcore__kmeans *means, int64_t g) {
    alcore__sampler *sampler = &means->each[g].sampler;
    for (int32_t k = 0; k < ALCORE__MAX_DRAWS && sampler->draw[k].by_engine; k++) {
        alcore__kmeans_found found = {.group = g, .draw = k};
        const double *taken =
            alcore__device_draws_found(run, &means->device_draws, g, k, &found.position);
        if (!taken) {
            alcore__sampler_clear_draws(sampler);
            sampler->draw[0].position = first_unseeded(means, g, run->outcome.count);
            return;
        }
        found.self_dot = taken[0];
        store_seed(means, &found, taken + 1);
    }
}

/* End of "drawn rows": the rows of groups that have none by weight are left to "seed rows". */
alcore_status alcore__kmeans_read_draws(alcore__run *run) {
    alcore__kmeans *means = run->state;
    ALCORE__TRY(alcore__device_draws_read(run, &means->device_draws));
    for (int64_t g = 0; g < means->groups; g++) {
        if (draws_on_engine(&means->each[g])) store_drawn(run, means, g);
    }
    return alcore__kmeans_has_draws(run) ? ALCORE_OK : alcore__kmeans_accept_seeds(run);
}

/* End of "D^2 weights": draws for every group that lacks clusters. */
alcore_status alcore__kmeans_draw_seeds(alcore__run *run) {
    alcore__kmeans *means = run->state;
    ALCORE__TRY(alcore__device_draws_decide(run, &means->device_draws, means->block_weights));
    for (int64_t g = 0; g < means->groups; g++) {
        if (needs_seed(&means->each[g])) draw_next(run, means, g);
    }
    return ALCORE_OK;
}
