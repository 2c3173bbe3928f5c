/* SPDX-License-Identifier: Apache-2.0 */
/* The neighbors of KNN-UNCERTAINTY: which candidates the lists name, what these are worth and cost,
 * and how many of them each group takes (knn_uncertainty.h). Uncertainty and cost come in a pass of
 * their own: each block tells those of its neighbors, so that no process needs them of every
 * candidate. */
#include <math.h>
#include <string.h>

#include "strategy/rules/knn_uncertainty.h"

/* How many times as long as the next k lists are that were too short (knn_uncertainty.c). */
enum { LONGER_FACTOR = 4 };

/* ---- the list ---- */

/* Copies the rows that entries [entry_count] name to rows, ascending and each once: their number.
 */
static alcore_status distinct_rows(const alcore__run *run, const int64_t *entries,
                                   int64_t entry_count, int64_t *rows, int64_t *count) {
    int64_t named = 0;
    *count = 0;
    for (int64_t i = 0; i < entry_count; i++)
        if (entries[i] >= 0) rows[named++] = entries[i];
    ALCORE__TRY(alcore__sort(run->ctx, rows, (size_t)named, sizeof *rows, alcore__ascending));
    for (int64_t i = 0; i < named; i++)
        if (i == 0 || rows[i] != rows[i - 1]) rows[(*count)++] = rows[i];
    return ALCORE_OK;
}

alcore_status alcore__knn_list_neighbors(alcore__run *run) {
    alcore__knn_state *state = run->state;
    alcore__neighbors *neighbors = &state->neighbors;
    const int64_t entries = state->target_rows * state->length;
    int64_t *position = state->near.position, *rows; /* [entries] */
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, entries, &rows));
    ALCORE__TRY(distinct_rows(run, position, entries, rows, &neighbors->count));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, neighbors->count, &neighbors->row));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, neighbors->count, &neighbors->uncertainty));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, neighbors->count, &neighbors->cost));
    neighbors->told = 0;
    if (neighbors->count > 0) memcpy(neighbors->row, rows, (size_t)neighbors->count * sizeof *rows);
    for (int64_t i = 0; i < entries; i++)
        if (position[i] >= 0)
            position[i] = alcore__first_from(neighbors->row, neighbors->count, position[i]);
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* ---- what each is worth and costs ---- */

/* The neighbors in a block of candidates: *first .. *end - 1. */
static void find_neighbors(const alcore__neighbors *neighbors, int64_t block, int64_t *first,
                           int64_t *end) {
    *first = alcore__first_from(neighbors->row, neighbors->count, block * ALCORE_BLOCK_ROWS);
    *end = alcore__first_from(neighbors->row, neighbors->count, (block + 1) * ALCORE_BLOCK_ROWS);
}

/* Also of blocks of other shards, of whose rows nothing else is known. */
size_t alcore__knn_neighbors_bytes(const alcore__block *block) {
    const alcore__knn_state *state = block->run->state;
    int64_t first, end;
    find_neighbors(&state->neighbors, block->number, &first, &end);
    return (size_t)(end - first) * 2 * sizeof(double);
}

alcore_status alcore__knn_tell_neighbors(alcore__block *block, void *partial) {
    const alcore__run *run = block->run;
    const alcore__knn_state *state = run->state;
    double *told = partial;
    int64_t first, end;
    find_neighbors(&state->neighbors, block->number, &first, &end);
    for (; first < end; first++, told += 2) {
        const int64_t row = state->neighbors.row[first];
        int64_t index;
        ALCORE__TRY(alcore__hybrid_candidate(block, row, &index));
        told[0] = run->outcome.scores[block->start + index];
        told[1] = alcore__filler_cost(&state->hybrid.filler, block->start + index);
    }
    return ALCORE_OK;
}

alcore_status alcore__knn_take_neighbors(alcore__run *run, const alcore__block_partial *partial) {
    alcore__knn_state *state = run->state;
    alcore__neighbors *neighbors = &state->neighbors;
    const double *told = partial->extra;
    int64_t first, end;
    find_neighbors(neighbors, partial->block, &first, &end);
    for (; first < end; first++, told += 2) {
        if (isnan(told[0]) || !isfinite(told[1]) || told[1] < 0.0)
            return alcore__fail(ALCORE_E_CORRUPT, "row %lld has no uncertainty or no cost",
                                (long long)neighbors->row[first]);
        neighbors->uncertainty[first] = told[0];
        neighbors->cost[first] = told[1];
        neighbors->told++;
    }
    return ALCORE_OK;
}

/* ---- k ---- */

int64_t alcore__knn_mark(const alcore__knn_state *state, int64_t group, int64_t first, int64_t end,
                         int32_t *mark, double *cost, int64_t *list) {
    int64_t found = 0;
    for (int64_t m = state->groups.starts[group]; m < state->groups.starts[group + 1]; m++) {
        const int64_t *near = state->near.position + state->groups.members[m] * state->length;
        for (int64_t i = first; i < end; i++) {
            const int64_t neighbor = near[i];
            if (neighbor == ALCORE__NO_NEIGHBOR) break;
            if (neighbor == ALCORE__LABELED_NEIGHBOR || mark[neighbor] == (int32_t)group + 1)
                continue;
            mark[neighbor] = (int32_t)group + 1;
            *cost += state->neighbors.cost[neighbor];
            if (list) list[found] = neighbor;
            found++;
        }
    }
    return found;
}

/* Sets the k of a group: the fixed one, or with k=auto doubled from 1 until its N_k costs more than
 * its share of the budget or k is at its limit. Where the lists are too short for the next k, that
 * k is not set and next_k is raised to the one that was to be tried. mark [neighbors]: no entry is
 * that of this group before the call. */
static void find_k(const alcore__run *run, int64_t group, int32_t *mark) {
    alcore__knn_state *state = run->state;
    double share = run->input->fill.budget / (double)state->groups.count, cost = 0;
    int64_t k = 0, next = state->automatic ? 1 : state->k_limit;
    while (next <= state->length) {
        alcore__knn_mark(state, group, k, next, mark, &cost, NULL);
        k = next;
        if (!state->automatic || cost > share || k == state->k_limit) {
            state->k[group] = k;
            return;
        }
        next = 2 * k < state->k_limit ? 2 * k : state->k_limit;
    }
    if (next > state->next_k) state->next_k = next;
}

/* Counts for every neighbor the target rows among whose k nearest it is. Called once, when every
 * group has its k. */
static alcore_status count_targets(alcore__run *run) {
    alcore__knn_state *state = run->state;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, state->neighbors.count, &state->neighbors.target_counts));
    for (int64_t t = 0; t < state->target_rows; t++) {
        const int64_t *list = state->near.position + t * state->length;
        int32_t group = state->groups.group_of[t];
        for (int64_t i = 0; group >= 0 && i < state->k[group] && list[i] != ALCORE__NO_NEIGHBOR;
             i++)
            if (list[i] != ALCORE__LABELED_NEIGHBOR) state->neighbors.target_counts[list[i]]++;
    }
    return ALCORE_OK;
}

/* Where the lists are too short, all passes of neighbors are made again from empty lists. */
alcore_status alcore__knn_choose_k(alcore__run *run) {
    alcore__knn_state *state = run->state;
    int32_t *mark; /* [neighbors] 1 + the last group that counted the neighbor; 0: none did */
    if (state->neighbors.told != state->neighbors.count)
        return alcore__fail(ALCORE_E_CORRUPT, "%lld of %lld neighbors of the target were told",
                            (long long)state->neighbors.told, (long long)state->neighbors.count);
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, state->neighbors.count, &mark));
    state->next_k = 0;
    for (int64_t g = 0; g < state->groups.count; g++) {
        find_k(run, g, mark);
        ALCORE__TRY(alcore__tick(run->ctx, "k of languages", g, state->groups.count));
    }
    alcore__run_drop(run, height);
    state->needs_longer = state->next_k > 0;
    if (!state->needs_longer) return count_targets(run);
    state->length = LONGER_FACTOR * state->next_k < state->k_limit ? LONGER_FACTOR * state->next_k
                                                                   : state->k_limit;
    return ALCORE_OK;
}
