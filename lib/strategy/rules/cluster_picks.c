/* SPDX-License-Identifier: Apache-2.0 */
/* The candidates nearest to the centroids of k-means, as cluster_picks.h describes them.
 *
 * Vectors are read as unit vectors throughout. */
#include "strategy/rules/cluster_picks.h"

#include <math.h>
#include <string.h>

/* Entries of each list in the first pass, unless all lists together would then need more than
 * LIST_BYTES, at 16 bytes an entry; and the largest number of entries, up to which they double. All
 * three are choices that were not measured, and no result depends on them. FIRST_LENGTH decides how
 * many of the rows nearest to a centroid other clusters may have chosen, or the budget passed over,
 * before the pass is made again. LIST_BYTES bounds the memory of the first lists, the merged ones
 * and those of each block in work; MAX_LENGTH that of the later ones, to 16 KiB a cluster. */
enum { FIRST_LENGTH = 8, MAX_LENGTH = 1024, LIST_BYTES = 8 << 20 /* 8 MiB */ };

/* ---- begin ---- */

/* As many clusters as picks are expected, at least one. */
alcore_status alcore__cluster_picks_begin(alcore__run *run) {
    alcore__cluster_picks *state = run->state;
    const int64_t count = run->outcome.count;
    double picks = alcore__expected_picks(run); /* at most the candidates */
    state->clusters = picks < 1.0 ? 1 : (int64_t)picks;
    state->length = FIRST_LENGTH;
    while (state->length > 1 && state->length * state->clusters > LIST_BYTES / 16)
        state->length /= 2;
    run->hints.repeats = run->hints.row_work = true; /* k-means makes many passes */
    run->hints.host_doubles = (double)state->clusters * (double)alcore__embedding_dims(run);
    ALCORE__TRY(alcore__greedy_begin(run, &state->greedy));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->group));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->cluster));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->distance));
    for (int64_t i = 0; i < count; i++) state->cluster[i] = -1;
    alcore__warn_passes(run, picks); /* k-means++ seeds one cluster a pass */
    return ALCORE_OK;
}

/* ---- pass "k-means" ---- */

/* Start of the nested table: k-means with state->clusters clusters. */
static alcore_status start_kmeans(alcore__run *run) {
    alcore__cluster_picks *state = run->state;
    return alcore__kmeans_begin(run, &state->kmeans, state->group, 1 /* group */, state->clusters,
                                true /* unit vectors */, NULL /* seeds are drawn */);
}

/* The centroids [clusters, dims] as a kernel reads them. */
static alcore_sys_rows centroids_of(const alcore__cluster_picks *state) {
    return alcore__rows_of(state->kmeans.centroids, state->clusters, state->kmeans.dims);
}

/* ---- pass "distances": the nearest centroid of every candidate ---- */

/* Writes the partial, double [active rows], then int32 [active rows]: the squared distance of each
 * row to its nearest centroid, and the number of that centroid. */
static alcore_status measure(alcore__block *block, void *partial) {
    const alcore__cluster_picks *state = block->run->state;
    double *sq_dist = partial;
    alcore__nearest nearest = {.distance = sq_dist, .nearest = (int32_t *)(sq_dist + block->count)};
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, true /* unit vectors */, &matrix));
    return alcore__matrix_nearest(&matrix, state->group + block->start, 1 /* group */,
                                  state->kmeans.centroid_starts, state->kmeans.centroids, &nearest);
}

/* Reduces the partial of one block: distance (no longer squared) and cluster of its positions. */
static alcore_status store_distances(alcore__run *run, const alcore__block_partial *partial) {
    alcore__cluster_picks *state = run->state;
    const double *sq_dist = partial->extra;
    const int32_t *nearest = (const int32_t *)(sq_dist + partial->count);
    for (int64_t i = 0; i < partial->count; i++) {
        ALCORE__TRY(alcore__partial_check_index(nearest[i], state->clusters));
        state->distance[partial->start + i] = sqrt(sq_dist[i]);
        state->cluster[partial->start + i] = nearest[i];
    }
    return ALCORE_OK;
}

/* ---- pass "nearest rows" ---- */

/* Start of the pass: empty lists of state->length entries. */
static alcore_status new_lists(alcore__run *run) {
    alcore__cluster_picks *state = run->state;
    return alcore__neighbor_lists_new(run, ALCORE_SYS_L2, state->clusters, state->length,
                                      &state->near);
}

/* Writes the partial, positions [clusters, width] and values of the same shape: for each centroid
 * the nearest candidates of the block, among those that are free; width: the smaller of the list's
 * length and the active rows. The mask is valid until the block is done. */
static alcore_status find_nearest(alcore__block *block, void *partial) {
    const alcore__cluster_picks *state = block->run->state;
    const alcore_sys_rows centroids = centroids_of(state);
    alcore__matrix matrix;
    const uint8_t *mask;
    ALCORE__TRY(alcore__block_matrix(block, true /* unit vectors */, &matrix));
    ALCORE__TRY(alcore__greedy_push_mask(&state->greedy, &matrix, &mask));
    alcore__neighbor_lists_begin(&state->near, block, partial);
    ALCORE__TRY(alcore__neighbor_lists_join(&state->near, &matrix, mask, &centroids,
                                            NULL /* mask: all centroids */, 0, partial));
    alcore__neighbor_lists_end(&state->near, &matrix, partial);
    return ALCORE_OK;
}

/* The position of the first candidate of a cluster's list that is free, and in *sq_dist its squared
 * distance to the centroid; -1: the list has none. *complete: whether the list has all candidates
 * that were free when it was made, which its last entry shows, -1; if so, -1 as the result means
 * that no candidate at all is free any more. */
static int64_t first_free(const alcore__cluster_picks *state, int64_t cluster, bool *complete,
                          double *sq_dist) {
    const int64_t *list = state->near.position + cluster * state->length;
    *complete = list[state->length - 1] < 0;
    for (int64_t i = 0; i < state->length && list[i] >= 0; i++) {
        *sq_dist = state->near.value[cluster * state->length + i];
        if (alcore__greedy_is_free(&state->greedy, list[i])) return list[i];
    }
    return -1;
}

/* End of the pass: the clusters choose, one after the other, until the budget is spent, no
 * candidate is left, or the list of the cluster whose turn it is has none left. In the last case
 * the pass is made again and state->next goes on: new lists hold free candidates only, so they have
 * further ones even when they cannot be longer; they are twice as long, up to MAX_LENGTH. The score
 * of a pick is minus its distance.
 *
 * best, cluster, distance and pick_scores are by position of the candidate; state->next numbers
 * clusters. A row that was passed over is no longer free (alcore__greedy_offer()), so that the same
 * cluster goes on with its next one and the loop ends. */
static alcore_status choose_rows(alcore__run *run) {
    alcore__cluster_picks *state = run->state;
    alcore__greedy *greedy = &state->greedy;
    state->needs_new_lists = false;
    while (!alcore__filler_full(&greedy->filler)) {
        bool complete, bought;
        double sq_dist = 0.0;
        greedy->best = first_free(state, state->next, &complete, &sq_dist);
        if (greedy->best < 0) {
            state->needs_new_lists = !complete;
            break;
        }
        ALCORE__TRY(alcore__greedy_offer(greedy, &bought));
        ALCORE__TRY(alcore__tick(run->ctx, "filling the budget", 0, 0)); /* cancellation only */
        if (!bought) continue;
        state->cluster[greedy->best] = state->next;
        state->distance[greedy->best] = sqrt(sq_dist);
        greedy->pick_scores[greedy->best] = 0.0 - state->distance[greedy->best];
        state->next = (state->next + 1) % state->clusters;
    }
    if (state->needs_new_lists && state->length < MAX_LENGTH) state->length *= 2;
    return ALCORE_OK;
}

const alcore__pass alcore__cluster_picks_passes[] = {
    {.name = "k-means",
     .start = start_kmeans,
     .nested = alcore__kmeans_passes,
     .nested_at = offsetof(alcore__cluster_picks, kmeans)},
    {.name = "distances",
     .block = measure,
     .partial = {.row_bytes = sizeof(double) + sizeof(int32_t), .reduce = store_distances}},
    {.name = "nearest rows",
     .block = find_nearest,
     .partial = ALCORE__NEIGHBOR_LISTS(alcore__cluster_picks, near),
     .start = new_lists,
     .end = choose_rows,
     .again = ALCORE__IF(alcore__cluster_picks, needs_new_lists)},
    {.name = NULL},
};

/* ---- finish ---- */

alcore_status alcore__cluster_picks_finish(alcore__run *run) {
    alcore__cluster_picks *state = run->state;
    int64_t *cluster;
    double *iterations;
    ALCORE__TRY(alcore__outcome_fact(run, "kmeans passes", 1, &iterations));
    *iterations = (double)state->kmeans.each[0].iterations;
    ALCORE__TRY(alcore__outcome_column(run, "cluster", ALCORE_INT64, &cluster));
    for (int64_t i = 0; i < run->outcome.count; i++) {
        cluster[i] = state->cluster[i];
        run->outcome.scores[i] = 0.0 - state->distance[i]; /* never -0.0 */
    }
    ALCORE__TRY(alcore__outcome_keep_column(run, "distance", &state->distance));
    return alcore__greedy_finish(&state->greedy);
}
