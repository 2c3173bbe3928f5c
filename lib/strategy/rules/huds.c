/* SPDX-License-Identifier: Apache-2.0 */
/* HUDS: hybrid uncertainty and diversity sampling (spec 3; Azeemi et al. 2025, eq. 3 and 4), and
 * the strategies that are its diversity alone (spec 4.3).
 *
 *   u(x)  uncertainty: the given score, else the mean negative log-likelihood of the tokens of x
 *   s(x)  stratum: which of n_strata intervals of u contains u(x)
 *   d(x)  diversity: 1 - cos(e(x), centroid of s(x)); with k_clusters = k > 1 the nearest of the k
 *         centroids of s(x); rows of a stratum smaller than min_stratum are measured from the
 *         centroid of all candidates
 *   H(x)  lambda d(x) + (1 - lambda) u(x), d and u rescaled first if asked for; the largest first
 *
 * cos is the cosine; all values are by position among the candidates, and inside a block (8192 pool
 * rows) by the index of its candidates, the active rows: position = block->start + index. A partial
 * is what a block contributes to a pass, zeroed before the visit: `values` are stored at the
 * positions of its active rows, `sums` are added up over the blocks, `extra` bytes are given to
 * reduce(). In the passes over a batch of strata the active rows are those of the batch,
 * state->batch_positions: position k of such a pass is the candidate batch_positions[k].
 *
 * With distances=needed, d is measured only where it can matter (spec 3.10). As d is at most 2, H
 * of a stratum is at most 2 lambda + (1 - lambda) max u. Strata are measured from that of the
 * largest u down, a batch of them at a time, until the budget is spent on rows whose H is above
 * that bound of the largest u left. The picks are the same; d and H of the rows that were left out
 * are NaN.
 *
 * Reads the scores once and the embeddings twice (k = 1; with distances=needed those of the strata
 * that are measured) or about 2 + k + iterations times: k-means++ draws its k first centroids one
 * after another.
 * Memory: 20 bytes a candidate (24 with min_stratum, 4 more with k > 1) and n_strata x k centroids
 * in double. The arrays u and d themselves become columns of the record, without a copy.
 */
#include <math.h>
#include <string.h>

#include "strategy/budget/rescale.h"
#include "strategy/rules/huds.h"
#include "strategy/rules/strata.h"

/* ---- the score ---- */

/* lambda of the round (spec 3.6). In round 1 it is lambda_first, unless that is "same", which reads
 * as NaN. */
static double choose_lambda(const alcore__run *run) {
    const alcore__huds_state *state = run->state;
    if (state->lambdas.count == 0) return 1.0;
    if (run->input->round <= 1 && !isnan(state->lambda_first)) return state->lambda_first;
    return alcore__number_of_round(state->lambdas, run->input->round);
}

/* The weights of the two terms. */
static double lambda_of(const alcore__run *run) {
    return ((const alcore__huds_state *)run->state)->lambda;
}

static double one_minus_lambda(const alcore__run *run) {
    return 1.0 - lambda_of(run);
}

/* H of one row (HUDS, eq. 4). rest: 1 - lambda. */
static double hybrid_score(double lambda, double d, double rest, double u) {
    return lambda * d + rest * u;
}

/* ---- begin ---- */

/* Prepares distances=needed: d and the score of every row are NaN, not measured. Parameters that
 * need all rows are refused: a common scale needs all distances, min_stratum the centroid of all
 * rows, and k-means runs over all strata together. */
static alcore_status begin_needed(alcore__run *run) {
    alcore__huds_state *state = run->state;
    if (!state->only_needed) return ALCORE_OK;
    if (run->rescale != ALCORE__RESCALE_NONE || state->min_stratum > 0 || state->clusters > 1)
        return alcore__fail(ALCORE_E_INVALID,
                            "strategy huds: distances=needed works with rescale=none, "
                            "min_stratum=0 and k_clusters=1 only; set these, or distances=all");
    state->batch_first_stratum = state->strata;
    for (int64_t i = 0; i < run->outcome.count; i++)
        state->d[i] = run->outcome.scores[i] = (double)NAN;
    return ALCORE_OK;
}

/* diversity-global skips the pass "scores": all candidates are stratum 0 then (new arrays are
 * zeroed), whose count is set here. For the others cut_strata() counts the strata. */
alcore_status alcore__huds_begin(alcore__run *run) {
    alcore__huds_state *state = run->state;
    const int64_t count = run->outcome.count;
    if (state->strata == 0) state->strata = 1;
    state->lambda = choose_lambda(run);
    run->rescale = alcore__rescale_named(state->rescale);
    state->dims = alcore__embedding_dims(run);
    run->hints.row_work = true;
    run->hints.repeats = state->clusters > 1; /* k-means makes many passes */
    run->hints.host_doubles =
        ((double)state->strata * (double)state->clusters + 1.0) * (double)state->dims;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->u));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->d));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->stratum));
    if (state->min_stratum > 0) ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->group));
    if (state->clusters > 1) ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->cluster));
    const int64_t groups = state->strata + 1;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, groups, &state->edges));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, groups * state->dims, &state->sums));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, groups, &state->counts));
    state->counts[0] = state->counts[state->strata] = run->outcome.count;
    if (state->clusters > 1)
        alcore__warn_passes(run, (double)state->clusters + ALCORE__KMEANS_MAX_ITERATIONS);
    return begin_needed(run);
}

/* ---- pass "scores": u of every candidate, then the strata ---- */

/* Whether the strategy has an uncertainty; diversity-global has none. */
static bool has_scores(const alcore__run *run) {
    return run->def->score_rows != NULL;
}

/* The array in which the runner stores the values of the pass: u [candidates]. */
static double *u_of(const alcore__run *run) {
    return ((alcore__huds_state *)run->state)->u;
}

/* The partial is u, double [active rows]: the `rank` of the score, by which rows are ordered. */
static alcore_status score_block(alcore__block *block, void *partial) {
    return alcore__block_scores(block, partial, NULL, NULL); /* without score and raw */
}

/* Makes the next batch of strata with distances=needed the source of the passes that follow: strata
 * below the last batch in falling order, until they have as many rows as were measured before and
 * as the budget is expected to buy. So the number of batches grows with the logarithm of the
 * candidates only. Called while some candidate is not measured, so a batch has a row. */
static alcore_status choose_strata(alcore__run *run) {
    alcore__huds_state *state = run->state;
    int64_t end = state->batch_first_stratum, rows = 0, low = end;
    double min_rows = fmax(1.0, fmax(alcore__expected_picks(run), (double)state->measured));
    while (low > 0 && (double)rows < min_rows) rows += state->counts[--low];
    state->batch_count = 0;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, rows, &state->batch_positions));
    for (int64_t i = 0; i < run->outcome.count; i++)
        if (state->stratum[i] >= low && state->stratum[i] < end)
            state->batch_positions[state->batch_count++] = i;
    state->batch_first_stratum = low;
    return alcore__run_choose(run, state->batch_positions, rows);
}

/* End of pass "scores": cuts the candidates into strata by u, counts them, and decides which
 * centroid each row is measured from: that of its stratum or, in a stratum of fewer than
 * min_stratum rows, that of all candidates. With distances=needed the first batch is chosen. */
static alcore_status cut_strata(alcore__run *run) {
    alcore__huds_state *state = run->state;
    int64_t count = run->outcome.count;
    if (state->by_count) {
        ALCORE__TRY(alcore__strata_quantile(run->ctx, state->u, count, state->strata,
                                            state->stratum, state->edges));
    } else {
        alcore__strata_equal(state->u, count, state->strata, state->stratum, state->edges);
    }
    memset(state->counts, 0, (size_t)state->strata * sizeof *state->counts);
    for (int64_t i = 0; i < count; i++) state->counts[state->stratum[i]]++;
    for (int64_t i = 0; i < count && state->group; i++) {
        bool small = state->counts[state->stratum[i]] < state->min_stratum;
        state->group[i] = small ? -1 : state->stratum[i];
        state->some_global |= small;
    }
    return state->only_needed ? choose_strata(run) : ALCORE_OK;
}

/* ---- pass "centroids": sums by stratum, and of all candidates where a stratum is small ---- */

/* Condition of the pass over all candidates: k-means makes the centroids of strata itself, but not
 * that of all. */
static bool needs_sums(const alcore__run *run) {
    const alcore__huds_state *state = run->state;
    return !state->only_needed && (state->clusters == 1 || state->some_global);
}

/* Condition of the passes over a batch of strata. */
static bool has_next_batch(const alcore__run *run) {
    const alcore__huds_state *state = run->state;
    return state->only_needed && !state->all_picks_known;
}

/* The group of each candidate [candidates], -1 for rows of small strata: without min_stratum, where
 * no stratum is small, the array of strata itself. */
static const int32_t *group_array(const alcore__huds_state *state) {
    return state->group ? state->group : state->stratum;
}

/* *out [active rows]: the groups of the block's rows, a part of the state's array or, in a batch of
 * strata, where block->start is an index in state->batch_positions, a copy on the scratch stack. */
static alcore_status groups_of(alcore__block *block, const int32_t **out) {
    const alcore__huds_state *state = block->run->state;
    int32_t *copy;
    const int32_t *group = group_array(state);
    *out = group + block->start;
    if (block->source == ALCORE__OVER_CANDIDATES) return ALCORE_OK;
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *copy, &copy));
    for (int64_t i = 0; i < block->count; i++)
        copy[i] = group[state->batch_positions[block->start + i]];
    *out = copy;
    return ALCORE_OK;
}

/* The array of the state to which the runner adds the sums of the partials. Batches of strata add
 * to the same array without clearing it: all rows of a stratum are in one batch. */
static alcore__doubles sums_of(const alcore__run *run) {
    const alcore__huds_state *state = run->state;
    return (alcore__doubles){.values = state->sums, .count = (state->strata + 1) * state->dims};
}

/* The partial is sums [blocks, strata + 1, dims], for each block of a wide one: of the block's rows
 * of each stratum, without those of group -1, then of all its rows, which stays 0 where no stratum
 * is small. */
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

/* Condition of the pass: more than one centroid for each stratum. */
static bool many_centroids(const alcore__run *run) {
    return ((const alcore__huds_state *)run->state)->clusters > 1;
}

/* What run->state is while the passes of k-means run. */
static void *kmeans_of(alcore__run *run) {
    return &((alcore__huds_state *)run->state)->kmeans;
}

/* Start of the nested passes: k-means in each stratum, without the rows of small strata. */
static alcore_status start_kmeans(alcore__run *run) {
    alcore__huds_state *state = run->state;
    return alcore__kmeans_begin(run, &state->kmeans, group_array(state), state->strata,
                                state->clusters, state->unit, NULL /* seeds by k-means++ */);
}

/* ---- pass "distances": d and the cluster of every candidate ---- */

/* Start of the pass: fills state->centroids. Rows of small strata are measured from the last one,
 * which stays 0 where there are none. The centroids of empty strata, of small ones and of those in
 * a later batch are 0 too; no row is measured from them. */
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
            if (count) state->centroids[i] = state->sums[i] / (double)count;
        }
    }
    const double *total = state->sums + state->strata * dims;
    for (int64_t j = 0; j < dims && state->some_global; j++)
        state->centroids[last * dims + j] = total[j] / (double)run->outcome.count;
    return ALCORE_OK;
}

/* The array in which the runner stores the values of the pass: d [candidates]. */
static double *d_of(const alcore__run *run) {
    return ((alcore__huds_state *)run->state)->d;
}

/* Size of the extra bytes behind d: with k-means int32 [active rows], the cluster of each row. */
static size_t clusters_bytes(const alcore__block *block) {
    if (!many_centroids(block->run)) return 0;
    return (size_t)block->count * sizeof(int32_t);
}

/* The partial is d [active rows], as values or, in a batch of strata, as extra bytes; then, with
 * k-means only, cluster [active rows]. assigned [active rows] numbers the clusters within their
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
        if (assigned) cluster[i] = global ? 0 : assigned[i];
        centroid[i] = global     ? (int32_t)(state->centroid_count - 1)
                      : assigned ? (int32_t)state->kmeans.centroid_starts[group[i]] + assigned[i]
                                 : group[i];
    }
    return alcore__matrix_cosine_distances(&matrix, centroid, state->centroid_count,
                                           state->centroids, distance);
}

/* Reduces the partial of one block: stores its cluster numbers at the positions of its candidates;
 * the runner stores d by itself. Called with k-means only, as there are no extra bytes without. */
static alcore_status store_clusters(alcore__run *run, const alcore__block_partial *partial) {
    alcore__huds_state *state = run->state;
    memcpy(state->cluster + partial->start, partial->extra, partial->extra_bytes);
    return ALCORE_OK;
}

/* ---- distances=needed: the same two passes over batches of strata ---- */

/* Condition of the pass "distances": all rows are measured (distances=all). */
static bool measures_all(const alcore__run *run) {
    return !((const alcore__huds_state *)run->state)->only_needed;
}

/* The partial of a batch: d, double [active rows]. It is `extra`, not `values`: the runner would
 * store values by the position in state->batch_positions, and the rows belong elsewhere among the
 * candidates. */
static size_t distances_bytes(const alcore__block *block) {
    return (size_t)block->count * sizeof(double);
}

/* Reduces the partial of one block of a batch: stores the distances of its rows, and their H as
 * scores, by which the trial purchase in end_batch() ranks. */
static alcore_status store_distances(alcore__run *run, const alcore__block_partial *partial) {
    alcore__huds_state *state = run->state;
    const double *d = partial->extra;
    double lambda = lambda_of(run), rest = one_minus_lambda(run);
    for (int64_t i = 0; i < partial->count; i++) {
        int64_t candidate = state->batch_positions[partial->start + i];
        state->d[candidate] = d[i];
        run->outcome.scores[candidate] = hybrid_score(lambda, d[i], rest, state->u[candidate]);
    }
    return ALCORE_OK;
}

/* An upper bound of H over the rows of the strata 0 .. end - 1: H of the largest u among them with
 * the largest possible d, 2. Rounding is monotonic, so the bound holds for what hybrid_score()
 * returns, not only for exact sums. */
static double score_upper_bound(const alcore__run *run, int64_t end) {
    const alcore__huds_state *state = run->state;
    double largest_u = (double)-INFINITY;
    for (int64_t i = 0; i < run->outcome.count; i++)
        if (state->stratum[i] < end) largest_u = fmax(largest_u, state->u[i]);
    return hybrid_score(lambda_of(run), 2.0 /* the largest d */, one_minus_lambda(run), largest_u);
}

/* End of the passes over a batch: decides, by a trial purchase from the rows measured so far,
 * whether a row that is not measured can still be picked, and chooses the next batch if so. */
static alcore_status end_batch(alcore__run *run) {
    alcore__huds_state *state = run->state;
    state->measured += state->batch_count;
    state->all_picks_known = state->measured == run->outcome.count;
    if (!state->all_picks_known)
        ALCORE__TRY(alcore__fill_ends_above(run, run->outcome.scores,
                                            score_upper_bound(run, state->batch_first_stratum),
                                            &state->all_picks_known));
    return state->all_picks_known ? ALCORE_OK : choose_strata(run);
}

const alcore__pass alcore__huds_passes[] = {
    {.name = "scores",
     .scores = true,
     .block = score_block,
     .partial = {.values = u_of},
     .end = cut_strata,
     .when = has_scores},
    {.name = "centroids",
     .block = sum_by_stratum,
     .partial = {.sums = sums_of},
     .when = needs_sums},
    {.name = "k-means",
     .start = start_kmeans,
     .nested = alcore__kmeans_passes,
     .nested_state = kmeans_of,
     .when = many_centroids},
    {.name = "distances",
     .block = measure_distances,
     .partial = {.values = d_of, .extra = clusters_bytes, .reduce = store_clusters},
     .start = set_centroids,
     .when = measures_all},
    {.name = "centroids of a batch of strata",
     .source = ALCORE__OVER_CHOSEN,
     .block = sum_by_stratum,
     .partial = {.sums = sums_of},
     .when = has_next_batch},
    {.name = "distances of a batch of strata",
     .source = ALCORE__OVER_CHOSEN,
     .block = measure_distances,
     .partial = {.extra = distances_bytes, .reduce = store_distances},
     .start = set_centroids,
     .end = end_batch,
     .when = has_next_batch,
     .again = has_next_batch,
     .back = 1},
    {.name = NULL},
};

/* ---- the outcome ---- */

/* Adds a fact of one number to the report. name is static. */
static alcore_status report_value(alcore__run *run, const char *name, double value) {
    double *fact;
    ALCORE__TRY(alcore__outcome_fact(run, name, 1, &fact));
    *fact = value;
    return ALCORE_OK;
}

/* Reports the standard deviation of what a term adds to H, weight x values [candidates]: how much
 * it decides. */
static alcore_status report_term(alcore__run *run, const char *name, const double *values,
                                 double weight) {
    double mean, sd;
    alcore__candidate_mean_sd(run, values, weight, &mean, &sd);
    return report_value(run, name, sd);
}

/* The values of a term on the scale of the parameter "rescale": *scaled is `values` itself, or a
 * rescaled copy [candidates], which is pushed on the run's stack. */
static alcore_status rescale_term(const alcore__run *run, const double *values,
                                  const double **scaled) {
    double *copy;
    *scaled = values;
    if (run->rescale == ALCORE__RESCALE_NONE) return ALCORE_OK;
    ALCORE__TRY(ALCORE__RUN_PUSH(run, run->outcome.count, &copy));
    memcpy(copy, values, (size_t)run->outcome.count * sizeof *copy);
    *scaled = copy;
    return alcore__rescale(run, run->rescale, copy);
}

/* Writes H [candidates] made of the scaled terms u and d [candidates], and reports lambda and the
 * deviation of each term. With NaN for a d that is not measured, H is NaN. */
static alcore_status combine(alcore__run *run, const double *u, const double *d, double *h) {
    double lambda = lambda_of(run), rest = one_minus_lambda(run);
    for (int64_t i = 0; i < run->outcome.count; i++) h[i] = hybrid_score(lambda, d[i], rest, u[i]);
    ALCORE__TRY(report_value(run, "lambda", lambda));
    /* The deviation of d is not known where only some distances are. */
    if (run->outcome.measured == run->outcome.count)
        ALCORE__TRY(report_term(run, "sd lambda d", d, lambda));
    return report_term(run, "sd rest u", u, rest);
}

/* Writes H [candidates] made of the terms of the state, rescaled to a common scale where that is
 * asked for. The state's terms stay as they are, for the record. */
static alcore_status combine_terms(alcore__run *run, double *h) {
    const alcore__huds_state *state = run->state;
    const double *u, *d;
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(rescale_term(run, state->u, &u));
    ALCORE__TRY(rescale_term(run, state->d, &d));
    ALCORE__TRY(combine(run, u, d, h));
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* Facts of the report: the edges of the strata, where there are any, how many candidates each
 * stratum has, and with k-means how many iterations each needed. */
static alcore_status report_strata(alcore__run *run) {
    alcore__huds_state *state = run->state;
    double *edges, *counts, *passes;
    if (has_scores(run)) {
        ALCORE__TRY(alcore__outcome_fact(run, "strata edges", state->strata + 1, &edges));
        memcpy(edges, state->edges, ((size_t)state->strata + 1) * sizeof *edges);
    }
    ALCORE__TRY(alcore__outcome_fact(run, "strata counts", state->strata, &counts));
    for (int64_t s = 0; s < state->strata; s++) counts[s] = (double)state->counts[s];
    if (state->clusters == 1) return ALCORE_OK;
    ALCORE__TRY(alcore__outcome_fact(run, "kmeans passes", state->strata, &passes));
    for (int64_t s = 0; s < state->strata; s++)
        passes[s] = (double)state->kmeans.each[s].iterations;
    return ALCORE_OK;
}

/* Adds an integer column to the record, made of *integers [candidates], which is freed and becomes
 * NULL; where it is NULL all entries are 0. */
static alcore_status record_integers(alcore__run *run, const char *name, int32_t **integers) {
    int64_t *column;
    ALCORE__TRY(alcore__outcome_column(run, name, ALCORE_INT64, &column));
    for (int64_t i = 0; *integers && i < run->outcome.count; i++) column[i] = (*integers)[i];
    alcore__free(run->ctx, *integers);
    *integers = NULL;
    return ALCORE_OK;
}

/* Adds the columns of the record, one entry per candidate: what H was made of, so that a reason can
 * be given without computing anything again. The record owns u and d from now on; the state has
 * NULL. */
static alcore_status record_columns(alcore__run *run) {
    alcore__huds_state *state = run->state;
    if (has_scores(run)) ALCORE__TRY(alcore__outcome_keep_column(run, "u", &state->u));
    ALCORE__TRY(alcore__outcome_keep_column(run, "d", &state->d));
    ALCORE__TRY(record_integers(run, "stratum", &state->stratum));
    ALCORE__TRY(record_integers(run, "cluster", &state->cluster));
    return alcore__outcome_score_column(run, "H");
}

/* With distances=needed `measured` is set before combine_terms(), which reads it; record_columns()
 * comes after, as the state has no u and d from then on. */
alcore_status alcore__huds_finish(alcore__run *run) {
    alcore__huds_state *state = run->state;
    alcore__free(run->ctx, state->group); /* only passes read it */
    state->group = NULL;
    if (state->only_needed) {
        run->outcome.measured = state->measured;
        ALCORE__TRY(report_value(run, "measured", (double)state->measured));
    }
    ALCORE__TRY(combine_terms(run, run->outcome.scores));
    ALCORE__TRY(record_columns(run));
    return report_strata(run);
}

/* The terms of H for the explanation of picks: column, the record column of the term's values;
 * within, that of the groups inside which it is compared, and groups, the fact with an entry for
 * each group; weight, its factor in H; alone, the strategy that the term alone would be; is_score,
 * whether a given column "scores" takes its place. */
const alcore__term alcore__huds_terms[] = {
    {.name = "uncertainty",
     .column = "u",
     .weight = one_minus_lambda,
     .alone = "nnll",
     .is_score = true},
    {.name = "diversity",
     .column = "d",
     .within = "stratum",
     .groups = "strata counts",
     .weight = lambda_of,
     .alone = "diversity"},
    {.name = NULL},
};

/* ---- the three strategies ---- */

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
static const alcore__param DIVERSITY_ROWS[] = {ALCORE__STRATA_PARAMS, ALCORE__CENTROID_PARAMS,
                                               ALCORE__CANDIDATE_PARAMS};
static const alcore__param GLOBAL_ROWS[] = {ALCORE__CENTROID_PARAMS, ALCORE__CANDIDATE_PARAMS};
static const alcore__param_table HUDS_PARAMS = ALCORE__PARAM_TABLE(HUDS_ROWS);
static const alcore__param_table DIVERSITY_PARAMS = ALCORE__PARAM_TABLE(DIVERSITY_ROWS);
static const alcore__param_table GLOBAL_PARAMS = ALCORE__PARAM_TABLE(GLOBAL_ROWS);

static const char *const BOTH[] = {"scores|logprobs", "embeddings", NULL};
static const char *const EMBEDDINGS[] = {"embeddings", NULL};

static const char *const EXAMPLES[] = {"distances=needed", NULL};

#define HUDS_RUN                                                                                   \
    .state_bytes = sizeof(alcore__huds_state), .begin = alcore__huds_begin,                        \
    .passes = alcore__huds_passes, .finish = alcore__huds_finish

const alcore__strategy_def alcore__strategy_huds = {
    .name = "huds",
    .summary = "Hybrid of uncertainty and diversity: the distance of a row from the centroid of "
               "its stratum of uncertainty (HUDS, eq. 3 and 4)",
    .examples = EXAMPLES,
    .terms = alcore__huds_terms,
    .params = &HUDS_PARAMS,
    .ablated = "lambda",
    .needs = {[ALCORE__ROLE(CANDIDATES)] = BOTH},
    .score_rows = alcore__score_uncertainty,
    HUDS_RUN,
};

const alcore__strategy_def alcore__strategy_diversity = {
    .name = "diversity",
    .summary = "Diversity alone: the distance of a row from the centroid of its stratum of "
               "uncertainty (HUDS with lambda 1)",
    .terms = alcore__huds_terms,
    .params = &DIVERSITY_PARAMS,
    .needs = {[ALCORE__ROLE(CANDIDATES)] = BOTH},
    .score_rows = alcore__score_uncertainty,
    HUDS_RUN,
};

const alcore__strategy_def alcore__strategy_diversity_global = {
    .name = "diversity-global",
    .summary = "The distance from the centroid of all rows (HUDS)",
    .terms = alcore__huds_terms,
    .params = &GLOBAL_PARAMS,
    .needs = {[ALCORE__ROLE(CANDIDATES)] = EMBEDDINGS},
    HUDS_RUN,
};
