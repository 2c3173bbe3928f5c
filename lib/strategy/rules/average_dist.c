/* SPDX-License-Identifier: Apache-2.0 */
/* AVERAGE-DIST of DeMuX (spec 7.3; Khanuja et al. 2023): the candidates with the smallest mean
 * distance to the rows of a target.
 *
 *   dist(x) = mean over target rows t of ||e(x) - e(t)||, or of its square, or of 1 - cos;
 *   with balance_targets the mean over the languages of the mean over their rows
 *
 * The squared and the cosine distance have closed forms: with c the mean of a group of target rows,
 *
 *   mean ||x - t||^2 = ||x - c||^2 + mean ||t - c||^2,    mean (1 - cos(x, t)) = 1 - x . c / ||x||
 *
 * (c over unit vectors there), one pass over the candidates. The mean Euclidean distance has none:
 * candidates x targets distances. So a pass in float32 bounds each candidate's mean first, and the
 * exact mean is computed only of the candidates that can be among the nearest that the budget
 * reaches; when it passes rows over and reaches further, twice as many are made exact, and so on.
 *
 * Memory: 33 bytes a candidate, groups x dims for the target. */
#include <math.h>
#include <string.h>

#include "strategy/block.h"
#include "strategy/budget/fill.h"
#include "strategy/budget/rank.h"
#include "strategy/strategies.h"

enum { METRIC_L2, METRIC_COSINE };
enum { SCORES_PICKED, SCORES_ALL };

/* The bounds are widened by this share: dividing and adding up sums rounds. */
#define BOUND_SLACK 1e-9

typedef struct average_state {
    alcore__filler filler;
    int64_t dims, groups; /* groups: of target rows; languages, or one */
    bool squared, cosine, all_scores;
    int32_t *group;      /* [target rows] -1: not active */
    double *count;       /* [groups] active target rows */
    double *centroids;   /* [groups, dims] means of the groups; sums before their pass ends */
    double *variance;    /* [groups] mean squared distance of target rows to their centroid */
    bool bounded;        /* low and high are computed */
    double *low, *high;  /* [candidates] around the mean distance; 0 where not bounded */
    double *distance;    /* [candidates] the mean distance; NaN: not computed */
    uint8_t *wanted;     /* [candidates] 1: the next pass computes it */
    int64_t exact_count; /* number of nearest candidates whose distance must be exact */
    int64_t offered; /* number of exact candidates that were offered to the budget, nearest first */
    double reach;    /* every candidate that is not exact is farther than this */
    bool ended;      /* the budget is full, or all candidates were offered */
} average_state;

/* ---- begin ---- */

/* Numbers the groups of the target: the languages that have an active row, in the order of their
 * tags. */
static alcore_status group_targets(alcore__run *run, bool balanced) {
    average_state *state = run->state;
    const alcore__run_input *input = run->input;
    const alcore__active_rows *active = &run->active[ALCORE__OVER_TARGET];
    const int32_t *language_of = balanced ? input->target_languages : NULL;
    int64_t languages = language_of ? input->target_language_count : 1;
    int32_t *number; /* [languages] group of each; -1: it has no row */
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)languages, sizeof(double), &state->count));
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)languages, sizeof *number, &number));
    for (int64_t i = 0; i < active->count; i++)
        number[language_of ? language_of[active->rows[i]] : 0] = 1;
    for (int64_t l = 0; l < languages; l++) number[l] = number[l] ? (int32_t)state->groups++ : -1;
    for (int64_t i = 0; i < input->target.rows; i++) state->group[i] = -1;
    for (int64_t i = 0; i < active->count; i++) {
        int64_t row = active->rows[i];
        state->group[row] = number[language_of ? language_of[row] : 0];
        state->count[state->group[row]] += 1.0;
    }
    alcore__free(run->ctx, number);
    return ALCORE_OK;
}

/* Called once before the first pass: reads the parameters, groups the target rows by language and
 * allocates the arrays of average_state. Distances and scores are NaN until they are computed. */
static alcore_status begin(alcore__run *run) {
    average_state *state = run->state;
    alcore_ctx *ctx = run->ctx;
    size_t count = (size_t)run->outcome.count;
    state->dims = alcore__embedding_dims(run);
    state->squared = alcore__values_integer(run->values, "sq") == 1;
    state->cosine = alcore__values_integer(run->values, "metric") == METRIC_COSINE;
    state->all_scores = alcore__values_integer(run->values, "scores") == SCORES_ALL;
    if (state->squared && state->cosine)
        return alcore__fail(ALCORE_E_PARAM, "strategy average-dist: sq=1 goes with metric=l2 only");
    bool balanced = alcore__values_integer(run->values, "balance_targets") == 1;
    alcore__filler_begin(&state->filler, run);
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)run->input->target.rows, sizeof(int32_t), &state->group));
    ALCORE__TRY(group_targets(run, balanced));
    size_t groups = (size_t)state->groups, vector_bytes = (size_t)state->dims * sizeof(double);
    ALCORE__TRY(alcore__new_array(ctx, groups, vector_bytes, &state->centroids));
    ALCORE__TRY(alcore__new_array(ctx, groups, sizeof(double), &state->variance));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &state->distance));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &state->low));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &state->high));
    ALCORE__TRY(alcore__new_array(ctx, count, 1, &state->wanted));
    for (size_t i = 0; i < count; i++) state->distance[i] = run->outcome.scores[i] = (double)NAN;
    run->repeats = true;
    return ALCORE_OK;
}

static void free_state(alcore__run *run) {
    average_state *state = run->state;
    alcore_ctx *ctx = run->ctx;
    alcore__filler_clear(&state->filler);
    alcore__free(ctx, state->group);
    alcore__free(ctx, state->count);
    alcore__free(ctx, state->centroids);
    alcore__free(ctx, state->variance);
    alcore__free(ctx, state->distance);
    alcore__free(ctx, state->low);
    alcore__free(ctx, state->high);
    alcore__free(ctx, state->wanted);
}

/* ---- passes over the target: means of the groups, and their variances ---- */

/* Pushes the group of each active row of a block of the target. */
static alcore_status push_groups(alcore__block *block, int32_t **group) {
    const average_state *state = block->run->state;
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof **group, group));
    for (int64_t i = 0; i < block->count; i++) (*group)[i] = state->group[block->rows[i]];
    return ALCORE_OK;
}

static alcore__doubles centroids_of(const alcore__run *run) {
    const average_state *state = run->state;
    return (alcore__doubles){state->centroids, state->groups * state->dims};
}

/* Made for every metric: the sums also find a NaN in the target. */
static alcore_status sum_target(alcore__block *block, void *partial) {
    const average_state *state = block->run->state;
    alcore__matrix matrix;
    int32_t *group;
    int64_t *counts; /* of this block: not used, group_targets counted */
    ALCORE__TRY(alcore__block_matrix(block, state->cosine, &matrix));
    ALCORE__TRY(push_groups(block, &group));
    ALCORE__TRY(alcore__scratch_push(block, state->groups, sizeof *counts, &counts));
    return alcore__matrix_group_sums(&matrix, group, state->groups, partial, counts);
}

/* End of "target means": turns the sum of each group into its mean, centroids [groups, dims]. */
static alcore_status divide_centroids(alcore__run *run) {
    average_state *state = run->state;
    for (int64_t i = 0; i < state->groups * state->dims; i++)
        state->centroids[i] /= state->count[i / state->dims];
    return ALCORE_OK;
}

static bool is_squared(const alcore__run *run) {
    return ((const average_state *)run->state)->squared;
}

static alcore__doubles variance_of(const alcore__run *run) {
    const average_state *state = run->state;
    return (alcore__doubles){state->variance, state->groups};
}

/* Adds the squared distances of the block's target rows to the centroid of their group: the partial
 * is sums [groups]. Each centroid is measured from all rows of the block, as groups are few. */
static alcore_status sum_variance(alcore__block *block, void *partial) {
    const average_state *state = block->run->state;
    alcore__matrix matrix;
    double *sums = partial, *sq_dist;
    int32_t *group;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(push_groups(block, &group));
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *sq_dist, &sq_dist));
    for (int64_t g = 0; g < state->groups; g++) {
        ALCORE__TRY(alcore__matrix_sq_dists(&matrix, state->centroids + g * state->dims, sq_dist));
        for (int64_t i = 0; i < block->count; i++) {
            if (group[i] == g) sums[g] += sq_dist[i];
        }
    }
    return ALCORE_OK;
}

/* End of "target variances": turns the sum of each group into a mean over its active rows. */
static alcore_status divide_variance(alcore__run *run) {
    average_state *state = run->state;
    for (int64_t g = 0; g < state->groups; g++) state->variance[g] /= state->count[g];
    return ALCORE_OK;
}

/* ---- pass "closed form": squared and cosine distances ---- */

static bool has_closed_form(const alcore__run *run) {
    const average_state *state = run->state;
    return state->squared || state->cosine;
}

static double *distance_of(const alcore__run *run) {
    return ((average_state *)run->state)->distance;
}

/* The mean distance of each active row to the target rows of one group. norms: [active rows]. */
static alcore_status measure_group(const average_state *state, const alcore__matrix *matrix,
                                   int64_t g, const double *norms, double *out) {
    const double *centroid = state->centroids + g * state->dims;
    int64_t count = matrix->block->count;
    if (state->squared) {
        ALCORE__TRY(alcore__matrix_sq_dists(matrix, centroid, out));
        for (int64_t i = 0; i < count; i++) out[i] += state->variance[g];
        return ALCORE_OK;
    }
    ALCORE__TRY(alcore__matrix_dots(matrix, centroid, out));
    for (int64_t i = 0; i < count; i++) {
        double cosine = norms[i] < 1e-12 ? 0.0 : out[i] / norms[i];
        if (fabs(cosine) > 1.0 - 1e-12) cosine = cosine > 0.0 ? 1.0 : -1.0;
        out[i] = 1.0 - cosine;
    }
    return ALCORE_OK;
}

/* The mean distance of each active candidate to the target by the closed form; the partial is
 * distance [active rows], zeroed by the runner. Norms that are not finite reveal a bad row first.
 */
static alcore_status measure_closed(alcore__block *block, void *partial) {
    const average_state *state = block->run->state;
    int64_t count = block->count;
    alcore__matrix matrix;
    double *distance = partial, *norms, *of_group;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, count, sizeof *norms, &norms));
    ALCORE__TRY(alcore__scratch_push(block, count, sizeof *of_group, &of_group));
    ALCORE__TRY(alcore__matrix_self_dots(&matrix, norms));
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(norms[i])) ALCORE__TRY(alcore__matrix_check(&matrix));
        norms[i] = sqrt(norms[i]);
    }
    if (state->groups == 1) return measure_group(state, &matrix, 0, norms, distance);
    for (int64_t g = 0; g < state->groups; g++) {
        ALCORE__TRY(measure_group(state, &matrix, g, norms, of_group));
        for (int64_t i = 0; i < count; i++) distance[i] += of_group[i];
    }
    for (int64_t i = 0; i < count; i++) distance[i] /= (double)state->groups;
    return ALCORE_OK;
}

/* ---- Euclidean distances: what a block's rows are away from the whole target ---- */

/* From sums of distances by group, sums [groups]: the mean of each group, then their mean. */
static double mean_of_groups(const average_state *state, const double *sums) {
    double total = 0.0;
    if (state->groups == 1) return sums[0] / state->count[0];
    for (int64_t g = 0; g < state->groups; g++) total += sums[g] / state->count[g];
    return total / (double)state->groups;
}

static bool has_active_target(const alcore__run *run, int64_t target_block) {
    const int64_t *starts = run->active[ALCORE__OVER_TARGET].block_starts;
    return starts[target_block] < starts[target_block + 1];
}

/* Sums over the target, block after block: totals [active rows, groups], zeroed here. wanted
 * [active rows]: rows that are measured. */
static alcore_status sum_distances(const alcore__matrix *matrix, const uint8_t *wanted,
                                   double *totals) {
    alcore__block *block = matrix->block;
    const average_state *state = block->run->state;
    int64_t entries = block->count * state->groups;
    double *sums; /* of one block of the target */
    ALCORE__TRY(alcore__scratch_push(block, entries, sizeof *sums, &sums));
    memset(totals, 0, (size_t)entries * sizeof *totals);
    memset(sums, 0, (size_t)entries * sizeof *sums);
    for (int64_t b = 0; b < block->run->active[ALCORE__OVER_TARGET].blocks; b++) {
        alcore_sys_rows targets = {0};
        if (!has_active_target(block->run, b)) continue;
        ALCORE__TRY(alcore__target_rows(block, b, &targets));
        ALCORE__TRY(alcore__matrix_distances(
            matrix, wanted, &targets, state->group + b * ALCORE_BLOCK_ROWS, state->groups, sums));
        for (int64_t i = 0; i < entries; i++) totals[i] += sums[i];
    }
    return ALCORE_OK;
}

/* The same of the bounds: low and high [active rows, groups], zeroed here. */
static alcore_status sum_bounds(const alcore__matrix *matrix, double *low, double *high) {
    alcore__block *block = matrix->block;
    const average_state *state = block->run->state;
    int64_t entries = block->count * state->groups;
    double *block_low, *block_high;
    ALCORE__TRY(alcore__scratch_push(block, entries, sizeof *block_low, &block_low));
    ALCORE__TRY(alcore__scratch_push(block, entries, sizeof *block_high, &block_high));
    memset(low, 0, (size_t)entries * sizeof *low);
    memset(high, 0, (size_t)entries * sizeof *high);
    for (int64_t b = 0; b < block->run->active[ALCORE__OVER_TARGET].blocks; b++) {
        alcore_sys_rows targets = {0};
        if (!has_active_target(block->run, b)) continue;
        ALCORE__TRY(alcore__target_rows(block, b, &targets));
        ALCORE__TRY(alcore__matrix_distance_bounds(matrix, &targets,
                                                   state->group + b * ALCORE_BLOCK_ROWS,
                                                   state->groups, block_low, block_high));
        for (int64_t i = 0; i < entries; i++) low[i] += block_low[i];
        for (int64_t i = 0; i < entries; i++) high[i] += block_high[i];
    }
    return ALCORE_OK;
}

/* ---- which candidates have to be exact ---- */

/* The exact_count smallest upper bounds: no candidate whose lower bound is above the largest of
 * them is among the exact_count nearest. */
static alcore_status find_reach(alcore__run *run) {
    average_state *state = run->state;
    int64_t count = run->outcome.count, *order;
    double *keys;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)state->exact_count, sizeof *order, &order));
    alcore_status status = alcore__new_array(run->ctx, (size_t)count, sizeof *keys, &keys);
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++) keys[i] = -state->high[i];
    if (status == ALCORE_OK)
        status = alcore__rank(run->ctx, keys, run->outcome.rows, count, ALCORE__TIE_INDEX, 0,
                              state->exact_count, order);
    if (status == ALCORE_OK) state->reach = state->high[order[state->exact_count - 1]];
    alcore__free(run->ctx, keys);
    alcore__free(run->ctx, order);
    return status;
}

/* Marks the candidates that can be among the exact_count nearest and are not exact yet. */
static alcore_status want_nearest(alcore__run *run) {
    average_state *state = run->state;
    state->reach = HUGE_VAL;
    if (state->bounded && state->exact_count < run->outcome.count) ALCORE__TRY(find_reach(run));
    for (int64_t i = 0; i < run->outcome.count; i++)
        state->wanted[i] = isnan(state->distance[i]) && !(state->low[i] > state->reach);
    return ALCORE_OK;
}

/* After the target's passes: how many candidates are made exact first. Bounds pay when that is
 * less than half of them. */
static alcore_status plan_distances(alcore__run *run) {
    average_state *state = run->state;
    ALCORE__TRY(divide_centroids(run));
    if (has_closed_form(run)) return ALCORE_OK;
    double picks = alcore__expected_picks(run);
    bool every = state->all_scores || 2.0 * picks > (double)run->outcome.count;
    state->exact_count = every ? run->outcome.count : picks < 1.0 ? 1 : (int64_t)picks;
    state->bounded = !every && alcore__run_kernels(run)->distance_bounds;
    return state->bounded ? ALCORE_OK : want_nearest(run);
}

/* ---- pass "bounds" ---- */

static bool is_bounded(const alcore__run *run) {
    return ((const average_state *)run->state)->bounded;
}

/* The partial: low, then high, double [active rows] each. */
static size_t bounds_bytes(const alcore__block *block) {
    return 2 * (size_t)block->count * sizeof(double);
}

/* Bounds the mean distance of each active candidate from both sides by float32 distances to the
 * whole target, widened by what adding and dividing may round off. */
static alcore_status bound_distances(alcore__block *block, void *partial) {
    const average_state *state = block->run->state;
    int64_t entries = block->count * state->groups;
    double *low = partial, *high = low + block->count, *low_sums, *high_sums;
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, entries, sizeof *low_sums, &low_sums));
    ALCORE__TRY(alcore__scratch_push(block, entries, sizeof *high_sums, &high_sums));
    ALCORE__TRY(sum_bounds(&matrix, low_sums, high_sums));
    for (int64_t i = 0; i < block->count; i++) {
        low[i] = mean_of_groups(state, low_sums + i * state->groups) * (1.0 - BOUND_SLACK);
        high[i] = mean_of_groups(state, high_sums + i * state->groups) * (1.0 + BOUND_SLACK);
    }
    return ALCORE_OK;
}

/* Copies the bounds of one block to their positions among the candidates. */
static alcore_status store_bounds(alcore__run *run, const alcore__block_partial *part) {
    average_state *state = run->state;
    const double *low = part->extra, *high = low + part->count;
    memcpy(state->low + part->start, low, (size_t)part->count * sizeof *low);
    memcpy(state->high + part->start, high, (size_t)part->count * sizeof *high);
    return ALCORE_OK;
}

/* ---- pass "exact distances" ---- */

static bool wants_exact(const alcore__run *run) {
    return !has_closed_form(run) && !((const average_state *)run->state)->ended;
}

/* The partial: double [active rows], NaN of the rows that were not wanted; none where none is. */
static size_t exact_bytes(const alcore__block *block) {
    const average_state *state = block->run->state;
    bool any = memchr(state->wanted + block->start, 1, (size_t)block->count) != NULL;
    return any ? (size_t)block->count * sizeof(double) : 0;
}

/* Computes the exact mean distance of the wanted candidates of the block: the partial is distance
 * [active rows], NaN where it was not wanted. */
static alcore_status measure_exactly(alcore__block *block, void *partial) {
    const average_state *state = block->run->state;
    const uint8_t *wanted = state->wanted + block->start;
    double *distance = partial, *totals;
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, block->count * state->groups, sizeof *totals, &totals));
    ALCORE__TRY(sum_distances(&matrix, wanted, totals));
    for (int64_t i = 0; i < block->count; i++) {
        distance[i] = wanted[i] ? mean_of_groups(state, totals + i * state->groups) : (double)NAN;
        if (wanted[i] && !isfinite(distance[i])) ALCORE__TRY(alcore__matrix_check(&matrix));
    }
    return ALCORE_OK;
}

/* Copies the distances that were computed; those of earlier passes stay. */
static alcore_status store_exact(alcore__run *run, const alcore__block_partial *part) {
    average_state *state = run->state;
    const double *distance = part->extra;
    for (int64_t i = 0; i < part->count; i++) {
        if (!isnan(distance[i])) state->distance[part->start + i] = distance[i];
    }
    return ALCORE_OK;
}

/* Offers the first `count` candidates by keys [candidates] that were not offered yet. */
static alcore_status offer_nearest(alcore__run *run, const double *keys, int64_t count) {
    average_state *state = run->state;
    const alcore__fill *fill = &run->input->fill;
    int64_t *order;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)count, sizeof *order, &order));
    alcore_status status = alcore__rank(run->ctx, keys, run->outcome.rows, run->outcome.count,
                                        fill->tie, run->input->seed, count, order);
    while (state->offered < count && !alcore__filler_full(&state->filler) && status == ALCORE_OK) {
        bool taken;
        int64_t position = order[state->offered++];
        run->outcome.scores[position] = 0.0 - state->distance[position];
        status = alcore__filler_offer(&state->filler, position, &taken);
        if (status == ALCORE_OK)
            status =
                alcore__tick(run->ctx, "filling the budget", state->offered, run->outcome.count);
    }
    alcore__free(run->ctx, order);
    return status;
}

/* The candidates within reach are final: no other one is as near. Offers them, and asks for more
 * when the budget is not full. */
static alcore_status offer_and_widen(alcore__run *run) {
    average_state *state = run->state;
    int64_t count = run->outcome.count, final_count = 0;
    double *keys;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)count, sizeof *keys, &keys));
    for (int64_t i = 0; i < count; i++) {
        bool is_final = !isnan(state->distance[i]) && state->distance[i] <= state->reach;
        keys[i] = is_final ? -state->distance[i] : -HUGE_VAL;
        final_count += is_final;
    }
    alcore_status status = offer_nearest(run, keys, final_count);
    alcore__free(run->ctx, keys);
    ALCORE__TRY(status);
    state->ended = state->offered == count || alcore__filler_full(&state->filler);
    if (state->ended) return ALCORE_OK;
    state->exact_count = final_count < count / 2 ? 2 * final_count : count;
    return want_nearest(run);
}

static const alcore__pass PASSES[] = {
    {.name = "target means",
     .rows = ALCORE__OVER_TARGET,
     .block = sum_target,
     .partial = {.sums = centroids_of},
     .end = plan_distances},
    {.name = "target variances",
     .rows = ALCORE__OVER_TARGET,
     .block = sum_variance,
     .partial = {.sums = variance_of},
     .end = divide_variance,
     .when = is_squared},
    {.name = "closed form",
     .rows = ALCORE__OVER_CANDIDATES,
     .block = measure_closed,
     .partial = {.values = distance_of},
     .when = has_closed_form},
    {.name = "bounds",
     .rows = ALCORE__OVER_CANDIDATES,
     .block = bound_distances,
     .partial = {.extra = bounds_bytes, .reduce = store_bounds},
     .end = want_nearest,
     .when = is_bounded},
    {.name = "exact distances",
     .rows = ALCORE__OVER_CANDIDATES,
     .block = measure_exactly,
     .partial = {.extra = exact_bytes, .reduce = store_exact},
     .end = offer_and_widen,
     .when = wants_exact,
     .again = wants_exact},
    {.name = NULL},
};

/* Candidates that the budget did not look at have no score, however many a filter made exact, so
 * that scores do not depend on the filter. */
static alcore_status finish(alcore__run *run) {
    average_state *state = run->state;
    double *distance, *scores = run->outcome.scores;
    bool closed = has_closed_form(run);
    ALCORE__TRY(alcore__outcome_column(run, "distance", ALCORE_FLOAT64, &distance));
    for (int64_t i = 0; i < run->outcome.count; i++) {
        if (closed || state->all_scores) scores[i] = 0.0 - state->distance[i];
        distance[i] = isnan(scores[i]) ? scores[i] : state->distance[i];
    }
    if (!closed) alcore__filler_finish(&state->filler);
    return ALCORE_OK;
}

static const char *const NEEDS[] = {"embeddings", NULL};
static const alcore__param ROWS[] = {
    {"metric", ALCORE_PARAM_CHOICE, "l2", 0, 0, "l2|cosine", "distance: Euclidean or 1 - cosine"},
    {"sq", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: squared distances, which need one pass over the rows only; another order"},
    {"balance_targets", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: the mean over each language of the target first, then over the languages"},
    {"scores", ALCORE_PARAM_CHOICE, "picked", 0, 0, "picked|all",
     "with Euclidean distances: the scores of the rows that the budget looked at, or of all"},
    ALCORE__CANDIDATE_PARAMS,
};
static const alcore__param_table PARAMS = ALCORE__PARAM_TABLE(ROWS);

const alcore__strategy_def alcore__strategy_average_dist = {
    .name = "average-dist",
    .summary = "The smallest mean distance to the rows of a target (AVERAGE-DIST of DeMuX)",
    .measure = "nearness to the target",
    .params = &PARAMS,
    .needs = {[ALCORE_ROLE_CANDIDATES] = NEEDS, [ALCORE_ROLE_TARGET] = NEEDS},
    .state_bytes = sizeof(average_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
    .free_state = free_state,
};
