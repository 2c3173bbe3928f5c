/* SPDX-License-Identifier: Apache-2.0 */
/* k-means in a run over own rows, where no shard knows the groups of another one's candidates: each
 * tells how many candidates of each group a block has. So all know the size of each group, in which
 * block a row lies that is drawn by its number, and how many rows a block sends for empty clusters.
 * Memory: 8 bytes for each group and block of all shards, which D^2 weights take once more. */
#include "strategy/kmeans/kmeans_rows.h"

/* The partial: int64 [groups]. */
size_t alcore__kmeans_sizes_bytes(const alcore__block *block) {
    const alcore__kmeans *means = block->run->state;
    return (size_t)means->groups * sizeof(int64_t);
}

alcore_status alcore__kmeans_count_sizes(alcore__block *block, void *partial) {
    const alcore__kmeans *means = block->run->state;
    const int32_t *group = means->group + block->start;
    int64_t *sizes = partial;
    for (int64_t i = 0; i < block->count; i++)
        if (group[i] >= 0) sizes[group[i]]++;
    return ALCORE_OK;
}

/* Stores the sizes of one block, which may come from another process: together they are no more
 * than the rows of a block. */
alcore_status alcore__kmeans_store_sizes(alcore__run *run, const alcore__block_partial *partial) {
    alcore__kmeans *means = run->state;
    const int64_t *sizes = partial->extra, first = partial->block * means->groups;
    int64_t rest = run->input->candidates.rows - partial->block * ALCORE_BLOCK_ROWS;
    if (rest > ALCORE_BLOCK_ROWS) rest = ALCORE_BLOCK_ROWS;
    for (int64_t g = 0; g < means->groups; g++) {
        ALCORE__TRY(alcore__partial_check_index(sizes[g], rest + 1));
        rest -= sizes[g];
        means->sizes[first + g] = means->left[first + g] = (int32_t)sizes[g];
        means->each[g].size += sizes[g];
    }
    return ALCORE_OK;
}

void alcore__kmeans_draw_left(const alcore__kmeans *means, int64_t g, int64_t n,
                              alcore__draw *out) {
    *out = alcore__no_draw;
    for (int64_t b = 0; b < means->blocks; b++) {
        const int64_t left = means->left[b * means->groups + g];
        if (n < left) {
            out->block = b;
            out->number = n;
            return;
        }
        n -= left;
    }
}

int64_t alcore__kmeans_left_row(const alcore__kmeans *means, const alcore__block *block, int64_t g,
                                int64_t number) {
    for (int64_t i = 0; i < block->count; i++)
        if (means->group[block->start + i] == g && !means->is_seed[block->start + i] &&
            number-- == 0)
            return i;
    return -1;
}

/* is_seed has entries of own candidates alone. */
void alcore__kmeans_take_row(const alcore__run *run, alcore__kmeans *means, int64_t g,
                             int64_t place) {
    const int64_t position = alcore__candidate_position(run, place);
    means->left[place / ALCORE_BLOCK_ROWS * means->groups + g]--;
    if (position >= 0) means->is_seed[position] = 1;
}
