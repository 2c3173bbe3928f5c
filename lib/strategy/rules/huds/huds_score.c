/* SPDX-License-Identifier: Apache-2.0 */
/* HUDS: hybrid uncertainty and diversity sampling (spec 3; Azeemi et al. 2025, eq. 3 and 4).
 *
 *   u(x)  uncertainty: the given score, else the mean negative log-likelihood of the tokens of x
 *   s(x)  stratum: which of n_strata intervals of u contains u(x)
 *   d(x)  diversity: 1 - cos(e(x), centroid of s(x)); with k_clusters = k > 1 the nearest of the k
 *         centroids of s(x); rows of a stratum smaller than min_stratum are measured from the
 *         centroid of all candidates
 *   H(x)  lambda d(x) + (1 - lambda) u(x), d and u rescaled first if asked for; the largest first
 *
 * The diversity alone is diversity.c; huds_needed.c measures only rows that can be picked
 * (distances=needed), huds_strata.c cuts strata, and huds_outcome.c reports.
 *
 * Reads the scores once and the embeddings twice (k = 1; with distances=needed those of the strata
 * that are measured) or about 2 + k + iterations times: k-means++ draws its k first centroids one
 * after another.
 * Memory: 20 bytes a candidate (24 with min_stratum, 4 more with k > 1) and n_strata x k centroids
 * in double. The arrays u and d themselves become columns of the record, without a copy.
 */
#include <math.h>
#include <string.h>

#include "strategy/rules/huds/huds.h"

/* lambda of the round (spec 3.6). In round 1 it is lambda_first, unless that is "same", which reads
 * as NaN. */
static double choose_lambda(const alcore__run *run) {
    const alcore__huds_state *state = run->state;
    if (state->lambdas.count == 0) return 1.0;
    if (run->input->round <= 1 && !isnan(state->lambda_first)) return state->lambda_first;
    return alcore__number_of_round(state->lambdas, run->input->round);
}

/* ---- begin ---- */

/* Memory of a common scale in a run over own rows. */
static alcore_status begin_scale(alcore__run *run) {
    alcore__huds_state *state = run->state;
    state->u = NULL;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, run->outcome.count, &state->u));
    ALCORE__TRY(alcore__run_sums(run, 2, &state->term_sums));
    return alcore__run_sums(run, 2, &state->term_squares);
}

/* diversity-global skips the pass "scores": all candidates are stratum 0 then (new arrays are
 * zeroed). */
alcore_status alcore__huds_begin(alcore__run *run) {
    alcore__huds_state *state = run->state;
    const int64_t count = run->outcome.count;
    if (state->strata == 0) state->strata = 1;
    state->lambda = choose_lambda(run);
    run->rescale = alcore__rescale_named(state->rescale);
    state->dims = alcore__embedding_dims(run);
    run->hints.row_work = true;
    run->hints.repeats = state->many_centroids = state->clusters > 1; /* k-means: many passes */
    run->hints.host_doubles =
        ((double)state->strata * (double)state->clusters + 1.0) * (double)state->dims;
    state->brief = alcore__lists_own(run);
    if (state->brief) {
        state->u = state->d = run->outcome.scores;
        if (run->rescale != ALCORE__RESCALE_NONE) ALCORE__TRY(begin_scale(run));
        if (state->many_centroids) ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->group));
    } else {
        ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->u));
        ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->d));
        ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->stratum));
        if (state->min_stratum > 0) ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->group));
        if (state->clusters > 1) ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->cluster));
    }
    const int64_t groups = state->strata + 1;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, groups, &state->edges));
    ALCORE__TRY(alcore__run_sums(run, groups * state->dims, &state->sums));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, groups, &state->counts));
    state->u_range = state->d_range = (alcore__huds_range){.low = HUGE_VAL, .high = -HUGE_VAL};
    if (state->clusters > 1)
        alcore__warn_passes(run, (double)state->clusters + ALCORE__KMEANS_MAX_ITERATIONS);
    ALCORE__TRY(alcore__huds_begin_needed(run));
    state->only_needed &= !state->brief; /* a shard measures its own rows */
    return ALCORE_OK;
}

/* ---- pass "centroids": sums by stratum, and of all candidates where a stratum is small ---- */

/* Condition of the pass over all candidates: k-means makes the centroids of strata itself, but not
 * that of all. */
static bool needs_sums(const alcore__run *run) {
    const alcore__huds_state *state = run->state;
    return !state->only_needed && (state->clusters == 1 || state->some_global);
}

/* The group of each candidate [candidates], -1 for rows of small strata: without min_stratum, where
 * no stratum is small, the array of strata itself. */
static const int32_t *group_array(const alcore__huds_state *state) {
    return state->group ? state->group : state->stratum;
}

/* The groups of a block in a run that keeps no array of them. */
static alcore_status make_groups(alcore__block *block, const int32_t **out) {
    const alcore__huds_state *state = block->run->state;
    const int32_t *stratum;
    int32_t *made;
    ALCORE__TRY(alcore__huds_strata_of(block, &stratum));
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *made, &made));
    for (int64_t i = 0; i < block->count; i++)
        made[i] = state->counts[stratum[i]] < state->min_stratum ? -1 : stratum[i];
    *out = made;
    return ALCORE_OK;
}

/* *out [active rows]: the groups of the block's rows, a part of the state's array or, in a batch of
 * strata, where block->start is an index in state->batch_positions, a copy on the scratch stack. */
static alcore_status groups_of(alcore__block *block, const int32_t **out) {
    const alcore__huds_state *state = block->run->state;
    int32_t *copy;
    if (state->brief && !state->group) return make_groups(block, out);
    const int32_t *group = group_array(state);
    *out = group + block->start;
    if (block->source == ALCORE__OVER_CANDIDATES) return ALCORE_OK;
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *copy, &copy));
    for (int64_t i = 0; i < block->count; i++)
        copy[i] = group[state->batch_positions[block->start + i]];
    *out = copy;
    return ALCORE_OK;
}

/* The partial is sums [blocks, strata + 1, dims], for each block of a wide one: of the block's rows
 * of each stratum, without those of group -1, then of all its rows, which stays 0 where no stratum
 * is small. Batches of strata add to the same sums without clearing them: all rows of a stratum are
 * in one batch. */
static alcore_status sum_by_stratum(alcore__block *block, void *partial) {
    const alcore__huds_state *state = block->run->state;
    const int64_t sets = state->strata + 1; /* of rows that are summed */
    const size_t bytes = (size_t)state->dims * sizeof(double);
    double *sums = partial, *all; /* all [blocks, dims] */
    alcore__matrix matrix;
    int64_t *counts; /* of each block: not used, the strata were counted before */
    const int32_t *group;
    ALCORE__TRY(groups_of(block, &group));
    ALCORE__TRY(alcore__block_groups(block, group, sets, &group));
    ALCORE__TRY(alcore__block_matrix(block, state->unit, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, block->blocks * sets, sizeof *counts, &counts));
    ALCORE__TRY(alcore__matrix_group_sums(&matrix, group, block->blocks * sets, sums, counts));
    if (!state->some_global) return ALCORE_OK;
    ALCORE__TRY(alcore__scratch_push(block, block->blocks, bytes, &all));
    ALCORE__TRY(alcore__matrix_sum(&matrix, all));
    for (int64_t b = 0; b < block->blocks; b++)
        memcpy(sums + (b * sets + state->strata) * state->dims, all + b * state->dims, bytes);
    return ALCORE_OK;
}

/* ---- pass "k-means": k clusters in each stratum ---- */

/* Start of the nested passes: k-means in each stratum, without the rows of small strata. */
static alcore_status start_kmeans(alcore__run *run) {
    alcore__huds_state *state = run->state;
    return alcore__kmeans_begin(run, &state->kmeans, group_array(state), state->strata,
                                state->clusters, state->unit, NULL /* seeds by k-means++ */);
}

/* ---- pass "distances": d and the cluster of every candidate ---- */

/* Start of the pass: fills state->centroids [centroid_count, dims]. Rows of small strata are
 * measured from the last centroid, which stays 0 where no stratum is small. The centroids of empty
 * strata, of small ones and of those in a later batch are 0 too; no row is measured from them. */
static alcore_status set_centroids(alcore__run *run) {
    alcore__huds_state *state = run->state;
    int64_t dims = state->dims, last = state->strata;
    if (state->clusters > 1) last = state->kmeans.centroid_starts[state->strata];
    state->centroid_count = last + 1;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, state->centroid_count * dims, &state->centroids));
    if (state->clusters > 1) {
        memcpy(state->centroids, state->kmeans.centroids, (size_t)(last * dims) * sizeof(double));
    } else {
        for (int64_t i = 0; i < last * dims; i++) {
            int64_t count = state->counts[i / dims];
            if (count) state->centroids[i] = state->sums.values[i] / (double)count;
        }
    }
    const double *total = state->sums.values + state->strata * dims;
    for (int64_t j = 0; j < dims && state->some_global; j++)
        state->centroids[last * dims + j] = total[j] / (double)state->counts[state->strata];
    return ALCORE_OK;
}

/* Size of the extra bytes behind d: with k-means int32 [active rows], the cluster of each row,
 * unless it is not told. */
static size_t clusters_bytes(const alcore__block *block) {
    const alcore__huds_state *state = block->run->state;
    return state->cluster ? (size_t)block->count * sizeof(int32_t) : 0;
}

/* The partial is d [active rows], or H where d is not kept, as values or, in a batch of strata,
 * whose positions are not those of the candidates, as extra bytes; then, with k-means only, cluster
 * [active rows]. assigned [active rows] numbers the clusters within their
 * stratum, while the kernel needs one index per row into state->centroids, whichever of the three
 * kinds of centroid it is: of all candidates, of a cluster, or of a stratum. */
static alcore_status measure_distances(alcore__block *block, void *partial) {
    const alcore__huds_state *state = block->run->state;
    double *distance = partial;
    int32_t *cluster = (int32_t *)(void *)(distance + block->count), *centroid;
    const int32_t *group;
    const int32_t *assigned = state->clusters > 1 ? alcore__kmeans_assigned(block) : NULL;
    alcore__matrix matrix;
    ALCORE__TRY(groups_of(block, &group));
    ALCORE__TRY(alcore__block_matrix(block, state->unit, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *centroid, &centroid));
    for (int64_t i = 0; i < block->count; i++) {
        bool global = group[i] < 0;
        if (state->cluster) cluster[i] = global ? 0 : assigned[i];
        centroid[i] = global     ? (int32_t)(state->centroid_count - 1)
                      : assigned ? (int32_t)state->kmeans.centroid_starts[group[i]] + assigned[i]
                                 : group[i];
    }
    ALCORE__TRY(alcore__matrix_cosine_distances(&matrix, centroid, state->centroid_count,
                                                state->centroids, distance));
    const double lambda = alcore__huds_lambda(block->run), rest = alcore__huds_rest(block->run);
    const bool in_place = state->brief && state->u == state->d;
    for (int64_t i = 0; i < block->count && in_place; i++)
        distance[i] = alcore__huds_of_row(lambda, distance[i], rest, state->u[block->start + i]);
    return ALCORE_OK;
}

/* Reduces the partial of one block: stores its cluster numbers at the positions of its candidates;
 * the runner stores d by itself. Called with k-means only, as there are no extra bytes without. */
static alcore_status store_clusters(alcore__run *run, const alcore__block_partial *partial) {
    alcore__huds_state *state = run->state;
    memcpy(state->cluster + partial->start, partial->extra, partial->extra_bytes);
    return ALCORE_OK;
}

const alcore__pass alcore__huds_passes[] = {
    {.name = "scores and strata", .nested = alcore__huds_strata_passes},
    {.name = "centroids",
     .block = sum_by_stratum,
     .partial = {.sums = ALCORE__SUMS(alcore__huds_state, sums)},
     .when = ALCORE__TEST(needs_sums)},
    {.name = "k-means",
     .start = start_kmeans,
     .nested = alcore__kmeans_passes,
     .nested_at = offsetof(alcore__huds_state, kmeans),
     .when = ALCORE__IF(alcore__huds_state, many_centroids)},
    {.name = "distances",
     .block = measure_distances,
     .partial = {.values = {ALCORE__VALUES(alcore__huds_state, d)},
                 .extra = clusters_bytes,
                 .reduce = store_clusters},
     .start = set_centroids,
     .when = ALCORE__UNLESS(alcore__huds_state, only_needed)},
    {.name = "scale", .nested = alcore__huds_scale_passes},
    {.name = "centroids of a batch of strata",
     .source = ALCORE__OVER_CHOSEN,
     .block = sum_by_stratum,
     .partial = {.sums = ALCORE__SUMS(alcore__huds_state, sums)},
     .when = ALCORE__TEST(alcore__huds_has_batch)},
    {.name = "distances of a batch of strata",
     .source = ALCORE__OVER_CHOSEN,
     .block = measure_distances,
     .partial = {.row_bytes = sizeof(double), .reduce = alcore__huds_store_batch},
     .start = set_centroids,
     .end = alcore__huds_end_batch,
     .when = ALCORE__TEST(alcore__huds_has_batch),
     .again = ALCORE__TEST(alcore__huds_has_batch),
     .back = 1},
    {.name = NULL},
};

/* Ranks need the values of the rows of all shards. */
bool alcore__huds_ranks_own(const void *state) {
    const alcore__huds_state *huds = state;
    return alcore__rescale_named(huds->rescale) != ALCORE__RESCALE_RANK;
}

/* ---- the strategy ---- */

/* Name, type, default, smallest and largest value (0, 0: none), choices, help. */
static const alcore__param HUDS_ROWS[] = {
    ALCORE__LAMBDA_PARAMS,
    ALCORE__RESCALE_PARAM("none|minmax|zscore|rank"),
    {"distances", ALCORE_PARAM_CHOICE, "all", 0, 0, "all|needed",
     "needed: measure only rows that can be picked; the same picks, less to report",
     ALCORE__TO_HUDS(only_needed)},
    ALCORE__STRATA_PARAMS,
    ALCORE__CENTROID_PARAMS,
    ALCORE__CANDIDATE_PARAMS,
};
static const char *const BOTH[] = {"scores|logprobs", "embeddings", NULL};
static const char *const EXAMPLES[] = {"distances=needed", NULL};

const alcore__strategy_def alcore__strategy_huds = {
    .name = "huds",
    .summary = "Hybrid of uncertainty and diversity: the distance of a row from the centroid of "
               "its stratum of uncertainty (HUDS, eq. 3 and 4)",
    .examples = EXAMPLES,
    .terms = alcore__huds_terms,
    .params = ALCORE__PARAMS(HUDS_ROWS),
    .ablated = "lambda",
    .needs = {[ALCORE__ROLE(CANDIDATES)] = BOTH},
    .score_rows = alcore__score_uncertainty,
    ALCORE__HUDS_RUN,
};
