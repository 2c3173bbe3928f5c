/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "strategy/kmeans/kmeans_phases.h"

/* Blocks keep the sums of their clusters when those of all blocks are no larger than this. */
enum { SUMS_MOST = 256 << 20 };

/* Numbers of a row that the engine keeps. */
enum { NUMBERS = 2 + ALCORE__GUESSES };

/* Of the members alone, so that what follows is aligned. */
static size_t rows_bytes(int64_t count) {
    return (size_t)count * 2 * sizeof(double) + ((size_t)count + 1) / 2 * 2 * sizeof(int32_t);
}

static size_t state_bytes(const alcore__kmeans *means, int64_t count) {
    size_t clusters = (size_t)means->starts[means->groups];
    size_t sums = (1 + clusters + clusters * (size_t)means->dims) * 8;
    return rows_bytes(count) + (means->keeps_sums ? sums : 0);
}

alcore__kmeans_rows alcore__kmeans_rows_of(const alcore__block *block) {
    double *high = block->memory->local, *low = high + block->count;
    return (alcore__kmeans_rows){
        .high = high, .low = low, .assigned = (int32_t *)(low + block->count)};
}

alcore__kmeans_sums alcore__kmeans_sums_of(const alcore__kmeans *means,
                                           const alcore__block *block) {
    if (!means->keeps_sums) return (alcore__kmeans_sums){0};
    int64_t *valid = (int64_t *)(void *)((char *)block->memory->local + rows_bytes(block->count));
    int64_t clusters = means->starts[means->groups];
    return (alcore__kmeans_sums){valid, valid + 1, (double *)(void *)(valid + 1 + clusters)};
}

const int32_t *alcore__kmeans_assigned(const alcore__block *block) {
    return block->count ? alcore__kmeans_rows_of(block).assigned : NULL;
}

/* ---- begin ---- */

static alcore_status make_arrays(alcore__run *run, alcore__kmeans *means, int64_t k,
                                 const int32_t *group) {
    alcore_ctx *ctx = run->ctx;
    size_t groups = (size_t)means->groups;
    ALCORE__TRY(alcore__new_array(ctx, groups, sizeof *means->each, &means->each));
    ALCORE__TRY(alcore__new_array(ctx, groups + 1, sizeof(int64_t), &means->starts));
    for (int64_t i = 0; i < run->outcome.count; i++) {
        if (group[i] >= 0) means->each[group[i]].size++;
    }
    int64_t busy = 0;
    for (int64_t g = 0; g < means->groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        each->number = busy;
        busy += each->size > 0;
        each->clusters = each->size < k ? each->size : k;
        each->active = each->size > 0;
        means->starts[g + 1] = means->starts[g] + each->clusters;
    }
    size_t clusters = (size_t)means->starts[means->groups],
           numbers = (size_t)means->dims * sizeof(double);
    ALCORE__TRY(alcore__new_array(ctx, clusters, numbers, &means->centroids));
    ALCORE__TRY(alcore__new_array(ctx, clusters, numbers, &means->sums));
    ALCORE__TRY(alcore__new_array(ctx, clusters, sizeof(double), &means->moved));
    means->keeps_sums = (double)means->blocks * (double)clusters * (double)numbers <= SUMS_MOST;
    ALCORE__TRY(alcore__new_array(ctx, clusters, sizeof(int64_t), &means->initial));
    ALCORE__TRY(alcore__new_array(ctx, clusters, sizeof(int64_t), &means->counts));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)busy * ALCORE__AHEAD, numbers, &means->ahead));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)run->outcome.count, 1, &means->chosen));
    return alcore__new_array(ctx, (size_t)means->blocks * groups, sizeof(double), &means->mass);
}

/* Position of the n-th member of a group. */
static int64_t nth_member(const alcore__kmeans *means, int64_t g, int64_t n) {
    int64_t i = 0;
    while (means->group[i] != g || n-- > 0) i++;
    return i;
}

alcore_status alcore__kmeans_begin(alcore__run *run, alcore__kmeans *means, const int32_t *group,
                                   int64_t groups, int64_t k, bool unit, const int64_t *initial) {
    means->groups = groups;
    means->dims = alcore__embedding_dims(run);
    means->blocks = run->members[0].blocks;
    means->unit = unit;
    means->group = group;
    means->phase = ALCORE__KMEANS_PICK;
    ALCORE__TRY(make_arrays(run, means, k, group));
    run->repeats = true;
    means->given = initial != NULL;
    if (initial) memcpy(means->initial, initial, (size_t)means->starts[groups] * sizeof *initial);
    for (int64_t g = 0; g < groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        uint64_t seed = alcore_rng_derive(run->input->seed, ALCORE__KMEANS_TAG,
                                          (uint64_t)run->input->round, (uint64_t)g);
        alcore_rng_seed(&each->rng, seed);
        alcore__sampler_begin(run, unit, &each->sampler);
        if (!each->size) continue;
        int64_t first = (int64_t)alcore_rng_below(&each->rng, (uint64_t)each->size);
        each->sampler.draw[0].position =
            initial ? initial[means->starts[g]] : nth_member(means, g, first);
    }
    return ALCORE_OK;
}

void alcore__kmeans_clear(alcore_ctx *ctx, alcore__kmeans *means) {
    alcore__free(ctx, means->each);
    alcore__free(ctx, means->starts);
    alcore__free(ctx, means->centroids);
    alcore__free(ctx, means->sums);
    alcore__free(ctx, means->moved);
    alcore__free(ctx, means->initial);
    alcore__free(ctx, means->counts);
    alcore__free(ctx, means->ahead);
    alcore__free(ctx, means->mass);
    alcore__free(ctx, means->chosen);
    alcore__free(ctx, means->far);
    memset(means, 0, sizeof *means);
}

/* The numbers before the first centroid. */
static alcore_status first_numbers(alcore__block *block, const alcore__matrix *matrix) {
    const alcore__run *run = block->run;
    alcore_sys_work work = alcore__run_work(run);
    int64_t rows = matrix->rows.count;
    double *numbers;
    ALCORE__TRY(alcore__new_array(run->ctx, NUMBERS * (size_t)rows, sizeof *numbers, &numbers));
    for (int64_t i = rows; i < NUMBERS * rows; i++) numbers[i] = HUGE_VAL;
    alcore_status status =
        run->input->engine.kernels->self_dots(&work, &matrix->rows, matrix->take, numbers);
    for (int64_t i = 0; i < block->count && status == ALCORE_OK; i++) {
        if (!isfinite(numbers[alcore__matrix_place(matrix, i)]))
            status = alcore__matrix_check(matrix);
    }
    if (status == ALCORE_OK) return alcore__block_keep(block, numbers, NUMBERS * rows);
    alcore__free(run->ctx, numbers);
    return status;
}

alcore_status alcore__kmeans_touch(const alcore__kmeans *means, alcore__block *block,
                                   alcore__matrix *matrix, alcore__kmeans_rows *out) {
    ALCORE__TRY(alcore__block_matrix(block, means->unit, matrix));
    bool fresh = !alcore__block_numbers(block);
    void *memory;
    if (fresh) ALCORE__TRY(first_numbers(block, matrix));
    ALCORE__TRY(alcore__block_local(block, state_bytes(means, block->count), &memory));
    int64_t rows = matrix->rows.count;
    *out = alcore__kmeans_rows_of(block);
    out->dots = alcore__block_numbers(block);
    out->minimum = out->dots + rows;
    out->each = out->minimum + rows;
    if (fresh) memset(out->assigned, 0xff, (size_t)block->count * sizeof(int32_t));
    return ALCORE_OK;
}

size_t alcore__kmeans_found_bytes(const alcore__kmeans *means) {
    return sizeof(alcore__kmeans_found) + (size_t)means->dims * sizeof(double);
}

/* ---- the steps ---- */

alcore_status alcore__kmeans_block(const alcore__kmeans *means, alcore__block *block) {
    if (!block->count) return ALCORE_OK;
    switch (means->phase) {
    case ALCORE__KMEANS_PICK:
        return alcore__kmeans_pick_block(means, block);
    case ALCORE__KMEANS_MASS:
        return alcore__kmeans_mass_block(means, block);
    case ALCORE__KMEANS_ASSIGN:
        return alcore__kmeans_assign_block(means, block);
    default:
        return alcore__kmeans_far_block(means, block);
    }
}

alcore_status alcore__kmeans_gather(alcore__run *run, alcore__kmeans *means, int64_t block,
                                    const void *payload, size_t bytes) {
    if (means->phase == ALCORE__KMEANS_MASS) {
        double *mass = means->mass + block * means->groups;
        if (bytes) memcpy(mass, payload, bytes);
    } else if (means->phase == ALCORE__KMEANS_PICK) {
        for (size_t at = 0; at < bytes; at += alcore__kmeans_found_bytes(means))
            alcore__kmeans_take_pick(means, (const char *)payload + at);
    } else if (means->phase == ALCORE__KMEANS_ASSIGN) {
        if (bytes) alcore__kmeans_add_assigned(means, payload);
    } else if (bytes) {
        ALCORE__TRY(
            alcore__grow(run->ctx, &means->far, &means->far_capacity, means->far_bytes + bytes, 1));
        memcpy(means->far + means->far_bytes, payload, bytes);
        means->far_bytes += bytes;
    }
    return ALCORE_OK;
}

static void clear_sums(alcore__kmeans *means) {
    size_t clusters = (size_t)means->starts[means->groups];
    memset(means->sums, 0, clusters * (size_t)means->dims * sizeof *means->sums);
    memset(means->counts, 0, clusters * sizeof *means->counts);
}

alcore_status alcore__kmeans_next(alcore__run *run, alcore__kmeans *means, bool *finished) {
    *finished = false;
    if (means->phase == ALCORE__KMEANS_ASSIGN) {
        alcore__kmeans_next_assignment(means, finished);
        if (means->phase == ALCORE__KMEANS_ASSIGN) clear_sums(means);
    } else if (means->phase == ALCORE__KMEANS_FAR) {
        alcore__kmeans_fill_empty(means);
        alcore__kmeans_settle(means, finished);
        clear_sums(means);
    } else {
        alcore__kmeans_next_centroids(run, means);
    }
    return ALCORE_OK;
}
