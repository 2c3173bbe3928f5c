/* SPDX-License-Identifier: Apache-2.0 */
/* UNCERTAINTY-KNN, the hybrid that DeMuX names as future work (spec 7.6): first the most uncertain
 * candidates, then of these the ones that are nearest to a target.
 *
 *   C       = the most uncertain candidates, as many as c times the budget buys
 *   prox(x) = min over target rows t of ||e(x) - e(t)||^2, or the mean of ||e(x) - e(t)||
 *
 * The members of C are bought in the order of (prox ascending, uncertainty descending, row). With
 * cover=1 the target rows are visited in turn instead, and each gets the nearest member of C that
 * was not bought yet.
 *
 * With balance_targets the rows of the target are groups by language (target_groups.h). prox=mean
 * is then the mean over the groups of the mean distance to their rows. With prox=min each group
 * orders C by the distance to its own nearest row, and the groups buy in turns; with cover=1 every
 * visit is to a row of the next group.
 *
 * Passes: the uncertainty of every candidate; then one over the members of C, which measures them
 * from the target, or with cover=1 collects their embeddings. The visits of cover=1 are made after
 * the passes: each reads one row of the target and measures all of C from it.
 *
 * Memory: 8 bytes a candidate, 16 for the record, and 56 for each member of C; with cover=1 also 8
 * bytes for each component of the embeddings of C; in turns 8 bytes for each pair of a member of C
 * and a group, 8 more while the budget is spent, and one byte for each pair of a group and a target
 * row. */
#include <math.h>
#include <string.h>

#include "strategy/rules/uncertainty_knn.h"
#include "strategy/strategies.h"

/* ---- begin ---- */

/* Makes group_mask [groups, target rows], by which measure_groups() finds the nearest row of each
 * group. */
static alcore_status mask_groups(alcore__run *run) {
    alcore__uncertainty_knn *state = run->state;
    int64_t rows = run->input->target.rows;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, state->groups.count * rows, &state->group_mask));
    for (int64_t row = 0; row < rows; row++) {
        int32_t group = state->groups.group_of[row];
        if (group >= 0) state->group_mask[group * rows + row] = 1;
    }
    return ALCORE_OK;
}

/* Called once before the first pass. The arrays of C follow when it is known how many members it
 * has (uncertainty_members.c). Hints: the host works for each candidate, with two doubles for each
 * pair of a row and a group. */
static alcore_status begin(alcore__run *run) {
    alcore__uncertainty_knn *state = run->state;
    state->in_turns = state->balanced && !state->cover && !state->by_mean;
    ALCORE__TRY(alcore__hybrid_begin(run, false));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, run->outcome.count, &state->uncertainty));
    if (state->cover && state->by_mean)
        return alcore__fail(
            ALCORE_E_PARAM,
            "strategy uncertainty-knn: prox has no part in the choice with cover=1");
    ALCORE__TRY(alcore__target_groups_new(run, state->balanced, &state->groups));
    run->hints.row_work = true;
    run->hints.host_doubles = 2.0 * ALCORE_BLOCK_ROWS * (double)state->groups.count;
    return state->in_turns ? mask_groups(run) : ALCORE_OK;
}

/* ---- pass "distances": prox of the members of C ---- */

/* Condition of the pass: neither cover=1 nor in turns. */
static bool measures(const alcore__run *run) {
    const alcore__uncertainty_knn *state = run->state;
    return !state->cover && !state->in_turns;
}

/* The partial: double [members of C in the block], prox. A block without members is not visited. */
static size_t distance_bytes(const alcore__block *block) {
    return (size_t)alcore__uncertain_count(block) * sizeof(double);
}

/* Sets *matrix to the embeddings of a block of candidates, and fails on one that is not finite. */
static alcore_status open_matrix(alcore__block *block, alcore__matrix *matrix) {
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, matrix));
    return alcore__matrix_check(matrix);
}

/* prox=min: computes the squared distance of each member, whose wanted [active rows] is 1, to the
 * nearest row of the target: prox [active rows]; HUGE_VAL for rows that are no members. */
static alcore_status measure_nearest(const alcore__matrix *matrix, const uint8_t *wanted,
                                     double *prox) {
    alcore__block *block = matrix->block;
    const alcore__active_rows *target = &block->run->active[ALCORE__OVER_TARGET];
    for (int64_t i = 0; i < block->count; i++) prox[i] = HUGE_VAL;
    for (int64_t b = 0; b < target->blocks; b++) {
        alcore_sys_rows rows = {0};
        if (!alcore__target_has_rows(block->run, b)) continue;
        ALCORE__TRY(alcore__target_rows(block, b, &rows));
        const uint8_t *mask = target->mask ? target->mask + b * ALCORE_BLOCK_ROWS : NULL;
        ALCORE__TRY(alcore__matrix_join_nearest(matrix, wanted, &rows, mask, prox));
    }
    return ALCORE_OK;
}

/* Measures the members of C in the block from the whole target. */
static alcore_status measure_members(alcore__block *block, void *partial) {
    const alcore__uncertainty_knn *state = block->run->state;
    const int64_t count = alcore__uncertain_count(block);
    double *told = partial, *prox; /* prox [active rows] */
    int64_t *indices;
    uint8_t *wanted;
    alcore__matrix matrix;
    ALCORE__TRY(alcore__uncertain_indices(block, &indices, &wanted));
    ALCORE__TRY(open_matrix(block, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *prox, &prox));
    ALCORE__TRY(state->by_mean
                    ? alcore__target_groups_distances(&state->groups, &matrix, wanted, prox)
                    : measure_nearest(&matrix, wanted, prox));
    for (int64_t m = 0; m < count; m++) told[m] = prox[indices[m]];
    return ALCORE_OK;
}

/* Copies the partial of a block, [members of the block, width], to values [member_count, width]. */
static void store_members(const alcore__uncertainty_knn *state,
                          const alcore__block_partial *partial, int64_t width, double *values) {
    memcpy(values + alcore__uncertain_first(state, partial->block) * width, partial->extra,
           partial->extra_bytes);
}

static alcore_status store_distances(alcore__run *run, const alcore__block_partial *partial) {
    const alcore__uncertainty_knn *state = run->state;
    store_members(state, partial, 1, state->prox);
    return ALCORE_OK;
}

/* ---- pass "distances of languages": C in turns ---- */

/* The partial: double [members of the block, groups], the squared distance to the nearest row of
 * each group. */
static size_t nearest_bytes(const alcore__block *block) {
    const alcore__uncertainty_knn *state = block->run->state;
    return (size_t)(alcore__uncertain_count(block) * state->groups.count) * sizeof(double);
}

/* Measures the members of C in the block from the nearest row of each group, one target block after
 * another, and writes the partial in the order of the members' rows. */
static alcore_status measure_groups(alcore__block *block, void *partial) {
    const alcore__run *run = block->run;
    const alcore__uncertainty_knn *state = run->state;
    const int64_t groups = state->groups.count, target_rows = run->input->target.rows;
    const int64_t count = alcore__uncertain_count(block);
    double *nearest = partial, *sq_dist; /* sq_dist [groups, active rows] */
    int64_t *indices;
    uint8_t *wanted;
    alcore__matrix matrix;
    ALCORE__TRY(alcore__uncertain_indices(block, &indices, &wanted));
    ALCORE__TRY(open_matrix(block, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, groups * block->count, sizeof *sq_dist, &sq_dist));
    for (int64_t i = 0; i < groups * block->count; i++) sq_dist[i] = HUGE_VAL;
    for (int64_t b = 0; b < run->active[ALCORE__OVER_TARGET].blocks; b++) {
        alcore_sys_rows rows = {0};
        if (!alcore__target_has_rows(run, b)) continue;
        ALCORE__TRY(alcore__target_rows(block, b, &rows));
        for (int64_t g = 0; g < groups; g++) {
            const uint8_t *mask = state->group_mask + g * target_rows + b * ALCORE_BLOCK_ROWS;
            if (!memchr(mask, 1, (size_t)rows.count)) continue; /* none in this block */
            ALCORE__TRY(alcore__matrix_join_nearest(&matrix, wanted, &rows, mask,
                                                    sq_dist + g * block->count));
        }
    }
    for (int64_t m = 0; m < count; m++)
        for (int64_t g = 0; g < groups; g++)
            nearest[m * groups + g] = sq_dist[g * block->count + indices[m]];
    return ALCORE_OK;
}

static alcore_status store_nearest(alcore__run *run, const alcore__block_partial *partial) {
    const alcore__uncertainty_knn *state = run->state;
    store_members(state, partial, state->groups.count, state->nearest);
    return ALCORE_OK;
}

/* ---- pass "vectors": the embeddings of C, for cover=1 ---- */

/* The partial: double [members of the block, dims]. */
static size_t vectors_bytes(const alcore__block *block) {
    return (size_t)(alcore__uncertain_count(block) * alcore__embedding_dims(block->run)) *
           sizeof(double);
}

/* Copies the embeddings of the members of C in the block to the partial, in row order, and fails on
 * a component that is not finite. */
static alcore_status collect_members(alcore__block *block, void *partial) {
    int64_t *indices;
    uint8_t *wanted;
    alcore__matrix matrix;
    ALCORE__TRY(alcore__uncertain_indices(block, &indices, &wanted));
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    return alcore__matrix_copy_rows(&matrix, indices, alcore__uncertain_count(block), partial);
}

static alcore_status store_vectors(alcore__run *run, const alcore__block_partial *partial) {
    const alcore__uncertainty_knn *state = run->state;
    store_members(state, partial, alcore__embedding_dims(run), state->vectors);
    return ALCORE_OK;
}

static const alcore__pass PASSES[] = {
    {ALCORE__UNCERTAINTY_PASS(.values = {ALCORE__VALUES(alcore__uncertainty_knn, uncertainty)},
                              .reduce = alcore__uncertain_take, .tell = alcore__uncertain_tell),
     .end = alcore__uncertain_choose},
    {ALCORE__CHECK_TARGET_PASS},
    {.name = "distances",
     .block = measure_members,
     .partial = {.extra = distance_bytes, .reduce = store_distances},
     .when = ALCORE__TEST(measures)},
    {.name = "distances of languages",
     .block = measure_groups,
     .partial = {.extra = nearest_bytes, .reduce = store_nearest},
     .when = ALCORE__IF(alcore__uncertainty_knn, in_turns)},
    {.name = "vectors",
     .block = collect_members,
     .partial = {.extra = vectors_bytes, .reduce = store_vectors},
     .when = ALCORE__IF(alcore__uncertainty_knn, cover)},
    {.name = NULL},
};

/* ---- finish ---- */

/* The distance of a member, the root of prox, which is squared unless prox=mean. */
static double distance_of(const alcore__uncertainty_knn *state, int64_t member) {
    return state->by_mean ? state->prox[member] : sqrt(state->prox[member]);
}

/* Whether only picks have scores, which fall from 1 in the order of the picks: with cover=1 and in
 * turns, where their distances do not order them. */
static bool scores_by_rank(const alcore__uncertainty_knn *state) {
    return state->cover || state->in_turns;
}

/* Offers the picks, which are those of all shards, before all nominees. With fill=stop the last one
 * is no pick where it does not fit. */
static alcore_status offer_picks(alcore__run *run) {
    alcore__uncertainty_knn *state = run->state;
    const alcore__purchase *bought = &state->hybrid.filler.bought;
    alcore__nominees *offered = &state->offered;
    const bool last_fits =
        run->input->own.policy != ALCORE__FILL_STOP || !(bought->spent > bought->budget);
    const int64_t picks = bought->pick_count - !last_fits;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, bought->pick_count, &offered->entries));
    for (; offered->count < bought->pick_count; offered->count++) {
        const int64_t member = bought->picks[offered->count];
        const double by_rank = (double)(picks - offered->count) / (double)picks;
        offered->entries[offered->count] = (alcore__nominee){
            .row = state->members[member].row,
            .score = scores_by_rank(state) ? by_rank : 0.0 - distance_of(state, member),
            .cost = state->members[member].cost};
    }
    run->offered = offered;
    run->offered_last = true;
    run->offered_skips = bought->unaffordable > 0;
    return ALCORE_OK;
}

/* Called after the last pass: buys, records uncertainty and distance, and scores what was measured
 * by minus the distance, NaN where none was measured. */
static alcore_status finish(alcore__run *run) {
    alcore__uncertainty_knn *state = run->state;
    const bool by_rank = scores_by_rank(state);
    double *uncertainty, *distance, *scores = run->outcome.scores;
    if (alcore__lists_own(run)) {
        ALCORE__TRY(alcore__uncertainty_knn_buy(run));
        return offer_picks(run);
    }
    ALCORE__TRY(alcore__outcome_column(run, "u", ALCORE_FLOAT64, &uncertainty));
    ALCORE__TRY(alcore__outcome_column(run, "distance", ALCORE_FLOAT64, &distance));
    ALCORE__TRY(alcore__uncertainty_knn_buy(run));
    alcore__filler_finish(&state->hybrid.filler);
    for (int64_t i = 0; i < run->outcome.count; i++) {
        uncertainty[i] = state->uncertainty[i];
        distance[i] = scores[i] = (double)NAN;
    }
    for (int64_t m = 0; m < state->member_count; m++) {
        distance[state->number[m]] = distance_of(state, m);
        if (!by_rank) scores[state->number[m]] = 0.0 - distance[state->number[m]];
    }
    if (by_rank) alcore__outcome_score_picks(run);
    if (!state->balanced || state->by_mean) return ALCORE_OK;
    return alcore__target_groups_record(run, &state->groups, state->buyer);
}

#define STATE(member) ALCORE__MEMBER(ALCORE__TO_STATE, alcore__uncertainty_knn, member)
/* Name, type, default, smallest and largest value (0, 0: none), choices, help. */
static const alcore__param ROWS[] = {
    {"c", ALCORE_PARAM_NUMBER, "4", 1, 1000000, NULL,
     "how many times the budget the most uncertain rows cost of which the nearest are chosen",
     STATE(factor)},
    {"prox", ALCORE_PARAM_CHOICE, "min", 0, 0, "min|mean",
     "nearness to the target: the distance to its nearest row, or the mean distance to all",
     STATE(by_mean)},
    {"cover", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: the rows of the target are visited in turn, and each gets its nearest row that is left",
     STATE(cover)},
    {"balance_targets", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: the languages of the target buy in turns, each the rows nearest to its own; with "
     "prox=mean "
     "each has the same weight in the mean",
     STATE(balanced)},
    ALCORE__UNCERTAINTY_PARAMS,
    ALCORE__CANDIDATE_PARAMS,
};
static const char *const EXAMPLES[] = {"c=2 prox=mean",
                                       "c=1.5 cover=1",
                                       "balance_targets=1",
                                       "balance_targets=1 prox=mean",
                                       "balance_targets=1 cover=1 c=2",
                                       NULL};

const alcore__strategy_def alcore__strategy_uncertainty_knn = {
    .name = "uncertainty-knn",
    .summary = "Of the most uncertain rows those that are nearest to a target (the reverse of "
               "KNN-UNCERTAINTY)",
    .examples = EXAMPLES,
    .reason = "among the most uncertain rows, and near the target",
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__hybrid_needs,
              [ALCORE__ROLE(TARGET)] = alcore__needs_embeddings},
    .candidate_needs = alcore__hybrid_needs_of,
    .score_rows = alcore__score_given_or_class,
    .reads_all_classes = alcore__uncertainty_is_entropy,
    .rows_depend_on_budget = true,
    .state_bytes = sizeof(alcore__uncertainty_knn),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
    .by_passes = true,
    .ranks_own = alcore__ranks_own,
};
