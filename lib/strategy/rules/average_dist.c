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
 * (in the second c is the mean of unit vectors), so one pass over the candidates is enough. The
 * mean Euclidean distance has no closed form and needs candidates x targets distances. Therefore a
 * pass in float32 bounds each candidate's mean first, and the exact mean is computed only of the
 * candidates that can be among the nearest ones that the budget is expected to buy. Where the
 * budget passes rows over and reaches farther candidates, twice as many become exact in one more
 * pass, and so on. All this depends on the candidates of a shard alone, which nominates what the
 * budget buys of them (budget/nominees.h).
 *
 * Words of this file:
 *
 *     exact       a candidate is exact once its mean distance was computed in double
 *
 * Scores are minus distances, as the largest score is best.
 *
 * Memory: 25 bytes a candidate, 8 more while candidates are ranked, and 24 for each one that is
 * ranked; groups x dims doubles for the target. */
#include <math.h>
#include <string.h>

#include "strategy/block.h"
#include "strategy/budget/fill.h"
#include "strategy/budget/rank.h"
#include "strategy/rules/target_groups.h"
#include "strategy/strategies.h"

/* The relative amount by which the bounds of a mean are widened: the kernel's bounds hold for the
 * sums over one block of targets, and adding those up and dividing rounds. */
#define BOUND_SLACK 1e-9

typedef struct average_state {
    alcore__filler filler; /* spends the budget where distances are made exact step by step */
    int64_t dims;
    bool squared, cosine, all_scores, balanced; /* sq=1, metric=cosine, scores=all,
                                                   balance_targets=1 */
    alcore__target_groups target; /* the languages of the target with balance_targets, else one
                                         group; [groups] below has an entry for each */
    alcore__doubles centroids;    /* [groups, dims] means of the groups; their sums until the pass
                                  "target means" ends */
    alcore__doubles variance; /* [groups] mean squared distance of the group's rows to its centroid;
                                  their sum until the pass "target variances" ends */
    /* For Euclidean distances: */
    bool bounded;        /* the pass "bounds" is made */
    double *low, *high;  /* [candidates] bounds of the mean distance; 0 where `bounded` is false */
    double *distance;    /* [candidates] the exact mean distance, with a closed form too; NaN: not
                            computed */
    uint8_t *to_measure; /* [candidates] 1: the next pass "exact distances" computes it */
    int64_t exact_count; /* number of nearest candidates whose distance has to be exact */
    int64_t offered; /* how many candidates were offered to the budget so far, the nearest ones */
    double exact_radius; /* after the next pass "exact distances" every candidate whose distance is
                            at most this is exact; HUGE_VAL: all are */
    bool ended;          /* the budget is full, or all candidates were offered */
} average_state;

/* ---- begin ---- */

/* Called once before the first pass: groups the target rows by language and allocates the arrays of
 * average_state. Distances and scores are NaN until they are computed. host_doubles: the sums of
 * low and high bounds, of each row of a block and group, are in host memory. */
static alcore_status begin(alcore__run *run) {
    average_state *state = run->state;
    const int64_t count = run->outcome.count;
    state->dims = alcore__embedding_dims(run);
    if (state->squared && state->cosine)
        return alcore__fail(ALCORE_E_PARAM, "strategy average-dist: sq=1 goes with metric=l2 only");
    ALCORE__TRY(alcore__filler_begin(&state->filler, run));
    state->filler.bought.budget = alcore__nominees_budget(run);
    ALCORE__TRY(alcore__target_groups_new(run, state->balanced, &state->target));
    run->hints.host_doubles = 2.0 * ALCORE_BLOCK_ROWS * (double)state->target.count;
    const int64_t groups = state->target.count;
    ALCORE__TRY(alcore__run_sums(run, groups * state->dims, &state->centroids));
    ALCORE__TRY(alcore__run_sums(run, groups, &state->variance));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->distance));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->low));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->high));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->to_measure));
    for (int64_t i = 0; i < count; i++) state->distance[i] = run->outcome.scores[i] = (double)NAN;
    run->hints.repeats = run->hints.row_work =
        true; /* several passes: the runner keeps copies of the embeddings */
    return ALCORE_OK;
}

/* ---- passes over the target: means of the groups, and their variances ---- */

/* Pushes the group of each active row of a block of the target on the scratch stack: *group [active
 * rows], none of which is -1. */
static alcore_status push_groups(alcore__block *block, int32_t **group) {
    const average_state *state = block->run->state;
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof **group, group));
    for (int64_t i = 0; i < block->count; i++) (*group)[i] = state->target.group_of[block->rows[i]];
    return ALCORE_OK;
}

/* Sums the target rows of each block by group: the partial is sums [blocks, groups, dims], of unit
 * vectors for the cosine. Euclidean distances do not need the means; the pass is made for them too,
 * as its sums reveal a row with a NaN. */
static alcore_status sum_target(alcore__block *block, void *partial) {
    const average_state *state = block->run->state;
    alcore__matrix matrix;
    const int64_t sums = block->blocks * state->target.count;
    const int32_t *sum_of; /* [active rows] */
    int32_t *group;
    int64_t *counts; /* [sums] not used, as the groups count their rows */
    ALCORE__TRY(alcore__block_matrix(block, state->cosine, &matrix));
    ALCORE__TRY(push_groups(block, &group));
    ALCORE__TRY(alcore__block_groups(block, group, state->target.count, &sum_of));
    ALCORE__TRY(alcore__scratch_push(block, sums, sizeof *counts, &counts));
    return alcore__matrix_group_sums(&matrix, sum_of, sums, partial, counts);
}

/* End of "target means": turns the sum of each group into its mean, centroids [groups, dims]. */
static alcore_status divide_centroids(alcore__run *run) {
    average_state *state = run->state;
    for (int64_t i = 0; i < state->centroids.count; i++)
        state->centroids.values[i] /= state->target.rows[i / state->dims];
    return ALCORE_OK;
}

/* Adds the squared distances of each block's target rows to the centroid of their group: the
 * partial is sums [blocks, groups]. All rows are measured from each centroid, as groups are few,
 * and only those of the group are added. */
static alcore_status sum_variance(alcore__block *block, void *partial) {
    const average_state *state = block->run->state;
    alcore__matrix matrix;
    double *sums = partial, *sq_dist;
    const int32_t *sum_of; /* [active rows] */
    int32_t *group;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(push_groups(block, &group));
    ALCORE__TRY(alcore__block_groups(block, group, state->target.count, &sum_of));
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *sq_dist, &sq_dist));
    for (int64_t g = 0; g < state->target.count; g++) {
        const double *centroid = state->centroids.values + g * state->dims;
        ALCORE__TRY(alcore__matrix_sq_dists(&matrix, centroid, sq_dist));
        for (int64_t i = 0; i < block->count; i++) {
            if (group[i] == g) sums[sum_of[i]] += sq_dist[i]; /* a partial is zeroed before */
        }
    }
    return ALCORE_OK;
}

/* End of "target variances": turns the sum of each group into a mean over its active rows. */
static alcore_status divide_variance(alcore__run *run) {
    average_state *state = run->state;
    for (int64_t g = 0; g < state->variance.count; g++)
        state->variance.values[g] /= state->target.rows[g];
    return ALCORE_OK;
}

/* ---- pass "closed form": squared and cosine distances ---- */

/* Whether the distance is one of the two with a closed form: condition of the pass. */
static bool has_closed_form(const alcore__run *run) {
    const average_state *state = run->state;
    return state->squared || state->cosine;
}

/* Computes the mean distance of each active candidate to the target rows of group g by the closed
 * forms at the top of the file: out [active rows]. norms [active rows]: lengths of the candidates'
 * embeddings, for the cosine. A cosine within 1e-12 of +-1 becomes +-1, as in spec 1.5. */
static alcore_status measure_group(const average_state *state, const alcore__matrix *matrix,
                                   int64_t g, const double *norms, double *out) {
    const double *centroid = state->centroids.values + g * state->dims;
    int64_t count = matrix->block->count;
    if (state->squared) {
        ALCORE__TRY(alcore__matrix_sq_dists(matrix, centroid, out));
        for (int64_t i = 0; i < count; i++) out[i] += state->variance.values[g];
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

/* Computes the mean distance of each active candidate to the target by the closed form; the partial
 * is distance, double [active rows], zeroed by the runner. A norm that is not finite shows a row
 * with a NaN or an infinity, for which the run fails. With one group its mean is the result. */
static alcore_status measure_closed(alcore__block *block, void *partial) {
    const average_state *state = block->run->state;
    int64_t count = block->count;
    alcore__matrix matrix;
    double *distance = partial, *norms, *group_distance;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, count, sizeof *norms, &norms));
    ALCORE__TRY(alcore__scratch_push(block, count, sizeof *group_distance, &group_distance));
    ALCORE__TRY(alcore__matrix_self_dots(&matrix, norms));
    bool finite = true;
    for (int64_t i = 0; i < count; i++) {
        finite = finite && isfinite(norms[i]);
        norms[i] = sqrt(norms[i]);
    }
    if (!finite) ALCORE__TRY(alcore__matrix_check(&matrix));
    if (state->target.count == 1) return measure_group(state, &matrix, 0, norms, distance);
    for (int64_t g = 0; g < state->target.count; g++) {
        ALCORE__TRY(measure_group(state, &matrix, g, norms, group_distance));
        for (int64_t i = 0; i < count; i++) distance[i] += group_distance[i];
    }
    for (int64_t i = 0; i < count; i++) distance[i] /= (double)state->target.count;
    return ALCORE_OK;
}

/* ---- Euclidean distances of a block's candidates to the whole target ---- */

/* Sums lower and upper bounds of the distances of all active candidates of a block to the whole
 * target, one block of the target after another: low and high [active rows, groups], overwritten,
 * bounds of what alcore__target_groups_distances() adds up. */
static alcore_status sum_bounds(const alcore__matrix *matrix, double *low, double *high) {
    alcore__block *block = matrix->block;
    const average_state *state = block->run->state;
    int64_t entries = block->count * state->target.count;
    double *block_low, *block_high; /* [active rows, groups] over one block of the target */
    ALCORE__TRY(alcore__scratch_push(block, entries, sizeof *block_low, &block_low));
    ALCORE__TRY(alcore__scratch_push(block, entries, sizeof *block_high, &block_high));
    memset(low, 0, (size_t)entries * sizeof *low);
    memset(high, 0, (size_t)entries * sizeof *high);
    for (int64_t b = 0; b < block->run->active[ALCORE__OVER_TARGET].blocks; b++) {
        alcore_sys_rows targets = {0};
        if (!alcore__target_has_rows(block->run, b)) continue;
        ALCORE__TRY(alcore__target_rows(block, b, &targets));
        ALCORE__TRY(alcore__matrix_distance_bounds(matrix, &targets,
                                                   state->target.group_of + b * ALCORE_BLOCK_ROWS,
                                                   state->target.count, block_low, block_high));
        for (int64_t i = 0; i < entries; i++) low[i] += block_low[i];
        for (int64_t i = 0; i < entries; i++) high[i] += block_high[i];
    }
    return ALCORE_OK;
}

/* ---- which candidates have to be exact ---- */

/* Sets state->exact_radius to the exact_count-th smallest upper bound; exact_count is 1 or more. At
 * least exact_count candidates are not farther, so a candidate whose lower bound is above it is not
 * among the exact_count nearest and need not be measured. Ties do not matter here, as only the
 * value of the last one is used. */
static alcore_status find_exact_radius(alcore__run *run) {
    average_state *state = run->state;
    int64_t count = run->outcome.count, *order;
    const size_t height = alcore__run_height(run);
    double *keys;
    ALCORE__TRY(ALCORE__RUN_PUSH(run, state->exact_count, &order));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &keys));
    for (int64_t i = 0; i < count; i++) keys[i] = -state->high[i];
    ALCORE__TRY(alcore__rank(run->ctx, keys, NULL /* no rows */, count, ALCORE__TIE_INDEX,
                             0 /* seed */, state->exact_count, order));
    state->exact_radius = state->high[order[state->exact_count - 1]];
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* Sets to_measure [candidates] for the next pass "exact distances": the candidates that can be
 * among the exact_count nearest and are not exact yet. Without bounds, or where all become exact,
 * these are all that are not exact. Called at the end of the pass before. */
static alcore_status mark_to_measure(alcore__run *run) {
    average_state *state = run->state;
    state->exact_radius = HUGE_VAL;
    if (state->bounded && state->exact_count < run->outcome.count)
        ALCORE__TRY(find_exact_radius(run));
    for (int64_t i = 0; i < run->outcome.count; i++)
        state->to_measure[i] = isnan(state->distance[i]) && !(state->low[i] > state->exact_radius);
    return ALCORE_OK;
}

/* End of "target means": turns the sums into means and, for Euclidean distances, decides how many
 * candidates become exact first: as many as the budget is expected to buy. Where that is more than
 * half of them, or all scores are asked for, all become exact and the pass "bounds" would not save
 * anything. An engine without the kernel distance_bounds makes all exact, too. */
static alcore_status plan_distances(alcore__run *run) {
    average_state *state = run->state;
    ALCORE__TRY(divide_centroids(run));
    if (has_closed_form(run)) return ALCORE_OK;
    double picks = alcore__expected_picks(run);
    bool all_exact = state->all_scores || 2.0 * picks > (double)run->outcome.count;
    state->exact_count = all_exact ? run->outcome.count : picks < 1.0 ? 1 : (int64_t)picks;
    state->bounded = !all_exact && alcore__run_kernels(run)->distance_bounds != NULL;
    return state->bounded ? ALCORE_OK : mark_to_measure(run);
}

/* ---- pass "bounds" ---- */

/* Writes the partial, low and high [active rows]: bounds of the mean distance of each active
 * candidate, from float32 distances to the whole target, widened by what adding and dividing may
 * round off. */
static alcore_status bound_distances(alcore__block *block, void *partial) {
    const average_state *state = block->run->state;
    int64_t entries = block->count * state->target.count;
    double *low = partial, *high = low + block->count, *low_sums, *high_sums;
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, entries, sizeof *low_sums, &low_sums));
    ALCORE__TRY(alcore__scratch_push(block, entries, sizeof *high_sums, &high_sums));
    ALCORE__TRY(sum_bounds(&matrix, low_sums, high_sums));
    for (int64_t i = 0; i < block->count; i++) {
        low[i] = alcore__target_groups_mean(&state->target, low_sums + i * state->target.count) *
                 (1.0 - BOUND_SLACK);
        high[i] = alcore__target_groups_mean(&state->target, high_sums + i * state->target.count) *
                  (1.0 + BOUND_SLACK);
    }
    return ALCORE_OK;
}

/* ---- pass "exact distances" ---- */

/* Condition and loop of the pass: the distance is Euclidean, and further candidates may be bought.
 */
static bool needs_exact(const alcore__run *run) {
    return !has_closed_form(run) && !((const average_state *)run->state)->ended;
}

/* Computes the exact mean distance of those candidates of the block that are to be measured. The
 * partial is distance [active rows]; rows that are not measured keep the value of earlier passes.
 */
static alcore_status measure_exactly(alcore__block *block, void *partial) {
    const average_state *state = block->run->state;
    const uint8_t *to_measure = state->to_measure + block->start;
    const double *before = state->distance + block->start;
    double *distance = partial;
    alcore__matrix matrix;
    if (!memchr(to_measure, 1, (size_t)block->count)) {
        memcpy(distance, before, (size_t)block->count * sizeof *distance);
        return ALCORE_OK;
    }
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__target_groups_distances(&state->target, &matrix, to_measure, distance));
    bool finite = true;
    for (int64_t i = 0; i < block->count; i++) {
        finite = finite && (!to_measure[i] || isfinite(distance[i]));
        if (!to_measure[i]) distance[i] = before[i];
    }
    return finite ? ALCORE_OK : alcore__matrix_check(&matrix);
}

/* Offers the `count` nearest candidates to the budget, less those that earlier calls offered. keys
 * [candidates]: minus the distance of the `count` candidates that may be offered, -infinity for
 * others, so that the former come first. The order of earlier calls is a prefix of this one: what
 * became exact since then is farther than what was offered, and ties depend on the row and the seed
 * only. */
static alcore_status offer_nearest(alcore__run *run, const double *keys, int64_t count) {
    average_state *state = run->state;
    const alcore__fill *fill = &run->input->fill;
    const size_t height = alcore__run_height(run);
    const int64_t *rows;
    int64_t *order;
    ALCORE__TRY(alcore__rows_of_ties(run, &rows));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &order));
    ALCORE__TRY(alcore__rank(run->ctx, keys, rows, run->outcome.count, fill->tie, run->input->seed,
                             count, order));
    while (state->offered < count && !alcore__filler_full(&state->filler)) {
        bool bought; /* the filler keeps what it bought */
        int64_t position = order[state->offered++];
        run->outcome.scores[position] = 0.0 - state->distance[position]; /* never -0.0 */
        ALCORE__TRY(alcore__filler_offer(&state->filler, position, &bought));
        ALCORE__TRY(
            alcore__tick(run->ctx, "filling the budget", state->offered, run->outcome.count));
    }
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* End of "exact distances": every candidate that is not exact is farther than state->exact_radius,
 * so the exact ones up to that distance are the nearest of all, in their final order. Offers them
 * to the budget and, where it is not full after that, makes twice as many candidates exact in
 * another pass. */
static alcore_status offer_and_widen(alcore__run *run) {
    average_state *state = run->state;
    int64_t count = run->outcome.count, final_count = 0;
    const size_t height = alcore__run_height(run);
    double *keys;
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &keys));
    for (int64_t i = 0; i < count; i++) {
        bool is_final = !isnan(state->distance[i]) && state->distance[i] <= state->exact_radius;
        keys[i] = is_final ? -state->distance[i] : -HUGE_VAL;
        final_count += is_final;
    }
    ALCORE__TRY(offer_nearest(run, keys, final_count));
    alcore__run_drop(run, height);
    state->ended = state->offered == count || alcore__filler_full(&state->filler);
    if (state->ended) return ALCORE_OK;
    /* final_count >= exact_count > 0, so each pass makes further candidates final. */
    state->exact_count = final_count < count / 2 ? 2 * final_count : count;
    return mark_to_measure(run);
}

static const alcore__pass PASSES[] = {
    {.name = "target means",
     .source = ALCORE__OVER_TARGET,
     .block = sum_target,
     .partial = {.sums = ALCORE__SUMS(average_state, centroids)},
     .end = plan_distances},
    {.name = "target variances",
     .source = ALCORE__OVER_TARGET,
     .block = sum_variance,
     .partial = {.sums = ALCORE__SUMS(average_state, variance)},
     .end = divide_variance,
     .when = ALCORE__IF(average_state, squared)},
    {.name = "closed form",
     .block = measure_closed,
     .partial = {.values = {ALCORE__VALUES(average_state, distance)}},
     .when = ALCORE__TEST(has_closed_form)},
    {.name = "bounds",
     .block = bound_distances,
     .partial = {.values = {ALCORE__VALUES(average_state, low),
                            ALCORE__VALUES(average_state, high)}},
     .end = mark_to_measure,
     .when = ALCORE__IF(average_state, bounded)},
    {.name = "exact distances",
     .block = measure_exactly,
     .partial = {.values = {ALCORE__VALUES(average_state, distance)}},
     .end = offer_and_widen,
     .when = ALCORE__TEST(needs_exact),
     .again = ALCORE__TEST(needs_exact)},
    {.name = NULL},
};

/* Called after the last pass: sets scores and the record column "distance". With Euclidean
 * distances and scores=picked only candidates that were offered to the budget have a score,
 * although more may be exact, so that scores do not depend on how tight the bounds of an engine
 * are; the others have NaN in both, and outcome.measured does not count them. What was offered is
 * bought already, and alcore__filler_finish() notes that (run->picked). With a closed form nothing
 * is bought yet, and the runner ranks by the scores. */
static alcore_status finish(alcore__run *run) {
    average_state *state = run->state;
    double *distance, *scores = run->outcome.scores;
    bool closed = has_closed_form(run);
    run->outcome.measured = 0;
    ALCORE__TRY(alcore__outcome_column(run, "distance", ALCORE_FLOAT64, &distance));
    for (int64_t i = 0; i < run->outcome.count; i++) {
        if (closed || state->all_scores) scores[i] = 0.0 - state->distance[i];
        distance[i] = isnan(scores[i]) ? scores[i] : state->distance[i];
        run->outcome.measured += !isnan(scores[i]);
    }
    if (!closed) alcore__filler_finish(&state->filler);
    return ALCORE_OK;
}

#define STATE(member) ALCORE__MEMBER(ALCORE__TO_STATE, average_state, member)
/* Name, type, default, smallest and largest value (0, 0: none), choices, help. */
static const alcore__param ROWS[] = {
    {"metric", ALCORE_PARAM_CHOICE, "l2", 0, 0, "l2|cosine", "distance: Euclidean or 1 - cosine",
     STATE(cosine)},
    {"sq", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: squared distances, which need one pass over the rows only; another order", STATE(squared)},
    {"balance_targets", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: the mean over each language of the target first, then over the languages",
     STATE(balanced)},
    {"scores", ALCORE_PARAM_CHOICE, "picked", 0, 0, "picked|all",
     "with Euclidean distances: the scores of the rows that the budget looked at, or of all",
     STATE(all_scores)},
    ALCORE__CANDIDATE_PARAMS,
};

const alcore__strategy_def alcore__strategy_average_dist = {
    .name = "average-dist",
    .summary = "The smallest mean distance to the rows of a target (AVERAGE-DIST of DeMuX)",
    .measure = "nearness to the target",
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__needs_embeddings,
              [ALCORE__ROLE(TARGET)] = alcore__needs_embeddings},
    .state_bytes = sizeof(average_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
    .by_passes = true,
    .ranks_own = alcore__ranks_own,
};
