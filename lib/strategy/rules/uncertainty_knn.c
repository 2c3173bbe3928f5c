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
 * Passes: the uncertainty of every candidate; then one over the members of C, which measures them
 * from the target, or with cover=1 collects their embeddings. The visits of cover=1 are made after
 * the passes: each reads one row of the target and measures all of C from it.
 *
 * Terms used here:
 *
 *     position      number of a candidate among all candidates, from 0
 *     active row    a row that takes part in its block (8192 pool rows), here a candidate; its
 *                   index numbers them in the block, so that its position is block->start + index
 *     partial       what a block contributes to a pass; it comes zeroed, and its bytes are given to
 *                   reduce()
 *     target block  8192 rows of the target's pool; block_starts and mask of the active rows tell
 *                   which of its rows take part
 *     filler        spends the budget: a row that is offered to it is bought or passed over
 *
 * Memory: 25 bytes a candidate; with cover=1 also 8 bytes for each component of the embeddings of
 * C. */
#include <math.h>
#include <string.h>

#include "strategy/budget/rank.h"
#include "strategy/rules/target_hybrid.h"
#include "strategy/strategies.h"

enum { PROX_MIN, PROX_MEAN }; /* the parameter "prox" */

typedef struct prune_state {
    alcore__hybrid hybrid; /* uncertainty of the candidates, and the budget */
    bool by_mean, cover;   /* prox=mean, cover=1 */
    double factor;         /* c, 1 or more */
    uint8_t *is_member;    /* [candidates] 1: in C */
    int64_t *members;      /* [member_count] positions of C, the most uncertain first */
    int64_t member_count;
    /* [candidates] prox of the members of C: the squared distance to the nearest target row, or the
     * mean distance with prox=mean; with cover=1 the squared distance to the target row whose visit
     * bought the candidate. NaN: not measured */
    double *prox;
    int32_t *target_group; /* [target rows] 0: active; -1: not */
    double *vectors;       /* cover: [member_count, dims] embeddings of C in row order */
    int64_t *vector_of;    /* cover: [member_count] position of each of `vectors` */
    int64_t vector_count;  /* cover: vectors collected so far */
} prune_state;

/* ---- begin ---- */

/* Called once before the first pass: reads the parameters and allocates the arrays. */
static alcore_status begin(alcore__run *run) {
    prune_state *state = run->state;
    const alcore__active_rows *target = &run->active[ALCORE__OVER_TARGET];
    size_t count = (size_t)run->outcome.count, target_rows = (size_t)run->input->target.rows;
    state->by_mean = alcore__values_integer(run->values, "prox") == PROX_MEAN;
    state->cover = alcore__values_integer(run->values, "cover") == 1;
    state->factor = alcore__values_number(run->values, "c");
    ALCORE__TRY(alcore__hybrid_begin(run));
    if (state->cover && state->by_mean)
        return alcore__fail(
            ALCORE_E_PARAM,
            "strategy uncertainty-knn: prox has no part in the choice with cover=1");
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof *state->is_member, &state->is_member));
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(int64_t), &state->members));
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(double), &state->prox));
    ALCORE__TRY(alcore__new_array(run->ctx, target_rows, sizeof(int32_t), &state->target_group));
    for (size_t i = 0; i < count; i++) state->prox[i] = (double)NAN;
    for (size_t i = 0; i < target_rows; i++) state->target_group[i] = -1;
    for (int64_t i = 0; i < target->count; i++) state->target_group[target->rows[i]] = 0;
    return ALCORE_OK;
}

/* Called when the run is freed, also after a failure in begin: arrays that were not made are NULL.
 */
static void free_state(alcore__run *run) {
    prune_state *state = run->state;
    alcore__free(run->ctx, state->is_member);
    alcore__free(run->ctx, state->members);
    alcore__free(run->ctx, state->prox);
    alcore__free(run->ctx, state->target_group);
    alcore__free(run->ctx, state->vectors);
    alcore__free(run->ctx, state->vector_of);
    alcore__hybrid_free(run);
}

/* ---- end of pass "uncertainty" ---- */

/* End of "uncertainty": C is the shortest prefix of the ranking by uncertainty that costs c times
 * the budget, or all candidates. The limit is 1e-9 lower, so that a rounded sum of costs does not
 * take in one more row. With cover=1 the arrays for the embeddings of C are made too. */
static alcore_status choose_members(alcore__run *run) {
    prune_state *state = run->state;
    int64_t count = run->outcome.count;
    double cost = 0, limit = state->factor * run->input->fill.budget - 1e-9;
    ALCORE__TRY(alcore__rank(run->ctx, state->hybrid.uncertainty, run->outcome.rows, count,
                             run->input->fill.tie, run->input->seed, count, state->members));
    while (state->member_count < count && cost < limit) {
        int64_t position = state->members[state->member_count++];
        state->is_member[position] = 1;
        cost += alcore__filler_cost(&state->hybrid.filler, position);
    }
    if (!state->cover) return ALCORE_OK;
    size_t members = (size_t)state->member_count, dims = (size_t)alcore__embedding_dims(run);
    ALCORE__TRY(alcore__new_array(run->ctx, members, dims * sizeof(double), &state->vectors));
    return alcore__new_array(run->ctx, members, sizeof(int64_t), &state->vector_of);
}

/* ---- pass "distances": prox of the members of C ---- */

/* Condition of the pass: cover=0. */
static bool measures(const alcore__run *run) {
    return !((const prune_state *)run->state)->cover;
}

/* Number of members of C in a block. */
static int64_t count_members(const alcore__block *block) {
    const prune_state *state = block->run->state;
    int64_t members = 0;
    for (int64_t i = 0; i < block->count; i++) members += state->is_member[block->start + i];
    return members;
}

/* The partial: double [active rows], prox of the members of C, NaN of the others. A block without
 * members is not visited. */
static size_t distance_bytes(const alcore__block *block) {
    return count_members(block) > 0 ? (size_t)block->count * sizeof(double) : 0;
}

/* Adds to sums [active rows] the Euclidean distances of the members to the active rows of one block
 * of the target. group [targets]: 0: active, -1: not. */
static alcore_status add_distances(const alcore__matrix *matrix, const alcore_sys_rows *targets,
                                   const int32_t *group, double *sums) {
    alcore__block *block = matrix->block;
    const prune_state *state = block->run->state;
    alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    double *block_sums;
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *block_sums, &block_sums));
    memset(block_sums, 0, (size_t)block->count * sizeof *block_sums);
    ALCORE__TRY(alcore__matrix_distances(matrix, state->is_member + block->start, targets, group,
                                         1 /* group */, block_sums));
    for (int64_t i = 0; i < block->count; i++) sums[i] += block_sums[i];
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}

/* Measures the members of C in the block from the whole target: the partial is prox, double [active
 * rows]: the smallest squared distance or, with prox=mean, sums of distances until the last block
 * of the target was seen, and then their mean. */
static alcore_status measure_members(alcore__block *block, void *partial) {
    const alcore__run *run = block->run;
    const prune_state *state = run->state;
    const alcore__active_rows *target = &run->active[ALCORE__OVER_TARGET];
    const uint8_t *is_member = state->is_member + block->start;
    double *prox = partial;
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__matrix_check_norms(&matrix));
    for (int64_t i = 0; i < block->count; i++) prox[i] = state->by_mean ? 0.0 : HUGE_VAL;
    for (int64_t b = 0; b < target->blocks; b++) {
        int64_t first = b * ALCORE_BLOCK_ROWS;
        alcore_sys_rows rows = {0};
        if (target->block_starts[b] == target->block_starts[b + 1]) continue;
        ALCORE__TRY(alcore__target_rows(block, b, &rows));
        if (state->by_mean) {
            ALCORE__TRY(add_distances(&matrix, &rows, state->target_group + first, prox));
        } else {
            const uint8_t *mask = target->mask ? target->mask + first : NULL;
            ALCORE__TRY(alcore__matrix_join_nearest(&matrix, is_member, &rows, mask, prox));
        }
    }
    for (int64_t i = 0; i < block->count; i++) {
        if (!is_member[i])
            prox[i] = (double)NAN;
        else if (state->by_mean)
            prox[i] /= (double)target->count;
    }
    return ALCORE_OK;
}

/* Reduces the partial of one block: prox, at the positions of its active rows. */
static alcore_status store_distances(alcore__run *run, const alcore__block_partial *part) {
    prune_state *state = run->state;
    memcpy(state->prox + part->start, part->extra, part->extra_bytes);
    return ALCORE_OK;
}

/* ---- pass "vectors": the embeddings of C, for cover=1 ---- */

/* Condition of the pass. */
static bool collects(const alcore__run *run) {
    return ((const prune_state *)run->state)->cover;
}

/* The partial: double [members of the block, dims]. */
static size_t vectors_bytes(const alcore__block *block) {
    return (size_t)(count_members(block) * alcore__embedding_dims(block->run)) * sizeof(double);
}

/* Copies the embeddings of the members of C in the block to the partial, in row order, and fails on
 * a component that is not finite. */
static alcore_status collect_members(alcore__block *block, void *partial) {
    const prune_state *state = block->run->state;
    int64_t dims = alcore__embedding_dims(block->run);
    double *vector = partial;
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    for (int64_t i = 0; i < block->count; i++) {
        if (!state->is_member[block->start + i]) continue;
        ALCORE__TRY(alcore__matrix_copy_row(&matrix, i, vector));
        ALCORE__TRY(alcore__vector_check(vector, dims, ALCORE__OVER_CANDIDATES, block->rows[i]));
        vector += dims;
    }
    return ALCORE_OK;
}

/* Reduces the partial of one block: appends its vectors, and notes the position of each. Blocks
 * come in order, so both are in row order. */
static alcore_status store_vectors(alcore__run *run, const alcore__block_partial *part) {
    prune_state *state = run->state;
    int64_t dims = alcore__embedding_dims(run);
    memcpy(state->vectors + state->vector_count * dims, part->extra, part->extra_bytes);
    for (int64_t i = part->start; i < part->start + part->count; i++)
        if (state->is_member[i]) state->vector_of[state->vector_count++] = i;
    return ALCORE_OK;
}

static const alcore__pass PASSES[] = {
    {ALCORE__UNCERTAINTY_PASS, .end = choose_members},
    {ALCORE__CHECK_TARGET_PASS},
    {.name = "distances",
     .rows = ALCORE__OVER_CANDIDATES,
     .block = measure_members,
     .partial = {.extra = distance_bytes, .reduce = store_distances},
     .when = measures},
    {.name = "vectors",
     .rows = ALCORE__OVER_CANDIDATES,
     .block = collect_members,
     .partial = {.extra = vectors_bytes, .reduce = store_vectors},
     .when = collects},
    {.name = NULL},
};

/* ---- finish ---- */

/* Offers C by (prox ascending, uncertainty descending), as the largest key, minus prox, comes
 * first. members lists C by uncertainty, so the index in it decides between equal distances. order,
 * index [member_count] and keys: workspace. */
static alcore_status buy_nearest(alcore__run *run, int64_t *order, int64_t *index, double *keys) {
    prune_state *state = run->state;
    int64_t count = state->member_count;
    for (int64_t i = 0; i < count; i++) {
        index[i] = i;
        keys[i] = -state->prox[state->members[i]];
    }
    ALCORE__TRY(
        alcore__rank(run->ctx, keys, index, count, ALCORE__TIE_INDEX, 0 /* seed */, count, order));
    for (int64_t i = 0; i < count; i++) order[i] = state->members[order[i]];
    return alcore__filler_offer_all(&state->hybrid.filler, order, count);
}

/* The member that a visit of a target row buys: that with the smallest of sq_dist [member_count],
 * of equally near ones the more uncertain, then the lower row; an index into `vectors`, -1: none is
 * left. done [member_count]: 1: offered before. */
static int64_t find_nearest(const prune_state *state, const double *sq_dist, const uint8_t *done) {
    int64_t best = -1;
    for (int64_t i = 0; i < state->member_count; i++) {
        if (done[i]) continue;
        if (best >= 0 && !(sq_dist[i] < sq_dist[best])) {
            double gain = state->hybrid.uncertainty[state->vector_of[i]] -
                          state->hybrid.uncertainty[state->vector_of[best]];
            if (sq_dist[i] > sq_dist[best] || !(gain > 0)) continue;
        }
        best = i;
    }
    return best;
}

/* Visits the active target rows in turn until the budget is spent or C is used up. sq_dist
 * [member_count], done [member_count, zeroed] and target [dims]: workspace. */
static alcore_status buy_cover(alcore__run *run, double *sq_dist, uint8_t *done, double *target) {
    prune_state *state = run->state;
    const alcore__active_rows *active = &run->active[ALCORE__OVER_TARGET];
    const alcore__column *column = alcore__dataset_find(&run->input->target, "embeddings");
    const alcore_sys_kernels *kernels = alcore__run_kernels(run);
    const alcore_sys_work work = alcore__run_work(run);
    int64_t dims = alcore__embedding_dims(run), offered = 0;
    const alcore_sys_rows members = {.data = state->vectors,
                                     .count = state->member_count,
                                     .dims = dims,
                                     .stride = dims,
                                     .dtype = ALCORE_FLOAT64};
    alcore__scratch scratch = {0};
    alcore_status status = ALCORE_OK;
    for (int64_t visit = 0; offered < state->member_count && status == ALCORE_OK; visit++) {
        bool bought; /* the filler keeps what it bought */
        alcore_sys_rows row = {0};
        if (alcore__filler_full(&state->hybrid.filler)) break;
        status = column->ops->rows(column, active->rows[visit % active->count], 1, &scratch, &row);
        if (status == ALCORE_OK) status = kernels->widen(&work, &row, NULL /* no mask */, target);
        if (status == ALCORE_OK)
            status = kernels->sq_dists(&work, &members, NULL /* no mask */, target, sq_dist);
        if (status != ALCORE_OK) break;
        /* One is left, as fewer than member_count were offered. */
        int64_t nearest = find_nearest(state, sq_dist, done), position = state->vector_of[nearest];
        done[nearest] = 1;
        state->prox[position] = sq_dist[nearest];
        status = alcore__filler_offer(&state->hybrid.filler, position, &bought);
        offered++;
        if (status == ALCORE_OK)
            status = alcore__tick(run->ctx, "covering the target", offered, state->member_count);
    }
    alcore__scratch_clear(run->ctx, &scratch);
    return status;
}

/* Allocates the workspace of either rule and spends the budget on C: values [member_count] and a
 * vector [dims] behind them, order and index [member_count] each, done [member_count], zeroed. */
static alcore_status buy(alcore__run *run) {
    prune_state *state = run->state;
    size_t count = (size_t)state->member_count, dims = (size_t)alcore__embedding_dims(run);
    int64_t *order = NULL;
    double *values = NULL;
    uint8_t *done = NULL;
    alcore_status status = alcore__new_array(run->ctx, count + dims, sizeof *values, &values);
    if (status == ALCORE_OK) status = alcore__new_array(run->ctx, 2 * count, sizeof *order, &order);
    if (status == ALCORE_OK) status = alcore__new_array(run->ctx, count, sizeof *done, &done);
    if (status == ALCORE_OK)
        status = state->cover ? buy_cover(run, values, done, values + count)
                              : buy_nearest(run, order, order + count, values);
    alcore__free(run->ctx, values);
    alcore__free(run->ctx, order);
    alcore__free(run->ctx, done);
    return status;
}

/* Called after the last pass: buys, then scores what was measured by its nearness: minus the
 * distance, NaN where none was measured. With cover=1 the scores of the picks fall from 1 in the
 * order of the visits, as the distances of visits do not. */
static alcore_status finish(alcore__run *run) {
    prune_state *state = run->state;
    int64_t count = run->outcome.count;
    double *uncertainty, *distance, *scores = run->outcome.scores;
    ALCORE__TRY(alcore__outcome_column(run, "u", ALCORE_FLOAT64, &uncertainty));
    ALCORE__TRY(alcore__outcome_column(run, "distance", ALCORE_FLOAT64, &distance));
    ALCORE__TRY(buy(run));
    alcore__filler_finish(&state->hybrid.filler);
    for (int64_t i = 0; i < count; i++) {
        uncertainty[i] = state->hybrid.uncertainty[i];
        distance[i] = state->by_mean ? state->prox[i] : sqrt(state->prox[i]);
        scores[i] = state->cover ? (double)NAN : 0.0 - distance[i];
    }
    int64_t picks = run->outcome.pick_count;
    for (int64_t rank = 0; state->cover && rank < picks; rank++)
        scores[run->outcome.picks[rank]] = (double)(picks - rank) / (double)picks;
    return ALCORE_OK;
}

static const char *const TARGET_NEEDS[] = {"embeddings", NULL};
/* Name, type, default, smallest and largest value (0, 0: none), choices, help. */
static const alcore__param ROWS[] = {
    {"c", ALCORE_PARAM_NUMBER, "4", 1, 1000000, NULL,
     "how many times the budget the most uncertain rows cost of which the nearest are chosen"},
    {"prox", ALCORE_PARAM_CHOICE, "min", 0, 0, "min|mean",
     "nearness to the target: the distance to its nearest row, or the mean distance to all"},
    {"cover", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: the rows of the target are visited in turn, and each gets its nearest row that is left"},
    ALCORE__UNCERTAINTY_MODE_PARAM,
    ALCORE__MARGIN_PARAM,
    ALCORE__CANDIDATE_PARAMS,
};
static const alcore__param_table PARAMS = ALCORE__PARAM_TABLE(ROWS);
static const char *const EXAMPLES[] = {"c=2 prox=mean", "c=1.5 cover=1", NULL};

const alcore__strategy_def alcore__strategy_uncertainty_knn = {
    .name = "uncertainty-knn",
    .summary = "Of the most uncertain rows those that are nearest to a target (the reverse of "
               "KNN-UNCERTAINTY)",
    .examples = EXAMPLES,
    .reason = "among the most uncertain rows, and near the target",
    .params = &PARAMS,
    .needs = {[ALCORE_ROLE_CANDIDATES] = alcore__hybrid_needs, [ALCORE_ROLE_TARGET] = TARGET_NEEDS},
    .candidate_needs = alcore__hybrid_needs_of,
    .score_rows = alcore__score_given_or_class,
    .rows_depend_on_budget = true,
    .state_bytes = sizeof(prune_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
    .free_state = free_state,
};
